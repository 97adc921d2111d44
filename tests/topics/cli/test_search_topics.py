"""`fit hdp --topics auto`: what is said first, of each run and at the end; and the report of it."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.pages.made_up import views_in
from tests.running import planted_documents
from tests.topics.test_topic_search import weak_topics

from stickbreaker import load
from stickbreaker.pages.figures import figures
from stickbreaker.topics.cli.search_summary import search_as_text
from stickbreaker.topics.report import topic_page

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
    lines = [
        line
        for line in done.stderr.splitlines()
        if line.startswith(("searching: ", "checking: ", "run to its "))
    ]
    assert len(lines) == len(manifest["search"]) >= 3
    for run in manifest["search"]:
        plural = "" if run["topics"] == 1 else "s"
        said = f"{run['topics']} topic{plural}, {run['used']} in use, bound {run['bound']:.4f}"
        found = [line for line in lines if said in line and line.startswith("run to its end") == run["final"]]
        assert len(found) == 1
        assert ("held-out" in found[0]) == (judge == "held-out")
    of = {"bound": "runs to the end", "held-out": "short runs"}[judge]
    with_range = rf"Topics within 0.005 nats/word of the best, by {of}: \d+( to \d+)?\n"
    assert re.search(rf"{with_range}|No range of numbers: of the {of} only one", done.stdout)
    whole, last = [run for run in manifest["search"] if run["final"]], manifest["search"][-1]
    ends = f"Runs to the end, topics and bound, the model's first: {last['used']} at {last['bound']:.4f}, "
    assert (ends in done.stdout) == (len(whole) > 1)
    assert manifest["held_out"] == {"bound": 0.0, "held-out": 0.1}[judge]


def test_the_report_draws_the_curve(searched):
    judge, path, _ = searched
    page = topic_page.page_of(path, "t")
    assert page.report.search
    assert page.report.search.judge == judge
    html = page.html()
    assert "How many topics" in [note.get("title") for note in views_in(page.payload, "Note")]
    assert "short runs" in html
    assert ("seconds of this run, without the search" in dict(page.facts)) == bool(page.report.search)
    assert "The runs of the search before this one are not drawn" in html
    titles = [one.get("title", "") for one in views_in(page.payload, "Lines")]
    charts = [one.removeprefix("How many topics, by the ") for one in titles if one.startswith("How many")]
    assert charts == (["bound"] if judge == "bound" else ["held-out score", "bound"])
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    drawn = figures(page)
    names = [name for name in drawn if name.startswith("search-")]
    assert names == ["search-1", "search-2"][: 1 if judge == "bound" else 2]
    svg = "{http://www.w3.org/2000/svg}"
    for i, name in enumerate(names):
        root = ElementTree.fromstring(drawn[name])
        assert len(list(root.iter(f"{svg}circle"))) == len(page.report.search.points)
        text = " ".join(element.text or "" for element in root.iter(f"{svg}text"))
        assert ("held-out score, nats per word" in text) == (judge == "held-out" and i == 0)


def test_the_report_of_a_memoised_run_draws_its_bound(cli, posts, tmp_path):
    """Its steps tell documents' scores given the topics, which are far above; its passes have the bound."""
    cli("fit", "hdp", posts, "--out", tmp_path / "m", "--topics", 4, "--iterations", 6, "--threads", 1)
    model, page = load(tmp_path / "m"), topic_page.page_of(tmp_path / "m", "t")
    assert model.trace_[-1]["kind"] == "documents"
    assert model.trace_[-1]["score"] > model.bound_ + 0.1
    assert page.report.score_kind == "bound"
    assert page.report.trace[-1].score == model.bound_ == model.trace_[-1]["pass_score"]
    assert len(page.report.trace) == model.n_iter_
    html = page.html()
    assert "bound" in html[html.index('id="learning"') :]
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    assert "Bound on the documents it learns from" in figures(page)["learning-training-by-documents"]


def test_the_report_of_an_online_run_says_that_its_curve_is_no_bound(cli, posts, tmp_path):
    options = ("--schedule", "online", "--batch-size", 30, "--topics", 4, "--iterations", 2, "--threads", 1)
    cli("fit", "lda", posts, "--out", tmp_path / "m", *options)
    page = topic_page.page_of(tmp_path / "m", "t")
    assert page.report.score_kind == "documents"
    assert len(page.report.trace) == 8
    html = page.html()
    assert "given the topics of that moment: higher than the bound" in html
    assert "pays for the topics themselves as well" not in html
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    assert "Documents of each step, given the topics" in figures(page)["learning-training-by-documents"]


def test_json_says_by_which_runs_a_range_is(cli, posts, tmp_path):
    done = cli("fit", "hdp", posts, "--out", tmp_path / "m", *SHORT, "--json")
    found = json.loads(done.stdout)
    expected = load(tmp_path / "m").learned_.search_range
    assert found["range"] == (None if expected.runs < 2 else [expected.fewest, expected.most])
    assert found["unchecked"] is expected.unchecked
    assert found["range_of"] == expected.of
    assert found["range_of"] == "runs to the end"
    assert found["range_at_most"] is expected.at_most


def test_a_search_that_ends_at_its_largest_number_says_so():
    run = {"used": 150, "bound": -7.9, "final": True, "held_out": None}
    summary = {"search": [run], "range": [150, 150], "range_of": "runs to the end", "range_at_most": True}
    summary |= {"overruled_bound": None, "unchecked": False}
    lines = search_as_text(summary)
    assert lines[0] == "Topics within 0.005 nats/word of the best, by runs to the end: 150"
    assert "more may be better" in lines[1]
    summary["range_at_most"] = False
    assert len(search_as_text(summary)) == 1
    assert search_as_text({**summary, "range": None})[0].startswith(
        "No range of numbers: of the runs to the end"
    )
    assert "--judge held-out" in search_as_text({**summary, "unchecked": True})[1]


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
        (("--topics", "some"), "'some' is not a whole number above zero"),
        (("--topics", 0), "'0' is not a whole number above zero"),
        (("--topics", 5, "--judge", "held-out"), "--judge needs --topics auto"),
        (("--eta", "much"), "'much' is not a number"),
    ],
)
def test_wrong_options_are_usage_errors(options, line, cli, posts, tmp_path):
    assert line in cli("fit", "hdp", posts, "--out", tmp_path / "m", *options, code=2).stderr


@pytest.mark.slow
def test_a_bound_that_documents_held_out_overrule_is_told(cli, tmp_path):
    texts = [" ".join(f"w{n}" for n in np.flatnonzero(row).repeat(row[row > 0])) for row in weak_topics(800)]
    posts, path = tmp_path / "posts.jsonl", tmp_path / "model"
    posts.write_text("\n".join(json.dumps({"text": text}) for text in texts))
    done = cli("fit", "hdp", posts, "--out", path, "--iterations", 6, "--threads", 1)
    assert re.search(r"The bound asks for \d topics?; documents held out are clearly better", done.stdout)
    assert "checking: " in done.stderr
    page = topic_page.page_of(path, "t")
    assert 1 <= page.report.search.few <= 10
    assert "The bound asks for" in page.html()
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    assert {"search-1", "search-2"} <= set(figures(page))
