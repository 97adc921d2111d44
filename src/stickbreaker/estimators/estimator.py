"""The base class of all estimators: parameters from which a run is made, and what the run learned.

Plain Python: importing scikit-learn takes seconds, and the program and the report do not need it.
`scikit_learn.py` adds its conventions for users who import an estimator.
"""

# pyright: reportPrivateUsage=false

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.json_checks import Kind as JsonKind
from stickbreaker.core.parameter_fields import refuse_unmet_needs
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus, Vocabulary, VocabularyRule
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.overview import Overview
from stickbreaker.engines.local import usable_cores
from stickbreaker.estimators.learned import Update, final_score
from stickbreaker.estimators.learner import refuse_large_runs
from stickbreaker.estimators.search import FinishedRun, Search
from stickbreaker.estimators.setting_values import SCHEDULE_TYPES, SettingTypes, params_of, threads_of
from stickbreaker.learning.run import SCORES, Limits, Run, RunState, ScoreNames
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.evolution_observer import Evolving

if TYPE_CHECKING:
    from stickbreaker.engines import Cluster


class Origin(NamedTuple):
    """Which saved model an estimator was loaded from: its path, manifest and number of steps."""

    path: Path
    manifest: JsonObject
    steps: int


class Estimator(ABC):
    """The interface by which shared code uses an estimator of any kind: parameters, runs and their results.

    `fitting.py` (fit, begin, resume), `saving.py` (save, load) and the public classes use only these methods.
    `kinds.py` lists the kinds. Attributes that end in "_" are set by a fit.
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
    engine: "str | Cluster" = "local"
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
    _learned_with: Mapping[str, str] | None = None  # `params_as_text` when it learned last, or was loaded

    @property
    def _threads(self) -> int:
        """The number of threads that `n_jobs` means on this machine."""
        return threads_of(self.n_jobs) or usable_cores()

    @property
    def _is_open(self) -> bool:
        """Whether the vocabulary is open: it grows with new words, and a run uses all words of a corpus.

        By default False.
        """
        return False

    def _reads_texts_by(self) -> tuple[AnyAnalysis | None, VocabularyRule | None]:
        """The analysis and the vocabulary rule for a fit to texts instead of a Corpus; None for a default."""
        return None, None

    def _tokens_of_document(self, tokens: Sequence[str]) -> Sequence[str]:
        """The tokens to learn from, of a document given as a list of tokens; by default all of them."""
        return tokens

    # From parameters to a run

    @abstractmethod
    def _refuse_params(
        self, vocabulary: Vocabulary | None = None, analysis: AnyAnalysis | None = None
    ) -> None:
        """Raise UserError naming a parameter that is wrong, alone or for this vocabulary and analysis.

        It is called without these before documents are read.
        """

    @abstractmethod
    def _limits(self) -> Limits:
        """The limits at which a run ends, such as the number of passes."""

    def _as_it_started(self) -> Self:
        """A copy to save, in which parameters that were None have the values that learning began with.

        By default the estimator itself.
        """
        return self

    def _next_verb(self) -> str | None:
        """The command to suggest after a run, such as "report"; None: the kind's first command."""
        return None

    def _params_to_save(self) -> JsonObject:
        """The parameters to store with a saved model, before `settings.to_json` converts them."""
        return params_of(self)

    def _search(self, n_documents: int, n_tokens: float) -> Search[Any] | None:
        """The search over settings that a fit makes, with one run for each; None if a fit is a single run."""
        return None

    def _of_search(self, settings: Mapping[str, Any]) -> "Estimator":
        """A copy of this estimator for one run of a search, with the parameters that the search chose."""
        raise NotImplementedError

    def _finished_runs(self, held: object) -> tuple[FinishedRun, ...]:
        """The finished runs of a search, from `held`, the list in a manifest. Raises ValueError if invalid.

        By default, for kinds that do not search, anything but an empty list is invalid.
        """
        if held != []:
            raise ValueError("runs of a search, but this kind of model does not search")
        return ()

    def _choose_for(self, corpus: Corpus) -> None:
        """Choose what the user left open and the documents decide, such as a number of topics.

        Called first of all when learning from a corpus begins. By default, nothing is chosen.
        """
        return

    def _remark_on(self, corpus: Corpus) -> str | None:
        """A warning about something surprising in learning from these documents, or None."""
        return None

    def _least_memory(self, corpus: Corpus) -> tuple[int, str]:
        """At least how many bytes learning from a corpus takes, and the parameters because of which, such as
        "n_topics=100"; by default 0 and none."""
        return 0, ""

    def _least_held_out(self) -> float:
        """The share of the documents to hold out if the user chose none; by default 0.

        Estimators that need held-out documents to learn override it.
        """
        return 0.0

    @abstractmethod
    def _new_run(
        self, corpus: Corpus, seed: int, held_out: float = 0.0, folder: Path | None = None
    ) -> tuple[Run, RunState]:
        """Make a run that has not begun, and its state; it does not learn from the share `held_out`.

        folder: where the run may store files (the model's directory).
        """

    @abstractmethod
    def _resume_run(self, corpus: Corpus, snapshot: Snapshot, folder: Path) -> tuple[Run, RunState]:
        """Restore a run and its state from a checkpoint (`snapshot`) that was read from `folder`.

        Raises ValueError if parts of the snapshot do not fit together.
        """

    def _evolution(self, job: Run, state: RunState, directory: ModelDirectory) -> Evolving | None:
        """An observer that takes snapshots of topics during a run, for the report; None if there is none."""
        return None

    # Storing what a run has learned

    @abstractmethod
    def _take_run(self, corpus: Corpus, job: Run, state: RunState) -> None:
        """Store in this estimator what a run has learned; vocabulary, seed and trace are set already."""

    def _finish_run(
        self, corpus: Corpus, job: Run, state: RunState, fixed: JsonObject, folder: Path
    ) -> Snapshot:
        """Store what a run has learned, as `_take_run`; returns the finished model to be saved.

        `fixed`: the manifest's fields from before the run. Kinds whose report shows documents override this
        to write them into `folder`, the model's directory, since the corpus may be deleted afterwards.
        """
        self._take_run(corpus, job, state)
        return self._snapshot(fixed)

    @property
    def _minibatch(self) -> int:
        """The default number of documents per step of `_learn_more`; only for kinds that can be updated."""
        raise NotImplementedError

    def _learn_more(self, corpus: Corpus) -> None:
        """Make one online step on more documents, in place; only for kinds that can be updated."""
        raise NotImplementedError

    def _sizes(self) -> dict[str, int]:
        """The numbers of things learned, by plural noun, such as {"topics": 20}, for the summary of a run."""
        return {}

    def _overview(self) -> Overview:
        """A short table of what was learned, for notebooks; by default a row for each of `_sizes`."""
        rows = [[name.replace("_", " "), f"{size:,}"] for name, size in self._sizes().items()]
        title = f"learned from {counted(self.corpus_['documents'], 'document')}"
        return Overview(title, ("of the model", "value"), rows)

    def _write_report_documents(self, corpus: Corpus, folder: Path) -> None:
        """Write into a model's directory what its report shows of these documents.

        The corpus must have the model's vocabulary. Raises UserError for kinds whose report shows no
        documents.
        """
        problem = f"the report of a model of the kind {self.kind} shows no documents"
        raise UserError(problem, remedy="leave documents out")

    def _take_state(self, state: RunState) -> None:
        """Record from a run's state its numbers of steps and passes, whether it converged, and its score."""
        self.n_steps_, self.n_iter_, self.converged_ = state.step, state.passes, state.converged
        self.bound_ = final_score(state)

    @abstractmethod
    def _score_documents(self, corpus: Corpus) -> tuple[float, float]:
        """The log probability of documents under the model, in nats, and the number of their known tokens."""

    def _score_parts(self, corpus: Corpus) -> dict[str, tuple[float, float]]:
        """Log probability (nats) and number of tokens, for each part of the words that is scored separately.

        "all" stands for all words; by default it is the only part.
        """
        return {"all": self._score_documents(corpus)}

    @property
    def _n_shares(self) -> int:
        """The number of topics, which are the columns of `_block_shares`; only for models with topics."""
        raise NotImplementedError

    def _block_shares(self, corpus: Corpus, block: int) -> Array:
        """The topic shares of a block's documents (documents × topics); only for models with topics.

        The corpus must have the model's vocabulary. A row depends only on its document, and sums to one.
        """
        raise NotImplementedError

    def _remark_on_documents(self, corpus: Corpus) -> str | None:
        """A line for the user about documents whose shares are wanted; None, as by default, for nothing."""
        return None

    # Saving and loading

    @abstractmethod
    def _snapshot(self, fixed: JsonObject) -> Snapshot:
        """The finished model in the form that is saved; `fixed`: manifest fields known before the run."""

    def _write_stored_documents(self, folder: Path) -> None:
        """Write into `folder` what the report showed of documents when the model was loaded, if that holds.

        By default writes nothing.
        """
        return

    def _write_beside(self, folder: Path) -> None:
        """Write what else the user added to a model, such as names of topics, as files into its directory.

        By default writes nothing.
        """
        return

    def _take_beside(self, folder: Path) -> None:
        """Take over what others added to the files of `_write_beside` in `folder`, before it is replaced.

        This estimator's own changes since it was loaded win. By default does nothing.
        """
        return

    def _is_beside(self, folder: Path) -> bool:
        """Whether `folder` already has the files that `_write_beside` would write; by default True."""
        return True

    @abstractmethod
    def _restore(self, snapshot: Snapshot, folder: Path, *, lasts: bool) -> None:
        """Restore what was learned from a snapshot that was read from `folder`.

        Corpus, vocabulary, seed and trace are set already. `lasts`: whether the files will exist as long as
        the estimator, so that arrays may stay in them. Raises ValueError if parts of the snapshot do not fit
        together.
        """


def refuse_to_begin(estimator: Estimator, corpus: Corpus, *, stream: bool = False) -> None:
    """Raise UserError, before learning, if an estimator's parameters are wrong or do not go together.

    With `stream`, wrong values are not checked here, since making the model does that.
    """
    if not stream:
        estimator._refuse_params(corpus.vocabulary, corpus.analysis)
    refuse_unmet_needs(estimator)
    refuse_large_runs(*estimator._least_memory(corpus), corpus)
