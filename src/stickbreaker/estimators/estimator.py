"""The base class of all estimators: parameters from which a run is made, and what the run learned.

Plain Python: importing scikit-learn takes seconds, and the program and the report do not need it.
`scikit_learn.py` adds its conventions for users who import an estimator.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.json_checks import Kind as JsonKind
from stickbreaker.core.parameter_fields import refuse_unmet_needs
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus, Vocabulary, VocabularyRule
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.overview import Overview
from stickbreaker.engines.local import usable_cores
from stickbreaker.estimators.search import FinishedRun, Search
from stickbreaker.estimators.settings import SCHEDULE_TYPES, SettingTypes, params_of, threads_of
from stickbreaker.learning.run import SCORES, Limits, Run, RunState, ScoreNames
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.evolution_observer import Evolving
from stickbreaker.saved.manifest_fields import UPDATES

if TYPE_CHECKING:
    from stickbreaker.engines.spark import SparkEngine


class Origin(NamedTuple):
    """The saved model that an estimator came from: its path, and the manifest, trace and steps it had."""

    path: Path
    manifest: Mapping[str, Any]
    trace: list[TraceRecord]
    steps: int


class Update(NamedTuple):
    """A record that a finished model has learned from more documents, as by `stickbreaker update`."""

    date: str  # of the day, ISO 8601
    documents: int  # learned from so far
    total: int  # to be learned from
    fingerprint: str  # of all of these documents

    @property
    def text(self) -> str:
        """The line about it on a page.

        >>> Update("2026-12-24", 10, 900, "").text
        '2026-12-24: 10 of 900 documents'
        """
        part = "" if self.documents == self.total else f"{self.documents:,} of "
        return f"{self.date}: {part}{counted(self.total, 'document')}"

    @classmethod
    def from_manifest(cls, manifest: Mapping[str, Any]) -> "list[Update]":
        """The updates in a manifest, the earliest first."""
        return [cls(**record) for record in manifest.get(UPDATES, ())]


class Estimator(ABC):
    """The interface through which shared code uses a kind of model: its parameters, and what was learned with
    them.

    `fitting.py` (fit, begin, resume), `saving.py` (save, load) and the public class serve every kind through
    the methods below, and use nothing else of it. `kinds.py` lists the kinds.
    """

    kind: ClassVar[str]  # its name in saved models and in `kinds.KINDS`
    _score_names: ClassVar[ScoreNames] = SCORES
    _setting_types: ClassVar[SettingTypes] = (
        SCHEDULE_TYPES  # classes of parameters that are dataclasses, by name in JSON
    )
    _trace_fields: ClassVar[Mapping[str, JsonKind]] = {}  # fields of its trace, besides those of every kind
    _reads_trees: ClassVar[bool] = False  # whether files of documents are read with heads and tags

    # Parameters of every kind; a kind that lets users choose one has it among its own
    n_init: int = 1
    engine: "str | SparkEngine" = "local"
    n_jobs: int | None = None
    random_state: Any = None
    verbose: bool | int = False
    callbacks: Sequence[Callable[[TraceRecord], object]] | None = None

    # The results of a run
    vocabulary_: Vocabulary
    analysis_: AnyAnalysis
    corpus_: JsonObject
    seed_: int
    trace_: list[TraceRecord]
    n_steps_: int
    bound_: float
    n_iter_: int
    converged_: bool
    n_features_in_: int
    search_: tuple[FinishedRun, ...] = ()
    updates_: Sequence[Update] = ()
    _origin: Origin | None = None

    @property
    def _threads(self) -> int:
        """The number of threads that `n_jobs` means on this machine."""
        return threads_of(self.n_jobs) or usable_cores()

    @property
    def _is_open(self) -> bool:
        """Whether the vocabulary is open, so that a run uses all words of a corpus."""
        return False

    def _reads_texts_by(self) -> tuple[AnyAnalysis | None, VocabularyRule | None]:
        """The analysis and the vocabulary's rule for texts passed without a corpus; None: the defaults."""
        return None, None

    def _tokens_of_document(self, tokens: Sequence[str]) -> Sequence[str]:
        """The tokens to learn from, for a document that was given as tokens."""
        return tokens

    # From parameters to a run

    @abstractmethod
    def _refuse_params(
        self, vocabulary: Vocabulary | None = None, analysis: AnyAnalysis | None = None
    ) -> None:
        """Raise UserError naming a parameter that is wrong; without a vocabulary, before anything is read."""

    @abstractmethod
    def _limits(self) -> Limits:
        """The limits at which a run ends, such as the number of passes."""

    def _as_it_started(self) -> Self:
        """A copy of the estimator in which parameters left at None have the values the model began with."""
        return self

    def _next_verb(self) -> str | None:
        """The command to suggest after a run; None: the first one that the kind of model lists."""
        return None

    def _params_to_save(self) -> JsonObject:
        """The parameters for manifests, as values that `settings.to_json` can convert."""
        return params_of(self)

    def _search(self, n_documents: int, n_tokens: float) -> Search[Any] | None:
        """The search over settings that this estimator makes, each model one run; None for a single run."""
        return None

    def _of_search(self, settings: Mapping[str, Any]) -> "Estimator":
        """The estimator for one run of a search, from the parameters that the search sets."""
        raise NotImplementedError

    def _finished_runs(self, held: Any) -> tuple[FinishedRun, ...]:
        """The runs of a search, from a manifest's value. Raises ValueError for an invalid value."""
        if held != []:
            raise ValueError("runs of a search, but this kind of model does not search")
        return ()

    def _remark_on(self, corpus: Corpus) -> str | None:
        """A warning line about a surprising property of the model learned from these documents, or None."""
        return None

    def _least_held_out(self) -> float:
        """The share of the documents to hold out by default."""
        return 0.0

    @abstractmethod
    def _new_run(
        self, corpus: Corpus, seed: int, held_out: float = 0.0, folder: Path | None = None
    ) -> tuple[Run, RunState]:
        """A run at its start, which learns from all but the share `held_out` of a corpus.

        `folder`, the model's directory, is for files of the run.
        """

    @abstractmethod
    def _resume_run(self, corpus: Corpus, snapshot: Snapshot, folder: Path) -> tuple[Run, RunState]:
        """The run whose checkpoint is `snapshot`, read from `folder`, in the state of the checkpoint.

        Raises ValueError if parts of the snapshot do not fit together.
        """

    def _evolution(self, job: Run, state: RunState, directory: ModelDirectory) -> Evolving | None:
        """The observer that takes snapshots for the report during a run; None if there is none."""
        return None

    # Storing what a run has learned

    @abstractmethod
    def _take_run(self, corpus: Corpus, job: Run, state: RunState) -> None:
        """Store what a run learned from a corpus in the estimator, which has vocabulary, seed and trace."""

    def _finish_run(
        self, corpus: Corpus, job: Run, state: RunState, fixed: JsonObject, folder: Path
    ) -> Snapshot:
        """As `take_run`; also returns the finished model. `fixed`: the part of a manifest that all kinds
        share.

        Adds what the report shows of the corpus to the model's directory, `folder`, since the corpus may be
        deleted.
        """
        self._take_run(corpus, job, state)
        return self._snapshot(fixed)

    @property
    def _minibatch(self) -> int:
        """The default number of documents per step of `learn_more`."""
        raise NotImplementedError

    def _learn_more(self, corpus: Corpus) -> None:
        """Make one online step on more documents, as `partial_fit` does; for kinds that have this method."""
        raise NotImplementedError

    def _sizes(self) -> dict[str, int]:
        """The numbers of what was learned, for a run's summary, such as {"topics": 20}."""
        return {}

    def _overview(self) -> Overview:
        """An overview of what was learned, for notebooks."""
        rows = [[name.replace("_", " "), f"{size:,}"] for name, size in self._sizes().items()]
        title = f"learned from {counted(self.corpus_['documents'], 'document')}"
        return Overview(title, ("of the model", "value"), rows)

    def _write_report_documents(self, corpus: Corpus, folder: Path) -> None:
        """Save in a model's directory what its report shows of documents, seen through the model's
        vocabulary.

        Raises UserError for kinds whose report shows nothing of documents.
        """
        problem = f"the report of a model of the kind {self.kind} shows no documents"
        raise UserError(problem, remedy="leave documents out")

    def _take_state(self, state: RunState) -> None:
        """Record how far a run came, and how it ended."""
        self.n_steps_, self.n_iter_, self.converged_ = state.step, state.passes, state.converged
        self.bound_ = final_score(state)

    @abstractmethod
    def _score_documents(self, corpus: Corpus) -> tuple[float, float]:
        """The log probability of documents under the model, in nats, and their number of known tokens."""

    def _score_parts(self, corpus: Corpus) -> dict[str, tuple[float, float]]:
        """For each part of the words that is scored separately: its log probability in nats and its number of
        tokens.

        "all" stands for all words.
        """
        return {"all": self._score_documents(corpus)}

    @property
    def _n_shares(self) -> int:
        """The number of topics that a document has shares of. Only for models with topics."""
        raise NotImplementedError

    def _block_shares(self, corpus: Corpus, block: int) -> Array:
        """The topic shares of a block's documents (documents × topics). Only for models with topics.

        The corpus is seen through the model's vocabulary. A row depends only on its document, and sums to
        one.
        """
        raise NotImplementedError

    # Saving and loading

    @abstractmethod
    def _snapshot(self, fixed: JsonObject) -> Snapshot:
        """What was learned, as a finished model's arrays. `fixed`: what manifests of all kinds share."""

    def _write_beside(self, folder: Path) -> None:
        """Write the additional files of a saved model, next to its state; most kinds have none."""
        return

    def _take_beside(self, folder: Path) -> None:
        """Read changes that others made to the additional files in `folder` since the model was loaded from
        it.

        Called before the folder is replaced. For most kinds of models it does nothing.
        """
        return

    def _is_beside(self, folder: Path) -> bool:
        """Whether a saved model has the additional files that `_write_beside` would write."""
        return True

    @abstractmethod
    def _restore(self, snapshot: Snapshot, folder: Path, *, lasts: bool) -> None:
        """Restore what was learned from a snapshot, read from `folder`.

        Corpus, vocabulary, seed and trace are set already. `lasts`: the files will exist as long as the
        estimator, so that arrays may stay in them. Raises ValueError if parts of the snapshot do not fit
        together.
        """


def final_score(state: RunState) -> float:
    """The score of the last pass, in nats per token."""
    return state.scores[-1] if state.scores else -np.inf


def refuse_to_begin(estimator: Estimator, corpus: Corpus, *, stream: bool = False) -> None:
    """Raise UserError for a parameter that is wrong, or that has no effect with the others.

    The one door of all learning: `fit`, `begin` and `partial_fit`. With `stream` the caller makes the model
    of a stream, which refuses wrong values itself.
    """
    if not stream:
        estimator._refuse_params(corpus.vocabulary, corpus.analysis)
    refuse_unmet_needs(estimator)
