"""Letters: lower case by language, and the marks and signs that belong to words."""

from collections.abc import Callable
from typing import NamedTuple

import regex

# insides of character classes of a pattern
MARKS = r"\u00ad\u061c\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
HEBREW = r"\u05d0-\u05f2\ufb1d-\ufb4f"  # Hebrew letters are the letters among these
_ARMENIAN = r"\u055b\u055c\u055e\u055f"  # ՛ ՜ ՞ ՟, which stand after a vowel within the word
_FORMATS = rf"\p{{WB=Format}}\u200c\u200d{_ARMENIAN}"
_UNDIVIDING = r"\p{L}\p{M}\p{N}\s\p{Pd}'’\"“”‘„«»&"  # they do not end a phrase
_WITHOUT_JOINERS = r"\p{Latin}\p{Greek}\p{Cyrillic}"  # scripts

JOINERS = "\u200c\u200d"  # invisible, but Persian, Hindi and emoji are written with them
_ALL_JOINERS = JOINERS + "\u180e"  # Mongolian is written with the last
MIDDLE_DOT = "·"
_DOTTED = frozenset({"tr", "tur", "az", "aze"})  # İ is i, and I is ı


class LetterRule(NamedTuple):
    """Which characters belong to words, as a value of `Analysis.letters` says.

    `marks`, `not_letters` and `undividing` are insides of character classes of a pattern.
    """

    marks: str  # they belong to the letter before them
    apostrophes: str
    not_letters: str  # of the letters of Unicode
    undividing: str  # they do not end a phrase
    by_language: bool  # whether lower case follows the language
    by_annex: bool  # whether digits have marks, and quotes in Hebrew acronyms and the dot of l·l join letters


LETTER_RULES = {
    "unicode": LetterRule(
        marks=_FORMATS,
        apostrophes="'’\u02bc\uff07\u055a\u05f3",  # also of Ukrainian, full width, Armenian, Hebrew
        not_letters=r"\u02bc",
        undividing=rf"{_UNDIVIDING}{_FORMATS}\uff07\u055a\u05f3\u05f4",
        by_language=True,
        by_annex=True,
    ),
    "language": LetterRule(MARKS, "'’", "", _UNDIVIDING, by_language=True, by_annex=False),
    "plain": LetterRule("", "'’", "", _UNDIVIDING, by_language=False, by_annex=False),
}

_FORMAT = regex.compile(rf"[[{MARKS}]--[{JOINERS}]]", regex.V1)
_IDLE_JOINERS = regex.compile(rf"(?<=[{_WITHOUT_JOINERS}]\p{{M}}*)[{JOINERS}]++")
_ANY_FORMAT = regex.compile(rf"[[{_FORMATS}]--[{_ALL_JOINERS}]]", regex.V1)
_ANY_IDLE_JOINERS = regex.compile(
    rf"(?<=[{_WITHOUT_JOINERS}]\p{{M}}*+)[{_ALL_JOINERS}]++|[{_ALL_JOINERS}]++(?=[{_WITHOUT_JOINERS}])"
)
_GERSHAYIM = regex.compile(rf"(?<=[[{HEBREW}]&&\p{{L}}]\p{{M}}*+)\"(?=[[{HEBREW}]&&\p{{L}}])", regex.V1)


def has_dotted_i(language: str | None) -> bool:
    """Whether a language has i with and without a dot, so that I is not the capital of i.

    >>> has_dotted_i("tr"), has_dotted_i("en")
    (True, False)
    """
    return language in _DOTTED


def lower_case(word: str, language: str | None) -> str:
    """A word in lower case by the rules of its language (a code), which matter for Turkish and Azerbaijani.

    >>> lower_case("ISTANBUL", "en"), lower_case("ISPARTA", "tr"), lower_case("İzmir", "tr")
    ('istanbul', 'ısparta', 'izmir')
    """
    if has_dotted_i(language):
        word = word.replace("I\u0307", "i").replace("İ", "i").replace("I", "ı")
    return word.lower()


def marks_remover(letters: str) -> Callable[[str], str]:
    """A function that removes the marks from a word, for a value of `Analysis.letters`.

    >>> [marks_remover(letters)("hy\\u00adphen") for letters in ("unicode", "language")]
    ['hyphen', 'hyphen']
    """
    return {"unicode": with_usual_signs, "language": without_marks, "plain": str}[letters]


def with_usual_signs(word: str) -> str:
    """Remove marks from a word, as `without_marks`, and spell its signs in one way.

    Armenian marks of tone and question, and U+180E in Latin, Greek or Cyrillic words, are removed too. The
    quote of a Hebrew acronym becomes U+05F4, and ŀ is l·.

    >>> with_usual_signs("ի՞նչ"), with_usual_signs('צה"ל'), with_usual_signs("coŀlecció")
    ('ինչ', 'צה״ל', 'col·lecció')
    """
    if word.isascii():
        return word
    kept = _ANY_FORMAT.sub("", word)
    if any(joiner in kept for joiner in _ALL_JOINERS):
        kept = _ANY_IDLE_JOINERS.sub("", kept.strip(_ALL_JOINERS))
    if '"' in kept:
        kept = _GERSHAYIM.sub("\u05f4", kept)
    return kept.replace("ŀ", "l·").replace("Ŀ", "L·") or word


def without_marks(word: str) -> str:
    """Remove soft hyphens and other invisible marks from a word; a word of such marks alone is unchanged.

    Zero-width joiners stay inside words, unless they follow Latin, Greek or Cyrillic letters.

    >>> without_marks("hy\\u00adphen"), without_marks("auf\\u200clage"), len(without_marks("می\\u200cخواهم"))
    ('hyphen', 'auflage', 8)
    """
    if word.isascii():
        return word
    kept = _FORMAT.sub("", word)
    if JOINERS[0] in kept or JOINERS[1] in kept:
        kept = _IDLE_JOINERS.sub("", kept.strip(JOINERS))
    return kept or word
