"""Grammars as values: two formats, what is refused, and their arrays."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stickbreaker import UserError
from stickbreaker.grammars.model.compiled import LONGEST, compiled
from stickbreaker.grammars.model.grammar import Adaptation, Grammar, Rule, Terminal
from stickbreaker.grammars.model.named import BY_NAME, marked_topic, topic

PY_CFG = """1 1 Sentence --> Words
1 1 Words --> Word
0.5 1 Words -->Word Words
Word --> Chars
1 1 Chars --> Char
1 1 Chars --> Char Chars
1 1 Char --> %
1 1 Char --> (
"""
PYADAGRAM = """% words
Sentence -> Words
@ Word 1500 100 0.5

Words -> Word | Word Words [0.5]
Word -> Chars
Chars -> Char | Char Chars
Char -> "%" | '"'
"""


def test_the_format_of_py_cfg():
    grammar = Grammar.from_text(PY_CFG)
    assert grammar.start == "Sentence"
    assert grammar.terminals == ("%", "(")
    assert dict(grammar.adapted) == {"Word": Adaptation()}
    assert grammar.rules[2] == Rule("Words", ("Word", "Words"), 0.5)
    numbers = Grammar.from_text("2 0.25 30 S --> a\n1 0.25 30 S --> b")
    assert numbers.adapted["S"] == Adaptation(0.25, 30.0)
    assert numbers.rules[0].weight == 2.0


def test_the_format_of_pyadagram():
    grammar = Grammar.from_text(PYADAGRAM)
    assert grammar.terminals == ("%", '"')
    assert grammar.adapted["Word"] == Adaptation(0.5, 100.0, 1500)
    assert grammar.rules[2].weight == 0.5
    assert [str(rule) for rule in grammar.by_parent["Chars"]] == ["Chars --> Char", "Chars --> Char Chars"]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", None, "no rule"),
        ("1 1 S --> ", 1, "has no children"),
        ("S -> A", 1, "A has no rule"),
        ('S -> "a"\nA -> "b"', 2, "A cannot be reached from S"),
        ("1 1 S --> S", 1, "can never end"),
        ('S -> A\nA -> B "a"\nB -> A "b"', 1, "can never end"),
        ("S --> W\nW --> V\n1 1 V --> W\n1 1 V --> a", 2, "W > V > W"),
        ("S --> a S\nS --> a", 1, "S > S"),
        ("1 1 S --> a\n2 1 S --> a", 2, "is already given in line 1"),
        ("0 1 S --> a", 1, "weight of 0"),
        ("nan 1 S --> a", 1, "weight of nan"),
        ("1 1.5 S --> a", 1, "discount 1.5"),
        ("1 0.5 -0.5 S --> a", 1, "concentration -0.5"),
        ("1 0 inf S --> a", 1, "concentration inf"),
        ("1 0.1 S --> a\n1 0.2 S --> b", 2, "differ from an earlier line"),
        ("1 2 3 4 S --> a", 1, "is not [weight"),
        ("x S --> a", 1, "is not [weight"),
        ("1 1 S --> a\nno arrow here", 2, "no arrow"),
        ('S -> "a', 1, "quote"),
        ('S -> ""', 1, "an empty one"),
        ('@ S 1 2\nS -> "a"', 1, "is not @ Name"),
        ('@ S 0 1 0\nS -> "a"', 2, "truncated at 0"),
        ('@ S 1 1 0\n@ S 1 1 0\nS -> "a"', 2, "twice"),
        ('@ A 1 1 0\nS -> "a"', None, "A is adapted and has no rule"),
        ("1 1 S --> a'b\"c", 1, "symbol named"),
    ],
)
def test_refused(text, line, problem):
    with pytest.raises(UserError) as raised:
        Grammar.from_text(text, "rules.lt")
    message = str(raised.value)
    assert problem in message
    assert len(message.splitlines()) == 1
    assert message.startswith("rules.lt" if line is None else f"rules.lt:{line}") or f"line {line}" in message


NAMES = st.sampled_from(["S", "A", "B", "C%d", "D|e", "[x", "é", "(", "@a", "1"])
LETTERS = st.sampled_from(
    ["a", "%", "|", "->", "[2]", "'", '"', "@", "-->", "\u2028", "\x85", " ", "<b>", "漢"]
)


@st.composite
def rule_lists(draw):
    """Rules of a few symbols, most of which make a grammar."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    rules = []
    for name in names:
        rules.append(Rule(name, (Terminal(draw(LETTERS)),), draw(st.floats(0.01, 100.0))))
        for _ in range(draw(st.integers(0, 3))):
            children = draw(st.lists(st.sampled_from(names) | LETTERS.map(Terminal), min_size=1, max_size=4))
            rules.append(Rule(name, tuple(children), draw(st.floats(0.01, 100.0))))
    adapted = {name: Adaptation(draw(st.floats(0.0, 0.9)), draw(st.floats(0.1, 9.0))) for name in names[2:3]}
    return tuple(rules), adapted


@settings(max_examples=150, deadline=None)
@given(rule_lists())
def test_what_is_written_is_read(parts):
    try:
        grammar = Grammar(*parts)
    except UserError:
        return
    again = Grammar.from_text(grammar.to_text())
    assert again == grammar
    kinds = [[isinstance(child, Terminal) for child in rule.children] for rule in grammar.rules]
    assert [[isinstance(child, Terminal) for child in rule.children] for rule in again.rules] == kinds


@settings(max_examples=300, deadline=None)
@given(
    st.text(st.sampled_from(list("SAab ->|%@[]\"'1.0\n\t\r")) | st.characters(), max_size=60)
    | st.lists(
        st.sampled_from(["S", "->", "-->", '"a"', "|", "1", "@", "\n", "0.5", "%", "A"]), max_size=20
    ).map(" ".join)
)
def test_any_text_is_a_grammar_or_a_mistake_of_one_line(text):
    try:
        grammar = Grammar.from_text(text)
    except UserError as error:
        assert len(str(error).split("\n")) == 1  # noqa: PT017
    else:
        compiled(grammar)


def test_arrays_of_a_grammar():
    found = compiled(
        Grammar.from_text("1 1 S --> a S b c\n1 1 S --> A\n1 1 A --> B\n1 1 B --> A\n1 1 B --> c")
    )
    names = dict(zip(found.names, range(len(found.names)), strict=True))
    rules, symbols = found.rules, found.symbols
    unary = (rules.lefts >= 0) & (rules.rights < 0)
    groups = symbols.groups
    assert (groups[rules.lefts[unary]] <= groups[rules.parents[unary]]).all()
    assert groups[names["A"]] == groups[names["B"]] != groups[names["S"]]
    assert symbols.circles[names["A"]] == 0 > symbols.circles[names["S"]]
    assert symbols.shortest[names["S"]] == 1
    assert symbols.longest[names["S"]] == LONGEST
    assert symbols.longest[names["A"]] == 1
    assert symbols.shortest[names["S b c"]] == 3
    assert set(found.sources.tolist()) == {-1, 0, 1, 2, 3, 4}
    assert (rules.counted == (found.sources >= 0)).all()


def test_anchors():
    found = compiled(Grammar.from_text("1 1 S --> A B\n1 1 A --> a\n1 1 B --> b B\n1 1 B --> b"))
    at = {name: (found.symbols.at_start[k], found.symbols.at_end[k]) for k, name in enumerate(found.names)}
    assert at["S"] == (True, True)
    assert at["A"] == (True, False)
    assert at["B"] == (False, True)
    assert at["b"] == (False, False)


def test_general_symbols_come_first():
    found = compiled(BY_NAME["collocation"](("a", "b")))
    assert [found.names[symbol] for symbol in found.adapted] == ["Colloc", "Word"]


@pytest.mark.parametrize("name", [name for name in BY_NAME if name != "topic"])
def test_grammars_by_name_are_grammars(name):
    grammar = BY_NAME[name](("a", "b", "c"))
    assert set(grammar.terminals) == {"a", "b", "c"}
    assert Grammar.from_text(grammar.to_text()) == grammar
    assert Grammar.from_text(marked_topic(("a",), ("_1", "_2"), 2).to_text()).start == "Sentence"
    assert Grammar.from_text(topic(("a",), 2).to_text()) == topic(("a",), 2)


def test_without_vowels_there_are_no_syllables():
    with pytest.raises(UserError, match="no vowels"):
        BY_NAME["collocation-syllable"](("b", "c"))
