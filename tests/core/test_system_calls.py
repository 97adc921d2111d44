"""The package where Unix's own modules are absent, with the locks of Windows and with none."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stickbreaker.core import system_calls
from stickbreaker.core.files import atomic_directory, atomic_file, write_atomic
from stickbreaker.core.locks.path_locks import LOCK, claimed, is_claimed, lock_file, scratch_beside

TEXTS = [f"the {animal} sat on a {thing}" for animal in ("cat", "dog", "cow") for thing in ("mat", "hill")]

# Modules of Unix cannot be imported. msvcrt, if there is one, locks as Windows does: one byte at the present
# place, and a file that another has open may not be locked twice.
BEFORE = """
import errno, os, subprocess, sys  # subprocess takes a system with msvcrt for Windows
import fcntl as real
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
flags = {name: getattr(os, name) for name in ("O_NOFOLLOW", "O_NONBLOCK")}
for name in flags:
    delattr(os, name)
calls = []
if sys.argv[1] == "windows":
    class Msvcrt:
        LK_NBLCK = 2
        @staticmethod
        def locking(descriptor, mode, number):
            calls.append((mode, number, os.lseek(descriptor, 0, os.SEEK_CUR)))
            try:
                real.flock(descriptor, real.LOCK_EX | real.LOCK_NB)
            except BlockingIOError:
                raise PermissionError(errno.EACCES, "Permission denied")
    sys.modules["msvcrt"] = Msvcrt
"""
USE = """
import json
from pathlib import Path
import stickbreaker.console.spark_log
from stickbreaker import LDA
from stickbreaker.cli import main
from stickbreaker.core import system_calls
from stickbreaker.core.locks.directory_claims import claim
system_calls.OPEN_FILES_MOVE = False
for name, value in flags.items():
    setattr(os, name, value)  # shutil needs them on this system
texts = json.loads(sys.argv[2])
Path("texts.txt").write_text("\\n".join(texts))
for words in (
    "corpus build texts.txt --out corpus --min-documents 1",
    "fit lda corpus --topics 2 --iterations 3 --checkpoint-every 0 --out model",
    "topics model --out topics.csv",
    "topics model --out topics.csv --overwrite",
):
    sys.argv[1:] = words.split()
    try:
        main()
    except SystemExit as end:
        assert not end.code, words
assert LDA.load("model").transform(texts).shape == (len(texts), 2)
left = [str(path) for path in Path(".").rglob(".*")]
assert not left, left
first, second = claim(Path("model")), claim(Path("model"))
sys.stderr.write(json.dumps([first is not None, second is not None, sorted({call[1:] for call in calls})]))
"""


def child(kind: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    words = [sys.executable, "-c", BEFORE + USE, kind, json.dumps(TEXTS)]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "lock"), [("windows", [True, False, [[1, 1 << 30]]]), ("none", [True, True, []])]
)
def test_all_goes_on_where_modules_of_unix_are_absent(tmp_path, kind, lock):
    """Build, fit with checkpoints, write twice, load; nothing is left over."""
    done = child(kind, tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stderr.splitlines()[-1]) == lock
    records = [json.loads(line) for line in (tmp_path / "model/trace.jsonl").read_text().splitlines()]
    assert len(records) == 3
    assert not any("memory_mb" in record for record in records)


class TestOpenFilesThatDoNotMove:
    """What is done on Windows, where an open file can be neither renamed nor removed."""

    @pytest.fixture(autouse=True)
    def windows(self, monkeypatch):
        """Let renaming and removing fail for files that this process has open."""
        monkeypatch.setattr(system_calls, "OPEN_FILES_MOVE", False)
        for name in ("rename", "replace", "unlink", "remove"):
            monkeypatch.setattr(os, name, refusing_open_files(getattr(os, name)))

    def test_files_are_written_and_replaced(self, tmp_path):
        for text in (b"one", b"two"):
            write_atomic(tmp_path / "file", text)
            assert (tmp_path / "file").read_bytes() == text
        with pytest.raises(RuntimeError), atomic_file(tmp_path / "file"):
            raise RuntimeError
        assert os.listdir(tmp_path) == ["file"]

    def test_directories_are_written_and_replaced(self, tmp_path):
        for text in ("one", "two"):
            with atomic_directory(tmp_path / "made", overwrite=True) as made:
                (made / "file").write_text(text)
            assert (tmp_path / "made" / "file").read_text() == text
        assert os.listdir(tmp_path) == ["made"]

    def test_a_claim_is_seen_and_ends(self, tmp_path):
        with claimed(tmp_path / "made", "partial") as directory:
            assert is_claimed(directory)
        assert not os.listdir(tmp_path)

    def test_what_a_killed_process_left_is_removed(self, tmp_path):
        left = tmp_path / ".made.partial-01234567"
        left.mkdir()
        (left / LOCK).write_text("1")
        (tmp_path / ".made.partial-89abcdef").write_text("half a file")
        with scratch_beside(tmp_path / "made"):
            assert not left.exists()
        assert not os.listdir(tmp_path)


def refusing_open_files(function):
    """The function, which fails for a file that this process has open."""

    def refuse(path, *others, **options):
        names = [os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")]
        if os.path.isfile(path) and os.path.realpath(path) in names:
            raise PermissionError(13, "is open", str(path))
        return function(path, *others, **options)

    return refuse


def test_a_lock_is_refused_at_once_while_another_has_it(tmp_path):
    descriptor = lock_file(tmp_path / "file", create=True)
    assert descriptor is not None
    assert lock_file(tmp_path / "file", create=True) is None
    os.close(descriptor)


def test_peak_memory_is_that_of_a_process_with_numpy():
    peak = system_calls.peak_memory()
    assert peak is not None
    assert 20 < peak < 1e6
