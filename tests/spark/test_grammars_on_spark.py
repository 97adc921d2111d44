"""Adaptor grammars by variational inference: what Spark learns is what one machine learns."""

import numpy as np
import pytest

from stickbreaker import AdaptorGrammar, Corpus, Online, UserError, VocabularyRule
from stickbreaker.engines.spark import SparkEngine
from stickbreaker.grammars.text_symbols import analysis_of_symbols

WORDS = ("the", "a", "dog", "cat", "saw", "ran")
RUNS = {
    "hybrid, online": {"schedule": Online(100, total="seen"), "max_iter": 2, "refine_every": 3},
    "hybrid, batch": {"schedule": "batch", "max_iter": 3},
    "hybrid, collocations": {"grammar": "collocation", "schedule": Online(100, total="seen"), "max_iter": 2},
    "mean-field": {"inference": "mean-field", "truncation": 200, "max_iter": 4},
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    generator = np.random.default_rng(0)
    texts = ["".join(generator.choice(WORDS, size)) for size in generator.integers(2, 5, 300)]
    made = Corpus.from_texts(texts, analysis=analysis_of_symbols("characters"), rule=VocabularyRule(1, 1.0))
    return made.write(tmp_path_factory.mktemp("sentences") / "corpus")


@pytest.mark.parametrize("run", RUNS)
def test_a_cluster_learns_what_one_machine_learns(spark, corpus, tmp_path, run):
    engines = SparkEngine(spark, portion=128, blocks=3, folder=tmp_path), "local"
    settings = {"grammar": "unigram", "inference": "hybrid", "random_state": 1, "n_jobs": 1, **RUNS[run]}
    there, here = (AdaptorGrammar(**settings, engine=engine).fit(corpus) for engine in engines)
    for name in ("text", "symbol"):
        found = [sorted(getattr(one, name) for one in model.subtrees()) for model in (there, here)]
        assert found[0] == found[1]
    uses = [{(one.symbol, one.text): one.customers for one in model.subtrees()} for model in (there, here)]
    assert uses[0] == pytest.approx(uses[1], rel=1e-7, abs=1e-7)
    np.testing.assert_allclose(there.concentrations_, here.concentrations_, rtol=5e-3)  # found by search
    np.testing.assert_allclose(there.discounts_, here.discounts_, rtol=5e-3, atol=1e-6)
    scores = [[record["score"] for record in model.trace_] for model in (there, here)]
    np.testing.assert_allclose(*scores, rtol=1e-5)
    assert there.segment(["thedogran"]) == here.segment(["thedogran"])


def test_topics_with_shares_by_document_are_the_same(spark, tmp_path):
    generator = np.random.default_rng(1)
    texts = [generator.choice(WORDS, 12).tolist() for _ in range(200)]
    corpus = Corpus.from_tokens(texts, rule=VocabularyRule(1, 1.0)).write(tmp_path / "corpus")
    settings = {"inference": "hybrid", "n_topics": 2, "max_iter": 2, "random_state": 1, "n_jobs": 1}
    settings |= {"schedule": Online(50, total="seen")}
    engines = SparkEngine(spark, portion=64, blocks=3, folder=tmp_path), "local"
    there, here = (AdaptorGrammar("topic", **settings, engine=engine).fit(corpus) for engine in engines)
    uses = [{(one.symbol, one.text): one.customers for one in model.subtrees()} for model in (there, here)]
    assert uses[0] == pytest.approx(uses[1], rel=1e-7, abs=1e-7)
    np.testing.assert_allclose(there.learned_.model.parser.alpha, here.learned_.model.parser.alpha, rtol=1e-7)


def test_chains_do_not_run_on_spark(spark, corpus):
    with pytest.raises(UserError, match='needs inference="hybrid" or inference="mean-field"'):
        AdaptorGrammar(engine=SparkEngine(spark)).fit(corpus)


def test_steps_go_on_here_from_what_spark_learned(spark, corpus, tmp_path):
    engine = SparkEngine(spark, portion=128, blocks=3, folder=tmp_path)
    model = AdaptorGrammar("unigram", inference="hybrid", max_iter=1, random_state=0, engine=engine)
    model.fit(corpus)
    with pytest.raises(UserError, match="partial_fit does not learn on Spark"):
        model.partial_fit(["thedog"])
    before = model.n_steps_
    model.set_params(engine="local")
    assert model.partial_fit(["thedogran", "acat"]).n_steps_ == before + 1
