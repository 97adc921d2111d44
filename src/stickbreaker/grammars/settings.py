"""The settings of adaptor grammars."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Self

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.parameter_fields import MOST_CHAINS, MOST_COLUMNS, Above, parameter
from stickbreaker.estimators.run_settings import RunSettings
from stickbreaker.learning.schedule_parameters import OnlineParameters

if TYPE_CHECKING:
    from stickbreaker.engines import Cluster
    from stickbreaker.grammars.model.grammar import Grammar
    from stickbreaker.learning.schedules import Schedule

BATCH_SIZE = 20  # sentences per online step, if a schedule leaves it open
FIRST_BATCH = {"collocation": 2}  # sentences of the first steps, by the name of the grammar; else BATCH_SIZE
MCMC, HYBRID, VARIATIONAL = ("mcmc",), ("hybrid",), ("hybrid", "mean-field")  # ways of inference


@dataclass(frozen=True, eq=False, repr=False)
class GrammarSettings(RunSettings):
    """The settings of adaptor grammars, each with its default, its help text and what it needs."""

    kind: ClassVar[str] = "AdaptorGrammar"
    schedule_defaults: ClassVar[Mapping[str, float]] = MappingProxyType({"kappa": 0.5, "tau0": 1.0})

    grammar: "str | Grammar" = parameter(
        "collocation",
        "A file in the format of py-cfg or PyAdaGram; or collocation, unigram, collocation-syllable, "
        "morphology (a line is a word) or topic (documents of words), over the symbols of the text.",
        "In Python the text of a file, or a `Grammar`.",
        metavar="FILE|NAME",
        common=True,
    )
    _: KW_ONLY
    inference: str = parameter(
        "mcmc",
        '"mcmc": a Markov chain; "hybrid": variational inference with sampled trees, for streams and much '
        'text; "mean-field": with sums over all trees, and subtrees chosen at the start.',
        "(Cohen et al. 2010.)",
        choices=("mcmc", "hybrid", "mean-field"),
        common=True,
    )
    schedule: "str | Schedule | None" = parameter(
        None,
        "Update after each minibatch, or after each pass.",
        "Or `Online(...)`, whose minibatches stand for all of the text from the start unless it has "
        '`total="seen"`, as "online" has.',
        choices=("online", "batch"),
        unset="online; batch with mean-field, which has no other",
        needs={"inference": VARIATIONAL},
        settings={"online": OnlineParameters},
    )
    samples: int = parameter(
        10,
        "Trees drawn of each sentence in a step; their mean is learned from. More make steps steadier and "
        "slower.",
        least=1,
        needs={"inference": HYBRID},
    )
    truncation: "int | Mapping[str, int] | None" = parameter(
        None,
        "Most subtrees that a symbol remembers: a number for all symbols, or for one. There may be more "
        "between prunings, and for a symbol that others are made of.",
        "A number, or {symbol: number}.",
        metavar="[SYMBOL=]N",
        unset="as the grammar says, else 10000",
        needs={"inference": VARIATIONAL},
    )
    refine_every: int = parameter(
        50, "Steps from one pruning of what is remembered to the next.", least=1, needs={"inference": HYBRID}
    )
    max_iter: int | None = parameter(
        None,
        "Sweeps of the sampler, or passes.",
        least=1,
        unset="200 sweeps; 3 passes online, 20 in batches",
        option="--iterations",
        common=True,
    )
    init: str = parameter(
        "batch",
        'The first trees: "batch", all drawn by the rules alone; "incremental", one by one, each given '
        "those before it. The start decides what is found.",
        "See docs/models/grammars.md.",
        choices=("batch", "incremental"),
        needs={"inference": MCMC},
    )
    chains: int = parameter(
        1,
        "Chains that run side by side; the best one is reported.",
        least=1,
        most=MOST_CHAINS,
        needs={"inference": MCMC},
    )
    symbols: str = parameter(
        "characters",
        'A line is a sentence. Its symbols are its "characters" without the spaces, or ("spaced") the words '
        "between spaces.",
        choices=("characters", "spaced"),
        common=True,
    )
    punctuation: str = parameter(
        "symbols",
        'Punctuation marks are "symbols" like others, or "boundaries" that end words and are left out.',
        choices=("symbols", "boundaries"),
    )
    unparsed: str = parameter(
        "fail", "What to do about sentences that cannot be parsed, or are too long.", choices=("fail", "skip")
    )
    weights: str = parameter(
        "learned",
        "The weights of rules: learned from priors, or fixed as the grammar gives them.",
        choices=("learned", "fixed"),
    )
    processes: str = parameter(
        "learned",
        "Discounts and concentrations: learned, or fixed as the grammar gives them.",
        choices=("learned", "fixed"),
    )
    relabel: bool = parameter(
        True, "Draw remembered subtrees again, with all that use them.", needs={"inference": MCMC}
    )
    temperature: float = parameter(
        1.0, "Temperature of the first sweep; values above 1 try more.", least=1.0, needs={"inference": MCMC}
    )
    cooling: int | None = parameter(
        None,
        "Sweeps until the temperature is 1.",
        least=0,
        unset="half of all",
        needs={"inference": MCMC, "temperature": Above(1.0)},
    )
    n_topics: int = parameter(
        5, "How many topics.", least=1, most=MOST_COLUMNS, option="--topics", needs={"grammar": ("topic",)}
    )
    vowels: str | None = parameter(
        None,
        "Which symbols are vowels.",
        metavar="SYMBOLS",
        unset="those of Latin, Greek and Cyrillic letters",
        needs={"grammar": ("collocation-syllable",)},
    )
    known: "Mapping[str, float] | Sequence[str] | None" = parameter(
        None,
        "Words that are known already, one per line; after a tab may follow how often a word counts as seen, "
        "else once. They become rules of Word.",
        "In Python {word: count}, or words, of which each occurrence counts once. The symbols of a word are "
        'read as those of the text, so with "spaced" it has spaces. Counts are prior weights of the rules.',
        metavar="FILE",
        unset="none",
        saved=False,
    )
    engine: "str | Cluster" = parameter(
        "local",
        '"local", or SparkEngine(session), for "hybrid" and "mean-field".',
        option=None,
        needs={"inference": VARIATIONAL},
    )

    @property
    def where(self) -> "str | Cluster":
        return self.engine

    def on(self, engine: "Cluster") -> Self:
        return self.but(engine=engine)

    def values(self) -> JsonObject:
        given = self.grammar
        return {**super().values(), "grammar": given if isinstance(given, str) else given.to_text()}
