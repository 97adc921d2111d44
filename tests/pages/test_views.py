"""Each view in a browser: it draws its values, follows what is chosen, and what it says is only text."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.pages.made_up import texts_in
from tests.pages.opened import Opened, refuse_what_leaves_its_place
from tests.topics.report.report_pages import HOSTILE

from stickbreaker.pages.changes import Changes, Wording, paths_of, sizes_of
from stickbreaker.pages.figures import figures
from stickbreaker.pages.page import Choice, Page, Report, Section
from stickbreaker.pages.views import (
    Bands,
    Bars,
    Boxes,
    Card,
    Cards,
    Chosen,
    Column,
    Documents,
    Dots,
    Each,
    Entry,
    Flow,
    Graph,
    Grid,
    Index,
    Item,
    Lane,
    Line,
    Lines,
    List,
    Map,
    MarkedText,
    Matrix,
    Meter,
    Mix,
    NamedLines,
    Node,
    Note,
    Picture,
    Row,
    Series,
    ShownDocument,
    Styled,
    Table,
    Tabs,
    Token,
    View,
    WordBars,
)
from stickbreaker.pages.views.payload import as_json

N = len(HOSTILE)
MIX = [(0, 0.5), (1, 0.25), (N - 1, 0.1)]
PIECES = Each([Item("topic", 1), Styled(HOSTILE[0], "word", HOSTILE[1]), Mix("topic", MIX), Meter(0.3, 0.5)])
POINTS = [(n, 500.0 / n) for n in range(1, 40)]
CHANGES = Changes(
    moments=[(step, 10 * step, "") for step in (1, 5, 9)],
    wordings=[Wording([{"a": 1, text: 2}, {text: 1, "a": 2}, {"b": 1}], [[], [], ["b"]]) for text in HOSTILE],
    vocabulary=[(1.0, 9, 9, 0), (2.0, 12, 5, 2), (3.0, 8, 0, 4)],
)
NODES = [Node(k, 0.1 * (k + 1), k // 3, HOSTILE[:3], "n") for k in range(9)]
ENTRIES = [Entry(text, text, MIX, [Note(PIECES)], f"group {k % 2}", text) for k, text in enumerate(HOSTILE)]
TOKENS = [Token(text, k % 6, "1.0", text, "u" * (k % 2), "#aa5500") for k, text in enumerate(HOSTILE)]
COLUMNS = [
    Column(HOSTILE[0], sorts=True),
    Column("n", "number", sorts=True, meter=True),
    Column("topic", "item", of="topic"),
    Column("p", "share"),
]
LANES = [Lane("in", range(39)), Lane("split", [1, 0, 0] * 13, "split")]
SHARES = [[1 / N] * N, [0.5, 0.2, *[0.3 / (N - 2)] * (N - 2)], [0.1, *[0.9 / (N - 1)] * (N - 1)]]
YEARS = ["1990", "1991", "1992"]
WORDS = WordBars(
    values=[0.3, 0.2, 0.1], marks=[0.1] * 3, places=[0, 1, 2], of="word", points=True, mixes_of="topic"
)
DOCUMENTS = [
    ShownDocument(text, text, 9, f"{text} and more", MIX, "000200" if k % 2 else "", [(text, text)])
    for k, text in enumerate(HOSTILE)
]
VIEWS: dict[str, View] = {
    "Bands": Bands(of="topic", order=range(N), most=range(6), names=YEARS, shares=SHARES, amounts=[5, 9, 2]),
    "Bars": Bars(HOSTILE, [0.5] * N, figures=[["5%", "× 2"]] * N, marks=[0.1] * N, ranked=True, most=5),
    "Bars upright": Bars([str(n) for n in range(9)], range(9), upright=True, shares=True, axis="words"),
    "Bars in parts": Bars(HOSTILE, parts=[MIX] * N, of="topic"),
    "Bars of words": WORDS,
    "Cards": Cards([Card(Item("topic", 0), "5%", [PIECES], more=HOSTILE[0], hidden=[Note(PIECES)])] * 3),
    "Chosen": Chosen("topic", [Note(text) for text in HOSTILE], Note("none is chosen")),
    "Documents": Documents(of="topic", documents="document", page=5, find="Find"),
    "Documents of a topic": Documents(of="topic", documents="document", typical=[[2, 1]] * N, open=1),
    "Documents pointed at": Documents(of="topic", documents="document", pointed=True, help="none"),
    "Dots": Dots(of="document", by="topic", places="000" * 4 + "zzzz" + "f0f0" * (N - 4), name="Dots"),
    "Flow": Flow("topic", [0, 1, -1, -2], [[0.4, 0.3, 0.2, 0.1]] * 3, [0, 20, 40, 50], (5, 25)),
    "Graph": Graph("topic", NODES, [(-1, 0, 0.9), (0, 4, 0.5), (4, 4, 1.0)], "root"),
    "Grid": Grid([replace(WORDS, title=text) for text in HOSTILE[:3]], 2),
    "Index": Index(
        of="topic", sizes=[1 / (k + 1) for k in range(N)], find="Find", words=[[0]] * N, words_of="word"
    ),
    "Lines": Lines(
        [Series(POINTS, "#aa5500", HOSTILE[0]), Series(POINTS, "", "b", True)], "pass", baseline=("all", 30.0)
    ),
    "Lines by ratio": Lines([Series(POINTS, "#aa5500")], "rank", log="xy", whole=True),
    "Lines of topics": NamedLines(of="topic", by=SHARES, names=YEARS, shown=[0, 1]),
    "Lines with rings": Lines(
        [Series(POINTS[:5], "#aa5500", look=look) for look in ("rings", "dot")], log="x"
    ),
    "Lines with ranges": Lines([Series([(n, 0.5, 0.4, 0.6) for n in range(4)], "#aa5500")], most=1.0),
    "Lines with lanes": Lines(
        [Series(POINTS, "#aa5500")], walk="passes", labels=[f"at {n}" for n, _ in POINTS], lanes=LANES
    ),
    "List": List(ENTRIES, "topic", 4, order=True, groups="Group", find="Find", open=1),
    "MarkedText": MarkedText(
        [Line(TOKENS, PIECES, True, True)],
        [(1, HOSTILE[0])],
        [("end", "</s>", "end")],
        "Show",
        reads=True,
    ),
    "Map": Map(of="topic", points=[(k / N, k * k / N) for k in range(N)], sizes=[1 / N] * N, uses="word"),
    "Matrix": Matrix("topic", range(N), "0a" * (N * (N - 1) // 2 - 1) + "rr"),
    "Paths": paths_of(CHANGES, "Topic", of="topic"),
    "Picture": Picture(Boxes(HOSTILE[0], [HOSTILE[1], Boxes("b", ["c"], True, HOSTILE[2])]), "tree"),
    "Row": Row([Note(PIECES), Note("b", title=HOSTILE[0])], panel=True, widths="1fr 20rem", pinned=True),
    "Sizes": sizes_of(CHANGES, HOSTILE[0], "sizes"),
    "Tabs": Tabs([(HOSTILE[0], Note("one")), ("b", Note("two"))], "Choose"),
    "Table": Table(
        COLUMNS, [[text, n, n, n / N] for n, text in enumerate(HOSTILE)], (1, True), 5, "Find", only=2
    ),
}


def views(report: Views) -> Section:
    return Section("views", "Views", "", report.views)


class Views(Report):
    """A report of one section, whose views are about topics that are called by hostile texts."""

    sections = (views,)

    def __init__(self, views: Sequence[View], first: int = 0) -> None:
        self.views, self.first = views, first

    def choices(self) -> dict[str, Choice]:
        colours = [f"#{n:02x}5500" for n in range(N)]
        topics = Choice([text[:60] for text in HOSTILE], colours, range(N), self.first, order=range(N))
        words = Choice(["star", "sun", "moon"], mixes=["00dw01dw", "02rs"], homes="000200")
        return {"topic": topics, "word": words, "document": Choice(documents=DOCUMENTS)}


def page_of(*views: View, first: int = 0) -> Page:
    return Views(views, first).page("t")


def opened(browser: Any, tmp_path: Path, *views: View, width: int = 1400, first: int = 0) -> Opened:
    return Opened(browser, tmp_path / "r.html", page_of(*views, first=first), width, "light")


@pytest.mark.parametrize("name", VIEWS)
def test_data_stay_in_their_place_and_are_drawn_without_a_browser(name: str) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    page = page_of(replace(VIEWS[name], figure="drawn", title="Title"))
    refuse_what_leaves_its_place(page.html())
    for svg in figures(page).values():
        assert not re.search(r"var\(|currentColor|NaN|undefined|Infinity", svg)
        ElementTree.fromstring(svg)


def test_points_of_a_curve_say_their_values_wherever_they_are_pointed_at() -> None:
    quickjs = pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    context = quickjs.Context()
    page = page_of(Lines([Series([(n, 400.0 - n / 10) for n in range(300)], "#aa5500")], "steps"))
    context.eval(page.charts() + f"const value = {json.dumps(page.payload['sections'][0][0])};")
    strips = json.loads(
        context.eval(
            "JSON.stringify(DRAWERS.Lines.draw(value, { width: 600, own: {} "
            "}).children.flat(9).filter((one) => one.attributes.class === 'hover').map((one) => "
            "[one.children[0].children[0], Number(one.attributes.width)]))"
        )
    )
    assert len(strips) == 100
    assert strips[1][0] == "steps 3.00: 400"
    assert all(width > 0 for _, width in strips)


@pytest.mark.smoke
@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1400])
def test_views_fit_the_screen(browser: Any, tmp_path: Path, width: int) -> None:
    shown = [view for name, view in VIEWS.items() if name != "Grid"]  # that is only a figure
    seen = opened(browser, tmp_path, *shown, width=width)
    seen.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    seen.page.wait_for_timeout(100)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert seen.page.evaluate("typeof window.hacked") == "undefined"
    sizes = seen.page.evaluate(
        "[...document.querySelectorAll('text')].map((each) => parseFloat(getComputedStyle(each).fontSize))"
    )
    assert min(sizes) >= 11.9
    assert seen.troubles == []


@pytest.mark.browser
def test_a_word_pointed_at_resizes_the_circles_that_use_it(browser: Any, tmp_path: Path) -> None:
    """With the pointer or the arrow keys; a press lets it stay."""
    seen = opened(browser, tmp_path, VIEWS["Map"], WORDS)
    radii, rows = "dots => dots.map(dot => Number(dot.getAttribute('r')))", seen.page.locator(".pointed")
    dots = seen.page.locator(".map .dot")
    before = dots.evaluate_all(radii)
    rows.nth(1).hover()
    assert sum(r > 1.5 for r in dots.evaluate_all(radii)) == 1
    assert "The circles show where sun is used: 100% in" in seen.text(".views")
    seen.page.mouse.move(0, 0)
    assert dots.evaluate_all(radii) == before
    rows.first.focus()
    assert sum(r > 1.5 for r in dots.evaluate_all(radii)) == 2
    seen.page.keyboard.press("ArrowDown")
    seen.page.keyboard.press("Enter")
    seen.page.mouse.click(5, 5)
    assert sum(r > 1.5 for r in dots.evaluate_all(radii)) == 1
    seen.page.get_by_role("button", name="Show the topics’ sizes").click()
    seen.page.mouse.move(5, 5)
    assert dots.evaluate_all(radii) == before
    assert seen.page.locator('.dot[tabindex="0"]').count() == 1
    assert seen.troubles == []


@pytest.mark.browser
def test_a_dot_shows_its_document(browser: Any, tmp_path: Path) -> None:
    """Under the pointer or by arrow keys; chosen, it is opened and stays."""
    seen = opened(browser, tmp_path, VIEWS["Dots"], VIEWS["Documents pointed at"], VIEWS["Index"])
    card = seen.page.locator(".views > .view").nth(1)
    assert card.inner_text() == "none"
    seen.page.locator(".dot-map").focus()
    seen.page.keyboard.press("ArrowRight")
    assert seen.page.locator(".ring circle").count() == 1
    assert card.locator(".title").count() == 1
    seen.page.keyboard.press("Enter")
    assert card.locator("details[open]").count() == 1
    seen.page.locator(".index button").nth(1).click()
    assert card.locator("details[open]").count() == 1  # the document stays
    assert (
        seen.page.locator(".chip").first.get_attribute("aria-pressed") == "true"
    )  # the topic is brought out
    looks = "dots => new Set(dots.map(dot => dot.getAttribute('fill-opacity'))).size"
    assert seen.page.locator(".dots circle").evaluate_all(looks) == 1  # all have as much of it
    seen.page.locator(".dot-map").focus()
    seen.page.keyboard.press("Escape")
    assert card.inner_text() == "none"
    assert seen.troubles == []


@pytest.mark.browser
def test_a_word_leads_to_a_thing(browser: Any, tmp_path: Path) -> None:
    """Found in the list, or by where the word mostly belongs; a marked word of a text leads to its own."""
    seen = opened(browser, tmp_path, VIEWS["Index"], VIEWS["Documents of a topic"])
    buttons, find = seen.page.locator(".index button"), seen.page.locator("input[type=search]")
    find.fill("star")
    assert buttons.count() == N
    find.fill("moon")
    assert seen.text(".note").startswith("No topic has “moon” among its leading words. The model knows it")
    find.fill("nothing")
    assert "The model knows" not in seen.text(".note")
    find.fill("")
    buttons.nth(3).click()
    assert seen.page.locator(".entries mark.own").count() == 0
    seen.page.locator(".entries summary").nth(1).click()
    seen.page.locator(".entries mark").first.click()
    assert buttons.first.get_attribute("aria-pressed") == "true"
    seen.page.locator(".entries summary").nth(1).click()
    assert seen.page.locator(".entries mark.own").count() > 0
    assert seen.troubles == []


@pytest.mark.browser
def test_pairs_are_named_and_chosen(browser: Any, tmp_path: Path) -> None:
    seen = opened(browser, tmp_path, VIEWS["Matrix"], VIEWS["Chosen"])
    side = seen.page.locator(".square").bounding_box()
    seen.page.mouse.move(side["x"] + 0.5 * side["width"] / N, side["y"] + 2.5 * side["height"] / N)
    assert "1.0% alike" in seen.text(".pair")
    seen.page.mouse.down()
    seen.page.mouse.up()
    assert seen.page.evaluate("page.chosen.topic") == 2
    assert seen.page.locator(".square .cross").count() == 2
    assert seen.troubles == []


@pytest.mark.browser
def test_bands_and_lines_follow_and_are_added(browser: Any, tmp_path: Path) -> None:
    seen = opened(browser, tmp_path, VIEWS["Bands"], VIEWS["Lines of topics"])
    seen.page.locator(".layer").nth(4).focus()
    seen.page.keyboard.press("Enter")
    assert seen.page.locator(".layer[aria-pressed=true]").count() == 1
    lines = seen.page.locator(".time-line > .curve")
    assert lines.count() == 3
    seen.page.locator("select").select_option("9")
    assert lines.count() == 4
    tops = seen.page.locator(".time-line text").evaluate_all("t => t.map(x => Number(x.getAttribute('y')))")
    assert all(b - a > 10 for a, b in zip(sorted(tops), sorted(tops)[1:], strict=False))
    seen.page.locator(".chip").first.click()
    assert lines.count() == 3
    assert seen.troubles == []


@pytest.mark.browser
def test_rows_are_found_sorted_picked_and_turned(browser: Any, tmp_path: Path) -> None:
    seen = opened(browser, tmp_path, VIEWS["Table"])
    numbers = seen.page.locator("tbody td:nth-child(2)")
    assert numbers.first.inner_text().startswith(str(N - 1))
    seen.page.locator("thead button").nth(1).click()
    assert numbers.first.inner_text().startswith("0")
    seen.page.get_by_role("button", name="Next →").click()
    assert numbers.first.inner_text().startswith("5")
    seen.page.locator("input").fill("img")
    assert seen.page.locator("tbody tr").count() == sum("img" in text.lower() for text in HOSTILE)
    assert seen.page.evaluate("document.activeElement.tagName") == "INPUT"
    seen.page.locator("input").fill("")
    seen.page.locator(".chip").click()
    assert seen.page.locator("tbody tr").count() == 1
    assert seen.troubles == []


@pytest.mark.browser
def test_entries_are_opened_ordered_and_filtered(browser: Any, tmp_path: Path) -> None:
    seen = opened(browser, tmp_path, VIEWS["List"])
    rows, opened_ones = seen.page.locator(".entries > li"), seen.page.locator("details[open]")
    assert (rows.count(), opened_ones.count()) == (4, 1)
    seen.page.locator("summary").nth(1).click()
    assert opened_ones.count() == 2
    assert opened_ones.nth(1).locator("svg.mix").count() == 2  # its own, and that of its views
    seen.page.locator("select").last.select_option(label="group 1")
    assert rows.count() == min(4, N // 2)
    seen.page.locator("select").first.select_option("2")
    assert "None of those shown" in seen.text(".note")
    assert seen.troubles == []


@pytest.mark.browser
def test_views_follow_what_is_chosen(browser: Any, tmp_path: Path) -> None:
    seen = opened(browser, tmp_path, VIEWS["Graph"], VIEWS["Chosen"], Note(Item("topic", 3)), first=-1)
    chosen = seen.page.locator(".views > .view").nth(1)
    assert "none is chosen" in chosen.inner_text()
    seen.page.locator("a.item").click()
    shown = " ".join(chosen.inner_text().split())
    assert shown[:20] == " ".join(str(as_json(HOSTILE[3])).split())[:20]
    seen.page.locator(".graph .dot[aria-pressed='true']").focus()
    seen.page.keyboard.press("ArrowRight")
    assert " ".join(chosen.inner_text().split()) != shown
    assert seen.page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    seen.page.locator(".graph").click(position={"x": 3, "y": 3})
    assert "none is chosen" in chosen.inner_text()
    assert seen.troubles == []


@pytest.mark.browser
def test_an_address_names_what_is_chosen(browser: Any, tmp_path: Path) -> None:
    seen = opened(browser, tmp_path, VIEWS["Chosen"])
    seen.page.goto((tmp_path / "r.html").as_uri() + "#topic-2")
    seen.page.wait_for_timeout(100)
    assert seen.page.evaluate("page.chosen.topic") == 2
    seen.page.keyboard.press("ArrowRight")
    assert seen.page.evaluate("location.hash") == "#topic-3"


@pytest.mark.browser
def test_a_chart_is_walked_through(browser: Any, tmp_path: Path) -> None:
    seen = opened(browser, tmp_path, VIEWS["Lines with lanes"])
    assert seen.text("output") == "at 39"
    seen.page.locator("input[type=range]").focus()
    seen.page.keyboard.press("ArrowLeft")
    assert seen.text("output") == "at 38"
    box = seen.page.locator("svg.line-chart").bounding_box()
    seen.page.mouse.move(box["x"] + 60, box["y"] + 40)
    assert seen.text("output") == "at 1"
    assert seen.troubles == []


@pytest.mark.browser
def test_words_are_explained_and_ranked(browser: Any, tmp_path: Path) -> None:
    seen = opened(browser, tmp_path, VIEWS["MarkedText"], VIEWS["Bars"])
    seen.page.locator(".token").nth(2).click()
    assert (
        seen.page.locator(".token").nth(2).get_attribute("title")
        in seen.page.locator(".readout").text_content()
    )
    assert not seen.page.locator(".bits").first.is_visible()
    seen.page.locator(".numbers input").check()
    assert seen.page.locator(".bits").first.is_visible()
    seen.page.locator("input[type=range]").fill("0.2")
    assert "λ = 0.2" in seen.text(".slider")
    seen.page.get_by_role("button", name="by support").click()
    assert "support" in seen.text(".slider")
    assert seen.troubles == []


@pytest.mark.browser
def test_a_word_is_followed_from_moment_to_moment(browser: Any, tmp_path: Path) -> None:
    seen = opened(browser, tmp_path, VIEWS["Paths"])
    seen.page.locator("select").last.select_option(label="a")
    assert set(seen.page.locator(".path.followed .word").all_text_contents()) == {"a"}
    seen.page.locator("input[type=range]").first.focus()
    seen.page.keyboard.press("ArrowRight")
    assert seen.text("output >> nth=0") == "step 5"
    assert seen.troubles == []


def test_values_are_written_short() -> None:
    row = as_json(Table([Column("a")], [["x", 0.123456, 3.0, float("nan"), np.float64(2.5), None]]))
    assert row == {"view": "Table", "columns": [["a"]], "rows": [["x", 0.1235, 3, None, 2.5, None]]}
    assert as_json(Item("topic", 3)) == {"item": 3, "of": "topic"}
    assert as_json(Token("a", 0, "", "note")) == ["a", 0, "", "note"]
    assert "\ud800" not in "".join(texts_in(as_json(Note(HOSTILE))))
    with pytest.raises(TypeError, match="no view has a object"):
        as_json(object())
