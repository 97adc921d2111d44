"""What learning returns: a frozen record of what was learned and where it comes from."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

import numpy as np

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.parameter_fields import declared
from stickbreaker.core.records import Array
from stickbreaker.corpus import Bags, Corpus, Vocabulary
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.overview import Overview
from stickbreaker.estimators.run_settings import RunSettings
from stickbreaker.estimators.search import FinishedRun
from stickbreaker.estimators.setting_values import threads_for
from stickbreaker.learning.run import RunState
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.manifest_fields import UPDATES

if TYPE_CHECKING:
    from stickbreaker.estimators.learner import AnyLearner

S = TypeVar("S", bound=RunSettings)


class Update(NamedTuple):
    """A model's record of one `stickbreaker update`, finished or not.

    `date` of the day (ISO 8601); `documents` learned from so far, of `total`; `fingerprint` of all of them;
    `unseen_share` of their words, those that the model did not know before (None: of an earlier version).
    """

    date: str  # of the day, ISO 8601
    documents: int  # learned from so far
    total: int  # to be learned from
    fingerprint: str  # of all of these documents
    unseen_share: float | None = None  # of their words, when the update began

    @property
    def is_done(self) -> bool:
        """Whether all of its documents were learned from."""
        return self.documents >= self.total

    @property
    def text(self) -> str:
        """A line about the update, for the report.

        >>> Update("2026-12-24", 10, 900, "").text
        '2026-12-24: 10 of 900 documents'
        """
        part = "" if self.documents == self.total else f"{self.documents:,} of "
        return f"{self.date}: {part}{counted(self.total, 'document')}"

    @classmethod
    def from_manifest(cls, manifest: JsonObject) -> "list[Update]":
        """The updates in a model's manifest, the earliest first."""
        return [cls(**record) for record in manifest.get(UPDATES, ())]


class SavedCopy(NamedTuple):
    """The saved model that a result was loaded from: its absolute path, and its manifest then."""

    path: Path
    manifest: JsonObject

    @property
    def is_unchanged(self) -> bool:
        """Whether the same model is still saved there."""
        try:
            return ModelDirectory(self.path).manifest() == self.manifest
        except (UserError, OSError):
            return False


def final_score(state: RunState) -> float:
    """The score of the last pass, in nats per token; -inf if there is none."""
    return state.scores[-1] if state.scores else -np.inf


def progress_of(state: RunState) -> RunState:
    """A copy of a run's progress without what the run needs to continue, such as its chains."""
    copy = RunState(**{one.name: getattr(state, one.name) for one in fields(RunState)})
    copy.scores, copy.held_out = list(state.scores), list(state.held_out)
    return copy


@dataclass(frozen=True, eq=False)
class Facts(Generic[S]):
    """What is known of every result of learning, besides what was learned.

    `settings`: what was asked, with the seed as `random_state`. `corpus`: the facts of `corpus_facts.about`.
    `progress`: of the run, at its end. `held_out`: the share of the documents that it did not learn from.
    `search`: if it ended a search, all its finished runs. `saved`: the model it was loaded from, if it was.
    """

    settings: S
    vocabulary: Vocabulary
    analysis: AnyAnalysis
    corpus: JsonObject
    trace: Sequence[TraceRecord]
    progress: RunState
    held_out: float = 0.0
    search: tuple[FinishedRun, ...] = ()
    updates: Sequence[Update] = ()
    saved: SavedCopy | None = None

    @property
    def seed(self) -> int:
        """The number that random draws of the run came from."""
        return self.settings.random_state


