"""The reproduction of translation by topics, at tiny size."""

import gzip
import json
import sys

import numpy as np
import pytest

from tests.running import TOPICS, german, planted_documents

pytestmark = pytest.mark.usefixtures("reproduction")


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Tiny sets of pairs and a dictionary where ../shared would be, and plans of a few passes."""
    from reproduce import texts, translation_lexicons, translation_topics

    for seed, file in enumerate([*(file for file, _ in texts.BITEXTS.values()), texts.OUTSIDE["de"]]):
        rows = []
        for document in planted_documents(24, seed=seed):
            words = document["text"].split()
            for start in range(0, len(words), 6):
                part = words[start : start + 6]
                rows.append({"en": " ".join(part), "de": " ".join(map(german, part)), "domain": "x"})
                rows[-1] |= {"doc": document["id"]} if seed in (0, 1, 5) else {}
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    path = tmp_path / texts.DICTIONARIES["de"]
    path.parent.mkdir()
    lines = "".join(f"{german(word)}\t{word}\n" for topic in TOPICS for word in topic)
    path.write_bytes(gzip.compress(lines.encode()))
    for module in (texts, translation_topics):
        monkeypatch.setattr(module, "DATA", tmp_path)
    monkeypatch.setattr(translation_topics, "SWEEPS", 4)
    monkeypatch.setattr(translation_topics, "PASSES", 2)
    monkeypatch.setattr(translation_topics, "MET", (0.001, 1.0))
    monkeypatch.setattr(translation_lexicons, "TOPICS", (3,))
    monkeypatch.setattr(translation_lexicons, "SEEDS", (0, 1))


@pytest.mark.slow
def test_the_study_runs_and_tells_what_came_out(data, tmp_path, monkeypatch, capsys):
    from reproduce import translation
    from reproduce.parts import main

    monkeypatch.setattr(sys, "argv", ["translation.py", "lexicons", "--out", str(tmp_path / "out")])
    main(translation.STUDY, translation.__doc__)
    printed = capsys.readouterr().out
    assert "de-en, ptLDA, one-to-one, hybrid, K = 3, eta 0.1, seed 0: gain" in printed
    part = json.loads((tmp_path / "out/translation.json").read_text())["parts"]["lexicons"]
    assert 10 < part["concepts"]["ptLDA, one-to-one"] <= 24
    assert len(part["runs"]) == 1 + 3 * 2 + 6 * 2 + 2 * 3 * 2
    page = (tmp_path / "out/translation.md").read_text()
    assert "LDA < pLDA" in page
    assert "the five sets" in page


@pytest.mark.slow
def test_sentences_are_translated_with_topics_and_without(data, tmp_path, monkeypatch, capsys):
    from reproduce import translation, translation_phrases
    from reproduce.parts import main

    small = {
        "K": 3,
        "ROUNDS": 2,
        "TUNINGS_FULL": 1,
        "RESAMPLED": 50,
        "DEV": 0.5,
        "TEST": 0.5,
        "LANGUAGE_SWEEPS": 4,
    }
    for name, value in small.items():
        monkeypatch.setattr(translation_phrases, name, value)
    monkeypatch.setitem(translation_phrases.LANGUAGE_TOPICS, translation_phrases.MANY_TOPICS, 3)
    arguments = ["translation.py", "phrases", "--full", "--out", str(tmp_path / "out")]
    monkeypatch.setattr(sys, "argv", arguments)
    main(translation.STUDY, translation.__doc__)
    part = json.loads((tmp_path / "out/translation.json").read_text())["parts"]["phrases"]
    runs = [translation_phrases.PhraseRun(*run) for run in part["runs"]]
    assert [run.system for run in runs] == [
        *translation_phrases.SYSTEMS,
        translation_phrases.BY_RANK,
        *translation_phrases.LANGUAGE_TOPICS,
    ]
    for run in runs:
        counts = np.array(run.documents).sum(axis=0)
        assert translation_phrases.bleu_of(counts) == pytest.approx(run.scores["bleu"], abs=1e-6)
        assert run.scores["bleu"] > 50.0  # words are spelled backwards: a dictionary is enough
        assert list(run.outside) == ["all", "x"]
        assert run.outside["all"] == run.outside["x"]
    assert translation_phrases.better_share(runs[0], runs[0]) == 0.0
    printed = capsys.readouterr().out
    assert "with topics" in printed
    assert translation_phrases.LANGUAGE_NOTE in printed


def test_without_full_the_first_systems_are_tuned_twice():
    from reproduce.translation_phrases import OUTSIDE, SYSTEMS, plans_of

    plans = plans_of("de", "folder", full=False)
    assert [(plan.system, plan.tuning) for plan in plans] == [(name, n) for name in SYSTEMS for n in (0, 1)]
    assert [plan.outside for plan in plans] == [OUTSIDE, 0.0] * len(SYSTEMS)


def test_a_set_is_split_by_documents(data):
    from reproduce.translation_bitexts import TEST, TEST_SEED, pairs_of

    from stickbreaker.core.random_streams import share_of

    pairs = list(pairs_of("de"))
    assert {pair.domain for pair in pairs} == {"libreoffice", "wesnoth", "multi30k", "ted", "wmt"}
    lines = [pair for pair in pairs if pair.document == "ted:lines 0"]
    assert len(lines) == 20
    share = sum(share_of(pair.document, TEST_SEED) < TEST for pair in pairs) / len(pairs)
    assert 0.0 < share < 0.3


def test_the_order_is_sure_where_all_documents_agree(data):
    from reproduce.translation_runs import Run, Way
    from reproduce.translation_tables import difference

    def run(gain: float) -> Run:
        way = Way(30, -1.0, gain / 3.0, {"a": gain}, (1.0, 1.0), [gain, 2.0 * gain], [10, 20], {})
        return Run("de", "LDA", "gibbs", 3, 0.1, 0, 1.0, (way, way))

    found = difference([run(1.0)], [run(2.0)])
    assert found.gain == pytest.approx(0.1)
    assert found.low == pytest.approx(0.1)
    assert found.is_sure
    assert not difference([run(1.0)], [run(1.0)]).is_sure
