"""Extraction of phrases: aligned spans without links to the outside (Koehn, Och and Marcu 2003)."""

from typing import NamedTuple

import numpy as np
from numba import njit

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART

MOST = 5  # words of a phrase on each side


class PhrasePlaces(NamedTuple):
    """The positions of phrase pairs in a bitext, as arrays with an element per phrase pair."""

    source: np.ndarray  # int64, position of the first source word among all source words
    target: np.ndarray  # int64, position of the first target word
    source_words: np.ndarray  # int8, 1 to MOST
    target_words: np.ndarray  # int8
    links: np.ndarray  # int32: bit MOST * s + t of each link of word s and word t of the phrase


@kernel_part(**PART)
def _edges(links_source, links_target, first, last, n_source, n_target, low, high, target_low, target_high):
    """Fill in the lowest and the highest position to which each word of a sentence pair is linked; -1 without
    a link.

    low and high (target words) are source positions, target_low and target_high (source words) target
    positions. first, last: the range of the pair's links.
    """
    low[:n_target] = -1
    high[:n_target] = -1
    target_low[:n_source] = -1
    target_high[:n_source] = -1
    for link in range(first, last):
        s, t = links_source[link], links_target[link]
        low[t] = s if low[t] < 0 else min(low[t], s)
        high[t] = max(high[t], s)
        target_low[s] = t if target_low[s] < 0 else min(target_low[s], t)
        target_high[s] = max(target_high[s], t)


@kernel_part(**PART)
def _mask(links_source, links_target, first, last, s, s_end, t, t_end):
    """The links inside a phrase pair as bits: bit MOST * i + j for its source word i and target word j.

    s, s_end, t, t_end: its source span and target span (ends exclusive); first, last: the range of the
    sentence pair's links.
    """
    bits = 0
    for link in range(first, last):
        i, j = links_source[link] - s, links_target[link] - t
        if i >= 0 and j >= 0 and links_source[link] < s_end and links_target[link] < t_end:
            bits |= 1 << (MOST * i + j)
    return bits


@njit(**OPTIONS)
def extract_phrases(source_offsets, target_offsets, links, link_offsets, start, places_out):
    """Fill `places_out` with the phrase pairs of sentence pairs, from pair `start` on, while there is room.

    Returns the sentence pair to continue with (the number of pairs: all are done), and how many phrase pairs
    were written. A phrase pair has at most MOST words on each side, at least one link, and no link to the
    outside; it is also listed with words without links at its edges. places_out needs room for a sentence
    pair: MOST^3 rows for each target word. links: (source, target) positions.
    """
    links_source, links_target = links
    longest_source = np.max(source_offsets[1:] - source_offsets[:-1])
    longest_target = np.max(target_offsets[1:] - target_offsets[:-1])
    low, high = np.empty(longest_target, np.int64), np.empty(longest_target, np.int64)
    t_low, t_high = np.empty(longest_source, np.int64), np.empty(longest_source, np.int64)
    n = 0
    for pair in range(start, len(source_offsets) - 1):
        n_source = source_offsets[pair + 1] - source_offsets[pair]
        n_target = target_offsets[pair + 1] - target_offsets[pair]
        if n + MOST * MOST * MOST * n_target > len(places_out.source):
            return pair, n
        first, last = link_offsets[pair], link_offsets[pair + 1]
        _edges(links_source, links_target, first, last, n_source, n_target, low, high, t_low, t_high)
        for t in range(n_target):
            least, most = n_source, -1
            for t_end in range(t + 1, min(t + MOST, n_target) + 1):
                if low[t_end - 1] >= 0:
                    least, most = min(least, low[t_end - 1]), max(most, high[t_end - 1])
                if most - least + 1 > MOST:
                    break
                if most < 0:
                    continue
                inside = True
                for s in range(least, most + 1):
                    if t_low[s] >= 0 and (t_low[s] < t or t_high[s] >= t_end):
                        inside = False
                        break
                if not inside:
                    continue
                s = least
                while s >= 0 and (s == least or t_low[s] < 0) and most - s < MOST:
                    s_end = most + 1
                    while (
                        s_end <= n_source
                        and (s_end == most + 1 or t_low[s_end - 1] < 0)
                        and s_end - s <= MOST
                    ):
                        places_out.source[n] = source_offsets[pair] + s
                        places_out.target[n] = target_offsets[pair] + t
                        places_out.source_words[n] = s_end - s
                        places_out.target_words[n] = t_end - t
                        places_out.links[n] = _mask(
                            links_source, links_target, first, last, s, s_end, t, t_end
                        )
                        n += 1
                        s_end += 1
                    s -= 1
    return len(source_offsets) - 1, n


@njit(**OPTIONS)
def lexical_weights(word_offsets, sources, targets_without, p_pairs, p_null, out):
    """Fill `out` (target words of all phrases) with the log of each word's lexical weight: the mean of p over
    its links, or p given null if it has none.

    word_offsets (target words + 1): where the links of each word begin in `sources`; sources (links): the
    index in p_pairs (p of pairs of words) of each. targets_without (target words): the index in p_null of a
    word without a link, -1 for others.
    """
    for word in range(len(word_offsets) - 1):
        first, last = word_offsets[word], word_offsets[word + 1]
        if targets_without[word] >= 0:
            out[word] = np.log(p_null[targets_without[word]])
            continue
        total = 0.0
        for link in range(first, last):
            total += p_pairs[sources[link]]
        out[word] = np.log(total / (last - first))
