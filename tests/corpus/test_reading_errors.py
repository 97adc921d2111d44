"""Every bad input gives one line that names the file, the line and the remedy; or is skipped and counted."""

import gzip
import io
import json
import sys
from pathlib import Path

import pytest
import zstandard

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus, ReadingOptions, VocabularyRule

GOOD = b'{"text": "one good document"}\n'
KINDS = (b"cat", b"dog", b"bird")
PACKED = gzip.compress(
    b"".join(b'{"text": "%s number %d"}\n' % (KINDS[i % 3], i) for i in range(5000)), mtime=0
)
ZSTD = zstandard.ZstdCompressor().compress(b'{"text": "cat"}\n{"text": "dog"}\n') * 2

# file name, content, the error line after the file's name, the kind under which it is counted
TEXT_ERRORS = [
    ("a.txt", b"fine\ncaf\xe9\n", ":2: byte 0xe9 at position 4 is not UTF-8; convert", "undecodable bytes"),
    ("a.txt", b"fine\n\x00\x01\n", ":2: binary bytes (NUL), not UTF-8 text; convert", "binary bytes"),
    (
        "a.txt",
        "fine\n".encode("utf-16-le"),
        ":1: binary bytes (NUL), not UTF-8 text; convert",
        "binary bytes",
    ),
    (
        "a.jsonl",
        GOOD + b'{"text": \n',
        ":2: malformed JSON (Expecting value at column 10); each",
        "malformed JSON",
    ),
    (
        "a.jsonl",
        GOOD + b'{"text": "a", "n": NaN}\n',
        ":2: malformed JSON (NaN is not JSON); each",
        "malformed JSON",
    ),
    ("a.jsonl", GOOD + b"[" * 100_000 + b"\n", ":2: malformed JSON (", "malformed JSON"),
    ("a.jsonl", GOOD + b"[1, 2]\n", ":2: the line is an array, not a JSON object; each", "not an object"),
    ("a.jsonl", GOOD + b"3\n", ":2: the line is a number, not a JSON object; each", "not an object"),
    (
        "a.jsonl",
        GOOD + b'{"body": "x"}\n',
        ":2: no field 'text' (fields: body); name the field",
        "no text field",
    ),
    (
        "a.jsonl",
        GOOD + b'{"text": 3}\n',
        ":2: the field 'text' is not a string; name",
        "text is not a string",
    ),
    (
        "a.jsonl",
        GOOD + b'{"text": null}\n',
        ":2: the field 'text' is null; name a field of text by text_field, or on_error=\"skip\"",
        "text is not a string",
    ),
    (
        "a.jsonl",
        GOOD + b'{"text": "", "id": [1]}\n',
        ":2: the id in the field 'id' is not a string",
        "bad id",
    ),
    (
        "a.jsonl",
        b'{"text": "cat", "id": 7}\n{"text": "dog", "id": "7"}\n',
        ":2: the id '7' was used before; ids must differ",
        "duplicate id",
    ),
    (
        "a.jsonl.gz",
        PACKED[:-2000],
        "the compressed file is truncated or damaged (",
        "damaged compressed file",
    ),
    (
        "a.jsonl.gz",
        PACKED[:-4] + b"abcd",
        "the compressed file is truncated or damaged (",
        "damaged compressed file",
    ),
    ("a.jsonl.gz", GOOD, ":1: the compressed file is truncated or damaged (", None),
    ("a.jsonl.zst", ZSTD[:-3], "the compressed file is truncated or damaged (", "damaged compressed file"),
    ("a.jsonl.zst", GOOD, ":1: the compressed file is truncated or damaged (", None),
]

LDA_ERRORS = [
    (b"1 0:1\n2 0:1 1:0\n", ":2: the count of word 1 is zero; leave out words"),
    (
        b"1 0:1\n1 0:-2\n",
        ":2: the count of word 0 is not a whole number ('-2'); counts are whole numbers above zero",
    ),
    (b"1 0:1\n1 0:x\n", ":2: the count of word 0 is not a whole number ('x'); counts"),
    (b"1 0:1\n1 0:1.5\n", ":2: the count of word 0 is not a whole number ('1.5'); counts"),
    (b"1 0:1\n1 0:1000000001\n", ":2: the weight '1000000001' cannot be used; weights are numbers from 0"),
    (b"1 0:1\n1 zero\n", ":2: 'zero' is not word:count; a line is"),
    (b"1 0:1\nmany 0:1\n", ":2: the number of words is not a whole number ('many'); a line is"),
    (b"1 0:1\n3 0:1 1:1\n", ":2: the line says 3 words and has 2; a line is"),
    (
        b"1 0:1\n1 9:1\n",
        ":2: word 9 is past the vocabulary of 3 words; words are numbered from 0; check vocab",
    ),
    (b"1 0:1\n2 1:1 1:2\n", ":2: word 1 occurs twice; add its counts up"),
    (b"1 0:1\n\n", ":2: the line is blank; write an empty document as 0"),
]


def error_of(path: Path | list[Path], **settings) -> str:
    with pytest.raises(UserError) as caught:
        Corpus.build(path if isinstance(path, list) else [path], **settings)
    line = str(caught.value)
    assert "\n" not in line
    return line


