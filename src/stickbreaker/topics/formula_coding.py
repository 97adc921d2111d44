"""What a formula of metadata learned from documents, so that others are coded by numbers in the same way.

A formula such as "party + bs(day, df=4)" becomes columns of numbers. Which ones depends on the documents: the
levels of a field, the knots of a spline. All of it is text (JSON), to be saved with a model.
"""

import importlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError, counted, shown
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.records import Array
from stickbreaker.corpus.corpus import Corpus
from stickbreaker.corpus.document import Scalar
from stickbreaker.corpus.metadata import metadata_from
from stickbreaker.topics.formula_design import DesignColumns, design_of
from stickbreaker.topics.formula_grammar import INTERCEPT, LEARNED_LEVELS, Factor, Term, read_formula
from stickbreaker.topics.formula_levels import NONE, TermLevels, label_of, learn_levels, levels_from

LEAST_SPREAD = 1e-9  # standard deviation below which a column is constant
REMEDY = 'leave out the term, or give one like "party + year"'


class Level(NamedTuple):
    """A value of a field, and how many documents have it."""

    value: str | int | float | bool
    documents: int


@dataclass(frozen=True)
class Coding:
    """How documents' metadata become rows of numbers (`rows`): a column for the intercept, which is 1, then
    the columns of each term. All but the intercept have mean 0 over the documents learned from, and those of
    numbers have standard deviation 1. Last, for each term with levels of its own (`level_terms`), the number
    of the document's level among those of all these terms, or -1.

    `formula`: as the user gave it; `learned`: what it learned from the documents, as JSON.
    """

    formula: str
    learned: str

    @cached_property
    def _learned(self) -> JsonObject:
        return json.loads(self.learned)

    @cached_property
    def _terms(self) -> tuple[Term, ...]:
        return _divided(self.formula)[0]

    @cached_property
    def level_terms(self) -> tuple[TermLevels, ...]:
        """The terms whose levels have coefficients of their own, as (1 | author) and walk(day, "month")."""
        return tuple(map(levels_from, self._learned.get("level_terms", ())))

    @cached_property
    def _starts(self) -> list[int]:
        """The number of the first level of each term in `level_terms`."""
        sizes = [len(one.names) for one in self.level_terms]
        return [sum(sizes[:t]) for t in range(len(sizes))]

    @property
    def n_levels(self) -> int:
        return sum(len(one.names) for one in self.level_terms)

    @property
    def documents(self) -> int:
        """The number of documents that it was learned from."""
        return int(self._learned["documents"])

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The name of each column, as in R: "Intercept", "party[T.labour]"."""
        return tuple(self._learned["columns"])

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """The number of the term that each column belongs to (columns); 0 is the intercept."""
        return np.array(self._learned["groups"], np.int64)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The names of the metadata fields of the formula."""
        return tuple(sorted({*self.fields_of_columns, *(one.field for one in self.level_terms)}))

    @property
    def fields_of_columns(self) -> tuple[str, ...]:
        """The names of the fields from which columns are computed."""
        return fields_of(self._terms)

    def fields_of_column(self, column: int) -> tuple[str, ...]:
        """The names of the fields from which a column is computed."""
        return fields_of([self._terms[self.groups[column]]])

    def levels(self, field: str) -> tuple[Level, ...]:
        """The values of a field that has levels, most frequent first; empty if it is a number."""
        return tuple(Level(value, number) for value, number in self._learned["levels"].get(field, ()))

    def number(self, field: str) -> tuple[float, float, float] | None:
        """The smallest, mean and largest value of a field of numbers; None if it has levels."""
        found = self._learned["numbers"].get(field)
        return None if found is None else (found[0], found[1], found[2])

    def rows(self, metadata: Sequence[Mapping[str, Scalar]]) -> Array:
        """The numbers of documents (documents × columns and terms with levels), given their metadata. A
        document that lacks a field of the columns, or has a level of them that was not learned, has NaN in
        all columns; the number of a level that was not learned is -1.
        """
        fields = self.fields_of_columns
        values = _values(metadata, fields, self._learned["numbers"])
        whole = ~np.array([[one is None for one in values[name]] for name in fields]).any(axis=0)
        whole = whole if fields else np.ones(len(metadata), np.bool_)
        rows = np.full((len(metadata), len(self.columns)), np.nan)
        places = np.flatnonzero(whole)
        if len(places):
            frame = _frame(values, self._learned["numbers"], places)
            coded = DesignColumns(frame, self._learned["codes"], dict(self._learned["units"]))
            code = coded.formula(self._terms)
            known = ~coded.unknown()
            found = np.array(coded.matrix(self.formula, code, _state(self._learned["state"])), np.float64)
            found[~(known & np.isfinite(found).all(axis=1))] = np.nan
            rows[places] = (found - self._learned["centres"]) / self._learned["scales"]
        codes = [one.codes(metadata) for one in self.level_terms]
        shifted = [
            np.where(own == NONE, NONE, own + start) for own, start in zip(codes, self._starts, strict=True)
        ]
        return np.column_stack([rows, *shifted])

    def of(self, corpus: Corpus, block: int) -> Array:
        """The numbers of a block of a corpus (documents × columns); NaN as in `rows`."""
        return self.rows(metadata_of(corpus, block))

    def typical(self, changes: Mapping[str, Scalar]) -> Array:
        """The row (as of `rows`) of a document with the given values of some fields, and of which all else is
        average: columns without these fields are 0, their mean, and terms with levels have none.

        In an interaction of them with other fields, those have their mean or most frequent value. Raises
        UserError for a field that the formula lacks, and for an unknown level.
        """
        for name, value in changes.items():
            if name not in self.fields:
                known = ", ".join(self.fields) or "none"
                raise UserError(f"the formula has no field {shown(name)}", remedy=f"there are: {known}")
            levels = [one.value for one in self.levels(name)]
            if levels and label_of(value) not in map(label_of, levels):
                few = ", ".join(str(one) for one in levels[:10])
                problem = f"the field {shown(name)} has no value {shown(str(value))}"
                raise UserError(problem, remedy=f"there are: {few}")
        usual: dict[str, Scalar] = {}
        for name in self.fields_of_columns:
            numbers = self.number(name)
            usual[name] = self.levels(name)[0].value if numbers is None else numbers[1]
        given = {name: _as_number(value) if self.number(name) else value for name, value in changes.items()}
        row = self.rows([{**usual, **given}])[0]
        for code, term in zip(row[len(self.columns) :].tolist(), self.level_terms, strict=True):
            if term.field in changes and code == NONE:
                problem = f"{term} has no level {shown(str(changes[term.field]))}"
                raise UserError(problem, remedy=f"there are: {', '.join(term.names[:10])}")
        for column in range(1, len(self.columns)):
            if not set(self.fields_of_column(column)) & set(changes):
                row[column] = 0.0
        return row


