"""Moves of a stream claim what a replicated minibatch gains: the score itself, before and after an edit."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from scipy.sparse import csr_matrix, vstack

from stickbreaker import HDP, Corpus, Online, SplitMerge
from stickbreaker.learning import moves
from stickbreaker.learning.loop import run
from stickbreaker.testing import plant_topics
from stickbreaker.testing.estimators import new_run
from stickbreaker.topics.model.moves import acceptance, trials
from stickbreaker.topics.model.solvers.mean_field import prior_score

SIZE = 60  # documents of a minibatch


def replicated_bound(model, engine, params, stats, scale):
    """The bound of eq. 2.4 of `scale` copies of a minibatch at the table's lambda, in nats, and the part of
    it that is -KL(q(beta) || p(beta)). `stats` are the minibatch's, in full."""
    counts, totals = engine.table.values * engine.table.scale, engine.table.totals()
    documents, words = model.documents, model.words
    nats = float(stats.usage["own"].values)
    nats += prior_score(documents.prior(params), documents.rest(params), stats.usage, stats.documents)
    rows = stats.rows.rows()
    nats += float((rows.values * words.log_words(params, counts, totals, 0)[rows.positions]).sum())
    topics = words.score(params, totals, engine.summary(params))
    return np.array([scale * nats + documents.score(params) + topics, topics])


class Gain(NamedTuple):
    """An edit's kind, the gain that its move claims, and what the bound gains: in all, and but for the
    topics' divergence from their prior; all in nats. `before`: the bound before it."""

    kind: str
    claimed: float
    bound: float
    but_topics: float
    before: float


@pytest.fixture
def gains(monkeypatch):
    """The `Gain` of every edit that runs make."""
    scales, out = [], []
    real = {name: getattr(moves, name) for name in ("make", "refine", "decide")}

    def refine(*given):
        scales.append(given[6].scale)
        return real["refine"](*given)

    def decide(*given):
        scales.append(given[4].scale)
        return real["decide"](*given)

    def make(model, engine, shape, accepted):
        events = []
        for item in accepted:
            trial = shape.stats.trial[item.plan]
            twice = trial.scaled(shape.stats.documents / trial.documents)  # a half that is as the other
            shape = shape._replace(stats=replace(shape.stats, trial={**shape.stats.trial, item.plan: twice}))
            before = replicated_bound(model, engine, shape.params, shape.stats, scales[-1])
            shape, made = real["make"](model, engine, shape, [item])
            bound, topics = replicated_bound(model, engine, shape.params, shape.stats, scales[-1]) - before
            out.append(Gain(made[0].kind, item.gain, bound, bound - topics, before[0]))
            events += made
        return shape, events

    for name, function in (("make", make), ("refine", refine), ("decide", decide)):
        monkeypatch.setattr(moves, name, function)
    return out


def twins(n_documents, **settings):
    """Documents two and two alike."""
    counts = plant_topics(n_documents=n_documents // 2, **settings).counts
    return vstack([counts[d // 2] for d in range(n_documents)]).tocsr()


def by_parity(seed, purpose, step, numbers):
    """Keys by which even documents are the first half, and odd ones the second."""
    return numbers.astype(np.uint64) << np.uint64(40)


@pytest.mark.parametrize(("accept", "kappa"), [("halves", 0.0), ("paper", 0.5)])
def test_a_gain_is_that_of_the_replicated_minibatch(gains, monkeypatch, accept, kappa):
    """From too few topics, and from too many. A split that is judged on a half claims what documents gain,
    twice over, which says nothing of the topics' priors; other gains are the bound's. Those of halves at rate
    one, where the table is that of the replicated minibatch; those of the paper at any rate."""
    monkeypatch.setattr(trials, "numbered_keys", by_parity)
    monkeypatch.setattr(acceptance, "RATE", 1.0)  # merges too
    data = twins(4 * SIZE, length=40, seed=2)
    schedule = Online(batch_size=SIZE, kappa=kappa, shuffle=False)
    for start in (2, 12):
        settings = {"moves": SplitMerge(accept), "schedule": schedule, "max_iter": 6, "tol": 0.0}
        job, state = new_run(HDP(start, random_state=0, n_jobs=1, **settings), Corpus.from_matrix(data), 0)
        run(job, state)
    assert {gain.kind for gain in gains} == {"split", "merge"}
    for gain in gains:
        held = accept == "halves" and gain.kind == "split"
        expected = gain.but_topics if held else gain.bound
        assert gain.claimed == pytest.approx(expected, abs=2e-8 * abs(gain.before))  # single precision


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_on_documents_of_one_kind_no_split_is_real(seed):
    """Halves fit a split to chance in the documents of one half, which the other half does not share."""
    generator = np.random.default_rng(seed)
    data = csr_matrix(generator.multinomial(60, generator.dirichlet(np.full(100, 0.5)), 300).astype(float))
    moves = SplitMerge("halves", merges=0)
    model = HDP(1, random_state=seed, moves=moves, schedule=Online(batch_size=SIZE), max_iter=12, tol=0.0)
    assert [edit for record in model.fit(data).trace_ for edit in record.get("edits", [])] == []


def test_a_split_is_judged_on_the_half_that_did_not_fit_it(monkeypatch):
    """Even documents are of two kinds, odd ones of one: what is fitted to the even ones gains nothing."""
    monkeypatch.setattr(trials, "numbered_keys", by_parity)
    generator = np.random.default_rng(0)
    kinds = generator.dirichlet(np.full(60, 0.2), 2)
    rows = [
        generator.multinomial(60, kinds[(d // 2) % 2] if d % 2 == 0 else kinds.mean(0)) for d in range(240)
    ]
    settings = {
        "schedule": Online(batch_size=SIZE, shuffle=False),
        "max_iter": 6,
        "tol": 0.0,
        "random_state": 0,
    }
    model = HDP(1, moves=SplitMerge("halves", merges=0), **settings)
    fitted, real = [], acceptance.HalvesMoves.refine

    def refine(self, params, stats, proposals, table, step):
        fitted.extend(plan.change["half"].values.item() for plan in proposals)
        return real(self, params, stats, proposals, table, step)

    monkeypatch.setattr(acceptance.HalvesMoves, "refine", refine)
    model.fit(csr_matrix(np.array(rows, float)))
    assert 0.0 in fitted
    assert [edit for record in model.trace_ for edit in record.get("edits", [])] == []
