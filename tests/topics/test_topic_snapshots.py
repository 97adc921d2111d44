"""Snapshots of topics: written and read, found by date and step, thinned as a plain list would be."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stickbreaker import UserError
from stickbreaker.saved import evolution as topic_snapshots
from stickbreaker.saved.evolution import (
    ENTERED_WORDS,
    MOST_SNAPSHOTS,
    TOP_WORDS,
    Evolution,
    Moment,
    merged,
)

ODD = [
    "",
    " ",
    "\n",
    "\x00",
    "שלום",
    "😀👩‍👩‍👧‍👦",
    "\u202eoverride",
    "</script>",
    "x" * 10_000,
    "None",
    "top",
]


def told(moment: Moment) -> tuple[object, ...]:
    """All that a snapshot tells; probabilities are single-precision numbers."""
    return moment.step, moment.documents, moment.date, moment.top(), moment.entered()


def of(*moments: tuple[int, str | None]) -> Evolution:
    """Snapshots of one word at the given steps and dates."""
    run = Evolution()
    for step, date in moments:
        run = run.add(step, 10 * step, date, {0: [(f"w{step}", 0.5)]}, {})
    return run


DATED = of((3, "1999-12-31"), (5, None), (1500, "2000-01-15T10:00:00Z"), (1600, "2000-02-01"), (2100, "2001"))

words = st.sampled_from([*"abcdefgh", *ODD])
probabilities = st.sampled_from([0.0, 0.125, 0.25, 0.5])
topics = st.sampled_from([-3, 0, 7])
likely = st.lists(st.tuples(words, probabilities), max_size=3, unique_by=lambda row: row[0])
tops = st.dictionaries(topics, likely, max_size=2)
ranked = st.tuples(st.sampled_from([1, 2, 3, 9659]), words, probabilities)
entering = st.dictionaries(topics, st.lists(ranked, max_size=3, unique_by=lambda row: row[1]), max_size=2)
dates = st.sampled_from([None, "1993", "1993-04", "1993-04-05", "1993-04-05T12:00:00+02:00"])
runs = st.lists(st.tuples(st.integers(1, 3), dates, tops, entering), max_size=9)
slow = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def made(rows: list[tuple[int, str | None, dict, dict]]) -> Evolution:
    run, step = Evolution(), 0
    for later, date, top, entered in rows:
        step += later
        run = run.add(step, 100 * step, date, top, entered)
    return run


def test_a_snapshot_by_hand(tmp_path: Path) -> None:
    run = Evolution().add(
        7,
        1085,
        "1993-04-05",
        {4: [("comic", 0.5), ("book", 0.25)], 1: [("game", 0.125)]},
        {4: [(9659, "hulk", 0.0), (2, "book", 0.25)], 2: [(1, "alone", 0.5)]},
    )
    run.write(tmp_path / "e.parquet")
    table = pq.read_table(tmp_path / "e.parquet")
    assert {field.name: str(field.type) for field in table.schema} == {
        "snapshot": "int32",
        "step": "int64",
        "documents": "int64",
        "date": "string",
        "topic": "int32",
        "kind": "dictionary<values=string, indices=int8, ordered=0>",
        "rank": "int32",
        "word": "string",
        "probability": "float",
    }
    rows = [tuple(row.values()) for row in table.to_pylist()]
    head = (0, 7, 1085, "1993-04-05")
    assert rows == [
        (*head, 1, "top", 1, "game", 0.125),
        (*head, 2, "entered", 1, "alone", 0.5),
        (*head, 4, "top", 1, "comic", 0.5),
        (*head, 4, "top", 2, "book", 0.25),
        (*head, 4, "entered", 2, "book", 0.25),
        (*head, 4, "entered", 9659, "hulk", 0.0),
    ]


def test_of_many_words_the_first_are_kept() -> None:
    top = [(f"w{i}", 0.01) for i in range(TOP_WORDS + 9)]
    new = [(rank, f"w{rank}", 0.01) for rank in range(40, 0, -1)]
    (moment,) = Evolution().add(1, 1, None, {0: top}, {0: new}).moments
    assert [word for word, _ in moment.top()[0]] == [word for word, _ in top[:TOP_WORDS]]
    assert [rank for rank, _, _ in moment.entered()[0]] == list(range(1, ENTERED_WORDS + 1))


@slow
@given(runs)
def test_written_and_read_it_tells_the_same(tmp_path_factory: pytest.TempPathFactory, rows: list) -> None:
    run = made(rows)
    file = tmp_path_factory.mktemp("e") / "e.parquet"
    run.write(file)
    again = Evolution.read(file)
    assert [told(moment) for moment in again.moments] == [told(moment) for moment in run.moments]
    content = file.read_bytes()
    again.write(file)
    assert file.read_bytes() == content


def test_a_snapshot_without_words_is_left_out() -> None:
    assert Evolution().add(1, 1, None, {0: []}, {3: []}).moments == ()


def test_adding_leaves_the_old_one_as_it_was() -> None:
    run = of((1, None))
    run.add(2, 2, None, {0: [("b", 0.5)]}, {})
    assert len(run.moments) == 1


@pytest.mark.parametrize(("step", "date"), [(3, None), (2, None), (4, "5 May 1993"), (4, "1993-5-5")])
def test_what_does_not_follow_is_refused(step: int, date: str | None) -> None:
    with pytest.raises(ValueError):
        of((3, None)).add(step, 1, date, {0: [("a", 0.5)]}, {})


# Thinning


def plain_thinning(moments: list[tuple]) -> list[tuple]:
    """The definition: keep places 0, 2, 4, … and the last; what entered elsewhere moves to the next kept."""
    kept: list[tuple] = []
    waiting: dict | None = None  # none was dropped before this one
    for place, (step, documents, date, top, entered) in enumerate(moments):
        found = {topic: {row[1]: row for row in rows} for topic, rows in (waiting or {}).items()}
        for topic, rows in entered.items():
            found.setdefault(topic, {}).update({row[1]: row for row in rows})
        if place % 2 and place != len(moments) - 1:
            waiting = {topic: list(rows.values()) for topic, rows in found.items()}
            continue
        if waiting is not None:
            for topic, rows in found.items():
                for rank, (word, p) in enumerate(top.get(topic, ()), start=1):
                    if word in rows:
                        rows[word] = (rank, word, p)
        ten = {topic: sorted(rows.values(), key=lambda row: row[:2])[:10] for topic, rows in found.items()}
        kept.append((step, documents, date, top, ten))
        waiting = None
    return kept


def in_sorted_order(run: list[tuple]) -> list[tuple]:
    """Entered words of equal rank in one order."""
    return [(*head, {topic: sorted(rows) for topic, rows in new.items()}) for *head, new in run]


@slow
@given(runs, st.integers(2, 6))
def test_thinning_equals_its_definition(rows: list, most: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(topic_snapshots, "MOST_SNAPSHOTS", most)
        run = made(rows)
    plain: list[tuple] = []
    for moment in made(rows).moments:
        plain.append(told(moment))
        if len(plain) > most:
            plain = plain_thinning(plain)
    assert in_sorted_order([told(moment) for moment in run.moments]) == in_sorted_order(plain)
    assert len(run.moments) <= most
    if plain:
        every = made(rows).moments
        assert (run.moments[0].step, run.moments[-1].step) == (every[0].step, every[-1].step)


def test_a_long_run_stays_bounded() -> None:
    run = Evolution()
    for step in range(1, 3 * MOST_SNAPSHOTS):
        run = run.add(step, step, None, {0: [("a", 0.5)]}, {0: [(step, f"w{step:05d}", 0.1)]})
        assert len(run.moments) <= MOST_SNAPSHOTS
    assert run.moments[0].step == 1
    assert run.moments[-1].step == 3 * MOST_SNAPSHOTS - 1
    assert len(run.moments) > MOST_SNAPSHOTS // 2
    assert all(len(moment.entered()[0]) <= ENTERED_WORDS for moment in run.moments)
    gaps = np.diff([moment.step for moment in run.moments])
    entered = [len(moment.entered()[0]) for moment in run.moments[1:]]
    assert entered == [min(gap, ENTERED_WORDS) for gap in gaps]  # none is lost while there is room


def test_a_word_that_moves_has_the_rank_of_now() -> None:
    run = Evolution().add(1, 1, None, {0: [("a", 0.5)]}, {0: [(9, "new", 0.01), (7, "old", 0.02)]})
    run = run.add(2, 2, None, {0: [("new", 0.75), ("a", 0.25)]}, {0: [(30, "late", 0.001)]})
    both = merged(run.moments)
    assert both.step == 2
    assert both.entered() == {
        0: [(1, "new", 0.75), (7, "old", np.float32(0.02)), (30, "late", np.float32(0.001))]
    }


# Finding a snapshot


@pytest.mark.parametrize(
    ("when", "step"),
    [
        (3, 3),
        (4, 3),
        (1599, 1500),
        ("step:1599", 1500),
        ("0000005", 5),
        (10**9, 2100),
        ("1999-12-31", 3),
        ("2000-01", 1500),
        ("2000-01-14", 3),
        ("2000-01-15", 1500),
        ("2000-01-15T09", 3),
        ("2000-01-15T11", 1500),
        ("2000", 1600),
        ("2001-05", 2100),
        ("2020", 2100),
    ],
)
def test_the_last_snapshot_not_after(when: str | int, step: int) -> None:
    assert DATED.at(when).step == step


def test_without_dates_four_digits_are_a_step() -> None:
    run = of((5, None), (1500, None), (2500, None))
    assert run.at("2020").step == 1500
    with pytest.raises(UserError, match=r"have no dates; there are snapshots of steps 5 to 2500$"):
        run.at("2020-05")


@pytest.mark.parametrize(
    ("when", "said"),
    [
        (
            2,
            "there is no snapshot as early as 2; there are snapshots of steps 3 to 2100 (1999-12-31 to 2001)",
        ),
        ("1599", "there is no snapshot as early as 1599; there are"),  # a year, where there are dates
        ("1999-11", "there is no snapshot as early as 1999-11; there are"),
        ("May 2000", "'May 2000' is neither a date (2020-05-01) nor a step; there are snapshots of steps 3"),
        ("", "'' is neither"),
        ("-1", "'-1' is neither"),
        ("2000-1", "'2000-1' is neither"),
        ("1e3\n", "neither"),
        ("9" * 5000, "neither"),
        ("\u0661\u0662", "neither"),  # digits of another script
    ],
)
def test_what_cannot_be_found_is_told_in_one_line(when: str | int, said: str) -> None:
    with pytest.raises(UserError) as error:
        DATED.at(when)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_nothing_is_found_in_nothing() -> None:
    with pytest.raises(UserError, match="there are no snapshots"):
        Evolution().at(1)


@given(st.text(max_size=12))
def test_any_text_finds_a_snapshot_or_is_refused(text: str) -> None:
    try:
        found = DATED.at(text)
    except UserError as error:
        said = str(error)
    else:
        assert found in DATED.moments
        return
    assert "\n" not in said


# Files that are not ours


def written(tmp_path: Path, **changes: object) -> Path:
    """A file of two snapshots, with some columns changed; None leaves one out."""
    file = tmp_path / "e.parquet"
    of((1, None), (2, "1993")).write(file)
    table = pq.read_table(file)
    for name, values in changes.items():
        place = table.schema.get_field_index(name)
        table = table.remove_column(place)
        if values is not None:
            table = table.add_column(place, name, values)
    pq.write_table(table, file)
    return file


def test_the_file_of_these_tests_is_sound(tmp_path: Path) -> None:
    assert [moment.date for moment in Evolution.read(written(tmp_path)).moments] == [None, "1993"]


@pytest.mark.parametrize(
    "changes",
    [
        {"word": None},
        {"word": pa.array(["a", None])},
        {"rank": pa.array([1, None], pa.int32())},
        {"kind": pa.array(["top", "else"])},
        {"kind": pa.array(["top", None])},
        {"snapshot": pa.array([0, 2], pa.int32())},
        {"snapshot": pa.array([1, 2], pa.int32())},
        {"step": pa.array([2, 2], pa.int64())},
        {"step": pa.array(["1", "2"])},
        {"probability": pa.array([[0.5], [0.5]])},
    ],
    ids=lambda changes: " ".join(
        f"{name} {value if value is None else value.to_pylist()}" for name, value in changes.items()
    ),
)
def test_a_foreign_file_is_refused(tmp_path: Path, changes: dict) -> None:
    file = written(tmp_path, **changes)
    with pytest.raises(UserError, match="cannot be read as snapshots of topics") as error:
        Evolution.read(file)
    assert str(file) in str(error.value)


@slow
@given(st.data())
def test_a_damaged_file_is_refused_by_name(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    file = tmp_path_factory.mktemp("e") / "e.parquet"
    DATED.write(file)
    content = file.read_bytes()
    file.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(UserError, match=r"e\.parquet: the file cannot be read"):
        Evolution.read(file)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is missing"):
        Evolution.read(tmp_path / "no.parquet")
    with pytest.raises(UserError, match="cannot be read"):
        Evolution.read(tmp_path)


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "e.parquet"
    DATED.write(file)
    content = file.read_bytes()

    def fail(_table: object, where: Path, **_options: object) -> None:
        Path(where).write_bytes(b"half")
        raise OSError("the disk is full")

    monkeypatch.setattr(pq, "write_table", fail)
    with pytest.raises(OSError, match="full"):
        of((1, None)).write(file)
    assert file.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["e.parquet"]
