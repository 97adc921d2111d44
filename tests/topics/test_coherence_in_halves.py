"""Each topic says whether it holds: words chosen by one half of the documents, counted in the other."""

import json

import numpy as np
import pytest
from tests.running import planted_documents, write_lines

from stickbreaker import LDA, Corpus
from stickbreaker.core.random_streams import share_of
from stickbreaker.corpus import Bags
from stickbreaker.corpus.source import Source
from stickbreaker.topics.evaluation import coherence
from stickbreaker.topics.model.word_ranking import DEFAULT, ranking
from stickbreaker.topics.report.document_entries import read_documents, read_figures
from stickbreaker.topics.report_documents import (
    IN_HALVES,
    LEARNED,
    OTHERS,
    SMOOTHED,
    collect_documents_and_figures,
)
from stickbreaker.topics.runs import word_counting
from stickbreaker.topics.runs.word_counting import word_counts_of

QUICK = {"random_state": 0, "n_jobs": 1, "max_iter": 10, "tol": 0.0}


@pytest.fixture(scope="module")
def learned():
    corpus = Corpus.from_texts([document["text"] for document in planted_documents(90)])
    return LDA(4, **QUICK).fit(corpus), corpus


def test_halves_are_counted_as_if_each_were_all(learned):
    """By documents of one half alone, with the same topics: as the sums of all are counted."""
    model, corpus = learned
    found = word_counts_of(model.learned_.reader, model.settings, Source(corpus), model.engine_)
    ids = corpus.ids(0)
    for half, counted in enumerate(found.halves):
        own = np.flatnonzero([(share_of(name, 2) < 0.5) == bool(half) for name in ids])
        assert 20 < len(own) < 70
        part = Source(_part(corpus, own))
        alone = word_counts_of(model.learned_.reader, model.settings, part, model.engine_, halves=False).whole
        for one, other in zip(counted.sides[0], alone.sides[0], strict=True):
            if isinstance(one, np.ndarray):
                np.testing.assert_allclose(one, other, atol=1e-9)
        np.testing.assert_array_equal(counted.sides[0].support.words, alone.sides[0].support.words)
        np.testing.assert_allclose(counted.sides[0].support.company, alone.sides[0].support.company)


def _part(corpus, own):
    texts = [document["text"] for document in planted_documents(90)]
    return Corpus.from_texts([texts[i] for i in own], vocabulary=corpus.vocabulary)


def test_counts_of_all_do_not_depend_on_halves(learned):
    model, corpus = learned
    whole = word_counts_of(
        model.learned_.reader, model.settings, Source(corpus), model.engine_
    ).whole.to_arrays()
    for name, values in (
        word_counts_of(model.learned_.reader, model.settings, Source(corpus), model.engine_, halves=False)
        .whole.to_arrays()
        .items()
    ):
        np.testing.assert_array_equal(values, whole[name])


def test_counts_of_halves_do_not_need_those_of_all(learned):
    """A saved model has those of all already."""
    model, corpus = learned
    expected, found = (
        word_counts_of(model.learned_.reader, model.settings, Source(corpus), model.engine_, whole=whole)
        for whole in (True, False)
    )
    assert found.whole is None
    for one, other in zip(expected.halves, found.halves, strict=True):
        for name, values in one.to_arrays().items():
            np.testing.assert_array_equal(values, other.to_arrays()[name])


def test_the_coherence_is_that_of_one_half_s_words_in_the_other(learned):
    model, corpus = learned
    halves = word_counts_of(model.learned_.reader, model.settings, Source(corpus), model.engine_).halves
    figures = collect_documents_and_figures(model.learned_, Source(corpus), model.engine_, halves)[1]
    second = np.array([share_of(name, 2) < 0.5 for name in corpus.ids(0)])
    expected = []
    for half, counted in enumerate(halves):
        evidence = model.learned_.word_evidence._replace(counted=counted)
        rows = ranking(DEFAULT)(evidence, 10, slice(0, corpus.n_words)).words
        words = [[corpus.vocabulary.words[row] for row in topic] for topic in rows.tolist()]
        there = np.flatnonzero(second != bool(half))
        expected.append(coherence(words, corpus, documents=lambda _, there=there: there).smoothed.per_topic)
    assert figures["coherence"] == np.mean(expected, axis=0).tolist()
    assert figures["coherence_in"] == [90, 1, IN_HALVES, SMOOTHED]


def test_a_topic_that_one_document_made_does_not_hold(tmp_path, cli):
    """Its words go together in the documents learned from, but in one only."""
    odd = [f"odd{letter}" for letter in "abcdefghijklm"]
    rows = planted_documents(80)
    for place, document in enumerate(rows):  # each word elsewhere too, so that it is in the vocabulary
        document["text"] += f" {odd[place % 13]}"
    rows.append({"id": "odd", "text": " ".join(odd * 9)})
    path = write_lines(tmp_path / "p.jsonl", rows)
    cli("fit", "lda", path, "--out", tmp_path / "m", "--topics", 4, "--seed", 1, "--threads", 1)
    topics = json.loads(cli("topics", tmp_path / "m", "--json").stdout)["topics"]
    strange = [sum(word.startswith("odd") for word in topic["words"]) > 5 for topic in topics]
    assert strange.count(True) == 1
    values = [topic["coherence"] for topic in topics]
    assert min(values) == values[strange.index(True)] < 0.0
    assert sorted(values)[1] > 0.0
    model, corpus = LDA.load(tmp_path / "m"), Corpus.build(path)
    naive = collect_documents_and_figures(model.learned_, Source(corpus), model.engine_)[1]
    assert naive["coherence_in"][2] == LEARNED
    assert naive["coherence"][topics[strange.index(True)]["topic"]] > values[strange.index(True)] + 0.1


