"""How the topics of a growing model came about: by hand, and against slow versions."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.pages import made_up
from tests.running import TOPICS, planted_documents
from tests.topics.report import report_growth, report_pages

from stickbreaker import LDA, Online
from stickbreaker.pages.views.payload import as_json
from stickbreaker.topics.report import topic_page
from stickbreaker.topics.report.genealogy import (
    MOST_COLUMNS,
    MOST_LINES,
    MOST_MOVES,
    MOST_SPLITS,
    Growth,
    Life,
    Refinement,
    TopicMove,
    drawn_lines,
    growth_of,
    times_of_records,
)

WORDS = ["river", "boat", "bank", "loan", "sail", "coin"]
BY_HAND: list[dict[str, Any]] = [
    {"step": 1, "pass": 1, "topics": 2, "used": 2, "words": {"0": [0, 2], "1": [3, 5]}},
    {
        "step": 2,
        "pass": 2,
        "topics": 3,
        "used": 2,
        "edits": [{"move": "split", "topic": 0, "new": 2, "gain": 12.5}],
        "words": {"0": [0, 1], "2": [2, 3]},
        "before": {"0": [0, 2]},
    },
    {"step": 3, "pass": 3, "topics": 3, "used": 3},
    {
        "step": 4,
        "pass": 4,
        "topics": 2,
        "used": 2,
        "edits": [{"move": "merge", "topic": 1, "gone": 2, "gain": 3.0}],
        "words": {"0": [0, 4], "1": [3, 2]},
        "before": {"1": [3, 5], "2": [2, 5]},
    },
    {"step": 5, "pass": 5, "topics": 2, "used": 2},
]


def by_hand(**other: Any) -> Growth:
    growth = growth_of([{**record, **other} for record in BY_HAND], [0, 1], WORDS, [[1, 4], [3, 2]])
    assert growth
    return growth


def test_a_trace_by_hand() -> None:
    growth = by_hand()
    split, merge = TopicMove("split", 2.0, 0, 2, 12.5), TopicMove("merge", 4.0, 1, 2, 3.0)
    assert growth == Growth(
        unit="pass",
        counts=[
            (1.0, 2, 2, 0, 0),
            (2.0, 3, 2, 1, 0),
            (3.0, 3, 3, 0, 0),
            (4.0, 2, 2, 0, 1),
            (5.0, 2, 2, 0, 0),
        ],
        lives=[
            Life(0, topic=0, words=["boat", "sail"]),
            Life(1, topic=1, words=["loan", "bank"]),
            Life(2, born=2.0, end=4.0, parent=0, into=1, words=["bank", "coin"]),
        ],
        lines=[0, 2, 1],
        moves=[split, merge],
        refinements=[
            Refinement(
                split,
                ["river", "bank"],
                [
                    (2.0, ["river", "boat"], ["bank", "loan"]),
                    (4.0, ["river", "sail"], []),  # the new one is gone by then
                    (5.0, ["boat", "sail"], []),
                ],
            )
        ],
        began=2,
        splits=1,
        merges=1,
        changed=3,
        refined=1,
    )


def test_models_that_do_not_grow_tell_nothing() -> None:
    assert growth_of([], [], [], []) is None
    assert growth_of([{"step": 1, "pass": 1, "score": -7.0}], [0], ["a"], [[0]]) is None


def test_time_is_told_in_passes_or_in_the_steps_of_the_only_one() -> None:
    assert by_hand(**{"pass": 1}).unit == "step"
    assert [count[0] for count in by_hand(**{"pass": 1}).counts] == [1.0, 2.0, 3.0, 4.0, 5.0]
    passes = [1, 1, 1, 1, 2, 2]  # the run ended in the middle of the second
    records = [{"step": i, "pass": number} for i, number in enumerate(passes, start=1)]
    assert times_of_records(records) == ("pass", [0.25, 0.5, 0.75, 1.0, 1.25, 1.5])


def test_the_first_record_may_have_moves() -> None:
    growth = growth_of(BY_HAND[1:], [0, 1], WORDS, [[1, 4], [3, 2]])
    assert growth
    assert growth.began == 2
    assert growth.counts[0][1] == 3


def crossings(lives: dict[int, Life], order: list[int]) -> int:
    """How many lines the branches cross, from the definition."""
    row = {i: place for place, i in enumerate(order)}
    found = 0
    for life in lives.values():
        for at, other in ((life.born, life.parent), (life.end, life.into)):
            if at is not None and other in row:
                low, high = sorted((row[life.id], row[other]))
                between = [lives[i] for i in order[low + 1 : high]]
                found += sum(one.born < at < (one.end or np.inf) for one in between)
    return found


def lives_in(trace: report_growth.Trace, tops: dict[int, list[int]]) -> tuple[Growth, dict[int, Life]]:
    growth = growth_of(trace, sorted(tops), [str(i) for i in range(400)], [tops[i] for i in sorted(tops)])
    assert growth
    return growth, {life.id: life for life in growth.lives}


@given(st.integers(0, 40), st.integers(0, 1000), st.integers(2, 30))
def test_branches_of_splits_cross_no_line(n_splits: int, seed: int, n_topics: int) -> None:
    growth, lives = lives_in(*report_growth.trace_of(n_splits, 0, n_topics=n_topics, seed=seed))
    assert crossings(lives, list(growth.lines)) == 0


@given(st.integers(0, 40), st.integers(0, 20), st.integers(0, 1000))
def test_every_topic_in_a_move_has_one_line(n_splits: int, n_merges: int, seed: int) -> None:
    trace, tops = report_growth.trace_of(n_splits, n_merges, n_topics=25, seed=seed)
    growth, lives = lives_in(trace, tops)
    edits = [edit for record in trace for edit in record.get("edits", ())]
    moved = {edit[name] for edit in edits for name in ("topic", "new", "gone") if name in edit}
    assert sorted(growth.lines) == sorted(moved) == sorted(lives)
    assert {life.id for life in lives.values() if life.topic is not None} == moved & set(tops)


def test_merges_cross_far_less_than_in_the_order_of_ids() -> None:
    growth, lives = lives_in(*report_growth.trace_of(60, 30, n_topics=40))
    assert crossings(lives, list(growth.lines)) < 0.15 * crossings(lives, sorted(lives))


def test_topics_that_merge_into_one_another_s_descendants_end_the_search() -> None:
    lives = {
        0: Life(0, 0.0, 3.0, into=2),
        1: Life(1, 1.0, 5.0, parent=0, into=3),
        2: Life(2, 2.0, parent=1),
        3: Life(3, 0.0),
    }
    assert sorted(drawn_lines(lives)) == [0, 1, 2, 3]
    chain = {i: Life(i, float(i), parent=i - 1 if i else None) for i in range(MOST_LINES)}
    assert drawn_lines(chain) == list(range(MOST_LINES))


def test_long_runs_show_a_part_and_say_so() -> None:
    page = report_growth.grown(500, 420, n_passes=700, n_topics=30)
    growth = page.growth
    assert growth
    assert (len(growth.lines), len(growth.moves), len(growth.refinements)) == (
        MOST_LINES,
        MOST_MOVES,
        MOST_SPLITS,
    )
    assert (growth.splits, growth.merges, growth.began) == (500, 420, 30)
    lasting = {life.id for life in growth.lives if life.topic is not None}
    assert lasting <= set(growth.lines)
    least = min(move.gain or 0.0 for move in growth.moves)
    assert least > 400.0  # their median is below
    assert [move.at for move in growth.moves] == sorted(move.at for move in growth.moves)
    assert all(len(one.after) <= MOST_COLUMNS for one in growth.refinements)
    html = made_up.all_text(page.page)
    assert f"Drawn are {MOST_LINES} of the {growth.changed} topics" in html
    assert f"are left out. The table has the {MOST_MOVES} moves of the greatest gain, of 920" in html
    assert f"the {MOST_SPLITS} splits of the greatest gain, of {growth.refined}" in html
    (numbers,) = [
        one for one in made_up.views_in(page.payload, "Lines") if one.get("figure") == "number-of-topics"
    ]
    assert [sum(lane[1]) for lane in numbers["lanes"]] == [500, 420]
    assert len(numbers["series"][0][0]) <= 600
    (told,) = [one for one in page.page.sections if one.anchor == "growth"]
    assert len(json.dumps(as_json(told.views))) < 400_000


@pytest.mark.parametrize(
    ("n_splits", "n_merges", "said"), [(1, 0, "1 split and 0 merges"), (2, 1, "2 splits and 1 merge")]
)
def test_few_moves_are_told_in_words(n_splits: int, n_merges: int, said: str) -> None:
    html = made_up.all_text(report_growth.grown(n_splits, n_merges).page)
    assert said in html
    assert "Topics that took no part in a split or a merge are left out" in html


def test_without_moves_there_is_the_curve_alone() -> None:
    page = report_growth.grown(0, 0).page
    assert "none was split or merged" in made_up.all_text(page)
    (section,) = [one for one in page.sections if one.anchor == "growth"]
    assert [type(view).__name__ for view in section.views] == ["Lines"]


def test_exchanges_are_told_in_words_of_their_own() -> None:
    page = report_growth.exchanged(2)
    growth = page.growth
    assert growth
    assert (growth.learned, growth.unit, growth.began, growth.splits, growth.merges) == (
        False,
        "step",
        12,
        2,
        2,
    )
    assert [count[1:] for count in growth.counts] == [(12, 12, 0, 0), (12, 12, 1, 1), (12, 12, 1, 1)]
    assert [(move.kind, move.gain) for move in growth.moves] == [("merge", None), ("split", None)] * 2
    assert [one.split.at for one in growth.refinements] == [3.0, 2.0], "the last first"
    html = made_up.all_text(page.page)
    assert (
        "There were 2 such exchanges, each a merge followed by a split: the number of topics stays." in html
    )
    for said in ("learns how many", "Gain is", "Go through"):
        assert said not in html
    (section,) = [one for one in page.page.sections if one.anchor == "growth"]
    assert [type(view).__name__ for view in section.views] == ["Note", "Row", "Note", "Tabs"]
    assert "There was 1 such exchange," in report_growth.exchanged(1).html()


def hdp_stream(*plans: str) -> tuple[Growth, str]:
    """The page of an HDP's stream of twelve topics: an exchange a step, then births with these plans."""
    page = report_pages.realistic(12, 60)
    words = [row.word for row in page.words]
    trace = report_growth.exchange_trace(3, 12, words)
    gone = {edit["gone"] for record in trace for edit in record.get("edits", ()) if "gone" in edit}
    ids = [i for i in range(15) if i not in gone]
    for new, plan in enumerate(plans, 15):
        edit = {"plan": plan, "gain": 99.5, "move": "split", "topic": ids[0], "new": new}
        trace.append({**trace[0], "step": trace[-1]["step"] + 1, "edits": [edit]})
        ids.append(new)
    n_topics = 12
    for record in trace:
        moves = [edit["move"] for edit in record.get("edits", ())]
        n_topics += moves.count("split") - moves.count("merge")
        record.update({"topics": n_topics, "used": n_topics})
    growth = growth_of(trace, ids, words, [list(range(10))] * len(ids))
    assert growth
    return growth, made_up.all_text(replace(page, growth=growth).page)


