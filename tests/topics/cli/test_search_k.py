"""`search-k`: runs, going on, the summary and its page."""

import html
import json
import os
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from tests.running import PROGRAM, planted_documents, write_lines

from stickbreaker import LDA, Corpus
from stickbreaker.core.random_streams import share_of
from stickbreaker.engines import Interrupted
from stickbreaker.estimators import model_runs
from stickbreaker.topics.evaluation import stability, weakest_quarter
from stickbreaker.topics.report.document_entries import read_figures
from stickbreaker.topics.verbs import search_topics
from stickbreaker.topics.verbs.search_page import figure, page

QUICK = ("--iterations", 8, "--held-out", 0.2, "--threads", 1)


@pytest.fixture(scope="module")
def corpus(cli, tmp_path_factory):
    place = tmp_path_factory.mktemp("search")
    path = write_lines(place / "planted.jsonl", planted_documents(120))
    cli("corpus", "build", path, "--out", place / "planted.corpus")
    return place / "planted.corpus"


@pytest.fixture(scope="module")
def search(cli, corpus, tmp_path_factory):
    """A finished search, and what it told. Tests must not change it."""
    out = tmp_path_factory.mktemp("searched") / "out"
    line = ("search-k", corpus, "--topics", "1,3,8", "--seeds", 2, *QUICK, "--out", out, "--json")
    return out, json.loads(cli(*line).stdout)


def test_the_planted_number_is_found(search):
    _, told = search
    assert told["suggested"]["topics"] == told["suggested"]["enough"] == 3
    assert told["suggested"]["holds"] >= 3
    assert told["reason"].startswith("3 topics. ")
    assert "in documents that did not choose its words" in told["reason"]
    assert (told["seeds"], [row["topics"] for row in told["table"]]) == (2, [1, 3, 8])
    for row in told["table"]:
        for name, values in row["of_seeds"].items():
            assert row[name] == pytest.approx(sum(values) / 2)
    one, three, _ = told["table"]
    assert three["nats_per_word"] > one["nats_per_word"] + 0.3
    assert three["npmi"] > one["npmi"]
    assert (one["diversity"], one["stability"]) == (1, pytest.approx(1))


def test_models_are_kept_and_compared(search):
    out, told = search
    models = [LDA.load(out / "runs" / f"k8-seed{seed}.model") for seed in (0, 1)]
    assert [(len(model.alpha_), model.seed_) for model in models] == [(8, 0), (8, 1)]
    assert told["table"][2]["stability"] == pytest.approx(stability([m.topic_word_ for m in models]))
    assert json.loads((out / "search.json").read_text())["table"] == told["table"]
    record = json.loads((out / "runs" / "k8-seed0.json").read_text())
    assert len(record["nats"]) == len(record["tokens"]) == told["held_out_documents"]
    assert sum(record["nats"]) / sum(record["tokens"]) == record["nats_per_word"]


def test_models_are_those_of_fit(cli, corpus, search, tmp_path):
    """The same bytes as a fit with the same parameters to the documents that are not held out, to its end."""
    out = search[0]
    training = Corpus.open(out / "training.corpus")
    whole = Corpus.open(corpus)
    ids = [name for block in range(len(training.block_sizes)) for name in training.ids(block)]
    assert ids == [name for name in whole.ids(0) if share_of(name) >= 0.2]
    assert training.vocabulary.words == whole.vocabulary.words
    assert 0 < len(ids) < whole.n_documents
    cli("search-k", corpus, "--topics", 3, "--seeds", 1, "--held-out", 0.2, "--out", tmp_path / "s")
    settings = ("--topics", 3, "--seed", 0)
    cli("fit", "lda", tmp_path / "s" / "training.corpus", *settings, "--out", tmp_path / "m")
    kept, fitted = tmp_path / "s" / "runs" / "k3-seed0.model", tmp_path / "m"
    assert (kept / "state.safetensors").read_bytes() == (fitted / "state.safetensors").read_bytes()
    steps = [len((path / "trace.jsonl").read_text().splitlines()) for path in (kept, fitted)]
    assert steps[0] == steps[1] > 4


