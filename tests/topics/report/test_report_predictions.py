"""How a stream was predicted: means by hand, the chart, and what the run warned of."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.pages.made_up import views_in
from tests.topics.report import report_pages
from tests.topics.report.made_up_topics import TopicPage

from stickbreaker import Online
from stickbreaker.corpus import Analysis
from stickbreaker.estimators.streams import stream_directory
from stickbreaker.estimators.streams.stream_feed import Stop, StreamSettings
from stickbreaker.pages.figures import figures
from stickbreaker.saved import ModelDirectory
from stickbreaker.topics.report.predictions import MOST_POINTS, Prediction, predictions_of, warnings_of_run
from stickbreaker.topics.report.topic_page import page_of
from stickbreaker.topics.settings import LDASettings

GIANT = {"about": "giant", "share": 0.5}


def record(step: int, score: float, unigram: float, tokens: float) -> dict[str, object]:
    scores = {"score": score, "unigram": unigram, "tokens": tokens, "unseen": 0.0, "documents": 5}
    return {"step": step, "pass": step, "documents": 10.0 * step, "seconds": step / 2, "prequential": scores}


def predicted(n: int, spread: float = 1.0) -> TopicPage:
    draw = np.random.default_rng(0)
    points = [Prediction(50 * i, i / 4, -8.0 + spread * draw.normal(), -8.5) for i in range(n)]
    return replace(report_pages.sparse(), predictions=points)


def test_points_are_means_of_consecutive_minibatches() -> None:
    trace = [
        {"step": 1, "pass": 1, "documents": 10.0},
        record(2, -7.0, -8.0, 30.0),
        record(3, -9.0, -8.4, 10.0),
    ]
    assert predictions_of(trace) == [Prediction(20, 1.0, -7.0, -8.0), Prediction(30, 1.5, -9.0, -8.4)]
    many = [
        record(step, -7.0 if step % 2 else -9.0, -8.0, 10.0 + 20 * (step % 2))
        for step in range(2 * MOST_POINTS)
    ]
    points = predictions_of(many)
    assert len(points) == MOST_POINTS
    assert {round(point.score, 9) for point in points} == {-7.5}
    assert [point.documents for point in points[:2]] == [10, 30]
    assert predictions_of([]) == []


def test_what_a_run_warned_of() -> None:
    trace = [{"step": 1, "warnings": [GIANT]}, {"step": 2}]
    manifest = {"status": "running", "stream": {}, "corpus": {"documents": 40}}
    assert [line[:20] for line in warnings_of_run(trace, manifest, Online(10))] == ["one topic holds 50% "]
    ended = {**manifest, "status": "done"}
    assert len(warnings_of_run(trace, ended, Online(10))) == 2
    assert len(warnings_of_run(trace, ended, Online(4))) == 1
    assert warnings_of_run([], {"status": "done", "corpus": {"documents": 40}}, Online(10)) == []


def places_on(drawn: str, kind: str) -> list[tuple[float, float]]:
    """The points of a curve in a chart, in order."""
    paths = [e.get("d") or "" for e in ElementTree.fromstring(drawn).iter() if e.get("class") == kind]
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", paths[-1])]


def test_documents_in_a_code_are_marked_above_the_others() -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    page = predicted(30, 1.0)
    spiked = [*page.predictions[:12], replace(page.predictions[12], score=-30.0), *page.predictions[13:]]
    drawn = figures(replace(page, predictions=spiked))["prediction-by-documents"]
    assert drawn.count('class="beyond"') == 1
    assert f"▲ 1 of 60 points above the chart, up to {round(math.exp(30)):,}" in drawn
    curve = places_on(drawn, "curve")
    assert all(22 <= y <= 280 for _, y in curve)
    assert max(y for _, y in curve) - min(y for _, y in curve) > 100
    assert 'class="beyond"' not in figures(page)["prediction-by-documents"]


@pytest.mark.parametrize("spread", [0.0, 0.01, 1.0, 2.5])
def test_the_chart_has_both_curves_on_any_scale(spread: float) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    drawn = figures(predicted(30, spread))["prediction-by-documents"]
    assert not re.search(r"var\(|currentColor|NaN|undefined|Infinity", drawn)
    points = [places_on(drawn, kind) for kind in ("unigram", "curve")]
    assert [len(each) for each in points] == [30, 30]
    assert all(0 <= x <= 640 and 0 <= y <= 320 for each in points for x, y in each)
    better = [one.score > one.unigram for one in predicted(30, spread).predictions]
    assert [topics[1] > alone[1] for alone, topics in zip(*points, strict=True)] == better


def test_pages_without_predictions_have_no_such_section() -> None:
    assert 'id="prediction"' not in report_pages.sparse().html()
    assert len(charts_of(predicted(2))) == 1
    assert charts_of(predicted(1)) == []
    warned = replace(report_pages.sparse(), warnings=["a <b> & c"])
    assert "Note: a &lt;b&gt; &amp; c." in warned.html()
    assert charts_of(warned) == []


def charts_of(page: TopicPage) -> list[Any]:
    charts = views_in(page.payload, "Lines")
    return [one for one in charts if one["figure"] == "prediction-by-documents"]


def test_predictions_that_are_not_finite_are_left_out() -> None:
    page = replace(predicted(3), predictions=[*predicted(3).predictions, Prediction(9, 1.0, -np.inf, -8.0)])
    (chart,) = charts_of(page)
    assert [len(points) for points, *_ in chart["series"]] == [3, 3]


def test_the_page_of_a_stream(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    lines = [" ".join(f"kind{d // 60}w{w}" for w in draw.integers(9, size=20)) for d in range(360)]
    (tmp_path / "s.txt").write_text("\n".join(lines))
    words = {
        "words": "open",
        "alpha": 1 / 12,
        "schedule": Online(20, tau0=1.0),
        "random_state": 1,
        "n_jobs": 1,
    }
    settings = StreamSettings((str(tmp_path / "s.txt"),), "lines")
    stream = stream_directory.begin(LDASettings(12, **words), settings, Analysis(), tmp_path / "m", Stop())
    assert stream_directory.continue_stream(stream, Stop(), lambda record: None)
    page = page_of(tmp_path / "m", "t")
    assert ("steps", "18") in page.facts  # a stream has no passes
    assert not any("pass" in name for name, _ in page.facts)
    assert page.report.changes
    assert page.report.changes.unit == "step"
    assert len(page.report.predictions) == 17
    assert all(-30 < one.score < 0 for one in page.report.predictions)
    assert any("one topic holds" in line for line in page.report.warnings)
    assert ModelDirectory(tmp_path / "m").manifest()["status"] == "done"
