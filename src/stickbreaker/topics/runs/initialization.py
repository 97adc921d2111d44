"""Initial counts of topics: from dissimilar seed documents, each with its nearest ones, or from noise."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags_array

from stickbreaker.contracts.contract import Model
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.source import Source
from stickbreaker.topics import purposes
from stickbreaker.topics.kernels.document_likeness import fill_likeness
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.plan import AnyPlan

SAMPLE = 5000  # documents among which seeds are chosen
NEAR = 12  # documents per topic: the seed and its nearest
TRIALS = 20  # candidates for each seed
SHORT = 15.0  # known words per document, below which documents of one language are compared by meanings


def seeds_of(
    plan: AnyPlan, source: Source, model: TopicModel, seed: int
) -> "DocumentSeeds | NoiseSeeds | PathSeeds":
    """The initial counts of the table of a run, or of one chain. They are computed only for the rows that are
    read, which are words or, with concepts, paths to words in the tree.
    """
    seeds, words = _word_seeds(plan, source, model, seed), model.words.row_words()
    return seeds if words is None else PathSeeds(seeds, words)


def _word_seeds(plan: AnyPlan, source: Source, model: TopicModel, seed: int) -> "DocumentSeeds | NoiseSeeds":
    """The initial counts of words in topics (words × topics), from documents or from noise, as the setting
    `init` says.
    """
    guided = sum(name is not None for name in plan.guide_names)
    corpus = source.corpus
    assert isinstance(corpus, Corpus)
    if plan.settings.init == "documents":
        sides, priors = corpus.vocabulary.parts, model.words.guided_priors
        n_topics, meanings = plan.n_topics, _meanings(model)
        return seed_from_documents(source, sides, priors, n_topics, guided, seed, meanings)
    words, tokens = corpus.vocabulary.words, max(corpus.n_tokens, 1.0)
    return NoiseSeeds(model, words, plan.n_topics, tokens, seed)


def seed_from_documents(
    source: Source,
    sides: Sequence[slice],
    priors: Sequence[Array],
    n_topics: int,
    guided: int,
    seed: int,
    meanings: csr_matrix | None = None,
) -> "DocumentSeeds":
    """Initial counts (words × topics): each topic starts from a few similar documents, far from those of
    other topics.

    Zhai (2014), 3.2.1 seeds a topic with one document. Here seeds are chosen like the centres of k-means++
    (Arthur & Vassilvitskii 2007), by cosine of tf-idf, each with its nearest documents. In addition, every
    topic gets the overall word shares of the sampled documents, with a mean of one count per word, so that no
    word is excluded.

    The first `guided` topics start from the documents nearest to their `priors` (eta of words). In
    polylingual corpora, seeds are documents with all languages, if there are enough; `sides`: the words of
    each language. With `meanings` (words × meanings, from a tree of concepts), documents are compared by
    meanings, also across languages: on 619 manual pages without aligned documents, retrieval across languages
    went from 0.25 to 0.35. In one language only short documents are: words of longer ones say more than
    their meanings (docs/explanation/concepts-measured.md).
    """
    generator = stream(seed, purposes.SEED_DOCUMENTS)
    number = min(SAMPLE, source.n_documents)
    known = source.n_documents if source.held_out == 0.0 else np.flatnonzero(source.training)
    sample = np.sort(generator.choice(known, number, replace=False))
    bags = source.read(sample)
    counts = csr_matrix(
        (bags.counts.astype(np.float64), bags.words, bags.offsets), (len(bags.unseen), source.n_words)
    )
    full = np.flatnonzero(np.diff(bags.offsets))
    if not len(full):
        return DocumentSeeds(np.ones(source.n_words), csr_matrix((source.n_words, n_topics)))
    counts = counts[full]
    base = np.asarray(counts.sum(axis=0), np.float64).ravel()
    for part in sides:
        base[part] *= np.count_nonzero(base[part]) / max(base[part].sum(), 1e-300)
    if meanings is not None and len(sides) == 1 and counts.sum() >= SHORT * len(full):
        meanings = None
    vectors, weights = _unit_tf_idf(counts if meanings is None else csr_matrix(counts @ meanings))
    near = max(1, min(NEAR, len(full) // (2 * n_topics)))
    starts: list[NDArray[np.int64]] = []
    leans = _leans(priors, weights)
    seeds = _seeds(_Likeness(vectors), leans, _linked(counts, sides, n_topics), n_topics, generator)
    for topic, likeness in enumerate(seeds):
        chosen = _nearest(likeness, near)
        starts.append(chosen[likeness[chosen] > 0.0] if topic < guided else chosen)
    ends = np.cumsum([0, *map(len, starts)])
    of_topics = csr_matrix((np.ones(ends[-1]), np.concatenate(starts), ends), (n_topics, len(full)))
    return DocumentSeeds(base, csr_matrix((of_topics @ counts).T))


def like_documents(counts: csr_matrix, n_topics: int, generator: np.random.Generator) -> csr_matrix:
    """Counts (words × topics) that start new topics: each is the sum of a few similar documents, far from
    those of other topics.

    counts: documents × words. There are `n_topics` topics, or as many as documents if these are fewer. Unlike
    in `seed_from_documents`, no overall word shares are added.
    """
    n_documents = _shape(counts)[0]
    n_topics = min(n_topics, n_documents)
    near = max(1, min(NEAR, n_documents // (2 * n_topics)))
    likeness = _Likeness(_unit_tf_idf(counts)[0])
    seeds = _seeds(likeness, (), np.ones(n_documents, np.bool_), n_topics, generator)
    starts = np.concatenate([_nearest(row, near) for row in seeds])
    ends = np.arange(n_topics + 1) * near
    return csr_matrix((csr_matrix((np.ones(len(starts)), starts, ends), (n_topics, n_documents)) @ counts).T)


@dataclass(frozen=True)
class DocumentSeeds:
    """Initial counts (words × topics) from documents, made dense only for the rows that are read, as in
    `seeds[10:20]`.

    `base` (words): a part that all topics have; `own`: the counts of each topic's documents.
    """

    base: Array  # words
    own: csr_matrix  # words × topics

    @property
    def shape(self) -> tuple[int, int]:
        return _shape(self.own)

    def __getitem__(self, rows: slice) -> Array:
        counts: Array = self.own[rows].toarray()
        counts += self.base[rows, None]
        return counts


@dataclass(frozen=True)
class NoiseSeeds:
    """Initial counts (words × topics) drawn at random as the model prescribes, computed only for the rows
    that are read, as in `seeds[10:20]`.

    `tokens`: the sum of all counts.
    """

    model: Model
    words: Sequence[str]
    n_topics: int
    tokens: float
    seed: int

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.words), self.n_topics

    def __getitem__(self, rows: slice) -> Array:
        some = self.words[rows]
        return self.model.seed(some, self.tokens * (len(some) / max(1, len(self.words))), self.seed)


@dataclass(frozen=True)
class PathSeeds:
    """Initial counts for a tree of concepts (paths × topics). A path leads through the tree to a word, and a
    word has a path for each meaning; its counts are divided equally among them.

    `words`: the word of each path.
    """

    seeds: DocumentSeeds | NoiseSeeds
    words: NDArray[np.int64]  # ascending

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.words), self.seeds.shape[1]

    def __getitem__(self, rows: slice) -> Array:
        words = self.words[rows]
        if not len(words):
            return np.empty((0, self.shape[1]))
        first, last = int(words[0]), int(words[-1]) + 1
        paths = np.searchsorted(self.words, words, "right") - np.searchsorted(self.words, words)
        return self.seeds[first:last][words - first] / paths[:, None]


def _meanings(model: TopicModel) -> csr_matrix | None:
    """Which meanings each word has (words × meanings), by the tree of concepts: each row has equal shares
    that sum to one. None if the model has no concepts.
    """
    meanings, words = model.words.row_meanings(), model.words.row_words()
    if meanings is None or words is None:
        return None
    shares = 1.0 / np.bincount(words)[words]
    return csr_matrix((shares, (words, meanings)))


def _leans(priors: Iterable[Array], weights: Array) -> Iterator[Array]:
    """For each topic of the guide, a unit vector (words) that points to its seed words, to find documents
    similar to it.

    priors: the eta of each of these topics (words), larger for seed words; weights (words): the idf by which
    documents' words are weighted too.
    """
    for eta in priors:
        lean = (eta - eta.min()) * weights
        yield lean / max(float(np.linalg.norm(lean)), 1e-12)


def _linked(counts: csr_matrix, parts: Sequence[slice], n_topics: int) -> NDArray[np.bool_]:
    """Which documents can start a topic: those with words in every language, or all documents if too few
    have.

    parts: the columns of each language in `counts` (documents × words).
    """
    sides = [np.asarray(counts[:, part].sum(axis=1)).ravel() > 0 for part in parts]
    linked = np.logical_and.reduce(sides)
    return linked if linked.sum() >= 2 * n_topics else np.ones(len(linked), np.bool_)


def _unit_tf_idf(counts: csr_matrix) -> tuple[csr_matrix, Array]:
    """Weight documents' words by tf-idf, (1 + log n) log(D / df). Returns the documents as rows of length one
    (or zero), and log(D / df) of each word.
    """
    n_documents, n_words = _shape(counts)
    idf = np.log(n_documents / np.maximum(np.bincount(counts.indices, minlength=n_words), 1))
    weighted = counts.copy()
    weighted.data = 1.0 + np.log(np.maximum(weighted.data, 1e-3)).clip(-0.9)
    weighted = csr_matrix(weighted @ diags_array(idf))
    length = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    return csr_matrix(diags_array(1.0 / np.maximum(length, 1e-12)) @ weighted), idf


class _Likeness:
    """Computes the similarity (cosine of tf-idf) of some documents to all documents.

    vectors: documents × words, rows of length one.
    """

    def __init__(self, vectors: csr_matrix) -> None:
        self.vectors, self.by_word = vectors, vectors.tocsc()

    def of(self, documents: NDArray[np.int64]) -> Array:
        """Similarity of the given documents (rows) to all documents (columns)."""
        own, other = self.vectors, self.by_word
        found = np.empty((len(documents), len(own.indptr) - 1))
        parts = own.indptr, own.indices, own.data, other.indptr, other.indices, other.data
        fill_likeness(*parts, documents, found)
        return found


def _nearest(likeness: Array, n: int) -> NDArray[np.int64]:
    """The numbers of the n documents with the greatest similarity, most similar first; ties in order of
    number.
    """
    bound = np.partition(likeness, len(likeness) - n)[len(likeness) - n]
    near = np.flatnonzero(likeness >= bound)
    return near[np.argsort(-likeness[near], kind="stable")][:n]


def _seeds(
    likeness: _Likeness,
    leans: Iterable[Array],
    eligible: NDArray[np.bool_],
    n_topics: int,
    generator: np.random.Generator,
) -> list[NDArray[np.float64]]:
    """Choose a seed for each topic, as in k-means++. Returns the similarity of every document to each seed.

    The first seeds are the vectors in `leans` (from the guide). The others are documents: each time, `TRIALS`
    candidates are drawn among `eligible` documents, far ones more probably, and the one is chosen that leaves
    the smallest total distance of documents to their nearest seed.
    """
    chosen = [np.asarray(likeness.vectors @ lean) for lean in leans]
    if not chosen:
        chosen = list(likeness.of(np.flatnonzero(eligible)[[generator.integers(eligible.sum())]]))
    far = np.maximum(0.0, 1.0 - np.max(chosen, axis=0))
    while len(chosen) < n_topics:
        odds = far**2 * eligible
        odds = odds / odds.sum() if odds.sum() > 1e-12 else eligible / eligible.sum()
        n_documents = len(odds)
        candidates = generator.choice(n_documents, TRIALS, p=odds)
        found = likeness.of(candidates)
        left = 1.0 - found
        np.clip(left, 0.0, far, out=left)
        best = int(left.sum(axis=1).argmin())
        chosen.append(found[best].copy())  # a view would keep the other candidates
        far = left[best]
    return chosen


def _shape(matrix: csr_matrix) -> tuple[int, int]:
    rows, columns = matrix.shape or (0, 0)
    return int(rows), int(columns)
