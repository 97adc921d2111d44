"""The page of a language model with topics, what the program makes of it, and how it works in a browser."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.ngrams.report.topic_language_models import PRIORS, learned, loaded, said, two_subjects
from tests.pages import made_up
from tests.pages.contrast import contrast
from tests.pages.elements import Elements
from tests.pages.opened import Opened, refuse_what_leaves_its_place
from tests.topics.report.report_pages import HOSTILE
from tests.topics.report.test_report_looks import palette

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus
from stickbreaker.estimators.model_runs import begin
from stickbreaker.ngrams.learner import TOPIC_NGRAMS
from stickbreaker.ngrams.report.context_lengths import LengthRow, Spread
from stickbreaker.ngrams.report.documents import LEVELS, ExcerptRow, SharesAlong
from stickbreaker.ngrams.report.topic_language_page import TopicLanguageReport, topic_language_page_of
from stickbreaker.ngrams.report.topics import LanguageTopic
from stickbreaker.ngrams.report.topics_by_context import ContextShare, ShareHistogram, TopicsByContext
from stickbreaker.ngrams.settings import TopicNgramSettings
from stickbreaker.ngrams.topic_ngram_learned import TopicNgramLearned
from stickbreaker.pages.colour import distinct_colours
from stickbreaker.pages.document_rows import DocumentRow, DocumentRows
from stickbreaker.pages.figures import figures
from stickbreaker.pages.learning_curves import LearningCurve
from stickbreaker.pages.page import Page

SECTIONS = {"topics", "documents", "contexts", "lengths", "learning", "making"}


@pytest.fixture(scope="module", params=PRIORS)
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned(tmp_path_factory.mktemp(request.param), prior=request.param)


@pytest.fixture(scope="module")
def switching(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned(tmp_path_factory.mktemp("model"))


@pytest.fixture
def estimator(path: Path) -> TopicNgramLearned:
    return loaded(path)


# The program


@pytest.mark.slow
def test_the_program_writes_page_and_figures(cli, switching: Path, tmp_path: Path) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    pytest.importorskip("resvg_py", reason="resvg-py is not installed")
    page = tmp_path / "r.html"
    done = cli(
        "report", switching, "--out", page, "--figures", tmp_path / "f", "--title", "A title", "--json"
    )
    found = json.loads(done.stdout)
    names = {"discounts", "perplexity-held-out", "topics-along-1", "topics-by-context-1"}
    assert names <= {Path(name).stem for name in found["files"]}
    html = page.read_text(encoding="utf-8")
    assert '<h1 dir="auto">A title</h1>' in html
    assert len(html) < 600_000


def test_only_finished_models_with_topics_have_such_a_page(model: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a language model with topics"):
        topic_language_page_of(model, "t")
    settings = TopicNgramSettings(2, order=2, min_count=1, random_state=0)
    analysis, rule = TOPIC_NGRAMS.reads_texts_by(settings)
    corpus = Corpus.from_texts(two_subjects(5), analysis=analysis, rule=rule).write(tmp_path / "c")
    begin(TOPIC_NGRAMS, settings, corpus, tmp_path / "m")
    with pytest.raises(UserError, match="is still learning"):
        topic_language_page_of(tmp_path / "m", "t")


def test_facts_say_what_was_learned(path: Path, estimator: TopicNgramLearned) -> None:
    facts = dict(topic_language_page_of(path, "t").facts)
    assert facts["documents"] == "40"
    assert facts["samples"] == "3"
    assert facts["topics in use"] == str(estimator.sizes()["topics"])
    assert ("of the words are common" in facts) == (estimator.facts.settings.prior == "switching")


# The page


def page_with(title: str, **fields: Any) -> Page:
    known = {"topics": [], "contexts": None, "lengths": [], "curves": [], "document_rows": DocumentRows()}
    said = {"common": True, "common_share": 0.0, "counts_stops": False, "spelled": False}
    return made_up.page_of(TopicLanguageReport, title, **{**known, **said, **fields})


def hostile() -> Page:
    """Markup, quotes, lone surrogates, control characters and overrides of direction everywhere."""
    n = len(HOSTILE)
    fine, wrong = Spread(0.5, 0.4, 0.6), Spread(float("nan"), float("inf"), 1.0)
    topic = LanguageTopic(0, 0.5, [(text, 0.1) for text in HOSTILE], HOSTILE, HOSTILE)
    shares = [ContextShare([text, "b"], 30.0, 0.5) for text in HOSTILE]
    along = SharesAlong(20, [0, 7], [[0.5, 0.2, 0.3]])
    excerpt = ExcerptRow(
        0,
        n,
        HOSTILE,
        [k % 2 == 0 for k in range(n)],
        [False] * n,
        *(
            [1.5 * k for k in range(n)],
            [0, 7] * (n // 2) + [0] * (n % 2),
            [0.5] * n,
            [k / n for k in range(n)],
        ),
        along,
    )
    rows = [DocumentRow(text, 30, [(0, 0.9), (7, 0.1)], True, [excerpt]) for text in HOSTILE]
    return page_with(
        HOSTILE[0],
        subtitle=" ".join(HOSTILE[:-1]),
        facts=[(text, text) for text in HOSTILE],
        settings=[(text, text) for text in HOSTILE],
        curves=[LearningCurve("text", HOSTILE[0], [(1, 30.0), (2, 20.0)])],
        lengths=[LengthRow(0, fine, fine, fine), LengthRow(1, wrong, fine, fine)],
        counts_stops=True,
        topics=[topic, LanguageTopic(3, 0.1)],
        contexts=TopicsByContext(
            shares, shares, shares, [ShareHistogram(1, False, [1.0, float("nan")])], 0.5
        ),
        document_rows=DocumentRows(rows, 99, "held-out"),
    )


def one_document() -> Page:
    """A page without a common topic, of one document whose only word is of an unknown topic."""
    excerpt = ExcerptRow(
        0, 1, ["w" * 300], [True], [False], [3.0], [5], [1.0], [1.0], SharesAlong(20, [], [[0.0]])
    )
    row = DocumentRow("d" * 300, 1, [], parts=[excerpt])
    return page_with("One", common=False, document_rows=DocumentRows([row], 1, "learned"))


def bare() -> Page:
    return made_up.page_of(TopicLanguageReport, "Nothing yet", topics=[], common=True, sections=())


PAGES = {"hostile": hostile, "one": one_document, "bare": bare}


@pytest.mark.parametrize("name", PAGES)
def test_nothing_leaves_its_place(name: str) -> None:
    elements = refuse_what_leaves_its_place(PAGES[name]().html())
    (policy,) = [a["content"] or "" for t, a in elements.tags if t == "meta" and a.get("http-equiv")]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")


def test_hostile_words_are_shown_as_text() -> None:
    text = said(hostile())
    assert "</script><script>window.hacked=1</script>" in text
    assert "<img src=x onerror=window.hacked=1>" in text
    assert "nul\ufffdesc\ufffd[31mbell\ufffd\ufffd" in text
    assert "x" * 59 + "…" in text


def test_sections_without_data_are_left_out(path: Path, estimator: TopicNgramLearned) -> None:
    whole = {a.get("id") for _, a in Elements(topic_language_page_of(path, "t").html()).tags}
    assert whole & SECTIONS == SECTIONS - (
        {"contexts"} if estimator.facts.settings.prior == "none" else set()
    )
    assert not {a.get("id") for _, a in Elements(bare().html()).tags} & SECTIONS


def test_shades_follow_the_chance_of_not_being_common() -> None:
    specific = [0.0, 0.049, 0.05, 0.49, 0.5, 0.8, 1.0]
    along = SharesAlong(20, [3], [[0.5, 0.5]])
    n = len(specific)
    excerpt = ExcerptRow(
        *(0, n, list("abcdefg"), [True] * (n - 1) + [False], [False] * n, [2.0] * n, [3] * n),
        *(specific, specific, along),
    )
    topic = LanguageTopic(3, 0.5, [("a", 0.5), ("b", 0.1)])
    rows = DocumentRows([DocumentRow("d", n, [(3, 1.0)], parts=[excerpt])], 1, "learned")
    page, without_common = (
        page_with("t", topics=[topic], document_rows=rows, common=common) for common in (True, False)
    )
    tokens = made_up.tokens_in(page)
    levels = [token.level for token in tokens]
    assert levels == [sum(p >= level for level in LEVELS) for p in specific] == [0, 0, 1, 2, 3, 4, 5]
    assert [bool(token.colour) for token in tokens] == [p >= 0.5 for p in specific]
    assert tokens[5].note == "80% not common; of topics most probably topic 3: a b (80%); 2.0 bits"
    assert tokens[6].note.startswith("not known, <unk>; 100% not common")
    without = made_up.tokens_in(without_common)
    assert all(token.level == 0 for token in without)
    assert without[5].note == "topic 3: a b (80%); 2.0 bits"


def test_the_page_says_how_words_are_coloured(path: Path, estimator: TopicNgramLearned) -> None:
    text = said(topic_language_page_of(path, "t"))
    assert ("The darker a word" in text) == (estimator.facts.settings.prior == "switching")
    assert ("Every word is of a topic of its document" in text) == (
        estimator.facts.settings.prior != "switching"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_are_legible_on_the_colours_of_topics(scheme: str) -> None:
    """Where topics have nothing in common, a word's ground is a quarter of its topic's colour."""
    ink, ground = palette(scheme)["ink"], palette(scheme)["ground"]
    (share,) = re.findall(r"var\(--of\) (\d+)%", bare().style())
    part = int(share) / 100.0

    def channels(colour: str) -> list[int]:
        return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]

    for colour in distinct_colours(100):
        mixed = [part * a + (1 - part) * b for a, b in zip(channels(colour), channels(ground), strict=True)]
        assert contrast(ink, "#" + "".join(f"{round(v):02x}" for v in mixed)) >= 4.5


def test_neighbours_in_a_list_have_other_colours() -> None:
    colours = distinct_colours(20)
    assert len(set(colours)) == 20
    for one, other in pairwise(colours):
        assert sum(abs(int(one[i : i + 2], 16) - int(other[i : i + 2], 16)) for i in (1, 3, 5)) > 100


def test_figures_are_drawn_without_a_browser(switching: Path) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    page = topic_language_page_of(switching, "t")
    drawn = figures(page)
    assert {"topics-along-1", "topics-along-2", "topics-along-3", "topics-by-context-1"} <= set(drawn)
    for name, svg in {**drawn, **figures(hostile()), **figures(one_document())}.items():
        assert not re.search(r"var\(|currentColor|NaN|undefined", svg), name
        ElementTree.fromstring(svg)
    assert figures(bare()) == {}


# In a browser


@pytest.mark.smoke
@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1400, "light")])
@pytest.mark.parametrize("name", ["learned", *PAGES])
def test_opens_quietly_and_fits_the_screen(
    browser: Any, tmp_path: Path, switching: Path, name: str, width: int, scheme: str
) -> None:
    content = topic_language_page_of(switching, "t") if name == "learned" else PAGES[name]()
    seen = Opened(browser, tmp_path / "r.html", content, width, scheme)
    seen.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    seen.page.wait_for_timeout(100)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert seen.troubles == []
    assert seen.page.evaluate("typeof window.hacked") == "undefined"


@pytest.mark.browser
def test_a_word_is_explained_by_pointer_and_keys(browser: Any, tmp_path: Path, switching: Path) -> None:
    content = topic_language_page_of(switching, "t")
    seen = Opened(browser, tmp_path / "r.html", content, 1280, "light")
    text, readout = seen.page.locator(".sentence").first, seen.page.locator(".readout").first
    tokens = text.locator(".token")
    tokens.nth(2).click()
    assert (
        readout.inner_text()
        == f"“{tokens.nth(2).locator('.word').inner_text()}”: {tokens.nth(2).get_attribute('title')}"
    )
    text.focus()
    seen.page.keyboard.press("ArrowRight")
    assert "at" in (tokens.nth(3).get_attribute("class") or "").split()
    seen.page.keyboard.press("End")
    assert tokens.last.get_attribute("title") in readout.inner_text()
    seen.page.keyboard.press("ArrowRight")
    seen.page.keyboard.press("Home")
    assert tokens.first.get_attribute("title") in readout.inner_text()
    assert seen.page.locator(".token.at").count() == 1
    bits = tokens.first.locator(".bits")
    assert not bits.is_visible()
    seen.page.locator(".numbers input").first.check()
    assert bits.is_visible()
    assert seen.troubles == []


@pytest.mark.browser
def test_strips_are_drawn_where_documents_are_open(browser: Any, tmp_path: Path, switching: Path) -> None:
    content = topic_language_page_of(switching, "t")
    seen = Opened(browser, tmp_path / "r.html", content, 1280, "light")
    n = len(content.report.document_rows.parts)
    strips = seen.page.locator(".flow")
    assert strips.count() == min(2, n)
    seen.page.locator(".entry summary").nth(2).click()
    seen.page.wait_for_timeout(100)
    assert strips.count() == min(3, n)
    before = strips.first.bounding_box()["width"]
    seen.page.set_viewport_size({"width": 500, "height": 900})
    seen.page.wait_for_timeout(600)
    assert strips.first.bounding_box()["width"] < before
    assert "Shares along" in strips.first.get_attribute("aria-label")
    assert seen.troubles == []
