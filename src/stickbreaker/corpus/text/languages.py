"""Languages by ISO 639-1 code, and their stop words, stemmers and lemmas."""

import functools
import re
from collections.abc import Callable
from importlib.util import find_spec

from stickbreaker.core.errors import UserError, shown

# code: English name, as the stop-words and snowballstemmer packages spell it; others have neither
LANGUAGES = {
    "ar": "arabic", "bg": "bulgarian", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german",
    "el": "greek", "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque",
    "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish", "gu": "gujarati", "he": "hebrew",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian",
    "ja": "japanese", "km": "khmer", "ko": "korean", "lo": "lao", "lt": "lithuanian", "ms": "malaysian",
    "my": "burmese", "nb": "norwegian", "ne": "nepali", "nl": "dutch", "pl": "polish", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sk": "slovak", "sr": "serbian", "sv": "swedish", "ta": "tamil",
    "th": "thai", "tr": "turkish", "uk": "ukrainian", "vi": "vietnamese", "yi": "yiddish", "zh": "chinese",
}  # fmt: skip

# languages for which the package simplemma has lemmas, including some not in LANGUAGES
_WITH_LEMMAS = frozenset((
    "ar", "ast", "bg", "ca", "cs", "cy", "da", "de", "el", "en", "enm", "eo", "es", "et", "fa", "fi", "fr",
    "ga", "gd", "gl", "grc", "gv", "he", "hi", "hr", "hu", "hy", "id", "is", "it", "ka", "la", "lb", "lt",
    "lv", "mk", "ml", "ms", "nb", "nl", "nn", "pl", "pt", "ro", "ru", "se", "sk", "sl", "sq", "sr", "sv",
    "sw", "tl", "tr", "uk",
))  # fmt: skip
_LEMMAS_AS = {"hr": "hbs", "sr": "hbs"}  # one list for both, Serbo-Croatian

# The list that scikit-learn took from the Glasgow Information Retrieval Group, without words that mean
# something: bill, computer, cry, detail, describe, fill, fire, interest, mill, mine, move, sincere, system,
# thick, thin. Written out here, because importing scikit-learn takes seconds.
_ENGLISH = """
a about above across after afterwards again against all almost alone along already also although always am
among amongst amoungst amount an and another any anyhow anyone anything anyway anywhere are around as at
back be became because become becomes becoming been before beforehand behind being below beside besides
between beyond both bottom but by call can cannot cant co con could couldnt de do done down due during each
eg eight either eleven else elsewhere empty enough etc even ever every everyone everything everywhere except
few fifteen fifty find first five for former formerly forty found four from front full further get give go
had has hasnt have he hence her here hereafter hereby herein hereupon hers herself him himself his how
however hundred i ie if in inc indeed into is it its itself keep last latter latterly least less ltd made
many may me meanwhile might more moreover most mostly much must my myself name namely neither never
nevertheless next nine no nobody none noone nor not nothing now nowhere of off often on once one only onto
or other others otherwise our ours ourselves out over own part per perhaps please put rather re same see
seem seemed seeming seems serious several she should show side since six sixty so some somehow someone
something sometime sometimes somewhere still such take ten than that the their them themselves then thence
there thereafter thereby therefore therein thereupon these they third this those though three through
throughout thru thus to together too top toward towards twelve twenty two un under until up upon us very via
was we well were what whatever when whence whenever where whereafter whereas whereby wherein whereupon
wherever whether which while whither who whoever whole whom whose why will with within without would yet you
your yours yourself yourselves
"""
# Forms that this library's tokens have and that list does not.
_ENGLISH_MORE = """
ain't aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't mightn't mustn't needn't
shan't shouldn't wasn't weren't won't wouldn't i'm i've i'll i'd you're you've you'll you'd he's he'll
he'd she's she'll she'd it's it'll it'd we're we've we'll we'd they're they've they'll they'd that's
that'll that'd there's there'll here's what's what're what'll who's who'll who'd where's when's why's
how's let's y'all one's arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt shouldnt wasnt
werent wont wouldnt im ive youre youve theyre thats whats did does doing having just theirs
's 're 've 'll 'd 'm n't
"""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# elided words that the package's lists lack
_MORE = {"fr": "aujourd hui jusqu lorsqu presqu puisqu quelqu quoiqu", "it": "anch com quell quest"}


