"""The reproduction of topics over concepts, at tiny size."""

import gzip
import json
import sys

import pytest

from tests.running import TOPICS, german, planted_documents

pytestmark = pytest.mark.usefixtures("reproduction")


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Tiny corpora and dictionaries where ../shared would be, and a plan of a few sweeps."""
    from reproduce import texts, tree_runs, trees

    documents = planted_documents(60)
    for name, (file, languages) in texts.PAGES.items():
        other = "zh" if name == "LibreOffice" else "de"
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        rows = [
            {
                "doc": d["id"],
                "en": d["text"],
                **dict.fromkeys(("de", other), " ".join(map(german, d["text"].split()))),
            }
            for d in documents
        ]
        path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
        assert other in languages
    words = [word for topic in TOPICS for word in topic]
    lines = {
        "de": "".join(f"{german(word)}\t{word}\n" for word in words),
        "zh": "".join(f"{german(word)}\t{german(word)}\tx\t{word}\n" for word in words),
    }
    for code, file in texts.DICTIONARIES.items():
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(lines[code].encode()))
    for module in (texts, tree_runs):
        monkeypatch.setattr(module, "DATA", tmp_path)
    monkeypatch.setattr(tree_runs, "TOPICS", 3)
    monkeypatch.setattr(tree_runs, "SWEEPS", 4)
    monkeypatch.setattr(tree_runs, "PASSES", 2)
    monkeypatch.setattr(trees, "SEEDS", (0,))
    tree_runs.material.cache_clear()
    yield
    tree_runs.material.cache_clear()


@pytest.mark.slow
def test_the_study_runs_and_tells_what_came_out(data, tmp_path, monkeypatch, capsys):
    from reproduce import trees
    from reproduce.parts import main

    monkeypatch.setattr(sys, "argv", ["trees.py", "--out", str(tmp_path / "out")])
    main(trees.STUDY, trees.__doc__)
    printed = capsys.readouterr().out
    assert "ptLDA, all pairs, gibbs, 25% linked" in printed
    results = json.loads((tmp_path / "out/trees.json").read_text())
    assert len(results["parts"]["manuals"]["runs"]) == 60
    assert len(results["parts"]["help-zh"]["runs"]) == 12
    assert "0% linked, gibbs: compared with pLDA" in (tmp_path / "out/trees.md").read_text()
