"""Coherence: whether a topic's top words occur together. NPMI, UMass and C_v, from co-occurrence counts."""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickbreaker.core.arguments import refuse_other_number, rows_in
from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.blocks import Entries
from stickbreaker.corpus.shards import Bags, entries_of_documents
from stickbreaker.corpus.vocabulary import language_of
from stickbreaker.estimators.given_documents import as_corpus
from stickbreaker.topics.evaluation.cooccurrence import Meetings, Tokens

WINDOW = 110  # tokens in a window of C_v (Röder et al. 2015)
TEXT_WINDOW = 200  # tokens in a window of NPMI
EPSILON = 1e-12  # added by C_v to the probability of a pair (ibid.)
PRIOR = 0.1  # windows that smoothed NPMI adds to those with a pair, and to those expected by chance


class Coherence(NamedTuple):
    """A measure of coherence for some topics: its value for each (`per_topic`), the `mean`, and how many
    pairs of top words never co-occur.
    """

    per_topic: NDArray[np.float64]
    mean: float
    unseen_pairs: int


class Coherences(NamedTuple):
    """The measures of coherence for the same topics, and the numbers of documents (for UMass), of windows
    (for C_v) and of longer windows of text (`texts`, for NPMI) in which words were counted. `smoothed`: NPMI
    for few documents, in which each pair is as likely as by chance until these say otherwise.

    `ordered`: the corpus has its tokens in order, so that windows are known; otherwise each document counts
    as one.
    """

    npmi: Coherence
    umass: Coherence
    c_v: Coherence
    documents: int
    windows: int
    ordered: bool
    texts: int
    smoothed: Coherence


def coherence(
    top_words: Sequence[Sequence[str]],
    corpus: Corpus | object,
    window: int = WINDOW,
    language: str | None = None,
    documents: Callable[[int], NDArray[np.int64]] | None = None,
) -> Coherences:
    """NPMI, UMass, C_v and smoothed NPMI of topics' top words, from one pass over a reference corpus; words
    are matched by spelling.

    `top_words`: for each topic the same number of words, two or more, most probable first. `corpus`: one, or
    texts, tokens, a table or a matrix, of which one is made. All its tokens count, whatever its vocabulary;
    they should be analysed like the topics' texts. NPMI counts windows of 200 consecutive tokens (a shorter
    document is one), so that long documents say no less than short ones; UMass counts documents, and C_v
    windows of `window` tokens. If the corpus has no order of tokens, all count documents. `language`: for a
    polylingual corpus, count only this language's part of each document; documents without such a part are
    left out. `documents`: a function from the number of a block to the positions of the documents in it that
    are counted; None: all. Raises UserError without documents or
    pairs, and for a string in place of a topic's words.

    >>> corpus = Corpus.from_tokens([["river", "bank"], ["river", "bank"], ["money"]])
    >>> coherence([["river", "bank"], ["bank", "money"]], corpus).npmi.per_topic
    array([ 1., -1.])
    """
    refuse_other_number("window", window)
    words, corpus = TopWords(top_words, language), as_corpus(corpus)
    top, whole, windows = words.top, Meetings(words.texts.n_words), Meetings(words.texts.n_words)
    for block in range(len(corpus.block_sizes)):
        chosen = None if documents is None else documents(block)
        tokens = words.add(corpus.source.entries(block), chosen)
        whole.add_documents(tokens)
        if corpus.ordered:
            windows.add_windows(tokens, window)
    counted = windows if corpus.ordered else whole
    return Coherences(
        words.npmi(),
        _umass(top, whole),
        _c_v(top, counted),
        whole.total,
        counted.total,
        corpus.ordered,
        words.texts.total,
        words.smoothed_npmi(),
    )


