"""How the topics of a model that learns new words changed, from its snapshots and the trace of its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stickbreaker.saved.evolution import Evolution, Moment, merged
from stickbreaker.topics.report.genealogy import times_of_records
from stickbreaker.topics.report.page_data import Changes, Wording

SHOWN_WORDS = 15  # of a topic at a moment
NEW_WORDS = 8  # that entered since the moment before
FRESH_WORDS = 6  # of a topic in the table of new words
MOST_MOMENTS = 24
LEAST_MOMENTS = 8  # of a model of many topics
MOST_LISTS = 1200  # of a topic at a moment

Record = Mapping[str, Any]
Ranks = dict[str, int]


def changes_of(evolution: Evolution, topic_ids: Sequence[int], trace: Sequence[Record]) -> Changes | None:
    """What snapshots and a trace tell of how the topics changed; None where they tell nothing.

    Args:
        evolution: the snapshots of the run; at most 24 are shown, fewer for models of many topics.
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
    """The first moment, the last and some between, as evenly by steps as they are there.

    Words that entered at a moment left out are listed as entered at the next.
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
    """When each word entered last, of all snapshots but the first, by topic."""
    found: dict[int, dict[str, Moment]] = {}
    for moment in moments[1:]:
        for topic, words in moment.entered().items():
            found.setdefault(topic, {}).update((word, moment) for _, word, _ in words)
    return found


def _wording(tops: Sequence[Ranks], entered: Sequence[Ranks], since: Mapping[str, Moment]) -> Wording:
    """One topic: of the words shown at any moment, the ranks at every moment that has them."""
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
