"""How topics changed: what is told of snapshots and traces, by hand and against slow versions."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.pages.made_up import views_in
from tests.running import with_evolution
from tests.tiers import sampled
from tests.topics.report import report_pages
from tests.topics.report.made_up_topics import TopicPage

from stickbreaker import UserError
from stickbreaker.pages.changes import (
    LEAST_MOMENTS,
    MOST_MOMENTS,
    SHOWN_WORDS,
    Changes,
    Wording,
    changes_of,
    spread,
)
from stickbreaker.pages.figures import figures
from stickbreaker.saved.evolution import Evolution
from stickbreaker.topics.report import topic_page

BY_HAND = (
    Evolution()
    .add(
        1,
        100,
        "1993-04-05",
        {4: [("comic", 0.5), ("book", 0.3)], 7: [("game", 0.9)]},
        {4: [(1, "comic", 0.5)]},
    )
    .add(
        5,
        500,
        None,
        {4: [("comic", 0.4), ("hulk", 0.2), ("book", 0.1)]},
        {4: [(2, "hulk", 0.2), (900, "zap", 0.0)]},
    )
    .add(
        9,
        900,
        "1993-05-01",
        {4: [("hulk", 0.4), ("comic", 0.3)], 7: [("game", 0.9)]},
        {7: [(50, "goal", 0.0)]},
    )
)
VOCABULARY = [
    {"step": 1, "pass": 1, "documents": 100, "vocabulary": {"size": 30, "entered": 30, "left": 0}},
    {"step": 2, "pass": 1, "documents": 200},
    {"step": 3, "pass": 1, "documents": 300, "vocabulary": {"size": 27, "entered": 2, "left": 5}},
]


def run_of(
    page: TopicPage, n_snapshots: int = 60, dated: bool = True, seed: int = 0
) -> tuple[Evolution, list[dict[str, Any]]]:
    """Snapshots in which the words of a page's topics rise, fall and enter, and the trace of the run."""
    rng = np.random.default_rng(seed)
    run, trace, size = Evolution(), [], 900
    scores = {
        t.id: {w: float(rng.normal(-i / 6, 0.6)) for i, (w, _, _) in enumerate(t.words)} for t in page.topics
    }
    drift = {i: {w: float(rng.normal(0, 0.05)) for w in words} for i, words in scores.items()}
    for number in range(n_snapshots):
        entered: dict[int, list[tuple[int, str, float]]] = {}
        for i, words in scores.items():
            for w in words:
                words[w] += drift[i][w] + float(rng.normal(0, 0.05))
            fresh = [f"neu{i}{'abcdefghij'[n]}{number}" for n in range(int(rng.integers(0, 4)))]
            for w in fresh:
                words[w] = -5.0 - float(rng.gamma(2.0))
                drift[i][w] = float(rng.gamma(0.6, 0.25))
            ranked = sorted(words, key=lambda w: -words[w])
            entered[i] = [(ranked.index(w) + 1 + (9000 if words[w] < -6 else 0), w, 1e-4) for w in fresh]
        top = {
            i: [
                (w, float(np.exp(min(words[w], 0)) / 20)) for w in sorted(words, key=lambda w: -words[w])[:50]
            ]
            for i, words in scores.items()
        }
        date = f"1993-{4 + number // 28:02d}-{1 + number % 28:02d}" if dated else None
        run = run.add(10 * number + 1, 1550 * number + 155, date, top, entered)
    for step in range(1, 10 * n_snapshots):
        came, left = (
            int(rng.poisson(900 / (1 + step / 20))),
            int(rng.poisson(size / 100)) if step % 10 == 0 else 0,
        )
        size += came - left
        told = {"size": size, "entered": came, "left": left}
        trace.append({"step": step, "pass": 1, "documents": 155.0 * step, "vocabulary": told})
    return run, trace


def changed(n_topics: int = 12, **options: Any) -> TopicPage:
    """The realistic page, as if it were of a stream with new words."""
    page = report_pages.realistic(n_topics, 60)
    ids = [topic.id for topic in page.topics]
    run, trace = run_of(page, **options)
    return replace(page, changes=changes_of(run, ids, trace))


def test_snapshots_and_a_trace_by_hand() -> None:
    assert changes_of(BY_HAND, [7, 4, 5], VOCABULARY) == Changes(
        moments=[(1, 100, "1993-04-05"), (5, 500, ""), (9, 900, "1993-05-01")],
        wordings=[
            Wording(ranks=[{"game": 1}, {}, {"goal": 50, "game": 1}], entered=[[], [], ["goal"]], fresh=[]),
            Wording(
                ranks=[
                    {"comic": 1, "book": 2},
                    {"hulk": 2, "zap": 900, "comic": 1, "book": 3},
                    {"hulk": 1, "comic": 2},
                ],
                entered=[["comic"], ["hulk", "zap"], []],
                fresh=[("hulk", 1, 5, "")],
            ),
            None,
        ],
        unit="step",
        vocabulary=[(1.0, 30, 30, 0), (3.0, 27, 2, 5)],
    )


