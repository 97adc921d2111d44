import numpy as np
import pytest

from stickbreaker.core.records import Field
from stickbreaker.learning.chains import Chains, shrinkage
from stickbreaker.models.contract import Sampler, Score


class Counter(Sampler):
    """A chain whose table counts its sweeps, and whose score is `level` plus that."""

    def __init__(self, level):
        self.level, self.sweeps, self.learned, self.threads = level, 0, 0, 0

    def sweep(self, number, threads):
        assert number == self.sweeps
        self.sweeps, self.threads = self.sweeps + 1, threads

    def learn(self):
        self.learned += 1

    def score(self):
        return Score(10.0 * (self.level + self.sweeps), 10.0, "joint")

    def counts(self):
        return np.full((2, 3), self.sweeps, np.int32)

    def small(self):
        return {"alpha": Field(np.array([float(self.learned)]), ("topics",), additive=False)}

    def snapshot(self):
        return {"state": np.array([self.sweeps, self.learned])}

    def restore(self, arrays):
        self.sweeps, self.learned = (int(value) for value in arrays["state"])


def run(chains, begin, end, last):
    return [chains.sweep(number, last=number == last) for number in range(begin, end)]


def test_every_so_many_sweeps_are_scored_and_samples_come_after_burn_in():
    chains = Chains([Counter(0), Counter(5)], burn_in=4, every=3, threads=5)
    due = run(chains, 0, 10, last=9)
    assert [number for number, scored in enumerate(due) if scored] == [0, 2, 5, 8, 9]
    assert chains.taken == 3  # sweeps 5, 8 and the last
    assert chains.scores.tolist() == [[1, 3, 6, 9, 10], [6, 8, 11, 14, 15]]
    assert [sampler.learned for sampler in chains.samplers] == [4, 4]  # not after the first sweep
    assert chains.samplers[0].threads == 2
    assert chains.best() == 1
    rows, small = chains.mean()
    assert rows.values == pytest.approx(np.full((2, 3), (6 + 9 + 10) / 3))
    assert small["alpha"].values.tolist() == [4.0]


def test_before_the_first_sample_the_present_counts_speak():
    chains = Chains([Counter(0)], burn_in=50, every=10, threads=1)
    assert chains.mean()[0].values.max() == 0
    run(chains, 0, 3, last=99)
    assert chains.mean()[0].values.min() == 3


def test_restored_chains_go_on_alike():
    whole, half = (Chains([Counter(0), Counter(5)], burn_in=2, every=2, threads=1) for _ in range(2))
    run(whole, 0, 12, last=11)
    run(half, 0, 7, last=11)
    rest = Chains([Counter(0), Counter(5)], burn_in=2, every=2, threads=1)
    rest.restore(half.snapshot())
    run(rest, 7, 12, last=11)
    for name, values in whole.snapshot().items():
        assert rest.snapshot()[name].tobytes() == values.tobytes(), name


def test_shrinkage_is_one_where_chains_agree_and_large_where_they_do_not():
    noise = np.random.default_rng(0).normal(size=(4, 400))
    assert shrinkage(noise) == pytest.approx(1.0, abs=0.02)
    assert shrinkage(noise + 3.0 * np.arange(4)[:, None]) > 2
    assert shrinkage(noise + np.linspace(0, 5, 400)) > 1.3, "a chain that still climbs disagrees with itself"
    assert np.isnan(shrinkage(np.ones((2, 9))))
    assert np.isnan(shrinkage(noise[:, :3]))
