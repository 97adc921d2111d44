"""The parameters shared by all topic estimators: their checks, and the model that they describe."""

from abc import abstractmethod
from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np

from stickbreaker.contracts.contract import Move
from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import Kind as JsonKind
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus, Vocabulary, VocabularyRule
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.estimators.setting_values import (
    SCHEDULES,
    SettingTypes,
    engine_name,
    memory_of_machine,
    refuse_parameters,
    schedule_of,
)
from stickbreaker.estimators.streams.stream_learner import StreamLearner
from stickbreaker.learning.run import Limits, ScoreNames
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
from stickbreaker.topics.parameters import TopicParameters
from stickbreaker.topics.search.number_of_topics import topics_by_size
from stickbreaker.topics.topic_settings import (
    TOPIC_SETTING_TYPES,
    concentration,
    guide_of,
    inference_of,
    vocabulary_choice,
)
from stickbreaker.topics.trace_fields import TRACE_FIELDS

OPEN_HYBRID = Hybrid(burn_in=5, samples=10)  # for an open vocabulary (Zhai 2014, section 7.5)
FOLD_IN: dict[str, Inference] = {"mean-field": CoordinateAscent(), "sampled": Hybrid(burn_in=10, samples=20)}
ETA, POINT_ETA = 0.01, 0.05  # defaults for topics as distributions and as points
ROUNDS = 100  # least rounds of mean-field inference of a new document
STREAM_TOPICS = 100  # of a stream, whose documents cannot be counted
SWEEPS, PASSES = 500, 100  # of a run by default: Gibbs sampling; everything else


