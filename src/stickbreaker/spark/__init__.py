"""The public interface to Spark: corpora from tables, scoring on executors, and LDA for pyspark.ml."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stickbreaker.engines.spark import SparkEngine
    from stickbreaker.engines.spark.session import check_spark, start_session
    from stickbreaker.spark.ml import LDA, LDAModel
    from stickbreaker.spark.scoring import transform_corpus, transform_frame
    from stickbreaker.spark.store_from_table import corpus_from_frame

_HOMES = {
    "LDA": "spark.ml",
    "LDAModel": "spark.ml",
    "check_spark": "engines.spark.session",
    "corpus_from_frame": "spark.store_from_table",
    "start_session": "engines.spark.session",
    "transform_corpus": "spark.scoring",
    "transform_frame": "spark.scoring",
}

__all__ = [
    "LDA",
    "LDAModel",
    "SparkEngine",
    "check_spark",
    "corpus_from_frame",
    "start_session",
    "transform_corpus",
    "transform_frame",
]


def __getattr__(name: str) -> Any:
    """Import on first use, so that `check_spark` can report what is missing before an import fails."""
    if name == "SparkEngine":
        return importlib.import_module("stickbreaker.engines.spark").SparkEngine
    if name in _HOMES:
        return getattr(importlib.import_module(f"stickbreaker.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'stickbreaker.spark' has no attribute {name!r}")
