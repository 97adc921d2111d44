"""From records to the JSON inside the page: compact, finite, and unable to break out of its element."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stickbreaker.corpus.document import Scalar
from stickbreaker.pages.colour import hue_hex, topic_colours
from stickbreaker.topics.report.page_data import (
    Breakdown,
    Changes,
    DocumentEntry,
    Growth,
    Life,
    Move,
    Page,
    Prediction,
    Relations,
    Search,
    Topic,
    TracePoint,
    Wording,
    WordList,
    WordRow,
)

_UNSHOWABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_MARKUP = {c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
_CURVES = [hue_hex(255), hue_hex(45)]  # training, held out
_INKS = [hue_hex(hue) for hue in (255, 25, 145, 310, 75, 200)]  # of words that are followed
_GREY = "#848a94"  # of topics not in use
_MOST_TRACE_POINTS = 600
_LONGEST_VALUE = 80  # characters of a metadata value
_MOST_FIELDS = 16  # of a document's metadata
_LONGEST_TITLE = 120
_MOST_METADATA = 600_000  # bytes of all documents' metadata
_MOST_BYTES = 1_900_000  # of all documents but for their mixes, and changes: a page is to stay below 3 MB
_FEW_TOPICS = 400_000  # bytes of topics and how they relate, for which there is room beside these
_MOST_SPREAD = 400_000  # characters of how words divide over topics
_LEAST_SHARE = 0.01  # of a document: smaller ones cannot be seen
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_MOST_PAIR = 36 * 36 - 1


def clean(value: Scalar) -> str:
    """Write a value as text that HTML can hold: control characters and lone surrogates become U+FFFD."""
    if isinstance(value, float):
        value = f"{value:.6g}"
    return _UNSHOWABLE.sub("\ufffd", str(value).replace("\r\n", "\n").replace("\r", "\n"))


def to_json(data: Any) -> str:
    """Write JSON that is safe inside a script element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, escape in _MARKUP.items():  # str.translate would take a fifth of a second a megabyte
        text = text.replace(character, escape)
    return text


def payload(page: Page) -> dict[str, Any]:
    """Everything the script draws from, as JSON values."""
    if page.positions and len(page.positions) != len(page.topics):
        raise ValueError(f"{len(page.positions)} positions for {len(page.topics)} topics")
    if page.document_places and len(page.document_places) != len(page.documents):
        raise ValueError(f"{len(page.document_places)} places for {len(page.documents)} documents")
    n_topics = len(page.topics)
    colours = _colours(page)
    changes = changes_payload(page.changes) if page.changes else None
    spread = _spread(page.spread, n_topics)
    index = {topic.id: k for k, topic in enumerate(page.topics)}
    topics = [_topic(topic, colour, page, index) for topic, colour in zip(page.topics, colours, strict=True)]
    relations = _relations(page.relations) if page.relations else None
    taken = _size([changes, spread]) + max(0, _size([topics, relations]) - _FEW_TOPICS)
    return {
        "topics": topics,
        "positions": [[_number(x) or 0, _number(y) or 0] for x, y in page.positions],
        "relations": relations,
        "times": _breakdown(page.times) if page.times else None,
        "groups": [_breakdown(group) for group in page.groups],
        "documents": _documents(page.documents, n_topics, _MOST_BYTES - taken),
        "documentPlaces": _places(page.document_places),
        "spread": spread,
        "total": max(page.documents_total, len(page.documents)),
        "words": _lexicon(page.words),
        "curves": _CURVES,
        "trace": [_trace_point(point) for point in _thinned(page.trace)],
        "predictions": _predictions(page.predictions),
        "scoreKind": clean(page.score_kind),
        "unigram": {"score": _number(page.unigram, 6), "heldOut": _number(page.unigram_held_out, 6)},
        "compared": clean(page.compared),
        "growth": _growth(page.growth, len(page.topics)) if page.growth else None,
        "search": _search(page.search) if page.search else None,
        "changes": changes,
    }


