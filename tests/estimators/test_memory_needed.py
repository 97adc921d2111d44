"""Runs that need more memory than there is are refused before they begin."""

import string
import tracemalloc

import pytest

from stickbreaker import HDP, LDA, UserError
from stickbreaker.core.system_calls import memory_of_machine
from stickbreaker.corpus import Corpus
from stickbreaker.estimators import learner as estimators
from stickbreaker.syntax.learner import SYNTAX
from stickbreaker.syntax.settings import SyntaxSettings
from stickbreaker.topics import learner
from stickbreaker.topics.plan import plan_of
from stickbreaker.topics.settings import LDASettings

WORDS = [f"w{a}{b}" for a in string.ascii_lowercase for b in string.ascii_lowercase]
TEXTS = [" ".join(WORDS[d : d + 200]) for d in range(0, 400, 20) for _ in range(2)]


def test_the_memory_of_this_machine_is_known():
    there = memory_of_machine()
    assert there is None or there > 1 << 28


def test_topics_are_reckoned(monkeypatch):
    monkeypatch.setattr(estimators, "memory_of_machine", lambda: 2 << 30)
    with pytest.raises(UserError) as error:
        LDA(1_000_000).fit(TEXTS)
    assert "n_topics=1000000 for 577 words takes 1" in str(error.value)
    assert "GB or more; this machine has 2 GB: give fewer" in str(error.value)
    assert "--topics 1000000" in error.value.on_command_line()
    LDA(2, max_iter=1, tol=0.0).fit(TEXTS)


@pytest.mark.parametrize(
    ("model", "named"),
    [
        (LDA(200_000, inference="gibbs"), "n_topics=200000 for"),
        (LDA(500_000, words="open"), "n_topics=500000 for"),
        (HDP(200_000, schedule="online"), "n_topics=200000 for"),
        (HDP(20_000, representation="franchise", tables=10_000), "n_topics=20000, tables=10000 for"),
    ],
)
def test_what_a_run_keeps_is_reckoned(model, named, monkeypatch):
    """Before anything of it is made; the option is named."""
    monkeypatch.setattr(estimators, "memory_of_machine", lambda: 2 << 30)
    with pytest.raises(UserError, match=named):
        model.fit(TEXTS)


def test_a_run_takes_at_least_what_is_reckoned():
    """Else runs would be refused that fit: of what is counted, each is there at once."""
    corpus = Corpus.from_texts(TEXTS)
    estimator = LDA(300, max_iter=1, tol=0.0, n_jobs=1, random_state=0)
    needed, _ = plan_of(estimator.settings).least_memory(corpus)
    tracemalloc.start()
    try:
        estimator.fit(corpus)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert needed <= peak


def test_a_start_keeps_no_documents_that_were_not_chosen():
    """Of some twenty candidates for each topic's first document."""
    corpus = Corpus.from_texts([f"{a} {b}" for a in WORDS[:20] for b in WORDS[:20]])
    settings = LDASettings(200, max_iter=1, tol=0.0, n_jobs=1)
    tracemalloc.start()
    try:
        learner.LDA.new_run(settings, corpus, 0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * 200 * corpus.n_documents * 4, "four numbers for each topic and document"


def test_a_search_is_refused_before_its_first_run(cli, planted, tmp_path, monkeypatch):
    cli("corpus", "build", planted, "--out", tmp_path / "c")
    monkeypatch.setattr(estimators, "memory_of_machine", lambda: 1 << 28)
    done = cli("search-k", tmp_path / "c", "--topics", "2,1000000", "--out", tmp_path / "s", code=1)
    assert "--topics 1000000 for" in done.stderr
    assert not (tmp_path / "s").exists()


def test_chains_are_reckoned():
    corpus = Corpus.from_texts(TEXTS)
    needed, parameters = SYNTAX.least_memory(SyntaxSettings(10, chains=1_000_000), corpus)
    assert parameters == "n_topics=10, chains=1000000"
    assert needed > 1_000_000 * 8 * 10 * corpus.n_words
    one, _ = SYNTAX.least_memory(SyntaxSettings(10, chains=1), corpus)
    assert needed == 1_000_000 * one
