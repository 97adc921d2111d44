import os
import subprocess
import sys
from pathlib import Path

import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import atomic_directory, atomic_file, recover, write_atomic

KILLED = """
import os, sys
from pathlib import Path
from stickbreaker.core.files import atomic_directory
rename, calls = Path.rename, []
def killed(self, target):
    calls.append(self)
    if len(calls) == 2:
        os._exit(9)
    return rename(self, target)
Path.rename = killed
with atomic_directory(Path(sys.argv[1]), overwrite=True) as partial:
    (partial / "new").touch()
"""


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


@pytest.fixture
def killed(tmp_path):
    """Where a replacement was killed between its two renames."""
    target = tmp_path / "d[1]"
    with atomic_directory(target) as partial:
        (partial / "old").touch()
    done = subprocess.run([sys.executable, "-c", KILLED, target], check=False)
    assert done.returncode == 9
    assert not target.exists()
    return target


def test_a_failed_write_leaves_the_old_content_and_nothing_else(tmp_path):
    target = tmp_path / "file"
    write_atomic(target, b"old")

    def fail():
        with atomic_file(target) as partial:
            partial.write_bytes(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert target.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_failed_directory_leaves_nothing(tmp_path):
    def fail():
        with atomic_directory(tmp_path / "d") as partial:
            (partial / "a").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_an_existing_directory_is_refused_or_replaced_whole(tmp_path):
    target = tmp_path / "d"
    with atomic_directory(target) as partial:
        (partial / "old").touch()
    with pytest.raises(FileExistsError), atomic_directory(target):
        pass
    with atomic_directory(target, overwrite=True) as partial:
        (partial / "new").touch()
    assert [p.name for p in target.iterdir()] == ["new"]
    assert [p.name for p in tmp_path.iterdir()] == ["d"]


def test_a_killed_replacement_is_undone(killed):
    recover(killed)
    assert names(killed) == ["old"]
    assert not list(killed.parent.glob("*.replaced-*"))
    recover(killed)
    recover(killed.parent / "another")
    assert names(killed) == ["old"]


def test_what_a_killed_replacement_left_is_neither_overwritten_nor_kept(killed):
    with pytest.raises(FileExistsError), atomic_directory(killed):
        pass
    assert names(killed) == ["old"]
    older = killed.parent / f".{killed.name}.replaced-x" / killed.name
    older.mkdir(parents=True)
    with atomic_directory(killed, overwrite=True) as partial:
        (partial / "new").touch()
    assert names(killed) == ["new"]
    assert not list(killed.parent.glob("*.replaced-*"))


def test_a_replacement_that_fails_at_its_last_step_is_undone(tmp_path, monkeypatch):
    target = tmp_path / "d"
    with atomic_directory(target) as partial:
        (partial / "old").touch()
    rename = Path.rename

    def fail(path, to):
        if ".partial-" in path.name:
            raise PermissionError(path)
        return rename(path, to)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(PermissionError), atomic_directory(target, overwrite=True):
        pass
    assert names(target) == ["old"]
    assert names(tmp_path) == ["d"]


def test_a_user_error_is_one_line():
    error = UserError("is\nodd", where="file.txt", line=3, remedy="mend it")
    assert str(error) == "file.txt:3: is odd; mend it"


def test_a_failed_directory_leaves_no_parents(tmp_path):
    with pytest.raises(ValueError, match="stop"), atomic_directory(tmp_path / "a" / "b" / "c"):
        raise ValueError("stop")
    assert list(tmp_path.iterdir()) == []
    with atomic_directory(tmp_path / "a" / "b"):
        pass
    assert (tmp_path / "a" / "b").is_dir()


def test_only_plain_files_are_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileExistsError, match="not a plain file"):
        write_atomic(tmp_path / "pipe", b"text")
    assert [entry.name for entry in tmp_path.iterdir()] == ["pipe"]
