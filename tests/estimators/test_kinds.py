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
    Unigrams,
)

import stickbreaker
from stickbreaker import Corpus, UserError
from stickbreaker.cli import commands
from stickbreaker.core.errors import Interrupted
from stickbreaker.estimators import model_runs
from stickbreaker.estimators.kinds import kinds, object_at
from stickbreaker.estimators.model_files import load
from stickbreaker.estimators.verb_settings import VerbSettings
from stickbreaker.learning.observers import Observer
from stickbreaker.testing.estimators import begin, untimed
from stickbreaker.topics.learned import load_topics

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


@pytest.mark.parametrize("door", [Mixture, Unigrams])
def test_they_are_saved_and_loaded(door, registered, texts, tmp_path):
    learned = door(random_state=0).fit(texts)
    learned.save(tmp_path / "m")
    own, corpus = learned.learned_, Corpus.from_texts(texts)
    for again in (load(tmp_path / "m"), door.load(tmp_path / "m").learned_):
        assert type(again) is type(own)
        assert again.sizes() == own.sizes()
        assert again.facts.trace[-1]["score"] == own.facts.trace[-1]["score"]
        assert again.vocabulary.words == own.vocabulary.words
        assert again.log_probability(corpus) == own.log_probability(corpus)
    assert door.load(tmp_path / "m").score(texts) == learned.score(texts) < 0.0


def test_its_front_door_keeps_conventions(registered, texts):
    learned = Mixture(3, random_state=1).fit(texts)
    assert clone(learned).get_params() == {
        "n_components": 3,
        "max_iter": 4,
        "n_jobs": None,
        "random_state": 1,
        "verbose": False,
        "callbacks": None,
    }
    assert pickle.loads(pickle.dumps(learned)).score(texts) == learned.score(texts)
    with pytest.raises(UserError, match="n_components"):
        Mixture(0).fit(texts)


class Interrupting(Observer):
    def step(self, job, state, record):
        if state.step == 2:
            job.stop()
        return False


@pytest.mark.parametrize("door", [Mixture, Unigrams])
def test_they_go_on_where_they_were_interrupted(door, registered, texts, tmp_path):
    corpus = Corpus.from_texts(texts).write(tmp_path / "c")
    for name in ("whole", "resumed"):
        begin(door(random_state=0), corpus, tmp_path / name)
    model_runs.resume(tmp_path / "whole", every=60.0, threads=1)
    with pytest.raises(Interrupted):
        model_runs.resume(tmp_path / "resumed", every=60.0, threads=1, watch=[Interrupting()])
    assert json.loads((tmp_path / "resumed" / "model.json").read_bytes())["run"]["step"] == 2
    model_runs.resume(tmp_path / "resumed", every=60.0, threads=1)
    whole, resumed = load(tmp_path / "whole"), load(tmp_path / "resumed")
    assert resumed.log_probability(corpus) == whole.log_probability(corpus)
    assert untimed(resumed.facts.trace) == untimed(whole.facts.trace)
    assert len(whole.facts.trace) == 4


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
    begin(Mixture(2, random_state=0), corpus, tmp_path / "m")
    lines = cli("resume", tmp_path / "m").stdout.splitlines()
    assert f"components from {len(texts)} documents in 4 passes" in lines[0]
    assert lines[1:] == [f"Next: stickbreaker evaluate {tmp_path / 'm'}"]


def test_kinds_are_imported_when_they_are_asked_for():
    module = importlib.import_module("stickbreaker.estimators.kinds")
    assert not any(hasattr(module, name) for name in ("LDASettings", "HDPSettings", "LDA", "HDP"))


@pytest.mark.parametrize("other", ["HDP", "NgramModel", "AdaptorGrammar"])
def test_a_model_of_another_kind_names_the_class_to_load_it_by(tmp_path, other):
    stickbreaker.LDA(2, max_iter=1, tol=0.0, random_state=0).fit(["a river bank", "bank money"]).save(
        tmp_path / "m"
    )
    with pytest.raises(UserError, match=f"is a model of the kind LDA, not {other}; load it by LDA.load"):
        getattr(stickbreaker, other).load(tmp_path / "m")
