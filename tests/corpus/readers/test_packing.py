"""Packed files and files in UTF-16, known by their first bytes."""

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.corpus.readers.reading import error_in, packings, read, skipping

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus

LINES = "one cat\nzwei Hunde: ä\u2028𝄞\r\nthree\nfour"
TEXTS = ["one cat", "zwei Hunde: ä\u2028𝄞", "three", "four"]
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-be-sig"]


def encoded(text: str, encoding: str) -> bytes:
    return ("\ufeff" + text).encode("utf-16-be") if encoding == "utf-16-be-sig" else text.encode(encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("named", [True, False])
def test_packings_and_encodings(tmp_path, encoding, named):
    for ending, content in packings(encoded(LINES, encoding)).items():
        path = tmp_path / f"a.txt{ending if named else ''}"
        path.write_bytes(content)
        assert [one.text for one in read(path)] == TEXTS


def test_tables_and_texts_in_utf_16(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("sep=;\r\nid;text\r\na;Straße\r\n".encode("utf-16"))
    assert [(one.id, one.text) for one in read(path)] == [("a", "Straße")]
    path = tmp_path / "texts"
    path.mkdir()
    (path / "a").write_bytes("Straße\n".encode("utf-16"))
    assert [one.text for one in read(path)] == ["Straße\n"]


@given(st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=60))
def test_any_text_in_any_encoding(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("a") / "a.txt"
    path.write_bytes(encoded("x" + text, "utf-8"))
    expected = [one.text for one in read(path)]
    for encoding in ENCODINGS[1:]:
        path.write_bytes(encoded("x" + text, encoding))
        assert [one.text for one in read(path)] == expected


def test_what_is_no_utf_16(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("one\n\ud800two\nthree\n".encode("utf-16", "surrogatepass"))
    assert error_in(path).startswith(":2: character 1 is not UTF-16 or UTF-32, by which the file begins")
    assert [one.text for one in skipping(path)[0]] == ["one", "three"]
    path.write_bytes("one\ntwo".encode("utf-16") + b"x")
    assert error_in(path).startswith(":2: character 4 is not UTF-16 or UTF-32")


@pytest.mark.parametrize("ending", [".gz", ".zst", ".bz2", ".xz"])
def test_a_file_that_is_cut_off(tmp_path, ending):
    path = tmp_path / f"a.txt{ending}"
    path.write_bytes(packings(b"cat\n" * 10_000)[ending][:-3])
    assert "the compressed file is truncated or damaged" in error_in(path)
    path.write_bytes(b"cat\n")
    assert error_in(path).startswith(":1: the compressed file is truncated or damaged")


def test_zip_files(tmp_path):
    path = tmp_path / "archive.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("__MACOSX/._a.csv", "junk")
        archive.writestr("folder/", "")
        archive.writestr("folder/a.csv", "text\none cat\n")
    assert [one.text for one in read(path)] == ["one cat"]  # its member's name tells the format
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("b.csv", "text\none dog\n")
    remedy = "unpack it, and give the directory or the files"
    assert error_in(path, format="csv") == f":1: the zip file holds 2 files, not one; {remedy}"
    whole = packings(b"cat\n")[".zip"]
    path.write_bytes(whole[:-30])
    assert "the compressed file is truncated or damaged" in error_in(path, format="lines")
    locked = bytearray(whole)
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(signature) + flags] |= 1
    path.write_bytes(locked)
    assert "needs a password" in error_in(path, format="lines")


def test_a_zip_file_in_a_pipe(tmp_path, monkeypatch):
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    for content in packings(b'{"text": "one cat"}\n').values():
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(Pipe(content)))
        assert Corpus.build("-").n_documents == 1


def test_the_format_is_told_with_all_packings(tmp_path):
    (tmp_path / "a.xyz").write_text("a")
    with pytest.raises(UserError, match=r"\(and \.gz, \.zst, \.bz2, \.xz, \.zip\)"):
        Corpus.build(tmp_path / "a.xyz")


def test_padding_after_a_packed_file(tmp_path):
    content = LINES.encode()
    packed = packings(content)
    for ending, padding in ((".xz", 8), (".bz2", 3_000), (".zst", 5)):
        path = tmp_path / f"a.txt{ending}"
        path.write_bytes(packed[ending] + b"\0" * padding)
        assert [one.text for one in read(path)] == TEXTS
        path.write_bytes(packed[ending] + b"\0" * padding + packed[ending])
        assert len(read(path)) == 2 * len(TEXTS) - 1