def test_without_held_out_documents_there_is_no_score(cli, corpus, tmp_path):
    done = cli("search-k", corpus, "--topics", 3, "--held-out", 1e-9, "--out", tmp_path / "s", code=1)
    assert "no document is held out; raise --held-out" in done.stderr
    assert not (tmp_path / "s").exists()


def test_what_is_finished_is_not_run_again_and_more_can_be_added(cli, corpus, search, tmp_path):
    out = shutil.copytree(search[0], tmp_path / "out")
    (out / "runs" / "k3-seed1.json").unlink()  # scored again; its model is there
    before = (out / "runs" / "k3-seed1.model" / "model.json").read_bytes()
    line = ("search-k", corpus, "--topics", "8,3,2,3", "--seeds", 2, *QUICK, "--out", out)
    done = cli(*line)
    runs = [text for text in done.stderr.splitlines() if text.startswith("run ")]
    assert runs == [
        "run 1 of 6: 2 topics, seed 0",
        "run 2 of 6: 2 topics, seed 1",
        "run 4 of 6: 3 topics, seed 1",
    ]
    assert (out / "runs" / "k3-seed1.model" / "model.json").read_bytes() == before
    told = json.loads(cli(*line, "--json").stdout)
    was = {row["topics"]: {**row, "seconds": 0, "of_seeds": 0} for row in search[1]["table"]}
    now = {row["topics"]: {**row, "seconds": 0, "of_seeds": 0} for row in told["table"]}
    assert sorted(now) == [2, 3, 8]
    assert now[3] == was[3]
    assert now[8] == was[8]


def test_a_search_in_one_go_or_in_two_tells_the_same(cli, corpus, search, tmp_path):
    out = tmp_path / "out"
    for topics, seeds in (("3", 1), ("1,3,8", 2)):
        line = ("search-k", corpus, "--topics", topics, "--seeds", seeds, *QUICK, "--out", out, "--json")
        told = json.loads(cli(*line).stdout)
    for row, expected in zip(told["table"], search[1]["table"], strict=True):
        for name in ("nats_per_word", "npmi", "c_v", "diversity", "stability"):
            assert row[name] == expected[name]


def test_text(cli, corpus, search):
    lines = cli(
        "search-k", corpus, "--topics", "1,3,8", "--seeds", 2, *QUICK, "--out", search[0]
    ).stdout.splitlines()
    assert lines[0].split() == ["topics", "held-out", "NPMI", "weakest", "diversity", "stability", "seconds"]
    assert [line.split()[0] for line in lines[1:4]] == ["1", "3", "8"]
    assert [line.endswith("←") for line in lines[1:4]] == [False, True, False]
    assert 0 < search[1]["coherence_counts"]["documents"] <= search[1]["held_out_documents"]
    counted_in = search[1]["npmi_counted_in"]
    assert counted_in.endswith("each half of the documents for words chosen by the other half (smoothed)")
    assert lines[-3] == f"NPMI in {counted_in}; weakest: the mean of the weakest quarter of topics"
    assert counted_in in (search[0] / "search.html").read_text()
    assert lines[-2] == f"Suggested: {search[1]['reason']}."
    assert lines[-1] == f"Figures: {search[0] / 'search.html'}"


def test_a_single_run_has_no_stability(cli, corpus, tmp_path):
    line = ("search-k", corpus, "--topics", "2", "--seeds", 1, *QUICK, "--out", tmp_path / "out")
    assert "(a single seed, so noise between seeds is not known)" in cli(*line).stdout
    told = json.loads(cli(*line, "--json").stdout)
    assert told["table"][0]["stability"] is None
    assert "<h2>Stability" not in (tmp_path / "out" / "search.html").read_text()


def test_the_weakest_topics_are_those_of_the_models(search):
    """NPMI by halves, as `topics` shows it, of topics in use."""
    out, told = search
    for row in told["table"]:
        for seed, weakest in enumerate(row["of_seeds"]["weakest"]):
            path = out / "runs" / f"k{row['topics']}-seed{seed}.model"
            values = np.delete(read_figures(path)["coherence"], LDA.load(path).unused_topics_)
            assert weakest == weakest_quarter(values)
            assert row["of_seeds"]["npmi"][seed] == pytest.approx(np.mean(values))


