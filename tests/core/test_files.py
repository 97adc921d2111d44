import errno
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import (
    atomic_directory,
    atomic_file,
    open_to_append,
    recover,
    refuse_links,
    truncate,
    write_atomic,
)
from stickbreaker.core.locks import path_locks
from stickbreaker.core.locks.path_locks import claimed, lock_file, scratch_beside, sweep

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
    older = killed.parent / f".{killed.name}.replaced-xxxxxxxx" / killed.name
    older.mkdir(parents=True)
    (older.parent / "lock").touch()
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
        if path.name == "new":
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


# others, at the same place


def refused(target: Path, overwrite: bool, meanwhile: Callable[[], None]) -> str:
    """What is told where something happens while a directory is made."""
    with pytest.raises(UserError) as told, atomic_directory(target, overwrite=overwrite):
        meanwhile()
    return str(told.value)


def full_directory(path: Path, name: str) -> None:
    path.mkdir()
    (path / name).touch()


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_appears_meanwhile_stays(tmp_path, overwrite):
    target = tmp_path / "d"
    told = refused(target, overwrite, lambda: full_directory(target, "letter"))
    assert told.startswith(f"{target}: something came there")
    assert names(target) == ["letter"]
    assert names(tmp_path) == ["d"]


def test_only_what_was_there_is_replaced(tmp_path):
    """Changed meanwhile, or another: it stays."""
    target = tmp_path / "d"
    full_directory(target, "old")
    assert "was changed" in refused(target, True, (target / "letter").touch)
    assert names(target) == ["letter", "old"]

    def exchange() -> None:
        target.rename(tmp_path / "moved")
        full_directory(target, "another")

    assert "was changed" in refused(target, True, exchange)
    assert names(target) == ["another"]
    assert names(tmp_path) == ["d", "moved"]


def test_what_goes_meanwhile_is_no_obstacle(tmp_path):
    target = tmp_path / "d"
    target.mkdir()
    with atomic_directory(target, overwrite=True) as partial:
        target.rmdir()
        (partial / "new").touch()
    assert names(target) == ["new"]
    assert names(tmp_path) == ["d"]


def test_another_that_comes_while_the_old_is_moved_aside_stays(tmp_path, monkeypatch):
    """Between the look at what is there and its being moved: it is moved back."""
    target, real = tmp_path / "d", Path.rename
    target.mkdir()
    (target / "old").touch()

    def rename(path, to):
        if path == target:
            real(target, tmp_path / "mine")
            target.mkdir()
            (target / "another").touch()
        return real(path, to)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(UserError, match="something came there"), atomic_directory(target, overwrite=True):
        pass
    assert names(target) == ["another"]
    assert names(tmp_path) == ["d", "mine"]


HELD = """
import sys
from pathlib import Path
from stickbreaker.core.files import atomic_directory, atomic_file
make = atomic_directory if sys.argv[1] == "directory" else atomic_file
with make(Path(sys.argv[2])) as partial:
    if partial.is_dir():
        (partial / "half").touch()
    print("begun", flush=True)
    input()
"""


@pytest.fixture(params=["directory", "file"])
def maker(request, tmp_path):
    """A process that is making something at `tmp_path / "out"`."""
    words = [sys.executable, "-c", HELD, request.param, tmp_path / "out"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    yield process
    process.kill()
    process.communicate()


def test_what_a_killed_process_left_is_removed_by_the_next(maker, tmp_path):
    out = tmp_path / "out"
    make = atomic_directory if "directory" in maker.args else atomic_file
    sweep(out)
    assert len(names(tmp_path)) == 1, "what somebody makes is not swept"
    maker.kill()
    maker.wait()
    assert len(names(tmp_path)) == 1
    with make(out):
        pass
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("maker", ["directory"], indirect=True)
def test_the_second_to_make_a_directory_is_refused_at_once(maker, tmp_path):
    with (
        pytest.raises(UserError, match="another process is writing this"),
        atomic_directory(tmp_path / "out"),
    ):
        pass
    maker.communicate("\n")
    assert maker.returncode == 0
    assert names(tmp_path) == ["out"]
    assert names(tmp_path / "out") == ["half"]


def test_of_several_that_make_one_directory_one_succeeds(tmp_path):
    words = [sys.executable, "-c", HELD, "directory", tmp_path / "out"]
    pipe = subprocess.PIPE
    makers = [subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(3)]
    errors = [process.communicate("\n")[1] for process in makers]
    assert sorted(process.returncode for process in makers) == [0, 1, 1]
    for error in filter(None, errors):
        assert any(told in error for told in ("is writing this", "something came there", "File exists"))
    assert names(tmp_path) == ["out"]


def test_what_a_live_process_moved_aside_is_not_recovered(tmp_path):
    target = tmp_path / "d"
    with claimed(target, "replaced") as wrapper:
        (wrapper / "d").mkdir()
        recover(target)
        assert not target.exists()
    recover(target)
    assert target.is_dir()


# links, and full disks


def test_links_and_pipes_are_refused_by_name(tmp_path):
    folder = tmp_path / "model"
    (folder / "rows").mkdir(parents=True)
    (folder / "file").touch()
    (tmp_path / "link").symlink_to(folder)
    refuse_links(folder)
    refuse_links(tmp_path / "link")
    (folder / "rows" / "away").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="rows/away: is a link"):
        refuse_links(folder)
    (folder / "rows" / "away").unlink()
    os.mkfifo(folder / "pipe")
    with pytest.raises(UserError, match="pipe: is not a plain file"):
        refuse_links(folder)


