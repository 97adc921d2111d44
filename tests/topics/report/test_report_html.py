"""The report's HTML: what is in it, and that nothing in it can break out."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest
from tests.pages import made_up
from tests.pages.elements import Elements, data_block
from tests.topics.report import report_pages
from tests.topics.report.made_up_topics import TopicPage

from stickbreaker.pages.text_values import script_json
from stickbreaker.pages.views import ShownDocument
from stickbreaker.topics.report.display_words import choose_words
from stickbreaker.topics.report.document_entries import DocumentEntry
from stickbreaker.topics.report.hierarchy import relate
from stickbreaker.topics.report.learning import TracePoint
from stickbreaker.topics.report.topics_of_page import Topic

PAGES = {
    "realistic": report_pages.realistic,
    "hostile": report_pages.hostile,
    "sparse": report_pages.sparse,
    "bare": lambda: TopicPage(title="Nothing yet"),
}


SECTIONS = {
    *("relations", "times", "groups", "documents", "measures", "vocabulary", "learning", "making"),
}


@pytest.mark.parametrize("name", PAGES)
def test_data_parse_back_and_cannot_leave_their_element(name: str) -> None:
    html = PAGES[name]().html()
    html.encode("utf-8")
    block = data_block(html)
    assert not set("<>&\u2028\u2029") & set(block)
    data = json.loads(block)
    page, choices = PAGES[name](), data["choices"]
    assert len(choices["topic"]["labels"] if page.topics else ()) == len(page.topics)
    assert len(choices["document"]["documents"] if page.documents else ()) == len(page.documents)


@pytest.mark.parametrize("name", PAGES)
def test_policy_names_the_one_script(name: str) -> None:
    elements = Elements(PAGES[name]().html())
    policies = [a["content"] for t, a in elements.tags if t == "meta" and a.get("http-equiv")]
    assert len(policies) == 1
    policy = policies[0] or ""
    style, data, script = elements.raw
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "img-src data:" in policy
    assert "@import" not in style
    assert "url(" not in style
    json.loads(data)


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_fetched_and_no_attribute_runs(name: str) -> None:
    elements = Elements(PAGES[name]().html())
    assert sum(tag == "script" for tag, _ in elements.tags) == 2
    assert {tag for tag, _ in elements.tags} & {"img", "iframe", "object", "embed", "form", "base"} == set()
    for _, attributes in elements.tags:
        assert not any(attribute.startswith("on") for attribute in attributes)
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith(("#", "data:,"))


def test_hostile_text_is_shown_as_text() -> None:
    elements = Elements(report_pages.hostile().html())
    text = "".join(elements.text)
    assert "</script><script>window.hacked=1</script>" in text
    assert "<img src=x onerror=window.hacked=1>" in text
    assert "{{ 7 * 7 }}{% raw %}" in text
    data = json.loads(data_block(report_pages.hostile().html()))
    (bars, *_) = made_up.views_in(data, "WordBars")
    words = [data["choices"]["word"]["labels"][place] for place in bars["places"]]
    assert words[:2] == report_pages.HOSTILE[:2]
    assert "lone\ufffdsurrogate" in words
    assert "nul\ufffdesc\ufffd[31mbell\ufffd\ufffd" in words
    assert "שלום עולם" in words
    assert "a\u2028b\u2029c" in words


def test_script_writes_no_markup() -> None:
    script = Elements(report_pages.sparse().html()).raw[-1]
    writers = ["innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "fetch("]
    assert [name for name in writers if name in script] == []


def test_sections_without_data_are_left_out() -> None:
    ids = {a.get("id") for _, a in Elements(report_pages.sparse().html()).tags}
    assert "topics" in ids
    assert not ids & {*SECTIONS, "growth"}
    assert made_up.views_in(report_pages.sparse().payload, "Map") == []
    bare = {a.get("id") for _, a in Elements(TopicPage(title="Nothing yet").html()).tags}
    assert not bare & {"topics", "growth", *SECTIONS}
    full = {a.get("id") for _, a in Elements(report_pages.realistic(5, 200).html()).tags}
    assert {"topics", *SECTIONS} <= full
    assert len(made_up.views_in(report_pages.realistic(5, 200).payload, "Map")) == 1


def test_a_sample_is_called_one() -> None:
    assert "500 of 2,000 documents" in " ".join(Elements(report_pages.realistic().html()).text)
    whole = TopicPage("t", documents=[DocumentEntry("1", "one", "text", [], 1)])
    assert "Shown here" not in " ".join(Elements(whole.html()).text)


def test_numbers_that_are_none_or_not_finite_are_left_out() -> None:
    learned = TopicPage("t", trace=[*report_pages.hostile().trace, TracePoint(9, 9, 9.0, -6.0)])
    (chart,) = [one for one in made_up.views_in(learned.payload, "Lines") if "documents" in one["figure"]]
    assert [round(math.log(y), 3) for _, y in chart["series"][0][0]] == [7, 6, 6]


def test_long_traces_are_thinned_but_keep_every_held_out_score() -> None:
    trace = [TracePoint(i, i, i, -7.0, -7.5 if i % 100 == 7 else None) for i in range(10_000)]
    charts = made_up.views_in(TopicPage("t", trace=trace).payload, "Lines")
    kept = {one["figure"]: one["series"][0][0] for one in charts}
    assert len(kept["learning-training-by-documents"]) < 800
    assert kept["learning-training-by-documents"][-1][0] == 9_999
    assert len(kept["learning-held-out-by-documents"]) == 100


def test_references_that_lead_nowhere_are_dropped() -> None:
    topic = Topic(7, "a", 1.0, [("a", 1.0, 1.0)], documents=[0, 5], similar=[7, 9])
    page = TopicPage("t", topics=[topic], documents=[DocumentEntry("1", "one", "a", [(0, 0.9), (4, 0.1)], 1)])
    (typical, _) = made_up.views_in(page.payload, "Documents")
    assert typical["typical"] == [[0]]
    near = [
        each for note in made_up.views_in(page.payload, "Note") for each in note["text"][1:] if "each" in each
    ]
    assert near == [{"each": [{"item": 0, "of": "topic"}]}]
    assert ShownDocument(*page.payload["choices"]["document"]["documents"][0]).shares == [[0, 0.9]]


def test_positions_must_fit_the_topics() -> None:
    with pytest.raises(ValueError, match="2 positions for 1 topics"):
        replace(report_pages.sparse(), positions=[(0, 0), (1, 1)]).html()


def test_to_json_refuses_numbers_json_has_not() -> None:
    with pytest.raises(ValueError):
        script_json({"x": float("nan")})


def test_same_page_same_bytes() -> None:
    assert report_pages.realistic(12, 40).html() == report_pages.realistic(12, 40).html()


@pytest.mark.ci
def test_size_stays_small() -> None:
    assert len(report_pages.large().html().encode("utf-8")) < 3_000_000


@pytest.mark.slow
def test_size_stays_small_with_very_many_topics() -> None:
    page = report_pages.realistic(600, 250)
    page = replace(
        page, documents=[replace(one, id=f"{one.id}-{n}") for n in range(8) for one in page.documents]
    )
    draw = np.random.default_rng(0).random((600, 600))
    page = replace(page, relations=relate(np.triu(draw, 1) + np.triu(draw, 1).T))
    assert len(page.html().encode("utf-8")) < 3_000_000


def first_document(html: str) -> ShownDocument:
    return ShownDocument(*json.loads(data_block(html))["choices"]["document"]["documents"][0])


def test_size_stays_small_whatever_the_script_and_the_metadata() -> None:
    marks = [(i, 1, 0) for i in range(0, 600, 2)]
    metadata = {f"field {i}": "値" * 500 for i in range(40)}
    document = DocumentEntry("id", "題" * 900, "文" * 600, [(0, 1.0)], 600, metadata, marks)
    page = TopicPage("t", topics=report_pages.sparse().topics, documents=[document] * 2000)
    html = page.html()
    assert len(html.encode("utf-8")) < 3_000_000
    told = first_document(html)
    assert len(told.title) == 120
    assert told.facts[0][0] == "field 0"
    assert len(told.text) > 50
    assert len(told.marks) % 6 == 0


def test_marks_survive_only_where_the_text_does() -> None:
    marks = [(0, 2, 0), (2990, 10, 1), (5, 1, 0), (3, 4, 1), (7, 1, 2), (9, 0, 0)]
    document = DocumentEntry("1", "a", "x" * 3000, [], 9, {}, marks)
    topics = [Topic(k, str(k), 0.5, [("a", 1.0, 1.0)]) for k in range(2)]
    whole = first_document(TopicPage("t", topics=topics, documents=[document]).html())
    assert whole.marks == "000200" + "030100"  # gap, length and topic
    crowd = TopicPage("t", topics=topics, documents=[document] * 2000)
    cut = first_document(crowd.html())
    assert cut.text.endswith("…")
    assert len(cut.text) < 1000


def test_words_are_the_frequent_and_the_special() -> None:
    vocabulary = ["common", "usual", "rare", "absent", "noise"]
    topic = [0.5, 0.3, 0.1, 0.0, 0.1]
    overall = [0.5, 0.3, 0.001, 0.1, 0.099]
    words = choose_words(topic, overall, vocabulary, n_frequent=2, n_special=1)
    assert [word for word, _, _ in words] == ["rare", "common", "usual"]
    assert words[0] == ("rare", 0.1, 0.001)


@pytest.mark.parametrize("package", ["stickbreaker.pages.views", "stickbreaker.topics.report"])
def test_views_know_no_browser(package: str) -> None:
    for file in resources.files(package).iterdir():
        if file.name.endswith(".js") and file.name != "mount.js":
            code = re.sub(r"^\s*//.*$", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
            assert re.findall(r"\b(?:document|window|location|history|navigator)\.", code) == [], file.name
