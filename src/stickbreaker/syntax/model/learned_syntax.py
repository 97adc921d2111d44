"""A learned syntactic topic model: its samples, and predictions for new documents."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.core.records import Array, Record
from stickbreaker.syntax import purposes
from stickbreaker.syntax.kernels.shares_of_documents import Learned, sample_shares
from stickbreaker.syntax.kernels.tree_topics import Nodes, Weights, draw_topics
from stickbreaker.syntax.kernels.word_predictions import predict_words
from stickbreaker.syntax.model.ordered_trees import OrderedTrees
from stickbreaker.syntax.model.syntax_chain import KEPT, LEAST, refuse_numbers

BURN_IN, DRAWS = 5, 10  # sweeps over a new document: before draws are kept, and kept per sample


@dataclass(frozen=True, eq=False)
class LearnedSyntax:
    """A learned model: samples of its parameters, to describe topics and to infer new documents.

    Samples come from one or several chains. Variational inference gives a single one, its means. limit: the
    limiting case (`Prior.limit`). Draws of a document's shares depend only on the document and the seed.
    """

    log_pi: Array  # samples × topics + 1 × topics, roots last, not normalised
    beta: Array  # samples × words × topics; columns sum to one
    tau: Array  # samples × topics
    alpha_documents: Array  # (samples,)
    alpha_transitions: Array  # (samples,)
    transitions: Array  # samples × topics + 1 × topics: words by head's topic and own topic
    sigma: Array  # (samples,)
    tags: Array  # samples × topics × tags: words by their topic and tag
    limit: str
    own: int  # samples of the best chain, which come first and define the topics

    @classmethod
    def of(cls, params: Record, limit: str, chains: int = 1) -> "LearnedSyntax":
        """The learned model from params, such as those of `SyntaxChain.pooled`.

        chains: how many chains the samples are from, the best chain's first, each with the same number.
        Raises ValueError if arrays do not fit together or have impossible values.
        """
        held: JsonObject = {name: np.asarray(params[name].values, np.float64) for name in KEPT}
        samples, words, k = held["beta"].shape if held["beta"].ndim == 3 else (0, 0, 0)
        shapes = {
            "log_pi": (samples, k + 1, k),
            "beta": (samples, words, k),
            "tau": (samples, k),
            "alpha_documents": (samples,),
            "alpha_transitions": (samples,),
            "sigma": (samples,),
            "transitions": (samples, k + 1, k),
            "tags": (samples, k, held["tags"].shape[-1] if held["tags"].ndim == 3 else 0),
        }
        for name, shape in shapes.items():
            if held[name].shape != shape or not samples:
                raise ValueError(f"{name} has the wrong size")
            refuse_numbers(name, held[name])
        if np.abs(held["beta"].sum(axis=1) - 1.0).max(initial=0.0) > 1e-6:
            raise ValueError("the words of a topic do not sum to one")
        if samples % chains:
            raise ValueError("chains have different numbers of samples")
        return cls(**held, limit=limit, own=samples // chains)

    def of_best(self, values: Array) -> Array:
        """The mean of `values` (samples × …) over the samples of the best chain."""
        return values[: self.own].mean(axis=0)

    @cached_property
    def topic_words(self) -> Array:
        """(topics × words) p(word | topic): the mean of the best chain's samples; rows sum to one."""
        return self.of_best(self.beta).T

    @cached_property
    def topic_shares(self) -> Array:
        """(topics,) The share of each topic among the words learned from."""
        totals = self.of_best(self.transitions).sum(axis=0)
        return totals / max(1.0, float(totals.sum()))

    @cached_property
    def head_topics(self) -> Array:
        """(topics + 1 × topics) Rows: topics of heads; in a row, the shares of topics among their dependents.

        The last row is for roots. These are shares of counts: pi alone would be weakly identified, since it
        is multiplied by documents' shares. A row without counts is zero.
        """
        counted = self.of_best(self.transitions)
        return counted / np.maximum(counted.sum(axis=1, keepdims=True), 1e-300)

    @cached_property
    def topic_tags(self) -> Array:
        """(topics × tags) The share of each tag among a topic's words; zeros for a topic without words."""
        counted = self.of_best(self.tags)
        return counted / np.maximum(counted.sum(axis=1, keepdims=True), 1e-300)

    def shares(self, trees: OrderedTrees, seed: int) -> Array:
        """Expected topic shares of the words of documents (documents × topics), by the best chain.

        They are means over the chain's samples. A document without words has the prior mean.
        """
        mean = self.of_best(self.tau / self.tau.sum(axis=1, keepdims=True))
        counts, sizes = np.zeros((trees.n_documents, len(mean))), np.diff(trees.nodes.offsets)
        for sample in range(self.own):
            counts += self.expected_counts(trees, seed, sample) / self.own
        return np.where(sizes[:, None] > 0, counts / np.maximum(sizes, 1)[:, None], mean)

    def expected_counts(self, trees: OrderedTrees, seed: int, sample: int) -> Array:
        """(documents × topics) The expected number of a document's words of each topic, by one sample.

        It is a mean over draws. sample: the number of the sample whose parameters are used.
        """
        if self.limit != "itic":
            return self._draw_shares(trees, seed, sample)[0]
        counts, k = np.zeros((trees.n_documents, self.tau.shape[1])), self.tau.shape[1]
        even = np.zeros(counts.shape)
        for number in range(DRAWS):
            topics = np.empty(len(trees.documents), np.int32)
            keys = self._keys(trees, seed, sample * DRAWS + number)
            draw_topics(trees.nodes, Weights(even, self.log_pi[sample], self.beta[sample]), keys, topics)
            flat = np.bincount(trees.documents * k + topics, minlength=counts.size)
            counts += flat.reshape(counts.shape) / DRAWS
        return counts

    def log_theta(self, trees: OrderedTrees, seed: int, sample: int) -> Array:
        """Draw the log topic shares of documents given their words (documents × draws × topics).

        They are not normalised. sample: the number of the sample whose parameters are used. In the limit
        "itic", where documents have no shares, it is a single draw of zeros.
        """
        if self.limit == "itic":
            return np.zeros((trees.n_documents, 1, self.tau.shape[1]))
        return self._draw_shares(trees, seed, sample)[1]

    def draw_topics(self, trees: OrderedTrees, seed: int) -> NDArray[np.int32]:
        """Draw a topic for each word of documents (nodes,), by the best chain's last sample."""
        last, topics = self.own - 1, np.empty(len(trees.documents), np.int32)
        log_theta = np.ascontiguousarray(self.log_theta(trees, seed, last)[:, -1])
        keys = self._keys(trees, seed, -1)
        draw_topics(trees.nodes, Weights(log_theta, self.log_pi[last], self.beta[last]), keys, topics)
        return topics

    def topic_probabilities(
        self, trees: OrderedTrees, owners: NDArray[np.int64], seen: OrderedTrees, seed: int
    ) -> Array:
        """The posterior probabilities of words' topics (nodes × topics), by the best chain's last sample.

        trees: sentences, each as a document; seen: the documents that they belong to; owners: the document in
        `seen` of each sentence. A document's shares are drawn given `seen`, then topics of `trees` given the
        shares; probabilities are relative frequencies among 100 draws.
        """
        last, k = self.own - 1, self.tau.shape[1]
        log_theta = self.log_theta(seen, seed, last)
        counts, n = np.zeros((len(trees.nodes.words), k)), DRAWS * DRAWS
        topics, nodes = np.empty(len(counts), np.int32), np.arange(len(counts))
        for number in range(n):
            own = np.ascontiguousarray(log_theta[owners, number % log_theta.shape[1]])
            keys = numbered_keys(seed, purposes.SYNTAX_REPORT, number + 1, np.arange(trees.n_documents))
            draw_topics(trees.nodes, Weights(own, self.log_pi[last], self.beta[last]), keys, topics)
            counts[nodes, topics] += 1.0 / n
        return counts

    def _draw_shares(self, trees: OrderedTrees, seed: int, sample: int) -> tuple[Array, Array]:
        k = self.tau.shape[1]
        counts, log_theta = np.empty((trees.n_documents, k)), np.empty((trees.n_documents, DRAWS, k))
        shapes = np.maximum(self.alpha_documents[sample] * self.tau[sample], LEAST)
        learned = Learned(self.log_pi[sample], self.beta[sample], shapes)
        sample_shares(trees.nodes, learned, BURN_IN, self._keys(trees, seed, sample), counts, log_theta)
        return counts, log_theta

    def _keys(self, trees: OrderedTrees, seed: int, number: int) -> NDArray[np.uint64]:
        """The key of each document's random stream, from its words and heads, the seed and `number`."""
        return numbered_keys(seed, purposes.SYNTAX_SHARES, number, _content_numbers(trees.nodes))

    def log_words(
        self, trees: OrderedTrees, owners: NDArray[np.int64], seen: OrderedTrees, seed: int, threads: int = 1
    ) -> Array:
        """Predict the words of sentences: log p of each given those before it in preorder, in nats (nodes,).

        trees: the sentences, each as a document; seen: the documents that they belong to, from whose words
        topic shares are drawn; owners: the document in `seen` of each sentence. Probabilities are means over
        all samples and draws. A node without a word has 0.
        """
        n, firsts = len(trees.nodes.words), np.repeat(trees.nodes.offsets[:-1], np.diff(trees.nodes.offsets))

        def predict(sample: int) -> Array:
            """For one sample (2 × nodes): log p of the words before each node, and of these and its own word.

            p is summed over draws of the shares.
            """
            sums, nats = np.full((2, n), -np.inf), np.empty(n)
            log_theta = self.log_theta(seen, seed, sample)
            for draw in range(log_theta.shape[1]):
                own = np.ascontiguousarray(log_theta[owners, draw])
                predict_words(trees.nodes, Weights(own, self.log_pi[sample], self.beta[sample]), nats)
                so_far = np.append(0.0, np.cumsum(nats))
                np.logaddexp(sums, [so_far[:-1] - so_far[firsts], so_far[1:] - so_far[firsts]], out=sums)
            return sums

        sums, samples = np.full((2, n), -np.inf), range(len(self.tau))
        with ThreadPoolExecutor(threads) as pool:
            for first in samples[::threads]:  # only that many are in memory at a time
                for part in pool.map(predict, samples[first : first + threads]):
                    np.logaddexp(sums, part, out=sums)
        return sums[1] - sums[0]


def _content_numbers(nodes: Nodes) -> NDArray[np.int64]:
    """A number for each document, a hash of its words and their heads (documents,); it is the same for equal
    documents."""
    words, heads = (np.ascontiguousarray(part, "<i4") for part in (nodes.words, nodes.heads))
    found = np.empty(len(nodes.offsets) - 1, np.int64)
    for d, (first, last) in enumerate(
        zip(nodes.offsets[:-1].tolist(), nodes.offsets[1:].tolist(), strict=True)
    ):
        digest = hashlib.blake2b(words[first:last].tobytes() + heads[first:last].tobytes(), digest_size=8)
        found[d] = int.from_bytes(digest.digest(), "little", signed=True)
    return found
