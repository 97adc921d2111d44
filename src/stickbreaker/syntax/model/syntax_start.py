"""What variational runs of the syntactic topic model start from: a short chain on a part of the documents."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array, Record
from stickbreaker.corpus.sequences import Trees
from stickbreaker.corpus.source import Source
from stickbreaker.syntax import purposes
from stickbreaker.syntax.model.ordered_trees import ordered_trees
from stickbreaker.syntax.model.syntax_chain import SyntaxChain
from stickbreaker.syntax.model.syntax_model import SyntaxModel, new_report, params_of
from stickbreaker.syntax.model.syntax_weights import Concentrations, document_sums

SWEEPS = 50  # of the chain
NODES = 100_000  # that it reads at least, or all there are
PIECE = 64  # documents that are read together


class SyntaxStart(NamedTuple):
    """What a run begins with: `Engine.start(model, counts)`, and `first_state(params)`."""

    params: Record
    counts: Array  # words × topics


def initialise(
    model: SyntaxModel, source: Source, seed: int, threads: int = 1, sweeps: int = SWEEPS, nodes: int = NODES
) -> SyntaxStart:
    """The state of a Gibbs chain after `sweeps` sweeps over random documents of at least `nodes` nodes (or
    over all), its counts scaled to all documents that `source` learns from.

    From random counts a variational run ends far worse: it gives up most topics in its first passes.
    """
    trees = random_documents(source, seed, nodes)
    part = ordered_trees(trees)
    chain = SyntaxChain(part, model.n_words, model.prior, seed)
    for number in range(sweeps):
        chain.sweep(number, threads)
    scale = source.n_documents / max(1, part.n_documents)
    state, counts = chain.state, chain.counts()
    now = Concentrations(state.tau, float(state.alpha_documents), float(state.alpha_transitions))
    report = new_report(part.n_documents, 0, model.prior.n_topics)._replace(
        counts=counts.documents.astype(float), transitions=counts.transitions.astype(float)
    )
    pi = np.exp(state.log_pi - state.log_pi.max(axis=1, keepdims=True))
    pi /= pi.sum(axis=1, keepdims=True)
    theta = np.exp(state.log_theta - state.log_theta.max(axis=1, keepdims=True))
    shapes = now.alpha_documents * now.tau
    theta *= shapes.sum() / theta.sum(axis=1, keepdims=True)
    report.pulls[:] = counts.heads / np.maximum(theta @ pi.T, 1e-300)
    report.rates[:] = 1.0 + report.pulls @ pi
    sums = document_sums(report, shapes, model.prior)
    params = params_of(now, {name: scale * values for name, values in sums.items()})
    return SyntaxStart(params, scale * counts.words.astype(float))


def random_documents(source: Source, seed: int, nodes: int) -> Trees:
    """Random documents to learn from, in random order, until they have at least `nodes` words; or all."""
    parts: list[Trees] = []
    for window in source.windows(stream(seed, purposes.SYNTAX_PART)):
        for first in range(0, len(window), PIECE):
            numbers: NDArray[np.int64] = np.sort(window[first : first + PIECE])
            parts.append(source.read(numbers))
            if sum(len(part.words) for part in parts) >= nodes:
                return Trees.join(parts)
    return Trees.join(parts)
