"""The streams: documents of a collection in an order, as lists of tokens, and what a scorer needs of them."""

import gzip
import json
import random
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from corpora import DATA, kept_tokens

from stickbreaker import Analysis

Record = dict[str, Any]

FILES = {
    "20 Newsgroups": ("20newsgroups/train.jsonl.gz", "20newsgroups/test.jsonl.gz"),
    "NIPS": ("nips-text/docs.jsonl.gz",),
    "blogs": ("blogs/posts.jsonl.gz",),
    "AP": ("ap/ap.jsonl.gz",),
    "de-news": ("de-news-en/docs.jsonl.gz",),
}
KNOWN = 20_000  # words of a closed vocabulary at most, those in the most documents
LEAST = 3  # documents that a known word is in


class StreamOf(NamedTuple):
    """A collection in an order, and how many documents a minibatch has: a hundredth of it or so."""

    corpus: str
    order: str
    batch: int


def _day_of_post(record: Record) -> str:
    """A blog's date, "31,May,2004", as one that sorts; those that no English month is in come last."""
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


def is_there(corpus: str) -> bool:
    return all((DATA / file).exists() for file in FILES[corpus])


def write_stream(stream: StreamOf, seed: int, path: Path) -> None:
    """Write the documents in their order, a list of tokens a line; a shuffled stream's order has a seed."""
    records: list[Record] = []
    for name in FILES[stream.corpus]:
        lines = gzip.decompress((DATA / name).read_bytes()).splitlines()
        records += [json.loads(line) for line in lines]
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
    """The words that closed programs know before they begin, and that all programs are scored on."""
    counts = Counter(word for line in documents for word in set(line))
    return [word for word, n in counts.most_common(KNOWN) if n >= LEAST]
