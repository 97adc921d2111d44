"""Bitexts: what is read, left out and refused, and the sides, documents and texts of pairs."""

import json
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import ReadingOptions
from stickbreaker.corpus.blocks import BLOCK_DOCUMENTS
from stickbreaker.corpus.readers.problems import ReadingWarning
from stickbreaker.translation.bitext import Bitext
from stickbreaker.translation.sentence_pairs import BitextFields, Pair
from stickbreaker.translation.sentence_tokens import tokens_of

FIELDS = BitextFields("de", "en")
SKIP = ReadingOptions(on_error="skip")
NO_WORDS = "no words on one side"


@pytest.fixture
def read(tmp_path):
    """Reads files by name and content, in that order."""

    def call(files, fields=FIELDS, reading=None):
        for name, content in files.items():
            (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return Bitext.read([str(tmp_path / name) for name in files], fields, reading)

    return call


def rows(*documents):
    return "".join(json.dumps(document) + "\n" for document in documents)


def texts(bitext):
    return bitext.texts(range(bitext.n_pairs))


ROWS = (
    {"doc": "a", "domain": "x", "de": "Die Bank", "en": "The bank"},
    {"doc": "b", "de": "Ein Haus", "en": "A house"},
    {"doc": "a", "domain": "y", "de": "Die &amp; Bank", "en": "The\nbench"},
)


# what is read


def test_rows_have_documents_and_domains(read):
    bitext = read({"a.jsonl": rows(*ROWS)})
    assert (bitext.n_pairs, bitext.names, bitext.domains) == (3, ("a", "b"), ("x", ""))
    assert bitext.document_of.tolist() == [0, 1, 0]
    assert texts(bitext) == [("Die Bank", "The bank"), ("Ein Haus", "A house"), ("Die & Bank", "The bench")]
    assert bitext.document_texts == (["Die Bank\nDie & Bank", "Ein Haus"], ["The bank\nThe bench", "A house"])


def test_sides_are_the_tokens(read):
    bitext = read({"a.jsonl": rows(*ROWS)})
    for code, words, side, pair_side in zip(("de", "en"), bitext.words, bitext.sides, (0, 1), strict=True):
        for pair, text in enumerate(texts(bitext)):
            numbers = side.words[side.offsets[pair] : side.offsets[pair + 1]]
            assert [words[number] for number in numbers] == tokens_of(text[pair_side], code)
    counts = np.bincount(bitext.sides[0].words)
    assert (np.diff(counts) <= 0).all()  # the most frequent first


def test_a_table_reads_like_rows(read, tmp_path):
    pq.write_table(pa.Table.from_pylist([dict(row) for row in ROWS]), tmp_path / "a.parquet")
    table = Bitext.read([str(tmp_path / "a.parquet")], FIELDS)
    assert table.corpus.fingerprint == read({"a.jsonl": rows(*ROWS)}).corpus.fingerprint
    tsv = read(
        {"a.tsv": "german\tenglish\tfile\nDie Bank\tThe bank\tz\n"},
        BitextFields("de", "en", "de=german,en=english", document_field="file"),
    )
    assert (texts(tsv), tsv.names) == ([("Die Bank", "The bank")], ("z",))


def test_lines_read_like_rows_without_documents(read):
    lines = read({"a.de": "Die Bank\r\nEin Haus\n\nZu\n", "a.en": "The bank\nA house\nempty\nTo"})
    assert texts(lines) == [("Die Bank", "The bank"), ("Ein Haus", "A house"), ("Zu", "To")]
    assert lines.names == ("pairs 1-20",)
    assert lines.corpus.skipped == {NO_WORDS: 1}


def test_pairs_without_a_document_make_some():
    pairs = [Pair("a", "b", "named" if number == 2 else None) for number in range(6)]
    bitext = Bitext.of(pairs, "de", "en", lines_per_document=2)
    assert bitext.names == ("pairs 1-2", "named", "pairs 3-4", "pairs 5-6")
    assert bitext.document_of.tolist() == [0, 0, 1, 2, 2, 3]


def test_values_of_fields_may_be_numbers(read):
    row = {"de": "a", "en": "b"}
    bitext = read({"a.jsonl": rows({**row, "doc": 0, "domain": 7}, {**row, "doc": 1.5}, {**row, "doc": ""})})
    assert bitext.names == ("0", "1.5", "pairs 1-20")
    assert bitext.domains == ("7", "", "")


def test_one_language_more_changes_nothing(read):
    three = [{**row, "zh": "银行"} for row in ROWS]
    assert texts(read({"a.jsonl": rows(*three)})) == texts(read({"a.jsonl": rows(*ROWS)}))


# what is hostile


def test_pairs_without_words_are_left_out_and_counted(read):
    strange = [{"de": "x"}, {"de": " \u200b ", "en": "x"}, {"de": None, "en": "x"}, {"de": "", "en": "x"}]
    bitext = read({"a.jsonl": rows(ROWS[0], *strange, ROWS[1])})
    assert texts(bitext) == [("Die Bank", "The bank"), ("Ein Haus", "A house")]
    assert bitext.corpus.skipped == {NO_WORDS: 4}
    assert bitext.corpus.about.first_skipped == {NO_WORDS: "pair 2"}


def test_hostile_tokens():
    long = "x" * 100_000
    pairs = [
        Pair("a|||b <s> </s> NULL \ufeff\u2028 c", '= "=HYPERLINK()" \\ \t0-0'),
        Pair("\ud800 \U0001f600 a\u0301\u0302", "::: de:en: %s {}"),
        Pair(long, long + " " + long),
    ]
    bitext = Bitext.of(pairs, "de", "en")
    assert bitext.n_pairs == 3
    first = [bitext.words[0][number] for number in bitext.sides[0].words[: bitext.sides[0].offsets[1]]]
    assert first == [*"a|||b<", "s", ">", "<", "/", "s", ">", "null", "c"]
    assert max(map(len, bitext.words[0] + bitext.words[1])) < 100
    assert np.diff(bitext.sides[1].offsets)[2] == 2
    assert texts(bitext)[1] == ("\ufffd \U0001f600 a\u0301\u0302", "::: de:en: %s {}")


def test_a_huge_line():
    bitext = Bitext.of([Pair("wort " * 200_000, "word"), Pair("noch eins", "one more")], "de", "en")
    assert np.diff(bitext.sides[0].offsets).tolist() == [200_000, 2]
    assert texts(bitext)[1] == ("noch eins", "one more")


@pytest.mark.parametrize(
    ("bad", "left"),
    [
        ({"de": [1]}, ["A", "C", "D"]),
        ({"en": [1]}, ["A", "C", "D"]),
        ({"de": [1], "en": [2]}, ["A", "D"]),
        ({"de": [3], "en": [0]}, ["B", "C"]),
        ({"de": [0, 1, 2], "en": [0]}, ["D"]),
    ],
)
def test_lines_that_cannot_be_read_leave_the_others_side_by_side(read, bad, left):
    files = {}
    for code in ("de", "en"):
        lines = [b"\xff" if n in bad.get(code, ()) else letter.encode() for n, letter in enumerate("ABCD")]
        files[f"a.{code}"] = b"\n".join(lines) + b"\n"
    bitext = read(files, reading=SKIP)
    assert texts(bitext) == [(letter, letter) for letter in left]
    assert bitext.corpus.skipped == {"undecodable bytes": sum(map(len, bad.values()))}
    with pytest.raises(UserError, match="is not UTF-8"):
        read(files)


def test_lines_that_are_too_large_leave_the_others_side_by_side(read):
    files = {"a.de": "A\n" + "B" * 50 + "\nC\n", "a.en": "A\nB\nC\n"}
    bitext = read(files, reading=ReadingOptions(on_error="skip", largest_text=20))
    assert texts(bitext) == [("A", "A"), ("C", "C")]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"a.de": "a\nb\n", "a.en": "A\n"}, "a.en: has 1 line, but {}/a.de has more; give two files with"),
        ({"a.de": "a\n", "a.en": "A\nB\nC\n"}, "a.de: has 1 line, but {}/a.en has more"),
        ({"a.de": "", "a.en": "A\n"}, "a.de: has 0 lines"),
        ({"a.de": "", "a.en": ""}, "a.de {}/a.en: no pair of sentences has words on both sides"),
        ({"a.de": "\n\n", "a.en": "\n\n"}, "no pair of sentences has words on both sides"),
        ({"a.de": b"a\0\n", "a.en": "A\n"}, "a.de:1: binary bytes"),
        (
            {"a.jsonl": ""},
            "a.jsonl: no row has a text in de and one in en; name their fields with text_field",
        ),
        ({"a.jsonl": rows({"de": "a"}, {"en": "a"})}, "no row has a text in de and one in en"),
        ({"a.jsonl": rows({"x": "a"})}, "a.jsonl:1: no text in the fields de, en (fields: x)"),
        ({"a.jsonl": rows({"de": "\u200b", "en": "a"})}, "no pair of sentences has words on both sides"),
        ({"a.jsonl": rows({"de": 3, "en": "a"})}, "a.jsonl:1: the field 'de' is not a string"),
        ({"a.jsonl": "[]\n"}, "a.jsonl:1: the line is an array"),
        ({"a.jsonl": b'{"de": "\xff", "en": "x"}\n'}, "a.jsonl:1: byte 0xff at position 9 is not UTF-8"),
    ],
)
def test_what_is_no_bitext_is_refused(read, tmp_path, files, says):
    with pytest.raises(UserError) as caught:
        read(files)
    assert says.replace("{}", str(tmp_path)) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("de", "de"), "source and target are both de"),
        (("de-AT", "German"), "source and target are both de"),
        (("", "en"), "unknown language ''"),
        (("de", "en", None, "doc", "domain", 0), "lines_per_document=0"),
    ],
)
def test_fields_that_make_no_sense_are_refused(arguments, says):
    with pytest.raises(UserError, match=says):
        BitextFields(*arguments)


