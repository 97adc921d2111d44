"""The streams: documents of a collection in an order, as lists of tokens, and the words that are scored."""

import json
import random
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.corpora import kept_tokens
from reproduce.texts import rows

from stickbreaker import Analysis

Record = dict[str, Any]

FILES = {name: name for name in ("NIPS", "blogs", "AP", "de-news")} | {
    "20 Newsgroups": "20 Newsgroups, whole"
}
KNOWN = 20_000  # most words of a closed vocabulary: those in the most documents
LEAST = 3  # documents that a known word is in


class StreamOf(NamedTuple):
    """A collection in an order, and the documents per minibatch: about a hundredth of it."""

    corpus: str
    order: str
    batch: int


def _day_of_post(record: Record) -> str:
    """A blog's date, "31,May,2004", in a form that sorts; those without an English month come last."""
    try:
        return datetime.strptime(record["date"], "%d,%B,%Y").replace(tzinfo=UTC).date().isoformat()
    except ValueError:
        return "9999"


def _day(record: Record) -> str:
    return record.get("date") or "9999"


KEYS: dict[tuple[str, str], Callable[[Record], str]] = {
    ("20 Newsgroups", "by date"): _day,
    ("20 Newsgroups", "by group"): lambda record: record["label"],
    ("NIPS", "by year"): _day,
    ("blogs", "by date"): _day_of_post,
    ("blogs", "by trade"): lambda record: record["industry"],
    ("AP", "by date"): _day,
    ("de-news", "by date"): lambda record: record["id"],
}
STREAMS = (
    StreamOf("20 Newsgroups", "by date", 256),
    StreamOf("20 Newsgroups", "by group", 256),
    StreamOf("NIPS", "by year", 64),
    StreamOf("blogs", "by date", 64),
    StreamOf("blogs", "by trade", 64),
    StreamOf("AP", "by date", 64),
)
SHUFFLED = tuple({stream.corpus: stream._replace(order="shuffled") for stream in STREAMS}.values())


def write_stream(stream: StreamOf, seed: int, path: Path) -> None:
    """Write the documents in their order, a list of tokens per line; `seed`: of a shuffled order."""
    records = rows(FILES[stream.corpus])
    if stream.order == "shuffled":
        random.Random(seed).shuffle(records)
    else:
        records.sort(key=KEYS[stream.corpus, stream.order])
    lists = kept_tokens((record["text"] for record in records), Analysis())
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(tokens) + "\n" for tokens in lists if tokens)


def read_stream(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def known_words(documents: list[list[str]]) -> list[str]:
    """The words that programs with closed vocabularies know from the start, and that all are scored on."""
    counts = Counter(word for line in documents for word in set(line))
    return [word for word, n in counts.most_common(KNOWN) if n >= LEAST]
