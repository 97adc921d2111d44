"""The settings of the engine on Spark, and how a table is cut by them; no session is started."""

from itertools import chain
from typing import Any

import pytest

from stickbreaker.console.options import EngineChoice
from stickbreaker.core.errors import UserError
from stickbreaker.engines.spark import SparkEngine
from stickbreaker.engines.spark.session import ONLY_LEARNING
from stickbreaker.engines.spark.sharded import layout_of

NO_SESSION: Any = None


@pytest.mark.parametrize(
    ("rows", "columns", "blocks", "found"),
    [
        (1, 1, None, 1),
        (3, 2, 64, 3),
        (10_000, 50, None, 1),
        (22_841, 50, None, 3),
        (100_000, 50, None, 10),
        (100_000, 2, None, 10),  # it may get more columns
        (1024, 1000, None, 2),
        (10**6, 1000, None, 16),
        (10**6, 1000, 100, 100),
    ],
)
def test_a_table_is_cut_into_as_many_blocks_as_it_is_worth(rows, columns, blocks, found):
    layout = layout_of(rows, columns, blocks)
    assert layout.blocks == found
    chunks = [layout.chunks_of(block) for block in range(layout.blocks)]
    assert all(chunks)
    assert list(chain(*chunks)) == list(range(layout.n_chunks))
    assert {layout.block_of(chunk) for chunk in chunks[-1]} == {layout.blocks - 1}
    bounds = [layout.bounds(chunk) for chunk in range(layout.n_chunks)]
    assert [bounds[0][0], *(last for _, last in bounds)] == [*(first for first, _ in bounds), rows]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"blocks": 0}, r"SparkEngine\(blocks=0\) is out of range; blocks is a whole number from 1"),
        ({"blocks": True}, r"SparkEngine\(blocks=True\) is out of range"),
        ({"portion": None}, r"SparkEngine\(portion=None\) is out of range"),
        ({"task_bytes": -1}, r"SparkEngine\(task_bytes=-1\) is out of range"),
        ({"folder": "no/such/folder"}, "no/such/folder: no such directory; make it"),
    ],
)
def test_settings_that_make_no_sense_are_told(settings, told):
    with pytest.raises(UserError, match=told):
        SparkEngine(NO_SESSION, **settings)


@pytest.mark.parametrize("blocks", [None, 7])
def test_a_command_line_tells_the_engine(monkeypatch, blocks):
    asked = list[Any]()
    monkeypatch.setattr(
        "stickbreaker.engines.spark.session.start_session",
        lambda master, settings: asked.append((master, settings)),
    )
    with EngineChoice("spark", "local[3]", blocks, ("engine",)).host() as host:
        assert isinstance(host.engine, SparkEngine)
        assert (host.engine.blocks, asked) == (blocks, [("local[3]", ONLY_LEARNING)])