def test_exchanges_of_an_hdp_are_told_as_those_of_an_lda() -> None:
    growth, html = hdp_stream()
    assert (growth.learned, growth.births, growth.exchanges, growth.splits) == (False, False, 3, 3)
    assert "There were 3 such exchanges" in html
    assert "Gain is" not in html


def test_births_tell_what_their_gain_is_and_which_moves_are_exchanges() -> None:
    growth, html = hdp_stream("open at step 5", "open at step 6")
    assert (growth.learned, growth.births, growth.exchanges, growth.splits) == (True, True, 3, 5)
    assert growth.counts[-1][1:3] == (14, 14)
    assert "Gain is how much better the last documents were predicted with the topic" in html
    assert "Among them are 3 exchanges, without a gain" in html
    assert "in its stream one opens for documents that the others explain badly" in html
    growth, html = hdp_stream("split 3 of step 5")
    assert (growth.learned, growth.births) == (True, False)
    assert "Gain is what a move added to the model’s bound, in nats." in html


def test_of_many_exchanges_the_last_are_shown() -> None:
    page = report_growth.exchanged(200)
    growth = page.growth
    assert growth
    assert [move.at for move in growth.moves] == sorted(move.at for move in growth.moves)
    assert {move.at for move in growth.moves} == set(np.arange(52.0, 202.0))
    assert [one.split.at for one in growth.refinements] == list(np.arange(201.0, 141.0, -1.0))
    html = made_up.all_text(page.page)
    assert f"The table has the {MOST_MOVES} last moves, of 400." in html
    assert f"To choose from are the {MOST_SPLITS} last splits, of 200." in html


