"""The design matrix of a formula of metadata: a column for each number, level and interaction."""

import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError, counted, shown
from stickbreaker.core.records import Array
from stickbreaker.topics.formula_grammar import Factor, Number, Term

LARGEST = 2 << 30  # bytes of a design
CLIPPED = ", extrapolation='clip'"  # values outside those learned from count as the nearest of them
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
    columns = DesignColumns(frame)
    code = columns.formula(terms)
    least = sum(int(np.prod([columns.least(factor) for factor in term])) for term in terms)
    if least >= len(frame):
        problem = f"{counted(len(frame), 'document')} for {counted(least, 'term')} or more"
        raise UserError(problem, remedy="give more documents, or a formula of fewer terms")
    if least * len(frame) * 8 > LARGEST:
        problem = f"{least:,} terms of {counted(len(frame), 'document')} need {least * len(frame) >> 27:,} GB"
        raise UserError(problem, remedy="give a formula of fewer terms")
    found = columns.matrix(formula, code)
    names = tuple(columns.name(str(name)) for name in found)
    values = np.asarray(found, np.float64)
    if not np.isfinite(values).all():
        wrong = counted(int((~np.isfinite(values)).any(axis=1).sum()), "document")
        problem = f"the formula {shown(formula)} has no number for {wrong}"
        raise UserError(problem, remedy="a logarithm needs numbers above 0, a quotient others than 0")
    return Design(names, values, columns.references(found))


class DesignColumns:
    """The columns from which a design is computed, under names that no field has.

    frame: a pandas data frame with a column for each field; learned: the levels of each factor that has
    levels, by what stands for it (`code`), if they were learned from other documents. Values that are not
    among these are missing (`unknown`). units: None, or mean and standard deviation of each column of
    numbers by name, of which its values are then deviations; those that it lacks are computed and added.
    """

    def __init__(
        self,
        frame: Any,
        learned: Mapping[str, Sequence[str | int | float]] | None = None,
        units: dict[str, Sequence[float]] | None = None,
    ) -> None:
        self.frame, self.pandas = frame, importlib.import_module("pandas")
        self.learned, self.units = learned, units
        self.labels: list[str] = []
        self.values: dict[str, Any] = {}
        self.codes: dict[Factor, str] = {}
        self.levels: dict[Factor, Any] = {}  # values of factors that have levels, as categories

    def formula(self, terms: Sequence[Term]) -> str:
        """The formula that the package evaluates, for these terms."""
        codes = [":".join(self.code(factor) for factor in term) or "1" for term in terms]
        return " + ".join(codes if () in terms else ["0", *codes])

    def name(self, column: str) -> str:
        """The name of a column of the design as a reader knows it, with the fields of the formula."""
        return _STANDS_FOR.sub(lambda each: self.labels[int(each[1])], column.replace(CLIPPED, ""))

    def code(self, factor: Factor) -> str:
        """What stands for a factor in the formula that the package evaluates."""
        if factor not in self.codes:
            self.codes[factor] = self._code(factor)
        return self.codes[factor]

    def _code(self, factor: Factor) -> str:
        name = factor.fields[0] if factor.kind != "number" else ""
        if factor.kind == "levels" or (name and not self._is_number(name)):
            column = self._add(name, None)
            contrast = "" if factor.contrast == "treatment" else f", contr.{factor.contrast}"
            code = f"C({column}{contrast})" if factor.kind == "levels" else column
            known = None if self.learned is None else self.learned[code]
            self.values[column] = self.levels[factor] = self._levels(name, factor, known)
            return code
        values = np.broadcast_to(self._number(factor.number), len(self.frame)).astype(np.float64)
        if factor.function in ("", "I"):
            text = str(factor.number)
            column = self._add(f"I({text})" if factor.function else text, values)
            if self.units is not None:
                mean, spread = self.units.setdefault(
                    column, (float(values.mean()), float(values.std()) or 1.0)
                )
                self.values[column] = (values - mean) / spread
            return column
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
            if degree >= distinct and self.learned is None:
                problem = f"poly({factor.number}, {degree}) of {counted(distinct, 'different value')}"
                raise UserError(problem, remedy=f"give a degree below {distinct}")
        beyond = CLIPPED if factor.function == "bs" else ""
        return f"{factor.function}({self._add(str(factor.number), values)}{options}{beyond})"

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

    def _levels(self, field: str, factor: Factor, known: Sequence[str | int | float] | None) -> Any:
        """The values of a field as categories, the reference level first; `known`: these levels, if they were
        learned from other documents.
        """
        values = self.frame[field]
        if known is not None:
            return self.pandas.Categorical(values.where(values.isin(list(known))), categories=list(known))
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

    def unknown(self) -> NDArray[np.bool_]:
        """For each document, whether it has a value that is not among the learned levels."""
        found = np.zeros(len(self.frame), np.bool_)
        for values in self.levels.values():
            found |= values.codes < 0
        return found

    def matrix(self, formula: str, code: str, learned: Mapping[str, object] | None = None) -> Any:
        """The design as a data frame. learned: what the package's functions, such as `bs`, have learned from
        other documents, by what stands for them (`transform_state` of the package).
        """
        formulaic = importlib.import_module("formulaic")
        table = self.pandas.DataFrame(self.values, index=range(len(self.frame)))
        try:
            terms = formulaic.Formula(code)
            state = {} if learned is None else dict(learned)
            spec = formulaic.ModelSpec(formula=terms, transform_state=state, na_action="ignore")
            return spec.get_model_matrix(table)
        except Exception as error:  # whatever the package raises for numbers that make no sense
            reason = self.name(str(error))
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
