"""Runs that need more memory than there is are refused before they begin."""

import string

import pytest

from stickbreaker import LDA, UserError
from stickbreaker.core.system_calls import memory_of_machine
from stickbreaker.corpus import Corpus
from stickbreaker.estimators import learner as estimators
from stickbreaker.syntax.learner import SYNTAX
from stickbreaker.syntax.settings import SyntaxSettings

WORDS = [f"w{a}{b}" for a in string.ascii_lowercase for b in string.ascii_lowercase]
TEXTS = [" ".join(WORDS[d : d + 200]) for d in range(0, 400, 20) for _ in range(2)]


def test_the_memory_of_this_machine_is_known():
    there = memory_of_machine()
    assert there is None or there > 1 << 28


def test_topics_are_reckoned(monkeypatch):
    monkeypatch.setattr(estimators, "memory_of_machine", lambda: 2 << 30)
    with pytest.raises(UserError) as error:
        LDA(1_000_000).fit(TEXTS)
    assert "n_topics=1000000 for 577 words takes 9" in str(error.value)
    assert "GB or more; this machine has 2 GB: give fewer" in str(error.value)
    assert "--topics 1000000" in error.value.on_command_line()
    LDA(2, max_iter=1, tol=0.0).fit(TEXTS)


def test_chains_are_reckoned():
    corpus = Corpus.from_texts(TEXTS)
    needed, parameters = SYNTAX.least_memory(SyntaxSettings(10, chains=1_000_000), corpus)
    assert parameters == "n_topics=10, chains=1000000"
    assert needed > 1_000_000 * 8 * 10 * corpus.n_words
    one, _ = SYNTAX.least_memory(SyntaxSettings(10, chains=1), corpus)
    assert needed == 1_000_000 * one
