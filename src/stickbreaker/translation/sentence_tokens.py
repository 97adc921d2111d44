"""Tokenisation of sentences for alignment and translation: words, numbers and single signs."""

import unicodedata

import regex

from stickbreaker.corpus.text.letters import lower_case
from stickbreaker.corpus.text.segmentation import (
    OTHER_LETTER,
    character_pattern,
    cut_runs,
    has_icu,
    is_without_spaces,
    run_pattern,
)

# numbers, words of scripts with spaces, and single signs
_OTHERS = rf"\p{{N}}++(?:[.,:]\p{{N}}++)*+(?![{OTHER_LETTER}\p{{M}}])|[{OTHER_LETTER}\p{{M}}\p{{N}}]++|\S"
_RUNS = regex.compile(run_pattern(_OTHERS, ""))
_CHARACTERS = regex.compile(character_pattern(_OTHERS, ""))
_INVISIBLE = regex.compile(r"\p{Cf}")
_ESCAPED = {  # as written by Moses's tokeniser
    "&apos;": "'", "&quot;": '"', "&lt;": "<", "&gt;": ">", "&#91;": "[", "&#93;": "]", "&#124;": "|",
    "&amp;": "&",
}  # fmt: skip
_ESCAPES = {sign: text for text, sign in _ESCAPED.items()}
_ALIKE = str.maketrans({"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-"})


def tokens_of(text: str, language: str | None = None) -> list[str]:
    """Split a text into tokens: words in lower case, numbers, and every other sign as a token of its own.

    Text tokenised before gives the same tokens: apostrophes and hyphens are separate, Moses's `&apos;` and
    `@-@` are undone, and quotes and dashes are normalised. Scripts without spaces are segmented by ICU if
    icu4py is installed, else into single characters, separate from numbers and other scripts.

    >>> tokens_of("Don't touch the well-known 3.5 %!"), tokens_of("don &apos;t")
    (['don', "'", 't', 'touch', 'the', 'well', '-', 'known', '3.5', '%', '!'], ['don', "'", 't'])
    """
    text, spans = token_spans(text, language)
    text = text.translate(_ALIKE)
    return [lower_case(text[start:end], language) for start, end in spans]


def token_spans(text: str, language: str | None = None) -> tuple[str, list[tuple[int, int]]]:
    """A text as one line without invisible characters, and where in it each token begins and ends.

    The text is normalised (NFC), and escapes of Moses's tokeniser are undone; case and quotes stay.

    >>> token_spans("„Ja“, sagt\\n er")
    ('„Ja“, sagt er', [(0, 1), (1, 3), (3, 4), (4, 5), (6, 10), (11, 13)])
    """
    written = _INVISIBLE.sub("", unicodedata.normalize("NFC", plain(text)))
    text = written.translate(_ALIKE)  # one character for each
    spans = [match.span() for match in _RUNS.finditer(text)]
    if any(is_without_spaces(text, start) for start, _ in spans):
        if has_icu():
            spans = cut_runs(text, spans, language)
        else:
            spans = [match.span() for match in _CHARACTERS.finditer(text)]
    return written, spans


def escaped(token: str) -> str:
    """A token with its special signs escaped as Moses's tokeniser does.

    >>> escaped("|"), escaped("&"), escaped("haus")
    ('&#124;', '&amp;', 'haus')
    """
    return "".join(_ESCAPES.get(sign, sign) for sign in token)


def unescaped(token: str) -> str:
    """The token with the escapes of Moses's tokeniser undone, the reverse of `escaped`.

    >>> unescaped("&#124;"), unescaped("&amp;apos;"), unescaped("haus")
    ('|', '&apos;', 'haus')
    """
    if "&" in token:
        for text, sign in _ESCAPED.items():
            token = token.replace(text, sign)
    return token


def plain(text: str) -> str:
    """A text on one line, with the escapes of Moses's tokeniser undone.

    >>> plain("state @-@ of &amp; art")
    'state-of & art'
    """
    return " ".join(unescaped(text).replace(" @-@ ", "-").split())
