"""Scores of a syntactic topic model: predicting half of each document's sentences from the other half."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.corpus.sequences import Trees
from stickbreaker.corpus.shards import entries_between
from stickbreaker.syntax.model.learned_syntax import LearnedSyntax
from stickbreaker.syntax.tree_words import TreeWords


class WordScores(NamedTuple):
    """For each known word that was predicted: its log p in nats, its document and its tag (by number)."""

    nats: Array
    documents: NDArray[np.int64]  # by position among those given
    tags: NDArray[np.int32]


class Halves(NamedTuple):
    """The sentences of documents in two halves, to score predictions of one from the other."""

    seen: Trees
    predicted: Trees  # each sentence is a document
    owners: NDArray[np.int64]  # (sentences predicted,) the document of each


def halves(trees: Trees) -> Halves:
    """Split each document's sentences into those that are seen and those that are predicted from them.

    The first, third, … are seen, the others predicted; a document's only sentence is predicted.

    >>> words, heads, tags = np.array([5, 6, 7]), np.array([-1, 0, -1]), np.zeros(3, np.int32)
    >>> text = Trees(np.array([0, 3]), words, np.array([0, 2]), heads, tags, ("x",))
    >>> found = halves(text)
    >>> found.seen.words.tolist(), found.predicted.words.tolist(), found.owners.tolist()
    ([5, 6], [7], [0])
    """
    n = len(trees.offsets) - 1
    owners = np.searchsorted(trees.offsets, trees.starts, side="right") - 1
    first = np.searchsorted(trees.starts, trees.offsets[:-1])
    alone = np.bincount(owners, minlength=n)[owners] == 1
    seen = ((np.arange(len(owners)) - first[owners]) % 2 == 0) & ~alone
    part = sentences_of(trees, np.flatnonzero(seen))
    sizes = np.bincount(owners[seen], weights=np.diff(part.offsets), minlength=n)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Halves(replace(part, offsets=offsets), sentences_of(trees, np.flatnonzero(~seen)), owners[~seen])


def sentences_of(trees: Trees, chosen: NDArray[np.int64]) -> Trees:
    """Take sentences out of documents: each becomes a document of its own; chosen: numbers of sentences."""
    bounds = np.append(trees.starts, len(trees.words))
    offsets, tokens = entries_between(bounds[chosen], bounds[chosen + 1])
    words, heads, tags = trees.words[tokens], trees.heads[tokens], trees.tags[tokens]
    return Trees(offsets, words, offsets[:-1], heads, tags, trees.tag_names)


def word_scores(
    trees: Trees, learned: LearnedSyntax, words: TreeWords, seed: int, threads: int = 1
) -> WordScores:
    """log p of the known words in every other sentence of documents, each given the document's remaining
    sentences (`halves`) and the words before it in its own.

    trees: documents read with the vocabulary of `words`. Unknown words are not scored, even if the model
    represents them by tags.
    """
    half = halves(trees)
    predicted = words.ordered(half.predicted)
    nats = learned.log_words(predicted, half.owners, words.ordered(half.seen), seed, threads)
    known = half.predicted.words[predicted.tokens] >= 0
    documents = half.owners[predicted.documents]
    return WordScores(nats[known], documents[known], half.predicted.tags[predicted.tokens][known])
