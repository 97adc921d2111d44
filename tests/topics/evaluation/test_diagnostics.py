"""Figures of each topic, beside loops over their definitions."""

import csv
import json
import math

import numpy as np
import pytest

from stickbreaker import LDA, Corpus
from stickbreaker.topics.evaluation.diagnostics import diagnostics_of


def test_they_are_what_their_definitions_say():
    rng = np.random.default_rng(0)
    K, V, D = 4, 30, 25
    beta = rng.dirichlet(np.full(V, 0.2), K)
    beta[0, :5] = 0.0
    beta[0] /= beta[0].sum()
    shares, tokens = rng.dirichlet(np.full(K, 0.3), D), rng.integers(0, 9, D).astype(float)
    words = ["x" * (1 + v % 7) for v in range(V)]
    top = [np.argsort(-row)[:6].tolist() for row in beta]
    found = diagnostics_of(beta, top, words, shares, tokens)
    documents = [d for d in range(D) if tokens[d] > 0]
    all_tokens = sum(tokens)
    mix = [
        sum(shares[d, k] * tokens[d] * beta[k, v] for d in documents for k in range(K)) / all_tokens
        for v in range(V)
    ]
    for k in range(K):
        n = [shares[d, k] * tokens[d] for d in documents]
        assert found.tokens[k] == pytest.approx(sum(n))
        assert found.document_entropy[k] == pytest.approx(-sum(x / sum(n) * math.log(x / sum(n)) for x in n))
        assert found.word_length[k] == pytest.approx(sum(len(words[v]) for v in top[k]) / 6)
        p = [(v, beta[k, v]) for v in range(V) if beta[k, v] > 0]
        assert found.uniform_distance[k] == pytest.approx(sum(x * math.log(x * V) for _, x in p))
        assert found.corpus_distance[k] == pytest.approx(sum(x * math.log(x / mix[v]) for v, x in p))
        assert found.effective_words[k] == pytest.approx(1 / sum(x * x for _, x in p))
        assert found.exclusivity[k] == pytest.approx(np.mean([beta[k, v] / beta[:, v].sum() for v in top[k]]))
        there = [d for d in documents if shares[d, k] >= 0.02]
        assert found.first_documents[k] == sum(shares[d].argmax() == k for d in documents) / len(there)
        assert found.allocation_ratio[k] == sum(shares[d, k] >= 0.5 for d in there) / len(there)


def test_nothing_is_divided_by_zero():
    found = diagnostics_of(np.eye(2), [[0], [1]], ["a", "b"], np.ones((2, 2)) / 2, np.zeros(2))
    assert all(np.isfinite(values).all() for values in found)


def test_the_program_writes_them(cli, model, planted, texts, tmp_path):
    out = tmp_path / "d.csv"
    line = ("evaluate", model, planted, "--diagnostics", out)
    told = json.loads(cli(*line, "--json").stdout)
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    lda = LDA.load(model)
    assert len(rows) == 3
    assert [row["words"].split() for row in rows] == lda.top_words(10)
    assert [float(row["npmi"]) for row in rows] == told["coherence"][0]["npmi"]["per_topic"]
    assert sum(float(row["tokens"]) for row in rows) == pytest.approx(Corpus.from_texts(texts).n_tokens)
    assert "already exists" in cli(*line, code=1).stderr
    assert "diagnostics of 3 topics" in cli(*line, "--overwrite").stderr
    assert "needs a file" in cli("evaluate", model, planted, "--diagnostics", "-", code=1).stderr
