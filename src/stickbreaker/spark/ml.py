"""LDA for pyspark.ml: an Estimator and a Model for pipelines, with MLlib's parameter names."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark import keyword_only
from pyspark.ml import Estimator, Model
from pyspark.ml.feature import CountVectorizerModel
from pyspark.ml.functions import array_to_vector
from pyspark.ml.linalg import DenseMatrix, DenseVector, VectorUDT
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.util import (
    DefaultParamsReadable,
    DefaultParamsReader,
    DefaultParamsWritable,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
)

from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.option_names import ParameterValues
from stickbreaker.corpus import Bags, Corpus, Vocabulary
from stickbreaker.engines.spark import SparkEngine
from stickbreaker.engines.spark.session import in_one_line, local_path, scratch
from stickbreaker.estimators import model_files, model_runs
from stickbreaker.spark.ml_params import LDAParams, SettableLDAParams
from stickbreaker.spark.partition_tasks import Batches, collect_results
from stickbreaker.spark.scoring import Placed, bags_in, refuse_columns, transform_frame
from stickbreaker.spark.store_from_table import corpus_from_frame
from stickbreaker.spark.vectors import corpus_from_vectors
from stickbreaker.topics.learned import TopicsLearned, load_topics
from stickbreaker.topics.learner import LDA as LEARNER
from stickbreaker.topics.model.word_ranking import leading_words
from stickbreaker.topics.settings import LDASettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from stickbreaker.topics.lda import LDA as FittedLDA

MODEL = "model"  # the folder of the library's model inside a saved LDAModel


def _engine(session: "SparkSession") -> SparkEngine:
    """The engine on which the estimator learns, with files where executors see them (`scratch`)."""
    return SparkEngine(session, folder=scratch(session))


class LDA(Estimator["LDAModel"], SettableLDAParams, DefaultParamsReadable["LDA"], DefaultParamsWritable):
    """Latent Dirichlet allocation as a stage of pyspark.ml, with the parameters of MLlib's LDA.

    The features are vectors of counts, token lists or texts. `vocabulary` names the words of vectors: a list,
    or the CountVectorizerModel that made them; for tokens and texts it is the words to keep. `maxIter` counts
    passes over the documents. `checkpointInterval` is accepted and has no effect: every step's table is a
    file, and there is no lineage to cut.

    Raises UserError for invalid parameters or rows.
    """

    vocabulary: Param[list[str]] = Param(
        Params._dummy(), "vocabulary", "the words of the features, in order", TypeConverters.toListString
    )

    _input_kwargs: ParameterValues  # set by `keyword_only`

    @keyword_only
    def __init__(
        self,
        *,
        featuresCol: str = "features",
        maxIter: int = 20,
        seed: int | None = None,
        checkpointInterval: int = 10,
        k: int = 10,
        optimizer: str = "online",
        learningOffset: float = 64.0,
        learningDecay: float = 0.7,
        subsamplingRate: float = 0.05,
        optimizeDocConcentration: bool = True,
        docConcentration: list[float] | None = None,
        topicConcentration: float | None = None,
        topicDistributionCol: str = "topicDistribution",
        vocabulary: list[str] | CountVectorizerModel | None = None,
    ) -> None:
        super().__init__()
        self.setParams(**self._input_kwargs)

    def setParams(self, **given: Any) -> "LDA":
        """Set parameters by name; those that are None stay as they are."""
        values = {name: value for name, value in given.items() if value is not None}
        words = values.pop("vocabulary", None)
        self._set(**values)
        return self if words is None else self.setVocabulary(words)

    def setVocabulary(self, value: "list[str] | CountVectorizerModel") -> "LDA":
        """Set the words of the vectors' entries: a list, or the CountVectorizerModel that made them."""
        self.set(self.vocabulary, value.vocabulary if isinstance(value, CountVectorizerModel) else value)
        return self

    def getVocabulary(self) -> list[str] | None:
        """The words that stand for the vectors' entries; None if not set."""
        return self.getOrDefault(self.vocabulary) if self.isSet(self.vocabulary) else None

    def _fit(self, dataset: "DataFrame") -> "LDAModel":
        session = dataset.sparkSession
        refuse_columns(dataset, self.getFeaturesCol(), self.getTopicDistributionCol())
        LEARNER.check(LDASettings(**self.settings(1)))  # before anything is done
        with tempfile.TemporaryDirectory(dir=scratch(session)) as folder:
            corpus = self._corpus(dataset, Path(folder) / "corpus")
            settings = LDASettings(**self.settings(corpus.n_documents), engine=_engine(session))
            learned = model_runs.learn(LEARNER, settings, corpus)
        return self._copyValues(LDAModel.of(learned, self.uid))

    def _corpus(self, dataset: "DataFrame", out: Path) -> Corpus:
        """The features of a table as a corpus, which is stored in `out`."""
        column, words = self.getFeaturesCol(), self.getVocabulary()
        vocabulary = None if words is None else Vocabulary.of(words)
        if isinstance(dataset.schema[column].dataType, VectorUDT):
            return corpus_from_vectors(dataset, out, column, vocabulary)
        return corpus_from_frame(dataset.select(column), out, column, vocabulary=vocabulary)


