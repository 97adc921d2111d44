"""The map of documents in a real browser: what the pointer, the keys and the chosen topic do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.topics.report import report_pages
from tests.topics.report.made_up_topics import TopicPage

from stickbreaker.topics.report.document_entries import DocumentEntry
from stickbreaker.topics.report.hierarchy import relate_used
from stickbreaker.topics.report.maps.document_map import place_documents
from stickbreaker.topics.report.topics import Topic

pytestmark = pytest.mark.browser

Opener = Callable[..., Any]
CIRCLES = ".documents-dots circle"
LOOKS = "dots => dots.map(dot => [Number(dot.getAttribute('r')), Number(dot.getAttribute('fill-opacity'))])"
CENTRES = """dots => dots.map(dot => {
  const box = dot.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
})"""
CUT = """() => [...document.querySelectorAll("svg circle, #dots text, #map text")].filter((shape) => {
  const own = shape.getBoundingClientRect(), chart = shape.closest("svg").getBoundingClientRect();
  return own.width && (own.left < chart.left - 0.6 || own.right > chart.right + 0.6
    || own.top < chart.top - 2 || own.bottom > chart.bottom + 2);
}).length"""

MEETING = """texts => texts.map(text => text.getBBox()).reduce((n, one, i, boxes) => n
  + boxes.slice(0, i).filter(other => one.x < other.x + other.width && other.x < one.x + one.width
    && one.y + 1 < other.y + other.height && other.y + 1 < one.y + one.height).length, 0)"""


def mapped(page: TopicPage) -> TopicPage:
    return replace(page, document_places=place_documents(page.documents, page.positions))


@pytest.fixture(scope="module")
def gazette() -> TopicPage:
    return mapped(report_pages.realistic(20, 120))


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Opener]:
    contexts, troubles = [], []

    def open_page(content: TopicPage, width: int = 1280, scheme: str = "light") -> Any:
        file = tmp_path / "report.html"
        file.write_text(content.html(), encoding="utf-8")
        context = browser.new_context(
            offline=True, viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(file.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []


def point_at(page: Any, i: int) -> None:
    page.locator("#dots").scroll_into_view_if_needed()
    x, y = page.locator(CIRCLES).evaluate_all(CENTRES)[i]
    page.mouse.move(x, y)


@pytest.mark.smoke
def test_a_dot_under_the_pointer_tells_its_document(opened: Opener, gazette: TopicPage) -> None:
    page = opened(gazette)
    assert page.locator(CIRCLES).count() == len(gazette.documents)
    assert page.locator("#dot-help").is_visible()
    for i in (0, 40, 119):
        point_at(page, i)
        entry = gazette.documents[i]
        assert page.locator("#dot-card .title").inner_text() == entry.title
        label = gazette.topics[entry.mix[0][0]].label
        assert label in page.locator("#dot-card .parts li").first.inner_text()
        assert entry.text[:200] in page.locator("#dot-card .text").inner_text()
    page.mouse.move(1, 1)
    assert page.locator("#dot-help").is_visible()
    assert page.locator("#dot-card").inner_text() == ""


def test_a_click_opens_the_document_and_another_closes_it(opened: Opener, gazette: TopicPage) -> None:
    page = opened(gazette)
    point_at(page, 7)
    page.mouse.down()
    page.mouse.up()
    page.mouse.move(1, 1)
    assert page.locator("#dot-card details[open] .title").inner_text() == gazette.documents[7].title
    assert page.locator("#dot-card .body .text").inner_text() == gazette.documents[7].text
    assert page.locator("#dot-card mark").count() > 0
    link = page.locator("#dot-card .parts a").first
    label = link.inner_text()
    page.locator("#dots").focus()
    link.click()  # leads to the topic; the document stays
    assert page.locator("#topic-head h3").inner_text() == label
    assert page.locator("#dot-card details[open]").count() == 1
    point_at(page, 7)
    page.mouse.down()
    page.mouse.up()
    page.mouse.move(1, 1)
    assert page.locator("#dot-card").inner_text() == ""


def test_the_keys_lead_from_dot_to_dot(opened: Opener, gazette: TopicPage) -> None:
    page = opened(gazette)
    topic = page.locator("#topic-head h3").inner_text()
    page.locator("#dots").focus()
    titles = []
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown"):
        page.keyboard.press(key)
        titles.append(page.locator("#dot-card .title").inner_text())
    assert len(set(titles)) >= 4
    assert page.locator(".document-map .ring").count() == 1
    page.keyboard.press("Enter")
    assert page.locator("#dot-card details[open] .title").inner_text() == titles[-1]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('#dot-card summary')")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Escape")
    assert page.locator("#dot-card").inner_text() == ""
    assert page.locator("#topic-head h3").inner_text() == topic  # the arrow keys chose no other
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") != "dots"


def test_a_chosen_topic_brings_out_its_documents(opened: Opener, gazette: TopicPage) -> None:
    page = opened(gazette)
    circles, button = page.locator(CIRCLES), page.locator("#bring-out")
    assert len({tuple(look) for look in circles.evaluate_all(LOOKS)}) == 1
    assert button.get_attribute("aria-pressed") == "false"
    page.locator('#topic-list [data-topic="5"]').click()
    assert button.get_attribute("aria-pressed") == "true"
    assert gazette.topics[5].label in button.inner_text()
    shares = [dict(document.mix).get(5, 0.0) for document in gazette.documents]
    looks = circles.evaluate_all(LOOKS)
    having = sorted((share, look) for share, look in zip(shares, looks, strict=True) if share > 0)
    without = [look for share, look in zip(shares, looks, strict=True) if share == 0]
    assert [look for _, look in having] == sorted(look for _, look in having)
    assert max(without) < having[0][1]
    assert having[-1][1][1] > 2 * without[0][1]
    button.click()
    assert len({tuple(look) for look in circles.evaluate_all(LOOKS)}) == 1


@pytest.mark.parametrize("width", [320, 390, 900, 1400])
def test_no_circle_is_cut_off_whatever_word_is_pointed_at(
    opened: Opener, gazette: TopicPage, width: int
) -> None:
    page = opened(gazette, width, "dark")
    assert page.evaluate(CUT) == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for i in range(0, 16, 3):
        page.locator("#words .pointed").nth(i).focus()
        page.wait_for_timeout(200)  # circles grow and move
        assert page.evaluate(CUT) == 0


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_documents(opened: Opener, gazette: TopicPage, n: int) -> None:
    few = mapped(
        replace(
            gazette,
            documents=gazette.documents[:n],
            topics=[replace(t, documents=()) for t in gazette.topics],
        )
    )
    page = opened(few)
    assert page.locator(CIRCLES).count() == n
    page.locator("#dots").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert page.locator("#dot-card details[open]").count() == 1
    assert page.evaluate(CUT) == 0


def test_documents_without_words_have_no_dot(opened: Opener, gazette: TopicPage) -> None:
    empty = DocumentEntry("empty", "nothing", "", [], 0)
    page = opened(mapped(replace(gazette, documents=[empty, *gazette.documents[1:]])))
    assert page.locator(CIRCLES).count() == len(gazette.documents) - 1
    assert "those without words have no dot" in page.locator("#document-map .lead").inner_text()
    page.locator('#topic-list [data-topic="5"]').click()
    point_at(page, 3)
    assert page.locator("#dot-card .title").inner_text() == gazette.documents[4].title


def test_two_thousand_documents_of_two_hundred_topics(opened: Opener) -> None:
    page = opened(mapped(report_pages.large()), 390)
    assert page.locator(CIRCLES).count() == 2000
    labels = page.locator("#dots text").count()
    assert 3 <= labels <= 20
    assert page.locator("#dots text").evaluate_all(MEETING) == 0
    took = page.evaluate(
        """() => {
          const start = performance.now();
          document.querySelectorAll("#topic-list button")[9].click();
          return performance.now() - start;
        }"""
    )
    assert took < 1500  # some 50 ms, on a machine that does nothing else


def test_hostile_titles_are_text(opened: Opener) -> None:
    page = opened(mapped(report_pages.hostile()))
    page.locator("#dots").focus()
    for key in ("ArrowLeft", "Enter", "ArrowUp", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert page.evaluate("typeof window.hacked") == "undefined"


def test_unused_topics_are_listed_last_and_not_drawn(opened: Opener, gazette: TopicPage) -> None:
    topics = [
        replace(t, unused=True, label="unused", words=(), share=1e-6) if k in (0, 4) else t
        for k, t in enumerate(gazette.topics)
    ]
    used = np.array([k for k in range(20) if k not in (0, 4)])
    relations = relate_used(1 - np.array(gazette.relations.similarity), used) if gazette.relations else None
    page = opened(replace(gazette, topics=topics, relations=relations))
    assert page.locator("#tree .leaf").count() == 18
    assert "unused" not in page.locator("#alike").inner_text()
    assert page.locator("#topic-list .name").all_text_contents()[-2:] == ["unused", "unused"]
    assert page.locator("#map .dot").count() == 18
    assert "These 18 were found" in page.locator("#topics .lead").inner_text()
    assert "of 18:" in page.locator("#topic-head").inner_text()
    page.locator("#topic-list button").last.click()
    assert "Next to no words of the collection belong to it" in page.locator("#topic-head").inner_text()
    page.locator("#matrix").scroll_into_view_if_needed()
    page.locator("#matrix").hover(position={"x": 40, "y": 120})
    assert "unused" not in page.locator("#pair").inner_text()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert "The smallest of 18" in page.locator("#topic-head").inner_text()


def test_one_topic_has_no_map(opened: Opener, gazette: TopicPage) -> None:
    alone = Topic(0, "alone", 1.0, [("alone", 0.5, 0.5)])
    page = opened(
        TopicPage("One", topics=[alone], documents=[replace(gazette.documents[0], mix=[(0, 1.0)], marks=())])
    )
    assert page.locator("#document-map").count() == 0
