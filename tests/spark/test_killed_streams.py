"""A stream that is killed, wherever that is, goes on and learns what an undisturbed one learns.

What a killed process leaves is what lies on the disk: most places are tested by copies that an undisturbed
stream takes of its folder, and some by processes that kill themselves there.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.spark.streaming_on_spark import (
    ANALYSIS,
    SPLITTING,
    WORDS,
    Copies,
    arrivals,
    hdp,
    learned,
    learned_here,
    same_model,
    to_the_end,
    trace_of,
)
from tests.tiers import sampled

from stickbreaker.corpus import Vocabulary
from stickbreaker.estimators.model_files import load
from stickbreaker.spark.streaming import StreamingModel
from stickbreaker.testing.estimators import untimed

PLACES = ("step 3", "save 1", "save 3", "commit 1")
OTHERS = ("step 1", "step 4", "step 6", "save 2", "save 4", "commit 2", "commit 3")
IN_BLOCKS = ("save 2", "commit 1")  # where processes kill themselves
LATER = ("save 3", "commit 2")  # where copies are taken, with less to learn again


@pytest.fixture(scope="module")
def incoming(streamed: Copies) -> Path:
    """A directory with all three files. Tests must not change it."""
    return streamed.incoming


@pytest.fixture(scope="module")
def in_blocks(spark, incoming: Path, tmp_path_factory) -> Copies:
    """Of an HDP of known words."""
    return Copies(spark, incoming, tmp_path_factory.mktemp("closed"), closed=True)


def killed(directory: Path, out: Path, dies: str, **environment: str) -> None:
    """Learn in a process that kills itself."""
    command = [sys.executable, "-m", "tests.spark.streaming_on_spark", directory, out]
    told = {**os.environ, "DIES": dies, **environment}
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, env=told, capture_output=True, start_new_session=True)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()[-2000:]


def goes_on_in_blocks(spark, incoming: Path, path: Path, whole: Path) -> None:
    """It ends with the topics and the trace of the whole stream."""
    estimator, known = hdp(spark, **SPLITTING), Vocabulary.of(WORDS)
    to_the_end(StreamingModel(estimator, arrivals(incoming), ANALYSIS, path, known))
    one, other = load(path), load(whole)
    np.testing.assert_allclose(
        one.engine.table.counts(slice(None)), other.engine.table.counts(slice(None)), rtol=1e-10
    )
    assert one.topic_ids == other.topic_ids
    assert untimed(trace_of(path)) == untimed(trace_of(whole))


@pytest.mark.parametrize("place", [*PLACES, *sampled(OTHERS, 0)])
def test_a_stream_goes_on_from_any_place_and_ends_the_same(spark, incoming, streamed, place):
    same_model(learned(spark, incoming, streamed.at(place)), streamed.model)


@pytest.mark.parametrize("place", sampled(PLACES, 1))
def test_a_killed_stream_goes_on_and_ends_the_same(spark, incoming, streamed, out, place):
    killed(incoming, out, place)
    same_model(learned(spark, incoming, out), streamed.model)


def test_an_hdp_learns_from_a_stream(spark, in_blocks):
    here, _ = learned_here(hdp(spark, **SPLITTING), Vocabulary.of(WORDS))
    assert any(
        "edits" in record for record in trace_of(in_blocks.model)
    )  # the topics that it begins with split
    there = load(in_blocks.model).engine.table.counts(slice(None))
    np.testing.assert_allclose(there, here.table.counts(slice(None)), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("place", [*LATER, *sampled(IN_BLOCKS, 0)])
def test_an_hdp_whose_table_lies_in_blocks_goes_on_from_any_place(spark, incoming, in_blocks, place):
    goes_on_in_blocks(spark, incoming, in_blocks.at(place), in_blocks.model)


@pytest.mark.parametrize("place", sampled(IN_BLOCKS, 1))
def test_so_does_one_that_was_killed(spark, incoming, in_blocks, out, place):
    killed(incoming, out, place, CLOSED="yes")
    goes_on_in_blocks(spark, incoming, out, in_blocks.model)
