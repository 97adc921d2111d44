"""Finds out which documents a model has learned from; their scores say little about others."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.random_streams import share_of
from stickbreaker.corpus import Corpus


def fitted_fingerprint(facts: JsonObject) -> str:
    """The fingerprint of the corpus that a model was fitted to, whatever it has learned from since.

    facts: those on the model's corpus in its manifest.

    >>> fitted_fingerprint({"fingerprint": "of all", "first": "of the fit"})
    'of the fit'
    """
    return facts.get("first", facts["fingerprint"])


def is_updated(facts: JsonObject) -> bool:
    """Whether a model has learned from more documents after its fit; facts: as in `fitted_fingerprint`."""
    return "first" in facts


def share_of_own_corpus(facts: JsonObject, held_out: float, corpus: Corpus) -> float | None:
    """The share of a corpus's documents that a model has learned from: all but those held out.

    facts: those on the model's corpus in its manifest; held_out: the share of documents that it held out.
    None if the corpus is not the one that the model was fitted to, by its fingerprint. `corpus` must have the
    model's vocabulary. Reads no texts: which documents were held out follows from their ids.
    """
    if corpus.fingerprint != fitted_fingerprint(facts):
        return None
    ids = [name for block in range(len(corpus.block_sizes)) for name in corpus.ids(block)]
    return sum(share_of(name) >= held_out for name in ids) / max(1, len(ids))


def held_out_of_own_corpus(
    facts: JsonObject, held_out: float, corpus: Corpus
) -> Callable[[int], NDArray[np.int64]] | None:
    """The documents of a corpus that a model held out while it learned: a function from the number of a block
    to their positions in it.

    facts, held_out: as in `share_of_own_corpus`. None if there are none: nothing was held out, or that
    function returns None.
    """
    share = share_of_own_corpus(facts, held_out, corpus)
    if share is None or share == 1.0:
        return None

    def of_block(block: int) -> NDArray[np.int64]:
        return np.flatnonzero([share_of(name) < held_out for name in corpus.ids(block)])

    return of_block
