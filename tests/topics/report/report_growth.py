"""Made-up traces of models whose topics split and merge: random moves, and the words of the topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from tests.topics.report import report_pages
from tests.topics.report.made_up_topics import TopicPage

from stickbreaker.topics.report.genealogy import growth_of

Trace = list[dict[str, Any]]


def trace_of(
    n_splits: int, n_merges: int, n_passes: int = 40, n_topics: int = 20, n_words: int = 400, seed: int = 0
) -> tuple[Trace, dict[int, list[int]]]:
    """A trace of one record a pass, and the ten top rows of every topic at its end, by lasting id."""
    rng = np.random.default_rng(seed)
    tops = {i: rng.choice(n_words, 10, replace=False).tolist() for i in range(n_topics)}
    kinds = rng.permutation(["split"] * n_splits + ["merge"] * n_merges)
    at = np.sort(rng.integers(1, n_passes + 1, len(kinds)))
    born, trace = n_topics, []
    for number in range(1, n_passes + 1):
        for rows in tops.values():  # words change a little at every pass
            rows[int(rng.integers(10))] = int(rng.integers(n_words))
        edits, before, changed = [], {}, set()
        for kind in kinds[at == number].tolist():
            gain = round(float(rng.gamma(1.0, 400.0)), 3)
            topic, gone = (int(i) for i in rng.choice(sorted(tops), 2, replace=False))
            before.setdefault(str(topic), list(tops[topic]))
            changed.add(topic)
            if kind == "split":
                tops[born] = [*tops[topic][::2], *rng.choice(n_words, 5, replace=False).tolist()]
                edits.append({"move": "split", "topic": topic, "new": born, "gain": gain})
                changed.add(born)
                born += 1
            else:
                before.setdefault(str(gone), tops.pop(gone))
                edits.append({"move": "merge", "topic": topic, "gone": gone, "gain": gain})
        record: dict[str, Any] = {"step": number, "pass": number, "documents": 500.0 * number}
        record |= {"topics": len(tops), "used": len(tops) - number % 3}
        told = tops if number & (number - 1) == 0 else {i: tops[i] for i in sorted(changed) if i in tops}
        if told:
            record["words"] = {str(i): list(rows) for i, rows in told.items()}
        if edits:
            record |= {"edits": edits, "before": before}
        trace.append(record)
    return trace, tops


def grown(n_splits: int, n_merges: int, **options: Any) -> TopicPage:
    """The realistic page, with a topic for every one at the end of a made-up run, less one not in use."""
    trace, tops = trace_of(n_splits, n_merges, n_words=200, **options)
    ids = sorted(tops)[:-1] if len(tops) > 3 else sorted(tops)
    page = report_pages.realistic(len(ids), 60)
    words = [row.word for row in page.words]
    assert len(words) >= 200
    return replace(page, growth=growth_of(trace, ids, words, [tops[i] for i in ids]))


def exchange_trace(n_exchanges: int, n_topics: int, words: Sequence[str], seed: int = 0) -> Trace:
    """A trace of a stream of LDA: a step without an exchange, then one exchange a step, its words spelled."""
    rng = np.random.default_rng(seed)
    ids = list(range(n_topics))
    trace: Trace = [{"step": 1, "pass": 1, "documents": 64.0}]
    for number in range(2, n_exchanges + 2):
        giant, starved, nearest = (int(i) for i in rng.choice(ids, 3, replace=False))
        new = n_topics + number - 2
        edits = [
            {"plan": "merge", "move": "merge", "topic": nearest, "gone": starved},
            {"plan": "split", "move": "split", "topic": giant, "new": new},
        ]
        ids[ids.index(starved)] = new
        tops = {i: rng.choice(words, 10, replace=False).tolist() for i in (giant, nearest, starved, new)}
        record: dict[str, Any] = {"step": number, "pass": number, "documents": 64.0 * number, "edits": edits}
        record["words"] = {str(i): tops[i] for i in (giant, nearest, new)}
        record["before"] = {str(i): tops[i][::-1] for i in (giant, nearest, starved)}
        trace.append(record)
    return trace


def exchanged(n_exchanges: int, n_topics: int = 12) -> TopicPage:
    """The realistic page, whose topics came about by exchanges."""
    page = report_pages.realistic(n_topics, 60)
    words = [row.word for row in page.words]
    trace = exchange_trace(n_exchanges, n_topics, words)
    gone = {edit["gone"] for record in trace for edit in record.get("edits", ()) if "gone" in edit}
    ids = [i for i in range(n_topics + n_exchanges) if i not in gone]
    return replace(page, growth=growth_of(trace, ids, words, [list(range(10))] * n_topics))
