import numpy as np

from stickbreaker.core.random_streams import keyed_uniforms, share_of, stream


def test_a_stream_depends_on_all_four_arguments_and_nothing_else():
    first = stream(1, "shuffle", 2, "key").random(4)
    stream(9, "other").random(100)
    assert (stream(1, "shuffle", 2, "key").random(4) == first).all()
    others = [stream(2, "shuffle", 2, "key"), stream(1, "x", 2, "key"), stream(1, "shuffle", 3, "key")]
    others += [stream(1, "shuffle", 2, "kez"), stream(1, "shuffle", 2, b"key"), stream(1, "shuffle", 2, 0)]
    assert all((other.random(4) != first).any() for other in others)


def test_parts_do_not_run_together():
    assert stream(1, "ab", 1, "c").random() != stream(1, "a", 1, "bc").random()
    assert stream(1, "a", 11, "x").random() != stream(11, "a", 1, "x").random()


def test_keyed_uniforms_are_uniform_and_belong_to_their_key():
    keys = [f"word{i}" for i in range(500)]
    numbers = keyed_uniforms(3, "topics", keys, 40)
    assert numbers.min() > 0.0
    assert numbers.max() < 1.0
    counts, _ = np.histogram(numbers, bins=20, range=(0.0, 1.0))
    assert abs(counts - 1000).max() < 160  # five standard deviations
    assert abs(np.corrcoef(numbers[:, 0], numbers[:, 1])[0, 1]) < 0.2
    backwards = keyed_uniforms(3, "topics", keys[::-1], 40)
    assert (backwards[::-1] == numbers).all()
    assert (keyed_uniforms(4, "topics", keys, 40) != numbers).all()


def test_share_of_picks_that_share():
    shares = np.array([share_of(f"document-{i}") for i in range(4000)])
    assert abs((shares < 0.1).mean() - 0.1) < 0.03
    assert share_of("\ud800") == share_of("\ud800")
