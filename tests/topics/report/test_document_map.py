"""The map of documents: where they are placed, what the page holds of it, and what its script draws."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.pages.made_up import views_in
from tests.topics.report import report_pages
from tests.topics.report.made_up_topics import TopicPage

from stickbreaker.pages.figures import figures
from stickbreaker.pages.text_values import script_json
from stickbreaker.topics.report.document_entries import DocumentEntry
from stickbreaker.topics.report.maps.document_map import MOST, _repulsion, place_documents

N_TOPICS = 12
POSITIONS = [(float(np.cos(k)), float(np.sin(k))) for k in range(N_TOPICS)]


def entry(mix: list[tuple[int, float]], n_tokens: int = 50) -> DocumentEntry:
    return DocumentEntry("id", "title", "text", mix, n_tokens)


def planted(n: int, groups: int = 4, seed: int = 3) -> list[DocumentEntry]:
    """Documents of some groups in turn, each group with three topics of its own."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(3), size=n)
    return [
        entry([(3 * (i % groups) + j, float(share)) for j, share in enumerate(row)])
        for i, row in enumerate(shares)
    ]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 40, 2000])
def test_places_are_inside_and_finite(n: int) -> None:
    places = place_documents(planted(n), POSITIONS)
    assert len(places) == n
    assert all(place is not None and np.all(np.abs(place) <= 1) for place in places)
    if n > 1:
        assert len(set(places)) > 0.98 * n
        assert np.ptp(np.array(places), axis=0) == pytest.approx(2.0)


@pytest.mark.parametrize("n", [1, 2, 7, 300])
def test_documents_of_one_mix_stand_apart(n: int) -> None:
    places = place_documents([entry([(2, 1.0)])] * n, POSITIONS)
    assert None not in places
    assert np.isfinite(np.array(places, dtype=float)).all()
    assert len(set(places)) == n
    if n == 300:
        points = np.array(places, dtype=float)
        gaps = np.linalg.norm(points[:, None] - points, axis=2)
        np.fill_diagonal(gaps, np.inf)
        assert np.median(gaps.min(axis=1)) > 0.02


def test_documents_with_like_mixes_are_near() -> None:
    documents = planted(400)
    points = np.array(place_documents(documents, POSITIONS), dtype=float)
    gaps = np.linalg.norm(points[:, None] - points, axis=2)
    np.fill_diagonal(gaps, np.inf)
    group = np.arange(400) % 4
    nearest = np.argsort(gaps, axis=1)[:, :10]
    assert (group[nearest] == group[:, None]).mean() > 0.99
    centres = np.array([points[group == g].mean(axis=0) for g in range(4)])
    spread = max(float(np.linalg.norm(points[group == g] - centres[g], axis=1).mean()) for g in range(4))
    between = np.linalg.norm(centres[:, None] - centres, axis=2)[~np.eye(4, dtype=bool)]
    assert between.min() > 1.5 * spread


def test_within_a_group_neighbours_are_those_of_like_shares() -> None:
    rng = np.random.default_rng(5)
    part = rng.random(300)
    documents = [entry([(0, float(p)), (7, 1 - float(p))]) for p in part]  # a line from topic to topic
    points = np.array(place_documents(documents, POSITIONS), dtype=float)
    gaps = np.linalg.norm(points[:, None] - points, axis=2)
    np.fill_diagonal(gaps, np.inf)
    assert np.abs(part[np.argsort(gaps, axis=1)[:, :5]] - part[:, None]).mean() < 0.03


def test_documents_without_words_or_topics_have_no_place() -> None:
    documents = [entry([(0, 0.9)]), entry([]), entry([(1, 0.9)], 0), entry([(99, 1.0)]), entry([(1, np.nan)])]
    documents += [entry([(k, 0.004) for k in range(N_TOPICS)]), entry([(3, 0.5), (4, 0.5)])]
    places = place_documents(documents, POSITIONS)
    assert [place is not None for place in places] == [True, False, False, False, False, False, True]


def test_documents_beyond_the_most_have_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST >= 2000
    monkeypatch.setattr("stickbreaker.topics.report.maps.document_map.MOST", 30)
    places = place_documents(planted(40), POSITIONS)
    assert sum(place is not None for place in places) == 30


CHILD = """
import json, sys
from tests.topics.report.test_document_map import POSITIONS, planted
from stickbreaker.topics.report.maps.document_map import place_documents
print(json.dumps(place_documents(planted(300), POSITIONS)))
"""


