"""The chain of adaptor grammars: all states by enumeration, laws of samplers, slices, forged snapshots."""

from collections import Counter

import numpy as np
import pytest
from scipy.special import gammaln
from tests.oracle.adaptor_grammars import _named, states_of

from stickbreaker.models.grammars import processes
from stickbreaker.models.grammars.chain import AdaptorChain, Moves, Unparsed
from stickbreaker.models.grammars.compiled import compiled
from stickbreaker.models.grammars.grammar import Grammar
from stickbreaker.models.grammars.processes import draw_process, log_prior, log_seating
from stickbreaker.testing.geweke import chain_deviations
from stickbreaker.testing.samplers import ExactSamplerTests, SamplerTests, advance, bits, whole_bits

UNIGRAM = """
1 1 S --> W S
2 1 S --> W
1 {a} {b} W --> C
1 1 C --> L
0.5 1 C --> L C
0.3 1 L --> a
0.1 1 L --> b
"""
COLLOCATION = """
@ C * {b} {a}
@ W * 0.8 0.3
S -> C | C S [0.5]
C -> W | W W
W -> L | L L [0.7]
L -> 'a' [0.3] | 'b'
"""
MIXED = """
@ A * {b} {a}
S -> A 'b' A | A S | A
A -> X
X -> Y [0.5] | 'a' 'b' | 'a'
Y -> X [0.4] | 'b'
"""


def letters_of(found, sentences):
    """Numbers of terminals of sentences of one-letter symbols, and where each starts."""
    numbers = {terminal: number for number, terminal in enumerate(found.terminals)}
    letters = np.array([numbers[letter] for sentence in sentences for letter in sentence], np.int32)
    return letters, np.cumsum([0] + [len(sentence) for sentence in sentences])


def chain_over(text, sentences, seed=0, moves=Moves()):
    found = compiled(Grammar.from_text(text))
    return AdaptorChain(found, *letters_of(found, sentences), seed, moves)


def state_of(chain):
    """The trees of a chain as the enumeration has them: by the grammar's rules, tables as they are met."""
    found, memory = chain._grammar, chain._state.memory
    rules, sources = found.rules, found.sources.tolist()

    def read(entry):
        value, after = int(memory.values[entry]), memory.onward[entry]
        if value < 0:
            (inner,), _ = read(memory.contents[-1 - value])
            return [("table", -1 - value, inner)], after
        below = []
        for child in (rules.lefts[value], rules.rights[value]):
            if child >= 0:
                more, after = read(after)
                below += more
        return ([(sources[value], *below)] if sources[value] >= 0 else below), after

    return _named(tuple(read(root)[0][0] for root in chain._roots))


# Enumeration


@pytest.mark.parametrize(
    ("text", "sentences", "moves"),
    [
        (UNIGRAM.format(a=0, b=1.5), ["abab", "ba"], Moves(learn_processes=False)),
        (UNIGRAM.format(a=0.4, b=0.7), ["aab", "ab", "b"], Moves(learn_processes=False, relabel=False)),
        (
            UNIGRAM.format(a=0.6, b=-0.2),
            ["aab", "ab"],
            Moves(learn_processes=False, learn_rules=False, incremental=False),
        ),
        (COLLOCATION.format(a=0.5, b=0.5), ["abab"], Moves(learn_processes=False)),
        (COLLOCATION.format(a=0, b=2.0), ["aa", "aa"], Moves(learn_processes=False, incremental=False)),
        (
            COLLOCATION.format(a=0.2, b=0.4),
            ["aba", "ab"],
            Moves(learn_processes=False, relabel=False, learn_rules=False),
        ),
    ],
)
def test_sweeps_come_to_every_state_as_often_as_they_should(text, sentences, moves):
    sweeps = 8_000
    exact = states_of(Grammar.from_text(text), sentences, learned=moves.learn_rules)
    whole = sum(exact.values())
    chain = chain_over(text, sentences, 1, moves)
    counted, scored = Counter(), {}
    for number in range(sweeps):
        chain.sweep(number, 1)
        state = state_of(chain)
        counted[state] += 1
        if state not in scored:
            scored[state] = chain.score().nats
    assert set(counted) <= set(exact)
    for state, nats in scored.items():
        assert nats == pytest.approx(np.log(exact[state]), abs=1e-9)
    p = np.array(list(exact.values())) / whole
    found = np.array([counted[state] for state in exact]) / sweeps
    errors = np.sqrt(p * (1.0 - p) / (sweeps / 8))  # as if every eighth sweep were a draw by itself
    assert (np.abs(found - p) < 5.0 * errors + 1e-3).all()
    assert np.abs(found - p).sum() < errors.sum()
    assert len(exact) > 20


