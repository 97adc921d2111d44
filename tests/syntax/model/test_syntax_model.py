"""The syntactic topic model by variational inference: bound, steps, limits, runs on engines."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp, psi
from tests.oracle import syntax as oracle
from tests.syntax.planted_trees import TreesInMemory, planted_trees, shards_of
from tests.tiers import sampled

from stickbreaker.contracts.contract import Step
from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.core.records import Field, Stats, no_rows
from stickbreaker.corpus.sequences import Trees
from stickbreaker.engines import LocalEngine
from stickbreaker.learning.run import Limits
from stickbreaker.learning.schedules import Batch, Online
from stickbreaker.learning.variational import VariationalRun
from stickbreaker.syntax.kernels.shares_of_documents import Learned, sample_shares
from stickbreaker.syntax.kernels.tree_topics import Weights, sum_topics
from stickbreaker.syntax.model.mean_field_predictions import as_sample, score_documents, shares
from stickbreaker.syntax.model.ordered_trees import ordered_trees
from stickbreaker.syntax.model.syntax_chain import Prior
from stickbreaker.syntax.model.syntax_model import SyntaxModel
from stickbreaker.syntax.model.syntax_start import initialise, random_documents
from stickbreaker.syntax.model.syntax_weights import (
    SUMS,
    concentrations_of,
    expected_transitions,
    highest,
)
from stickbreaker.testing import RunTests

V = 12
LIMITS = ("none", "hdp", "itic")


def model_of(limit="none", k=5, **settings):
    return SyntaxModel(V, Prior(k, sigma=0.2, limit=limit), **settings)


def learned(model, trees, passes, schedule=None, carried=True, seed=0, n_jobs=1, start=None):
    """The engine, the state and the scores of a run."""
    engine = LocalEngine(n_jobs, keep_local=carried)
    tokens = float((trees.words >= 0).sum())
    engine.start(
        model, model.seed([f"w{i}" for i in range(V)], tokens, seed) if start is None else start.counts
    )
    source = TreesInMemory(trees, V)
    job = VariationalRun(
        model=model,
        engine=engine,
        schedule=schedule or Batch(),
        source=source,
        seed=seed,
        limits=Limits(passes, 0.0),
    )
    state, scores = job.first_state(model.start() if start is None else start.params), []
    for _ in range(passes):
        scores += [record["score"] for record in job.steps(state)]
    return engine, state, np.array(scores)


def corpora():
    draw = np.random.default_rng(8)
    noise = planted_trees(6, seed=3)
    return {
        "planted": planted_trees(40),
        "random": noise.with_words(draw.integers(0, V, len(noise.words)).astype(np.int32)),
        "unknown words": planted_trees(30, seed=2, unknown=0.4),
    }


@pytest.mark.parametrize("limit", sampled(LIMITS, 2))
@pytest.mark.parametrize("name", sampled(corpora(), 2))
@pytest.mark.parametrize("most", sampled([1, 30], 2))
def test_bound_never_falls(name, limit, most):
    """Law 1, from a random start, tau and the alphas learned; whether or not documents have settled."""
    model = model_of(limit, most=most, tolerance=1e-6)
    _, state, scores = learned(model, corpora()[name], 60)
    assert (np.diff(scores) > -1e-10 * np.abs(scores[1:])).all(), np.diff(scores).min()
    assert scores[-1] > scores[0] + 0.1
    assert state.params["tau"].values.min() >= 0.0


def bound_by_definition(model, trees, counts, params, q_theta):
    """E[log p] - E[log q] of everything, by enumeration of topics and sums with loops."""
    prior, now = model.prior, concentrations_of(params)
    k, nats = prior.n_topics, 0.0
    tau, lambda_ = now.tau, counts + prior.sigma
    a = prior.a / k
    nats += sum(a * np.log(prior.a) + a * np.log(t) - prior.a * t - gammaln(a) for t in tau)
    nats += sum(np.log(prior.rate * x) - prior.rate * x for x in (now.alpha_documents, now.alpha_transitions))
    for topic in range(k):
        total = lambda_[:, topic].sum()
        nats += gammaln(V * prior.sigma) - V * gammaln(prior.sigma) - gammaln(total)
        for x in lambda_[:, topic]:
            nats += gammaln(x) + (prior.sigma - x) * (psi(x) - psi(total))

    def gammas(shape, rate, shape_before):
        log = psi(shape) - np.log(rate)
        before = (shape_before - 1) * log - shape / rate - gammaln(shape_before)
        own = shape * np.log(rate) + (shape - 1) * log - shape - gammaln(shape)
        return float(np.sum(before - own))

    q_pi = expected_transitions(params, prior)
    nats += gammas(*q_pi, now.alpha_transitions * tau)
    log_pi, pi = psi(q_pi.shapes) - np.log(q_pi.rates), q_pi.shapes / q_pi.rates
    log_beta = psi(lambda_) - psi(lambda_.sum(axis=0))
    nodes = ordered_trees(trees).nodes
    for d in range(len(nodes.offsets) - 1):
        own = slice(nodes.offsets[d], nodes.offsets[d + 1])
        words, heads = nodes.words[own].tolist(), nodes.heads[own].tolist()
        shape, rate = q_theta[0][d], q_theta[1][d]
        nats += gammas(shape, rate, now.alpha_documents * tau)
        log_theta, xi = psi(shape) - np.log(rate), pi @ (shape / rate)
        A = np.exp(log_theta + log_pi) / xi[:, None]
        total = 0.0
        for topics in oracle.configurations(words, heads, np.ones(k), np.ones((k + 1, k)), np.ones((V, k))):
            p = 1.0
            for word, head, topic in zip(words, heads, topics, strict=True):
                p *= A[k if head < 0 else topics[head], topic]
                p *= np.exp(log_beta[word, topic]) if word >= 0 else 1.0
            total += p
        nats += np.log(total)
    return nats


def test_score_is_the_bound_by_definition():
    """Of small trees, with q(theta) as a step that does not move it found it."""
    whole = planted_trees(12, seed=5, unknown=0.2)
    few = [d for d in range(12) if whole.offsets[d + 1] - whole.offsets[d] <= 7]
    trees = whole.take(np.array(few))
    model = model_of(k=3, most=400, tolerance=1e-13)
    engine, state, _ = learned(model, trees, 4)
    params, counts = state.params, engine.table.counts(slice(None)).copy()
    scores = learned_on(model, engine, state, trees)
    local = [engine.locals[first] for first in sorted(engine.locals)]
    n, rates = (np.concatenate([each[name].values for each in local]) for name in ("counts", "rates"))
    now = concentrations_of(params)
    theta_shapes = now.alpha_documents * now.tau + n
    scale = (theta_shapes / rates).sum(axis=1, keepdims=True) / (now.alpha_documents * now.tau).sum()
    expected = bound_by_definition(model, trees, counts, params, (theta_shapes, rates * scale))
    assert scores[-1] * (trees.words >= 0).sum() == pytest.approx(expected, rel=1e-7)


def learned_on(model, engine, state, trees):
    """One more batch step of a run."""
    source = TreesInMemory(trees, V)
    job = VariationalRun(
        model=model, engine=engine, schedule=Batch(), source=source, seed=0, limits=Limits(99, 0.0)
    )
    return [record["score"] for record in job.steps(state)]


@pytest.mark.parametrize("limit", LIMITS)
def test_online_with_one_minibatch_of_all_and_rate_one_is_batch(limit):
    """Law 3."""
    trees = planted_trees(20)
    online = Online(batch_size=20, kappa=0.0, tau0=1.0, shuffle=False)
    batch_engine, batch, _ = learned(model_of(limit), trees, 4, carried=False)
    engine, state, _ = learned(model_of(limit), trees, 4, online, carried=False)
    assert engine.table.counts(slice(None)) == pytest.approx(
        batch_engine.table.counts(slice(None)), rel=1e-10
    )
    for name, item in batch.params.items():
        assert state.params[name].values == pytest.approx(item.values, rel=1e-10), name


def test_statistics_are_blended_and_grow():
    model, trees = model_of(), planted_trees(20)
    _, state, _ = learned(model, trees, 2)
    usage = {name: Field(np.full_like(state.params[name].values, 0.5), axes) for name, axes in SUMS.items()}
    step = Step(3, 0.25, 4.0, 10.0, 2.0)
    after = model.global_step(state.params, Stats(no_rows(5), usage=usage), np.zeros((1, 5)), None, step)
    for name in SUMS:
        assert after[name].values == pytest.approx(0.75 * 2.0 * state.params[name].values + 0.25 * 4.0 * 0.5)


def test_without_grammar_heads_say_nothing():
    """The HDP: the same whatever hangs where, and shares are those of a mixture."""
    trees = planted_trees(15)
    alone = replace(trees, heads=np.full(len(trees.heads), -1, np.int32))
    _, first, scores = learned(model_of("hdp", most=50, tolerance=1e-9), trees, 10)
    _, second, others = learned(model_of("hdp", most=50, tolerance=1e-9), alone, 10)
    assert scores == pytest.approx(others, rel=1e-9)
    assert first.params["tau"].values == pytest.approx(second.params["tau"].values, rel=1e-6)


def test_without_documents_all_are_one():
    """ITIC: the same whatever document a sentence is in."""
    trees = planted_trees(15)
    n = len(trees.starts)
    one_each = replace(trees, offsets=np.append(trees.starts, len(trees.words)).astype(np.int64))
    _, first, scores = learned(model_of("itic"), trees, 10)
    _, second, others = learned(model_of("itic"), one_each, 10)
    assert n > 15
    assert scores == pytest.approx(others, rel=1e-9)
    assert expected_transitions(first.params, model_of("itic").prior).rates == pytest.approx(
        expected_transitions(second.params, model_of("itic").prior).rates, rel=1e-9
    )


def test_means_of_transitions_sum_to_what_is_best():
    """sum_i E[pi_ji] = sum_i alpha_T tau_i, at rates of 1 + pulls / scale; of topics that head nothing the
    prior."""
    model = model_of()
    _, state, _ = learned(model, planted_trees(20), 3)
    params = dict(state.params)
    for name in ("transitions", "count_pulls", "prior_pulls"):
        values = params[name].values.copy()
        values[1] = 0.0
        params[name] = params[name]._replace(values=values)
    found, now = expected_transitions(params, model.prior), concentrations_of(params)
    prior = now.alpha_transitions * now.tau
    assert (found.shapes / found.rates).sum(axis=1) == pytest.approx(np.full(6, prior.sum()), rel=1e-9)
    assert found.rates[1].tolist() == [1.0] * 5
    log_pi, means = found.relative()
    assert means.sum(axis=1) == pytest.approx(np.ones(6))
    assert (np.exp(log_pi) < means).all()


def test_highest_is_where_nothing_near_is_higher():
    draw = np.random.default_rng(0)
    weight, bend, at = draw.gamma(1.0, size=(3, 50))
    slope = draw.normal(size=50) + 0.1
    bend[:10], slope[:10] = 0.0, np.abs(slope[:10])
    found = highest(weight, slope, bend, at)

    def value(x):
        return weight * np.log(x) - slope * x - bend * (x - at) ** 2

    for factor in (0.99, 1.01):
        assert (value(found) >= value(found * factor)).all()


class SyntaxRuns:
    model = staticmethod(lambda: model_of(k=3))
    steps = 6

    def start(self, engine, model):
        engine.start(model, model.seed([f"w{i}" for i in range(V)], 200.0, 0))

    def shards(self, number):
        return shards_of(planted_trees(24, seed=number, unknown=0.1), V, 24 * number)

    def words(self, engine):
        return [str(row) for row in range(engine.table.shape[0])]


class TestSyntaxModel(SyntaxRuns, RunTests):
    def engine(self, n_jobs):
        return LocalEngine(n_jobs)


class TestWithoutGrammar(TestSyntaxModel):
    model = staticmethod(lambda: model_of("hdp", k=3))


class TestWithoutDocuments(TestSyntaxModel):
    model = staticmethod(lambda: model_of("itic", k=3))


def test_start_is_of_a_chain_and_better_than_noise():
    trees = planted_trees(60)
    model = model_of(k=4)
    source = TreesInMemory(trees, V)
    start = initialise(model, source, seed=1, sweeps=30)
    again = initialise(model, source, seed=1, threads=2, sweeps=30)
    assert start.counts.tobytes() == again.counts.tobytes()
    assert start.counts.sum() == pytest.approx(len(trees.words))
    assert start.params["transitions"].values.sum() == pytest.approx(len(trees.words))
    _, _, scores = learned(model, trees, 30, start=start)
    assert (np.diff(scores) > -1e-10).all()
    assert scores[0] > learned(model, trees, 1)[2][0]


def test_start_of_a_part_counts_for_all():
    trees = planted_trees(200)
    source = TreesInMemory(trees, V)
    part = random_documents(source, 0, 100)
    n = len(part.offsets) - 1
    assert 100 <= len(part.words) < len(trees.words)
    start = initialise(model_of(k=4), source, 0, sweeps=2, nodes=100)
    for counts in (start.counts, start.params["transitions"].values):
        assert counts.sum() == pytest.approx(len(part.words) * 200 / n)


def test_planted_topics_are_found():
    trees = planted_trees(400, seed=1)
    model = model_of(k=4)
    start = initialise(model, TreesInMemory(trees, V), seed=0)
    engine, _, _ = learned(model, trees, 30, start=start)
    counts = engine.table.counts(slice(None)).reshape(4, 3, 4).sum(axis=1)  # planted topics × topics
    assert sorted(counts.argmax(axis=1).tolist()) == [0, 1, 2, 3]
    assert (counts.max(axis=1) / counts.sum(axis=1)).min() > 0.85


def test_shares_and_means_of_what_was_learned():
    trees, model = planted_trees(30), model_of()
    engine, state, _ = learned(model, trees, 5)
    local = next(iter(engine.infer(state.params, shards_of(trees, V), 0)))
    found = shares(local, state.params)
    assert found.sum(axis=1) == pytest.approx(np.ones(len(found)))
    tau = state.params["tau"].values
    assert found[0] == pytest.approx(tau / tau.sum())  # of a document without words
    sample = as_sample(state.params, engine.table.counts(slice(None)), model.prior)
    assert sample["beta"].values.sum(axis=1) == pytest.approx(np.ones((1, 5)))
    assert sample["log_pi"].values.shape == sample["transitions"].values.shape == (1, 6, 5)


def test_words_after_others_are_predicted_from_means_of_what_was_learned():
    """Second halves of documents given their first: better than without what the first halves say."""
    trees, model = planted_trees(300, seed=1), model_of(k=4)
    start = initialise(model, TreesInMemory(trees, V), seed=0)
    engine, state, _ = learned(model, trees, 20, start=start)
    sample = {
        n: f.values for n, f in as_sample(state.params, engine.table.counts(slice(None)), model.prior).items()
    }
    own = Learned(sample["log_pi"][0], sample["beta"][0], sample["alpha_documents"][0] * sample["tau"][0])
    nodes = ordered_trees(planted_trees(100, seed=2)).nodes
    keys, counts, log_theta = (
        numbered_keys(0, "test", 0, np.arange(100)),
        np.empty((100, 4)),
        np.empty((100, 5, 4)),
    )
    sample_shares(nodes, own, 10, keys, counts, log_theta)
    known, even = np.empty(100), np.empty(100)
    sum_topics(nodes, Weights(np.ascontiguousarray(log_theta[:, 4]), own.log_pi, own.beta), known)
    sum_topics(nodes, Weights(np.tile(np.log(sample["tau"]), (100, 1)), own.log_pi, own.beta), even)
    assert known.sum() > even.sum() + 50


def test_scores_of_new_documents_are_a_bound():
    """Below log p of their words by draws of all weights from q, and not by much."""
    trees, model = planted_trees(60, seed=1), model_of(k=3)
    engine, state, _ = learned(model, trees, 10)
    settled = LocalEngine.over(model.for_new_documents(), engine.table)
    new = planted_trees(8, seed=9)
    shards = shards_of(new, V)
    nats, tokens = score_documents(settled, state.params, shards)
    assert tokens == len(new.words)
    draw, now = np.random.default_rng(0), concentrations_of(state.params)
    q_pi, nodes = expected_transitions(state.params, model.prior), ordered_trees(new).nodes
    pi = q_pi.shapes / q_pi.rates
    beta = engine.table.counts(slice(None)) + model.prior.sigma
    beta = beta / beta.sum(axis=0)
    logs = np.empty((4000, 8))
    for row in logs:
        theta = draw.gamma(now.alpha_documents * now.tau, size=(8, 3))
        sum_topics(nodes, Weights(np.log(theta + 1e-200), np.log(pi), beta), row)
    total = float((logsumexp(logs, axis=0) - np.log(len(logs))).sum())
    assert total - 0.25 * tokens < nats < total


@pytest.mark.parametrize("limit", LIMITS)
def test_corpora_of_hardly_anything(limit):
    nothing = planted_trees(3).take(np.zeros(4, np.int64))  # the first document has no word
    one = planted_trees(8, unknown=1.0)
    for trees in (nothing, one):
        model = model_of(limit, k=1)
        engine, state, scores = learned(model, trees, 4)
        assert np.isfinite(scores).all()
        assert engine.table.totals().sum() == pytest.approx((trees.words >= 0).sum())
        assert all(np.isfinite(item.values).all() for item in state.params.values())
        start = initialise(model, TreesInMemory(trees, V), 0, sweeps=3)
        _, _, scores = learned(model, trees, 2, start=start)
        assert np.isfinite(scores).all()


@pytest.mark.parametrize("sigma", [1e-6, 100.0])
def test_extreme_priors_of_words(sigma):
    trees = planted_trees(20)
    model = SyntaxModel(V, Prior(4, sigma=sigma, a=0.01, shape=1e-3, rate=1e-3))
    _, state, scores = learned(model, trees, 30)
    assert np.isfinite(scores).all()
    assert (np.diff(scores) > -1e-9 * np.abs(scores[1:])).all()
    assert all(np.isfinite(item.values).all() for item in state.params.values())


def test_one_word_and_a_sentence_of_thousands():
    n = 5_000
    heads = np.concatenate([[-1], np.arange(n) - 1, np.full(7, -1)]).astype(np.int32)
    words = (np.arange(len(heads)) % V).astype(np.int32)
    sizes = [1, n, *([1] * 7)]
    starts = np.cumsum([0, *sizes[:-1]])
    trees = Trees(np.array([0, 1, 1 + n, len(words)]), words, starts, heads, 0 * words, ("x",))
    engine, _, scores = learned(model_of(), trees, 3)
    assert np.isfinite(scores).all()
    assert engine.table.totals().sum() == pytest.approx(len(words))


def test_what_stands_below_heads_of_next_to_no_words_is_what_the_prior_says():
    """An unused topic has words that are its heads by 1e-200: no square of that is a number."""
    model = model_of(k=3)
    params = dict(model.start())
    pulls = np.full((4, 3), 2.0)
    pulls[1] = 1e-217
    params["prior_pulls"] = params["prior_pulls"]._replace(values=pulls)
    with np.errstate(divide="raise", invalid="raise", over="raise"):
        found = expected_transitions(params, model.prior)
    now = concentrations_of(params)
    means = found.shapes / found.rates
    assert means.sum(axis=1) == pytest.approx(np.full(4, now.alpha_transitions * now.tau.sum()))
