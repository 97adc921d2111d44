"""Kinds whose estimators still are settings, runs and results in one object, as a `Learner` and a `Learned`.

What `model_runs` and `model_files` ask is answered by the hooks of `Estimator`. A result is the estimator
itself, in which a run has stored what it learned. This module goes when all kinds have a learner.
"""

# pyright: reportPrivateUsage=false

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickbreaker.core.errors import UserError, shortened
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.parameter_fields import refuse_unmet_needs
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus, Vocabulary, VocabularyRule
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.overview import Overview
from stickbreaker.estimators.estimator import Estimator, Origin
from stickbreaker.estimators.kinds import kinds
from stickbreaker.estimators.learned import AnyLearned, Facts, HasShares, SavedCopy
from stickbreaker.estimators.learner import AnyLearner, Learner
from stickbreaker.estimators.run_settings import RunSettings
from stickbreaker.estimators.search import FinishedRun, Search
from stickbreaker.estimators.setting_values import params_as_text
from stickbreaker.learning.run import Limits, Run, RunState
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.evolution_observer import Evolving

if TYPE_CHECKING:
    from stickbreaker.engines import Cluster


@dataclass(frozen=True, eq=False, repr=False)
class PlainSettings(RunSettings):
    """The parameters of an estimator, in which a run stores what it learns."""

    estimator: Estimator = field(kw_only=True)

    def __post_init__(self) -> None:
        """Nothing: the estimator checks its parameters."""

    @classmethod
    def of(cls, estimator: Estimator) -> "PlainSettings":
        """The parameters that an estimator has now."""
        names = ("n_jobs", "random_state", "verbose", "callbacks")
        return cls(estimator=estimator, **{name: getattr(estimator, name) for name in names})

    def refuse_unmet_needs(self) -> None:
        refuse_unmet_needs(self.estimator)

    def values(self) -> JsonObject:
        own = {"n_jobs": self.n_jobs, "random_state": self.random_state}
        return {**self.estimator._params_to_save(), **own}

    @property
    def starts(self) -> int:
        return self.estimator.n_init

    @property
    def where(self) -> "str | Cluster":
        return self.estimator.engine

    def on(self, engine: "Cluster") -> "PlainSettings":
        self.estimator.engine = engine
        return self


