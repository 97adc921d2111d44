"""The texts, runs and page of the grammars' reproduction, at tiny size."""

import gzip
import json
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("reproduction")

WORDS = ("the", "dog’s", "ran", "a", "cat")


def lines_of(number):
    generator = np.random.default_rng(number)
    return "".join(f"{' '.join(generator.choice(WORDS, 3))}\n" for _ in range(30))


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Tiny corpora where ../shared would be, and a plan of a few sweeps."""
    from reproduce import grammar_brent, grammar_chinese, grammar_texts, texts

    for number, file in enumerate(grammar_texts.FILES.values()):
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        content = lines_of(number).encode()
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    monkeypatch.setattr(texts, "DATA", tmp_path)
    monkeypatch.setattr(grammar_texts, "DATA", tmp_path)
    monkeypatch.setattr(grammar_brent, "SWEEPS", {"unigram": 4, "collocation": 4})
    monkeypatch.setattr(grammar_chinese, "SHORT", {"unigram": 2, "collocation": 2})
    grammar_texts.sentences.cache_clear()


@pytest.mark.slow
def test_the_study_runs_and_tells_of_its_aims(data, tmp_path, monkeypatch, capsys):
    from reproduce import grammars
    from reproduce.parts import main

    monkeypatch.setattr(sys, "argv", ["grammars.py", "--out", str(tmp_path / "out")])
    main(grammars.STUDY, grammars.__doc__)
    printed = capsys.readouterr().out
    assert "Brent, collocation, incremental, seed 2" in printed
    results = json.loads((tmp_path / "out/grammars.json").read_text())
    assert len(results["parts"]["brent"]["runs"]) == 18
    assert len(results["parts"]["chinese"]["runs"]) == 6
    page = (tmp_path / "out/grammars.md").read_text()
    for words in ("0.67 at least", "0.79 at least", "72.70 (2.81)", "nats above", "the file has 12"):
        assert words in page or words.replace("above", "below") in page


def test_spread():
    from reproduce.claims import spread

    assert spread([0.25, 0.75]) == "0.500 (0.250 to 0.750)"


def test_sentences_are_joined(data):
    from reproduce.grammar_texts import sentences

    gold, joined = sentences("CTB6")
    assert ["".join(words) for words in gold] == joined
