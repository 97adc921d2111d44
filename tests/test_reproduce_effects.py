"""The experiment on intervals of effects, in small: what it draws, and that it tells the two ways apart."""

import json

import numpy as np
import pytest
from reproduce.effects import Cell, Interval, of_composition, of_prior, read_intervals, table_of, two_groups
from reproduce.levels import held, planted


def test_groups_differ_by_the_effect():
    groups = two_groups(200, 400, 0.3, seed=0, own=1.0)
    first = np.array([sum(int(word[1:]) < 20 for word in one.tokens) / 200 for one in groups.corpus])
    side = np.array([one.metadata["party"] == "b" for one in groups.corpus])
    assert first[side].mean() - first[~side].mean() == pytest.approx(0.3, abs=0.06)
    assert np.allclose(groups.topics.sum(axis=1), 1.0)


def test_an_author_has_one_party_and_a_share_of_its_own():
    corpus = two_groups(100, 400, 0.0, seed=0, authors=8).corpus
    first, authors = np.zeros(400), [one.metadata["author"] for one in corpus]
    for d, one in enumerate(corpus):
        first[d] = sum(int(word[1:]) < 20 for word in one.tokens) / 100
    assert len({(one.metadata["author"], one.metadata["party"]) for one in corpus}) == 8
    means = [first[[name == author for name in authors]].mean() for author in sorted(set(authors))]
    assert np.std(means) > 0.07


def test_intervals_are_read_and_counted(tmp_path):
    file = tmp_path / "intervals.jsonl"
    assert read_intervals(file) == {}
    lines = [[[15, 200, 0.1, 1.0, "mean-field", "prior"], seed, [0.1 * seed, 0.05, 0.2]] for seed in (0, 1)]
    lines.append([[15, 200, 0.1, 1.0, "mean-field", "prior", 0], 2, [0.3, 0.2, 0.4]])
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = read_intervals(file)
    assert found[Cell(15, 200, 0.1, 1.0, "mean-field", "prior"), 2] == Interval(0.3, 0.2, 0.4)
    assert list(table_of(found))[-1].endswith("| prior | 0 | 0.133 | 0.167 | 2 of 3 |")


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


@pytest.mark.filterwarnings("ignore")
@pytest.mark.long("intervals of forty authors")
def test_intervals_of_months_and_authors_hold_the_truth():
    found = held(planted(400, 0), 0)
    assert found.months > 0.85
    assert found.authors > 0.85
    assert 0.3 < found.between_authors < 0.8
    assert 0.08 < found.between_months < 0.35
