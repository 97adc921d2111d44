"""Finds out which documents a saved model has learned from; their scores say little about others."""

from pathlib import Path

from stickbreaker.core.random_streams import share_of
from stickbreaker.corpus import Corpus
from stickbreaker.saved.directory import ModelDirectory


def share_of_own_corpus(path: Path, corpus: Corpus) -> float | None:
    """The share of a corpus's documents that the model at `path` has learned from: all but those held out.

    None if the corpus is not the one that the model learned from, by its fingerprint, or if the model is a
    single file, which does not record this. `corpus` must have the model's vocabulary. Reads no texts: which
    documents were held out follows from their ids.
    """
    if path.is_file():
        return None
    manifest = ModelDirectory(path).manifest()
    if corpus.fingerprint != manifest["corpus"]["fingerprint"]:
        return None
    held_out = float(manifest["held_out"])
    ids = [name for block in range(len(corpus.block_sizes)) for name in corpus.ids(block)]
    return sum(share_of(name) >= held_out for name in ids) / max(1, len(ids))