def language_code(name: str) -> str:
    """The code of a language, given by code or English name; in "en-US" or "zh_CN" the region is ignored.

    Any code of two or three letters is accepted; if it is not in `LANGUAGES`, the library has no stop words
    and no stemmer for it. Raises UserError for a longer name that is unknown.

    >>> language_code("German"), language_code("pt-BR"), language_code("sw")
    ('de', 'pt', 'sw')
    """
    lowered = re.split("[-_]", name.strip().lower())[0]
    for code, english in LANGUAGES.items():
        if lowered in (code, english):
            return code
    if lowered == "no":
        return "nb"
    if re.fullmatch("[a-z]{2,3}", lowered):
        return lowered
    raise UserError(f"unknown language {shown(name)}", remedy="give its ISO 639 code, as de or sw")


def _named(code: str) -> str:
    """The English name of a language, or its code if the name is unknown."""
    return LANGUAGES[code].capitalize() if code in LANGUAGES else code


@functools.cache
def stop_words_of(code: str) -> tuple[str, ...]:
    """The stop words of a language, sorted. Raises UserError if no list is known.

    Empty for Thai, Lao, Khmer and Burmese, which are read character by character.

    >>> "the" in stop_words_of("en"), "system" in stop_words_of("en")
    (True, False)
    """
    if code == "en":
        return tuple(sorted({*_ENGLISH.split(), *_ENGLISH_MORE.split()}))
    if code in ("km", "lo", "my", "th"):
        return ()
    if not has_stop_words(code):
        remedy = "give a file of them, or none"
        raise UserError(f"no stop words are known for {_named(code)}", remedy=remedy)
    import stop_words

    listed = (_CONTROL.sub("", word) for word in stop_words.get_stop_words(code))
    return tuple(sorted({*listed, *_MORE.get(code, "").split()}))


@functools.cache
def english_contractions() -> frozenset[str]:
    """English words in which 's means is, has or us: "it's", "let's"."""
    return frozenset(word for word in stop_words_of("en") if word.endswith("'s"))


def has_stop_words(code: str) -> bool:
    """Whether a list of the language's stop words is known (False for Thai, Lao, Khmer and Burmese)."""
    import stop_words

    return code == "en" or code in stop_words.LANGUAGE_MAPPING


def has_stemmer(code: str) -> bool:
    """Whether the language has a Snowball stemmer."""
    import snowballstemmer

    return LANGUAGES.get(code) in snowballstemmer.algorithms()


def stemmer_of(code: str) -> Callable[[str], str]:
    """A function from a word of a language to its stem, by Snowball. Raises UserError if there is none.

    >>> stemmer_of("en")("topics")
    'topic'
    """
    import snowballstemmer

    if not has_stemmer(code):
        raise UserError(f"no stemmer is known for {_named(code)}", remedy="leave stemming off")
    return snowballstemmer.stemmer(LANGUAGES[code]).stemWord


def has_lemmas(code: str) -> bool:
    """Whether the package simplemma knows lemmas of the language's words."""
    return code in _WITH_LEMMAS


def lemmatizer_of(code: str) -> Callable[[str], str]:
    """A function from a word of the language to its lemma.

    It returns the word itself if its lemma is unknown or has several words. Raises UserError if the package
    simplemma is not installed.

    >>> list(map(lemmatizer_of("en"), ["Mice", "went", "NASA"]))
    ['mouse', 'go', 'NASA']
    """
    if find_spec("simplemma") is None:
        remedy = "pip install 'stickbreaker[lemmas]', or leave them out"
        raise UserError("lemmas need the package simplemma", remedy=remedy)
    from simplemma import lemmatize

    language = _LEMMAS_AS.get(code, code)

    def lemma(word: str) -> str:
        found = lemmatize(word, lang=language)
        return found if found and " " not in found else word

    return lemma
