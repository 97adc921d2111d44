"""Guided topics: lists of words that define the subjects of the first topics."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stickbreaker.core.errors import UserError, naming
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.records import Array, python_scalar
from stickbreaker.corpus import Analysis, Vocabulary
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import listed_lines, sources_of, text_of
from stickbreaker.corpus.text.polylingual import PolylingualAnalysis
from stickbreaker.corpus.vocabulary import tagged
from stickbreaker.topics.model.vocabularies.informed_prior import InformedPrior

Words = Sequence[str] | Mapping[str, float]


@dataclass(frozen=True)
class Guide:
    """Words that say what the first topics should be about: an informed prior (Zhai 2014, section 3.3.1).

    `categories` maps the name of a topic to its words, or to its words and their eta. A word can end in `*`,
    which stands for any ending. In a guided topic, eta is `inside` for the words of its category and
    `outside` for all others; topics after the last category keep the model's eta.

    >>> Guide({"money": ["bank*", "loan"]}).names
    ('money',)
    """

    categories: Mapping[str, Words] | Sequence[tuple[str, Words]]  # stored as pairs: order matters
    inside: float = 10.0
    outside: float = 0.01

    def __post_init__(self) -> None:
        named = self.categories.items() if isinstance(self.categories, Mapping) else self.categories
        kept = tuple((str(name), _plain(words)) for name, words in named)
        object.__setattr__(self, "categories", kept)
        for name, words in self.pairs():
            if not (isinstance(words, list | dict) and words) or not all(
                isinstance(word, str) for word in words
            ):
                problem = f"the category {name!r} has no list of words"
                raise UserError(
                    problem, remedy='write {"topic": ["word", "begin*"]} or {"topic": {"word": 10}}'
                )
        weights = [self.inside, self.outside]
        for _, words in self.pairs():
            weights += words.values() if isinstance(words, Mapping) else ()
        for weight in weights:
            number = isinstance(weight, int | float) and not isinstance(weight, bool)
            if not number or not 0 < weight <= 1e6:
                raise UserError(f"a guide's weight is {weight!r}", remedy="weights lie in (0, 1e6]")
        for name, words in self.pairs():
            if max(words.values() if isinstance(words, Mapping) else [self.inside]) <= self.outside:
                problem = f"the words of {name!r} weigh no more than all others ({self.outside:g})"
                raise UserError(problem, remedy="raise inside, or lower outside")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the categories, which are those of the first topics, in order."""
        return tuple(name for name, _ in self.pairs())

    def pairs(self) -> Sequence[tuple[str, Words]]:
        """The categories in order: (name, words), words with their eta if it was given."""
        assert not isinstance(self.categories, Mapping)
        return self.categories

    @classmethod
    def read(cls, path: str | Path, categories: Sequence[str] | None = None, **weights: float) -> Guide:
        """A guide from a file: a dictionary in LIWC's format (`.dic`), or JSON (`.json`).

        `categories`: use only these, in this order; UserError if one is not in the file. `weights`: `inside`
        and `outside`. Raises UserError with file and line if the file is invalid.
        """
        name = str(path)
        found = _json_categories(name) if name.lower().endswith(".json") else _dictionary(name)
        if categories is not None:
            for category in categories:
                if category not in found:
                    known = ", ".join(list(found)[:12]) + (", …" if len(found) > 12 else "")
                    raise UserError(f"no category {category!r}", where=name, remedy=f"it has {known}")
            found = {category: found[category] for category in dict.fromkeys(categories)}
        if not found:
            raise UserError("the file has no category", where=name, remedy="give a .dic or .json file")
        with naming(name):
            return cls(found, **weights)

    def prior(
        self,
        vocabulary: Vocabulary,
        analysis: Analysis | PolylingualAnalysis | None,
        n_topics: int,
        rest: float | Array,
    ) -> InformedPrior:
        """The prior of words in topics, eta (words × topics), that the guide describes. `rest`: eta of the
        topics without a category, a number or an array (words).

        Words are looked up as given and after analysis. In a polylingual vocabulary a word is looked up in
        every language, or in one if it has a prefix ("de:bank"). Words that the vocabulary lacks are ignored.
        Raises UserError for more categories than topics, and for a category without any known word.
        """
        if len(self.categories) > n_topics:
            problem = f"the guide has {len(self.categories)} categories for {n_topics} topics"
            raise UserError(problem, remedy="raise n_topics, or choose fewer categories")
        cells: dict[tuple[int, int], float] = {}  # eta by row and topic
        find = _Finder(vocabulary, analysis)
        for topic, (name, words) in enumerate(self.pairs()):
            weights = words if isinstance(words, Mapping) else dict.fromkeys(words, self.inside)
            found = [(row, float(weight)) for word, weight in weights.items() for row in find(word)]
            if not found:
                remedy = "remove the category, or give it other words"
                raise UserError(f"no word of the category {name!r} is in the vocabulary", remedy=remedy)
            for row, weight in found:
                cells[row, topic] = max(weight, cells.get((row, topic), self.outside))
        places = sorted(cells)
        rows, topics = np.array(places, np.int64).reshape(-1, 2).T.copy()
        values = np.array([cells[place] for place in places], np.float64)
        shape = len(vocabulary), n_topics
        return InformedPrior(shape, len(self.categories), self.outside, rest, rows, topics, values)

    def found(
        self, vocabulary: Vocabulary, analysis: Analysis | PolylingualAnalysis | None
    ) -> tuple[tuple[int, int], ...]:
        """How many of a guide's words are known, for a report to the user: for each category, the number of
        entries that match a word of the vocabulary, and the number of all its entries.

        >>> Guide({"money": ["bank*", "loan"]}).found(Vocabulary.of(["banker", "river"]), None)
        ((1, 2),)
        """
        find = _Finder(vocabulary, analysis)
        return tuple(
            (sum(any(True for _ in find(w)) for w in words), len(words)) for _, words in self.pairs()
        )