class TopWords:
    """Counts in how many windows of 200 words the topics' top words, and pairs of them, occur, to compute
    NPMI; in how many documents, if their words have no order. Documents are added block by block.

    Arguments and errors as for `coherence`.
    """

    def __init__(self, top_words: Sequence[Sequence[str]], language: str | None = None) -> None:
        if not isinstance(top_words, Iterable):
            problem = f"top_words is of the class {type(top_words).__name__}, not lists of words"
            raise UserError(problem, remedy="give model.top_words(10), or coherence_of(model, documents)")
        if isinstance(top_words, str) or any(isinstance(topic, str) for topic in top_words):
            problem = "top_words has a string where a topic's list of words belongs"
            raise UserError(problem, remedy='give a list for each topic, as [["graph", "trees"]]')
        top_words = rows_in("top_words", top_words, "the words of each topic, as [['graph', 'trees']]")
        distinct = dict.fromkeys(word for topic in top_words for word in topic)
        self.language = language
        self.column = {word: n for n, word in enumerate(distinct)}
        if len({len(topic) for topic in top_words}) > 1:
            raise UserError(
                "topics have different numbers of top words", remedy="give the same number for each topic"
            )
        self.top = np.array([[self.column[word] for word in topic] for topic in top_words], np.int64)
        _check(self.top.shape)
        self.texts = Meetings(len(self.column))

    def add(self, entries: Entries, chosen: NDArray[np.int64] | None = None) -> Tokens:
        """Count a block of documents, or only those at the positions `chosen`; with a language, only its
        tokens, and only documents that have some. Returns these documents' tokens as numbers of the top
        words, -1 for other words.
        """
        if chosen is not None:
            offsets, places = entries_of_documents(entries.offsets, chosen)
            weights = None if entries.weights is None else entries.weights[places]
            entries = Entries(offsets, entries.codes[places], entries.spelled, weights)
        tokens = _tokens_of(entries, self.column, self.language)
        if entries.weights is None:
            self.texts.add_windows(tokens, TEXT_WINDOW)
        else:
            self.texts.add_documents(tokens)
        return tokens

    def plus(self, other: "TopWords") -> "TopWords":
        """A new object with the counts of this one and of `other`, which has counted other documents for the
        same top words. Both stay unchanged.
        """
        both = copy.copy(self)
        both.texts = self.texts.plus(other.texts)
        return both

    def npmi(self) -> Coherence:
        """NPMI of each topic. Raises UserError if nothing was counted."""
        return _npmi(self.top, self.texts)

    def smoothed_npmi(self) -> Coherence:
        """Smoothed NPMI of each topic, for few documents (`smoothed_npmi_of`). Raises UserError if nothing
        was counted.
        """
        first, second = np.triu_indices(self.top.shape[1], 1)
        return smoothed_npmi_of(self.top[:, first], self.top[:, second], self.texts)


def _tokens_of(entries: Entries, column: Mapping[str, int], language: str | None) -> Tokens:
    """The tokens of a block of documents as column numbers; -1 for words without a column.

    column: the number of each word of interest. With `language`, all other tokens are removed, and then
    documents that have none left.
    """
    words = entries.words()
    columns = np.fromiter((column.get(word, -1) for word in words), np.int64, len(words))
    if language is None:
        return Tokens(entries.offsets, columns[entries.codes])
    spoken = np.fromiter((language_of(word) == language for word in words), np.bool_, len(columns))
    kept = spoken[entries.codes]
    offsets = np.concatenate([[0], np.cumsum(kept)])[entries.offsets]
    return Tokens(np.unique(offsets), columns[entries.codes[kept]])  # equal offsets: an empty document


def npmi(top_words: ArrayLike, blocks: Iterable[Bags], n_words: int) -> Coherence:
    """Mean over the pairs of a topic's top words of log(p_ij / p_i p_j) / -log p_ij, in [-1, 1] (Bouma 2009).

    `top_words` (K × N, integers below `n_words`), N at least 2, usually 10; `blocks`: the documents of the
    reference corpus, read once; p are shares of documents with the word or both words. There is no smoothing
    but limits: a pair that never co-occurs counts -1, also if one of its words never occurs; a pair in every
    document counts 0. The result is never NaN. Memory: the co-occurring pairs of distinct top words. Raises
    UserError without documents or pairs.

    >>> bags = Bags(np.array([0, 2, 3]), np.array([0, 1, 2]), np.ones(3), np.zeros(2))
    >>> npmi([[0, 1], [0, 2]], [bags], 3).per_topic
    array([ 1., -1.])
    """
    distinct, top = distinct_words(top_words, n_words)
    return _npmi(top, in_documents(distinct, blocks, n_words))


