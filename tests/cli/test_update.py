"""`update`: finished models learn from more documents, as `partial_fit` does."""

import json
import signal

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.running import SMALL, TOPICS, planted_documents, write_lines

from stickbreaker import HDP, LDA, AdaptorGrammar, Corpus
from stickbreaker.estimators import updating
from stickbreaker.saved import ModelDirectory

DAY = ("--date", "2026-11-30")
KINDS = {
    "lda": (LDA, ("fit", "lda", *SMALL)),
    "hdp": (HDP, ("fit", "hdp", "--topics", 4, "--iterations", 5, "--threads", 1)),
    "open": (LDA, ("fit", "lda", *SMALL, "--words", "open", "--iterations", 3)),
}


@pytest.fixture(scope="module")
def more(tmp_path_factory):
    """New documents, with words that were not there before."""
    documents = planted_documents(50, seed=7)
    for number, one in enumerate(documents):
        one["text"] += " novel" * (number % 3)
    return write_lines(tmp_path_factory.mktemp("more") / "more.jsonl", documents), documents


@pytest.fixture(scope="module", params=KINDS)
def kind(request, cli, planted, tmp_path_factory):
    """A kind of models, and a fitted one."""
    made, fit = KINDS[request.param]
    path = tmp_path_factory.mktemp(request.param) / "m"
    cli(*fit, planted, "--out", path)
    return made, path


def table_of(model):
    return np.asarray(model.components_)


def test_it_is_partial_fit(kind, cli, more, tmp_path):
    made, path = kind
    file, documents = more
    done = cli("update", path, file, "--out", tmp_path / "new", "--batch-size", 20, *DAY, "--json")
    told = json.loads(done.stdout)
    assert (told["documents"], told["documents_in_all"], told["updates"]) == (50, 110, 1)
    model, texts = made.load(path), [one["text"] for one in documents]
    for start in range(0, 50, 20):
        model.partial_fit(texts[start : start + 20])
    new = made.load(tmp_path / "new")
    assert new.vocabulary_.words == model.vocabulary_.words
    assert np.array_equal(table_of(new), table_of(model))
    assert new.n_steps_ == model.n_steps_
    assert made.load(path).n_steps_ == new.n_steps_ - 3, "the model itself is as it was"
    assert [tuple(one) for one in new.updates_] == [("2026-11-30", 50, 50, new.updates_[0].fingerprint)]


def test_a_model_is_updated_in_its_place_again_and_again(cli, planted, more, tmp_path):
    path = tmp_path / "m"
    cli("fit", "lda", planted, "--out", path, *SMALL)
    cli("name", path, "--topic", "0=boats")
    first = cli("update", path, more[0], *DAY)
    assert (
        f"{path}: learned from 50 documents more, 110 in all; 6.1 % of the words are not known\n"
        in first.stdout
    )
    assert "50 of 50 documents learned from" in first.stderr
    figures = json.loads(pq.read_schema(path / "documents.parquet").metadata[b"stickbreaker"])
    assert figures["unigram"] < 0.0, "its documents are known to be learned from"
    cli("update", path, planted, "--date", "2026-12-31", "--threads", 2)
    page = tmp_path / "report.html"
    cli("report", path, "--out", page)
    assert "2026-11-30: 50 documents; 2026-12-31: 60 documents" in page.read_text()
    assert LDA.load(path).topic_names_[0] == "boats"
    documents = cli("evaluate", path, planted, "--json")
    assert json.loads(documents.stdout)["documents"] == 60


def test_any_threads_give_the_same_bytes(cli, model, more, tmp_path):
    for threads in (1, 2):
        place = tmp_path / str(threads)
        cli("update", model, more[0], "--out", place, "--batch-size", 20, *DAY, "--threads", threads)
    states = [{k: v for k, v in files(tmp_path / str(n)).items() if k != "trace.jsonl"} for n in (1, 2)]
    for name in states[0]:
        assert name == "model.json" or states[0][name] == states[1][name], name


def files(path):
    return {one.name: one.read_bytes() for one in path.iterdir() if one.is_file()}


