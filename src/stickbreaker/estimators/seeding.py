"""Starting counts from documents."""

import numpy as np

from stickbreaker.core.randomness import stream
from stickbreaker.core.records import Array
from stickbreaker.learning.source import Source

TOKENS_A_TOPIC = 1000.0  # a topic is seeded with documents until they hold so many tokens


def seed_from_documents(source: Source, n_topics: int, seed: int) -> Array:
    """Counts (words × topics): each topic holds the words of a few random documents (Zhai 2014, 3.2.1)."""
    generator = stream(seed, "documents")
    counts = np.zeros((source.n_words, n_topics))
    tokens = np.zeros(n_topics)
    for _numbers, bags in source.shuffled(generator):
        for d in range(len(bags.offsets) - 1):
            entries = slice(bags.offsets[d], bags.offsets[d + 1])
            topic = int(tokens.argmin())
            counts[bags.words[entries], topic] += bags.counts[entries]
            tokens[topic] += bags.counts[entries].sum(dtype=np.float64)
            if tokens.min() >= TOKENS_A_TOPIC:
                return counts
    return counts
