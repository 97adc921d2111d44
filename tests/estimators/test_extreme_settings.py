"""Values that ask for more than a machine has are refused in a line, before anything is read or made."""

import pytest

from stickbreaker import HDP, LDA, AdaptorGrammar, Gibbs, NgramModel, UserError
from stickbreaker.estimators.setting_values import MOST_THREADS, threads_of

HUGE = (10**5, 10**9, 10**18)
TEXTS = ["a river bank", "bank money loan", "money river boat"]


@pytest.mark.parametrize("number", HUGE)
def test_chains_and_topics_have_a_limit(number):
    for make in (lambda: Gibbs(chains=number), lambda: AdaptorGrammar(chains=number).fit(TEXTS)):
        with pytest.raises(UserError, match=r"chains=10+\)?; chains is (at most 256|a whole number)"):
            make()
    if number < 10**6:
        return
    for model in (LDA(number), HDP(number), AdaptorGrammar("unigram", n_topics=number)):
        with pytest.raises(UserError, match=r"n_topics=10+; n_topics is (at most 1,000,000|a whole number)"):
            model.fit(TEXTS)


def test_topics_are_reckoned_with_the_memory_of_the_machine(monkeypatch):
    monkeypatch.setattr("stickbreaker.topics.plan.topic_plan.memory_of_machine", lambda: 1e6)
    with pytest.raises(UserError, match="100,000 topics of 4 words take 0 GB of memory; lower n_topics"):
        LDA(100_000).fit([["a", "b"], ["c", "d"]])


def test_more_threads_than_help_are_not_begun():
    assert threads_of(10**6) == MOST_THREADS
    assert LDA(2, n_jobs=10**6, max_iter=1, tol=0.0).fit(TEXTS).n_iter_ == 1


@pytest.mark.parametrize(
    "options",
    [
        ("lda", "--inference", "gibbs", "--chains", 100_000),
        ("lda", "--topics", 10**9),
        ("lda", "--topics", 10**18),
        ("lda", "--iterations", 10**18),
        ("lda", "--inference", "gibbs", "--every", 10**18, "--iterations", 10**18),
        ("hdp", "--topics", 10**9),
        ("grammar", "--chains", 100_000),
        ("grammar", "--iterations", 10**18),
        ("ngram", "--order", 10**9),
        ("ngram", "--samples", 10**18),
        ("ngram", "--iterations", 10**18),
    ],
)
def test_the_program_refuses_them_before_it_begins(cli, tmp_path, options):
    (tmp_path / "t.txt").write_text("\n".join(TEXTS), encoding="utf-8")
    kind, *given = options
    done = cli("fit", kind, tmp_path / "t.txt", "--out", tmp_path / "m", *given, code=1)
    assert done.stderr.count("\n") == 1
    assert given[-2].lstrip("-") in done.stderr
    assert not (tmp_path / "m").exists()


def test_values_that_only_bound_something_may_be_large(cli, tmp_path):
    (tmp_path / "t.txt").write_text("\n".join(TEXTS), encoding="utf-8")
    large = ("--schedule", "online", "--batch-size", 10**18, "--threads", 10**6, "--iterations", 1)
    cli("fit", "lda", tmp_path / "t.txt", "--out", tmp_path / "m", "--topics", 2, *large)
    assert cli("topics", tmp_path / "m", "--top", 10**18).stdout
    model = NgramModel(2, min_count=1, samples=2**31 - 1, max_iter=2, random_state=0).fit(TEXTS)
    assert len(model.next_words("a", 2**31 - 1)) == len(model.words_)
