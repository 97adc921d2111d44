"""The documents of a corpus as a model reads them."""

from stickbreaker.contracts.contract import Model
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.source import Source


def source_of(corpus: Corpus, model: Model, held_out: float = 0.0) -> Source:
    """The documents that a model learns from, in its unit; words by spelling if the vocabulary is open."""
    words = corpus.vocabulary.words if model.table.keyed else None
    return Source(corpus, held_out, words, model.unit, model.shard_size)
