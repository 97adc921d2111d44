"""A grammar as a value: its rules and adapted symbols, with file formats and checks."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from stickbreaker.core.errors import UserError, shown
from stickbreaker.grammars.model.symbol_graph import components

DISCOUNT, CONCENTRATION = 0.0, 1000.0  # defaults of an adapted symbol
LIGHTEST, HEAVIEST = 1e-300, 1e300  # weights of rules, so that sums and logarithms stay finite
MOST_ADAPTED = 1000  # symbols: each needs memory for every string of a text
LARGEST_CIRCLE = 100  # symbols in a cycle of unary rules: summing over chains takes its cube
LONGEST_RULE = 1000  # symbols of a right-hand side
LARGEST_RULES = 20_000_000  # sum of squared lengths of right-hand sides: the cost of splitting them
LARGEST_TRUNCATION = 10**18
BY_DOCUMENT = "document"  # after `@ Parent`, in place of numbers


class Terminal(str):
    """A terminal symbol of a grammar: a symbol of the text."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Terminal({str(self)!r})"


Symbol = str  # of the grammar, or a Terminal


@dataclass(frozen=True)
class Rule:
    """A rule: `parent` is rewritten as `children`, with a prior weight; `line` is its line in the file."""

    parent: str
    children: tuple[Symbol, ...]
    weight: float = 1.0
    line: int | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.parent} --> {' '.join(self.children)}"


class Adaptation(NamedTuple):
    """The Pitman-Yor process of an adapted symbol.

    truncation: the largest number of subtrees that it remembers in variational inference; None: the default.
    """

    discount: float = DISCOUNT
    concentration: float = CONCENTRATION
    truncation: int | None = None