def umass(top_words: ArrayLike, blocks: Iterable[Bags], n_words: int) -> Coherence:
    """Mean over pairs of log((D_ij + 1) / D_j), word j before word i (Mimno et al. 2011, who take the sum).

    Arguments as for `npmi`, words by descending probability; D counts documents. At most log 2, higher is
    better. If word j never occurs, the pair counts log(1 / D), the worst possible value.

    >>> bags = Bags(np.array([0, 2, 3]), np.array([0, 1, 0]), np.ones(3), np.zeros(2))
    >>> umass([[0, 1]], [bags], 2).per_topic  # log((1 + 1) / 2)
    array([0.])
    """
    distinct, top = distinct_words(top_words, n_words)
    return _umass(top, in_documents(distinct, blocks, n_words))


def c_v(top_words: ArrayLike, texts: Iterable[Tokens], n_words: int, window: int = WINDOW) -> Coherence:
    """C_v of Röder, Both and Hinneburg (2015), at most 1: whether the top words co-occur with the same other
    top words.

    Arguments as for `npmi`, but the documents are `Tokens` in order. Probabilities are shares of windows of
    `window` consecutive tokens. Each top word has a vector of its NPMI with all top words of the topic
    (itself included; 1e-12 is added to p_ij; power 1); the score is the mean cosine between a word's vector
    and the sum of all. A word that never occurs, or is in every window, counts 0.

    >>> texts = Tokens(np.array([0, 2, 4]), np.array([0, 1, 2, 3]))
    >>> c_v([[0, 1]], [texts], 4).per_topic.round(6)
    array([1.])
    """
    distinct, top = distinct_words(top_words, n_words)
    refuse_other_number("window", window)
    column = _columns(distinct, n_words)
    windows = Meetings(len(distinct))
    for tokens in texts:
        windows.add_windows(Tokens(tokens.offsets, column[tokens.words]), window)
    return _c_v(top, windows)


def in_documents(distinct: NDArray[np.int64], blocks: Iterable[Bags], n_words: int) -> Meetings:
    """Count in how many documents each of these words, and each pair of them, occurs.

    distinct: word numbers below `n_words`. In the result, each word is numbered by its position in
    `distinct`.
    """
    column, meetings = _columns(distinct, n_words), Meetings(len(distinct))
    for bags in blocks:
        meetings.add_documents(Tokens(bags.offsets, column[bags.words]))
    return meetings


def _columns(distinct: NDArray[np.int64], n_words: int) -> NDArray[np.int64]:
    """(n_words + 1,) For each word number, its position in `distinct`, or -1 if it is not there. The last
    entry is -1 too, so that word number -1 (unknown) can be looked up.
    """
    column = np.full(n_words + 1, -1, np.int64)
    column[distinct] = np.arange(len(distinct))
    return column