@dataclass(frozen=True, eq=False, repr=False)
class PlainLearned(HasShares[PlainSettings]):
    """A fitted estimator as a result."""

    @classmethod
    def of(cls, estimator: Estimator) -> "PlainLearned":
        """A fitted estimator as it is now."""
        origin = estimator._origin
        settings = PlainSettings.of(estimator).but(random_state=estimator.seed_)
        return cls(
            Facts(
                settings=settings,
                vocabulary=estimator.vocabulary_,
                analysis=estimator.analysis_,
                corpus=estimator.corpus_,
                trace=estimator.trace_,
                progress=RunState(step=estimator.n_steps_, passes=estimator.n_iter_),
                held_out=held_out_of(estimator),
                search=estimator.search_,
                updates=estimator.updates_,
                saved=None if origin is None else SavedCopy(origin.path, origin.manifest),
            )
        )

    def but(self, **facts: Any) -> "PlainLearned":
        if "updates" in facts:  # of which the report's documents say whether they were learned from
            self.estimator.updates_ = facts["updates"]
        return super().but(**facts)

    @property
    def estimator(self) -> Estimator:
        """The estimator that has what was learned."""
        return self.facts.settings.estimator

    @property
    def kind(self) -> str:
        return self.estimator.kind

    @property
    def learner(self) -> "PlainLearner":
        return PlainLearner(type(self.estimator))

    @property
    def vocabulary(self) -> Vocabulary:
        return self.estimator.vocabulary_

    def as_saved(self) -> JsonObject:
        return self.estimator._as_it_started()._params_to_save()

    def snapshot(self, fixed: JsonObject) -> Snapshot:
        try:
            return self.estimator._snapshot(fixed)
        except (UserError, ValueError, TypeError):
            self._refuse_changes()
            raise

    def loads(self, path: Path) -> None:
        if not self._changes():
            return
        from stickbreaker.estimators.model_files import load

        try:
            load(path)
        except (UserError, ValueError, TypeError):
            self._refuse_changes()

    def _changes(self) -> list[str]:
        """The parameters that have other values than when the estimator learned last."""
        given, before = params_as_text(self.estimator), self.estimator._learned_with or {}
        return [name for name in before if given[name] != before[name]]

    def _refuse_changes(self) -> None:
        """Raise UserError if parameters were changed after learning."""
        given, changed = params_as_text(self.estimator), self._changes()
        if changed:
            values = ", ".join(f"{name}={shortened(given[name], 30)}" for name in changed)
            problem = f"{values} was set after learning, and what was learned does not have it"
            raise UserError(problem, remedy="call fit again, or set it back") from None

    def log_probability(self, corpus: Corpus) -> tuple[float, float]:
        return self.estimator._score_documents(corpus)

    def part_scores(self, corpus: Corpus) -> Mapping[str, tuple[float, float]]:
        return self.estimator._score_parts(corpus)

    def write_documents(self, corpus: Corpus, folder: Path, *, from_run: bool = False) -> None:
        self.estimator._write_report_documents(corpus, folder)

    def write_stored_documents(self, folder: Path) -> None:
        self.estimator._write_stored_documents(folder)

    def write_beside(self, folder: Path, replaced: Path | None = None) -> None:
        if replaced is not None:
            self.estimator._take_beside(replaced)
        self.estimator._write_beside(folder)

    def is_beside(self, folder: Path) -> bool:
        return self.estimator._is_beside(folder)

    def sizes(self) -> dict[str, int]:
        return self.estimator._sizes()

    def overview(self) -> Overview:
        return self.estimator._overview()

    def next_verb(self) -> str | None:
        return self.estimator._next_verb()

    @property
    def n_shares(self) -> int:
        return self.estimator._n_shares

    def shares(self, corpus: Corpus, block: int) -> Array:
        return self.estimator._block_shares(corpus, block)

    def remark_on_documents(self, corpus: Corpus) -> str | None:
        return self.estimator._remark_on_documents(corpus)


