"""Documents drawn from known topics (bars, the HDP itself), a batch at a time, and the NIPS papers."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from reproduce.texts import cut, texts
from scipy.sparse import csr_matrix

from stickbreaker import Analysis, Corpus, VocabularyRule
from stickbreaker.core.random_streams import stream
from stickbreaker.corpus.shards import Bags

Array = NDArray[np.float64]
NIPS_WORDS = 13_649  # the paper's vocabulary
NIPS_TEST = 348  # of 1,740 papers
LEFT = 1e-6  # of the stick: the topics in it would have no token in the largest of these corpora


class World(NamedTuple):
    """Where documents are drawn from: topics (K × V), the Dirichlet's parameters of shares (K), tokens per
    document, the seed."""

    topics: Array
    alpha: Array
    length: int
    seed: int


class Batch(NamedTuple):
    """Documents × words, and the tokens of each topic in them."""

    counts: csr_matrix
    topic_tokens: NDArray[np.int64]


def bars(alpha: float, side: int = 10, length: int = 250, seed: int = 0) -> World:
    """A topic for each row and each column of a square of words, all its words alike (Griffiths and
    Steyvers 2004); shares are Dirichlet(alpha, ..., alpha).

    >>> bars(0.05, side=2).topics.tolist()
    [[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5], [0.5, 0.0, 0.5, 0.0], [0.0, 0.5, 0.0, 0.5]]
    """
    square = np.eye(side)
    rows, columns = np.kron(square, np.ones(side)), np.kron(np.ones(side), square)
    return World(np.vstack([rows, columns]) / side, np.full(2 * side, alpha), length, seed)


def hdp(gamma: float, alpha: float, eta: float, n_words: int, length: int, seed: int) -> World:
    """A draw from the HDP's prior: beta ~ GEM(gamma), topics ~ Dirichlet(eta); shares ~ DP(alpha beta).

    The stick is broken until a millionth of it is left, which goes to the last topic.

    >>> world = hdp(gamma=2.0, alpha=1.0, eta=0.1, n_words=5, length=9, seed=0)
    >>> world.topics.shape == (len(world.alpha), 5)
    True
    """
    generator = stream(seed, "HDP")
    weights: list[float] = []
    left = 1.0
    while left > LEFT:
        weights.append(left * generator.beta(1.0, gamma))
        left -= weights[-1]
    weights[-1] += left
    topics = generator.dirichlet(np.full(n_words, eta), len(weights))
    return World(topics, alpha * np.array(weights), length, seed)


def draw(world: World, n_documents: int, purpose: str, number: int = 0) -> Batch:
    """`n_documents` documents, which depend on the world's seed, `purpose` and `number` alone.

    So a stream of any length is drawn batch by batch, and drawn again for a second pass; memory is that of a
    batch.
    """
    generator = stream(world.seed, purpose, number)
    theta = generator.gamma(np.broadcast_to(world.alpha, (n_documents, len(world.alpha))))
    tokens = generator.multinomial(world.length, theta / theta.sum(axis=1, keepdims=True))
    documents, words = [], []
    for topic in np.flatnonzero(tokens.any(axis=0)).tolist():
        owners = np.repeat(np.arange(n_documents), tokens[:, topic])
        ladder = np.cumsum(world.topics[topic])
        documents.append(owners)
        words.append(np.searchsorted(ladder, generator.random(len(owners)) * ladder[-1], side="right"))
    rows, columns = np.concatenate(documents), np.concatenate(words)
    counts = csr_matrix((np.ones(len(rows)), (rows, columns)), (n_documents, world.topics.shape[1]))
    return Batch(counts, tokens.sum(axis=0))


def in_use(topic_tokens: NDArray[Any], share: float = 1e-4) -> NDArray[np.int64]:
    """The topics with a token at least and that share of all: the library's own rule.

    >>> in_use(np.array([0, 1, 30_000])).tolist()
    [2]
    """
    return np.flatnonzero((topic_tokens >= 1) & (topic_tokens >= share * topic_tokens.sum()))


def nips(documents: int | None = None) -> tuple[Corpus, Corpus]:
    """The papers to learn from and to score, 1,392 and 348; or the first `documents` of the former.

    Words are runs of three letters or more, lower-cased, without stop words; the vocabulary has the 13,649
    most frequent, as many as the paper's.
    """
    papers = texts("NIPS")
    analysis = Analysis(token_pattern=r"\p{L}+", min_length=3, segmentation="pattern")
    rule = VocabularyRule(min_documents=1, max_share=1.0, size=NIPS_WORDS)
    whole = Corpus.from_texts(papers, analysis=analysis, rule=rule)
    test, train = cut(list(range(len(papers))), NIPS_TEST / len(papers))
    counts = counts_of(whole)
    words = whole.vocabulary.words
    return Corpus.from_matrix(counts[train[:documents]], words), Corpus.from_matrix(counts[test], words)


def counts_of(corpus: Corpus) -> csr_matrix:
    """A corpus as documents × words."""
    bags = Bags.join([corpus.bags(block) for block in range(len(corpus.block_sizes))])
    return csr_matrix((bags.counts, bags.words, bags.offsets), (corpus.n_documents, corpus.n_words))
