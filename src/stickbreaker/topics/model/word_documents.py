"""Document counts by word and topic, computed after learning, for ranking a topic's words.

With theta_d the topic shares of a document d, its word w has topic k with probability φ_dwk = theta_dk
beta_kw / Σ_j theta_dj beta_jw. D_kw, the sum of φ_dwk over the documents with w (each counts once), is the
expected number of documents in which w has topic k; df_w is the number of all documents with w.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import AnyArray, Array
from stickbreaker.core.topk import SAME, largest

KEPT = 100  # words per topic and language whose counts are stored
IN_COMPANY = 30  # of these, the first ones that are ordered by company
OUTSIDE = 2000.0  # more than any difference of logs of doubles
Estimate = Callable[[int, NDArray[np.int64]], Array]  # D of given words in a topic
ARRAYS = "ranked/"  # of the arrays of a saved model: ranked/<number of the language>/<name>


class Side(NamedTuple):
    """The n stored words of each topic in one language, best first, with their document counts.

    `rows`: the language's rows of the vocabulary. `words` (K × n): row numbers; `documents` (K × n): D, the
    expected number of documents in which the word has the topic; `of_word` (K × n): df, the number of all
    documents with the word. `totals` (K) and `total`: sums of D and of df over all words of the language.
    `company` (K × at most 30): how often a topic's first words occur together, in [-1, 1]; None if not
    counted.
    """

    rows: slice
    words: NDArray[np.int64]
    documents: Array
    of_word: Array
    totals: Array
    total: float
    company: Array | None = None


@dataclass(frozen=True)
class WordDocuments:
    """The document counts by which words are ranked: one `Side` for each language, or one for all words."""

    sides: tuple[Side, ...]

    def side(self, within: slice, n_words: int) -> Side | None:
        """The document counts of one language, given the vocabulary rows of its words (`within`); None if no
        language has exactly these rows.
        """
        wanted = within.indices(n_words)[:2]
        return next((one for one in self.sides if (one.rows.start, one.rows.stop) == wanted), None)

    def to_arrays(self) -> dict[str, NDArray[np.generic]]:
        """The counts as arrays to store in a saved model, by name; `from_arrays` reads them."""
        arrays: dict[str, AnyArray] = {}
        for number, side in enumerate(self.sides):
            named = {
                "words": side.words.astype(np.int32),
                "documents": side.documents,
                "of word": side.of_word,
                "totals": side.totals,
                "total": np.array([side.total]),
            }
            if side.company is not None:
                named["company"] = side.company
            arrays |= {f"{ARRAYS}{number}/{name}": values for name, values in named.items()}
        return arrays

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, AnyArray], n_topics: int, parts: Callable[[], Sequence[slice]]
    ) -> "WordDocuments | None":
        """Read what `to_arrays` returned for a model with `n_topics`; None if the arrays have no document
        counts.

        `parts`: returns the rows of the model's languages. Raises ValueError or KeyError for invalid arrays.
        """
        if not any(name.startswith(ARRAYS) for name in arrays):
            return None
        return cls(tuple(_side_from(arrays, number, n_topics, rows) for number, rows in enumerate(parts())))


def _side_from(arrays: Mapping[str, AnyArray], number: int, n_topics: int, rows: slice) -> Side:
    """A language's counts from a saved model's arrays. Raises KeyError or ValueError if they are invalid."""
    held = {
        name: arrays[f"{ARRAYS}{number}/{name}"]
        for name in ("words", "documents", "of word", "totals", "total", "company")
        if name != "company" or f"{ARRAYS}{number}/company" in arrays
    }
    n_kept = min(KEPT, rows.stop - rows.start)
    shapes = {"totals": (n_topics,), "total": (1,), "company": (n_topics, min(IN_COMPANY, n_kept))}
    for name, values in held.items():
        if values.shape != shapes.get(name, (n_topics, n_kept)):
            raise ValueError(f"ranked words: {name} has another shape than the model")
        if values.dtype.kind != ("i" if name == "words" else "f"):
            raise ValueError(f"ranked words: {name} has another type")
        if name not in ("words", "company") and (values < 0.0).any():
            raise ValueError(f"ranked words: {name} is negative")
    words = held["words"].astype(np.int64)
    if ((words < rows.start) | (words >= rows.stop)).any():
        raise ValueError("ranked words are not in the vocabulary")
    ordered = np.sort(words, axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        raise ValueError("a ranked word occurs twice")
    company = held.get("company")
    if company is not None and (np.abs(company) > 1.0).any():
        raise ValueError("ranked words: company is out of range")
    documents, of_word, totals = held["documents"], held["of word"], held["totals"]
    return Side(rows, words, documents, of_word, totals, float(held["total"][0]), company)


def divergence_scores(q: Array, p: Array) -> Array:
    """Scores by which words are ranked in each topic: log of the word's term in KL(q || p), q log (q / p).

    q (topics × words): the words' shares in each topic; p (words, or topics × words): their shares overall. A
    word that is no more frequent in a topic than overall has no positive term; such words come after all
    others, sorted by q.

    >>> divergence_scores(np.array([[0.5, 0.3, 0.2]]), np.array([0.25, 0.25, 0.5])).round(1).tolist()
    [[-1.1, -2.9, -2001.6]]
    """
    with np.errstate(divide="ignore"):
        shares = np.log(q)
        excess = shares - np.log(np.maximum(p, 1e-300))
        above = np.log(np.maximum(excess, SAME))
    return np.where(excess > SAME, shares + above, shares - OUTSIDE)


def keep_first(counts: Array, of_words: Array, rows: slice) -> Side:
    """Choose the words of each topic whose document counts are stored: the `KEPT` ones with the best
    `divergence_scores`.

    counts (words × topics): D, the expected number of documents in which a word has the topic; of_words
    (words): df, the number of all documents with it; rows: the language's rows of the vocabulary.
    """
    totals, total = counts.sum(axis=0), float(of_words.sum())
    first: list[NDArray[np.int64]] = []
    for k in range(counts.shape[1]):  # one topic at a time, since the logs take as much memory as the counts
        q = counts[:, k] / max(float(totals[k]), 1e-300)
        scores = divergence_scores(q[None], of_words / max(total, 1e-300))
        first.append(largest(scores, KEPT, logs=True)[0][0])
    places = np.array(first, np.int64)
    documents = np.take_along_axis(counts.T, places, axis=1)
    return Side(rows, places + rows.start, documents, of_words[places], totals, total)


def order_by_company(side: Side) -> NDArray[np.int64]:
    """A side's words (K × n), of which each topic's first ones are reordered: those that often occur together
    with the others come earlier.

    They are sorted by ½ z(-log rank) + ½ z(company), largest first, where z are standard scores within the
    topic and company is `Side.company`, which must not be None. All later words keep their places.

    >>> one = np.array([[3.0, 2.0, 1.0]])
    >>> company = np.array([[0.0, 0.1, 0.9]])
    >>> side = Side(slice(0, 3), np.array([[0, 1, 2]]), one, one, one.sum(axis=1), 6.0, company)
    >>> order_by_company(side).tolist()
    [[0, 2, 1]]
    """
    assert side.company is not None
    n = side.company.shape[1]
    if n == 0:
        return side.words
    ranks = -np.log(np.arange(1, n + 1, dtype=np.float64))
    scores = 0.5 * (_standard(ranks[None]) + _standard(side.company))
    # scores differ by hundredths; `logs` makes ties of those nearer than 1e-5
    order = largest(scores, n, logs=True)[0]
    first = np.take_along_axis(side.words[:, :n], order, axis=1)
    return np.hstack([first, side.words[:, n:]])


def _standard(values: Array) -> Array:
    """Standard scores of each row; zeros if all values are equal."""
    deviations = values.std(axis=1, keepdims=True)
    return (values - values.mean(axis=1, keepdims=True)) / np.where(deviations > 1e-12, deviations, 1.0)


def company_of(alike: Array) -> Array:
    """How often each of a topic's first words occurs together with the others (K × n), in [-1, 1].

    It is the mean of `alike` (K × n × n: NPMI of pairs of words) over the other words, with weights 1 / log2
    (r + 1) for the other word's rank r.
    """
    n = alike.shape[1]
    weights = np.tile(1.0 / np.log2(np.arange(n) + 2.0), (n, 1))
    np.fill_diagonal(weights, 0.0)
    sums = (alike * weights).sum(axis=2)
    return np.clip(sums / np.maximum(weights.sum(axis=1), 1e-300), -1.0, 1.0)


def joined_side(side: Side, members: Sequence[Sequence[int]], estimate: Estimate) -> Side:
    """The document counts of groups of topics, such as topics that are shown as one: a `Side` with a row for
    each group.

    D, the expected number of documents in which a word has the topic, is summed over a group's members
    (`members`: the topics of each group). `estimate(topic, words)` returns D of words that a member does not
    store. A group of one topic keeps that topic's counts.
    """
    n, firsts = side.words.shape[1], [group[0] for group in members]
    kept, documents, of_word = side.words[firsts], side.documents[firsts], side.of_word[firsts]
    totals = np.array([side.totals[list(group)].sum() for group in members])
    company = None if side.company is None else side.company[firsts]
    for g, group in enumerate(members):
        if len(group) == 1:
            continue
        words, places = np.unique(side.words[list(group)], return_index=True)
        of_all = side.of_word[list(group)].ravel()[places]
        own = np.minimum(np.sum([_documents_of(side, k, words, estimate) for k in group], axis=0), of_all)
        q = own / max(float(totals[g]), 1e-300)
        order = largest(divergence_scores(q[None], of_all / max(side.total, 1e-300)), n, logs=True)[0][0]
        kept[g], documents[g], of_word[g] = words[order], own[order], of_all[order]
        if company is not None:
            company[g] = _joined_company(side, group, kept[g, : company.shape[1]])
    return Side(side.rows, kept, documents, of_word, totals, side.total, company)


def _documents_of(side: Side, k: int, words: NDArray[np.int64], estimate: Estimate) -> Array:
    """The expected numbers of documents in which the given words have topic k: as counted for the words that
    the side stores, otherwise by `estimate`. words: ascending, among them all that the side stores for k.
    """
    documents = np.asarray(estimate(k, words), np.float64)
    order = np.argsort(side.words[k])
    places = np.searchsorted(words, side.words[k][order])
    documents[places] = side.documents[k][order]
    return documents


def _joined_company(side: Side, group: Sequence[int], words: NDArray[np.int64]) -> Array:
    """How often each of the given first words of a group occurs together with the others, as in
    `Side.company`.

    It is the mean over the member topics that store a value for the word, weighted by their document counts.
    A word without any gets the mean of the group's other words, or 0.
    """
    assert side.company is not None
    sums, weights = np.zeros((2, len(words)))
    for k in group:
        known = dict(zip(side.words[k].tolist(), side.company[k].tolist(), strict=False))
        for place, word in enumerate(words.tolist()):
            if word in known:
                sums[place] += side.totals[k] * known[word]
                weights[place] += side.totals[k]
    found = weights > 0.0
    means = sums / np.where(found, weights, 1.0)
    means[~found] = means[found].mean() if found.any() else 0.0
    return means
