"""No change of the code changes a number by accident: runs give the bytes that were recorded.

Whole and interrupted, with one, two and four threads, in steps of one machine. `runs.py` says how records are
made; on other processors, and with other packages, the last digits differ, and the tests are skipped.
"""

from pathlib import Path

import pytest
from tests.golden import names
from tests.golden.runs import RUNS, digests_of, numerics, recorded, stop_of, write_corpora

RECORDED = recorded()


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpora(tmp_path_factory.mktemp("corpora") / "corpora")


@pytest.mark.parametrize("run", RUNS)
def test_runs_give_the_bytes_that_were_recorded(run, corpora, tmp_path):
    interrupted = digests_of(run, corpora, tmp_path / "two", threads=2, stopped=True)
    names.check(tmp_path / "two")
    names.check(stop_of(tmp_path / "two"))
    whole = {"model": interrupted["model"]}
    assert digests_of(run, corpora, tmp_path / "one", threads=1) == whole
    assert digests_of(run, corpora, tmp_path / "four", threads=4) == whole
    if not RECORDED:
        pytest.skip(f"no digests are recorded for {numerics()}: make golden")
    assert interrupted == RECORDED[run]


def test_names_in_files_of_corpora_are_those_that_were_recorded(corpora):
    names.check(corpora)
