"""Phrases of topics: n-grams more frequent in a topic than their words would suggest."""

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.topk import descending
from stickbreaker.ngrams.model.contexts import context_words
from stickbreaker.ngrams.model.topic_language_model import TopicLanguageModel

FEWEST = 3  # occurrences of a phrase in the text


def top_phrases(
    model: TopicLanguageModel, n: int, number: int, allowed: NDArray[np.bool_]
) -> list[list[tuple[int, ...]]]:
    """The `n` best n-grams of two words or more of each topic, by sample `number`, as word numbers.

    allowed (words): whether a word may be part of one. An n-gram u w with c customers in the topic has the
    score c times the smaller of two log ratios: the topic's share of the n-gram's customers against its share
    of all customers, and p(w | u) against p(w) in the topic. If one n-gram contains another, only the better
    one is chosen. With c below `FEWEST` or a score of at most 0, none is, so there may be fewer than n.
    """
    shares, contexts = model.samples[number], model.contexts
    part = slice(*model.cells[number : number + 2].tolist())
    slots, topics = model.slots[part].astype(np.int64), model.topics[part].astype(np.int64)
    customers = model.customers[part].astype(np.int64)
    words = contexts.slot_keys % contexts.n_words
    first = np.zeros((model.n_topics + 1, contexts.n_words))
    at = slots < contexts.n_words
    first[topics[at], words[slots[at]]] = shares.seated[at]
    symbols = context_words(contexts)
    use = (customers >= FEWEST) & ~at & (topics > 0) & allowed[words[slots]]
    inside = symbols[contexts.restaurants[slots]]
    use &= (allowed[inside] | (inside < 0)).all(axis=1)
    cells = np.flatnonzero(use)
    own_share = customers[cells] / np.bincount(slots, customers)[slots[cells]]
    lift = np.log(own_share / (np.bincount(topics, customers) / customers.sum())[topics[cells]])
    p, alone = shares.seated[cells], first[topics[cells], words[slots[cells]]]
    weights = customers[cells] * np.minimum(lift, np.log(p / np.maximum(alone, 1e-12)))
    found: list[list[tuple[int, ...]]] = []
    for topic in range(1, model.n_topics + 1):
        own = np.flatnonzero((topics[cells] == topic) & (weights > 0.0))
        phrases: list[tuple[int, ...]] = []
        for place in own[descending(weights[own], len(own))].tolist():
            slot = slots[cells[place]]
            context = symbols[contexts.restaurants[slot]]
            phrase = (*context[context >= 0][::-1].tolist(), int(words[slot]))
            if not any(_holds(phrase, other) or _holds(other, phrase) for other in phrases):
                phrases.append(phrase)
            if len(phrases) == n:
                break
        found.append(phrases)
    return found


def _holds(phrase: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether a phrase contains all words of another one, in order and without gaps."""
    n = len(other)
    return any(phrase[i : i + n] == other for i in range(len(phrase) - n + 1))
