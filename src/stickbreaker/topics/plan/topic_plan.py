"""What the settings of a topic model mean: defaults that depend on others, what is refused, and the model."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

import numpy as np

from stickbreaker.contracts.contract import Move
from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.shards import SHARD
from stickbreaker.estimators.setting_values import (
    SCHEDULES,
    engine_name,
    memory_of_machine,
    schedule_of,
    threads_for,
)
from stickbreaker.learning.run import Limits
from stickbreaker.learning.schedules import Online, Schedule
from stickbreaker.topics.combinations import WORDS, Combination, refuse_illegal
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.samplers.gibbs_settings import Gibbs, chain_settings
from stickbreaker.topics.model.slots import Inference, LocalSolver, TopicPrior, TopicVocabulary
from stickbreaker.topics.model.solvers.hybrid import Hybrid
from stickbreaker.topics.model.solvers.mean_field import CoordinateAscent, MeanField
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary
from stickbreaker.topics.model.vocabularies.concept_tree import Concept, ConceptTree
from stickbreaker.topics.model.vocabularies.concepts import ConceptVocabulary
from stickbreaker.topics.model.vocabularies.open import OpenWords
from stickbreaker.topics.model.vocabularies.tree_compiler import compiled
from stickbreaker.topics.search.number_of_topics import topics_by_size
from stickbreaker.topics.seed_words import Guide
from stickbreaker.topics.setting_choices import concentration, inference_of, vocabulary_choice
from stickbreaker.topics.settings import TopicSettings

if TYPE_CHECKING:
    from stickbreaker.topics.search.topic_search import TopicSearch

OPEN_HYBRID = Hybrid(burn_in=5, samples=10)  # for an open vocabulary (Zhai 2014, section 7.5)
FOLD_IN: dict[str, Inference] = {"mean-field": CoordinateAscent(), "sampled": Hybrid(burn_in=10, samples=20)}
ETA, POINT_ETA = 0.01, 0.05  # defaults for topics as distributions and as points
ROUNDS = 100  # least rounds of mean-field inference of a new document
STREAM_TOPICS = 100  # of a stream, whose documents cannot be counted
SWEEPS, PASSES = 500, 100  # of a run by default: Gibbs sampling; everything else

PER_WORD = 32  # bytes per word and topic: the counts, initial ones, those of a pass (8 each), weights, sums
PER_DOCUMENT = 16  # bytes per topic and document of the shards under way: its gamma, and a copy
PER_ORDERED = 13 * 64  # bytes per topic of an open vocabulary: an ordered table's first slots
PER_OPEN_WORD, FEWEST_WORDS = 16, 256  # bytes per word of a minibatch and topic, and how many words it has

T = TypeVar("T", bound=TopicSettings)


@dataclass(frozen=True, eq=False)
class TopicPlan(ABC, Generic[T]):
    """What the settings of a topic model mean; each kind has a subclass. Methods raise UserError for settings
    that are wrong, or do not go together.

    `stream`: whether it is about online steps of a stream, which has other defaults; `continues_fit`: whether
    such steps continue what `fit` has learned, whose eta is kept.
    """

    fixed_number: ClassVar[bool] = False  # whether the number of topics is fixed, not learned

    settings: T
    stream: bool = False
    continues_fit: bool = False

    # Inference

    @property
    def inference(self) -> Inference:
        """How documents are inferred, with all settings."""
        if self.settings.inference == "hybrid" and self.is_open:
            return OPEN_HYBRID
        return inference_of(self.settings.inference)

    @property
    def sampling(self) -> Gibbs | None:
        """The settings of Gibbs sampling; None for variational inference."""
        return chain_settings(inference_of(self.settings.inference))

    @property
    def schedule(self) -> Schedule:
        """The schedule of a fit."""
        return schedule_of(self.settings.schedule, **self.settings.schedule_defaults)

    @property
    def stream_schedule(self) -> Online:
        """The schedule for learning from streams: the `Online` object that the user gave, or else `Online()`,
        since other schedules are only for runs over a corpus. What is not set in it is a default of streams.
        """
        given = self.settings.schedule if isinstance(self.settings.schedule, Online) else Online()
        return given.with_defaults(**self.settings.stream_defaults)

    @property
    def schedule_name(self) -> str:
        """The name of the schedule, "partial_fit" for a stream, as in `topics/combinations.py`."""
        own = SCHEDULES[type(self.schedule)]  # refuses other classes, for a stream too
        return "partial_fit" if self.stream else own

    @property
    def limits(self) -> Limits:
        """The limits at which a run ends."""
        sampled, given = self.sampling is not None, self.settings.max_iter
        passes = (SWEEPS if sampled else PASSES) if given is None else int(given)
        return Limits(passes, 0.0 if sampled else float(self.settings.tol))

    def mean_field(self, max_iter: int, *, keep_local: bool) -> LocalSolver:
        """The mean-field solver that suits the prior of documents. max_iter: the most rounds per document;
        keep_local: whether each document starts from its result in the last pass.
        """
        return MeanField(max_iter, float(self.settings.doc_tol), keep_local)

    @property
    def fold_in_solver(self) -> LocalSolver:
        """The solver that infers the topics of new documents."""
        mean_field = self.mean_field(max(ROUNDS, int(self.settings.doc_max_iter)), keep_local=False)
        return FOLD_IN[self.settings.fold_in].solver(mean_field)

    # The number of topics

    @property
    def n_topics(self) -> int:
        """The number of topics with which a run starts: `n_topics`, or one that follows from an array with a
        value for each topic; if it is left open, that of streams.
        """
        return self.given_number or STREAM_TOPICS

    @property
    def given_number(self) -> int | None:
        """The number of topics that the settings ask for; None if they leave it open."""
        settings = self.settings
        if settings.n_topics is not None:
            return settings.n_topics
        for values, ndim in ((settings.alpha, 1), (settings.eta, 2)):  # one for each topic
            if values is not None and not isinstance(values, str) and np.ndim(values) == ndim:
                return len(np.asarray(values))
        return None

    def n_topics_for(self, n_documents: int) -> int:
        """The number of topics for a number of documents, from which it follows if it is left open."""
        least = 1 if self.guide is None else len(self.guide.names) + 1
        return self.given_number or max(topics_by_size(n_documents), least)

    def settled(self, n_topics: int | None = None) -> T:
        """The settings with what the user left open and learning begins with: the number of topics
        (`n_topics`, None: that of streams), so that a saved model stays as it is.
        """
        if self.settings.n_topics is not None:
            return self.settings
        return self.settings.but(n_topics=self.given_number or n_topics or STREAM_TOPICS)

    @property
    def for_stream(self) -> T:
        """The settings with the schedule of streams, and in which those left at None have their defaults for
        streams. So a saved stream continues in the same way even if a later version has other defaults.
        """
        point = self.has_points
        return self.settled().but(
            schedule=self.stream_schedule,
            point_topics=point,
            eta=self.eta(point=point),
            alpha=self.alpha_of_streams,
        )

    @property
    def alpha_of_streams(self) -> object:
        """The setting `alpha`, or its default for learning that begins with a stream."""
        return self.settings.alpha

    def search(self, n_documents: int, n_tokens: float) -> "TopicSearch | None":
        """The search for the number of topics that a fit makes; None if it makes a single run."""
        return None

    @property
    def least_held_out(self) -> float:
        """The share of the documents to hold out if the user chose none."""
        return 0.0

    # The prior of documents

    @property
    @abstractmethod
    def slot(self) -> str:
        """The name of the prior of documents' topic shares, as in `topics/combinations.py`."""

    @abstractmethod
    def documents(self) -> TopicPrior:
        """The prior of documents' topic shares."""

    # Words

    @property
    def is_open(self) -> bool:
        """Whether the vocabulary is open: whether words are added to it as they occur in documents."""
        return WORDS[vocabulary_choice(self.settings.words)[0]].grows

    @property
    def has_concepts(self) -> bool:
        """Whether the words are tied by a tree of concepts."""
        return vocabulary_choice(self.settings.words)[0] == ConceptVocabulary.name

    @property
    def guide(self) -> Guide | None:
        """The words that say what the first topics should be about."""
        return None

    @property
    def guide_names(self) -> tuple[str | None, ...]:
        """For each topic, its name in the guide; None for the others."""
        names = () if self.guide is None else self.guide.names
        return (*names, *[None] * (self.n_topics - len(names)))

    def eta(self, *, point: bool = False) -> float | str | Array:
        """The setting `eta` as the user gave it, or its default, which is larger for topics as point
        estimates (`point`).
        """
        if self.settings.eta is not None:
            return self.settings.eta
        return POINT_ETA if point else ETA

    def eta_start(self) -> float:
        """The value at which eta starts if it is learned and the user gave no start."""
        return 1.0 / self.n_topics

    @property
    def needs_distributions(self) -> str | None:
        """Why topics cannot be point estimates: the user's choice that rules them out, as text for an error
        message; None if they can be.
        """
        if self.is_open:
            return "an open vocabulary"
        if isinstance(self.settings.eta, str):
            return f"eta={self.settings.eta!r}"
        if self.sampling is not None:
            return f"inference={self.inference.name!r}"
        return "schedule='memoised'" if self.schedule_name == "memoised" else None

    @property
    def has_points(self) -> bool:
        """Whether topics are learned as point estimates, not as distributions: `point_topics` if the user set
        it, otherwise True in streams, unless another setting rules it out.
        """
        given = self.settings.point_topics
        if given is None:
            return self.stream and self.needs_distributions is None
        against = self.needs_distributions if given else None
        if against is not None:
            problem = f"point_topics=True does not go with {against}"
            raise UserError(problem, remedy="leave out point_topics")
        return bool(given)

    # Moves

    @abstractmethod
    def moves(self, documents: TopicPrior, words: TopicVocabulary, *, sampled: bool) -> tuple[Move, ...]:
        """The moves of a run: objects that propose changes of the set of topics, such as splits and merges;
        empty if there are none. sampled: whether the solver draws tokens' topics.
        """

    def births(self, documents: TopicPrior, words: TopicVocabulary) -> bool:
        """Whether new topics are opened, and unneeded ones closed, while learning from a stream."""
        return False

    def merges_by_documents(self, model: TopicModel) -> bool:
        """Whether an online run merges topics after a pass, as judged by documents (`online_merges`)."""
        return False

    # The model

    def model(self, vocabulary: Vocabulary | None = None, analysis: AnyAnalysis | None = None) -> TopicModel:
        """The model that the settings describe. Without a vocabulary the result only shows that they are
        valid. analysis: that of the corpus, applied to the guide's seed words before they are looked up.
        """
        settings = self.settings
        self._refuse_too_many_topics(vocabulary)
        inference, schedule = self.inference, self.schedule_name
        self.refuse_combination()
        sampling, sweeps = self.sampling, self.limits.max_iter
        if sampling is not None and (sampling.burn_in or 0) >= sweeps:
            problem = f"burn_in={sampling.burn_in} leaves no sample of {sweeps} sweeps"
            raise UserError(problem, remedy="raise max_iter or lower burn_in")
        carries = inference.name == "mean-field" and schedule in ("batch", "memoised")
        if settings.keep_local and not self.stream and not carries:
            problem = "keep_local needs batch or memoised mean-field inference"
            raise UserError(problem, remedy="leave out keep_local")
        point = self.has_points
        eta = self.eta(point=point and not self.continues_fit)
        documents, words = self.documents(), self._words(vocabulary, analysis, eta, point)
        mean_field = self.mean_field(int(settings.doc_max_iter), keep_local=bool(settings.keep_local))
        solver = inference.solver(mean_field)
        moves = self.moves(documents, words, sampled=solver.draws)
        if schedule == "memoised" or (moves and documents.grows):
            solver = solver.with_full_reports()
        return TopicModel(documents, words, solver, moves, self.births(documents, words))

    def refuse_combination(self) -> None:
        """Raise UserError if the choices for the parts of the model and of the run do not go together."""
        inference, words = self.inference.name, vocabulary_choice(self.settings.words)[0]
        engine = engine_name(self.settings.engine)
        refuse_illegal(Combination((self.slot,), (words,), (inference,), (self.schedule_name,), (engine,)))

    def least_memory(self, corpus: Corpus) -> tuple[int, str]:
        """At least how many bytes learning from a corpus takes, and the settings because of which."""
        settings = self.settings
        if isinstance(settings.n_topics, str) or not isinstance(settings.engine, str):
            return 0, ""  # a number that is searched for, or a table on a cluster
        per_topic = PER_DOCUMENT * min(corpus.n_documents, SHARD * threads_for(settings.n_jobs))
        if self.is_open:
            per_topic += PER_ORDERED + PER_OPEN_WORD * min(corpus.n_words, FEWEST_WORDS)
        else:
            per_topic += PER_WORD * corpus.n_words
        return self.n_topics * per_topic, f"n_topics={self.n_topics}"

    def _refuse_too_many_topics(self, vocabulary: Vocabulary | None) -> None:
        """Raise UserError if the table of topics' word counts would not fit in this machine's memory. It is
        called before anything is allocated; open vocabularies and runs on Spark are not checked.
        """
        n_topics = self.n_topics
        if vocabulary is None or self.is_open or engine_name(self.settings.engine) != "local":
            return
        size = 8.0 * n_topics * len(vocabulary)  # bytes of the table of counts
        if size > memory_of_machine():
            problem = f"{n_topics:,} topics of {len(vocabulary):,} words take {size / 1e9:,.0f} GB of memory"
            raise UserError(problem, remedy="lower n_topics, or the size of the vocabulary")

    def _words(
        self,
        vocabulary: Vocabulary | None,
        analysis: AnyAnalysis | None,
        prior: float | str | Array,
        point: bool,
    ) -> TopicVocabulary:
        """The part of the model that concerns words, closed or open or with concepts.

        vocabulary: None only checks the settings; prior: eta as the user gave it, or its default; point:
        whether topics are point estimates.
        """
        chosen = vocabulary_choice(self.settings.words)[1]
        if isinstance(chosen, ConceptTree):
            return self._concepts(chosen, vocabulary, prior, point)
        if chosen is not None:
            concentration("eta", prior, {}, 1.0)  # not used then, but must be valid
            if self.guide is not None:
                raise UserError(
                    "a guide needs a closed vocabulary", remedy='set guide=None or words="closed"'
                )
            if vocabulary is not None and vocabulary.languages:
                raise UserError("an open vocabulary has one language", remedy='set words="closed"')
            return OpenWords(chosen)
        n_words, K = 1 if vocabulary is None else len(vocabulary), self.n_topics
        shapes = {"words": (n_words,), "topics × words": (K, n_words)}
        eta, learned = concentration("eta", prior, shapes, self.eta_start())
        guide = self.guide
        if guide is not None and (learned or np.ndim(eta) == 2):
            eta_kind = "learned" if learned else "an array (topics, words)"
            raise UserError(f"eta is {eta_kind}, and the guide sets it too", remedy="give eta as a number")
        if guide is not None and vocabulary is not None:
            eta = guide.prior(vocabulary, analysis, K, eta)
        elif isinstance(eta, np.ndarray) and eta.ndim == 2:
            eta = np.ascontiguousarray(eta.T)
        firsts = (0,) if vocabulary is None else tuple(part.start for part in vocabulary.parts)
        # of points, eta stays as `fit` has set it
        return ClosedVocabulary(n_words, eta, learned and not point, firsts, point)

    def _concepts(
        self, tree: ConceptTree, vocabulary: Vocabulary | None, prior: float | str | Array, point: bool
    ) -> ConceptVocabulary:
        """The vocabulary whose words are tied by a tree of concepts. Raises UserError if eta is learned or
        there is a guide.

        vocabulary: the words; if None, only the settings are checked, and a tree of one concept with two
        words is used. prior: eta as the user gave it; point: whether topics are point estimates.
        """
        eta, learned = concentration("eta", prior, {}, 1.0)
        if learned:
            raise UserError("eta cannot be learned with concepts", remedy="give eta as a number")
        if self.guide is not None:
            raise UserError("a guide needs words without concepts", remedy='set guide=None or words="closed"')
        if vocabulary is None:
            tree, vocabulary = ConceptTree([Concept("any", {"": ("a", "b")})]), Vocabulary.of(["a", "b"])
        assert isinstance(eta, float)
        return ConceptVocabulary(compiled(tree, vocabulary), eta, point)
