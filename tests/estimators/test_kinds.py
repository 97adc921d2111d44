"""The registry of kinds, and a kind without topics that the shared code learns, saves, resumes and scores."""

import importlib
import json
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from tests.estimators.toy_kind import (
    MIXTURE,
    UNIGRAMS,
    Mixture,
    PlainMixture,
    PlainUnigrams,
    Unigrams,
)

import stickbreaker
from stickbreaker import Corpus, UserError
from stickbreaker.cli import commands
from stickbreaker.core.errors import Interrupted
from stickbreaker.estimators import fitting
from stickbreaker.estimators.kinds import kinds, object_at
from stickbreaker.estimators.saving import load
from stickbreaker.estimators.verb_settings import VerbSettings
from stickbreaker.learning.observers import Observer
from stickbreaker.testing.estimators import untimed
from stickbreaker.topics.topic_estimator import load_topics

OF_TOPICS = {
    "topics": (),
    "name": ("--topic", "0=x"),
    "transform": ("{data}", "--out", "{dir}/shares.csv"),
    "nearest": ("{data}",),
    "compare": ("{model}",),
    "report": ("--out", "{dir}/report.html"),
    "export": ("--format", "gensim-topics", "--out", "{dir}/topics"),
}


@pytest.fixture
def registered(monkeypatch):
    """The registry knows the kinds without topics."""
    for kind in (MIXTURE, UNIGRAMS):
        monkeypatch.setitem(kinds(), kind.name, kind)


@pytest.fixture
def saved(registered, texts, tmp_path):
    Mixture(2, random_state=0).fit(texts).save(tmp_path / "m")
    return tmp_path / "m"


@pytest.mark.parametrize("kind", kinds().values(), ids=kinds())
def test_a_spec_is_of_its_kind(kind):
    assert kind.how().kind == kind.public().kind == kind.name
    assert getattr(stickbreaker, kind.public().__name__) is kind.public()
    assert set(kind.verbs) <= {*commands(), "partial_fit"}
    assert ("partial_fit" in kind.verbs) == callable(getattr(kind.public(), "partial_fit", None))
    assert ("topics" in kind.functions) == ("topics" in kind.verbs)
    assert set(kind.functions) <= set(kind.verbs)
    for verb, one in kind.functions.items():
        assert callable(object_at(one.function)), verb
        assert issubclass(one.settings_class(), VerbSettings)
        assert one.documents is None or callable(object_at(one.documents))
    assert callable(getattr(kind.public(), "transform", None)) == ("transform" in kind.verbs)


# Kinds without topics


@pytest.mark.parametrize(("door", "plain"), [(Mixture, PlainMixture), (Unigrams, PlainUnigrams)])
def test_they_are_saved_and_loaded(door, plain, registered, texts, tmp_path):
    learned = door(random_state=0).fit(texts)
    learned.save(tmp_path / "m")
    for again in (load(tmp_path / "m"), door.load(tmp_path / "m")):
        assert again._sizes() == learned._sizes()
        assert again.trace_[-1]["score"] == learned.trace_[-1]["score"]
        assert again.vocabulary_.words == learned.vocabulary_.words
        assert again._score_documents(Corpus.from_texts(texts)) == learned._score_documents(
            Corpus.from_texts(texts)
        )
    assert type(load(tmp_path / "m")) is plain
    assert door.load(tmp_path / "m").score(texts) == learned.score(texts) < 0.0


def test_its_front_door_keeps_conventions(texts):
    learned = Mixture(3, random_state=1).fit(texts)
    assert clone(learned).get_params() == {
        "n_components": 3,
        "max_iter": 4,
        "n_jobs": None,
        "random_state": 1,
    }
    assert pickle.loads(pickle.dumps(learned)).score(texts) == learned.score(texts)
    with pytest.raises(UserError, match="n_components"):
        Mixture(0).fit(texts)


class Interrupting(Observer):
    def step(self, job, state, record):
        if state.step == 2:
            job.stop()
        return False


@pytest.mark.parametrize("plain", [PlainMixture, PlainUnigrams])
def test_they_go_on_where_they_were_interrupted(plain, registered, texts, tmp_path):
    corpus = Corpus.from_texts(texts).write(tmp_path / "c")
    for name in ("whole", "resumed"):
        fitting.begin(plain(random_state=0), corpus, tmp_path / name)
    fitting.resume(tmp_path / "whole", every=60.0, threads=1)
    with pytest.raises(Interrupted):
        fitting.resume(tmp_path / "resumed", every=60.0, threads=1, watch=[Interrupting()])
    assert json.loads((tmp_path / "resumed" / "model.json").read_bytes())["run"]["step"] == 2
    fitting.resume(tmp_path / "resumed", every=60.0, threads=1)
    whole, resumed = load(tmp_path / "whole"), load(tmp_path / "resumed")
    assert resumed._score_documents(corpus) == whole._score_documents(corpus)
    assert untimed(resumed.trace_) == untimed(whole.trace_)
    assert len(whole.trace_) == 4


@pytest.mark.parametrize("verb", OF_TOPICS)
def test_a_verb_without_meaning_is_one_line(verb, saved, cli, planted, tmp_path):
    words = [word.format(data=planted, dir=tmp_path, model=saved) for word in OF_TOPICS[verb]]
    done = cli(verb, saved, *words, code=1)
    assert done.stdout == ""
    line = f"stickbreaker: {saved}: {verb} does not apply to a model of the kind Mixture; use one of evaluate"
    assert done.stderr.strip().splitlines()[-1] == line


def test_what_loads_topics_refuses_it(saved):
    with pytest.raises(UserError, match="topics does not apply"):
        load_topics(saved, "topics")


def test_it_is_evaluated_by_its_own_measure(saved, cli, planted):
    result = json.loads(cli("evaluate", saved, planted, "--json").stdout)
    assert result["all"]["nats_per_word"] < 0.0
    assert result["all"]["perplexity"] == pytest.approx(np.exp(-result["all"]["nats_per_word"]))
    assert result["all"]["events"] > 0
    assert "nats/word" in cli("evaluate", saved, planted).stdout
    assert "--labels does not apply" in cli("evaluate", saved, planted, "--labels", "x", code=2).stderr


def test_its_summary_counts_what_it_learns(registered, texts, tmp_path, cli):
    corpus = Corpus.from_texts(texts).write(tmp_path / "c")
    fitting.begin(PlainMixture(2, random_state=0), corpus, tmp_path / "m")
    lines = cli("resume", tmp_path / "m").stdout.splitlines()
    assert f"components from {len(texts)} documents in 4 passes" in lines[0]
    assert lines[1:] == [f"Next: stickbreaker evaluate {tmp_path / 'm'}"]


def test_kinds_are_imported_when_they_are_asked_for():
    module = importlib.import_module("stickbreaker.estimators.kinds")
    assert not any(hasattr(module, name) for name in ("PlainLDA", "PlainHDP", "LDA", "HDP"))


@pytest.mark.parametrize("other", ["HDP", "NgramModel", "AdaptorGrammar"])
def test_a_model_of_another_kind_names_the_class_to_load_it_by(tmp_path, other):
    stickbreaker.LDA(2, max_iter=1, tol=0.0, random_state=0).fit(["a river bank", "bank money"]).save(
        tmp_path / "m"
    )
    with pytest.raises(UserError, match=f"is a model of the kind LDA, not {other}; load it by LDA.load"):
        getattr(stickbreaker, other).load(tmp_path / "m")
