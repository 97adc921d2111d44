"""Corpora as counts: in three parts (to learn from, to choose settings on, to report on), and other forms."""

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from reproduce.texts import DATA, TEXTS
from scipy.sparse import csr_matrix

from stickbreaker import Analysis, Corpus
from stickbreaker.corpus.shards import Bags
from stickbreaker.testing import plant_topics


class Parts(NamedTuple):
    """Documents × words of three parts. `name`: the corpus that was really read. Every word occurs in
    `train`."""

    name: str
    train: csr_matrix
    dev: csr_matrix
    test: csr_matrix

    @property
    def tokens(self) -> float:
        return float(self.train.sum())


def load(corpus: str) -> Parts:
    """The parts of AP or NIPS, or of a synthetic corpus, whose name says so, if its file does not exist."""
    path = DATA / TEXTS[f"{corpus} counts"][0]
    if path.exists():
        return parts_of(corpus, read_ldac(path))
    planted = plant_topics(2000, 100, 10000, 190, 0.05, 0.02)
    return parts_of(f"synthetic (for {corpus}, which is absent)", planted.counts)


def parts_of(name: str, counts: csr_matrix) -> Parts:
    """A tenth of the documents for choosing settings (`dev`), a tenth for the report (`test`), and the rest.

    Words that the rest lacks are dropped, because some programs give them no probability.
    """
    order = np.random.default_rng(0).permutation(counts.shape[0])
    tenth = len(order) // 10
    train = counts[order[2 * tenth :]]
    known = np.flatnonzero(np.asarray(train.sum(axis=0)).ravel())
    dev, test = counts[order[tenth : 2 * tenth]], counts[order[:tenth]]
    return Parts(name, train[:, known], dev[:, known], test[:, known])


def matrix_of(corpus: Corpus) -> csr_matrix:
    """Documents × words."""
    bags = Bags.join([corpus.bags(block) for block in range(len(corpus.block_sizes))])
    shape = (corpus.n_documents, corpus.n_words)
    return csr_matrix((bags.counts.astype(float), bags.words, bags.offsets), shape)


def kept_tokens(texts: Iterable[str], analysis: Analysis) -> list[list[str]]:
    """The tokens of each text that a vocabulary may contain."""
    lists = [analysis.analyse(text).words for text in texts]
    words = list(dict.fromkeys(word for line in lists for word in line))
    kept = {word for word, fits in zip(words, analysis.eligible(words).tolist(), strict=True) if fits}
    return [[word for word in line if word in kept] for line in lists]


def read_ldac(path: Path) -> csr_matrix:
    """Documents × words of an LDA-C file."""
    with gzip.open(path, "rt") as file:  # a line: number of words, then word:count pairs
        lines = [np.array(line.replace(":", " ").split()[1:], np.int32) for line in file]
    pairs = np.concatenate(lines).reshape(-1, 2)
    offsets = np.cumsum([0] + [len(line) // 2 for line in lines])
    return csr_matrix((pairs[:, 1].astype(float), pairs[:, 0], offsets))


def entries(counts: csr_matrix) -> list[list[tuple[int, int]]]:
    """Each document as (word, count) pairs."""
    pairs = list(zip(counts.indices.tolist(), counts.data.astype(int).tolist(), strict=True))
    return [pairs[a:b] for a, b in zip(counts.indptr[:-1], counts.indptr[1:], strict=True)]
