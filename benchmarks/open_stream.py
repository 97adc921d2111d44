"""A generated stream that never runs out of new words: is memory bounded, and does speed last?

Documents have ten words, mostly from one of twenty topics. A word has a rank, Zipf's law gives the frequency
of the rank, and after a while another word takes the rank: all words fall out of use in the end, and new ones
keep coming. The model learns by `partial_fit`, a minibatch at a time, as a program would that reads a queue.
"""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from benchmarks.processes import answer
from benchmarks.watch import MEGABYTE, peak_megabytes, reset_peak
from numpy.typing import NDArray

MEMORY = ("discard", "keep", "bloom")
WORDS_A_DOCUMENT, TOPICS, RANKS = 10, 20, 100_000
MAIN_SHARE = 0.8  # of a document's words from its main topic
BATCH, TRUNCATION, REORDER_EVERY = 1_000, 2_000, 10
NEW_WORDS = 0.04  # distinct words per token: 2 million in 5 million documents
SLOT, CELL, WORD = 13, 8, 260  # bytes of a slot, of a cell by row, of a word with its key and log G0
COPIES = 3  # the table, the copy that a step works on, and the order that it is sorted by
LETTERS = "etaoinsrhldcumfpgwybvk"


def stream(documents: int, seed: int = 0) -> Iterator[NDArray[np.int64]]:
    """Minibatches of word numbers (documents × words); the same number of documents has always the same
    stream."""
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
    """How often each rank gets a new word in the whole stream, so that it has `NEW_WORDS` distinct words per
    token; a short stream needs no new ones."""
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
    """A word of letters, a different one for each number."""
    word = ""
    number += len(LETTERS) ** 2
    while number:
        number, letter = divmod(number, len(LETTERS))
        word += LETTERS[letter]
    return word


def learn(documents: int, memory: str) -> dict[str, Any]:
    """Learn from the stream; returns documents per second, numbers of words and the growth of memory."""
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
            model.partial_fit(batch)  # all kernels are compiled, also those of a second step
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
    """Megabytes that the table may take: cells of the truncation sets and of the words since the last
    reordering (or of all counts, if all are kept), and the words themselves."""
    since = REORDER_EVERY * BATCH * WORDS_A_DOCUMENT
    cells = result["cells"] if result["memory"] == "keep" else TOPICS * TRUNCATION
    words = result["distinct"] if result["memory"] == "keep" else TOPICS * TRUNCATION
    size = (cells + since) * (SLOT * 1.5 + CELL) + (words + since) * WORD
    return COPIES * size / MEGABYTE


def measure(documents: int, memory: str) -> dict[str, Any]:
    """The figures of `learn` in a process of its own, or {"error": why it failed}."""
    result = answer(learn, documents, memory)
    return result if "error" in result else {**result, "bound_mb": bound_mb(result)}