def test_nothing_is_no_bitext():
    for pairs in ([], [Pair("", "")], [Pair("a", " ")]):
        with pytest.raises(UserError, match="no pair of sentences has words on both sides"):
            Bitext.of(pairs, "de", "en")


# several blocks, and other bitexts


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A bitext of three blocks, in memory and on disk."""
    pairs = [Pair(f"a{n} x", f"b{n} y", f"d{n % 7}", "even" if n % 7 % 2 == 0 else None) for n in range(2500)]
    held = Bitext.of(pairs, "de", "en")
    assert len(held.corpus.block_sizes) == -(-2500 // BLOCK_DOCUMENTS)
    path = tmp_path_factory.mktemp("bitext") / "b"
    held.write(path)
    return held, Bitext.open(path, held.fields)


def test_texts_come_in_the_order_that_is_asked_for(large):
    for bitext in large:
        numbers = [2499, 0, 1024, 1023, 0, 2048]
        assert bitext.texts(numbers) == [(f"a{n} x", f"b{n} y") for n in numbers]
        assert bitext.texts([]) == []


def test_documents_go_over_blocks(large):
    for bitext in large:
        assert bitext.names == tuple(f"d{n}" for n in range(7))
        assert bitext.domains == ("even", "", "even", "", "even", "", "even")
        assert bitext.document_of.tolist() == [n % 7 for n in range(2500)]
        sources, targets = bitext.document_texts
        assert sources[3].split("\n") == [f"a{n} x" for n in range(3, 2500, 7)]
        assert targets[6].split("\n")[1] == "b13 y"


def test_saved_and_opened_it_is_the_same(large):
    held, opened = large
    assert held.words == opened.words
    assert held.corpus.fingerprint == opened.corpus.fingerprint
    for one, other in zip(held.sides, opened.sides, strict=True):
        np.testing.assert_array_equal(one.words, other.words)
        np.testing.assert_array_equal(one.offsets, other.offsets)


def test_seen_by_another_bitext():
    known = Bitext.of([Pair("c c b", "z y"), Pair("a", "a")], "de", "en")
    other = Bitext.of([Pair("a x c", "y c"), Pair("z", "z z")], "de", "en")
    sources, targets = other.seen_by(known)
    assert [known.words[0][n] if n >= 0 else None for n in sources.words] == ["a", None, "c", None]
    assert [known.words[1][n] if n >= 0 else None for n in targets.words] == ["y", None, "z", "z"]
    assert (sources.offsets.tolist(), targets.offsets.tolist()) == ([0, 3, 4], [0, 2, 4])
    assert sources.words.dtype == np.int32


def test_languages_do_not_mix():
    bitext = Bitext.of([Pair("de:en en", "de de:")], "de", "en")
    assert set(bitext.words[0]) == {"de", ":", "en"}
    assert set(bitext.words[1]) == {"de", ":"}


def test_a_carriage_return_in_a_file_of_lf_lines_does_not_shift_the_pairs(read):
    files = {"a.de": "eins\nzw\rei\ndrei\nvier\n", "a.en": "one\ntwo\nthree\nfo\rur\n"}
    with pytest.warns(
        ReadingWarning, match="1 carriage return inside lines, in line [24], is read as a space"
    ):
        bitext = read(files)
    assert texts(bitext)[0] == ("eins", "one")
    assert texts(bitext)[2:] == [("drei", "three"), ("vier", "fo ur")]
    assert bitext.n_pairs == 4


def test_the_document_is_the_field_doc_or_document(read):
    pairs = [{"de": f"wort {n}", "en": f"word {n}", "document": f"d{n // 30}"} for n in range(60)]
    with pytest.warns(ReadingWarning, match="documents are those of the field document, if there is no doc"):
        assert read({"a.jsonl": rows(*pairs)}).names == ("d0", "d1")
    with pytest.warns(ReadingWarning, match="in a field page: each 20 pairs are one"):
        by_page = read({"a.jsonl": rows(*pairs)}, BitextFields("de", "en", document_field="page"))
    assert len(by_page.names) == 3
    both = [{**pair, "doc": "one"} for pair in pairs]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read({"a.jsonl": rows(*both)}).names == ("one",)
        assert read({"a.de": "eins\n", "a.en": "one\n"}).n_pairs == 1
