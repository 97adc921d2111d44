"""The text of a Word file: one walk over the XML of its body and notes, which needs no other package.

All text in the order of the file, except deletions: also what was inserted or moved, and what is in links,
fields, content controls, custom XML, tables, text boxes and equations. Comments, headers and footers are left
out.
"""

import posixpath
import zipfile
import zlib
from collections.abc import Callable
from datetime import date
from typing import Any, BinaryIO, ClassVar, NamedTuple
from xml.parsers import expat

from stickbreaker.corpus.readers.limits import bytes_allowed, too_large
from stickbreaker.corpus.readers.office_text import REMEDY, Extract, TextPieces
from stickbreaker.corpus.readers.problems import Bad

_PIECE = 1 << 16
_OPEN = "http://schemas.openxmlformats.org/"
_STRICT = "http://purl.oclc.org/ooxml/"
_PREFIXES = {
    f"{_OPEN}wordprocessingml/2006/main": "w:",
    f"{_STRICT}wordprocessingml/main": "w:",
    f"{_OPEN}officeDocument/2006/math": "m:",
    f"{_STRICT}officeDocument/math": "m:",
    f"{_OPEN}drawingml/2006/main": "a:",
    f"{_STRICT}drawingml/main": "a:",
    f"{_OPEN}markup-compatibility/2006": "mc:",
    "http://purl.org/dc/elements/1.1/": "dc:",
    "http://purl.org/dc/terms/": "dcterms:",
}
_LEFT_OUT = frozenset(
    ("w:del", "w:rt", "w:instrText", "w:delText", "w:delInstrText", "w:rPrChange", "w:pPrChange")
)
_TEXT = frozenset(("w:t", "m:t", "a:t"))
_CHARACTERS = {
    "w:tab": "\t",
    "w:ptab": "\t",
    "w:br": "\n",
    "w:cr": "\n",
    "w:noBreakHyphen": "-",
    "a:br": "\n",
}
_APART = frozenset(("m:num", "m:sub", "m:sup", "m:deg", "m:fName"))  # parts of an equation
_OFF = ("0", "false", "off")
_SEPARATORS = ("separator", "continuationSeparator", "continuationNotice")
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, EOFError, ValueError, LookupError, OSError),
    *(NotImplementedError, RuntimeError),  # an unknown compression; a password
)
_NOTES = {"w:footnote": "w:footnoteReference", "w:endnote": "w:endnoteReference"}