def test_an_interrupted_update_goes_on(cli, model, more, tmp_path, monkeypatch):
    whole, out = tmp_path / "whole", tmp_path / "m"
    line = ("update", model, more[0], "--batch-size", 10, *DAY)
    cli(*line, "--out", whole)
    steps = updating.Updating.steps

    def interrupted(self, size):
        for number, record in enumerate(steps(self, size)):
            if number == 1:
                signal.raise_signal(signal.SIGINT)
            yield record

    monkeypatch.setattr(updating.Updating, "steps", interrupted)
    told = cli(*line, "--out", out, code=1).stderr
    assert "interrupted; what was learned is saved, give the same command again to continue" in told
    monkeypatch.undo()
    assert ModelDirectory(out).manifest()["updates"][0]["documents"] == 20
    assert len(LDA.load(out).alpha_) == 3, "it can be used meanwhile"
    other = write_lines(tmp_path / "other.jsonl", planted_documents(5))
    error = cli("update", model, other, "--out", out, code=1).stderr
    assert "an update with other documents was interrupted after 20 of 50; give them again" in error
    assert "continuing after 20 documents" in cli(*line, "--out", out).stderr
    again, first = LDA.load(out), LDA.load(whole)
    assert np.array_equal(table_of(again), table_of(first))
    assert again.updates_ == first.updates_
    assert [r["step"] for r in again.trace_] == [r["step"] for r in first.trace_]


def test_grammars_learn_more(cli, tmp_path):
    lines = [one["text"].replace(" ", "") for one in planted_documents(30)]
    new = [one["text"].replace(" ", "") for one in planted_documents(25, seed=5)]
    for name, own in (("a", lines), ("b", new)):
        (tmp_path / f"{name}.txt").write_text("\n".join(own) + "\n")
    learn = ("--grammar", "unigram", "--inference", "hybrid", "--iterations", 1, "--threads", 1)
    cli("fit", "grammar", tmp_path / "a.txt", *learn, "--out", tmp_path / "m")
    cli("update", tmp_path / "m", tmp_path / "b.txt", "--out", tmp_path / "n", "--batch-size", 10, *DAY)
    model = AdaptorGrammar.load(tmp_path / "m")
    for start in range(0, 25, 10):
        model.partial_fit(new[start : start + 10])
    again = AdaptorGrammar.load(tmp_path / "n")
    assert [tuple(one) for one in again.subtrees()] == [tuple(one) for one in model.subtrees()]


def test_what_cannot_be_updated_says_so(cli, model, planted, more, tmp_path):
    cli("fit", "ngram", planted, "--topics", 2, "--out", tmp_path / "n", "--iterations", 2)
    assert "update does not apply to a model" in cli("update", tmp_path / "n", more[0], code=1).stderr
    cli("fit", "lda", planted, "--out", tmp_path / "g", *SMALL, "--inference", "gibbs", "--iterations", 2)
    error = cli("update", tmp_path / "g", more[0], code=1).stderr
    assert "--inference gibbs does not go with partial_fit" in error
    (tmp_path / "empty.jsonl").write_text("")
    before = files(model)
    assert cli("update", model, tmp_path / "empty.jsonl", code=1).stderr.count("\n") == 1
    assert "is not a day" in cli("update", model, more[0], "--date", "soon", code=2).stderr
    assert "already exists" in cli("update", model, more[0], "--out", tmp_path / "n", code=1).stderr
    assert files(model) == before


def test_documents_without_a_known_word(cli, model, tmp_path):
    new = write_lines(tmp_path / "new.jsonl", [{"text": "zebra"}] * 3)
    cli("update", model, new, "--out", tmp_path / "m", *DAY)
    assert np.isfinite(table_of(LDA.load(tmp_path / "m"))).all()


def test_a_part_of_a_corpus_is_its_documents():
    texts = [" ".join(topic) for topic in TOPICS] * 3
    corpus = Corpus.from_texts(texts)
    part = corpus.part(2, 7)
    assert part.ids(0) == corpus.ids(0)[2:7]
    alike = Corpus.from_texts(texts[2:7], vocabulary=corpus.vocabulary)
    assert part.n_tokens == alike.n_tokens
    assert (part.bags(0).words == alike.bags(0).words).all()
    assert corpus.part(5, 100).n_documents == len(texts) - 5
