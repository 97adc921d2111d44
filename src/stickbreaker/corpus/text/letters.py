"""Letters by language: lower case, and the invisible marks within words."""

import regex

MARKS = r"\u00ad\u061c\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff"  # for a character class of a pattern
JOINERS = "\u200c\u200d"  # invisible, but Persian, Hindi and emoji are written with them
_DOTTED = frozenset({"tr", "tur", "az", "aze"})  # İ is i, and I is ı
_FORMAT = regex.compile(rf"[[{MARKS}]--[{JOINERS}]]", regex.V1)
# in scripts that do not use them
_IDLE_JOINERS = regex.compile(rf"(?<=[\p{{Latin}}\p{{Greek}}\p{{Cyrillic}}]\p{{M}}*)[{JOINERS}]++")


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