def extract_word(stream: BinaryIO, largest: int | None) -> Extract:
    """The text of a Word file, a paragraph per line, with title, author and date if the file states them.

    stream: a seekable stream of the file. Raises Bad if it is not a Word file, is damaged, or if a part or
    the text is larger than `largest` bytes.
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            return _extract(archive, largest)
    except _DAMAGE:
        raise Bad("unreadable document", "is not a Word file, or is damaged", REMEDY) from None
    except expat.ExpatError as error:
        problem = f"is a damaged Word file ({error})"
        raise Bad("unreadable document", problem, REMEDY) from None


def _extract(archive: zipfile.ZipFile, largest: int | None) -> Extract:
    names, start = set(archive.namelist()), _Relations(archive, "", largest)
    body = start.target("officeDocument") or "word/document.xml"
    if body not in names:
        raise Bad("unreadable document", "is not a Word file, or is damaged", REMEDY)
    related = _Relations(archive, body, largest)
    pieces = TextPieces(largest)
    walk = _Walk(pieces)
    _parse(archive, body, walk, largest)
    if not walk.is_word:
        raise Bad("unreadable document", "is not a Word file", REMEDY)
    for kind in ("footnotes", "endnotes"):
        notes = related.target(kind)
        if notes in names:
            _parse(archive, notes, walk, largest)
    properties = _Properties()
    about = start.target("core-properties")
    if about in names:
        _parse(archive, about, properties, largest)
    if walk.foreign:
        pieces.remark("embedded parts of Word files are left out", walk.foreign)
    return Extract(walk.text().strip("\n"), properties.about(), pieces.remarks)


def _parse(archive: zipfile.ZipFile, name: str, handler: "_Handler", largest: int | None) -> None:
    """Pass the XML of a part to `handler`, piece by piece. Raises Bad for more than `largest` bytes."""
    if archive.getinfo(name).file_size > bytes_allowed(largest):
        raise too_large(f"its part {name}", largest)
    short: dict[str, str] = {}

    def spelled(name: str) -> str:
        space, _, local = name.rpartition(" ")
        return short.setdefault(name, _PREFIXES.get(space, "?:" if space else "") + local)

    def starts(name: str, attributes: dict[str, str]) -> None:
        handler.start(short.get(name) or spelled(name), attributes)

    def ends(name: str) -> None:
        handler.end(short.get(name) or spelled(name))

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = starts, ends
    parser.CharacterDataHandler = handler.characters
    parser.StartDoctypeDeclHandler = _refuse_doctype
    with archive.open(name) as part:
        while piece := part.read(_PIECE):
            parser.Parse(piece)
        parser.Parse(b"", True)


def _refuse_doctype(*_: object) -> None:
    problem = "is a damaged Word file (it declares entities, which Word files never do)"
    raise Bad("unreadable document", problem, REMEDY)


def _attribute(attributes: dict[str, str], local: str) -> str | None:
    """The value of an attribute, whatever its namespace."""
    return next((value for name, value in attributes.items() if name.rpartition(" ")[2] == local), None)


class _Handler:
    """What is called for the elements of a part, whose names have short prefixes, and for its characters."""

    def start(self, name: str, attributes: dict[str, str]) -> None: ...

    def end(self, name: str) -> None: ...

    def characters(self, text: str) -> None: ...


class _Relations(_Handler):
    """The parts that a part (a name; "": the file) refers to, by the last word of the relation's kind."""

    def __init__(self, archive: zipfile.ZipFile, part: str, largest: int | None) -> None:
        folder, name = posixpath.split(part)
        self._folder, self._targets = folder, dict[str, str]()
        place = posixpath.join(folder, "_rels", f"{name}.rels")
        if place in archive.namelist():
            _parse(archive, place, self, largest)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        kind, target = attributes.get("Type", ""), attributes.get("Target", "")
        if name.endswith("Relationship") and attributes.get("TargetMode") != "External":
            place = target[1:] if target.startswith("/") else posixpath.join(self._folder, target)
            self._targets.setdefault(kind.rpartition("/")[2], posixpath.normpath(place))

    def target(self, kind: str) -> str:
        """The part of this kind; "" if there is none."""
        return self._targets.get(kind, "")


class _Properties(_Handler):
    """Title, author and date of a file, from its core properties."""

    _FIELDS: ClassVar = {"dc:title": "title", "dc:creator": "author", "dcterms:created": "date"}

    def __init__(self) -> None:
        self._open, self._values = "", dict[str, str]()

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._open = self._FIELDS.get(name, "")

    def end(self, name: str) -> None:
        self._open = ""

    def characters(self, text: str) -> None:
        if self._open:
            self._values[self._open] = self._values.get(self._open, "") + text

    def about(self) -> dict[str, Any]:
        """The fields that are stated and make sense."""
        found: dict[str, Any] = {name: text for name, text in self._values.items() if text.strip()}
        if "date" in found:
            try:
                found["date"] = date.fromisoformat(found["date"].strip()[:10])
            except ValueError:
                del found["date"]
        return found


class _Moved(str):
    """Text at the place that it was moved away from."""


class _Field(NamedTuple):
    """A field that has begun: where its instruction begins in a list of pieces (-1: it has ended)."""

    pieces: list[str]
    begin: int


class _Branches:
    """Alternate content: whether one of its branches had text, and how much text there was before."""

    def __init__(self, before: int) -> None:
        self.chosen, self.before = False, before


