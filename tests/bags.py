"""Small bags for tests of scores."""

import numpy as np

from stickbreaker.corpus.shards import Bags

V = 9


def bags_of(documents: list[dict[int, float]]) -> Bags:
    offsets = np.cumsum([0] + [len(document) for document in documents])
    entries = [entry for document in documents for entry in sorted(document.items())]
    words = np.array([word for word, _ in entries], np.int32)
    counts = np.array([count for _, count in entries], np.float32)
    return Bags(offsets, words, counts, np.arange(len(documents), dtype=np.float32))


def corpus(seed: int = 0, n: int = 20) -> Bags:
    draw = np.random.default_rng(seed)
    tables = [draw.poisson(1.5, V) for _ in range(n)]
    return bags_of([{word: int(table[word]) for word in np.flatnonzero(table).tolist()} for table in tables])


def random_topics(seed: int, topics: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Topics × words, and alpha."""
    draw = np.random.default_rng(seed)
    return draw.dirichlet(np.full(V, 0.3), topics), draw.gamma(1.0, 0.5, topics) + 0.05
