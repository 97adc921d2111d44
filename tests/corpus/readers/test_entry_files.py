"""Files of bags that list an entry a line: UCI and Matrix Market; and the words that belong to them."""

import gzip
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpus.readers.reading import error_in, packings, read, skipping
from tests.corpus.readers.samples import BANNER, UCI

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus, ReadingOptions
from stickbreaker.corpus.readers import Problems, read_inputs
from stickbreaker.corpus.readers.problems import ReadingWarning
from stickbreaker.corpus.readers.word_list import read_numbered_words

BAGS = [([], []), (["cat", "bird"], [5, 1]), (["dog", "cat"], [7, 1]), ([], [])]


@pytest.fixture
def words(tmp_path) -> str:
    path = tmp_path / "words.txt"
    path.write_text("cat\ndog\nbird\n")
    return str(path)


def test_uci(tmp_path, words):
    for packing, packed in packings(UCI).items():
        path = tmp_path / f"docword.pets.txt{packing}"
        path.write_bytes(packed)
        documents = read(path, vocab=words)
        assert [(one.words, one.weights) for one in documents] == BAGS
        assert [one.id for one in documents] == [f"docword.pets.txt{packing}:{n}" for n in (1, 2, 3, 4)]
        assert [one.line for one in documents] == [None, 4, 7, None]


def test_the_words_beside_uci(tmp_path):
    path, other = tmp_path / "docword.pets.txt.gz", tmp_path / "docword.more.txt"
    path.write_bytes(gzip.compress(UCI))
    line = (
        f"{path}: the format uci has numbers instead of words; "
        "name the file of its words, one per line, by vocab"
    )
    with pytest.raises(UserError) as caught:
        read(path)
    assert str(caught.value) == line
    (tmp_path / "vocab.pets.txt").write_text("cat\ndog\nbird\n")
    corpus = Corpus.build(path)
    assert corpus.vocabulary.words == ("cat", "dog", "bird")
    assert (corpus.n_documents, corpus.n_empty, corpus.n_tokens) == (4, 2, 14)
    other.write_bytes(UCI)
    (tmp_path / "vocab.more.txt.gz").write_bytes(gzip.compress(b"cat\ndog\nbird\n"))
    assert Corpus.build([path, other]).n_documents == 8
    (tmp_path / "vocab.more.txt.gz").write_bytes(gzip.compress(b"cat\ndog\nfish\n"))
    with pytest.raises(
        UserError, match=r"vocab.more.txt.gz: words other than those of the files before; bui"
    ):
        Corpus.build([path, other])
    aside = tmp_path / "pets.uci"
    aside.write_bytes(UCI)
    with pytest.raises(UserError, match="the format uci has numbers instead of words"):
        Corpus.build(aside, reading=ReadingOptions("uci"))


@pytest.mark.parametrize(
    ("content", "expected", "kept"),
    [
        (b"", ":1: the number of documents is not a whole number (''); the file begins with three lines", []),
        (b"3\nx\n", ":2: the number of words is not a whole number ('x'); the file", []),
        (b"3\n4\n0\n", ":3: the header says 4 words, and the vocabulary has 3; check vocab", []),
        (b"2\n3\n1\n1 1\n", ":4: the line is not three numbers; write document, word and weight", [2]),
        (b"2\n3\n1\nx 1 1\n", ":4: the document is not a whole number ('x'); documents are numbered", [1, 2]),
        (b"2\n3\n1\n3 1 1\n", ":4: there is no document 3; documents are numbered from 1 to 2", [1, 2]),
        (b"2\n3\n1\n0 1 1\n", ":4: there is no document 0; documents are numbered from 1 to 2", [1, 2]),
        (b"2\n3\n1\n1 4 1\n", ":4: word 4 is past the vocabulary of 3 words; words are numbered from 1", [2]),
        (b"2\n3\n1\n1 0 1\n", ":4: word 0 is past the vocabulary of 3 words; words are numbered from 1", [2]),
        (b"2\n3\n1\n1 \xff 1\n", ":4: the word is not a whole number ('\ufffd'); words are", [2]),
        (b"2\n3\n1\n1 1 0\n", ":4: the count is zero; leave out words that do not occur", [2]),
        (b"2\n3\n1\n1 1 -1\n", ":4: the count is not a whole number ('-1'); counts are whole numbers", [2]),
        (b"2\n3\n1\n1 1 1.5\n", ":4: the count is not a whole number ('1.5'); counts are whole numbers", [2]),
        (b"2\n3\n1\n1 1 99999999999\n", ":4: the weight '99999999999' cannot be used; weights are", [2]),
        (b"2\n3\n2\n1 1 1\n1 1 2\n", ":5: word 1 occurs twice; add its counts up", [2]),
        (b"2\n3\n2\n1 1 1\n", ": the header says 2 entries, and the file has 1; the file was cut off", []),
        (b"2\n3\n1\n1 1 1\n2 1 1\n", ":5: more entries than the 1 that the header says; the file", []),
        (b"9999999\n3\n0\n", ": documents 1 to 9999999 have no entry; the file was cut off", []),
        (b"9999999\n3\n1\n9999999 1 1\n", ":4: documents 1 to 9999998 have no entry; the file was", []),
    ],
)
def test_bad_uci(tmp_path, words, content, expected, kept):
    path = tmp_path / "docword.a.txt"
    path.write_bytes(content)
    assert error_in(path, vocab=words).startswith(expected)
    documents, problems = skipping(path, vocab=words)
    assert [one.id for one in documents] == [f"docword.a.txt:{number}" for number in kept]
    assert sum(problems.counts.values()) == 1


