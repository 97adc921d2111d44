"""Concepts from word vectors: words whose vectors point in nearly the same direction."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.store import FACTS_FILE
from stickbreaker.topics.concepts.concept_sources import Selection, Speller, covered, refuse_several_languages
from stickbreaker.topics.concepts.word_vectors import (
    WordVectors,
    learned_vectors,
    looks_like_vectors,
    read_vectors,
)
from stickbreaker.topics.model.vocabularies.concept_tree import Concept

WORDS_OF_A_CONCEPT = 8  # on average
_MOST_AT_ONCE = 4000  # words of which all distances are held: 64 MB


def concepts_of_vectors(
    found: WordVectors,
    vocabulary: Vocabulary,
    analysis: AnyAnalysis | None,
    n_concepts: int | None = None,
    levels: int = 1,
) -> Selection:
    """Concepts of words whose vectors are near each other, for a vocabulary of one language.

    Words are joined from below by the mean cosine between them (average linkage) until `n_concepts` groups
    are left (None: one for every 8 words). Of more than 4,000 words, k-means first makes parts that are
    joined each by itself, so that memory grows with the words, not with their pairs. A word without a vector,
    or alone in its group, has no concept. levels: 2 joins concepts in the same way to an eighth as many
    parents. Concepts have the counts of their words in the corpus. Of several vectors for one word of the
    vocabulary, as its analysis spells words, the first is taken. Raises UserError if no concept is made, and
    for several languages.
    """
    refuse_several_languages(vocabulary)
    selection, spell = Selection(), Speller(vocabulary, analysis, "")
    rows: dict[str, int] = {}
    for place, given in enumerate(found.words):
        selection.entries += 1
        word = given if given in vocabulary.index else spell(given)
        if word is None:
            selection.not_in_vocabulary += 1
        elif found.vectors[place].any():
            rows.setdefault(word, place)
    counts = dict(zip(vocabulary.words, vocabulary.tokens.tolist(), strict=True))
    words = sorted(rows, key=lambda word: (-counts[word], word))
    if len(words) < 2:
        raise UserError("fewer than two words of the corpus have a vector", remedy="check its language")
    unit = _unit(found.vectors[[rows[word] for word in words]])
    wanted = n_concepts or max(1, len(words) // WORDS_OF_A_CONCEPT)
    groups = [group for group in _groups(unit, wanted) if len(group) > 1]
    parents: list[str | None] = [None] * len(groups)
    if levels > 1 and len(groups) > 2:
        centres = _unit(np.stack([unit[group].mean(axis=0) for group in groups]))
        above = [
            each for each in _groups(centres, max(1, len(groups) // WORDS_OF_A_CONCEPT)) if len(each) > 1
        ]
        for number, members in enumerate(above):
            name = f"{words[groups[members[0]][0]]}… ({number + 1})"
            selection.concepts.append(Concept(name, {"": ()}))
            for member in members:
                parents[member] = name
    for number, (group, parent) in enumerate(zip(groups, parents, strict=True)):
        own = tuple(words[place] for place in group)
        numbers = {"": tuple(counts[word] for word in own)} if vocabulary.is_counted else None
        selection.concepts.append(Concept(f"{'/'.join(own[:3])} ({number + 1})", {"": own}, parent, numbers))
    return covered(selection, vocabulary)


def gives_vectors(path: Path) -> bool:
    """Whether `vectors_at` can be expected to read a path: a corpus, or a file that looks like vectors."""
    return _is_corpus(path) or (path.is_file() and looks_like_vectors(path))


def _is_corpus(path: Path) -> bool:
    return (path / FACTS_FILE).is_file()


def vectors_at(
    path: str | Path, words: str | Path | None, vocabulary: Vocabulary, analysis: AnyAnalysis | None
) -> WordVectors:
    """Word vectors for a vocabulary: of a file, as `read_vectors` reads it, or learned from a corpus."""
    if _is_corpus(Path(path)):
        if words is not None:
            raise UserError("--words is for an .npy file", where=path, remedy="leave it out")
        return learned_vectors(Corpus.open(path))
    spell = Speller(vocabulary, analysis, "")
    return read_vectors(path, words, lambda word: word in vocabulary.index or spell(word) is not None)


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """The same directions, of length one."""
    wide = np.asarray(vectors, dtype=np.float64)
    return wide / np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), 1e-300)


def _groups(unit: NDArray[np.float64], wanted: int) -> list[Sequence[int]]:
    """Rows in groups of near directions, about `wanted`; a group's rows ascend, and groups by their first."""
    if len(unit) <= _MOST_AT_ONCE:
        parts = [np.arange(len(unit))]
    else:
        from sklearn.cluster import MiniBatchKMeans

        n_parts = -(-2 * len(unit) // _MOST_AT_ONCE)
        of = MiniBatchKMeans(n_parts, random_state=0, batch_size=4096).fit_predict(unit)
        parts = [np.flatnonzero(of == part) for part in range(n_parts)]
    groups: list[Sequence[int]] = []
    for part in parts:
        groups += _joined(unit, part, max(1, round(wanted * len(part) / len(unit))))
    return sorted(groups, key=lambda group: group[0])


def _joined(unit: NDArray[np.float64], part: NDArray[np.int64], wanted: int) -> list[Sequence[int]]:
    """Some rows in at most `wanted` groups, by average linkage of one minus the cosine."""
    from scipy.cluster.hierarchy import fcluster, linkage

    if not len(part):
        return []
    if len(part) > 2 * _MOST_AT_ONCE:  # k-means left a part far above the mean: by its order of frequency
        half = len(part) // 2
        return [
            *_joined(unit, part[:half], max(1, wanted // 2)),
            *_joined(unit, part[half:], max(1, wanted - wanted // 2)),
        ]
    if len(part) == 1:
        return [part.tolist()]
    labels = fcluster(linkage(unit[part], "average", metric="cosine"), wanted, "maxclust")
    members = defaultdict[int, list[int]](list)
    for row, label in zip(part.tolist(), labels.tolist(), strict=True):
        members[label].append(row)
    return list(members.values())