def learn_coding(formula: str, metadata: Sequence[Mapping[str, Scalar]]) -> Coding:
    """Learn how to code documents by a formula, given their metadata. The reference level of a field is its
    most frequent one, unless the formula names another.

    Raises UserError for an invalid formula, one without an intercept, a field that no document has, documents
    that lack a field, with their number, and for terms that are determined by others.
    """
    terms, factors = _divided(formula)
    if INTERCEPT not in terms:
        raise UserError(f"the formula {shown(formula)} has no intercept", remedy="leave out the 0 or - 1")
    refuse_without_package()
    names = fields_of(terms)
    numbers = {name: None for name in names if _are_numbers([row.get(name) for row in metadata])}
    values = _values(metadata, names, numbers)
    _refuse_missing(formula, values, metadata)
    level_terms = [learn_levels(factor, metadata) for factor in factors]
    frame = _frame(values, numbers, np.arange(len(metadata)))
    design_of(formula, terms, frame)  # refuses a design that is too large, or has no finite number
    units: dict[str, Sequence[float]] = {}
    coded = DesignColumns(frame, units=units)
    found: Any = coded.matrix(formula, coded.formula(terms))
    design = np.asarray(found, np.float64)
    centres, scales = design.mean(axis=0), np.ones(design.shape[1])
    groups = np.repeat(np.arange(len(terms)), [len(one.columns) for one in found.model_spec.structure])
    for column, group in enumerate(groups.tolist()):
        if not any(factor in coded.levels for factor in terms[group]):
            scales[column] = design[:, column].std()
    centres[0], scales[0] = 0.0, 1.0
    _refuse_constant((design - centres) / np.where(scales > LEAST_SPREAD, scales, 1.0), coded, found)
    own: JsonObject = {
        "documents": len(metadata),
        "columns": [coded.name(str(name)) for name in found],
        "groups": groups.tolist(),
        "centres": centres.tolist(),
        "scales": scales.tolist(),
        "numbers": {name: _range(frame[name]) for name in names if name in numbers},
        "levels": {factor.fields[0]: _counted(levels) for factor, levels in coded.levels.items()},
        "units": _plain(units),
        "codes": {coded.codes[factor]: _plain(list(one.categories)) for factor, one in coded.levels.items()},
        "state": _plain(found.model_spec.transform_state),
    }
    if level_terms:
        own["level_terms"] = [one.to_json() for one in level_terms]
    return Coding(formula, json.dumps(own, ensure_ascii=False, sort_keys=True))


