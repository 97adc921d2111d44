"""From the records of the report of topics to the JSON that its scripts draw from: compact and finite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stickbreaker.corpus.document import Scalar
from stickbreaker.pages.text_values import MOST_POINTS, clean, cut_short, rounded, script_json
from stickbreaker.topics.report.page_data import (
    Breakdown,
    DocumentEntry,
    Growth,
    Life,
    Prediction,
    Relations,
    SearchFacts,
    Topic,
    TopicMove,
    TracePoint,
    WordList,
    WordRow,
)

_LONGEST_VALUE = 80  # characters of a metadata value
_MOST_FIELDS = 16  # of a document's metadata
_LONGEST_TITLE = 120
_MOST_METADATA = 600_000  # bytes of all documents' metadata
_MOST_SPREAD = 400_000  # characters of how words divide over topics
_LEAST_SHARE = 0.01  # of a document: smaller ones cannot be seen
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_PAIRS = [first + second for first in _DIGITS for second in _DIGITS]
_MOST_PAIR = len(_PAIRS) - 1


def topic_payload(topic: Topic, colour: str, index: Mapping[int, int], n_documents: int) -> dict[str, Any]:
    return {
        "id": int(topic.id),
        "label": clean(topic.label),
        "named": topic.named,
        "given": clean(topic.given),
        "guided": clean(topic.guided),
        "members": [[m.number, m.id, [clean(word) for word in m.words]] for m in topic.members],
        "unused": topic.unused,
        "share": rounded(topic.share) or 0,
        "colour": colour,
        "words": _word_list(topic.words),
        "sides": [[clean(code), _word_list(words)] for code, words in topic.sides],
        "documents": [int(d) for d in topic.documents if 0 <= d < n_documents],
        "similar": [index[other] for other in topic.similar if other in index],
        "coherence": rounded(topic.coherence, 3),
        "match": [clean(topic.match[0]), rounded(topic.match[1], 3) or 0] if topic.match else None,
    }


def _word_list(words: WordList) -> list[list[Any]]:
    return [[clean(word), rounded(p) or 0, rounded(q) or 0] for word, p, q in words]


def relations_payload(relations: Relations) -> dict[str, Any]:
    """The lower triangle of the similarities, row by row, in thousandths: two digits of base 36 each."""
    rows = (row[:k] for k, row in enumerate(relations.similarity))
    return {
        "similarity": base36_pairs(round(1000 * (rounded(value) or 0)) for row in rows for value in row),
        "merges": [[int(a), int(b), rounded(height) or 0] for a, b, height in relations.merges],
        "order": [int(k) for k in relations.order],
    }


def base36_pairs(numbers: Iterable[int]) -> str:
    """Whole numbers, each as two digits of base 36; those outside [0, 1295] become the nearest inside.

    >>> base36_pairs([0, 35, 36, 99999])
    '000z10zz'
    """
    return "".join([_PAIRS[min(max(number, 0), _MOST_PAIR)] for number in numbers])


def breakdown_payload(part: Breakdown) -> dict[str, Any]:
    return {
        "field": clean(part.field),
        "names": [clean(name) for name in part.names],
        "documents": [int(n) for n in part.documents],
        "shares": [[rounded(share, 3) or 0 for share in shares] for shares in part.shares],
        "leftOut": int(part.left_out),
    }


def documents_payload(documents: Sequence[DocumentEntry], n_topics: int, most: int) -> list[dict[str, Any]]:
    """All documents; where they are more than `most` bytes, each text keeps the same part of its length."""
    entries = [_document(document, n_topics) for document in documents]
    metadata = sum(size_of(d["metadata"]) for d in entries)
    n_fields = int(_MOST_FIELDS * min(_MOST_METADATA / max(metadata, 1), 1.0))  # the first of them
    for entry in entries:
        entry["metadata"] = entry["metadata"][:n_fields]
    fixed = sum(size_of([d["id"], d["title"], d["metadata"]]) for d in entries)
    texts = sum(size_of(d["text"]) for d in entries) + 6 * sum(len(d.marks) for d in documents)
    part = min(max(most - fixed, 0) / max(texts, 1), 1.0)
    for entry, document in zip(entries, documents, strict=True):
        room = int(part * len(document.text))
        entry["text"] = cut_short(entry["text"], room)
        entry["marks"] = base36_pairs(number for mark in _marks(document, n_topics, room) for number in mark)
    return entries


def places_payload(places: Sequence[tuple[float, float] | None]) -> str:
    """(x, y) from 0 to 1294, two digits of base 36 each; "zzzz" for none; "" where all are none."""
    if not any(places):
        return ""
    none = (_MOST_PAIR, _MOST_PAIR)
    top = _MOST_PAIR - 1
    numbers = ([round(top * min(max(v / 2 + 0.5, 0), 1)) for v in one] if one else none for one in places)
    return base36_pairs(number for both in numbers for number in both)


def size_of(value: Any) -> int:
    return len(script_json(value).encode("utf-8"))


def _document(document: DocumentEntry, n_topics: int) -> dict[str, Any]:
    mix = [(k, rounded(share, 3) or 0) for k, share in document.mix if 0 <= k < n_topics]
    fields = list(document.metadata.items())[:_MOST_FIELDS]
    return {
        "id": cut_short(clean(document.id), _LONGEST_TITLE),
        "title": cut_short(clean(document.title), _LONGEST_TITLE),
        "text": clean(document.text).rstrip(),
        "mix": [[int(k), share] for k, share in mix if share >= _LEAST_SHARE],
        "marks": "",
        "tokens": int(document.n_tokens),
        "metadata": [[_value(name), _value(_listed(value))] for name, value in fields],
    }


def _marks(document: DocumentEntry, n_topics: int, room: int) -> list[tuple[int, int, int]]:
    """(blanks since the mark before, length, topic) of the marked words that fit this form."""
    marks, end = [], 0
    room -= room < len(document.text)  # the last character is an ellipsis then
    for start, length, k in document.marks:
        inside = start >= end and length > 0 and start + length <= room
        fits = start - end <= _MOST_PAIR and length <= _MOST_PAIR and k <= _MOST_PAIR
        if inside and fits and 0 <= k < n_topics:
            marks.append((start - end, length, k))
            end = start + length
    return marks


def _value(value: Scalar) -> str:
    return cut_short(clean(value), _LONGEST_VALUE)


def _listed(value: Scalar) -> Scalar:
    """A value as it is shown: several parted by commas."""
    return ", ".join(value) if isinstance(value, list) else value


def lexicon_payload(words: Sequence[WordRow]) -> dict[str, list[Any]]:
    """The vocabulary's table, column by column."""
    counted = [row for row in words if row.tokens is not None and row.documents is not None]
    columns: dict[str, list[Any]] = {
        "word": [clean(row.word) for row in words],
        "tokens": [rounded(row.tokens, 7) or 0 for row in counted],
        "documents": [int(row.documents or 0) for row in counted],
        "share": [rounded(row.share, 4) or 0 for row in words] if len(counted) < len(words) else [],
        "topic": [int(row.topic) for row in words],
        "language": [clean(row.language) for row in words] if any(row.language for row in words) else [],
    }
    columns["tokens"] = [int(n) if n == int(n) else n for n in columns["tokens"]]
    return columns