@pytest.mark.parametrize(("name", "content", "expected", "kind"), TEXT_ERRORS)
def test_bad_text(tmp_path, name, content, expected, kind):
    path, out = tmp_path / name, tmp_path / "out"
    path.write_bytes(content)
    line = error_of(path, out=out)
    assert line.startswith(f"{path}:")
    assert expected in line
    assert ";" in line  # a remedy
    assert sorted(tmp_path.iterdir()) == [path]  # no half corpus
    if kind is not None and name != "a.txt":
        corpus = Corpus.build(path, out, reading=ReadingOptions(on_error="skip"))
        assert corpus.skipped == {kind: 1}
        assert corpus.n_documents >= 1
        assert corpus.about.first_skipped[kind].startswith(str(path))


@pytest.mark.parametrize(("content", "expected"), LDA_ERRORS)
def test_bad_lda_c(tmp_path, content, expected):
    path, vocabulary = tmp_path / "a.ldac", tmp_path / "words.txt"
    path.write_bytes(content)
    vocabulary.write_text("a\nb\nc\n")
    reading = ReadingOptions(vocab=str(vocabulary))
    line = error_of(path, reading=reading)
    assert line.startswith(f"{path}{expected}")
    corpus = Corpus.build(path, reading=ReadingOptions(vocab=str(vocabulary), on_error="skip"))
    assert corpus.skipped == {"bad LDA-C line": 1}
    assert corpus.n_documents == 1


def test_inputs_that_cannot_be_used(tmp_path):
    text, bags, empty = tmp_path / "a.txt", tmp_path / "a.ldac", tmp_path / "empty.jsonl"
    text.write_text("the cat sat\n")
    bags.write_text("1 0:1\n")
    empty.write_text("")
    (tmp_path / "nothing").mkdir()
    (tmp_path / "data.xyz").write_text("a,b\n")
    missing = tmp_path / "missing.txt"
    assert error_of(missing) == f"{missing}: no such file or directory; check the path"
    assert error_of(tmp_path / "*.zip") == f"{tmp_path}/*.zip: no file matches; check the pattern"
    assert (
        error_of(tmp_path / "nothing") == f"{tmp_path}/nothing: the directory holds no file; check the path"
    )
    assert "the name does not show the format; name it by format (jsonl, csv" in error_of(
        tmp_path / "data.xyz"
    )
    assert error_of(bags) == (
        f"{bags}: the format lda-c has numbers instead of words; "
        "name the file of its words, one per line, by vocab"
    )
    assert "text and bags of words cannot be mixed" in error_of([text, bags])
    assert error_of(empty).startswith(f"{empty}: no document found: the corpus would be empty; give an input")
    assert "unknown format 'xml'; known: jsonl" in error_of(text, reading=ReadingOptions(format="xml"))
    assert "no input was given" in error_of([])
    assert "standard input was given twice" in error_of([Path("-"), Path("-")])


def test_bad_word_lists(tmp_path):
    bags, words = tmp_path / "a.ldac", tmp_path / "words.txt"
    bags.write_text("1 0:1\n")
    reading = ReadingOptions(vocab=str(words))
    assert error_of(bags, reading=reading) == f"{words}: no such file or directory; check the path"
    for content, expected in [
        ("a\n\nb\n", ":2: a blank line among the words; give one word per line"),
        ("a\nb\na\n", ":3: the word 'a' was listed before, in line 1; list every word once"),
        ("", ": the file has no words; give one word per line"),
    ]:
        words.write_text(content)
        assert error_of(bags, reading=reading) == f"{words}{expected}"


def test_vocabularies_that_end_up_empty():
    def line(texts, **settings):
        with pytest.raises(UserError) as caught:
            Corpus.from_texts(texts, **settings)
        return str(caught.value)

    assert "no document contains a word" in line(["1 2 3", "?"])
    assert "all 2 distinct words are stop words or too short" in line(["the", "of"])
    assert "of 2 distinct words none occurs in 2 to 10 documents; lower min_documents" in line(
        ["cat", "dog"], rule=VocabularyRule(min_documents=2)
    )
    assert "none of the given words occurs" in line(["cat"], rule=VocabularyRule(words=("dog",)))
    assert "the vocabulary lists 'dog' twice" in line(["cat"], rule=VocabularyRule(words=("dog", "dog")))


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"language": "klingon"}, "unknown language 'klingon'; give its ISO 639 code, as"),
        ({"normalization": "NFX"}, "unknown normalization 'NFX'; take NFC, NFKC or none"),
        ({"stop_words": "many"}, "unknown stop words 'many'; take language, none or a list"),
        ({"language": None, "stemming": True}, "stemming needs a language; give the language"),
        ({"min_length": 0}, "the minimum length is 0; it is at least 1"),
        ({"token_pattern": "("}, "the token pattern '(' is invalid: missing )"),
    ],
)
def test_bad_analysis(settings, expected):
    with pytest.raises(UserError) as caught:
        Analysis(**settings)
    assert str(caught.value).startswith(expected)