def coding_from(formula: str, learned: str) -> Coding:
    """The coding of a formula that was saved with a model. Raises ValueError if it is not one."""
    made = Coding(formula, learned)
    try:
        own = made._learned
        terms = made._terms
        sizes = {len(own[name]) for name in ("columns", "groups", "centres", "scales")}
        numbers = [*own["centres"], *own["scales"], *own["groups"], own["documents"]]
        right = len(sizes) == 1 and all(math.isfinite(float(one)) for one in numbers)
        right &= all(0 <= int(group) < len(terms) for group in own["groups"])
        right &= all(isinstance(own[name], dict) for name in ("numbers", "levels", "codes", "state", "units"))
        right &= all(_has_plain_values(own[name]) for name in ("codes", "state", "units"))
        right &= set(own["numbers"]) | set(own["levels"]) >= set(made.fields_of_columns)
        right &= list(map(str, made.level_terms)) == list(map(str, _divided(formula)[1]))
    except (KeyError, TypeError, ValueError, AttributeError, UserError, RecursionError):
        right = False
    if not right:
        raise ValueError("the coding of metadata is not one of this formula")
    return made


def _divided(formula: str) -> tuple[tuple[Term, ...], tuple[Factor, ...]]:
    """The terms of a prior's formula that become columns, and the factors whose levels have a prior of their
    own.
    """
    terms = read_formula(formula, prior=True)
    own = [term for term in terms if term and term[0].kind in LEARNED_LEVELS]
    return tuple(term for term in terms if term not in own), tuple(term[0] for term in own)


class Lacking(NamedTuple):
    """How many of some documents cannot be coded wholly: `rows`, for lack of a value of the columns; for each
    term with levels, `levels`, those without one that was learned, and `beyond`, those dated before the first
    period of a walk or after the last.
    """

    documents: int
    rows: int
    levels: tuple[int, ...]
    beyond: tuple[int, ...]


def lacking_in(coding: Coding, corpus: Corpus) -> Lacking:
    """How many documents of a corpus the coding does not know."""
    rows, n = 0, len(coding.level_terms)
    levels, beyond = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for block in range(len(corpus.block_sizes)):
        metadata = metadata_of(corpus, block)
        found = coding.rows(metadata)
        rows += int(np.isnan(found[:, : len(coding.columns)]).any(axis=1).sum())
        levels += (found[:, len(coding.columns) :] == NONE).sum(axis=0)
        beyond += np.array([term.beyond(metadata) for term in coding.level_terms], np.int64)
    return Lacking(corpus.n_documents, rows, tuple(levels.tolist()), tuple(beyond.tolist()))


def lacking_text(coding: Coding, lacking: Lacking) -> str | None:
    """A line for the user: how many documents have the mean prior, or that of an average level, for lack of
    metadata; None if there are none.
    """
    lines: list[str] = []
    if lacking.rows:
        fields = " or ".join(coding.fields_of_columns)
        lines.append(
            f"{counted(lacking.rows, 'document')} of {lacking.documents:,} without a value of {fields} that "
            "the model knows: the prior of their topics is the mean over all documents"
        )
    for term, none, beyond in zip(coding.level_terms, lacking.levels, lacking.beyond, strict=True):
        if none:
            what = "the average level" if term.period is None else "the average over time"
            lines.append(f"{counted(none, 'document')} without a level of {term} that was learned: {what}")
        if beyond:
            ends = f"{term.names[0]} and {term.names[-1]}"
            lines.append(
                f"{counted(beyond, 'document')} of a date not between {ends}: {term} stays as at its end"
            )
    return "; ".join(lines) or None


def metadata_of(corpus: Corpus, block: int) -> list[dict[str, Scalar]]:
    """The metadata of a block's documents."""
    column = corpus.source.columns(block, ["metadata"]).column("metadata")
    return list(map(metadata_from, column.to_pylist()))


def fields_of(terms: Sequence[Term]) -> tuple[str, ...]:
    """The names of the fields of some terms, in alphabetical order."""
    return tuple(sorted({name for term in terms for factor in term for name in factor.fields}))


