"""The text of a PDF file's pages and form fields, by the package pypdfium2."""

import ctypes
import importlib
import unicodedata
from collections.abc import Iterator
from functools import partial
from typing import Any

import regex

from stickbreaker.corpus.readers.office_text import REMEDY, Extract, TextPieces
from stickbreaker.corpus.readers.problems import Bad
from stickbreaker.corpus.readers.right_to_left import RIGHT_TO_LEFT, PlacedCharacter, line_in_reading_order

_NOISE_SHARE = 0.1  # of a page's characters: from here on its fonts do not say what its text is
_JOINED = regex.compile("(\\w+)[\ufffe\x02](?:\n)?(\\w+)")  # a word that a line's end divides: PDFium's mark
_HYPHENATED = regex.compile(r"\w+[-\u2010\u2011]\w+")
_NOISE = regex.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ufffd\p{Co}\p{Cn}]")
_DROPPED = regex.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_LOOKS = regex.compile("[\ufb00-\ufb4f\ufb50-\ufdff\ufe70-\ufefc]+")  # ligatures, forms of Arabic and Hebrew
_GLYPHS = regex.compile(r"(?:/(?:g|G|c|C|cid|uni|glyph)\d+\s*){3,}")
_MARKED = regex.compile(r" (?=\p{M})")  # a mark that stands alone is one of the letter before
_MOST_FIELD = 1 << 20  # characters of a form field
_MANY_OBJECTS = 500_000  # on pages; if there are more than bytes too, pages share what takes the time


def extract_pdf(content: bytes, largest: int | None) -> Extract:
    """The text of a PDF file's pages, joined by line breaks, with title and author if the file states them.

    Words that were divided at the ends of lines are joined, ligatures taken apart. Pages without text, and
    those whose text cannot be decoded, are left out and remarked. Raises Bad if no page is left, or for more
    than `largest` characters, at once.
    """
    pdfium = importlib.import_module("pypdfium2")
    pieces, pages = TextPieces(largest), list[str]()
    blank = unreadable = objects = 0
    with pdfium.PdfDocument(content) as document:
        document.init_forms()
        for number in range(len(document)):
            page = document[number]
            objects += pdfium.raw.FPDFPage_CountObjects(page)
            if objects > max(_MANY_OBJECTS, len(content)):
                problem = f"has {number + 1:,} pages or more that repeat the same content"
                raise Bad("too large", problem, REMEDY)
            text = _text_of(pdfium.raw, page, pieces)
            fields = _fields_of(pdfium.raw, document, page)
            pieces.count(fields)
            if _is_noise(text):
                unreadable, text = unreadable + 1, ""
            elif not (text.strip() or fields) and pdfium.raw.FPDFPage_CountObjects(page) > 0:
                blank += 1
            pages += [one for one in (text, fields) if one.strip()]
            page.close()
        about = document.get_metadata_dict()
    if unreadable and not pages:
        problem = "has text that cannot be decoded (its fonts do not say which characters they have)"
        raise Bad("undecodable document", problem, "recognise its text by OCR, or --on-error skip")
    if blank and not pages:
        problem = "has no text (scanned pages are pictures)"
        raise Bad("document without text", problem, "recognise its text by OCR, or --on-error skip")
    if unreadable:
        pieces.remark("pages of PDF files cannot be decoded, and are left out", unreadable)
    if blank:
        pieces.remark("pages of PDF files have no text, as pictures of pages", blank)
    return Extract(
        _joined("\n".join(pages)), {"title": about["Title"], "author": about["Author"]}, pieces.remarks
    )


def _text_of(raw: Any, page: Any, pieces: TextPieces) -> str:
    """The text of a page, with LF at the ends of lines and PDFium's marks where these divide a word."""
    found = page.get_textpage()
    pieces.check(found.count_chars())
    text = found.get_text_range().replace("\r\n", "\n").replace("\r", "\n")
    pieces.count(text)
    if RIGHT_TO_LEFT.search(text):
        text = "\n".join(_lines_of(raw, found))
    found.close()
    return _LOOKS.sub(lambda one: _MARKED.sub("", unicodedata.normalize("NFKC", one[0])), text)