def test_links_are_not_written_through(tmp_path):
    letter = tmp_path / "letter"
    letter.write_text("dear")
    (tmp_path / "link").symlink_to(letter)
    (tmp_path / "dangling").symlink_to(tmp_path / "new")
    for write in (open_to_append, lambda path: truncate(path, 0), lambda path: lock_file(path, create=True)):
        for name in ("link", "dangling"):
            with pytest.raises(OSError, match="symbolic links"):
                write(tmp_path / name)
    assert letter.read_text() == "dear"
    assert not (tmp_path / "new").exists()


def no_room(partial: Path) -> None:
    with Path("/dev/full").open("w") as file:
        file.write("text")


def odd(partial: Path) -> None:
    raise UserError("is odd", where=partial / "inside", line=3)


@pytest.mark.parametrize(
    ("make", "fail", "told"),
    [
        (atomic_file, no_room, "No space left on device: '{}'"),
        (atomic_directory, no_room, "No space left on device: '{}'"),
        (
            atomic_directory,
            lambda partial: (partial / "inside").read_text(),
            "No such file or directory: '{}/inside'",
        ),
        (atomic_directory, odd, "{}/inside:3: is odd"),
    ],
)
def test_errors_name_the_place_that_was_to_be(tmp_path, make, fail, told):
    with pytest.raises((OSError, UserError)) as caught, make(tmp_path / "out") as partial:
        fail(partial)
    assert told.format(tmp_path / "out") in str(caught.value)
    assert names(tmp_path) == []


def test_a_file_that_appears_meanwhile_stays(tmp_path):
    path = tmp_path / "out"
    with (
        pytest.raises(UserError, match="something came there"),
        atomic_file(path, overwrite=False) as partial,
    ):
        appear(path, partial)
    assert path.read_text() == "dear"
    assert names(tmp_path) == ["out"]
    path.unlink()
    write_atomic(path, b"new", overwrite=False)
    with atomic_file(path) as partial:
        appear(path, partial)
    assert path.read_text() == "half"
    assert names(tmp_path) == ["out"]


def appear(path: Path, partial: Path) -> None:
    partial.write_text("half")
    path.write_text("dear")


def test_of_two_claims_the_older_wins_whenever_they_look(tmp_path, monkeypatch):
    """A younger one that gets its lock while the older one looks is no reason to give up."""
    real, younger = path_locks.is_claimed, tmp_path / ".out.partial-abcdefgh"
    younger.mkdir()
    (younger / "letter").touch()  # it is not swept

    def locked_meanwhile(directory):
        if directory == younger and not (younger / "lock").exists():
            (younger / "lock").write_text(str(time.time_ns()))
            descriptors.append(lock_file(younger / "lock", create=False))
        return real(directory)

    descriptors: list[int | None] = []
    monkeypatch.setattr(path_locks, "is_claimed", locked_meanwhile)
    with scratch_beside(tmp_path / "out"):
        assert descriptors


CLAIMS = """
import sys
from pathlib import Path
from stickbreaker.core.locks.path_locks import claimed
with claimed(Path(sys.argv[1]), "partial"):
    print("claimed", flush=True)
    input()
"""


