"""log p of a corpus by a language model: of each word, and of each sentence."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.text.analysis import BEGIN_MARK, END_MARK
from stickbreaker.corpus.text.numbered_words import FirstNumbers
from stickbreaker.corpus.token_sequences import TokenSequences
from stickbreaker.ngrams.model.contexts import Integers
from stickbreaker.ngrams.model.language_model import LanguageModel
from stickbreaker.ngrams.word_numbers import Base


def sentence_beginning(text: str) -> str:
    """The words with which a sentence begins, without the mark `<s>`. Raises UserError if the text contains
    `</s>`.

    >>> sentence_beginning("<s> the old")
    'the old'
    """
    if END_MARK in text.split():
        remedy = "give the words that a sentence begins with, or none"
        raise UserError(
            f"{END_MARK} is the end of a sentence and cannot be followed by a word", remedy=remedy
        )
    words = text.split(maxsplit=1)
    return " ".join(words[1:]) if words[:1] == [BEGIN_MARK] else text


Prediction = Callable[[Integers, Sequences, Array], Array]


class Scores(NamedTuple):
    """log p, in nats, of each word of a block of documents, and of the end of each sentence."""

    words: Integers  # (words and ends,) by number; -1: unknown and spelled
    known: NDArray[np.bool_]  # (words and ends,) whether it is a known word or an end
    ends: NDArray[np.bool_]  # (words and ends,)
    documents: Integers  # (sentences,) place of its document in the block
    nats: Array  # (words and ends,)

    @property
    def sentences(self) -> Integers:
        """The number of the sentence that each word or end belongs to (words and ends), counted from 0 in the
        block."""
        return self.ends.cumsum() - self.ends

    def by_sentence(self) -> tuple[list[int], list[int], list[float]]:
        """For each sentence: its numbers of words and of unknown words, and log p (nats) of words and end."""
        sentences, n = self.sentences, len(self.documents)
        return (
            (np.bincount(sentences, minlength=n) - 1).tolist(),
            np.bincount(sentences[~self.known], minlength=n).tolist(),
            np.bincount(sentences, self.nats, n).tolist(),
        )


def scores_by(predict: Prediction, corpus: Corpus, base: Base) -> Iterator[Scores]:
    """log p of the words and ends of a corpus, block by block; the corpus must have the model's vocabulary.

    `predict` gets words by number, the documents, and log G0 of words and ends (nats); it returns log p of
    words and ends. Raises UserError for documents without word order, and for words that must be scored by
    their letters but are not valid text.
    """
    for block in range(len(corpus.block_sizes)):
        content = corpus.sequences(block)
        words = base.numbers.numbered(content.words)
        yield _scored(predict, words, content, log_base_of(words, corpus, block, base), base)


def scores_of_tokens(predict: Prediction, tokens: TokenSequences, base: Base) -> Scores:
    """log p of the words and ends of documents given as tokens, without a corpus; otherwise like
    `scores_by`."""
    words = base.numbers.numbered(tokens.content.words)
    return _scored(predict, words, tokens.content, _log_base(words, tokens.spelled, base), base)


def empty_sentence_scores(predict: Prediction, base: Base) -> Scores:
    """log p of the end of a sentence that has no words; parameters as of `scores_by`.

    It is what log p of a sentence says for an empty one: p(end | beginning).
    """
    start = np.zeros(1, np.int64)
    content = Sequences(np.zeros(2, np.int64), np.zeros(0, np.int32), start)
    found = _scored(predict, np.zeros(0, np.int64), content, np.zeros(0), base)
    return found._replace(documents=start)


def _scored(predict: Prediction, words: Integers, content: Sequences, log_words: Array, base: Base) -> Scores:
    """log p of the words and ends of documents by `predict`: see `scores_by`.

    words: by number; log_words: log G0 of the words (nats), to which that of the ends is added.
    """
    numbers, n_sentences = base.numbers, len(content.starts)
    inside = np.ones(len(words) + n_sentences, np.bool_)
    inside[np.append(content.starts, len(words))[1:] + np.arange(n_sentences)] = False
    marked = np.full(len(inside), numbers.end, np.int64)
    log_base = np.full(len(inside), base.log_p[numbers.end])
    marked[inside], log_base[inside] = words, log_words
    nats = predict(words, content, log_base)
    documents = np.searchsorted(content.offsets, content.starts, side="right") - 1
    ends = ~inside
    return Scores(marked, (marked != numbers.unknown) & (marked >= 0), ends, documents, nats)


def all_scores(corpus: Corpus, model: LanguageModel, base: Base) -> Iterator[Scores]:
    """log p of the words and ends of all documents by a model without topics, block by block."""

    def predict(words: Integers, content: Sequences, log_base: Array) -> Array:
        return model.log_probabilities(words, content.starts, log_base)

    return scores_by(predict, corpus, base)


def log_base_of(
    words: Integers, corpus: Corpus, block: int, base: Base, tokens: slice = slice(None)
) -> Array:
    """log G0 (nats) of tokens of a block: known words by their numbers, others (-1) by their letters.

    words: the numbers of these `tokens`. Raises UserError for words with -1 that are not valid text.
    """
    found, new = base.log_p[words], np.flatnonzero(words < 0)
    if len(new):
        entries = corpus.source.entries(block)
        codes, places = np.unique(entries.codes[tokens][new], return_inverse=True)
        found[new] = base.log_spelled(entries.spellings(codes))[places]
    return found


def _log_base(words: Integers, spelled: Sequence[str], base: Base) -> Array:
    """log G0 (nats) of words: known ones by their numbers, others (-1) by their letters, from `spelled` (the
    words as strings)."""
    found, new = base.log_p[words], np.flatnonzero(words < 0)
    if len(new):
        distinct = FirstNumbers()
        places = distinct.of([spelled[place] for place in new.tolist()])
        found[new] = base.log_spelled(distinct.words)[places]
    return found


class SentenceScore(NamedTuple):
    """The score of a sentence. document: the number of its document in the corpus.

    words: how many, without the end; unknown: how many of these are unknown; nats: log p of the words and the
    end.
    """

    document: int
    words: int
    unknown: int
    nats: float


def scores_by_sentence(corpus: Corpus, blocks: Iterator[Scores]) -> list[SentenceScore]:
    """The score of each sentence of a corpus, from the scores of its blocks."""
    found: list[SentenceScore] = []
    first = 0
    for block, scores in enumerate(blocks):
        found += sentence_scores(scores, first)
        first += corpus.block_sizes[block]
    return found


def sentence_scores(scores: Scores, first: int = 0) -> Iterator[SentenceScore]:
    """The score of each sentence of a block; `first`: the number of its first document."""
    return map(SentenceScore, (scores.documents + first).tolist(), *scores.by_sentence())


def parts_of(blocks: Iterator[Scores]) -> dict[str, tuple[float, float]]:
    """The sum of log p (nats) and the number of words and ends, over all blocks: for "all" of them, and for
    the "known" words and all ends."""
    whole, known = np.zeros(2), np.zeros(2)
    for scores in blocks:
        whole += scores.nats.sum(), len(scores.nats)
        known += scores.nats[scores.known].sum(), scores.known.sum()
    return {"all": (float(whole[0]), float(whole[1])), "known": (float(known[0]), float(known[1]))}


def joined(parts: Iterator[tuple[Integers, Sequences]]) -> Sequences:
    """All documents of several blocks, concatenated. parts: the numbers of a block's documents, which are not
    used, and the documents, as `Source.in_order` yields them."""
    return Sequences.join([content for _, content in parts])
