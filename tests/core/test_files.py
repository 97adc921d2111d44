import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import atomic_directory, atomic_file, write_atomic


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


def test_a_user_error_is_one_line():
    error = UserError("is\nodd", where="file.txt", line=3, remedy="mend it")
    assert str(error) == "file.txt:3: is odd; mend it"
