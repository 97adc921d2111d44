"""Learned topics: words, concepts and names by topic, and topics of new documents."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Local
from stickbreaker.core.arguments import refuse_other_number
from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.records import Array, Record
from stickbreaker.core.topk import descending, largest
from stickbreaker.corpus import Bags, Corpus, Vocabulary
from stickbreaker.corpus.overview import Overview
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.engines.local import local_fork
from stickbreaker.estimators.given_models import learned_in
from stickbreaker.estimators.learned import Facts, ReadsBags
from stickbreaker.estimators.setting_values import threads_of
from stickbreaker.learning.events import first_columns
from stickbreaker.learning.variational import VariationalState
from stickbreaker.saved import Snapshot
from stickbreaker.saved.checkpoints import latest_of, model_of
from stickbreaker.saved.manifest_fields import MERGES
from stickbreaker.topics.formula_coding import lacking_in, lacking_text
from stickbreaker.topics.model.model import TopicModel, topic_model
from stickbreaker.topics.model.priors.prevalence_terms import alphas_of
from stickbreaker.topics.model.topic_words import TopicWords
from stickbreaker.topics.model.unused_topics import unused_topics
from stickbreaker.topics.model.word_documents import WordDocuments
from stickbreaker.topics.model.word_ranking import DEFAULT, PROBABILITY, RankedWords, WordEvidence, ranking
from stickbreaker.topics.names.names_file import changed_names, read_names, write_names
from stickbreaker.topics.plan import AnyPlan, plan_of
from stickbreaker.topics.settings import TopicSettings
from stickbreaker.topics.topic_reader import TopicReader

if TYPE_CHECKING:
    from stickbreaker.topics.search.search_points import SearchPoint
    from stickbreaker.topics.search.search_range import TopicRange
    from stickbreaker.topics.stored_report import StoredReport

Names = Mapping[int, str]  # of topics, by lasting id


@dataclass(frozen=True, eq=False, repr=False)
class TopicsLearned(ReadsBags[TopicSettings]):
    """What LDA or the HDP has learned.

    `engine`: has the table of counts and the model; `state`: that of the run, to learn more. `columns`: the
    table's column of each topic in use, and `tokens` the expected number of tokens of each. `counted`: counts
    of the documents learned from that rank topics' words, as they are saved; `coherence`: of each topic, by
    halves of the documents, if a run in a directory has just counted it.

    `given_names`: names given by users, and `names_as_read` those of the saved model when it was read.
    `merges`: for each merge after a fit, the new number of each topic; `stored_report`: what the report shows
    of documents after that, if it is known. `began_as_stream`: whether learning began with `partial_fit`.
    """

    engine: LocalEngine
    state: VariationalState
    columns: NDArray[np.int64]
    tokens: Array
    counted: WordDocuments | None = None
    coherence: Any = None
    given_names: Names = field(default_factory=dict[int, str])
    names_as_read: Names = field(default_factory=dict[int, str])
    merges: tuple[tuple[int, ...], ...] = ()
    stored_report: "StoredReport | None" = None
    began_as_stream: bool = False

    @classmethod
    def of(
        cls,
        facts: Facts[TopicSettings],
        model: TopicModel,
        engine: Engine,
        state: VariationalState,
        **others: Any,
    ) -> Self:
        """What a run has learned: its model, an engine with the table of counts, and its state. others: the
        fields from `counted` on."""
        settings, totals = facts.settings, engine.table.totals().sum(axis=0)
        columns = model.documents.in_use(totals)
        folds_in = TopicModel(model.documents, model.words, plan_of(settings).fold_in_solver)
        own = local_fork(engine, folds_in, threads_of(settings.n_jobs), copied=False)
        # proposals under way are dropped
        return cls(facts, own, replace(state, proposals=[]), columns, totals[columns], **others)

    # What it is

    @property
    def plan(self) -> AnyPlan:
        """What its settings mean."""
        return plan_of(self.facts.settings)

    @property
    def model(self) -> TopicModel:
        """The prior of documents, the vocabulary, and a solver."""
        return topic_model(self.engine.model)

    @property
    def params(self) -> Record:
        """The model's parameters, besides the table."""
        return self.state.params

    @property
    def is_open(self) -> bool:
        """Whether the vocabulary is open: whether words are added to it as they occur in documents."""
        return self.model.words.grows

    @cached_property
    def reader(self) -> TopicReader:
        """What reads documents, by the settings that act on new ones."""
        settings, solver = self.facts.settings, self.plan.fold_in_solver
        model = replace(self.model, solver=solver)
        engine = local_fork(self.engine, model, threads_of(settings.n_jobs), copied=False)
        closed = None if self.is_open else self.facts.vocabulary
        return TopicReader(self.params, self.columns, solver, self.is_open, engine, closed)

    @property
    def vocabulary(self) -> Vocabulary:
        return self.reader.vocabulary

    # Topics

    @property
    def alpha(self) -> Array:
        """The prior of topics in documents (topics)."""
        return self.reader.alpha

    @cached_property
    def topic_shares(self) -> Array:
        """The share of the tokens that each topic explains (topics)."""
        return self.tokens / max(self.tokens.sum(), 1e-300)

    @cached_property
    def unused_topics(self) -> list[int]:
        """The topics with hardly any tokens."""
        return unused_topics(self.tokens).tolist()

    @cached_property
    def topic_ids(self) -> list[int]:
        """The lasting id of each topic."""
        numbers = (self.state.columns or first_columns(self.engine.table.shape[1])).numbers
        return [numbers[k] for k in self.columns.tolist()]

    @property
    def topic_weights(self) -> Array:
        """For the HDP, the weight of each topic in all documents (topics)."""
        return self.model.documents.weights(self.params)[self.columns].copy()

    @property
    def search(self) -> "Sequence[SearchPoint]":
        """The finished runs of a search for the number of topics, that of the model last; empty without."""
        points: Any = self.facts.search
        return points

    @property
    def search_range(self) -> "TopicRange | None":
        """The range of the numbers of topics that score as well as the best one in a search (to 0.005
        nats per word), for reports; None if there was no search.
        """
        if not self.search:
            return None
        from stickbreaker.topics.search.search_range import range_of

        settings: Any = self.facts.settings
        return range_of(settings.judge, self.search)

    @cached_property
    def components(self) -> Array:
        """Dirichlet parameters of topics' words under q(beta) (topics × words): expected counts plus eta. For
        an open vocabulary, only the expected counts.
        """
        used = self.model.words.parameters(self.params, self.engine.table.whole()).T[self.columns]
        rows = self.reader.rows
        return np.ascontiguousarray(used if rows is None else used[:, rows])

    @cached_property
    def topic_word(self) -> Array:
        """The expected word probabilities of topics, E[beta] (topics × words)."""
        return self.topic_words.dense()

    @property
    def topic_words(self) -> TopicWords:
        """The same as an object that computes the columns asked for."""
        return self.reader.topic_words

    @cached_property
    def eta(self) -> float | Array:
        """The Dirichlet parameter of topics' words: a number, or an array (words) or (topics × words). Raises
        AttributeError for an open vocabulary.
        """
        return self._hyperparameter("eta")

    @cached_property
    def concentration(self) -> float:
        """For an open vocabulary, which has no `eta`, the concentration of topics around the distribution
        over all strings. Raises AttributeError for a closed one.
        """
        return float(self._hyperparameter("concentration"))

    def _hyperparameter(self, name: str) -> float | Array:
        """The parameter of the prior of words in topics. `name` must be "eta" for a closed vocabulary, and
        "concentration" for an open one.

        Otherwise raises AttributeError, whose message says which attribute an estimator has.
        """
        words = self.model.words
        own, value = words.hyperparameter(self.params)
        if own != name:
            article = "an" if words.name[0] in "aeiou" else "a"
            raise AttributeError(f"{article} {words.name} vocabulary has {own}_ in place of {name}_")
        return value

    @cached_property
    def rest(self) -> Array:
        """For an open vocabulary, the total probability that each topic assigns to words it has not met
        (topics); zeros for a closed one.
        """
        return self.model.words.rests(self.params, self.engine.table)[self.columns]

    # Words of topics

    @cached_property
    def word_documents(self) -> WordDocuments | None:
        """Counts of the training documents for ranking topics' words. A fit counts them; those of a stream
        are computed on demand, from a sample of its documents. None if there are none, or the table is too
        large.
        """
        sample = self.state.sample
        if self.counted is not None or sample is None:
            return self.counted
        from stickbreaker.topics.runs.word_counting import count_sample  # brings numba

        return count_sample(self.reader, sample)

    @property
    def word_evidence(self) -> WordEvidence:
        """The input of the rankings of topics' words: word probabilities, topics' shares, and in how many
        documents words occur.
        """
        per_token = None if self.is_open else self.vocabulary.documents_per_token
        return WordEvidence(self.topic_words, self.topic_shares, per_token, self.word_documents)

    def ranked_words(self, n: int, within: slice = slice(None), by: str = DEFAULT) -> RankedWords:
        """The first `n` words of each topic, among the vocabulary rows `within`: their numbers and
        probabilities (both topics × n).

        `by`: the name of the ranking, as for `top_words`.
        """
        return ranking(by)(self.word_evidence, n, within)

    def top_words(self, n: int = 10, language: str | None = None, by: str = DEFAULT) -> list[list[str]]:
        """The first `n` words of each topic, best first, ranked `by` "support", "documents", "company",
        "relevance" or "probability" (see `model/word_ranking.py`).

        For a polylingual model, `n` words in each language in turn, such as "de:haus"; with `language`, only
        its words, without the code. Raises UserError for a language that the model lacks, and for an unknown
        `by`.
        """
        refuse_other_number("n", n)
        vocabulary = self.vocabulary
        ranges = vocabulary.ranges or {"": slice(0, len(vocabulary))}
        if language is not None:
            if language not in ranges:
                languages = ", ".join(vocabulary.languages) or "no languages"
                raise UserError(f"language={language!r}", remedy=f"the model has {languages}")
            ranges = {language: ranges[language]}
        words = vocabulary.words if language is None else vocabulary.spelled
        top: list[list[str]] = [[] for _ in self.tokens]
        for part in ranges.values():
            for row, chosen in zip(top, self.ranked_words(n, part, by).words.tolist(), strict=True):
                row.extend(words[w] for w in chosen)
        return top

    @cached_property
    def concept_shares(self) -> tuple[Sequence[str], Array]:
        """Names of the concepts, and the share of each topic's tokens that belong to them (concepts ×
        topics). Both are empty for a model without concepts.
        """
        names, shares = self.model.words.concepts(self.params, self.engine.table)
        return names, shares[:, self.columns]

    def top_concepts(self, n: int = 10) -> list[list[tuple[str, float]]]:
        """For each topic, (name, share) of the `n` concepts that have most of its tokens; empty lists for a
        model without concepts.
        """
        refuse_other_number("n", n)
        return largest_concepts(*self.concept_shares, n)

    def show_topics(
        self, num_topics: int = 10, num_words: int = 10, *, formatted: bool = True
    ) -> list[tuple[int, Any]]:
        """The `num_topics` largest topics (-1: all) in gensim's format: (number, '0.021*"word" + …'), largest
        first, with the most probable words; with `formatted` False, a list of (word, probability) replaces
        the text.
        """
        refuse_other_number("num_topics", num_topics, -1)
        refuse_other_number("num_words", num_words)
        top = self.top_words(num_words, by=PROBABILITY)
        order = descending(self.topic_shares)
        topics: list[tuple[int, list[tuple[str, float]]]] = []
        for topic in order[: None if num_topics < 0 else num_topics].tolist():
            rows, places = np.unique(self.vocabulary.lookup(top[topic]), return_inverse=True)
            probabilities = self.topic_words.of(rows)[topic, places].tolist()
            topics.append((topic, list(zip(top[topic], probabilities, strict=True))))
        if not formatted:
            return topics
        return [(topic, " + ".join(f'{p:.3f}*"{word}"' for word, p in words)) for topic, words in topics]

    def remark(self) -> str | None:
        return self.model.words.remark()

    # Names

    @cached_property
    def topic_names(self) -> tuple[str | None, ...]:
        """For each topic, the name that users gave it, or else its name in the guide, or else None."""
        given = [self.given_names.get(i) for i in self.topic_ids]
        return tuple(a or b for a, b in zip(given, self.guided_names, strict=True))

    @property
    def guided_names(self) -> list[str | None]:
        """For each topic, its name in the guide (the user's seed words, by topic); None for topics without
        one.
        """
        names = self.plan.guide_names
        return [names[k] if k < len(names) else None for k in self.columns.tolist()]

    def renamed(self, names: Names) -> Self:
        """The same topics with these names, by lasting id, in place of those that users gave."""
        return replace(self, given_names=names)

    # New documents

    @property
    def n_shares(self) -> int:
        return len(self.tokens)

    def with_words(self, corpus: Corpus) -> Corpus:
        """The same corpus, read with the model's vocabulary."""
        words = self.vocabulary
        return corpus if corpus.vocabulary is words else corpus.with_vocabulary(words)

    @property
    def reads_bags(self) -> bool:
        return self.model.covariates is None

    def shares(self, corpus: Corpus, block: int) -> Array:
        return self.shares_of_bags(corpus.bags(block), self.covariates(corpus, block))

    def shares_of_bags(self, bags: Bags, covariates: Array | None = None) -> Array:
        """Topic shares, as `shares`; covariates (documents × columns): of the documents' priors, if these
        depend on metadata; None: the mean prior.
        """
        return self.reader.shares(bags, covariates)

    def infer_documents(self, bags: Bags, covariates: Array | None = None) -> Iterator[Local]:
        """Infer the topics of documents: see `TopicReader.infer`."""
        return self.reader.infer(bags, covariates)

    def covariates(self, corpus: Corpus, block: int) -> Array | None:
        """What the priors of a block's documents depend on: see `TopicReader.covariates`."""
        return self.reader.covariates(corpus, block)

    def remark_on_documents(self, corpus: Corpus) -> str | None:
        """A line for the user if documents lack metadata that their priors depend on; None if none does."""
        coding = self.model.covariates
        return None if coding is None else lacking_text(coding, lacking_in(coding, corpus))

    def log_probability(self, corpus: Corpus) -> tuple[float, float]:
        """The log probability of a corpus's documents in nats, and the number of tokens scored: all tokens if
        the vocabulary is open, otherwise those of known words. Each word is predicted from the words before
        it: see `evaluation.log_probability`.
        """
        if self.is_open:
            from stickbreaker.topics.evaluation.open_vocabulary import log_probability_of_strings
            from stickbreaker.topics.open_topics import open_topics_of

            scored = log_probability_of_strings(open_topics_of(self), corpus).held_out
            return scored.nats, scored.tokens
        return self._sums(corpus, self.log_probability_of_bags)

    def bound(self, corpus: Corpus) -> tuple[float, float]:
        """The lower bound on the documents' log probability in nats that inference of their topics maximises,
        and the number of their tokens in the vocabulary.

        It is E[log p(words, z, theta | beta)] plus the entropy of q, or an estimate of it if documents are
        sampled.
        """
        return self._sums(corpus, self.bound_of_bags)

    def _sums(self, corpus: Corpus, nats_of: Callable[[Bags, Array | None], float]) -> tuple[float, float]:
        """Score a corpus block by block. Returns the sum of `nats_of(bags, covariates)` over the blocks, and
        the number of tokens whose words are in the vocabulary.
        """
        nats = tokens = 0.0
        for block in range(len(corpus.block_sizes)):
            bags = corpus.bags(block)
            nats += nats_of(bags, self.covariates(corpus, block))
            tokens += float(bags.counts.sum(dtype=np.float64))
        return nats, tokens

    def log_probability_of_bags(self, bags: Bags, covariates: Array | None = None) -> float:
        """Log probability of documents in nats, of known words only, each predicted from the words before it.
        Only for a closed vocabulary. covariates: as for `shares_of_bags`.
        """
        from stickbreaker.topics.evaluation.left_to_right import alike, log_probability

        coefficients = self.model.documents.coefficients(self.params)
        words, digests = self.topic_words.of, self.reader.digests
        if covariates is None or coefficients is None:
            return log_probability(bags, words, self.alpha, digests).nats
        alphas = alphas_of(covariates, coefficients, self.alpha)
        return sum(
            log_probability(bags.take(members), words, alpha, digests).nats
            for alpha, members in alike(alphas, len(alphas))
        )

    def bound_of_bags(self, bags: Bags, covariates: Array | None = None) -> float:
        """The bound of documents in nats, as `bound`; covariates: as for `shares_of_bags`."""
        return float(sum(local["scores"].values.sum() for local in self.infer_documents(bags, covariates)))

    # For people

    def sizes(self) -> dict[str, int]:
        return {"topics": self.n_shares}

    def overview(self) -> Overview:
        from stickbreaker.topics.report.topic_overview import overview_of_topics

        return overview_of_topics(self)

    # Files

    @property
    def settings_to_save(self) -> TopicSettings:
        """The settings with those that were None replaced by what learning of a stream began with, so that a
        saved one continues in the same way even if a later version has other defaults.
        """
        settings, plan = self.facts.settings, self.plan
        if self.state.fading is None:  # no stream has been learned from
            return settings
        point = self.model.words.point
        changes: dict[str, object] = {"point_topics": point}
        if settings.eta is None:
            continues_a_fit = not self.began_as_stream and settings.point_topics is None
            given = plan.eta(point=point and not continues_a_fit)
            changes["eta"] = float(self.params["eta"].values) if point and given == "learned" else given
        if self.began_as_stream:
            changes["alpha"] = plan.alpha_of_streams
        return settings.but(**changes)

    def as_saved(self) -> JsonObject:
        return self.settings_to_save.values()

    def counted_arrays(self) -> dict[str, NDArray[np.generic]]:
        """In how many documents of each topic words occur, for ranking words: arrays to store in a saved
        model. Empty if this was not counted.
        """
        return {} if self.counted is None else self.counted.to_arrays()

    def snapshot(self, fixed: JsonObject) -> Snapshot:
        snapshot = model_of(self.engine, self.state, fixed, "done")
        latest = latest_of(self.state)  # `partial_fit` may continue
        snapshot.arrays = {**snapshot.arrays, **latest, **self.counted_arrays()}
        if self.merges:
            snapshot.manifest[MERGES] = [list(numbers) for numbers in self.merges]
        if self.stored_report is not None and self.stored_report.evolution.moments:
            snapshot.evolution = self.stored_report.evolution
        return snapshot

    def write_documents(self, corpus: Corpus, folder: Path, *, from_run: bool = False) -> None:
        from stickbreaker.topics.runs import topic_runs

        topic_runs.write_report_documents(self, corpus, folder)

    def write_stored_documents(self, folder: Path) -> None:
        if self.stored_report is not None:
            self.stored_report.write(folder)

    def write_beside(self, folder: Path, replaced: Path | None = None) -> None:
        names = self.given_names
        if replaced is not None:  # this one's own changes since it was loaded win
            changed = {**read_names(replaced), **changed_names(self.names_as_read, names)}
            names = {number: name for number, name in changed.items() if name}
        write_names(folder, names)

    def is_beside(self, folder: Path) -> bool:
        return read_names(folder) == self.given_names


