"""The parameters of LDA for pyspark.ml, with MLlib's names."""

from typing import Any, Self

from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasCheckpointInterval, HasFeaturesCol, HasMaxIter, HasSeed

from stickbreaker.core.errors import UserError
from stickbreaker.core.option_names import ParameterValues
from stickbreaker.learning.schedules import Online

OPTIMIZERS = ("online", "em")


class LDAParams(HasMaxIter, HasFeaturesCol, HasSeed, HasCheckpointInterval):
    """The parameters that `LDA` and `LDAModel` share, with MLlib's names.

    `maxIter` counts passes over all documents.
    """

    k: Param[int] = Param(Params._dummy(), "k", "topics to learn", TypeConverters.toInt)
    optimizer: Param[str] = Param(
        Params._dummy(),
        "optimizer",
        '"online": a step for each minibatch; "em": a step for each pass, here by variational inference',
        TypeConverters.toString,
    )
    learningOffset: Param[float] = Param(
        Params._dummy(), "learningOffset", "tau0 of the online rate (tau0 + t)^-kappa", TypeConverters.toFloat
    )
    learningDecay: Param[float] = Param(
        Params._dummy(), "learningDecay", "kappa of the online rate (tau0 + t)^-kappa", TypeConverters.toFloat
    )
    subsamplingRate: Param[float] = Param(
        Params._dummy(), "subsamplingRate", "share of the documents in a minibatch", TypeConverters.toFloat
    )
    optimizeDocConcentration: Param[bool] = Param(
        Params._dummy(), "optimizeDocConcentration", "whether to learn alpha", TypeConverters.toBoolean
    )
    docConcentration: Param[list[float]] = Param(
        Params._dummy(),
        "docConcentration",
        "alpha, one number or one per topic, which is then fixed",
        TypeConverters.toListFloat,
    )
    topicConcentration: Param[float] = Param(
        Params._dummy(), "topicConcentration", "eta, the prior of words in topics", TypeConverters.toFloat
    )
    topicDistributionCol: Param[str] = Param(
        Params._dummy(),
        "topicDistributionCol",
        "the column of topic shares, a vector, to make",
        TypeConverters.toString,
    )

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._setDefault(
            maxIter=20,
            checkpointInterval=10,
            k=10,
            optimizer="online",
            learningOffset=64.0,
            learningDecay=0.7,
            subsamplingRate=0.05,
            optimizeDocConcentration=True,
            topicDistributionCol="topicDistribution",
        )

    def getK(self) -> int:
        """The number of topics to learn."""
        return self.getOrDefault(self.k)

    def getOptimizer(self) -> str:
        """The optimizer: "online" or "em"."""
        return self.getOrDefault(self.optimizer)

    def getLearningOffset(self) -> float:
        """tau0 of the learning rate (tau0 + t)^-kappa of online steps."""
        return self.getOrDefault(self.learningOffset)

    def getLearningDecay(self) -> float:
        """kappa of the learning rate (tau0 + t)^-kappa of online steps."""
        return self.getOrDefault(self.learningDecay)

    def getSubsamplingRate(self) -> float:
        """The share of the documents in a minibatch."""
        return self.getOrDefault(self.subsamplingRate)

    def getOptimizeDocConcentration(self) -> bool:
        """Whether alpha, the prior of topics in documents, is learned."""
        return self.getOrDefault(self.optimizeDocConcentration)

    def getDocConcentration(self) -> list[float]:
        """alpha, the prior of topics in documents, as the user gave it: one number, or one per topic.

        Raises KeyError if it was not set.
        """
        return self.getOrDefault(self.docConcentration)

    def getTopicConcentration(self) -> float:
        """eta, the prior of words in topics, as the user gave it. Raises KeyError if it was not set."""
        return self.getOrDefault(self.topicConcentration)

    def getTopicDistributionCol(self) -> str:
        """The name of the column of topic shares that is added."""
        return self.getOrDefault(self.topicDistributionCol)

    def setFeaturesCol(self, value: str) -> Self:
        """Set the column of vectors of counts, token lists or texts."""
        self.set(self.featuresCol, value)
        return self

    def setSeed(self, value: int) -> Self:
        """Set the seed; equal seeds give equal topics."""
        self.set(self.seed, value)
        return self

    def setTopicDistributionCol(self, value: str) -> Self:
        """Set the name of the column of topic shares that is added."""
        self.set(self.topicDistributionCol, value)
        return self

    def settings(self, n_documents: int) -> ParameterValues:
        """Translate the parameters to those of the library's own LDA, for this many documents.

        Raises UserError for invalid values.
        """
        optimizer = self.getOptimizer()
        if optimizer not in OPTIMIZERS:
            raise UserError(f"optimizer={optimizer!r}", remedy='optimizer is "online" or "em"')
        rate = self.getSubsamplingRate()
        if not 0.0 < rate <= 1.0:
            raise UserError(f"subsamplingRate={rate}", remedy="it is above 0 and at most 1")
        size = max(1, round(rate * n_documents))
        online = Online(size, self.getLearningDecay(), self.getLearningOffset())
        given = {"eta": self.getTopicConcentration()} if self.isSet(self.topicConcentration) else {}
        return {
            "n_topics": self.getK(),
            "max_iter": self.getMaxIter(),
            "random_state": self.getSeed() % 2**32,
            "schedule": online if optimizer == "online" else "batch",
            "alpha": self._alpha(),
            **given,
        }

    def _alpha(self) -> Any:
        """The value of the library's parameter alpha: "learned", one number, or one per topic.

        Raises UserError if an alpha is given and the user has also set `optimizeDocConcentration` to True.
        """
        learned = self.getOptimizeDocConcentration()
        if not self.isSet(self.docConcentration):
            return "learned" if learned else 1.0 / self.getK()
        if learned and self.isSet(self.optimizeDocConcentration):
            remedy = "leave one of the two out: a learned alpha starts at 1 / k"
            raise UserError(
                "docConcentration is given, but optimizeDocConcentration asks to learn it", remedy=remedy
            )
        alpha = self.getDocConcentration()
        return alpha[0] if len(alpha) == 1 else alpha


