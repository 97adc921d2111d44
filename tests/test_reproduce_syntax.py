"""The texts, runs and pages of the syntactic topics' reproduction, at tiny size."""

import gzip
import json
import sys

import numpy as np
import pytest

from tests.running import write_trees

pytestmark = pytest.mark.usefixtures("reproduction")


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Tiny treebanks where ../shared would be."""
    from reproduce import syntax_runs, texts

    for names in (texts.TEXTS[name] for name in ("treebank sample", "EWT", "Sequoia")):
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            text = write_trees(tmp_path / "plain", 24).read_text().replace("id = doc", f"id = {path.name}-")
            path.write_bytes(gzip.compress(text.encode()))
    for module in (texts, syntax_runs):
        monkeypatch.setattr(module, "DATA", tmp_path)


def test_a_sample_is_cut_by_chance_and_a_treebank_by_its_files(data):
    from reproduce.syntax_runs import split_of

    splits = [split_of("treebank sample", number) for number in (0, 1)]
    for split in splits:
        ids = {one.id for one in split.train} | {one.id for one in split.test}
        assert (len(split.train), len(split.test), len(ids)) == (20, 4, 24)
    assert {one.id for one in splits[0].test} != {one.id for one in splits[1].test}
    whole = split_of("EWT", 0)
    assert (len(whole.train), len(whole.test)) == (24, 48)


def test_differences_are_of_pairs_over_documents():
    from reproduce.syntax_runs import Plan, Run, difference

    def run(nats):
        plan = Plan("treebank sample", 0, "STM", 1)
        return Run(plan, nats, [2, 4, 2], {}, 0.0, 1, 1, 1, 0.0)

    better, worse = run([-2.0, -4.0, -2.0]), run([-3.0, -6.0, -3.0])
    assert difference([better], [worse]) == pytest.approx((0.5, 0.0))
    assert difference([better, better], [worse, worse])[0] == pytest.approx(0.5)
    assert difference([better, better], [worse, run([-2.0, -4.0, -4.0])])[1] == pytest.approx(
        difference([better], [run([-2.5, -5.0, -3.5])])[1]
    ), "two seeds on the same documents are one sample of these"
    mean, error = difference([better], [run([-2.0, -4.0, -4.0])])
    assert mean == pytest.approx(0.25)
    rest = np.array([0.0, 0.0, 2.0]) - 0.25 * np.array([2, 4, 2])
    assert error == pytest.approx(np.sqrt(3 / 2 * (rest**2).sum()) / 8)


@pytest.mark.slow
def test_the_study_runs_and_says_what_came_out(data, tmp_path, monkeypatch, capsys):
    from reproduce import syntax, syntax_planted, syntax_runs, syntax_tables

    monkeypatch.setattr(syntax_tables, "SWEEPS", 6)
    monkeypatch.setattr(syntax_tables, "SEEDS", (0, 1))
    monkeypatch.setattr(syntax_planted, "SWEEPS", 6)
    monkeypatch.setattr(syntax_planted, "DOCUMENTS", 12)
    monkeypatch.setattr(syntax_planted, "CHAINS", 2)
    monkeypatch.setattr(syntax_runs, "TOPICS", 4)
    monkeypatch.setattr(sys, "argv", ["syntax.py", "--out", str(tmp_path / "out")])
    syntax.main(syntax.STUDY, "")
    printed = capsys.readouterr().out
    assert "about " in printed
    text = (tmp_path / "out/syntax.md").read_text()
    for name in ("The planted language", "treebank sample", "EWT", "Sequoia", "prepared as in the paper"):
        assert f"## {name}" in text or name in text
    assert "oracle" in text
    results = json.loads((tmp_path / "out/syntax.json").read_text())
    for one in (syntax_planted.Found(*found) for found in results["parts"]["planted"]["found"]):
        near = 1.25 * one.perplexity  # one chain of two
        assert one.best < near, one
        assert not one.by_tag or min(one.by_tag.values()) < one.best < max(one.by_tag.values())
    runs = [syntax_runs.Run.from_json(one) for one in results["parts"]["sample"]["runs"]]
    assert {run.plan.model for run in runs} == {"STM", "ITIC", "HDP", "STM, as printed"}
    for run in runs:
        assert sum(run.words) == sum(words for _, words in run.by_tag.values())
        assert sum(run.nats) == pytest.approx(sum(nats for nats, _ in run.by_tag.values()))
        assert 1.0 < run.perplexity < 30.0
    assert "<table" in (tmp_path / "out/syntax.html").read_text()
