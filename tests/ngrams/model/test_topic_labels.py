"""All topics of six words in two documents, times all seatings: how often the chains come to each."""

import itertools
import sys
from functools import cache

import numpy as np
import pytest
from tests.ngrams.topic_states import BASE, CHAINS, longest_contexts, names_of, topic_events
from tests.oracle.topic_ngrams import log_topics
from tests.oracle.topic_seatings import Given, log_labels, seatings
from tests.tiers import EXHAUSTIVE, sampled

from stickbreaker.ngrams.model.chain import LEAST
from stickbreaker.ngrams.model.topic_rooms import used
from stickbreaker.testing.geweke import chain_deviations

DISCOUNTS, CONCENTRATIONS = np.array([0.4, 0.6, 0.3]), np.array([0.8, 0.5, 0.7])
MASSES = np.array([1.5, 0.7, 2.0])  # of switches
ALPHA = np.array([0.4, 0.9, 0.6])
WORDS = np.array([0, 0, 1, 0, 0, 0])
BEFORE = np.array([[0, 1], [0, 1], [0, 1], [1, -1], [0, 0], [0, 1]])
DOCUMENTS = np.array([0, 0, 1, 1, 0, 1])
SHARES = {(): 0.6, (0,): 0.3, (1,): 0.8, (0, 1): 0.5, (0, 0): 0.7}
N_TOPICS = {"none": 3, "switching": 2, "hierarchical": 2}  # besides the common one
LONGEST = {"none": 2, "switching": 2, "hierarchical": 1}  # words of a context: seatings are too many else
SWEEPS = 100_000 if EXHAUSTIVE else 5_000


def text_of(prior):
    return topic_events(WORDS, DOCUMENTS, BEFORE[:, : LONGEST[prior]], BASE)


def canonical(topics):
    """Topics from 1 on in order of their first word, which seating does not tell apart."""
    names = {0: 0}
    return tuple(names.setdefault(topic, len(names)) for topic in topics)


class Exact:
    """The posterior of topics and of the number of tables (all, those that are shared)."""

    def __init__(self, prior):
        self.prior, n_topics = prior, N_TOPICS[prior]
        self.contexts = longest_contexts(text_of(prior))
        first = 0 if prior == "switching" else 1
        self.alpha = ALPHA[:n_topics]
        self.labels = list(itertools.product(range(first, n_topics + 1), repeat=len(WORDS)))
        self.joint = {}
        for topics in self.labels:
            prior_p = np.exp(log_topics(topics, DOCUMENTS.tolist(), self.alpha))
            for counts, p in self.tables(canonical(topics)).items():
                self.joint[topics, counts] = prior_p * p
        total = sum(self.joint.values())
        self.joint = {key: p / total for key, p in self.joint.items()}

    @cache  # noqa: B019 (goes with the test)
    def tables(self, topics):
        """p(words, numbers of tables | topics), and of their switches."""
        given = Given(BASE, DISCOUNTS, CONCENTRATIONS, SHARES if self.prior == "hierarchical" else None)
        customers = list(zip(topics, self.contexts, WORDS.tolist(), strict=True))
        factor = 1.0
        if self.prior == "switching":
            factor = np.exp(log_labels([(h, int(k > 0)) for k, h, _ in customers], MASSES))
        found = {}
        for state, p in seatings(customers, given).items():
            held = [shared for _, tables in state for shared, _ in tables]
            counts = len(held), sum(held)
            found[counts] = found.get(counts, 0.0) + p * factor
        return found


def functions(topics, tables, shared):
    """Pairs of words of one topic, words of the common topic and of the first, numbers of tables."""
    pairs = itertools.combinations(range(len(topics)), 2)
    alike = [topics[i] == topics[j] for i, j in pairs]
    return [
        *alike,
        *[k == 0 for k in topics],
        *[k == 1 for k in topics],
        tables,
        tables**2,
        shared,
        shared**2,
    ]


def states(prior, blocks):
    """Topics and numbers of tables along a chain whose hyperparameters stay; `blocks` moves a sweep."""
    text, n_depths = text_of(prior), LONGEST[prior] + 1
    chain = CHAINS[prior](text, N_TOPICS[prior], 5)
    chain._priors.discounts[:], chain._priors.concentrations[:] = (
        DISCOUNTS[:n_depths],
        CONCENTRATIONS[:n_depths],
    )
    chain._words.prior[1:] = ALPHA[: len(chain._words.prior) - 1]
    if prior == "switching":
        chain._switches.held.priors.concentrations[:] = MASSES
    if prior == "hierarchical":
        names = names_of(text.events.contexts)
        chain._switches.held.shares[:] = [SHARES[name] for name in names]
        chain._draw_shares = lambda number: chain._switches.held.shares
    order = np.argsort(np.argsort(text.deepest, kind="stable"))
    for number in range(SWEEPS):
        chain._sweep_words(number)
        for block in range(blocks):
            chain._move_tables(number * blocks + block)
        cells = chain._seats.cells[used(chain._rooms.cells, chain._seats.n_cells)]
        tables, shared = cells[:, 2].sum(), cells[:, 3].sum()
        yield tuple(chain._words.topics[order].tolist()), (int(tables), int(shared))


@pytest.mark.long("5,000 sweeps, so that every labelling comes often enough")
@pytest.mark.parametrize("blocks", sampled([0, 2], 1))
@pytest.mark.parametrize("prior", ["none", "switching", "hierarchical"])
def test_every_labelling_comes_as_often_as_it_should(prior, blocks):
    exact = Exact(prior)
    keys = [key for key, p in exact.joint.items() if p > 0.0]
    p = np.array([exact.joint[key] for key in keys])
    expected = p @ np.array([functions(topics, *counts) for topics, counts in keys], np.float64)
    of = {topics: i for i, topics in enumerate(exact.labels)}
    shares = np.bincount([of[topics] for topics, _ in keys], p)
    chain, at = [], []
    for topics, counts in states(prior, blocks):
        assert (topics, counts) in exact.joint
        chain.append(functions(topics, *counts))
        at.append(of[topics])
    assert chain_deviations(chain, expected).max() < 4.5
    often = np.flatnonzero(shares > 0.003)
    assert len(often) > 20
    visits = np.array(at)[:, None] == often
    deviations = chain_deviations(visits, shares[often])
    assert np.sqrt((deviations**2).mean()) < (1.3 if EXHAUSTIVE else 2.0)


@pytest.mark.slow
@pytest.mark.parametrize("prior", sampled(["none", "switching"], 1))
def test_words_whose_base_is_almost_none(prior, monkeypatch):
    """All that comes of a word of G0 = 1e-300 hangs from one table: only blocks move it."""
    monkeypatch.setattr(sys.modules[__name__], "BASE", np.array([LEAST, 0.5, 0.5]))
    exact = Exact(prior)
    keys = [key for key, p in exact.joint.items() if p > 0.0]
    p = np.array([exact.joint[key] for key in keys])
    expected = p @ np.array([functions(topics, *counts) for topics, counts in keys], np.float64)
    chain = [functions(topics, *counts) for topics, counts in states(prior, 3)]
    assert chain_deviations(chain, expected).max() < 4.5
