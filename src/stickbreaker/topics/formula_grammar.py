"""Formulas of metadata such as "party + poly(year, 2)", read by a grammar of their own.

The package that evaluates formulas runs Python code that a formula contains. So it gets only what this module
has read: names of fields, numbers, operators, and calls of the functions below.

    formula: [[name] ~] sum                          sum: ([+ | -] product), joined by + or -
    product: interaction, joined by * or /           interaction: power, joined by :
    power: factor [^ number]                         factor: 0 | 1 | name | (sum) | call
    call: C(name [, contrast]) | poly(number, degree [, raw=TRUE]) | bs(number, df=…, degree=…) | I(number)
          | log(number) and other functions of one number
    of a prior, also: (1 | name), whose levels are pooled, and walk(name, "month"), a random walk over dates
    number: arithmetic of numbers and names with + - * / ^ ( ) and functions of one number

A name with other characters than letters, digits, _ and . stands between ` and `, as in R.
"""

import math
import re
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple, NoReturn

from stickbreaker.core.errors import UserError, counted, shown
from stickbreaker.corpus.text.dates import PERIODS

LONGEST = 2_000  # characters of a formula
DEEPEST = 40  # brackets within brackets
MOST_TERMS = 1_000
MOST_COLUMNS = 100  # of poly and bs
FUNCTIONS = ("log", "log2", "log10", "exp", "sqrt")  # of one number
OF_COLUMNS = ("poly", "bs", "center", "scale")  # functions of a column of numbers, not within arithmetic
CONTRASTS = {
    **{f"contr.{name}": name for name in ("treatment", "sum", "helmert", "poly", "diff")},
    **{name.title(): name for name in ("treatment", "sum", "helmert", "poly", "diff")},
}
EXAMPLES = 'give one like "party + year", "C(year) * party" or "poly(year, 2)"'
LEARNED_LEVELS = ("pooled", "walk")  # kinds of factors whose levels have a prior of their own
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])|(?P<name>[^\W\d][\w.]*)"
    r"|`(?P<quoted>[^`]+)`|\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<operator>\*\*|[-+:*/^(),=~|]))"
)


class Number(NamedTuple):
    """A number that is computed for each document.

    operator: "field", "number", a sign ("-x"), one of + - * / ** or the name of a function; value: the name
    of the field, or the number; operands: what the operator is applied to.
    """

    operator: str
    value: str | float = ""
    operands: tuple["Number", ...] = ()

    def fields(self) -> tuple[str, ...]:
        """The names of the fields from which the number is computed."""
        own = (str(self.value),) if self.operator == "field" else ()
        return tuple(dict.fromkeys((*own, *(name for one in self.operands for name in one.fields()))))

    def __str__(self) -> str:
        parts = [str(one) for one in self.operands]
        if self.operator in ("field", "number"):
            return self.value if isinstance(self.value, str) else f"{self.value:g}"
        if self.operator == "-x":
            return f"-{parts[0]}"
        if len(parts) == 2:
            return f" {self.operator} ".join(parts)
        return f"{self.operator.removeprefix('()')}({parts[0]})"


class Factor(NamedTuple):
    """A factor of a term.

    kind: "field", "levels" (a field whose values are levels, even if they are numbers), "number", "pooled"
    ((1 | name)) or "walk"; number: what is computed, or the field itself; function: applied to the number,
    one of OF_COLUMNS, or "I" or "", and of a walk the period; options: of the function. contrast, base: how
    levels are compared, and the reference level as given, or None.
    """

    kind: str
    number: Number
    function: str = ""
    options: tuple[tuple[str, int | bool], ...] = ()
    contrast: str = "treatment"
    base: str | float | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        return self.number.fields()

    def __str__(self) -> str:
        if self.kind == "walk":
            return f'walk({self.number}, "{self.function}")'
        return f"(1 | {self.number})" if self.kind == "pooled" else str(self.number)

    @property
    def columns(self) -> int:
        """At least how many columns a number has."""
        options = dict(self.options)
        default = 3 if self.function == "bs" else 1
        return int(options.get("df") or options.get("degree") or default)


