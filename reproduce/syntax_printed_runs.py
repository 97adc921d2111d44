"""The printed inference on a split of a treebank, scored as the others are."""

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from reproduce.syntax_printed import PrintedInference, Settings, infer_documents, means
from reproduce.syntax_printed_kernels import new_counts
from reproduce.syntax_runs import TOPICS, Plan, Run, corpora_of, scored

from stickbreaker.core.records import Array
from stickbreaker.corpus.sequences import Trees
from stickbreaker.syntax.kernels.tree_topics import Weights
from stickbreaker.syntax.kernels.word_predictions import predict_words
from stickbreaker.syntax.model.ordered_trees import OrderedTrees
from stickbreaker.syntax.tree_words import BLANK, TreeWords

PRINTED = "STM, as printed"
STARTS, SWEEPS, MORE_SWEEPS = 3, 40, 150
ROUNDS = 20  # of phi, omega and gamma of a new document
LEAST = 1e-300


class PrintedTopics(NamedTuple):
    """What was learned: trees are summed exactly at the means of theta, pi and beta."""

    inference: PrintedInference

    def mean_shares(self, seen: OrderedTrees) -> Array:
        """Documents × topics: E[theta] by the updates of documents alone."""
        found = self.inference
        prior = found.settings.alpha_documents * found.tau
        k, nodes = len(prior), seen.nodes
        gamma = prior + np.diff(nodes.offsets)[:, None] / k
        phi, omega = np.full((len(nodes.words), k), 1.0 / k), np.full(len(nodes.words), 1.0 / k)
        counts = new_counts(len(gamma), k, found.lambda_.shape[1])
        infer_documents(nodes, found.expected, prior, ROUNDS, gamma, phi, omega, counts)
        return means(gamma)

    def weights(self, shares: Array) -> Weights:
        """Means as the library's sums over trees want them."""
        log_theta, log_pi = (np.log(np.maximum(x, LEAST)) for x in (shares, means(self.inference.nu)))
        return Weights(log_theta, log_pi, np.ascontiguousarray(means(self.inference.lambda_).T))

    def log_words(
        self, trees: OrderedTrees, owners: NDArray[np.int64], seen: OrderedTrees, seed: int, threads: int = 1
    ) -> Array:
        """As `LearnedSyntax.log_words`; nothing is drawn."""
        nats = np.empty(len(trees.nodes.words))
        predict_words(trees.nodes, self.weights(self.mean_shares(seen)[owners]), nats)
        return nats


def learn_printed(plan: Plan, settings: Settings | None = None) -> Run:
    """Learn from several random starts, and score the one of the best bound."""
    train, test = corpora_of(plan)
    words = TreeWords(train.vocabulary, (), BLANK)
    nodes = words.ordered(Trees.join([train.trees(b) for b in range(len(train.block_sizes))])).nodes
    start, best, bound = time.process_time(), None, -np.inf
    for number in range(STARTS):
        found = PrintedInference(
            nodes, words.n_words, settings or Settings(TOPICS), STARTS * plan.number + number
        )
        for _ in range(plan.sweeps):
            found.sweep()
        reached = found.bound()
        if best is None or reached > bound:
            best, bound = found, reached
    seconds = time.process_time() - start
    assert best is not None
    used = int((best.counts.topics.sum(axis=0) >= 1.0).sum())
    known = int((nodes.words >= 0).sum())
    scores = scored(test, PrintedTopics(best), words, plan.number)
    return Run(plan, *scores, used, len(train.vocabulary), seconds, bound / known)
