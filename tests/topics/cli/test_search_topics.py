"""`fit hdp --topics auto`: what is said first, of each run and at the end; and the report of it."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.running import planted_documents

from stickbreaker.estimators.saving import load
from stickbreaker.pages.figures import figures
from stickbreaker.topics.cli.search_summary import search_as_text
from stickbreaker.topics.report import page_records

SHORT = ("--iterations", 3, "--threads", 1)


@pytest.fixture(scope="module")
def posts(tmp_path_factory):
    path = tmp_path_factory.mktemp("posts") / "posts.jsonl"
    path.write_text("\n".join(map(json.dumps, planted_documents(120))))
    return path


@pytest.fixture(scope="module", params=["bound", "held-out"])
def searched(request, cli, posts, tmp_path_factory):
    """The judge, the model's path, and what the program said."""
    path = tmp_path_factory.mktemp("searched") / "model"
    return request.param, path, cli("fit", "hdp", posts, "--out", path, "--judge", request.param, *SHORT)


def test_each_run_is_told_as_it_ends_and_the_range_at_last(searched):
    judge, path, done = searched
    by = {"bound": "the bound", "held-out": "documents held out"}[judge]
    assert f"searching for the number of topics, by {by}; --topics K is one run from K" in done.stderr
    manifest = json.loads((path / "model.json").read_bytes())
    lines = [line for line in done.stderr.splitlines() if line.startswith(("searching: ", "run to its "))]
    assert len(lines) == len(manifest["search"]) >= 4
    for line, run in zip(lines, manifest["search"], strict=True):
        plural = "" if run["topics"] == 1 else "s"
        assert f"{run['topics']} topic{plural}, {run['used']} in use, bound {run['bound']:.4f}" in line
        assert line.startswith("run to its end") == run["final"]
        assert ("held-out" in line) == (judge == "held-out")
    short = sum(not run["final"] for run in manifest["search"])
    said = (
        rf"Topics within 0.005 nats/word of the best, by short runs \({short}\): \d+( to \d+)?; runs to the"
    )
    whole = rf"by runs to the end: \d+; by short runs \({short}\): \d+( to \d+)?\n"
    assert re.search(said, done.stdout) or re.search(whole, done.stdout)
    several = len(lines) - short > 1
    last = manifest["search"][-1]
    rule = "the fewest topics within 0.005 nats/word of the best"
    ends = (
        f"Runs to the end, topics and bound, the model's first ({rule}): "
        f"{last['used']} at {last['bound']:.4f}, "
    )
    assert (ends in done.stdout) == several
    assert manifest["held_out"] == {"bound": 0.0, "held-out": 0.1}[judge]


def test_the_report_draws_the_curve(searched):
    judge, path, _ = searched
    page = page_records.page_of(path, "t")
    assert page.search
    assert page.search.judge == judge
    html = page.html()
    assert "How many topics</h3>" in html
    assert "short runs" in html
    assert ("seconds of this run, without the search" in dict(page.facts)) == bool(page.search)
    assert "The runs of the search before this one are not drawn" in html
    assert ("by the bound" in html) == (judge == "bound")
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    drawn = figures(page)
    names = [name for name in drawn if name.startswith("search-")]
    assert names == ["search-1", "search-2"][: 1 if judge == "bound" else 2]
    svg = "{http://www.w3.org/2000/svg}"
    for i, name in enumerate(names):
        root = ElementTree.fromstring(drawn[name])
        assert len(list(root.iter(f"{svg}circle"))) == len(page.search.points)
        text = " ".join(element.text or "" for element in root.iter(f"{svg}text"))
        assert ("held-out score, nats a word" in text) == (judge == "held-out" and i == 0)


def test_the_report_of_a_memoised_run_draws_its_bound(cli, posts, tmp_path):
    """Its steps tell documents' scores given the topics, which are far above; its passes have the bound."""
    cli("fit", "hdp", posts, "--out", tmp_path / "m", "--topics", 4, "--iterations", 6, "--threads", 1)
    model, page = load(tmp_path / "m"), page_records.page_of(tmp_path / "m", "t")
    assert model.trace_[-1]["kind"] == "documents"
    assert model.trace_[-1]["score"] > model.bound_ + 0.1
    assert page.score_kind == "bound"
    assert page.trace[-1].score == model.bound_ == model.trace_[-1]["pass_score"]
    assert len(page.trace) == model.n_iter_
    assert '"scoreKind":"bound"' in page.html()
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    assert "Bound on the documents it learns from" in figures(page)["learning-training-by-documents"]


