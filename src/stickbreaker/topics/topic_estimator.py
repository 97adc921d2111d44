"""The common base of topic estimators: runs, streams, names, scores, saving."""

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.records import Array
from stickbreaker.corpus import Bags, Corpus
from stickbreaker.corpus.overview import Overview
from stickbreaker.corpus.shards import SHARD
from stickbreaker.corpus.source import Shards
from stickbreaker.engines import LocalEngine
from stickbreaker.engines.stored_table import StoredTable
from stickbreaker.estimators.learned import AnyLearned, Learned
from stickbreaker.estimators.plain_learner import estimator_in
from stickbreaker.estimators.saving import load_for
from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.checkpoints import latest_of, model_of, state_of
from stickbreaker.saved.evolution import Evolution
from stickbreaker.saved.evolution_observer import Evolving
from stickbreaker.saved.manifest_fields import MERGES
from stickbreaker.topics.learned_topics import LearnedTopics
from stickbreaker.topics.model.model import topic_model
from stickbreaker.topics.model.word_documents import WordDocuments
from stickbreaker.topics.names.given_names import names_by_id
from stickbreaker.topics.names.names_file import changed_names, read_names, write_names
from stickbreaker.topics.runs.topic_snapshots import TopicMoments
from stickbreaker.topics.topic_shapes import refuse_other_shapes

PER_WORD = 32  # bytes per word and topic: the counts, initial ones, those of a pass (8 each), weights, sums
PER_DOCUMENT = 16  # bytes per topic and document of the shards under way: its gamma, and a copy
PER_ORDERED = 13 * 64  # bytes per topic of an open vocabulary: an ordered table's first slots
PER_OPEN_WORD, FEWEST_WORDS = 16, 256  # bytes per word of a minibatch and topic, and how many words it has

if TYPE_CHECKING:
    from stickbreaker.topics.search.search_range import TopicRange
    from stickbreaker.topics.search.topic_search import TopicSearch

SHORT = 15.0  # known words per document, below which settings for short texts are named
MANY = 100  # documents, from which they are


