"""The chain over trees and tables: every state of short texts, laws of samplers, Geweke, planted words."""

import collections

import numpy as np
import pytest
from scipy import integrate
from tests.grammars.model.test_grammar_charts import numbered
from tests.oracle.adaptor_grammars import Restaurants, _named, states_of, trees_of
from tests.tiers import sampled

from stickbreaker.grammars.model import processes
from stickbreaker.grammars.model.compiled import compiled
from stickbreaker.grammars.model.grammar import Grammar
from stickbreaker.grammars.model.processes import draw_process, log_seating
from stickbreaker.grammars.model.tree_chain import AdaptorChain, Moves, Unparsed
from stickbreaker.testing.samplers import ExactSamplerTests, SamplerTests

pytestmark = pytest.mark.usefixtures("wrapping_integers")

WORDS = """1 1 S --> W S
1 1 S --> W
1 {a} {b} W --> C
1 1 C --> L
2 1 C --> L C
1 1 L --> a
1 1 L --> b
"""
PLAIN, DISCOUNTED = WORDS.format(a=0, b=1.5), WORDS.format(a=0.4, b=0.7)
TWO_LEVELS = """1 1 S --> K S
1 1 S --> K
1 0.3 0.7 K --> Ws
1 1 Ws --> W Ws
1 1 Ws --> W
1 0.2 1 W --> C
1 1 C --> L
1 1 C --> L C
1 1 L --> a
"""
CIRCLE = """1 1 S --> A
1 1 S --> W W
1 1 A --> B
2 1 A --> W
1 1 B --> A
1 0.5 1 W --> a
1 0.5 1 W --> a a
"""


def chain_of(text, sentences, seed=0, **moves):
    """A chain of a grammar over sentences."""
    grammar = Grammar.from_text(text)
    return AdaptorChain(compiled(grammar), *numbered(grammar, sentences), seed, Moves(**moves))


def state_of(chain):
    """A chain's state as the oracle has it."""
    grammar, memory = chain._grammar, chain._state.memory
    rules = grammar.rules

    def grown(entry):
        value, after = memory.values[entry], memory.onward[entry]
        if value < 0:
            return ("table", int(-1 - value), grown(memory.contents[-1 - value])[0]), after
        found = []
        for child in (rules.lefts[value], rules.rights[value]):
            if child >= 0:
                tree, after = grown(after)
                found += tree[1] if tree[0] == "part" else [tree]
        if grammar.sources[value] < 0:
            return ("part", found), after
        return (int(grammar.sources[value]), *found), after

    return _named(tuple(grown(root)[0] for root in chain._roots))


@pytest.mark.long("6,000 sweeps over all states of a sentence")
@pytest.mark.parametrize(
    ("text", "sentences", "moves", "most"),
    sampled(
        [
            (PLAIN, ["ab", "ab"], {"relabel": False}, 0.03),
            (PLAIN, ["abab", "ba"], {"incremental": True}, 0.05),
            (DISCOUNTED, ["aa", "a"], {}, 0.03),
            (DISCOUNTED, ["aab", "b"], {"learn_rules": False}, 0.05),
            (TWO_LEVELS, ["aa", "aa"], {}, 0.08),
            (TWO_LEVELS, ["aa", "aa"], {"relabel": False, "incremental": True}, 0.08),
            (CIRCLE, ["aa", "a"], {}, 0.05),
        ],
        2,
        several=True,
    ),
)
def test_states_are_visited_as_often_as_they_are_probable(text, sentences, moves, most):
    """And the score of each is the log of its probability. Trees with circles have no end: with these, the
    tree without any is compared with that of the most steps that is counted."""
    circle = text is CIRCLE
    chain = chain_of(text, sentences, learn_processes=False, **moves)
    times: collections.Counter = collections.Counter()
    sweeps = 6000
    if not circle:
        exact = states_of(Grammar.from_text(text), sentences, learned=moves.get("learn_rules", True))
    else:
        exact = {}
    for number in range(sweeps):
        chain.sweep(number, 1)
        state = state_of(chain)
        times[state] += 1
        if number < 300:
            if circle:
                exact[state] = np.exp(chain.score().nats)
            else:
                assert chain.score().nats == pytest.approx(np.log(exact[state]), abs=1e-9)
    if circle:  # ratios of states that are visited often
        often = [state for state, n in times.most_common(3)]
        for state in often[1:]:
            ratio = exact[state] / exact[often[0]]
            assert times[state] / times[often[0]] == pytest.approx(ratio, rel=0.2)
        return
    total = sum(exact.values())
    assert sum(abs(times[state] / sweeps - p / total) for state, p in exact.items()) / 2 < most
    assert set(times) <= set(exact)


