"""What a topic n-gram model predicts: words by the topics of their document, which adapt as words come."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.ngrams.kernels.topic_predictions import TopicShares
from stickbreaker.ngrams.model.contexts import Contexts, Integers


class TopicSample(NamedTuple):
    """One state of a chain. Cells are in order of their slots, those of a slot in order of topics."""

    slots: NDArray[np.integer]  # cells
    topics: NDArray[np.integer]  # cells
    customers: NDArray[np.integer]  # cells
    tables: NDArray[np.integer]  # cells
    discounts: Array  # depths
    concentrations: Array  # depths
    switches: Array  # restaurants: the expected share of topics; none without a common topic
    prior: Array  # topics: alpha; 0 of the common one


def shares_of(sample: TopicSample, contexts: Contexts) -> TopicShares:
    """What predictions need of a sample."""
    n_topics = len(sample.prior)
    customers, tables = sample.customers.astype(np.float64), sample.tables.astype(np.float64)
    restaurants = contexts.restaurants[sample.slots]
    places = restaurants * n_topics + sample.topics
    found, at = np.unique(places, return_inverse=True)
    all_customers, all_tables = np.bincount(at, customers), np.bincount(at, tables)
    depths = contexts.depths[found // n_topics]
    a, b = sample.discounts[depths], sample.concentrations[depths]
    left = (b + a * all_tables) / (all_customers + b)
    seated = (customers - a[at] * tables) / (all_customers + b)[at]
    return TopicShares(
        _starts(sample.slots, len(contexts.slot_keys)),
        sample.topics.astype(np.uint16),
        seated,
        _starts(found // n_topics, len(contexts.depths)),
        (found % n_topics).astype(np.uint16),
        left,
        sample.switches,
    )


def _starts(owners: Integers, n: int) -> Integers:
    """Where the rows of each owner lie, which are in order."""
    return np.searchsorted(owners, np.arange(n + 1))
