"""The migration guide tells the truth about our side: its Python and its commands run."""

import re
import shlex
from pathlib import Path

from tests.children import run_program, run_script

GUIDE = (Path(__file__).parent.parent / "docs" / "howto" / "migration.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, flags=re.DOTALL | re.MULTILINE)


def test_the_python_runs_in_order(tmp_path):
    snippets = blocks("python")
    assert len(snippets) == 4
    ended = run_script("\n".join(snippets), tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "river" in ended.stdout


def test_the_commands_run_in_order(tmp_path):
    lines = [
        "d1 en the river and the boat",
        "d2 en a bank loan, a coin",
        "d3 en fish and boats",
        "d4 en a coin",
    ]
    (tmp_path / "lines.txt").write_text("\n".join(lines) + "\n")
    commands = [line.removeprefix("$ ") for line in blocks("console")[0].splitlines()]
    assert len(commands) == 4
    for line in commands:
        ended = run_program(shlex.split(line)[1:], tmp_path)
        assert ended.returncode == 0, f"{line}\n{ended.stderr}"
    shares = (tmp_path / "doc-topics.txt").read_text().splitlines()
    assert [line.split("\t")[1] for line in shares] == ["d1", "d2", "d3", "d4"]
    assert len((tmp_path / "keys.txt").read_text().splitlines()) == 2
