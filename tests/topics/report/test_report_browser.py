"""The report of topics in a real browser without network: it works, asks for nothing, and stays inert."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.pages.opened import Opened
from tests.topics.report import report_growth, report_pages
from tests.topics.report.made_up_topics import TopicPage

from stickbreaker.topics.report.document_entries import DocumentEntry
from stickbreaker.topics.report.hierarchy import relate_used
from stickbreaker.topics.report.maps.document_map import place_documents
from stickbreaker.topics.report.topics_of_page import Topic, TopicMember

pytestmark = pytest.mark.browser

Opener = Callable[..., Opened]
BEYOND = """() => [...document.querySelectorAll("svg text, svg circle")].filter((shape) => {
  const own = shape.getBoundingClientRect(), chart = shape.closest("svg").getBoundingClientRect();
  return own.width && (own.left < chart.left - 1 || own.right > chart.right + 1);
}).map((shape) => shape.textContent)"""


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Opener:
    """Opens a page, where nothing may go wrong."""

    def open_page(content: TopicPage, width: int = 1280, scheme: str = "light", link: str = "") -> Opened:
        seen = Opened(browser, tmp_path / "report.html", content.page, width, scheme)
        if link:
            seen.page.goto(seen.page.url + link)
            seen.page.reload()
        return seen

    return open_page


def mapped(page: TopicPage) -> TopicPage:
    return replace(page, document_places=place_documents(page.documents, page.positions))


@pytest.fixture(scope="module")
def gazette() -> TopicPage:
    """A page whose topics can be named; the second is two topics in one."""
    page = mapped(report_pages.realistic(20, 120))
    words = [[word for word, _, _ in topic.words[:10]] for topic in page.topics]
    members = [[TopicMember(topic.id, topic.id + 100, words[k])] for k, topic in enumerate(page.topics)]
    members[1].append(TopicMember(77, 177, ["other"]))
    topics = [replace(topic, members=members[k]) for k, topic in enumerate(page.topics)]
    topics[1] = replace(topics[1], label="pair", named=True, given="pair")
    return replace(page, topics=topics)


def texts(seen: Opened, selector: str) -> list[str]:
    return seen.page.locator(selector).all_text_contents()


def choose(seen: Opened, label: str) -> None:
    seen.page.locator(".index button", has_text=label).first.click()


@pytest.mark.smoke
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (900, "light"), (1280, "light")])
@pytest.mark.parametrize("name", ["realistic", "hostile", "sparse", "grown", "exchanged"])
def test_opens_quietly_and_fits_the_screen(opened: Opener, name: str, width: int, scheme: str) -> None:
    makers = {"grown": lambda: report_growth.grown(60, 30), "exchanged": lambda: report_growth.exchanged(3)}
    page = makers[name]() if name in makers else mapped(getattr(report_pages, name)())
    seen = opened(page, width, scheme)
    assert seen.page.evaluate(BEYOND) == []
    if name == "hostile":
        for k in range(len(report_pages.HOSTILE)):
            seen.page.locator(".index button").nth(k).click()
            seen.page.locator("#documents summary").nth(k).click()
        seen.page.locator("#documents input").fill("<script>")
        assert seen.page.evaluate("typeof window.hacked") == "undefined"
        assert seen.page.locator("img, script:not([type]) ~ script").count() == 0
    sizes = "t => t.map((each) => parseFloat(getComputedStyle(each).fontSize))"
    assert min([12.0, *seen.page.locator("svg text").evaluate_all(sizes)]) >= 11.9
    assert seen.troubles == []


def test_bare_pages_open_quietly(opened: Opener, gazette: TopicPage) -> None:
    alone = [replace(document, mix=[], marks=()) for document in gazette.documents[:3]]
    for page in (TopicPage("Nothing yet"), TopicPage("Documents alone", documents=alone)):
        assert opened(page).troubles == []


@pytest.mark.smoke
def test_a_chosen_topic_is_shown_by_all_views(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette)
    topic = next(t for t in gazette.topics[2:] if len(t.documents) > 2)
    k = list(gazette.topics).index(topic)
    choose(seen, topic.label)
    assert seen.text(".topic-head h3") == topic.label
    assert texts(seen, "#topics .bars .word")[:16] == [word for word, _, _ in topic.words[:16]]
    shown = texts(seen, "#topics .entries .title")
    assert shown == [gazette.documents[d].title for d in topic.documents[:5]]
    assert seen.text("#topics details[open] .text") == gazette.documents[topic.documents[0]].text
    document = gazette.documents[topic.documents[0]]
    own = [document.text[start : start + n] for start, n, topic in document.marks if topic == k]
    assert texts(seen, "#topics details[open] mark.own") == own
    assert seen.page.evaluate("location.hash") == f"#topic-{topic.id}"
    assert seen.page.locator("[aria-pressed=true][data-step=topic]").evaluate_all(
        "all => [...new Set(all.map((one) => one.dataset.key))]"
    ) == [f"topic {k}"]
    assert seen.text("#times h3") == topic.label
    assert seen.text("#groups h3") == topic.label
    assert topic.label in seen.text("#documents .chip")
    seen.page.locator('.map .dot[data-key="topic 12"]').click()
    assert seen.text(".topic-head h3") == gazette.topics[12].label
    near = next(t for t in gazette.topics if t.id == gazette.topics[12].similar[0])
    seen.page.locator("#topics .row .item").first.click()
    assert seen.text(".topic-head h3") == near.label
    assert seen.troubles == []


def test_a_topic_is_reached_by_its_address_and_with_arrow_keys(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette, link="#topic-9")
    assert seen.text(".over span >> nth=0") == "Topic 9"
    seen.page.evaluate("location.hash = '#topic-77'")  # part of another
    seen.page.wait_for_function("document.querySelector('.topic-head h3').innerText === 'pair'")
    ordered = [t.label for t in sorted(gazette.topics, key=lambda t: -t.share)]
    choose(seen, ordered[0])
    for key, place in (("ArrowDown", 1), ("ArrowRight", 2), ("End", 19), ("ArrowUp", 18)):
        seen.page.keyboard.press(key)
        assert seen.text(".topic-head h3") == ordered[place]
        assert seen.page.evaluate("document.activeElement.innerText").startswith(ordered[place])
    seen.page.locator("#documents input").focus()
    seen.page.keyboard.press("ArrowLeft")
    assert seen.text(".topic-head h3") == ordered[18]
    seen.page.get_by_role("button", name="Previous topic").click()
    assert seen.text(".topic-head h3") == ordered[17]
    for view in (".index", ".map", ".tree", ".stream"):
        assert seen.page.locator(f'{view} [tabindex="0"]').count() == 1, view
    assert seen.troubles == []


@pytest.mark.parametrize("weight", [0.0, 0.6])
def test_words_stand_as_they_came_until_the_slider_is_moved(
    opened: Opener, gazette: TopicPage, weight: float
) -> None:
    """Then by relevance, also those of the next topic; and a press brings the first order back."""
    seen = opened(gazette, link=f"#topic-{gazette.topics[4].id}")
    seen.page.locator(".slider input").fill(str(weight))
    choose(seen, gazette.topics[2].label)
    words = gazette.topics[2].words
    floor = 0.01 * max(p for _, p, _ in words)
    relevance = {w: weight * math.log(p) + (1 - weight) * math.log(p / q) for w, p, q in words if p >= floor}
    shown = "#topics .bars .word"
    assert texts(seen, shown)[:16] == sorted(relevance, key=lambda w: -relevance[w])[:16]
    assert f"relevance, λ = {weight}" in seen.text(".slider")
    seen.page.get_by_role("button", name="by support").click()
    assert texts(seen, shown)[:16] == [word for word, _, _ in words[:16]]
    assert seen.page.input_value(".slider input") == "0.6"
    assert seen.troubles == []


def test_documents_are_searched_and_turned(opened: Opener, gazette: TopicPage) -> None:
    seen, rows = opened(gazette), "#documents .entries .title"
    assert seen.text("#documents .count") == "1–25 of 120"
    seen.page.get_by_role("button", name="Next →").first.click()
    assert texts(seen, rows)[0] == gazette.documents[25].title
    seen.page.locator("#documents input").fill("GAZETTE-0103")
    assert texts(seen, rows) == [gazette.documents[103].title]
    seen.page.locator("#documents input").fill("no such words")
    assert seen.text("#documents .count") == "none found"
    seen.page.locator("#documents input").fill("")
    seen.page.locator("#documents .chip").click()
    chosen = max(range(20), key=lambda k: gazette.topics[k].share)
    about = [dict(d.mix)[chosen] for d in gazette.documents if chosen in dict(d.mix)]
    assert seen.text("#documents .count").endswith(f"of {len(about)}")
    assert seen.troubles == []


def test_positions_count_characters_whatever_their_width(opened: Opener, gazette: TopicPage) -> None:
    """Without marks, the words that lead the topic are marked."""
    text = "😀 one 𝔘 two"
    topics = [Topic(0, "one", 0.6, [("one", 0.5, 0.5)], [0]), Topic(1, "two", 0.4, [("two", 0.5, 0.5)])]
    document = DocumentEntry(
        "1", "a", text, [(0, 0.9)], 12, {}, [(2, 3, 0), (8, 3, 1), (99, 3, 1), (0, 0, 9)]
    )
    seen = opened(TopicPage("t", topics=topics, documents=[document]))
    assert texts(seen, "#topics mark") == ["one", "two"]
    assert seen.text("#topics .text") == text
    plain = replace(document, marks=(), text="One and two")
    seen = opened(TopicPage("t", topics=topics, documents=[plain]))
    assert texts(seen, "#topics mark") == ["One"]


def test_topics_not_in_use_are_listed_last_and_not_drawn(opened: Opener, gazette: TopicPage) -> None:
    topics = [
        replace(t, unused=True, label="unused", words=(), share=1e-6, members=(), named=False, given="")
        if k in (0, 4)
        else t
        for k, t in enumerate(gazette.topics)
    ]
    used = np.array([k for k in range(20) if k not in (0, 4)])
    assert gazette.relations
    relations = relate_used(1 - np.array(gazette.relations.similarity), used)
    seen = opened(replace(gazette, topics=topics, relations=relations))
    assert seen.page.locator(".tree .leaf").count() == seen.page.locator(".map .dot").count() == 18
    assert texts(seen, ".index .name")[-2:] == ["unused", "unused"]
    assert "These 18 were found" in seen.text("#topics .lead")
    seen.page.locator(".index button").last.click()
    assert "Next to no words of the collection belong to it" in seen.text(".topic-head")
    seen.page.keyboard.press("ArrowLeft")
    seen.page.keyboard.press("ArrowLeft")
    assert "The smallest of 18" in seen.text(".topic-head")
    assert seen.troubles == []


def test_languages_stand_side_by_side(opened: Opener, gazette: TopicPage) -> None:
    sides = [("de", [("haus", 0.2, 0.1), ("tür", 0.1, 0.1)]), ("en", [("house", 0.3, 0.1)])]
    topics = [replace(gazette.topics[0], sides=sides), replace(gazette.topics[2], sides=sides[::-1])]
    seen = opened(TopicPage("t", topics=topics), link=f"#topic-{topics[0].id}")
    captions = "#topics .caption"
    assert texts(seen, captions) == ["de", "en"]
    seen.page.keyboard.press("ArrowRight")
    seen.page.keyboard.press("ArrowLeft")
    assert len(texts(seen, captions)) == 2
    assert seen.troubles == []


def test_a_large_page_is_prompt_enough_to_use(opened: Opener) -> None:
    page = mapped(report_pages.large())
    seen = opened(page, 390)
    assert seen.page.locator(".index button").count() == seen.page.locator(".map .dot").count() == 200
    assert seen.page.locator(".dots circle").count() == 2000
    took = seen.page.evaluate(
        """() => {
          const start = performance.now();
          document.querySelectorAll(".index button")[9].click();
          return performance.now() - start;
        }"""
    )
    assert took < 1500  # some 100 ms, on a machine that does nothing else
    assert seen.troubles == []


def downloaded(seen: Opened, where: Path) -> dict[int, str | None]:
    """Names by lasting id, from the file that the page writes."""
    with seen.page.expect_download() as waiting:
        seen.page.locator(".naming a").click()
    assert waiting.value.suggested_filename == "names.json"
    waiting.value.save_as(where)
    record = json.loads(where.read_text(encoding="utf-8"))
    assert (record["format"], record["version"]) == ("stickbreaker names of topics", 1)
    assert all(topic["words"] for topic in record["topics"])
    return {topic["id"]: topic["name"] for topic in record["topics"]}


@pytest.mark.parametrize("width", [390, 1400])
def test_a_name_is_seen_everywhere_and_downloaded(
    opened: Opener, gazette: TopicPage, width: int, tmp_path: Path
) -> None:
    third = gazette.topics[3]
    seen = opened(gazette, width, link=f"#topic-{third.id}")
    page = seen.page
    assert page.locator(".naming a").count() == 0
    page.get_by_label("Name this topic").focus()
    name = "<b>Sea</b> & ships"
    page.keyboard.type(f"  {name} ")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "topic-name"
    assert seen.text(".topic-head h3") == name
    assert f"given its name; its words: {third.label}." in seen.text(".topic-head")
    for place in (".index .name", ".tree text", "#measures .name", "#times h3 .name"):
        assert name in texts(seen, place), place
    assert page.locator(f'.map .dot[aria-label^="{name}"]').count() == 1
    assert page.locator("#topic-names option").evaluate_all("e => e.map(x => x.value)") == [name, "pair"]
    assert page.locator("b").count() == 0
    assert downloaded(seen, tmp_path / "names.json") == {
        **{topic.id + 100: None for topic in gazette.topics},
        third.id + 100: name,
        gazette.topics[1].id + 100: "pair",
        177: "pair",
    }
    assert "stickbreaker name MODEL names.json" in seen.text(".naming")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.fill("#topic-name", "")
    page.keyboard.press("Enter")
    assert seen.text(".topic-head h3") == third.label
    assert page.locator(".naming a").count() == 0
    assert seen.troubles == []


def test_the_same_name_twice_makes_one_of_two(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette, link=f"#topic-{gazette.topics[1].id}")
    assert seen.text(".over span >> nth=0") == f"Topics {gazette.topics[1].id} and 77"
    assert f"2 topics in one: {gazette.topics[1].id} and 77." in seen.text(".topic-head")
    choose(seen, gazette.topics[0].label)
    seen.page.fill("#topic-name", "pair")
    seen.page.get_by_role("button", name="Name it").click()
    numbers = sorted([gazette.topics[0].id, gazette.topics[1].id, 77])
    said = "Topics {}, {} and {} have this name: they will be one in the next report."
    assert seen.text("#naming-outlook") == said.format(*numbers)
    seen.page.evaluate("location.hash = '#topic-77'")
    seen.page.wait_for_function("document.querySelector('.over span').innerText.includes('77')")
    seen.page.fill("#topic-name", "")
    seen.page.keyboard.press("Enter")
    assert "will be apart in the next report" in seen.text("#naming-outlook")
    words = ", ".join(word for word, _, _ in gazette.topics[1].words[:3])
    assert seen.text(".topic-head h3") == words
    assert seen.troubles == []


def test_a_click_elsewhere_keeps_the_name_and_is_not_lost(opened: Opener, gazette: TopicPage) -> None:
    """Names are as the model keeps them, and are drawn once the click is done."""
    seen = opened(gazette)
    before = seen.text(".topic-head h3")
    seen.page.fill("#topic-name", " a\u202eb\u0007  c")
    buttons = seen.page.locator(".index button")
    buttons.nth(5).click()
    assert buttons.nth(5).get_attribute("aria-pressed") == "true"
    seen.page.wait_for_function("document.querySelector('.index .name').textContent === 'ab c'")
    assert seen.page.locator("#topic-name").input_value() == ""
    seen.page.fill("#topic-name", "forgotten")
    seen.page.keyboard.press("Escape")
    assert seen.page.locator("#topic-name").input_value() == ""
    seen.page.locator("#topics input[type=search]").fill("AB C")  # found by its name
    assert texts(seen, ".index .name") == ["ab c"]
    assert before not in texts(seen, ".index .name")
    bare = opened(report_pages.realistic(12, 60))
    assert bare.page.locator(".naming").count() == 0
    assert seen.troubles == []


def test_the_genealogy_and_its_table_lead_to_topics(opened: Opener) -> None:
    grown = report_growth.grown(60, 30)
    seen, growth = opened(grown), grown.growth
    assert growth
    assert seen.page.locator(".genealogy .life").count() == len(growth.lines)
    lasting = {life.id: life.topic for life in growth.lives if life.topic is not None}
    shown = [lasting[i] for i in growth.lines if i in lasting]
    heirs = seen.page.locator(".heir")
    assert heirs.evaluate_all("l => l.map(x => Number(x.dataset.key.split(' ')[1]))") == shown
    assert seen.page.locator('.heir[tabindex="0"]').count() == 1
    heirs.nth(4).click()
    seen.page.keyboard.press("ArrowDown")
    assert seen.text(".topic-head h3") == grown.topics[shown[5]].label
    assert seen.page.locator(".life.chosen").count() == 1
    at, topics, used, *_ = growth.counts[-1]
    assert seen.text("#growth output").startswith(
        f"Pass {at:.0f}: {topics} topics in the table, {used} in use"
    )
    rows = seen.page.locator("#growth table").first.locator("tbody tr").all()
    assert len(rows) == len(growth.moves) == 90
    lives = {life.id: life for life in growth.lives}
    for row, move in list(zip(rows, growth.moves, strict=True))[:10]:
        when, kind, topic, other, gain = row.locator("th, td").all_inner_texts()
        assert (float(when), kind) == (move.at, move.kind)
        assert float(gain.replace(",", "").replace("−", "-")) == pytest.approx(move.gain, abs=0.51)
        for said, i in ((topic, move.topic), (other, move.other)):
            k = lives[i].topic
            assert said.startswith(f"№{i} " if k is None else f"{grown.topics[k].id} ")
    seen.page.locator("#growth select").select_option("7")
    one = growth.refinements[7]
    split = seen.page.locator("#growth table").last.locator("tbody tr").first.locator(".each")
    words = [each.locator("> span").all_inner_texts() for each in split.all()]
    assert [[word.strip().removeprefix("+ ") for word in column] for column in words][:2] == [
        list(one.before),
        list(one.after[0][1]),
    ]
    assert {w.strip()[2:] for w in words[1] if w.startswith("+")} == set(one.after[0][1]) - set(one.before)
    assert seen.troubles == []


def test_prints_all_of_its_lists(opened: Opener, gazette: TopicPage) -> None:
    for page in (gazette, report_growth.grown(20, 10)):
        seen = opened(page)
        seen.page.emulate_media(media="print")
        for box in seen.page.locator(".scroll").all():
            assert box.evaluate("e => e.scrollHeight - e.clientHeight") <= 1
        assert not seen.page.locator("nav").is_visible()
        assert not seen.page.locator(".walk").first.is_visible() or page is gazette


@pytest.mark.parametrize("shown", ["gazette", "grown"])
def test_every_control_has_a_name_and_tables_have_heads(
    opened: Opener, gazette: TopicPage, shown: str
) -> None:
    seen = opened(gazette if shown == "gazette" else report_growth.grown(60, 30))
    unnamed = """e => e.filter(x => !(x.ariaLabel || x.innerText?.trim() || x.labels?.length
      || x.getAttribute("aria-label") || x.textContent?.trim())).length"""
    for role in ("button", "input", "select, [role=button]", "[role=img]", "[role=region]", "[role=group]"):
        assert seen.page.locator(role).count() > 0
        assert seen.page.locator(role).evaluate_all(unnamed) == 0, role
    assert seen.page.locator("table th:not([scope])").count() == 0


@pytest.mark.parametrize("width", [390, 1400])
def test_numbers_and_names_stay_whole(opened: Opener, gazette: TopicPage, width: int) -> None:
    assert gazette.times
    facts = [(name, "1,355,378") for name in ("documents", "words read", "distinct words", "a", "b", "c")]
    days = [f"1993-04-{1 + i:02d}" for i in range(len(gazette.times.names))]
    seen = opened(replace(gazette, facts=facts, times=replace(gazette.times, names=days)), width)
    lines = """(cells) => cells.map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
    })"""
    for selector in (".facts dd", "#vocabulary tbody th", "#groups tbody th"):
        assert set(seen.page.locator(selector).evaluate_all(lines)) == {1}, selector
    boxes = [box.bounding_box() for box in seen.page.locator(".stream .figure", has_text="1993").all()]
    assert len(boxes) > 2
    assert all(one["x"] + one["width"] < other["x"] for one, other in pairwise(boxes))


@pytest.mark.smoke
def test_tables_sort_search_and_lead_to_topics(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette)
    measured = sorted(gazette.topics, key=lambda t: -(t.coherence or 0))
    assert texts(seen, "#measures tbody .name") == [t.label for t in measured]
    frequent = sorted(gazette.words, key=lambda row: -(row.tokens or 0))[:25]
    assert texts(seen, "#vocabulary tbody th") == [row.word for row in frequent]
    seen.page.locator("#vocabulary thead button >> nth=0").click()
    assert texts(seen, "#vocabulary tbody th") == sorted(row.word for row in gazette.words)[:25]
    seen.page.locator("#vocabulary input").fill("tele")
    found = texts(seen, "#vocabulary tbody th")
    assert sorted(found) == [row.word for row in gazette.words if "tele" in row.word]
    (group,) = gazette.groups
    assert texts(seen, "#groups tbody th") == list(group.names)
    link = seen.page.locator("#groups tbody a.item").first
    k = [topic.label for topic in gazette.topics].index(link.inner_text())
    assert group.shares[0][k] > gazette.topics[k].share
    link.click()
    assert seen.text(".topic-head h3") == gazette.topics[k].label
    assert seen.troubles == []
