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
from stickbreaker.syntax.model.syntax_chain import Counts, Prior, SyntaxChain
from stickbreaker.syntax.model.syntax_model import SyntaxModel, new_report, params_of
from stickbreaker.syntax.model.syntax_weights import Concentrations, document_sums

SWEEPS = 100  # of the chain
NODES = 200_000  # that it reads at least, or all there are
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

    From random counts a run gives up most topics in its first passes and ends far worse: on EWT, with 32
    topics, at -6.46 nats per word and a perplexity of 448, from this start at -6.22 and 370, from one on half
    of the documents at -6.28 and 384. The chain costs some 35 passes of the run over the same documents.
    """
    part = ordered_trees(random_documents(source, seed, nodes))
    chain = SyntaxChain(part, model.n_words, model.prior, seed)
    for number in range(sweeps):
        chain.sweep(number, threads)
    state, counts = chain.state, chain.counts()
    alphas = float(state.alpha_documents), float(state.alpha_transitions)
    now = Concentrations(state.tau, *alphas, float(state.sigma))
    scale = source.n_documents / max(1, part.n_documents)
    sums = {name: scale * values for name, values in sums_of_counts(counts, now, model.prior).items()}
    return SyntaxStart(params_of(now, sums), scale * counts.words.astype(float))


def sums_of_counts(counts: Counts, now: Concentrations, prior: Prior) -> dict[str, Array]:
    """What documents with these counts report (`SUMS`), if shares and transitions have the means of
    Dirichlets with their counts."""
    report = new_report(len(counts.documents), 0, prior.n_topics)._replace(
        counts=counts.documents.astype(float), transitions=counts.transitions.astype(float)
    )
    shapes, y = now.alpha_documents * now.tau, now.alpha_transitions * now.tau
    theta, pi = report.counts + shapes, report.transitions + y
    theta *= shapes.sum() / theta.sum(axis=1, keepdims=True)
    if prior.limit == "itic":
        theta = np.ones(theta.shape)
    if prior.limit == "hdp":
        pi = np.ones(pi.shape)
    pi = pi / pi.sum(axis=1, keepdims=True)
    report.pulls[:] = counts.heads / (theta @ pi.T)
    report.rates[:] = 1.0 + report.pulls @ pi
    return document_sums(report, shapes, prior)


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
