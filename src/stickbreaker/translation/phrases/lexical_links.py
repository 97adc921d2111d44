"""Lexical weights of phrases: how probable their words are by their links, in all documents or in one."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.corpus.shards import entries_between
from stickbreaker.translation.kernels.phrase_extraction import MOST, lexical_weights
from stickbreaker.translation.lexicon.directed_lexicon import DirectedLexicon
from stickbreaker.translation.lexicon.link_counts import LinkedWords
from stickbreaker.translation.phrases.phrase_table import PhraseTable


class LexicalLinks(NamedTuple):
    """The words that translations of phrases consist of, and the links of each, in one direction.

    A word without a link comes of the null word: `null` has its number, -1 of other words.
    """

    word_offsets: NDArray[np.int64]  # (options + 1,) the words of each
    link_offsets: NDArray[np.int64]  # (words + 1,) the links of each word
    pairs: NDArray[np.int64]  # (links,) pairs of words, as `words_of_pairs` reads them
    null: NDArray[np.int64]  # (words,)

    def weights(self, p: Array, p_null: Array) -> Array:
        """(options,) log of the lexical weights, in nats: the product over words of the mean of p over their
        links (Koehn, Och and Marcu 2003, section 3.4). `p` is by pair of words, p_null by word."""
        found = np.empty(len(self.null))
        lexical_weights(self.link_offsets, self.pairs, self.null, p, p_null, found)
        ends = np.concatenate([[0.0], np.cumsum(found)])
        return np.diff(ends[self.word_offsets])


def lexical_links(
    table: PhraseTable, options: NDArray[np.int64], lexicons: tuple[DirectedLexicon, DirectedLexicon]
) -> tuple[LexicalLinks, LexicalLinks]:
    """Of some translations of a table their target words with their links, and their source words with
    theirs."""
    sources, source_lengths = table.source_of(table.phrases[options])
    offsets, places = entries_between(table.offsets[options], table.offsets[options + 1])
    target_lengths = np.diff(offsets)
    targets = np.full((len(options), MOST), -1, np.int64)
    targets[np.arange(MOST) < target_lengths[:, None]] = table.target_words[places]
    bits = np.arange(MOST * MOST).reshape(MOST, MOST)  # source × target
    masks = table.links[options]
    return (
        _links_of(masks, bits.T, targets, target_lengths, sources, lexicons[0]),
        _links_of(masks, bits, sources, source_lengths, targets, lexicons[1]),
    )


def _links_of(
    masks: NDArray[np.int32],
    bits: NDArray[np.int64],
    words: NDArray[np.int64],
    lengths: NDArray[np.int64],
    others: NDArray[np.int64],
    lexicon: DirectedLexicon,
) -> LexicalLinks:
    """The links of `words` (options × 5) with `others`, of which the lexicon has p(word | other); `bits`
    (5 × 5): the bit of each word's link with each other. Words that the lexicon does not have are unknown."""
    n_words, n_others = lexicon.counts.n_translations, len(lexicon.counts.offsets) - 1
    known = np.where(words < n_words, words, n_words)  # the place of unknown words is the last
    numbers, other_numbers = np.where(words < n_words, words, -1), np.where(others < n_others, others, -1)
    linked = (masks[:, None, None] >> bits) & 1 > 0  # options × words × others
    inside = np.arange(MOST) < lengths[:, None]
    counts = linked.sum(axis=2)[inside]
    option, word, other = np.nonzero(linked)
    return LexicalLinks(
        np.concatenate([[0], np.cumsum(lengths)]),
        np.concatenate([[0], np.cumsum(counts)]),
        (other_numbers[option, other] + 1) * (n_words + 1) + numbers[option, word] + 1,
        np.where(counts == 0, known[inside], -1),
    )


def words_of_pairs(
    pairs: NDArray[np.int64], lexicon: DirectedLexicon
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Words f and e of pairs by number, as a lexicon of p(e | f) has them; -1 is a word that it lacks."""
    others, words = np.divmod(pairs, lexicon.counts.n_translations + 1)
    return others - 1, words - 1


def null_probabilities(linked: LinkedWords, words: NDArray[np.int32], n_words: int) -> Array:
    """(words + 1,) the share of each word of the target among its words without a link; one is added to each,
    and the last is that of any word that the bitext does not have.

    `words` are all words of the target side of the bitext, in order.
    """
    alone = np.ones(len(words), np.bool_)
    alone[linked.target_place] = False
    counts = np.bincount(words[alone & (words >= 0)], minlength=n_words) + 1.0
    return np.append(counts, 1.0) / counts.sum()