def test_numbers_are_doubled_until_topics_do_not_hold(cli, corpus, tmp_path, monkeypatch):
    """By the weakest quarter of each number, of which only those up to 30 are made to hold."""
    monkeypatch.setattr(search_topics, "_weakest", lambda runs: 1.0 if runs[0]["topics"] <= 30 else 0.0)
    monkeypatch.setattr(search_topics, "LEAST_DOCUMENTS", 1)
    line = ("search-k", corpus, "--seeds", 1, *QUICK[2:], "--iterations", 2, "--out", tmp_path / "out")
    done = cli(*line, "--json")
    assert [row["topics"] for row in json.loads(done.stdout)["table"]] == [10, 20, 30, 40]
    runs = [text for text in done.stderr.splitlines() if text.startswith("run ")]
    assert runs == [f"run {n}: {k} topics, seed 0" for n, k in enumerate((10, 20, 40, 30), 1)]


def test_a_search_of_an_earlier_version_is_not_mixed_with_this(cli, corpus, search, tmp_path):
    out = shutil.copytree(search[0], tmp_path / "out")
    file = out / "runs" / "k3-seed0.json"
    record = json.loads(file.read_text())
    del record["coherence_of_topics"]
    file.write_text(json.dumps(record))
    done = cli("search-k", corpus, "--topics", "3", "--seeds", 2, *QUICK, "--out", out, code=1)
    assert (
        "k3-seed0.json: is of an earlier version, which did not score single topics; give ano" in done.stderr
    )


def test_another_ranking_is_counted_in_held_out_documents(cli, corpus, tmp_path):
    line = (
        "search-k",
        corpus,
        "--topics",
        2,
        "--seeds",
        1,
        "--by",
        "relevance",
        *QUICK,
        "--out",
        tmp_path / "o",
    )
    assert json.loads(cli(*line, "--json").stdout)["npmi_counted_in"].endswith("held out (smoothed)")


def test_an_interrupted_search_goes_on(cli, corpus, search, tmp_path, monkeypatch):
    """Stopped in its second run: the first is kept, the second goes on from its checkpoint."""
    out, runs, resume = tmp_path / "out", [], model_runs.resume

    def stopping(model, **options):
        runs.append(model if isinstance(model, Path) else model.path)
        if len(runs) == 2:
            raise Interrupted
        return resume(model, **options)

    line = ("search-k", corpus, "--topics", "3", "--seeds", 2, *QUICK, "--out", out)
    monkeypatch.setattr(model_runs, "resume", stopping)
    done = cli(*line, code=1)
    assert done.stderr.splitlines()[-1] == "stickbreaker: interrupted; the same command continues from here"
    told = json.loads(cli(*line, "--json").stdout)
    assert [path.name for path in runs] == ["k3-seed0.model", "k3-seed1.model", "k3-seed1.model"]
    assert told["table"][0]["nats_per_word"] == search[1]["table"][1]["nats_per_word"]


@pytest.mark.parametrize("verb", ["evaluate", "compare", "search-k"])
def test_help_is_light_and_has_an_example(verb):
    timed = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1", "COLUMNS": "200"}
    words = [PROGRAM, verb, "--help"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=timed)
    imported = {line.split("|")[-1].strip().split(".")[0] for line in done.stderr.splitlines()}
    assert f"Example: stickbreaker {verb}" in done.stdout
    assert "--json" in done.stdout
    assert "click" in imported
    assert not imported & {"numba", "scipy", "sklearn", "pyarrow", "numpy", "pandas"}


def test_a_search_that_was_killed_before_its_first_file_begins_anew(cli, corpus, tmp_path):
    out = tmp_path / "out"
    (out / "runs").mkdir(parents=True)
    (out / ".search.json.partial-ab_c3def").write_text("{")
    cli("search-k", corpus, "--topics", "2", *QUICK, "--out", out)
    made = ["runs", "search.html", "search.json", "training.corpus"]
    assert sorted(path.name for path in out.iterdir()) == made


# Mistakes