def test_models_that_learn_no_words_tell_nothing() -> None:
    assert changes_of(Evolution(), [0], [{"step": 1, "pass": 1}]) is None
    html = report_pages.realistic(3, 5).html()
    assert 'id="changes"' not in html


def test_of_many_words_the_first_are_told_and_their_other_ranks() -> None:
    words = [f"w{i:02d}" for i in range(50)]
    run = Evolution()
    for step in (1, 2):  # the first fifteen become the last
        run = run.add(step, step, None, {0: [(word, 0.01) for word in words]}, {})
        words = words[SHOWN_WORDS:] + words[:SHOWN_WORDS]
    changes = changes_of(run, [0], [])
    assert changes
    (wording,) = changes.wordings
    assert wording
    first, last = ({word: rank for rank, (word, _) in enumerate(m.top()[0], start=1)} for m in run.moments)
    told = {word for ranks in (first, last) for word, rank in ranks.items() if rank <= SHOWN_WORDS}
    assert len(told) == 2 * SHOWN_WORDS
    assert [dict(ranks) for ranks in wording.ranks] == [
        {w: ranks[w] for w in told} for ranks in (first, last)
    ]


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.integers(1, 50), min_size=1, max_size=30), st.integers(2, 12))
def test_moments_are_spread_and_lose_no_word(gaps: list[int], most: int) -> None:
    run = Evolution()
    for i, step in enumerate(np.cumsum(gaps).tolist()):
        run = run.add(step, step, None, {0: [("a", 0.5)]}, {i: [(3, f"w{i}", 0.1)]})
    moments = spread(run.moments, most)
    steps = [moment.step for moment in moments]
    assert len(steps) <= most
    assert steps == sorted(set(steps))
    assert {steps[0], steps[-1]} == {run.moments[0].step, run.moments[-1].step}
    assert [i for moment in moments for i in moment.entered()] == list(range(len(gaps)))


@pytest.mark.parametrize(
    ("n_topics", "n"), [(1, MOST_MOMENTS), (50, MOST_MOMENTS), (100, 12), (200, LEAST_MOMENTS)]
)
def test_models_of_many_topics_have_fewer_moments(n_topics: int, n: int) -> None:
    run = Evolution()
    for step in range(1, 100):
        run = run.add(step, step, None, {0: [("a", 0.5)]}, {})
    changes = changes_of(run, range(n_topics), [])
    assert changes
    assert len(changes.moments) == n


@pytest.mark.slow
def test_the_page_stays_small() -> None:
    page = report_pages.large()
    run, trace = run_of(page, 40)
    changes = changes_of(run, [topic.id for topic in page.topics], trace * 3)
    html = replace(page, changes=changes).html()
    assert len(html.encode("utf-8")) < 3_000_000
    (chart,) = [one for one in views_in(replace(page, changes=changes).payload, "Lines") if "lanes" in one]
    assert len(chart["series"][0][0]) <= 600
    for name, numbers, *_ in chart["lanes"]:
        assert sum(numbers) == 3 * sum(record["vocabulary"][name] for record in trace)


def hostile() -> TopicPage:
    words = [(word.replace("\ud800", "?"), 0.01) for word in report_pages.HOSTILE]
    run = Evolution()
    for step in (1, 2):
        new = [(rank, word, 0.01) for rank, (word, _) in enumerate(words, start=1)]
        run = run.add(
            step, step, None, dict.fromkeys(range(len(words)), words), dict.fromkeys(range(len(words)), new)
        )
        words = words[::-1]
    page = report_pages.hostile()
    return replace(page, changes=changes_of(run, [topic.id for topic in page.topics], VOCABULARY))


def test_hostile_words_stay_in_the_data() -> None:
    (paths,) = views_in(hostile().payload, "Paths")
    assert set(report_pages.HOSTILE[:2]) <= set(paths["ways"][0]["words"])
    json.dumps(paths, allow_nan=False)
    assert "<script>window" not in hostile().html()


def test_a_saved_model_s_snapshots_are_read(model: Path, tmp_path: Path) -> None:
    path = shutil.copytree(model, tmp_path / "model")
    assert topic_page.page_of(path, "t").report.changes is None
    with_evolution(path, BY_HAND)
    changes = topic_page.page_of(path, "t").report.changes
    assert changes
    assert [step for step, _, _ in changes.moments] == [1, 5, 9]
    (path / "evolution.parquet").write_bytes(b"PAR1")
    with pytest.raises(UserError, match=r"evolution.parquet: is truncated or altered"):
        topic_page.page_of(path, "t")