def test_words_are_rows_of_the_vocabulary_or_spelled() -> None:
    def spelled(tops: dict[str, list[int]]) -> dict[str, list[str]]:
        return {i: [WORDS[row] for row in rows] for i, rows in tops.items()}

    by_words = [
        {name: spelled(value) if name in ("words", "before") else value for name, value in record.items()}
        for record in BY_HAND
    ]
    assert growth_of(by_words, [0, 1], WORDS, [[1, 4], [3, 2]]) == by_hand()


def test_hostile_spelled_words_are_escaped() -> None:
    trace = report_growth.exchange_trace(1, 5, report_pages.HOSTILE)
    page = report_pages.hostile()
    growth = growth_of(trace, range(5), report_pages.HOSTILE, [[0, 1]] * 5)
    html = replace(page, growth=growth).html()
    (section,) = [one for one in replace(page, growth=growth).page.sections if one.anchor == "growth"]
    texts = {text.removeprefix("+ ") for text in made_up.texts_in(as_json(section.views))}
    assert len(texts & set(report_pages.HOSTILE)) > 5
    assert report_pages.HOSTILE[0] not in html
    assert report_pages.HOSTILE[1] not in html


def test_hostile_words_stay_in_the_data() -> None:
    (section,) = [one for one in report_pages.hostile().page.sections if one.anchor == "growth"]
    (moves, split) = made_up.views_in(as_json(section.views), "Table")
    assert [row[-1] for row in moves["rows"]] == [{"share": "–"}] * 2
    words = split["rows"][0][2]["each"]
    assert words[0] == {"strong": f"+ {report_pages.HOSTILE[0]}"}


