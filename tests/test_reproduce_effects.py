"""The experiment on intervals of effects, in small: what it draws, and that it tells the two ways apart."""

import numpy as np
import pytest
from reproduce.effects import of_composition, of_prior, two_groups


def test_groups_differ_by_the_effect():
    groups = two_groups(200, 400, 0.3, seed=0, own=1.0)
    first = np.array([sum(int(word[1:]) < 20 for word in one.tokens) / 200 for one in groups.corpus])
    side = np.array([one.metadata["party"] == "b" for one in groups.corpus])
    assert first[side].mean() - first[~side].mean() == pytest.approx(0.3, abs=0.06)
    assert np.allclose(groups.topics.sum(axis=1), 1.0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.long("six models are fitted")
def test_short_documents_need_the_prior():
    """Documents of 15 words, an effect of .3: with the prior it is in the interval, else it is too small."""
    drawn = [two_groups(15, 300, 0.3, seed) for seed in range(3)]
    prior, composition = (
        np.array([way(groups, "mean-field", seed) for seed, groups in enumerate(drawn)])
        for way in (of_prior, of_composition)
    )
    assert ((prior[:, 1] <= 0.3) & (prior[:, 2] >= 0.3)).sum() >= 2
    assert prior[:, 0].mean() == pytest.approx(0.3, abs=0.05)
    assert composition[:, 0].mean() < 0.9 * prior[:, 0].mean()
