"""How far documents support a topic's words, each document being one witness.

With theta_d the topic shares of a document d, its word w has topic k with probability φ_dwk = theta_dk
beta_kw / Σ_j theta_dj beta_jw. Let O_dkw = φ_dwk log(1 + n_dw), where n_dw are the tokens of w in d, W_dk =
Σ_w O_dkw, and p_w the share of w in Σ O over all topics. The excess of w in topic k is Σ_d (O_dkw - W_dk
p_w), and its spread S_kw is the root of

    Σ_d (O_dkw - W_dk p_w)² = Σ O² - 2 p Σ O W + p² Σ W²,

so that three sums of words × topics are enough. Subtracting `SPREADS` of these from Σ_d O_dkw gives a lower
bound: a word that a single document repeats has a spread as large as its excess.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import AnyArray, Array
from stickbreaker.core.topk import largest
from stickbreaker.topics.model.word_scores import SPREADS, joined_company, support_scores

KEPT = 100  # words per topic and language whose counts are stored
SUPPORT_ARRAYS = ("words", "weights", "spreads", "overall", "totals", "company")  # the fields of `Support`


class Support(NamedTuple):
    """The n words of each topic that documents support best, in one language, best first.

    `words` (K × n): row numbers; `weights` (K × n): Σ_d O_dkw; `spreads` (K × n): S; `overall` (K × n): p,
    the word's share of the weights of all topics; `totals` (K): Σ_d W_dk. `company` (K × at most 30): how
    often the first words occur together in windows of text (in documents, if words have no order), in
    [-1, 1]; None if not counted.
    """

    words: NDArray[np.int64]
    weights: Array
    spreads: Array
    overall: Array
    totals: Array
    company: Array | None = None


def named_support(support: Support) -> dict[str, AnyArray]:
    """A `Support` as arrays, by their names in a saved model."""
    values = zip(SUPPORT_ARRAYS, support, strict=True)
    found = {f"support {name}": each for name, each in values if each is not None}
    return {**found, "support words": support.words.astype(np.int32)}


def candidates(q: Array, p: Array) -> NDArray[np.int64]:
    """The words among which a topic's `KEPT` best are: those with q above p, ascending, since all others come
    after them (`divergence_scores`); all words if these are fewer than `KEPT`.

    q, p (words): the words' shares in the topic and overall.
    """
    above = np.flatnonzero(q > p)
    return above if len(above) >= KEPT else np.arange(len(q))


def keep_supported(weights: Array, squares: Array, products: Array, overall: Array, rows: slice) -> Support:
    """Choose the words of each topic that documents support best: the `KEPT` ones with the best
    `support_scores`.

    weights, squares, products (topics × words): the sums over documents of O, of O² and of O W; overall
    (words): p, which all topics of the model share; rows: the language's rows of the vocabulary.
    """
    n_topics, n_words = weights.shape
    size = n_topics, min(KEPT, n_words)
    words, kept, kept_spreads = np.zeros(size, np.int64), np.zeros(size), np.zeros(size)
    totals = weights.sum(axis=1)
    for k, (own, product) in enumerate(zip(weights, products, strict=True)):
        squared = squares[k] - 2.0 * overall * product + overall**2 * product.sum()  # of O W: Σ_d W²
        spreads = np.sqrt(np.maximum(squared, 0.0))
        total = float(totals[k])
        chosen = candidates((own - SPREADS * spreads) / max(total, 1e-300), overall)
        scores = support_scores(own[chosen], spreads[chosen], total, overall[chosen])
        words[k] = chosen[largest(scores[None], KEPT, logs=True)[0][0]]
        kept[k], kept_spreads[k] = own[words[k]], spreads[words[k]]
    return Support(words + rows.start, kept, kept_spreads, overall[words], totals)


def joined_support(support: Support, members: Sequence[Sequence[int]]) -> Support:
    """The best supported words of groups of topics, among those that their members store.

    The weights of members add, and the spread of a group is at most the sum of its members' spreads, which is
    taken. A member that does not store a word, which is none of its best, adds nothing to it.
    """
    n, firsts = support.words.shape[1], [group[0] for group in members]
    totals = np.array([support.totals[list(group)].sum() for group in members])
    words, weights, spreads = support.words[firsts], support.weights[firsts], support.spreads[firsts]
    overall = support.overall[firsts]
    company = None if support.company is None else support.company[firsts]
    for g, group in enumerate(members):
        if len(group) == 1:
            continue
        chosen = list(group)
        rows, first, back = np.unique(support.words[chosen], return_index=True, return_inverse=True)
        p = support.overall[chosen].ravel()[first]
        summed = np.zeros((2, len(rows)))
        np.add.at(summed[0], back.ravel(), support.weights[chosen].ravel())
        np.add.at(summed[1], back.ravel(), support.spreads[chosen].ravel())
        order = largest(support_scores(summed[0], summed[1], float(totals[g]), p)[None], n, logs=True)[0][0]
        words[g], weights[g], spreads[g], overall[g] = (
            rows[order],
            summed[0][order],
            summed[1][order],
            p[order],
        )
        if support.company is not None and company is not None:
            known = [(support.words[k], support.company[k], float(support.totals[k])) for k in group]
            company[g] = joined_company(known, words[g, : company.shape[1]])
    return Support(words, weights, spreads, overall, totals, company)
