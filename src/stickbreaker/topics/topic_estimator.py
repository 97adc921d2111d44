"""What every estimator of topics gives: what was learned, topic by topic, and topics of new documents."""

import copy
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Local
from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.records import Array, Record
from stickbreaker.core.topk import descending, largest
from stickbreaker.corpus import Bags, Corpus, Vocabulary
from stickbreaker.corpus.shards import numbers_of
from stickbreaker.corpus.source import Shards, cut_shards
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.engines.local import local_fork
from stickbreaker.engines.stored_table import StoredTable
from stickbreaker.estimators.notebooks.overview import Overview
from stickbreaker.estimators.saving import load
from stickbreaker.estimators.settings import threads_of
from stickbreaker.learning.events import first_columns
from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.checkpoints import latest_of, model_of, state_of
from stickbreaker.saved.evolution import Evolution
from stickbreaker.saved.evolution_observer import Evolving
from stickbreaker.topics.model import TopicModel, topic_model
from stickbreaker.topics.model.topic_words import TopicWords
from stickbreaker.topics.model.unused_topics import unused_topics
from stickbreaker.topics.model.word_documents import WordDocuments
from stickbreaker.topics.model.word_ranking import (
    DOCUMENTS,
    PROBABILITY,
    RankedWords,
    WordEvidence,
    ranking,
)
from stickbreaker.topics.names.given_names import names_by_id
from stickbreaker.topics.names.topic_names import changed_names, read_names, write_names
from stickbreaker.topics.runs.topic_snapshots import TopicMoments
from stickbreaker.topics.topic_params import TopicParams
from stickbreaker.topics.topic_shapes import refuse_other_shapes

if TYPE_CHECKING:
    from stickbreaker.topics.search.search_points import SearchPoint
    from stickbreaker.topics.search.search_range import Range
    from stickbreaker.topics.search.topic_search import Overruled, TopicSearch

MADE = (  # of the table and the params, when they are asked for
    "components_",
    "topic_word_",
    "topic_words",
    "rest_",
    "eta_",
    "concentration_",
    "concept_shares",
    "word_documents_",
    "_rows",
)
ALL_UNSEEN = "no document has a word that the model knows: all shares are the prior's mean"


