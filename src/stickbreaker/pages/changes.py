"""How what was learned changed during a run: the words of topics, or the subtrees of a grammar's symbols."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.pages.colour import hue_hex
from stickbreaker.pages.text_values import MOST_POINTS, clean, rounded
from stickbreaker.pages.views import Lane, Lines, Paths, Series
from stickbreaker.saved.evolution import Evolution, Moment, merged

SHOWN_WORDS = 15  # words shown per topic and moment
NEW_WORDS = 8  # new words shown since the moment before
FRESH_WORDS = 6  # new words shown per topic in the table
MOST_MOMENTS = 24
LEAST_MOMENTS = 8  # shown for a model of many topics
MOST_LISTS = 1200  # most lists of words, over topics and moments
_INKS = [hue_hex(hue) for hue in (255, 25, 145, 310, 75, 200)]  # colours of words that are highlighted

Record = JsonObject
Ranks = dict[str, int]


@dataclass(frozen=True, slots=True)
class Wording:
    """How the words of one topic changed during a run, at the moments of `Changes`.

    `ranks`: for each moment, {word: rank}, 1 being the most probable: the first 15 words, and of lower ones
    those that are among the first 15, or new, at some moment. `entered`: for each moment, at most eight words
    that are new since the one before. `fresh`: at most six top words of the final model that entered during
    the run, as (word, rank, step and date of the last entry).
    """

    ranks: Sequence[Mapping[str, int]] = ()
    entered: Sequence[Sequence[str]] = ()
    fresh: Sequence[tuple[str, int, int, str]] = ()

    def payload(self) -> JsonObject:
        """A topic's words over time as JSON values: the words as a list "words", and elsewhere their indices.

        Ranks are flat lists: word, rank, word, rank, …
        """
        words: dict[str, int] = {}

        def place(word: str) -> int:
            return words.setdefault(word, len(words))

        fields = {
            "ranks": [
                [n for word, rank in ranks.items() for n in (place(word), rank)] for ranks in self.ranks
            ],
            "entered": [[place(word) for word in entered] for entered in self.entered],
            "fresh": [[place(word), rank, step, clean(date)] for word, rank, step, date in self.fresh],
        }
        return {"words": [clean(word) for word in words], **fields}


@dataclass(frozen=True, slots=True)
class Changes:
    """How the topics of a model that learns new words changed, at some moments of the run.

    `moments`: (steps done, documents seen, date or ""). `wordings`: one for each topic of the page, None if
    it has no words at any moment. `vocabulary`: rows (time, words in the model, words that entered, words
    dropped since the row before), with times in `unit`, "pass" or "step".

    For a grammar, symbols take the place of topics, and strings of subtrees that of words; `noun`, `reads`
    and `of` are what the page calls words, documents and topics.
    """

    moments: Sequence[tuple[int, int, str]] = ()
    wordings: Sequence[Wording | None] = ()
    unit: str = "step"
    vocabulary: Sequence[tuple[float, int, int, int]] = ()
    noun: str = "word"
    reads: str = "document"
    of: str = "the topic"

    def payload(self) -> JsonObject:
        """The changes as JSON values; consecutive rows of a long run's `vocabulary` are joined."""
        rows = self.vocabulary
        stride = -(-len(rows) // MOST_POINTS) or 1
        parts = [rows[i : i + stride] for i in range(0, len(rows), stride)]
        return {
            "moments": [[step, documents, clean(date)] for step, documents, date in self.moments],
            "wordings": [one.payload() if one else None for one in self.wordings],
            "inks": _INKS,
            "unit": self.unit,
            "noun": clean(self.noun),
            "reads": clean(self.reads),
            "of": clean(self.of),
            "vocabulary": [
                [
                    rounded(part[-1][0], 6),
                    part[-1][1],
                    sum(row[2] for row in part),
                    sum(row[3] for row in part),
                ]
                for part in parts
            ],
        }


def paths_of(
    changes: Changes, label: str, *, of: str = "", names: Sequence[str] = (), figure: str = ""
) -> Paths:
    """The view of how words moved. label: of the box in which the reader chooses a thing of the choice `of`,
    or one of `names`."""
    dated = all(date for _, _, date in changes.moments)
    moments = [
        (clean(date)[:10] if dated else f"step {step:,}", counted(documents, changes.reads))
        for step, documents, date in changes.moments
    ]
    ways = [one.payload() if one else None for one in changes.wordings]
    words = {"noun": changes.noun, "whose": changes.of, "label": label, "figure": figure}
    return Paths(moments, ways, of, names, _INKS, **words)


def sizes_of(changes: Changes, title: str, figure: str) -> Lines:
    """The view of how many words there were during a run, and how many entered and left."""
    rows, unit = changes.payload()["vocabulary"], changes.unit
    labels = [_size_said(row, rows[place - 1][0] if place else 0, changes) for place, row in enumerate(rows)]
    points = [(row[0], row[1]) for row in rows]
    lanes = [Lane("entered", [row[2] for row in rows], "up"), Lane("left", [row[3] for row in rows], "down")]
    return Lines(
        [Series(points, _INKS[0])],
        unit,
        f"{changes.noun}s in the model",
        whole=True,
        most=1.05 * max(size for _, size in points),
        walk=f"{unit}es" if unit == "pass" else f"{unit}s",
        labels=labels,
        lanes=lanes,
        title=title,
        figure=figure,
        tall=340,
    )


def _size_said(row: Sequence[float], before: float, changes: Changes) -> str:
    at, size, entered, left = row
    one = at - before <= 1 or changes.unit == "pass"
    when = f"{changes.unit} {at:,g}" if one else f"{changes.unit}s {before + 1:,g} to {at:,g}"
    size_said = counted(int(size), changes.noun)
    return f"{when.capitalize()}: {size_said}; {int(entered):,} entered, {int(left):,} left"


def changes_of(evolution: Evolution, topic_ids: Sequence[int], trace: Sequence[Record]) -> Changes | None:
    """How the topics changed during a run, from its snapshots and trace.

    None if there are neither snapshots nor records with `vocabulary`.

    Args:
        evolution: the snapshots of the run; at most 24 are shown, fewer (but 8) for models of many topics.
        topic_ids: (K,) the lasting ids of the page's topics, in order.
        trace: records, some with `vocabulary`: the words after a step, and those that entered and left.
    """
    records = [record for record in trace if "vocabulary" in record]
    if not evolution.moments and not records:
        return None
    most = min(max(MOST_LISTS // max(len(topic_ids), 1), LEAST_MOMENTS), MOST_MOMENTS)
    moments = spread(evolution.moments, most)
    unit, times = times_of_records(records) if records else ("step", [])
    return Changes(
        moments=[(moment.step, moment.documents, moment.date or "") for moment in moments],
        wordings=_wordings(moments, evolution.moments, topic_ids) if moments else [],
        unit=unit,
        vocabulary=[
            (at, change["size"], change["entered"], change["left"])
            for at, change in zip(times, (record["vocabulary"] for record in records), strict=True)
        ],
    )


def spread(moments: Sequence[Moment], most: int) -> list[Moment]:
    """Select at most `most` snapshots, evenly spread over the steps, with the first and the last.

    Words that entered at a snapshot that is left out count as entered at the next.
    """
    if len(moments) <= most:
        return list(moments)
    first, last = moments[0].step, moments[-1].step
    wanted = [first + (last - first) * i / (most - 1) for i in range(most)]
    near = {min(range(len(moments)), key=lambda i: abs(moments[i].step - step)) for step in wanted}
    places = sorted(near)
    starts = [0, *(place + 1 for place in places)]
    return [merged(moments[start : place + 1]) for start, place in zip(starts, places, strict=False)]


def _wordings(
    moments: Sequence[Moment], every: Sequence[Moment], topic_ids: Sequence[int]
) -> list[Wording | None]:
    tops = [moment.top() for moment in moments]
    entered = [moment.entered() for moment in moments]
    since = _entries(every)
    return [
        _wording(
            [{word: rank for rank, (word, _) in enumerate(top.get(i, ()), start=1)} for top in tops],
            [{word: rank for rank, word, _ in new.get(i, ())[:NEW_WORDS]} for new in entered],
            since.get(i, {}),
        )
        if any(i in top for top in tops)
        else None
        for i in topic_ids
    ]


def _entries(moments: Sequence[Moment]) -> dict[int, dict[str, Moment]]:
    """For each topic (by id), the snapshot at which each word last entered.

    Words of the first snapshot have not entered then, and are missing unless they enter later.
    """
    found: dict[int, dict[str, Moment]] = {}
    for moment in moments[1:]:
        for topic, words in moment.entered().items():
            found.setdefault(topic, {}).update((word, moment) for _, word, _ in words)
    return found


def _wording(tops: Sequence[Ranks], entered: Sequence[Ranks], since: Mapping[str, Moment]) -> Wording:
    """Make the `Wording` of one topic, its words over time.

    tops: for each moment, {word: rank} of its top words; entered: for each moment, {word: rank} of its new
    words; since: the snapshot at which each word last entered, for words that did.
    """
    shown = {word for top in tops for word, rank in top.items() if rank <= SHOWN_WORDS}
    shown.update(word for new in entered for word in new)
    fresh = [(word, rank) for word, rank in tops[-1].items() if word in since][:FRESH_WORDS]
    return Wording(
        ranks=[
            {**new, **{word: rank for word, rank in top.items() if word in shown}}
            for top, new in zip(tops, entered, strict=True)
        ],
        entered=[list(new) for new in entered],
        fresh=[(word, rank, since[word].step, since[word].date or "") for word, rank in fresh],
    )


def times_of_records(records: Sequence[Record]) -> tuple[str, list[float]]:
    """The unit of time for charts of a run, "pass" or "step", and the time of each trace record in it.

    There must be records. Passes have fractions. The unit is "step" if there is only one pass, and for a
    stream, which counts each step as a pass.

    >>> times_of_records([{"pass": 1, "step": 1}, {"pass": 1, "step": 2}, {"pass": 2, "step": 3}])
    ('pass', [0.5, 1.0, 1.5])
    """
    if records[-1]["pass"] == records[0]["pass"] or of_stream(records):
        return "step", [float(record["step"]) for record in records]
    steps = Counter(record["pass"] for record in records)
    last = records[-1]["pass"]
    steps[last] = max(steps[last], steps[last - 1])  # the run may have ended within its last pass
    done: Counter[int] = Counter()
    times: list[float] = []
    for record in records:
        done[record["pass"]] += 1
        times.append(record["pass"] - 1 + done[record["pass"]] / steps[record["pass"]])
    return "pass", times


def of_stream(trace: Sequence[Record]) -> bool:
    """Whether a trace is of a stream: some record scores predictions of documents before learning from them.

    >>> of_stream([{"step": 1}, {"step": 2, "prequential": {}}]), of_stream([{"step": 1}])
    (True, False)
    """
    return any("prequential" in record for record in trace)
