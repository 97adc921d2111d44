"""The report in a real browser without network: it works, asks for nothing, and stays inert."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.topics.report import report_growth, report_pages
from tests.topics.report.made_up_topics import TopicPage

from stickbreaker.topics.report.document_entries import DocumentEntry
from stickbreaker.topics.report.topics import Topic
from stickbreaker.topics.report.vocabulary_table import WordRow

pytestmark = pytest.mark.browser


@dataclass
class Opened:
    """A page in the browser, with all that went wrong and all it asked for."""

    page: Any
    troubles: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def texts(self, selector: str) -> list[str]:
        return self.page.locator(selector).all_text_contents()

    def text(self, selector: str) -> str:
        return self.page.locator(selector).inner_text()


Opener = Callable[..., Opened]


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Opener]:
    contexts = []

    def open_page(content: TopicPage, link: str = "", **options: Any) -> Opened:
        file = tmp_path / "report.html"
        file.write_text(content.html(), encoding="utf-8")
        context = browser.new_context(offline=True, **{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        result = Opened(context.new_page())
        result.page.on("console", lambda message: result.troubles.append(message.text))
        result.page.on("pageerror", lambda error: result.troubles.append(str(error)))
        result.page.on("dialog", lambda dialog: result.troubles.append(dialog.message))
        result.page.on("request", lambda request: result.requests.append(request.url))
        result.page.goto(file.as_uri() + link)
        return result

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def gazette() -> TopicPage:
    return report_pages.realistic()


def check_quiet(seen: Opened) -> None:
    assert seen.troubles == []
    assert [url for url in seen.requests if not url.startswith("data:")] == seen.requests[:1]
    assert seen.page.evaluate("performance.getEntriesByType('resource').length") == 0


@pytest.mark.smoke
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (900, "light"), (1280, "light")])
@pytest.mark.parametrize("name", ["realistic", "hostile", "sparse"])
def test_opens_quietly_and_fits_the_screen(opened: Opener, name: str, width: int, scheme: str) -> None:
    viewport = {"width": width, "height": 900}
    seen = opened(getattr(report_pages, name)(), viewport=viewport, color_scheme=scheme)
    check_quiet(seen)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width


BEYOND = """() => [...document.querySelectorAll("svg text")].filter((text) => {
  const own = text.getBoundingClientRect(), chart = text.closest("svg").getBoundingClientRect();
  return own.width && (own.left < chart.left - 1 || own.right > chart.right + 1);
}).map((text) => text.textContent)"""


@pytest.mark.parametrize("width", [390, 1400])
def test_labels_end_within_their_charts(opened: Opener, gazette: TopicPage, width: int) -> None:
    grown = report_growth.grown(12, 5)
    groups = [replace(group, names=["comp.os.ms-windows.misc"] * 10) for group in gazette.groups]
    trace = [replace(p, documents=p.documents * 9_973) for p in gazette.trace]
    page = replace(gazette, groups=groups, trace=trace, growth=grown.growth)
    assert opened(page, viewport={"width": width, "height": 900}).page.evaluate(BEYOND) == []


def test_names_of_times_do_not_meet(opened: Opener, gazette: TopicPage) -> None:
    assert gazette.times
    days = [f"1993-04-{1 + i:02d}" for i in range(len(gazette.times.names))]
    seen = opened(
        replace(gazette, times=replace(gazette.times, names=days)), viewport={"width": 390, "height": 900}
    )
    boxes = [box.bounding_box() for box in seen.page.locator("#stream .figure", has_text="1993").all()]
    assert len(boxes) > 2
    assert all(one["x"] + one["width"] < other["x"] for one, other in pairwise(boxes))


@pytest.mark.parametrize("width", [390, 1400])
def test_numbers_and_words_stay_whole(opened: Opener, gazette: TopicPage, width: int) -> None:
    facts = [
        (name, "1,355,378") for name in ("documents", "words read", "distinct words", "a", "b", "c", "d")
    ]
    seen = opened(replace(gazette, facts=facts), viewport={"width": width, "height": 900})
    lines = """(cells) => cells.map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
    })"""
    for selector in (".facts dd", "#vocabulary tbody th", "#groups tbody th"):
        assert set(seen.page.locator(selector).evaluate_all(lines)) == {1}, selector


def test_a_word_of_no_topic_is_answered_in_a_sentence(opened: Opener, gazette: TopicPage) -> None:
    lone = [*gazette.words, WordRow("zymurgy", 3.0, 2, 5)]
    seen = opened(replace(gazette, words=lone))
    seen.page.fill("#topic-find", "Zymurgy")
    assert seen.text("#topic-none").startswith("No topic has “Zymurgy” among its leading words.")
    assert not seen.page.locator("#topic-list").is_visible()
    seen.page.locator("#topic-none button").click()
    assert seen.text("#topic-head h3") == gazette.topics[5].label
    seen.page.fill("#topic-find", "qqq")
    assert "Nor is it one of the words listed under Words." in seen.text("#topic-none")
    seen.page.fill("#topic-find", "")
    assert seen.page.locator("#topic-list").is_visible()


def test_a_word_resizes_the_topics_that_use_it(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette)
    radii = """(dots) => Object.fromEntries(
      dots.map((dot) => [dot.dataset.topic, Number(dot.getAttribute("r"))]))"""
    dots = seen.page.locator("#map .dot")
    before = dots.evaluate_all(radii)
    row = seen.page.locator("#words .pointed").nth(1)
    word = seen.texts("#words .word")[1]
    parts = dict(gazette.spread)[word]
    row.hover()
    during = dots.evaluate_all(radii)
    assert {k for k, r in during.items() if r > 1.5} == {str(k) for k, share in parts if share >= 0.0005}
    assert max(during, key=lambda k: during[k]) == str(parts[0][0])
    assert word in seen.text("#map-note")
    seen.page.mouse.move(0, 0)
    assert dots.evaluate_all(radii) == before
    assert not seen.page.locator("#map-note").is_visible()
    row.click()  # it stays
    seen.page.mouse.move(0, 0)
    assert dots.evaluate_all(radii) == during
    assert row.get_attribute("aria-pressed") == "true"
    row.click()
    seen.page.mouse.move(0, 0)
    assert dots.evaluate_all(radii) == before


def test_words_are_pointed_at_with_the_keyboard(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette)
    words = seen.texts("#words .word")
    seen.page.locator("#words .pointed").first.focus()
    assert words[0] in seen.text("#map-note")
    seen.page.keyboard.press("ArrowDown")
    assert words[1] in seen.text("#map-note")
    assert words[1] in seen.page.evaluate("document.activeElement.getAttribute('aria-label')")
    seen.page.keyboard.press("Enter")
    seen.page.locator("#topic-find").focus()
    assert words[1] in seen.text("#map-note")
    seen.page.locator("#topic-list button").nth(4).click()  # another topic, without this word
    assert words[1] in seen.texts("#words .word") or not seen.page.locator("#map-note").is_visible()


@pytest.mark.parametrize("width", [390, 1400])
def test_topics_over_time_as_lines_that_the_reader_chooses(
    opened: Opener, gazette: TopicPage, width: int
) -> None:
    seen = opened(gazette, viewport={"width": width, "height": 900})
    seen.page.click("[data-times=lines]")
    assert seen.page.evaluate("document.activeElement.dataset.times") == "lines"
    chosen = seen.text("#topic-head h3")
    lines = set(seen.texts("#stream .time-line > title"))
    assert 4 <= len(lines) <= 5
    assert chosen in lines
    other = next(topic for topic in gazette.topics if topic.label not in lines)
    seen.page.select_option("#line-choice", label=f"{other.id}  {other.label}")
    assert set(seen.texts("#stream .time-line > title")) == {*lines, other.label}
    boxes = [box.bounding_box() for box in seen.page.locator("#stream .time-line text").all()]
    tops = sorted(box["y"] for box in boxes)
    assert all(b - a > 10 for a, b in pairwise(tops))
    assert seen.page.evaluate(BEYOND) == []
    seen.page.locator("[data-line]", has_text=other.label).click()
    assert set(seen.texts("#stream .time-line > title")) == lines
    seen.page.click("[data-times=bands]")
    assert seen.page.locator("#stream .layer").count() > 5
    check_quiet(seen)


def test_bare_pages_open_quietly(opened: Opener, gazette: TopicPage) -> None:
    check_quiet(opened(TopicPage("Nothing yet")))
    check_quiet(opened(TopicPage("Documents alone", documents=gazette.documents[:3])))


@pytest.mark.smoke
def test_a_click_shows_words_and_documents(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette)
    topic = next(t for t in gazette.topics if len(t.documents) > 2)
    seen.page.locator("#topic-list button", has_text=topic.label).first.click()
    assert seen.text("#topic-head h3") == topic.label
    assert seen.texts("#words .word") == [word for word, _, _ in topic.words[:16]]
    shown = seen.texts("#typical .title")
    assert shown == [gazette.documents[d].title for d in topic.documents[:5]]
    assert seen.text("#typical details[open] .text") == gazette.documents[topic.documents[0]].text
    assert seen.page.locator("#typical details[open] mark").count() > 0
    assert seen.page.evaluate("location.hash") == f"#topic-{topic.id}"
    check_quiet(seen)


def test_a_click_on_the_map_chooses_the_topic_everywhere(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette)
    seen.page.locator('.dot[data-topic="12"]').click()
    label = gazette.topics[12].label
    assert seen.text("#topic-head h3") == label
    assert seen.texts("#topic-list [aria-pressed=true] .name") == [label]
    assert seen.page.locator(".dot[aria-pressed=true]").get_attribute("data-topic") == "12"
    assert label in seen.text("#about")
    seen.page.locator("#near button").first.click()
    labels = {topic.id: topic.label for topic in gazette.topics}
    assert seen.text("#topic-head h3") == labels[gazette.topics[12].similar[0]]


def test_links_lead_to_a_topic(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette, link="#topic-9")
    assert seen.text("#topic-head .over span >> nth=0") == "Topic 9"
    seen.page.evaluate("location.hash = '#topic-11'")
    seen.page.wait_for_function("document.querySelector('#topic-head').innerText.includes('Topic 11')")
    seen.page.evaluate("location.hash = '#topic-999'")
    seen.page.locator("#document-list summary").first.click()
    link = seen.page.locator("#document-list details[open] .parts a").first
    target = link.get_attribute("href").removeprefix("#topic-")
    link.click()
    assert seen.text("#topic-head .over span >> nth=0") == f"Topic {target}"
    assert seen.page.locator("#document-list details[open]").count() == 1
    check_quiet(seen)


def test_arrow_keys_walk_the_topics(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette)
    ordered = [t.label for t in sorted(gazette.topics, key=lambda t: -t.share)]
    assert seen.text("#topic-head h3") == ordered[0]
    for _ in range(2):
        seen.page.keyboard.press("ArrowRight")
    assert seen.text("#topic-head h3") == ordered[2]
    seen.page.keyboard.press("ArrowLeft")
    assert seen.text("#topic-head h3") == ordered[1]
    seen.page.locator("#topic-list [aria-pressed=true]").focus()
    seen.page.keyboard.press("ArrowDown")
    assert seen.page.evaluate("document.activeElement.innerText").startswith(ordered[2])
    seen.page.keyboard.press("End")
    assert seen.text("#topic-head h3") == ordered[-1]
    seen.page.locator("#search").focus()
    seen.page.keyboard.press("ArrowLeft")
    assert seen.text("#topic-head h3") == ordered[-1]
    seen.page.locator(".dot[aria-pressed=true]").focus()
    seen.page.keyboard.press("ArrowLeft")
    assert seen.text("#topic-head h3") == ordered[-2]
    assert seen.page.evaluate("document.activeElement.classList.contains('dot')")


def test_one_stop_of_the_tab_key_for_list_and_map(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette)
    assert seen.page.locator('#topic-list [tabindex="0"]').count() == 1
    assert seen.page.locator('.dot[tabindex="0"]').count() == 1
    assert seen.page.locator("svg[role=img] [role=button], svg[role=img] button").count() == 0
    unnamed = "e => e.filter(x => !(x.ariaLabel || x.innerText.trim())).length"
    assert seen.page.locator("button").evaluate_all(unnamed) == 0


def test_search_narrows_the_documents(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette)
    assert seen.text("#count") == "1–25 of 500"
    assert len(seen.texts("#document-list details")) == 25
    seen.page.locator("#pager [data-page='1']").click()
    assert seen.text("#count") == "26–50 of 500"
    seen.page.locator("#search").fill("GAZETTE-0123")
    assert seen.text("#count") == "1–1 of 1"
    assert seen.texts("#document-list .title") == [gazette.documents[123].title]
    seen.page.locator("#search").fill("orbit piano")
    both = [d for d in gazette.documents if all(w in (d.title + d.text).lower() for w in ("orbit", "piano"))]
    assert seen.text("#count").endswith(f"of {len(both)}")
    seen.page.locator("#search").fill("no such words")
    assert seen.text("#count") == "none found"
    seen.page.locator("#search").fill("")
    seen.page.locator("#about").click()
    chosen = max(range(40), key=lambda k: gazette.topics[k].share)
    about = sum(any(k == chosen for k, _ in d.mix) for d in gazette.documents)
    assert seen.text("#count") == f"1–25 of {about}"
    check_quiet(seen)


def test_topics_are_found_by_word(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette)
    seen.page.locator("#topic-find").fill("telescope")
    having = [t for t in gazette.topics if any("telescope" in word for word, _, _ in t.words)]
    assert sorted(seen.texts("#topic-list .name")) == sorted(t.label for t in having)
    seen.page.locator("#topic-find").fill("zzz")
    assert seen.page.locator("#topic-none").is_visible()
    check_quiet(seen)


@pytest.mark.parametrize("weight", [0.0, 0.6])
def test_the_slider_ranks_words_by_relevance(opened: Opener, gazette: TopicPage, weight: float) -> None:
    seen = opened(gazette, link="#topic-5")
    words = gazette.topics[2].words
    seen.page.locator("#relevance").fill(str(weight))
    floor = 0.01 * max(p for _, p, _ in words)
    relevance = {w: weight * math.log(p) + (1 - weight) * math.log(p / q) for w, p, q in words if p >= floor}
    assert seen.texts("#words .word") == sorted(relevance, key=lambda w: -relevance[w])[:16]
    assert seen.text("#lambda") == f"relevance, λ = {weight}"


@pytest.mark.smoke
def test_hostile_page_is_inert(opened: Opener) -> None:
    seen = opened(report_pages.hostile())
    for k in range(len(report_pages.HOSTILE)):
        seen.page.locator(f'#topic-list [data-topic="{k}"]').click()
        seen.page.locator("#document-list summary").nth(k).click()
        seen.page.locator(f'.dot[data-topic="{k}"]').hover()
    seen.page.locator("#search").fill("<script>")
    assert seen.page.evaluate("typeof window.hacked") == "undefined"
    assert seen.page.locator("img, script:not([type]) ~ script").count() == 0
    assert seen.text("h1") == report_pages.HOSTILE[0]
    shown = {report_pages.HOSTILE[k] for k in (0, 1, 2, 6, 7, 11, 12)}
    assert shown <= set(seen.texts("#topic-list .name"))
    check_quiet(seen)


def test_large_page_is_prompt_enough_to_use(opened: Opener) -> None:
    page = report_pages.large()
    seen = opened(page)
    assert seen.page.locator("#topic-list button").count() == 200
    assert seen.page.locator(".dot").count() == 200
    for _ in range(5):
        seen.page.keyboard.press("ArrowRight")
    assert seen.text("#topic-head h3") == sorted(page.topics, key=lambda t: -t.share)[5].label
    check_quiet(seen)


def test_words_of_documents_have_the_colours_of_their_topics(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette)
    seen.page.locator("#document-list summary").first.click()
    document = gazette.documents[0]
    told = "marks => marks.map(m => [m.textContent, Number(m.dataset.topic), m.title])"
    shown = seen.page.locator("#document-list mark").evaluate_all(told)
    assert shown == [[document.text[s : s + n], k, gazette.topics[k].label] for s, n, k in document.marks]
    for k in {k for _, _, k in document.marks}:
        seen.page.locator(f'#topic-list [data-topic="{k}"]').click()
        own = [document.text[start : start + n] for start, n, topic in document.marks if topic == k]
        assert seen.texts("#document-list mark.own") == own


def test_positions_count_characters_whatever_their_width(opened: Opener) -> None:
    text = "😀 one 𝔘 two"
    topics = [Topic(0, "one", 0.6, [("one", 0.5, 0.5)], [0]), Topic(1, "two", 0.4, [("two", 0.5, 0.5)])]
    document = DocumentEntry(
        "1", "a", text, [(0, 0.9)], 12, {}, [(2, 3, 0), (8, 3, 1), (99, 3, 1), (0, 0, 9)]
    )
    seen = opened(TopicPage("t", topics=topics, documents=[document]))
    assert seen.texts("#typical mark") == ["one", "two"]
    assert seen.text("#typical .text") == text


def test_without_marks_the_words_of_the_topic_are_marked(opened: Opener, gazette: TopicPage) -> None:
    plain = replace(gazette, documents=[replace(d, marks=()) for d in gazette.documents])
    seen = opened(plain)
    seen.page.locator("#document-list summary").first.click()
    (k, _), *_ = plain.documents[0].mix
    seen.page.locator(f'#topic-list [data-topic="{k}"]').click()
    marked = {word.lower() for word in seen.texts("#document-list mark")}
    assert marked
    assert marked <= {word for word, _, _ in plain.topics[k].words[:20]}


def test_tree_and_matrix_follow_the_chosen_topic(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette)
    assert gazette.relations
    order = list(gazette.relations.order)
    leaves = seen.page.locator("#tree .leaf")
    assert leaves.evaluate_all("l => l.map(x => Number(x.dataset.topic))") == order
    leaves.nth(7).click()
    assert seen.text("#topic-head h3") == gazette.topics[order[7]].label
    seen.page.keyboard.press("ArrowDown")
    assert seen.page.evaluate("document.activeElement.classList.contains('leaf')")
    assert seen.text("#topic-head h3") == gazette.topics[order[8]].label
    side = seen.page.locator("#matrix svg").evaluate("e => e.getBoundingClientRect().width")
    place = {"x": 2.5 * side / len(order), "y": 11.5 * side / len(order)}
    seen.page.locator("#matrix").hover(position=place)
    alike = 100 * gazette.relations.similarity[order[11]][order[2]]
    told = seen.text("#pair")
    assert gazette.topics[order[11]].label in told
    assert gazette.topics[order[2]].label in told
    assert float(re.search(r"([\d.]+)% alike", told)[1]) == pytest.approx(alike, abs=0.6)
    seen.page.locator("#matrix").click(position=place)
    assert seen.text("#topic-head h3") == gazette.topics[order[11]].label
    check_quiet(seen)


def test_the_stream_and_the_bars_show_the_chosen_topic(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette)
    assert gazette.times
    for k in (0, 17, 31):
        seen.page.locator(f'#topic-list [data-topic="{k}"]').click()
        assert seen.page.locator(f'#stream .layer[data-topic="{k}"][aria-pressed=true]').count() == 1
        assert seen.page.locator("#stream .layer[aria-pressed=true]").count() == 1
        spoken = seen.page.locator("#topic-times svg").get_attribute("aria-label")
        assert spoken.startswith(f"{gazette.topics[k].label}: {gazette.times.names[0]} ")
    seen.page.locator('#stream .layer[tabindex="0"]').focus()
    seen.page.keyboard.press("ArrowRight")
    assert seen.page.evaluate("document.activeElement.closest('#stream') !== null")
    check_quiet(seen)


def test_groups_tell_shares_and_what_sets_them_apart(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette)
    (group,) = gazette.groups
    rows = seen.page.locator("#groups tbody tr")
    assert [row.locator("th").inner_text() for row in rows.all()] == list(group.names)
    link = rows.first.locator("a.item").first
    k = [topic.label for topic in gazette.topics].index(link.inner_text())
    assert group.shares[0][k] > gazette.topics[k].share
    link.click()
    assert seen.text("#topic-head h3") == gazette.topics[k].label
    check_quiet(seen)


@pytest.mark.smoke
def test_tables_sort_and_search(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette)
    measured = sorted(gazette.topics, key=lambda t: -(t.coherence or 0))
    assert seen.texts("#measures tbody .name") == [t.label for t in measured]
    seen.page.locator("#measures thead button >> nth=1").click()
    by_size = sorted(gazette.topics, key=lambda t: -t.share)
    assert seen.texts("#measures tbody .name") == [t.label for t in by_size]
    assert seen.page.locator("#measures [aria-sort=descending]").inner_text().startswith("share")
    frequent = sorted(gazette.words, key=lambda row: -row.tokens)[:25]
    assert seen.texts("#vocabulary tbody th") == [row.word for row in frequent]
    seen.page.locator("#vocabulary thead button >> nth=0").click()
    assert seen.texts("#vocabulary tbody th") == sorted(row.word for row in gazette.words)[:25]
    seen.page.locator("#vocabulary input").fill("tele")
    assert sorted(seen.texts("#vocabulary tbody th")) == [r.word for r in gazette.words if "tele" in r.word]
    seen.page.locator("#vocabulary input").fill("")
    seen.page.locator("#vocabulary .chip").click()
    chosen = max(range(40), key=lambda k: gazette.topics[k].share)
    count = sum(row.topic == chosen for row in gazette.words)
    assert seen.text("#vocabulary .count").endswith(f"of {count}")
    check_quiet(seen)


def test_named_topics_tell_their_words(opened: Opener, gazette: TopicPage) -> None:
    topic = replace(gazette.topics[0], label="<b>War</b> and peace", named=True)
    seen = opened(replace(gazette, topics=[topic, *gazette.topics[1:]]), link=f"#topic-{topic.id}")
    assert seen.text("#topic-head h3") == "<b>War</b> and peace"
    words = ", ".join(word for word, _, _ in topic.words[:3])
    assert f"given its name; its words: {words}." in seen.text("#topic-head .small")
    seen.page.keyboard.press("ArrowRight")
    assert "given its name" not in seen.text("#topic-head .small")
    check_quiet(seen)


def test_languages_stand_side_by_side(opened: Opener, gazette: TopicPage) -> None:
    sides = [("de", [("haus", 0.2, 0.1), ("tür", 0.1, 0.1)]), ("en", [("house", 0.3, 0.1)])]
    topics = [replace(gazette.topics[0], sides=sides), replace(gazette.topics[1], sides=sides[::-1])]
    seen = opened(TopicPage("t", topics=topics), link=f"#topic-{topics[0].id}")
    assert seen.texts("#languages h4") == ["de", "en"]
    assert seen.texts('#languages [lang="de"] bdi') == ["haus", "tür"]
    seen.page.keyboard.press("ArrowRight")
    seen.page.keyboard.press("ArrowLeft")
    assert seen.page.locator("#languages .language").count() == 2
    check_quiet(seen)


def test_the_unigram_line_stands_beside_the_curves(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette)
    lines = seen.texts("#learning line.unigram ~ text")
    assert [float(re.search(r"([\d,]+)$", line)[1].replace(",", "")) for line in lines] == [
        round(math.exp(5.5)),
        round(math.exp(5.6)),
    ]
    seen.page.locator("#learning .chip >> nth=1").click()
    assert seen.page.locator("#learning line.unigram").count() == 2
    bare = opened(replace(gazette, unigram=None, unigram_held_out=None))
    assert bare.page.locator("#learning line.unigram").count() == 0
    assert bare.page.locator("#learning .curve").count() == 2


def test_many_topics_are_painted(opened: Opener) -> None:
    seen = opened(report_pages.large())
    assert seen.page.locator("#matrix canvas").count() == 1
    painted = """canvas => {
      const { width } = canvas, data = canvas.getContext("2d").getImageData(0, 0, width, width).data;
      return new Set(Array.from({ length: data.length / 4 }, (_, i) => data[4 * i])).size;
    }"""
    assert seen.page.locator("#matrix canvas").evaluate(painted) > 8
    assert seen.page.locator("#tree .leaf").count() == 200


@pytest.fixture(scope="module")
def grown() -> TopicPage:
    return report_growth.grown(60, 30)


def test_the_number_of_topics_is_told_at_every_pass(opened: Opener, grown: TopicPage) -> None:
    seen = opened(grown)
    assert grown.growth
    at, topics, used, splits, merges = grown.growth.counts[-1]
    said = f"Pass {at:.0f}: {topics} topics in the table, {used} in use"
    assert seen.text("#growth-readout").startswith(said)
    slider = seen.page.locator("#growth-at")
    slider.focus()
    for _ in range(3):
        seen.page.keyboard.press("ArrowLeft")
    _, topics, used, splits, merges = grown.growth.counts[-4]
    told = seen.text("#growth-readout")
    assert told.startswith(f"Pass 37: {topics} topics in the table, {used} in use")
    assert ("split" in told, "merge" in told) == (splits > 0, merges > 0)
    assert slider.get_attribute("aria-valuetext") == told
    chart = seen.page.locator("#growth-chart svg")
    box = chart.bounding_box()
    assert box
    left, right = 58, box["width"] - 18
    chart.hover(position={"x": left + 12.5 / 40 * (right - left), "y": 100})
    assert seen.text("#growth-readout").startswith(f"Pass 12: {grown.growth.counts[11][1]} topics")
    marks = seen.page.locator("#growth-chart .split title").all_text_contents()
    assert sum(int(mark.split(": ")[1].split()[0]) for mark in marks) == 60
    check_quiet(seen)


def test_the_genealogy_leads_to_its_topics(opened: Opener, grown: TopicPage) -> None:
    seen = opened(grown)
    assert grown.growth
    assert seen.page.locator("#genealogy .life").count() == len(grown.growth.lines)
    links = seen.page.locator("#genealogy .heir")
    lasting = {life.id: life.topic for life in grown.growth.lives if life.topic is not None}
    shown = [lasting[i] for i in grown.growth.lines if i in lasting]
    assert links.evaluate_all("l => l.map(x => Number(x.dataset.life))") == shown
    assert seen.page.locator('#genealogy .heir[tabindex="0"]').count() == 1
    links.nth(4).click()
    assert seen.text("#topic-head h3") == grown.topics[shown[4]].label
    assert links.nth(4).get_attribute("aria-current") == "true"
    links.nth(4).focus()
    seen.page.keyboard.press("ArrowDown")
    assert seen.text("#topic-head h3") == grown.topics[shown[5]].label
    assert seen.page.evaluate("Number(document.activeElement.dataset.life)") == shown[5]
    seen.page.keyboard.press("End")
    seen.page.keyboard.press("Enter")
    assert seen.text("#topic-head h3") == grown.topics[shown[-1]].label
    check_quiet(seen)


def test_the_table_of_moves_tells_what_the_genealogy_draws(opened: Opener, grown: TopicPage) -> None:
    seen = opened(grown)
    assert grown.growth
    rows = seen.page.locator("#move-table tbody tr").all()
    assert len(rows) == 90
    lives = {life.id: life for life in grown.growth.lives}
    for row, move in list(zip(rows, grown.growth.moves, strict=True))[:20]:
        at, kind, topic, other, gain = row.locator("th, td").all_inner_texts()
        assert (float(at), kind) == (move.at, move.kind)
        assert float(gain.replace(",", "")) == pytest.approx(move.gain, abs=0.51)
        for said, i in ((topic, move.topic), (other, move.other)):
            k = lives[i].topic
            assert said.startswith(f"№{i} " if k is None else f"{grown.topics[k].id} ")
    title = seen.page.locator("#genealogy .life title").first.text_content()
    assert "there from the start" in title
    row = next(row for row in rows if row.locator("a").count())
    target = row.locator("a").first.get_attribute("href")
    row.locator("a").first.click()
    assert seen.text("#topic-head .over span >> nth=0") == f"Topic {target.removeprefix('#topic-')}"
    check_quiet(seen)


def test_a_split_is_chosen_and_its_words_told(opened: Opener, grown: TopicPage) -> None:
    seen = opened(grown)
    assert grown.growth
    assert seen.page.locator("#split-choice option").count() == len(grown.growth.refinements)
    for i in (0, 7):
        seen.page.locator("#split-choice").select_option(str(i))
        one = grown.growth.refinements[i]
        lists = [one.before, *(words for _, *both in one.after for words in both)]
        shown = seen.page.locator("#refinement ol").all()
        assert [each.locator("bdi").all_text_contents() for each in shown] == [list(words) for words in lists]
        fresh = [set(each.locator(".fresh bdi").all_text_contents()) for each in shown]
        assert fresh[0] == set()
        assert fresh[1] == set(one.after[0][1]) - set(one.before)
        assert fresh[2] == set(one.after[0][2]) - set(one.before)
        if len(one.after) > 1 and one.after[1][2]:
            assert fresh[4] == set(one.after[1][2]) - set(one.after[0][2])
    check_quiet(seen)


@pytest.mark.parametrize("moves", [(0, 0), (1, 0), (2, 1), (60, 30)])
def test_few_and_many_moves_fit_the_screen(opened: Opener, moves: tuple[int, int]) -> None:
    for width, scheme in ((390, "dark"), (1280, "light")):
        seen = opened(
            report_growth.grown(*moves), viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        check_quiet(seen)
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        assert seen.page.locator("#genealogy").count() == (moves != (0, 0))


@pytest.mark.parametrize("n_exchanges", [1, 200])
def test_exchanges_are_drawn_without_the_number_of_topics(opened: Opener, n_exchanges: int) -> None:
    page = report_growth.exchanged(n_exchanges)
    for width, scheme in ((390, "dark"), (1280, "light")):
        seen = opened(page, viewport={"width": width, "height": 900}, color_scheme=scheme)
        assert page.growth
        assert seen.page.locator("#genealogy .life").count() == len(page.growth.lines)
        assert seen.page.locator("#move-table tbody tr").count() == len(page.growth.moves)
        assert seen.texts("#move-table thead th") == ["step", "move", "topic", "new, or gone"]
        one = page.growth.refinements[0]
        shown = seen.page.locator("#refinement ol").all()
        assert shown[0].locator("bdi").all_text_contents() == one.before
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        check_quiet(seen)


def test_prints_the_genealogy_and_its_table_in_full(opened: Opener, grown: TopicPage) -> None:
    seen = opened(grown)
    seen.page.emulate_media(media="print")
    for box in ("#genealogy", "#move-table .scroll"):
        assert seen.page.locator(box).evaluate("e => e.scrollHeight - e.clientHeight") <= 1, box
    assert seen.page.locator("#split-choice").is_visible()  # names the split whose words are printed
    assert not seen.page.locator("#growth-at").is_visible()


def test_prints_all_of_its_lists(opened: Opener, gazette: TopicPage) -> None:
    seen = opened(gazette)
    seen.page.emulate_media(media="print")
    for box in ("#topic-list", "#tree", "#measures .scroll"):
        hidden = seen.page.locator(box).evaluate("e => e.scrollHeight - e.clientHeight")
        assert hidden <= 1, box
    assert not seen.page.locator("nav").is_visible()


@pytest.mark.parametrize("shown", ["gazette", "grown"])
def test_every_control_has_a_name_and_tables_have_heads(
    opened: Opener, shown: str, request: pytest.FixtureRequest
) -> None:
    seen = opened(request.getfixturevalue(shown))
    unnamed = """e => e.filter(x => !(x.ariaLabel || x.innerText?.trim() || x.labels?.length
      || x.getAttribute("aria-label"))).length"""
    for role in (
        "button",
        "input",
        "select, svg a, [role=button]",
        "[role=img]",
        "[role=region]",
        "[role=group]",
    ):
        assert seen.page.locator(role).count() > 0
        assert seen.page.locator(role).evaluate_all(unnamed) == 0, role
    assert seen.page.locator("table th:not([scope])").count() == 0
    for view in ("#tree", "#stream"):
        assert seen.page.locator(f'{view} [tabindex="0"]').count() == 1


def test_words_stand_as_they_came_until_the_slider_is_moved(opened: Opener, gazette: TopicPage) -> None:
    """Then by relevance; and a press brings the first order back."""
    topics = [replace(topic, words=topic.words[::-1]) for topic in gazette.topics]
    seen = opened(replace(gazette, topics=topics))
    label = seen.text("#topic-head h3")
    shown = seen.texts("#words text.word")
    assert shown == [word for word, _, _ in next(t for t in topics if t.label == label).words[:16]]
    assert seen.text("#lambda") == "support"
    assert not seen.page.locator("#by-documents").is_visible()
    seen.page.fill("#relevance", "1")
    assert seen.text("#lambda") == "relevance, λ = 1.0"
    assert seen.texts("#words text.word") != shown
    seen.page.locator("#by-documents").click()
    assert seen.texts("#words text.word") == shown
    assert seen.text("#lambda") == "documents"
    assert seen.page.input_value("#relevance") == "0.6"
    check_quiet(seen)
