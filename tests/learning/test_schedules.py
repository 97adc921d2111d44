"""Which documents a pass reads, in which order, and never the held-out ones."""

import numpy as np
import pytest

from stickbreaker import Corpus, Memoised, Online, UserError
from stickbreaker.corpus.shards import SHARD
from stickbreaker.corpus.source import Source
from stickbreaker.estimators.setting_values import from_json, to_json
from stickbreaker.learning.convergence import evened_out, relative_change, settled
from stickbreaker.learning.schedules import Batch
from stickbreaker.testing import plant_topics


class ManyBlocks:
    """A corpus cut into small blocks, to see windows and carries."""

    def __init__(self, corpus, size):
        self.corpus, self.size, self.n_words = corpus, size, corpus.n_words
        n = corpus.n_documents
        self.block_sizes = [min(size, n - start) for start in range(0, n, size)]

    def bags(self, block):
        start = block * self.size
        return self.corpus.bags(0).slice(start, start + self.block_sizes[block])

    def ids(self, block):
        start = block * self.size
        return self.corpus.ids(0)[start : start + self.block_sizes[block]]


@pytest.fixture(scope="module")
def corpus():
    return Corpus.from_matrix(plant_topics(n_documents=1000, length=8).counts)


def read(schedule, source, pass_number=0, seed=1):
    batches = list(schedule.minibatches(source, pass_number, 0, 0.0, seed))
    return batches, [np.concatenate([shard.documents for shard in batch.shards]) for batch in batches]


@pytest.mark.parametrize(
    "schedule",
    [
        Batch(),
        Online(batch_size=64),
        Online(batch_size=64, shuffle=False),
        Online(batch_size=64, first_batch=2),
        Memoised(64),
        Memoised(),
    ],
)
@pytest.mark.parametrize("size", [7, 10, 1000])
def test_a_pass_reads_every_document_once(corpus, schedule, size):
    source = Source(ManyBlocks(corpus, size))
    batches, numbers = read(schedule, source)
    assert sorted(np.concatenate(numbers).tolist()) == list(range(1000))
    assert [len(part) for part in numbers] == [batch.n_documents for batch in batches]
    assert [batch.ends_pass for batch in batches] == [False] * (len(batches) - 1) + [True]


@pytest.mark.parametrize(
    ("size", "longest", "found"),
    [(1000, 32, 1), (10, 32, 50), (1, 32, 63), (1, 10, 100), (1, 1000, 63)],
)
def test_blocks_are_looked_at_in_parts(corpus, size, longest, found):
    source = Source(ManyBlocks(corpus, size))
    parts = source.parts(longest)
    assert len(parts) == found
    assert max(map(len, parts)) <= longest
    assert [block for part in parts for block in part] == list(range(source.n_blocks))
    assert Source(ManyBlocks(corpus, 10)).parts() == Source(ManyBlocks(corpus, 10)).parts(32)


def test_shards_hold_the_documents_they_name(corpus):
    source = Source(ManyBlocks(corpus, 10))
    whole = corpus.bags(0)
    for batch in Online(batch_size=300).minibatches(source, 0, 0, 0.0, 5):
        shards = list(batch.shards)
        assert len(shards) == batch.n_shards
        for shard in shards:
            assert shard.n_documents <= SHARD
            for i, d in enumerate(shard.documents):
                entries = slice(shard.content.offsets[i], shard.content.offsets[i + 1])
                theirs = slice(whole.offsets[d], whole.offsets[d + 1])
                assert shard.rows[shard.content.words[entries]].tolist() == whole.words[theirs].tolist()
                assert shard.content.counts[entries].tolist() == whole.counts[theirs].tolist()


def test_shuffling_mixes_the_whole_corpus_anew_in_each_pass(corpus):
    source = Source(ManyBlocks(corpus, 10))  # 100 blocks: several windows
    _, first = read(Online(batch_size=100), source, 0)
    _, again = read(Online(batch_size=100), source, 0)
    _, second = read(Online(batch_size=100), source, 1)
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert any((a != b).any() for a, b in zip(first, second, strict=True))
    assert np.ptp(first[0]) > 700, "a minibatch comes from all over the corpus"
    assert first[0].tolist() != sorted(first[0].tolist())