Term = tuple[Factor, ...]  # an interaction of factors; without any, the intercept
INTERCEPT: Term = ()


class _Token(NamedTuple):
    kind: str  # of the groups of _TOKEN, or "end"
    text: str


def read_formula(formula: str, *, prior: bool = False) -> tuple[Term, ...]:
    """The terms of a formula, the intercept first unless it is left out; interactions last.

    prior: whether it is that of a prior, which may have (1 | name) and walk(name, "month"). Raises UserError
    for anything that is not in the grammar, and if there is no term.

    >>> terms = read_formula("party + year")
    >>> [[factor.fields for factor in term] for term in terms]
    [[], [('party',)], [('year',)]]
    """
    if len(formula) > LONGEST:
        raise UserError(f"a formula of {len(formula):,} characters", remedy=f"give at most {LONGEST:,}")
    if not formula.strip():
        raise UserError("the formula is empty", remedy=EXAMPLES)
    terms = _Reader(formula).formula()
    if not terms:
        raise UserError(f"the formula {shown(formula)} has no term", remedy=EXAMPLES)
    for factor in (one for term in terms for one in term if one.kind in LEARNED_LEVELS):
        if not prior:
            problem = f"the formula {shown(formula)} has {factor}, which is for a model's prior"
            raise UserError(problem, remedy=f"fit with prevalence, or give C({factor.fields[0]})")
        if (factor,) not in terms or any(factor in term for term in terms if len(term) > 1):
            raise UserError(f"{factor} is in an interaction", remedy=f"add it: party + {factor}")
    return tuple(sorted(terms, key=len))


