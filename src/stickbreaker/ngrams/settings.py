"""The settings of n-gram language models, with topics and without."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from stickbreaker.core.parameter_fields import parameter
from stickbreaker.estimators.run_settings import RunSettings

UNBOUNDED = "unbounded"
HIGHEST = 10  # order


def _order() -> Any:
    """The declaration of the parameter `order`; one model takes it by position, the other by name."""
    return parameter(
        3,
        "Words of an n-gram; unbounded: each word draws how long its context is.",
        "A word is predicted from `order` - 1 words before it, by an unbounded model (Mochihashi & Sumita "
        "2008) from 20 at most.",
        choices=(UNBOUNDED,),
        least=1,
        most=HIGHEST,
        metavar="N|unbounded",
        after="random_state",
    )


@dataclass(frozen=True, eq=False, repr=False)
class LanguageSettings(RunSettings):
    """The settings of language models with topics and without."""

    _: KW_ONLY
    samples: int = parameter(
        10,
        "Predictions are averaged over about this many states of the sampler, from its second half.",
        "Fewer if it has fewer.",
        least=1,
    )
    max_iter: int = parameter(20, "Sweeps of the sampler.", least=1, option="--iterations", common=True)
    unknown: str = parameter(
        "symbol",
        'Words that are not known: "symbol", all are <unk>; "spelled", their probability is that of their '
        "letters, and all words of the text are known.",
        choices=("symbol", "spelled"),
        after="order",
        common=True,
    )
    min_count: int = parameter(
        4,
        "How often a known word occurs in the text.",
        least=1,
        needs={"unknown": ("symbol",)},
        lenient=True,
        after="unknown",
    )
    n_jobs: int | None = parameter(
        None, "Has no effect: there is one chain, and it uses one thread.", option=None, last=True
    )
    order: int | str = _order()


@dataclass(frozen=True, eq=False, repr=False)
class NgramSettings(LanguageSettings):
    """The settings of a language model without topics."""

    kind: ClassVar[str] = "NgramModel"

    order: int | str = _order()


@dataclass(frozen=True, eq=False, repr=False)
class TopicNgramSettings(LanguageSettings):
    """The settings of a language model whose documents have topics."""

    kind: ClassVar[str] = "TopicNgramModel"

    n_topics: int = parameter(
        50,
        "Give documents that many topics, each with a language model of its own; they adapt as the words of "
        "a document come.",
        least=1,
        most=1000,  # every word draws among all
        option="--topics",
        after="min_count",
        common=True,
    )
    _: KW_ONLY
    max_iter: int = parameter(100, "Sweeps of the sampler.", least=1, option="--iterations", common=True)
    prior: str = parameter(
        "switching",
        'What topics share: "switching": a word comes from a model common to all documents or from a topic, '
        'as the words before it say; "hierarchical": topics draw on that model; "none": nothing.',
        choices=("switching", "hierarchical", "none"),
        after="n_topics",
    )
    moves: str = parameter(
        "tables",
        'What the sampler moves: "tables": whole blocks of n-grams, and single words; "tokens": single '
        "words alone, which finds less.",
        choices=("tables", "tokens"),
        after="prior",
    )
