"""Charts beside sums by definition, and trees drawn by them; what was learned, as a distribution."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.oracle.parsing import prior_weights, probability

from stickbreaker import UserError
from stickbreaker.grammars.model.compiled import compiled
from stickbreaker.grammars.model.grammar import Adaptation, Grammar, Rule, Terminal
from stickbreaker.grammars.model.named import collocation, unigram
from stickbreaker.grammars.model.sentence_parser import LearnedGrammar
from stickbreaker.grammars.model.tree_chain import AdaptorChain, Moves
from stickbreaker.grammars.model.trees import Tree, tree_of

pytestmark = pytest.mark.usefixtures("wrapping_integers")

FINITE = (
    "1 1 S --> K K\n1 1 S --> K\n1 0.3 0.7 K --> W W\n1 0.3 0.7 K --> W\n1 0.2 1 W --> L\n1 0.2 1 W --> L L\n"
)
FINITE += "1 1 L --> a\n2 1 L --> b\n"
STEMS = "1 1 S --> W S\n1 1 S --> W\n1 0.2 1 W --> X Y\n1 0.2 1 W --> X\n1 1 X --> L X\n1 1 X --> L\n"
STEMS += "1 1 Y --> L\n1 1 L --> a\n2 1 L --> b\n"


def learned(grammar, uses=None):
    """A grammar that has learned nothing but uses of rules."""
    found = compiled(grammar)
    n, none = len(found.adapted), np.zeros(0, np.int64)
    uses = np.zeros(len(grammar.rules)) if uses is None else uses
    return LearnedGrammar(
        found, uses, np.zeros(n), np.ones(n), none, none, np.zeros(0, np.int32), np.zeros(1, np.int64)
    )


def numbered(grammar, texts):
    """Texts as letters and where each starts."""
    numbers = {letter: number for number, letter in enumerate(grammar.terminals)}
    letters = np.array([numbers[letter] for text in texts for letter in text], np.int32)
    return letters, np.cumsum([0] + [len(text) for text in texts])


@st.composite
def small_grammars(draw):
    """Four symbols, rules of one to three children, some of them in circles."""
    names = ["S", "A", "B", "C"]
    rules = {Rule(name, (Terminal("ab"[place % 2]),)): None for place, name in enumerate(names)}
    rules[Rule("S", ("A",))] = rules[Rule("A", ("B",))] = rules[Rule("B", ("C",))] = None
    for _ in range(draw(st.integers(1, 6))):
        parent = draw(st.sampled_from(names))
        children = draw(
            st.lists(st.sampled_from([*names, Terminal("a"), Terminal("b")]), min_size=1, max_size=3)
        )
        rules[Rule(parent, tuple(children))] = None
    weighted = [Rule(rule.parent, rule.children, draw(st.sampled_from([0.5, 1.0, 2.0]))) for rule in rules]
    below = Grammar(tuple(weighted), {})
    adapted = {}
    if draw(st.booleans()):
        try:
            adapted = {"C": Adaptation(0.0, 1.0)}
            below = Grammar(tuple(weighted), adapted)
        except UserError:
            below = Grammar(tuple(weighted), {})
    return below


@settings(max_examples=120, deadline=None)
@given(small_grammars(), st.text("ab", min_size=1, max_size=4))
def test_inside_probabilities_are_sums_over_trees(grammar, text):
    expected = probability(grammar, prior_weights(grammar), text)
    (found,) = learned(grammar).parses(*numbered(grammar, [text]), 0)
    if expected == 0.0:
        assert found.nats == -np.inf
    else:
        assert found.nats == pytest.approx(np.log(expected), abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(small_grammars(), st.text("ab", min_size=1, max_size=3), st.integers(0, 2**31))
def test_trees_are_drawn_as_often_as_they_are_probable(grammar, text, seed):
    model = learned(grammar)
    (found,) = model.parses(*numbered(grammar, [text]), 2000, seed=seed)
    assume(np.isfinite(found.nats))
    times: Counter[bytes] = Counter()
    nats = {}
    for k, (start, end) in enumerate(itertools.pairwise(found.starts.tolist())):
        key = found.rules[start:end].tobytes()
        times[key] += 1
        nats[key] = found.tree_nats[k]
        assert "".join(tree_of(found.rules[start:end], model.grammar).leaves()) == text
    shares = {key: min(np.exp(value - found.nats), 1.0) for key, value in nats.items()}
    assert sum(shares.values()) <= 1.0 + 1e-9
    for key, share in shares.items():
        assert abs(times[key] / 2000 - share) < 5.0 * np.sqrt(share * (1.0 - share) / 2000) + 1e-3
    (best,) = model.parses(*numbered(grammar, [text]), 1, best=True)
    assert best.tree_nats[0] >= max(nats.values()) - 1e-9
    assert best.tree_nats[0] <= found.nats + 1e-9


def fitted(grammar, texts, sweeps=20, **moves):
    """What a chain has learned from texts."""
    found = compiled(grammar)
    chain = AdaptorChain(found, *numbered(grammar, texts), 0, Moves(**moves))
    for number in range(sweeps):
        chain.sweep(number, 1)
    return LearnedGrammar.of(chain.fitted().params, found)


@pytest.mark.kernels
@pytest.mark.parametrize("moves", [{}, {"learn_processes": False, "learn_rules": False}])
def test_strings_of_a_finite_language_sum_to_one(moves):
    grammar = Grammar.from_text(FINITE)
    model = fitted(grammar, ["abab", "ab", "abba", "b", "abab"] * 3, **moves)
    texts = ["".join(letters) for n in range(1, 9) for letters in itertools.product("ab", repeat=n)]
    total = sum(np.exp(found.nats) for found in model.parses(*numbered(grammar, texts), 0))
    assert total == pytest.approx(1.0, abs=1e-10)


@pytest.mark.kernels
def test_remembered_trees_are_drawn_and_best_too():
    grammar = Grammar.from_text(FINITE)
    model = fitted(grammar, ["abab", "ab", "abba", "b", "abab"] * 3)
    (drawn,) = model.parses(*numbered(grammar, ["abab"]), 3000)
    trees: Counter[Tree] = Counter()
    for start, end in itertools.pairwise(drawn.starts.tolist()):
        trees[tree_of(drawn.rules[start:end], model.grammar)] += 1
    (best,) = model.parses(*numbered(grammar, ["abab"]), 1, best=True)
    assert trees[tree_of(best.rules, model.grammar)] > 0
    assert best.tree_nats[0] >= drawn.tree_nats.max() - 1e-9


@pytest.mark.parametrize("grammar", [Grammar.from_text(FINITE), Grammar.from_text(STEMS), collocation("ab")])
def test_cuts_are_those_of_the_trees_that_are_drawn(grammar):
    model = fitted(grammar, ["abab", "ab", "abba", "b", "abab"] * 3)
    letters, starts = numbered(grammar, ["abab", "abba", "b", "a" * 40, "abab"])
    parses = list(model.parses(letters, starts, 200, seed=3))
    for name in grammar.symbols:
        shares, parsed = model.cuts(letters, starts, model.grammar.names.index(name), 200, seed=3)
        assert parsed.tolist() == [len(parse.starts) > 1 for parse in parses]
        for parse, start, end in zip(parses, starts[:-1], starts[1:], strict=True):
            expected = np.zeros(end - start + 1)
            for one, other in itertools.pairwise(parse.starts.tolist()):
                spans = tree_of(parse.rules[one:other], model.grammar).spans()
                places = {at for symbol, *ends in spans if symbol == name for at in ends}
                expected[list(places)] += 1.0 / 200.0
            assert np.allclose(shares[start:end], expected[:-1])


@pytest.mark.parametrize("make", [unigram, collocation])
def test_long_sentences_do_not_vanish(make):
    grammar = make(tuple("abcdefgh"))
    generator = np.random.default_rng(0)
    text = "".join(generator.choice(list("abcdefgh"), 700))
    (whole,) = learned(grammar).parses(*numbered(grammar, [text]), 1)
    (half,) = learned(grammar).parses(*numbered(grammar, [text[:350]]), 1)
    assert whole.nats == pytest.approx(2 * half.nats, rel=0.02)
    assert whole.tree_nats[0] < whole.nats


@pytest.mark.kernels
def test_how_far_a_sentence_goes_on():
    grammar = Grammar.from_text("1 1 S --> a S b\n1 1 S --> c")
    model = learned(grammar)
    for text, last in {"acb": 3, "ac": 2, "aacb": 4, "b": 0, "acc": 2, "acbb": 3}.items():
        letters, _ = numbered(grammar, [text])
        assert model.beginning(letters) == last


def test_brackets():
    tree = Tree("S", (Tree("W (1)", ("(", "a b")), "漢"))
    assert tree.brackets() == "(S (W_-LRB-1-RRB- -LRB- a_b) 漢)"
    assert list(tree.spans()) == [("W (1)", 0, 2), ("S", 0, 3)]


def test_trees_may_be_deeper_than_calls():
    deep = Tree("S", ("a",))
    for _ in range(5000):
        deep = Tree("S", ("b", deep, "c"))
    assert "".join(deep.leaves()) == "b" * 5000 + "a" + "c" * 5000
    assert deep.brackets() == "(S b " * 5000 + "(S a)" + " c)" * 5000
    spans = list(deep.spans(3))
    assert (spans[0], spans[-1], len(spans)) == (("S", 5003, 5004), ("S", 3, 10004), 5001)
    grammar = compiled(Grammar.from_text("1 1 S --> a S c\n1 1 S --> a c"))
    model = learned(Grammar.from_text("1 1 S --> a S c\n1 1 S --> a c"))
    (parse,) = model.parses(np.repeat(np.array([0, 1], np.int32), 300), np.array([0, 600]), 1)
    assert tree_of(parse.rules, grammar).brackets().count("(S") == 300


@pytest.mark.kernels
def test_a_concentration_may_be_below_zero():
    grammar = Grammar.from_text("1 0.5 -0.2 S --> L\n1 1 L --> a\n1 1 L --> a L")
    chain = AdaptorChain(
        compiled(grammar), *numbered(grammar, ["aa", "a", "aa"]), 0, Moves(learn_processes=False)
    )
    chain.sweep(0, 1)
    model = LearnedGrammar.of(chain.fitted().params, compiled(grammar))
    sentences = numbered(grammar, ["a" * n for n in range(1, 60)])
    nats = model.nats(*sentences)
    assert nats.tolist() == [parse.nats for parse in model.parses(*sentences, 0)]
    assert np.exp(nats).sum() == pytest.approx(1.0, abs=1e-6)


def forged(params, name, change):
    """Params of which one is another."""
    values = np.array(params[name].values)
    return {**params, name: params[name]._replace(values=change(values))}


def test_forged_params_are_refused():
    grammar = Grammar.from_text(FINITE)
    found = compiled(grammar)
    chain = AdaptorChain(found, *numbered(grammar, ["abab", "ab", "abba", "b"] * 3), 0)
    params = chain.fitted().params
    LearnedGrammar.of(params, found)
    generator = np.random.default_rng(0)
    refused = 0
    for name in ("uses", "discounts", "concentrations", "customers", "tables", "sizes", "entries"):
        for change in (
            lambda values: values[:-1],
            lambda values: values - 10**6,
            lambda values: np.append(values, values[-1:]),
            lambda values: values * 0 - 7,
            lambda values: generator.permutation(values),
            lambda values: values * 0,
        ):
            try:
                model = LearnedGrammar.of(forged(params, name, change), found)
            except (ValueError, IndexError):
                refused += 1
                continue
            (parse,) = model.parses(*numbered(grammar, ["abab"]), 3)
            assert not np.isnan(parse.nats)
    assert refused > 20