def test_figures_are_drawn() -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    page = changed(4, n_snapshots=30)
    assert page.changes
    before = set(figures(replace(page, changes=None)))
    drawn = figures(page)
    assert set(drawn) - before == {"changes-1", "changes-2", "changes-3", "vocabulary"}
    for name in set(drawn) - before:
        assert not re.search(r"var\(|currentColor|NaN|undefined", drawn[name]), name
    k = max(range(4), key=lambda k: page.topics[k].share)
    wording = page.changes.wordings[k]
    assert wording
    texts = [
        e.text for e in ElementTree.fromstring(drawn["changes-1"]).iter("{http://www.w3.org/2000/svg}text")
    ]
    assert {word for word, rank in wording.ranks[-1].items() if rank <= 12} <= set(texts)
    for svg in figures(hostile()).values():
        ElementTree.fromstring(svg)


# In a browser

TOPIC, WORD = "#changes select >> nth=0", "#changes select >> nth=1"
FROM, TO = "#changes .ends input >> nth=0", "#changes .ends input >> nth=1"


class Opened:
    """A page in the browser, and what went wrong there."""

    def __init__(
        self, browser: Any, file: Path, content: TopicPage, width: int = 1280, scheme: str = "light"
    ) -> None:
        file.write_text(content.html(), encoding="utf-8")
        viewport = {"width": width, "height": 900}
        self.page = browser.new_context(offline=True, viewport=viewport, color_scheme=scheme).new_page()
        self.troubles: list[str] = []
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.goto(file.as_uri())

    def texts(self, selector: str) -> list[str]:
        return self.page.locator(selector).all_text_contents()

    def table(self) -> list[list[str]]:
        """The hidden table: moment, first words, further down, entered."""
        rows = self.page.locator("#changes .hidden tbody tr").all()
        return [row.locator("th, td").all_text_contents() for row in rows]


@pytest.fixture(scope="module")
def stream() -> TopicPage:
    return changed(12)


def of_chosen(page: TopicPage, seen: Opened) -> Wording:
    chosen = int(seen.page.locator(TOPIC).input_value())
    assert page.changes
    wording = page.changes.wordings[chosen]
    assert wording
    return wording


def move(seen: Opened, slider: str, value: str) -> None:
    """Move a slider, and let it go."""
    seen.page.locator(slider).fill(value)
    seen.page.locator(slider).dispatch_event("change")


def told_first(wording: Wording, c: int) -> str:
    first = sorted((rank, word) for word, rank in wording.ranks[c].items() if rank <= 12)
    return ", ".join(f"{word} {rank}" for rank, word in first)


@pytest.mark.browser
def test_columns_follow_the_topic_and_the_sliders(browser: Any, tmp_path: Path, stream: TopicPage) -> None:
    seen = Opened(browser, tmp_path / "r.html", stream)
    assert stream.changes
    dates = [date for _, _, date in stream.changes.moments]
    assert len(dates) == 24
    shown = [0, 3, 7, 10, 13, 16, 20, 23]  # eight, spread over the run
    assert seen.texts("#changes .paths .head") == [dates[c] for c in shown]
    wording = of_chosen(stream, seen)
    assert [row[:2] for row in seen.table()] == [[dates[c], told_first(wording, c)] for c in shown]
    seen.page.locator(TOPIC).select_option("5")
    assert seen.page.locator(".topic-head h3").inner_text() == stream.topics[5].label
    assert seen.table()[-1][1] == told_first(of_chosen(stream, seen), 23)
    seen.page.locator(FROM).focus()
    for _ in range(3):
        seen.page.keyboard.press("ArrowRight")
    assert seen.page.locator(FROM).get_attribute("aria-valuetext") == dates[3]
    move(seen, TO, "6")
    assert seen.texts("#changes .paths .head") == dates[3:7]
    move(seen, FROM, "23")  # two columns at least
    assert seen.texts("#changes .paths .head") == dates[22:24]
    assert seen.texts("#changes .ends output") == [dates[22], dates[23]]
    assert seen.troubles == []


@pytest.mark.browser
def test_boxes_hold_what_entered_since_the_column_before(
    browser: Any, tmp_path: Path, stream: TopicPage
) -> None:
    seen = Opened(browser, tmp_path / "r.html", stream)
    wording, shown = of_chosen(stream, seen), [0, 3, 7, 10, 13, 16, 20, 23]
    assert seen.table()[0][3] == ""
    for j, row in list(enumerate(seen.table()))[1:]:
        ranks: dict[str, int] = {}
        for c in range(shown[j - 1] + 1, shown[j] + 1):
            ranks |= {word: wording.ranks[c][word] for word in wording.entered[c]}
            ranks |= {word: rank for word, rank in wording.ranks[c].items() if word in ranks}
        told = sorted(ranks.items(), key=lambda entry: entry[1])[:7]
        assert row[3] == ", ".join(f"{word} {rank:,}" for word, rank in told)
        assert told
    assert seen.troubles == []