@pytest.mark.slow
def test_hot_chains_flatten_what_they_visit():
    exact = states_of(Grammar.from_text(PLAIN), ["ab", "ab"])
    chain = chain_of(PLAIN, ["ab", "ab"], learn_processes=False, hottest=2.0, cooling=10**9)
    times = collections.Counter()
    for number in range(8000):
        chain.sweep(number, 1)
        times[state_of(chain)] += 1
    total = sum(np.sqrt(p) for p in exact.values())
    assert sum(abs(times[state] / 8000 - np.sqrt(p) / total) for state, p in exact.items()) / 2 < 0.05


RING = "\n".join(f"1 1 {one} --> {other}" for one in "ABCD" for other in "ABCD")
RING = f"1 1 S --> A\n{RING}\n1 1 D --> W\n1 0 1 W --> x\n1 0 1 W --> x x\n3 0 1 W --> V V\n1 1 V --> x"


@pytest.mark.slow
def test_hot_chains_go_round_circles_and_end():
    """Each of some symbols leads to all of them: what hot rules of one come to is more than one."""
    chain = chain_of(RING, ["xx"], learn_processes=False, hottest=2.0, cooling=10**9)
    (pair,) = np.flatnonzero(chain._grammar.weights == 3.0)
    pairs = 0.0
    for number in range(8000):
        chain.sweep(number, 1)
        pairs += chain._uses()[pair] / 8000
        assert np.isfinite(chain.figures()["nats_per_symbol"])
    assert pairs == pytest.approx(np.sqrt(3) / (1 + np.sqrt(3)), abs=0.03)


SENTENCES = ["abab", "ab", "abba", "b", "abab", "bbab", "a", "abb"] * 3


class TestLaws(SamplerTests):
    def sampler(self, seed):
        chain = chain_of(TWO_LEVELS + "1 1 L --> b\n", SENTENCES)
        chain._seed = seed
        return chain

    def another(self):
        return chain_of(TWO_LEVELS + "1 1 L --> b\n", [*SENTENCES, "ba"])

    def log_joint(self, sampler):
        arrays, grammar = sampler.snapshot(), sampler._grammar
        values = np.concatenate([arrays["trees"], arrays["subtrees"]]).tolist()
        nats, uses, totals = 0.0, {}, {}
        for value in values:
            if value >= 0 and grammar.sources[value] >= 0:
                parent = int(grammar.rules.parents[value])
                own = [k for k in range(len(grammar.weights)) if grammar.rules.parents[k] == parent]
                weight = sum(grammar.weights[k] for k in own)
                nats += np.log(
                    (grammar.weights[value] + uses.get(value, 0)) / (weight + totals.get(parent, 0))
                )
                uses[value], totals[parent] = uses.get(value, 0) + 1, totals.get(parent, 0) + 1
        customers = collections.Counter(-1 - value for value in values if value < 0)
        for place, (a, b) in enumerate(zip(arrays["discounts"], arrays["concentrations"], strict=True)):
            seated, opened = 0, 0
            for table in np.flatnonzero(arrays["places"] == place).tolist():
                for already in range(customers[table]):
                    if already:
                        nats += np.log((already - a) / (seated + b))
                    elif seated:
                        nats += np.log((b + a * opened) / (seated + b))
                    opened += not already
                    seated += 1
            nats += np.log(processes.RATE) - processes.RATE * b
        return nats


