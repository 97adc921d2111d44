"""Commands in messages can be pasted into a shell, whatever their paths are."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

import stickbreaker
from stickbreaker.core.errors import UserError
from stickbreaker.core.option_names import as_options, as_parameters, command_line, quoted_path

PATHS = [
    "model",
    "my  model",
    "it's",
    'a "b" $c `d`',
    "-m",
    "--out",
    "a;b&c|d",
    "eta",
    "a\nb\tc'\\d",
    "münchen",
    "*?",
]


@pytest.mark.parametrize("path", PATHS)
def test_a_shell_reads_a_path_back(path):
    line = f"printf %s {quoted_path(path)}"
    read = subprocess.run(["bash", "-c", line], capture_output=True, check=True).stdout.decode()
    assert read == (f"./{path}" if path.startswith("-") else path)
    assert "\n" not in line


@pytest.mark.parametrize("path", [path for path in PATHS if "\n" not in path])
def test_errors_leave_commands_as_they_are(path):
    command = command_line("resume", path, "--engine spark")
    error = UserError("max_iter=3", remedy=f"go on with: {command}")
    assert str(error) == f"max_iter=3; go on with: {command}"
    assert error.on_command_line() == f"--iterations 3; go on with: {command}"
    assert shlex.split(command)[2].removeprefix("./") == path


def test_what_stands_before_a_command_is_spelled_as_ever():
    assert (
        as_options("raise max_iter: stickbreaker fit lda eta")
        == "raise --iterations: stickbreaker fit lda eta"
    )
    assert as_parameters("give --topics 3") == "give n_topics=3"


def test_no_command_in_a_message_has_a_path_that_is_not_quoted():
    source = Path(stickbreaker.__file__).parent
    bare = re.compile(r"stickbreaker (?:[a-z-]+ )+(?:--[a-z]+ )?\{(?!quoted_path|\})")
    found = [str(file) for file in source.rglob("*.py") if bare.search(file.read_text("utf-8"))]
    assert found == []
