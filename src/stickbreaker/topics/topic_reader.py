"""Reads learned topics from a table of counts, and infers the topics of documents by them."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Local
from stickbreaker.core.records import Array, Record
from stickbreaker.corpus import Bags, Corpus, Vocabulary
from stickbreaker.corpus.shards import in_order_of, numbers_of
from stickbreaker.corpus.source import cut_shards
from stickbreaker.engines import LocalEngine
from stickbreaker.engines.local import local_fork
from stickbreaker.topics.model.model import TopicModel, topic_model
from stickbreaker.topics.model.slots import LocalSolver
from stickbreaker.topics.model.topic_words import TopicWords


@dataclass(frozen=True, eq=False)
class TopicReader:
    """Learned topics as what reads documents; a part of `TopicsLearned` that other processes can have.

    `params`: of the model; `columns`: the table's column of each topic in use; `solver`: infers documents;
    `grows`: whether the vocabulary is open. `engine`: has the table and the model; None in a copy for other
    processes (`without_table`), which read by an engine of theirs (`over`). `closed`: the words of a closed
    vocabulary, None in such a copy and for an open one. `own_digests`: as `digests`, if they are needed.
    """

    params: Record
    columns: NDArray[np.int64]
    solver: LocalSolver
    grows: bool
    engine: LocalEngine | None
    closed: Vocabulary | None = None
    own_digests: NDArray[np.uint64] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def without_table(self) -> Self:
        """A copy without the table of counts and the words, small enough to be sent to other processes."""
        digests = self.digests if self.solver.draws else None
        return replace(self, engine=None, closed=None, own_digests=digests)

    def over(self, engine: LocalEngine) -> Self:
        """A copy that reads topics from the table of this engine in place of its own."""
        model = replace(topic_model(engine.model), solver=self.solver)
        own = local_fork(engine, model, engine.n_jobs, copied=False)
        own.shares_view = engine.shares_view
        return replace(self, engine=own)

    def for_many(self) -> Self:
        """A copy that infers many documents faster, by a view of the whole table that it keeps."""
        made = replace(self)
        vars(made).update({**vars(self), "engine": self.own_engine.sharing_view()})  # and what is cached
        return made

    # The table

    @property
    def own_engine(self) -> LocalEngine:
        """The engine, of a reader that has one."""
        assert self.engine is not None, "a reader without a table reads by `over`"
        return self.engine

    @property
    def model(self) -> TopicModel:
        """The prior of documents, the vocabulary, and the solver that infers the topics of new documents."""
        return topic_model(self.own_engine.model)

    @property
    def n_topics(self) -> int:
        """The number of topics in use."""
        return len(self.columns)

    @cached_property
    def alpha(self) -> Array:
        """The prior of topics in documents (topics)."""
        return self.model.documents.prior(self.params)[self.columns].copy()

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The model's words. For an open vocabulary, the words that some topic has now, with their expected
        numbers of tokens; all their document counts are 0, since a stream's old documents fade.
        """
        if self.closed is not None:
            return self.closed
        table, rows = self.own_engine.table, self.rows
        assert table.keys is not None
        assert rows is not None
        tokens = self.model.words.word_totals(table.whole())[rows]
        kept = tuple(table.keys[row] for row in rows.tolist())
        return Vocabulary(kept, np.zeros(len(kept), np.int64), tokens)

    @cached_property
    def rows(self) -> NDArray[np.int64] | None:
        """For an open vocabulary, the rows of the table of counts that some topic still has, which are the
        words of `vocabulary`; None for a closed one, in which every row is a word.
        """
        return self.model.words.rows_in_use(self.own_engine.table.whole()) if self.grows else None

    @cached_property
    def digests(self) -> NDArray[np.uint64]:
        """A number for each word of the vocabulary by its spelling, see `Vocabulary.digests`."""
        return self.vocabulary.digests if self.own_digests is None else self.own_digests

    @cached_property
    def topic_words(self) -> TopicWords:
        """E[beta] (topics × words) as an object that computes the columns asked for: if the table of counts
        is in files, only the words needed are read.
        """
        return self.model.words.topic_words(self.params, self.own_engine.table, self.columns)

    # Documents

    def with_words(self, corpus: Corpus) -> Corpus:
        """The same corpus, read with the model's vocabulary; that of a run has a closed one already."""
        same = not self.grows or corpus.vocabulary is self.vocabulary
        return corpus if same else corpus.with_vocabulary(self.vocabulary)

    def covariates(self, corpus: Corpus, block: int) -> Array | None:
        """What the priors of a block's documents depend on (documents × columns), NaN for documents without
        it; None if the model's priors do not depend on metadata.
        """
        coding = self.model.covariates
        return None if coding is None else coding.of(corpus, block)

    def infer(self, bags: Bags, covariates: Array | None = None) -> Iterator[Local]:
        """Infer the topics of documents, whose words are numbered as in the model's vocabulary.

        covariates (documents × columns): of their priors, if these depend on metadata (`covariates`); None:
        they have the mean prior. Yields a record for each shard (consecutive documents) with "gamma", the
        Dirichlet parameters of their topic shares (documents × all topics of the table, also those not in
        use), and "scores", their terms of the bound in nats.
        """
        engine = self.own_engine
        if self.solver.draws:  # keyed by spelling, so that the vocabulary's order does not matter
            bags = in_order_of(bags, self.digests)
            numbers = numbers_of(bags, self.digests)
        else:
            numbers = np.arange(len(bags.offsets) - 1)
        if self.rows is not None:
            bags = bags._replace(words=self.rows[bags.words].astype(np.int32))
        n_rows, size = engine.table.n_rows, self.model.shard_size
        shards = cut_shards(numbers, bags, n_rows, size=size, covariates=covariates)
        return engine.infer(self.params, shards, 0)

    def shares(self, bags: Bags, covariates: Array | None = None) -> Array:
        """The expected topic shares, E[theta] (documents × topics in use), of documents whose words are
        numbered as in the model's vocabulary. covariates: as for `infer`.
        """
        gamma = np.concatenate([local["gamma"].values for local in self.infer(bags, covariates)])
        # so that sums do not depend on the other documents
        gamma = np.ascontiguousarray(gamma[:, self.columns])
        return gamma / gamma.sum(axis=1, keepdims=True)