def largest_concepts(names: Sequence[str], shares: Array, n: int) -> list[list[tuple[str, float]]]:
    """For each topic, (name, share) of the `n` concepts with the largest shares of its tokens.

    shares: concepts × topics.
    """
    tops: list[list[int]] = largest(shares.T, n)[0].tolist()
    return [[(names[c], float(shares[c, k])) for c in top] for k, top in enumerate(tops)]


def topics_in(model: object, verb: str) -> TopicsLearned:
    """What a fitted estimator, or a result of learning, has learned, if it is topics. Raises UserError for a
    model of another kind.

    verb: what needs it, for the message.
    """
    learned = learned_in(model)
    if not isinstance(learned, TopicsLearned):
        kind = type(model).__name__ if learned is None else learned.kind
        raise UserError(
            f"{verb} does not apply to a model of the kind {kind}", remedy="give a model of topics"
        )
    return learned


def load_topics(
    path: Path, verb: str, threads: int | None = None, *, in_place: bool = False
) -> TopicsLearned:
    """Load the model at `path` for a command about topics. Raises UserError if it has no topics.

    verb: the command, for error messages; in_place: leave a table that is stored in files there, even if a
    run under way may delete it, as for `model_files.load`.
    """
    from stickbreaker.estimators.model_files import load

    learned = load(path, threads, verb=verb, in_place=in_place)
    if not isinstance(learned, TopicsLearned):
        raise UserError(f"{verb} does not apply to a model of the kind {learned.kind}", where=path)
    return learned