def test_a_grammar_with_circles_and_terminals_within_rules():
    """States without end: those of few unary steps are as often there as their probability says."""
    chain = chain_over(MIXED.format(a=0.3, b=1.0), ["ab", "b"], 0, Moves(learn_processes=False))
    counted, scored = Counter(), {}
    for number in range(8_000):
        chain.sweep(number, 1)
        state = state_of(chain)
        counted[state] += 1
        scored[state] = chain.score().nats
    (first, n_first), *others = counted.most_common(12)
    for state, n in others:
        expected = scored[state] - scored[first]
        assert np.log(n / n_first) == pytest.approx(expected, abs=5.0 * np.sqrt(8 / n + 8 / n_first))
    assert len(counted) > 20


# Laws


def lists_of(values, sizes):
    ends = np.cumsum(sizes)
    return [values[end - size : end].tolist() for end, size in zip(ends, sizes, strict=True)]


def log_joint(chain):
    """log p by loops: customers one by one, uses of rules one by one."""
    arrays, found = chain.snapshot(), chain._grammar
    nats = 0.0
    lists = lists_of(arrays["trees"], arrays["tree_sizes"])
    lists += lists_of(arrays["subtrees"], arrays["subtree_sizes"])
    customers = Counter(-1 - value for content in lists for value in content if value < 0)
    for place in range(len(found.adapted)):
        a, b = arrays["discounts"][place], arrays["concentrations"][place]
        seated, opened = 0, 0
        for table in np.flatnonzero(arrays["places"] == place).tolist():
            for sitting in range(customers[table]):
                if seated:
                    nats += np.log((sitting - a if sitting else b + a * opened) / (seated + b))
                opened += not sitting
                seated += 1
        rate, shape = processes.RATE, processes.SHAPE
        nats += shape * np.log(rate) - gammaln(shape) + (shape - 1.0) * np.log(b) - rate * b
    uses, totals = Counter(), Counter()
    weights = Counter()
    for rule, parent in enumerate(found.rules.parents.tolist()):
        weights[parent] += found.weights[rule]
    for content in lists:
        for value in content:
            if value >= 0 and found.rules.counted[value]:
                parent = int(found.rules.parents[value])
                nats += np.log((found.weights[value] + uses[value]) / (weights[parent] + totals[parent]))
                uses[value] += 1
                totals[parent] += 1
    return nats


class Laws(SamplerTests):
    """A chain of all moves over a text of some dozens of letters."""

    text, moves = UNIGRAM.format(a=0.2, b=0.9), Moves()
    sentences = ("abab", "ba", "aabb", "b", "ababab", "bbaab", "abba", "a")

    def sampler(self, seed):
        first = chain_over(self.text, self.sentences, 0, self.moves)
        chain = chain_over(self.text, self.sentences, seed, self.moves)
        chain.restore(first.snapshot())
        return chain

    def another(self):
        return chain_over(self.text, [*self.sentences, "abab"], 0, self.moves)

    def log_joint(self, sampler):
        return log_joint(sampler)


class TestUnigramLaws(Laws):
    pass


class TestCollocationLaws(Laws):
    text, moves = COLLOCATION.format(a=0.2, b=0.9), Moves(incremental=False, hottest=3.0, cooling=3)