@pytest.fixture(scope="module")
def fitted(cli, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("grown")
    (directory / "d.jsonl").write_text("\n".join(map(json.dumps, planted_documents(60))))
    options = ("--topics", 6, "--threads", 1, "--seed", 1, "--iterations", 8, "--moves", "none")
    cli("fit", "hdp", directory / "d.jsonl", "--out", directory / "model", *options)
    return directory / "model"


def test_a_saved_model_s_trace_is_read(fitted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load = topic_page.load_topics

    def loaded(path: Path, verb: str) -> Any:
        """The model, as if its last topic had been split from its first one."""
        model = load(path, verb)
        K = len(model.alpha)
        vars(model)["topic_ids"] = list(range(K))
        for i, record in enumerate(model.facts.trace):
            record |= {"topics": K - (i < 2), "used": K - (i < 2)}
        new = K - 1
        model.facts.trace[2].update(
            edits=[{"move": "split", "topic": 0, "new": new, "gain": 5.0}],
            before={"0": [0, 1]},
            words={"0": [1, 2], str(new): [0, 3]},
        )
        return model

    monkeypatch.setattr(topic_page, "load_topics", loaded)
    shown = topic_page.page_of(fitted, "t")
    assert shown.report.growth
    model = load(fitted, "report")
    vocabulary = model.vocabulary.spelled
    (refinement,) = shown.report.growth.refinements
    assert list(refinement.before) == [vocabulary[0], vocabulary[1]]
    assert refinement.after[0][1:] == ([vocabulary[1], vocabulary[2]], [vocabulary[0], vocabulary[3]])
    assert list(refinement.after[-1][1]) == model.top_words(10, by="probability")[0]
    assert re.search(r"there was 1 split and 0 merges", shown.html())


def streamed(words: str, sort: bool) -> LDA:
    """A model of planted documents, which come in turn or, with `sort`, one topic after another."""
    documents = planted_documents(960)
    if sort:
        documents.sort(key=lambda document: document["label"])
    texts = [document["text"].split() for document in documents]
    batch = 96
    schedule = Online(batch_size=batch, kappa=0.7, tau0=64.0)
    model = LDA(6, words=words, schedule=schedule, random_state=0, n_jobs=1)
    for start in range(0, len(texts), batch):
        model.partial_fit(texts[start : start + batch])
    return model


def test_a_stream_s_exchanges_are_in_its_trace_and_its_report(tmp_path: Path) -> None:
    model = streamed("open", sort=True)
    edited = [record for record in model.trace_ if "edits" in record]
    assert edited
    known = {word for topic in TOPICS for word in topic}
    for record in edited:
        merges, splits = record["edits"][::2], record["edits"][1::2]
        assert {edit["move"] for edit in merges} == {"merge"}
        assert {edit["move"] for edit in splits} == {"split"}
        assert not any("gain" in edit for edit in record["edits"])
        assert {str(edit["gone"]) for edit in merges} <= set(record["before"])
        assert {str(edit["new"]) for edit in splits} <= set(record["words"])
        for tops in (record["before"], record["words"]):
            assert all(set(words) <= known and words for words in tops.values())
    model.save(tmp_path / "model")
    page = topic_page.page_of(tmp_path / "model", "t")
    assert page.report.growth
    assert (
        page.report.growth.splits
        == page.report.growth.merges
        == sum(len(record["edits"]) for record in edited) / 2
    )
    split = page.report.growth.refinements[-1].split
    first = next(record for record in edited if record["step"] == split.at)
    assert page.report.growth.refinements[-1].before == first["before"][str(split.topic)]
    assert len(made_up.views_in(page.payload, "Genealogy")) == 1


def test_models_of_lda_without_an_exchange_tell_of_none(tmp_path: Path) -> None:
    streamed("open", sort=False).save(tmp_path / "streamed")
    texts = [document["text"].split() for document in planted_documents(60)]
    LDA(3, random_state=0, n_jobs=1).fit(texts).save(tmp_path / "batch")
    for name in ("streamed", "batch"):
        page = topic_page.page_of(tmp_path / name, "t")
        assert page.report.growth is None
        assert 'id="growth"' not in page.html()