class SettableLDAParams(LDAParams):
    """`LDAParams` with the other setters of MLlib's LDA; each returns the stage."""

    def setMaxIter(self, value: int) -> Self:
        """Set the largest number of passes over all documents."""
        self.set(self.maxIter, value)
        return self

    def setCheckpointInterval(self, value: int) -> Self:
        """Accepted for compatibility with MLlib; see `LDA`."""
        self.set(self.checkpointInterval, value)
        return self

    def setK(self, value: int) -> Self:
        """Set the number of topics to learn."""
        self.set(self.k, value)
        return self

    def setOptimizer(self, value: str) -> Self:
        """Set how the model is learned: "online" (minibatches) or "em" (all documents at once)."""
        self.set(self.optimizer, value)
        return self

    def setLearningOffset(self, value: float) -> Self:
        """Set tau0 of the learning rate (tau0 + t)^-kappa of online steps."""
        self.set(self.learningOffset, value)
        return self

    def setLearningDecay(self, value: float) -> Self:
        """Set kappa of the learning rate (tau0 + t)^-kappa of online steps."""
        self.set(self.learningDecay, value)
        return self

    def setSubsamplingRate(self, value: float) -> Self:
        """Set the share of the documents in a minibatch."""
        self.set(self.subsamplingRate, value)
        return self

    def setOptimizeDocConcentration(self, value: bool) -> Self:
        """Set whether alpha, the prior of topics in documents, is learned."""
        self.set(self.optimizeDocConcentration, value)
        return self

    def setDocConcentration(self, value: list[float]) -> Self:
        """Set alpha, the prior of topics in documents: one number, or one per topic."""
        self.set(self.docConcentration, value)
        return self

    def setTopicConcentration(self, value: float) -> Self:
        """Set eta, the prior of words in topics."""
        self.set(self.topicConcentration, value)
        return self