class TestCircleLaws(Laws):
    text = MIXED.format(a=0.2, b=0.9)


@pytest.fixture
def moderate(monkeypatch):
    """Concentrations of moderate size beforehand, so that Geweke's test sees them move."""
    monkeypatch.setattr(processes, "SHAPE", 2.0)
    monkeypatch.setattr(processes, "RATE", 1.0)


class Prior:
    """Sentences, trees and tables from the prior, by the definition."""

    def __init__(self, found, discounts, concentrations, generator):
        self.found, self.generator = found, generator
        self.discounts, self.concentrations = discounts, concentrations
        self.tables = []  # place, content, customers
        self.uses = np.zeros(len(found.weights))

    def rule_of(self, parent):
        own = np.arange(self.found.symbols.first[parent], self.found.symbols.first[parent + 1])
        p = self.found.weights[own] + self.uses[own]
        rule = int(self.generator.choice(own, p=p / p.sum()))
        self.uses[rule] += 1
        return rule

    def tree(self, symbol):
        """Entries of a tree."""
        place = int(self.found.symbols.adapted[symbol])
        if place < 0:
            return self.rewritten(symbol)
        a, b = self.discounts[place], self.concentrations[place]
        own = [number for number, table in enumerate(self.tables) if table[0] == place]
        p = np.array([self.tables[number][2] - a for number in own] + [b + a * len(own)])
        chosen = int(self.generator.choice(len(p), p=p / p.sum()))
        if chosen == len(own):
            own.append(len(self.tables))
            self.tables.append([place, (), 0])
            self.tables[own[chosen]][1] = self.rewritten(symbol)
        self.tables[own[chosen]][2] += 1
        return [-1 - own[chosen]]

    def rewritten(self, symbol):
        rule = self.rule_of(symbol)
        below = [self.found.rules.lefts[rule], self.found.rules.rights[rule]]
        return [rule, *(entry for child in below if child >= 0 for entry in self.tree(child))]


def chain_in_state(found, trees, tables, hyper):
    """Sentences and a chain of them with these trees; tables: place and content of each."""
    letters, positions, sizes = [], {}, {}

    def spell(entries):
        for value in entries:
            if value < 0:
                begin = len(letters)
                spell(tables[-1 - value][1])
                positions.setdefault(-1 - value, begin)
                sizes[-1 - value] = len(letters) - begin
            elif found.rules.lefts[value] < 0:
                letters.append(found.rules.terminals[value])

    starts = [0]
    for tree in trees:
        spell(tree)
        starts.append(len(letters))
    chain = AdaptorChain(found, np.array(letters, np.int32), np.array(starts), 0)
    text = chain._text

    def string_of(table):
        s = int(text.sentences[positions[table]])
        i, n = positions[table] - starts[s], starts[s + 1] - starts[s]
        spans = [(begin, end) for begin in range(n) for end in range(begin + 1, n + 1)]
        return text.strings[text.spans[s] + spans.index((i, i + sizes[table]))]

    order = sorted(range(len(tables)), key=lambda table: (tables[table][0], string_of(table)))
    names = {table: number for number, table in enumerate(order)}

    def renamed(entries):
        return [value if value >= 0 else -1 - names[-1 - value] for value in entries]

    contents = [renamed(tables[table][1]) for table in order]
    arrays = chain.snapshot()
    arrays |= {
        "trees": np.array([value for tree in trees for value in renamed(tree)], np.int32),
        "tree_sizes": np.array([len(tree) for tree in trees]),
        "subtrees": np.array([value for content in contents for value in content], np.int32),
        "subtree_sizes": np.array([len(content) for content in contents], np.int64),
        "places": np.array([tables[table][0] for table in order], np.int32),
        "positions": np.array([positions[table] for table in order], np.int32),
        "lengths": np.array([sizes[table] for table in order], np.int32),
        "discounts": hyper[0],
        "concentrations": hyper[1],
    }
    chain.restore(arrays)
    return np.array(letters), chain


