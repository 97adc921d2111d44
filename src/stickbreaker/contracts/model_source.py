"""The documents of a corpus as a model reads them."""

from stickbreaker.contracts.contract import Model
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.source import Source


def source_of(corpus: Corpus, model: Model, held_out: float = 0.0) -> Source:
    """The documents of a corpus in the form in which a model reads them (`Model.unit`), for a run.

    held_out: the share of documents that the run does not learn from. If the model's vocabulary is open,
    words are given by spelling, otherwise by number.
    """
    words = corpus.vocabulary.words if model.table.keyed else None
    return Source(corpus, held_out, words, model.unit, model.shard_size, model.covariates)
