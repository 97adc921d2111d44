"""The settings of models of topics."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Self

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.parameter_fields import MOST_CHAINS, MOST_COLUMNS, Settings, parameter
from stickbreaker.estimators.run_settings import RunSettings
from stickbreaker.learning.schedule_parameters import MemoisedParameters, OnlineParameters

if TYPE_CHECKING:
    from stickbreaker.core.records import Array
    from stickbreaker.engines import Cluster
    from stickbreaker.learning.schedules import Schedule
    from stickbreaker.topics.model.moves.split_merge_settings import SplitMerge
    from stickbreaker.topics.model.samplers.gibbs_settings import Gibbs
    from stickbreaker.topics.model.solvers.hybrid import Hybrid
    from stickbreaker.topics.model.vocabularies.concept_tree import ConceptTree
    from stickbreaker.topics.model.vocabularies.open_settings import OpenVocabulary
    from stickbreaker.topics.seed_words import Guide

CONCENTRATIONS = 1e-2, 1e7  # of an open vocabulary, the least and the largest
AUTO = "auto"  # n_topics that is to be searched for


@dataclass(frozen=True, slots=True)
class HybridParameters(Settings):
    """The parameters of hybrid inference, in which the topics of documents are sampled."""

    home: ClassVar[str] = "stickbreaker.topics.model.solvers.hybrid:Hybrid"

    burn_in: int = parameter(5, "Sweeps before samples count.", least=0)
    samples: int = parameter(
        5, "Sweeps of a document that count.", least=1, unset="5; with an open vocabulary 10"
    )


@dataclass(frozen=True, slots=True)
class GibbsParameters(Settings):
    """The parameters of Gibbs sampling, in which the topic of every token is sampled."""

    home: ClassVar[str] = "stickbreaker.topics.model.samplers.gibbs_settings:Gibbs"

    burn_in: int | None = parameter(None, "Sweeps before samples count.", least=0, unset="half of all sweeps")
    every: int = parameter(
        10, "Sweeps from sample to sample.", "Hyperparameters move that often from the start.", least=1
    )
    chains: int = parameter(
        1,
        "Chains that run side by side from different starts; the topics are those of the best.",
        least=1,
        most=MOST_CHAINS,
    )
    delayed: bool = parameter(
        False,
        "Counts are approximate, scale with threads, and their cost does not grow with the topics (Chen et "
        "al. 2016).",
        option=None,
    )


@dataclass(frozen=True, slots=True)
class DelayedGibbsParameters(GibbsParameters):
    """The parameters of Gibbs sampling with delayed counts: these are updated after a sweep, not after each
    token, and so are approximate in between.
    """

    fixed: ClassVar[Mapping[str, object]] = MappingProxyType({"delayed": True})


@dataclass(frozen=True, slots=True)
class SplitMergeParameters(Settings):
    """Parameters of moves that split and merge topics."""

    home: ClassVar[str] = "stickbreaker.topics.model.moves.split_merge_settings:SplitMerge"

    accept: str = parameter(
        "exact",
        'How a change is judged: "exact", by the bound of all documents (memoised and batch schedules); '
        '"halves", fitted on one half of a minibatch and judged on the other (online, `partial_fit`); '
        '"paper", on the minibatch that it was fitted on, as Bryant & Sudderth do (biased on text).',
        choices=("exact", "halves", "paper"),
    )
    splits: int = parameter(12, "Splits that are tried at once, at most.", least=0)
    merges: int | None = parameter(
        None,
        "Merges that are tried at once, at most.",
        least=0,
        unset="16; if exact, half as many as there are topics (16 to 64)",
    )


@dataclass(frozen=True, slots=True)
class OpenVocabularyParameters(Settings):
    """Parameters of a vocabulary that grows with the documents."""

    home: ClassVar[str] = "stickbreaker.topics.model.vocabularies.open_settings:OpenVocabulary"

    concentration: float | str = parameter(
        3_000.0,
        'Larger values give topics more words; a number or "learned".',
        "(alpha^beta)",
        choices=("learned",),
        least=CONCENTRATIONS[0],
        most=CONCENTRATIONS[1],
        option="--word-concentration",
        after="truncation",
        heading="Priors",
    )
    truncation: int = parameter(20_000, "Words per topic, at most.", "(T)", least=1)
    reorder_every: int = parameter(
        10,
        "Steps between rankings of a topic's words; words beyond the truncation are dropped then.",
        "(U)",
        least=1,
    )
    outside: str = parameter(
        "constant",
        "The probability of a word in a topic that does not have it, compared with the rest of the stick: "
        '"constant", 3 / alpha^beta of it and at most all; "stick", all of it (eq. 7.4 as printed); '
        '"spelling", G0.',
        choices=("constant", "stick", "spelling"),
        option=None,
    )
    rank_by: str = parameter(
        "counts",
        'What orders the words: their "counts", or those times G0, "spelling" (eq. 7.8).',
        choices=("counts", "spelling"),
        option=None,
    )
    memory: str = parameter(
        "discard",
        'Words beyond the truncation: "discard" forgets them; "keep" keeps their counts; "bloom" forgets '
        "them, and lets a word in at its second document.",
        choices=("discard", "keep", "bloom"),
    )


@dataclass(frozen=True, eq=False, repr=False)
class TopicSettings(RunSettings):
    """The settings that all models of topics have; what they mean is in `topics/plan.py`."""

    schedule_defaults: ClassVar[Mapping[str, float]] = MappingProxyType(
        {"kappa": 0.7, "tau0": 64.0}
    )  # if a schedule leaves them open
    stream_defaults: ClassVar[Mapping[str, float]] = schedule_defaults  # the same in streams

    n_topics: int | None = parameter(
        None,
        "Topics to learn.",
        unset="by the number of documents: its square root, at most one for 20 and at most 100, in steps of "
        "5; a stream 100",
        least=1,
        most=MOST_COLUMNS,
        option="--topics",
        common=True,
    )
    _: KW_ONLY
    inference: "str | Hybrid | Gibbs" = parameter(
        "mean-field",
        '"mean-field": by a variational bound; "hybrid": by sampled documents; "gibbs": by sampling '
        'throughout; "gibbs-delayed": the same with approximate counts.',
        "(Zhai 2014, sections 2.3, 4.2 and 4.1.) `Hybrid(...)` and `Gibbs(...)` have further settings. "
        "Sampling needs whole counts.",
        choices=("mean-field", "hybrid", "gibbs", "gibbs-delayed"),
        settings={
            "hybrid": HybridParameters,
            "gibbs": GibbsParameters,
            "gibbs-delayed": DelayedGibbsParameters,
        },
        common=True,
    )
    schedule: "str | Schedule | None" = parameter(
        "batch",
        "Update after each pass, or after each minibatch.",
        "Or `Online(...)`.",
        choices=("batch", "online"),
        settings={"online": OnlineParameters},
        common=True,
    )
    alpha: "float | str | Array | None" = parameter(
        None,
        'Prior of topics in documents: a number, "learned" or "learned-symmetric"; "learned:0.5" starts at '
        "0.5.",
        'An array (topics) is an asymmetric fixed prior. "learned" starts at 1 / n_topics (by Gibbs '
        "sampling at 0.1, if that is more) and, after ten passes, is asymmetric (eq. 3.1-3.3); "
        '"learned-symmetric" is one number for all topics.',
        unset="learned; in a stream 0.2",
        heading="Priors",
    )
    eta: "float | str | Array | None" = parameter(
        None,
        'Prior of words in topics: a number or "learned".',
        'An array (words) or (topics, words) is fixed. "learned" is symmetric and starts at 1 / n_topics, '
        '"learned:0.1" at 0.1.',
        unset="0.01; with point topics 0.05",
        heading="Priors",
    )
    words: "str | OpenVocabulary | ConceptTree" = parameter(
        "closed",
        '"closed": the words of the corpus\'s vocabulary; "open": words are added as documents bring them, '
        "and dropped.",
        "With several languages a topic is a distribution over the words of each (section 3.3.2). "
        '`OpenVocabulary(...)` has the settings of "open" (chapter 7), which has no eta; "hybrid" takes 10 '
        "samples then. `ConceptTree(...)`: words of a concept rise and fall together, also across languages "
        "(chapter 5).",
        choices=("closed", "open"),
        settings={"open": OpenVocabularyParameters},
        heading="Open vocabulary",
    )
    point_topics: bool | None = parameter(
        None,
        "Learn the most probable word shares of topics, not distributions over them; streams are predicted "
        "better.",
        "Under Dirichlet(1 + eta), see docs/models/point-topics.md.",
        unset="only in streams of a known vocabulary",
        heading="Priors",
    )
    init: str = parameter(
        "documents",
        "Start topics from a few documents each, or from noise, usually with a worse result.",
        "The documents of a topic are far from those of others (3.2.1, chosen as k-means++ does).",
        choices=("documents", "random"),
    )
    n_init: int = parameter(1, "Starts to try; the best final score is kept.", least=1, option=None)
    max_iter: int | None = parameter(
        None,
        "Passes at most, or sweeps.",
        least=1,
        unset="100, or 500 with Gibbs sampling",
        option="--iterations",
        common=True,
    )
    tol: float = parameter(
        1e-4,
        "Relative change that ends the run (not Gibbs).",
        "It is the mean of the last three changes of the score; of hybrid runs that from the mean of "
        "some passes to that of the next. 0: the run never ends early.",
        least=0.0,
    )
    doc_max_iter: int = parameter(20, "Inner rounds per document.", least=1, option=None, reads=True)
    doc_tol: float = parameter(
        1e-3,
        "Mean change of gamma that ends the inner rounds.",
        least=0.0,
        option=None,
        reads=True,
    )
    keep_local: bool = parameter(
        False,
        "Carry the state of documents from pass to pass (batch and memoised).",
        "The bound then never falls, and topics are usually worse.",
    )
    fold_in: str = parameter(
        "mean-field",
        "How new documents are inferred.",
        '"sampled": by draws that are keyed by their content.',
        choices=("mean-field", "sampled"),
        reads=True,
    )
    engine: "str | Cluster" = parameter(
        "local", '"local", or SparkEngine(session): see docs/reference/spark.md.', option=None
    )

    @property
    def starts(self) -> int:
        return self.n_init

    @property
    def where(self) -> "str | Cluster":
        return self.engine

    def on(self, engine: "Cluster") -> Self:
        return self.but(engine=engine)


@dataclass(frozen=True, eq=False, repr=False)
class LDASettings(TopicSettings):
    """The settings of latent Dirichlet allocation."""

    kind: ClassVar[str] = "LDA"
    stream_defaults: ClassVar[Mapping[str, float]] = MappingProxyType({"kappa": 0.6, "tau0": 32.0})

    _: KW_ONLY
    guide: "Mapping[str, object] | Guide | None" = parameter(
        None,
        'What the first topics should be about, as {"topic": ["word", "begin*"]} or `Guide(...)`.',
        "It sets the eta of these topics (section 3.3.1), and names them.",
        option=None,
        after="words",
    )
    prevalence: str | None = parameter(
        None,
        "Topic shares depend on metadata, by a formula as in R: party + year, (1 | author), bs(day, df=4).",
        "Documents that differ in these fields have different priors, which are learned (docs/models/"
        "prevalence.md). Needs documents with metadata, such as a table or a Corpus, and formulaic.",
        metavar="FORMULA",
        after="alpha",
        saved=False,
    )
    moves: str | None = parameter(
        "exchange",
        '"exchange": in a stream (`partial_fit`, `fit --stream`, `stream`), and online with open words, a '
        "topic that has more than three times its share of documents gives half of itself for the smallest "
        "topic, unless topics differ in eta. None: no topic changes places. Otherwise `fit` has no moves.",
        choices=("exchange",),
        option=None,
        after="keep_local",
    )

    def values(self) -> JsonObject:
        found = super().values()
        if self.prevalence is None:  # as in files of models of earlier versions
            del found["prevalence"]
        return found


@dataclass(frozen=True, eq=False, repr=False)
class HDPSettings(TopicSettings):
    """The settings of the hierarchical Dirichlet process."""

    kind: ClassVar[str] = "HDP"

    n_topics: int | str = parameter(  # pyright: ignore[reportIncompatibleVariableOverride]
        AUTO,
        "Search for their number, or start with K, one run.",
        "Short runs from 160 topics (one for four documents at most), from half as many, and so on, show "
        "where two runs to the end begin; the better one is the model (docs/models/hdp.md). If it has ten "
        "topics or fewer, further runs hold out a tenth of the documents; if these are predicted clearly "
        "better with more topics, the last run has that number, and all documents. If a search makes no "
        'sense, "auto" is 50: online, in `partial_fit` and on Spark, with sampled documents, the franchise, '
        "an open vocabulary, and concepts.",
        choices=(AUTO,),
        least=1,
        most=MOST_COLUMNS,
        option="--topics",
        metavar="K|auto",
        common=True,
    )
    _: KW_ONLY
    inference: "str | Hybrid | Gibbs" = parameter(
        "mean-field",
        '"mean-field": by a variational bound; "hybrid": by sampled documents; "gibbs": by sampling '
        "throughout.",
        "`Hybrid(...)` and `Gibbs(...)` have further settings. Gibbs sampling draws the topic of every "
        "token and the weights, in batch; topics come and go (Teh et al. 2006, section 5.3).",
        choices=("mean-field", "hybrid", "gibbs"),
        settings={"hybrid": HybridParameters, "gibbs": GibbsParameters},
        common=True,
    )
    schedule: "str | Schedule | None" = parameter(
        None,
        "Update after each minibatch, exactly; after a pass; or after each, at a rate.",
        "Or `Memoised(...)`, `Online(...)`.",
        choices=("memoised", "batch", "online"),
        unset="memoised, or batch with Gibbs, the franchise and concepts",
        settings={"memoised": MemoisedParameters, "online": OnlineParameters},
        common=True,
    )
    alpha: float | str = parameter(  # pyright: ignore[reportIncompatibleVariableOverride]
        "learned",
        'How alike documents are to the weights of all: a number or "learned".',
        '"learned" starts at 1; Gibbs sampling draws alpha and `concentration` under Gamma(1, 1) priors.',
        heading="Priors",
    )
    concentration: float | str = parameter(
        "learned",
        'Larger values give more topics; a number or "learned".',
        'It is gamma, the concentration of the weights; "learned" starts at 1, "learned:5" at 5.',
        after="alpha",
        heading="Priors",
    )
    eta: "float | str | Array | None" = parameter(
        None,
        'Prior of words in topics: a number or "learned".',
        'An array (words) is fixed; "learned" starts at 0.05. If words have concepts it is not learned.',
        unset='learned with n_topics="auto", else 0.01; with point topics 0.05',
        heading="Priors",
    )
    judge: str = parameter(
        "bound",
        "Compare numbers of topics by the bound, or by documents held out (a tenth, unless --held-out "
        "says), which finds more. These check the bound where it asks for ten topics or fewer.",
        choices=("bound", "held-out"),
        needs={"n_topics": (AUTO,)},
        after="random_state",
    )
    moves: "str | SplitMerge | None" = parameter(
        "split-merge",
        "Topics split and merge, judged by all documents (exact), by half a minibatch (halves), as in the "
        "paper, or as suits the schedule (split-merge): exact, online merges that documents judge, and in a "
        "stream, or online with open words, only giant topics, half of which replaces the smallest topic. "
        "Births: the same in a stream, and topics open for new subjects, and close.",
        'In Python the first three are `SplitMerge(accept="exact")`, "halves" and "paper". None: none. '
        '"births": in a stream (`partial_fit`) topics open for documents that are badly explained, and '
        "close when the last ones are predicted as well without them; of known words with one eta, and of "
        "open ones.",
        choices=("split-merge", "births"),
        after="judge",
    )
    representation: str = parameter(
        "direct",
        "Documents have topics directly, or tables that have topics.",
        'The "franchise" (Wang, Paisley & Blei 2011) is batch or online mean-field.',
        choices=("direct", "franchise"),
        after="moves",
    )
    tables: int = parameter(
        15,
        "Tables per document, at most.",
        least=1,
        needs={"representation": ("franchise",)},
        after="representation",
    )