@pytest.mark.usefixtures("moderate")
class TestExact(Laws, ExactSamplerTests):
    """Two levels of remembered subtrees; discounts and concentrations move, terminals are drawn anew."""

    text = """
@ C * 1 0.5
@ W * 1 0.5
S -> C | C W [0.5]
C -> W | W W
W -> L | L L [0.7]
L -> 'a' [0.3] | 'b' [0.4]
"""
    sentences = ("abab", "ba", "aabb", "b", "babab", "bbaab", "abba", "a")
    draws, sweeps = 2_000, 3_000

    def draw(self, generator):
        found = compiled(Grammar.from_text(self.text))
        hyper = generator.random(2), generator.gamma(2.0, 1.0, 2)
        prior = Prior(found, *hyper, generator)
        trees = [prior.tree(found.start) for _ in range(4)]
        return chain_in_state(found, trees, prior.tables, hyper)

    def redraw(self, data, sampler, generator):
        """Terminals of all tables are drawn anew, one given the others: trees and tables stay."""
        arrays, found = sampler.snapshot(), sampler._grammar
        prior = Prior(found, None, None, generator)
        terminals = found.rules.terminals >= 0

        def drawn(entries):
            return [
                prior.rule_of(found.rules.parents[value]) if value >= 0 and terminals[value] else value
                for value in entries
            ]

        trees = [drawn(tree) for tree in lists_of(arrays["trees"], arrays["tree_sizes"])]
        contents = lists_of(arrays["subtrees"], arrays["subtree_sizes"])
        tables = [
            (place, drawn(content))
            for place, content in zip(arrays["places"].tolist(), contents, strict=True)
        ]
        return chain_in_state(found, trees, tables, (arrays["discounts"], arrays["concentrations"]))

    def functions(self, data, sampler):
        arrays = sampler.snapshot()
        tables = np.bincount(arrays["places"], minlength=2)
        squares = [float(sizes @ np.arange(len(sizes)) ** 2) for sizes in sampler._sizes()]
        uses, counts = sampler._uses(), np.bincount(data, minlength=2)
        a, b = arrays["discounts"], arrays["concentrations"]
        parts = [tables, tables**2, squares, uses, uses**2, counts, counts**2, a, a**2, b, b**2, np.log(b)]
        return np.concatenate([*parts, [float(a @ tables)]])


# Discounts and concentrations


def test_a_seating_is_its_product():
    sizes = np.array([0, 3, 1, 0, 2])
    for a, b in ((0.0, 1.3), (0.4, 0.7), (0.6, -0.3), (0.5, 0.0)):
        p, seated, opened = 1.0, 0, 0
        for size in (1, 1, 1, 2, 4, 4):
            for sitting in range(size):
                if seated:
                    p *= (sitting - a if sitting else b + a * opened) / (seated + b)
                seated, opened = seated + 1, opened + (not sitting)
        assert log_seating(a, b, sizes) == pytest.approx(np.log(p))
    assert log_seating(0.5, 1.0, np.zeros(1, np.int64)) == 0.0


@pytest.mark.usefixtures("moderate")
def test_slices_draw_from_the_posterior():
    sizes = np.array([0, 4, 1, 0, 2])
    logits, logs = np.linspace(-12.0, 12.0, 121), np.linspace(-8.0, 4.0, 121)
    a = 1.0 / (1.0 + np.exp(-logits))
    nats = np.array(
        [
            [
                log_seating(x, np.exp(y), sizes) + log_prior(np.exp(y)) + y + np.log(x * (1.0 - x))
                for y in logs
            ]
            for x in a
        ]
    )
    p = np.exp(nats - nats.max())
    p /= p.sum()
    of_a, of_b = p.sum(1), p.sum(0)
    b = np.exp(logs)
    expected = [of_a @ a, of_a @ a**2, of_b @ b, of_b @ b**2, of_b @ logs, a @ p @ b]
    generator = np.random.default_rng(0)
    x, y, draws = 0.5, 1.0, []
    for _ in range(6_000):
        x, y = draw_process(x, y, sizes, generator)
        draws.append([x, x**2, y, y**2, np.log(y), x * y])
    assert chain_deviations(draws, expected).max() < 4.0