def test_mistakes_are_one_line(cli, corpus, search, tmp_path):
    out = shutil.copytree(search[0], tmp_path / "out")
    cases = {
        (tmp_path / "none", "2", out): "no such corpus",
        (corpus, "2", tmp_path): "exists and is not a search",
        (corpus, "2", corpus): "exists and is not a search",
    }
    for (given, topics, place), says in cases.items():
        assert says in cli("search-k", given, "--topics", topics, "--out", place, code=1).stderr
    done = cli("search-k", corpus, "--topics", "3", "--iterations", 9, "--out", out, code=1)
    assert f"{out}: was begun with iterations 8, not 9; give another --out" in done.stderr
    done = cli("search-k", corpus, "--topics", "3", "--out", out, code=1)
    assert "was begun with iterations 8, not the default; give another --out" in done.stderr
    (out / "runs" / "k3-seed0.json").write_text('{"topics": 3')
    done = cli("search-k", corpus, "--topics", "3", *QUICK, "--out", out, code=1)
    assert "k3-seed0.json: the file is damaged; delete it" in done.stderr
    (out / "search.json").write_text("[]")
    done = cli("search-k", corpus, "--topics", "3", *QUICK, "--out", out, code=1)
    assert "search.json: is not that of a search, or is damaged" in done.stderr


def test_another_corpus_is_refused(cli, planted, search, tmp_path):
    cli("corpus", "build", planted, "--out", tmp_path / "c")
    done = cli("search-k", tmp_path / "c", "--topics", "3", *QUICK, "--out", search[0], code=1)
    assert "was begun with another corpus" in done.stderr


@pytest.mark.parametrize("topics", ["", "ten", "0", "10,", "5;6", "2,-1"])
def test_numbers_of_topics(cli, corpus, tmp_path, topics):
    done = cli("search-k", corpus, "--topics", topics, "--out", tmp_path / "out", code=2)
    assert "Invalid value for '--topics'" in done.stderr
    assert not (tmp_path / "out").exists()


# The page


class Tags(HTMLParser):
    """The tags of a page in order, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def test_the_page_shows_every_figure_and_fetches_nothing(search):
    text = (search[0] / "search.html").read_text()
    found = Tags(text)
    assert found.tags.count("svg") == 5
    assert found.tags.count("tr") == 4
    assert found.tags.count("circle") == 3 * (2 + 2 + 2 + 2 + 1)
    assert search[1]["reason"] in found.text
    assert "script" not in found.tags
    assert "default-src 'none'" in html.unescape(text)
    for outside in ("http:", "https:", "src=", "@import", "url("):
        assert outside not in text


def test_hostile_names_are_text(search):
    name = '</title><script>alert(1)</script>\x1b"\u202e\ud800'
    text = page(search[1], name)
    text.encode("utf-8")
    assert "script" not in Tags(text).tags
    assert "</title><script>alert(1)" in Tags(text).text
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize(
    ("topics", "means"),
    [([10], [-7.0]), ([2, 4], [0.5, 0.5]), ([1, 9, 500], [0.0, 0.0, 0.0]), ([2, 3], [1.0, 1.0 - 2**-53])],
)
def test_figures_of_few_or_equal_values_stay_inside(topics, means):
    drawn = figure(topics, means, [[mean] for mean in means], topics[0], "a figure")
    values = [part.split('"')[1] for key in ("cx=", "cy=", "y1=", "y2=") for part in drawn.split(key)[1:]]
    assert all(0 <= float(value) <= 420 for value in values)
    assert drawn.count("<circle") == len(topics)


def test_a_figure_by_hand():
    """10 and 1000 lie at the ends, 100 in the middle (log scale); higher values lie higher."""
    drawn = figure([10, 100, 1000], [0.0, 1.0, 2.0], [[0.0], [1.0], [2.0]], 100, "a & b")
    assert 'points="76.0,210.0 233.0,112.0 390.0,14.0"' in drawn
    assert 'aria-label="a &amp; b"' in drawn
    assert [text.split("<")[0] for text in drawn.split('text-anchor="end">')[1:]] == [
        "0",
        "0.5",
        "1",
        "1.5",
        "2",
    ]