class _Walk(_Handler):
    """Collects text from the elements of a document and of its notes.

    In `_out` are the pieces of text around which the walk is: of the part, or of a text box, whose text comes
    after the paragraph that holds it. `_skipped` is the depth of an element that is left out, with all that
    it holds; 0: none.
    """

    def __init__(self, pieces: TextPieces) -> None:
        self.is_word, self.foreign = False, 0
        self._pieces = pieces
        self._out = list[str]()
        self._outer = list[tuple[list[str], list[list[str]]]]()
        self._boxes = list[list[str]]()
        self._path = list[str]()
        self._skipped = self._placeholder = 0
        self._rows, self._cells = list[int](), list[int]()  # their depths
        self._reads = self._moved_to = False
        self._mark = ""  # what happened to the paragraph's mark: w:del, w:moveFrom, nothing
        self._from = self._to = 0  # depths of moved text: at its old place, at its new one
        self._written = 0  # pieces that are not blank
        self._fields = list[_Field]()
        self._branches = list[_Branches]()
        self._notes, self._deleted_notes = set[tuple[str, str]](), set[tuple[str, str]]()

    def text(self) -> str:
        """All text so far. What was moved is at its new place, or, if that is not known, at its old one."""
        pieces = [*self._out, *(one for box in self._boxes for one in box)]
        return "".join(one for one in pieces if not (self._moved_to and isinstance(one, _Moved)))

    def characters(self, text: str) -> None:
        if self._reads and not self._skipped:
            self._moved_to = self._moved_to or self._to > 0
            self._add(text)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        path = self._path
        path.append(name)
        if name in ("w:footnoteReference", "w:endnoteReference"):
            place = self._deleted_notes if self._skipped else self._notes
            place.add((name, _attribute(attributes, "id") or ""))
        if self._skipped:
            return
        if name in _TEXT:
            self._reads = True
            return
        depth, parent = len(path), path[-2] if len(path) > 1 else ""
        if name in _CHARACTERS and parent in ("w:r", "a:p", "mc:Choice", "mc:Fallback"):
            self._add(_CHARACTERS[name])
        elif name in ("w:del", "w:moveFrom") and parent == "w:trPr":
            self._skipped = self._rows[-1] if self._rows else depth
        elif name in ("w:del", "w:moveFrom") and parent == "w:rPr":
            self._mark = self._mark or (name if path[-3:-2] == ["w:pPr"] else "")
        elif name in _LEFT_OUT:
            self._skipped = depth
        elif name in self._STARTS:
            self._STARTS[name](self, attributes)

    def end(self, name: str) -> None:
        depth, skipped = len(self._path), self._skipped
        self._path.pop()
        for places in (self._rows, self._cells):
            if places and places[-1] == depth:
                places.pop()
        if skipped:
            self._skipped = 0 if self._skipped == depth else self._skipped
        elif name in _TEXT:
            self._reads = False
        elif name in ("w:p", "a:p"):
            self._end_paragraph()
        elif name in _APART:
            self._add(" ")
        elif depth in (self._from, self._to):
            self._from = 0 if self._from == depth else self._from
            self._to = 0 if self._to == depth else self._to
        elif name == "w:txbxContent":
            box = self._out
            self._out, self._boxes = self._outer.pop()
            self._boxes.append(box)
        elif name in ("mc:Choice", "mc:Fallback") and self._branches:
            branches = self._branches[-1]
            branches.chosen = branches.chosen or self._written > branches.before
        elif name == "mc:AlternateContent" and self._branches:
            self._branches.pop()

    def _add(self, text: str) -> None:
        self._pieces.count(text)
        self._written += not text.isspace()
        self._out.append(_Moved(text) if self._from else text)

    def _end_paragraph(self) -> None:
        """Begin a line, unless the paragraph's mark was deleted, or a cell has no text; then text boxes."""
        mark, self._mark = self._mark, ""
        if mark == "w:moveFrom":
            self._out.append(_Moved("\n"))
        elif not mark and (not self._cells or (self._out and not self._out[-1].endswith("\n"))):
            self._add("\n")
        for box in self._boxes:
            self._out += box
        self._boxes.clear()

    def _start_word(self, attributes: dict[str, str]) -> None:
        self.is_word = True

    def _start_moved(self, attributes: dict[str, str]) -> None:
        self._from = self._from or len(self._path)

    def _start_arrived(self, attributes: dict[str, str]) -> None:
        self._to = self._to or len(self._path)

    def _start_row(self, attributes: dict[str, str]) -> None:
        self._rows.append(len(self._path))

    def _start_cell(self, attributes: dict[str, str]) -> None:
        self._cells.append(len(self._path))

    def _start_symbol(self, attributes: dict[str, str]) -> None:
        """A character of a font, of which those of private use are signs without a meaning elsewhere."""
        try:
            number = int(_attribute(attributes, "char") or "", 16)
        except ValueError:
            return
        if 0x20 <= number < 0xD800 or 0xF900 <= number < 0x110000:
            self._add(chr(number))

    def _start_box(self, attributes: dict[str, str]) -> None:
        self._outer.append((self._out, self._boxes))
        self._out, self._boxes = [], []

    def _start_field(self, attributes: dict[str, str]) -> None:
        """A mark of a field: what stands between its begin and its separator is an instruction, no text."""
        kind = _attribute(attributes, "fldCharType")
        if kind == "begin":
            self._fields.append(_Field(self._out, len(self._out)))
        elif kind in ("separate", "end") and self._fields:
            field = self._fields.pop()
            if field.begin >= 0 and field.pieces is self._out:
                del self._out[field.begin :]
            if kind == "separate":
                self._fields.append(_Field(self._out, -1))

    def _start_alternate(self, attributes: dict[str, str]) -> None:
        self._branches.append(_Branches(self._written))

    def _start_branch(self, attributes: dict[str, str]) -> None:
        if self._branches and self._branches[-1].chosen:
            self._skipped = len(self._path)

    def _start_prompt(self, attributes: dict[str, str]) -> None:
        """A mark that a content control shows only its prompt, as "Click to enter text"."""
        if _attribute(attributes, "val") not in _OFF:
            self._placeholder = len(self._path) - 2

    def _start_control(self, attributes: dict[str, str]) -> None:
        if self._placeholder == len(self._path) - 1:
            self._skipped = len(self._path)
        self._placeholder = 0

    def _start_foreign(self, attributes: dict[str, str]) -> None:
        self.foreign += 1

    def _start_deleted_cell(self, attributes: dict[str, str]) -> None:
        self._skipped = self._cells[-1] if self._cells else len(self._path)

    def _start_note(self, attributes: dict[str, str]) -> None:
        """Leave out a note that is only a line between text and notes, or whose mark was deleted."""
        mark = _NOTES[self._path[-1]], _attribute(attributes, "id") or ""
        deleted = mark in self._deleted_notes and mark not in self._notes
        if deleted or _attribute(attributes, "type") in _SEPARATORS:
            self._skipped = len(self._path)

    _STARTS: ClassVar[dict[str, Callable[["_Walk", dict[str, str]], None]]] = {
        "w:document": _start_word,
        "w:moveFrom": _start_moved,
        "w:moveTo": _start_arrived,
        "w:tr": _start_row,
        "w:tc": _start_cell,
        "w:sym": _start_symbol,
        "w:txbxContent": _start_box,
        "w:fldChar": _start_field,
        "mc:AlternateContent": _start_alternate,
        "mc:Choice": _start_branch,
        "mc:Fallback": _start_branch,
        "w:showingPlcHdr": _start_prompt,
        "w:sdtContent": _start_control,
        "w:altChunk": _start_foreign,
        "w:cellDel": _start_deleted_cell,
        "w:footnote": _start_note,
        "w:endnote": _start_note,
    }