class LDAModel(Model, LDAParams, MLReadable["LDAModel"], MLWritable):
    """A fitted model: topics, and `transform`, which adds a column of topic shares.

    `learned` is what was learned, as the library has it, and `estimator` its own fitted LDA. A saved model is
    a directory with pyspark.ml's metadata, and the library's model in "model".
    """

    learned: TopicsLearned

    def __init__(self) -> None:
        super().__init__()
        self._placed: Placed | None = None

    @classmethod
    def of(cls, learned: TopicsLearned, uid: str, placed: Placed | None = None) -> "LDAModel":
        """Make the pyspark.ml model of what was learned. placed: where it is saved, if it is."""
        model = cls()
        model.learned, model._placed = learned, placed
        model._resetUid(uid)
        return model

    @property
    def estimator(self) -> "FittedLDA":
        """The library's own LDA that has learned the topics."""
        from stickbreaker.topics.lda import LDA as FittedLDA  # brings scikit-learn

        return FittedLDA.of(self.learned)

    def _place(self, session: "SparkSession") -> Placed:
        """Where executors can load the model: where it was loaded from, or a temporary folder."""
        if self._placed is None or not self._placed.is_there:
            self._placed = Placed.of(self.learned, session)
        return self._placed

    def _transform(self, dataset: "DataFrame") -> "DataFrame":
        output = self.getTopicDistributionCol()
        scored = transform_frame(self._place(dataset.sparkSession), dataset, self.getFeaturesCol(), output)
        return scored.withColumn(output, array_to_vector(scored[output]))

    def vocabSize(self) -> int:
        """The number of words in the vocabulary."""
        return len(self.learned.vocabulary)

    def topicsMatrix(self) -> DenseMatrix:
        """E[beta], the topics' distributions over words (words × topics); columns sum to one."""
        topics = self.learned.topic_word
        return DenseMatrix(topics.shape[1], topics.shape[0], topics.ravel())

    def estimatedDocConcentration(self) -> DenseVector:
        """alpha, the prior of topics in documents (topics)."""
        return DenseVector(self.learned.alpha)

    def isDistributed(self) -> bool:
        """False: the model stores nothing about the documents that it was fitted to."""
        return False

    def describeTopics(self, maxTermsPerTopic: int = 10) -> "DataFrame":
        """A table of each topic's most probable words: topic, termIndices, terms, termWeights.

        termIndices are the words' numbers in the vocabulary, termWeights their probabilities.
        """
        from pyspark.sql import SparkSession

        words = self.learned.vocabulary.words
        found = (each.tolist() for each in leading_words(self.learned.topic_words, maxTermsPerTopic))
        rows = [
            (k, places, [words[place] for place in places], weights)
            for k, (places, weights) in enumerate(zip(*found, strict=True))
        ]
        schema = "topic int, termIndices array<int>, terms array<string>, termWeights array<double>"
        return SparkSession.active().createDataFrame(rows, schema)

    def logLikelihood(self, dataset: "DataFrame") -> float:
        """The log probability of the documents given the topics, in nats (MLlib's is a lower bound on it)."""
        return self._sums(dataset, TopicsLearned.log_probability_of_bags)[0]

    def logPerplexity(self, dataset: "DataFrame") -> float:
        """Minus the log probability of the documents, in nats per token. UserError without a known word."""
        nats, tokens = self._sums(dataset, TopicsLearned.log_probability_of_bags)
        if not tokens:
            raise UserError("there is nothing to score", remedy="no document has a word of the vocabulary")
        return -nats / tokens

    def bound(self, dataset: "DataFrame") -> float:
        """The lower bound on `logLikelihood` that inference maximises, in nats."""
        return self._sums(dataset, TopicsLearned.bound_of_bags)[0]

    def _sums(
        self, dataset: "DataFrame", nats_of: "Callable[[TopicsLearned, Bags], float]"
    ) -> tuple[float, float]:
        """Add up what a function of learned topics and bags of words returns for documents, in nats; also
        returns their tokens.
        """
        placed = self._place(dataset.sparkSession)

        def task(_: int, batches: Batches) -> JsonObject:
            nats = tokens = 0.0
            for batch in batches:
                with placed.read() as learned:
                    for bags in bags_in(learned, batch.column(0)):
                        nats += nats_of(learned, bags)
                        tokens += float(bags.counts.sum(dtype=np.float64))
            return {"nats": float(nats), "tokens": tokens}

        scores = collect_results(dataset.select(self.getFeaturesCol()), task)
        return sum(one["nats"] for one in scores), sum(one["tokens"] for one in scores)

    def write(self) -> "LDAModelWriter":
        """A writer for the model and its parameters."""
        return LDAModelWriter(self)

    @classmethod
    def read(cls) -> "LDAModelReader":
        """A reader for saved models."""
        return LDAModelReader()


class LDAModelWriter(DefaultParamsWriter):
    """Saves an `LDAModel` as a directory: pyspark.ml's metadata, and the library's own model."""

    instance: LDAModel

    def save(self, path: str) -> None:
        """Save the model at a path that the driver and all executors see."""
        super().save(f"file://{local_path(path).absolute()}")

    def saveImpl(self, path: str) -> None:
        """Save the model at a path, called by `save`. Raises Spark's error if there is a model already."""
        super().saveImpl(path)
        model_files.save(self.instance.learned, local_path(path) / MODEL, overwrite=False)


class LDAModelReader(MLReader[LDAModel]):
    """Loads an `LDAModel` from a directory that `LDAModelWriter` wrote."""

    def load(self, path: str) -> LDAModel:
        """The model saved at a path. Raises UserError naming a file that is missing or altered."""
        folder = local_path(path).absolute()
        with in_one_line(where=folder):
            metadata = DefaultParamsReader.loadMetadata(f"file://{folder}", self.sparkSession)
        learned = load_topics(folder / MODEL, "transform")
        engine = learned.engine  # a stage saved onto itself, in a pipeline too, is removed first
        engine.table = engine.table.copy()
        model = LDAModel.of(learned, metadata["uid"], Placed.at(folder / MODEL))
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model
