"""A small grammar: the inside sums by all trees and all strings, expected uses, and runs on engines."""

from itertools import pairwise, product

import numpy as np
import pytest
from tests.toys.small_grammar import Rules, ToyGrammar, expected_uses, inside

from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.shards import Shard
from stickbreaker.engines import LocalEngine
from stickbreaker.testing import RunTests


def some_rules(symbols=3, words=2, seed=0):
    """Rules of each symbol, which sum to one."""
    draw = np.random.default_rng(seed)
    shares = draw.dirichlet(np.full(symbols**2 + words + 1, 0.7), symbols)
    return Rules(shares[:, : symbols**2].reshape(symbols, symbols, symbols), shares[:, symbols**2 :])


def trees(rules, symbol, sentence):
    """Probability and rules of every tree of a sentence."""
    if len(sentence) == 1:
        yield rules.words[symbol, sentence[0]], [(symbol, sentence[0])]
    for cut in range(1, len(sentence)):
        for b, c in product(range(len(rules.pairs)), repeat=2):
            for p, left in trees(rules, b, sentence[:cut]):
                for q, right in trees(rules, c, sentence[cut:]):
                    yield rules.pairs[symbol, b, c] * p * q, [(symbol, b, c), *left, *right]


@pytest.mark.parametrize("sentence", [[0], [1, 0], [0, 1, 1], [2, 0, -1, 1]])
def test_a_sentence_is_the_sum_of_its_trees(sentence):
    rules, words = some_rules(), np.array(sentence, np.int32)
    every = list(trees(rules, 0, [word % 3 for word in sentence]))
    whole = sum(chance for chance, _ in every)
    uses = Rules(np.zeros_like(rules.pairs), np.zeros_like(rules.words))
    for chance, used in every:
        for rule in used:
            (uses.pairs if len(rule) == 3 else uses.words)[rule] += chance / whole
    nats, expected = expected_uses(rules, words)
    assert nats == pytest.approx(np.log(whole))
    assert expected.pairs == pytest.approx(uses.pairs)
    assert expected.words == pytest.approx(uses.words)


def test_all_strings_of_a_finite_language_sum_to_one():
    """Symbols are rewritten as later symbols only: strings have at most four words."""
    rules = some_rules(3, 2)
    for a, b, c in product(range(3), repeat=3):
        if min(b, c) <= a:
            rules.pairs[a, b, c] = 0.0
    total = rules.pairs.sum((1, 2)) + rules.words.sum(1)
    rules = Rules(rules.pairs / total[:, None, None], rules.words / total[:, None])
    strings = [np.array(s, np.int32) for n in range(1, 6) for s in product(range(3), repeat=n)]
    chances = [inside(rules, string)[0][0, len(string), 0] for string in strings]
    assert sum(chances) == pytest.approx(1.0)
    assert sum(chances[: 3 + 9 + 27 + 81]) == pytest.approx(1.0)


NOUNS, VERBS = ("cat", "dog", "bird", "fox"), ("sees", "hears", "likes")


def shards(number):
    """Documents of two sentences; in each step some words come that are never seen again."""
    draw = np.random.default_rng([7, number])

    def phrase():
        return ["the" if draw.random() < 0.5 else "a", NOUNS[draw.integers(4)]]

    texts = []
    for d in range(24):
        once = [f"name{number}x{d}"] if d % 6 == 0 else phrase()
        late = ["meets"] if number > 2 and d % 2 else [VERBS[draw.integers(3)]]
        texts.append([[*once, *late, *phrase()], [*phrase(), VERBS[draw.integers(3)]]][: d % 3 or None])
    for start in range(0, 24, 10):
        part = texts[start : start + 10]
        keys = sorted({word for text in part for sentence in text for word in sentence})
        words = np.array([keys.index(w) for text in part for sentence in text for w in sentence], np.int32)
        lengths = [len(sentence) for text in part for sentence in text]
        offsets = np.cumsum([0, *(sum(map(len, text)) for text in part)])
        content = Sequences(offsets, words, np.cumsum([0, *lengths[:-1]]))
        yield Shard(np.arange(len(part)) + 24 * number + start, content, np.full(len(keys), -1), keys)


class GrammarRuns:
    model = ToyGrammar
    steps = 8

    def start(self, engine, model):
        keys = model.keys()
        engine.start(model, model.seed(keys, 1.0, 0), keys)

    def shards(self, number):
        return list(shards(number))

    def words(self, engine):
        return list(engine.snapshot()[1])


class TestSmallGrammar(GrammarRuns, RunTests):
    def engine(self, n_jobs):
        return LocalEngine(n_jobs)

    def test_rules_come_and_go(self):
        keys = self.whole().words
        assert {"the", "cat", "sees", "meets"} <= set(keys[-1])
        assert "meets" not in keys[2]
        assert not any(key.startswith("name") for key in keys[-1])
        assert any(set(before) - set(after) for before, after in pairwise(keys))
        assert (self.whole().counts > 0).sum(axis=0).max() <= ToyGrammar.most

    def test_sentences_become_more_probable(self):
        scores = [record["score"] for record in self.whole().records]
        assert scores[-1] > scores[0] + 1.0, scores

    def test_rules_that_a_shard_reads_sum_to_one_with_those_that_it_does_not(self):
        job, _ = self.after(5)
        engine, model = job.engine, job.model
        params = model.prepare({}, engine.table.whole())
        known = sorted({*self.words(engine)} - {*model.keys()})
        rows, lacking = engine.table.positions([*model.keys(), *known]), model.possible - len(known)
        view = model.expectations(params, engine.table.whole(), engine.table.totals(), rows)
        words = view.words[:, :-1].sum(1) + lacking * view.words[:, -1]
        assert view.pairs.sum((1, 2)) + words == pytest.approx(np.ones(model.symbols))
