"""The report in a real browser without network: it works, asks for nothing, and stays inert."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import report_pages

from stickbreaker.report import Page, render

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND",
]


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


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with driver.sync_playwright() as running:
        launched = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Opener]:
    contexts = []

    def open_page(content: Page, link: str = "", **options: Any) -> Opened:
        file = tmp_path / "report.html"
        file.write_text(render(content), encoding="utf-8")
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
def gazette() -> Page:
    return report_pages.realistic()


def check_quiet(seen: Opened) -> None:
    assert seen.troubles == []
    assert [url for url in seen.requests if not url.startswith("data:")] == seen.requests[:1]
    assert seen.page.evaluate("performance.getEntriesByType('resource').length") == 0


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (900, "light"), (1280, "light")])
@pytest.mark.parametrize("name", ["realistic", "hostile", "sparse"])
def test_opens_quietly_and_fits_the_screen(opened: Opener, name: str, width: int, scheme: str) -> None:
    viewport = {"width": width, "height": 900}
    seen = opened(getattr(report_pages, name)(), viewport=viewport, color_scheme=scheme)
    check_quiet(seen)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width


def test_bare_pages_open_quietly(opened: Opener, gazette: Page) -> None:
    check_quiet(opened(Page("Nothing yet")))
    check_quiet(opened(Page("Documents alone", documents=gazette.documents[:3])))


def test_a_click_shows_words_and_documents(opened: Opener, gazette: Page) -> None:
    seen = opened(gazette)
    topic = next(t for t in gazette.topics if len(t.documents) > 2)
    seen.page.locator("#topic-list button", has_text=topic.label).first.click()
    assert seen.text("#topic-head h3") == topic.label
    assert seen.texts("#words .word") == [word for word, _, _ in topic.words[:16]]
    shown = seen.texts("#typical .title")
    assert shown == [gazette.documents[d].title for d in topic.documents[:5]]
    seen.page.locator("#typical summary").first.click()
    assert seen.text("#typical details[open] .text") == gazette.documents[topic.documents[0]].text
    assert seen.page.locator("#typical details[open] mark").count() > 0
    assert seen.page.evaluate("location.hash") == f"#topic-{topic.id}"
    check_quiet(seen)


def test_a_click_on_the_map_chooses_the_topic_everywhere(opened: Opener, gazette: Page) -> None:
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


def test_links_lead_to_a_topic(opened: Opener, gazette: Page) -> None:
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


def test_arrow_keys_walk_the_topics(opened: Opener, gazette: Page) -> None:
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


def test_one_stop_of_the_tab_key_for_list_and_map(opened: Opener, gazette: Page) -> None:
    seen = opened(gazette)
    assert seen.page.locator('#topic-list [tabindex="0"]').count() == 1
    assert seen.page.locator('.dot[tabindex="0"]').count() == 1
    assert seen.page.locator("svg[role=img] [role=button], svg[role=img] button").count() == 0
    unnamed = "e => e.filter(x => !(x.ariaLabel || x.innerText.trim())).length"
    assert seen.page.locator("button").evaluate_all(unnamed) == 0


def test_search_narrows_the_documents(opened: Opener, gazette: Page) -> None:
    seen = opened(gazette)
    assert seen.text("#count") == "1–25 of 500"
    assert len(seen.texts("#document-list details")) == 25
    seen.page.locator("[data-page='1']").click()
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


def test_topics_are_found_by_word(opened: Opener, gazette: Page) -> None:
    seen = opened(gazette)
    seen.page.locator("#topic-find").fill("telescope")
    having = [t for t in gazette.topics if any("telescope" in word for word, _, _ in t.words)]
    assert sorted(seen.texts("#topic-list .name")) == sorted(t.label for t in having)
    seen.page.locator("#topic-find").fill("zzz")
    assert seen.page.locator("#topic-none").is_visible()
    check_quiet(seen)


def test_the_slider_goes_from_frequent_to_special(opened: Opener, gazette: Page) -> None:
    seen = opened(gazette, link="#topic-5")
    words = gazette.topics[2].words
    seen.page.locator("#special").fill("100")
    special = sorted(words, key=lambda w: -w[1] / w[2])[:16]
    assert seen.texts("#words .word") == [word for word, _, _ in special]


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


def test_open_documents_follow_the_chosen_topic(opened: Opener, gazette: Page) -> None:
    seen = opened(gazette)
    seen.page.locator("#document-list summary").first.click()
    words = set(seen.texts("#document-list mark"))
    (k, _), *_ = gazette.documents[0].mix
    seen.page.locator(f'#topic-list [data-topic="{k}"]').click()
    marked = {word.lower() for word in seen.texts("#document-list mark")}
    assert marked != {word.lower() for word in words}
    assert marked <= {word for word, _, _ in gazette.topics[k].words[:20]}
