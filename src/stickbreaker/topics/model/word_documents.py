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
from stickbreaker.core.topk import largest
from stickbreaker.topics.model.word_scores import divergence_scores, joined_company
from stickbreaker.topics.model.word_support import (
    KEPT,
    SUPPORT_ARRAYS,
    Support,
    candidates,
    joined_support,
    named_support,
)

IN_COMPANY = 30  # of these, the first ones that are ordered by company
Estimate = Callable[[int, NDArray[np.int64]], Array]  # D of given words in a topic
ARRAYS = "ranked/"  # of the arrays of a saved model: ranked/<number of the language>/<name>


class Side(NamedTuple):
    """The n stored words of each topic in one language, best first, with their document counts.

    `rows`: the language's rows of the vocabulary. `words` (K × n): row numbers; `documents` (K × n): D, the
    expected number of documents in which the word has the topic; `of_word` (K × n): df, the number of all
    documents with the word. `totals` (K) and `total`: sums of D and of df over all words of the language.
    `company` (K × at most 30): how often a topic's first words occur together in documents, in [-1, 1];
    None if not counted. `support`: the words that documents support best; None for models of older versions.
    """

    rows: slice
    words: NDArray[np.int64]
    documents: Array
    of_word: Array
    totals: Array
    total: float
    company: Array | None = None
    support: Support | None = None


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
            if side.support is not None:
                named |= named_support(side.support)
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
    place = f"{ARRAYS}{number}/"
    n_kept = min(KEPT, rows.stop - rows.start)
    shapes = {"totals": (n_topics,), "total": (1,), "company": (n_topics, min(IN_COMPANY, n_kept))}

    def held(names: Sequence[str], before: str = "") -> dict[str, AnyArray]:
        """The arrays of these names after `before`, checked; "company" may be missing."""
        found = {
            name: arrays[f"{place}{before}{name}"]
            for name in names
            if name != "company" or f"{place}{before}{name}" in arrays
        }
        for name, values in found.items():
            if values.shape != shapes.get(name, (n_topics, n_kept)):
                raise ValueError(f"ranked words: {before}{name} has another shape than the model")
            if values.dtype.kind != ("i" if name == "words" else "f"):
                raise ValueError(f"ranked words: {before}{name} has another type")
            if name not in ("words", "company") and not (values >= 0.0).all():
                raise ValueError(f"ranked words: {before}{name} is negative")
        found["words"] = found["words"].astype(np.int64)
        _refuse_other_words(found["words"], rows)
        if "company" in found and not (np.abs(found["company"]) <= 1.0).all():
            raise ValueError(f"ranked words: {before}company is out of range")
        return found

    own = held(("words", "documents", "of word", "totals", "total", "company"))
    support = None
    if any(name.startswith(f"{place}support ") for name in arrays):
        support = Support(**held(SUPPORT_ARRAYS, "support "))
    company, total = own.get("company"), float(own["total"][0])
    return Side(rows, own["words"], own["documents"], own["of word"], own["totals"], total, company, support)


def _refuse_other_words(words: NDArray[np.int64], rows: slice) -> None:
    """Raise ValueError unless each topic's words (K × n) are different rows of the vocabulary's `rows`."""
    if ((words < rows.start) | (words >= rows.stop)).any():
        raise ValueError("ranked words are not in the vocabulary")
    ordered = np.sort(words, axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        raise ValueError("a ranked word occurs twice")


def keep_first(counts: Array, of_words: Array, rows: slice) -> Side:
    """Choose the words of each topic whose document counts are stored: the `KEPT` ones with the best
    `divergence_scores`.

    counts (topics × words): D, the expected number of documents in which a word has the topic; of_words
    (words): df, the number of all documents with it; rows: the language's rows of the vocabulary.
    """
    n_topics, n_words = counts.shape
    places = np.zeros((n_topics, min(KEPT, n_words)), np.int64)
    totals, total = counts.sum(axis=1), float(of_words.sum())
    p = of_words / max(total, 1e-300)
    for k, own in enumerate(counts):  # one topic at a time, since the logs take as much memory as the counts
        q = own / max(float(totals[k]), 1e-300)
        chosen = candidates(q, p)
        scores = divergence_scores(q[None, chosen], p[chosen])
        places[k] = chosen[largest(scores, KEPT, logs=True)[0][0]]
    documents = np.take_along_axis(counts, places, axis=1)
    return Side(rows, places + rows.start, documents, of_words[places], totals, total)


def stacked(sides: Sequence[Side]) -> Side:
    """One language's `Side` from those of groups of topics, which follow each other; without company."""
    first, support = sides[0], [side.support for side in sides if side.support is not None]
    words, documents, of_word, totals = (
        np.concatenate([getattr(side, name) for side in sides])
        for name in ("words", "documents", "of_word", "totals")
    )
    joined = Support(*(np.concatenate(each) for each in zip(*(one[:-1] for one in support), strict=True)))
    return Side(first.rows, words, documents, of_word, totals, first.total, None, joined)


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
        if side.company is not None and company is not None:
            known = [(side.words[k], side.company[k], float(side.totals[k])) for k in group]
            company[g] = joined_company(known, kept[g, : company.shape[1]])
    support = None if side.support is None else joined_support(side.support, members)
    return Side(side.rows, kept, documents, of_word, totals, side.total, company, support)


def _documents_of(side: Side, k: int, words: NDArray[np.int64], estimate: Estimate) -> Array:
    """The expected numbers of documents in which the given words have topic k: as counted for the words that
    the side stores, otherwise by `estimate`. words: ascending, among them all that the side stores for k.
    """
    documents = np.asarray(estimate(k, words), np.float64)
    order = np.argsort(side.words[k])
    places = np.searchsorted(words, side.words[k][order])
    documents[places] = side.documents[k][order]
    return documents