@dataclass(frozen=True)
class Grammar:
    """A context-free grammar some of whose symbols are adapted, so that they remember subtrees.

    The first rule is one of the start symbol. Raises UserError with the line for an unusable grammar, such as
    a symbol without rules or one that cannot be reached, an empty rule, a symbol that derives no finite
    string, or an adapted symbol that occurs below itself.

    >>> grammar = Grammar.from_text("1 1 S --> W S\\n1 1 S --> W\\nW --> a W2\\n1 1 W2 --> b")
    >>> grammar.start, grammar.terminals, list(grammar.adapted)
    ('S', ('a', 'b'), ['W'])
    """

    rules: tuple[Rule, ...]
    adapted: Mapping[str, Adaptation]
    where: str | None = field(default=None, compare=False)  # the file, for messages
    unquoted: bool = field(default=False, compare=False)  # names without rules are terminals, as in py-cfg
    by_document: str | None = None  # the start symbol, if documents have weights of their own for its rules

    def __post_init__(self) -> None:
        if not self.rules:
            self._refuse("has no rule", None)
        self._refuse_names()
        self._refuse_numbers()
        self._refuse_sizes()
        self._refuse_twice()
        self._refuse_symbols()
        self._refuse_endless()
        self._refuse_below_itself()
        self._refuse_circles()
        self._refuse_by_document()

    @property
    def start(self) -> str:
        """The start symbol."""
        return self.rules[0].parent

    @cached_property
    def by_parent(self) -> dict[str, list[Rule]]:
        """{symbol: its rules}, both in the order of the grammar."""
        found: dict[str, list[Rule]] = {}
        for rule in self.rules:
            found.setdefault(rule.parent, []).append(rule)
        return found

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols that have rules, in the order of their first rules."""
        return tuple(self.by_parent)

    @cached_property
    def terminals(self) -> tuple[str, ...]:
        """The terminals, each once, in the order in which they first occur in the rules."""
        children = (child for rule in self.rules for child in rule.children)
        return tuple(dict.fromkeys(str(child) for child in children if isinstance(child, Terminal)))

    @classmethod
    def from_text(cls, text: str, where: str | None = None) -> "Grammar":
        """Read a grammar in the format of py-cfg or PyAdaGram, recognised by its arrows.

        py-cfg: one rule per line, `[weight [a [b]]] Parent --> children`. Symbols without rules are
        terminals. `a` is the discount of an adapted symbol, `b` its concentration; without `a` the symbol is
        adapted with defaults, and with a = 1 it is not adapted. PyAdaGram: `Parent -> children`, terminals in
        quotes, alternatives after `|`, comments after `%`, `@ Parent truncation concentration discount` for
        an adapted symbol, `@ Parent document` for the symbol `by_document`. Raises UserError with the line.
        """
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        read = _read_py_cfg if any(_is_py_cfg(line) for _, line in lines) else _read_pyadagram
        rules, adapted, by_document = read(lines, where)
        return cls(rules, adapted, where, read is _read_py_cfg, by_document)

    def to_text(self) -> str:
        """The grammar in the format of PyAdaGram, with weights, for `from_text`.

        >>> print(Grammar.from_text("1 1 S --> a S\\n2 1 S --> a").to_text(), end="")
        S -> "a" S
        S -> "a" [2]
        """
        lines: list[str] = []
        for symbol, (discount, concentration, truncation) in self.adapted.items():
            most = "*" if truncation is None else str(truncation)
            lines.append(f"@ {symbol} {most} {float(concentration)!r} {float(discount)!r}")
        if self.by_document is not None:
            lines.append(f"@ {self.by_document} document")
        for rule in self.rules:
            weight = "" if rule.weight == 1.0 else f" [{rule.weight:.17g}]"
            lines.append(f"{rule.parent} -> {' '.join(map(_written, rule.children))}{weight}")
        return "".join(f"{line}\n" for line in lines)

    # Checks

    def _refuse(self, problem: str, line: int | None, remedy: str = "mend the grammar") -> None:
        raise UserError(problem, where=self.where or "the grammar", line=line, remedy=remedy)

    def _refuse_names(self) -> None:
        """Raise UserError for a name of a symbol that `to_text` could not write."""
        for rule in self.rules:
            for name in (rule.parent, *rule.children):
                if isinstance(name, Terminal):
                    wrong = not name or "\n" in name or ('"' in name and "'" in name)
                else:
                    wrong = name in ("", "|", "@", "->") or "-->" in name or name.startswith("%")
                    wrong = wrong or _is_weight(name)
                    wrong = wrong or any(letter.isspace() or letter in "\"'" for letter in name)
                if wrong:
                    both = isinstance(name, Terminal) and bool(name) and "\n" not in name
                    remedy = (
                        "use only one kind of quotes in a symbol of the text" if both else "name it otherwise"
                    )
                    self._refuse(f"a symbol named {shown(str(name))}", rule.line, remedy)

    def _refuse_numbers(self) -> None:
        for rule in self.rules:
            if not LIGHTEST <= rule.weight <= HEAVIEST:
                remedy = f"weights are from {LIGHTEST:g} to {HEAVIEST:g}"
                self._refuse(f"a weight of {rule.weight}", rule.line, remedy)
            if not rule.children:
                self._refuse(f"a rule of {rule.parent} has no children", rule.line, "remove the rule")
        for symbol, (discount, concentration, truncation) in self.adapted.items():
            line = self._line_of(symbol)
            if not 0.0 <= discount < 1.0:
                self._refuse(f"{symbol} has the discount {discount}", line, "it is in [0, 1)")
            if not -discount < concentration < np.inf:
                problem = f"{symbol} has the concentration {concentration}"
                self._refuse(problem, line, "it is above minus the discount")
            if truncation is not None and truncation < 1:
                self._refuse(f"{symbol} is truncated at {truncation}", line, "it is at least 1")
            if truncation is not None and truncation > LARGEST_TRUNCATION:
                problem = f"the truncation of {symbol} has {len(str(truncation))} digits"
                self._refuse(problem, line, "give * for none")

    def _refuse_sizes(self) -> None:
        """Raise UserError for a grammar that is too large to process."""
        if len(self.adapted) > MOST_ADAPTED:
            problem = f"{len(self.adapted):,} symbols are adapted"
            self._refuse(problem, None, f"adapt at most {MOST_ADAPTED:,}")
        squares = 0
        for rule in self.rules:
            size = len(rule.children)
            squares += size * size
            if size > LONGEST_RULE:
                problem = f"the right-hand side of {rule.parent} has {size:,} symbols"
                self._refuse(problem, rule.line, f"give it at most {LONGEST_RULE:,}")
            if squares > LARGEST_RULES:
                self._refuse(
                    "the right-hand sides are too long in total", rule.line, "replace long parts by symbols"
                )

    def _refuse_twice(self) -> None:
        seen: dict[tuple[object, ...], Rule] = {}
        for rule in self.rules:
            kinds = tuple(isinstance(child, Terminal) for child in rule.children)
            before = seen.setdefault((rule.parent, rule.children, kinds), rule)
            if before is not rule:
                where = f" in line {before.line}" if before.line is not None else " before"
                self._refuse(f"{rule} is already given{where}", rule.line, "give it once, with a weight")

    def _refuse_symbols(self) -> None:
        for rule in self.rules:
            for child in rule.children:
                if not isinstance(child, Terminal) and child not in self.by_parent:
                    self._refuse(f"{child} has no rule", rule.line, "give it one, or put it in quotes")
        for symbol in self.adapted:
            if symbol not in self.by_parent:
                self._refuse(f"{symbol} is adapted and has no rule", None, "give it one")
        seen, waiting = {self.start}, [self.start]
        while waiting:
            for child in _below(self.by_parent[waiting.pop()]):
                if child not in seen:
                    seen.add(child)
                    waiting.append(child)
        for symbol, rules in self.by_parent.items():
            if symbol not in seen:
                problem = f"{symbol} cannot be reached from {self.start}"
                self._refuse(problem, rules[0].line, "remove its rules")

    def _refuse_endless(self) -> None:
        open_children = [set(_below([rule])) for rule in self.rules]
        users: dict[str, list[int]] = {}
        for number, children in enumerate(open_children):
            for child in children:
                users.setdefault(child, []).append(number)
        waiting = [rule.parent for rule, own in zip(self.rules, open_children, strict=True) if not own]
        ends: set[str] = set()
        while waiting:
            symbol = waiting.pop()
            if symbol in ends:
                continue
            ends.add(symbol)
            for number in users.get(symbol, ()):
                open_children[number].discard(symbol)
                if not open_children[number]:
                    waiting.append(self.rules[number].parent)
        for symbol, rules in self.by_parent.items():
            if symbol not in ends:
                self._refuse(f"{symbol} can never end", rules[0].line, "give it a rule that ends")

    def _refuse_below_itself(self) -> None:
        below = {symbol: list(_below(rules)) for symbol, rules in self.by_parent.items()}
        circling = {
            symbol
            for group in components(below)
            for symbol in group
            if len(group) > 1 or symbol in below[symbol]
        }
        for symbol in self.adapted:
            if symbol in circling:
                way = self._way_back(symbol)
                problem = f"{symbol} is adapted and occurs below itself: {' > '.join(way)}"
                self._refuse(problem, self._line_of(symbol), "adapt a symbol above the cycle")

    def _way_back(self, symbol: str) -> list[str]:
        """The shortest path from a symbol down to itself; empty if it does not occur below itself."""
        above = {symbol: ""}
        waiting = [symbol]
        for one in waiting:
            for child in _below(self.by_parent[one]):
                if child == symbol:
                    way = [symbol]
                    while one:
                        way.append(one)
                        one = above[one]
                    return way[::-1]
                if child not in above:
                    above[child] = one
                    waiting.append(child)
        return []

    def _refuse_circles(self) -> None:
        """Raise UserError for a large cycle of unary rules, which would take too long to sum over."""
        below = {
            symbol: [child for rule in rules if len(rule.children) == 1 for child in _below([rule])]
            for symbol, rules in self.by_parent.items()
        }
        for group in components(below):
            if len(group) > LARGEST_CIRCLE:
                problem = f"{len(group):,} symbols are in a cycle of unary rules"
                self._refuse(problem, self._line_of(group[0]), f"allow at most {LARGEST_CIRCLE} in a cycle")

    def _refuse_by_document(self) -> None:
        """Raise UserError if documents cannot have their own weights for the rules of `by_document`.

        It must be the start symbol, occur nowhere else, not be adapted, and not lead to a terminal alone.
        """
        symbol = self.by_document
        if symbol is None:
            return
        problem, line = f"{symbol} has rules by document and", self._line_of(symbol)
        if symbol != self.start:
            self._refuse(f"{problem} is not the start symbol", line, f"begin with {symbol}")
        if symbol in self.adapted:
            self._refuse(f"{problem} is adapted", line, "adapt the symbols below it")
        if self._way_back(symbol):
            self._refuse(f"{problem} occurs below itself", line, "put a new symbol above it")
        if any(
            len(own.children) == 1 and isinstance(own.children[0], Terminal) for own in self.by_parent[symbol]
        ):
            self._refuse(f"{problem} leads to a symbol of the text", line, "put a symbol between them")

    def _line_of(self, symbol: str) -> int | None:
        rules = self.by_parent.get(symbol)
        return rules[0].line if rules else None


def _below(rules: Iterable[Rule]) -> Iterator[str]:
    """The symbols on the right-hand sides of rules, without terminals."""
    return (child for rule in rules for child in rule.children if not isinstance(child, Terminal))


def _written(symbol: Symbol) -> str:
    """A symbol in PyAdaGram's notation: a terminal is quoted, with the kind of quotes it does not contain."""
    if not isinstance(symbol, Terminal):
        return symbol
    return f'"{symbol}"' if '"' not in symbol else f"'{symbol}'"


