"""The page of a lexicon: what the program makes of it, its scripts, and how it works in a browser."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.pages import made_up
from tests.pages.elements import Elements
from tests.pages.opened import Opened, refuse_what_leaves_its_place
from tests.topics.report.report_pages import HOSTILE
from tests.translation.report.planted_lexicons import pairs, planted

from stickbreaker.core.errors import UserError
from stickbreaker.pages.figures import figures
from stickbreaker.pages.page import Page
from stickbreaker.translation.bitext import Pair
from stickbreaker.translation.lexicon.terms import Term, TermInTopic
from stickbreaker.translation.report.changed_documents import (
    ChangedDocument,
    ChangedTranslation,
    ChangedWord,
)
from stickbreaker.translation.report.example_sentences import Example
from stickbreaker.translation.report.lexicon_page import LexiconReport, lexicon_page_of
from stickbreaker.translation.report.topics import TopicDomainRow
from stickbreaker.translation.report.words_across_topics import WordAcrossTopics, WordInTopic

SECTIONS = {"terms", "two", "documents", "topics", "making"}
LONG = "x" * 10_000


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lexicon = tmp_path_factory.mktemp("lexicon") / "lexicon"
    planted().save(lexicon)
    return lexicon


def ids_in(page: Page) -> set[str | None]:
    return {attributes.get("id") for _, attributes in Elements(page.html()).tags}


# The program


@pytest.mark.slow
def test_the_program_writes_page_and_figures(cli, path: Path, tmp_path: Path) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    pytest.importorskip("resvg_py", reason="resvg-py is not installed")
    page = tmp_path / "r.html"
    done = cli("report", path, "--out", page, "--figures", tmp_path / "f", "--title", "A title", "--json")
    found = json.loads(done.stdout)
    assert {Path(name).stem for name in found["files"]} == {"terms", "two-topics"}
    html = page.read_text(encoding="utf-8")
    assert '<h1 dir="auto">A title</h1>' in html
    assert len(html) < 100_000
    assert html == lexicon_page_of(path, "A title").html()


def test_what_is_no_lexicon_has_no_such_page(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such lexicon"):
        lexicon_page_of(tmp_path / "nothing", "t")


# What the page holds


def page_with(title: str, **fields: Any) -> Page:
    rows = {name: [] for name in ("topics", "domains", "terms", "words", "documents", "examples")}
    known = {"languages": ("", ""), "topics_of_model": True, "n_documents": 0}
    return made_up.page_of(LexiconReport, title, **{**rows, **known, **fields})


def hostile() -> Page:
    """Markup, quotes, lone surrogates, control characters, overrides of direction, long texts everywhere."""
    texts, wrong = [*HOSTILE, LONG], float("nan")
    n, becomes = len(texts), ChangedTranslation("b", 0.1, 0.6)
    return page_with(
        HOSTILE[0],
        subtitle=" ".join(HOSTILE[:-1]),
        facts=[(text, text) for text in HOSTILE],
        settings=[(text, text) for text in HOSTILE],
        languages=(HOSTILE[0], HOSTILE[1]),
        topics=[
            TopicDomainRow(text, 1 / n if k else wrong, [(text, text, 0.5)], [(k, 0.6), (0, 0.4)])
            for k, text in enumerate(texts)
        ],
        domains=texts,
        terms=[
            Term(text, 12.0, 0.3, (TermInTopic(k, 0.5, text, 0.5, wrong),)) for k, text in enumerate(texts)
        ],
        words=[
            WordAcrossTopics(
                text,
                30.0,
                [(text, 0.5), ("b", 0.5)],
                [
                    WordInTopic(0, 9.0, [0.9, 0.1], k),
                    WordInTopic(1, 9.0, [0.1, wrong]),
                    WordInTopic(2, 3.0, [0.0, 1.0]),
                ],
            )
            for k, text in enumerate(texts)
        ],
        documents=[
            ChangedDocument(
                text,
                text,
                3,
                0.1,
                [(k, 0.7), (0, 0.3)],
                [ChangedWord(text, 0.2, ChangedTranslation(text, 0.5, 0.1), becomes, True, k)],
            )
            for k, text in enumerate(texts)
        ],
        n_documents=10**6,
        examples=[Example([text, text, text], [text, text, "", text, ""]) for text in texts],
    )  # fmt: skip


def wild() -> Page:
    """The page of a lexicon of hostile texts."""
    said = [
        Pair(f"Bank {text} {LONG}", f"{target} {text} {LONG}", f"{text}{domain}", domain)
        for text in HOSTILE
        if "\ud800" not in text
        for domain, target in (("park", "bench"), ("money", "bank"), (HOSTILE[0], "bank"))
    ]  # fmt: skip
    return Page("wild", LexiconReport(planted(said), "1.0"))


PAGES = {"hostile": hostile, "wild": wild, "bare": lambda: page_with("Nothing yet")}


@pytest.mark.parametrize("name", PAGES)
def test_nothing_leaves_its_place(name: str) -> None:
    refuse_what_leaves_its_place(PAGES[name]().html())


def test_long_texts_are_cut() -> None:
    for made in (hostile, wild):
        assert max(map(len, made_up.texts_in(made().payload))) <= 400


def test_sections_without_data_are_left_out(path: Path) -> None:
    assert ids_in(lexicon_page_of(path, "t")) >= SECTIONS
    assert not ids_in(page_with("Nothing yet")) & SECTIONS
    alone = Page("t", LexiconReport(planted(pairs(5, ("money",))), "1.0"))
    assert ids_in(alone) & SECTIONS == {"topics", "making"}
    assert "No term’s translation follows the domain." in "".join(Elements(alone.html()).text)


# The scripts without a browser


def scripts(page: Page) -> Any:
    """An interpreter with the charts of the page and its payload, as `data`."""
    quickjs = pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    context = quickjs.Context()
    context.eval(page.charts() + f"\nconst data = {json.dumps(page.payload)};")
    return context


def ask(context: Any, code: str) -> Any:
    return json.loads(context.eval(f"JSON.stringify({code})"))


def test_nats_apart_are_those_of_two_distributions(path: Path) -> None:
    context = scripts(lexicon_page_of(path, "t"))
    one, other = [0.6, 0.1, 0.3], [0.2, 0.7, 0.1]  # the last is of what is not in the rows
    n, m = 40.0, 10.0
    mean = [(n * p + m * q) / (n + m) for p, q in zip(one, other, strict=True)]
    wanted = sum(
        n * p * math.log(p / r) + m * q * math.log(q / r) for p, q, r in zip(one, other, mean, strict=True)
    )
    assert ask(context, f"natsApart([0, {n}, -1, 0.6, 0.1], [1, {m}, -1, 0.2, 0.7])") == pytest.approx(wanted)
    assert ask(context, "natsApart([0, 9, -1, 0.5, 0.5], [1, 3, -1, 0.5, 0.5])") == 0.0
    assert ask(context, "natsApart([0, 9, -1, 1, 0], [1, 9, -1, 0, 1])") == pytest.approx(18 * math.log(2))


def test_the_most_different_topics_are_found() -> None:
    words = [
        WordAcrossTopics("a", 30.0, [("x", 0.5), ("y", 0.5)], [
            WordInTopic(0, 10.0, [0.9, 0.1]),
            WordInTopic(1, 10.0, [0.4, 0.6]),
            WordInTopic(2, 20.0, [0.1, 0.9]),
        ]),
        WordAcrossTopics("b", 30.0, [("x", 0.5), ("y", 0.5)], [
            WordInTopic(0, 5.0, [0.9, 0.1]), WordInTopic(1, 5.0, [0.2, 0.8]),
        ]),
    ]  # fmt: skip
    topics = [TopicDomainRow(str(k), share) for k, share in enumerate((0.2, 0.3, 0.5))]
    context = scripts(page_with("t", topics=topics, words=words))
    context.eval("const two = data.sections[0][0]")
    assert ask(context, "mostDifferent(two)") == [2, 0]
    assert ask(context, "differencesOf(two.words, 0, 1).map((one) => one.word)") == ["a", "b"]
    assert ask(context, "differencesOf(two.words, 1, 2)") == []
    assert ask(context, "differencesOf(two.words, 2, 0)[0].rows.map((row) => row[0])") == [2, 0]
    assert ask(context, "mostDifferent({ words: [], shares: [] })") is None


def test_figures_are_drawn_without_a_browser(path: Path) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    drawn = figures(lexicon_page_of(path, "t"))
    assert "bench" in drawn["two-topics"]
    for name, svg in {**drawn, **figures(hostile()), **figures(wild())}.items():
        assert not re.search(r"var\(|currentColor|NaN|undefined|Infinity|null", svg), name
        ElementTree.fromstring(svg)
    assert set(figures(hostile())) == {"terms", "two-topics", "topics-by-domain"}
    assert figures(page_with("t")) == {}


# In a browser


@pytest.mark.smoke
@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
@pytest.mark.parametrize("name", ["planted", *PAGES])
def test_pages_open_without_trouble(
    browser: Any, tmp_path: Path, path: Path, name: str, width: int, scheme: str
) -> None:
    page = lexicon_page_of(path, "t") if name == "planted" else PAGES[name]()
    seen = Opened(browser, tmp_path / "r.html", page, width, scheme)
    assert seen.page.evaluate("window.hacked") is None
    assert seen.troubles == []
    if page.report.terms:
        assert seen.page.locator("#terms tbody tr").count() == len(page.report.terms)


@pytest.mark.browser
def test_a_reader_finds_terms_and_compares_domains(browser: Any, tmp_path: Path, path: Path) -> None:
    seen = Opened(browser, tmp_path / "r.html", lexicon_page_of(path, "t"), 1400, "light")
    page = seen.page
    page.locator("#terms input").fill("castle")
    assert page.locator("#terms tbody tr").count() == 1
    assert seen.text("#terms .count") == "1 of 2"
    page.locator("#terms input").fill("nothing")
    assert "No such term" in seen.text("#terms .note")
    first, second = page.locator("#two select").first, page.locator("#two select").last
    assert {first.input_value(), second.input_value()} == {"0", "1"}
    row = page.locator("#two .entries > li", has_text="bank").first
    left, right = (row.locator(".side").nth(side).inner_text() for side in range(2))
    assert ("bench" in left) != ("bench" in right)
    assert set(row.locator("mark").all_inner_texts()) == {"Bank", "bank", "bench"}
    first.select_option("1")
    second.select_option("0")
    assert row.locator(".side").first.inner_text() == (left if "bench" in left else right)
    second.select_option("1")
    assert "Choose two" in seen.text("#two .note")
    shown = page.locator("#documents .entries > li")
    assert shown.count() == 12
    page.locator("#documents select").select_option(label="park")
    assert shown.count() >= 4
    assert all(
        text.startswith("park") for text in page.locator("#documents .what > .small").all_inner_texts()
    )
    assert seen.troubles == []