class TestGeweke(ExactSamplerTests):
    """Two rules that are adapted, discounts and concentrations moving: data, trees and tables are drawn anew
    given these, and a chain of these data in this state sweeps."""

    draws, sweeps = 1500, 1500
    text = "1 1 S --> W\n1 1 S --> W W\nW --> a\nW --> b\n"

    @pytest.fixture(autouse=True)
    def prior(self, monkeypatch):
        monkeypatch.setattr(processes, "SHAPE", 2.0)
        monkeypatch.setattr(processes, "RATE", 1.0)

    def sampler(self, seed):
        chain = chain_of(self.text, ["ab", "a", "b", "ba"] * 6)
        chain._seed = seed
        return chain

    def another(self):
        return chain_of(self.text, ["ab", "a"])

    def log_joint(self, sampler):
        arrays = sampler.snapshot()
        (a,), (b,) = arrays["discounts"], arrays["concentrations"]
        nats = TestLaws.log_joint(self, sampler) - np.log(processes.RATE) + processes.RATE * b  # type: ignore[arg-type]
        return nats + np.log(b) - b + 0.0 * a

    def draw(self, generator):
        a, b = generator.random(), generator.gamma(2.0)
        return self.data_of(float(np.clip(a, 1e-6, 1 - 1e-6)), float(b), generator)

    def redraw(self, data, sampler, generator):
        return self.data_of(
            float(sampler._processes.discounts[0]), float(sampler._processes.concentrations[0]), generator
        )

    def data_of(self, a, b, generator):
        """Three sentences, trees and tables from the definition, and a chain in that state."""
        grammar = Grammar.from_text(
            f"1 1 S --> W\n1 1 S --> W W\n1 {a!r} {b!r} W --> a\n1 {a!r} {b!r} W --> b\n"
        )
        held, texts, trees = Restaurants((0,) * 4, ()), [], []
        for _ in range(3):
            options = [
                (p, tree, after, text)
                for text in ("a", "b", "aa", "ab", "ba", "bb")
                for p, tree, after in trees_of(grammar, "S", text, held)
            ]
            p = np.array([option[0] for option in options])
            assert p.sum() == pytest.approx(1.0)
            _, tree, held, text = options[generator.choice(len(p), p=p / p.sum())]
            texts.append(text)
            trees.append(tree)
        found = compiled(grammar)
        chain = AdaptorChain(found, *numbered(grammar, texts), int(generator.integers(2**31)))
        chain.restore(self.arrays_of(chain, found, texts, trees, held))
        return texts, chain

    def arrays_of(self, chain, found, texts, trees, held):
        """A snapshot of the state that was drawn."""
        first = {}
        for s, tree in enumerate(trees):
            for at, (_, number) in enumerate(tree[1:]):
                first.setdefault(number, sum(map(len, texts[:s])) + at)
        strings = {"".join(t): 0 for t in ()}
        positions = {number: first[number] for number in first}
        text, starts = chain._text, chain._text.starts
        from stickbreaker.grammars.kernels.grammar_trees import number_of_strings

        order = sorted(positions)
        at = np.array([positions[number] for number in order], np.int32)
        ones = np.ones(len(order), np.int32)
        numbers = number_of_strings(text.strings, text.spans, starts, text.sentences, at, ones)
        ranked = [order[k] for k in np.argsort(numbers, kind="stable")]
        place = {number: rank for rank, number in enumerate(ranked)} | strings
        rule_of = {int(source): rule for rule, source in enumerate(found.sources.tolist())}
        lists = [[rule_of[tree[0]], *(-1 - place[number] for _, number in tree[1:])] for tree in trees]
        contents = [[rule_of[held.tables[number][2][0]]] for number in ranked]
        like = chain.snapshot()
        return {
            **like,
            "trees": np.concatenate(lists).astype(np.int32),
            "tree_sizes": np.array([len(one) for one in lists], np.int64),
            "subtrees": np.concatenate(contents).astype(np.int32),
            "subtree_sizes": np.ones(len(contents), np.int64),
            "places": np.zeros(len(ranked), np.int32),
            "positions": np.array([positions[number] for number in ranked], np.int32),
            "lengths": np.ones(len(ranked), np.int32),
        }

    def functions(self, data, sampler):
        arrays = sampler.snapshot()
        tables, customers = len(arrays["places"]), sum(map(len, data))
        (a,), (b,) = arrays["discounts"], arrays["concentrations"]
        letters = "".join(data)
        return [
            a, a * a, np.log(b), b, tables, tables * tables, customers, customers == tables,
            letters.count("a") == len(letters), a * tables, np.log(b) * tables,
        ]  # fmt: skip


@pytest.mark.slow
def test_discounts_and_concentrations_have_their_posterior(monkeypatch):
    monkeypatch.setattr(processes, "RATE", 0.1)
    sizes = np.array([0, 4, 2, 0, 0, 1, 0, 0, 0, 1])
    generator = np.random.default_rng(0)
    a, b, found = 0.5, 5.0, []
    for _ in range(6000):
        a, b = draw_process(a, b, sizes, generator)
        found.append((a, np.log(b)))

    def density(x, a):
        return np.exp(log_seating(a, np.exp(x), sizes) + processes.log_prior(np.exp(x)) + x + 20.0)

    total = integrate.dblquad(density, 1e-6, 1 - 1e-6, -8.0, 6.0, epsabs=1e-6, epsrel=1e-4)[0]
    means = [
        integrate.dblquad(
            lambda x, a, f=f: f(a, x) * density(x, a), 1e-6, 1 - 1e-6, -8, 6, epsabs=1e-6, epsrel=1e-4
        )[0]
        / total
        for f in (lambda a, x: a, lambda a, x: x)
    ]
    assert np.mean(found, axis=0) == pytest.approx(means, abs=0.05)


