"""Runs that are asked to stop, files that are lost or altered, disks that are full."""

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.running import StopAfter
from tests.spark.processes import small_disk
from tests.spark.running_on_spark import begun, resumed, same, tidy

from stickbreaker import UserError
from stickbreaker.core.records import Rows
from stickbreaker.engines.row_files import COUNTS, RowFile, row_writer
from stickbreaker.engines.spark.jobs import Cluster
from stickbreaker.engines.spark.sharded import layout_of
from stickbreaker.engines.spark.table_tasks import BlockTask, Made
from stickbreaker.saved import ModelDirectory

# to be asked to stop


@pytest.mark.parametrize("run", ["memoised", "growing, by the paper"])
def test_a_run_stops_at_any_job_and_goes_on(spark, corpora, whole, tmp_path, monkeypatch, run):
    """Asked in each of a few steps' jobs in turn: it stops with a step that is whole."""
    path, real, stops = begun(run, corpora, tmp_path / "model", spark), Cluster.collect, 0
    for number in range(1, 30):
        jobs = iter(range(1, 1000))

        def collect(self, rdd, number=number, jobs=jobs):
            if next(jobs) == number:
                self.stop()
            return real(self, rdd)

        with monkeypatch.context() as patched:
            patched.setattr(Cluster, "collect", collect)
            if not resumed(path, spark):
                break
        stops += 1
        assert ModelDirectory(path).read().manifest["status"] == "running"
    assert stops > 3
    assert same(path, whole(run))


class CtrlC(StopAfter):
    """Asks as a user does."""

    def ask(self, job: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c(spark, corpora, whole, tmp_path):
    path = begun("memoised", corpora, tmp_path / "model", spark)
    assert resumed(path, spark, [CtrlC(3)])
    assert ModelDirectory(path).manifest()["run"]["step"] == 3
    assert not resumed(path, spark)
    assert same(path, whole("memoised"))


# files


def test_a_folder_that_executors_do_not_see_is_told(spark, tmp_path):
    task = BlockTask(tmp_path / "gone", layout_of(3, 2, 1), lambda chunk: Made(), ("rows",))
    with pytest.raises(UserError, match=r"gone: an executor cannot see the directory; give a path that"):
        Cluster(spark).each([0], task)
    assert not (tmp_path / "gone").exists()


@pytest.fixture(scope="module")
def halfway(spark, corpora, tmp_path_factory) -> Path:
    """A run that stopped after a few steps. Tests must not change it."""
    path = begun("memoised", corpora, tmp_path_factory.mktemp("halfway") / "model", spark)
    assert resumed(path, spark, [StopAfter(3)])
    return path


def block_of_the_table(path: Path) -> Path:
    manifest = ModelDirectory(path).manifest()
    return path / sorted(name for name in manifest["files"] if name.endswith("00001.arrow"))[0]


def block_of_a_report(path: Path) -> Path:
    manifest = ModelDirectory(path).manifest()
    return path / sorted(name for name in manifest["files"] if name.endswith("00001.arrow"))[-1]


def documents_records(path: Path) -> Path:
    return sorted(path.glob("records-*/*.safetensors"))[-1]


def lose(file: Path) -> None:
    file.unlink()


def alter(file: Path) -> None:
    content = bytearray(file.read_bytes())
    place = len(content) // 2
    content[place] ^= 1
    file.write_bytes(content)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-40])


def lose_the_folder(file: Path) -> None:
    shutil.rmtree(file.parent)


@pytest.mark.parametrize("which", [block_of_the_table, block_of_a_report, documents_records])
@pytest.mark.parametrize("harm", [lose, alter, cut, lose_the_folder])
def test_a_file_that_is_not_whole_is_named(spark, halfway, whole, tmp_path, which, harm):
    path = shutil.copytree(halfway, tmp_path / "model")
    file = which(path)
    harm(file)
    with pytest.raises(UserError) as caught:
        resumed(path, spark)
    told = str(caught.value)
    assert "\n" not in told
    assert file.parent.name in told
    assert caught.value.remedy
    if harm is alter:
        shutil.copytree(halfway / file.parent.name, file.parent, dirs_exist_ok=True)
        assert not resumed(path, spark)
        assert same(path, whole("memoised"))


def test_every_byte_of_a_block_is_looked_after(tmp_path):
    """Whichever has a bit flipped: the block is refused, or says what it said."""
    path, other = tmp_path / "00000.arrow", tmp_path / "00001.arrow"
    rows = {0: Rows(np.array([0, 2, 5]), np.full((3, 2), 0.1)), 1: Rows(np.array([8]), np.ones((1, 2)))}
    with row_writer(path) as writer:
        for chunk, (positions, values) in rows.items():
            writer.add(COUNTS, chunk, positions, values)
    content, refused = path.read_bytes(), []
    for place in range(len(content)):
        altered = bytearray(content)
        altered[place] ^= 1 << place % 8
        other.write_bytes(altered)
        try:
            file = RowFile(other)
            found = [file.read(COUNTS, chunk) for chunk in rows]
        except UserError as error:
            refused.append(error.where)
            continue
        for one, wanted in zip(found, rows.values(), strict=True):
            assert one is not None
            assert one.positions.tolist() == wanted.positions.tolist()
            assert one.values.tobytes() == wanted.values.tobytes()
    assert len(refused) > len(content) // 3
    assert set(refused) == {other}


def test_a_full_disk(spark, corpora, halfway, whole, tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        path = shutil.copytree(halfway, disk / "model")
        told = set[str]()
        for left in (0, 8, 24, 48, 64):  # kilobytes
            step = ModelDirectory(path).manifest()["run"]["step"]
            free = shutil.disk_usage(disk).free
            (disk / "other").write_bytes(bytes(max(0, free - left * 1024)))
            with pytest.raises(UserError) as caught:
                resumed(path, spark)
            told.add(str(caught.value))
            (disk / "other").unlink()
            assert ModelDirectory(path).read().manifest["run"]["step"] >= step
        assert not resumed(path, spark)
        assert same(path, whole("memoised"))
        assert tidy(path)
    for line in told:
        assert "\n" not in line
        assert str(path) in line