def _lines_of(raw: Any, found: Any) -> Iterator[str]:
    """The lines of a page of which some have letters that are read from right to left, in reading order."""
    line, texts = list[PlacedCharacter](), list[str]()
    size, added = 0.0, False
    for number in range(found.count_chars() + 1):
        text = "\n"
        if number < found.count_chars():
            code = raw.FPDFText_GetUnicode(found, number)
            text = chr(code) if code < 0x110000 else "\ufffd"
        if text == "\r":
            continue
        if text == "\n":
            whole = "".join(texts)
            ordered = RIGHT_TO_LEFT.search(whole) and line
            yield line_in_reading_order(line, size, add_spaces=added) if ordered else whole
            line, texts, size, added = [], [], 0.0, False
            continue
        texts.append(text)
        if not raw.FPDFText_GetTextObject(found, number):  # added by PDFium
            added |= text == " "
            continue
        x, y = ctypes.c_double(), ctypes.c_double()
        raw.FPDFText_GetCharOrigin(found, number, x, y)
        left, _, right, _ = found.get_charbox(number)
        line.append(PlacedCharacter(text, left, right, x.value))
        size = max(size, raw.FPDFText_GetFontSize(found, number))


def _fields_of(raw: Any, document: Any, page: Any) -> str:
    """What is written in the form fields and text notes of a page, one per line."""
    lines, forms = list[str](), document.formenv
    text_fields = (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
    for number in range(raw.FPDFPage_GetAnnotCount(page)):
        note = raw.FPDFPage_GetAnnot(page, number)
        if not note:
            continue
        kind = raw.FPDFAnnot_GetSubtype(note)
        if kind == raw.FPDF_ANNOT_WIDGET and forms is not None:
            if raw.FPDFAnnot_GetFormFieldType(forms, note) in text_fields:
                lines.append(_value(partial(raw.FPDFAnnot_GetFormFieldValue, forms, note), raw))
        elif kind == raw.FPDF_ANNOT_FREETEXT:
            lines.append(_value(partial(raw.FPDFAnnot_GetStringValue, note, b"Contents"), raw))
        raw.FPDFPage_CloseAnnot(note)
    return "\n".join(line for line in lines if line.strip())


def _value(read: Any, raw: Any) -> str:
    """A string that PDFium writes as UTF-16 into a buffer; `read` takes the buffer and its bytes."""
    size = min(read(None, 0), 2 * _MOST_FIELD)
    buffer = ctypes.create_string_buffer(size)
    pointer_to: Any = ctypes.POINTER
    read(ctypes.cast(buffer, pointer_to(raw.FPDF_WCHAR)), size)
    return buffer.raw.decode("utf-16-le", "replace").rstrip("\0").replace("\r\n", "\n").replace("\r", "\n")


def _is_noise(text: str) -> bool:
    """Whether text is codes of glyphs rather than characters: controls, private use, names of glyphs."""
    solid = sum(not letter.isspace() for letter in text)
    marks = text.count("\ufffe") + text.count("\x02")
    noise = len(_NOISE.findall(text)) - marks + sum(len(one) for one in _GLYPHS.findall(text))
    return solid > 0 and noise >= _NOISE_SHARE * solid


def _joined(text: str) -> str:
    """Text with the words joined that lines divide, without control characters.

    The hyphen stays if the whole has the word with it in a line, or a capital or digit follows.
    """
    hyphenated = {
        one[0].casefold().translate({0x2010: "-", 0x2011: "-"}) for one in _HYPHENATED.finditer(text)
    }

    def word(found: regex.Match[str]) -> str:
        first, rest = found[1], found[2]
        keeps = not rest[0].islower() or f"{first}-{rest}".casefold() in hyphenated
        return f"{first}-{rest}" if keeps else first + rest

    return _DROPPED.sub("", _JOINED.sub(word, text))
