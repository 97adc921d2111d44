"""From a saved model to the records of its report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.estimators.saving import load
from stickbreaker.estimators.topics import TopicEstimator
from stickbreaker.report.data import DocumentEntry, Page, Topic, TracePoint
from stickbreaker.report.layout import nearest_topics, place_topics, topic_distances
from stickbreaker.report.words import choose_words
from stickbreaker.saved import ModelDirectory

REPRESENTATIVE = 6  # documents shown with a topic
LEAST_WORDS = 10  # a document shorter than this represents nothing


def page_of(path: Path, title: str) -> Page:
    """The report of the model at `path`. Raises UserError for what is not a finished model."""
    manifest = ModelDirectory(path).manifest()
    if manifest["status"] != "done":
        raise UserError("is still learning", where=path, remedy=f"finish it with: stickbreaker resume {path}")
    model = load(path)
    documents = _documents(path / "documents.parquet") if (path / "documents.parquet").exists() else []
    distances = topic_distances(model.topic_word_)
    corpus = manifest["corpus"]
    return Page(
        title=title,
        subtitle=f"{len(model.alpha_)} topics learned from {corpus['documents']:,} documents",
        facts=_facts(model, corpus),
        settings=_settings(manifest),
        topics=_topics(model, documents, nearest_topics(distances)),
        positions=place_topics(distances),
        documents=documents,
        documents_total=corpus["documents"],
        trace=[_point(record) for record in model.trace_],
    )


def _documents(file: Path) -> list[DocumentEntry]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as opened:  # read_table would import all that pyarrow can compute
        rows = opened.read().to_pylist()
    return [
        DocumentEntry(
            id=row["id"],
            title=row["title"],
            text=row["text"],
            mix=list(zip(row["topics"], row["shares"], strict=True)),
            n_tokens=round(row["tokens"]),
            metadata=json.loads(row["metadata"]),
        )
        for row in rows
    ]


def _topics(model: TopicEstimator, documents: list[DocumentEntry], near: list[list[int]]) -> list[Topic]:
    words = model.vocabulary_.words
    overall = model.topic_shares_ @ model.topic_word_
    share = np.zeros((len(documents), len(model.alpha_)))
    for d, document in enumerate(documents):
        if document.n_tokens >= LEAST_WORDS:
            for topic, part in document.mix:
                share[d, topic] = part
    topics: list[Topic] = []
    for k, top in enumerate(model.top_words(3)):
        order = [int(d) for d in np.argsort(-share[:, k], kind="stable")[:REPRESENTATIVE] if share[d, k] > 0]
        chosen = choose_words(model.topic_word_[k], overall, words)
        topics.append(Topic(k, ", ".join(top), float(model.topic_shares_[k]), chosen, order, near[k]))
    return topics


def _facts(model: TopicEstimator, corpus: dict[str, Any]) -> list[tuple[str, str]]:
    seconds = model.trace_[-1].get("seconds") if model.trace_ else None
    held_out = [record["held_out"] for record in model.trace_ if "held_out" in record]
    facts = [
        ("documents", f"{corpus['documents']:,}"),
        ("words read", f"{corpus['tokens']:,.0f}"),
        ("distinct words", f"{len(model.vocabulary_):,}"),
        ("topics", str(len(model.alpha_))),
        ("sweeps" if model._sampling() else "passes", str(model.n_iter_)),
    ]
    if held_out:
        facts.append(("held-out nats a word", f"{held_out[-1]:.3f}"))
    if seconds is not None:
        facts.append(("seconds of learning", f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.1f}"))
    return facts


def _settings(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    rows = [("model", manifest["estimator"]), ("stickbreaker", manifest["stickbreaker"])]
    for name, value in manifest["settings"].items():
        if name in ("n_jobs", "callbacks") or value is None:
            continue
        rows.append(("seed" if name == "random_state" else name, _told(value)))
    rows.append(("held out", f"{100 * manifest['held_out']:.0f} % of the documents"))
    rows.append(("empty documents", f"{manifest['corpus']['empty']:,}"))
    rows.append(("corpus fingerprint", manifest["corpus"]["fingerprint"]))
    return rows


def _told(value: Any) -> str:
    if isinstance(value, dict):
        ((name, held),) = value.items()
        if name == "array":
            return "an array"
        return f"{name}: " + ", ".join(f"{k} {v}" for k, v in held.items() if v is not None)
    return str(value)


def _point(record: dict[str, Any]) -> TracePoint:
    return TracePoint(
        step=record["step"],
        documents=int(record["documents"]),
        seconds=record.get("seconds", 0.0),
        score=record.get("score"),
        held_out=record.get("held_out"),
        passes=record["pass"],
    )
