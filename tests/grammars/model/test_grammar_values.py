"""Grammars as values: both formats, what is refused and where, and the flat arrays that charts read."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker.core.errors import UserError
from stickbreaker.grammars.model.compiled import LONGEST, compiled
from stickbreaker.grammars.model.grammar import (
    CONCENTRATION,
    DISCOUNT,
    Adaptation,
    Grammar,
    Rule,
    Terminal,
)


def shape_of(grammar):
    """All that a grammar says; a terminal and a symbol of one spelling differ."""
    rules = [
        (rule.parent, [(str(child), isinstance(child, Terminal)) for child in rule.children], rule.weight)
        for rule in grammar.rules
    ]
    return rules, dict(grammar.adapted)


def refusal(text):
    """The message and the line of what a grammar is refused for."""
    with pytest.raises(UserError) as caught:
        Grammar.from_text(text, "file.txt")
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("file.txt:")
    return message, caught.value.line


# The format of py-cfg


def test_py_cfg():
    grammar = Grammar.from_text(
        "2 1 Sentence --> Word Sentence\n1 1 Sentence -->Word\n\n0.5 0.25 3 Word --> x Chars\n"
        "Chars-->x y z\r\n1 0 1 Chars --> \" '\n"
    )
    assert grammar.start == "Sentence"
    assert grammar.symbols == ("Sentence", "Word", "Chars")
    assert grammar.terminals == ("x", "y", "z", '"', "'")
    assert [rule.line for rule in grammar.rules] == [1, 2, 4, 5, 6]
    assert [rule.weight for rule in grammar.rules] == [2.0, 1.0, 0.5, 1.0, 1.0]
    assert grammar.rules[1].children == ("Word",)
    assert grammar.adapted == {"Word": Adaptation(0.25, 3.0), "Chars": Adaptation(0.0, 1.0)}


def test_defaults_of_py_cfg():
    """Without a discount a symbol is adapted; with the discount 1 it is not."""
    assert Grammar.from_text("A --> x").adapted == {"A": Adaptation(DISCOUNT, CONCENTRATION)}
    assert Grammar.from_text("3 A --> x").adapted == {"A": Adaptation(DISCOUNT, CONCENTRATION)}
    assert Grammar.from_text("3 0.5 A --> x").adapted == {"A": Adaptation(0.5, CONCENTRATION)}
    assert Grammar.from_text("3 1 A --> x").adapted == {}
    assert Grammar.from_text("3 1 7 A --> x").adapted == {}


# The format of PyAdaGram


def test_pyadagram():
    grammar = Grammar.from_text(
        "% words\n@ Word 100 1.5 0.25\nSentence -> Word Sentence | Word [2] % one or more --> done\n"
        "Word -> \"it's\" '\"' | 'a''b' [0.5]\n@ Sentence * 3 0\n".replace("@ Sentence * 3 0\n", "")
    )
    rules, adapted = shape_of(grammar)
    assert rules == [
        ("Sentence", [("Word", False), ("Sentence", False)], 1.0),
        ("Sentence", [("Word", False)], 2.0),
        ("Word", [("it's", True), ('"', True)], 1.0),
        ("Word", [("a", True), ("b", True)], 0.5),
    ]
    assert adapted == {"Word": Adaptation(0.25, 1.5, 100)}
    assert [rule.line for rule in grammar.rules] == [3, 3, 4, 4]


def test_arrows_in_quotes_and_comments_do_not_choose_the_format():
    text = "% A --> B\nA -> \"-->\" '-->x' B\nB -> 'y' % B --> y\n"
    grammar = Grammar.from_text(text)
    assert grammar.terminals == ("-->", "-->x", "y")
    assert shape_of(Grammar.from_text(grammar.to_text())) == shape_of(grammar)


def test_a_terminal_may_be_spelled_as_a_symbol():
    grammar = Grammar.from_text("S -> b a C | b \"a\" C | 'a'\na -> 'z'\nb -> 'y'\nC -> 'c'\n")
    assert grammar.terminals == ("a", "z", "y", "c")
    assert shape_of(Grammar.from_text(grammar.to_text())) == shape_of(grammar)
    found = compiled(grammar)
    assert len(set(found.names)) == len(found.names)
    assert strings_of(found, 4) == {"yzc", "yac", "a"}


# What is refused


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("", None, "has no rule"),
        ("\n  \n", None, "has no rule"),
        ("% nothing\n", None, "has no rule"),
        ("S -> 'a'\nS -> W", 2, "W has no rule"),
        ("S -> 'a'\n\nW -> 'a'", 3, "W cannot be reached from S"),
        ("S -> 'a' |", 1, "has no children"),
        ("S ->", 1, "has no children"),
        ("1 1 S -->", 1, "has no children"),
        ("S -> 'a'\nS -> [2]", 2, "has no children"),
        ("S -> 'a' | T\nT -> S T", 2, "T can never end"),
        ("S -> S", 1, "S can never end"),
        ("@ T * 1 0\nS -> T\nT -> U\nU -> 'a' | S", 3, "T > U > S > T"),
        ("@ S * 1 0\nS -> S 'a' | 'a'", 2, "S > S"),
        ("S -> 'a'\nS -> 'b'\nS -> 'a'", 3, "is already given in line 1"),
        ("1 1 S --> a\n2 1 S --> a", 2, "is already given in line 1"),
        ("S -> 'a' [0]", 1, "weight"),
        ("S -> 'a' [-1]", 1, "weight"),
        ("S -> 'a' [nan]", 1, "weight"),
        ("inf 1 S --> a", 1, "weight"),
        ("1 1.5 S --> a", 1, "discount"),
        ("1 nan S --> a", 1, "discount"),
        ("1 -0.5 S --> a", 1, "discount"),
        ("1 0 0 S --> a", 1, "concentration"),
        ("1 0.5 -0.5 S --> a", 1, "concentration"),
        ("1 0.5 inf S --> a", 1, "concentration"),
        ("1 0 1 S --> a\n1 0 2 S --> b", 2, "differ from an earlier line"),
        ("@ S 0 1 0\nS -> 'a'", 2, "truncated"),
        ("@ S * 1 0\n@ S * 1 0\nS -> 'a'", 2, "twice"),
        ("@ S * 1\nS -> 'a'", 1, "is not @ Name"),
        ("@ S x 1 0\nS -> 'a'", 1, "is not @ Name"),
        ("@ T * 1 0\nS -> 'a'", None, "T is adapted and has no rule"),
        ("S 'a'", 1, "is not Parent -> children"),
        ("'S' -> 'a'", 1, "is not Parent -> children"),
        ("S -> 'a", 1, "quote"),
        ("S -> ''", 1, "quote"),
        ("1 1 S --> a\nnothing", 2, "has no arrow"),
        ("1 1 S --> a\n1 1 1 1 S --> b", 2, "is not [weight"),
        ("1 1 S --> a\none S --> b", 2, "is not [weight"),
        ("1 1 S --> a\n--> b", 2, "is not [weight"),
        ("1 1 S --> \"'", 1, "a symbol named"),
        ("1 1 | --> a", 1, "a symbol named"),
        ("1 1 S --> [2]\n1 1 [2] --> a", 1, "a symbol named"),
    ],
)
def test_refusals_name_the_line(text, line, what):
    message, found = refusal(text)
    assert what in message
    assert found == line
    assert line is None or f"file.txt:{line}: " in message


@pytest.mark.parametrize(
    "name", ["", "|", "@", "->", "-->", "a-->b", "%a", "[1]", "a b", "a\u2028b", "'", '"']
)
def test_names_that_could_not_be_written_are_refused(name):
    for rules in (
        (Rule(name, (Terminal("a"),)),),
        (Rule("S", (name,)), Rule(name, (Terminal("a"),))),
    ):
        with pytest.raises(UserError):
            Grammar(rules, {})


@pytest.mark.parametrize("terminal", ["", "\n", "a\nb", "\"'"])
def test_terminals_that_could_not_be_written_are_refused(terminal):
    with pytest.raises(UserError):
        Grammar((Rule("S", (Terminal(terminal),)),), {})


HOSTILE = [
    "a",
    "b",
    '"',
    "'",
    "%",
    "|",
    "[2]",
    "->",
    "-->",
    "@",
    "(",
    " ",
    "\u2028",
    "\x85",
    "\r",
    "\x1c",
    "日",
    "\x00",
    "\t%",
]


@st.composite
def grammars(draw):
    """Grammars over symbols 0 … n - 1 that each lead on to higher ones, so that nothing is endless."""
    n = draw(st.integers(1, 4))
    names = draw(
        st.lists(
            st.sampled_from(["S", "Word", "a", "[x]", "->x", "x%", "日", "(", "\x00", "@x", "a|b", "1"]),
            min_size=n,
            max_size=n,
            unique=True,
        )
    )
    symbols = st.sampled_from(HOSTILE).map(Terminal)
    weights = st.floats(1e-300, 1e300)
    rules = {}
    for at, name in enumerate(names):
        below = [*names[at + 1 :]]
        children = st.one_of(symbols, st.sampled_from(below)) if below else symbols
        for right in draw(st.lists(st.lists(children, min_size=1, max_size=4), max_size=3)):
            kinds = tuple((child, isinstance(child, Terminal)) for child in right)
            rules.setdefault((name, kinds), Rule(name, tuple(right), draw(weights)))
        chain = (names[at + 1], Terminal("end")) if below else (Terminal("end"),)  # all are led to
        rules[name, "chain"] = Rule(name, chain, draw(weights))
    adapted = {}
    for name in draw(st.sets(st.sampled_from(names))):
        discount = draw(st.floats(0.0, 1.0, exclude_max=True))
        concentration = draw(st.floats(-discount, 1e300, exclude_min=True))
        adapted[name] = Adaptation(discount, concentration, draw(st.none() | st.integers(1, 10**6)))
    return Grammar(tuple(rules.values()), adapted)


@given(grammars())
def test_round_trip(grammar):
    assert shape_of(Grammar.from_text(grammar.to_text())) == shape_of(grammar)
    found = compiled(grammar)
    assert len(set(found.names)) == len(found.names)
    assert found.terminals == grammar.terminals


PIECES = [
    "S",
    "W",
    "a",
    "->",
    "-->",
    "|",
    "@",
    "%",
    "'a'",
    '"b"',
    "'",
    '"',
    "[2]",
    "[",
    "1",
    "0.5",
    "nan",
    "*",
    "\n",
    "\n",
    " ",
    " ",
    "\u2028",
    "\r",
    "-1",
    "1e999",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(max_size=60))
def test_any_text_is_a_grammar_or_a_mistake_of_one_line(text):
    grammar = mistake = None
    try:
        grammar = Grammar.from_text(text)
    except UserError as error:
        mistake = error
    if mistake is not None:
        assert len(str(mistake).splitlines()) == 1
        assert mistake.line is None or 1 <= mistake.line <= text.count("\n") + 1
    else:
        assert shape_of(Grammar.from_text(grammar.to_text())) == shape_of(grammar)
        compiled(grammar)


# Flat arrays


def strings_of(found, longest):
    """All strings that the start comes to with so many terminals at most, by the flat rules."""
    known = {symbol: set() for symbol in range(len(found.names))}
    while True:
        before = sum(map(len, known.values()))
        for parent, left, right, terminal in zip(*found.rules[:4], strict=True):
            if left < 0:
                known[parent].add(found.terminals[terminal])
                continue
            for one, other in itertools.product(known[left], known[right] if right >= 0 else [""]):
                if len(one + other) <= longest:
                    known[parent].add(one + other)
        if before == sum(map(len, known.values())):
            return known[found.start]


def test_right_sides_of_many_symbols_are_parted():
    found = compiled(Grammar.from_text("S -> 'a' B 'c' B | B\nB -> 'b' | 'c' 'b' 'a'\n"))
    assert set(found.names) == {"S", "B", "a", "b", "c", "B c B", "c B", "b a"}
    assert strings_of(found, 20) == {"abcb", "abccba", "acbacb", "acbaccba", "b", "cba"}
    assert (found.rules.counted == (found.sources >= 0)).all()
    assert sorted(found.sources[found.sources >= 0].tolist()) == [0, 1, 2, 3]
    own = dict(zip(found.names, range(len(found.names)), strict=True))
    assert found.symbols.shortest[[own["S"], own["B"], own["B c B"]]].tolist() == [1, 1, 3]
    assert found.symbols.longest[[own["S"], own["B"], own["B c B"]]].tolist() == [8, 3, 7]


def test_rules_are_grouped_by_parent_and_unary_rules_lead_down():
    found = compiled(Grammar.from_text("S -> 'b' | A S | A | 'a'\nA -> B\nB -> C | 'b'\nC -> 'a'\n"))
    rules, symbols = found.rules, found.symbols
    assert (np.diff(rules.parents) >= 0).all()
    for symbol in range(len(found.names)):
        own = range(symbols.first[symbol], symbols.first[symbol + 1])
        assert [rules.lefts[rule] >= 0 for rule in own] == [rule < symbols.inner[symbol] for rule in own]
        ends = rules.terminals[symbols.inner[symbol] : symbols.first[symbol + 1]]
        assert (np.diff(ends) > 0).all()
        assert (rules.parents[list(own)] == symbol).all()
        by_left = rules.of_left[rules.lefts_at[symbol] : rules.lefts_at[symbol + 1]]
        assert sorted(by_left.tolist()) == np.flatnonzero(rules.lefts == symbol).tolist()
    unary = (rules.lefts >= 0) & (rules.rights < 0)
    assert (rules.lefts[unary] < rules.parents[unary]).all()
    assert (symbols.circles == -1).all()
    assert found.n_closures == 0
    assert found.symbols.unary == len(found.names)


def test_yields_without_bound():
    found = compiled(
        Grammar.from_text(
            "S -> A\nA -> B 'a' | 'a'\nB -> C\nC -> A\nD -> 'a' 'b' 'c'".replace("S -> A\n", "S -> A | D D\n")
        )
    )
    longest = dict(zip(found.names, found.symbols.longest.tolist(), strict=True))
    shortest = dict(zip(found.names, found.symbols.shortest.tolist(), strict=True))
    assert [longest[name] for name in "SABCD"] == [LONGEST, LONGEST, LONGEST, LONGEST, 3]
    assert [shortest[name] for name in "SABCD"] == [1, 1, 1, 1, 3]


def test_a_circle_of_unary_rules_is_one_group():
    found = compiled(Grammar.from_text("S -> X\nX -> Y | 'a'\nY -> Z | 'b'\nZ -> X\nX -> W\nW -> 'c'"))
    group = dict(zip(found.names, found.symbols.groups.tolist(), strict=True))
    assert group["X"] == group["Y"] == group["Z"]
    assert len({group["S"], group["X"], group["W"]}) == 3
    circles = dict(zip(found.names, found.symbols.circles.tolist(), strict=True))
    assert [circles[name] for name in "SXYZW"] == [-1, 0, 0, 0, -1]
    assert found.n_closures == 9
    assert found.symbols.unary > len(found.names)
    assert (np.diff(found.symbols.groups) >= 0).all()


def test_symbols_at_the_ends_of_sentences():
    found = compiled(
        Grammar.from_text("S -> Head Body Tail | Head\nHead -> 'a'\nBody -> 'b' | Body 'b'\nTail -> 'c'")
    )
    at_start = dict(zip(found.names, found.symbols.at_start.tolist(), strict=True))
    at_end = dict(zip(found.names, found.symbols.at_end.tolist(), strict=True))
    assert [at_start[name] for name in ("S", "Head", "Body", "Tail", "Body Tail")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert [at_end[name] for name in ("S", "Head", "Body", "Tail", "Body Tail")] == [
        True,
        False,
        False,
        True,
        True,
    ]


def test_general_adapted_symbols_come_first():
    text = "@ Low * 1 0\n@ High 5 2 0.5\nS -> High S | High\nHigh -> Low High2\nHigh2 -> Low\nLow -> 'a'"
    found = compiled(Grammar.from_text(text))
    assert [found.names[symbol] for symbol in found.adapted] == ["High", "Low"]
    assert found.discounts.tolist() == [0.5, 0.0]
    assert found.concentrations.tolist() == [2.0, 1.0]
    below = {found.names[at] for at in np.flatnonzero(found.symbols.below[0])}
    assert below == {"High", "High2", "Low"}
    assert [found.names[at] for at in np.flatnonzero(found.symbols.below[1])] == ["Low"]


def test_without_adapted_symbols_arrays_are_of_the_same_types():
    """Else kernels would be compiled once more."""
    plain = compiled(Grammar.from_text("1 1 S --> a S\n1 1 S --> a"))
    adapted = compiled(Grammar.from_text("1 1 S --> W S\n1 1 S --> W\nW --> a"))
    for part in ("rules", "symbols"):
        types = [[np.asarray(values).dtype for values in getattr(found, part)] for found in (plain, adapted)]
        assert types[0] == types[1]


def test_a_weight_whose_sums_would_be_no_numbers_is_refused():
    message, line = refusal("1 1 S --> a\n1e308 1 S --> a S")
    assert line == 2
    assert "to 1e+300" in message


def chain_of_symbols(n, numbers):
    return "".join(f"1 {numbers} A{k} --> A{k + 1}\n" for k in range(n)) + f"1 1 A{n} --> a\n"


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("1 1 S --> " + "a " * 1001, 1, "the right-hand side of S has 1,001 symbols; give it at most 1,000"),
        (chain_of_symbols(2000, "0.5 1"), None, "2,000 symbols are adapted; adapt at most 1,000"),
        ("".join(f"S{k} --> a\n" for k in range(20_000)), None, "20,000 symbols are adapted"),
        (
            "".join(f"1 1 A{k} --> A{(k + 1) % 101}\n" for k in range(101)) + "1 1 A0 --> a",
            1,
            "101 symbols are in a cycle of unary rules; allow at most 100 in a cycle",
        ),
        ("@ W 99999999999999999999 100 0\nS -> W\nW -> 'a'", 3, "the truncation of W has 20 digits"),
        ("@ W " + "9" * 5000 + " 100 0\nS -> W\nW -> 'a'", 1, "is not @ Name"),
        ("".join(f"1 1 S --> {'a ' * 999} A{k}\n" for k in range(30)), 21, "too long in total"),
        ("1e-310 1 S --> a", 1, "a weight of 1e-310; weights are from 1e-300 to 1e+300"),
    ],
)
def test_what_would_take_long_is_refused_with_a_line(text, line, problem):
    message, found = refusal(text)
    assert problem in message
    assert found == line
    assert len(message) < 500


@pytest.mark.slow
def test_long_right_sides_and_long_chains_are_read():
    """By steps, not by calls within calls, and not by the squares of their lengths."""
    found = compiled(Grammar.from_text("1 1 S --> " + "a b " * 500))
    assert found.symbols.longest[found.start] == found.symbols.shortest[found.start] == 1000
    assert len(found.names) == 1001
    found = compiled(Grammar.from_text(chain_of_symbols(999, "0.5 1") + "1 1 A999 --> b\n"))
    assert [found.names[symbol] for symbol in found.adapted[[0, -1]]] == ["A0", "A998"]
    assert found.symbols.below.sum() == 999 * 1000 // 2 + 999
    text = "".join(reversed(chain_of_symbols(20_000, "1").splitlines(keepends=True)))
    found = compiled(Grammar.from_text(f"1 1 S --> A0 S\n1 1 S --> A0\n{text}"))
    numbers = dict(zip(found.names, found.symbols.longest.tolist(), strict=True))
    assert (numbers["S"], numbers["A0"], numbers["A20000"]) == (LONGEST, 1, 1)


def test_right_sides_that_end_alike_share_their_ends():
    found = compiled(Grammar.from_text("1 1 S --> x a b c\n1 1 S --> y a b c\n1 1 S --> b c"))
    assert sorted(found.names) == sorted(["S", "a", "b", "c", "x", "y", "a b c", "b c"])


def test_a_symbol_of_both_quotes_is_shown_as_it_stands():
    with pytest.raises(UserError, match=r"a symbol named '\"don.*one kind of quotes"):
        Grammar((Rule("S", (Terminal('"don\'t"'),)),), {})