@pytest.mark.parametrize(
    "start", [(0.0, 1e-300), (0.5, -0.3), (0.5, 0.0), (1.0 - 1e-16, 1e308), (1e-300, 1e12)]
)
def test_slices_start_anywhere(start):
    """Numbers that a grammar may give, and that are nowhere near the posterior."""
    generator = np.random.default_rng(0)
    for sizes in (np.zeros(1, np.int64), np.array([0, 1]), np.array([0, 3, 1, 0, 2])):
        a, b = draw_process(*start, sizes, generator)
        assert 0.0 < a < 1.0
        assert 0.0 < b < np.inf


# Snapshots


def test_a_forged_snapshot_is_refused_or_a_state():
    """Whatever an array is changed to, there is a ValueError, or a chain that goes on."""
    for text in (COLLOCATION.format(a=0.2, b=0.9), MIXED.format(a=0.2, b=0.9)):
        chain = advance(chain_over(text, Laws.sentences), range(4))
        arrays = chain.snapshot()
        generator = np.random.default_rng(0)
        refused = 0
        for name, values in arrays.items():
            forged = [values[..., :-1], values[:0], np.append(values, values[:1])] if values.ndim == 1 else []
            forged += [values.astype(np.float32), values[None]]
            flat = values.size
            extremes = [0, 1, -1, 3, 1e300, -1e300] if values.dtype.kind == "f" else [0, 1, 2, 40]
            if values.dtype.kind == "f":
                extremes += [np.nan, np.inf]
            else:
                extremes += [np.iinfo(values.dtype).min, np.iinfo(values.dtype).max]
                extremes += [-1, -2, -40] if values.dtype.kind == "i" else []
            for at in generator.permutation(flat)[:6].tolist():
                for extreme in extremes:
                    other = values.copy()
                    other.flat[at] = extreme
                    forged.append(other)
            for other in forged:
                same = other.dtype == values.dtype and bits({"": other}) == bits({"": values})
                try:
                    chain.restore(arrays | {name: other})
                except ValueError:
                    refused += 1
                    assert not same
                else:
                    advance(chain, range(2))
        assert refused > 200
        chain.restore(arrays)
        assert bits(chain.snapshot()) == bits(arrays)


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("discounts", 0, 1.0),
        ("discounts", 0, -0.1),
        ("discounts", 1, np.nan),
        ("concentrations", 0, -1.0),
        ("concentrations", 0, np.inf),
        ("kept", (), -1),
        ("cuts", (0, 1), 9),
        ("nats", 0, np.nan),
        ("ratio", (), 0.0),
        ("ratio", (), np.nan),
        ("tree_sizes", 0, 0),
        ("tree_sizes", 0, 2**62),
        ("trees", 0, 10_000),
        ("trees", 0, -10_000),
        ("subtrees", 0, -1),
        ("places", 0, 2),
        ("places", 0, -1),
        ("positions", 0, 10_000),
        ("positions", 0, -1),
        ("lengths", 0, 0),
        ("lengths", 0, 2**31 - 1),
    ],
)
def test_numbers_out_of_range_are_refused(name, at, value):
    chain = advance(chain_over(COLLOCATION.format(a=0.2, b=0.9), Laws.sentences), range(2))
    arrays = chain.snapshot()
    before = whole_bits(chain)
    arrays[name][at] = value
    with pytest.raises(ValueError):
        chain.restore(arrays)
    assert whole_bits(chain) == before


