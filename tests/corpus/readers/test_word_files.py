"""The text of Word files, element by element."""

import io
import zipfile

import pytest
from tests.corpus.readers.samples import runs, word_file

from stickbreaker.corpus.readers.problems import Bad
from stickbreaker.corpus.readers.word_files import extract_word


def text_of(body, **parts):
    return extract_word(io.BytesIO(word_file(body, **parts)), None).text


def in_line(inner):
    """What becomes of something between two runs of a paragraph."""
    return text_of(f"<w:p>{runs('before ')}{inner}{runs(' after')}</w:p>")


def mark(kind):
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


BOX = f"<w:txbxContent><w:p>{runs('In a box.')}</w:p></w:txbxContent>"


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        (f"<w:ins>{runs('new')}</w:ins>", "new"),
        ("<w:del><w:r><w:delText>old</w:delText></w:r></w:del>", ""),
        (f"<w:del>{runs('old')}</w:del>", ""),
        (f"<w:smartTag>{runs('Rome')}</w:smartTag>", "Rome"),
        (f"<w:customXml>{runs('x')}</w:customXml>", "x"),
        (f"<w:sdt><w:sdtPr/><w:sdtContent>{runs('held')}</w:sdtContent></w:sdt>", "held"),
        (
            f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{runs('Click')}</w:sdtContent></w:sdt>",
            "",
        ),
        (f"<w:hyperlink><w:fldSimple w:instr='x'>{runs('link')}</w:fldSimple></w:hyperlink>", "link"),
        (f"<w:bdo w:val='rtl'>{runs('שלום')}</w:bdo>", "שלום"),
        (
            f"<w:r><w:ruby><w:rt>{runs('とうきょう')}</w:rt>"
            f"<w:rubyBase>{runs('東京')}</w:rubyBase></w:ruby></w:r>",
            "東京",
        ),
        (
            "<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num>"
            "<m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath>",
            "a b",
        ),
        (
            "<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r>",
            "a\tb\nc-d",
        ),
        ("<w:r><w:sym w:font='x' w:char='00E9'/><w:sym w:font='Wingdings' w:char='F0E0'/></w:r>", "é"),
        (
            f"{mark('begin')}<w:r><w:instrText>IF</w:instrText></w:r>{mark('begin')}{mark('separate')}{runs('inner')}"
            f"{mark('end')}{mark('separate')}{runs('result')}{mark('end')}",
            "result",
        ),
        (
            "<w:r><mc:AlternateContent><mc:Choice><w:t>new</w:t></mc:Choice><mc:Fallback><w:t>old</w:t></mc:Fallback>"
            "</mc:AlternateContent></w:r>",
            "new",
        ),
        (
            "<w:r><mc:AlternateContent><mc:Choice><w:drawing/></mc:Choice><mc:Fallback><w:t>old</w:t></mc:Fallback>"
            "</mc:AlternateContent></w:r>",
            "old",
        ),
    ],
)  # fmt: skip
def test_text_within_a_line(inner, text):
    assert in_line(inner) == f"before {text} after"


def test_a_text_box_comes_after_its_paragraph_once():
    branches = f"<mc:Choice>{BOX}</mc:Choice><mc:Fallback>{BOX}</mc:Fallback>"
    both = f"<mc:AlternateContent>{branches}</mc:AlternateContent>"
    body = f"<w:p>{runs('A cat ')}<w:r>{both}</w:r>{runs('sat.')}</w:p><w:p>{runs('End.')}</w:p>"
    assert text_of(body) == "A cat sat.\nIn a box.\nEnd."


def test_moved_text_is_where_it_is_now():
    gone, here = f"<w:moveFrom>{runs('moved')}</w:moveFrom>", f"<w:moveTo>{runs('moved')}</w:moveTo>"
    assert text_of(f"<w:p>{gone}{runs('stay ')}{here}</w:p>") == "stay moved"
    assert text_of(f"<w:p>{gone}{runs(' stay')}</w:p>") == "moved stay"  # it is nowhere else


def test_a_deleted_mark_joins_paragraphs():
    deleted = "<w:pPr><w:rPr><w:del/></w:rPr></w:pPr>"
    assert text_of(f"<w:p>{deleted}{runs('one ')}</w:p><w:p>{runs('line')}</w:p>") == "one line"


def test_rows_and_cells():
    def cell(text, more=""):
        return f"<w:tc><w:tcPr>{more}</w:tcPr><w:p>{runs(text) if text else ''}</w:p></w:tc>"

    wide = "<w:gridSpan w:val='100000000'/>"
    rows = (
        f"<w:tr>{cell('a1', wide)}{cell('b1', '<w:vMerge/>')}</w:tr>",
        f"<w:sdt><w:sdtContent><w:tr>{cell('a2')}{cell('', '<w:vMerge/>')}</w:tr></w:sdtContent></w:sdt>",
        f"<w:tr><w:trPr><w:del/></w:trPr>{cell('a3')}</w:tr>",
        f"<w:tr><w:trPr><w:ins/></w:trPr>{cell('a4')}{cell('b4', '<w:cellDel/>')}</w:tr>",
    )
    nested = f"<w:tc><w:tbl><w:tr>{cell('inner')}</w:tr></w:tbl></w:tc>"
    table = f"<w:tbl>{''.join(rows)}<w:tr>{nested}</w:tr></w:tbl>"
    assert text_of(f"{table}<w:p>{runs('End')}</w:p>").split("\n") == ["a1", "b1", "a2", "a4", "inner", "End"]


def test_notes_come_after_the_text_without_deleted_ones_and_separators():
    body = (
        f"<w:p>{runs('Text')}<w:r><w:footnoteReference w:id='2'/></w:r>"
        "<w:del><w:r><w:footnoteReference w:id='3'/></w:r></w:del>"
        "<w:r><w:endnoteReference w:id='2'/></w:r></w:p>"
    )
    notes = "".join(f"<w:footnote w:id='{n}'><w:p>{runs(f'foot {n}')}</w:p></w:footnote>" for n in (2, 3))
    notes = f"<w:footnote w:id='0' w:type='separator'><w:p>{runs('line')}</w:p></w:footnote>{notes}"
    ends = f"<w:endnote w:id='2'><w:p>{runs('end 2')}</w:p></w:endnote>"
    assert text_of(body, footnotes=notes, endnotes=ends) == "Text\nfoot 2\nend 2"


def test_strict_files_and_files_without_properties():
    found = extract_word(io.BytesIO(word_file(f"<w:p>{runs('x')}</w:p>", about=False, strict=True)), None)
    assert (found.text, found.about) == ("x", {})


def test_what_is_embedded_is_remarked():
    found = extract_word(io.BytesIO(word_file(f"<w:p>{runs('x')}</w:p><w:altChunk/>")), None)
    assert found.remarks == {"embedded parts of Word files are left out": 1}


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>", "declares entities"),
        ("<x>", "is a damaged Word file"),
        ("<x/>", "is not a Word file"),
        (None, "is not a Word file, or is damaged"),
    ],
)
def test_other_files_are_refused(document, problem):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("other", "")
        if document:
            packed.writestr("word/document.xml", document)
    with pytest.raises(Bad, match=problem):
        extract_word(out, None)


def test_text_is_bounded():
    with pytest.raises(Bad, match="larger than 2000 bytes"):
        extract_word(io.BytesIO(word_file(f"<w:p>{runs('word ' * 1000)}</w:p>")), 2000)
