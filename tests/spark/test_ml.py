"""LDA as a stage of pyspark.ml: parameters, fitting, transforming, saving, pipelines."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark")

from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import Evaluator
from pyspark.ml.feature import CountVectorizer, Tokenizer
from pyspark.ml.functions import vector_to_array
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

from stickbreaker import LDA as OwnLDA
from stickbreaker import Corpus, Online, UserError
from stickbreaker.spark import LDA, LDAModel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TEXTS = [
    f"{a} {b} {c}" if i % 2 else f"{d} {e} {d}"
    for i in range(6)
    for a, b, c, d, e in [
        ("river", "boat", "water", "bank", "loan"),
        ("boat", "fish", "river", "money", "loan"),
    ]
]


@pytest.fixture(scope="module")
def frame(spark: "SparkSession") -> "DataFrame":
    """Twelve texts of two themes in one block: texts, tokens, vectors of counts, and what counted them."""
    tokens = spark.createDataFrame(pa.table({"text": TEXTS, "tokens": [text.split() for text in TEXTS]}))
    counter = CountVectorizer(inputCol="tokens", outputCol="features").fit(tokens)
    made = counter.transform(tokens).coalesce(1).cache()
    made.counter = counter
    return made


@pytest.fixture(scope="module")
def model(frame: "DataFrame") -> LDAModel:
    """A small model of the vectors, whose words are known. Tests must not change it."""
    return LDA(k=2, maxIter=8, seed=3, optimizer="em", vocabulary=frame.counter).fit(frame)


def counts_of(frame: "DataFrame") -> np.ndarray:
    return np.array([row["features"].toArray() for row in frame.select("features").collect()])


def shares_of(frame: "DataFrame", column: str = "topicDistribution") -> np.ndarray:
    return np.array([row[0].toArray() for row in frame.select(column).collect()])


def described(model: LDAModel) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in model.describeTopics(3).collect()]


def test_it_learns_what_the_library_learns(frame: "DataFrame", model: LDAModel) -> None:
    words = frame.counter.vocabulary
    theirs = OwnLDA(2, max_iter=8, random_state=3).fit(Corpus.from_matrix(counts_of(frame), words))
    assert model.vocabSize() == len(words)
    assert np.array_equal(model.estimator.components_, theirs.components_)
    assert np.array_equal(shares_of(model.transform(frame)), theirs.transform(counts_of(frame)))
    assert np.array_equal(model.topicsMatrix().toArray(), theirs.topic_word_.T)
    assert np.array_equal(model.estimatedDocConcentration().toArray(), theirs.alpha_)
    assert model.isDistributed() is False
    assert [row[2] for row in described(model)] == theirs.top_words(3, by="probability")


def test_topics_are_described_by_words(model: LDAModel) -> None:
    table = model.describeTopics(2)
    told = "struct<topic:int,termIndices:array<int>,terms:array<string>,termWeights:array<double>>"
    assert table.schema.simpleString() == told
    rows = table.collect()
    assert [row["topic"] for row in rows] == [0, 1]
    words = model.estimator.vocabulary_.words
    for row in rows:
        assert row["terms"] == [words[place] for place in row["termIndices"]]
        assert row["termWeights"] == sorted(row["termWeights"], reverse=True)
    firsts = {row["terms"][0] for row in rows}
    assert len(firsts & {"river", "boat"}) == len(firsts & {"loan", "bank", "money"}) == 1


def test_scores(frame: "DataFrame", model: LDAModel) -> None:
    counts = counts_of(frame)
    corpus = Corpus.from_matrix(counts, model.estimator.vocabulary_.words)
    theirs = OwnLDA(2, max_iter=8, random_state=3).fit(corpus)
    assert model.logLikelihood(frame) == pytest.approx(theirs.score(corpus) * counts.sum(), rel=1e-12)
    assert model.logPerplexity(frame) == pytest.approx(-theirs.score(corpus), rel=1e-12)
    assert model.bound(frame) == pytest.approx(theirs.bound(corpus) * counts.sum(), rel=1e-12)
    with pytest.raises(UserError, match="there is nothing to score"):
        model.logPerplexity(frame.limit(0))


def test_tokens_and_texts_are_features_too(frame: "DataFrame") -> None:
    tokens = [row["tokens"] for row in frame.collect()]
    ours = LDA(featuresCol="tokens", k=2, maxIter=4, seed=5, subsamplingRate=0.5).fit(frame)
    schedule = Online(batch_size=6, kappa=0.7, tau0=64.0)
    theirs = OwnLDA(2, max_iter=4, random_state=5, schedule=schedule).fit(tokens)
    np.testing.assert_allclose(ours.estimator.components_, theirs.components_, rtol=1e-8)
    np.testing.assert_allclose(shares_of(ours.transform(frame)), theirs.transform(tokens), rtol=1e-6)
    words = ["boat", "loan", "absent"]
    read = LDA(featuresCol="text", k=2, maxIter=2, seed=5, optimizer="em", vocabulary=words).fit(frame)
    assert read.estimator.vocabulary_.words == tuple(words)
    assert shares_of(read.transform(frame)).shape == (12, 2)


@pytest.mark.usefixtures("spark")
def test_parameters_are_mllibs_by_name() -> None:
    from pyspark.ml.clustering import LDA as MLlib

    ours = {param.name for param in LDA().params}
    assert {param.name for param in MLlib().params} - ours == {"keepLastCheckpoint"}
    assert ours - {param.name for param in MLlib().params} == {"vocabulary"}


def test_settings() -> None:
    lda = LDA(k=4, maxIter=7, seed=-1, subsamplingRate=0.1, learningOffset=9.0, learningDecay=0.6)
    told = lda.settings(1000)
    assert told["schedule"] == Online(batch_size=100, kappa=0.6, tau0=9.0)
    assert (told["n_topics"], told["max_iter"], told["random_state"]) == (4, 7, 2**32 - 1)
    assert told["alpha"] == "learned"
    assert "eta" not in told
    em = lda.setOptimizer("em").setDocConcentration([0.1]).setTopicConcentration(0.2).settings(1000)
    assert (em["schedule"], em["alpha"], em["eta"]) == ("batch", 0.1, 0.2)
    assert lda.setDocConcentration([0.1, 0.2, 0.3, 0.4]).settings(9)["alpha"] == [0.1, 0.2, 0.3, 0.4]
    assert LDA(k=4, optimizeDocConcentration=False).settings(9)["alpha"] == 0.25
    assert LDA(seed=1).settings(9) == LDA().setSeed(1).settings(9)


def test_setters_and_getters() -> None:
    values = {
        "FeaturesCol": "f", "MaxIter": 3, "Seed": 4, "CheckpointInterval": 2, "K": 5, "Optimizer": "em",
        "LearningOffset": 2.0, "LearningDecay": 0.9, "SubsamplingRate": 0.3,
        "OptimizeDocConcentration": False, "DocConcentration": [0.5], "TopicConcentration": 0.1,
        "TopicDistributionCol": "t", "Vocabulary": ["a", "b"],
    }  # fmt: skip
    lda = LDA()
    assert lda.getVocabulary() is None
    for name, value in values.items():
        assert getattr(lda, "set" + name)(value) is lda
        assert getattr(lda, "get" + name)() == value
    names = {param.name for param in lda.params}
    assert {name[0].lower() + name[1:] for name in values} == names
    assert lda.setParams(k=7, vocabulary=None) is lda
    assert (lda.getK(), lda.getVocabulary()) == (7, ["a", "b"])
    assert lda.setParams(vocabulary=["c"]).getVocabulary() == ["c"]


def test_mllibs_methods_are_there() -> None:
    """But for a distributed model's last checkpoint, since there is none."""
    from pyspark.ml.clustering import LDA as MLlib
    from pyspark.ml.clustering import LocalLDAModel

    def missing(theirs: type, ours: type) -> set[str]:
        return {name for name in dir(theirs) if not name.startswith("_")} - set(dir(ours))

    assert missing(MLlib, LDA) == {"getKeepLastCheckpoint", "keepLastCheckpoint", "setKeepLastCheckpoint"}
    assert missing(LocalLDAModel, LDAModel) == {"getKeepLastCheckpoint", "keepLastCheckpoint"}


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"optimizer": "gibbs"}, "optimizer='gibbs'; optimizer is"),
        ({"subsamplingRate": 0.0}, "subsamplingRate=0.0; it is above 0"),
        ({"learningDecay": 3.0}, "kappa=3.0"),
        ({"k": 0}, "n_topics=0"),
        ({"docConcentration": [0.1, 0.2, 0.3]}, "alpha has the shape"),
        (
            {"docConcentration": [0.1], "optimizeDocConcentration": True},
            "docConcentration is given, but optimizeDocConcentration",
        ),
        ({"featuresCol": "none"}, "the table: no column 'none'"),
        ({"topicDistributionCol": "text"}, "the table: there is a column 'text'"),
        ({"vocabulary": ["a", "b"]}, "row 0: the vector has 7 entries, the model 2 words"),
    ],
)
def test_wrong_parameters_are_one_line(frame: "DataFrame", parameters: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError, match=told):
        LDA(**{"k": 2, "maxIter": 1, **parameters}).fit(frame)