def test_topics_and_tables_say_it(tmp_path, cli):
    path = write_lines(tmp_path / "p.jsonl", planted_documents())
    cli("fit", "lda", path, "--out", tmp_path / "m", "--topics", 3, "--iterations", 9, "--threads", 1)
    found = read_figures(tmp_path / "m")
    assert found == read_documents(tmp_path / "m")[1]
    result = json.loads(cli("topics", tmp_path / "m", "--json").stdout)
    assert [topic["coherence"] for topic in result["topics"]] == [
        found["coherence"][topic["topic"]] for topic in result["topics"]
    ]
    assert result["coherence_counted_in"].endswith(
        "each half of the documents for words chosen by the other half (smoothed)"
    )
    lines = cli("topics", tmp_path / "m").stdout.splitlines()
    assert lines[0].split() == ["topic", "share", "NPMI", "words"]
    assert lines[1].split()[3] == f"{result['topics'][0]['coherence']:.2f}"
    assert lines[-1].startswith("NPMI in 60 windows of 200 words")
    cli("topics", tmp_path / "m", "--out", tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text().splitlines()[0] == '"topic","name","share","coherence","words"'
    cli("report", tmp_path / "m", "--out", tmp_path / "r.html")
    assert "words chosen by the other half" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_saved_model_with_its_documents_has_it_too(learned, tmp_path):
    model, corpus = learned
    model.save(tmp_path / "m", documents=corpus)
    assert read_figures(tmp_path / "m")["coherence_in"][2] == IN_HALVES
    others = Corpus.from_texts([document["text"] for document in planted_documents(30, seed=7)])
    model.save(tmp_path / "n", documents=others)
    counted = read_figures(tmp_path / "n")
    assert counted["coherence_in"][1:] == [1, OTHERS, SMOOTHED]
    assert len(counted["coherence"]) == 4


def test_a_large_table_is_not_counted_by_halves(learned, monkeypatch):
    model, corpus = learned
    monkeypatch.setattr(word_counting, "CELLS", 4 * corpus.n_words)
    assert word_counts_of(model.learned_.reader, model.settings, Source(corpus), model.engine_).halves is None
    monkeypatch.setattr(word_counting, "CELLS", 8 * corpus.n_words)
    assert (
        word_counts_of(model.learned_.reader, model.settings, Source(corpus), model.engine_).halves
        is not None
    )


def test_two_documents_may_be_in_one_half():
    corpus = Corpus.from_texts(["a river bank", "bank money bank"])
    model = LDA(1, **QUICK).fit(corpus)
    counted = word_counts_of(model.learned_.reader, model.settings, Source(corpus), model.engine_)
    assert counted.whole is not None
    halves = {share_of(name, 2) < 0.5 for name in corpus.ids(0)}
    assert (counted.halves is None) == (len(halves) == 1)


@pytest.mark.parametrize("kind", ["lda", "hdp"])
def test_a_finished_run_says_if_its_weakest_topics_do_not_hold(tmp_path, cli, kind):
    """With a topic for each few documents of chance words; not with the planted ones."""
    draw = np.random.default_rng(0)
    chance = [{"id": f"c{n}", "text": " ".join(f"w{w}" for w in draw.integers(0, 40, 12))} for n in range(60)]
    write_lines(tmp_path / "chance.jsonl", chance)
    write_lines(tmp_path / "planted.jsonl", planted_documents())
    quick = ("--seed", 1, "--threads", 1, "--iterations", 5, "--overwrite", "--out", tmp_path / "m")
    done = cli("fit", kind, tmp_path / "chance.jsonl", "--topics", 8, *quick)
    assert "do not hold in documents that did not choose their words" in done.stdout
    found = json.loads(cli("fit", kind, tmp_path / "chance.jsonl", "--topics", 8, *quick, "--json").stdout)
    coherence = read_figures(tmp_path / "m")["coherence"]
    assert found["weakest"] == pytest.approx(np.mean(sorted(coherence)[: round(len(coherence) / 4)]))
    assert found["weakest"] < 0.0
    assert found["below"] == sum(value < 0.0 for value in coherence)
    done = cli("fit", kind, tmp_path / "planted.jsonl", "--topics", 3, *quick)
    assert "hold" not in done.stdout


def test_a_document_without_words_has_no_topic():
    theta = np.array([[0.9, 0.1], [0.5, 0.5], [0.45, 0.55]])
    bags = Bags(np.array([0, 1, 1, 2]), np.array([0, 1]), np.array([8.0, 0.5]), np.zeros(3))
    found = word_counting.topics_of_documents(theta, bags)
    assert found.starts.tolist() == [0, 2, 2, 3]
    assert found.topics.tolist() == [0, 1, 1]
