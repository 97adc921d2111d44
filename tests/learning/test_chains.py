import numpy as np
import pytest

from stickbreaker.contracts.contract import Fitted, Sampler, Score
from stickbreaker.core.records import Field
from stickbreaker.learning.chains import Chains, shrinkage
from stickbreaker.topics.model.samplers.mean_counts import MeanCounts


class Counter(Sampler):
    """A chain that counts its sweeps, keeps them as samples, and whose score is `level` plus that."""

    def __init__(self, level):
        self.level, self.sweeps, self.learned, self.threads, self.kept = level, 0, 0, 0, []

    def sweep(self, number, threads):
        assert number == self.sweeps
        self.sweeps, self.threads = self.sweeps + 1, threads

    def learn(self):
        self.learned += 1

    def score(self):
        return Score(10.0 * (self.level + self.sweeps), 10.0, "joint")

    def keep(self):
        self.kept.append(self.sweeps)

    def fitted(self):
        return Fitted({"kept": Field(np.array(self.kept, np.float64))})

    def snapshot(self):
        return {"state": np.array([self.sweeps, self.learned]), "kept": np.array(self.kept, np.int64)}

    def restore(self, arrays):
        self.sweeps, self.learned = (int(value) for value in arrays["state"])
        self.kept = arrays["kept"].tolist()


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
    assert chains.fitted().params["kept"].values.tolist() == [6, 9, 10]


def test_a_run_that_is_cut_short_keeps_its_last_state():
    chains = Chains([Counter(0)], burn_in=50, every=10, threads=1)
    run(chains, 0, 3, last=99)
    assert chains.samplers[0].kept == []
    assert chains.close()
    assert chains.samplers[0].kept == [3]
    assert not chains.close()


def test_restored_chains_go_on_alike():
    whole, half = (Chains([Counter(0), Counter(5)], burn_in=2, every=2, threads=1) for _ in range(2))
    run(whole, 0, 12, last=11)
    run(half, 0, 7, last=11)
    rest = Chains([Counter(0), Counter(5)], burn_in=2, every=2, threads=1)
    rest.restore(half.snapshot())
    run(rest, 7, 12, last=11)
    for name, values in whole.snapshot().items():
        assert rest.snapshot()[name].tobytes() == values.tobytes(), name


def test_a_topic_is_averaged_over_the_samples_that_had_it_and_one_that_has_gone_is_dropped():
    """After sweep n the topics are n to n + 2 and 100, of n tokens each."""
    mean = MeanCounts()

    def state(n):
        return np.array([n, n + 1, n + 2, 100]), np.full((2, 4), n, np.int32)

    assert mean.of(*state(3))[0].tolist() == [3, 3, 3, 3], "before the first sample"
    for n in range(1, 7):
        mean.add(*state(n))
    assert mean.of(*state(6))[0].tolist() == [(4 + 5 + 6) / 3, (5 + 6) / 2, 6, (1 + 2 + 3 + 4 + 5 + 6) / 6]
    assert mean.of(*state(7))[0].tolist() == [(5 + 6) / 2, 6, 7, 3.5]
    rest = MeanCounts.restored(mean.arrays(), 2)
    for each in (mean, rest):
        each.add(*state(8))
    assert rest.of(*state(8)).tobytes() == mean.of(*state(8)).tobytes()
    with pytest.raises(ValueError, match="another chain"):
        MeanCounts.restored(mean.arrays(), 3)


def test_shrinkage_is_one_where_chains_agree_and_large_where_they_do_not():
    noise = np.random.default_rng(0).normal(size=(4, 400))
    assert shrinkage(noise) == pytest.approx(1.0, abs=0.02)
    assert shrinkage(noise + 3.0 * np.arange(4)[:, None]) > 2
    assert shrinkage(noise + np.linspace(0, 5, 400)) > 1.3, "a chain that still climbs disagrees with itself"
    assert np.isnan(shrinkage(np.ones((2, 9))))
    assert np.isnan(shrinkage(noise[:, :3]))
