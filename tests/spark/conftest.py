"""One Spark session for the tests that need one; they are skipped, and say why, where Spark cannot run."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from stickbreaker.core.errors import UserError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


LIGHT = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # small jobs: compiling them well takes longer than they do
)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator["SparkSession"]:
    """A session with two local workers and few partitions."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    from pyspark.sql import SparkSession

    from stickbreaker.spark import check_spark
    from stickbreaker.spark.session import QUIET

    try:
        check_spark()
    except UserError as error:
        pytest.skip(str(error))
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={QUIET} {LIGHT}",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("spark") / "warehouse"),
    }
    session = SparkSession.builder.master("local[2]").appName("tests").config(map=settings).getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A path where nothing is yet."""
    return tmp_path / "out"
