"""Trees drawn from the syntactic topic model with sharp topics, for tests."""

import numpy as np

from stickbreaker.corpus.sequences import Trees
from stickbreaker.corpus.shards import shard_of


def planted_trees(n_documents, seed=0, n_topics=4, words_of_topic=3, unknown=0.0):
    """Documents of one to four sentences, the first of them empty; each topic has words of its own."""
    draw = np.random.default_rng([31, seed])
    same = np.random.default_rng(31)  # what documents of every seed have in common
    pi = same.dirichlet(np.full(n_topics, 0.3), n_topics + 1)
    words, heads, starts, offsets = [], [], [], [0]
    for d in range(n_documents):
        theta = draw.dirichlet(np.full(n_topics, 0.5))
        for _ in range(int(draw.integers(1, 5)) if d else 0):
            starts.append(len(words))
            size, topics = int(draw.integers(1, 9)), []
            for place in range(size):
                head = int(draw.integers(-1, place)) if place else -1
                weights = theta * pi[n_topics if head < 0 else topics[head]] + 1e-12
                topics.append(int(draw.choice(n_topics, p=weights / weights.sum())))
                word = topics[-1] * words_of_topic + int(draw.integers(words_of_topic))
                words.append(-1 if draw.random() < unknown else word)
                heads.append(head)
        offsets.append(len(words))
    n = len(words)
    return Trees(
        np.array(offsets, np.int64), np.array(words, np.int32), np.array(starts, np.int64),
        np.array(heads, np.int32), np.zeros(n, np.int32), ("x",),
    )  # fmt: skip


def shards_of(trees, n_words, first=0, size=5):
    """Their shards, of documents that are numbered from `first` on."""
    n = len(trees.offsets) - 1
    parts = [np.arange(start, min(start + size, n)) for start in range(0, n, size)]
    return [shard_of(trees.take(part), part + first, n_words) for part in parts]


class TreesInMemory:
    """What runs need of a source, of trees that there are."""

    def __init__(self, trees, n_words, shard_size=5):
        self.trees, self.n_words, self.shard_size = trees, n_words, shard_size
        self.n_documents = len(trees.offsets) - 1

    def all_shards(self):
        return shards_of(self.trees, self.n_words, size=self.shard_size)

    def shards(self, numbers):
        starts = range(0, len(numbers), self.shard_size)
        parts = [numbers[start : start + self.shard_size] for start in starts]
        return [shard_of(self.read(part), part, self.n_words) for part in parts]

    def windows(self, generator):
        numbers = np.arange(self.n_documents)
        yield numbers if generator is None else generator.permutation(numbers)

    def read(self, numbers):
        return self.trees.take(numbers)
