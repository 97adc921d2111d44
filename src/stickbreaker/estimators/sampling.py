"""The documents that a saved model keeps for its report."""

import json
from pathlib import Path

import numpy as np

from stickbreaker.core.files import atomic_file
from stickbreaker.core.randomness import share_of
from stickbreaker.corpus import Corpus
from stickbreaker.estimators.topics import TopicEstimator

LIMIT = 2000  # documents kept
SALT = 1  # chosen by another hash than held-out documents are
TOPICS = 20  # topics kept of a document, the largest
SNIPPET = 600  # characters kept of a document
TITLES = ("title", "subject", "headline", "name")  # metadata fields that may name a document


def write_documents(estimator: TopicEstimator, corpus: Corpus, path: Path) -> None:
    """Write documents.parquet into a model's directory: at most `LIMIT` documents, chosen by their ids' hash.

    Columns: number, id, title, text (its beginning), metadata (JSON), tokens, topics and shares (lists).
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = ("number", "id", "title", "text", "metadata", "tokens", "topics", "shares")
    rows: dict[str, list[object]] = {name: [] for name in columns}
    first = 0
    cut = _cut(corpus)
    for block, size in enumerate(corpus.block_sizes):
        ids = corpus.ids(block)
        chosen = np.array([i for i in range(size) if share_of(ids[i], SALT) <= cut], np.int64)
        if len(chosen):
            bags = corpus.bags(block).take(chosen)
            theta = estimator._theta(bags)
            documents = corpus.documents(block)
            for row, (i, shares) in enumerate(zip(chosen.tolist(), theta, strict=True)):
                document = documents[i]
                entries = slice(bags.offsets[row], bags.offsets[row + 1])
                top = np.argsort(-shares, kind="stable")[:TOPICS]
                named = [str(document.metadata[f]) for f in TITLES if document.metadata.get(f)]
                values = (
                    first + i,
                    ids[i],
                    named[0] if named else ids[i],
                    _snippet(document.text, bags.words[entries], bags.counts[entries], corpus),
                    json.dumps(dict(document.metadata), ensure_ascii=False),
                    float(bags.counts[entries].sum()),
                    top.tolist(),
                    shares[top].tolist(),
                )
                for name, value in zip(columns, values, strict=True):
                    rows[name].append(value)
        first += size
    with atomic_file(path / "documents.parquet") as partial:
        pq.write_table(pa.table(rows), partial, compression="zstd")


def _cut(corpus: Corpus) -> float:
    """The hash below which a document is kept."""
    if corpus.n_documents <= LIMIT:
        return 1.0
    shares = np.concatenate(
        [[share_of(i, SALT) for i in corpus.ids(b)] for b in range(len(corpus.block_sizes))]
    )
    return float(np.partition(shares, LIMIT - 1)[LIMIT - 1])


def _snippet(text: str | None, words: np.ndarray, counts: np.ndarray, corpus: Corpus) -> str:
    """A document's beginning; of a bag, its most frequent words."""
    if text is not None:
        text = " ".join(text[: 2 * SNIPPET].split())
        return text if len(text) <= SNIPPET else text[: SNIPPET - 1] + "…"
    order = np.argsort(-counts, kind="stable")[:40]
    return " ".join(corpus.vocabulary.words[w] for w in words[order])