def test_who_claimed_first_goes_on_with_a_second_claim(tmp_path):
    """A `fit` claims its place while it reads, and again for its model; one that comes between is refused."""
    out = tmp_path / "out"
    with scratch_beside(out):
        late = subprocess.Popen(
            [sys.executable, "-c", CLAIMS, out], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert late.stdout is not None
        assert late.stdout.readline() == "claimed\n"
        with atomic_directory(out):
            pass
        late.communicate("\n")
    assert out.is_dir()


def test_what_was_killed_before_it_was_locked_is_removed(tmp_path):
    """A live one is swept, too, for a moment: it makes another."""
    out = tmp_path / "out"
    (tmp_path / ".out.partial-emptydir").mkdir()
    (tmp_path / ".out.partial-unlocked").mkdir()
    (tmp_path / ".out.partial-unlocked" / ".lock-x").touch()
    (tmp_path / ".out.partial-foreign_").mkdir()
    (tmp_path / ".out.partial-foreign_" / "letter").touch()
    sweep(out)
    assert names(tmp_path) == [".out.partial-foreign_"]


def test_what_a_kill_in_mid_removal_leaves_is_removed(tmp_path, monkeypatch):
    """The lock goes last: without it a directory is taken for another's."""
    left = tmp_path / ".out.partial-abcdefgh"
    (left / "half").mkdir(parents=True)
    (left / "lock").write_text("1")

    def killed(*given, **named):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            sweep(tmp_path / "out")
    assert "lock" in names(left)
    sweep(tmp_path / "out")
    assert names(tmp_path) == []


def test_what_a_killed_replacement_left_is_swept_unless_it_is_needed(tmp_path):
    for name, content in (("emptied_", ()), ("removed_", ("removed",)), ("needed__", ("out",))):
        wrapper = tmp_path / f".out.replaced-{name}"
        wrapper.mkdir()
        (wrapper / "lock").write_text("1")
        for each in content:
            (wrapper / each).mkdir()
    with claimed(tmp_path / "out", "replaced") as live:
        sweep(tmp_path / "out")
        assert names(tmp_path) == sorted([".out.replaced-needed__", live.name])


def test_what_is_moved_aside_while_another_sweeps_stays(tmp_path, monkeypatch):
    """The look into a wrapper and its removal are under its lock."""
    fcntl = pytest.importorskip("fcntl", reason="Windows has other locks")
    out, real = tmp_path / "out", fcntl.flock
    (out / "old").mkdir(parents=True)
    wrapper = tmp_path / ".out.replaced-abcdefgh"
    wrapper.mkdir()
    (wrapper / "lock").write_text("1")

    def moved_aside(descriptor, how):
        """Another moves what is there aside, and is killed, just before the lock is had."""
        if out.exists():
            out.rename(wrapper / "out")
        real(descriptor, how)

    with monkeypatch.context() as patched:
        patched.setattr(fcntl, "flock", moved_aside)
        sweep(out)
    recover(out)
    assert names(out) == ["old"]


def test_a_folder_of_the_user_survives_a_replacement(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / ".out.replaced-20240101").mkdir()
    (tmp_path / ".out.replaced-20240101" / "letter").touch()
    with atomic_directory(tmp_path / "out", overwrite=True):
        pass
    assert names(tmp_path) == [".out.replaced-20240101", "out"]


def test_a_directory_that_is_swept_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    real, swept = os.rename, []

    def rename(source, target):
        if not swept:
            swept.append(source)
            shutil.rmtree(Path(source).parent)
        real(source, target)

    monkeypatch.setattr(os, "rename", rename)
    with atomic_directory(tmp_path / "out") as partial:
        (partial / "new").touch()
    assert swept
    assert names(tmp_path) == ["out"]


def test_names_that_writers_of_formats_do_not_take_are_refused(tmp_path):
    for make, name in ((atomic_directory, "\udcff"), (atomic_file, "\udcff.parquet")):
        with pytest.raises(UserError, match="not UTF-8"), make(tmp_path / name):
            pass
    assert names(tmp_path) == []
    write_atomic(tmp_path / "\udcff", b"new")
    assert (tmp_path / "\udcff").read_bytes() == b"new"


def test_files_of_similar_names_are_not_swept(tmp_path):
    (tmp_path / ".out.partial-backup-of-mine").write_text("dear")
    (tmp_path / ".out.partial-ab12cd_9").write_text("half")
    write_atomic(tmp_path / "out", b"new")
    assert names(tmp_path) == [".out.partial-backup-of-mine", "out"]


def test_folders_of_similar_names_are_not_swept(tmp_path):
    """A copy of a model, with its lock, under such a name."""
    copy = tmp_path / ".out.partial-backup"
    copy.mkdir()
    (copy / "lock").touch()
    with atomic_directory(tmp_path / "out"):
        pass
    assert names(tmp_path) == [".out.partial-backup", "out"]


def test_where_files_cannot_be_locked_they_are_written(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl", reason="Windows has other locks")

    def no_locks(descriptor, how):
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    write_atomic(tmp_path / "file", b"new")
    (tmp_path / ".d.partial-abcdefgh").mkdir()
    (tmp_path / ".d.partial-abcdefgh" / "lock").write_text("1")
    with atomic_directory(tmp_path / "d"):
        pass
    assert names(tmp_path) == [".d.partial-abcdefgh", "d", "file"]


def test_a_link_that_was_moved_aside_is_recovered(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / ".d.replaced-abcdefgh").mkdir()
    (tmp_path / ".d.replaced-abcdefgh" / "d").symlink_to("old")
    recover(tmp_path / "d")
    assert (tmp_path / "d").is_dir()
    assert names(tmp_path) == ["d", "old"]
