"""All that reads lines agrees on where they end."""

import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.corpus.readers.reading import read

from stickbreaker import UserError
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.readers import read_words, sources
from stickbreaker.corpus.readers.line_ends import byte_lines
from stickbreaker.corpus.readers.problems import ReadingWarning
from stickbreaker.grammars.cli.fit import grammar_from
from stickbreaker.grammars.model.grammar import Grammar
from stickbreaker.topics.model.vocabularies.concept_tree import ConceptTree
from stickbreaker.topics.seed_words import Guide

WORDS = "cat\ndog\nbird\n"
FILES = {
    "a.txt": "one cat\n\ntwo dogs\n",
    "a.jsonl": '{"text": "one cat"}\n\n{"text": "two dogs"}\n',
    "a.csv": 'id,text\na,one cat\nb,"two, dogs"\n',
    "a.tsv": "id\ttext\na\tone cat\nb\ttwo dogs\n",
    "a.conllu": "# newdoc id = a\n1\tcat\tcat\tNOUN\t_\t_\t0\troot\t_\t_\n\n# newdoc id = b\n"
    "1\tdog\tdog\tNOUN\t_\t_\t0\troot\t_\t_\n\n",
    "a.ldac": "1 0:2\n2 0:1 2:1\n",
    "docword.a.txt": "2\n3\n2\n1 1 2\n2 3 1\n",
    "a.mm": "%%MatrixMarket matrix coordinate real general\n% by hand\n2 3 2\n1 1 2\n2 3 1\n",
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_readers(tmp_path, name, end):
    path, words = tmp_path / name, tmp_path / "words.txt"
    found = []
    for ending in ("\n", end):
        path.write_bytes(FILES[name].replace("\n", ending).encode())
        words.write_bytes(WORDS.replace("\n", ending).encode())
        found.append(read(path, vocab=str(words)))
    assert found[0] == found[1]
    assert len(found[0]) > 1


def test_mallet(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"a en one cat\rb de zwei Hunde\r")
    assert [one.id for one in read(path, format="mallet")] == ["a", "b"]


@pytest.mark.parametrize("strange", list("\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"))
def test_no_other_character_ends_a_line(tmp_path, strange):
    text = f"one{strange}cat"
    path = tmp_path / "a.txt"
    path.write_bytes(f"{text}\rtwo".encode())
    assert [one.text for one in read(path)] == [text, "two"]
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": text}, ensure_ascii=False), "utf-8")
    assert [one.text for one in read(tmp_path / "a.jsonl")] == [text]
    (tmp_path / "a.csv").write_text(f"text,n\n{text},1\n", "utf-8")
    assert [one.text for one in read(tmp_path / "a.csv")] == [text]
    path.write_bytes(text.encode())
    assert read_words(str(path)) == (text,)


def test_files_of_words_and_trees(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes(b"cat\rdog\rbird")
    assert read_words(str(path)) == ("cat", "dog", "bird")
    path.write_bytes(b"bird\ncat\rdog\n")
    with pytest.raises(UserError, match=r"words\.txt:2: a carriage return inside a line, .*; end all lines"):
        read_words(str(path))
    tree = tmp_path / "tree.jsonl"
    tree.write_bytes(b'{"concept": "a", "words": ["cat"]}\r{"concept": "b", "words": ["dog"]}\r')
    assert ConceptTree.read(tree) == ConceptTree(
        [{"concept": "a", "words": ["cat"]}, {"concept": "b", "words": ["dog"]}]
    )
    guide = tmp_path / "guide.dic"
    guide.write_bytes(b"%\r1\tpets\r%\rcat\t1\rdog\t1\r")
    assert Guide.read(guide).names == ("pets",)
    grammar = tmp_path / "grammar.txt"
    grammar.write_bytes(b'S -> "a" S\rS -> "a"\r')
    assert grammar_from(str(grammar)) == Grammar.from_text('S -> "a" S\nS -> "a"\n')


def test_empty_lines_end_sentences_whatever_ends_lines():
    for end in ("\n", "\r\n", "\r"):
        text = f"one cat{end}two dogs{end}{end}three birds{end} {end}{end}four"
        assert Analysis().analyse(text).sentences.tolist() == [0, 4, 6]
        assert Analysis(sentences="line").analyse(text).sentences.tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize(
    ("name", "content", "texts"),
    [
        ("a.txt", "one\rcat\ntwo dogs\n", ["one cat", "two dogs"]),
        ("a.txt", "one cat\r\r\ntwo\r\rdogs\r\n", ["one cat ", "two  dogs"]),
        ("a.mallet", "a en one\rcat\nb en two dogs\n", ["one cat", "two dogs"]),
        ("a.jsonl", '{"text":\r"one cat"}\n{"text": "two dogs"}\n', ["one cat", "two dogs"]),
        ("a.counts", "one\rcat\t1\ntwo dogs\t1\n", ["one cat", "two dogs"]),
        ("folder/a.txt", "one\rcat\n\ntwo", ["one cat\n\ntwo"]),
    ],
)
def test_a_carriage_return_among_lines_of_lf_is_a_space(tmp_path, name, content, texts):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode())
    with pytest.warns(ReadingWarning, match=r"carriage returns? inside lines.* since lines of the file end"):
        found = read(
            path.parent if "/" in name else path, **({"format": "mallet"} if "mallet" in name else {})
        )
    assert [one.text for one in found] == texts


def test_a_carriage_return_in_a_row(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b'id,text\na,"one\rcat"\nb,two dogs\n')  # in quotes it belongs to the cell
    assert [one.text for one in read(path)] == ["one\rcat", "two dogs"]
    path.write_bytes(b"id,text\na,one\rcat\nb,two dogs\n")
    with pytest.warns(ReadingWarning, match=r"1 carriage return inside lines, in line 2, is read as a space"):
        assert [one.text for one in read(path)] == ["one cat", "two dogs"]
    path.write_bytes(b'id,text\n"\ra","one\n\rcat"\nb\r,"two \rdogs"\n')
    with pytest.warns(ReadingWarning, match=r"1 carriage return inside lines, in line 4"):
        assert [(one.id, one.text) for one in read(path)] == [("\ra", "one\n\rcat"), ("b ", "two \rdogs")]
    path.write_bytes(b'id,text\na,"one\rcat\n')
    with pytest.warns(ReadingWarning, match=r"in line 2"):
        assert [one.text for one in read(path, quotes="none")] == ['"one cat']


def test_the_warning_of_carriage_returns_counts_them(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\nb\rc\rd\n")
    with pytest.warns(ReadingWarning) as caught:
        read(path)
    assert str(caught[0].message) == (
        f"{path}: 2 carriage returns inside lines, the first in line 2, are read as spaces, since lines of "
        "the file end with LF"
    )


def test_a_corpus_of_an_old_mac(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"cats purr\rdogs bark\rcats and dogs\r")
    assert Corpus.build(path).n_documents == 3


STRANGE = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"  # where str.splitlines cuts, too
TEXTS = st.text(st.sampled_from("ab\r\n" + STRANGE), max_size=40)


class Pieces(io.BytesIO):
    """A stream that comes in pieces of some sizes, as a pipe does."""

    def __init__(self, content: bytes, sizes: list[int]) -> None:
        super().__init__(content)
        self.sizes = sizes

    def read1(self, size: int | None = -1) -> bytes:
        return self.read(self.sizes.pop() if self.sizes else 3)


def lines_by_definition(content: bytes) -> list[bytes]:
    return re.findall(rb"[^\n]*\n|[^\n]+\Z" if b"\n" in content else rb"[^\r]*\r|[^\r]+\Z", content)


@given(TEXTS, st.lists(st.integers(1, 5), max_size=40))
def test_lines_of_a_stream_do_not_depend_on_its_pieces(text, sizes):
    content = text.encode()
    assert list(byte_lines(Pieces(content, sizes), 1_000)) == lines_by_definition(content)


@given(TEXTS, st.lists(st.integers(1, 5), max_size=40), st.integers(0, 6))
def test_a_line_that_is_too_large_is_passed_over(text, sizes, most):
    expected = [line if len(line) <= most else None for line in lines_by_definition(text.encode())]
    assert list(byte_lines(Pieces(text.encode(), sizes), most)) == expected


def test_a_line_is_given_as_soon_as_it_is_there():
    class Waiting(io.RawIOBase):
        def __init__(self) -> None:
            super().__init__()
            self.left = [b"one\n", b"two\r", b"\nthree"]

        def readable(self) -> bool:
            return True

        def readinto(self, buffer) -> int:
            piece = self.left.pop(0)  # IndexError where more is asked for than was written
            buffer[: len(piece)] = piece
            return len(piece)

    waiting = Waiting()
    lines = byte_lines(io.BufferedReader(waiting), 100)
    assert next(lines) == b"one\n"
    assert waiting.left == [b"two\r", b"\nthree"]
    assert next(lines) == b"two\r\n"


def test_a_line_without_end_is_told_before_it_is_read():
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer) -> int:
            buffer[:] = bytes(len(buffer))
            return len(buffer)

    assert next(byte_lines(io.BufferedReader(Endless()), 1_000_000)) is None


def test_a_list_without_an_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_MOST_LINES", 3)
    path = tmp_path / "list.txt"
    path.write_text("a\nb\nc\n")
    assert [line for _, line in sources.listed_lines(str(path), "give a list")] == ["a", "b", "c"]
    path.write_text("a\n" * 4)
    with pytest.raises(UserError, match=r"list\.txt: has more than 3 lines; give a list"):
        list(sources.listed_lines(str(path), "give a list"))
