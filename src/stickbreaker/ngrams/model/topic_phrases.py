"""Phrases of topics: n-grams more frequent in a topic than their words would suggest."""

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.topk import descending
from stickbreaker.ngrams.model.contexts import context_words
from stickbreaker.ngrams.model.topic_language_model import TopicLanguageModel

FEWEST = 3  # occurrences of a phrase in the text
TYPICAL = 1.5  # times its share of all words that a topic has of a typical word
MOST_FREQUENT = 50  # words of the text, one in twenty at most: "the" and "of" are typical of no topic


def top_phrases(
    model: TopicLanguageModel, n: int, number: int, allowed: NDArray[np.bool_]
) -> list[list[tuple[int, ...]]]:
    """The `n` best n-grams of two words or more of each topic, by sample `number`, as word numbers.

    allowed (words): whether a word may be part of one. An n-gram u w with c customers in the topic has the
    score c times the smaller of two log ratios: the topic's share of the n-gram's customers against its share
    of all customers, and p(w | u) against p(w) in the topic. If one n-gram contains another, only the better
    one is chosen. With c below `FEWEST` or a score of at most 0, none is, nor without a word that is typical
    of the topic ("of the" says little of any), so there may be fewer than n.
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
    counts = model.word_topics
    shares_of_words = counts / np.maximum(counts.sum(axis=0), 1e-300)
    totals = counts.sum(axis=1)
    typical = shares_of_words >= TYPICAL * totals[:, None] / totals.sum()
    typical[descending(totals, min(MOST_FREQUENT, contexts.n_words // 20))] = False
    found: list[list[tuple[int, ...]]] = []
    for topic in range(1, model.n_topics + 1):
        own = np.flatnonzero((topics[cells] == topic) & (weights > 0.0))
        phrases: list[tuple[int, ...]] = []
        for place in own[descending(weights[own], len(own))].tolist():
            slot = slots[cells[place]]
            context = symbols[contexts.restaurants[slot]]
            phrase = (*context[context >= 0][::-1].tolist(), int(words[slot]))
            if not typical[list(phrase), topic].any():
                continue
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
