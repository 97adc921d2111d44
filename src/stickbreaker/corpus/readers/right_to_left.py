"""Puts lines of Arabic, Hebrew and other scripts that run from right to left in reading order.

A PDF file states where glyphs are, not in which order they are read. PDFium puts some words of such lines in
reverse order, so that it is found from the places, by the rules of Unicode's Annex 9 in reverse: words,
numbers and names in other scripts are right. It also mirrors brackets of some lines and not of others, so
that what opens and what closes is found from the characters next to them.
"""

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import regex

RIGHT_TO_LEFT = regex.compile(
    r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001eeff]"
)
_ALEF_LAM = regex.compile(r"^([\u0622\u0623\u0625\u0627])\u0644$")  # no glyph is both; one of lam and alef is
_BRACKETS: tuple[str, ...] = ("()", "[]", "{}", "«»", "‹›")
_PAIR_OF = {bracket: pair for pair in _BRACKETS for bracket in pair}
_GAP = 0.17  # of the size of the font: a wider space between two glyphs separates words


class PlacedCharacter(NamedTuple):
    """A character of a page, with the ends of its box, and where its glyph begins, in points."""

    text: str
    left: float
    right: float
    origin: float


class _Glyph(NamedTuple):
    """The characters of a glyph in the order in which they are read, its place, and its direction."""

    text: str
    left: float
    right: float
    origin: float
    direction: str  # R, L, number N, mark M or other O


def line_in_reading_order(characters: Sequence[PlacedCharacter], size: float, *, add_spaces: bool) -> str:
    """The text of a line of a page, in the order in which it is read.

    characters: in PDFium's order, in which the characters of a glyph follow one another. size: of the font,
    in points; add_spaces: whether wide gaps are spaces, as if the file has no characters for these.

    >>> places = [("ה", 0.0), ("נ", 5.0), ("ש", 10.0), (" ", 15.0), ("1", 20.0), ("9", 25.0)]
    >>> line = [PlacedCharacter(text, left, left + 5.0, left) for text, left in places]
    >>> line_in_reading_order(line, 10.0, add_spaces=False)
    '19 שנה'
    """
    glyphs = sorted(_glyphs(characters), key=lambda glyph: glyph.origin)
    if add_spaces:
        glyphs = _spaced(glyphs, _GAP * size)
    directions = [glyph.direction for glyph in glyphs]
    if directions.count("R") >= directions.count("L"):
        ordered = _from_the_right(glyphs)
    else:
        ordered = list[_Glyph]()
        for stretch, is_inner in _stretches(glyphs, "R"):
            ordered += _from_the_right(stretch) if is_inner else stretch
    return _with_brackets("".join(glyph.text for glyph in ordered))


def _with_brackets(text: str) -> str:
    """A line with brackets that open where a word begins and close where one ends, whichever they were.

    Where neighbours do not say which, one opens if none of its kind is open.

    >>> _with_brackets(")a(, b(c(")
    '(a), b(c)'
    """
    found, open_ones = list(text), dict.fromkeys(_BRACKETS, 0)
    for at, character in enumerate(text):
        pair = _PAIR_OF.get(character)
        if pair is None:
            continue
        before = next((one for one in reversed(text[:at]) if one not in _PAIR_OF), " ")
        after = next((one for one in text[at + 1 :] if one not in _PAIR_OF), " ")
        begins, ends = before.isspace(), after.isspace() or unicodedata.category(after).startswith("P")
        closes = ends if begins != ends else open_ones[pair] > 0
        open_ones[pair] = max(0, open_ones[pair] + (-1 if closes else 1))
        found[at] = pair[closes]
    return "".join(found)


