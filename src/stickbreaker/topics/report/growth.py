"""The section on how the topics of a model came about: their number over the run, their genealogy, and what
splits made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stickbreaker.core.errors import counted
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import MOST_POINTS, clean, rounded
from stickbreaker.pages.views import (
    Column,
    Each,
    Item,
    Lane,
    Lines,
    Note,
    Row,
    Series,
    Table,
    Tabs,
    Text,
    View,
    muted,
    number,
    strong,
)
from stickbreaker.topics.report.genealogy import Growth, Life, Refinement, SearchFacts
from stickbreaker.topics.report.learning import CURVES

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport


@dataclass(frozen=True, slots=True)
class Genealogy(View):
    """The lives of things of the choice `of`, from time 0 to `last`: rows of (place or -1 if it is gone, its
    lasting number, born, end or None, the row of its parent, the row into which it was merged, what is said
    when it is pointed at). Rows are -1 for things that are not drawn, None without one.
    """

    of: str
    unit: str
    last: float
    lines: Sequence[tuple[int, int, float, float | None, int | None, int | None, str]]


def how_topics_came_about(report: TopicReport) -> Section | None:
    growth, search = report.growth, report.search
    if growth is None:
        return None
    title, teller = "How topics came about", _Teller(report, growth)
    views: list[View] = []
    if search:
        views += [Note(_search_text(search), title="How many topics"), _search_charts(search)]
        views += [Note("", title="In this run")] if growth.learned else []
    if growth.learned:
        views.append(_numbers(growth))
    if growth.lines:
        views.append(Note(_lines_text(growth), title="Splits and merges"))
        views.append(Row([teller.genealogy(), teller.moves()], widths="minmax(0, 1fr) 31rem"))
    if growth.refinements:
        n, refined = len(growth.refinements), growth.refined
        of_greatest = "splits of the greatest gain" if growth.learned else "last splits"
        text = (
            "The ten first words of a topic before it was split, and of the two that it became, as learning "
            "continued. A word with + was not among the ten before."
        )
        text += f" To choose from are the {n} {of_greatest}, of {refined:,}." if n < refined else ""
        tabs = [(teller.split(one), teller.words(one)) for one in growth.refinements]
        views += [Note(text, title="What a split made of a topic"), Tabs(tabs, "Split")]
    return Section("growth", title, _began(growth) if growth.learned else _exchanged(growth), views)


def _began(growth: Growth) -> str:
    """How the number of topics was learned."""
    if growth.births:
        way = (
            ": in its stream one opens for documents that the others explain badly, and one closes when the "
            "last documents are predicted as well without it"
        )
    elif growth.alike:
        way = ": two that say the same are merged, if documents are predicted as well"
    elif growth.lines:
        way = (
            ": one that covers two subjects is split, and two that say the same are merged, where the model "
            "then explains the documents better"
        )
    else:
        way = ""
    _, last, used, *_ = growth.counts[-1]
    are, were = "is" if used == 1 else "are", "was" if growth.splits == 1 else "were"
    moves = f"there {were} {counted(growth.splits, 'split')} and {counted(growth.merges, 'merge')}"
    text = (
        f"This model learns how many topics there are{way}. The run began with "
        f"{counted(growth.began, 'topic')} and ended with {last:,}, of which {used:,} {are} in use; "
        f"{moves if growth.lines else 'none was split or merged'}."
    )
    if growth.exchanges:
        text += (
            f" Among them {'is' if growth.exchanges == 1 else 'are'} "
            f"{counted(growth.exchanges, 'exchange')}, without a gain: a topic that had more than three "
            "times its share of the documents gave half of itself to take the place of the smallest topic, "
            "which joined the one most like it."
        )
    return text


def _exchanged(growth: Growth) -> str:
    return (
        "This model learned from a stream, where one topic may come to win ever more documents while others "
        "get hardly any. So a topic that had more than three times its share of the documents gave half of "
        "itself to take the place of the smallest topic, which joined the one most like it. There "
        f"{'was' if growth.splits == 1 else 'were'} {counted(growth.splits, 'such exchange')}, each a merge "
        "followed by a split: the number of topics stays."
    )


def _search_text(search: SearchFacts) -> str:
    """Which numbers of topics were tried, and how well they did."""
    bound = search.judge == "bound"
    by_bound = bound and not search.few
    text = (
        f"The number of topics was searched for, by {'the bound' if bound else 'documents held out'}: small "
        "rings are short runs from different numbers of topics, the larger marks runs to the end, and the "
        f"filled one is this model{', the run to its end with the best bound' if by_bound else ''}. "
    )
    if search.few:
        text += (
            f"The bound asks for {counted(search.few, 'topic')}, but documents held out are clearly better "
            "predicted with more, so that they chose the number. "
        )
    if search.runs < 2:
        text += (
            "No other run comes within 0.005 nats per word of it, so that there is no range of numbers that "
            "are as good; another seed may find another number"
        )
    elif search.fewest == search.most:
        text += "Each run within 0.005 nats per word of the best has this number (shaded)"
    else:
        text += (
            f"From {search.fewest:,} to {search.most:,} topics (shaded) the score differs by no more than "
            "0.005 nats per word: it cannot tell these numbers apart"
        )
    text += f", by {'the runs to the end' if by_bound else 'the short runs'}."
    if search.at_most:
        text += " This model began with the largest number that was tried, so even more topics may be better."
    return text


def _search_charts(search: SearchFacts) -> Row:
    """The score of each run over the topics it ended with: the judge's score first, and the other one if
    several runs have it. If only some runs hold documents out, bounds are those of runs that saw all."""
    kinds = [("bound", 2, "bound"), ("held-out", 3, "held-out score")]
    kinds = [one for one in kinds if sum(point[one[1]] is not None for point in search.points) > 1]
    charts: list[View] = []
    for place, (judge, column, said) in enumerate(sorted(kinds, key=lambda one: one[0] != search.judge), 1):
        runs = [point for point in search.points if point[column] is not None]
        whole = [point for point in runs if point[3] is None]
        runs = whole if column == 2 and whole else runs
        short, final = [one for one in runs if not one[4]], [one for one in runs[:-1] if one[4]]
        parts = (("rings", sorted(short, key=lambda one: one[1])), ("large rings", final), ("dot", runs[-1:]))
        series = [
            Series(
                [(float(one[1]), float(one[column] or 0.0)) for one in own],
                CURVES[place - 1],
                look=look,
                notes=[_run_said(one, column, said) for one in own],
            )
            for look, own in parts
            if own
        ]
        charts.append(
            Lines(
                series,
                "topics in use",
                f"{said}, nats per word",
                log="x",
                shaded=(search.fewest, search.most) if judge == search.judge else None,
                tall=300,
                title=f"How many topics, by the {said}",
                figure=f"search-{place}",
            )
        )
    return Row(charts)


def _run_said(point: tuple[int, int, float, float | None, bool], column: int, said: str) -> str:
    topics, used, *_, final = point
    score = f"{point[column]:.4f}".replace("-", "−")
    return (
        f"{'To its end, from' if final else 'From'} {counted(topics, 'topic')}: {used:,} in use, {said} "
        f"{score} nats per word"
    )


def _numbers(growth: Growth) -> Lines:
    """The number of topics over the run, which the reader walks through, with splits and merges."""
    rows = _counts(growth)
    series = [Series([(row[0], row[2]) for row in rows], CURVES[0], "topics in use")]
    if any(row[1] != row[2] for row in rows):
        series.append(Series([(row[0], row[1]) for row in rows], name="in the table", dashed=True))
    lanes = [
        Lane("splits", [row[3] for row in rows], "split"),
        Lane("merges", [row[4] for row in rows], "merge"),
    ]
    return Lines(
        series,
        growth.unit,
        "topics" if len(series) > 1 else "topics, all of them in use",
        rises=True,
        whole=True,
        steps=True,
        walk="passes" if growth.unit == "pass" else f"{growth.unit}s",
        labels=[_count_said(growth, row) for row in rows],
        lanes=lanes if any(row[3] or row[4] for row in rows) else (),
        tall=340,
        figure="number-of-topics",
    )


def _count_said(growth: Growth, row: Sequence[float]) -> str:
    at, topics, used, splits, merges = row
    moves = ", ".join(counted(int(n), one) for n, one in ((splits, "split"), (merges, "merge")) if n)
    when, n = _moment(growth, at), counted(int(topics), "topic")
    said = f"{when[0].upper()}{when[1:]}: {n} in the table, {int(used):,} in use"
    return f"{said}; {moves}" if moves else said


def _lines_text(growth: Growth) -> str:
    n, moves = len(growth.lines), growth.splits + growth.merges
    text = (
        "Each line is the life of a topic. It begins at the start, or with a ring where it was split from "
        f"another; it ends at the last {growth.unit}, or with a dotted branch and an arrow where it was "
        "merged into another. Topics still there have their number and words at the right; those gone are "
        "grey, with the number (№) they had in the run. "
    )
    if n == growth.changed:
        text += "Topics that took no part in a split or a merge are left out."
    else:
        text += (
            f"Drawn are {n} of the {growth.changed:,} topics that took part in a split or a merge: those "
            "still there, then those that lasted longest; branches from and to the others are left out."
        )
    if len(growth.moves) < moves:
        which = "moves of the greatest gain" if growth.learned else "last moves"
        text += f" The table has the {len(growth.moves)} {which}, of {moves:,}."
    if growth.births:
        text += (
            " Gain is how much better the last documents were predicted with the topic than without it, "
            "in nats."
        )
    elif growth.alike:
        text += (
            " Gain is how much better documents are predicted after a merge, in nats; a small loss may be "
            "due to chance."
        )
    elif growth.learned:
        text += " Gain is what a move added to the model’s bound, in nats."
    return text


def _moment(growth: Growth, at: float) -> str:
    return "the start" if at == 0 else f"{growth.unit} {_number(at)}"


def _number(at: float) -> str:
    return f"{at:.1f}" if at % 1 and at < 10 else f"{at:,.0f}"


def _gain(gain: float | None) -> str:
    gain = rounded(gain)
    if gain is None:
        return "–"
    size = f"{abs(gain):.1f}" if abs(gain) < 10 else f"{abs(gain):,.0f}"
    return ("−" if gain < 0 else "+") + size


class _Teller:
    """Says which topics the lines, moves and splits of a report are about: those that are still there by
    their number and label on the page, others by the lasting number of the run, with a №."""

    def __init__(self, report: TopicReport, growth: Growth) -> None:
        self.growth, self.topics = growth, report.topics
        self.lives = {life.id: life for life in growth.lives}

    def _topic(self, life: Life) -> int | None:
        return life.topic if life.topic is not None and life.topic < len(self.topics) else None

    def _name(self, i: int) -> str:
        life = self.lives.get(i)
        k = self._topic(life) if life else None
        if life is None or k is None:
            return f"№{i}{' ' if life and life.words else ''}{_joined(life.words) if life else ''}"
        return f"topic {self.topics[k].id} {clean(self.topics[k].label)}"

    def _reference(self, i: int) -> Text:
        life = self.lives[i]
        k = self._topic(life)
        return (
            [f"№{i} ", muted(_joined(life.words))]
            if k is None
            else [f"{self.topics[k].id} ", Item("topic", k)]
        )

    def genealogy(self) -> Genealogy:
        growth, rows = self.growth, {i: row for row, i in enumerate(self.growth.lines)}

        def row_of(i: int | None) -> int | None:
            return None if i is None else rows.get(i, -1)

        lines = [
            (
                -1 if (k := self._topic(life)) is None else k,
                life.id,
                rounded(life.born, 6) or 0.0,
                rounded(life.end, 6),
                row_of(life.parent),
                row_of(life.into) if life.end is not None else None,
                self._life(life),
            )
            for life in (self.lives[i] for i in growth.lines)
        ]
        said = (
            "ring: new from a split; arrow: merged into another; №: the number in the run of a topic that is "
            "gone"
        )
        return Genealogy("topic", growth.unit, growth.counts[-1][0], lines, figure="genealogy", said=said)

    def _life(self, life: Life) -> str:
        gains = {
            (move.other, move.at): f" ({_gain(move.gain)} nats)"
            for move in self.growth.moves
            if rounded(move.gain) is not None
        }
        if life.parent is None:
            born = "there from the start"
        else:
            when = _moment(self.growth, life.born)
            born = f"split from {self._name(life.parent)} at {when}{gains.get((life.id, life.born), '')}"
        if life.end is not None and life.into is not None:
            when = _moment(self.growth, life.end)
            end = f"merged into {self._name(life.into)} at {when}{gains.get((life.id, life.end), '')}"
        else:
            end = "at the end not in use" if self._topic(life) is None else "there at the end"
        name = self._name(life.id)
        return f"{name[0].upper()}{name[1:]}: {born}; {end}"

    def moves(self) -> Table:
        growth = self.growth
        columns = [Column(growth.unit), Column("move"), Column("topic"), Column("new, or gone")]
        rows: list[list[object]] = [
            [_number(move.at), move.kind, self._reference(move.topic), self._reference(move.other)]
            for move in growth.moves
        ]
        if growth.learned:
            columns.append(Column("gain, nats"))
            rows = [[*row, number(_gain(move.gain))] for row, move in zip(rows, growth.moves, strict=True)]
        return Table(columns, rows)

    def split(self, refinement: Refinement) -> str:
        """What a split is called in the box from which it is chosen."""
        move = refinement.split
        gain = "" if move.gain is None else f" ({_gain(move.gain)} nats)"
        when = _moment(self.growth, move.at).capitalize()
        return f"{when}: {self._name(move.topic)} → {self._name(move.other)}{gain}"

    def words(self, refinement: Refinement) -> Table:
        """The first words of the two topics of a split: a row for each, a column for each time."""
        split, last = refinement.split, self.growth.counts[-1][0]
        columns, previous = [Column("topic"), Column("before")], [refinement.before, refinement.before]
        rows: list[list[Text]] = [
            [self._reference(split.topic), _listed(refinement.before, refinement.before)],
            [self._reference(split.other), ""],
        ]
        for at, *both in refinement.after:
            when = "at the end" if at == last else _moment(self.growth, at)
            columns.append(Column(f"after the split, {when}" if at == split.at else when))
            for row, (i, words) in enumerate(zip((split.topic, split.other), both, strict=True)):
                rows[row].append(_listed(words, previous[row]) if words else muted(self._end(i)))
                previous[row] = words or previous[row]
        return Table(columns, rows)

    def _end(self, i: int) -> str:
        life = self.lives[i]
        return (
            "not in use" if life.end is None or life.into is None else f"merged into {self._name(life.into)}"
        )


def _joined(words: Sequence[str]) -> str:
    return ", ".join(clean(word) for word in words)


def _listed(words: Sequence[str], before: Sequence[str]) -> Each:
    """Words below each other; those that were not among the words before have a +."""
    return Each([word if word in before else strong(f"+ {word}") for word in words], across=1)


def _counts(growth: Growth) -> list[list[float]]:
    """The numbers of topics over time for the page's curve: rows of time, topics, topics in use, splits and
    merges.

    If a run has too many records, several are joined to one row, with the last numbers of topics and the sums
    of splits and merges.
    """
    rows = growth.counts
    stride = -(-len(rows) // MOST_POINTS)
    points: list[list[float]] = []
    for i in range(0, len(rows), stride):
        part = rows[i : i + stride]
        at, topics, used, _, _ = part[-1]
        points.append(
            [rounded(at, 6) or 0.0, topics, used, sum(row[3] for row in part), sum(row[4] for row in part)]
        )
    return points
