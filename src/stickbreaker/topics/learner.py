"""How topic models learn: by variational steps or Gibbs sampling, from a corpus or a stream."""

import warnings
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus import Corpus, Vocabulary, VocabularyRule
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.source import Shards
from stickbreaker.engines import LocalEngine
from stickbreaker.engines.stored_table import StoredTable
from stickbreaker.estimators.learned import Facts
from stickbreaker.estimators.streams.stream_learner import StreamLearner
from stickbreaker.learning.run import Limits, Run, RunState
from stickbreaker.learning.schedules import Online
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.checkpoints import state_of
from stickbreaker.saved.evolution import Evolution
from stickbreaker.saved.evolution_observer import Evolving
from stickbreaker.saved.manifest_fields import MERGES
from stickbreaker.topics.learned import TopicsLearned
from stickbreaker.topics.model.model import TopicModel, topic_model
from stickbreaker.topics.model.word_documents import WordDocuments
from stickbreaker.topics.names.names_file import read_names
from stickbreaker.topics.plan import plan_of
from stickbreaker.topics.runs.topic_snapshots import TopicMoments
from stickbreaker.topics.setting_choices import TOPIC_SETTING_TYPES
from stickbreaker.topics.settings import HDPSettings, LDASettings, TopicSettings
from stickbreaker.topics.topic_shapes import refuse_other_shapes
from stickbreaker.topics.trace_fields import SCORE_NAMES, TRACE_FIELDS

if TYPE_CHECKING:
    from stickbreaker.topics.search.search_points import SearchPoint
    from stickbreaker.topics.search.topic_search import TopicSearch

SHORT = 15.0  # known words per document, below which settings for short texts are named
MANY = 100  # documents, from which they are


class TopicLearner(StreamLearner[TopicSettings, TopicsLearned]):
    """How topic models learn. Modules that learn are imported on use: they need scipy, unlike reading."""

    score_names = SCORE_NAMES
    setting_types = TOPIC_SETTING_TYPES
    trace_fields = TRACE_FIELDS
    shows_documents = True

    # Before a run

    def check(
        self,
        settings: TopicSettings,
        vocabulary: Vocabulary | None = None,
        analysis: AnyAnalysis | None = None,
    ) -> None:
        plan_of(settings).model(vocabulary, analysis)

    def limits(self, settings: TopicSettings) -> Limits:
        return plan_of(settings).limits

    def is_open(self, settings: TopicSettings) -> bool:
        return plan_of(settings).is_open

    def reads_texts_by(self, settings: TopicSettings) -> tuple[AnyAnalysis | None, VocabularyRule | None]:
        return None, VocabularyRule(1, 1.0) if plan_of(settings).is_open else None

    def chosen_for(self, settings: TopicSettings, corpus: Corpus) -> TopicSettings:
        plan = plan_of(settings)
        return plan.settled(plan.n_topics_for(corpus.n_documents))

    def remark_on(self, settings: TopicSettings, corpus: Corpus) -> str | None:
        plan = plan_of(settings)
        given = settings.n_topics is not None and plan.fixed_number
        if given and corpus.n_documents < plan.n_topics:
            documents = counted(corpus.n_documents, "document")
            return f"{plan.n_topics:,} topics of {documents}: many will be similar or unused; lower n_topics"
        return _remark_on_short(settings, corpus)

    def least_memory(self, settings: TopicSettings, corpus: Corpus) -> tuple[int, str]:
        return plan_of(settings).least_memory(corpus)

    def least_held_out(self, settings: TopicSettings) -> float:
        return plan_of(settings).least_held_out

    def search(self, settings: TopicSettings, n_documents: int, n_tokens: float) -> "TopicSearch | None":
        return plan_of(settings).search(n_documents, n_tokens)

    # A run, and what it has learned

    def new_run(
        self,
        settings: TopicSettings,
        corpus: Corpus,
        seed: int,
        held_out: float = 0.0,
        folder: Path | None = None,
    ) -> tuple[Run, RunState]:
        from stickbreaker.topics.runs import topic_runs

        return topic_runs.new_run(plan_of(settings), corpus, seed, held_out, folder)

    def resume_run(
        self, settings: TopicSettings, corpus: Corpus, snapshot: Snapshot, folder: Path
    ) -> tuple[Run, RunState]:
        from stickbreaker.topics.runs import topic_runs

        return topic_runs.resume_run(plan_of(settings), corpus, snapshot, folder)

    def evolution(
        self, settings: TopicSettings, job: Run, state: RunState, directory: ModelDirectory
    ) -> Evolving | None:
        if not (isinstance(job, VariationalRun) and isinstance(state, VariationalState)):
            return None
        if not topic_model(job.model).words.grows:
            return None
        return Evolving(self.stream_moments(directory.evolution()), job, state)

    def learned(
        self, facts: Facts[TopicSettings], corpus: Corpus, job: Run, state: RunState
    ) -> TopicsLearned:
        from stickbreaker.topics.runs import topic_runs

        return topic_runs.learned_by_run(facts, corpus, job, state)

    def finished(
        self,
        facts: Facts[TopicSettings],
        corpus: Corpus,
        job: Run,
        state: RunState,
        fixed: JsonObject,
        folder: Path,
    ) -> tuple[TopicsLearned, Snapshot]:
        from stickbreaker.topics.runs import topic_runs

        found, snapshot = topic_runs.finish_run(facts, corpus, job, state, fixed, folder)
        try:
            found = _with_names(found, folder)
        except UserError as error:  # not a reason to lose the model
            warnings.warn(f"names of topics are left out: {error}", stacklevel=2)
        return found, snapshot

    def restored(
        self, facts: Facts[TopicSettings], snapshot: Snapshot, folder: Path, *, lasts: bool
    ) -> TopicsLearned:
        plan, vocabulary = plan_of(facts.settings), facts.vocabulary
        model = model_to_read(facts)
        if plan.sampling is not None and snapshot.manifest["status"] == "running":
            from stickbreaker.topics.runs import gibbs_runs  # brings numba and scipy

            engine, state = gibbs_runs.read(plan, model, folder, snapshot)
        else:
            engine = LocalEngine(facts.settings.n_jobs, folder=folder)
            engine.restore(model, snapshot.arrays, snapshot.keys)
            state = state_of(snapshot)
        model = model.restored(state.params)
        refuse_other_shapes(model, engine.table.shape, state, len(vocabulary))
        if isinstance(engine.table, StoredTable) and not lasts:
            engine.table = engine.table.copy()  # its files go when the run continues
        merges = tuple(map(tuple, snapshot.manifest.get(MERGES, ())))
        found = TopicsLearned.of(facts, model, engine, state, merges=merges)
        counted = WordDocuments.from_arrays(snapshot.arrays, found.n_shares, lambda: found.vocabulary.parts)
        return _with_names(replace(found, counted=counted), folder)

    # Streams

    def minibatch(self, settings: TopicSettings) -> int:
        return self.stream_schedule(settings).batch_size

    def learn_more(
        self, settings: TopicSettings, learned: TopicsLearned | None, corpus: Corpus
    ) -> TopicsLearned:
        from stickbreaker.topics.runs import topic_stream

        return topic_stream.learned_more(self, settings, learned, corpus)

    def stream_schedule(self, settings: TopicSettings) -> Online:
        return plan_of(settings).stream_schedule

    def for_stream(self, settings: TopicSettings) -> TopicSettings:
        return plan_of(settings, stream=True).for_stream

    def stream_model(
        self,
        settings: TopicSettings,
        vocabulary: Vocabulary | None = None,
        analysis: AnyAnalysis | None = None,
    ) -> TopicModel:
        return plan_of(settings, stream=True).model(vocabulary, analysis)

    def start_stream(
        self, settings: TopicSettings, job: VariationalRun
    ) -> tuple[VariationalRun, VariationalState]:
        from stickbreaker.topics.runs import topic_runs

        return topic_runs.start_run(plan_of(settings, stream=True), job)

    def restore_stream(self, job: VariationalRun, snapshot: Snapshot, n_words: int) -> VariationalState:
        from stickbreaker.topics.runs import topic_runs

        return topic_runs.restore_state(job, topic_model(job.model), snapshot, n_words)

    def stream_step(
        self,
        job: VariationalRun,
        state: VariationalState,
        documents: int,
        shards: Shards,
        warned: Collection[str] = (),
    ) -> TraceRecord:
        from stickbreaker.topics.runs.topic_stream import online_step

        return online_step(job, state, documents, shards, warned)

    def stream_moments(self, evolution: Evolution | None) -> TopicMoments:
        return TopicMoments(evolution)


