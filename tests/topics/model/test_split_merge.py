"""Split and merge moves change the bound by what they say, and the memoised bound never falls."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import gammaln, psi
from tests.oracle.lda import dirichlet_log_normaliser
from tests.tiers import sampled
from tests.topics.model.test_polylingual import aligned

from stickbreaker import HDP, Corpus, Memoised
from stickbreaker.corpus.shards import Shard
from stickbreaker.learning import moves
from stickbreaker.learning.loop import run
from stickbreaker.learning.observers import Observer
from stickbreaker.testing import plant_languages, plant_topics
from stickbreaker.testing.estimators import new_run
from stickbreaker.topics.model.solvers.mean_field import MeanField

WORDS = 200


def bound_of(model, engine, params, stats=None):
    """The bound of all documents as they were last seen, in nats."""
    shape = engine.table.values.shape
    kept = engine.memoized.known(shape) if engine.memoized.reports else stats
    return model.memoized_score(params, kept, engine.table.totals(), engine.summary(params)).nats


@pytest.fixture
def made(monkeypatch):
    """What every accepted edit says that it gains, what the bound gains, and the bound before."""
    real, made = moves.make, []

    def one_by_one(model, engine, shape, accepted):
        told = []
        for item in accepted:
            before = bound_of(model, engine, shape.params, shape.stats)
            shape, edits = real(model, engine, shape, [item])
            after = bound_of(model, engine, shape.params, shape.stats)
            if engine.memoized.reports:
                sums = model.memoized_score(
                    shape.params, shape.stats, engine.table.totals(), engine.summary(shape.params)
                )
                assert sums.nats == pytest.approx(after, rel=1e-9), "the sums follow as the reports do"
            made.append((item.gain, after - before, before))
            told += edits
        return shape, told

    monkeypatch.setattr(moves, "make", one_by_one)
    return made


CASES = {
    "defaults": {},
    "eta by words": {"eta": np.linspace(0.02, 0.2, WORDS)},
    "learned eta": {"eta": "learned"},
    "alpha and gamma fixed": {"alpha": 1.3, "concentration": 2.0},
    "batch": {"schedule": "batch"},
    "two languages": {},
    "two languages, learned eta": {"eta": "learned"},
}


@pytest.mark.parametrize("case", sampled(CASES, 2))
def test_an_edit_gains_what_it_says(made, case):
    """From too few topics, and from too many: the difference of full bounds, to single precision."""
    if "languages" in case:
        data = aligned(plant_languages((120, 80), n_documents=120, length=20, seed=2).counts)
    else:
        data = plant_topics(n_documents=120, length=40, seed=2).counts
    settings = {"schedule": Memoised(batch_size=60), "max_iter": 8, "tol": 0.0, **CASES[case]}
    kinds = set()
    for start in (2, 12):
        model = HDP(start, random_state=0, n_jobs=1, **settings).fit(data)
        kinds |= {edit["move"] for record in model.trace_ for edit in record.get("edits", [])}
    assert kinds == {"split", "merge"}
    for gain, difference, before in made:
        assert gain > 0.0
        assert gain == pytest.approx(difference, abs=4e-9 * abs(before))


def test_a_topic_that_mixes_others_is_dissolved_among_them(made):
    """A table whose fourth topic is two others, half and half: it is handed over to both at once."""
    planted = plant_topics(n_documents=200, n_topics=3, length=80, alpha=0.3, seed=4)
    model, told = HDP(4, random_state=0, schedule=Memoised(70), max_iter=9, tol=0.0, n_jobs=1), []
    corpus = Corpus.from_matrix(planted.counts)
    job, state = new_run(model, corpus, 0)
    columns = np.vstack([planted.topics, planted.topics[:2].mean(axis=0)]).T
    job.engine.start(job.model, 4000.0 * columns)

    class Edits(Observer):
        def step(self, job, state, record):
            told.extend(record.get("edits", []))
            return False

    run(job, state, [Edits()])
    assert [edit for edit in told if "also" in edit]
    assert job.engine.table.totals().shape[1] == 3
    for gain, difference, before in made:
        assert gain == pytest.approx(difference, abs=4e-9 * abs(before))


@pytest.mark.parametrize("schedule", [Memoised(60), "batch"], ids=["memoised", "batch"])
def test_trials_tell_the_sums_of_their_rows(monkeypatch, schedule):
    """Of every round, and of all reports that are kept."""
    real, seen = moves.decide, set()

    def decide(model, engine, shape, proposals, step):
        for name, trial in shape.stats.trial.items():
            sums = trial.rows.rows().values.sum(axis=0)
            assert trial.usage["tokens"].values == pytest.approx(sums, rel=1e-9)
            seen.add(name.split()[0])
        return real(model, engine, shape, proposals, step)

    monkeypatch.setattr(moves, "decide", decide)
    X = plant_topics(n_documents=120, length=40, seed=2).counts
    HDP(4, random_state=0, n_jobs=1, schedule=schedule, max_iter=8, tol=0.0).fit(X)
    assert seen == {"split", "merge"}


# the bound by its definition


def by_definition(seen, params, eta, n_words):
    """Eq. 2.4 with the sticks of Bryant & Sudderth (2012), from every document's phi and gamma."""
    weights, rest = params["weights"].values, float(params["rest"].values)
    alpha, concentration = float(params["alpha"].values), float(params["gamma"].values)
    prior = alpha * np.append(weights, rest)
    lam = np.full((len(weights), n_words), eta)
    for words, counts, phi, _ in seen.values():
        for word, count, shares in zip(words, counts, phi, strict=True):
            lam[:, word] += count * shares
    log_beta = psi(lam) - psi(lam.sum(axis=1, keepdims=True))
    left, nats = 1.0, 0.0
    for weight in weights:  # log p(sticks), but for log gamma each
        nats += (concentration - 1.0) * np.log1p(-weight / left)
        left -= weight
    for k in range(len(weights)):
        nats += ((eta - 1.0) * log_beta[k]).sum() - dirichlet_log_normaliser(np.full(n_words, eta))
        nats -= ((lam[k] - 1.0) * log_beta[k]).sum() - dirichlet_log_normaliser(lam[k])
    for words, counts, phi, gamma in seen.values():
        log_theta = psi(gamma) - psi(gamma.sum())
        nats += gammaln(prior.sum()) - gammaln(prior).sum() + ((prior - 1.0) * log_theta).sum()
        nats -= gammaln(gamma.sum()) - gammaln(gamma).sum() + ((gamma - 1.0) * log_theta).sum()
        for word, count, shares in zip(words, counts, phi, strict=True):
            inside = shares > 0.0
            log_p = log_beta[:, word] + log_theta[:-1] - np.log(np.where(inside, shares, 1.0))
            nats += count * (shares * log_p)[inside].sum()
    return nats