@dataclass(frozen=True, eq=False, repr=False)
class Learned(ABC, Generic[S]):
    """What was learned: a frozen record of facts and arrays; each kind has a subclass.

    Any number of threads may read it. What is computed of its fields is cached, and not pickled.
    """

    facts: Facts[S]

    def __getstate__(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def but(self, **facts: Any) -> Self:
        """A copy with other facts, such as `settings`."""
        return replace(self, facts=replace(self.facts, **facts))

    @property
    def kind(self) -> str:
        """The name of its kind in saved models and in `kinds()`."""
        return self.facts.settings.kind

    @property
    def learner(self) -> "AnyLearner":
        """How its kind learns, is saved and loaded."""
        from stickbreaker.estimators.kinds import kinds

        return kinds()[self.kind].how()

    @property
    def threads(self) -> int:
        """The number of threads to read documents with."""
        return threads_for(self.facts.settings.n_jobs)

    @property
    def vocabulary(self) -> Vocabulary:
        """The words of the model."""
        return self.facts.vocabulary

    @property
    def final_score(self) -> float:
        """The score of the last pass, in nats per token; -inf if there is none."""
        return final_score(self.facts.progress)

    def as_saved(self) -> JsonObject:
        """The settings to save, by name; by default those that were asked."""
        return self.facts.settings.values()

    @abstractmethod
    def snapshot(self, fixed: JsonObject) -> Snapshot:
        """The finished model in the form that is saved; `fixed`: manifest fields known before the run."""

    @abstractmethod
    def log_probability(self, corpus: Corpus) -> tuple[float, float]:
        """The log probability of documents under the model, in nats, and the number of their known tokens.

        The corpus must have the model's vocabulary.
        """

    def part_scores(self, corpus: Corpus) -> Mapping[str, tuple[float, float]]:
        """Log probability (nats) and number of tokens, for each part of the words that is scored separately.

        "all" stands for all words; by default it is the only part.
        """
        return {"all": self.log_probability(corpus)}

    def write_documents(self, corpus: Corpus, folder: Path, *, from_run: bool = False) -> None:
        """Write into a model's directory what its report shows of documents with the model's vocabulary.

        from_run: whether its run has just learned from them. Raises UserError for kinds whose report shows
        none.
        """
        problem = f"the report of a model of the kind {self.kind} shows no documents"
        raise UserError(problem, remedy="leave documents out")

    def write_stored_documents(self, folder: Path) -> None:
        """Write into a model's directory what its report showed of documents when it was loaded.

        Called if it is saved without documents. By default nothing is written, since it is not known.
        """

    def write_beside(self, folder: Path, replaced: Path | None = None) -> None:
        """Write what users added to a model, such as names of topics, as files into its directory.

        replaced: the model that it was loaded from, if this one will replace it: what others added to that is
        taken over. By default writes nothing.
        """

    def is_beside(self, folder: Path) -> bool:
        """Whether `folder` has the files that `write_beside` would write; by default True."""
        return True

    def sizes(self) -> dict[str, int]:
        """The numbers of things learned, by plural noun, such as {"topics": 20}, for the summary of a run."""
        return {}

    def overview(self) -> Overview:
        """A short table of what was learned, for notebooks; by default a row for each of `sizes`."""
        rows = [[name.replace("_", " "), f"{size:,}"] for name, size in self.sizes().items()]
        title = f"learned from {counted(self.facts.corpus['documents'], 'document')}"
        return Overview(title, ("of the model", "value"), rows)

    def remark(self) -> str | None:
        """A warning about something surprising in what was learned, or None; a fit gives it."""
        return None

    def next_verb(self) -> str | None:
        """The command to suggest after a run, such as "report"; None: the kind's first command."""
        return None


AnyLearned = Learned[Any]


class HasShares(Learned[S]):
    """Base of results with topics, which give each document its shares of them."""

    @property
    @abstractmethod
    def n_shares(self) -> int:
        """The number of topics, which are the columns of `shares`."""

    @abstractmethod
    def shares(self, corpus: Corpus, block: int) -> Array:
        """The topic shares of a block's documents (documents × topics).

        The corpus must have the model's vocabulary. A row depends only on its document, and sums to one.
        """

    def remark_on_documents(self, corpus: Corpus) -> str | None:
        """A line for the user about documents whose shares are wanted, such as that they lack metadata which
        the model needs; None, as by default, if there is nothing to say.
        """
        return None


class ReadsBags(HasShares[S]):
    """Base of results whose topics are over single words, so that bags of words are enough."""

    @property
    def reads_bags(self) -> bool:
        """Whether a document's shares depend on its words alone, not on metadata."""
        return True

    @abstractmethod
    def shares_of_bags(self, bags: Bags) -> Array:
        """The topic shares of documents whose words are numbered as in the model's vocabulary."""


D = TypeVar("D", bound=AnyLearned)


def as_read_now(learned: D, parameters: object) -> D:
    """What was learned, with those settings that act on new documents as they are now.

    parameters: what has them as attributes, such as the estimator, in which a user may have changed them.
    """
    settings: RunSettings = learned.facts.settings
    acting = [name for name, one in declared(type(settings)).items() if one.reads]
    changed = {name: getattr(parameters, name) for name in acting}
    if all(getattr(settings, name) == value for name, value in changed.items()):
        return learned
    return learned.but(settings=settings.but(**changed))


def saved_at(learned: AnyLearned) -> Path | None:
    """The path of the saved model that a result was loaded from; None if that has changed since.

    None also if it was not loaded, or from an unfinished run.
    """
    saved = learned.facts.saved
    if saved is None or saved.manifest["status"] != "done":
        return None
    same = saved.manifest["run"]["step"] == learned.facts.progress.step  # it has not learned more since
    return saved.path if same and saved.is_unchanged else None
