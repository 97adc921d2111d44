"""The settings of the verbs of lexicons. Imports neither numpy nor models: `--help` must be quick."""

from dataclasses import dataclass
from typing import Any

from stickbreaker.core.errors import UserError
from stickbreaker.core.parameter_fields import parameter
from stickbreaker.estimators.verb_settings import ThreadSettings, VerbSettings

MOST_TRANSLATIONS = 10_000  # of a sentence
FORMATS = ("lexicon", "moses", "phrase-table")


@dataclass(frozen=True)
class ScoreSettings(ThreadSettings):
    """The settings of `evaluate`."""

    alignments: object = parameter(
        None,
        "Lexicons: word links of these sentences, as in the lexicon's training data: 0-0 1-2 on each line.",
        metavar="FILE",
    )


@dataclass(frozen=True)
class WordSettings(VerbSettings):
    """The settings of `word`."""

    document: object = parameter(None, "A text in the source language: translate as in it.", metavar="FILE")
    language: str | None = parameter(
        None, "Of which side the word is.", unset="the source's, if it has the word"
    )
    top: int = parameter(5, "Translations, and topics.", least=1)


@dataclass(frozen=True)
class TermsSettings(VerbSettings):
    """The settings of `terms`."""

    min_gain: float = parameter(
        0.1,
        "Least gain of a term: the mutual information of its topic and its translation, in nats.",
        least=0.0,
    )
    min_count: int = parameter(10, "Fewest links of a term.", least=1)
    all_words: bool = parameter(False, "List stop words and signs too, and terms with one translation.")


@dataclass(frozen=True)
class RankSettings(VerbSettings):
    """The settings of `rerank`."""

    weights: Any = parameter(None, "Weights that --tune has written.", metavar="FILE")
    weight: float | None = parameter(
        None,
        "Without --tune and --weights: add to each score the lexicon's mean score of a word, times this.",
        least=0.0,
    )


@dataclass(frozen=True)
class WeightSettings(VerbSettings):
    """The settings of `rerank_weights`."""

    random_state: int = parameter(0, "Of --tune: the same seed gives the same weights.", option="--seed")


@dataclass(frozen=True)
class ExportSettings(VerbSettings):
    """The settings of `export`."""

    form: str = parameter(
        "lexicon",
        "lexicon: a table of word, translation, links, p both ways. moses: two files, OUT.f2e (target, "
        "source, p of the target) and OUT.e2f, as Moses's training reads them. phrase-table: the phrases of "
        "a lexicon that has some, as Moses's decoder reads them; tokens are those of translate documents "
        "--tokens, escaped as by Moses.",
        choices=FORMATS,
        option="--format",
    )
    document: object = parameter(None, "As words are translated in this text.", metavar="FILE")
    min_p: float = parameter(0.0001, "Least probability that is written.", least=0.0, most=1.0)


@dataclass(frozen=True)
class TuneSettings(ThreadSettings):
    """The settings of `tune`."""

    topics: str = parameter(
        "mixture",
        "How topics of a document take part: by lexical weights of their mixture; by those of each of its "
        "three largest topics; or not, so that all documents are translated alike.",
        choices=("mixture", "ranks", "none"),
    )
    rounds: int = parameter(8, "Translate and learn this many times; the best round counts.", least=1)
    random_state: int = parameter(0, "The same seed gives the same weights.", option="--seed")


@dataclass(frozen=True)
class RunSettings(ThreadSettings):
    """The settings of `run`."""

    n_best: int | None = parameter(
        None,
        "Write this many translations of each, as Moses does: number ||| words ||| features ||| score.",
        least=1,
    )

    def refuse_others(self) -> None:
        if self.n_best is not None and self.n_best > MOST_TRANSLATIONS:
            remedy = f"give at most {MOST_TRANSLATIONS:,}: more need gigabytes"
            raise UserError(f"n_best={self.n_best}", remedy=remedy)
