"""What is measured: a classifier's accuracy on topic shares, and whether top words keep company."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from reproduce.open_data import Stream

from stickbreaker import Corpus
from stickbreaker.topics.evaluation.coherence import TopWords
from stickbreaker.topics.evaluation.cooccurrence import Meetings

Flags = NDArray[np.bool_]
Shares = NDArray[np.float64]
PENALTIES = (1.0, 10.0)  # C of the support vector machine
TEN = 10  # top words of a topic


class Coherent(NamedTuple):
    """For each of several sets of topics, the means over them: PMI by the reference, NPMI by the stream
    itself; `strange`, the share of pairs that the reference knows nothing of."""

    pmi: list[float]
    npmi: list[float]
    strange: list[float]


def accuracy(shares: Shares, labels: Sequence[str], learned: Flags, tested: Flags, penalty: float) -> float:
    """Percent of the documents `tested` that a linear support vector machine gets right, which learned from
    the shares of those `learned`."""
    from sklearn.svm import LinearSVC

    names = np.asarray(labels)
    machine = LinearSVC(C=penalty, dual="auto").fit(shares[learned], names[learned])
    return 100 * float(machine.score(shares[tested], names[tested]))


def best_penalty(shares: Shares, stream: Stream) -> tuple[float, float]:
    """The accuracy, and the C that gives it, on the dev part, learned from the other documents: `stream` has
    those alone that the classifier may learn from."""
    tested = dev_part(stream.labels)
    tried = [(accuracy(shares, stream.labels, ~tested, tested, penalty), penalty) for penalty in PENALTIES]
    return max(tried, key=lambda found: (found[0], -found[1]))


def dev_part(labels: Sequence[str]) -> Flags:
    """The last 30 % of each label's documents, as the test part is the last 40 % of each newsgroup's.

    >>> dev_part(["a", "b", "a", "b", "a"]).tolist()
    [False, False, False, True, True]
    """
    names, tested = np.asarray(labels), np.zeros(len(labels), np.bool_)
    for name in np.unique(names):
        places = np.flatnonzero(names == name)
        tested[places[round(0.7 * len(places)) :]] = True
    return tested


def tested_on(shares: Shares, stream: Stream, penalty: float) -> float:
    """The accuracy on the test part."""
    learned = np.array(stream.train)
    return accuracy(shares, stream.labels, learned, ~learned, penalty)


def coherences(tops: Sequence[Sequence[Sequence[str]]], own: Corpus, reference: Corpus) -> Coherent:
    """Of several sets of topics (top words of each), from one read of either corpus."""
    flat = [topic for topics in tops for topic in topics]
    (inside, _), (outside, documents) = _counted(flat, own), _counted(flat, reference)
    per_topic = pmi(outside.top, documents)
    return Coherent(
        _means(per_topic[0], tops),
        _means(inside.npmi().per_topic, tops),
        _means(per_topic[1], tops),
    )


def pmi(top: NDArray[np.int64], documents: Meetings) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean over the pairs of a topic's words of log(p_ij / p_i p_j), and the share of them that never meet.

    p are shares of documents (Newman et al. 2009). A pair that never meets counts 0: of it, the reference
    says nothing. `top` (K × N) has the words as columns of `documents`.
    """
    first, second = np.triu_indices(top.shape[1], 1)
    both, left, right = documents.pairs(top[:, first], top[:, second])
    met = both > 0
    scores = np.zeros(both.shape)
    scores[met] = np.log(both[met] * documents.total / (left[met] * right[met]))
    return scores.mean(axis=1), 1.0 - met.mean(axis=1)


def _counted(tops: Sequence[Sequence[str]], corpus: Corpus) -> tuple[TopWords, Meetings]:
    """How often top words meet: in windows, and in documents."""
    words = TopWords(tops)
    documents = Meetings(len(words.column))
    for block in range(len(corpus.block_sizes)):
        documents.add_documents(words.add(corpus.source.entries(block)))
    return words, documents


def _means(per_topic: NDArray[np.float64], tops: Sequence[Sequence[object]]) -> list[float]:
    """The mean of each set of topics."""
    ends = np.cumsum([len(topics) for topics in tops])[:-1]
    return [float(part.mean()) for part in np.split(per_topic, ends)]
