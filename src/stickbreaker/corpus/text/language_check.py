"""Cheap checks whether texts are as their analysis expects, to warn about it: their language, joined words.

Scripts are recognised by their letters, languages of one script by their function words: those in the lists
of stop words that few languages share.
"""

from collections import Counter
from functools import cache

import regex

from stickbreaker.core.errors import shown
from stickbreaker.corpus.readers.problems import ReadingWarning
from stickbreaker.corpus.text.languages import LANGUAGES, has_stop_words, stop_words_of

SCRIPTS = {  # by pattern, and the languages written in it
    "Latin": (r"\p{Latin}", ""),
    "Cyrillic": (r"\p{Cyrillic}", "bg ru sr uk"),
    "Greek": (r"\p{Greek}", "el"),
    "Arabic": (r"\p{Arabic}", "ar fa"),
    "Hebrew": (r"\p{Hebrew}", "he yi"),
    "Devanagari": (r"\p{Devanagari}", "hi ne"),
    "Chinese": (r"\p{Han}", "zh ja"),
    "Japanese": (r"[\p{Hiragana}\p{Katakana}]", "ja"),
    "Korean": (r"\p{Hangul}", "ko"),
    "Thai": (r"\p{Thai}", "th"),
    "Lao": (r"\p{Lao}", "lo"),
    "Khmer": (r"\p{Khmer}", "km"),
    "Burmese": (r"\p{Myanmar}", "my"),
    "Tamil": (r"\p{Tamil}", "ta"),
    "Gujarati": (r"\p{Gujarati}", "gu"),
    "Armenian": (r"\p{Armenian}", "hy"),
}
LATIN = ("ca", "cs", "da", "de", "en", "es", "fi", "fr", "hu", "it", "nb", "nl", "pl", "pt", "ro",
         "sk", "sv", "tr")  # fmt: skip
SAMPLE = 400_000  # characters
FEWEST = 300  # words that a sample must have, or letters of another script
SHARE = 0.12  # share of words that are function words of the language found, and of no other
DISTINCT = 5  # distinct function words that must occur; code has a few
TIMES = 3.0  # at least this many times as many as of the given language
FEWEST_JOINED = 10  # words with underscores that a sample must have
SHARE_JOINED = 0.005  # and their share of all words
_WORD = regex.compile(r"\p{L}+")
_PIECES = regex.compile(r"[\p{L}\p{M}\p{N}_]+")


class LanguageSample:
    """The first texts of a corpus, from which their language is guessed.

    >>> sample = LanguageSample()
    >>> sample.add("Das ist nicht der Hund und auch keine Katze, sondern eine Maus. " * 40)
    >>> sample.other_than("en")
    'de'
    """

    def __init__(self) -> None:
        self.characters = 0
        self._texts: list[str] = []

    @property
    def is_full(self) -> bool:
        """Whether the sample has enough characters, so that no more texts are needed."""
        return self.characters >= SAMPLE

    def add(self, text: str) -> None:
        """Add a text, at most its first 4,000 characters."""
        self._texts.append(text[:4_000])
        self.characters += len(self._texts[-1])

    def other_than(self, language: str) -> str | None:
        """The code of the language that the texts seem to be in; None if that is `language`, or unclear."""
        text = "\n".join(self._texts)
        script = _script_of(text)
        if script is None:
            return None
        if script == "Latin":
            other_script = any(language in codes.split() for _, codes in SCRIPTS.values())
            return self._by_words(text, language) if language in LATIN or other_script else None
        codes = SCRIPTS[script][1].split()
        return None if language in codes else self._best(text, codes)

    def joined_words(self) -> tuple[float, str]:
        """The share of words that are joined by underscores, as in new_york, and the most frequent one.

        The share is 0 if there are fewer than 10.
        """
        words = Counter(found[0] for text in self._texts for found in _PIECES.finditer(text))
        joined = Counter({word: number for word, number in words.items() if "_" in word.strip("_")})
        if joined.total() < FEWEST_JOINED:
            return 0.0, ""
        return joined.total() / words.total(), joined.most_common(1)[0][0].strip("_")

    def _best(self, text: str, codes: list[str]) -> str:
        """The language in `codes` whose stop words are most frequent in a text; the first among ties."""
        counts = Counter(_WORD.findall(text.lower()))
        known = {code: _words_of(code) for code in codes if has_stop_words(code)}
        return max(codes, key=lambda code: sum(counts[word] for word in known.get(code, ())))

    def _by_words(self, text: str, language: str) -> str | None:
        counts = Counter(word for word in _WORD.findall(text.lower()) if len(word) > 1)
        total = counts.total()
        if total < FEWEST:
            return None
        shares = {code: sum(counts[word] for word in _own_words(code)) / total for code in LATIN}
        best = max(shares, key=lambda code: shares[code])
        here = shares.get(language, 0.0)
        other = best != language and shares[best] >= SHARE and shares[best] >= TIMES * here
        distinct = sum(1 for word in _own_words(best) if counts[word])
        return best if other and distinct >= DISTINCT else None


class LanguageWarning(UserWarning):
    """Warns that texts seem to be in the language `code`, but are analysed as the language `given`.

    >>> print(LanguageWarning("de", "en"))
    the texts seem to be German and are analysed as English; give Analysis(language="de")
    """

    def __init__(self, code: str, given: str) -> None:
        name, other = (LANGUAGES.get(one, one).capitalize() for one in (code, given))
        self.code = code
        self.problem = f"the texts seem to be {name} and are analysed as {other}"
        super().__init__(f'{self.problem}; give Analysis(language="{code}")')


class JoinedWordsWarning(ReadingWarning):
    """Warns that a share of the words of texts are joined by underscores, and are cut at these.

    >>> JoinedWordsWarning(0.031, "new_york").problem[:55]
    "3.1 % of words have underscores, such as 'new_york', an"
    """

    def __init__(self, share: float, example: str) -> None:
        found = (
            f"{100 * share:.1f} % of words have underscores, such as {shown(example)}, and are cut at these"
        )
        super().__init__(f"{found}; --token-pattern '\\w+' reads them whole")
        self.args = (f'{found}; Analysis(token_pattern=r"\\w+") reads them whole',)


def _script_of(text: str) -> str | None:
    """The script that at least 60 % of a text's letters belong to.

    None for a mixture of scripts, or for fewer than `FEWEST` letters of the script.
    """
    characters = Counter(text)
    of_script = {name: regex.findall(pattern, "".join(characters)) for name, (pattern, _) in SCRIPTS.items()}
    counts = {name: sum(map(characters.__getitem__, found)) for name, found in of_script.items()}
    counts["Japanese"] += counts["Chinese"] if counts["Japanese"] > 0.1 * counts["Chinese"] else 0
    script = max(counts, key=lambda name: counts[name])
    letters = sum(map(characters.__getitem__, regex.findall(r"\p{L}", "".join(characters))))
    return script if counts[script] >= max(FEWEST, 0.6 * letters) else None


@cache
def _words_of(code: str) -> frozenset[str]:
    return frozenset(word for word in stop_words_of(code) if len(word) > 1)


@cache
def _own_words(code: str) -> frozenset[str]:
    """A language's stop words that at most one other language in Latin script has too."""
    shared = Counter(word for one in LATIN for word in _words_of(one))
    return frozenset(word for word in _words_of(code) if shared[word] <= 2)