# Formats


Lines = list[tuple[int, str]]
Parts = tuple[tuple[Rule, ...], dict[str, Adaptation], str | None]  # rules, adapted, by_document


def _is_py_cfg(line: str) -> bool:
    """Whether a line is in the format of py-cfg: it has -->, not in a quote or comment of PyAdaGram."""
    left, arrow, _ = line.partition("-->")
    words = left.split()
    within = "->" in words or any(word.startswith("%") or '"' in word or "'" in word for word in words)
    return bool(arrow) and not within


def _read_py_cfg(lines: Lines, where: str | None) -> Parts:
    """Read lines of a grammar in the format of py-cfg: its rules and adapted symbols.

    Raises UserError with the line that is wrong.
    """
    found: list[tuple[int, float, list[float], str, list[str]]] = []
    for number, line in lines:
        left, arrow, right = line.partition("-->")
        if not arrow:
            raise _mistake("has no arrow -->", line, number, where)
        *numbers, parent = left.split() or [""]
        if not parent or len(numbers) > 3:
            raise _mistake("is not [weight [a [b]]] Parent --> children", line, number, where)
        try:
            values = [float(value) for value in numbers]
        except ValueError:
            raise _mistake("is not [weight [a [b]]] Parent --> children", line, number, where) from None
        found.append((number, *_split(values), parent, right.split()))
    parents = {parent for _, _, _, parent, _ in found}
    rules: list[Rule] = []
    given: dict[str, list[float]] = {}
    for number, weight, process, parent, children in found:
        symbols = tuple(child if child in parents else Terminal(child) for child in children)
        rules.append(Rule(parent, symbols, weight, number))
        before = given.setdefault(parent, process)
        if process and before and process != before:
            problem = f"a and b of {parent} differ from an earlier line"
            raise UserError(
                problem, where=where or "the grammar", line=number, remedy="repeat the same numbers"
            )
        given[parent] = before or process
    adapted: dict[str, Adaptation] = {}
    for parent, process in given.items():
        discount = process[0] if process else DISCOUNT
        if discount != 1.0:
            adapted[parent] = Adaptation(discount, process[1] if len(process) > 1 else CONCENTRATION)
    return tuple(rules), adapted, None


