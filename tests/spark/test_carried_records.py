"""Documents' records are found again by the portions that they were written for."""

import numpy as np
import pytest

from stickbreaker import Corpus
from stickbreaker.core.records import Field
from stickbreaker.corpus.source import Source
from stickbreaker.engines.spark.partitions import CarriedRecords

DOCUMENTS = 20_000


@pytest.fixture(scope="module")
def shards():
    source = Source(Corpus.from_matrix(np.eye(4)[np.arange(DOCUMENTS) % 4]))
    return source.all_shards()


def held(portions):
    """Numbers of documents whose records can be read."""
    found = [each.before.read() for each in portions if each.before is not None]
    return sorted(first for records in found for first in records)


def write(portions):
    for each in portions:
        after = each.after
        assert after is not None
        after.path.parent.mkdir(parents=True, exist_ok=True)
        after.write({each.number: {"gamma": Field(np.ones(1))}})


def test_a_run_that_goes_on_with_other_portions_finds_all_records(shards, tmp_path):
    records = CarriedRecords(tmp_path, True)
    first = records.portions(shards, 512, 128, tried=False, retry=False)
    write(first)
    records.commit()
    later = CarriedRecords(tmp_path, True)
    later.restore(records.snapshot())
    again = later.portions(shards, 32_768, 128, tried=False, retry=False)
    assert [each.number for each in again] == [each.number for each in first]
    assert held(again) == [each.number for each in first]


@pytest.mark.parametrize(("carried", "tried", "blocks"), [(1, 0, 1), (0, 1, 1), (0, 0, 2)])
def test_portions_are_small_where_records_are_written(shards, tmp_path, monkeypatch, carried, tried, blocks):
    monkeypatch.setattr("stickbreaker.engines.spark.partitions.WITH_RECORDS", 1024)
    portions = CarriedRecords(tmp_path, bool(carried)).portions(
        shards, 10**9, 128, tried=bool(tried), retry=False
    )
    assert max(len(each.chunks) for each in portions) == blocks
    assert all((each.after is not None) is bool(carried or tried) for each in portions)
