import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker import UserError
from stickbreaker.core.topk import SAME
from stickbreaker.topics.evaluation import nearest, nearest_documents


@given(st.integers(1, 7), st.integers(1, 9), st.integers(1, 4), st.integers(0, 99))
def test_blocks_give_what_sorting_all_of_them_gives(n_others, n_queries, n, seed):
    draw = np.random.default_rng(seed)
    queries, others = draw.dirichlet(np.ones(3), n_queries), draw.dirichlet(np.ones(3), n_others)
    others[-1] = others[0]  # a tie, which goes to the first
    cut = draw.integers(0, n_others + 1)
    found = nearest_documents(queries, [others[:cut], others[cut:]], n)
    affinity = np.sqrt(queries) @ np.sqrt(others).T
    best = -np.sort(-affinity, axis=1)[:, :n]
    assert found.affinity == pytest.approx(best, rel=2 * SAME)  # numbers nearer than that are ties
    assert found.affinity == pytest.approx(np.take_along_axis(affinity, found.positions, axis=1))
    assert all(len(set(row)) == len(row) for row in found.positions.tolist())
    for row in found.positions.tolist():
        assert n_others - 1 not in row or 0 in row[: row.index(n_others - 1) + 1], "the first of the tie"
    assert ((1 - found.affinity) >= -1e-9).all()
    hellinger = ((np.sqrt(queries[:, None]) - np.sqrt(others[found.positions])) ** 2).sum(-1) / 2
    assert found.affinity == pytest.approx(1 - hellinger)


@pytest.mark.parametrize("width", [1, 2, 5, 128])
@given(st.integers(0, 99), st.integers(1, 12))
def test_ties_go_to_the_first_however_documents_are_cut(width, seed, n):
    """Shares that have exact roots: affinities are equal or apart, and compared as they are."""
    draw = np.random.default_rng(seed)
    kinds = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0.25, 0.25, 0.25, 0.25], [0, 0, 0.25, 0.75]])
    queries, others = kinds[draw.integers(3, size=6)], kinds[draw.integers(4, size=40)]
    affinity = np.sqrt(queries) @ np.sqrt(others).T
    expected = [sorted(range(40), key=lambda other: (-row[other], other))[:n] for row in affinity]
    cuts = np.sort(draw.integers(0, 41, 3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest, "MERGED_AT_ONCE", width)
        found = nearest_documents(queries, np.split(others, cuts), n)
    assert found.positions.tolist() == expected
    assert found.affinity == pytest.approx(np.take_along_axis(affinity, np.array(expected), axis=1))


def test_mistakes():
    for wrong in (np.nan, np.inf, -0.5):
        for queries, others in (([[wrong, 0.5]], [[0.5, 0.5]]), ([[0.5, 0.5]], [[0.5, wrong]])):
            with pytest.raises(UserError, match="finite and not negative"):
                nearest_documents(queries, [others])
    with pytest.raises(UserError, match="n=0"):
        nearest_documents([[1.0]], [[[1.0]]], 0)
    with pytest.raises(UserError, match="no document"):
        nearest_documents(np.ones((1, 2)) / 2, [])
    with pytest.raises(UserError, match="one model for both"):
        nearest_documents(np.ones((1, 2)) / 2, [np.ones((1, 3)) / 3])


def test_queries_come_in_parts(monkeypatch):
    draw = np.random.default_rng(1)
    queries, others = draw.dirichlet(np.ones(4), 23), draw.dirichlet(np.ones(4), 40)
    whole = nearest_documents(queries, [others[:15], others[15:]], 3)
    monkeypatch.setattr(nearest, "QUERIES_AT_ONCE", 7)
    parts = nearest_documents(queries, [others[:15], others[15:]], 3)
    assert parts.positions.tolist() == whole.positions.tolist()
    assert nearest_documents(np.empty((0, 4)), [others], 3).positions.shape == (0, 3)