class _Reader:
    """Reads a formula from left to right."""

    def __init__(self, formula: str) -> None:
        self.text, self.place, self.depth = formula, 0, 0
        self.tokens = list(self._split())

    def _split(self) -> Iterable[_Token]:
        end, at = len(self.text.rstrip()), 0
        while at < end:
            found = _TOKEN.match(self.text, at)
            if found is None or found.lastgroup is None:
                self._refuse(f"has {shown(self.text[at:end].strip(), 12)}, which is not part of a formula")
            at = found.end()
            yield _Token(found.lastgroup, found[found.lastgroup])
        yield _Token("end", "")

    def _refuse(self, reason: str) -> NoReturn:
        raise UserError(f"the formula {shown(self.text)} {reason}", remedy=EXAMPLES)

    def _unexpected(self, wanted: str) -> NoReturn:
        token = self.tokens[self.place]
        here = "ends" if token.kind == "end" else f"has {shown(token.text, 30)}"
        self._refuse(f"{here} in place of {wanted}")

    def _next_is(self, *operators: str) -> bool:
        token = self.tokens[self.place]
        return token.kind == "operator" and token.text in operators

    def _take(self, *operators: str) -> str | None:
        if not self._next_is(*operators):
            return None
        self.place += 1
        return self.tokens[self.place - 1].text

    def _expect(self, operator: str) -> None:
        if self._take(operator) is None:
            self._unexpected(shown(operator))

    def _open(self) -> None:
        self._expect("(")
        self.depth += 1
        if self.depth > DEEPEST:
            self._refuse(f"has more than {DEEPEST} brackets within brackets")

    def _close(self) -> None:
        self._expect(")")
        self.depth -= 1

    # terms

    def formula(self) -> list[Term]:
        named = self.tokens[0].kind in ("name", "quoted")
        if len(self.tokens) > named and self.tokens[named] == _Token("operator", "~"):
            self.place = int(named) + 1
        terms = self._sum(INTERCEPT)
        if self.tokens[self.place].kind != "end":
            self._unexpected("an operator")
        return terms

    def _sum(self, *given: Term) -> list[Term]:
        terms, sign = list(given), self._take("+", "-") or "+"
        while True:
            more, adds = self._product(), sign == "+"
            if more is None:  # a zero
                more, adds = [INTERCEPT], not adds
            removed = {frozenset(term) for term in more}
            left = [term for term in terms if frozenset(term) not in removed]
            terms = self._limited(_distinct([*terms, *more])) if adds else left
            sign = self._take("+", "-")
            if sign is None:
                return terms

    def _product(self) -> list[Term] | None:
        left = self._interaction()
        while operator := self._take("*", "/"):
            right = self._interaction()
            if left is None or right is None:
                self._refuse("multiplies by 0")
            if operator == "*":
                left = self._limited(_distinct([*left, *right, *self._crossed(left, right)]))
            else:
                whole = tuple(dict.fromkeys(factor for term in left for factor in term))
                left = self._limited(_distinct([*left, *self._crossed([whole], right)]))
        return left

    def _interaction(self) -> list[Term] | None:
        left = self._power()
        while self._take(":"):
            right = self._power()
            if left is None or right is None:
                self._refuse("multiplies by 0")
            left = self._crossed(left, right)
        return left

    def _power(self) -> list[Term] | None:
        terms = self._factor()
        while self._take("^", "**"):
            number = self.tokens[self.place]
            if number.kind != "number" or not number.text.isdecimal() or number.text.strip("0") == "":
                self._unexpected("a whole number from 1 on")
            if terms is None:
                self._refuse("has a power of 0")
            self.place += 1
            degree, powers = min(int(number.text[:4]), len(terms)), list[Term]()
            if sum(math.comb(len(terms), size) for size in range(1, degree + 1)) > MOST_TERMS:
                self._refuse_many_terms()
            for size in range(1, degree + 1):
                for chosen in combinations(terms, size):
                    powers.append(_joined(chosen))
            terms = _distinct(powers)
        return terms

    def _crossed(self, left: Sequence[Term], right: Sequence[Term]) -> list[Term]:
        if len(left) * len(right) > MOST_TERMS:
            self._refuse_many_terms()
        return _distinct(_joined((one, other)) for one in left for other in right)

    def _limited(self, terms: list[Term]) -> list[Term]:
        if len(terms) > MOST_TERMS:
            self._refuse_many_terms()
        return terms

    def _refuse_many_terms(self) -> NoReturn:
        self._refuse(f"has more than {counted(MOST_TERMS, 'term')}")

    def _factor(self) -> list[Term] | None:
        token = self.tokens[self.place]
        if self._next_is("("):
            self._open()
            if _Token("operator", "|") in self.tokens[self.place + 1 : self.place + 2]:
                pooled = self._pooled()
                self._close()
                return [(pooled,)]
            terms = self._sum()
            self._close()
            return terms
        if token.kind == "number" and token.text in ("0", "1"):
            self.place += 1
            return [INTERCEPT] if token.text == "1" else None
        name = self._field()
        if token.kind == "name" and self._next_is("("):
            return [(self._call(name),)]
        return [(Factor("field", Number("field", name)),)]

    def _pooled(self) -> Factor:
        """The factor of (1 | name), after its bracket."""
        if self.tokens[self.place] != _Token("number", "1"):
            self._refuse("has | after something else than 1, as in (1 | author)")
        self.place += 2
        return Factor("pooled", Number("field", self._field()))

    def _walk(self) -> Factor:
        """The factor of walk(name, "month"), after its bracket."""
        field = self._field()
        self._expect(",")
        token = self.tokens[self.place]
        if token.kind not in ("double", "single") or token.text not in PERIODS:
            self._unexpected(f"a period in quotes: {', '.join(PERIODS)}")
        self.place += 1
        return Factor("walk", Number("field", field), token.text)

    def _field(self) -> str:
        token = self.tokens[self.place]
        if token.kind not in ("name", "quoted"):
            self._unexpected("the name of a field")
        self.place += 1
        return token.text

    # calls

    def _call(self, name: str) -> Factor:
        self._open()
        if name == "C":
            factor = self._levels()
        elif name == "walk":
            factor = self._walk()
        elif name in ("I", *OF_COLUMNS):
            number = self._arithmetic()
            options = self._options(name) if name in ("poly", "bs") else {}
            factor = Factor("number", number, name, tuple(options.items()))
        elif name in FUNCTIONS:
            factor = Factor("number", Number(name, operands=(self._arithmetic(),)))
        else:
            known = ", ".join(("C", "I", *OF_COLUMNS, *FUNCTIONS, "walk"))
            self._refuse(f"has the function {shown(name, 30)}; there are {known}")
        self._close()
        return factor

    def _levels(self) -> Factor:
        field = self._field()
        if not self._take(","):
            return Factor("levels", Number("field", field))
        token = self.tokens[self.place]
        contrast = CONTRASTS.get(token.text) if token.kind == "name" else None
        if contrast is None:
            self._unexpected("a contrast, such as contr.treatment or contr.sum")
        self.place += 1
        base = None
        if self._next_is("("):
            self._open()
            if not self._next_is(")"):
                base = self._base(contrast)
            self._close()
        return Factor("levels", Number("field", field), contrast=contrast, base=base)

    def _base(self, contrast: str) -> str | float:
        if contrast != "treatment":
            self._unexpected("')'")
        if self.tokens[self.place] == _Token("name", "base"):
            self.place += 1
            self._expect("=")
        token = self.tokens[self.place]
        if token.kind not in ("double", "single", "number"):
            self._unexpected("a level in quotes")
        self.place += 1
        return float(token.text) if token.kind == "number" else token.text

    def _options(self, name: str) -> dict[str, int | bool]:
        """The options after the first argument of poly or bs."""
        found: dict[str, int | bool] = {}
        names = ["degree", "raw"] if name == "poly" else ["df", "degree"]
        while self._take(","):
            token = self.tokens[self.place]
            key = names[0] if token.kind == "number" and not found else token.text
            if key not in names or key in found:
                self._unexpected(" or ".join(f"{each}=" for each in names))
            if token.kind == "name":
                self.place += 1
                self._expect("=")
            token = self.tokens[self.place]
            if key == "raw":
                if token.text not in ("TRUE", "True", "FALSE", "False"):
                    self._unexpected("TRUE or FALSE")
                found[key] = token.text in ("TRUE", "True")
            else:
                if not token.text.isdecimal() or not 1 <= int(token.text[:9]) <= MOST_COLUMNS:
                    self._unexpected(f"a whole number from 1 to {MOST_COLUMNS}")
                found[key] = int(token.text)
            self.place += 1
        return found

    # arithmetic

    def _arithmetic(self) -> Number:
        left = self._multiplied()
        while operator := self._take("+", "-"):
            left = Number(operator, operands=(left, self._multiplied()))
        return left

    def _multiplied(self) -> Number:
        left = self._signed()
        while operator := self._take("*", "/"):
            left = Number(operator, operands=(left, self._signed()))
        return left

    def _signed(self) -> Number:
        sign = self._take("-", "+")
        number = self._number()
        if self._take("^", "**"):
            exponent_sign, exponent = self._take("-", "+"), self._number()
            exponent = Number("-x", operands=(exponent,)) if exponent_sign == "-" else exponent
            number = Number("**", operands=(number, exponent))
        return Number("-x", operands=(number,)) if sign == "-" else number

    def _number(self) -> Number:
        token = self.tokens[self.place]
        if token.kind == "number":
            self.place += 1
            return Number("number", float(token.text))
        if self._next_is("("):
            return Number("()", operands=(self._in_brackets(),))
        name = self._field()
        if token.kind == "name" and self._next_is("("):
            if name not in FUNCTIONS:
                self._refuse(f"has the function {shown(name, 30)} within arithmetic")
            return Number(name, operands=(self._in_brackets(),))
        return Number("field", name)

    def _in_brackets(self) -> Number:
        self._open()
        number = self._arithmetic()
        self._close()
        return number


def _joined(terms: Iterable[Term]) -> Term:
    """The interaction of terms; a factor that is in several of them counts once."""
    return tuple(dict.fromkeys(factor for term in terms for factor in term))


def _distinct(terms: Iterable[Term]) -> list[Term]:
    """Terms without those that have the factors of an earlier one, in any order."""
    found: dict[frozenset[Factor], Term] = {}
    for term in terms:
        found.setdefault(frozenset(term), term)
    return list(found.values())