@pytest.mark.long("maps in processes with other numbers of threads")
def test_the_same_documents_have_the_same_places_whatever_the_threads() -> None:
    told = set()
    for threads in ("1", "2", "4"):
        variables = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
        env = {**os.environ, **dict.fromkeys(variables, threads)}
        env["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        done = subprocess.run(
            [sys.executable, "-c", CHILD], capture_output=True, text=True, check=True, env=env
        )
        told.add(done.stdout)
    assert len(told) == 1
    assert json.loads(told.pop()) == [
        list(place) for place in place_documents(planted(300), POSITIONS) if place
    ]


def mapped(n: int = 60, n_topics: int = 12) -> TopicPage:
    page = report_pages.realistic(n_topics, n)
    return replace(page, document_places=place_documents(page.documents, page.positions))


@pytest.mark.long("maps of many documents")
def test_the_page_grows_by_a_few_bytes_a_document() -> None:
    page = report_pages.large()
    places = [(float(x), float(y)) for x, y in np.random.default_rng(1).uniform(-1, 1, (2000, 2))]
    without, having = (len(script_json(one.payload)) for one in (page, replace(page, document_places=places)))
    assert 0 < having - without <= 8700
    assert len(replace(page, document_places=places).html()) - len(page.html()) < 20_000  # with its script


def test_places_come_back_from_the_page() -> None:
    page = replace(mapped(4), document_places=[(-1.0, 1.0), None, (0.25, -0.5), (7.0, float("-9"))])
    (dots,) = views_in(page.payload, "Dots")
    assert dots["places"][4:8] == "zzzz"
    things = json.dumps([{"shares": [[0, 1]]}] * 4)
    interpreter = interpreter_of_charts()
    found = json.loads(
        interpreter.eval(f"JSON.stringify(placeDots({{ places: {dots['places']!r} }}, {things}, 1024, 1024))")
    )
    assert [dot["d"] for dot in found] == [0, 2, 3]
    assert [(dot["x"], dot["y"]) for dot in found] == [
        (12, 1012),
        (pytest.approx(637, abs=1), pytest.approx(262, abs=1)),
        (1012, 12),
    ]


def test_places_are_of_all_documents() -> None:
    with pytest.raises(ValueError, match="3 places for 60 documents"):
        replace(mapped(), document_places=[(0.0, 0.0)] * 3).html()


def test_a_page_without_places_has_no_such_section() -> None:
    assert 'id="document-map"' in mapped().html()
    for places in ((), [None] * 60):
        html = replace(mapped(), document_places=places).html()
        assert 'id="document-map"' not in html
        assert "#document-map" not in html.split("<style>")[0]


def interpreter_of_charts() -> Any:
    quickjs = pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    context = quickjs.Context()
    context.eval(mapped().page.charts())
    return context


def test_the_next_dot_lies_in_the_direction_of_the_key() -> None:
    interpreter = interpreter_of_charts()
    interpreter.eval(
        "const four = [[50, 50], [90, 55], [60, 90], [10, 50]].map(([x, y], d) => ({ d, x, y }))"
    )
    for direction, found in (("1, 0", 1), ("0, 1", 2), ("-1, 0", 3), ("0, -1", 0)):
        assert interpreter.eval(f"dotAhead(four, four[0], {direction}).d") == found
    assert interpreter.eval("nearestDot(four, 88, 54, 12).d") == 1
    assert interpreter.eval("nearestDot(four, 75, 54, 12)") is None
    assert interpreter.eval("nearestDot([], 1, 1, 99)") is None


def test_dots_stand_out_by_the_share_of_the_topic() -> None:
    interpreter = interpreter_of_charts()
    for look in ("r", "fill-opacity"):
        found = [float(interpreter.eval(f"dotLook({share}, 1)[{look!r}]")) for share in (0, 0.05, 0.3, 1)]
        assert sorted(set(found)) == found


def test_the_map_is_a_figure() -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    svg = figures(mapped())["document-map"]
    root = ElementTree.fromstring(svg)
    circles = [e for e in root.iter() if e.tag.endswith("}circle")]
    assert len(circles) == 60
    assert {e.get("fill") for e in circles} <= set(mapped().payload["choices"]["topic"]["colours"])
    assert "document-map" not in figures(replace(mapped(), document_places=()))
    assert "document-map" not in figures(replace(mapped(), document_places=[None] * 60))


@pytest.mark.parametrize("n", [2, 31, 32, 33, 100])
def test_all_others_push_a_point_away(n: int) -> None:
    """The sum over pairs as t-SNE defines it, whatever blocks it is computed in."""
    points = np.random.default_rng(n).normal(0.0, 3.0, (n, 2)).astype(np.float32)
    apart = points[:, None].astype(float) - points
    near = 1.0 / (1.0 + (apart**2).sum(axis=2))
    total = near.sum() - n
    expected = ((near**2)[:, :, None] * apart).sum(axis=1) / total
    assert _repulsion(points) == pytest.approx(expected, rel=1e-4, abs=1e-6)
