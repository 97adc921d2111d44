"""Files that users give: their size and kind are looked at before they are read."""

import os
import threading
from pathlib import Path

import pytest

from stickbreaker import UserError
from stickbreaker.core.untrusted import MEGABYTE, read_given_file, read_given_text


def test_a_text_is_read_without_its_mark(tmp_path):
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfS --> \xc3\xa4\n")
    assert read_given_text(tmp_path / "a", 100, "give text") == "S --> ä\n"
    assert read_given_file(tmp_path / "a", 13, "give text").startswith(b"\xef")


def test_a_large_file_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "a").open("wb") as file:
        file.truncate(1 << 40)  # it has holes, and takes no room
    with pytest.raises(UserError, match="a: has more than 2 MB; give text"):
        read_given_text(tmp_path / "a", 2 * MEGABYTE, "give text")
    with pytest.raises(UserError, match="a: has more than 12 bytes"):
        read_given_file(tmp_path / "a", 12, "give text")


def test_what_is_not_utf_8_is_named_with_its_line(tmp_path):
    (tmp_path / "a").write_bytes(b"good\nb\xe4d\n")
    with pytest.raises(UserError, match="a:2: is not UTF-8"):
        read_given_text(tmp_path / "a", 100, "give text")


def test_devices_and_directories_are_refused_and_pipes_are_read(tmp_path):
    with pytest.raises(UserError, match="/dev/zero: is not a file; give text"):
        read_given_text(Path("/dev/zero"), 100, "give text")
    with pytest.raises(UserError, match="is a directory"):
        read_given_text(tmp_path, 100, "give text")
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=("S --> a",))
    writer.start()
    assert read_given_text(tmp_path / "pipe", 100, "give text") == "S --> a"
    writer.join()