def _colours(page: Page) -> list[str]:
    """A colour for each topic; those not in use are grey."""
    used = [k for k, topic in enumerate(page.topics) if not topic.unused]
    colours = topic_colours([page.positions[k] for k in used] if page.positions else [], len(used))
    given = dict(zip(used, colours, strict=True))
    return [given.get(k, _GREY) for k in range(len(page.topics))]


def _topic(topic: Topic, colour: str, page: Page, index: Mapping[int, int]) -> dict[str, Any]:
    return {
        "id": int(topic.id),
        "label": clean(topic.label),
        "named": topic.named,
        "given": clean(topic.given),
        "guided": clean(topic.guided),
        "members": [[m.number, m.id, [clean(word) for word in m.words]] for m in topic.members],
        "unused": topic.unused,
        "share": _number(topic.share) or 0,
        "colour": colour,
        "words": _word_list(topic.words),
        "sides": [[clean(code), _word_list(words)] for code, words in topic.sides],
        "documents": [int(d) for d in topic.documents if 0 <= d < len(page.documents)],
        "similar": [index[other] for other in topic.similar if other in index],
        "coherence": _number(topic.coherence, 3),
        "match": [clean(topic.match[0]), _number(topic.match[1], 3) or 0] if topic.match else None,
    }


def _word_list(words: WordList) -> list[list[Any]]:
    return [[clean(word), _number(p) or 0, _number(q) or 0] for word, p, q in words]


def _relations(relations: Relations) -> dict[str, Any]:
    """The lower triangle of the similarities, row by row, in thousandths: two digits of base 36 each."""
    rows = (row[:k] for k, row in enumerate(relations.similarity))
    return {
        "similarity": pairs(round(1000 * (_number(value) or 0)) for row in rows for value in row),
        "merges": [[int(a), int(b), _number(height) or 0] for a, b, height in relations.merges],
        "order": [int(k) for k in relations.order],
    }