class TopicEstimator(LearnedTopics):
    """Base of the public topic estimators, LDA and HDP: what they share in learning, scoring, naming and
    saving.
    """

    def name_topics(self, names: Mapping[int, str | None]) -> Self:
        """Name topics, by number (the row of `components_`); None or "" removes a name.

        Topics with the same name are merged in the report and in `stickbreaker topics`; the model itself does
        not change. Names override those of a guide, and are saved with the model. Raises UserError, without
        naming any topic, for a topic that does not exist, and for a name that is not a text, has more than
        100 characters, or characters that cannot be printed.
        """
        self._refuse_unlearned("name")
        self.given_names_ = names_by_id(self, names)
        self._combine_names()
        return self

    def label_prompt(self, documents: Sequence[Sequence[str]] | None = None, top: int = 10) -> str:
        """A prompt by which any language model can name the topics, by their `top` words.

        documents: for each topic, texts of its most typical documents, whose beginnings are added. Give the
        answer to `stickbreaker name --from-file`, or what `names_in_answer` of
        `stickbreaker.topics.names.label_prompt` finds in it to `name_topics`. Nothing is sent anywhere.
        Raises UserError before a fit.
        """
        from stickbreaker.topics.names.label_prompt import prompt_for

        self._refuse_unlearned("name")
        return prompt_for(self, documents, top)

    def merge_topics(self, topics: Sequence[Sequence[int]]) -> Self:
        """Merge topics for good: each list of topic numbers becomes one topic, as in [[3, 7], [2, 5, 9]].

        The largest topic of a list stays, with the words and documents of all, and its name (or that of the
        largest one that has a name). All other topics keep their words, shares and names, but not their
        numbers: `merges_[-1]` has the new number of each old topic. The model is changed, not copied; shares
        of new documents in the merged topic are about the sums of those before. Stored shares of documents
        are added up, also by date and group. With a guide, its topic stays, and gets the words of all.

        Raises UserError, and changes nothing, for lists of fewer than two topics, that overlap, repeat a
        topic or name one that does not exist, and before a fit.
        """
        from stickbreaker.topics import merging

        self._refuse_unlearned("merge")
        merging.merge(self, topics)
        return self

    def reduce_topics(self, n_topics: int) -> Self:
        """Merge similar topics (`merge_topics`) until `n_topics` are left.

        Each time, the two topics become one whose merge loses least of what topics say about words: small
        and similar ones (Slonim and Tishby 1999). Topics with the same name are merged first; unused ones
        become part of the largest. Raises UserError for a number that is not below that of the topics.
        """
        from stickbreaker.topics import merging

        self._refuse_unlearned("merge")
        merging.merge(self, merging.groups_for(self, n_topics))
        return self

    def _refuse_unlearned(self, verb: str) -> None:
        """Raise UserError if nothing was learned yet, so that there are no topics to `verb`."""
        if "topic_ids_" not in vars(self):
            raise UserError(f"there are no topics to {verb}", remedy="call fit first")

    def _least_memory(self, corpus: Corpus) -> tuple[int, str]:
        if isinstance(self.n_topics, str) or not isinstance(self.engine, str):
            return 0, ""  # a number that is searched for, or a table on a cluster
        n_topics = self._n_topics_at_start()
        per_topic = PER_DOCUMENT * min(corpus.n_documents, SHARD * self._threads)
        if self._is_open:
            per_topic += PER_ORDERED + PER_OPEN_WORD * min(corpus.n_words, FEWEST_WORDS)
        else:
            per_topic += PER_WORD * corpus.n_words
        return n_topics * per_topic, f"n_topics={n_topics}"

    def _take_run(self, corpus: Corpus, job: Run, state: RunState) -> None:
        from stickbreaker.topics.runs import topic_runs

        self.given_names_, self.merges_ = {}, ()  # they belonged to other topics
        vars(self).pop("_began_as_stream", None)
        topic_runs.take_run(self, corpus, job, state)

    def _new_run(
        self, corpus: Corpus, seed: int, held_out: float = 0.0, folder: Path | None = None
    ) -> tuple[Run, RunState]:
        # needs scipy, unlike reading a model
        from stickbreaker.topics.runs import topic_runs

        return topic_runs.new_run(self, corpus, seed, held_out, folder)

    def _resume_run(self, corpus: Corpus, snapshot: Snapshot, folder: Path) -> tuple[Run, RunState]:
        from stickbreaker.topics.runs import topic_runs

        return topic_runs.resume_run(self, corpus, snapshot, folder)

    def _evolution(self, job: Run, state: RunState, directory: ModelDirectory) -> Evolving | None:
        if not (isinstance(job, VariationalRun) and isinstance(state, VariationalState)):
            return None
        if not topic_model(job.model).words.grows:
            return None
        return Evolving(self._stream_moments(directory.evolution()), job, state)

    def _start_stream(self, job: VariationalRun) -> tuple[VariationalRun, VariationalState]:
        from stickbreaker.topics.runs import topic_runs

        return topic_runs.start_run(self, job)

    def _restore_stream(self, job: VariationalRun, snapshot: Snapshot, n_words: int) -> VariationalState:
        from stickbreaker.topics.runs import topic_runs

        return topic_runs.restore_state(job, topic_model(job.model), snapshot, n_words)

    def _stream_step(
        self,
        job: VariationalRun,
        state: VariationalState,
        documents: int,
        shards: Shards,
        warned: Collection[str] = (),
    ) -> TraceRecord:
        from stickbreaker.topics.runs.topic_stream import online_step

        return online_step(job, state, documents, shards, warned)

    def _stream_moments(self, evolution: Evolution | None) -> TopicMoments:
        return TopicMoments(evolution)

    @property
    def _minibatch(self) -> int:
        return self._stream_schedule().batch_size

    def _learn_more(self, corpus: Corpus) -> None:
        from stickbreaker.topics.runs import topic_stream

        topic_stream.partial_fit(self, corpus, begun=True)

    def _search(self, n_documents: int, n_tokens: float) -> "TopicSearch | None":
        return None

    def _search_range(self) -> "TopicRange | None":
        """The range of the numbers of topics that score as well as the best one in a search (to 0.005
        nats per word), for reports; None if there was no search.
        """
        return None

    def _finish_run(
        self, corpus: Corpus, job: Run, state: RunState, fixed: dict[str, object], folder: Path
    ) -> Snapshot:
        from stickbreaker.topics.runs import topic_runs

        snapshot = topic_runs.finish_run(self, corpus, job, state, fixed, folder)
        try:
            self._read_names(folder)
        except UserError as error:  # not a reason to lose the model
            warnings.warn(f"names of topics are left out: {error}", stacklevel=2)
        return snapshot

    def _remark_on(self, corpus: Corpus) -> str | None:
        n_topics = self._n_topics_at_start()
        given = self.n_topics is not None and self._documents_slot == "finite"
        if given and corpus.n_documents < n_topics:
            documents = counted(corpus.n_documents, "document")
            return f"{n_topics:,} topics of {documents}: many will be similar or unused; lower n_topics"
        return self._remark_on_short(corpus)

    def _remark_on_short(self, corpus: Corpus) -> str | None:
        """A remark on many short documents, with the settings that were best for these; None if they are
        longer, or the settings are as good.
        """
        length = corpus.n_tokens / corpus.n_documents
        if length >= SHORT or corpus.n_documents < MANY or self._is_open or self._has_concepts:
            return None
        have, settings = f"documents have {length:.1f} known words on average", "alpha=0.1, eta=0.1"
        if self._documents_slot != "finite":
            unknown = "too few to know how many topics there are"
            return f'{have}, {unknown}; best was LDA of some 20 topics with inference="gibbs", {settings}'
        if self._gibbs_settings() is not None:
            return None
        return (
            f'{have}; topics of such short texts were best with inference="gibbs", {settings}, and with '
            "concepts of word vectors (stickbreaker concepts)"
        )

    def _overview(self) -> Overview:
        from stickbreaker.topics.report.topic_overview import overview_of_topics

        return overview_of_topics(self)

    def _write_stored_documents(self, folder: Path) -> None:
        if self._stored_report is not None:
            self._stored_report.write(folder)

    def _write_report_documents(self, corpus: Corpus, folder: Path) -> None:
        from stickbreaker.topics.runs import topic_runs

        topic_runs.write_report_documents(self, corpus, folder)

    def _score_documents(self, corpus: Corpus) -> tuple[float, float]:
        """The log probability of a corpus's documents in nats, and the number of tokens scored: all tokens if
        the vocabulary is open, otherwise those of known words. `score` and `perplexity` are computed from
        both. Each word is predicted from the words before it: see `evaluation.log_probability`.
        """
        if self._is_open:
            from stickbreaker.topics.evaluation.open_vocabulary import log_probability_of_strings
            from stickbreaker.topics.open_topics import open_topics_of

            scored = log_probability_of_strings(open_topics_of(self), corpus).held_out
            return scored.nats, scored.tokens
        return self._sums(corpus, self._log_probability)

    def _bound_documents(self, corpus: Corpus) -> tuple[float, float]:
        """The lower bound on the documents' log probability in nats, and the number of their tokens in the
        vocabulary; `bound` is computed from both.
        """
        return self._sums(corpus, self._bound_of)

    def _sums(self, corpus: Corpus, nats_of: Callable[[Bags, Array | None], float]) -> tuple[float, float]:
        """Score a corpus block by block. Returns the sum of `nats_of(bags, covariates)` over the blocks, and
        the number of tokens whose words are in the vocabulary.
        """
        nats = tokens = 0.0
        for block in range(len(corpus.block_sizes)):
            bags = corpus.bags(block)
            nats += nats_of(bags, self._covariates(corpus, block))
            tokens += float(bags.counts.sum(dtype=np.float64))
        return nats, tokens

    def _snapshot(self, fixed: dict[str, object]) -> Snapshot:
        snapshot = model_of(self.engine_, self.state_, fixed, "done")
        latest = latest_of(self.state_)  # `partial_fit` may continue
        snapshot.arrays = {**snapshot.arrays, **latest, **self._counted_arrays()}
        if self.merges_:
            snapshot.manifest[MERGES] = [list(numbers) for numbers in self.merges_]
        if self._stored_report is not None and self._stored_report.evolution.moments:
            snapshot.evolution = self._stored_report.evolution
        return snapshot

    def _restore(self, snapshot: Snapshot, folder: Path, *, lasts: bool) -> None:
        try:
            model = self._topic_model(self.vocabulary_, self.analysis_)
        except UserError:  # moves for streams only
            model = self._topic_model(self.vocabulary_, self.analysis_, stream=True)
        if not model.words.grows:  # an open vocabulary allows any columns
            self.n_features_in_ = len(self.vocabulary_)
        if self._gibbs_settings() is not None and snapshot.manifest["status"] == "running":
            from stickbreaker.topics.runs import gibbs_runs  # brings numba and scipy

            engine, state = gibbs_runs.read(self, model, folder, snapshot)
        else:
            engine = LocalEngine(self.n_jobs, folder=folder)
            engine.restore(model, snapshot.arrays, snapshot.keys)
            state = state_of(snapshot)
        model = model.restored(state.params)
        refuse_other_shapes(model, engine.table.shape, state, len(self.vocabulary_))
        if isinstance(engine.table, StoredTable) and not lasts:
            engine.table = engine.table.copy()  # its files go when the run continues
        self._take(model, engine, state)
        counted = WordDocuments.from_arrays(snapshot.arrays, len(self.alpha_), lambda: self.vocabulary_.parts)
        if counted is not None:
            self.word_documents_ = counted
            self._words_were_joined = self.state_.sample is not None
        self.merges_ = tuple(map(tuple, snapshot.manifest.get(MERGES, ())))
        self._read_names(folder)

    def _write_beside(self, folder: Path) -> None:
        write_names(folder, self.given_names_)

    def _take_beside(self, folder: Path) -> None:
        names = {**read_names(folder), **changed_names(self._names_as_read, self.given_names_)}
        self.given_names_ = {number: name for number, name in names.items() if name}
        self._combine_names()

    def _is_beside(self, folder: Path) -> bool:
        return read_names(folder) == self.given_names_

    def _read_names(self, folder: Path) -> None:
        self.given_names_ = self._names_as_read = read_names(folder)
        self._combine_names()


def load_topics(
    path: Path, verb: str, threads: int | None = None, *, in_place: bool = False
) -> TopicEstimator:
    """Load the model at `path` for a command about topics. Raises UserError if it has no topics.

    verb: the command, for error messages; in_place: leave a table that is stored in files there, even if a
    run under way may delete it, as for `saving.load`.
    """
    return load_for(verb, TopicEstimator, path, threads, in_place=in_place)


def topics_in(learned: AnyLearned, verb: str) -> TopicEstimator:
    """The topic estimator that has what was learned. Raises UserError for a model of another kind.

    verb: what needs it, for the message.
    """
    estimator = estimator_in(learned) if isinstance(learned, Learned) else learned
    if not isinstance(estimator, TopicEstimator):
        kind = learned.kind if isinstance(learned, Learned) else type(learned).__name__
        raise UserError(
            f"{verb} does not apply to a model of the kind {kind}", remedy="give a model of topics"
        )
    return estimator
