"""The settings of syntactic topic models."""

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from stickbreaker.core.parameter_fields import parameter
from stickbreaker.estimators.run_settings import RunSettings
from stickbreaker.learning.schedule_parameters import OnlineParameters

if TYPE_CHECKING:
    from stickbreaker.engines import Cluster
    from stickbreaker.learning.schedules import Schedule

BATCH_SIZE = 32  # documents per online step, if a schedule leaves it open
GIBBS, MEAN_FIELD = ("gibbs",), ("mean-field",)  # ways of inference


@dataclass(frozen=True, eq=False, repr=False)
class SyntaxSettings(RunSettings):
    """The settings of syntactic topic models, each with its default, its help text and what it needs."""

    kind: ClassVar[str] = "SyntacticTopics"

    n_topics: int = parameter(
        32,
        "Topics, at most; fewer are in use if the text asks for fewer.",
        least=1,
        most=1024,  # a sweep takes topics × topics steps per word
        option="--topics",
        common=True,
    )
    _: KW_ONLY
    limit: str | None = parameter(
        None,
        'A limiting case of the model, to compare: "hdp", words do not depend on their heads; "itic", not on '
        "their documents.",
        'None: the model itself. "itic" is an infinite tree of hidden states whose children are independent.',
        choices=("hdp", "itic"),
    )
    unknown: str = parameter(
        "blank",
        'Words outside the vocabulary: "blank", nodes that pass on what is known and are not scored; "tag", '
        "their part of speech.",
        choices=("blank", "tag"),
    )
    eta: float = parameter(
        0.1,
        "Dirichlet parameter of the words of each topic before it is learned: the mean of its prior.",
        least=1e-100,
        most=1e6,
    )
    inference: str = parameter(
        "gibbs",
        '"gibbs": Markov chains; "mean-field": variational inference that begins where a short chain ends, '
        "for much text, streams and Spark.",
        "It has exact sums over trees.",
        choices=("gibbs", "mean-field"),
    )
    schedule: "str | Schedule | None" = parameter(
        None,
        "Update after each pass, or after each minibatch.",
        "Or `Online(...)`.",
        choices=("batch", "online"),
        unset="batch",
        needs={"inference": MEAN_FIELD},
        settings={"online": OnlineParameters},
    )
    samples: int = parameter(
        10,
        "Predictions are averaged over about this many states of each chain, from the last five eighths of "
        "its sweeps.",
        "Fewer if it has fewer.",
        least=1,
        needs={"inference": GIBBS},
    )
    chains: int | None = parameter(
        None,
        "Chains with different starts: predictions are means over all; the topics are those of the best.",
        least=1,
        unset="4",
        needs={"inference": GIBBS},
    )
    max_iter: int | None = parameter(
        None,
        "Sweeps of each chain, or passes.",
        least=1,
        unset="400 sweeps; 50 passes, 3 online",
        option="--iterations",
        common=True,
    )
    tol: float = parameter(
        1e-4,
        "Relative change of the bound at which passes end.",
        least=0.0,
        needs={"inference": MEAN_FIELD},
        lenient=True,
    )
    engine: "str | Cluster" = parameter(
        "local", '"local", or SparkEngine(session).', option=None, needs={"inference": MEAN_FIELD}
    )

    @property
    def where(self) -> "str | Cluster":
        return self.engine

    def on(self, engine: "Cluster") -> Self:
        return self.but(engine=engine)
