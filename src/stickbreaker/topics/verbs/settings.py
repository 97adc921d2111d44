"""The settings of the verbs of topic models. Imports neither numpy nor models: `--help` must be quick."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stickbreaker.core.parameter_fields import parameter
from stickbreaker.estimators.verb_settings import ThreadSettings, VerbSettings


def ranking_parameter() -> Any:
    """The setting `by`: which words stand for a topic."""
    return parameter(
        "support",
        "Which words stand for a topic: those that many of its documents support, first those that occur "
        "together; those in more of its documents than elsewhere (company: of these, first those that occur "
        "together); those more frequent in it than elsewhere; or the most frequent.",
        choices=("support", "documents", "company", "relevance", "probability"),
    )


@dataclass(frozen=True)
class TopicsSettings(VerbSettings):
    """The settings of `topics_of`."""

    top: int = parameter(10, "Words a topic.", least=1)
    by: str = ranking_parameter()
    at: str | None = parameter(
        None,
        "Topics at an earlier time: 2020-05-01, 2020-05, 2020, 120 or step:120. For models with snapshots.",
        metavar="DATE|STEP",
    )
    prompt: bool = parameter(
        False,
        "Print a prompt for any language model to name the topics; give its answer to `name --from-file`.",
    )


@dataclass(frozen=True)
class CompareSettings(VerbSettings):
    """The settings of `compare`."""

    top: int = parameter(6, "Words a topic.", least=1)
    by: str = ranking_parameter()


@dataclass(frozen=True)
class NearestSettings(ThreadSettings):
    """The settings of `nearest`."""

    ids: "tuple[str, ...]" = parameter(
        (), "Ask of this document alone; may be given several times.", option="--id"
    )
    among: object = parameter(
        None,
        "A corpus to choose from.",
        unset="that of the queries",
        metavar="CORPUS",
    )
    top: int = parameter(5, "Documents a query.", least=1)
    source: str | None = parameter(
        None, "Use only this language of the queries.", option="--from", metavar="LANGUAGE"
    )
    target: str | None = parameter(
        None, "Use only this language of the other documents.", option="--to", metavar="LANGUAGE"
    )


@dataclass(frozen=True)
class EffectSettings(ThreadSettings):
    """The settings of `effects`."""

    formula: str = parameter(
        "",
        "Fields of metadata, as in R: party + year, C(year), party * year, party:year, poly(year, 2).",
    )
    topics: "tuple[int, ...]" = parameter(
        (), "Show all of this topic; may be given several times.", option="--topic"
    )
    draws: int = parameter(25, "How often the shares of documents are drawn.", least=1)
    random_state: int = parameter(0, "The same seed gives the same figures.", option="--seed")


@dataclass(frozen=True)
class OverTimeSettings(ThreadSettings):
    """The settings of `topics_over_time`."""

    by: str = parameter(
        "year",
        "The period.",
        choices=("day", "week", "month", "quarter", "year", "decade", "century"),
    )
    date_field: str | None = parameter(
        None,
        "The metadata field with the date.",
        unset="the first that is named like a date, and has dates in most documents",
        metavar="FIELD",
    )
    group_field: str | None = parameter(
        None, "Also divide documents by this field of metadata.", metavar="FIELD"
    )
    topics: "tuple[int, ...]" = parameter(
        (), "Show this topic; may be given several times.", option="--topic"
    )


@dataclass(frozen=True)
class IntruderSettings(VerbSettings):
    """The settings of `intruders`."""

    questions: int = parameter(10, "Topics to ask about, drawn at random.", least=1)
    by: str = ranking_parameter()
    random_state: int = parameter(0, "The same seed gives the same questions.", option="--seed")


@dataclass(frozen=True)
class SearchSettings(ThreadSettings):
    """The settings of `search_topics`."""

    topics: "tuple[int, ...] | None" = parameter(
        None,
        "Numbers to try.",
        unset="10, 20, 40 and so on, until topics do not hold, and one between",
        metavar="K,K,...",
    )
    seeds: int = parameter(3, "Runs of each: seeds 0, 1, ...", least=1)
    inference: str = parameter(
        "mean-field", "As in fit.", choices=("mean-field", "hybrid", "gibbs", "gibbs-delayed")
    )
    alpha: "float | str" = parameter("learned", "As in fit lda.")
    eta: "float | str" = parameter(0.01, "As in fit lda.")
    max_iter: int | None = parameter(
        None, "Passes or sweeps at most.", unset="as in fit", least=1, option="--iterations"
    )
    held_out: float = parameter(
        0.1,
        "Share of the documents that no run learns from, chosen by their ids; scores are theirs.",
        above=0.0,
        most=0.9,
    )
    by: str = ranking_parameter()


@dataclass(frozen=True)
class ConceptSettings(VerbSettings):
    """The settings of `make_concepts`."""

    source: str | None = parameter(
        None, "The language of a dictionary's words, or of WordNet's.", option="--from", metavar="LANGUAGE"
    )
    target: str | None = parameter(
        None, "The language of a dictionary's translations.", option="--to", metavar="LANGUAGE"
    )
    form: str | None = parameter(
        None,
        "A word, a tab, a translation; the same with a third column, how often they met; CC-CEDICT; MERGE_ "
        "lines as MALLET has them; a directory of WordNet's database; word vectors (word2vec, GloVe, "
        "fastText's .vec, .npy with --words), or a corpus to learn them from.",
        unset="as the file looks",
        choices=("tsv", "counts", "cedict", "constraints", "wordnet", "vectors"),
        option="--format",
    )
    kind: str = parameter(
        "one-to-one",
        "Put each word of a dictionary in one concept at most, or in one for each of its translations.",
        choices=("one-to-one", "all"),
    )
    most: int = parameter(5, "With --kind all: translations of a word, at most.", least=1)
    min_count: float = parameter(0.0, "Of counts: pairs that met less often are passed over.", least=0.0)
    max_count: float | None = parameter(
        None, "Of counts: pairs that met more often are passed over.", unset="none is", least=0.0
    )
    traditional: bool = parameter(False, "CC-CEDICT: traditional characters.")
    depth: int | None = parameter(
        None,
        "Levels of concepts: of WordNet, at most  [default: as many as there are]; of vectors, 1 or 2  "
        "[default: 1]",
        least=1,
    )
    n_concepts: int | None = parameter(
        None, "Vectors: concepts, about.", unset="one for 8 words", least=1, option="--concepts"
    )
    words: "str | Path | None" = parameter(
        None, "The words of vectors in an .npy file, one per line.", metavar="FILE"
    )
    synonyms: "Mapping[str, str | Path] | None" = parameter(
        None,
        "WordNet: words of its synsets in another language, a file of the Open Multilingual Wordnet; repeat "
        "it for more languages.",
        "{language: file}.",
    )


@dataclass(frozen=True)
class ScoreSettings(ThreadSettings):
    """The settings of `evaluate`."""

    completion: float = parameter(
        0.5,
        "Share of each document's words that the model sees; it predicts the rest.",
        least=0.0,
        most=1.0,
    )
    left_to_right: bool = parameter(
        False,
        "Also score whole documents. Slow: the time grows with the square of a document's length.",
    )
    particles: int = parameter(
        20,
        "Particles for --left-to-right: more reduce the variance, and take longer.",
        least=1,
    )
    bound: bool = parameter(
        False,
        "Also print the bound on log p that inference maximises, to compare runs on the same documents.",
    )
    diagnostics: bool = parameter(
        False, "Also make a table with one row per topic, like MALLET's diagnostics.", option=None
    )
    reference: object = parameter(
        None,
        "Corpus in which co-occurrences are counted for coherence.",
        unset="the documents scored",
        metavar="CORPUS|FILE",
    )
    by: str = ranking_parameter()
    labels: str | None = parameter(
        None,
        "Predict this metadata field from the topics of documents; if it has several values, the first.",
        metavar="FIELD",
    )
    unseen: str | None = parameter(
        None,
        "Words that the model does not know: left out, or scored letter by letter, as one more word of the "
        "vocabulary.",
        unset="ignored; models of open vocabularies spell always",
        choices=("ignored", "spelled"),
    )
    spelling_of: object = parameter(
        None,
        "Spell by this model's characters, so that scores can be compared.",
        unset="the model's own",
        metavar="MODEL",
    )
