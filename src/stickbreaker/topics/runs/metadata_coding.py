"""How a run learns to read the metadata of its documents, for priors that differ between documents."""

from dataclasses import replace
from itertools import compress

from stickbreaker.corpus import Corpus
from stickbreaker.corpus.document import Scalar
from stickbreaker.corpus.source import Source
from stickbreaker.topics.formula_coding import metadata_of
from stickbreaker.topics.model.model import TopicModel


def with_coding(model: TopicModel, corpus: Corpus, held_out: float) -> TopicModel:
    """The model after its prior of documents has learned how to read the metadata of a corpus; unchanged if
    alpha is the same for all documents. The documents held out (a share) are not read.

    Raises UserError if documents lack a field that the prior needs.
    """
    if not model.documents.by_document:
        return model
    source, metadata = Source(corpus, held_out), list[dict[str, Scalar]]()
    for block in range(source.n_blocks):
        metadata.extend(compress(metadata_of(corpus, block), source.training_in(block).tolist()))
    return replace(model, documents=model.documents.coded(metadata))
