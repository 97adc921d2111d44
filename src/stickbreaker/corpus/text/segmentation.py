"""Scripts without spaces between words: Han, kana, Thai, Lao, Khmer, Burmese.

Their text is read character by character, or cut into words by ICU, the library of the Unicode Consortium.
"""

from bisect import bisect_left, bisect_right
from importlib import import_module
from itertools import accumulate, pairwise

import regex

from stickbreaker.core.errors import UserError

SEGMENTATIONS = ("language", "pattern", "characters", "icu")
WITHOUT_SPACES = frozenset({"ja", "km", "lo", "my", "th", "zh"})  # languages

_SCRIPTS = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_LETTER = rf"[{_SCRIPTS}&&\p{{L}}]"
OTHER_LETTER = rf"[\p{{L}}--{_SCRIPTS}]"
_AT_LETTER = regex.compile(rf"(?V1){_LETTER}")

Span = tuple[int, int]


def is_without_spaces(text: str, at: int = 0) -> bool:
    """Whether the character at a position of `text` is a letter of a script without spaces.

    >>> is_without_spaces("水"), is_without_spaces("w")
    (True, False)
    """
    return _AT_LETTER.match(text, at) is not None


def _character(marks: str) -> str:
    """A pattern for one letter of a script without spaces, and the marks and signs that follow it.

    marks: invisible characters that may follow too.
    """
    return rf"{_LETTER}[\p{{M}}ーﾞﾟำຳ{marks}]*+"


def character_pattern(words: str, marks: str) -> str:
    """A pattern for single characters of scripts without spaces; in other scripts, for what `words` matches.

    marks: invisible characters that may follow a character.
    """
    return f"(?V1){_character(marks)}|{words}"


def run_pattern(words: str, marks: str) -> str:
    """A pattern for runs of text without spaces, for `cut_runs`; in other scripts, for what `words` matches.

    marks: invisible characters that may be in a run.
    """
    return f"(?V1)(?:{_character(marks)})++|{words}"


def cut_runs(text: str, spans: list[Span], language: str | None) -> list[Span]:
    """Cut spans that begin with a letter of a script without spaces into words, by ICU; other spans stay.

    spans: (start, end) of each, end exclusive; so is the result, in the same order. Raises UserError if some
    must be cut and icu4py is not installed.
    """
    if not any(is_without_spaces(text, start) for start, _ in spans):
        return spans
    breaks = _word_ends(text, language)
    cut: list[Span] = []
    for start, end in spans:
        inner: list[int] = []
        if is_without_spaces(text, start):
            inner = breaks[bisect_right(breaks, start) : bisect_left(breaks, end)]
        cut.extend(pairwise([start, *inner, end]))
    return cut


def has_icu() -> bool:
    """Whether icu4py is installed."""
    try:
        import_module("icu4py.breakers")
    except ImportError:
        return False
    return True


def _word_ends(text: str, language: str | None) -> list[int]:
    """The character positions at which words end in a text, by ICU, ascending. UserError without icu4py."""
    if not has_icu():
        remedy = "pip install 'stickbreaker[icu]', or segment by characters"
        raise UserError("word breaking by ICU needs the package icu4py", remedy=remedy)
    from icu4py.breakers import WordBreaker

    encodable = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate becomes one "?"
    # `words` and not `segments`, whose offsets would be in UTF-16
    return list(accumulate(len(word) for word in WordBreaker(encodable, language or "root")))
