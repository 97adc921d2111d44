"""What a model stores about the documents that it has learned from: numbers, fingerprints, word counts."""

import hashlib

import numpy as np

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.counting import Digest
from stickbreaker.saved.own_corpus import fitted_fingerprint


def about(corpus: Corpus) -> JsonObject:
    """What a saved model records about the corpus that it was learned from.

    That is its fingerprint and kind, the numbers of documents, tokens and empty documents, and the tags if it
    has trees.
    """
    return {
        "fingerprint": corpus.fingerprint,
        "kind": corpus.kind,
        "documents": corpus.n_documents,
        "tokens": corpus.n_tokens,
        "empty": corpus.n_empty,
        **({} if corpus.about.tag_names is None else {"tags": list(corpus.about.tag_names)}),
    }


def counted_vocabulary(corpus: Corpus) -> Vocabulary:
    """The corpus's vocabulary, with the counts of its words in this corpus.

    If its token counts do not sum to the corpus's tokens, as when a user supplied the vocabulary, a copy with
    new counts is returned.
    """
    own = corpus.vocabulary
    if abs(float(own.tokens.sum()) - corpus.n_tokens) <= 1e-6 * max(corpus.n_tokens, 1.0):
        return own
    return counted_on(own.counted(np.zeros(len(own), np.int64), np.zeros(len(own))), corpus)


def counted_on(vocabulary: Vocabulary, corpus: Corpus) -> Vocabulary:
    """A copy of the vocabulary, with the words of `corpus` added to its counts of documents and of tokens.

    corpus: its words have the same numbers as in the vocabulary.
    """
    documents, tokens = vocabulary.documents.copy(), vocabulary.tokens.copy()
    for block in range(len(corpus.block_sizes)):
        bags = corpus.bags(block)
        documents += np.bincount(bags.words, minlength=len(documents))
        tokens += np.bincount(bags.words, weights=bags.counts, minlength=len(tokens))
    return vocabulary.counted(documents, tokens)


def grown(before: JsonObject, new: JsonObject) -> JsonObject:
    """The facts on a model's corpus (`about`) after it has learned from more documents.

    before, new: the facts before, and those on the new documents. Numbers are added, and fingerprints
    combined; that of the documents learned from first is kept under "first".
    """
    sums = {name: before[name] + new[name] for name in ("documents", "tokens", "empty")}
    joint = joint_fingerprint(before["fingerprint"], new["fingerprint"])
    return {**before, **sums, "fingerprint": joint, "first": fitted_fingerprint(before)}


def joint_fingerprint(before: str, new: str) -> str:
    """One fingerprint for two portions of documents, from the fingerprint of each."""
    return hashlib.blake2b((before + new).encode(), digest_size=16).hexdigest()


def digest_of_documents(corpus: Corpus) -> str:
    """A digest of documents' ids and words, which does not depend on the vocabulary of the corpus."""
    digest = Digest()
    for block in range(len(corpus.block_sizes)):
        entries = corpus.source.entries(block)
        digest.strings("ids", corpus.ids(block))
        digest.strings("words", entries.words())
        digest.array("codes", entries.codes)
        digest.array("offsets", entries.offsets)
    return digest.hex()
