"""Naming topics on the page: in a real browser, by keyboard and pointer, on small screens too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.topics.report import report_pages
from tests.topics.report.made_up_topics import TopicPage

from stickbreaker.topics.report.maps.document_map import place_documents
from stickbreaker.topics.report.topics import TopicMember

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def gazette() -> TopicPage:
    """A page whose topics can be named; the second is two topics in one."""
    page = report_pages.realistic(12, 60)
    words = [[word for word, _, _ in topic.words[:10]] for topic in page.topics]
    members = [[TopicMember(topic.id, topic.id + 100, words[k])] for k, topic in enumerate(page.topics)]
    members[1].append(TopicMember(77, 177, ["other"]))
    topics = [replace(topic, members=members[k]) for k, topic in enumerate(page.topics)]
    topics[1] = replace(topics[1], label="pair", named=True, given="pair")
    return replace(page, topics=topics, document_places=place_documents(page.documents, page.positions))


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Any]:
    contexts = []

    def open_page(content: TopicPage, link: str = "", width: int = 1280) -> tuple[Any, list[str]]:
        file = tmp_path / "report.html"
        file.write_text(content.html(), encoding="utf-8")
        context = browser.new_context(offline=True, viewport={"width": width, "height": 900})
        contexts.append(context)
        page, troubles = context.new_page(), []
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: troubles.append(dialog.message))
        page.goto(file.as_uri() + link)
        return page, troubles

    yield open_page
    for context in contexts:
        context.close()


def downloaded(page: Any, where: Path) -> dict[int, str | None]:
    """Names by lasting id, from the file that the page writes."""
    with page.expect_download() as waiting:
        page.locator("#download-names").click()
    assert waiting.value.suggested_filename == "names.json"
    waiting.value.save_as(where)
    record = json.loads(where.read_text(encoding="utf-8"))
    assert (record["format"], record["version"]) == ("stickbreaker names of topics", 1)
    assert all(topic["words"] for topic in record["topics"])
    return {topic["id"]: topic["name"] for topic in record["topics"]}


@pytest.mark.parametrize("width", [390, 1400])
def test_a_name_is_seen_everywhere_and_downloaded(
    visit: Any, gazette: TopicPage, width: int, tmp_path: Path
) -> None:
    third = gazette.topics[3]
    page, troubles = visit(gazette, f"#topic-{third.id}", width)
    assert not page.locator("#names-file").is_visible()
    page.get_by_label("Name this topic").focus()
    name = "<b>Sea</b> & ships"
    page.keyboard.type(f"  {name} ")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "topic-name"
    assert page.locator("#topic-head h3").inner_text() == name
    assert page.locator("#topic-list [aria-pressed=true] .name").text_content() == name
    assert name in page.locator("#tree text").all_text_contents()
    assert name in page.locator("#dots text").all_text_contents()
    assert name in page.locator("#measures .name").all_text_contents()
    assert page.locator(f'#map .dot[aria-label^="{name}"]').count() == 1
    assert page.locator("#topic-times h3").inner_text() == name
    assert name in page.locator("#typical h3").inner_text()
    assert page.locator("#topic-names option").evaluate_all("e => e.map(x => x.value)") == [name, "pair"]
    assert page.locator("b").count() == 0
    names = downloaded(page, tmp_path / "names.json")
    assert names == {
        **{topic.id + 100: None for topic in gazette.topics},
        third.id + 100: name,
        gazette.topics[1].id + 100: "pair",
        177: "pair",
    }
    assert "stickbreaker name MODEL names.json" in page.locator("#names-file").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.fill("#topic-name", "")
    page.keyboard.press("Enter")
    assert page.locator("#topic-head h3").inner_text() == third.label
    assert not page.locator("#names-file").is_visible()
    assert troubles == []


def test_the_same_name_twice_makes_one_of_two(visit: Any, gazette: TopicPage) -> None:
    page, troubles = visit(gazette, f"#topic-{gazette.topics[1].id}")
    assert (
        page.locator("#topic-head .over span").first.inner_text() == f"Topics {gazette.topics[1].id} and 77"
    )
    assert f"2 topics in one: {gazette.topics[1].id} and 77." in page.locator("#topic-head").inner_text()
    page.goto(page.url.split("#")[0] + f"#topic-{gazette.topics[0].id}")
    page.fill("#topic-name", "pair")
    page.click("#give-name")
    numbers = sorted([gazette.topics[0].id, gazette.topics[1].id, 77])
    said = "Topics {}, {} and {} have this name: they will be one in the next report."
    assert page.locator("#naming-outlook").inner_text() == said.format(*numbers)
    page.goto(page.url.split("#")[0] + "#topic-77")  # a link to a topic that is part of another
    assert page.locator("#topic-head h3").inner_text() == "pair"
    page.fill("#topic-name", "")
    page.keyboard.press("Enter")
    assert "will be apart in the next report" in page.locator("#naming-outlook").inner_text()
    words = ", ".join(word for word, _, _ in gazette.topics[1].words[:3])
    assert page.locator("#topic-head h3").inner_text() == words
    assert troubles == []


@pytest.mark.smoke
def test_a_click_elsewhere_keeps_the_name_and_is_not_lost(visit: Any, gazette: TopicPage) -> None:
    page, troubles = visit(gazette)
    before = page.locator("#topic-head h3").inner_text()
    page.fill("#topic-name", "first")
    page.locator("#topic-list button").nth(5).click()
    assert page.locator("#topic-list button").nth(5).get_attribute("aria-pressed") == "true"
    # names are drawn anew once the click is done
    page.wait_for_function("document.querySelector('#topic-list .name').textContent === 'first'")
    assert page.locator("#topic-name").input_value() == ""
    page.fill("#topic-name", "forgotten")
    page.keyboard.press("Escape")
    assert page.locator("#topic-name").input_value() == ""
    page.fill("#topic-find", "FIRST")  # found by its name
    assert page.locator("#topic-list .name").all_text_contents() == ["first"]
    assert before not in page.locator("#topic-list .name").all_text_contents()
    assert troubles == []


def test_names_are_as_the_model_keeps_them(visit: Any, gazette: TopicPage, tmp_path: Path) -> None:
    page, _ = visit(gazette)
    page.evaluate(r"""() => {
      const field = document.querySelector("#topic-name");
      field.value = " a\u202eb\u0007  c\ud800 e\u0301 \u{1F469}\u200D\u{1F52C}" + "x".repeat(200);
      field.dispatchEvent(new Event("change", { bubbles: true }));
    }""")
    name = next(n for n in downloaded(page, tmp_path / "n.json").values() if n not in (None, "pair"))
    assert name.startswith("ab c é 👩\u200d🔬xxx")
    assert len(name) == 100


def test_a_page_whose_topics_cannot_be_named_has_no_field(visit: Any) -> None:
    page, troubles = visit(report_pages.realistic(12, 60))
    assert page.locator("#naming").count() == 0
    page.locator("#topic-list button").nth(2).click()
    assert troubles == []