class TopicEstimator(TopicParams):
    """An estimator of topics: what is read of the topics that a run left."""

    alpha_: Array
    topic_shares_: Array
    unused_topics_: list[int]  # those with next to no tokens, which are no topics to anybody
    topic_names_: tuple[str | None, ...]
    given_names_: Mapping[int, str] = MappingProxyType({})  # what a reader calls topics, by lasting id
    names_as_read: Mapping[int, str] = MappingProxyType({})  # those that the saved model had when it was read
    topic_ids_: list[int]
    word_documents_: WordDocuments | None = None  # what words are ranked by; None of streams
    engine_: LocalEngine
    topic_columns_: NDArray[np.int64]  # the table's column of each topic in use
    params_: Record
    state_: VariationalState
    search_: "tuple[SearchPoint, ...]" = ()  # pyright: ignore[reportIncompatibleVariableOverride]

    @cached_property
    def vocabulary_(self) -> Vocabulary:  # pyright: ignore[reportIncompatibleVariableOverride] (assigned too)
        """Of an open vocabulary, the words that topics have now, with the tokens that the model expects of
        them, and no count of documents: a stream's old documents fade, and others stand for many."""
        table, rows = self.engine_.table, self._rows
        assert table.keys is not None
        assert rows is not None
        tokens = self.model.words.word_totals(table.whole())[rows]
        kept = tuple(table.keys[row] for row in rows.tolist())
        return Vocabulary(kept, np.zeros(len(kept), np.int64), tokens)

    @cached_property
    def _rows(self) -> NDArray[np.int64] | None:
        """The table's rows of an open vocabulary's words: not those that are kept though no topic has them.

        None: all rows, of a closed one.
        """
        words = self.model.words
        return words.rows_in_use(self.engine_.table.whole()) if words.grows else None

    def _of_vocabulary(self, table: Array) -> Array:
        """A table (words × topics) reduced to the topics in use and known words, as topics × words."""
        part = table.T[self.topic_columns_]
        return np.ascontiguousarray(part if self._rows is None else part[:, self._rows])

    @cached_property
    def components_(self) -> Array:
        """Parameters of q(beta) (topics × words): expected counts plus eta; of an open vocabulary, counts."""
        words, whole = self.model.words, self.engine_.table.whole()
        return self._of_vocabulary(words.parameters(self.params_, whole))

    @cached_property
    def topic_word_(self) -> Array:
        """E[beta] (topics × words)."""
        return self.topic_words.dense()

    @cached_property
    def topic_words(self) -> TopicWords:
        """`topic_word_`, of which no more is held than is asked for where the table lies in files."""
        return self.model.words.topic_words(self.params_, self.engine_.table, self.topic_columns_)

    @cached_property
    def eta_(self) -> float | Array:
        """The prior of words in topics: a number, or an array (words) or (topics × words)."""
        return self._hyperparameter("eta")

    @cached_property
    def concentration_(self) -> float:
        """Of an open vocabulary, that of a topic over all strings, in place of `eta_`."""
        return float(self._hyperparameter("concentration"))

    def _hyperparameter(self, name: str) -> float | Array:
        """The prior of words in topics. Raises AttributeError where that is of another kind."""
        words = self.model.words
        own, value = words.hyperparameter(self.params_)
        if own != name:
            article = "an" if words.name[0] in "aeiou" else "a"
            raise AttributeError(f"{article} {words.name} vocabulary has {own}_ in place of {name}_")
        return value

    @cached_property
    def rest_(self) -> Array:
        """Of an open vocabulary, E[beta] of all strings that a topic does not have (topics)."""
        return self.model.words.rests(self.params_, self.engine_.table)[self.topic_columns_]

    @property
    def model(self) -> TopicModel:
        """The model by which what was learned is read, and by which new documents are inferred."""
        return topic_model(self.engine_.model)

    def top_words(self, n: int = 10, language: str | None = None, by: str = DOCUMENTS) -> list[list[str]]:
        """The `n` words of each topic that stand for it, `by` "documents", "company", "relevance" or
        "probability"; of a polylingual model, of each language in turn, or of one `language`, and then
        without it."""
        ranges = self.vocabulary_.ranges or {"": slice(0, len(self.vocabulary_))}
        if language is not None:
            if language not in ranges:
                languages = ", ".join(self.vocabulary_.languages) or "no languages"
                raise UserError(f"language={language!r}", remedy=f"the model has {languages}")
            ranges = {language: ranges[language]}
        words = self.vocabulary_.words if language is None else self.vocabulary_.spelled
        top: list[list[str]] = [[] for _ in self.alpha_]
        for part in ranges.values():
            for row, chosen in zip(top, self.ranked_words(n, part, by).words.tolist(), strict=True):
                row.extend(words[w] for w in chosen)
        return top

    def ranked_words(self, n: int, within: slice = slice(None), by: str = DOCUMENTS) -> RankedWords:
        """The first `n` words of each topic among some rows of the vocabulary, by number, and their
        probabilities (both topics × n)."""
        return ranking(by)(self.word_evidence, n, within)

    @property
    def word_evidence(self) -> WordEvidence:
        """What the topics' words are ranked by."""
        per_token = None if self.model.words.grows else self.vocabulary_.documents_per_token
        return WordEvidence(self.topic_words, self.topic_shares_, per_token, self.word_documents_)

    @cached_property
    def concept_shares(self) -> tuple[Sequence[str], Array]:
        """Names of concepts, and the share that each has of a topic's tokens (concepts × topics); none where
        there are none."""
        names, shares = self.model.words.concepts(self.params_, self.engine_.table)
        return names, shares[:, self.topic_columns_]

    def top_concepts(self, n: int = 10) -> list[list[tuple[str, float]]]:
        """The `n` concepts that have most of each topic's tokens, and their shares; none where none are."""
        return largest_concepts(*self.concept_shares, n)

    def show_topics(
        self, num_topics: int = 10, num_words: int = 10, formatted: bool = True
    ) -> list[tuple[int, Any]]:
        """The largest topics as gensim shows them: (number, '0.021*"word" + …'), the largest first.

        As gensim's they are the most probable words. `num_topics` -1 takes all. `formatted` False gives a
        list of (word, probability) in place of the text.
        """
        top = self.top_words(num_words, by=PROBABILITY)
        order = descending(self.topic_shares_)
        topics: list[tuple[int, list[tuple[str, float]]]] = []
        for topic in order[: None if num_topics < 0 else num_topics].tolist():
            rows, places = np.unique(self.vocabulary_.lookup(top[topic]), return_inverse=True)
            probabilities = self.topic_words.of(rows)[topic, places].tolist()
            topics.append((topic, list(zip(top[topic], probabilities, strict=True))))
        if not formatted:
            return topics
        return [(topic, " + ".join(f'{p:.3f}*"{word}"' for word, p in words)) for topic, words in topics]

    def name_topics(self, names: Mapping[int, str | None]) -> Self:
        """Give topics names, by number (the row of `components_`); None or "" takes one away.

        To a reader topics of one name are one: the report and `stickbreaker topics` show them so. The model
        itself stays as it is. Names win over those of a guide, and are saved with the model.

        Raises UserError for a topic that is not there, and for a name that is no text, has more than 100
        characters, or some that cannot be printed. Then no name is given.
        """
        if "topic_ids_" not in vars(self):
            raise UserError("there are no topics to name", remedy="call fit first")
        self.given_names_ = names_by_id(self, names)
        self._combine_names()
        return self

    def _combine_names(self) -> None:
        """Set `topic_names_`: what a reader calls a topic, or the guide does."""
        given = [self.given_names_.get(i) for i in self.topic_ids_]
        self.topic_names_ = tuple(a or b for a, b in zip(given, self.guided_names, strict=True))

    @property
    def guided_names(self) -> list[str | None]:
        """The guide's name of each topic, None of free ones."""
        names = self.guide_names()
        return [names[k] if k < len(names) else None for k in self.topic_columns_.tolist()]

    def seen(self, corpus: Corpus) -> Corpus:
        """A corpus through the model's vocabulary."""
        same = corpus.vocabulary is self.vocabulary_
        return corpus if same else corpus.with_vocabulary(self.vocabulary_)

    def without_table(self) -> Self:
        """What else the estimator knows, to be sent to where its table lies: see `over`."""
        bare = copy.copy(self)
        for name in (*MADE, "vocabulary_", "trace_", "engine_", "state_", "origin"):
            vars(bare).pop(name, None)
        bare.engine, bare.callbacks = "local", None
        return bare

    def over(self, engine: LocalEngine) -> Self:
        """The same estimator with another engine's table."""
        other = copy.copy(self)
        other.engine_ = engine
        return other

    def infer_documents(self, bags: Bags) -> Iterator[Local]:
        """gamma and bound terms of some documents, a shard at a time."""
        solver, model = self.fold_in_solver(), self.model
        self.engine_.model = replace(model, solver=solver)  # as the parameters say now
        numbers = numbers_of(bags) if solver.draws else np.arange(len(bags.offsets) - 1)
        if self._rows is not None:
            bags = bags._replace(words=self._rows[bags.words].astype(np.int32))
        shards = cut_shards(numbers, bags, self.engine_.table.n_rows, size=model.shard_size)
        return self.engine_.infer(self.params_, shards, 0)

    def infer_shares(self, bags: Bags) -> Array:
        """E[theta] (documents × topics) of documents under the model's vocabulary."""
        gamma = np.concatenate([local["gamma"].values for local in self.infer_documents(bags)])
        gamma = np.ascontiguousarray(
            gamma[:, self.topic_columns_]
        )  # or sums would depend on the other documents
        return gamma / gamma.sum(axis=1, keepdims=True)

    def take_run(self, corpus: Corpus, job: Run[Any], state: RunState) -> None:
        from stickbreaker.topics.runs import topic_runs

        self.given_names_ = {}  # were of other topics
        vars(self).pop("began_as_stream", None)
        self.take(*topic_runs.learned(self, corpus, job, state))
        topic_runs.count_words(self, corpus, job)

    def take(self, model: TopicModel, engine: Engine, state: VariationalState) -> None:
        """Make a run's state the estimator's fitted attributes."""
        self.take_state(state)
        self.state_ = replace(state, proposals=[])  # what was under way is over
        self.params_ = state.params
        folds_in = TopicModel(model.documents, model.words, self.fold_in_solver())
        self.engine_ = local_fork(engine, folds_in, threads_of(self.n_jobs), copied=False)
        params = state.params
        totals = engine.table.totals().sum(axis=0)
        topic_columns = self.topic_columns_ = model.documents.in_use(totals)
        for name in MADE:
            vars(self).pop(name, None)
        self.alpha_ = model.documents.prior(params)[topic_columns].copy()
        if model.words.grows:
            vars(self).pop("vocabulary_", None)
        else:
            self._rows = None
        columns = state.columns or first_columns(len(totals))
        self.topic_ids_ = [columns.numbers[k] for k in topic_columns.tolist()]
        self._combine_names()
        self.unused_topics_ = unused_topics(totals[topic_columns]).tolist()
        self.topic_shares_ = totals[topic_columns] / max(totals[topic_columns].sum(), 1e-300)

    def as_it_started(self) -> Self:
        if self.state_.fading is None:  # no stream has been learned from
            return self
        made, point = copy.copy(self), self.model.words.point
        made.point_topics = point
        if self.eta is None:
            given = self._eta(point and not self._continues_a_fit)
            made.eta = float(self.params_["eta"].values) if point and given == "learned" else given
        return made

    def new_run(
        self, corpus: Corpus, seed: int, held_out: float = 0.0, folder: Path | None = None
    ) -> tuple[Run[Any], RunState]:
        # needs scipy, which what is only read does without
        from stickbreaker.topics.runs import topic_runs

        return topic_runs.new_run(self, corpus, seed, held_out, folder)

    def resume_run(self, corpus: Corpus, snapshot: Snapshot, folder: Path) -> tuple[Run[Any], RunState]:
        from stickbreaker.topics.runs import topic_runs

        return topic_runs.resume_run(self, corpus, snapshot, folder)

    def evolution(self, job: Run[Any], state: RunState, directory: ModelDirectory) -> Evolving | None:
        if not (isinstance(job, VariationalRun) and isinstance(state, VariationalState)):
            return None
        if not topic_model(job.model).words.grows:
            return None
        return Evolving(self.stream_moments(directory.evolution()), job, state)

    def stream_model(self, vocabulary: Vocabulary | None = None) -> TopicModel:
        return self.topic_model(vocabulary, stream=True)

    def start_stream(self, job: VariationalRun) -> tuple[VariationalRun, VariationalState]:
        from stickbreaker.topics.runs import topic_runs

        return topic_runs.start_run(self, job)

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

    def search(self, n_documents: int) -> "TopicSearch | None":
        return None

    def search_range(self) -> "Range | None":
        """The numbers of topics that a search cannot tell from the one that it found; None without one."""
        return None

    def overruled_bound(self) -> "Overruled | None":
        """What documents held out said against the bound of a search that they overruled; None otherwise."""
        return None

    def finish_run(
        self, corpus: Corpus, job: Run[Any], state: RunState, fixed: dict[str, Any], folder: Path
    ) -> Snapshot:
        from stickbreaker.topics.runs import topic_runs

        snapshot = topic_runs.finish_run(self, corpus, job, state, fixed, folder)
        try:
            self._read_names(folder)
        except UserError as error:  # no reason to lose what was learned
            warnings.warn(f"names of topics are left out: {error}", stacklevel=2)
        return snapshot

    def remark_on(self, n_documents: int) -> str | None:
        n_topics = self.n_topics_at_start()
        if self.documents != "finite" or n_documents >= n_topics:
            return None
        documents = counted(n_documents, "document")
        return f"{n_topics:,} topics of {documents}: many will be alike, or unused; lower n_topics"

    def sizes(self) -> dict[str, int]:
        return {"topics": len(self.topic_shares_)}

    def overview(self) -> Overview:
        from stickbreaker.topics.report.topic_overview import overview_of_topics

        return overview_of_topics(self)

    def write_report_documents(self, corpus: Corpus, folder: Path) -> None:
        from stickbreaker.topics.runs import topic_runs

        topic_runs.write_report_documents(self, corpus, folder)

    def score_documents(self, corpus: Corpus) -> tuple[float, float]:
        """Log probability of documents in nats, and their tokens: those of words known or, where the
        vocabulary is open, all, for it gives every string a probability. See `evaluation.log_probability`."""
        if self.is_open:
            from stickbreaker.topics.evaluation.open_vocabulary import log_probability_of_strings
            from stickbreaker.topics.open_topics import open_topics_of

            scored = log_probability_of_strings(open_topics_of(self), corpus).held_out
            return scored.nats, scored.tokens
        return self._sums(corpus, self.log_probability)

    def bound_documents(self, corpus: Corpus) -> tuple[float, float]:
        """The bound on the log probability of documents in nats, and their tokens of words known."""
        return self._sums(corpus, self.bound_of)

    def log_probability(self, bags: Bags) -> float:
        """Log probability of some documents' known words, in nats; of a closed vocabulary."""
        from stickbreaker.topics.evaluation.left_to_right import log_probability

        return log_probability(bags, self.topic_words.of, self.alpha_).nats

    def bound_of(self, bags: Bags) -> float:
        """What inference climbs, E[log p(words, z, theta | beta)] and entropy under q, in nats: a lower bound
        on log p; of documents that are sampled an estimate of it."""
        return float(sum(local["scores"].values.sum() for local in self.infer_documents(bags)))

    def _sums(self, corpus: Corpus, nats_of: Callable[[Bags], float]) -> tuple[float, float]:
        """Nats of all documents, block by block, and their known tokens."""
        nats = tokens = 0.0
        for block in range(len(corpus.block_sizes)):
            bags = corpus.bags(block)
            nats += nats_of(bags)
            tokens += float(bags.counts.sum(dtype=np.float64))
        return nats, tokens

    def snapshot(self, fixed: dict[str, Any]) -> Snapshot:
        snapshot = model_of(self.engine_, self.state_, fixed, "done")
        latest = latest_of(self.state_)  # `partial_fit` may go on
        snapshot.arrays = {**snapshot.arrays, **latest, **self.counted_arrays()}
        return snapshot

    def counted_arrays(self) -> dict[str, NDArray[Any]]:
        """What was counted in documents for the ranking of words, as arrays of a saved model."""
        return {} if self.word_documents_ is None else self.word_documents_.to_arrays()

    def restore(self, snapshot: Snapshot, folder: Path, *, lasts: bool) -> None:
        try:
            model = self.topic_model(self.vocabulary_, self.analysis_)
        except UserError:  # moves that are for streams only
            model = self.topic_model(self.vocabulary_, self.analysis_, stream=True)
        if not model.words.grows:  # an open vocabulary takes any columns
            self.n_features_in_ = len(self.vocabulary_)
        if self.gibbs_settings() is not None and snapshot.manifest["status"] == "running":
            from stickbreaker.topics.runs import gibbs_runs  # brings numba and scipy

            engine, state = gibbs_runs.read(self, model, folder, snapshot)
        else:
            engine = LocalEngine(self.n_jobs, folder=folder)
            engine.restore(model, snapshot.arrays, snapshot.keys)
            state = state_of(snapshot)
        refuse_other_shapes(model, engine.table.shape, state, len(self.vocabulary_))
        if isinstance(engine.table, StoredTable) and not lasts:
            engine.table = engine.table.copy()  # its files go when the run goes on
        self.take(model, engine, state)
        self.word_documents_ = WordDocuments.from_arrays(
            snapshot.arrays, len(self.alpha_), lambda: self.vocabulary_.parts
        )
        self._read_names(folder)

    def write_beside(self, folder: Path) -> None:
        write_names(folder, self.given_names_)

    def take_beside(self, folder: Path) -> None:
        names = {**read_names(folder), **changed_names(self.names_as_read, self.given_names_)}
        self.given_names_ = {number: name for number, name in names.items() if name}
        self._combine_names()

    def is_beside(self, folder: Path) -> bool:
        return read_names(folder) == self.given_names_

    def _read_names(self, folder: Path) -> None:
        self.given_names_ = self.names_as_read = read_names(folder)
        self._combine_names()


def largest_concepts(names: Sequence[str], shares: Array, n: int) -> list[list[tuple[str, float]]]:
    """Of each topic the `n` concepts with most of its tokens, and their shares (concepts × topics)."""
    tops: list[list[int]] = largest(shares.T, n)[0].tolist()
    return [[(names[c], float(shares[c, k])) for c in top] for k, top in enumerate(tops)]


def load_topics(
    path: Path, verb: str, threads: int | None = None, *, in_place: bool = False
) -> TopicEstimator:
    """`saving.load` for a verb that is about topics. Raises UserError where the model has none."""
    estimator = load(path, threads, verb=verb, in_place=in_place)
    if not isinstance(estimator, TopicEstimator):
        raise UserError(f"a model of the kind {estimator.kind} has no topics", where=path)
    return estimator