def _split(values: list[float]) -> tuple[float, list[float]]:
    """Split the numbers before a rule into its weight (1 if there is none) and the parameters a and b."""
    return (values[0], values[1:]) if values else (1.0, [])


def _read_pyadagram(lines: Lines, where: str | None) -> Parts:
    """Read lines of a grammar in the format of PyAdaGram: its rules, adapted symbols and `by_document`.

    Raises UserError with the line that is wrong.
    """
    rules: list[Rule] = []
    adapted: dict[str, Adaptation] = {}
    by_document: str | None = None
    for number, line in lines:
        words = list(_words_of(line, number, where))
        if not words:
            continue
        if words[0] == "@" and len(words) == 3 and words[2] == BY_DOCUMENT:
            if by_document is not None:
                raise _mistake("is a second symbol with rules by document", line, number, where)
            by_document = words[1]
            continue
        if words[0] == "@":
            name, adaptation = _adaptation_of(words[1:], line, number, where)
            if name in adapted:
                raise _mistake("adapts a symbol twice", line, number, where)
            adapted[name] = adaptation
            continue
        if len(words) < 2 or words[1] != "->" or isinstance(words[0], Terminal):
            raise _mistake("is not Parent -> children", line, number, where)
        for alternative in _alternatives(words[2:]):
            weight = 1.0
            if alternative and _is_weight(alternative[-1]):
                weight = float(alternative.pop()[1:-1])
            rules.append(Rule(words[0], tuple(alternative), weight, number))
    return tuple(rules), adapted, by_document