def spread_payload(
    spread: Sequence[tuple[str, Sequence[tuple[int, float]]]], n_topics: int
) -> dict[str, list[str]]:
    """Of words, (topic, share in thousandths) in a row, two digits of base 36 each; as many as there is room
    for."""
    words: list[str] = []
    shares: list[str] = []
    room = _MOST_SPREAD
    for word, parts in spread:
        known = [(k, share) for k, share in parts if 0 <= k < n_topics and k <= _MOST_PAIR]
        shares.append(base36_pairs(n for k, share in known for n in (k, round(1000 * (rounded(share) or 0)))))
        words.append(clean(word))
        room -= len(words[-1]) + len(shares[-1]) + 6
        if room < 0:
            break
    return {"words": words, "shares": shares}


def trace_payload(point: TracePoint) -> dict[str, Any]:
    record = {
        "step": int(point.step),
        "documents": int(point.documents),
        "seconds": rounded(point.seconds),
        "score": rounded(point.score, 6),
        "heldOut": rounded(point.held_out, 6),
        "passes": rounded(point.passes),
    }
    return {name: value for name, value in record.items() if value is not None}


def predictions_payload(predictions: Sequence[Prediction]) -> list[list[float | None]]:
    """(documents, seconds, nats of the topics, nats of the unigram), of those that are finite."""
    rows = [
        [int(p.documents), rounded(p.seconds), rounded(p.score, 6), rounded(p.unigram, 6)]
        for p in predictions
    ]
    return [row for row in rows if None not in row]


def growth_payload(growth: Growth, n_topics: int) -> dict[str, Any]:
    """How the topics came about; the words of splits are places in one list of words."""
    words: dict[str, int] = {}

    def places(some: Sequence[str]) -> list[int]:
        return [words.setdefault(clean(word), len(words)) for word in some]

    refinements = [
        {
            "split": _move(one.split),
            "before": places(one.before),
            "after": [[rounded(at, 6), places(own), places(new)] for at, own, new in one.after],
        }
        for one in growth.refinements
    ]
    return {
        "unit": growth.unit,
        "learned": growth.learned,
        "counts": _counts(growth),
        "lives": [_life(life, n_topics) for life in growth.lives],
        "lines": list(growth.lines),
        "moves": [_move(move) for move in growth.moves],
        "refinements": refinements,
        "words": list(words),
    }


def search_payload(search: SearchFacts) -> dict[str, Any]:
    return {
        "judge": clean(search.judge),
        "points": [
            [topics, used, rounded(bound, 6), rounded(held_out, 6), final]
            for topics, used, bound, held_out, final in search.points
        ],
        "range": [search.fewest, search.most],
    }


def _counts(growth: Growth) -> list[list[float | None]]:
    """The numbers of topics, of long runs every so many steps, with all moves since the row before."""
    rows = growth.counts
    stride = -(-len(rows) // MOST_POINTS)
    points: list[list[float | None]] = []
    for i in range(0, len(rows), stride):
        part = rows[i : i + stride]
        at, topics, used, _, _ = part[-1]
        points.append(
            [rounded(at, 6), topics, used, sum(row[3] for row in part), sum(row[4] for row in part)]
        )
    return points


def _life(life: Life, n_topics: int) -> dict[str, Any]:
    return {
        "id": life.id,
        "born": rounded(life.born, 6),
        "end": rounded(life.end, 6),
        "parent": life.parent,
        "into": life.into,
        "topic": life.topic if life.topic is not None and life.topic < n_topics else None,
        "words": ", ".join(clean(word) for word in life.words),
    }


def _move(move: TopicMove) -> list[Any]:
    return [clean(move.kind), rounded(move.at, 6), move.topic, move.other, rounded(move.gain)]