def test_the_first_steps_may_be_small(corpus):
    """A hundredth of what was seen, from two documents to a whole minibatch; in the first pass alone."""
    source = Source(ManyBlocks(corpus, 10))
    batches, _ = read(Online(batch_size=6, first_batch=2), source)
    sizes = [batch.n_documents for batch in batches]
    before = np.cumsum([0, *sizes[:-1]])
    assert sizes[:-1] == np.clip(before // 100, 2, 6).tolist()[:-1]
    assert [batch.step.seen for batch in batches] == before.tolist()
    assert {2, 3, 4, 5, 6} == set(sizes[:-1])
    later, _ = read(Online(batch_size=6, first_batch=2), source, 1)
    assert {batch.n_documents for batch in later[:-1]} == {6}
    whole, _ = read(Online(batch_size=400, first_batch=1000), source)
    assert [batch.n_documents for batch in whole] == [400, 400, 200]
    with pytest.raises(UserError, match="first_batch is a whole number above 0"):
        Online(first_batch=0)


def test_a_schedule_without_small_first_steps_is_written_as_ever():
    written = [to_json({"schedule": each}) for each in (Online(64), Online(64, first_batch=2))]
    assert ["first_batch" in one["schedule"]["online"] for one in written] == [False, True]
    assert from_json(written[0]) == {"schedule": Online(64)}
    assert from_json(written[1]) == {"schedule": Online(64, first_batch=2)}


@pytest.mark.parametrize("size", [10, 1000])
def test_memoised_minibatches_are_the_same_in_every_pass(corpus, size):
    """Number, documents and order: what a report is taken back for; and they come from all over."""
    source = Source(ManyBlocks(corpus, size))
    batches, first = read(Memoised(batch_size=96), source, 0)
    assert [batch.number for batch in batches] == list(range(11))
    assert [batch.n_documents for batch in batches] == [96] * 10 + [40]
    for pass_number in (1, 5):
        later, numbers = read(Memoised(batch_size=96), source, pass_number)
        assert [batch.number for batch in later] == list(range(11))
        assert [part.tolist() for part in numbers] == [part.tolist() for part in first]
    assert np.ptp(first[0]) > 700
    _, other = read(Memoised(batch_size=96), source, seed=2)
    assert other[0].tolist() != first[0].tolist(), "another seed cuts them anew"


def test_memoised_steps_replace_nothing_but_the_seeds(corpus):
    """When every document has been seen, not before."""
    source = Source(ManyBlocks(corpus, 100))
    begun = list(Memoised(300).minibatches(source, 0, 0, 0.0, 1))
    assert [(batch.keep, batch.add) for batch in begun] == [(1.0, 1.0)] * 3 + [(0.0, 1.0)]
    later = list(Memoised(300).minibatches(source, 1, 4, 1000.0, 1))
    assert [(batch.keep, batch.add) for batch in later] == [(1.0, 1.0)] * 4
    assert [tuple(batch.step)[:4] for batch in later] == [
        (4, 1.0, 1.0, 1000.0),
        (5, 1.0, 1.0, 1300.0),
        (6, 1.0, 1.0, 1600.0),
        (7, 1.0, 1.0, 1900.0),
    ]


@pytest.mark.parametrize(("n", "sizes"), [(100, [100]), (600, [256, 256, 88]), (5000, [512] * 9 + [392])])
def test_a_memoised_minibatch_is_a_tenth_unless_told(n, sizes):
    """Whole shards of it, and at least 256 documents."""
    source = Source(Corpus.from_matrix(np.ones((n, 1))))
    batches, _ = read(Memoised(), source)
    assert [batch.n_documents for batch in batches] == sizes


@pytest.mark.parametrize("bad", [0, -1, 2.5, True, "all"])
def test_a_memoised_batch_size_out_of_range_is_told(bad):
    with pytest.raises(UserError, match="batch_size=") as told:
        Memoised(batch_size=bad)
    assert "\n" not in str(told.value)


def test_held_out_documents_are_never_read(corpus):
    source = Source(ManyBlocks(corpus, 30), held_out=0.2)
    held_out = np.flatnonzero(~source.training)
    assert 120 < len(held_out) < 280
    for schedule in (Batch(), Online(batch_size=64), Memoised(64)):
        _, numbers = read(schedule, source)
        assert sorted(np.concatenate(numbers).tolist()) == np.flatnonzero(source.training).tolist()
    away = np.concatenate([source.block(block, held_out=True)[0] for block in range(source.n_blocks)])
    assert away.tolist() == held_out.tolist()
    other = Source(ManyBlocks(corpus, 1000), held_out=0.2)
    assert (other.training == source.training).all(), "chosen by id, not by block"


def test_rates_and_blends():
    online = Online(batch_size=10, kappa=0.5, tau0=4.0)
    assert [online.rate(t) for t in (0, 5)] == pytest.approx([0.5, 1 / 3])
    step, keep, add = online.step_for(0, 0.0, 10, 1000.0)
    assert (step.scale, keep, add) == pytest.approx((100.0, 0.5, 50.0))
    assert Online(tau0=1e-3).rate(0) == 1.0


@pytest.mark.parametrize(
    "bad", [{"batch_size": 0}, {"kappa": -0.1}, {"kappa": 1.1}, {"tau0": 0.0}, {"total": 0}]
)
def test_settings_out_of_range_are_told(bad):
    with pytest.raises(UserError, match=next(iter(bad))):
        Online(**bad)


def test_a_run_settles_on_the_mean_of_three_changes():
    assert not settled([-8.0, -8.0, -8.0], 1e-4)
    assert relative_change([-9.0, -8.8, -8.7, -8.65]) == pytest.approx(
        np.mean([0.2 / 9, 0.1 / 8.8, 0.05 / 8.7])
    )
    assert not settled([-9.0, -8.0, -8.0, -7.0], 1e-4)
    assert not settled([-8.0] * 8, 0.0), "tol 0 never stops"
    assert not evened_out([-9.0, -8.9, -8.8, -8.7, -8.6, -8.5, -8.4, -8.3, -8.2, -8.1], 1e-4)
    assert not evened_out([-8.0] * 20, 0.0), "tol 0 never stops"
    assert not evened_out([-8.0] * 9, 1e-4), "too few"


def test_noise_hides_a_rise():
    """A rise of 2e-5 a pass is below the tolerance, one of 2e-4 above; with noise it takes longer to know."""
    noise = 5e-3 * np.random.default_rng(0).standard_normal(400)
    slow, fast = (-8.0 + 8.0 * slope * np.arange(400) for slope in (2e-5, 2e-4))
    first = [
        next((n for n in range(401) if evened_out(scores[:n].tolist(), 1e-4)), None)
        for scores in (slow, slow + noise, fast, fast + noise)
    ]
    assert first[0] == 10
    assert 10 < first[1] < 60
    assert first[2:] == [None, None]
