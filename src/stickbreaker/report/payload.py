"""From records to the JSON inside the page: compact, finite, and unable to break out of its element."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from stickbreaker.report.colour import hue_hex, topic_colours
from stickbreaker.report.data import DocumentEntry, Page, Scalar, Topic, TracePoint

_UNSHOWABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_MARKUP = {c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
_CURVES = [hue_hex(255), hue_hex(45)]  # training, held out
_MOST_TRACE_POINTS = 600


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
    colours = topic_colours(page.positions, len(page.topics))
    return {
        "topics": [_topic(topic, colour, page) for topic, colour in zip(page.topics, colours, strict=True)],
        "positions": [[_number(x) or 0, _number(y) or 0] for x, y in page.positions],
        "documents": [_document(document, len(page.topics)) for document in page.documents],
        "total": max(page.documents_total, len(page.documents)),
        "curves": _CURVES,
        "trace": [_trace_point(point) for point in _thinned(page.trace)],
    }


def _topic(topic: Topic, colour: str, page: Page) -> dict[str, Any]:
    index = {other.id: k for k, other in enumerate(page.topics)}
    return {
        "id": int(topic.id),
        "label": clean(topic.label),
        "share": _number(topic.share) or 0,
        "colour": colour,
        "words": [[clean(word), _number(p) or 0, _number(q) or 0] for word, p, q in topic.words],
        "documents": [int(d) for d in topic.documents if 0 <= d < len(page.documents)],
        "similar": [index[other] for other in topic.similar if other in index],
    }


def _document(document: DocumentEntry, n_topics: int) -> dict[str, Any]:
    return {
        "id": clean(document.id),
        "title": clean(document.title),
        "text": clean(document.text).strip(),
        "mix": [[int(k), _number(share, 3) or 0] for k, share in document.mix if 0 <= k < n_topics],
        "tokens": int(document.n_tokens),
        "metadata": [[clean(name), clean(value)] for name, value in document.metadata.items()],
    }


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


def has_curve(page: Page) -> bool:
    """Whether the trace has two points to draw a line between."""
    for scores in ([p.score for p in page.trace], [p.held_out for p in page.trace]):
        if sum(score is not None and math.isfinite(score) for score in scores) > 1:
            return True
    return False


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
