"""The number of topics if the user chooses none: by the number of documents, and saved as it was learned."""

import json

import numpy as np
import pytest
from tests.running import planted_documents, write_lines

from stickbreaker import HDP, LDA, Corpus
from stickbreaker.saved import ModelDirectory
from stickbreaker.testing.estimators import begin
from stickbreaker.topics.search.number_of_topics import topics_by_size

QUICK = {"random_state": 0, "n_jobs": 1, "max_iter": 2, "tol": 0.0}


def test_it_grows_with_the_documents_and_has_few_values():
    numbers = [topics_by_size(n) for n in range(1, 20_000)]
    assert numbers == sorted(numbers)
    assert (numbers[0], numbers[39], numbers[399], numbers[-1]) == (1, 2, 20, 100)
    assert {number for number in numbers if number > 10} == set(range(15, 101, 5))


def test_each_topic_has_twenty_documents_or_more():
    assert all(topics_by_size(n) * 20 <= n for n in range(20, 3000))


@pytest.mark.parametrize("n", [60, 200])
def test_a_fit_without_a_number(n, tmp_path):
    texts = [document["text"] for document in planted_documents(n)]
    model = LDA(**QUICK).fit(texts)
    assert len(model.alpha_) == topics_by_size(n)
    assert model.n_topics is None
    model.save(tmp_path / "m")
    assert ModelDirectory(tmp_path / "m").manifest()["settings"]["n_topics"] == topics_by_size(n)
    loaded = LDA.load(tmp_path / "m")
    assert len(loaded.partial_fit(texts[:20]).alpha_) == topics_by_size(n)
    assert len(model.fit(texts[:40]).alpha_) == 2
    assert len(model.partial_fit(texts).alpha_) == 2


def test_a_stream_has_a_hundred(texts):
    model = LDA(**QUICK)
    assert len(model.partial_fit(texts).alpha_) == 100
    assert len(model.fit(texts).alpha_) == 3
    assert HDP(5, **QUICK).fit(texts).n_topics_ <= 5


@pytest.mark.parametrize(
    ("settings", "number"),
    [
        ({"alpha": np.array([0.1, 0.1, 0.2, 0.3])}, 4),
        ({"eta": np.full((5, 24), 0.1)}, 5),
        ({"eta": np.full(24, 0.1)}, 3),
        ({"guide": {"sea": ["boat"], "sky": ["moon"], "money": ["bank"], "fish": ["fish"]}}, 5),
    ],
)
def test_values_for_each_topic_say_how_many(texts, settings, number):
    assert len(LDA(**settings, **QUICK).fit(texts).alpha_) == number


def test_merged_topics_of_a_model_without_a_number(texts, tmp_path):
    model = LDA(**QUICK).fit(texts).merge_topics([[0, 1]])
    model.save(tmp_path / "m")
    assert len(LDA.load(tmp_path / "m").alpha_) == len(model.partial_fit(texts).alpha_) == 2
    assert model.n_topics is None
    assert len(model.fit(texts).alpha_) == 3


def test_the_program_says_which_number_it_takes(cli, tmp_path):
    path = write_lines(tmp_path / "p.jsonl", planted_documents(45))
    quick = ("--iterations", 2, "--threads", 1, "--out", tmp_path / "m", "--overwrite")
    done = cli("fit", "lda", path, *quick)
    assert "2 topics for 45 documents; --topics K takes another number, and search-k" in done.stderr
    assert "100 topics" not in done.stderr
    assert len(json.loads(cli("topics", tmp_path / "m", "--json").stdout)["topics"]) == 2
    done = cli("fit", "lda", path, "--topics", 3, *quick)
    assert "note: 3 topics of 45 documents, 15 for each: with fewer than 20" in done.stderr
    assert "for each" not in cli("fit", "lda", path, "--topics", 2, *quick).stderr


def test_a_run_under_way_keeps_its_number(cli, tmp_path):
    from stickbreaker import LDA
    from stickbreaker.estimators import model_runs

    path = write_lines(tmp_path / "p.jsonl", planted_documents(60))
    cli("corpus", "build", path, "--out", tmp_path / "c")
    begin(LDA(max_iter=2, random_state=0), Corpus.open(tmp_path / "c"), tmp_path / "m")
    assert ModelDirectory(tmp_path / "m").manifest()["settings"]["n_topics"] == 3
    assert len(model_runs.resume(tmp_path / "m", every=60.0, threads=1)[0].alpha) == 3
