"""How a stream's minibatches were predicted before they were learned from, and what its run warned of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stickbreaker.learning.schedules import Online
from stickbreaker.learning.stream_warnings import large_minibatches, text_of
from stickbreaker.report.page_data import Prediction

MOST = 150  # points of the curves: of longer runs each is a mean over several minibatches


def predictions_of(trace: Sequence[dict[str, Any]]) -> list[Prediction]:
    """The predictions of a run, the mean a word of so many minibatches that there are few points."""
    records = [record for record in trace if "prequential" in record]
    size = -(-len(records) // MOST) or 1
    return [_mean(records[start : start + size]) for start in range(0, len(records), size)]


def _mean(records: Sequence[dict[str, Any]]) -> Prediction:
    """Several minibatches as one, at the place of the last."""
    found, last = [record["prequential"] for record in records], records[-1]
    tokens = sum(each["tokens"] for each in found) or 1.0
    score, unigram = (
        sum(each[name] * each["tokens"] for each in found) / tokens for name in ("score", "unigram")
    )
    return Prediction(int(last["documents"]), last.get("seconds", 0.0), score, unigram)


def warnings_of_run(trace: Sequence[dict[str, Any]], manifest: dict[str, Any], schedule: object) -> list[str]:
    """What a run has warned of, in words; of a stream also whether its minibatches were large beside it."""
    warnings = [warning for record in trace for warning in record.get("warnings", ())]
    ended = manifest["status"] == "done" if "stream" in manifest else "arriving" in manifest
    if ended and isinstance(schedule, Online):
        warnings += large_minibatches(schedule.batch_size, manifest["corpus"]["documents"])
    return [text_of(warning) for warning in warnings]
