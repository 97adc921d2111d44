"""How far inputs are read: what the bar of `corpus build` shows."""

import gzip
import os
import subprocess

import pytest
from tests.running import PROGRAM

from stickbreaker.corpus import Corpus, ReadingOptions
from stickbreaker.corpus.readers.position import Position

LINES = [f"a line about the {word} of number {number}" for number in range(4000) for word in ("sea", "land")]


def shares_of(inputs):
    position, shares = Position(), []
    reading = ReadingOptions(position=position)
    Corpus.build(inputs, reading=reading, progress=lambda _: shares.append(position.share))
    return shares


@pytest.mark.parametrize("packed", [False, True])
def test_the_share_rises_to_the_end(tmp_path, packed):
    content = "\n".join(LINES).encode()
    files = [tmp_path / (name + (".gz" if packed else "")) for name in ("one.txt", "two.txt")]
    for file in files:
        file.write_bytes(gzip.compress(content) if packed else content)
    shares = shares_of(files)
    assert len(shares) == 2 * len(LINES)
    assert shares == sorted(shares)
    assert 0.0 < shares[0] <= 0.5
    assert shares[len(LINES)] > 0.5 or packed
    assert shares[-1] == 1.0
    if not packed:
        assert shares[len(LINES) // 2] == pytest.approx(0.25, abs=0.1)


def test_each_file_of_a_folder_counts(tmp_path):
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text("the sea is deep", encoding="utf-8")
    assert shares_of(tmp_path) == [0.25, 0.5, 0.75, 1.0]


def test_of_what_has_no_length_nothing_is_told(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["sh", "-c", f"printf 'the sea\\nthe land\\n' > '{pipe}'"]):
        assert shares_of([pipe]) == [None, None]


@pytest.mark.ci
def test_a_terminal_sees_a_bar(tmp_path):
    pty = pytest.importorskip("pty", reason="Windows has no terminals of this sort")
    file = tmp_path / "text.txt"
    file.write_text("\n".join(LINES * 12), encoding="utf-8")
    ours, its = pty.openpty()
    command = [PROGRAM, "corpus", "build", str(file), "--out", str(tmp_path / "corpus")]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=its) as program:
        os.close(its)
        told = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the other side has closed
                break
            if not piece:
                break
            told += piece
    os.close(ours)
    assert program.returncode == 0
    assert b"] " in told
    assert b" %  " in told
    assert b"documents read in " in told.splitlines()[-1]
