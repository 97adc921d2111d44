"""Figures as files: drawn by the page's scripts, well-formed, with colours that every program reads."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.topics.report import report_growth, report_pages
from tests.topics.report.made_up_topics import TopicPage

from stickbreaker.core.errors import UserError
from stickbreaker.pages.figures import figures, write_figures
from stickbreaker.topics.report.learning import TracePoint

SVG = "{http://www.w3.org/2000/svg}"
NAMES = {
    *("map", "words", "times", "time-lines", "groups-1", "tree", "similarity"),
    *(f"learning-{which}-by-{axis}" for which in ("training", "held-out") for axis in ("documents", "time")),
}


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    return figures(report_pages.realistic(12, 60))


def test_every_figure_is_drawn(drawn: dict[str, str]) -> None:
    assert set(drawn) == NAMES
    for name, svg in drawn.items():
        root = ElementTree.fromstring(svg)
        assert root.tag == f"{SVG}svg", name
        assert len(list(root.iter())) > 10, name


def test_figures_need_no_style_but_their_own(drawn: dict[str, str]) -> None:
    for name, svg in drawn.items():
        assert "var(" not in svg, name
        assert "currentColor" not in svg, name
        assert "NaN" not in svg, name
        assert "undefined" not in svg, name
        fills = {e.get("fill") for e in ElementTree.fromstring(svg).iter() if e.get("fill")}
        assert all(re.fullmatch("#[0-9a-f]{6}", fill) for fill in fills if fill), name


def test_the_figures_say_what_the_page_says(drawn: dict[str, str]) -> None:
    page = report_pages.realistic(12, 60)
    texts = {
        name: [e.text for e in ElementTree.fromstring(svg).iter(f"{SVG}text")] for name, svg in drawn.items()
    }
    assert {topic.label for topic in page.topics} <= set(texts["tree"])
    assert {page.groups[0].names[0]} <= set(texts["groups-1"])
    assert any("unigram" in (text or "") for text in texts["learning-training-by-time"])
    assert len(list(ElementTree.fromstring(drawn["map"]).iter(f"{SVG}circle"))) == 12


def curve_of(scores: list[float]) -> tuple[list[float], list[str]]:
    """The heights of the curve of a run with these scores, and the texts in its chart."""
    trace = [TracePoint(i + 1, 10 * (i + 1), 0.0, score) for i, score in enumerate(scores)]
    drawn = figures(TopicPage("A run", trace=trace))["learning-training-by-documents"]
    elements = list(ElementTree.fromstring(drawn).iter())
    (path,) = [e.get("d", "") for e in elements if e.get("class") == "curve"]
    heights = [float(y) for y in re.findall(r"[ML][\d.-]+ ([\d.-]+)", path)]
    assert sum(e.get("class") == "beyond" for e in elements) == any(
        "above" in (e.text or "") for e in elements
    )
    return heights, [e.text or "" for e in elements if e.tag == f"{SVG}text"]


@pytest.mark.parametrize("spike", [0, 1, 7, 19])
def test_a_point_far_above_the_others_is_marked_and_not_drawn(spike: int) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    scores = [-5.0 - 0.2 / (i + 1) for i in range(20)]
    scores[spike] = -12.0
    heights, texts = curve_of(scores)
    assert min(heights) >= 14
    assert max(heights) <= 280
    assert max(heights) - min(heights) > 100  # the others are no flat line
    assert f"▲ 1 of 20 points above the chart, up to {round(math.exp(12)):,}" in texts


def test_a_curve_without_such_a_point_has_no_marks() -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    _, texts = curve_of([-5.0 - 0.1 / (i + 1) for i in range(20)])
    assert not any("above" in text for text in texts)


def test_growing_models_have_two_more() -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    page = report_growth.grown(12, 5)
    drawn = figures(page)
    assert set(drawn) == NAMES | {"number-of-topics", "genealogy"}
    root = ElementTree.fromstring(drawn["genealogy"])
    assert page.growth
    assert sum((e.get("class") or "").startswith("life") for e in root.iter()) == len(page.growth.lines)
    texts = [e.text or "" for e in root.iter(f"{SVG}text")]
    drawn_lines = set(page.growth.lines)
    for life in page.growth.lives:
        if life.id in drawn_lines and life.topic is not None:
            topic = page.topics[life.topic]
            assert any(text.startswith(f"{topic.id}  {topic.label[:12]}") for text in texts)
    for name in ("number-of-topics", "genealogy"):
        assert not re.search(r"var\(|currentColor|NaN|undefined", drawn[name]), name
    assert "genealogy" not in figures(report_growth.grown(0, 0))
    assert set(figures(report_growth.exchanged(3))) == NAMES | {"genealogy"}


def test_hostile_text_is_escaped() -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    for svg in figures(report_pages.hostile()).values():
        root = ElementTree.fromstring(svg)
        tags = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert tags <= {"svg", "g", "title", "style", "rect", "path", "circle", "line", "polyline", "text"}


@pytest.mark.parametrize("page", [TopicPage("nothing"), report_pages.sparse()])
def test_pages_without_data_have_few_figures(page: TopicPage) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    assert set(figures(page)) <= {"words"}


def test_files_are_written_as_svg_and_png(tmp_path: Path) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    pytest.importorskip("resvg_py", reason="resvg-py is not installed")
    names = write_figures(report_pages.realistic(5, 10), tmp_path / "figures")
    assert sorted(names) == sorted(file.name for file in (tmp_path / "figures").iterdir())
    for name in names:
        content = (tmp_path / "figures" / name).read_bytes()
        assert content.startswith(b"\x89PNG" if name.endswith("png") else b"<svg"), name


@pytest.mark.parametrize("missing", ["quickjs", "resvg_py"])
def test_a_missing_package_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(UserError, match=r"pip install 'stickbreaker\[figures\]'") as told:
        write_figures(report_pages.sparse(), tmp_path / "figures")
    assert "\n" not in str(told.value)
    assert not (tmp_path / "figures").exists()
