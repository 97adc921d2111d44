"""The prior of documents whose topic shares depend on their metadata.

The code that learns it is imported on use, so that models load without scipy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from stickbreaker.contracts.contract import Step
from stickbreaker.core.edits import Merge
from stickbreaker.core.errors import UserError, counted, shown
from stickbreaker.core.records import Array, Field, Record
from stickbreaker.corpus.document import Scalar
from stickbreaker.topics.formula_coding import Coding, coding_from, learn_coding
from stickbreaker.topics.model.priors.dirichlet import NEW, TOGETHER
from stickbreaker.topics.model.priors.fixed_number import FixedNumberPrior
from stickbreaker.topics.model.priors.prevalence_steps import (
    LevelRange,
    centred,
    coefficient_step,
    evened,
    learned_level_variances,
    learned_variances,
    precisions_of,
)
from stickbreaker.topics.model.priors.prevalence_terms import LEAST, Coefficients, PrevalenceSums, sums_in

COEFFICIENTS = "coefficients"  # of the params, columns × topics
VARIANCES = "variances"  # of the coefficients' prior, columns
LEVELS = "level_coefficients"  # levels × topics, if terms such as (1 | author) have levels
LEVEL_VARIANCES = "level_variances"  # of the prior of each of these terms
CODING = "coding"  # the letters of `Coding.learned`
DRIFT = "coefficient_drift"  # mean change of the coefficients in the last steps
INFORMATION = "information"  # about all coefficients: see `runs/prevalence_information.py`
LEVEL_SHARES = "level_shares"  # of the documents' information that each level's have (levels)
LEVEL_INFORMATION = "level_information"  # of all documents together, about a level that all had
MOST_LEVEL_CELLS = 1 << 22  # topics × columns × levels, likewise: 34 MB each
MOST_CELLS = 1 << 23  # topics × columns², of which a step needs several arrays: 67 MB each
MOST_INFORMATION = 2048  # coefficients whose information is stored: 34 MB
STILL = 0.02  # root mean square of the drift below which the coefficients have settled
STEADY = 20  # steps of a batch run after which each changes the coefficients less
FIRST_VARIANCE = 0.25  # of a coefficient, before it is learned
FIRST_OF_WALK = 0.05  # likewise, of the difference between neighbours in a walk


def coefficients_in(params: Record) -> Coefficients:
    """The coefficients among the params."""
    columns = params[COEFFICIENTS].values
    return Coefficients(columns, params[LEVELS].values if LEVELS in params else columns[:0])


@dataclass(frozen=True, slots=True)
class PrevalencePrior(FixedNumberPrior):
    """Topic shares by metadata: theta_d ~ Dirichlet(alpha_d), alpha_dk = exp(x_d · gamma_k), and gamma_k ~
    Normal(0, diag(variances)) apart from the intercept, which has no prior (Mimno and McCallum 2008). Levels
    of terms such as (1 | author) have coefficients of their own, which are part of gamma.

    `alpha` (topics): at the start, for all documents. `coding`: how metadata become x; None before documents
    are read. Coefficients are learned from draws of documents' topics, variances by their evidence; see
    docs/explanation/prevalence-equations.md.
    """

    name: ClassVar[str] = "prevalence"
    by_document: ClassVar[bool] = True

    alpha: tuple[float, ...]
    formula: str
    coding: Coding | None = None

    @property
    def covariates(self) -> Coding | None:
        return self.coding

    @property
    def ranges(self) -> tuple[LevelRange, ...]:
        """The levels of each term that has levels."""
        found, start = list[LevelRange](), 0
        for one in () if self.coding is None else self.coding.level_terms:
            documents = np.array(one.documents, np.float64)
            found.append(LevelRange(start, start + len(documents), documents, one.period is not None))
            start += len(documents)
        return tuple(found)

    def coefficients(self, params: Record) -> Coefficients:
        return coefficients_in(params)

    def coded(self, metadata: Sequence[Mapping[str, Scalar]]) -> Self:
        made = learn_coding(self.formula, metadata)
        if self.n_topics * len(made.columns) ** 2 > MOST_CELLS:
            most = int((MOST_CELLS / self.n_topics) ** 0.5)
            problem = f"{shown(self.formula)} has {counted(len(made.columns), 'column')} for each topic"
            remedy = f"{counted(self.n_topics, 'topic')} can have {most}: join rare values of a field"
            raise UserError(problem, remedy=remedy)
        if self.n_topics * len(made.columns) * made.n_levels > MOST_LEVEL_CELLS:
            most = MOST_LEVEL_CELLS // (self.n_topics * len(made.columns))
            problem = f"{shown(self.formula)} has {counted(made.n_levels, 'level')} for each topic"
            remedy = f"{counted(self.n_topics, 'topic')} can have {most:,}: join rare values of a field"
            raise UserError(problem, remedy=remedy)
        return replace(self, coding=made)

    def restored(self, params: Record) -> Self:
        letters = params[CODING].values if CODING in params else np.zeros(0)
        if letters.ndim != 1 or letters.dtype != np.uint8:
            raise ValueError("no coding of metadata")
        made = coding_from(self.formula, letters.tobytes().decode())
        size = len(made.columns)
        shapes: dict[str, tuple[int, ...]] = {COEFFICIENTS: (size, self.n_topics), VARIANCES: (size,)}
        if made.level_terms:
            shapes |= {LEVELS: (made.n_levels, self.n_topics), LEVEL_VARIANCES: (len(made.level_terms),)}
        for name, shape in shapes.items():
            if name not in params or params[name].values.shape != shape:
                raise ValueError(f"{name} of another formula")
        if INFORMATION in params and params[INFORMATION].values.shape != (size * self.n_topics,) * 2:
            raise ValueError(f"{INFORMATION} of another formula")
        return replace(self, coding=made)

    def start(self) -> dict[str, Field]:
        n_columns = 1 if self.coding is None else len(self.coding.columns)
        letters = b"" if self.coding is None else self.coding.learned.encode()
        coefficients = np.zeros((n_columns, self.n_topics))
        coefficients[0] = np.log(self.alpha)
        ranges = self.ranges
        first = np.array([FIRST_OF_WALK if one.walks else FIRST_VARIANCE for one in ranges])
        levels = (
            {
                LEVELS: Field(
                    np.zeros((ranges[-1].stop, self.n_topics)), ("levels", "topics"), additive=False
                ),
                LEVEL_VARIANCES: Field(first, ("level_terms",), additive=False),
            }
            if ranges
            else {}
        )
        return {
            **levels,
            "alpha": Field(np.array(self.alpha), ("topics",), additive=False, fresh=self.alpha[0]),
            COEFFICIENTS: Field(coefficients, ("terms", "topics"), additive=False),
            VARIANCES: Field(np.full(n_columns, FIRST_VARIANCE), ("terms",), additive=False),
            CODING: Field(np.frombuffer(letters, np.uint8), ("letters",), additive=False),
        }

    def update(self, params: Record, usage: Record, documents: float, step: Step) -> dict[str, Field]:
        """Move the coefficients by a Newton step, and their variances by their evidence, given sums over
        documents whose topics were drawn. Returns the new fields.

        As alpha that is the same for all documents (`DirichletPrior.update`), topics have one intercept and
        no coefficients until `TOGETHER` times the documents of a step were read. In a batch run, steps become
        smaller after `STEADY` of them, so that the noise of the draws averages out (Robbins and Monro 1951).
        """
        if documents <= 0.0:
            return {}
        sums, before = sums_in(usage), coefficients_in(params)
        together = bool(np.ptp(before.columns, axis=1).max() == 0.0) and step.seen < TOGETHER * documents
        rate = step.rate * min(1.0, STEADY / (step.number + 1)) if step.rate == 1.0 else step.rate
        whole = sums.times(step.scale)
        if step.rate < 1.0:
            whole = evened(whole, documents * step.scale, self.ranges)
        best = self.stepped(params, whole, together=together, whole=step.rate == 1.0)
        change = best - before
        moved = self.with_coefficients(params, before.moved(rate, change))
        alpha = self._mean_alpha(
            params["alpha"], sums.alphas / documents, rate * change.columns[0], step.rate
        )
        if together:
            return {**moved, "alpha": alpha}
        drift, apart = (
            params[DRIFT].values if DRIFT in params else rate * change.columns,
            rate * change.columns,
        )
        found = coefficients_in({**params, **moved})
        learned = self.with_variances(params, found, whole, rate)
        learned |= self.with_level_variances(params, found.levels, whole.level_scores, rate)
        axes = ("terms", "topics")
        return {
            **moved,
            **learned,
            "alpha": alpha,
            DRIFT: Field(drift + NEW * (apart - drift), axes, additive=False),
        }

    def stepped(
        self, params: Record, sums: PrevalenceSums, *, together: bool = False, whole: bool = True
    ) -> Coefficients:
        """The coefficients after a Newton step (`coefficient_step`), at those of the params."""
        levels = params[LEVEL_VARIANCES].values if LEVEL_VARIANCES in params else np.zeros(0)
        prior = precisions_of(params[VARIANCES].values, levels, self.ranges)
        best = coefficient_step(coefficients_in(params), prior, sums, together=together, whole=whole)
        return centred(best, self.ranges)

    def with_coefficients(self, params: Record, found: Coefficients) -> dict[str, Field]:
        """The fields of the params with these coefficients."""
        levels = {LEVELS: params[LEVELS]._replace(values=found.levels)} if LEVELS in params else {}
        return {COEFFICIENTS: params[COEFFICIENTS]._replace(values=found.columns), **levels}

    def with_variances(
        self, params: Record, found: Coefficients, sums: PrevalenceSums, rate: float
    ) -> dict[str, Field]:
        """The fields of the params with the variances moved by the rate towards those by the evidence of
        the coefficients `found`. sums: over all documents.
        """
        assert self.coding is not None
        before = params[VARIANCES]
        learned = learned_variances(found.columns, before.values, sums.scores, self.coding.groups)
        return {VARIANCES: before._replace(values=before.values + rate * (learned - before.values))}

    def with_level_variances(
        self, params: Record, levels: Array, scores: Array, rate: float
    ) -> dict[str, Field]:
        """The same for the variances of terms with levels, if there are any; arguments as for
        `learned_level_variances`.
        """
        if LEVELS not in params:
            return {}
        before = params[LEVEL_VARIANCES]
        learned = learned_level_variances(levels, before.values, scores, self.ranges)
        moved = before.values + rate * (learned - before.values)
        return {LEVEL_VARIANCES: before._replace(values=moved)}

    @staticmethod
    def _mean_alpha(before: Field, seen: Array, change: Array, rate: float) -> Field:
        """alpha averaged over documents, after the intercepts changed. seen (topics): its mean over the
        documents of the step, before the change.
        """
        mean = (1.0 - rate) * before.values + rate * seen
        return before._replace(values=np.maximum(mean * np.exp(change), LEAST))

    def merged(self, params: Record, change: Merge, *, adds: bool = True) -> dict[str, Field]:
        """Raise UserError: the sum of two exp(x · gamma) is none."""
        problem = "the prior of merged topics is not a sum where it depends on metadata"
        raise UserError(problem, remedy="learn a model with fewer topics")

    def is_settled(self, params: Record) -> bool:
        """Whether the coefficients have nearly stopped changing, apart from the noise of draws."""
        if self.n_topics == 1:
            return True
        return DRIFT in params and float(np.sqrt((params[DRIFT].values ** 2).mean())) < STILL