def test_endless_unary_steps_of_a_snapshot_are_refused():
    chain = chain_over("S -> X\nX -> Y | 'a'\nY -> X | 'b'\n@ S * 1 0", ["a", "a"])
    arrays = chain.snapshot()
    rules, names = chain._grammar.rules, chain._grammar.names

    def rule(parent, left):
        found = (rules.parents == names.index(parent)) & (rules.lefts == names.index(left))
        return int(np.flatnonzero(found)[0])

    end = np.flatnonzero((rules.parents == names.index("X")) & (rules.lefts < 0))[0]
    for rounds, fits in ((3, True), (10_000, False)):
        content = [rule("S", "X"), *[rule("X", "Y"), rule("Y", "X")] * rounds, end]
        forged = arrays | {
            "trees": np.array([-1, -1], np.int32),
            "tree_sizes": np.array([1, 1]),
            "subtrees": np.array(content, np.int32),
            "subtree_sizes": np.array([len(content)]),
            "places": np.zeros(1, np.int32),
            "positions": np.zeros(1, np.int32),
            "lengths": np.ones(1, np.int32),
        }
        if fits:
            chain.restore(forged)
            advance(chain, range(3))
        else:
            with pytest.raises(ValueError):
                chain.restore(forged)


# The rest


@pytest.mark.parametrize("moves", [Moves(), Moves(incremental=False)])
def test_room_that_grows_changes_nothing(monkeypatch, moves):
    text, sentences = COLLOCATION.format(a=0.2, b=0.9), Laws.sentences * 8
    roomy = advance(chain_over(text, sentences, 0, moves), range(3))
    empty, grow, grown = AdaptorChain._empty, AdaptorChain._grow, []

    def growing(chain):
        grown.append(len(chain._state.memory.customers))
        grow(chain)

    monkeypatch.setattr(AdaptorChain, "_empty", lambda chain, tables, entries: empty(chain, 1, 1))
    monkeypatch.setattr(AdaptorChain, "_grow", growing)
    tight = advance(chain_over(text, sentences, 0, moves), range(3))
    assert len(grown) > 1
    assert whole_bits(tight) == whole_bits(roomy)


def test_a_sentence_that_nothing_comes_to_is_refused():
    for moves in (Moves(), Moves(incremental=False)):
        for bad in ("ba", "aba"):
            with pytest.raises(Unparsed) as caught:
                chain_over(
                    "@ S * 1 0\nS -> 'a' 'b' | 'a' 'a' 'b' | 'b' 'b'", ["ab", "aab", bad, "ab"], 0, moves
                )
            assert caught.value.sentence == 2
            assert "sentence 3" in str(caught.value)


def test_planted_words_are_found():
    generator = np.random.default_rng(0)
    words = ["badu", "kip", "tolon", "mesa", "fir", "gulek", "dap", "noti"]
    lines = [generator.choice(words, size=generator.integers(2, 6)).tolist() for _ in range(150)]
    letters = sorted(set("".join(words)))
    text = "S -> W S | W\n@ W * 10 0\nW -> C\nC -> L C | L\nL -> " + " | ".join(f"'{one}'" for one in letters)
    chain = chain_over(text, ["".join(line) for line in lines], 0)
    for number in range(20):
        chain.sweep(number, 1)
        if number >= 10:
            chain.keep()
    cuts = chain.fitted().params["cuts"].values[0] > 5
    at, hits, planted = 0, 0, 0
    for line in lines:
        inner = at + np.cumsum([len(word) for word in line])[:-1]
        hits, planted = hits + int(cuts[inner].sum()), planted + len(inner)
        assert not cuts[at]
        at += sum(map(len, line))
    assert hits > 0.9 * planted
    assert hits > 0.9 * cuts.sum()
    assert chain.figures()["nats_per_symbol"] > -np.log(len(letters))


def test_sweeps_cool_down():
    moves = Moves(hottest=3.0, cooling=4)
    assert [moves.heat(number) for number in range(6)] == pytest.approx(
        [1 / 3, 1 / 2.5, 1 / 2, 1 / 1.5, 1, 1]
    )
    assert Moves().heat(0) == 1.0