class PlainLearner(Learner[PlainSettings, PlainLearned]):
    """How estimators of a class learn."""

    def __init__(self, made: type[Estimator]) -> None:
        super().__init__(PlainSettings)
        self.made = made
        self.score_names, self.setting_types = made._score_names, made._setting_types
        self.trace_fields, self.reads_trees = made._trace_fields, made._reads_trees
        self.shows_documents = made._write_report_documents is not Estimator._write_report_documents

    @property
    def kind(self) -> str:
        return self.made.kind

    def settings_from(self, values: Mapping[str, Any]) -> PlainSettings:
        return PlainSettings.of(self.made(**values))

    def check(
        self,
        settings: PlainSettings,
        vocabulary: Vocabulary | None = None,
        analysis: AnyAnalysis | None = None,
    ) -> None:
        settings.estimator._refuse_params(vocabulary, analysis)

    def limits(self, settings: PlainSettings) -> Limits:
        return settings.estimator._limits()

    def is_open(self, settings: PlainSettings) -> bool:
        return settings.estimator._is_open

    def reads_texts_by(self, settings: PlainSettings) -> tuple[AnyAnalysis | None, VocabularyRule | None]:
        return settings.estimator._reads_texts_by()

    def tokens_of_document(self, settings: PlainSettings, tokens: Sequence[str]) -> Sequence[str]:
        return settings.estimator._tokens_of_document(tokens)

    def chosen_for(self, settings: PlainSettings, corpus: Corpus) -> PlainSettings:
        settings.estimator._choose_for(corpus)
        return settings

    def remark_on(self, settings: PlainSettings, corpus: Corpus) -> str | None:
        return settings.estimator._remark_on(corpus)

    def least_memory(self, settings: PlainSettings, corpus: Corpus) -> tuple[int, str]:
        return settings.estimator._least_memory(corpus)

    def least_held_out(self, settings: PlainSettings) -> float:
        return settings.estimator._least_held_out()

    def search(self, settings: PlainSettings, n_documents: int, n_tokens: float) -> Search[Any] | None:
        return settings.estimator._search(n_documents, n_tokens)

    def searched(self, settings: PlainSettings, chosen: Mapping[str, Any]) -> PlainSettings:
        return PlainSettings.of(settings.estimator._of_search(chosen))

    def finished_runs(self, held: object) -> tuple[FinishedRun, ...]:
        return self.made()._finished_runs(held)

    def new_run(
        self,
        settings: PlainSettings,
        corpus: Corpus,
        seed: int,
        held_out: float = 0.0,
        folder: Path | None = None,
    ) -> tuple[Run, RunState]:
        return settings.estimator._new_run(corpus, seed, held_out, folder)

    def resume_run(
        self, settings: PlainSettings, corpus: Corpus, snapshot: Snapshot, folder: Path
    ) -> tuple[Run, RunState]:
        return settings.estimator._resume_run(corpus, snapshot, folder)

    def evolution(
        self, settings: PlainSettings, job: Run, state: RunState, directory: ModelDirectory
    ) -> Evolving | None:
        return settings.estimator._evolution(job, state, directory)

    def learned(self, facts: Facts[PlainSettings], corpus: Corpus, job: Run, state: RunState) -> PlainLearned:
        _record(facts)._take_run(corpus, job, state)
        return PlainLearned(facts)

    def finished(
        self,
        facts: Facts[PlainSettings],
        corpus: Corpus,
        job: Run,
        state: RunState,
        fixed: JsonObject,
        folder: Path,
    ) -> tuple[PlainLearned, Snapshot]:
        snapshot = _record(facts)._finish_run(corpus, job, state, fixed, folder)
        return PlainLearned(facts), snapshot

    def minibatch(self, settings: PlainSettings) -> int:
        return settings.estimator._minibatch

    def learn_more(
        self, settings: PlainSettings, learned: PlainLearned | None, corpus: Corpus
    ) -> PlainLearned:
        """The same estimator, which has learned more: the result before is no longer what it was."""
        assert learned is not None
        learned.estimator._learn_more(corpus)
        return PlainLearned.of(learned.estimator)

    def restored(
        self, facts: Facts[PlainSettings], snapshot: Snapshot, folder: Path, *, lasts: bool
    ) -> PlainLearned:
        estimator = _record(facts)
        estimator.updates_ = facts.updates
        estimator._restore(snapshot, folder, lasts=lasts)
        if facts.saved is not None:
            estimator._origin = Origin(facts.saved.path, facts.saved.manifest, estimator.n_steps_)
        return PlainLearned(facts)


def learner_and_settings(model: "Estimator | RunSettings") -> tuple[AnyLearner, RunSettings]:
    """How to learn what is asked, by settings or by an estimator of a kind that has no settings yet."""
    if isinstance(model, Estimator):
        return PlainLearner(type(model)), PlainSettings.of(model)
    return kinds()[model.kind].how(), model


def estimator_in(learned: AnyLearned) -> Any:
    """The estimator of a result, for functions of kinds that have no result yet; others get the result."""
    return learned.estimator if isinstance(learned, PlainLearned) else learned


def apart(learned: AnyLearned) -> AnyLearned:
    """The same result, which stays as it is while another learns more from there: a copy of an estimator, in
    which `learn_more` stores what it learns."""
    return PlainLearned.of(copy.deepcopy(learned.estimator)) if isinstance(learned, PlainLearned) else learned


def _record(facts: Facts[PlainSettings]) -> Estimator:
    """Store facts in an estimator; returns it."""
    estimator = facts.settings.estimator
    estimator.vocabulary_, estimator.analysis_ = facts.vocabulary, facts.analysis
    estimator.corpus_, estimator.seed_ = facts.corpus, facts.seed
    estimator._learned_with = params_as_text(estimator)
    estimator.trace_, estimator.search_ = list(facts.trace), facts.search
    estimator.updates_, estimator._origin = [], None  # they belonged to what was learned before
    return estimator


def held_out_of(estimator: Estimator) -> float:
    """The share of the fit's documents that an estimator has not learned from, chosen by a hash of their ids.

    For a loaded estimator, it is that of the saved model. Documents of later updates are all learned from.
    """
    origin = estimator._origin
    return estimator._least_held_out() if origin is None else float(origin.manifest["held_out"])
