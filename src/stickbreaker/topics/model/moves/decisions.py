"""Which of the tried splits and merges are made, and how long failed ones wait for their next trial."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from stickbreaker.contracts.contract import Accepted
from stickbreaker.contracts.table_view import RowArray, RowQuery, TableView
from stickbreaker.core.edits import Dissolve, Split
from stickbreaker.core.records import Array, Field, Record

MAX_DOUBLINGS = 5.0  # for a topic that fails again and again: it waits at most 32 cohorts
PAIR_BACKOFF = 8.0  # cohorts that a pair waits after failing, or after being split
SPLIT, MERGE = 0, 1  # kinds of moves
EMPTY, TOLERANCE = 1.0, -1e-2  # a topic with fewer tokens can be dropped at no gain, up to rounding


class Candidate(NamedTuple):
    """A split of a topic, or a merge into one or several others, that was tried on documents, with its gain
    in nats.

    `plan`: the proposal's name; `topics`: those that it changes, the split or dissolved one first; `shares`:
    how the edit divides each word, or a query for it. The gain does not include log p(sticks | gamma), since
    a density is not comparable between numbers of topics.
    """

    plan: str
    topics: tuple[int, ...]
    edit: Split | Dissolve
    gain: float
    shares: RowQuery | RowArray
    mixture: bool = False  # whether a topic was tried as a mixture of others


class MoveLimits(NamedTuple):
    """The limits for accepting moves in a step: the gain in nats that each must exceed, and the largest
    number of splits.
    """

    least: float
    splits: int


def doublings(failures: float) -> float:
    """The number of rounds for which a topic waits after failures in a row: 2 ** failures, at most 2 **
    MAX_DOUBLINGS.

    >>> doublings(3.0), doublings(5000.0)
    (8.0, 32.0)
    """
    return 2.0 ** min(float(failures), MAX_DOUBLINGS)


def chosen(
    params: Record,
    found: Iterable[Candidate],
    limits: MoveLimits,
    totals: Array,
    later: Callable[[float], float],
) -> tuple[list[Candidate], dict[str, Field]]:
    """Accept the best candidates, of which no two change the same topic and at most `limits.splits` are
    splits. Those whose gain is too small must wait.

    Returns the accepted ones, with edits to be made in this order, and the params on how long topics and
    pairs wait for their next trial. `totals` (topics): tokens in the table (a topic with less than one may be
    merged without a gain); `later`: a function from a number of rounds to the documents seen by then.
    """
    failed, wait, apart = (params[name].values.copy() for name in ("failed", "wait", "apart"))
    taken, splits = set[int](), 0
    best: list[Candidate] = []
    left = list(range(len(totals)))
    lost: set[tuple[int, int]] = set()
    for item in sorted(found, key=lambda each: -each.gain):
        kind, topic = SPLIT if isinstance(item.edit, Split) else MERGE, item.topics[0]
        least = TOLERANCE if kind == MERGE and totals[topic] < EMPTY else limits.least
        if not item.gain > least:  # also excludes NaN
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
            )  # the halves take this place and a new one, and are not tried immediately
    for kind, topic in lost:
        failed[kind, topic] += 1.0
        wait[kind, topic] = later(doublings(failed[kind, topic]))
    for k in taken:
        failed[:, k] = wait[:, k] = 0.0
    return best, {
        "failed": params["failed"]._replace(values=failed),
        "wait": params["wait"]._replace(values=wait),
        "apart": params["apart"]._replace(values=apart),
    }


def _placed(edit: Split | Dissolve, left: list[int]) -> Split | Dissolve:
    """The same edit with topic numbers translated from those before any edit to those after the edits that
    precede it.

    `left`: the old number of the topic at each position, -1 for a new one; it is updated by this edit.
    """
    if isinstance(edit, Split):
        placed: Split | Dissolve = replace(edit, source=left.index(edit.source))
        left.append(-1)
        return placed
    into = tuple(left.index(target) for target in edit.into)
    placed = replace(edit, into=into, source=left.index(edit.source))
    left.remove(edit.source)
    return placed


def accepted(table: TableView, best: Sequence[Candidate]) -> tuple[Accepted, ...]:
    """The edits of these candidates with the shares of all words that they need, read from the table in one
    query.
    """
    queries = {item.plan: item.shares for item in best if isinstance(item.shares, RowQuery)}
    along = {item.plan: {"words": item.shares} for item in best} | table.fields(queries)
    return tuple(
        Accepted(item.plan, (replace(item.edit, along=along[item.plan]),), item.gain) for item in best
    )