def _words_of(line: str, number: int, where: str | None) -> Iterator[Symbol]:
    """The symbols of a line of a grammar file, without its comment; quoted ones are terminals.

    Raises UserError for an unclosed or empty quote.
    """
    place = 0
    while place < len(line):
        letter = line[place]
        if letter.isspace():
            place += 1
        elif letter == "%":
            return
        elif letter in "\"'":
            end = line.find(letter, place + 1)
            if end <= place + 1:
                raise _mistake("has an unclosed quote or an empty one", line, number, where)
            yield Terminal(line[place + 1 : end])
            place = end + 1
        else:
            end = place
            while end < len(line) and not line[end].isspace() and line[end] not in "\"'":
                end += 1
            yield line[place:end]
            place = end


def _alternatives(words: list[Symbol]) -> Iterator[list[Symbol]]:
    """Split the symbols of a right-hand side at bars (|) into alternatives."""
    found: list[Symbol] = []
    for word in words:
        if word == "|" and not isinstance(word, Terminal):
            yield found
            found = []
        else:
            found.append(word)
    yield found


def _is_weight(word: Symbol) -> bool:
    """Whether a symbol of a grammar file is the weight of a rule, like [0.5]."""
    if isinstance(word, Terminal) or not (word.startswith("[") and word.endswith("]")):
        return False
    try:
        float(word[1:-1])
    except ValueError:
        return False
    return True


def _adaptation_of(words: list[Symbol], line: str, number: int, where: str | None) -> tuple[str, Adaptation]:
    """Parse what follows @ in a line `@ Name truncation concentration discount`: the name and its process.

    A truncation of * means none. Raises UserError for anything else.
    """
    try:
        name, most, concentration, discount = words
        truncation = None if most == "*" else int(most)
        return name, Adaptation(float(discount), float(concentration), truncation)
    except ValueError:
        raise _mistake("is not @ Name truncation concentration discount", line, number, where) from None


def _mistake(problem: str, line: str, number: int, where: str | None) -> UserError:
    return UserError(
        f"{shown(line.strip())} {problem}", where=where or "the grammar", line=number, remedy="mend the line"
    )
