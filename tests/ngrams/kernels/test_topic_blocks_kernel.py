"""What a block's topics weigh, against the score of the state in which the block is in each topic."""

import numpy as np
import pytest
from tests.ngrams.topic_states import CHAINS, topic_events
from tests.tiers import EXHAUSTIVE

from stickbreaker.kernels.random import seeded
from stickbreaker.ngrams.kernels.block_weights import (
    FEW,
    draw_topic,
    weigh_parts,
    weigh_switches,
    weigh_words,
)
from stickbreaker.ngrams.kernels.topic_blocks import (
    gather,
    pick_table,
    room_of_block,
    seat_block,
    tables_at,
)
from stickbreaker.ngrams.kernels.topic_tables import leave

pytestmark = [pytest.mark.kernels, pytest.mark.usefixtures("wrapping_integers")]

N_TOPICS, N_WORDS = 3, 240


def chain_of(prior):
    generator = np.random.default_rng(5)
    words = generator.choice(3, N_WORDS, p=[0.9, 0.08, 0.02])
    before = np.stack([np.append(np.full(d, -1), words[:-d]) for d in (1, 2)], axis=1)
    chain = CHAINS[prior](topic_events(words, np.arange(N_WORDS) // 60, before), N_TOPICS, 2)
    chain._priors.discounts[:], chain._priors.concentrations[:] = [0.05, 0.02, 0.1], [0.5, 0.2, 1.5]
    chain._words.prior[1:] = 0.3, 0.7, 1.2
    for number in range(2):
        chain._sweep_words(number)
    return chain


def weights_of(n_parts, n_words, chain, block):
    """Logarithms of the topics' weights."""
    words = chain._words
    block.weights[:], block.nats[:] = 1.0, 0.0
    weigh_parts(n_parts, chain._rooms, chain._seats, chain._priors, block)
    weigh_words(n_words, words, words.prior.sum(), block)
    return block.nats + np.log(block.weights)


@pytest.mark.parametrize("prior", ["none", "switching"])
def test_weights_are_those_of_the_score(prior):
    """Of blocks of a few words, and of so many that logarithms of Gamma functions are taken."""
    chain = chain_of(prior)
    words, rooms, seats = chain._words, chain._rooms, chain._seats
    state, first = np.empty(2, np.uint64), 0 if prior == "switching" else 1
    seeded(np.uint64(3), state)
    block = room_of_block(chain._most, 3, N_TOPICS + 1, len(words.sizes))
    sitting, sizes = chain._sitting(), []
    for slot in np.repeat(np.arange(len(rooms.parents)), 20 if EXHAUSTIVE else 4).tolist():
        tables = tables_at(slot, 0, rooms, seats)
        if not tables:
            continue
        topic, size = pick_table(slot, tables, 0, rooms, seats, state)
        n_parts, n_words = gather(slot, topic, size, words, sitting, rooms, seats, block, state)
        assert len(set(block.words[:n_words].tolist())) == n_words >= size
        assert (words.topics[block.words[:n_words]] == topic).all()
        seat_block(n_parts, n_words, topic, topic, -1, words, rooms, seats, block)
        found, scores = weights_of(n_parts, n_words, chain, block), []
        assert not block.seen.any()
        for k in range(first, N_TOPICS + 1):
            seat_block(n_parts, n_words, k, k, 1, words, rooms, seats, block)
            scores.append(chain.score().nats)
            seat_block(n_parts, n_words, k, k, -1, words, rooms, seats, block)
        assert np.allclose(found[first:] - found[first], np.array(scores) - scores[0], atol=1e-7)
        seat_block(n_parts, n_words, topic, topic, 1, words, rooms, seats, block)
        sizes.append((n_words, n_parts))
    assert max(n for n, _ in sizes) > 2 * FEW
    assert max(n for _, n in sizes) > 3
    chain.restore(chain.snapshot())


def test_switches_weigh_the_words_of_a_block():
    chain = chain_of("switching")
    block = room_of_block(chain._most, 3, N_TOPICS + 1, len(chain._words.sizes))
    shares = np.linspace(0.1, 0.9, len(chain._rooms.depths))
    block.words[:3], block.nats[:], block.weights[:] = [0, 100, 239], 0.0, 1.0
    weigh_switches(3, chain._words, chain._rooms, shares, block)
    at = shares[chain._rooms.restaurants[chain._words.slots[[0, 100, 239]]]]
    difference = np.log(1.0 - at).sum() - np.log(at).sum()
    assert np.allclose(block.nats - block.nats[1], [difference, 0.0, 0.0, 0.0])


def test_topics_are_drawn_by_their_weights():
    """Those before the first are not, whatever they weigh."""
    block, state = room_of_block(4, 1, 4, 1), np.empty(2, np.uint64)
    seeded(np.uint64(1), state)
    p, counts = np.array([0.0, 0.2, 0.5, 0.3]), np.zeros(4)
    for _ in range(2_000):
        block.weights[:] = 9.0, 2e-200, 5e-100, 3.0
        block.nats[:] = 0.0, np.log(1e200) - 900.0, np.log(1e100) - 900.0, -900.0
        counts[draw_topic(1, block, state)] += 1
    assert (np.abs(counts / 2_000 - p) <= 4.5 * np.sqrt(p * (1.0 - p) / 2_000)).all()


def test_whose_table_is_left():
    """A customer leaves a table in proportion to its size, and the table that it opened in a shorter one."""
    chain = chain_of("none")
    arrays, counts = chain.snapshot(), np.zeros(2)
    slot, topic = int(chain._words.slots[0]), int(chain._words.topics[0])
    state = np.empty(2, np.uint64)
    seeded(np.uint64(1), state)
    rooms = chain._rooms
    entries = chain._seats.entries[rooms.entries[slot] :][: chain._seats.n_entries[slot]]
    single = sum(int(n) for key, size, n in entries if key == topic and size == 1)
    customers = sum(int(size * n) for key, size, n in entries if key == topic)
    assert 0 < single < customers
    for _ in range(200):
        chain.restore(arrays)
        before = chain._seats.n_cells[slot], tables_at(slot, 0, rooms, chain._seats)
        leave(slot, topic, rooms, chain._seats, state)
        counts[before[1] - tables_at(slot, 0, rooms, chain._seats)] += 1
    p = single / customers
    assert abs(counts[1] / 200 - p) < 4.5 * np.sqrt(p * (1.0 - p) / 200)
