"""The design matrix of a formula of metadata: a column for each number, level and interaction."""

import importlib
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from stickbreaker.core.errors import UserError, counted, shown
from stickbreaker.core.records import Array
from stickbreaker.topics.formula_grammar import Factor, Number, Term

LARGEST = 2 << 30  # bytes of a design
_STANDS_FOR = re.compile(r"stickbreaker_column_(\d+)_")
_OPERATIONS: dict[str, Callable[..., Array]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "**": np.power,
    "-x": np.negative,
    "()": np.asarray,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "exp": np.exp,
    "sqrt": np.sqrt,
}


class Reference(NamedTuple):
    """The level of a field with which its other levels are compared, and how many documents have it."""

    field: str
    level: str
    documents: int


class Design(NamedTuple):
    """The design matrix of a formula.

    columns: the name of each; values (documents × columns); references: of fields whose levels are compared
    with one of them.
    """

    columns: tuple[str, ...]
    values: Array
    references: tuple[Reference, ...]


def design_of(formula: str, terms: Sequence[Term], frame: Any) -> Design:
    """The design matrix of the terms of a formula.

    frame: a pandas data frame with a row per document and a column, without missing values, for each field.
    The reference level of a field is its most frequent one, the first in order of those, unless the formula
    names another. Raises UserError if a field has not the values that the formula needs, and for a design
    that is too large or has no finite number.
    """
    columns = _Columns(frame)
    codes = [":".join(columns.code(factor) for factor in term) or "1" for term in terms]
    least = sum(int(np.prod([columns.least(factor) for factor in term])) for term in terms)
    if least >= len(frame):
        problem = f"{counted(len(frame), 'document')} for {counted(least, 'term')} or more"
        raise UserError(problem, remedy="give more documents, or a formula of fewer terms")
    if least * len(frame) * 8 > LARGEST:
        problem = f"{least:,} terms of {counted(len(frame), 'document')} need {least * len(frame) >> 27:,} GB"
        raise UserError(problem, remedy="give a formula of fewer terms")
    if () not in terms:
        codes.insert(0, "0")
    found = columns.matrix(formula, " + ".join(codes))
    names = tuple(_STANDS_FOR.sub(lambda each: columns.labels[int(each[1])], str(name)) for name in found)
    values = np.asarray(found, np.float64)
    if not np.isfinite(values).all():
        wrong = counted(int((~np.isfinite(values)).any(axis=1).sum()), "document")
        problem = f"the formula {shown(formula)} has no number for {wrong}"
        raise UserError(problem, remedy="a logarithm needs numbers above 0, a quotient others than 0")
    return Design(names, values, columns.references(found))