def test_wrong_types_are_told_by_pyspark() -> None:
    with pytest.raises(TypeError, match="k"):
        LDA(k="many")
    with pytest.raises(TypeError, match="unexpected keyword"):
        LDA(topics=3)


def test_parameter_maps_make_other_models(frame: "DataFrame") -> None:
    lda = LDA(k=2, maxIter=1, seed=1, optimizer="em")
    (three,) = lda.fit(frame, [{lda.k: 3}])
    assert (three.getK(), lda.getK()) == (3, 2)
    assert three.topicsMatrix().numCols == 3
    renamed = three.transform(frame, {three.topicDistributionCol: "shares"})
    assert np.array_equal(shares_of(renamed, "shares"), shares_of(three.transform(frame)))
    copy = three.copy({three.featuresCol: "tokens"})
    assert (copy.getFeaturesCol(), three.getFeaturesCol()) == ("tokens", "features")
    assert copy.learned is three.learned


def test_a_model_saves_and_loads(frame: "DataFrame", model: LDAModel, tmp_path: Path) -> None:
    path = tmp_path / "saved model%20"
    model.write().save(str(path))
    assert sorted(one.name for one in path.iterdir()) == ["metadata", "model"]
    loaded = LDAModel.load(f"file://{path}")
    assert loaded.uid == model.uid
    assert loaded.getK() == 2
    assert described(loaded) == described(model)
    assert np.array_equal(shares_of(loaded.transform(frame)), shares_of(model.transform(frame)))
    assert OwnLDA.load(path / "model").top_words(2) == model.estimator.top_words(2)
    with pytest.raises(Exception, match=r"(?i)already exists"):
        loaded.save(str(path))
    loaded.write().overwrite().save(str(path))  # onto itself
    assert described(LDAModel.load(str(path))) == described(model)
    assert np.array_equal(shares_of(loaded.transform(frame)), shares_of(model.transform(frame)))
    for file in path.rglob("*"):
        assert "pickle" not in file.name
        assert file.is_dir() or not file.read_bytes().startswith(b"\x80")


