"""Scores over all strings: unknown words are spelled, letter by letter.

This makes models with open and closed vocabularies comparable, whatever words they know: every token is
scored, and each model's probabilities of all strings sum to one. Here, all unknown words share one more
column of the topics, since their relative probabilities are the same in every topic.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.arguments import refuse_no
from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.shards import Bags
from stickbreaker.corpus.text.analysis import Analysis
from stickbreaker.topics.evaluation.completion import completion_score, split_halves, unigram_score
from stickbreaker.topics.evaluation.corpus_scores import HeldOutScore, Topics, unigram_probabilities
from stickbreaker.topics.evaluation.given import as_open_topics
from stickbreaker.topics.evaluation.left_to_right import left_to_right_score, log_probability, refuse_weights

LogSpelling = Callable[[Sequence[str]], Array]


class OpenTopics(NamedTuple):
    """Topics with a probability for every string: p(w | k) = topic_word[k, w] + rest[k] · G0(w), where G0 is
    a distribution over all strings, by spelling.

    Rows of `topics.topic_word` (K × V) sum to 1 - `rest` (K); for strings outside the vocabulary the first
    term is 0. `log_spelling` returns log G0 of words, in nats.
    """

    topics: Topics
    rest: NDArray[np.floating]
    log_spelling: LogSpelling


class StringScore(NamedTuple):
    """A score of documents in which every token counts, since unknown words are predicted by their spelling.

    held_out: the score; unseen: the number of scored tokens whose words no topic has; spelling_nats: the log
    probability of their spelling (log G0), which is the part of the score's nats that is due to their
    letters.
    """

    held_out: HeldOutScore
    unseen: float
    spelling_nats: float


def with_one_more_word(
    topics: Topics, totals: NDArray[np.floating], eta: object, log_spelling: LogSpelling
) -> OpenTopics:
    """Make topics of a closed vocabulary comparable with open ones: in each topic, reserve the probability
    `rest`, which is spread over all strings by their spelling.

    The share is that of one more word that never occurred, eta / (totals + eta): `totals` (K) are sums
    of a topic's Dirichlet parameters, `eta` (a number, or an array whose median is used) is that of a word.
    All other shares shrink accordingly. `log_spelling`: as in `OpenTopics`. Raises UserError if topics are
    not distributions over single words: with several languages, or a hashed vocabulary, in which words share
    rows.

    >>> known = Topics(np.array([[0.5, 0.5]]), np.ones(1), Vocabulary.of(["a", "b"]), lambda bags: np.ones(1))
    >>> with_one_more_word(known, np.array([9.0]), 1.0, lambda words: np.zeros(len(words))).rest.tolist()
    [0.1]
    """
    if topics.vocabulary.languages or topics.vocabulary.hashed:
        kind = "several languages" if topics.vocabulary.languages else "hashed words"
        raise UserError(f"unseen words cannot be spelled for a model of {kind}", remedy="leave them ignored")
    share = float(np.median(np.asarray(eta, np.float64)))
    rest = share / (np.asarray(totals, np.float64) + share)
    shrunk = topics._replace(topic_word=topics.topic_word * (1.0 - rest[:, None]))
    return OpenTopics(shrunk, rest, log_spelling)


def completion_of_strings(
    topics: OpenTopics | object, corpus: Corpus | object, share: float = 0.5
) -> StringScore:
    """Document completion with all words of a corpus: like `completion_of`, but unknown words are scored too,
    by their spelling.

    Topics are inferred from the known words of the observed part. Which words are observed depends only on a
    document's words and counts, so it is the same for all models. Raises UserError without a word to score.
    """
    known, read = _given(topics, corpus)
    return _some(completion_of_string_blocks(known, read, range(len(read.block_sizes)), share))


def completion_of_string_blocks(
    topics: OpenTopics, corpus: Corpus, blocks: Sequence[int], share: float = 0.5
) -> StringScore:
    """`completion_of_strings` for the blocks of a corpus with these numbers. Results are sums, which can be
    added; they are 0 if there is no word to score.
    """
    table = _Table(topics, corpus, blocks)
    for block in blocks:
        observed, rest = split_halves(table.corpus.bags(block), share, table.words)
        if rest.counts.sum() > 0:
            theta = topics.topics.infer_in(corpus, block)(_known(table.through(observed), table.unknown))
            table.add(rest, completion_score(table.through(rest), theta, table.topic_word).nats)
    return table.score()


def _given(topics: OpenTopics | object, corpus: Corpus | object) -> tuple[OpenTopics, Corpus]:
    """What these functions take: open topics, or a model that has some, and a corpus. Raises UserError for
    anything else."""
    remedy = 'a Corpus, or texts to stickbreaker.evaluate(model, texts, unseen="spelled")'
    refuse_no("corpus", corpus, Corpus, remedy)
    return as_open_topics(topics), cast("Corpus", corpus)


def _some(scored: StringScore) -> StringScore:
    """The score unchanged; raises UserError if no word was scored."""
    if scored.held_out.tokens == 0.0:
        raise UserError("there is nothing to score", remedy="no document has a word")
    return scored


def left_to_right_of_strings(
    topics: OpenTopics | object, corpus: Corpus | object, particles: int = 20
) -> StringScore:
    """Left-to-right likelihood of all words of a corpus: like `left_to_right_of`, but unknown words are
    scored too, by their spelling.

    Raises UserError without a word to score, and for fractional weights.
    """
    topics, corpus = _given(topics, corpus)
    blocks = range(len(corpus.block_sizes))
    table, first = _Table(topics, corpus, blocks), 0
    for block in blocks:
        bags = table.corpus.bags(block)
        refuse_weights(bags, first)
        first += len(bags.unseen)
        if bags.counts.sum() > 0:
            through = table.through(bags)
            alpha = topics.topics.alpha
            scored = left_to_right_score(
                through, table.topic_word, alpha, particles, digests=table.column_digests
            )
            table.add(bags, scored.nats)
    return _some(table.score())


def log_probability_of_strings(topics: OpenTopics | object, corpus: Corpus | object) -> StringScore:
    """Log probability of all words of a corpus: like `log_probability`, but unknown words are scored too, by
    their spelling. The score is 0 if there are no words.
    """
    topics, corpus = _given(topics, corpus)
    blocks = range(len(corpus.block_sizes))
    table = _Table(topics, corpus, blocks)
    for block in blocks:
        bags = table.corpus.bags(block)
        scored = log_probability(
            table.through(bags),
            lambda rows: table.topic_word[:, rows],
            topics.topics.alpha,
            table.column_digests,
        )
        table.add(bags, scored.nats)
    return table.score()


class _Table:
    """Computes a score over all strings: documents of a corpus are added block by block with `add`, and
    `score` returns the sums.

    Its attribute `corpus` is read with a vocabulary of all words to score, `words`. `topic_word` (K × (V +
    1)): topics over the known words and one more column, number `unknown`, for all words that no topic has;
    rows sum to one. The probability of a certain word, given that the word is unknown, depends on its
    spelling (G0) and is the same in all topics. For the baseline, a unigram model, a word is unknown with the
    mean probability over topics, weighted by alpha.
    """

    def __init__(self, topics: OpenTopics, corpus: Corpus, blocks: Sequence[int]) -> None:
        known, alpha = topics.topics.vocabulary, topics.topics.alpha
        self.words = _words_of(corpus, known, blocks)
        self.corpus = corpus.with_vocabulary(Vocabulary.of(self.words))
        self.unknown = len(known)
        self.column_digests = np.append(known.digests, np.uint64(0))
        in_topics = topics.topics.topic_word.any(axis=0)
        rows = known.lookup(self.words)
        self._columns = np.where(np.append(in_topics, False)[rows], rows, self.unknown)
        spelled = np.where(in_topics, np.exp(topics.log_spelling(known.words)), 0.0)
        left = max(1.0 - float(spelled.sum()), 1e-300)
        self.topic_word = _with_column(topics.topics.topic_word, topics.rest, spelled, left)
        unigram, mean_rest = unigram_probabilities(known) * in_topics, topics.rest @ (alpha / alpha.sum())
        shares = unigram / max(unigram.sum(), 1e-300) * (1.0 - mean_rest)
        self._unigram = _with_column(shares[None, :], np.array([mean_rest]), spelled, left)[0]
        self._strange = self._columns == self.unknown
        strange = [self.words[i] for i in np.flatnonzero(self._strange)]
        self._letters = np.zeros(len(self.words))
        self._letters[self._strange] = topics.log_spelling(strange)
        self._log_left = float(np.log(left))
        self._nats = self._base = self._tokens = self._unseen = self._spelling = 0.0

    def through(self, bags: Bags) -> Bags:
        """The same documents with their words renumbered as columns of `topic_word`. Unknown words share a
        column, and their counts are added up.
        """
        from scipy.sparse import csr_array

        shape = (len(bags.unseen), self.unknown + 1)
        matrix = csr_array((bags.counts, self._columns[bags.words], bags.offsets), shape=shape, copy=True)
        matrix.sum_duplicates()
        words, counts = matrix.indices.astype(np.int32), matrix.data.astype(np.float32)
        return Bags(matrix.indptr.astype(np.int64), words, counts, bags.unseen)

    def add(self, bags: Bags, nats: float) -> None:
        """Add a block of documents to the score, with words numbered as in `words`.

        `nats`: the block's log probability with all unknown words treated as one word; that of their spelling
        is added here.
        """
        counts = bags.counts.astype(np.float64)
        unseen = float(counts[self._strange[bags.words]].sum())
        letters = float(counts @ self._letters[bags.words])
        which = letters - unseen * self._log_left
        self._nats += nats + which
        self._base += unigram_score(self.through(bags), self._unigram).nats + which
        self._tokens += float(counts.sum())
        self._unseen += unseen
        self._spelling += letters

    def score(self) -> StringScore:
        return StringScore(HeldOutScore(self._nats, self._base, self._tokens), self._unseen, self._spelling)


def _words_of(corpus: Corpus, known: Vocabulary, blocks: Sequence[int]) -> tuple[str, ...]:
    """All words to be scored in some blocks of a corpus, sorted by spelling: known words, and those that the
    analysis would admit to a vocabulary (so not stop words, for example).
    """
    found: set[str] = set()
    for block in blocks:
        found.update(corpus.source.entries(block).words())
    words = sorted(found - {""})
    if corpus.kind != "text" or not isinstance(corpus.analysis, Analysis):
        return tuple(words)
    counts = corpus.analysis.eligible(words) | (known.lookup(words) >= 0)
    return tuple(word for word, one in zip(words, counts.tolist(), strict=True) if one)


def _with_column(
    topic_word: NDArray[np.floating], rest: NDArray[np.floating], spelled: Array, left: float
) -> Array:
    """Topics over all strings, as an array K × (V + 1): a column for each known word, and one for all others.

    topic_word (K × V): probabilities of the known words; rest (K): the probability that each topic also
    spreads over all strings by their spelling. Of this, known words get the shares `spelled` (V), which are
    added to their columns, and the last column gets the share `left`.
    """
    wide = np.hstack([topic_word + rest[:, None] * spelled, (rest * left)[:, None]])
    return wide.astype(np.float64, copy=False)


def _known(bags: Bags, unknown: int) -> Bags:
    """The same documents without their unknown words, which all have the number `unknown`, the largest."""
    kept = bags.words < unknown
    offsets = np.concatenate([[0], np.cumsum(kept)])[bags.offsets].astype(np.int64)
    return Bags(offsets, bags.words[kept], bags.counts[kept], bags.unseen)
