"""Concepts that tie words, as given by users: a value, stored in the model unchanged."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from stickbreaker.core.errors import UserError, naming, shown
from stickbreaker.core.json_checks import is_amount
from stickbreaker.corpus.readers.sources import listed_lines

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus

ROW = '{"concept": "house", "words": {"de": ["haus"], "en": ["house"]}, "parent": null}'
MOST_STRENGTH = 1e6
MOST_LEVELS = 100
MOST_COUNT = 1e12


class Concept(NamedTuple):
    """A concept: words whose probabilities in a topic rise and fall together.

    `words`: by language, "" if there is only one. `parent`: the name of its parent concept, or None.
    `counts`: for each language in `words`, how often each word is used, if a topic shall use them in the same
    proportion; None: evenly.
    """

    name: str
    words: Mapping[str, Sequence[str]]
    parent: str | None = None
    counts: Mapping[str, Sequence[float]] | None = None


@dataclass(frozen=True)
class ConceptTree:
    """A tree of concepts, by which words of the same concept get similar probabilities in a topic.

    `concepts`: `Concept`s, or mappings like lines of a file: {"concept": name, "words": ["a", "b"] or {"en":
    ["a"], "de": ["b"]}, "parent": name or None}. Words must be spelled as in the vocabulary; those that it
    lacks are ignored. A word can be in several concepts, which are its senses. A concept may have "counts" of
    its words, in the same form: a topic is held to use them in that proportion, otherwise evenly. `strength`:
    how firmly, as pseudo-counts per word in units of eta; at 1 and with one language, a concept ties nothing
    (Andrzejewski et al. 2009).

    Raises UserError for a concept without a name, two with the same name, a word twice in a concept, a
    missing parent, a concept that is its own ancestor, more than 100 levels, and a strength that is not in
    (0, 1e6]. Trees with the same concepts and strength are equal.

    >>> ConceptTree([{"concept": "dwelling", "words": ["house", "home"]}]).concepts[0].name
    'dwelling'
    """

    concepts: Sequence[Concept | Mapping[str, object]]
    strength: float = 100.0

    def __post_init__(self) -> None:
        if not isinstance(self.concepts, Iterable):
            problem = f"{shown(str(self.concepts))} is not a list of concepts"
            raise UserError(problem, remedy=f"a concept is {ROW}")
        object.__setattr__(self, "concepts", tuple(_concept(given) for given in self.concepts))
        number = isinstance(self.strength, Real) and not isinstance(self.strength, bool)
        if not number or not 0.0 < self.strength <= MOST_STRENGTH:
            remedy = f"strength is a number above 0, and at most {MOST_STRENGTH:g}"
            raise UserError(f"ConceptTree(strength={self.strength!r})", remedy=remedy)
        object.__setattr__(self, "strength", float(self.strength))
        _refuse_circles(self.named())

    def __hash__(self) -> int:
        return hash((tuple(self.named()), self.strength))

    def named(self) -> dict[str, Concept]:
        """The concepts by name. Raises UserError if two have the same name."""
        named: dict[str, Concept] = {}
        for concept in self.concepts:
            assert isinstance(concept, Concept)
            if concept.name in named:
                raise UserError(f"the concept {shown(concept.name)} occurs twice", remedy="merge the two")
            named[concept.name] = concept
        return named

    @classmethod
    def read(cls, path: str | Path, strength: float = 100.0) -> "ConceptTree":
        """Read concepts from a file with one JSON object per line; empty lines are skipped. Raises UserError
        with file and line, also if there is no concept.
        """
        name = str(path)
        concepts: list[Concept] = []
        places: dict[str, int] = {}
        remedy = "give a file with one concept in JSON per line"
        for number, line in listed_lines(name, remedy, skippable=False):
            if not line.strip():
                continue
            with naming(name, number):
                concept = _concept(_object(line))
                if concept.name in places:
                    problem = (
                        f"the concept {shown(concept.name)} already occurs in line {places[concept.name]}"
                    )
                    raise UserError(problem, remedy="merge the two")
            places[concept.name] = number
            concepts.append(concept)
        if not concepts:
            raise UserError("the file has no concept", where=name, remedy=f"a line is {ROW}")
        try:
            return cls(concepts, strength)
        except _Misplaced as error:
            raise error.replace(where=name, line=places[error.concept]) from None

    @classmethod
    def from_vectors(
        cls,
        vectors: object,
        corpus: "Corpus",
        n_concepts: int | None = None,
        levels: int = 1,
        strength: float = 100.0,
    ) -> "ConceptTree":
        """Concepts of words of a corpus whose word vectors point in nearly the same direction.

        vectors: the path of a file (word2vec's text or binary format, GloVe, fastText's .vec), gensim's
        `KeyedVectors`, a mapping from words to vectors, (words, array), or a larger Corpus from which vectors
        are learned. n_concepts: about how many (None: one for every 8 words that have a vector). levels: 2
        joins concepts to parents. Words without a vector stay alone. Raises UserError for vectors that cannot
        be used, and for a corpus of several languages.

        >>> from stickbreaker.corpus import Corpus, VocabularyRule
        >>> corpus = Corpus.from_texts(["cat dog", "tax bank"], rule=VocabularyRule(min_documents=1))
        >>> vectors = {"cat": [1, 0.1], "dog": [1, 0], "tax": [0, 1], "bank": [0.1, 1]}
        >>> [concept.words[""] for concept in ConceptTree.from_vectors(vectors, corpus, 2).concepts]
        [('bank', 'tax'), ('cat', 'dog')]
        """
        from stickbreaker.corpus import Corpus
        from stickbreaker.topics.concepts.vector_concepts import concepts_of_vectors, vectors_at
        from stickbreaker.topics.concepts.word_vectors import learned_vectors, vectors_from

        if not isinstance(corpus, Corpus):
            raise UserError(
                f"{type(corpus).__name__} is not a corpus", remedy="give Corpus.from_texts(texts)"
            )
        if n_concepts is not None and n_concepts < 1:
            raise UserError(f"n_concepts={n_concepts!r}", remedy="give a number of 1 or more")
        if levels not in (1, 2):
            raise UserError(f"levels={levels!r}", remedy="give 1 or 2")
        if isinstance(vectors, str | Path):
            found = vectors_at(vectors, None, corpus.vocabulary, corpus.analysis)
        elif isinstance(vectors, Corpus):
            found = learned_vectors(vectors)
        else:
            found = vectors_from(vectors)
        chosen = concepts_of_vectors(found, corpus.vocabulary, corpus.analysis, n_concepts, levels)
        return cls(chosen.concepts, strength)

    def lines(self) -> Iterator[str]:
        """The concepts as JSON lines of a file that `read` accepts."""
        for concept in self.named().values():
            words = {language: list(own) for language, own in concept.words.items()}
            row: dict[str, object] = {
                "concept": concept.name,
                "words": words.get("", words) if len(words) == 1 else words,
            }
            if concept.counts is not None:
                counts = {language: list(own) for language, own in concept.counts.items()}
                row["counts"] = counts.get("", counts) if len(counts) == 1 else counts
            if concept.parent is not None:
                row["parent"] = concept.parent
            yield json.dumps(row, ensure_ascii=False)


class _Misplaced(UserError):
    """The error for a concept with an impossible place in the tree; `concept` is its name, by which its line
    is found.
    """

    def __init__(self, problem: str, concept: str, remedy: str) -> None:
        super().__init__(problem, remedy=remedy)
        self.concept = concept


def _concept(given: object) -> Concept:
    """A concept from a `Concept`, a mapping, or parsed JSON. Raises UserError if it is invalid."""
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in ("concept", "words", "parent", "counts")]
        if unknown or "concept" not in given or "words" not in given:
            problem = (
                f"{shown(str(unknown[0]))} is not a part of a concept" if unknown else "is not a concept"
            )
            raise UserError(problem, remedy=f"a concept is {ROW}")
        given = given["concept"], given["words"], given.get("parent"), given.get("counts")
    if not isinstance(given, list | tuple) or len(given) not in (3, 4):
        raise UserError(f"{shown(str(given))} is not a concept", remedy=f"a concept is {ROW}")
    name, words, parent = given[:3]
    counts = given[3] if len(given) == 4 else None
    if not isinstance(name, str) or not name.strip():
        raise UserError("a concept has no name", remedy=f"a concept is {ROW}")
    if parent is not None and not isinstance(parent, str):
        raise UserError(f"the parent of {shown(name)} is not a name", remedy=f"a concept is {ROW}")
    by_language: Mapping[Any, Any] = words if isinstance(words, Mapping) else {"": words}
    if not all(isinstance(code, str) for code in by_language):
        problem = f"the words of {shown(name)} have a language that is not a code"
        raise UserError(problem, remedy=f"a concept is {ROW}")
    for own in by_language.values():
        if not isinstance(own, list | tuple) or not all(isinstance(word, str) and word for word in own):
            raise UserError(
                f"the words of {shown(name)} are not a list of words", remedy=f"a concept is {ROW}"
            )
        twice = _twice(own)
        if twice is not None:
            raise UserError(f"{shown(twice)} is twice in the concept {shown(name)}", remedy="give it once")
    found = {code: tuple(by_language[code]) for code in sorted(by_language)}
    return Concept(name, found, parent, None if counts is None else _counts(name, found, counts))


def _counts(name: str, words: Mapping[str, Sequence[str]], given: object) -> dict[str, tuple[float, ...]]:
    """The counts of a concept's words by language, as given. Raises UserError if they are not one for each
    word.
    """
    by_language: Mapping[Any, Any] = given if isinstance(given, Mapping) else {"": given}
    found: dict[str, tuple[float, ...]] = {}
    for code, own in words.items():
        counts: Any = by_language.get(code)
        fit = isinstance(counts, list | tuple) and len(counts) == len(own)
        if not fit or not all(is_amount(count) and count <= MOST_COUNT for count in counts):
            problem = f"the counts of {shown(name)} are not a number for each of its words"
            raise UserError(problem, remedy=f'give as many as words, 0 to {MOST_COUNT:g}, or no "counts"')
        found[code] = tuple(map(float, counts))
    return found


def _twice(words: Iterable[str]) -> str | None:
    """The first word that repeats an earlier one, or None if all differ."""
    met: set[str] = set()
    for word in words:
        if word in met:
            return word
        met.add(word)
    return None


def _refuse_circles(named: Mapping[str, Concept]) -> None:
    """Raise UserError for a missing parent, a concept that is its own ancestor, or too many levels."""
    levels: dict[str, int] = {}
    for concept in named.values():
        way: list[str] = []
        own: Concept | None = concept
        while own is not None and own.name not in levels:
            if own.name in way:
                circle = " → ".join(shown(name) for name in [*way[way.index(own.name) :], own.name])
                raise _Misplaced(f"a cycle of concepts: {circle}", own.name, "remove a parent")
            way.append(own.name)
            if own.parent is not None and own.parent not in named:
                problem = f"{shown(own.parent)}, the parent of {shown(own.name)}, is not a concept"
                raise _Misplaced(problem, own.name, 'give it a line of its own, with "words": {}')
            if len(way) > MOST_LEVELS:
                break
            own = named[own.parent] if own.parent is not None else None
        above = levels[own.name] if own is not None and own.name in levels else 0
        for place, name in enumerate(reversed(way), 1):
            levels[name] = above + place
        if levels[concept.name] > MOST_LEVELS:
            problem = f"more than {MOST_LEVELS} levels of concepts"
            raise _Misplaced(problem, concept.name, "remove levels")


def _object(line: str) -> Mapping[str, object]:
    """The JSON object of a line. Raises UserError if the line is not one."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise UserError("malformed JSON", remedy=f"a line is {ROW}") from None
    if not isinstance(found, dict):
        raise UserError("is not a JSON object", remedy=f"a line is {ROW}")
    return found
