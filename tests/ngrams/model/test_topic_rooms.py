"""Rooms of topics: nothing overflows, counts are those of a recount, one topic is the plain model."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from tests.ngrams.topic_states import CHAINS, topic_events
from tests.tiers import EXHAUSTIVE

from stickbreaker.ngrams.kernels.topic_tables import COMMON, CUSTOMERS, KEY, NUMBER, SIZE, TABLES, TOPIC
from stickbreaker.ngrams.model.chain import PitmanYorChain
from stickbreaker.testing.geweke import geweke_deviations

PRIORS = pytest.mark.parametrize("prior", list(CHAINS))
UNBOUNDED = pytest.mark.parametrize("unbounded", [False, True])


def text_of(words, n_documents, longest, *, unbounded=False):
    """Words in their order, in documents of the same length; contexts end where a document begins."""
    words = np.asarray(words)
    documents = np.arange(len(words)) * n_documents // len(words)
    first = np.searchsorted(documents, documents)
    before = np.full((len(words), longest), -1)
    for d in range(longest):
        inside = np.arange(len(words)) - d - 1 >= first
        before[inside, d] = words[np.arange(len(words))[inside] - d - 1]
    n = int(words.max()) + 1
    return topic_events(words, documents, before, np.full(n, 1.0 / n), unbounded=unbounded)


def rows_of(starts, n):
    """The rows in use of each owner."""
    for owner, (first, number) in enumerate(zip(starts[:-1].tolist(), n.tolist(), strict=True)):
        yield owner, slice(first, first + number)


def refuse_wrong_counts(chain):
    """AssertionError where rooms are too small, or counts are not those of words and tables."""
    rooms, seats, words = chain._rooms, chain._seats, chain._words
    for starts, n in ((rooms.cells, seats.n_cells), (rooms.entries, seats.n_entries)):
        assert (n <= np.diff(starts)).all()
    assert (seats.n_totals <= np.diff(rooms.totals)).all()
    expected, totals = defaultdict(int), defaultdict(lambda: np.zeros(2, np.int64))
    for slot, topic in zip(words.slots.tolist(), words.topics.tolist(), strict=True):
        expected[slot, topic] += 1
    found = {}
    for slot, rows in rows_of(rooms.cells, seats.n_cells):
        for cell in seats.cells[rows].astype(np.int64):
            topic, restaurant = int(cell[TOPIC]), int(rooms.restaurants[slot])
            assert (slot, topic) not in found
            found[slot, topic] = cell[1:]
            totals[restaurant, topic] += cell[CUSTOMERS : TABLES + 1]
            expected[int(rooms.parents[slot]), topic] += int(cell[TABLES] - cell[COMMON])
            expected[slot, 0] += int(cell[COMMON])
    for slot, rows in rows_of(rooms.entries, seats.n_entries):
        entries = seats.entries[rows].astype(np.int64)
        assert len({tuple(pair) for pair in entries[:, : SIZE + 1].tolist()}) == len(entries)
        for topic in set((entries[:, KEY] % rooms.n_topics).tolist()):
            here = entries[entries[:, KEY] % rooms.n_topics == topic]
            shared = here[here[:, KEY] >= rooms.n_topics, NUMBER].sum()
            counts = (here[:, SIZE] @ here[:, NUMBER], here[:, NUMBER].sum(), shared)
            assert tuple(found[slot, topic]) == counts
    for (slot, topic), customers in expected.items():
        assert slot < 0 or not customers or found[slot, topic][0] == customers
    assert sum(cell[0] for cell in found.values()) == sum(n for (slot, _), n in expected.items() if slot >= 0)
    for restaurant, rows in rows_of(rooms.totals, seats.n_totals):
        for topic, *counts in seats.totals[rows].tolist():
            assert tuple(totals.pop((restaurant, topic), (0, 0))) == tuple(counts)
    assert not any(counts.any() for counts in totals.values())
    counts = np.zeros_like(words.counts)
    np.add.at(counts, (words.documents, words.topics), 1)
    assert (words.counts == counts).all()
    assert (words.sizes == counts[:, 1:].sum(axis=1)).all()


def refuse_wrong_chain(text, n_topics, prior, sweeps=12):
    chain = CHAINS[prior](text, n_topics, 3)
    for number in range(sweeps):
        chain.sweep(number, 1)
        refuse_wrong_counts(chain)
        totals, stops = chain._seats.totals.copy(), chain._stops.counts.copy()
        by_topic = _totals(chain)
        chain.restore(chain.snapshot())
        refuse_wrong_counts(chain)
        assert by_topic == _totals(chain)
        assert totals.shape == chain._seats.totals.shape
        assert (stops == chain._stops.counts).all()


def _totals(chain):
    rows = rows_of(chain._rooms.totals, chain._seats.n_totals)
    return {(r, *row) for r, place in rows for row in chain._seats.totals[place].tolist() if row[1]}


@PRIORS
@UNBOUNDED
@settings(max_examples=100 if EXHAUSTIVE else 8)
@given(
    words=st.lists(st.integers(0, 3), min_size=2, max_size=60),
    n_documents=st.integers(1, 4),
    n_topics=st.integers(1, 12),
    longest=st.integers(1, 4),
)
def test_rooms_hold_what_comes(prior, unbounded, words, n_documents, n_topics, longest):
    text = text_of(words, n_documents, longest, unbounded=unbounded)
    refuse_wrong_chain(text, n_topics, prior, sweeps=6)


HARD = {
    "one word": [0] * 80,
    "two words in turn": [0, 1] * 40,
    "twice each": np.repeat(np.arange(30), 2),
    "once each": np.arange(40),
    "one between others": np.stack([np.arange(1, 41), np.zeros(40, np.int64)], axis=1).ravel(),
}


@PRIORS
@UNBOUNDED
@pytest.mark.parametrize("hard", list(HARD))
def test_rooms_of_hard_texts(prior, unbounded, hard):
    for n_documents, n_topics in ((1, 1), (1, 30), (5, 3)):
        refuse_wrong_chain(
            text_of(HARD[hard], n_documents, 3, unbounded=unbounded), n_topics, prior, sweeps=5
        )


@UNBOUNDED
def test_one_topic_is_the_plain_model(unbounded):
    """Tables, discounts and concentrations by depth have the same means in the long run."""
    words = np.random.default_rng(2).choice(4, 40, p=[0.5, 0.3, 0.1, 0.1])
    text = text_of(words, 2, 2, unbounded=unbounded)
    plain, topics = PitmanYorChain(text.events, 1), CHAINS["none"](text, 1, 2)
    found = [[], []]
    for number in range(20_000 if EXHAUSTIVE else 1_000):
        for chain, into in zip((plain, topics), found, strict=True):
            chain.sweep(number, 1)
            parts = chain._by_depth()
            counts = [each.sum() for customers, tables, _ in parts for each in (customers, tables, tables**2)]
            into.append(
                [*counts, *chain._priors.discounts, *np.log(chain._priors.concentrations), *chain._nats]
            )
    means = [np.array_split(np.array(each[100:]), 50) for each in found]
    means = [np.array([part.mean(axis=0) for part in each]) for each in means]
    assert geweke_deviations(means[0], means[1]).max() < 5.0


@UNBOUNDED
@PRIORS
def test_topics_that_only_order_tells_apart_are_found(prior, unbounded):
    """Four topics in which each word has another successor; all words are equally frequent in each.

    Where contexts are unbounded, the chain takes longer: not all documents are in their topic by then. One
    chain of ten stays where two topics are one for hundreds of sweeps, so that another is tried.
    """
    generator, n_words, n_documents, size = np.random.default_rng(4), 8, 24, 60
    cycles = [generator.permutation(n_words) for _ in range(4)]
    words = []
    for document in range(n_documents):
        cycle, word = cycles[document % 4], int(generator.integers(n_words))
        for _ in range(size):
            word = int(cycle[word]) if generator.random() < 0.9 else int(generator.integers(n_words))
            words.append(word)
    text = text_of(words, n_documents, 1 + unbounded, unbounded=unbounded)
    found: list[float] = []
    while len(found) < 3 and max(found, default=0.0) <= 0.75:
        chain = CHAINS[prior](text, 4, 2 + len(found))
        for number in range(250 if unbounded else 80):
            chain.sweep(number, 1)
        shares = np.zeros((4, 4))
        topics = chain._words.counts[:, 1:].argmax(axis=1)
        np.add.at(shares, (np.arange(n_documents) % 4, topics), 1.0 / n_documents)
        found.append(float(shares[linear_sum_assignment(-shares)].sum()))
    assert max(found) > 0.75, found