def _plain(words: object) -> object:
    """A category's words in a form that can be saved: a list, or a dict from words to Python numbers. A text
    and what is not iterable are returned unchanged, to be refused later.
    """
    if isinstance(words, Mapping):
        return {word: python_scalar(weight) for word, weight in words.items()}
    if isinstance(words, set | frozenset):
        return sorted(words, key=str)
    return words if isinstance(words, str) or not isinstance(words, Iterable) else list(words)


class _Finder:
    """Finds words of the vocabulary for entries of a guide. Called with an entry such as "bank" or "bank*"
    (any ending), it yields the rows of the words that match, some of them possibly twice.
    """

    def __init__(self, vocabulary: Vocabulary, analysis: Analysis | PolylingualAnalysis | None) -> None:
        self.index = vocabulary.index
        self.languages = vocabulary.languages
        self.analysis = analysis
        self.sorted = sorted(vocabulary.words)

    def __call__(self, entry: str) -> Iterator[int]:
        stem, wild = entry.removesuffix("*"), entry.endswith("*")
        for word in self._spellings(stem):
            if not wild:
                yield from (self.index[word],) if word in self.index else ()
                continue
            place = bisect_left(self.sorted, word)
            while place < len(self.sorted) and self.sorted[place].startswith(word):
                yield self.index[self.sorted[place]]
                place += 1

    def _spellings(self, text: str) -> Iterator[str]:
        """How an entry may be spelled in the vocabulary: as given, and as the analysis changes it (lower
        case, lemma). In a polylingual vocabulary, with the code of each language, or of that in its prefix.
        """
        if not text:
            return
        if not self.languages:
            analysis = self.analysis if isinstance(self.analysis, Analysis) else None
            yield from dict.fromkeys((text, *forms_of(analysis, text)))
            return
        code, colon, rest = text.partition(":")
        codes = (code,) if colon and code in self.languages else self.languages
        text = rest if codes == (code,) and colon else text
        for language in codes:
            several = self.analysis if isinstance(self.analysis, PolylingualAnalysis) else None
            analysis = None if several is None else several.by_language.get(language)
            yield from (tagged(language, word) for word in dict.fromkeys((text, *forms_of(analysis, text))))


