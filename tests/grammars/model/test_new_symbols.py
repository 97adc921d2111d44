"""Symbols that a grammar has not learned: their probability by definition, and all strings sum to one."""

import itertools

import numpy as np
import pytest
from tests.grammars.model.test_grammar_charts import FINITE, learned, numbered

from stickbreaker.grammars.model.compiled import compiled
from stickbreaker.grammars.model.grammar import Grammar
from stickbreaker.grammars.model.new_symbols import NEW, open_symbols, opened
from stickbreaker.grammars.model.sentence_parser import LearnedGrammar, Predictive
from stickbreaker.grammars.model.tree_chain import AdaptorChain

TEXTS = ["abba", "ab", "ba", "abab", "b"]


def strings(letters, longest):
    """All strings of letters up to a length, as letters and where each starts."""
    found = [np.array(one) for n in range(1, longest + 1) for one in itertools.product(letters, repeat=n)]
    return np.concatenate(found).astype(np.int32), np.cumsum([0, *map(len, found)])


def chain_of(grammar, texts):
    """What a chain remembers of texts after a few sweeps."""
    chain = AdaptorChain(compiled(grammar), *numbered(grammar, texts), 0)
    for number in range(3):
        chain.sweep(number, 1)
    return LearnedGrammar.of(chain.fitted().params, compiled(grammar))


def test_the_probability_of_a_new_symbol_by_definition():
    grammar = Grammar.from_text("1 1 S --> L\n1 1 S --> L S\n1 1 L --> a\n4 1 L --> b")
    model = learned(grammar, np.array([3.0, 4.0, 5.0, 2.0])).opened
    mean, total = 2.5, 1.0 + 4.0 + 5.0 + 2.0
    new = mean / (total + mean)  # 0.172
    a, last = (1.0 + 5.0) / (total + mean), (1.0 + 3.0) / (2.0 + 7.0)
    nats = model.nats(np.array([2, 0, 2], np.int32), np.array([0, 1, 3]))
    assert np.exp(nats) == pytest.approx([last * new, (1 - last) * last * a * new], rel=1e-12)


def test_the_probabilities_of_all_strings_sum_to_one_with_a_mark_for_new_symbols():
    for model in (
        learned(Grammar.from_text(FINITE), np.arange(8.0)),
        chain_of(Grammar.from_text(FINITE), TEXTS),
    ):
        assert np.exp(model.nats(*strings(range(2), 8))).sum() == pytest.approx(1.0, abs=1e-9)
        found = model.opened
        assert found.new_symbol == 2
        found.refuse_nonsense()
        assert np.exp(found.nats(*strings(range(3), 8))).sum() == pytest.approx(1.0, abs=1e-9)


def test_predictive_weights_leave_room_for_new_symbols():
    model = chain_of(Grammar.from_text(FINITE), TEXTS)
    given = model.probabilities
    online = LearnedGrammar(
        model.grammar, model.uses, model.discounts, model.concentrations, model.customers, model.tables,
        model.entries, model.starts, Predictive(given.rules, given.fresh, given.shares),
    )  # fmt: skip
    for mine, other in zip(online.opened.probabilities, model.opened.probabilities, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12)


@pytest.mark.parametrize(
    ("rules", "names"),
    [
        ("1 1 S --> N V\n1 1 N --> a\n1 1 N --> b\n1 1 V --> c\n1 1 V --> d", ["N", "V"]),
        ("1 1 S --> N V\n1 1 N --> a\n1 1 N --> b\n1 1 V --> c", ["N"]),  # V is a name of c
        ("1 1 S --> N V\n1 1 N --> a\n1 1 V --> c", ["N", "V"]),
        ("1 1 S --> a S\n1 1 S --> b S\n1 1 S --> a\n1 1 S --> b", ["S"]),
        ("1 1 S --> a b", []),
    ],
)
def test_which_symbols_may_be_new_ones(rules, names):
    grammar = compiled(Grammar.from_text(rules))
    assert [grammar.names[number] for number in open_symbols(grammar)[0]] == names
    found = opened(grammar)
    assert found.grammar.terminals[-1] == NEW
    assert (found.grammar.rules.terminals[found.added] == len(grammar.terminals)).all()
    for name in ("parents", "lefts", "rights", "terminals", "counted"):
        before, after = getattr(grammar.rules, name), getattr(found.grammar.rules, name)
        assert (after[found.moved] == before).all()


def test_a_grammar_whose_terminals_are_all_among_others_has_no_new_symbols():
    model = learned(Grammar.from_text("1 1 S --> a b")).opened
    assert model.nats(np.array([0, 1, 2, 1], np.int32), np.array([0, 2, 4])).tolist() == [0.0, -np.inf]
