"""Which of the changes of topics that were tried are made, and what is remembered of the others."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from stickbreaker.contracts.contract import Accepted
from stickbreaker.contracts.table_view import RowArray, RowQuery, TableView
from stickbreaker.core.edits import Dissolve, Split
from stickbreaker.core.records import Array, Field, Record

MAX_BACKOFF = 32.0  # cohorts that a topic that keeps failing waits at most
PAIR_BACKOFF = 8.0  # cohorts that a pair waits that failed, or was one topic before
SPLIT, MERGE = 0, 1  # kinds of moves
EMPTY, TOLERANCE = 1.0, -1e-2  # a topic of fewer tokens goes for nothing, to rounding


class Candidate(NamedTuple):
    """A change that a trial says something about: columns concerned, its edit, and its gain in nats.

    `shares` are the edit's shares of words, or what to ask for them. log p(sticks | gamma) has no part in the
    gain: a density at a point does not compare across numbers of topics.
    """

    plan: str
    topics: tuple[int, ...]
    edit: Split | Dissolve
    gain: float
    shares: RowQuery | RowArray
    mixture: bool = False  # a topic tried with those that it mixes


class MoveLimits(NamedTuple):
    """The nats that a gain must exceed, and how many splits are made at once."""

    least: float
    splits: int


def chosen(
    params: Record,
    found: Iterable[Candidate],
    limits: MoveLimits,
    totals: Array,
    later: Callable[[float], float],
) -> tuple[list[Candidate], dict[str, Field]]:
    """The best candidates of disjoint topics, their edits to be made in order, and the memory of the others.

    `totals` (topics) are the table's; `later` gives the documents seen after that many rounds of all that is
    at hand.
    """
    failed, wait, apart = (params[name].values.copy() for name in ("failed", "wait", "apart"))
    taken, splits = set[int](), 0
    best: list[Candidate] = []
    left = list(range(len(totals)))
    lost: set[tuple[int, int]] = set()
    for item in sorted(found, key=lambda each: -each.gain):
        kind, topic = SPLIT if isinstance(item.edit, Split) else MERGE, item.topics[0]
        least = TOLERANCE if kind == MERGE and totals[topic] < EMPTY else limits.least
        if not item.gain > least:  # nor is what is not a number
            if kind == SPLIT or item.mixture:
                lost.add((kind, topic))
            if kind == MERGE and len(item.topics) == 2:
                apart[topic, item.topics[1]] = apart[item.topics[1], topic] = later(PAIR_BACKOFF)
        elif not taken & set(item.topics) and (kind == MERGE or splits < limits.splits):
            splits += kind == SPLIT
            taken |= set(item.topics)
            best.append(item._replace(edit=_placed(item.edit, left)))
            apart[topic, topic] = later(
                PAIR_BACKOFF
            )  # halves take this place and a new one: not tried at once
    for kind, topic in lost:
        failed[kind, topic] += 1.0
        wait[kind, topic] = later(min(2.0 ** failed[kind, topic], MAX_BACKOFF))
    for k in taken:
        failed[:, k] = wait[:, k] = 0.0
    return best, {
        "failed": params["failed"]._replace(values=failed),
        "wait": params["wait"]._replace(values=wait),
        "apart": params["apart"]._replace(values=apart),
    }


def _placed(edit: Split | Dissolve, left: list[int]) -> Split | Dissolve:
    """An edit in the shape that those before it left; `left`: the old topic of each place."""
    if isinstance(edit, Split):
        placed: Split | Dissolve = replace(edit, source=left.index(edit.source))
        left.append(-1)
        return placed
    into = tuple(left.index(target) for target in edit.into)
    placed = replace(edit, into=into, source=left.index(edit.source))
    left.remove(edit.source)
    return placed


def accepted(table: TableView, best: Sequence[Candidate]) -> tuple[Accepted, ...]:
    """Edits with their shares of words."""
    queries = {item.plan: item.shares for item in best if isinstance(item.shares, RowQuery)}
    along = {item.plan: {"words": item.shares} for item in best} | table.fields(queries)
    return tuple(
        Accepted(item.plan, (replace(item.edit, along=along[item.plan]),), item.gain) for item in best
    )