def test_languages_without_stop_words_or_stemmer():
    with pytest.raises(UserError, match="no stop words are known for Lithuanian"):
        Analysis("lt").resolved()
    with pytest.raises(UserError, match="no stemmer is known for Japanese"):
        Analysis("ja", stemming=True).analyse("a")
    with pytest.raises(UserError, match="no stop words are known for sw; give a file of them, or none"):
        Analysis("sw").resolved()
    with pytest.raises(UserError, match="no stemmer is known for sw; leave stemming off"):
        Analysis("sw", stemming=True).analyse("a")
    assert Analysis("sw_TZ", stop_words="none").analyse("Habari za asubuhi").words == [
        "habari",
        "za",
        "asubuhi",
    ]


def test_skipping_keeps_what_came_before_a_cut(tmp_path):
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(PACKED[: len(PACKED) // 2])
    corpus = Corpus.build(path, reading=ReadingOptions(on_error="skip"))
    assert 1000 < corpus.n_documents < 5000
    assert corpus.documents(0)[3].text == "cat number 3"


def test_all_skipped_is_an_empty_corpus(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("no\n")
    line = error_of(path, reading=ReadingOptions(on_error="skip"))
    assert "all were skipped" in line


def test_a_directory_of_texts_with_a_binary_file(tmp_path):
    folder = tmp_path / "texts"
    (folder / "sub").mkdir(parents=True)
    (folder / "one.txt").write_text("a cat\nand a dog")
    (folder / "sub" / "two.md").write_text("a bird")
    (folder / ".hidden").write_bytes(b"\x00")
    assert Corpus.build(folder).ids(0) == ["one.txt", "sub/two.md"]
    (folder / "sub" / "x.bin").write_bytes(b"ab\x00")
    (folder / "many.jsonl").write_bytes(GOOD)
    assert f"{folder}/many.jsonl: holds many documents" in error_of(folder)
    corpus = Corpus.build(folder, reading=ReadingOptions(on_error="skip"))
    assert corpus.skipped == {"file of many documents": 1, "binary bytes": 1}
    assert Corpus.build(folder / "many.jsonl", reading=ReadingOptions(format="files")).n_documents == 1


def test_standard_input(monkeypatch):
    def build(content: bytes, **settings) -> Corpus:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        return Corpus.build("-", **settings)

    assert build(b"\n" + GOOD).documents(0)[0].text == "one good document"
    assert build(b"\none line\n").ids(0) == ["stdin:1", "stdin:2"]
    assert build(gzip.compress(GOOD)).n_documents == 1
    assert build(zstandard.ZstdCompressor().compress(GOOD)).n_documents == 1
    assert build(GOOD, reading=ReadingOptions(format="lines")).documents(0)[0].text.startswith("{")


def test_many_files_globs_and_packed_ones(tmp_path):
    first, second = tmp_path / "one", tmp_path / "two"
    first.mkdir()
    second.mkdir()
    (first / "a.txt").write_text("\ufeffa cat\r\n\r\na dog\r\n", encoding="utf-8")
    (second / "a.txt.gz").write_bytes(gzip.compress(b"a bird"))
    (second / "b.ndjson.zst").write_bytes(zstandard.ZstdCompressor().compress(GOOD) * 2)
    corpus = Corpus.build([tmp_path / "*" / "a.*", second / "b.ndjson.zst"])
    assert corpus.ids(0) == [
        "a.txt:1",
        "a.txt:2",
        "a.txt:3",
        "a.txt.gz:1",
        "b.ndjson.zst:1",
        "b.ndjson.zst:2",
    ]
    assert [document.text for document in corpus.documents(0)][:4] == ["a cat", "", "a dog", "a bird"]
    assert corpus.n_empty == 1
    same = Corpus.build([first / "a.txt", first / "*.txt"], reading=ReadingOptions(on_error="skip"))
    assert same.skipped == {"duplicate id": 3}


def test_metadata_and_odd_characters(tmp_path):
    path = tmp_path / "a.jsonl"
    record = {
        "key": 5,
        "body": "cat\u2028dog \ud800 \u202eשלום\u202c 🙂 \x00\x07",
        "year": 1988,
        "big": 10**30,
    }
    record |= {"tags": ["x"], "nothing": None, "flag": True, "huge": 1e300, "na\udc00me": "v\udfff"}
    path.write_text(json.dumps(record) + "\n")
    corpus = Corpus.build(path, tmp_path / "out", reading=ReadingOptions(text_field="body", id_field="key"))
    document = corpus.documents(0)[0]
    assert document.id == "5"
    assert document.text == "cat\u2028dog \ufffd \u202eשלום\u202c 🙂 \x00\x07"
    assert document.tokens == ["cat", "dog", "שלום"]
    assert document.metadata == {
        "year": 1988, "big": 10**30, "tags": ["x"], "nothing": None, "flag": True,
        "huge": 1e300, "na\ufffdme": "v\ufffd"
    }  # fmt: skip
    assert corpus.metadata_fields == tuple(document.metadata)
    path.write_text('{"text": "x"}\n')
    assert "no id in the field 'key'" in error_of(path, reading=ReadingOptions(id_field="key"))
