"""Learned topics: words, concepts and names by topic, and topics of new documents."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Local
from stickbreaker.core.arguments import refuse_other_number
from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array, Record
from stickbreaker.core.topk import descending, largest
from stickbreaker.corpus import Bags, Corpus, Vocabulary
from stickbreaker.corpus.shards import in_order_of, numbers_of
from stickbreaker.corpus.source import cut_shards
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.engines.local import local_fork
from stickbreaker.estimators.setting_values import threads_of
from stickbreaker.learning.events import first_columns
from stickbreaker.learning.variational import VariationalState
from stickbreaker.topics.formula_coding import lacking_in, lacking_text
from stickbreaker.topics.model.model import TopicModel, topic_model
from stickbreaker.topics.model.priors.prevalence_terms import alphas_of
from stickbreaker.topics.model.topic_words import TopicWords
from stickbreaker.topics.model.unused_topics import unused_topics
from stickbreaker.topics.model.word_documents import WordDocuments
from stickbreaker.topics.model.word_ranking import DEFAULT, PROBABILITY, RankedWords, WordEvidence, ranking
from stickbreaker.topics.model_of_parameters import ModelOfParameters

if TYPE_CHECKING:
    from stickbreaker.topics.search.search_points import SearchPoint
    from stickbreaker.topics.stored_report import StoredReport

MADE = (  # computed from the table and the params on demand
    "components_",
    "topic_word_",
    "_topic_words",
    "rest_",
    "eta_",
    "concentration_",
    "concept_shares",
    "word_documents_",
    "_rows",
    "_digests",
)


class LearnedTopics(ModelOfParameters):
    """Base of fitted topic estimators: reads learned topics, and infers the topics of new documents."""

    alpha_: Array
    topic_shares_: Array
    unused_topics_: list[int]  # topics with hardly any tokens
    topic_names_: tuple[str | None, ...]
    given_names_: Mapping[int, str] = MappingProxyType({})  # names given by users, by lasting id
    _names_as_read: Mapping[int, str] = MappingProxyType({})  # names in the saved model when it was read
    topic_ids_: list[int]
    engine_: LocalEngine
    topic_columns_: NDArray[np.int64]  # the table's column of each topic in use
    params_: Record
    state_: VariationalState
    _coherence: Any = None  # of each topic, by halves of the documents, if a run has just counted it
    merges_: tuple[tuple[int, ...], ...] = ()  # for each merge after a fit, the new number of each topic
    _words_were_joined: bool = False  # whether `word_documents_` are those of a merge, until it learns more
    _stored_report: "StoredReport | None" = None  # what its report showed when it was loaded, after a merge
    search_: "tuple[SearchPoint, ...]" = ()  # pyright: ignore[reportIncompatibleVariableOverride]

    @cached_property
    def vocabulary_(self) -> Vocabulary:  # pyright: ignore[reportIncompatibleVariableOverride] (assigned too)
        """The model's words. For an open vocabulary, the words that some topic has now, with their expected
        numbers of tokens; all their document counts are 0, since a stream's old documents fade.
        """
        table, rows = self.engine_.table, self._rows
        assert table.keys is not None
        assert rows is not None
        tokens = self._model.words.word_totals(table.whole())[rows]
        kept = tuple(table.keys[row] for row in rows.tolist())
        return Vocabulary(kept, np.zeros(len(kept), np.int64), tokens)

    @cached_property
    def word_documents_(self) -> WordDocuments | None:
        """Counts of the training documents for ranking topics' words. `fit` computes them; those of a stream
        are computed on demand, from a sample of its documents. None if there are none, or the table is too
        large.
        """
        sample = self.state_.sample if "state_" in vars(self) else None
        if sample is None:
            return None
        from stickbreaker.topics.runs.word_counting import count_sample  # brings numba

        return count_sample(self, sample)

    @cached_property
    def _rows(self) -> NDArray[np.int64] | None:
        """For an open vocabulary, the rows of the table of counts that some topic still has, which are the
        words of `vocabulary_`; None for a closed one, in which every row is a word.
        """
        words = self._model.words
        return words.rows_in_use(self.engine_.table.whole()) if words.grows else None

    @cached_property
    def _digests(self) -> NDArray[np.uint64]:
        """A number for each word of the vocabulary by its spelling, see `Vocabulary.digests`."""
        return self.vocabulary_.digests

    @cached_property
    def components_(self) -> Array:
        """Dirichlet parameters of topics' words under q(beta) (topics × words): expected counts plus eta. For
        an open vocabulary, only the expected counts.
        """
        words, whole = self._model.words, self.engine_.table.whole()
        used = words.parameters(self.params_, whole).T[self.topic_columns_]
        return np.ascontiguousarray(used if self._rows is None else used[:, self._rows])

    @cached_property
    def topic_word_(self) -> Array:
        """The expected word probabilities of topics, E[beta] (topics × words)."""
        return self._topic_words.dense()

    @cached_property
    def _topic_words(self) -> TopicWords:
        """E[beta] (topics × words) as an object that computes the columns asked for: if the table of counts
        is in files, only the words needed are read.
        """
        return self._model.words.topic_words(self.params_, self.engine_.table, self.topic_columns_)

    @cached_property
    def eta_(self) -> float | Array:
        """The Dirichlet parameter of topics' words: a number, or an array (words) or (topics × words). Raises
        AttributeError for an open vocabulary.
        """
        return self._hyperparameter("eta")

    @cached_property
    def concentration_(self) -> float:
        """For an open vocabulary, which has no `eta_`, the concentration of topics around the distribution
        over all strings. Raises AttributeError for a closed one.
        """
        return float(self._hyperparameter("concentration"))

    def _hyperparameter(self, name: str) -> float | Array:
        """The parameter of the prior of words in topics. `name` must be "eta" for a closed vocabulary, and
        "concentration" for an open one.

        Otherwise raises AttributeError, whose message says which attribute the model has.
        """
        words = self._model.words
        own, value = words.hyperparameter(self.params_)
        if own != name:
            article = "an" if words.name[0] in "aeiou" else "a"
            raise AttributeError(f"{article} {words.name} vocabulary has {own}_ in place of {name}_")
        return value

    @cached_property
    def rest_(self) -> Array:
        """For an open vocabulary, the total probability that each topic assigns to words it has not met
        (topics); zeros for a closed one.
        """
        return self._model.words.rests(self.params_, self.engine_.table)[self.topic_columns_]

    @property
    def _model(self) -> TopicModel:
        """The model of `engine_`: the prior of documents, the vocabulary, and the solver that infers the
        topics of new documents.
        """
        return topic_model(self.engine_.model)

    def top_words(self, n: int = 10, language: str | None = None, by: str = DEFAULT) -> list[list[str]]:
        """The first `n` words of each topic, best first, ranked `by` "support", "documents", "company",
        "relevance" or "probability" (see `model/word_ranking.py`).

        For a polylingual model, `n` words in each language in turn, such as "de:haus"; with `language`, only
        its words, without the code. Raises UserError for a language that the model lacks, and for an unknown
        `by`.
        """
        refuse_other_number("n", n)
        ranges = self.vocabulary_.ranges or {"": slice(0, len(self.vocabulary_))}
        if language is not None:
            if language not in ranges:
                languages = ", ".join(self.vocabulary_.languages) or "no languages"
                raise UserError(f"language={language!r}", remedy=f"the model has {languages}")
            ranges = {language: ranges[language]}
        words = self.vocabulary_.words if language is None else self.vocabulary_.spelled
        top: list[list[str]] = [[] for _ in self.alpha_]
        for part in ranges.values():
            for row, chosen in zip(top, self._ranked_words(n, part, by).words.tolist(), strict=True):
                row.extend(words[w] for w in chosen)
        return top

    def _ranked_words(self, n: int, within: slice = slice(None), by: str = DEFAULT) -> RankedWords:
        """The first `n` words of each topic, among the vocabulary rows `within`: their numbers and
        probabilities (both topics × n).

        `by`: the name of the ranking, as for `top_words`.
        """
        return ranking(by)(self._word_evidence, n, within)

    @property
    def _word_evidence(self) -> WordEvidence:
        """The input of the rankings of topics' words: word probabilities, topics' shares, and in how many
        documents words occur.
        """
        per_token = None if self._model.words.grows else self.vocabulary_.documents_per_token
        return WordEvidence(self._topic_words, self.topic_shares_, per_token, self.word_documents_)

    @cached_property
    def concept_shares(self) -> tuple[Sequence[str], Array]:
        """Names of the concepts, and the share of each topic's tokens that belong to them (concepts ×
        topics). Both are empty for a model without concepts.
        """
        names, shares = self._model.words.concepts(self.params_, self.engine_.table)
        return names, shares[:, self.topic_columns_]

    def top_concepts(self, n: int = 10) -> list[list[tuple[str, float]]]:
        """For each topic, (name, share) of the `n` concepts that have most of its tokens; empty lists for a
        model without concepts.
        """
        refuse_other_number("n", n)
        return largest_concepts(*self.concept_shares, n)

    def show_topics(
        self, num_topics: int = 10, num_words: int = 10, formatted: bool = True
    ) -> list[tuple[int, Any]]:
        """The `num_topics` largest topics in gensim's format: (number, '0.021*"word" + …'), largest first.

        Words are the most probable ones, as in gensim. -1 as `num_topics` returns all topics. With
        `formatted` False, a list of (word, probability) replaces the text.
        """
        refuse_other_number("num_topics", num_topics, -1)
        refuse_other_number("num_words", num_words)
        top = self.top_words(num_words, by=PROBABILITY)
        order = descending(self.topic_shares_)
        topics: list[tuple[int, list[tuple[str, float]]]] = []
        for topic in order[: None if num_topics < 0 else num_topics].tolist():
            rows, places = np.unique(self.vocabulary_.lookup(top[topic]), return_inverse=True)
            probabilities = self._topic_words.of(rows)[topic, places].tolist()
            topics.append((topic, list(zip(top[topic], probabilities, strict=True))))
        if not formatted:
            return topics
        return [(topic, " + ".join(f'{p:.3f}*"{word}"' for word, p in words)) for topic, words in topics]

    def _combine_names(self) -> None:
        """Set `topic_names_`: for each topic, the name that users gave it, or else its name in the guide
        (seed words), or else None.
        """
        given = [self.given_names_.get(i) for i in self.topic_ids_]
        self.topic_names_ = tuple(a or b for a, b in zip(given, self.guided_names, strict=True))

    @property
    def guided_names(self) -> list[str | None]:
        """For each topic, its name in the guide (the user's seed words, by topic); None for topics without
        one.
        """
        names = self._guide_names()
        return [names[k] if k < len(names) else None for k in self.topic_columns_.tolist()]

    def _seen(self, corpus: Corpus) -> Corpus:
        """The same corpus, read with the model's vocabulary."""
        same = corpus.vocabulary is self.vocabulary_
        return corpus if same else corpus.with_vocabulary(self.vocabulary_)

    def _without_table(self) -> Self:
        """A copy without the table of counts and all that is computed from it, small enough to be sent to
        other processes. There, `_over` attaches an engine that has a table.
        """
        bare = copy.copy(self)
        for name in (*MADE, "vocabulary_", "trace_", "engine_", "state_", "_origin"):
            vars(bare).pop(name, None)
        bare.engine, bare.callbacks = "local", None
        if self._fold_in_solver().draws:
            bare._digests = self._digests
        return bare

    def _over(self, engine: LocalEngine) -> Self:
        """A copy of the estimator that reads topics from the table of this engine in place of its own."""
        other = copy.copy(self)
        other.engine_ = engine
        return other

    def _infer_documents(self, bags: Bags, covariates: Array | None = None) -> Iterator[Local]:
        """Infer the topics of documents, whose words are numbered as in the model's vocabulary.

        covariates (documents × columns): of their priors, if these depend on metadata (`_covariates`); None:
        they have the mean prior. Yields a
        record for each shard (consecutive documents) with "gamma", the Dirichlet parameters of their topic
        shares (documents × all topics of the table, also those not in use), and "scores", their terms of the
        bound in nats.
        """
        solver, model = self._fold_in_solver(), self._model
        if solver != model.solver:  # the parameters have changed
            self.engine_.model = replace(model, solver=solver)
        if solver.draws:  # keyed by spelling, so that the vocabulary's order does not matter
            bags = in_order_of(bags, self._digests)
            numbers = numbers_of(bags, self._digests)
        else:
            numbers = np.arange(len(bags.offsets) - 1)
        if self._rows is not None:
            bags = bags._replace(words=self._rows[bags.words].astype(np.int32))
        n_rows, size = self.engine_.table.n_rows, model.shard_size
        shards = cut_shards(numbers, bags, n_rows, size=size, covariates=covariates)
        return self.engine_.infer(self.params_, shards, 0)

    def _covariates(self, corpus: Corpus, block: int) -> Array | None:
        """What the priors of a block's documents depend on (documents × columns), NaN for documents without
        it; None if the model's priors do not depend on metadata.
        """
        coding = self._model.covariates
        return None if coding is None else coding.of(corpus, block)

    def _infer_shares(self, bags: Bags, covariates: Array | None = None) -> Array:
        """Infer the expected topic shares, E[theta] (documents × topics in use), of documents whose words are
        numbered as in the model's vocabulary. covariates: as for `_infer_documents`.
        """
        locals_of_shards = self._infer_documents(bags, covariates)
        gamma = np.concatenate([local["gamma"].values for local in locals_of_shards])
        gamma = np.ascontiguousarray(
            gamma[:, self.topic_columns_]
        )  # so that sums do not depend on the other documents
        return gamma / gamma.sum(axis=1, keepdims=True)

    @property
    def _n_shares(self) -> int:
        return len(self.alpha_)

    def _block_shares(self, corpus: Corpus, block: int) -> Array:
        return self._infer_shares(corpus.bags(block), self._covariates(corpus, block))

    def _remark_on_documents(self, corpus: Corpus) -> str | None:
        """A line for the user if documents lack metadata that their priors depend on; None if none does."""
        coding = self._model.covariates
        return None if coding is None else lacking_text(coding, lacking_in(coding, corpus))

    def _take(self, model: TopicModel, engine: Engine, state: VariationalState) -> None:
        """Set the estimator's fitted attributes from what a run has learned: its model, an engine with the
        table of counts, and its state.
        """
        self._take_state(state)
        self._words_were_joined, self._stored_report = False, None
        self.state_ = replace(state, proposals=[])  # proposals under way are dropped
        self.params_ = state.params
        folds_in = TopicModel(model.documents, model.words, self._fold_in_solver())
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

    def _as_it_started(self) -> Self:
        if self.state_.fading is None:  # no stream has been learned from
            return self
        made, point = copy.copy(self), self._model.words.point
        made.point_topics = point
        if self.eta is None:
            given = self._eta(point and not self._continues_a_fit)
            made.eta = float(self.params_["eta"].values) if point and given == "learned" else given
        return made

    def _stream_model(self, vocabulary: Vocabulary | None = None) -> TopicModel:
        return self._topic_model(vocabulary, stream=True)

    def _sizes(self) -> dict[str, int]:
        return {"topics": len(self.topic_shares_)}

    def _log_probability(self, bags: Bags, covariates: Array | None = None) -> float:
        """Log probability of documents in nats, of known words only, each predicted from the words before it.
        Only for a closed vocabulary. covariates: as for `_infer_documents`.
        """
        from stickbreaker.topics.evaluation.left_to_right import alike, log_probability

        coefficients = self._model.documents.coefficients(self.params_)
        if covariates is None or coefficients is None:
            return log_probability(bags, self._topic_words.of, self.alpha_, self._digests).nats
        alphas = alphas_of(covariates, coefficients, self.alpha_)
        return sum(
            log_probability(bags.take(members), self._topic_words.of, alpha, self._digests).nats
            for alpha, members in alike(alphas, len(alphas))
        )

    def _bound_of(self, bags: Bags, covariates: Array | None = None) -> float:
        """The lower bound on the log probability of documents' words, in nats, that inference of their topics
        maximises.

        It is E[log p(words, z, theta | beta)] plus the entropy of q, or an estimate of it if documents are
        sampled. covariates: as for `_infer_documents`.
        """
        found = self._infer_documents(bags, covariates)
        return float(sum(local["scores"].values.sum() for local in found))

    def _counted_arrays(self) -> dict[str, NDArray[np.generic]]:
        """In how many documents of each topic words occur, for ranking words: arrays to store in a saved
        model. Empty if this was not counted.
        """
        if self.state_.sample is not None and not self._words_were_joined:  # which is stored itself
            return {}
        return {} if self.word_documents_ is None else self.word_documents_.to_arrays()


def largest_concepts(names: Sequence[str], shares: Array, n: int) -> list[list[tuple[str, float]]]:
    """For each topic, (name, share) of the `n` concepts with the largest shares of its tokens.

    shares: concepts × topics.
    """
    tops: list[list[int]] = largest(shares.T, n)[0].tolist()
    return [[(names[c], float(shares[c, k])) for c in top] for k, top in enumerate(tops)]
