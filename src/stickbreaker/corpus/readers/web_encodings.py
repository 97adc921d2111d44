"""The text of a web page's bytes, by its byte order mark or its declaration; names are those of the web."""

import codecs
import importlib
import re

from stickbreaker.corpus.readers.office_text import TextPieces
from stickbreaker.corpus.readers.packing import BOM

_SEARCHED = 4096  # bytes in which a page declares its encoding; browsers search 1024
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_DECLARED = re.compile(
    rb"""<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']\s*([\w.:+-]+)|<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w.:+-]+)""",
    re.IGNORECASE,
)
_ORDER_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be", BOM: "utf-8"}
# Encodings that the web means by a name (https://encoding.spec.whatwg.org/#names-and-labels), by codecs of
# Python in the order in which they are tried; other names are those of Python
_WEB = {
    ("shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "ms932", "windows-31j",
     "csshiftjis"): ("cp932",),
    ("iso-8859-1", "iso8859-1", "iso_8859-1", "iso88591", "latin1", "latin-1", "l1", "ascii", "us-ascii",
     "x-cp1252", "windows-1252", "cp1252", "cp819"): ("cp1252",),
    ("gb2312", "gb_2312-80", "gb_2312", "csgb2312", "gbk", "x-gbk", "chinese", "gb18030"): ("gb18030",),
    ("euc-kr", "ks_c_5601-1987", "ks_c_5601-1989", "ksc5601", "ksc_5601", "korean", "windows-949",
     "cseuckr"): ("cp949",),
    ("big5", "big5-hkscs", "cn-big5", "csbig5", "x-x-big5"): ("big5hkscs", "cp950"),
    ("euc-jp", "x-euc-jp", "cseucpkdfmtjapanese"): ("euc_jp", "euc_jis_2004"),
    ("iso-2022-jp", "csiso2022jp"): ("iso2022_jp", "iso2022_jp_ext", "iso2022_jp_2004"),
    ("iso-8859-9", "latin5", "l5", "windows-1254", "x-cp1254"): ("cp1254",),
    ("iso-8859-11", "tis-620", "dos-874", "windows-874"): ("cp874",),
    ("iso-8859-8-i", "logical", "csiso88598i"): ("iso8859_8",),
    ("iso-8859-8-e", "visual"): ("iso8859_8",),
    ("macintosh", "mac", "x-mac-roman", "csmacintosh"): ("mac_roman",),
    ("x-mac-cyrillic", "x-mac-ukrainian"): ("mac_cyrillic",),
    ("utf-8", "utf8", "unicode-1-1-utf-8", "x-unicode20utf8", "utf-16", "utf-16le", "utf-16be",
     "unicode"): ("utf-8",),  # a declaration that can be read is not in UTF-16
    ("x-user-defined",): ("cp1252",),
}  # fmt: skip
_NO_PAGE = (
    "utf-7",
    "idna",
    "punycode",
    "unicode_escape",
    "raw_unicode_escape",
    "unicode-escape",
    "raw-unicode-escape",
    "undefined",
    "mbcs",
    "oem",
)  # codecs of Python that are for other things
_CODECS = {name: codecs_of for names, codecs_of in _WEB.items() for name in names}


def page_text(content: bytes, pieces: TextPieces) -> str:
    """The text of a page's bytes. Wrong bytes become U+FFFD and are remarked, as is a guessed encoding.

    It is guessed only without a byte order mark and a declaration, if the page is not UTF-8.
    """
    for mark, name in _ORDER_MARKS.items():
        if content.startswith(mark):
            return _decoded(content[len(mark) :], (name,), pieces)
    start = _COMMENT.sub(b"", content[:_SEARCHED])
    for declared in _DECLARED.finditer(start):
        names = _codecs_of((declared[1] or declared[2]).decode("ascii", "replace").lower())
        if names:
            return _decoded(content, names, pieces)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        pass
    best = importlib.import_module("charset_normalizer").from_bytes(content).best()
    guess = "cp1252" if best is None else str(best.encoding)
    pieces.remark("web pages declare no encoding, which is guessed")
    return _decoded(content, (guess,), pieces)


def _codecs_of(name: str) -> tuple[str, ...]:
    """The codecs to try for a declared name; none if it is unknown."""
    if name in _CODECS:
        return _CODECS[name]
    try:
        found = codecs.lookup(name).name
        b"".decode(found)
    except (LookupError, ValueError):
        return ()
    return () if found in _NO_PAGE else (found,)


def _decoded(content: bytes, names: tuple[str, ...], pieces: TextPieces) -> str:
    """Bytes by the first codec that reads all; if none does, by the first, with U+FFFD for wrong bytes."""
    for name in names:
        try:
            return content.decode(name)
        except UnicodeDecodeError:
            pass
    text = content.decode(names[0], "replace")
    before = content.count(b"\xef\xbf\xbd") if names[0] == "utf-8" else 0
    pieces.remark("characters of web pages are not in the encoding declared", text.count("\ufffd") - before)
    return text