def _glyphs(characters: Sequence[PlacedCharacter]) -> list[_Glyph]:
    """The glyphs of a line; marks that are glyphs of their own belong to the glyph that is nearest."""
    groups: list[list[PlacedCharacter]] = []
    for one in characters:
        same = (
            groups
            and one.text != " "
            and groups[-1][-1].text != " "
            and abs(groups[-1][-1].origin - one.origin) < 0.01
        )
        if same:
            groups[-1].append(one)
        else:
            groups.append([one])
    found = list(map(_glyph, groups))
    bases = [glyph for glyph in found if glyph.direction != "M" and glyph.text != " "]
    marks = [glyph for glyph in found if glyph.direction == "M"]
    if not (bases and marks):
        return found
    texts = {id(glyph): glyph.text for glyph in bases}
    for mark in marks:
        nearest = min(bases, key=lambda base: abs(base.left + base.right - mark.left - mark.right))
        texts[id(nearest)] += mark.text
    return [one._replace(text=texts.get(id(one), one.text)) for one in found if one.direction != "M"]


def _glyph(group: Sequence[PlacedCharacter]) -> _Glyph:
    """The glyph that stands for some characters."""
    text = "".join(one.text for one in group)
    if len(group) > 1 and RIGHT_TO_LEFT.search(text):
        places = {(one.left, one.right) for one in group}
        # PDFium divides the box between them, or gives them in reverse order
        group = sorted(group, key=lambda one: -one.left) if len(places) > 1 else list(reversed(group))
        marks = [one.text for one in group if unicodedata.combining(one.text)]
        text = "".join([one.text for one in group if not unicodedata.combining(one.text)])
        text = _ALEF_LAM.sub("\u0644\\1", text) + "".join(marks)
    left, right = min(one.left for one in group), max(one.right for one in group)
    return _Glyph(text, left, right, group[0].origin, _direction(text))


def _direction(text: str) -> str:
    classes = [unicodedata.bidirectional(character) for character in text]
    if all(one == "NSM" for one in classes):
        return "M"
    kind = next(one for one in classes if one != "NSM")
    return {"R": "R", "AL": "R", "L": "L", "EN": "N", "AN": "N"}.get(kind, "O")


def _spaced(glyphs: Sequence[_Glyph], gap: float) -> list[_Glyph]:
    """The glyphs from left to right, with spaces in wide gaps."""
    spaced: list[_Glyph] = []
    for glyph in glyphs:
        if spaced and glyph.left - spaced[-1].right > gap and " " not in (glyph.text, spaced[-1].text):
            spaced.append(_Glyph(" ", spaced[-1].right, glyph.left, glyph.left, "O"))
        spaced.append(glyph)
    return spaced


def _from_the_right(glyphs: Sequence[_Glyph]) -> list[_Glyph]:
    """Glyphs that are given from left to right, as read from the right: words of other scripts, and numbers,
    are read from the left."""
    ordered: list[_Glyph] = []
    for stretch, is_inner in reversed(_stretches(glyphs, "L")):
        ordered += stretch if is_inner else reversed(stretch)
    return ordered


def _stretches(glyphs: Sequence[_Glyph], direction: str) -> list[tuple[list[_Glyph], bool]]:
    """Divide a line, from left to right, into stretches that are read in a direction and others.

    A stretch of L begins with a letter or number, and ends with one; numbers have no space between them. One
    of R begins and ends with letters of R. Returns (glyphs, whether it is a stretch) in order.
    """
    found: list[tuple[list[_Glyph], bool]] = []
    at = 0
    outside: list[_Glyph] = []
    while at < len(glyphs):
        end = _end_of_stretch(glyphs, at, direction)
        if end == at:
            outside.append(glyphs[at])
            at += 1
            continue
        found += [(outside, False)] if outside else []
        found.append((list(glyphs[at:end]), True))
        outside, at = [], end
    return [*found, (outside, False)] if outside else found


def _end_of_stretch(glyphs: Sequence[_Glyph], begin: int, direction: str) -> int:
    """Where a stretch that begins at a glyph ends; `begin` if none begins there."""
    others = {"L": "R", "R": "L"}[direction]
    begins = "LN" if direction == "L" else "R"
    if glyphs[begin].direction not in begins:
        return begin
    end = begin + 1
    has_letter = glyphs[begin].direction == direction
    for at in range(begin + 1, len(glyphs)):
        one = glyphs[at]
        if one.direction == others or (one.text == " " and not has_letter):
            break
        if one.direction in begins:
            has_letter |= one.direction == direction
            end = at + 1
    return end
