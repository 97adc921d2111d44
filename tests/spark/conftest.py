"""One Spark session for the tests that need one; they are skipped, and say why, where Spark cannot run."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from stickbreaker.core.errors import UserError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from tests.spark.streaming_on_spark import Copies


@pytest.fixture(scope="session")
def runnable() -> None:
    """Skips the tests that use it where Spark cannot run."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    from stickbreaker.spark import check_spark

    try:
        check_spark()
    except UserError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def spark(runnable: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator["SparkSession"]:
    """A session with two local workers and few partitions."""
    from tests.spark.class_archive import use_archive
    from tests.spark.running_on_spark import LIGHT

    from stickbreaker.engines.spark.session import JAVA_OPTIONS
    from stickbreaker.spark import start_session

    use_archive()
    settings = {
        JAVA_OPTIONS: LIGHT,
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("spark") / "warehouse"),
    }
    session = start_session("local[2]", "tests", settings)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpora of `running_on_spark.RUNS`."""
    from tests.spark.running_on_spark import write_corpora

    return write_corpora(tmp_path_factory.mktemp("corpora"))


@pytest.fixture(scope="session")
def whole(
    spark: "SparkSession", corpora: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """Gives the directory of an undisturbed run."""
    from tests.spark.running_on_spark import begun, resumed

    done: dict[str, Path] = {}

    def of(run: str) -> Path:
        if run not in done:
            done[run] = begun(run, corpora, tmp_path_factory.mktemp("whole") / "model", spark)
            assert not resumed(done[run], spark)
        return done[run]

    return of


@pytest.fixture(scope="session")
def streamed(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> "Copies":
    """An undisturbed stream of open words, from a directory with all three files. Do not change it."""
    from tests.spark.streaming_on_spark import Copies, put_all

    folder = tmp_path_factory.mktemp("stream")
    return Copies(spark, put_all(folder / "incoming"), folder)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A path where nothing is yet."""
    return tmp_path / "out"


@pytest.fixture
def incoming(tmp_path: Path) -> Path:
    """A directory with all three files."""
    from tests.spark.streaming_on_spark import put_all

    return put_all(tmp_path / "incoming")