class HDPLearner(TopicLearner):
    """How the HDP learns: a fit may be a search for the number of topics."""

    def searched(self, settings: TopicSettings, chosen: Mapping[str, Any]) -> TopicSettings:
        return settings.but(**{"eta": plan_of(settings).eta(), **chosen, "judge": "bound"})

    def finished_runs(self, held: object) -> "tuple[SearchPoint, ...]":
        from stickbreaker.topics.search.search_points import points_from

        return points_from(held)


LDA = TopicLearner(LDASettings)
HDP = HDPLearner(HDPSettings)


def model_to_read(facts: Facts[TopicSettings]) -> TopicModel:
    """The model that saved settings describe. Raises UserError if they do not go together."""
    try:
        return plan_of(facts.settings).model(facts.vocabulary, facts.analysis)
    except UserError:  # moves for streams only
        return plan_of(facts.settings, stream=True).model(facts.vocabulary, facts.analysis)


def _with_names(found: TopicsLearned, folder: Path) -> TopicsLearned:
    """What was learned, with the names of topics in a model's directory."""
    names = read_names(folder)
    return replace(found, given_names=names, names_as_read=names)


def _remark_on_short(settings: TopicSettings, corpus: Corpus) -> str | None:
    """A remark on many short documents, with the settings that were best for these; None if they are
    longer, or the settings are as good.
    """
    plan, length = plan_of(settings), corpus.n_tokens / corpus.n_documents
    if length >= SHORT or corpus.n_documents < MANY or plan.is_open or plan.has_concepts:
        return None
    have, best = f"documents have {length:.1f} known words on average", "alpha=0.1, eta=0.1"
    if not plan.fixed_number:
        unknown = "too few to know how many topics there are"
        return f'{have}, {unknown}; best was LDA of some 20 topics with inference="gibbs", {best}'
    if plan.sampling is not None:
        return None
    return (
        f'{have}; topics of such short texts were best with inference="gibbs", {best}, and with '
        "concepts of word vectors (stickbreaker concepts)"
    )