def test_an_estimator_saves_and_loads(frame: "DataFrame", tmp_path: Path) -> None:
    lda = LDA(k=3, vocabulary=frame.counter, docConcentration=[0.3], seed=2)
    lda.save(str(tmp_path / "lda"))
    loaded = LDA.load(str(tmp_path / "lda"))
    assert loaded.uid == lda.uid
    assert loaded.settings(100) == lda.settings(100)
    assert loaded.getVocabulary() == frame.counter.vocabulary


def test_damage_is_told_by_name(model: LDAModel, tmp_path: Path) -> None:
    path = tmp_path / "saved"
    model.save(str(path))
    state = path / "model" / "state.safetensors"
    state.write_bytes(state.read_bytes()[:-9])
    with pytest.raises(UserError, match=r"state\.safetensors"):
        LDAModel.load(str(path))
    with pytest.raises(UserError, match=r"none: Spark failed \(.*PATH_NOT_FOUND"):
        LDAModel.load(str(tmp_path / "none"))
    with pytest.raises(UserError, match="cannot read or write hdfs:"):
        model.save("hdfs://somewhere/model")


def test_a_pipeline_saves_and_loads(frame: "DataFrame", tmp_path: Path) -> None:
    stages = [
        Tokenizer(inputCol="text", outputCol="split"),
        CountVectorizer(inputCol="split", outputCol="counts"),
        LDA(featuresCol="counts", k=2, maxIter=3, seed=1, optimizer="em"),
    ]
    texts = frame.select("text")
    Pipeline(stages=stages).save(str(tmp_path / "pipeline"))
    fitted = Pipeline.load(str(tmp_path / "pipeline")).fit(texts)
    shares = shares_of(fitted.transform(texts))
    assert np.allclose(shares.sum(axis=1), 1.0)
    fitted.save(str(tmp_path / "fitted"))
    loaded = PipelineModel.load(str(tmp_path / "fitted"))
    loaded.write().overwrite().save(str(tmp_path / "fitted"))
    again = PipelineModel.load(str(tmp_path / "fitted"))
    assert isinstance(again.stages[2], LDAModel)
    assert again.stages[2].getFeaturesCol() == "counts"
    assert np.array_equal(shares_of(again.transform(texts)), shares)
    (metadata,) = (tmp_path / "pipeline" / "metadata").glob("part-*")
    assert json.loads(metadata.read_text())["paramMap"]["language"] == "Python"


class Sureness(Evaluator):
    """How well topics tell themselves apart: the mean of the largest share."""

    def _evaluate(self, dataset: "DataFrame") -> float:
        table = dataset.select(vector_to_array("topicDistribution")).collect()
        return float(np.mean([max(row[0]) for row in table]))


def test_cross_validation_chooses(frame: "DataFrame") -> None:
    lda = LDA(maxIter=1, seed=1, optimizer="em")
    grid = ParamGridBuilder().addGrid(lda.k, [1, 2]).build()
    chosen = CrossValidator(
        estimator=lda, estimatorParamMaps=grid, evaluator=Sureness(), numFolds=2, seed=1, parallelism=1
    ).fit(frame)
    assert isinstance(chosen.bestModel, LDAModel)
    assert chosen.bestModel.getK() == 1  # one topic's share is always one
    assert chosen.avgMetrics[0] == 1.0 > chosen.avgMetrics[1]


def test_rows_keep_their_other_columns(frame: "DataFrame", model: LDAModel) -> None:
    scored = model.transform(frame)
    assert scored.columns == ["text", "tokens", "features", "topicDistribution"]
    kept = scored.select("text", "tokens", "features").collect()
    assert kept == frame.collect()
