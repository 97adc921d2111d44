"""Learned alpha: one for all topics while these are alike, and runs that wait for it."""

import numpy as np
import pytest

from stickbreaker import LDA
from stickbreaker.contracts.contract import Step
from stickbreaker.core.records import Field
from stickbreaker.testing import plant_topics
from stickbreaker.topics.model.priors.dirichlet import DRIFT, STILL, TOGETHER, DirichletPrior

PRIOR = DirichletPrior((0.2, 0.2, 0.2), learned=True)
START = PRIOR.start()
EXPECTED = {"log_theta": Field(100.0 * np.array([-1.0, -2.0, -3.0]), ("topics",))}
SAMPLED = {
    "gains": Field(np.array([400.0, 250.0, 150.0]), ("topics",)),
    "bends": Field(np.array([1200.0, 900.0, 600.0]), ("topics",)),
    "spread": Field(np.array(200.0)),
    "spread_bend": Field(np.array(90.0)),
}


def updated(usage, seen, params=START, prior=PRIOR, rate=1.0):
    return prior.update(params, usage, 100.0, Step(7, rate, 1.0, seen))


@pytest.mark.parametrize("usage", [EXPECTED, SAMPLED], ids=["mean-field", "sampled"])
def test_topics_share_one_alpha_until_documents_were_read_ten_times(usage):
    early = updated(usage, 100.0 * TOGETHER - 1.0)["alpha"].values
    assert np.ptp(early) == 0.0 != early[0] - 0.2
    assert np.ptp(updated(usage, 100.0 * TOGETHER - 1.0, rate=0.3)["alpha"].values) == 0.0
    late = updated(usage, 100.0 * TOGETHER)
    assert late["alpha"].values.tolist() == sorted(late["alpha"].values, reverse=True)
    assert np.ptp(updated(usage, 0.0, late)["alpha"].values) > 0.0, "continued: topics are not alike"
    same = DirichletPrior((0.2, 0.2, 0.2), learned=True, symmetric=True)
    assert np.ptp(updated(usage, 1e9, prior=same)["alpha"].values) == 0.0


def test_a_run_waits_for_alpha():
    """Mean-field runs until topics have an alpha each, sampled ones until the drift is small too."""
    early, late = updated(EXPECTED, 0.0), updated(EXPECTED, 1e6)
    alike = {"log_theta": Field(np.full(3, -200.0), ("topics",))}
    assert PRIOR.is_settled({**START, **updated(alike, 1e6)}), "topics that may differ, and do not"
    assert not PRIOR.is_settled({**START, **early})
    assert PRIOR.is_settled({**START, **late})
    moved = {**START, **updated(SAMPLED, 1e6)}
    change = np.log(moved["alpha"].values.sum() / 0.6)
    assert abs(change) > STILL
    assert moved[DRIFT].values == pytest.approx(change)
    assert not PRIOR.is_settled(moved)
    still = {**moved, DRIFT: Field(np.array(0.9 * STILL), (), additive=False)}
    assert PRIOR.is_settled(still)
    again = np.log(updated(SAMPLED, 1e6, still)["alpha"].values.sum() / moved["alpha"].values.sum())
    faded = updated(SAMPLED, 1e6, still)[DRIFT].values
    assert faded == pytest.approx(0.8 * 0.9 * STILL + 0.2 * again)
    assert DirichletPrior((0.2, 0.2)).is_settled(START), "not learned"
    assert DirichletPrior((0.2,), learned=True).is_settled(DirichletPrior((0.2,), learned=True).start())


@pytest.mark.parametrize("inference", ["mean-field", "hybrid"])
def test_every_topic_stays(inference):
    planted = plant_topics(n_documents=250, n_topics=4, n_words=80, length=60, alpha=0.6, eta=0.2, seed=4)
    model = LDA(4, inference=inference, eta=0.2, random_state=0, max_iter=30, tol=0.0, n_jobs=1)
    shares = model.fit(planted.counts).topic_shares_
    assert shares.min() > 0.12
    assert model.alpha_.max() < 3.0 * model.alpha_.min()