@pytest.mark.browser
def test_a_word_is_followed(browser: Any, tmp_path: Path, stream: TopicPage) -> None:
    seen = Opened(browser, tmp_path / "r.html", stream)
    wording = of_chosen(stream, seen)
    entered = {word for words in wording.entered for word in words}
    assert set(seen.texts("#changes .paths .followed .word")) <= entered  # at first, words that are new
    assert seen.page.locator("#changes .paths .followed").count() == 6
    word = next(word for word, rank in wording.ranks[-1].items() if rank == 1)
    seen.page.locator(WORD).select_option(label=word)
    assert set(seen.texts("#changes .paths .followed .word")) == {word}
    assert seen.page.locator("#changes .paths .followed .line").count() >= 1
    seen.page.locator("#changes .paths .followed .word").last.click()  # and no longer
    assert seen.page.locator(WORD).input_value() == "-1"
    seen.page.locator("#changes .paths .word", has_text=word).last.click()
    assert set(seen.texts("#changes .paths .followed .word")) == {word}
    assert seen.troubles == []


@pytest.mark.browser
def test_new_words_and_the_vocabulary_are_told(browser: Any, tmp_path: Path, stream: TopicPage) -> None:
    seen = Opened(browser, tmp_path / "r.html", stream)
    assert stream.changes
    order = sorted(range(12), key=lambda k: -stream.topics[k].share)
    wordings = [stream.changes.wordings[k] for k in order]
    told = [
        [f"{word} {rank}, since {date}" for word, rank, _, date in wording.fresh]
        for wording in wordings
        if wording
    ]
    rows = seen.page.locator("#changes .view .scroll tbody tr").all()
    assert [row.locator(".each > span").all_text_contents() for row in rows] == told
    _, size, entered, left = stream.changes.vocabulary[-1]
    told_last = seen.page.locator("#changes output >> nth=-1").inner_text()
    assert told_last == f"Step 599: {size:,} words; {entered} entered, {left} left"
    seen.page.locator("#changes .walk input").focus()
    seen.page.keyboard.press("Home")
    _, size, entered, left = stream.changes.vocabulary[0]
    first = seen.page.locator("#changes output >> nth=-1").inner_text()
    assert first.startswith(f"Step 1: {size:,} words; {entered} ")
    seen.page.locator("#changes svg.line-chart").hover(position={"x": 700, "y": 100})
    assert int(seen.page.locator("#changes output >> nth=-1").inner_text()[5:8]) > 200
    assert seen.page.locator("#changes .up").count() == 599
    assert seen.troubles == []


@pytest.mark.smoke
@pytest.mark.browser
@pytest.mark.parametrize(
    ("width", "scheme"), sampled([(390, "dark"), (900, "light"), (1280, "dark")], 4, several=True)
)
@pytest.mark.parametrize("kind", ["stream", "hostile", "one", "trace", "undated"])
def test_opens_quietly_and_fits_the_screen(
    browser: Any, tmp_path: Path, stream: TopicPage, kind: str, width: int, scheme: str
) -> None:
    one = changes_of(Evolution(BY_HAND.moments[:1]), [4], VOCABULARY[:1])
    content = {
        "stream": lambda: stream,
        "hostile": hostile,
        "one": lambda: replace(report_pages.sparse(), changes=one),
        "trace": lambda: replace(report_pages.sparse(), changes=changes_of(Evolution(), [4], VOCABULARY)),
        "undated": lambda: changed(3, n_snapshots=5, dated=False),
    }[kind]()
    seen = Opened(browser, tmp_path / "r.html", content, width, scheme)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert seen.page.evaluate("typeof window.hacked") == "undefined"
    assert "NaN" not in seen.page.locator("#changes").evaluate("e => e.outerHTML")
    assert "undefined" not in seen.page.locator("#changes").evaluate("e => e.outerHTML")
    assert seen.page.locator("#changes select, #changes input").evaluate_all(
        "e => e.every(x => x.labels.length)"
    )
    assert seen.page.locator("#changes th:not([scope])").count() == 0
    if kind == "hostile":
        for k in range(len(report_pages.HOSTILE)):
            seen.page.locator(TOPIC).select_option(str(k))
    assert seen.troubles == []


@pytest.mark.browser
def test_prints_without_its_sliders(browser: Any, tmp_path: Path, stream: TopicPage) -> None:
    seen = Opened(browser, tmp_path / "r.html", stream)
    seen.page.emulate_media(media="print")
    assert not seen.page.locator(FROM).is_visible()
    assert seen.page.locator("#changes svg.paths").is_visible()
    overflow = "e => e.scrollHeight - e.clientHeight"
    assert seen.page.locator("#changes .view .scroll").evaluate(overflow) <= 1
