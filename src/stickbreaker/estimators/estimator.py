"""What every estimator is, whatever it learns: parameters that a run is made of, and what the run left.

Plain Python. scikit-learn takes seconds to import, and the program and the report do without it:
`scikit_learn.py` adds its conventions for those who import an estimator.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.json_checks import Kind as JsonKind
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus, Vocabulary, VocabularyRule
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.overview import Overview
from stickbreaker.engines.local import usable_cores
from stickbreaker.estimators.search import FinishedRun, Search
from stickbreaker.estimators.settings import SCHEDULE_TYPES, SettingTypes, params_of, threads_of
from stickbreaker.learning.observers import TraceRecord
from stickbreaker.learning.run import SCORES, Limits, Run, RunState, ScoreNames
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.evolution_observer import Evolving
from stickbreaker.saved.manifest_fields import UPDATES

if TYPE_CHECKING:
    from stickbreaker.engines.spark import SparkEngine


class Origin(NamedTuple):
    """Where an estimator was loaded from, and what it was then: manifest, trace and steps."""

    path: Path
    manifest: Mapping[str, Any]
    trace: list[TraceRecord]
    steps: int


class Update(NamedTuple):
    """Documents that a finished model learned from later, as `stickbreaker update` does."""

    date: str  # of the day, ISO 8601
    documents: int  # learned from up to now
    total: int  # to be learned from
    fingerprint: str  # of all of them

    @property
    def text(self) -> str:
        """What a page says of it.

        >>> Update("2026-12-24", 10, 900, "").text
        '2026-12-24: 10 of 900 documents'
        """
        part = "" if self.documents == self.total else f"{self.documents:,} of "
        return f"{self.date}: {part}{counted(self.total, 'document')}"

    @classmethod
    def from_manifest(cls, manifest: Mapping[str, Any]) -> "list[Update]":
        """The updates that a manifest tells of, the first one first."""
        return [cls(**record) for record in manifest.get(UPDATES, ())]


class Estimator(ABC):
    """Parameters, and what was learned with them: the face that a kind of model shows to the shared code.

    `fitting.py` (fit, begin, resume), `saving.py` (save, load) and the front door serve every kind by the
    methods below, and know nothing else of it. `kinds.py` lists the kinds.
    """

    kind: ClassVar[str]  # its name in saved models and in `kinds.KINDS`
    score_names: ClassVar[ScoreNames] = SCORES
    setting_types: ClassVar[SettingTypes] = SCHEDULE_TYPES  # of parameters that are values, by name in JSON
    trace_fields: ClassVar[Mapping[str, JsonKind]] = {}  # what its trace has beside the fields of every kind
    reads_trees: ClassVar[bool] = False  # whether files of documents are read with heads and tags

    # Parameters of every kind; one that lets users choose has them among its own
    n_init: int = 1
    engine: "str | SparkEngine" = "local"
    n_jobs: int | None = None
    random_state: Any = None
    verbose: bool | int = False
    callbacks: Sequence[Callable[[TraceRecord], object]] | None = None

    # What a run leaves
    vocabulary_: Vocabulary
    analysis_: AnyAnalysis
    corpus_: dict[str, Any]
    seed_: int
    trace_: list[TraceRecord]
    n_steps_: int
    bound_: float
    n_iter_: int
    converged_: bool
    n_features_in_: int
    search_: tuple[FinishedRun, ...] = ()
    updates_: Sequence[Update] = ()
    origin: Origin | None = None

    @property
    def threads(self) -> int:
        """How many threads `n_jobs` means on this machine."""
        return threads_of(self.n_jobs) or usable_cores()

    @property
    def is_open(self) -> bool:
        """Whether words enter as documents bring them: then a run sees all words of a corpus."""
        return False

    def reads_texts_by(self) -> tuple[AnyAnalysis | None, VocabularyRule | None]:
        """How texts that come without a corpus are analysed, and which of their words it has; None: as every
        corpus is by default."""
        return None, None

    def tokens_of_document(self, tokens: Sequence[str]) -> Sequence[str]:
        """The tokens that are learned from, of a document that brings its own."""
        return tokens

    # From parameters to a run

    @abstractmethod
    def refuse_params(
        self, vocabulary: Vocabulary | None = None, analysis: AnyAnalysis | None = None
    ) -> None:
        """Raise UserError naming the parameter that is wrong; without a vocabulary, before anything is
        read."""

    @abstractmethod
    def limits(self) -> Limits:
        """When a run ends."""

    def as_it_started(self) -> Self:
        """The same with parameters that were left open as the model began with them."""
        return self

    def next_verb(self) -> str | None:
        """The program's verb to go on with when a run is over; None: the first of its kind."""
        return None

    def params_to_save(self) -> dict[str, Any]:
        """The parameters that manifests keep, as values that `settings.to_json` knows."""
        return params_of(self)

    def search(self, n_documents: int, n_tokens: float) -> Search[Any] | None:
        """The search of which this estimator's model is one run; None: it makes one run alone."""
        return None

    def of_search(self, settings: Mapping[str, Any]) -> "Estimator":
        """The estimator of one run of a search, by the parameters that the search sets."""
        raise NotImplementedError

    def finished_runs(self, held: Any) -> tuple[FinishedRun, ...]:
        """The runs of a search from what a manifest has of them. Raises ValueError if they make no sense."""
        if held != []:
            raise ValueError("runs of a search, which this kind of model does not make")
        return ()

    def remark_on(self, corpus: Corpus) -> str | None:
        """What a user may not expect of a model of these documents, as a line."""
        return None

    def least_held_out(self) -> float:
        """The share of the documents to hold out where nothing else is said."""
        return 0.0

    @abstractmethod
    def new_run(
        self, corpus: Corpus, seed: int, held_out: float = 0.0, folder: Path | None = None
    ) -> tuple[Run[Any], RunState]:
        """A run at its start, that learns from all but the share `held_out` of a corpus.

        What the run keeps in files lies in `folder`, its model's directory.
        """

    @abstractmethod
    def resume_run(self, corpus: Corpus, snapshot: Snapshot, folder: Path) -> tuple[Run[Any], RunState]:
        """The run whose checkpoint is `snapshot`, read from `folder`, as it was then.

        Raises ValueError where the parts of the snapshot do not fit together.
        """

    def evolution(self, job: Run[Any], state: RunState, directory: ModelDirectory) -> Evolving | None:
        """What takes snapshots for the report while a run goes on; None of kinds and runs that keep none."""
        return None

    # From a run to what was learned

    @abstractmethod
    def take_run(self, corpus: Corpus, job: Run[Any], state: RunState) -> None:
        """Make what a run has learned of a corpus the estimator's; vocabulary, seed and trace are known."""

    def finish_run(
        self, corpus: Corpus, job: Run[Any], state: RunState, fixed: dict[str, Any], folder: Path
    ) -> Snapshot:
        """`take_run`, and the finished model: `fixed` is what a manifest of every kind says.

        What the report tells of the corpus, which may go then, is added to the model's directory, `folder`.
        """
        self.take_run(corpus, job, state)
        return self.snapshot(fixed)

    @property
    def minibatch(self) -> int:
        """How many documents a step of `learn_more` has, unless a user says otherwise."""
        raise NotImplementedError

    def learn_more(self, corpus: Corpus) -> None:
        """One online step on more documents, in their order, as `partial_fit` takes it. Of kinds that have
        that verb."""
        raise NotImplementedError

    def sizes(self) -> dict[str, int]:
        """How much was learned, as a run's summary says it: {"topics": 20}."""
        return {}

    def overview(self) -> Overview:
        """What was learned, at a glance, for notebooks."""
        rows = [[name.replace("_", " "), f"{size:,}"] for name, size in self.sizes().items()]
        title = f"learned from {counted(self.corpus_['documents'], 'document')}"
        return Overview(title, ("of the model", "value"), rows)

    def write_report_documents(self, corpus: Corpus, folder: Path) -> None:
        """Add to a model's directory what the report tells of documents, seen through the model's vocabulary.

        Raises UserError of kinds whose report tells nothing of documents.
        """
        problem = f"documents mean nothing for the report of a model of the kind {self.kind}"
        raise UserError(problem, remedy="leave documents out")

    def take_state(self, state: RunState) -> None:
        """Note how far a run came, and how it ended."""
        self.n_steps_, self.n_iter_, self.converged_ = state.step, state.passes, state.converged
        self.bound_ = final_score(state)

    @abstractmethod
    def score_documents(self, corpus: Corpus) -> tuple[float, float]:
        """The log probability of documents given what was learned, in nats, and their known tokens."""

    def score_parts(self, corpus: Corpus) -> dict[str, tuple[float, float]]:
        """The same of all tokens, "all", and of parts that are of interest by themselves."""
        return {"all": self.score_documents(corpus)}

    @property
    def n_shares(self) -> int:
        """Of a model with topics, how many a document has shares of."""
        raise NotImplementedError

    def block_shares(self, corpus: Corpus, block: int) -> Array:
        """Of a model with topics, the shares of the documents of a block (documents × topics), which is seen
        through its vocabulary; a row depends on its document alone, and sums to one."""
        raise NotImplementedError

    # To files and back

    @abstractmethod
    def snapshot(self, fixed: dict[str, Any]) -> Snapshot:
        """What was learned, as a finished model's arrays; `fixed` is what a manifest of every kind says."""

    def write_beside(self, folder: Path) -> None:
        """Write what a saved model has beside its state; of most kinds nothing."""
        return

    def take_beside(self, folder: Path) -> None:
        """Take what others changed beside the state in `folder` since this model was read from there.

        That is about to be replaced. Of most kinds it is nothing.
        """
        return

    def is_beside(self, folder: Path) -> bool:
        """Whether a saved model has beside its state what `write_beside` would write."""
        return True

    @abstractmethod
    def restore(self, snapshot: Snapshot, folder: Path, *, lasts: bool) -> None:
        """Take what was learned from a snapshot, read from `folder`; corpus, vocabulary, seed and trace are
        there already. `lasts`: the files stay as long as the estimator, so that arrays may stay in them.

        Raises ValueError where the parts of the snapshot do not fit together.
        """


def final_score(state: RunState) -> float:
    """The score of the last pass, in nats a token."""
    return state.scores[-1] if state.scores else -np.inf
