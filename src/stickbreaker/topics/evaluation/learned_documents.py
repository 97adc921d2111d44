"""Finds out from which documents a model of topics has learned, also by those in its report."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from stickbreaker.core.random_streams import share_of
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.shards import tokens_by_document
from stickbreaker.estimators.corpus_facts import digest_of_documents
from stickbreaker.estimators.learned import AnyLearned
from stickbreaker.saved.manifest import RESTORE
from stickbreaker.saved.manifest_fields import DOCUMENTS
from stickbreaker.saved.own_corpus import is_updated, share_of_own_corpus
from stickbreaker.saved.parquet_figures import figures_in
from stickbreaker.topics.report_documents import HELD_OUT, LIMIT, OF_OTHERS, SALT
from stickbreaker.topics.snippets import Excerpts

IDENTITY = ("id", "text", "tokens")  # columns that identify a document


def share_learned_from(learned: AnyLearned, corpus: Corpus) -> float | None:
    """The share of a corpus's documents that a model has learned from; None if unknown.

    `corpus` is read with the model's vocabulary. If it is the corpus that the model was fitted to, these are
    all but the held-out documents; all, if it is that of an update. Documents of another corpus are looked up
    among those stored with a saved model for its report: all, or a sample of 2,000 (those whose ids have the
    lowest hashes). With a sample, the share is estimated from the corpus's documents that the same rule would
    sample. A model that has learned more since its fit stores only the last documents: if not all are among
    these, the share is unknown. Raises UserError for an invalid file.
    """
    facts = learned.facts
    own = share_of_own_corpus(facts.corpus, facts.held_out, corpus)
    if own is not None:
        return own
    updates = {one.fingerprint: one for one in facts.updates}
    if updates and (update := updates.get(digest_of_documents(corpus))):
        return update.documents / max(1, update.total)
    saved = facts.saved
    if corpus.kind != "text" or saved is None or DOCUMENTS not in saved.manifest["files"]:
        return None
    if saved.manifest["run"]["step"] != facts.progress.step or not saved.is_unchanged:
        return None
    kept, held_out = _report_rows(saved.path / DOCUMENTS, float(saved.manifest["held_out"]))
    if not kept:
        return None
    blocks, partly = range(len(corpus.block_sizes)), is_updated(facts.corpus)
    last = max(share_of(name, SALT) for name, _, _ in kept) if len(kept) >= LIMIT else 1.0
    among = {(text, tokens) for name, text, tokens in kept if share_of(name) >= held_out}
    found = np.array([_among(among, corpus, block, last) for block in blocks]).sum(axis=0)
    share = float(found[0] / found[1]) if found[1] else None
    return None if partly and share != 1.0 else share


def _among(learned: set[tuple[str, float]], corpus: Corpus, block: int, last: float) -> tuple[int, int]:
    """How many documents of a block are in the sample, and how many of these the model has learned from:
    (learned, sampled).

    learned: (beginning of the text, number of tokens) of each stored document that was learned from; last:
    the highest hash of an id (`share_of`, 0 to 1) that is in the sample.
    """
    chosen = [i for i, name in enumerate(corpus.ids(block)) if share_of(name, SALT) <= last]
    bags, reader = corpus.bags(block), Excerpts(corpus, block, corpus.source.entries(block))
    tokens = tokens_by_document(bags.offsets, bags.counts)
    return sum((reader.excerpt(i).text, float(tokens[i])) in learned for i in chosen), len(chosen)


def _report_rows(file: Path, held_out: float) -> tuple[list[tuple[str, str, float]], float]:
    """(id, beginning of the text, number of tokens) of the documents that a model's file stores for its
    report, and the share of them that was held out (`held_out` if the file does not say).

    The list is empty if they are not the documents that the model learned from.
    """
    with making_sense_of(file, RESTORE), pq.ParquetFile(file) as opened:
        figures = figures_in(opened)
        if OF_OTHERS in figures or not set(IDENTITY) <= set(opened.schema_arrow.names):
            return [], 0.0
        rows = opened.read(columns=list(IDENTITY)).to_pylist()
    kept = [(str(row["id"]), str(row["text"]), float(row["tokens"])) for row in rows]
    return kept, float(figures.get(HELD_OUT, held_out))
