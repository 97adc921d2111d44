"""Makes bags in memory from documents of tokens, with every word and nothing about how texts are stored."""

from collections.abc import Sequence
from itertools import chain

import numpy as np
from scipy.sparse import csr_array

from stickbreaker.corpus.corpus import Corpus
from stickbreaker.corpus.metadata import storable
from stickbreaker.corpus.readers.document_inputs import tokens_of, wrong_document
from stickbreaker.corpus.vocabulary import LONGEST_WORD


def corpus_of_tokens(documents: Sequence[Sequence[str]]) -> Corpus:
    """Documents of tokens as bags of all their words, without what only a stored corpus needs.

    Words of more than 100 characters are left out, as in texts. Raises UserError for anything but a list of
    strings.

    >>> corpus_of_tokens([["sea", "ship", "sea"]]).n_tokens
    3.0
    """
    for number, tokens in enumerate(documents):
        if tokens_of(tokens) is None:
            raise wrong_document(tokens, number, "a list of strings")
    documents = [[word for word in tokens if len(word) <= LONGEST_WORD] for tokens in documents]
    flat = list(chain.from_iterable(documents))
    spelled = {word: storable(word) for word in dict.fromkeys(flat)}
    index = {word: place for place, word in enumerate(dict.fromkeys(spelled.values()))}
    places = {word: index[kept] for word, kept in spelled.items()}
    codes = np.fromiter(map(places.__getitem__, flat), np.int32, len(flat))
    ends = np.cumsum([0, *map(len, documents)])
    counts = csr_array((np.ones(len(flat)), codes, ends), shape=(len(documents), max(len(index), 1)))
    counts.sum_duplicates()
    return Corpus.from_matrix(counts, list(index) or ["-"])
