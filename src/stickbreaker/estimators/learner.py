"""How a kind of model learns: from settings to runs, from runs to results, from saved models to results."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.json_checks import Kind as JsonKind
from stickbreaker.core.system_calls import memory_of_machine
from stickbreaker.corpus import Corpus, Vocabulary, VocabularyRule
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.estimators.learned import Facts, Learned, S
from stickbreaker.estimators.search import FinishedRun, Search
from stickbreaker.estimators.setting_values import SCHEDULE_TYPES, SettingTypes
from stickbreaker.learning.run import SCORES, Limits, Run, RunState, ScoreNames
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.evolution_observer import Evolving

L = TypeVar("L", bound=Learned[Any])


class Learner(ABC, Generic[S, L]):
    """How one kind of model learns; each kind has one such object, without a state of its own.

    All methods are functions of their arguments. `model_runs` calls them to learn, `model_files` to save
    and load.
    """

    score_names: ScoreNames = SCORES
    setting_types: SettingTypes = SCHEDULE_TYPES  # classes of settings that are dataclasses, by name in JSON
    trace_fields: Mapping[str, JsonKind] = MappingProxyType(
        {}
    )  # fields of its trace, besides those of every kind
    reads_trees: bool = False  # whether files of documents are read with heads and tags
    shows_documents: bool = False  # whether its report shows documents

    def __init__(self, settings: type[S]) -> None:
        self.settings_class = settings

    @property
    def kind(self) -> str:
        """The name of the kind in saved models and in `kinds()`."""
        return self.settings_class.kind

    def settings_from(self, values: Mapping[str, Any]) -> S:
        """Settings from values by name, such as those of a manifest. Raises UserError or TypeError."""
        return self.settings_class(**values)

    # Before a run

    @abstractmethod
    def check(
        self, settings: S, vocabulary: Vocabulary | None = None, analysis: AnyAnalysis | None = None
    ) -> None:
        """Raise UserError if settings do not go together, or not with this vocabulary and analysis.

        It is called without these before documents are read.
        """

    @abstractmethod
    def limits(self, settings: S) -> Limits:
        """The limits at which a run ends, such as the number of passes."""

    def is_open(self, settings: S) -> bool:
        """Whether the vocabulary is open: it grows with new words, and a run uses all words of a corpus."""
        return False

    def reads_texts_by(self, settings: S) -> tuple[AnyAnalysis | None, VocabularyRule | None]:
        """The analysis and the vocabulary rule for a fit to texts instead of a Corpus; None for a default."""
        return None, None

    def tokens_of_document(self, settings: S, tokens: Sequence[str]) -> Sequence[str]:
        """The tokens to learn from, of a document given as a list of tokens; by default all of them."""
        return tokens

    def chosen_for(self, settings: S, corpus: Corpus) -> S:
        """The settings with what the user left open and the documents decide, such as a number of topics.

        Called first of all when learning from a corpus begins. By default, nothing is chosen.
        """
        return settings

    def remark_on(self, settings: S, corpus: Corpus) -> str | None:
        """A warning about something surprising in learning from these documents, or None."""
        return None

    def least_memory(self, settings: S, corpus: Corpus) -> tuple[int, str]:
        """At least how many bytes learning from a corpus takes, and the settings because of which, such as
        "n_topics=100"; by default 0 and none."""
        return 0, ""

    def least_held_out(self, settings: S) -> float:
        """The share of the documents to hold out if the user chose none; by default 0."""
        return 0.0

    # A search, for kinds that make one: several runs, one of which becomes the model

    def search(self, settings: S, n_documents: int, n_tokens: float) -> Search[Any] | None:
        """The search over settings that a fit makes, with one run for each; None if a fit is a single run."""
        return None

    def searched(self, settings: S, chosen: Mapping[str, Any]) -> S:
        """The settings of one run of a search, with the values that the search chose for it."""
        return settings.but(**chosen)

    def finished_runs(self, held: object) -> tuple[FinishedRun, ...]:
        """The finished runs of a search, from `held`, the list in a manifest. Raises ValueError if invalid.

        By default, for kinds that do not search, anything but an empty list is invalid.
        """
        if held != []:
            raise ValueError("runs of a search, but this kind of model does not search")
        return ()

    # A run, and what it has learned

    @abstractmethod
    def new_run(
        self, settings: S, corpus: Corpus, seed: int, held_out: float = 0.0, folder: Path | None = None
    ) -> tuple[Run, RunState]:
        """Make a run that has not begun, and its state; it does not learn from the share `held_out`.

        folder: where the run may store files (the model's directory).
        """

    @abstractmethod
    def resume_run(
        self, settings: S, corpus: Corpus, snapshot: Snapshot, folder: Path
    ) -> tuple[Run, RunState]:
        """Restore a run and its state from a checkpoint (`snapshot`) that was read from `folder`.

        Raises ValueError if parts of the snapshot do not fit together.
        """

    def evolution(self, settings: S, job: Run, state: RunState, directory: ModelDirectory) -> Evolving | None:
        """An observer that takes snapshots of topics during a run, for the report; None if there is none."""
        return None

    @abstractmethod
    def learned(self, facts: Facts[S], corpus: Corpus, job: Run, state: RunState) -> L:
        """What a run has learned."""

    def finished(
        self, facts: Facts[S], corpus: Corpus, job: Run, state: RunState, fixed: JsonObject, folder: Path
    ) -> tuple[L, Snapshot]:
        """What a run in a model's directory (`folder`) has learned, and the finished model to be saved.

        `fixed`: the manifest's fields from before the run. What the report shows of documents is written into
        the directory, since the corpus may be deleted afterwards.
        """
        learned = self.learned(facts, corpus, job, state)
        if self.shows_documents:
            learned.write_documents(corpus, folder, from_run=True)
        return learned, learned.snapshot(fixed)

    def minibatch(self, settings: S) -> int:
        """The default number of documents per step of `learn_more`; only for kinds that can be updated."""
        raise NotImplementedError

    def learn_more(self, settings: S, learned: L | None, corpus: Corpus) -> L | None:
        """What is known after one more online step, on more documents; only for kinds that can be updated.

        settings: those of the step; learned: what is known, which stays as it is; None: learning begins. The
        documents have the words of `learned` or, for an open vocabulary, all of theirs. Returns `learned`
        itself if nothing could be learned from them.
        """
        raise NotImplementedError

    @abstractmethod
    def restored(self, facts: Facts[S], snapshot: Snapshot, folder: Path, *, lasts: bool) -> L:
        """What was learned, from a snapshot that was read from `folder`.

        `lasts`: whether the files will exist as long as the result, so that arrays may stay in them. Raises
        ValueError if parts of the snapshot do not fit together.
        """


AnyLearner = Learner[Any, Any]


def refuse_large_runs(needed: int, parameters: str, corpus: Corpus) -> None:
    """Raise UserError if learning from a corpus takes more memory than this machine has.

    needed: bytes; parameters: those because of which, for the message.
    """
    there = memory_of_machine()
    if there is not None and needed > there:
        problem = (
            f"{parameters} for {counted(corpus.n_words, 'word')} takes {needed / (1 << 30):,.0f} GB or more"
        )
        remedy = f"this machine has {there / (1 << 30):,.0f} GB: give fewer"
        raise UserError(problem, remedy=remedy)
