"""Removes addresses, user names, and HTML tags and codes from texts of web pages and tweets."""

import html
from html.entities import html5
from typing import NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

CLEANINGS = ("web",)
_CODE = regex.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});")
_NO_TEXT = regex.compile(
    r"(?i:https?|ftp)://[^\s<>\"]*[^\s<>\".,;:!?…)\]]"  # a full stop after an address ends a sentence
    r"|(?<![\w.@-])(?:www|WWW|Www)\.[^\s<>\"]*[^\s<>\".,;:!?…)\]]"
    r"|(?<![\w.@-])(?:[a-z0-9-]++\.)++[a-z]{2,}+/[^\s<>\"]*+"  # pic.twitter.com/…
    r"|(?<![\w.+-])[\w.+-]++@\w[\w-]*+(?:\.[\w-]++)++"  # addresses of mail
    r"|(?<!\w)(?:RT\s++)?@\w++(?:@[\w.-]++)?"
    r"|<!(?:--|[A-Za-z])[^<>]*+>"
    r"|</?(?!/?s>)[A-Za-z][A-Za-z0-9]*+(?=[\s/>])[^<>]*+>"  # not <s> and </s>, which mark sentences
)
_SIGNS = ("@", "/", "<", "www.", "WWW.", "Www.")  # everything that `_NO_TEXT` matches contains one of them


class CleanText(NamedTuple):
    """A text after cleaning, and a map from its positions to those in the text before.

    `places` (characters + 1): the former position of each character and of the end; None if none changed.
    """

    text: str
    places: NDArray[np.int64] | None


def cleaned(text: str) -> CleanText:
    """Remove web and mail addresses, @names (and RT before one) and HTML tags; decode HTML codes.

    Each character removed becomes a space; only decoding changes positions.

    >>> cleaned("RT @ann: caf&eacute; <b>here</b> https://t.co/x.").text
    '       : café    here                   .'
    """
    places = None
    if "&" in text:
        text, places = _decoded(text)
    if any(sign in text for sign in _SIGNS):
        text = _NO_TEXT.sub(lambda found: " " * len(found[0]), text)
    return CleanText(text, places)


def _decoded(text: str) -> CleanText:
    """Replace known HTML codes, such as &amp;, by characters; `places` is None if the text has none."""
    pieces: list[str] = []
    places: list[NDArray[np.int64]] = []
    end = 0
    for found in _CODE.finditer(text):
        if found[0][1] != "#" and found[0][1:] not in html5:
            continue
        character = html.unescape(found[0])
        pieces += (text[end : found.start()], character)
        places += (np.arange(end, found.start()), np.full(len(character), found.start(), np.int64))
        end = found.end()
    if not pieces:
        return CleanText(text, None)
    pieces.append(text[end:])
    places.append(np.arange(end, len(text) + 1))
    return CleanText("".join(pieces), np.concatenate(places))
