"""Makes bags of words in memory from tokens or a few texts, faster than by building a corpus."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, repeat

import numpy as np
from scipy.sparse import csr_array

from stickbreaker.corpus.corpus import Corpus
from stickbreaker.corpus.metadata import storable
from stickbreaker.corpus.readers.document_inputs import tokens_of, wrong_document
from stickbreaker.corpus.shards import Bags
from stickbreaker.corpus.text.analysis import Analysis
from stickbreaker.corpus.vocabulary import LONGEST_WORD, Vocabulary


def corpus_of_tokens(documents: Sequence[Sequence[str]]) -> Corpus:
    """A corpus of bags in memory, made from lists of tokens; all their words are in its vocabulary.

    Words of more than 100 characters are left out, as in texts; if no word is left, the vocabulary is the
    word "-". Raises UserError for anything but lists of strings.

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


def bags_of_texts(texts: Sequence[str], analysis: Analysis, vocabulary: Vocabulary) -> Bags:
    """A few texts as bags under a vocabulary, for quick predictions.

    The bags are those of `Corpus.from_texts`, but unknown words are not counted (`unseen` is 0). The
    vocabulary must be of one language and not hashed.

    >>> bags_of_texts(["sea and sea"], Analysis(), Vocabulary.of(["sea", "ship"])).counts.tolist()
    [2.0]
    """
    row_of = vocabulary.index.get
    offsets, rows, counts = [0], list[int](), list[int]()
    for text in texts:
        found = Counter(map(row_of, analysis.words_of(storable(text)), repeat(-1)))
        del found[-1]  # unknown words
        own = sorted(found)
        rows += own
        counts += map(found.__getitem__, own)
        offsets.append(len(rows))
    return Bags(
        np.array(offsets, np.int64),
        np.array(rows, np.int32),
        np.array(counts, np.float32),
        np.zeros(len(texts), np.float32),
    )
