"""Topics of one name are one in the report: sums are those of the members, and links lead there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.pages.made_up import views_in
from tests.running import SMALL, planted_documents

from stickbreaker import LDA, load
from stickbreaker.pages.page import Page
from stickbreaker.topics.report.topic_page import page_of

ONE = "<b>one</b> & same"


@pytest.fixture(scope="module")
def pages(cli, tmp_path_factory: pytest.TempPathFactory) -> tuple[Page, Page, Path]:
    """A report before and after two of its topics got one name, and the model."""
    directory = tmp_path_factory.mktemp("named")
    lines = [
        {**document, "published": f"{1990 + i % 6}-05-01", "shelf": "ab"[i % 2]}
        for i, document in enumerate(planted_documents(90))
    ]
    (directory / "d.jsonl").write_text("\n".join(map(json.dumps, lines)))
    cli("fit", "lda", directory / "d.jsonl", "--out", directory / "model", *SMALL, "--topics", 4)
    before = page_of(directory / "model", "t")
    cli("name", directory / "model", "--topic", f"1={ONE}", "--topic", f"3={ONE}")
    return before, page_of(directory / "model", "t"), directory / "model"


def test_two_topics_are_one(pages: tuple[Page, Page, Path]) -> None:
    before, after, model = pages
    one = next(topic for topic in after.report.topics if topic.label == ONE)
    shares = [topic.share for topic in before.report.topics]
    assert (len(before.report.topics), len(after.report.topics)) == (4, 3)
    assert one.share == pytest.approx(shares[1] + shares[3])
    assert sum(topic.share for topic in after.report.topics) == pytest.approx(1.0)
    assert one.id == max((1, 3), key=lambda k: shares[k])
    assert {member.number for member in one.members} == {1, 3}
    assert (one.named, one.given, one.guided) == (True, ONE, "")
    learned = load(model)
    word, p, _ = one.words[0]
    row = learned.vocabulary_.words.index(word)
    joint = learned.topic_word_[:, row] * learned.topic_shares_
    assert p * one.share == pytest.approx(joint[1] + joint[3])
    assert (
        after.subtitle
        == "4 topics learned from 90 documents, shown as 3: topics with the same name are merged"
    )
    assert "shown as" not in before.subtitle


def test_one_topic_is_not_several(tmp_path: Path) -> None:
    LDA(1, max_iter=2, tol=0.0).fit(["a river bank"]).save(tmp_path / "m")
    assert page_of(tmp_path / "m", "t").subtitle == "1 topic learned from 1 document"


def test_other_topics_stay_as_they_are(pages: tuple[Page, Page, Path]) -> None:
    before, after, _ = pages
    for k in (0, 2):
        same = next(topic for topic in after.report.topics if topic.id == k)
        old = before.report.topics[k]
        assert (same.label, same.share, same.coherence) == (old.label, old.share, old.coherence)
        assert [word for word, _, _ in same.words] == [word for word, _, _ in old.words]


def test_documents_and_parts_of_the_collection_add_up(pages: tuple[Page, Page, Path]) -> None:
    before, after, _ = pages
    place = {member.number: g for g, topic in enumerate(after.report.topics) for member in topic.members}
    for old, new in zip(before.report.documents, after.report.documents, strict=True):
        sums = dict.fromkeys(place.values(), 0.0)
        for k, share in old.mix:
            sums[place[k]] += share
        assert dict(new.mix) == pytest.approx({g: s for g, s in sums.items() if s})
        assert [share for _, share in new.mix] == sorted((share for _, share in new.mix), reverse=True)
        assert [mark[2] for mark in new.marks] == [place[mark[2]] for mark in old.marks]
    assert before.report.times
    assert after.report.times
    parts = [
        (before.report.times, after.report.times),
        *zip(before.report.groups, after.report.groups, strict=True),
    ]
    assert len(parts) == 3
    for old, new in parts:
        for whole, joined in zip(old.shares, new.shares, strict=True):
            sums = [sum(whole[k] for k in place if place[k] == g) for g in range(3)]
            assert np.allclose(joined, sums)
            assert sum(joined) == pytest.approx(sum(whole))
    for (word, old), (again, new) in zip(
        sorted(before.report.spread), sorted(after.report.spread), strict=False
    ):
        if word == again:
            assert sum(share for _, share in new) == pytest.approx(sum(share for _, share in old), abs=0.04)


def test_what_is_drawn_has_a_place_for_each(pages: tuple[Page, Page, Path]) -> None:
    _, after, _ = pages
    data = after.payload
    (circles,), (square,) = views_in(data, "Map"), views_in(data, "Matrix")
    assert len(circles["points"]) == len(data["choices"]["topic"]["labels"]) == 3
    assert sorted(square["order"]) == [0, 1, 2]
    (words,) = [table for table in views_in(data, "Table") if "find" in table]
    assert max(row[-1] for row in words["rows"]) < 3
    assert sum(topic.coherence is not None for topic in after.report.topics) == 3


def test_a_model_without_names_has_the_page_it_had(
    pages: tuple[Page, Page, Path], cli, tmp_path: Path
) -> None:
    before, _, model = pages
    copy = shutil.copytree(model, tmp_path / "copy")
    cli("name", copy, "--remove")
    assert page_of(copy, "t").html() == before.html()


def test_partners_in_another_model_are_named_too(pages: tuple[Page, Page, Path]) -> None:
    _, _, model = pages
    page = page_of(model, "t", compare=model)
    assert [topic.match for topic in page.report.topics] == [
        (topic.label, pytest.approx(1.0)) for topic in page.report.topics
    ]


def test_lives_and_wordings_lead_to_the_whole(cli, planted: Path, tmp_path: Path) -> None:
    options = ("--out", tmp_path / "m", "--words", "open", "--iterations", 4, "--threads", 1, "--seed", 1)
    cli("fit", "hdp", planted, *options)
    learned = load(tmp_path / "m")
    used = [k for k in range(len(learned.alpha_)) if k not in learned.unused_topics_]
    before = page_of(tmp_path / "m", "t")
    cli("name", tmp_path / "m", *(word for k in used[:2] for word in ("--topic", f"{k}=one")))
    page = page_of(tmp_path / "m", "t")
    assert len(page.report.topics) == len(before.report.topics) - 1
    g = next(g for g, topic in enumerate(page.report.topics) if topic.label == "one")
    largest = page.report.topics[g].members[0].number
    assert before.report.changes
    assert page.report.changes
    assert len(page.report.changes.wordings) == len(page.report.topics)
    assert page.report.changes.wordings[g] == before.report.changes.wordings[largest]
    assert before.report.growth
    assert page.report.growth
    assert page.report.growth.counts == before.report.growth.counts
    numbers = {learned.topic_ids_[k] for k in used[:2]}
    assert {life.topic for life in page.report.growth.lives if life.id in numbers} <= {g}
    assert page.report.growth.lines == before.report.growth.lines
