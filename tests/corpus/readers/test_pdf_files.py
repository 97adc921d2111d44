"""The text of PDF files: words at the ends of lines, ligatures, fields, pages that have none."""

import pytest
from tests.corpus.readers.samples import pdf_pages

from stickbreaker.corpus.readers import pdf_files
from stickbreaker.corpus.readers.pdf_files import extract_pdf
from stickbreaker.corpus.readers.problems import Bad

pytest.importorskip("pypdfium2")

FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica %s >>"
LIGATURES = FONT % b"/Encoding << /Differences [1 /fi /ffl] >>"
KOREAN = (
    b"<< /Type /Font /Subtype /Type0 /BaseFont /HYSMyeongJo-Medium /Encoding /KSCms-UHC-H /DescendantFonts "
    b"[<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HYSMyeongJo-Medium "
    b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Korea1) /Supplement 1 >> >>] >>"
)


def lines(*texts):
    return b" 0 -14 Td ".join(b"(%s) Tj" % text for text in texts)


def text_of(*pages, **more):
    return extract_pdf(pdf_pages(*pages, **more), None).text


def test_words_that_lines_divide_are_joined():
    assert text_of(lines(b"The exam-", b"ple is here.")) == "The example is here."
    assert (
        text_of(lines(b"a well-", b"known and well-known exam-", b"ple"))
        == "a well-known and well-known example"
    )
    assert text_of(lines(b"Jean-", b"Paul")) == "Jean-Paul"


def test_ligatures_are_letters():
    assert text_of(lines(b"\\001nd a wa\\002e"), font=LIGATURES) == "find a waffle"


def test_codes_without_a_map_to_unicode_are_read_by_the_encoding_that_is_named():
    codes = "도서관의 책".encode("cp949").hex().encode()
    assert text_of(b"<%s> Tj" % codes, font=KOREAN) == "도서관의 책"


def test_form_fields_are_read():
    field = b"/Annots [<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ann Lee) /Rect [0 0 99 20] >>]"
    assert text_of(lines(b"Name:"), page=field) == "Name:\nAnn Lee"


def test_pages_without_text_are_remarked():
    drawn = b"ET 0 0 100 100 re f BT"
    found = extract_pdf(pdf_pages(lines(b"A cat sat."), drawn, b"", lines(b"It slept.")), None)
    assert found.text == "A cat sat.\nIt slept."
    assert found.remarks == {"pages of PDF files have no text, as pictures of pages": 1}
    with pytest.raises(Bad, match="scanned pages are pictures"):
        extract_pdf(pdf_pages(drawn), None)


def test_codes_that_are_no_text_are_left_out():
    noise = lines(b"\\005\\006\\007\\016 abc \\017\\020")
    found = extract_pdf(pdf_pages(lines(b"A cat sat."), noise), None)
    assert found.text == "A cat sat."
    assert found.remarks == {"pages of PDF files cannot be decoded, and are left out": 1}
    with pytest.raises(Bad, match="cannot be decoded"):
        extract_pdf(pdf_pages(noise), None)


def test_text_is_bounded_while_it_is_read():
    with pytest.raises(Bad, match="larger than 1000 bytes"):
        extract_pdf(pdf_pages(*[lines(b"A cat sat.")] * 3_000, shared=True), 1000)


def test_pages_that_share_a_content_of_many_objects_are_refused(monkeypatch):
    monkeypatch.setattr(pdf_files, "_MANY_OBJECTS", 1_000)
    content = lines(*[b"A cat sat."] * 400)
    assert "cat" in extract_pdf(pdf_pages(*[content] * 2, shared=True), None).text
    with pytest.raises(Bad, match=r"has [0-9]+ pages or more that repeat the same content"):
        extract_pdf(pdf_pages(*[content] * 900, shared=True), None)
