"""Pages of the web, PDF and Word files as documents."""

import importlib
import shutil

import pytest
from tests.corpus.readers.samples import PAGE, pdf_of, pdf_pages, word_file, word_of

from stickbreaker import Corpus, UserError
from stickbreaker.corpus import ReadingOptions
from stickbreaker.corpus.readers.problems import ReadingWarning


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "papers"
    place.mkdir()
    (place / "a.html").write_bytes(PAGE)
    (place / "b.pdf").write_bytes(pdf_of("Two dogs ran."))
    (place / "c.docx").write_bytes(word_of("A cat sat.", "A bird flew."))
    (place / "d.txt").write_text("Plain text.")
    return place


def test_a_directory_of_all_sorts(folder):
    documents = {one.id: one for one in Corpus.build(folder)}
    assert list(documents) == ["a.html", "b.pdf", "c.docx", "d.txt"]
    page = documents["a.html"]
    assert "since the sun had been on it all day" in page.text
    assert "river & over the bridge" in page.text
    for hidden in ("hidden", "color", "div", "Home menu", "<p>"):
        assert hidden not in page.text
    assert page.metadata["title"] == "Of cats"
    assert page.metadata["author"] == "Ann Lee"
    assert documents["b.pdf"].text.strip() == "Two dogs ran."
    assert documents["b.pdf"].metadata == {"title": "Of dogs"}
    assert documents["c.docx"].text.split("\n") == ["A cat sat.", "A bird flew.", "In a table."]
    about = {"title": "Of both", "author": "Ann Lee", "date": "2020-05-06"}
    assert documents["c.docx"].metadata == about
    assert documents["d.txt"].text == "Plain text."


def test_files_by_themselves_and_packed(folder, tmp_path):
    import gzip

    packed = tmp_path / "page.html.gz"
    packed.write_bytes(gzip.compress(PAGE))
    corpus = Corpus.build([folder / "b.pdf", folder / "c.docx", packed])
    assert [one.id for one in corpus] == ["b.pdf", "c.docx", "page.html.gz"]
    shutil.copy(folder / "b.pdf", tmp_path / "paper")
    reading = ReadingOptions(format="documents")
    assert Corpus.build(tmp_path / "paper", reading=reading)[0].text.strip() == "Two dogs ran."
    (tmp_path / "marked").mkdir()
    (tmp_path / "marked/a.html").write_bytes(PAGE)
    assert "<style>" in Corpus.build(tmp_path / "marked", reading=ReadingOptions(format="files"))[0].text


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("x.docx", b"PK\x03\x04 and nothing else", "is not a Word file, or is damaged"),
        ("x.docx", b"\xd0\xcf\x11\xe0 encrypted", "is not a Word file, but an older or an encrypted one"),
        ("x.docx", word_file("<w:p/>"), "has no text; save"),
        ("x.pdf", b"%PDF-1.4\nbut no more", "cannot be read"),
        ("x.pdf", pdf_of(""), "has no text; save"),
        ("x.html", b"<html><body></body></html>", "has no text; save"),
        ("x.rtf", b"{\\rtf1 a cat}", "is not plain text; save it as .html"),
        ("x.doc", b"\xd0\xcf\x11\xe0", "is not plain text"),
    ],
)
def test_what_cannot_be_read_says_so_in_a_line(folder, name, content, told):
    (folder / name).write_bytes(content)
    with pytest.raises(UserError) as error:
        Corpus.build(folder)
    assert f"{name}: " in str(error.value)
    assert told in str(error.value)
    assert "\n" not in str(error.value)
    corpus = Corpus.build(folder, reading=ReadingOptions(on_error="skip"))
    assert corpus.n_documents == 4
    assert sum(corpus.skipped.values()) == 1


def test_bounds_hold(folder):
    for name in ("a.html", "b.pdf", "c.docx"):
        with pytest.raises(UserError, match="larger than"):
            Corpus.build(folder / name, reading=ReadingOptions(largest_text=300))


def test_what_was_left_out_is_a_warning_for_each_kind(tmp_path):
    drawn = b"ET 0 0 100 100 re f BT"
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / name).write_bytes(pdf_pages(b"(A cat sat.) Tj", drawn, drawn))
    with pytest.warns(ReadingWarning) as issued:
        Corpus.build(tmp_path, reading=ReadingOptions(drop_repeats="exact"))
    first = tmp_path / "a.pdf"
    assert [str(one.message) for one in issued if one.category is ReadingWarning] == [
        f"pages of PDF files have no text, as pictures of pages: 4, in 2 files, the first {first}"
    ]


def test_a_missing_package_is_named(folder, monkeypatch):
    found = importlib.import_module

    def without(name, *rest):
        if name == "pypdfium2":
            raise ModuleNotFoundError(name)
        return found(name, *rest)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(
        UserError, match=r"b.pdf: needs the package pypdfium2; pip install 'stickbreaker\[documents\]'"
    ):
        Corpus.build(folder)
