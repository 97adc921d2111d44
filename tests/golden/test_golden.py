"""No change of the code changes a number by accident: runs give the bytes that were recorded.

`runs.py` says how records are made, and `tests/baseline.py` in what processes.
"""

from pathlib import Path

import pytest
from tests import baseline
from tests.golden import names
from tests.golden.expected import digests_recorded
from tests.golden.runs import RUNS, digests_of, stop_of, write_corpora
from tests.tiers import sampled

from stickbreaker.corpus import Corpus, ReadingOptions


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpora(tmp_path_factory.mktemp("corpora") / "corpora")


@pytest.fixture(scope="module")
def child():
    if not baseline.supported():
        yield None
        return
    with baseline.process() as process:
        yield process


@pytest.fixture(scope="module")
def corpora_of_child(child, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("child") / "corpora"
    return child.submit(write_corpora, folder).result() if child else folder


@pytest.mark.ci
@pytest.mark.parametrize("run", RUNS)
def test_runs_give_the_bytes_that_were_recorded(run, child, corpora_of_child, tmp_path):
    """Interrupted, with two threads; what is recorded was learned by one."""
    recorded = digests_recorded()
    made = child.submit(digests_of, run, corpora_of_child, tmp_path / "two", threads=2, stopped=True)
    assert made.result() == recorded[run]


@pytest.mark.parametrize("run", sampled(list(RUNS), 3))
def test_threads_and_interruptions_change_no_byte(run, corpora, tmp_path):
    """On the processor at hand: interrupted with two threads, whole with four (laws have one too)."""
    interrupted = digests_of(run, corpora, tmp_path / "two", threads=2, stopped=True)
    names.check(tmp_path / "two")
    names.check(stop_of(tmp_path / "two"))
    assert digests_of(run, corpora, tmp_path / "four", threads=4)["model"] == interrupted["model"]


def test_names_in_files_of_corpora_are_those_that_were_recorded(corpora):
    names.check(corpora)


def test_names_in_files_of_a_corpus_with_trees_are_those_that_were_recorded(tmp_path):
    words = "1\tcats\tcat\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n2\tpurr\tpurr\tVERB\tVBP\t_\t0\troot\t_\t_\n"
    (tmp_path / "a.conllu").write_text(words)
    reading = ReadingOptions(trees=True, tags="xpos")
    Corpus.build(tmp_path / "a.conllu", tmp_path / "made" / "trees", reading=reading, all_words=True)
    names.check(tmp_path / "made")
