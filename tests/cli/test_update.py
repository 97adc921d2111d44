"""`update`: finished models learn from more documents, as `partial_fit` does."""

import json
import signal
from collections import Counter

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.running import SMALL, TOPICS, planted_documents, write_lines

from stickbreaker import HDP, LDA, AdaptorGrammar, Corpus, VocabularyRule
from stickbreaker.estimators import updating
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.manifest_fields import DOCUMENTS
from stickbreaker.saved.parquet_figures import read_with_figures
from stickbreaker.testing.estimators import contents
from stickbreaker.topics.report_documents import COLUMNS

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
    assert [one[:3] for one in new.updates_] == [("2026-11-30", 50, 50)]


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


def test_an_interrupted_update_goes_on(kind, cli, more, tmp_path, monkeypatch):
    """It ends as one that was not interrupted, to the byte: also with words that are new to the model."""
    made, model = kind
    whole, out = tmp_path / "whole", tmp_path / "m"
    line = ("update", model, more[0], "--batch-size", 10, *DAY, "--json")
    undisturbed = json.loads(cli(*line, "--out", whole).stdout)
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
    assert len(made.load(out).alpha_) >= 3, "it can be used meanwhile"
    other = write_lines(tmp_path / "other.jsonl", planted_documents(5))
    error = cli("update", model, other, "--out", out, code=1).stderr
    assert "an update with other documents was interrupted after 20 of 50; give them again" in error
    continued = cli(*line, "--out", out)
    assert "continuing after 20 documents" in continued.stderr
    assert {**json.loads(continued.stdout), "model": str(whole)} == undisturbed
    assert contents(out) == contents(whole)


def test_the_unigram_of_an_update_is_that_of_its_words(kind, cli, more, tmp_path):
    """All words of the documents if the vocabulary is open, else those that the model knows."""
    made, model = kind
    cli("update", model, more[0], "--out", tmp_path / "m", "--batch-size", 20, *DAY)
    new = made.load(tmp_path / "m")
    found = Counter(word for one in more[1] for word in new.analysis_.analyse(one["text"]).words)
    counts = np.array(
        [n for word, n in found.items() if new.learned_.is_open or word in new.vocabulary_.index]
    )
    assert ("novel" in new.vocabulary_.index) == new.learned_.is_open
    figures = read_with_figures(tmp_path / "m" / DOCUMENTS, COLUMNS, 2000, "rows")[1]
    assert figures["unigram"] == pytest.approx(
        counts @ np.log(counts / counts.sum()) / counts.sum(), rel=1e-12
    )


def test_which_documents_were_learned_from_is_known_after_an_update(cli, planted, more, tmp_path):
    """Documents of an update were all learned from, those of the fit but for a share held out."""
    path, some = tmp_path / "m", tmp_path / "some.jsonl"
    cli("fit", "lda", planted, "--out", path, *SMALL, "--held-out", 0.35)
    some.write_text("".join(planted.read_text().splitlines(keepends=True)[:20]))

    def share(file):
        return json.loads(cli("evaluate", path, file, "--json").stdout)["learned_from"]

    before = share(planted)
    assert 0.5 < before < 0.9
    cli("update", path, more[0], *DAY)
    assert (share(planted), share(more[0])) == (before, 1.0)
    assert share(some) is None, "the model has digests, and only the last documents"
    LDA.load(path).partial_fit(["river boat"]).save(tmp_path / "copy")
    path = tmp_path / "copy"
    assert (share(planted), share(more[0]), share(some)) == (before, 1.0, None)
    assert not LDA.load(path).set_params(n_topics=2, max_iter=1, tol=0.0).fit(["boat", "bank"]).updates_


def test_a_copy_with_its_documents_knows_those_held_out(cli, planted, tmp_path):
    """The figures of a loaded model that is saved with the documents of its fit are those of the fit."""
    cli("fit", "lda", planted, "--out", tmp_path / "m", *SMALL, "--held-out", 0.35)
    model = LDA.load(tmp_path / "m")
    texts, ids = zip(*[(one["text"], one["id"]) for one in map(json.loads, planted.open())], strict=True)
    model.save(tmp_path / "copy", documents=Corpus.from_texts(texts, ids, vocabulary=model.vocabulary_))
    own, copy = (read_with_figures(tmp_path / n / DOCUMENTS, COLUMNS, 2000, "rows")[1] for n in ("m", "copy"))
    assert own == copy
    assert own["held_out"] == 0.35


def test_an_open_vocabulary_learns_weights_of_bags(cli, kind, tmp_path):
    """Each word of a matrix of counts is learned as often as it is counted."""
    made, model = kind
    texts = ["river " * 5 + "novel " * 4, "boat fish " * 3]
    Corpus.from_texts(texts, rule=VocabularyRule(1, 1.0)).write(tmp_path / "texts")
    bags = Corpus.from_matrix([[5, 4, 0, 0], [0, 0, 3, 3]], ["river", "novel", "boat", "fish"])
    bags.write(tmp_path / "bags")
    for name in ("texts", "bags"):
        cli("update", model, tmp_path / name, "--out", tmp_path / f"of {name}", *DAY)
    of_texts, of_bags = (made.load(tmp_path / f"of {name}") for name in ("texts", "bags"))
    assert of_bags.vocabulary_.words == of_texts.vocabulary_.words
    assert np.array_equal(table_of(of_bags), table_of(of_texts))


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
