"""Table 1 of Zhai, Boyd-Graber and Blei (Syntactic topic models): a small language whose sentences share a
grammar and whose documents have themes.

    S -> VP    VP -> NP V (PP) (NP)    NP -> (Det) (Adj) N (PP)    PP -> P NP

Parts in brackets occur half of the time. Each document has one of two themes for its verbs, one for its nouns
and one for its adjectives. Dependencies: a verb is the root of a sentence, nouns depend on verbs and
prepositions, determiners and adjectives on nouns, prepositions on nouns and verbs.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array
from stickbreaker.corpus.sequences import Trees

THEMES = {
    "Adj": (("American", "German", "Russian"), ("blue", "purple", "red", "white")),
    "Det": (("a", "that", "the", "this"),),
    "N": (("COW", "PONY", "SHEEP"), ("MUTUAL_FUND", "SHARE", "STOCK")),
    "P": (("about", "on", "over", "with"),),
    "V": (("falls", "runs", "sits"), ("bucks", "climbs", "falls", "surges")),
}
TAGS = tuple(THEMES)
VOCABULARY = tuple(sorted({word for themes in THEMES.values() for theme in themes for word in theme}))
# The probability of a word's part of speech given its head's, ignoring the head's other dependents: averages
# of the grammar.
CHANCES = {
    "": {"V": 1.0},
    "V": {"N": 0.75, "P": 0.25},
    "N": {"Adj": 1 / 3, "Det": 1 / 3, "P": 1 / 3},
    "P": {"N": 1.0},
}


class PlantedLanguage(NamedTuple):
    """Sampled documents with trees: `trees` of words (rows of VOCABULARY) with tags (rows of TAGS), and the
    truth.
    """

    trees: Trees
    themes: NDArray[np.int64]  # documents × tags: which of THEMES
    log_p: Array  # (words,) nats of each given its head's part of speech and its document's themes


def plant_language(
    n_documents: int = 60, seed: int = 0, sentences: tuple[int, int] = (20, 50)
) -> PlantedLanguage:
    """Documents with `sentences` (least, most) sentences, drawn from Table 1.

    exp(-log_p.mean()) is the perplexity of an oracle, 6.83 in a large corpus: no model with independent
    children of a head does better.

    >>> language = plant_language(n_documents=2, sentences=(1, 1))
    >>> len(language.trees.starts)
    2
    """
    generator = stream(seed, "planted language")
    themes = generator.integers([len(THEMES[tag]) for tag in TAGS], size=(n_documents, len(TAGS)))
    offsets, starts, heads, tags = [0], [], [], []
    for number in generator.integers(sentences[0], sentences[1] + 1, n_documents).tolist():
        for _ in range(number):
            starts.append(len(tags))
            for tag, head in _sentence(generator):
                tags.append(tag)
                heads.append(head)
        offsets.append(len(tags))
    documents = np.repeat(np.arange(n_documents), np.diff(offsets))
    words, log_p = np.empty(len(tags), np.int32), np.empty(len(tags))
    firsts = np.repeat(starts, np.diff(starts, append=len(tags)))
    for i, (tag, head) in enumerate(zip(tags, heads, strict=True)):
        theme = THEMES[tag][themes[documents[i], TAGS.index(tag)]]
        words[i] = VOCABULARY.index(theme[generator.integers(len(theme))])
        log_p[i] = np.log(CHANCES[tags[firsts[i] + head] if head >= 0 else ""][tag] / len(theme))
    numbers = np.array([TAGS.index(tag) for tag in tags], np.int32)
    trees = Trees(np.array(offsets), words, np.array(starts), np.array(heads, np.int32), numbers, TAGS)
    return PlantedLanguage(trees, themes, log_p)


def _sentence(generator: np.random.Generator) -> list[tuple[str, int]]:
    """A random sentence as the (tag, head) of its words; a head is a position in the sentence, -1 for the
    root.
    """
    subject = _nouns(generator)
    verb = len(subject)
    found = [*_hung(subject, 0, verb), ("V", -1)]
    if generator.random() < 0.5:
        found += _hung(_prepositions(generator), len(found), verb)
    if generator.random() < 0.5:
        found += _hung(_nouns(generator), len(found), verb)
    return found


def _nouns(generator: np.random.Generator) -> list[tuple[str, int]]:
    """A random noun phrase as (tag, head) of its words; its noun is the root (head -1)."""
    before = [tag for tag in ("Det", "Adj") if generator.random() < 0.5]
    found = [*((tag, len(before)) for tag in before), ("N", -1)]
    return (
        found + _hung(_prepositions(generator), len(found), len(before))
        if generator.random() < 0.5
        else found
    )


def _prepositions(generator: np.random.Generator) -> list[tuple[str, int]]:
    """A random prepositional phrase as (tag, head) of its words; its preposition is the root (head -1)."""
    return [("P", -1), *_hung(_nouns(generator), 1, 0)]


def _hung(phrase: list[tuple[str, int]], start: int, head: int) -> list[tuple[str, int]]:
    """A phrase as part of a sentence, in which it begins at `start` and its root depends on word `head`."""
    return [(tag, above + start if above >= 0 else head) for tag, above in phrase]
