"""The runs and the page of the online grammars' reproduction, at tiny size."""

import gzip
import json
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("reproduction")

WORDS = ("the", "dog", "ran", "a", "cat")


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Tiny corpora where ../shared would be, and few runs."""
    from reproduce import (
        grammar_texts,
        online_brent,
        online_chinese,
        online_chinese_grid,
        online_topics,
        texts,
    )

    draw = np.random.default_rng(0)
    for file in grammar_texts.FILES.values():
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        lines = "".join(f"{' '.join(draw.choice(WORDS, 3))}\n" for _ in range(60))
        path.write_bytes(gzip.compress(lines.encode()) if path.suffix == ".gz" else lines.encode())
    (tmp_path / "de-news-en").mkdir()
    rows = [{"id": str(n), "text": " ".join(draw.choice(WORDS, 9))} for n in range(30)]
    content = "".join(f"{json.dumps(row)}\n" for row in rows)
    (tmp_path / "de-news-en/docs.jsonl.gz").write_bytes(gzip.compress(content.encode()))
    (tmp_path / "de-news-en/seed_dictionary.txt").write_text("dog\n")
    monkeypatch.setattr(texts, "DATA", tmp_path)
    monkeypatch.setattr(grammar_texts, "DATA", tmp_path)
    monkeypatch.setattr(online_brent, "SWEEPS", {"unigram": (2,), "collocation": (2,)})
    monkeypatch.setattr(online_brent, "VARIATIONAL", (1,))
    monkeypatch.setattr(online_brent, "PASSES", {"unigram": (1, 2), "collocation": (2,)})
    monkeypatch.setattr(online_chinese, "SWEEPS", {"unigram": 2, "collocation": 2})
    monkeypatch.setattr(online_chinese, "PASSES", {"unigram": 1, "collocation": 1})
    monkeypatch.setattr(online_chinese_grid, "SWEEPS", (2, 3))
    monkeypatch.setattr(online_chinese_grid, "PASSES", 1)
    monkeypatch.setattr(online_topics, "DOCUMENTS", 30)
    monkeypatch.setattr(online_topics, "PASSES", (1,))
    monkeypatch.setattr(online_topics, "SEEDS", 1)
    monkeypatch.setattr(online_topics, "SWEEPS", (2, 2))
    monkeypatch.setattr(online_topics, "VARIATIONAL", (1, 1))
    grammar_texts.sentences.cache_clear()
    yield
    grammar_texts.sentences.cache_clear()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_study_runs_and_tells_of_its_aims(data, tmp_path, monkeypatch, capsys):
    from reproduce import grammars_online
    from reproduce.online_topics import LDA_OPEN, ONLINE, Run, told_apart
    from reproduce.parts import main

    monkeypatch.setattr(sys, "argv", ["grammars_online.py", "--out", str(tmp_path / "out")])
    main(grammars_online.STUDY, grammars_online.__doc__)
    printed = capsys.readouterr().out
    assert "Brent, unigram, ONLINE, B = 20, κ = 0.5, τ = 1, concentration 3000, seed 4: 2 calls" in printed
    results = json.loads((tmp_path / "out/grammars-online.json").read_text())
    assert len(results["parts"]["chinese"]["runs"]) == 30
    grid = results["parts"]["chinese-grid"]["runs"]
    assert len(grid) == 3 * 2 * 9 + 2 * 2 * 2, (
        "nine rates of each text and grammar; chains and batches of two"
    )
    assert {row for _, _, row, *_ in grid if row.startswith("MCMC")} == {"MCMC, 2 sweeps"}
    runs = [Run(*run) for run in results["parts"]["topics"]["runs"]]
    names = ("grammar, MCMC", "grammar, VARIATIONAL", *(ONLINE, LDA_OPEN) * 2)
    assert sorted(run.name for run in runs) == sorted(names)
    for run in runs:
        assert run.different == len({word for own in run.words for word in own}) > 0
        assert (run.held_out is None) == (run.name in names[:2])
        assert run.held_out is None or -5.0 < run.held_out < -0.5, "five words, about evenly"
    grammar = next(run for run in runs if run.name == ONLINE)
    assert [step for step, _, _ in grammar.moments] == [1]
    assert grammar.moments[-1][2] == grammar.words[0]
    page = (tmp_path / "out/grammars-online.md").read_text()
    for words in ("0.73 at least", "72.98 (2.78)", "calls a sentence", "first words, grammar", "minibatch"):
        assert words in page
    told = told_apart([(1, 50, ["tax", "german"]), (4, 200, ["german", "order"])])
    assert told == [(1, 50, "tax german"), (4, 200, "german **order**")]
