"""The corpora of the benchmark on Spark, written once: a store for ours, libsvm text for MLlib, and held-out
documents for the one scorer.

The generated corpus is drawn block by block from topics of an LDA, each block by a generator of its own, so
that a smaller one is the beginning of a larger one.
"""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from benchmarks.corpora import Parts, load, matrix_of
from numpy.typing import NDArray
from reproduce.texts import texts
from scipy.sparse import csr_matrix, load_npz, save_npz, vstack

from stickbreaker import Corpus
from stickbreaker.core.random_streams import stream

FILES = {"20 Newsgroups": "20 Newsgroups", "NIPS": "NIPS counts"}  # the corpora of texts, by their files
BLOCK = 1000  # documents that one generator draws
HELD = 1000  # documents of each held-out part, at most
TRUE_TOPICS, TOPIC_WORDS, DOCUMENT_WORDS = 100, 3000, 100
ALPHA_SUM, SPREAD = 4.0, 5.0  # of a document's shares; of Zipf's law, added to a word's rank

Array = NDArray[np.float64]


class Data(NamedTuple):
    """A written corpus; `store` and `svm` hold the documents to learn from."""

    folder: Path

    @property
    def store(self) -> Path:
        return self.folder / "store"

    @property
    def svm(self) -> Path:
        return self.folder / "train.svm"

    def about(self) -> dict[str, float]:
        """documents, words (of the vocabulary), tokens."""
        return json.loads((self.folder / "about.json").read_text())

    def held(self, part: str) -> csr_matrix:
        """The documents (× words) of "dev" or "test"."""
        return load_npz(self.folder / f"{part}.npz")

    def frequencies(self) -> csr_matrix:
        """How often each word occurs in the documents to learn from (1 × words)."""
        return load_npz(self.folder / "words.npz")


def written(folder: Path, corpus: str, documents: int = 0, words: int = 0) -> Data:
    """A corpus by name, written if it is not yet; `documents` and `words`: of a generated one."""
    name = f"{corpus.replace(' ', '-')}-{documents}-{words}" if documents else corpus.replace(" ", "-")
    data = Data(folder / name)
    if not (data.folder / "about.json").exists():
        _write(data, generated(documents, words) if documents else _parts(corpus))
    return data


def _write(data: Data, parts: Parts) -> None:
    from sklearn.datasets import dump_svmlight_file

    data.folder.mkdir(parents=True, exist_ok=True)
    train = parts.train.sorted_indices()
    Corpus.from_matrix(train).write(data.store, overwrite=True)
    dump_svmlight_file(train, np.zeros(train.shape[0]), str(data.svm), zero_based=False)
    frequencies = csr_matrix(train.sum(axis=0))
    save_npz(data.folder / "words.npz", frequencies)
    for name, held in (("dev", parts.dev), ("test", parts.test)):
        save_npz(data.folder / f"{name}.npz", _known(held[:HELD], frequencies))
    about = {"documents": train.shape[0], "words": train.shape[1], "tokens": float(train.sum())}
    (data.folder / "about.json").write_text(json.dumps(about))


def _known(held: csr_matrix, frequencies: csr_matrix) -> csr_matrix:
    """Held-out documents without words that no program could learn."""
    seen = csr_matrix((frequencies.toarray() > 0).astype(float))
    known = csr_matrix(held.multiply(seen))
    known.eliminate_zeros()
    return known


def _parts(corpus: str) -> Parts:
    if corpus == "NIPS":
        return load("NIPS")
    counts = matrix_of(Corpus.from_texts(texts(corpus)))
    order = np.random.default_rng(0).permutation(counts.shape[0])
    tenth = len(order) // 10
    return Parts(corpus, counts[order[2 * tenth :]], counts[order[tenth : 2 * tenth]], counts[order[:tenth]])


def generated(documents: int, words: int) -> Parts:
    """Documents of an LDA with `TRUE_TOPICS` topics; each has some words, by Zipf's law in an order of its
    own."""
    topics = planted(words)
    train = vstack([drawn(topics, words, f"train {n}", size) for n, size in enumerate(_sizes(documents))])
    dev, test = (drawn(topics, words, part, HELD) for part in ("dev", "test"))
    return Parts("generated", csr_matrix(train), dev, test)


def _sizes(documents: int) -> list[int]:
    return [min(BLOCK, documents - start) for start in range(0, documents, BLOCK)]


def planted(words: int) -> NDArray[np.int64]:
    """The words of each topic, most frequent first (topics × words of a topic)."""
    size = min(TOPIC_WORDS, words)
    return np.stack([stream(0, "planted topic", key=k).permutation(words)[:size] for k in range(TRUE_TOPICS)])


def drawn(topics: NDArray[np.int64], words: int, key: str, documents: int) -> csr_matrix:
    """Documents × words of one generator."""
    random = stream(0, "planted documents", key=key)
    lengths = np.maximum(1, random.poisson(DOCUMENT_WORDS, documents))
    shares = random.dirichlet(np.full(len(topics), ALPHA_SUM / len(topics)), documents)
    owner = np.repeat(np.arange(documents), lengths)
    ends = shares.cumsum(axis=1) + np.arange(documents)[:, None]  # one ascending line for all documents
    draws = owner + random.random(len(owner)) * (1.0 - 1e-9)
    topic = np.minimum(np.searchsorted(ends.ravel(), draws), ends.size - 1) % len(topics)
    zipf = np.cumsum(1.0 / (np.arange(topics.shape[1]) + SPREAD))
    rank = np.searchsorted(zipf, random.random(len(owner)) * zipf[-1])
    word = topics[topic, np.minimum(rank, len(zipf) - 1)]
    return csr_matrix((np.ones(len(owner)), (owner, word)), (documents, words))