@pytest.mark.parametrize("eta", [0.3, "learned"])
@pytest.mark.parametrize("passes", [1, 2, 4])
def test_the_bound_by_its_definition(monkeypatch, eta, passes):
    """Every document with the gamma and phi of its last visit, under the topics and weights of then."""
    seen, real = {}, MeanField.infer

    def infer(self, view, shard: Shard, local, seed):
        after, stats = real(self, view, shard, local, seed)
        rows = shard.rows if view.rows is None else np.searchsorted(view.rows, shard.rows)
        for d, number in enumerate(shard.documents.tolist()):
            bags = shard.content
            entries = slice(bags.offsets[d], bags.offsets[d + 1])
            codes, gamma = bags.words[entries], after["gamma"].values[d]
            phi = view.weights[rows[codes]].astype(float) * np.exp(psi(gamma))
            phi /= phi.sum(axis=1, keepdims=True)
            seen[number] = shard.rows[codes], bags.counts[entries], phi, np.append(gamma, view.rest)
        return after, stats

    monkeypatch.setattr(MeanField, "infer", infer)
    X = plant_topics(n_documents=17, n_words=12, n_topics=3, length=9, seed=1).counts
    model = HDP(3, random_state=0, n_jobs=1, max_iter=passes, tol=0.0, eta=eta, moves=None)
    job, state = new_run(model.set_params(schedule=Memoised(batch_size=4)), Corpus.from_matrix(X), 0)
    run(job, state)
    told = bound_of(job.model, job.engine, state.params)
    assert state.scores[-1] == pytest.approx(told / X.sum())
    expected = by_definition(seen, state.params, float(state.params["eta"].values), 12)
    assert told == pytest.approx(expected, rel=2e-6)


# the bound never falls


class Bounds(Observer):
    """The bound of all documents after every step, once each has a record that it can go on from."""

    def __init__(self):
        self.nats, self.edits = [], 0

    def step(self, job, state, record):
        if state.carried_since is not None and state.passes > state.carried_since:
            self.nats.append(bound_of(job.model, job.engine, state.params))
        self.edits += len(record.get("edits", []))
        return False


@pytest.mark.parametrize("chosen", sampled(["split-merge", None], 1))
@pytest.mark.parametrize("batch_size", [32, 100, 10**6])
@pytest.mark.parametrize(("start", "seed"), [(2, 0), (9, 1)])
def test_the_memoised_bound_never_falls(chosen, batch_size, start, seed):
    """At no step, and across no edit; alpha, gamma and eta learned."""
    corpus = Corpus.from_matrix(plant_topics(n_documents=150, length=40, seed=seed).counts)
    settings = {"max_iter": 9, "tol": 0.0, "eta": "learned", "schedule": Memoised(batch_size)}
    model = HDP(start, random_state=seed, n_jobs=1, moves=chosen, **settings)
    job, state = new_run(model, corpus, seed)
    run(replace(job, fresh_passes=2), state, [bounds := Bounds()])
    assert state.carried_since == 1
    assert len(bounds.nats) >= 8
    for before, after in pairwise(bounds.nats):
        assert after >= before - 1e-6 * abs(before)
    assert (bounds.edits > 0) == (chosen is not None)


def test_a_visit_of_few_rounds_never_lowers_the_bound():
    """Documents that are left half done go on from where they were, if a new start is worse."""
    X = plant_topics(n_documents=90, length=50, seed=3).counts
    model = HDP(6, random_state=0, n_jobs=1, max_iter=12, tol=0.0, doc_max_iter=1)
    job, state = new_run(model.set_params(schedule=Memoised(batch_size=30)), Corpus.from_matrix(X), 0)
    run(replace(job, fresh_passes=3), state, [bounds := Bounds()])
    assert len(bounds.nats) == 28
    for before, after in pairwise(bounds.nats):
        assert after >= before - 1e-6 * abs(before)