def test_the_report_of_an_online_run_says_that_its_curve_is_no_bound(cli, posts, tmp_path):
    options = ("--schedule", "online", "--batch-size", 30, "--topics", 4, "--iterations", 2, "--threads", 1)
    cli("fit", "lda", posts, "--out", tmp_path / "m", *options)
    page = page_records.page_of(tmp_path / "m", "t")
    assert page.score_kind == "documents"
    assert len(page.trace) == 8
    html = page.html()
    assert "given the topics of that moment: higher than the bound" in html
    assert "pays for the topics themselves as well" not in html
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    assert "Documents of each step, given the topics" in figures(page)["learning-training-by-documents"]


def test_json_says_by_which_runs_a_range_is(cli, posts, tmp_path):
    done = cli("fit", "hdp", posts, "--out", tmp_path / "m", *SHORT, "--json")
    found = json.loads(done.stdout)
    expected = load(tmp_path / "m").search_range()
    assert found["range"] == [expected.fewest, expected.most]
    assert found["range_of"] == expected.of
    assert found["range_of"] in ("short runs", "runs to the end")
    assert found["range_of_short_runs"] == list(expected.curve)
    assert found["short_runs_disagree"] is expected.disagree


def test_a_number_far_from_that_of_short_runs_is_uncertain():
    runs = [
        {"used": 20, "bound": -8.0, "final": False, "held_out": None},
        {"used": 45, "bound": -7.9, "final": True, "held_out": None},
    ]
    summary = {"search": runs, "overruled": None, "range": [45, 45], "range_of": "runs to the end"}
    far = {**summary, "range_of_short_runs": [1, 2], "short_runs_disagree": True}
    (line,) = search_as_text(far)
    assert line == (
        "Topics within 0.005 nats/word of the best, by runs to the end: 45; by short runs (1): 1 to 2, "
        "far from that: the number is uncertain; see what --judge held-out gives"
    )
    near = {**summary, "range_of_short_runs": [30, 40], "short_runs_disagree": False}
    assert "uncertain" not in search_as_text(near)[0]


def test_a_number_starts_one_run_and_says_so(cli, posts, tmp_path):
    done = cli("fit", "hdp", posts, "--out", tmp_path / "m", "--topics", 4, *SHORT)
    assert "starting from 4 topics, as --topics says; auto searches for their number" in done.stderr
    assert "searching" not in done.stderr
    assert "search" not in json.loads((tmp_path / "m/model.json").read_bytes())


def test_a_model_of_so_many_topics_says_nothing_of_a_search(cli, posts, tmp_path):
    done = cli("fit", "lda", posts, "--out", tmp_path / "m", "--topics", 4, "--iterations", 2)
    assert "auto" not in done.stderr
    assert "search" not in done.stderr


def test_where_there_is_no_search_the_number_is_told(cli, posts, tmp_path):
    done = cli("fit", "hdp", posts, "--out", tmp_path / "m", "--schedule", "online", *SHORT)
    said = "starting from 50 topics: there is no search for their number with --schedule online\n"
    assert said in done.stderr, "what was chosen, and no default"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--topics", "some"), "'some' is no whole number above zero"),
        (("--topics", 0), "'0' is no whole number above zero"),
        (("--topics", 5, "--judge", "held-out"), "--judge needs --topics auto"),
        (("--eta", "much"), "'much' is not a number"),
    ],
)
def test_wrong_options_are_usage_errors(options, line, cli, posts, tmp_path):
    assert line in cli("fit", "hdp", posts, "--out", tmp_path / "m", *options, code=2).stderr


def test_a_bound_that_documents_held_out_overrule_is_told(cli, tmp_path):
    generator = np.random.default_rng(0)
    shared, own = generator.dirichlet(np.full(600, 0.5)), generator.dirichlet(np.full(600, 0.02), 20)
    shares = generator.dirichlet(np.full(20, 0.05), 400)
    texts = [
        " ".join(f"w{n}" for n in generator.choice(600, 60, p=0.7 * shared + 0.3 * one @ own))
        for one in shares
    ]
    posts, path = tmp_path / "posts.jsonl", tmp_path / "model"
    posts.write_text("\n".join(json.dumps({"text": text}) for text in texts))
    done = cli("fit", "hdp", posts, "--out", path, "--iterations", 4, "--threads", 1)
    assert re.search(
        r"The bound asks for \d; documents held out are better predicted \(by 0\.\d\d nats", done.stdout
    )
    page = page_records.page_of(path, "t")
    assert page.search.judge == "held-out"
    assert 1 <= page.search.few <= 10
    assert "the bound asked for" in page.html()
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    assert {"search-1", "search-2"} <= set(figures(page))
