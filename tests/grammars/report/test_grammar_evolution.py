"""What a grammar's report says of learning by steps: F1, subtrees that enter and leave, ranks over time."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.pages import made_up
from tests.pages.elements import Elements, data_block
from tests.pages.opened import Opened

from stickbreaker import AdaptorGrammar, Corpus, Online
from stickbreaker.estimators import model_runs
from stickbreaker.grammars.learner import GRAMMARS
from stickbreaker.grammars.report.grammar_page import GrammarReport, grammar_page_of
from stickbreaker.learning.observers import Observer
from stickbreaker.pages.figures import figures
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.evolution import Evolution

WORDS = ("the", "a", "<b>", "dog", "cat", "saw", "ran", "bird")
STEPS = 2 * 12  # of two passes of 12


def texts(n: int = 120, blank: str = " ") -> list[str]:
    draw = np.random.default_rng(3)
    return [blank.join(draw.choice(WORDS, size)) for size in draw.integers(2, 5, n)]


def begin(folder: Path, grammar: str = "unigram", lines: list[str] | None = None, **params: Any) -> Path:
    """A run in a directory, at step 0."""
    settings: dict[str, Any] = {"inference": "hybrid", "schedule": Online(10, total="seen"), "max_iter": 2}
    settings |= {"refine_every": 4, "random_state": 1, "n_jobs": 1, **params}
    if settings["inference"] == "mcmc":
        del settings["schedule"], settings["refine_every"]
    model = AdaptorGrammar(grammar, **settings)
    analysis, rule = GRAMMARS.reads_texts_by(model.settings)
    read = {} if analysis is None else {"analysis": analysis, "rule": rule}
    corpus = Corpus.from_texts(texts() if lines is None else lines, **read).write(folder / "corpus")
    model_runs.begin(GRAMMARS, model.settings, corpus, folder / "m")
    return folder / "m"


def learned(folder: Path, *given: Any, **params: Any) -> Path:
    path = begin(folder, *given, **params)
    model_runs.resume(path, every=1e9, threads=1)
    return path


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned(tmp_path_factory.mktemp("online"))


def test_f1_is_drawn_over_the_sentences_seen(path: Path) -> None:
    page, trace = grammar_page_of(path, "t"), ModelDirectory(path).read().trace
    assert [curve.kind for curve in page.report.curves] == ["segmentation", "steps"]
    measured = {record["documents"]: record["segmentation"] for record in trace if "segmentation" in record}
    assert list(measured) == [10, 20, 40, 80, 160, 240]
    words, boundaries = page.report.curves[0].lines
    assert words.points == [(seen, one["token_f1"]) for seen, one in measured.items()]
    assert boundaries.points == [(seen, one["boundary_f1"]) for seen, one in measured.items()]
    assert {curve.unit for curve in page.report.curves} == {"sentence"}
    assert "20 sentences whose words are known" in page.report.curves[0].name
    assert dict(page.facts)["F1 of words"] == f"{words.points[-1][1]:.3f}"
    assert [x for x, _ in page.report.curves[1].lines[0].points] == [
        10 * step for step in range(1, STEPS + 1)
    ]


def test_sizes_are_those_of_the_trace(path: Path) -> None:
    changes, trace = grammar_page_of(path, "t").report.changes, ModelDirectory(path).read().trace
    assert changes is not None
    of_trace = [tuple(record["vocabulary"].values()) for record in trace]
    assert [row[1:] for row in changes.vocabulary] == of_trace
    assert of_trace[0][1] > 0
    assert any(left for _, _, left in of_trace)
    assert (changes.noun, changes.reads, changes.unit) == ("subtree", "sentence", "pass")


def test_moments_are_powers_of_two_and_quarters(path: Path) -> None:
    changes = grammar_page_of(path, "t").report.changes
    assert changes is not None
    wanted = sorted({1, 2, 4, 8, 16, *range(3, STEPS + 1, 3)})
    assert [step for step, _, _ in changes.moments] == wanted


def test_ranks_are_by_use(path: Path) -> None:
    page, model = grammar_page_of(path, "t"), AdaptorGrammar.load(path)
    assert page.report.changes is not None
    assert [one.name for one in page.report.symbols] == ["Word"]
    uses: dict[str, float] = {}
    for one in model.subtrees("Word"):
        text = model.learned_.model.join(one.text)
        uses[text] = uses.get(text, 0.0) + one.customers
    first = sorted(uses, key=lambda text: (-round(uses[text], 9), text))[:12]
    (wording,) = page.report.changes.wordings
    assert wording is not None
    last = {word: rank for word, rank in wording.ranks[-1].items() if rank <= 12}
    assert sorted(last.values()) == list(range(1, len(first) + 1))
    for word, rank in last.items():
        assert uses[word] == pytest.approx(uses[first[rank - 1]])
    assert set(WORDS) <= set(wording.ranks[-1])


def test_what_came_and_fell_out_is_by_the_snapshots(path: Path) -> None:
    page, moments = grammar_page_of(path, "t"), ModelDirectory(path).evolution().moments
    tops = [[word for word, _ in moment.top()[0]] for moment in moments]
    steps = [moment.step for moment in moments]
    (turnover,) = page.report.turnovers
    assert turnover.came
    assert turnover.fell
    for word, rank, step in turnover.came:
        at = steps.index(step)
        assert tops[-1][rank - 1] == word
        assert all(word in top for top in tops[at:])
        assert word not in tops[at - 1]
    left = {row.text for one in page.report.symbols for row in one.most_used}
    for word, rank, step, uses in turnover.fell:
        at = steps.index(step)
        assert tops[at][rank - 1] == word
        assert not any(word in top for top in tops[at + 1 :])
        assert (uses > 0.0) >= (word in left)
    known = set().union(*tops)
    assert all(
        word in known for moment in moments for rows in moment.entered().values() for _, word, _ in rows
    )


def test_topics_of_words_evolve_each(tmp_path: Path) -> None:
    lines = ["dog cat bird dog", "sum term factor sum", "cat bird dog", "factor term sum"] * 10
    path = learned(tmp_path, "topic", lines, n_topics=2, schedule=Online(8, total="seen"))
    page = grammar_page_of(path, "t")
    assert page.report.changes is not None
    assert [one.name for one in page.report.symbols] == ["Topic1", "Topic2", "Word"]
    assert page.report.changes.reads == "document"
    for wording in page.report.changes.wordings:
        assert wording is not None
        assert {"dog", "cat", "bird", "sum", "term", "factor"} & set(wording.ranks[-1])
    assert "segmentation" not in {curve.kind for curve in page.report.curves}
    assert "F1" not in made_up.all_text(page)


class Killed(Exception):
    pass


class KillAfter(Observer):
    def __init__(self, step: int) -> None:
        self.last = step

    def step(self, job: Any, state: Any, record: Any) -> bool:
        if state.step > self.last:
            raise Killed
        return False


@pytest.mark.parametrize("step", [3, 5, 13])
def test_a_resumed_run_tells_the_same(tmp_path: Path, path: Path, step: int) -> None:
    again = begin(tmp_path)
    with pytest.raises(Killed):
        model_runs.resume(again, every=0.0, threads=1, watch=[KillAfter(step)])
    assert ModelDirectory(again).manifest()["run"]["step"] == step
    model_runs.resume(again, every=1e9, threads=1)
    for file in ("evolution.parquet", "state.safetensors"):
        assert (again / file).read_bytes() == (path / file).read_bytes()
    one, other = (grammar_page_of(each, "t") for each in (again, path))
    for name in ("changes", "turnovers", "curves"):
        assert getattr(one.report, name) == getattr(other.report, name)


def test_a_model_saved_without_its_snapshots_has_what_the_trace_has(tmp_path: Path, path: Path) -> None:
    AdaptorGrammar.load(path).save(tmp_path / "n")
    page, whole = grammar_page_of(tmp_path / "n", "t"), grammar_page_of(path, "t")
    assert page.report.changes is not None
    assert whole.report.changes is not None
    assert (page.report.changes.moments, page.report.turnovers) == ((), [])
    assert page.report.changes.vocabulary == whole.report.changes.vocabulary
    assert page.report.curves == whole.report.curves
    assert made_up.views_in(page.payload, "Paths") == []
    assert [view["figure"] for view in made_up.views_in(page.payload, "Lines")][-1] == "nats-steps"
    assert "remembered-subtrees" in {view["figure"] for view in made_up.views_in(page.payload, "Lines")}


@pytest.mark.parametrize("way", ["mcmc", "without gold", "one step"])
def test_nothing_is_said_where_nothing_is_known(tmp_path: Path, way: str) -> None:
    if way == "mcmc":
        page = grammar_page_of(learned(tmp_path, inference="mcmc", max_iter=8), "t")
        assert {curve.unit for curve in page.report.curves} == {"sweep"}
    elif way == "without gold":
        page = grammar_page_of(learned(tmp_path, lines=texts(blank="")), "t")
        assert page.report.changes is not None
        assert {curve.kind for curve in page.report.curves} == {"steps"}
    else:
        page = grammar_page_of(learned(tmp_path, max_iter=1, schedule="batch"), "t")
    text = made_up.all_text(page)
    assert ("F1" in text) == (way == "one step")  # as a fact
    assert "F1 says how well" not in text
    if way != "without gold":
        assert page.report.changes is None
        assert "What enters and leaves" not in text


def test_strings_are_text_and_nothing_else(path: Path) -> None:
    html = grammar_page_of(path, "t").html()
    assert not set("<>&") & set(data_block(html))
    assert "b" not in {tag for tag, _ in Elements(html).tags}
    (view,) = made_up.views_in(json.loads(data_block(html)), "Paths")
    assert "<b>" in view["ways"][0]["words"]
    assert view["names"] == ["Word"]


def test_figures_are_drawn(path: Path) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    drawn = figures(grammar_page_of(path, "t"))
    assert {"f1", "nats-steps", "changes-1", "remembered-subtrees", "ranks"} <= set(drawn)
    assert not any(re.search(r"NaN|undefined|Infinity|var\(", svg) for svg in drawn.values())
    assert "subtrees in the model" in drawn["remembered-subtrees"]
    report = GrammarReport(path, ModelDirectory(path).manifest(), AdaptorGrammar.load(path).learned_)
    report.__dict__["evolution"] = Evolution()
    assert "changes-1" not in figures(report.page("t"))


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_a_reader_chooses_a_symbol_and_a_string(
    browser: Any, tmp_path: Path, width: int, scheme: str
) -> None:
    content = grammar_page_of(learned(tmp_path, "collocation"), "t")
    seen = Opened(browser, tmp_path / "r.html", content, width, scheme)
    page, chart = seen.page, "#changes .paths"
    assert page.locator("#changes select").first.locator("option").all_inner_texts() == ["Colloc", "Word"]
    first = page.locator(chart).get_attribute("aria-label")
    page.locator("#changes select").first.select_option("1")
    assert page.locator(chart).get_attribute("aria-label") != first
    assert page.locator("#changes .hidden td").count() > 0
    page.locator("#changes select").last.select_option(label="dog")
    assert page.locator(".path.followed .word").all_text_contents().count("dog") > 0
    assert seen.text("#changes output >> nth=-1").startswith("Pass 2:")
    assert "subtrees; " in seen.text("#changes output >> nth=-1")
    assert seen.troubles == []


def test_expected_uses_are_not_called_customers(path: Path, tmp_path: Path) -> None:
    """By variational inference uses are sums of probabilities, and nobody sits at tables."""
    page = grammar_page_of(path, "t")
    assert page.report.expected
    assert page.facts[0] == ("documents", "120")
    html = made_up.all_text(page)
    assert "expected uses" in html
    assert "Uses are not counted here but expected" in html
    assert not re.search(r"[0-9] customers?|[0-9] tables?", html)
    assert "used most, and expected uses" in AdaptorGrammar.load(path)._repr_html_()
    settings = {"inference": "mcmc", "max_iter": 4}
    sampled = grammar_page_of(learned(tmp_path, **settings), "t")
    assert not sampled.report.expected
    assert re.search(r"subtrees, [\d,]+ customers at [\d,]+ tables", made_up.all_text(sampled))