def pairs(numbers: Iterable[int]) -> str:
    """Whole numbers, each as two digits of base 36; those outside [0, 1295] become the nearest inside.

    >>> pairs([0, 35, 36, 99999])
    '000z10zz'
    """
    inside = (min(max(number, 0), _MOST_PAIR) for number in numbers)
    return "".join(_DIGITS[number // 36] + _DIGITS[number % 36] for number in inside)


def _breakdown(part: Breakdown) -> dict[str, Any]:
    return {
        "field": clean(part.field),
        "names": [clean(name) for name in part.names],
        "documents": [int(n) for n in part.documents],
        "shares": [[_number(share, 3) or 0 for share in shares] for shares in part.shares],
        "leftOut": int(part.left_out),
    }


def _documents(documents: Sequence[DocumentEntry], n_topics: int, most: int) -> list[dict[str, Any]]:
    """All documents; where they are more than `most` bytes, each text keeps the same part of its length."""
    entries = [_document(document, n_topics) for document in documents]
    metadata = sum(_size(d["metadata"]) for d in entries)
    n_fields = int(_MOST_FIELDS * min(_MOST_METADATA / max(metadata, 1), 1.0))  # the first of them
    for entry in entries:
        entry["metadata"] = entry["metadata"][:n_fields]
    fixed = sum(_size([d["id"], d["title"], d["metadata"]]) for d in entries)
    texts = sum(_size(d["text"]) for d in entries) + 6 * sum(len(d.marks) for d in documents)
    part = min(max(most - fixed, 0) / max(texts, 1), 1.0)
    for entry, document in zip(entries, documents, strict=True):
        room = int(part * len(document.text))
        entry["text"] = _short(entry["text"], room)
        entry["marks"] = pairs(number for mark in _marks(document, n_topics, room) for number in mark)
    return entries


def _places(places: Sequence[tuple[float, float] | None]) -> str:
    """(x, y) from 0 to 1294, two digits of base 36 each; "zzzz" for none; "" where all are none."""
    if not any(places):
        return ""
    none = (_MOST_PAIR, _MOST_PAIR)
    top = _MOST_PAIR - 1
    numbers = ([round(top * min(max(v / 2 + 0.5, 0), 1)) for v in one] if one else none for one in places)
    return pairs(number for both in numbers for number in both)


def _size(value: Any) -> int:
    return len(to_json(value).encode("utf-8"))


def _document(document: DocumentEntry, n_topics: int) -> dict[str, Any]:
    mix = [(k, _number(share, 3) or 0) for k, share in document.mix if 0 <= k < n_topics]
    fields = list(document.metadata.items())[:_MOST_FIELDS]
    return {
        "id": _short(clean(document.id), _LONGEST_TITLE),
        "title": _short(clean(document.title), _LONGEST_TITLE),
        "text": clean(document.text).rstrip(),
        "mix": [[int(k), share] for k, share in mix if share >= _LEAST_SHARE],
        "marks": "",
        "tokens": int(document.n_tokens),
        "metadata": [[_short(clean(name)), _short(clean(_listed(value)))] for name, value in fields],
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


def _listed(value: Scalar) -> Scalar:
    """A value as it is shown: several parted by commas."""
    return ", ".join(value) if isinstance(value, list) else value


def _short(text: str, room: int = _LONGEST_VALUE) -> str:
    return text if len(text) <= room else text[: max(room - 1, 0)] + "…"


def _lexicon(words: Sequence[WordRow]) -> dict[str, list[Any]]:
    """The vocabulary's table, column by column."""
    counted = [row for row in words if row.tokens is not None and row.documents is not None]
    columns: dict[str, list[Any]] = {
        "word": [clean(row.word) for row in words],
        "tokens": [_number(row.tokens, 7) or 0 for row in counted],
        "documents": [int(row.documents or 0) for row in counted],
        "share": [_number(row.share, 4) or 0 for row in words] if len(counted) < len(words) else [],
        "topic": [int(row.topic) for row in words],
        "language": [clean(row.language) for row in words] if any(row.language for row in words) else [],
    }
    columns["tokens"] = [int(n) if n == int(n) else n for n in columns["tokens"]]
    return columns


def _spread(spread: Sequence[tuple[str, Sequence[tuple[int, float]]]], n_topics: int) -> dict[str, list[str]]:
    """Of words, (topic, share in thousandths) in a row, two digits of base 36 each; as many as there is room
    for."""
    words: list[str] = []
    shares: list[str] = []
    room = _MOST_SPREAD
    for word, parts in spread:
        known = [(k, share) for k, share in parts if 0 <= k < n_topics and k <= _MOST_PAIR]
        shares.append(pairs(n for k, share in known for n in (k, round(1000 * (_number(share) or 0)))))
        words.append(clean(word))
        room -= len(words[-1]) + len(shares[-1]) + 6
        if room < 0:
            break
    return {"words": words, "shares": shares}


def _trace_point(point: TracePoint) -> dict[str, Any]:
    record = {
        "step": int(point.step),
        "documents": int(point.documents),
        "seconds": _number(point.seconds),
        "score": _number(point.score, 6),
        "heldOut": _number(point.held_out, 6),
        "passes": _number(point.passes),
    }
    return {name: value for name, value in record.items() if value is not None}


def _predictions(predictions: Sequence[Prediction]) -> list[list[float | None]]:
    """(documents, seconds, nats of the topics, nats of the unigram), of those that are finite."""
    rows = [
        [int(p.documents), _number(p.seconds), _number(p.score, 6), _number(p.unigram, 6)]
        for p in predictions
    ]
    return [row for row in rows if None not in row]


def has_curve(page: Page) -> bool:
    """Whether the trace has two points to draw a line between."""
    for scores in ([p.score for p in page.trace], [p.held_out for p in page.trace]):
        if sum(score is not None and math.isfinite(score) for score in scores) > 1:
            return True
    return False


def _growth(growth: Growth, n_topics: int) -> dict[str, Any]:
    """How the topics came about; the words of splits are places in one list of words."""
    words: dict[str, int] = {}

    def places(some: Sequence[str]) -> list[int]:
        return [words.setdefault(clean(word), len(words)) for word in some]

    refinements = [
        {
            "split": _move(one.split),
            "before": places(one.before),
            "after": [[_number(at, 6), places(own), places(new)] for at, own, new in one.after],
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


def _search(search: Search) -> dict[str, Any]:
    return {
        "judge": clean(search.judge),
        "points": [
            [topics, used, _number(bound, 6), _number(held_out, 6), final]
            for topics, used, bound, held_out, final in search.points
        ],
        "range": [search.fewest, search.most],
    }


def _counts(growth: Growth) -> list[list[float | None]]:
    """The numbers of topics, of long runs every so many steps, with all moves since the row before."""
    rows = growth.counts
    stride = -(-len(rows) // _MOST_TRACE_POINTS)
    points: list[list[float | None]] = []
    for i in range(0, len(rows), stride):
        part = rows[i : i + stride]
        at, topics, used, _, _ = part[-1]
        points.append(
            [_number(at, 6), topics, used, sum(row[3] for row in part), sum(row[4] for row in part)]
        )
    return points


def _life(life: Life, n_topics: int) -> dict[str, Any]:
    return {
        "id": life.id,
        "born": _number(life.born, 6),
        "end": _number(life.end, 6),
        "parent": life.parent,
        "into": life.into,
        "topic": life.topic if life.topic is not None and life.topic < n_topics else None,
        "words": ", ".join(clean(word) for word in life.words),
    }


def _move(move: Move) -> list[Any]:
    return [clean(move.kind), _number(move.at, 6), move.topic, move.other, _number(move.gain)]


def changes_payload(changes: Changes) -> dict[str, Any]:
    """How the topics changed; of long runs the vocabulary every so many steps."""
    rows = changes.vocabulary
    stride = -(-len(rows) // _MOST_TRACE_POINTS) or 1
    parts = [rows[i : i + stride] for i in range(0, len(rows), stride)]
    return {
        "moments": [[step, documents, clean(date)] for step, documents, date in changes.moments],
        "wordings": [_wording(one) if one else None for one in changes.wordings],
        "inks": _INKS,
        "unit": changes.unit,
        "noun": clean(changes.noun),
        "reads": clean(changes.reads),
        "of": clean(changes.of),
        "vocabulary": [
            [_number(part[-1][0], 6), part[-1][1], sum(row[2] for row in part), sum(row[3] for row in part)]
            for part in parts
        ],
    }


def _wording(wording: Wording) -> dict[str, Any]:
    """A topic's words over time; words are places in its own list, ranks are (word, rank) in a row."""
    words: dict[str, int] = {}

    def place(word: str) -> int:
        return words.setdefault(word, len(words))

    fields = {
        "ranks": [
            [n for word, rank in ranks.items() for n in (place(word), rank)] for ranks in wording.ranks
        ],
        "entered": [[place(word) for word in entered] for entered in wording.entered],
        "fresh": [[place(word), rank, step, clean(date)] for word, rank, step, date in wording.fresh],
    }
    return {"words": [clean(word) for word in words], **fields}


def _thinned(trace: Sequence[TracePoint]) -> list[TracePoint]:
    """Keep few enough points to draw, and among them the last and all with a held-out score."""
    stride = math.ceil(len(trace) / _MOST_TRACE_POINTS) if trace else 1
    last = len(trace) - 1
    return [p for i, p in enumerate(trace) if i % stride == 0 or i == last or p.held_out is not None]


def _number(value: float | None, digits: int = 4) -> float | None:
    """Round to a few significant digits; nothing if there is no finite number."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{float(value):.{digits}g}")
