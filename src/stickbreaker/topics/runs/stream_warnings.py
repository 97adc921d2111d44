"""Warnings of runs over streams: a giant topic, starved topics (with hardly any words left), minibatches that
are too large.

Topic shares are those of the table's counts, which fade, so they reflect the last minibatches.
"""

from collections.abc import Collection
from typing import TypedDict

from stickbreaker.core.json_checks import is_number, is_text, record_with
from stickbreaker.core.records import Array

GIANT = 1 / 3  # share of words from which a topic is too large, if it is also
OF_MEAN = 2.0  # times the mean share, so that one of three topics may have half of the words
STARVED = 0.1  # times the mean share: upper limit of a starved topic
MOST_STARVED = 0.5  # share of topics that may be starved without a warning
EARLIEST = 10  # steps before which shares are not meaningful
PART = 10  # minibatches that a stream should have at least

TEXTS = {
    "giant": "one topic holds {share:.0%} of the last minibatches' words: mix the order of the documents, or "
    "give a larger alpha",
    "starved": "{share:.0%} of the topics have hardly any words left: mix the order of the documents, or "
    "use fewer topics",
    "batch size": "a minibatch is {share:.0%} of the whole stream, which gives too few steps: use smaller "
    "minibatches, a tenth of the documents at most",
}


class StreamWarning(TypedDict):
    """A warning as stored in a trace: `about`, a key of `TEXTS`, and the share that the text reports."""

    about: str
    share: float


def warnings_of(totals: Array, step: int, *, grows: bool, before: Collection[str]) -> list[StreamWarning]:
    """The warnings to give after `step` steps, judged by the topics' tokens in the table (`totals`); kinds
    that were given `before` are left out. Before step 10 there are none.

    If the number of topics is learned (`grows`), topics without words are not a problem.

    >>> import numpy as np
    >>> warnings_of(np.array([8.0, 1.0, 1.0, 1.0, 1.0, 0.0]), 10, grows=True, before=())
    [{'about': 'giant', 'share': 0.6667}]
    """
    found: dict[str, float] = {}
    total = float(totals.sum())
    if step < EARLIEST or total <= 0.0:
        return []
    largest = float(totals.max()) / total
    if largest > max(GIANT, OF_MEAN / len(totals)):
        found["giant"] = largest
    starved = float((totals < STARVED * totals.mean()).sum()) / len(totals)
    if starved > MOST_STARVED and not grows:
        found["starved"] = starved
    return [
        {"about": about, "share": round(share, 4)} for about, share in found.items() if about not in before
    ]


def large_minibatches(batch_size: int, documents: int) -> list[StreamWarning]:
    """For a stream that has ended: a warning if its minibatches had more than a tenth of all documents;
    otherwise an empty list.

    >>> large_minibatches(256, 1_000), large_minibatches(100, 1_000)
    ([{'about': 'batch size', 'share': 0.256}], [])
    """
    if PART * batch_size <= documents:
        return []
    return [{"about": "batch size", "share": round(min(1.0, batch_size / max(1, documents)), 4)}]


def warning_text(warning: StreamWarning) -> str:
    """A warning as a line of text, with its remedy.

    >>> warning_text({"about": "giant", "share": 0.41})[:41]
    'one topic holds 41% of the last minibatch'
    """
    return TEXTS[warning["about"]].format(share=warning["share"])


def is_warning(value: object) -> bool:
    """Whether a value read from a file has the form of a `StreamWarning`."""
    return record_with({"about": is_text, "share": is_number})(value) and value["about"] in TEXTS