def distinct_words(top_words: ArrayLike, n_words: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct top words, ascending, and the index of each top word (K × N) among them.

    Raises UserError for words outside the vocabulary, or fewer than two per topic.
    """
    top = np.asarray(top_words, np.int64)
    _check(top.shape)
    if top.min() < 0 or top.max() >= n_words:
        raise UserError(f"a top word is outside the vocabulary of {n_words} words")
    distinct, position = np.unique(top, return_inverse=True)
    return distinct, position.reshape(top.shape)


def _check(shape: tuple[int, ...]) -> None:
    """Raise UserError unless there is at least one topic with two top words; `shape`: topics × top words."""
    if len(shape) != 2 or shape[0] < 1 or shape[1] < 2:
        raise UserError("coherence needs at least one topic with two top words")


def _total(meetings: Meetings) -> int:
    if not meetings.total:
        raise UserError("coherence needs documents")
    return meetings.total


def _npmi(top: NDArray[np.int64], documents: Meetings) -> Coherence:
    first, second = np.triu_indices(top.shape[1], 1)
    return npmi_of(top[:, first], top[:, second], documents)


def npmi_of(first: NDArray[np.int64], second: NDArray[np.int64], documents: Meetings) -> Coherence:
    """Mean NPMI per topic of given pairs of words.

    first, second (K × pairs): the words of each pair, as numbered in `documents`, which holds the counts.
    Raises UserError if no document was counted.
    """
    total = _total(documents)
    both, left, right = (counts / total for counts in documents.pairs(first, second))
    return _means(npmi_of_shares(both, left, right), both)


def smoothed_npmi_of(first: NDArray[np.int64], second: NDArray[np.int64], windows: Meetings) -> Coherence:
    """Mean NPMI per topic of given pairs of words, each as likely as by chance until windows say otherwise.

    In few documents most pairs of words never meet, whether the words belong together or not, and NPMI is -1
    for each. Here a pair's ratio p_ij / p_i p_j has a gamma prior of mean 1, and its posterior mean is taken,
    (n + a) / (m + a), where n windows have the pair, m = N p_i p_j would have it by chance, and a is `PRIOR`
    (a Poisson model as of DuMouchel 1999, with one gamma distribution). n and N are numbers of windows that
    do not overlap. A pair with a word that never occurs counts 0. Arguments and errors as for `npmi_of`.
    """
    total = _total(windows)
    both, left, right = (counts / total for counts in windows.pairs(first, second))
    by_chance = left * right
    ratio = (windows.apart * both + PRIOR) / (windows.apart * by_chance + PRIOR)
    together = ratio * by_chance
    scores = np.zeros(both.shape)
    inner = (together > 0.0) & (together < 1.0)
    scores[inner] = np.log(ratio[inner]) / -np.log(together[inner])
    return _means(np.maximum(scores, -1.0), both)


def npmi_of_shares(
    both: NDArray[np.float64], left: NDArray[np.float64], right: NDArray[np.float64]
) -> NDArray[np.float64]:
    """NPMI of pairs of words, from the shares of documents with both words, with the left and with the right
    one (arrays of one shape); -1 if no document has both, 0 if all have.
    """
    scores = np.where(both > 0, 0.0, -1.0)
    inner = (both > 0) & (both < 1)
    scores[inner] = np.log(both[inner] / (left[inner] * right[inner])) / -np.log(both[inner])
    return scores


def _umass(top: NDArray[np.int64], documents: Meetings) -> Coherence:
    total = _total(documents)
    before, after = np.triu_indices(top.shape[1], 1)
    both, given, _ = documents.pairs(top[:, before], top[:, after])
    return _means(np.log((both + 1) / np.where(given > 0, given, total)), both)


def _c_v(top: NDArray[np.int64], windows: Meetings) -> Coherence:
    total, (topics, size) = _total(windows), top.shape
    rows, columns = np.indices((size, size)).reshape(2, -1)
    both, left, right = (counts / total for counts in windows.pairs(top[:, rows], top[:, columns]))
    vectors = np.zeros(both.shape)
    finite = (left > 0) & (right > 0) & (both < 1)
    smoothed = both[finite] + EPSILON
    vectors[finite] = np.log(smoothed / (left[finite] * right[finite])) / -np.log(smoothed)
    vectors = vectors.reshape(topics, size, size)
    whole = vectors.sum(axis=1, keepdims=True)
    lengths = np.linalg.norm(vectors, axis=2) * np.linalg.norm(whole, axis=2)
    cosines = np.divide((vectors * whole).sum(axis=2), lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return _means(cosines, both.reshape(topics, size, size)[:, *np.triu_indices(size, 1)])


def _means(scores: NDArray[np.float64], both: NDArray[np.float64]) -> Coherence:
    per_topic = scores.mean(axis=1)
    return Coherence(per_topic, float(per_topic.mean()), int((both == 0).sum()))
