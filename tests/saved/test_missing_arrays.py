"""An array that is missing from a group of arrays is refused; the group is not taken for absent."""

import numpy as np
import pytest
from tests.running import A_RUN

from stickbreaker.core.records import Field, Rows, Stats
from stickbreaker.core.serialize import flat_stats
from stickbreaker.corpus.shards import Bags
from stickbreaker.learning.fading_counts import FadingCounts
from stickbreaker.learning.stream_documents import SAMPLE, StreamDocuments
from stickbreaker.saved import Snapshot
from stickbreaker.saved.checkpoints import LATEST, state_of


def documents():
    bags = Bags(np.array([0, 2]), np.array([0, 1], np.int32), np.ones(2, np.float32), np.zeros(1, np.float32))
    return StreamDocuments(bags, ("boat", "river")).to_arrays(SAMPLE)


def fading_counts():
    counts = FadingCounts()
    counts.add(["boat", "river"], np.array([1.0, 2.0]))
    return counts.to_arrays()


def last_step():
    stats = Stats(Rows(np.array([0]), np.ones((1, 2))), usage={"alpha": Field(np.ones(2), ("topics",))})
    return {name: values for name, values in flat_stats(LATEST, stats).items() if "usage" not in name}


def state_with(arrays):
    run = {**A_RUN, "in_pass": 0, "at_pass_start": [0, 0.0], "pass_nats": 0.0, "pass_tokens": 0.0}
    return state_of(Snapshot({"small": {}, "run": run}, arrays)).latest


READ = {
    "documents": (documents, lambda arrays: StreamDocuments.from_arrays(SAMPLE, arrays)),
    "fading counts": (fading_counts, FadingCounts.from_arrays),
    "last step": (last_step, state_with),
}


@pytest.mark.parametrize("kind", READ)
def test_each_array_of_a_group_is_needed(kind):
    make, read = READ[kind]
    arrays = make()
    assert read({}) is None
    assert read(arrays) is not None
    for name in arrays:
        with pytest.raises((KeyError, ValueError)):
            read({other: values for other, values in arrays.items() if other != name})
