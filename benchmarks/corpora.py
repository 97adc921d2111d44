"""The corpora of the benchmarks, cut into three parts: to learn from, to choose settings on, to report on."""

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from stickbreaker import Analysis
from stickbreaker.testing import plant_topics

DATA = Path(__file__).parents[2] / "shared/data"
FILES = {"AP": DATA / "ap/ap.ldac.gz", "NIPS": DATA / "nips-bow/docs.ldac.gz"}


class Parts(NamedTuple):
    """Documents × words; `name` says what was really read. Every word occurs in `train`."""

    name: str
    train: csr_matrix
    dev: csr_matrix
    test: csr_matrix

    @property
    def tokens(self) -> float:
        return float(self.train.sum())


def load(corpus: str) -> Parts:
    """A corpus by name; a synthetic one, so labelled, where its file is absent.

    A tenth of the documents is for choosing settings (`dev`) and a tenth for the report (`test`). Words that
    the rest lacks are dropped, because some programs give them no probability.
    """
    path = FILES.get(corpus)
    if path is not None and path.exists():
        counts, name = read_ldac(path), corpus
    else:
        planted = plant_topics(2000, 100, 10000, 190, 0.05, 0.02)
        counts, name = planted.counts, f"synthetic (for {corpus}, which is absent)"
    order = np.random.default_rng(0).permutation(counts.shape[0])
    tenth = len(order) // 10
    train = counts[order[2 * tenth :]]
    known = np.flatnonzero(np.asarray(train.sum(axis=0)).ravel())
    return Parts(
        name, train[:, known], counts[order[tenth : 2 * tenth]][:, known], counts[order[:tenth]][:, known]
    )


def kept_tokens(texts: Iterable[str], analysis: Analysis) -> list[list[str]]:
    """The tokens of each text that are words for a vocabulary."""
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