class ModelOfParameters(TopicParameters, StreamLearner):
    """Base of topic estimators: checks their parameters, and builds the model that they describe."""

    _score_names: ClassVar[ScoreNames] = ScoreNames(documents="documents given topics")
    _setting_types: ClassVar[SettingTypes] = TOPIC_SETTING_TYPES
    _trace_fields: ClassVar[Mapping[str, JsonKind]] = TRACE_FIELDS
    _documents_slot: ClassVar[str]

    guide: Any = None
    _topics_of_documents: int | None = None  # for `n_topics` of None: what follows from their number
    _began_as_stream: bool = False  # whether learning began with `partial_fit`

    @property
    def _is_open(self) -> bool:
        """Whether the vocabulary is open: whether words are added to it as they occur in documents."""
        return WORDS[vocabulary_choice(self.words)[0]].grows

    @property
    def _has_concepts(self) -> bool:
        """Whether the words are tied by a tree of concepts."""
        return vocabulary_choice(self.words)[0] == ConceptVocabulary.name

    def _reads_texts_by(self) -> tuple[AnyAnalysis | None, VocabularyRule | None]:
        return None, VocabularyRule(1, 1.0) if self._is_open else None

    def _refuse_params(
        self, vocabulary: Vocabulary | None = None, analysis: AnyAnalysis | None = None
    ) -> None:
        self._topic_model(vocabulary, analysis)

    def _params_to_save(self) -> dict[str, object]:
        params = super()._params_to_save()
        if params["n_topics"] is None:  # so that the model stays as it is if a later version chooses others
            params["n_topics"] = self._n_topics_at_start()
        if params.get("prevalence", "") is None:
            params = {name: value for name, value in params.items() if name != "prevalence"}
        return {**params, "guide": guide_of(self.guide)} if "guide" in params else params

    @abstractmethod
    def _documents(self, stream: bool) -> TopicPrior:
        """The prior of documents' topic shares that the parameters describe; `stream`: with the defaults for
        streams.
        """

    def _topic_model(
        self,
        vocabulary: Vocabulary | None = None,
        analysis: AnyAnalysis | None = None,
        *,
        stream: bool = False,
    ) -> TopicModel:
        """The model that the parameters describe. Without a vocabulary the result only shows that they are
        valid. Raises UserError that names an invalid parameter, or parameters that cannot be combined.

        analysis: that of the corpus, applied to the guide's seed words before they are looked up; stream:
        use the defaults for `partial_fit`.
        """
        refuse_parameters(self)
        self._refuse_too_many_topics(vocabulary)
        inference = inference_of(self.inference)
        if self.inference == "hybrid" and self._is_open:
            inference = OPEN_HYBRID
        own = SCHEDULES[type(self._learning_schedule())]
        schedule = "partial_fit" if stream else own
        self._refuse(schedule)
        sampling, sweeps = self._gibbs_settings(), self._limits().max_iter
        if sampling is not None and (sampling.burn_in or 0) >= sweeps:
            problem = f"burn_in={sampling.burn_in} leaves no sample of {sweeps} sweeps"
            raise UserError(problem, remedy="raise max_iter or lower burn_in")
        if (
            self.keep_local
            and not stream
            and (inference.name != "mean-field" or schedule not in ("batch", "memoised"))
        ):
            problem = "keep_local needs batch or memoised mean-field inference"
            raise UserError(problem, remedy="leave out keep_local")
        point = self._has_points(schedule, stream)
        eta = self._eta(point and not (stream and self._continues_a_fit))
        documents, words = self._documents(stream), self._words(vocabulary, analysis, eta, point)
        solver = inference.solver(self._mean_field(int(self.doc_max_iter), keep_local=bool(self.keep_local)))
        moves = self._moves(schedule, documents, words, solver.draws)
        if schedule == "memoised" or (moves and documents.grows):
            solver = solver.with_full_reports()
        return TopicModel(documents, words, solver, moves, self._births(schedule, documents, words))

    def _refuse_too_many_topics(self, vocabulary: Vocabulary | None) -> None:
        """Raise UserError if the table of topics' word counts would not fit in this machine's memory. It is
        called before anything is allocated; open vocabularies and runs on Spark are not checked.
        """
        n_topics = self._n_topics_at_start()
        if vocabulary is None or self._is_open or engine_name(self.engine) != "local":
            return
        size = 8.0 * n_topics * len(vocabulary)  # bytes of the table of counts
        if size > memory_of_machine():
            problem = f"{n_topics:,} topics of {len(vocabulary):,} words take {size / 1e9:,.0f} GB of memory"
            raise UserError(problem, remedy="lower n_topics, or the size of the vocabulary")

    def _learning_schedule(self) -> Schedule:
        return schedule_of(self.schedule, **self._schedule_defaults)

    def _stream_schedule(self) -> Online:
        """The schedule for learning from streams: the `Online` object that the user gave, or else `Online()`,
        since other schedules are only for runs over a corpus. What is not set in it is taken from
        `_stream_defaults`.
        """
        given = self.schedule if isinstance(self.schedule, Online) else Online()
        return given.with_defaults(**self._stream_defaults)

    def _for_stream(self) -> Self:
        """A copy of the estimator with the schedule of streams, and in which `point_topics` and eta, if left
        at None, are set to their defaults for streams. So a saved stream continues in the same way even if a
        later version has other defaults.
        """
        made, point = copy(self), self._has_points("partial_fit", stream=True)
        made.schedule, made.point_topics, made.eta = self._stream_schedule(), point, self._eta(point)
        return made

    def _n_topics_at_start(self) -> int:
        """The number of topics with which a run starts: `n_topics`, or one that follows from an array with a
        value for each topic, or from the number of documents.
        """
        if self.n_topics is not None:
            return self.n_topics
        for values, ndim in ((self.alpha, 1), (self.eta, 2)):  # one for each topic
            if values is not None and not isinstance(values, str) and np.ndim(values) == ndim:
                return len(np.asarray(values))
        return self._topics_of_documents or STREAM_TOPICS

    def _choose_for(self, corpus: Corpus) -> None:
        guide = guide_of(self.guide)
        least = 1 if guide is None else len(guide.names) + 1
        self._topics_of_documents = max(topics_by_size(corpus.n_documents), least)

    @property
    def _continues_a_fit(self) -> bool:
        """Whether `partial_fit` would continue a model learned by `fit`, and the user did not set
        `point_topics`. If so, the stream keeps the default of eta that `fit` has used.
        """
        return "state_" in vars(self) and not self._began_as_stream and self.point_topics is None

    def _eta(self, point: bool = False) -> float | str | Array:
        """The parameter `eta` as the user gave it, or its default, which is larger for topics as point
        estimates (`point`).
        """
        if self.eta is not None:
            return self.eta
        return POINT_ETA if point else ETA

    def _needs_distributions(self, schedule: str) -> str | None:
        """Why topics cannot be point estimates: the user's choice that rules them out, as text for an error
        message; None if they can be.
        """
        if self._is_open:
            return "an open vocabulary"
        if isinstance(self.eta, str):
            return f"eta={self.eta!r}"
        if self._gibbs_settings() is not None:
            return f"inference={inference_of(self.inference).name!r}"
        return "schedule='memoised'" if schedule == "memoised" else None

    def _has_points(self, schedule: str, stream: bool) -> bool:
        """Whether topics are learned as point estimates, not as distributions: `point_topics` if the user set
        it, otherwise True in streams (`stream`), unless another parameter rules it out.

        Raises UserError if `point_topics` is True and another parameter rules it out.
        """
        if self.point_topics is None:
            return stream and self._needs_distributions(schedule) is None
        against = self._needs_distributions(schedule) if self.point_topics else None
        if against is not None:
            problem = f"point_topics=True does not go with {against}"
            raise UserError(problem, remedy="leave out point_topics")
        return bool(self.point_topics)

    def _learned_eta_start(self, n_topics: int) -> float:
        """The value at which eta starts if it is learned and the user gave no start."""
        return 1.0 / n_topics

    def _merges_by_documents(self, model: TopicModel) -> bool:
        """Whether an online run merges topics after a pass, as judged by documents (`online_merges`)."""
        return False

    def _births(self, schedule: str, documents: TopicPrior, words: TopicVocabulary) -> bool:
        """Whether new topics are opened, and unneeded ones closed, while learning from a stream. False here;
        subclasses override it.
        """
        return False

    @abstractmethod
    def _moves(
        self, schedule: str, documents: TopicPrior, words: TopicVocabulary, sampled: bool
    ) -> tuple[Move, ...]:
        """The moves of a run: objects that propose changes of the set of topics, such as splits and merges;
        empty if there are none. Raises UserError for `moves` that cannot be used with the other parameters.

        schedule: its name, "partial_fit" for a stream; sampled: whether the solver draws tokens' topics.
        """

    def _words(
        self,
        vocabulary: Vocabulary | None,
        analysis: AnyAnalysis | None,
        prior: float | str | Array,
        point: bool,
    ) -> TopicVocabulary:
        """The part of the model that concerns words, closed or open or with concepts, as the parameters
        describe it. Raises UserError for parameters that do not fit together.

        vocabulary: None only checks the parameters; prior: eta as the user gave it, or its default; point:
        whether topics are point estimates.
        """
        settings = vocabulary_choice(self.words)[1]
        if isinstance(settings, ConceptTree):
            return self._concepts(settings, vocabulary, prior, point)
        if settings is not None:
            concentration("eta", prior, {}, 1.0)  # not used then, but must be valid
            if self.guide is not None:
                raise UserError(
                    "a guide needs a closed vocabulary", remedy='set guide=None or words="closed"'
                )
            if vocabulary is not None and vocabulary.languages:
                raise UserError("an open vocabulary has one language", remedy='set words="closed"')
            return OpenWords(settings)
        n_words, K = 1 if vocabulary is None else len(vocabulary), self._n_topics_at_start()
        shapes = {"words": (n_words,), "topics × words": (K, n_words)}
        eta, learned = concentration("eta", prior, shapes, self._learned_eta_start(K))
        guide = guide_of(self.guide)
        if guide is not None and (learned or np.ndim(eta) == 2):
            eta_kind = "learned" if learned else "an array (topics, words)"
            raise UserError(f"eta is {eta_kind}, and the guide sets it too", remedy="give eta as a number")
        if guide is not None and vocabulary is not None:
            eta = guide.prior(vocabulary, analysis, K, eta)
        elif isinstance(eta, np.ndarray) and eta.ndim == 2:
            eta = np.ascontiguousarray(eta.T)
        firsts = (0,) if vocabulary is None else tuple(part.start for part in vocabulary.parts)
        return ClosedVocabulary(
            n_words, eta, learned and not point, firsts, point
        )  # for points, as set by `fit`

    def _concepts(
        self, tree: ConceptTree, vocabulary: Vocabulary | None, prior: float | str | Array, point: bool
    ) -> ConceptVocabulary:
        """The vocabulary whose words are tied by a tree of concepts. Raises UserError if eta is learned or
        there is a guide.

        vocabulary: the words; if None, only the parameters are checked, and a tree of one concept with two
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

    def _guide_names(self) -> tuple[str | None, ...]:
        guide = guide_of(self.guide)
        names = () if guide is None else guide.names
        return (*names, *[None] * (self._n_topics_at_start() - len(names)))

    def _slot(self) -> str:
        """The name of the model's prior of documents' topic shares: "finite" (LDA), "growing" (HDP) or
        "franchise", as in `topics/combinations.py`.
        """
        return self._documents_slot

    def _refuse(self, schedule: str) -> None:
        inference = inference_of(self.inference).name
        words = vocabulary_choice(self.words)[0]
        refuse_illegal(
            Combination((self._slot(),), (words,), (inference,), (schedule,), (engine_name(self.engine),))
        )

    def _refuse_stream(self) -> None:
        self._refuse("partial_fit")

    def _mean_field(self, max_iter: int, *, keep_local: bool) -> LocalSolver:
        """The mean-field solver that suits the prior of documents. max_iter: the most rounds per document;
        keep_local: whether each document starts from its result in the last pass.
        """
        return MeanField(max_iter, float(self.doc_tol), keep_local)

    def _fold_in_solver(self) -> LocalSolver:
        mean_field = self._mean_field(max(ROUNDS, int(self.doc_max_iter)), keep_local=False)
        return FOLD_IN[self.fold_in].solver(mean_field)

    def _gibbs_settings(self) -> Gibbs | None:
        return chain_settings(inference_of(self.inference))

    def _limits(self) -> Limits:
        sampled = self._gibbs_settings() is not None
        passes = (SWEEPS if sampled else PASSES) if self.max_iter is None else int(self.max_iter)
        return Limits(passes, 0.0 if sampled else float(self.tol))
