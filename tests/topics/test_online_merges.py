"""Topics that an online run merges after a pass, as judged by documents."""

import numpy as np
import pytest
from tests.topics.test_births import N_WORDS, OPEN, WORDS, learned, minibatches, model_of, on_trial

from stickbreaker import HDP, Corpus, Online, SplitMerge
from stickbreaker.core.edits import Merge, apply
from stickbreaker.engines import Interrupted
from stickbreaker.estimators import model_runs
from stickbreaker.testing import plant_topics
from stickbreaker.testing.estimators import StopAfter, begin, contents
from stickbreaker.topics.runs.online_merges import alike
from stickbreaker.topics.runs.topics_on_trial import TopicsOnTrial

GIVEN = {"random_state": 0, "n_jobs": 1, "schedule": Online(64), "tol": 0.0}


def planted(n_topics=4, length=40):
    return plant_topics(256, n_topics, n_words=80, length=length, seed=1)


def merges(model):
    return [edit for record in model.trace_ for edit in record.get("edits", ())]


@pytest.mark.parametrize("inference", ["mean-field", "hybrid"])
def test_an_online_run_that_starts_from_too_many_topics_finds_the_number(inference):
    X, many = planted().counts, {**GIVEN, "inference": inference}
    model = HDP(16, max_iter=17, **many).fit(X)
    assert 4 <= model.n_topics_ <= 6
    assert len(merges(model)) == 16 - model.trace_[-1]["topics"]
    assert HDP(16, max_iter=17, moves=None, **many).fit(X).n_topics_ > 10
    assert {record["pass"] for record in model.trace_ if "edits" in record} <= {1, 2, 4, 8, 16}


def test_topics_of_documents_that_are_too_short_to_judge_stay():
    model = HDP(8, max_iter=2, **GIVEN).fit(planted(length=4).counts)
    assert merges(model) == []


@pytest.mark.parametrize("given", [{"moves": SplitMerge("halves")}, {"representation": "franchise"}])
def test_runs_with_other_moves_merge_no_topics_by_documents(given):
    model = HDP(8, max_iter=2, **{**GIVEN, **given}).fit(planted().counts)
    assert not any(edit["plan"].startswith("alike") for edit in merges(model))


def test_a_copy_is_merged_and_other_topics_stay():
    trial, _, bags = on_trial(8)
    own = trial.counts[:, :1] * 0.5
    more, found = alike(trial.plus(own, trial.params["weights"].values[:1] * 0.5), bags)
    before, other = alike(trial, bags)
    assert more.n_topics == before.n_topics
    assert len(found) == len(other) + 1
    assert more.params["weights"].values.sum() == pytest.approx(1.0 - float(more.params["rest"].values))


@pytest.mark.parametrize("words", ["closed", OPEN], ids=["closed", "open"])
def test_topics_that_are_merged_on_trial_are_those_that_are_merged_in_the_table(words):
    model = learned(model_of(4, moves=None, words=words), minibatches(part=2))
    known = WORDS if words == "closed" else sorted(model.vocabulary_.words)
    places = np.arange(N_WORDS) if words == "closed" else known
    table, merge = model.engine_.table, Merge("topics", 0, 2)
    made = TopicsOnTrial.of(model.learned_.model, model.params_, table, places).merged(2, 0)
    table = table.copy()
    table.edit((merge,))
    params = apply((merge,), model.params_)
    there = TopicsOnTrial.of(model.learned_.model, params, table, places)
    np.testing.assert_allclose(made.counts, there.counts, rtol=1e-9)
    if words == "closed":
        np.testing.assert_allclose(made.words.topic_words(), there.words.topic_words(), rtol=1e-9)
    weights = model.params_["weights"].values
    assert made.params["weights"].values[0] == pytest.approx(weights[0] + weights[2])
    assert made.n_topics == 3


def test_a_run_that_was_interrupted_ends_as_others_do(tmp_path):
    corpus = Corpus.from_matrix(planted().counts).write(tmp_path / "corpus")
    for name in ("whole", "parts"):
        begin(HDP(12, max_iter=4, **GIVEN), corpus, tmp_path / name)
    model_runs.resume(tmp_path / "whole", every=60.0, threads=1)
    for _ in range(20):
        watch = StopAfter(3)
        try:
            model_runs.resume(tmp_path / "parts", every=0.0, threads=2, watch=[watch], stopper=watch.take)
        except Interrupted:
            continue
        break
    assert contents(tmp_path / "parts") == contents(tmp_path / "whole")
    assert merges(HDP.load(tmp_path / "whole"))