@pytest.mark.parametrize("weight", [1e12, 1e17, 1e250])
def test_weights_that_hardly_move_leave_log_p_its_digits(weight):
    """With large weights the probabilities of rules are those of the weights."""
    text = f"{weight} 1 S --> L\n{2 * weight} 1 S --> L S\n{weight} 1 L --> a\n{3 * weight} 1 L --> b"
    chain = chain_of(text, ["abba", "ab", "b"])
    nats = 3 * np.log(1 / 3) + 4 * np.log(2 / 3) + 3 * np.log(1 / 4) + 4 * np.log(3 / 4)
    assert chain.score().nats == pytest.approx(nats, abs=1e-9)


@pytest.mark.parametrize("discount", [1e-8, 1e-12, 1e-15, 1e-300])
def test_a_discount_that_vanishes_changes_nothing(discount):
    sizes = np.array([0, 50, 20, 5])
    without = log_seating(0.0, 1e4, sizes)
    assert log_seating(discount, 1e4, sizes) == pytest.approx(without, abs=1e-5)


def test_forged_snapshots_are_refused():
    chain = chain_of(TWO_LEVELS + "1 1 L --> b\n", SENTENCES)
    chain.sweep(0, 1)
    arrays = chain.snapshot()
    generator = np.random.default_rng(0)
    refused = tried = 0
    for name, values in arrays.items():
        for change in (
            lambda values: values[:-1] if values.ndim else values * 0 - 1,
            lambda values: values * 0 - 1,
            lambda values: values + 1,
            lambda values: np.where(
                np.arange(values.size).reshape(values.shape) % 7 == 3, np.int64(2**30), values
            ),
            lambda values: generator.permutation(values.ravel()).reshape(values.shape),
        ):
            other = np.asarray(change(values))
            if other.dtype != values.dtype:
                other = other.astype(values.dtype)
            if np.array_equal(other, values):
                continue
            tried += 1
            try:
                chain.restore({**arrays, name: other})
            except (ValueError, IndexError):
                refused += 1
                continue
            chain.sweep(1, 1)
            assert np.isfinite(chain.score().nats)
    assert refused > 0.6 * tried


@pytest.mark.kernels
def test_pools_grow_and_change_nothing(monkeypatch):
    roomy = chain_of(TWO_LEVELS + "1 1 L --> b\n", SENTENCES)
    empty = AdaptorChain._empty
    monkeypatch.setattr(AdaptorChain, "_empty", lambda self, tables, entries: empty(self, 1, 1))
    tight = chain_of(TWO_LEVELS + "1 1 L --> b\n", SENTENCES)
    for number in range(3):
        for chain in (roomy, tight):
            chain.sweep(number, 1)
    assert all(np.array_equal(roomy.snapshot()[name], values) for name, values in tight.snapshot().items())


@pytest.mark.kernels
@pytest.mark.parametrize("incremental", [True, False])
@pytest.mark.parametrize("wrong", ["ba", "bb"], ids=["symbols that may occur", "none that may occur"])
def test_a_sentence_without_a_tree_is_named(wrong, incremental):
    text = "1 1 S --> W W\n1 1 S --> W\n1 0.3 0.7 W --> a\n1 0.3 0.7 W --> a b\n"
    with pytest.raises(Unparsed, match="sentence 3 cannot be parsed") as caught:
        chain_of(text, ["ab", "aa", wrong, "ab"], incremental=incremental)
    assert caught.value.sentence == 2


@pytest.mark.parametrize("incremental", [True, False])
def test_planted_words_are_found(incremental):
    generator = np.random.default_rng(0)
    words = ["aab", "bb", "abab", "b", "aaaa"]
    sentences = ["".join(generator.choice(words, 3)) for _ in range(200)]
    chain = chain_of(PLAIN, sentences, incremental=incremental)
    before = chain.score().nats
    for number in range(60):
        chain.sweep(number, 1)
    assert chain.score().nats > before
    fitted = chain.fitted().params
    assert fitted["customers"].values.max() > 40
    assert int(fitted["tables"].values.sum()) < 120