def refuse_without_package() -> None:
    """Raise UserError if the package that evaluates formulas is missing."""
    try:
        importlib.import_module("formulaic")
    except ModuleNotFoundError:
        remedy = "pip install 'stickbreaker[effects]'"
        raise UserError("a formula needs the package formulaic", remedy=remedy) from None


def _are_numbers(values: Sequence[Scalar]) -> bool:
    """Whether a field is a number in all documents that have it."""
    kinds = {type(value) for value in values if value is not None}
    return bool(kinds) and kinds <= {int, float}


def _values(
    metadata: Sequence[Mapping[str, Scalar]], fields: Sequence[str], numbers: Mapping[str, object]
) -> dict[str, list[float | str | None]]:
    """The values of fields by name, a list with one per document: a number, or the label of a level; None if
    a document has none, or a text where a number is needed.
    """
    found: dict[str, list[float | str | None]] = {}
    for name in fields:
        given = [row.get(name) for row in metadata]
        found[name] = list(map(_number if name in numbers else label_of, given))
    return found


def _as_number(value: Scalar) -> Scalar:
    """A text such as "1990", the name of a period, as the number that it is; other values unchanged."""
    return float(value) if isinstance(value, str) and value.isdecimal() else value


def _number(value: Scalar) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _frame(
    values: Mapping[str, list[float | str | None]], numbers: Mapping[str, object], places: NDArray[np.int64]
) -> Any:
    """A data frame with a column per field, of the documents at some places."""
    pandas = importlib.import_module("pandas")
    chosen = places.tolist()
    columns = {
        name: pandas.Series([own[d] for d in chosen], dtype="float64" if name in numbers else "object")
        for name, own in values.items()
    }
    return pandas.DataFrame(columns, index=range(len(chosen)))


def _refuse_missing(
    formula: str, values: Mapping[str, Sequence[object]], metadata: Sequence[Mapping[str, Scalar]]
) -> None:
    """Raise UserError if documents lack a field of the formula, with their number."""
    for name, own in values.items():
        missing = sum(one is None for one in own)
        if missing == len(own):
            known = ", ".join(sorted({key for row in metadata for key in row})[:20]) or "none"
            raise UserError(f"no document has the field {shown(name)}", remedy=f"there are: {known}")
        if missing:
            problem = f"{counted(missing, 'document')} of {len(own):,} have no {shown(name)}"
            remedy = f"leave them out, give them a value, or leave {name} out of {shown(formula)}"
            raise UserError(problem, remedy=remedy)


def _refuse_constant(design: Array, coded: DesignColumns, found: Any) -> None:
    """Raise UserError if a column of the design is determined by those before it, such as a field that has
    the same value in all documents.
    """
    names = [coded.name(str(name)) for name in found]
    gram = design.T @ design / len(design)
    whole = np.linalg.matrix_rank(gram, tol=1e-8, hermitian=True) == len(names)
    for column in () if whole else range(1, len(names)):
        if np.linalg.matrix_rank(gram[: column + 1, : column + 1], tol=1e-8, hermitian=True) <= column:
            raise UserError(
                f"{names[column]} does not differ, or is determined by other terms", remedy=REMEDY
            )


def _range(values: Any) -> list[float]:
    return [float(values.min()), float(values.mean()), float(values.max())]


def _counted(levels: Any) -> list[list[object]]:
    """The levels of a factor with the number of documents of each, most frequent first."""
    counts = np.bincount(levels.codes, minlength=len(levels.categories))
    order = np.argsort(-counts, kind="stable").tolist()
    return [[_plain(levels.categories[i]), int(counts[i])] for i in order]


def _plain(value: Any) -> Any:
    """The value with numbers of NumPy as those of Python, for JSON."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def _state(value: Any) -> Any:
    """What functions of a formula learned, as the package takes it: keys that are numbers in JSON's text are
    numbers again.
    """
    if isinstance(value, dict):
        return {int(key) if key.isdecimal() else key: _state(one) for key, one in value.items()}
    return [_state(one) for one in value] if isinstance(value, list) else value


def _has_plain_values(value: object) -> bool:
    """Whether a value of JSON consists of texts, numbers and null, with dicts and lists of them."""
    if isinstance(value, dict):
        return all(map(_has_plain_values, value.values()))
    if isinstance(value, list):
        return all(map(_has_plain_values, value))
    return value is None or isinstance(value, str | int | float)
