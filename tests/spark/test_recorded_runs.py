"""No change of the code changes a number of either engine on Spark by accident: see `tests/golden`."""

import pytest
from tests.golden import names, runs

from stickbreaker.engines.spark import SparkEngine

RECORDED = runs.recorded()


@pytest.fixture(scope="module")
def golden(tmp_path_factory):
    return runs.write_corpora(tmp_path_factory.mktemp("golden"))


@pytest.mark.skipif(not RECORDED, reason=f"no digests are recorded for {runs.numerics()}: make golden")
@pytest.mark.parametrize("run", runs.ON_SPARK)
def test_two_workers_give_the_bytes_that_one_gave(spark, golden, tmp_path, run):
    """In a run that is interrupted; what is recorded was learned by one worker."""
    engine = SparkEngine(spark, portion=runs.PORTION, blocks=runs.BLOCKS)
    path = tmp_path / "model"
    digests = runs.digests_of(run, golden, path, threads=1, stopped=True, spark=engine)
    names.check(path)
    names.check(runs.stop_of(path))
    assert digests == RECORDED[runs.spark_name(run)]