def forms_of(analysis: Analysis | None, text: str) -> list[str]:
    """The word that the analysis makes of a guide's entry, as a list of one; empty if there is no analysis,
    or if it makes no word or several.
    """
    words = [] if analysis is None else analysis.analyse(text).words
    return words if len(words) == 1 else []


def _dictionary(path: str) -> dict[str, list[str]]:
    """Read a dictionary in LIWC's format: the words of each category, by its name. Categories without words
    are left out.

    The file lists numbered categories between two lines of %, then words, each with the numbers of its
    categories. Raises UserError for another form.
    """
    names: dict[str, str] = {}
    words: dict[str, list[str]] = {}
    marks = 0
    for number, line in listed_lines(path, "give a .dic or .json file"):
        parts = line.replace("\t", " ").split()
        with naming(path, number):
            if parts == ["%"]:
                marks += 1
            elif parts and marks == 1:
                key, name = _category(parts, names)
                names[key], words[name] = name, []
            elif parts and marks == 2:
                word, categories = _entry(parts, names)
                for name in categories:
                    words[name].append(word)
    if marks < 2:
        remedy = "start a .dic file with its categories between two lines of %; name a JSON file *.json"
        raise UserError("is not a dictionary in LIWC's format", where=path, remedy=remedy)
    return {name: entries for name, entries in words.items() if entries}


def _category(parts: list[str], names: Mapping[str, str]) -> tuple[str, str]:
    """A category's number and name, from a line of a dictionary in LIWC's format, split at white space.

    names: the categories of the lines before, by number. Raises UserError if the line is invalid, or if its
    number or name is already among them.
    """
    if len(parts) < 2 or not parts[0].isdigit():
        remedy = "write a number and a category's name on each line between the two lines of %"
        raise UserError(f"{' '.join(parts)[:40]!r} is not a category", remedy=remedy)
    key, name = parts[0], " ".join(parts[1:])
    if key in names or name in names.values():
        duplicate = f"the number {key}" if key in names else f"the category {name!r}"
        raise UserError(
            f"{duplicate} occurs twice", remedy="give each category a number and a name of its own"
        )
    return key, name


def _entry(parts: list[str], names: Mapping[str, str]) -> tuple[str, list[str]]:
    """A word and the names of its categories, from a line of a dictionary in LIWC's format, split at white
    space. On the line, categories are given by number.

    names: of the categories, by number. Raises UserError if the line is invalid.
    """
    first = next((i for i, part in enumerate(parts) if i and part.isdigit()), len(parts))
    word, keys = " ".join(parts[:first]), parts[first:]
    if not keys:
        remedy = "write a word and the numbers of its categories"
        raise UserError(f"{word[:40]!r} has no category", remedy=remedy)
    for key in keys:
        if key not in names:
            remedy = "define the categories between two lines of %"
            raise UserError(f"no category has the number {key}", remedy=remedy)
    return word, [names[key] for key in keys]


def _json_categories(path: str) -> JsonObject:
    source = sources_of([path])[0]
    text = text_of(source, Problems(skip=False)) or ""
    try:
        found = json.loads(text, object_pairs_hook=_distinct)
    except UserError as error:
        raise error.replace(where=path) from None
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise UserError("malformed JSON", where=path, line=line, remedy='write {"topic": ["word"]}') from None
    if not isinstance(found, dict):
        raise UserError("is not a JSON object", where=path, remedy='write {"topic": ["word", "begin*"]}')
    for name, words in found.items():
        if not isinstance(words, list | dict):
            problem = f"the category {name!r} has no list of words"
            raise UserError(
                problem, where=path, remedy='write {"topic": ["word"]} or {"topic": {"word": 10}}'
            )
    return found


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Build a JSON object from its (key, value) pairs while it is read. Raises UserError for a key that
    occurs twice, which `json` would accept.
    """
    values: JsonObject = {}
    for key, value in pairs:
        if key in values:
            raise UserError(f"{key!r} occurs twice", remedy="keep one")
        values[key] = value
    return values
