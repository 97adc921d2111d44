"""Topics over time: what the scripts draw, without a browser."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.topics.report import report_pages

STREAM = """
const labels = ["alpha, beta, x", "gamma, delta, x", "thin, y, z"];
const low = [0.03, 0.95, 0.02], high = [0.95, 0.03, 0.02];
const names = ["2001", "2002", "2003", "2004", "2005", "2006"];
const when = { of: "topic", order: [0, 1, 2], most: [0, 1, 2], names,
  amounts: [5, 5, 5, 5, 5, 5], shares: [low, low, high, low, low, [0.5, 0.48, 0.02]] };
const piecesOf = (one) => (one && one.children ? [one, ...one.children.flat(9).flatMap(piecesOf)] : []);
const wordsOf = (one) => (one.children ? one.children.flat(9).map(wordsOf).join("") : String(one));
const having = (chart, kind) => piecesOf(chart).filter((one) => one.attributes.class === kind);
const at = (width) => ({ width, choices: { topic: { labels } }, chosen: () => 0 });
const drawnAs = (width, kind) => having(DRAWERS.Bands.draw(when, at(width)), kind)
  .map((one) => [wordsOf(one), Number(one.attributes.x), Number(one.attributes.width || 0)]);
"""


@pytest.fixture
def charts() -> Any:
    quickjs = pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    context = quickjs.Context()
    context.eval(report_pages.realistic(3, 40).page.charts() + STREAM)
    return lambda code: json.loads(context.eval(f"JSON.stringify({code})"))


def test_labels_are_left_out_where_their_bands_have_no_room(charts) -> None:
    assert [said for said, *_ in charts("drawnAs(1200, 'halo')")] == ["alpha, beta", "gamma, delta"]
    assert [said for said, *_ in charts("drawnAs(200, 'halo')")] == ["alpha", "gamma, delta"]
    assert [said for said, *_ in charts("drawnAs(120, 'halo')")] == ["alpha", "gamma"]
    assert charts("drawnAs(60, 'halo')") == []


def test_a_label_lies_within_its_band(charts) -> None:
    """From its left end to its right one: the room is the narrowest of what lies between."""
    edges = "[10, 10, 40, 10], [50, 50, 60, 90], [0, 100, 200, 300]"
    assert charts(f"labelRoom(100, 40, {edges})") == {"x": 100, "top": 16, "bottom": 50}
    assert charts(f"labelRoom(150, 120, {edges})") == {"x": 150, "top": 40, "bottom": 50}


def test_every_part_of_the_axis_says_what_it_is(charts) -> None:
    hovers = charts("drawnAs(400, 'hover')")
    assert [said for said, *_ in hovers] == [f"{year}: 5 documents" for year in range(2001, 2007)]
    ends = [x + width for _, x, width in hovers]
    assert all(abs(end - x) < 0.2 for end, (_, x, _) in zip(ends, hovers[1:], strict=False))
