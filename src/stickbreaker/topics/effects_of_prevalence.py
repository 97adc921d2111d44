"""Expected topic shares by metadata, of models whose prior of documents depends on these."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from stickbreaker.core.errors import UserError, counted, shown
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array, Record
from stickbreaker.corpus.document import Scalar
from stickbreaker.topics import purposes
from stickbreaker.topics.formula_coding import Coding
from stickbreaker.topics.formula_levels import TermLevels
from stickbreaker.topics.learned import TopicsLearned
from stickbreaker.topics.model.priors.level_information import level_draws
from stickbreaker.topics.model.priors.prevalence import (
    COEFFICIENTS,
    INFORMATION,
    LEVEL_INFORMATION,
    LEVEL_SHARES,
    LEVEL_VARIANCES,
    VARIANCES,
    coefficients_in,
)
from stickbreaker.topics.model.priors.prevalence_steps import column_precisions
from stickbreaker.topics.model.priors.prevalence_terms import log_alphas_of

DRAWS = 2_000  # of the coefficients, for intervals
LEVEL = 0.95
POINTS = 11  # values of a range of numbers
MOST_POINTS = 200
FEW = 50  # levels of a field that are listed
LARGEST = 3  # pooled levels that are listed for a topic


class Place(NamedTuple):
    """Values of some fields at which topic shares are expected, and what they are compared with.

    `documents`: how many documents learned from have them, None if that is not known; `reference`: the
    position of the place with which it is compared.
    """

    values: Mapping[str, Scalar]
    documents: int | None
    reference: int

    def __str__(self) -> str:
        return ", ".join(f"{name}={_spelled(value)}" for name, value in self.values.items()) or "all"


class LargeLevel(NamedTuple):
    """A level of a term such as (1 | author) in which a topic's expected share differs from that of an
    average document, by `difference`; `documents`: how many have the level.
    """

    topic: int
    level: str
    documents: int
    difference: float


class LevelSpread(NamedTuple):
    """How far the levels of a term lie apart: the standard deviation of log alpha between levels, or between
    neighbours of a walk. `largest`: for each topic, the pooled levels that differ most; empty for a walk.
    """

    term: TermLevels
    deviation: float
    largest: tuple[LargeLevel, ...]


class ExpectedShares(NamedTuple):
    """Expected topic shares at some places (places × topics), with the bounds of what 95 % of the draws of
    the coefficients give, and how much larger they are than at the place of reference. `spreads`: of terms
    with levels.
    """

    places: Sequence[Place]
    shares: Array
    low: Array
    high: Array
    differences: Array
    difference_low: Array
    difference_high: Array
    spreads: tuple[LevelSpread, ...] = ()

    def table(self, names: Sequence[str | None]) -> pa.Table:
        """A row for each topic and place, topic by topic. Columns: topic (its number), name, at, documents,
        share, low, high, compared_with, difference, difference_low and difference_high.

        names: the name of each topic, or None.
        """
        n_topics, places = self.shares.shape[1], [str(place) for place in self.places]
        columns: JsonObject = {
            "topic": pa.array(np.repeat(np.arange(n_topics, dtype=np.int32), len(places))),
            "name": pa.array([name for name in names for _ in places], pa.string()),
            "at": pa.array(places * n_topics, pa.string()),
            "documents": pa.array([place.documents for place in self.places] * n_topics, pa.int64()),
            "share": pa.array(self.shares.T.ravel()),
            "low": pa.array(self.low.T.ravel()),
            "high": pa.array(self.high.T.ravel()),
            "compared_with": pa.array([places[one.reference] for one in self.places] * n_topics, pa.string()),
            "difference": pa.array(self.differences.T.ravel()),
            "difference_low": pa.array(self.difference_low.T.ravel()),
            "difference_high": pa.array(self.difference_high.T.ravel()),
        }
        return pa.table(columns)


def expected_shares(learned: TopicsLearned, at: str | None = None) -> ExpectedShares:
    """Expected topic shares of documents by their metadata, for a model with `prevalence`: alpha_d / sum of
    alpha_d, with intervals.

    at: values of fields, such as "party=A, year=1990:2020" (a range of numbers, or "1990:2020:5" in steps);
    all else is average. None: for each field, its levels, its smallest, mean and largest number, or some
    periods of its walk. A level is compared with the most frequent one of its field, a number with the mean,
    a period with the first. Pooled levels, of (1 | author), are average unless `at` names one.

    Intervals are those of the coefficients with the topics held fixed: the uncertainty of the topics is not
    in them. Raises UserError for a model without `prevalence`, and for values that its formula does not know.
    """
    coding = learned.model.covariates
    if coding is None:
        remedy = "give documents and a formula, or fit with prevalence"
        raise UserError("the model's topics do not depend on metadata", remedy=remedy)
    params = learned.params
    if INFORMATION not in params:
        remedy = "fit with a formula of fewer levels, or fewer topics"
        raise UserError("the model has no intervals, for it has too many coefficients", remedy=remedy)
    places = list(_usual_places(coding) if at is None else _places_at(coding, at))
    rows = np.array([coding.typical(place.values) for place in places])
    draws, drawn_levels = _draws(params), _level_draws(learned, rows)
    shares = _shares(log_alphas_of(rows, coefficients_in(params)))
    drawn = _shares(rows[:, : draws.shape[1]] @ draws + drawn_levels)
    references = [place.reference for place in places]
    apart = drawn - drawn[:, references]
    ends = ((1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0)
    low, high = np.quantile(drawn, ends, axis=0)
    less, more = np.quantile(apart, ends, axis=0)
    return ExpectedShares(
        places, shares, low, high, shares - shares[references], less, more, _spreads(learned)
    )


def _shares(logs: Array) -> Array:
    """alpha / sum of alpha (… × topics) by their logarithms."""
    alphas = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return alphas / alphas.sum(axis=-1, keepdims=True)


def _spreads(learned: TopicsLearned) -> tuple[LevelSpread, ...]:
    """How far the levels of each term lie apart, and the shares of those that differ most."""
    coding, params, prior = learned.model.covariates, learned.params, learned.model.documents
    assert coding is not None
    coefficients, found = coefficients_in(params), list[LevelSpread]()
    average = coefficients.columns[0]
    for number, (term, one) in enumerate(zip(coding.level_terms, prior.ranges, strict=True)):
        apart = _shares(average + coefficients.levels[one.start : one.stop]) - _shares(average)
        order = np.argsort(-np.abs(apart), axis=0, kind="stable")[:LARGEST].T  # topics × levels
        largest = [
            LargeLevel(k, term.names[place], term.documents[place], float(apart[place, k]))
            for k, places in enumerate(order.tolist())
            for place in places
        ]
        deviation = float(np.sqrt(params[LEVEL_VARIANCES].values[number]))
        found.append(LevelSpread(term, deviation, () if one.walks else tuple(largest)))
    return tuple(found)


def _draws(params: Record) -> Array:
    """Draws of the columns' coefficients from their approximate posterior (draws × columns × topics): normal,
    with the inverse of the information plus the prior's precisions as covariance.
    """
    coefficients, precisions = params[COEFFICIENTS].values, column_precisions(params[VARIANCES].values)
    whole = params[INFORMATION].values + np.diag(np.repeat(precisions, coefficients.shape[1]))
    values, vectors = np.linalg.eigh(whole)
    spreads = 1.0 / np.sqrt(np.maximum(values, 1e-3))  # about a topic without tokens, documents say nothing
    noise = stream(0, purposes.PREVALENCE, 0).standard_normal((DRAWS, len(values)))
    return coefficients + ((noise * spreads) @ vectors.T).reshape(DRAWS, *coefficients.shape)


def _level_draws(learned: TopicsLearned, rows: Array) -> Array:
    """Draws of what the levels of some rows add to log alpha (draws × rows × topics)."""
    params, prior = learned.params, learned.model.documents
    columns, levels = coefficients_in(params)
    found = np.zeros((DRAWS, len(rows), columns.shape[1]))
    for number, (codes, one) in enumerate(zip(rows[:, len(columns) :].T, prior.ranges, strict=True)):
        known = np.flatnonzero(codes >= 0.0)
        if not len(known):
            continue
        places = codes[known].astype(np.int64)
        noise = stream(0, purposes.PREVALENCE, 1 + number).standard_normal(
            (DRAWS, len(known), columns.shape[1])
        )
        variance = float(params[LEVEL_VARIANCES].values[number])
        shares = params[LEVEL_SHARES].values[one.start : one.stop]
        whole = params[LEVEL_INFORMATION].values
        found[:, known] += levels[places]
        found[:, known] += level_draws(one, variance, shares, whole, places - one.start, noise)
    return found


def _usual_places(coding: Coding) -> Iterator[Place]:
    """For each field, the place of reference first, then others."""
    first = 0
    of_columns = coding.fields_of_columns
    if not of_columns:
        yield Place({}, coding.documents, 0)
        first = 1
    for name in of_columns:
        numbers = coding.number(name)
        if numbers is None:
            found = [Place({name: one.value}, one.documents, first) for one in coding.levels(name)[:FEW]]
        else:
            low, mean, high = numbers
            found = [Place({name: one}, None, first) for one in (mean, low, high)]
        yield from found
        first += len(found)
    for term in coding.level_terms:
        if term.period is not None:
            last = len(term.names) - 1
            shown_periods = np.unique(
                np.linspace(0, last, min(POINTS, last + 1)).round().astype(int)
            ).tolist()
            for t in shown_periods:
                yield Place({term.field: term.names[t]}, term.documents[t], first)
            first += len(shown_periods)


def _places_at(coding: Coding, at: str) -> Iterator[Place]:
    """The places that a text such as "party=A, year=1990:2020" names: every combination of its values. Each
    is compared with the first.
    """
    combinations: list[dict[str, Scalar]] = [{}]
    for part in at.split(","):
        name, equals, text = (one.strip() for one in part.partition("="))
        if not equals or not text:
            raise UserError(f"{shown(at)} is not values of fields", remedy='give "party=A, year=1990:2020"')
        if name not in coding.fields:
            known = ", ".join(coding.fields) or "none"
            raise UserError(f"the formula has no field {shown(name)}", remedy=f"there are: {known}")
        values = _values_of(coding, name, text)
        combinations = [{**one, name: value} for one in combinations for value in values]
        if len(combinations) > MOST_POINTS:
            raise UserError(f"{shown(at)} is more than {MOST_POINTS} places", remedy="give fewer values")
    for values in combinations:
        yield Place(values, None, 0)


def _values_of(coding: Coding, name: str, text: str) -> Sequence[Scalar]:
    """The values of a field that a text names: numbers, a level, or periods of a walk ("2001-01:2003-12")."""
    if coding.number(name) is not None:
        return _numbers_of(name, text)
    walk = next((one for one in coding.level_terms if one.field == name and one.period is not None), None)
    if walk is None or ":" not in text:
        return [text]
    ends = walk.codes([{name: one.strip()} for one in text.split(":")]).astype(int).tolist()
    if len(ends) != 2 or min(ends) < 0 or ends[0] > ends[1]:
        raise UserError(
            f"{shown(name)} is {shown(text)}", remedy=f"give {name}={walk.names[0]}:{walk.names[-1]}"
        )
    return list(walk.names[ends[0] : ends[1] + 1])


def _numbers_of(name: str, text: str) -> Sequence[Scalar]:
    """The numbers of "2000", "1990:2020" (11 of them) or "1990:2020:5" (in steps)."""
    try:
        bounds = [float(one) for one in text.split(":")]
    except ValueError:
        bounds = []
    steps = 0.0 if len(bounds) < 3 else (bounds[1] - bounds[0]) / bounds[2] if bounds[2] else -1.0
    if not 1 <= len(bounds) <= 3 or not np.isfinite(bounds).all() or not 0.0 <= steps < MOST_POINTS:
        raise UserError(f"{shown(name)} is {shown(text)}", remedy=f"give {name}=2000 or {name}=1990:2020:5")
    if len(bounds) == 1:
        return bounds
    if len(bounds) == 3:
        return [bounds[0] + bounds[2] * step for step in range(int(steps + 1e-9) + 1)]
    return np.linspace(bounds[0], bounds[1], POINTS).tolist()


def _spelled(value: Scalar) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def references_of(found: ExpectedShares) -> str:
    """A line for the user: with which places others are compared."""
    lines: list[str] = []
    for place in dict.fromkeys(one.reference for one in found.places):
        own = found.places[place]
        of = "" if own.documents is None else f"{counted(own.documents, 'document')} of "
        lines.append(f"compared with {of}{own}")
    return "; ".join(lines)
