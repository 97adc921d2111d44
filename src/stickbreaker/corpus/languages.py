"""The languages whose stop words or stemmer the library knows, by their ISO 639-1 code."""

import functools

from stickbreaker.core.errors import UserError

# code: English name, as the stop-words and snowballstemmer packages spell it
LANGUAGES = {
    "ar": "arabic", "bg": "bulgarian", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german",
    "el": "greek", "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque",
    "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish", "gu": "gujarati", "he": "hebrew",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian",
    "ja": "japanese", "ko": "korean", "lt": "lithuanian", "ms": "malaysian", "nb": "norwegian",
    "ne": "nepali", "nl": "dutch", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sk": "slovak", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "uk": "ukrainian",
    "vi": "vietnamese", "yi": "yiddish", "zh": "chinese",
}  # fmt: skip

# Words of the English list that scikit-learn offers which mean something: kept for topics.
_ENGLISH_CONTENT = """
bill computer cry detail describe fill fire interest mill mine move sincere system thick thin
"""
# Forms that this library's tokens have and that list has not.
_ENGLISH_MORE = """
ain't aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't mightn't mustn't needn't
shan't shouldn't wasn't weren't won't wouldn't i'm i've i'll i'd you're you've you'll you'd he's he'll
he'd she's she'll she'd it's it'll it'd we're we've we'll we'd they're they've they'll they'd that's
that'll that'd there's there'll here's what's what're what'll who's who'll who'd where's when's why's
how's let's y'all one's arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt shouldnt wasnt
werent wont wouldnt im ive youre youve theyre thats whats did does doing having just theirs
"""


def language_code(name: str) -> str:
    """The code of a language given by code or English name. Raises UserError for one it does not know.

    >>> language_code("German")
    'de'
    """
    lowered = name.strip().lower()
    for code, english in LANGUAGES.items():
        if lowered in (code, english):
            return code
    if lowered == "no":
        return "nb"
    raise UserError(f"unknown language {name!r}", remedy="known: " + ", ".join(LANGUAGES) + ", or none")


@functools.cache
def stop_words_of(code: str) -> tuple[str, ...]:
    """The stop words of a language, sorted. Raises UserError where no list is known.

    >>> "the" in stop_words_of("en"), "system" in stop_words_of("en")
    (True, False)
    """
    if code == "en":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return tuple(
            sorted((ENGLISH_STOP_WORDS - set(_ENGLISH_CONTENT.split())) | set(_ENGLISH_MORE.split()))
        )
    import stop_words

    if code not in stop_words.LANGUAGE_MAPPING:
        name = LANGUAGES[code].capitalize()
        raise UserError(f"no stop words are known for {name}", remedy="give a file of them, or none")
    return tuple(sorted(set(stop_words.get_stop_words(code))))


def stemmer_of(code: str):
    """The Snowball stemmer of a language. Raises UserError where there is none.

    >>> stemmer_of("en").stemWord("topics")
    'topic'
    """
    import snowballstemmer

    name = LANGUAGES[code]
    if name not in snowballstemmer.algorithms():
        raise UserError(f"no stemmer is known for {name.capitalize()}", remedy="leave stemming off")
    return snowballstemmer.stemmer(name)
