"""Small files of several formats, in which nothing is wrong."""

import datetime as dt
import decimal
import io
import zipfile

import pyarrow as pa
from pyarrow import feather, parquet

UCI = b"4\n3\n4\n2 1 5\n2 3 1\n\n3 2 7\n3 1 1\n"
BANNER = b"%%MatrixMarket matrix coordinate real general\n"

BERLIN = dt.timezone(dt.timedelta(hours=1))
TABLE = pa.table(
    {
        "id": pa.array(["a", "b", "c"]).dictionary_encode(),
        "text": ["one cat", "two dogs", "a bird"],
        "words": [["one", "cat"], [], ["bird"]],
        "day": [dt.date(1988, 2, 12), None, dt.date(2020, 1, 1)],
        "when": pa.array([dt.datetime(1988, 2, 12, 10, 30)] * 3, pa.timestamp("ns")),
        "zoned": pa.array([dt.datetime(1988, 2, 12, 10, tzinfo=BERLIN)] * 3, pa.timestamp("us", "+01:00")),
        "price": pa.array([decimal.Decimal("1.50")] * 3),
        "count": pa.array([1, 2, 3], pa.int16()),
        "share": [0.5, float("nan"), 1.0],
        "good": [True, False, None],
        "vector": [[0.1, 0.2]] * 3,
        "__index_level_0__": [4, 5, 6],
    }
)


def parquet_of(table: pa.Table) -> bytes:
    out = io.BytesIO()
    parquet.write_table(table, out, row_group_size=2)
    return out.getvalue()


def file_of(table: pa.Table) -> bytes:
    out = io.BytesIO()
    with pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return out.getvalue()


def stream_of(table: pa.Table) -> bytes:
    out = io.BytesIO()
    with pa.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return out.getvalue()


def feather_of(table: pa.Table) -> bytes:
    out = io.BytesIO()
    feather.write_feather(table, out)
    return out.getvalue()


def word(number: str | int, form: str, lemma: str = "_", misc: str = "_") -> str:
    return f"{number}\t{form}\t{lemma}\t_\t_\t_\t_\t_\t_\t{misc}\n"


FRENCH = (
    "# newdoc id = one\n# meta::genre = news = wire\n# sent_id = 1\n# newpar\n# text = «Du pain!»\n"
    + word(1, "«", "«")
    + word("2-3", "Du", "_", "X=1")
    + word(2, "de", "de")
    + word(3, "le", "le")
    + word(4, "pain", "pain")
    + word("4.1", "est", "être")
    + word(5, "!", "_")
    + word(6, "»", "»")
    + "\n# newpar id = p2\n"
    + word(1, "Oui", "oui", "A=b|SpaceAfter=No")
    + word(2, ".", ".")
    + "\n\n# text = nothing like it\r\n"
    + word(1, "in spite of", "_")
    + word("2-3", "du", "_", "SpaceAfter=No")
    + word(2, "de", "de")
    + word(3, "le", "le")
    + word(4, "_", "_")
    + "\n# newdoc\n# text = Fin\n"
    + word(1, "Fin", "fin")
)


PAGE = b"""<!DOCTYPE html><html lang="en"><head><title>Of cats</title><meta name="author" content="Ann Lee">
<style>body {color: red}</style><script>var hidden = 1;</script></head>
<body><nav><a href="/">Home menu</a></nav>
<article><h1>Of cats</h1>
<p>A cat sat on the mat, and the mat was warm, since the sun had been on it all day.</p>
<p>Two dogs ran along the river &amp; over the bridge, where a third one, who was older, waited for them.</p>
</article><footer>Imprint</footer></body></html>"""


_HELVETICA = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def pdf_pages(*drawn: bytes, font: bytes = _HELVETICA, page: bytes = b"", shared: bool = False) -> bytes:
    """A PDF file of pages, of which each is drawn by operators of text; with `shared`, all are the first.

    font: the font's object; page: further entries of the pages, whose annotations are form fields.
    """
    first = 5
    numbers = [first + 2 * (0 if shared else one) for one in range(len(drawn))]
    fields = page[page.index(b"[") : page.rindex(b"]") + 1] if b"/Widget" in page else b"[]"
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields %s >> >>" % fields,
        b"<< /Type /Pages /Kids [%s] /Count %d >>"
        % (b" ".join(b"%d 0 R" % one for one in numbers), len(drawn)),
        font,
        b"<< /Title (Of dogs) >>",
    ]
    for number, text in enumerate(drawn[:1] if shared else drawn):
        text = b"BT /F1 12 Tf 72 720 Td %s ET" % text
        parts.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> %s >>" % (first + 2 * number + 1, page)
        )
        parts.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text))
    out, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(parts) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(parts) + 1,
        start,
    )


def pdf_of(text: str) -> bytes:
    """A PDF file of one page with a line of text."""
    return pdf_pages(b"(%s) Tj" % text.encode())


_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_NAMES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:m="'
    f'{_OFFICE}/math" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)
_CORE = (
    f'<c:coreProperties xmlns:c="{_PACKAGE}/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>Of both</dc:title><dc:creator>Ann Lee</dc:creator>'
    "<dcterms:created>2020-05-06T01:02:03Z</dcterms:created></c:coreProperties>"
)


def _relations(*pairs: tuple[str, str]) -> str:
    inner = "".join(f'<Relationship Id="r{place}" Type="{kind}" Target="{place}"/>' for kind, place in pairs)
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inner}</Relationships>'


def word_file(body: str, *, about: bool = True, strict: bool = False, **notes: str) -> bytes:
    """A Word file with the XML of a body, and of the parts `footnotes` and `endnotes`."""
    first = [(f"{_OFFICE}/relationships/officeDocument", "word/document.xml")]
    if about:
        first.append((f"{_PACKAGE}/relationships/metadata/core-properties", "docProps/core.xml"))
    parts = {
        "_rels/.rels": _relations(*first),
        "docProps/core.xml": _CORE,
        "word/document.xml": f"<w:document {_NAMES}><w:body>{body}<w:sectPr/></w:body></w:document>",
        "word/_rels/document.xml.rels": _relations(
            *((f"{_OFFICE}/relationships/{name}", f"{name}.xml") for name in notes)
        ),
        **{f"word/{name}.xml": f"<w:{name} {_NAMES}>{xml}</w:{name}>" for name, xml in notes.items()},
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name, xml in parts.items():
            if strict:
                xml = xml.replace(
                    "http://schemas.openxmlformats.org/wordprocessingml/2006",
                    "http://purl.oclc.org/ooxml/wordprocessingml",
                )
                xml = xml.replace(_OFFICE, "http://purl.oclc.org/ooxml/officeDocument")
            packed.writestr(name, xml)
    return out.getvalue()


def runs(*texts: str) -> str:
    """XML of runs of text."""
    return "".join(f"<w:r><w:t>{text}</w:t></w:r>" for text in texts)


def word_of(*paragraphs: str) -> bytes:
    """A Word file with some paragraphs, and a table of one cell."""
    lines = "".join(f"<w:p>{runs(text)}</w:p>" for text in paragraphs)
    return word_file(f"{lines}<w:tbl><w:tr><w:tc><w:p>{runs('In a table.')}</w:p></w:tc></w:tr></w:tbl>")
