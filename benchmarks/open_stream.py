"""A generated stream that never runs out of new words: is memory bounded, and does speed last?

Documents of ten words, mostly of one of twenty topics. A word stands at a rank, Zipf's law says how often the
rank is used, and after a while another word takes the place: all words are forgotten in the end, and new ones
keep coming. The child learns by `partial_fit`, a minibatch at a time, as a program would that reads a queue.
`python benchmarks/open_stream.py --documents 100000` runs it alone.
"""

import argparse
import json
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from cell import answer
from numpy.typing import NDArray
from watch import MEGABYTE, peak_megabytes, reset_peak

MEMORY = ("discard", "keep", "bloom")
WORDS_A_DOCUMENT, TOPICS, RANKS = 10, 20, 100_000
MAIN_SHARE = 0.8  # of a document's words that are of its main topic
BATCH, TRUNCATION, REORDER_EVERY = 1_000, 2_000, 10
NEW_WORDS = 0.04  # distinct words a token: of 5 million documents, 2 million
SLOT, CELL, WORD = 13, 8, 260  # bytes: of a slot, of a cell by row, of a word with its key and log G0
COPIES = 3  # the table, the copy that a step works on, and what it is put in order by
LETTERS = "etaoinsrhldcumfpgwybvk"


def stream(documents: int, seed: int = 0) -> Iterator[NDArray[np.int64]]:
    """Minibatches of words' numbers (documents × words), always the same for a number of documents."""
    draw = np.random.default_rng(seed)
    weights = 1.0 / (np.arange(RANKS) + 10.0)
    ends = [np.cumsum(weights[topic::TOPICS]) for topic in range(TOPICS)]
    phase, lives = draw.random(RANKS), generations(documents)
    for start in range(0, documents, BATCH):
        shape = min(BATCH, documents - start), WORDS_A_DOCUMENT
        mains, others = draw.integers(0, TOPICS, (shape[0], 1)), draw.integers(0, TOPICS, shape)
        topics, shares = np.where(draw.random(shape) < MAIN_SHARE, mains, others), draw.random(shape)
        ranks = np.empty(shape, np.int64)
        for topic in range(TOPICS):
            here = topics == topic
            ranks[here] = topic + TOPICS * np.searchsorted(ends[topic], shares[here] * ends[topic][-1])
        when = (start + np.arange(shape[0])[:, None]) / documents
        yield ranks + RANKS * np.floor(lives * when + phase[ranks]).astype(np.int64)


def generations(documents: int) -> float:
    """How often each rank gets a new word in the whole stream, so that it has `NEW_WORDS` distinct words a
    token; a short stream gets there without."""
    tokens = documents * WORDS_A_DOCUMENT
    weights = 1.0 / (np.arange(RANKS) + 10.0)
    expected = weights / weights.sum() * tokens
    low, high = 1.0, 1e6
    for _ in range(60):
        middle = (low * high) ** 0.5
        distinct = float((middle * -np.expm1(-expected / middle)).sum())
        low, high = (middle, high) if distinct < NEW_WORDS * tokens else (low, middle)
    return low


def spelled(number: int) -> str:
    """A word of letters, another for every number."""
    word = ""
    number += len(LETTERS) ** 2
    while number:
        number, letter = divmod(number, len(LETTERS))
        word += LETTERS[letter]
    return word


def child(documents: int, memory: str) -> dict[str, Any]:
    """Learn from the stream, and tell the pace, the words and the memory that it took."""
    from stickbreaker import LDA, Online, OpenVocabulary

    words = OpenVocabulary(truncation=TRUNCATION, reorder_every=REORDER_EVERY, memory=memory)
    settings: dict[str, Any] = {"inference": "hybrid", "alpha": 0.1, "n_jobs": 1, "random_state": 0}
    schedule = Online(batch_size=BATCH, kappa=0.6, tau0=64.0, total=documents)
    model = LDA(TOPICS, words=words, schedule=schedule, **settings)
    met = np.zeros(int(RANKS * (generations(documents) + 2)), np.bool_)
    most, before, seconds = 0, 0.0, []
    for number, numbers in enumerate(stream(documents)):
        met[numbers] = True
        batch = [[spelled(word) for word in document] for document in numbers.tolist()]
        began = time.process_time()
        model.partial_fit(batch)
        seconds.append(time.process_time() - began)
        most = max(most, model.trace_[-1]["vocabulary"]["size"])
        model.trace_.clear()
        if number == 0:
            model.partial_fit(batch)  # all kernels are there, also those of a second step
            model.trace_.clear()
            reset_peak()
            before = peak_megabytes()
    steps = len(seconds)
    parts = {"first": slice(steps // 20, steps // 10), "last": slice(steps - steps // 20, steps)}
    return {
        "memory": memory,
        "documents": documents,
        "distinct": int(met.sum()),
        "words": len(model.vocabulary_),
        "most_words": most,
        "cells": int(model.engine_.table.whole().sizes.sum()),
        "grown_mb": peak_megabytes() - before,
        **{f"{name}_rate": BATCH * len(seconds[part]) / sum(seconds[part]) for name, part in parts.items()},
        "rate": documents / sum(seconds),
    }


def bound_mb(result: dict[str, Any]) -> float:
    """What the table may take: cells of the truncation sets and of the words since the last reordering, or of
    all counts kept, and the words themselves."""
    since = REORDER_EVERY * BATCH * WORDS_A_DOCUMENT
    cells = result["cells"] if result["memory"] == "keep" else TOPICS * TRUNCATION
    words = result["distinct"] if result["memory"] == "keep" else TOPICS * TRUNCATION
    size = (cells + since) * (SLOT * 1.5 + CELL) + (words + since) * WORD
    return COPIES * size / MEGABYTE


def measure(documents: int, memory: str) -> dict[str, Any]:
    """The child's answer, or {"error": why}."""
    result = answer(__file__, "--child", "--documents", str(documents), "--memory", memory)
    return result if "error" in result else {**result, "bound_mb": bound_mb(result)}


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--documents", type=int, default=500_000)
    options.add_argument("--memory", choices=MEMORY, default="discard")
    options.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    args = options.parse_args()
    result = (child if args.child else measure)(args.documents, args.memory)
    print(json.dumps(result, indent=None if args.child else 1))


if __name__ == "__main__":
    main()
