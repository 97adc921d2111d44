"""Which documents a saved model of topics has learned from, by those that it keeps for its report."""

from pathlib import Path

import numpy as np

from stickbreaker.core.random_streams import share_of
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.shards import tokens_by_document
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.manifest import RESTORE
from stickbreaker.saved.manifest_fields import DOCUMENTS
from stickbreaker.saved.own_corpus import share_of_own_corpus
from stickbreaker.saved.parquet_figures import figures_in
from stickbreaker.topics.report_documents import LIMIT, OF_OTHERS, SALT
from stickbreaker.topics.snippets import Excerpts

IDENTITY = ("id", "text", "tokens")  # columns by which a document is known again


def share_learned_from(path: Path, corpus: Corpus) -> float | None:
    """The share of a corpus's documents that the model at `path` has learned from; None if nobody knows.

    `corpus` is seen through the model's vocabulary. Where it is the model's own, these are all but those held
    out. Of another corpus of texts, documents are looked up among those that the model keeps for its report:
    all, or of many the 2,000 with the lowest hashes of their ids, and then the share is that of documents
    with hashes as low. Raises UserError for a file that does not hold them.
    """
    own = share_of_own_corpus(path, corpus)
    if own is not None:
        return own
    manifest = ModelDirectory(path).manifest()
    held_out, blocks = float(manifest["held_out"]), range(len(corpus.block_sizes))
    kept = _report_rows(path / DOCUMENTS) if corpus.kind == "text" and DOCUMENTS in manifest["files"] else []
    if not kept:
        return None
    last = max(share_of(name, SALT) for name, _, _ in kept) if len(kept) >= LIMIT else 1.0
    learned = {(text, tokens) for name, text, tokens in kept if share_of(name) >= held_out}
    found = np.array([_among(learned, corpus, block, last) for block in blocks]).sum(axis=0)
    return float(found[0] / found[1]) if found[1] else None


def _among(learned: set[tuple[str, float]], corpus: Corpus, block: int, last: float) -> tuple[int, int]:
    """How many documents of a block have been learned from, and of how many this was asked."""
    chosen = [i for i, name in enumerate(corpus.ids(block)) if share_of(name, SALT) <= last]
    bags, reader = corpus.bags(block), Excerpts(corpus, block, corpus.source.entries(block))
    tokens = tokens_by_document(bags.offsets, bags.counts)
    return sum((reader.excerpt(i).text, float(tokens[i])) in learned for i in chosen), len(chosen)


def _report_rows(file: Path) -> list[tuple[str, str, float]]:
    """Id, beginning and tokens of the documents that a model keeps; none if it has not learned from them."""
    import pyarrow.parquet as pq

    with making_sense_of(file, RESTORE), pq.ParquetFile(file) as opened:
        figures = figures_in(opened)
        if OF_OTHERS in figures or not set(IDENTITY) <= set(opened.schema_arrow.names):
            return []
        rows = opened.read(columns=list(IDENTITY)).to_pylist()
        return [(str(row["id"]), str(row["text"]), float(row["tokens"])) for row in rows]