@pytest.mark.parametrize(
    ("name", "head", "line"), [("docword.a.txt", b"2\n3\n2\n", 5), ("a.mtx", BANNER + b"2 3 2\n", 4)]
)
def test_entries_out_of_order_are_never_skipped(tmp_path, words, name, head, line):
    """Document 1 was yielded empty before its entry came."""
    path = tmp_path / name
    path.write_bytes(head + b"2 1 1\n1 1 2\n")
    told = f"{path}:{line}: document 1 comes after document 2; sort the entries by document"
    for reader in (read, skipping):
        with pytest.raises(UserError) as caught:
            reader(path, vocab=words)
        assert str(caught.value) == told


def test_the_longest_gap(tmp_path, words):
    path = tmp_path / "docword.a.txt"
    path.write_bytes(b"7\n3\n1\n3 1 1\n")
    told = (
        ": documents 4 to 7 have no entry; the file was cut off, or its header belongs to another file; "
        "if not, raise "
        "longest_gap, 3 now"
    )
    assert error_in(path, vocab=words, longest_gap=3) == told
    assert len(read(path, vocab=words, longest_gap=4)) == 7
    path.write_bytes(b"10000\n3\n0\n")
    assert len(read(path, vocab=words)) == 10_000
    path.write_bytes(b"10001\n3\n0\n")
    assert "documents 1 to 10001 have no entry" in error_in(path, vocab=words)


def test_a_header_alone_takes_no_memory(tmp_path, words):
    """Numbers of a header are compared; nothing is made of that size."""
    large = b"1" + b"0" * 14
    for name, head in (("docword.a.txt", large + b"\n3\n"), ("a.mtx", BANNER + large + b" 3 ")):
        path = tmp_path / name
        path.write_bytes(head + large + b"\n")
        tracemalloc.start()
        assert "the header says 100000000000000 entries" in error_in(path, vocab=words)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 1_000_000


def test_matrix_market(tmp_path, words):
    body = b"% by hand\n%\n\n3 3 4\n1 3 0.25\n1 1 2\n3 2 1e2\n3 1 0\n"
    for packing, packed in packings(BANNER.upper().replace(b"REAL", b"integer") + body).items():
        path = tmp_path / f"a.mm{packing}"
        path.write_bytes(packed)
        documents = read(path, vocab=words)
        assert [one.words for one in documents] == [["bird", "cat"], [], ["dog"]]
        assert [one.weights for one in documents] == [[0.25, 2], [], [100]]
        assert documents[2].id == f"a.mm{packing}:3"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", ":1: not a Matrix Market file of coordinates; the first line is"),
        (
            BANNER.replace(b"real", b"pattern") + b"1 1 1\n1 1\n",
            ':1: the file has places without counts; write the counts, as by mmwrite with field="integer"',
        ),
        (
            BANNER.replace(b"general", b"symmetric"),
            ":1: the file has half of a symmetric matrix; write all of it, by mmwrite with symmetry=",
        ),
        (
            BANNER.replace(b"coordinate", b"array"),
            ":1: the file has a dense matrix; write a sparse one, as by",
        ),
        (BANNER, ":1: the line is not three numbers; the first line after the comments is"),
        (BANNER + b"%\n1 1\n", ":3: the line is not three numbers; the first line after"),
        (BANNER + b"1 1 x\n", ":2: the size is not a whole number ('x'); the first line after"),
        (BANNER + b"1 4 0\n", ":2: the header says 4 words, and the vocabulary has 3; check vocab"),
        (BANNER + b"1 3 1\n1 1 nan\n", ":3: the weight 'nan' cannot be used; weights are numbers from 0"),
        (BANNER + b"1 3 1\n1 1 -1\n", ":3: the weight '-1' cannot be used"),
        (BANNER + b"1 3 1\n1 1 1e10\n", ":3: the weight '1e10' cannot be used"),
        (BANNER + b"1 3 1\n1 1 1_0\n", ":3: the weight '1_0' cannot be used"),
        (BANNER + b"2 3 2\n1 1 1\n", ": the header says 2 entries, and the file has 1"),
    ],
)
def test_bad_matrix_market(tmp_path, words, content, expected):
    path = tmp_path / "a.mtx"
    path.write_bytes(content)
    assert error_in(path, vocab=words).startswith(expected)


