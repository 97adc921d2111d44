"""The small models of other kinds than topics, on Spark: the laws of runs."""

from tests.spark.test_engine import OnSpark
from tests.toys.test_concept_words import ConceptRuns
from tests.toys.test_small_grammar import GrammarRuns

from stickbreaker.engines.spark import ShardedEngine
from stickbreaker.testing import RunTests


class TestConceptWords(OnSpark, ConceptRuns, RunTests):
    """Rows in ten thousand groups, in blocks of files."""

    kind = ShardedEngine


class TestSmallGrammar(OnSpark, GrammarRuns, RunTests):
    """Sentences, and a truncated table that is sent to every task."""
