"""How near a learned alpha, and the topics learned with it, are to the truth: planted topics, by inference.

Documents are drawn from LDA (8 topics of 300 words, eta .1), from ten words each to a hundred, and from three
topics that share a third of their words. `make bench WHAT=alpha` runs it: some five minutes. The tables are
printed row by row and kept in bench-results/.
"""

import argparse
import time
from typing import Any, NamedTuple

import numpy as np
from benchmarks.harness import Report, options, run
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix

from stickbreaker import LDA
from stickbreaker.contracts.contract import Step
from stickbreaker.corpus.shards import Bags, shard_of
from stickbreaker.testing import plant_topics
from stickbreaker.testing.planted import Planted
from stickbreaker.topics.model.priors.dirichlet import DirichletPrior
from stickbreaker.topics.model.slots import TopicView
from stickbreaker.topics.model.solvers.hybrid import Hybrid

CELLS = ((10, 4000, 0.1), (10, 4000, 0.5), (10, 4000, 1.0), (30, 2000, 1.0), (100, 1000, 0.5))
SHARED = ((200, 0.3), (200, 1.0), (1000, 0.3), (1000, 1.0))  # words per document, alpha
INFERENCES: dict[str, dict[str, Any]] = {
    "gibbs": {"inference": "gibbs", "max_iter": 300},
    "mean-field": {},
    "hybrid": {"inference": "hybrid"},
}
ROUNDS, SWEEPS = 40, 5  # of maximising alpha with the topics held fixed
OWN = "Topics of their own words"
LEARNED = (
    *("words", "documents", "true alpha", "inference", "alpha", "smallest", "largest", "sampled"),
    *("distance, alpha fixed", "distance", "largest share", "passes", "CPU s"),
)


class Found(NamedTuple):
    """A model of planted documents: its mean distance to the true topics, half the sum of absolute
    differences, and the CPU seconds it took."""

    model: LDA
    distance: float
    seconds: float


def measure(report: Report, args: argparse.Namespace) -> None:
    seeds = (0, 1, 2) if args.full else (0, 1)
    note = f"Means over {len(seeds)} seeds."
    report.section(OWN, f"{note} Sampled: alpha by sampling documents, given mean-field's topics.", LEARNED)
    for length, n_documents, alpha in CELLS:
        planted = [
            plant_topics(n_documents, 8, 300, length, alpha=alpha, eta=0.1, seed=seed) for seed in seeds
        ]
        compare(report, planted, alpha)
    report.section("Topics that share words", f"{note} 1,000 documents, 3 topics.", LEARNED)
    for length, alpha in SHARED:
        compare(report, [plant_shared(length, alpha, seed) for seed in seeds], alpha)


def compare(report: Report, planted: list[Planted], alpha: float) -> None:
    """Rows for documents of one kind: one for each inference."""
    for name, settings in INFERENCES.items():
        fixed = [found(each, seed, alpha=alpha, **settings) for seed, each in enumerate(planted)]
        learned = [found(each, seed, alpha="learned", **settings) for seed, each in enumerate(planted)]
        alphas = np.array([each.model.alpha_ for each in learned])
        row = {
            "words": int(planted[0].counts.sum(1)[0, 0]),
            "documents": len(planted[0].theta),
            "true alpha": alpha,
            "inference": name,
            "alpha": float(alphas.mean()),
            "smallest": float(alphas.min(axis=1).mean()),
            "largest": float(alphas.max(axis=1).mean()),
            "distance, alpha fixed": mean(each.distance for each in fixed),
            "distance": mean(each.distance for each in learned),
            "largest share": mean(max(each.model.topic_shares_) for each in learned),
            "passes": mean(each.model.n_iter_ for each in learned),
            "CPU s": mean(each.seconds for each in learned),
        }
        if name == "mean-field" and report.title == OWN:
            pairs = zip(learned, planted, strict=True)
            row["sampled"] = mean(sampled_alpha(each.model, data) for each, data in pairs)
        report.row(row)


def mean(values: Any) -> float:
    """The mean of some numbers."""
    return float(np.mean(list(values)))


def found(planted: Planted, seed: int, **settings: Any) -> Found:
    """Learn topics, with as many as there are and the true eta."""
    start = time.process_time()
    model = LDA(len(planted.topics), eta=0.1, random_state=seed, n_jobs=1, **settings).fit(planted.counts)
    seconds = time.process_time() - start
    distances = np.abs(model.topic_word_[:, None] - planted.topics[None]).sum(2) / 2.0
    return Found(model, float(distances[linear_sum_assignment(distances)].mean()), seconds)


def plant_shared(length: int, alpha: float, seed: int) -> Planted:
    """Documents of three topics with .7 of the words of their own, and the rest the same in all."""
    own = plant_topics(1, 4, 300, 1, eta=0.1, seed=seed).topics
    topics = 0.7 * own[:3] + 0.3 * own[3]
    generator = np.random.default_rng(seed)
    theta = generator.dirichlet(np.full(3, alpha), 1000)
    counts = np.array([generator.multinomial(length, row / row.sum()) for row in theta @ topics])
    return Planted(csr_matrix(counts.astype(np.float64)), topics, theta, np.full(3, alpha))


def sampled_alpha(model: LDA, planted: Planted) -> float:
    """The symmetric alpha that makes the documents most probable, with the model's topics held fixed: by
    rounds of sampled counts of all documents, and a step of the likelihood of these."""
    X, words = planted.counts.tocsr(), np.ascontiguousarray(model.topic_word_.T)
    X.sort_indices()
    bags = Bags(
        X.indptr.astype(np.int64),
        X.indices.astype(np.int32),
        X.data.astype(np.float32),
        np.zeros(len(planted.theta), np.float32),
    )
    shard = shard_of(bags, np.arange(len(planted.theta)), len(words))
    most = words.max(axis=1, keepdims=True)
    weights, log_scale = (words / most).astype(np.float32), np.log(most[:, 0])
    prior = DirichletPrior((0.3,) * words.shape[1], learned=True, symmetric=True)
    params, solver = prior.start(), Hybrid(SWEEPS, SWEEPS)
    for number in range(ROUNDS):
        view = TopicView(weights, log_scale, None, prior.prior(params))
        _, stats = solver.infer(view, shard, None, number)
        step = Step(number, 1.0, 1.0, number * stats.documents)
        params = {**params, **prior.update(params, stats.usage, stats.documents, step)}
    return float(params["alpha"].values[0])


if __name__ == "__main__":
    run("alpha", "Learned alpha", options(__doc__, "three seeds; eight minutes"), measure)