class _Columns:
    """The columns from which a design is computed, under names that no field has."""

    def __init__(self, frame: Any) -> None:
        self.frame, self.pandas = frame, importlib.import_module("pandas")
        self.labels: list[str] = []
        self.values: dict[str, Any] = {}
        self.codes: dict[Factor, str] = {}
        self.levels: dict[Factor, Any] = {}  # values of factors that have levels, as categories

    def code(self, factor: Factor) -> str:
        """What stands for a factor in the formula that the package evaluates."""
        if factor not in self.codes:
            self.codes[factor] = self._code(factor)
        return self.codes[factor]

    def _code(self, factor: Factor) -> str:
        name = factor.fields[0] if factor.kind != "number" else ""
        if factor.kind == "levels" or (name and not self._is_number(name)):
            self.levels[factor] = self._levels(name, factor)
            column = self._add(name, self.levels[factor])
            contrast = "" if factor.contrast == "treatment" else f", contr.{factor.contrast}"
            return f"C({column}{contrast})" if factor.kind == "levels" else column
        values = np.broadcast_to(self._number(factor.number), len(self.frame)).astype(np.float64)
        if factor.function in ("", "I"):
            text = str(factor.number)
            return self._add(f"I({text})" if factor.function else text, values)
        options = "".join(f", {key}={value}" for key, value in factor.options)
        if factor.function == "bs":
            given = dict(factor.options)
            degree = given.get("degree", 3)
            if given.get("df", degree) < degree:
                problem = f"bs({factor.number}, df={given['df']}) has fewer columns than its degree, {degree}"
                raise UserError(problem, remedy=f"give df={degree} or more, or a lower degree")
        if factor.function == "poly":
            options = options.replace("degree=", "")
            degree, distinct = factor.columns, len(np.unique(values))
            if degree >= distinct:
                problem = f"poly({factor.number}, {degree}) of {counted(distinct, 'different value')}"
                raise UserError(problem, remedy=f"give a degree below {distinct}")
        return f"{factor.function}({self._add(str(factor.number), values)}{options})"

    def _add(self, label: str, values: Any) -> str:
        self.labels.append(label)
        name = f"stickbreaker_column_{len(self.labels) - 1}_"
        self.values[name] = values
        return name

    def least(self, factor: Factor) -> int:
        """At least how many columns a factor has."""
        return len(self.levels[factor].categories) - 1 if factor in self.levels else factor.columns

    def _is_number(self, field: str) -> bool:
        kind = self.frame[field].dtype
        types = self.pandas.api.types
        return bool(types.is_numeric_dtype(kind)) and not types.is_bool_dtype(kind)

    def _number(self, number: Number) -> Array:
        if number.operator == "number":
            return np.asarray(number.value, np.float64)
        if number.operator == "field":
            field = str(number.value)
            if not self._is_number(field):
                problem = f"the field {shown(field)} is not a number in all documents"
                raise UserError(problem, remedy=f"take it as levels: {field}")
            return self.frame[field].to_numpy(np.float64)
        with np.errstate(all="ignore"):
            return _OPERATIONS[number.operator](*(self._number(one) for one in number.operands))

    def _levels(self, field: str, factor: Factor) -> Any:
        """The values of a field as categories, the reference level first."""
        values = self.frame[field]
        if self._is_number(field) and (values == np.rint(values)).all() and values.abs().max() < 1 << 53:
            values = values.astype(np.int64)  # whole numbers are floats if a document lacks the field
        counts = values.value_counts()
        levels = sorted(counts.index.tolist())
        if factor.contrast == "treatment":
            first = max(levels, key=lambda level: counts[level])  # the first of several
            if factor.base is not None:
                named = [level for level in levels if factor.base in (level, str(level))]
                if not named:
                    few = ", ".join(map(str, levels[:10]))
                    problem = f"the field {shown(field)} has no value {shown(str(factor.base))}"
                    raise UserError(problem, remedy=f"there are: {few}")
                first = named[0]
            levels.remove(first)
            levels.insert(0, first)
        return self.pandas.Categorical(values, categories=levels)

    def matrix(self, formula: str, code: str) -> Any:
        """The design as a data frame."""
        formulaic = importlib.import_module("formulaic")
        table = self.pandas.DataFrame(self.values, index=range(len(self.frame)))
        try:
            return formulaic.model_matrix(code, table, na_action="ignore")
        except Exception as error:  # whatever the package raises for numbers that make no sense
            reason = _STANDS_FOR.sub(lambda each: self.labels[int(each[1])], str(error))
            reason = re.sub(r"\x1b\[[\d;]*m|[^\x20-\x7e]+", " ", reason)[:120].strip()
            problem = f"the formula {shown(formula)} cannot be computed: {reason}"
            raise UserError(problem, remedy='give one like "party + year"') from None

    def references(self, found: Any) -> tuple[Reference, ...]:
        """The reference level of each field whose levels are compared with it."""
        references: dict[str, Reference] = {}
        for factor, values in self.levels.items():
            if any(f"{self.codes[factor]}[T." in str(name) for name in found):
                level, field = values.categories[0], factor.fields[0]
                references[field] = Reference(field, str(level), int((values == level).sum()))
        return tuple(references.values())