def test_gensim_dictionaries(tmp_path):
    path = tmp_path / "dictionary.txt"
    for content in ("3\n1\tnew york\t2\n0\tcat\t1\n2\t7\t1\n", "1\tnew york\t2\n0\tcat\t1\n2\t7\t1\n"):
        path.write_text(content)
        assert read_numbered_words(str(path)) == ("cat", "new york", "7")
    path.write_text("cat\nnew york\n")
    assert read_numbered_words(str(path)) == ("cat", "new york")
    for content, expected in [
        ("2\n0\tcat\t1\ndog\n", ":3: not an entry of a gensim dictionary; the lines"),
        ("2\n0\tcat\t1\n0\tdog\t1\n", ":3: the word number 0 was listed before; save"),
        ("2\n0\tcat\t1\n1\tcat\t1\n", ": a word is listed twice; list every word once"),
        ("2\n0\tcat\t1\n2\tdog\t1\n", ": no word has the number 1; call compactify() and save"),
        ("2\n0\tcat\t1\n999999999999999\tdog\t1\n", ": no word has the number 1; call"),
        ("", ": the file has no words"),
        ("3\n", None),
    ]:
        path.write_text(content)
        if expected is None:
            assert read_numbered_words(str(path)) == ("3",)
            continue
        with pytest.raises(UserError) as caught:
            read_numbered_words(str(path))
        assert str(caught.value).startswith(f"{path}{expected}")


WEIGHTS = st.dictionaries(st.integers(1, 5), st.integers(1, 10**9), max_size=4)


@settings(deadline=None)
@given(tables=st.lists(WEIGHTS, max_size=6), mm=st.booleans())
def test_what_was_written_is_read(tmp_path_factory, tables, mm):
    folder = tmp_path_factory.mktemp("entries")
    spelled = ["a", "b", "c", "d", "e"]
    (folder / "vocab.x.txt").write_text("\n".join(spelled))
    entries = [f"{d} {word} {n}" for d, bag in enumerate(tables, 1) for word, n in bag.items()]
    head = [len(tables), 5, len(entries)]
    path = folder / ("x.mm" if mm else "docword.x.txt")
    top = BANNER.decode() + " ".join(map(str, head)) if mm else "\n".join(map(str, head))
    path.write_text("\n".join([top, *entries]))
    documents, kind, words = read_inputs(
        [str(path)], ReadingOptions(vocab=str(folder / "vocab.x.txt")), Problems(skip=False)
    )
    assert [dict(zip(one.words or [], one.weights or [], strict=True)) for one in documents] == [
        {spelled[word - 1]: n for word, n in bag.items()} for bag in tables
    ]
    assert (kind, words) == ("bag", tuple(spelled))


def test_counts_that_are_written_as_floats(tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("cat\ndog\nbird\n")
    for name, content in (
        ("a.ldac", "2 0:1.0 2:3.\n"),
        ("a.lda-c", "2.000000e+00 0:1.00000e+00 2.0:3E0\n"),
        ("docword.a.txt", "1\n3\n2\n1 1 1.0\n1 3 3.00\n"),
        ("docword.b.txt", "1e+00\n3.0\n 2e0\n  1.0000000e+00   1.00e+00 1.0000000e+00\n1 0.3e1 3\n"),
        ("a.mtx", "%%MatrixMarket matrix coordinate unsigned-integer general\n1 3 2\n1 1 1\n1 3 3\n"),
    ):
        (tmp_path / name).write_text(content)
        (document,) = read(tmp_path / name, vocab=str(words))
        assert (document.words, document.weights) == (["cat", "bird"], [1.0, 3.0])
    for count in ("1.5", "1.5e-1", "1e400", "nan", "inf", "1_0", "0x1", "1e15"):
        (tmp_path / "a.ldac").write_text(f"1 0:{count}\n")
        assert "the count of word 0 is not a whole number" in error_in(tmp_path / "a.ldac", vocab=str(words))


def test_a_matrix_with_fewer_columns_than_words_is_told(tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("cat\ndog\nbird\n")
    path = tmp_path / "a.mm"
    path.write_text("%%MatrixMarket matrix coordinate real general\n1 2 1\n1 1 1\n")
    with pytest.warns(ReadingWarning, match=r"a\.mm:2: the header says 2 words, and the vocabulary has 3"):
        assert len(read(path, vocab=str(words))) == 1
