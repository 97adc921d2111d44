"""Trees of concepts over the words of a vocabulary, from dictionaries, constraints or WordNet. A concept is a
set of words, of one or more languages, that belong together.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Vocabulary
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.text.polylingual import PolylingualAnalysis
from stickbreaker.corpus.vocabulary import tagged
from stickbreaker.topics.concepts.dictionaries import Entry, Synset
from stickbreaker.topics.model.vocabularies.concept_tree import Concept

_WordsOfConcept = dict[str, dict[str, None]]  # by language, in order
KINDS = ("one-to-one", "all")
BY_CHARACTERS = "most words have several characters, and each character is a word of the corpus"
BY_WORDS = "build the corpus with the segmentation icu, which finds words"


@dataclass
class Selection:
    """Concepts made from a file, and how many of its entries were used or skipped, and why.

    `entries`: all that were read; `several_words`: skipped, since one of the two words is not a single word;
    `by_characters`: those of these in which the analysis splits a word into characters; `not_in_vocabulary`:
    skipped, since the vocabulary lacks one of the words; `pairs`: distinct pairs that are left, among which
    concepts are chosen; `reversed_pairs`: would be in the vocabulary if the two languages were exchanged.
    `coverage`: by language, the share of the vocabulary's tokens whose words have a concept.
    """

    concepts: list[Concept] = field(default_factory=list[Concept])
    entries: int = 0
    several_words: int = 0
    by_characters: int = 0
    not_in_vocabulary: int = 0
    pairs: int = 0
    reversed_pairs: int = 0
    coverage: dict[str, float] = field(default_factory=dict[str, float])

    def mostly_characters(self) -> bool:
        """Whether the analysis splits most entries of two single words into characters, as happens if texts
        of Chinese are not segmented. Error messages then suggest segmentation.
        """
        return 2 * self.by_characters > self.entries - (self.several_words - self.by_characters)

    def is_reversed(self) -> bool:
        """Whether the two languages were probably given in the wrong order: with the languages exchanged,
        more than twice as many entries would match the vocabulary.
        """
        fitting = self.entries - self.several_words - self.not_in_vocabulary
        return self.reversed_pairs > 2 * fitting


def concepts_of_pairs(
    entries: Iterable[Entry],
    vocabulary: Vocabulary,
    analysis: AnyAnalysis | None,
    languages: tuple[str, str],
    kind: str = "one-to-one",
    most: int = 5,
    least_count: float = 0.0,
    most_count: float = math.inf,
) -> Selection:
    """A concept for each dictionary pair whose words are both in the vocabulary (Zhai 2014, section 5.3).

    Entries must be single words on both sides after analysis. `languages`: the code of the words' language,
    then of their translations'. `kind`: "one-to-one", with each word in at most one concept, or "all", with
    each word in up to `most` concepts (senses). Pairs with the highest counts are taken first; among equal
    counts, those whose words occur in similarly many documents, then in alphabetical order. Pairs with counts
    below `least_count` or above `most_count` are skipped. Raises UserError for a language that the vocabulary
    lacks, and if no pair is left.
    """
    _refuse_other_languages(vocabulary, languages)
    selection, met = Selection(), defaultdict[tuple[str, str], float](float)
    spell = [Speller(vocabulary, analysis, code) for code in languages]
    round_about = (spell[1], spell[0])
    for entry in entries:
        selection.entries += 1
        if len(entry.word.split()) != 1 or len(entry.translation.split()) != 1:
            selection.several_words += 1
            continue
        texts = (entry.word, entry.translation)
        swapped = [one(side) for one, side in zip(round_about, texts, strict=True)]
        selection.reversed_pairs += all(side is not None for side in swapped)
        sides = [one.parts(side) for one, side in zip(spell, texts, strict=True)]
        if any(len(parts) > 1 for parts in sides):
            selection.several_words += 1
            selection.by_characters += any(len(p) > 1 and max(map(len, p)) == 1 for p in sides)
            continue
        word, translation = spell[0](entry.word), spell[1](entry.translation)
        if word is None or translation is None:
            selection.not_in_vocabulary += 1
        else:
            met[word, translation] += entry.times
    first, second = languages
    documents = dict(zip(vocabulary.words, vocabulary.documents.tolist(), strict=True))

    def rank(pair: tuple[str, str]) -> tuple[float, float, tuple[str, str]]:
        in_documents = [documents[tagged(code, word)] for code, word in zip(languages, pair, strict=True)]
        apart = abs(math.log(max(in_documents[0], 1)) - math.log(max(in_documents[1], 1)))
        return -met[pair], apart, pair

    if met and max(met.values()) < least_count:
        raise UserError(
            f"no pair has a count of {least_count:g} or more; the highest is {max(met.values()):g}",
            remedy="lower the least count",
        )
    if met and min(met.values()) > most_count:
        raise UserError(
            f"no pair has a count of {most_count:g} or less; the lowest is {min(met.values()):g}",
            remedy="raise the most count",
        )
    pairs = sorted((pair for pair, count in met.items() if least_count <= count <= most_count), key=rank)
    times, limit = (Counter[str](), Counter[str]()), 1 if kind == "one-to-one" else most
    for word, translation in pairs:
        if times[0][word] < limit and times[1][translation] < limit:
            times[0][word] += 1
            times[1][translation] += 1
            words = {first: (word,), second: (translation,)}
            selection.concepts.append(Concept(f"{word}/{translation}", dict(sorted(words.items()))))
    selection.pairs = len(pairs)
    remedy = f"check that words are in {first}, translations in {second}, and that the corpus has them"
    if selection.is_reversed():
        remedy = f"the first column seems to be in {second}: give {second} before {first}"
    return covered(selection, vocabulary, remedy)


def concepts_of_constraints(
    constraints: Iterable[tuple[int, Sequence[str]]], vocabulary: Vocabulary, analysis: AnyAnalysis | None
) -> Selection:
    """A concept for each list of words that must stay together, if at least two of them are in the
    vocabulary, which has one language.

    constraints: pairs of a line number and words; words that the vocabulary lacks are skipped. Raises
    UserError if the vocabulary has several languages, or no concept is left.
    """
    refuse_several_languages(vocabulary)
    selection, spell = Selection(), Speller(vocabulary, analysis, "")
    names: set[str] = set()
    for line, words in constraints:
        selection.entries += 1
        known = dict.fromkeys(found for word in words if (found := spell(word)) is not None)
        if len(known) < 2:
            selection.not_in_vocabulary += 1
            continue
        name = "/".join(list(known)[:3])
        name = name if name not in names else f"{name} ({line})"
        names.add(name)
        selection.concepts.append(Concept(name, {"": tuple(known)}))
    return covered(selection, vocabulary)


def concepts_of_synsets(
    synsets: Iterable[Synset], vocabulary: Vocabulary, analysis: AnyAnalysis | None, depth: int | None = None
) -> Selection:
    """A concept for each synset of WordNet that has words of the vocabulary. Its name is its first word and
    the synset's key.

    A concept's parent is the nearest hypernym with words of the vocabulary. `depth` limits the levels of the
    tree: words of deeper concepts are moved to the ancestor at that level. Raises UserError if the synsets'
    languages are not the vocabulary's, and if no word is in the vocabulary.
    """
    selection, spell = Selection(), dict[str, Speller]()
    parents: dict[str, str | None] = {}
    words: dict[str, _WordsOfConcept] = {}
    for synset in synsets:
        selection.entries += 1
        parents[synset.key] = synset.parent
        own: _WordsOfConcept = {}
        for code, given in synset.words.items():
            if code not in spell:
                _refuse_lacking(vocabulary, code)
                spell[code] = Speller(vocabulary, analysis, code)
            if known := dict.fromkeys(found for word in given if (found := spell[code](word)) is not None):
                own[code] = known
        if own:
            words[synset.key] = own
        else:
            selection.not_in_vocabulary += 1
    kept = {key: _nearest(key, parents, words) for key in words}
    for key in kept:
        if _levels(key, kept) > len(kept):  # a cycle, which WordNet does not have
            kept[key] = None
    if depth is not None:
        _cut(kept, words, depth)
    names = {key: f"{next(iter(next(iter(own.values()))))} ({key})" for key, own in words.items()}
    for key, parent in kept.items():
        above = None if parent is None else names[parent]
        own_words = {code: tuple(known) for code, known in sorted(words[key].items())}
        selection.concepts.append(Concept(names[key], own_words, above))
    return covered(selection, vocabulary)


def _nearest(key: str, parents: Mapping[str, str | None], words: Mapping[str, object]) -> str | None:
    """The key of the nearest ancestor that has words in the vocabulary; None if there is none.

    key: a synset; parents: each synset's parent, or None; words: has a key for each synset with words. If the
    ancestors form a cycle, the search ends.
    """
    met, at = {key}, parents.get(key)
    while at is not None and at not in met:
        if at in words:
            return at
        met.add(at)
        at = parents.get(at)
    return None


def _cut(kept: dict[str, str | None], words: dict[str, _WordsOfConcept], depth: int) -> None:
    """Limit a tree of synsets to `depth` levels: deeper synsets are removed, and their words moved to their
    ancestors at that level.

    kept: the parent of each synset; words: the words of each. Both are changed in place.
    """
    for key in list(kept):
        way, at = list[str](), key
        while at is not None and at not in way:
            way.append(at)
            at = kept.get(at)
        if len(way) > depth:
            for code, own in words[key].items():
                words[way[-depth]].setdefault(code, {}).update(own)
    deep = [key for key in kept if _levels(key, kept) > depth]
    for key in deep:
        del words[key]
    for key in deep:
        del kept[key]


def _levels(key: str, kept: Mapping[str, str | None]) -> int:
    levels, at = 0, key
    while at is not None and levels <= len(kept):
        levels, at = levels + 1, kept.get(at)
    return levels


class Speller:
    """Looks up words of one language in a vocabulary, after the corpus's analysis (lower case, lemmas, …) has
    been applied to them.
    """

    def __init__(self, vocabulary: Vocabulary, analysis: AnyAnalysis | None, language: str) -> None:
        own = analysis.by_language.get(language) if isinstance(analysis, PolylingualAnalysis) else analysis
        self.analysis = own if isinstance(own, Analysis) else None
        self.vocabulary, self.language = vocabulary, language
        self.known: dict[str, list[str]] = {}

    def parts(self, word: str) -> list[str]:
        """The tokens that the analysis makes of a word: usually one, none for a stop word, several if it
        splits the word.
        """
        if word not in self.known:
            self.known[word] = [word] if self.analysis is None else self.analysis.analyse(word).words
        return self.known[word]

    def __call__(self, word: str) -> str | None:
        """A word as it is spelled in the vocabulary; None if it is not there, or is not a single token after
        analysis.
        """
        parts = self.parts(word)
        if len(parts) != 1:
            return None
        row = tagged(self.language, parts[0]) if self.language else parts[0]
        return parts[0] if row in self.vocabulary.index else None


def _refuse_other_languages(vocabulary: Vocabulary, languages: tuple[str, str]) -> None:
    if not vocabulary.languages:
        remedy = "build it with a text in each, such as --text-field de=german,en=english"
        raise UserError("the corpus has one language, and a dictionary has two", remedy=remedy)
    for code in languages:
        _refuse_lacking(vocabulary, code)
    if languages[0] == languages[1]:
        raise UserError(f"both languages are {languages[0]}", remedy="give two languages")


def _refuse_lacking(vocabulary: Vocabulary, language: str) -> None:
    """Raise UserError if the vocabulary lacks a language. "" means the only language of a vocabulary without
    language codes; it is refused if there are codes.
    """
    if not language:
        refuse_several_languages(vocabulary)
    elif language not in vocabulary.languages:
        remedy = f"it has {', '.join(vocabulary.languages) or 'one language, which has no code'}"
        raise UserError(f"the corpus has no language {language!r}", remedy=remedy)


def refuse_several_languages(vocabulary: Vocabulary) -> None:
    if vocabulary.languages:
        raise UserError(
            f"the corpus has the languages {', '.join(vocabulary.languages)}",
            remedy="give one in one language",
        )


def covered(
    selection: Selection, vocabulary: Vocabulary, remedy: str = "check that the corpus has these words"
) -> Selection:
    """The same selection, completed: its `coverage` (by language, the share of the vocabulary's tokens that
    have a concept) is filled in.

    Raises UserError if no concept was made; `remedy`: the advice in its message.
    """
    if not selection.concepts:
        cause = ""
        if selection.mostly_characters():
            cause, remedy = f", since {BY_CHARACTERS}", BY_WORDS
        raise UserError(f"{selection.entries:,} entries make no concept{cause}", remedy=remedy)
    for code, rows in (vocabulary.ranges or {"": slice(0, len(vocabulary))}).items():
        words = {word for concept in selection.concepts for word in concept.words.get(code, ())}
        tied = [vocabulary.index[tagged(code, word) if code else word] for word in words]
        total = float(vocabulary.tokens[rows].sum())
        selection.coverage[code] = float(vocabulary.tokens[tied].sum()) / total if total else 0.0
    return selection
