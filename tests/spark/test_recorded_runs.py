"""No change of the code changes a number of either engine on Spark by accident: see `tests/golden`."""

import pytest
from tests import baseline
from tests.golden import names, runs
from tests.golden.expected import digests_recorded


@pytest.fixture(scope="module")
def child(runnable):
    """A process with a session of its own, whose workers begin with its environment."""
    digests_recorded()  # without any there is nothing to start
    with baseline.process() as process:
        yield process


@pytest.fixture(scope="module")
def golden(child, tmp_path_factory):
    return child.submit(runs.write_corpora, tmp_path_factory.mktemp("golden")).result()


@pytest.mark.parametrize("run", runs.ON_SPARK)
def test_two_workers_give_the_bytes_that_one_gave(child, golden, tmp_path, run):
    """In a run that is interrupted; what is recorded was learned by one worker."""
    path = tmp_path / "model"
    digests = child.submit(runs.digests_on_spark, run, golden, path, "local[2]").result()
    names.check(path)
    names.check(runs.stop_of(path))
    assert digests == digests_recorded()[runs.spark_name(run)]
