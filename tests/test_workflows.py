"""The workflows for GitHub are well formed, and may only read; what they run is in test_docs_commands.py.

They are not run. If `actionlint` is on the PATH, it reads them too: its package on PyPI downloads a program
when it is installed, so it is not among those for development.
"""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SCHEMA = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
PINNED = re.compile(r"[\w-]+/[\w/-]+@v\d+")


def printed_by(command: list[str], files: list[Path]) -> str:
    """What a program prints about files; an empty text if it finds nothing."""
    done = subprocess.run([*command, *map(str, files)], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def test_workflows_have_the_form_that_github_reads():
    pytest.importorskip("check_jsonschema")
    assert WORKFLOWS
    assert printed_by(SCHEMA, WORKFLOWS) == ""
    if shutil.which("actionlint"):
        assert printed_by(["actionlint", "-no-color"], WORKFLOWS) == ""


def test_a_wrong_workflow_is_found(tmp_path):
    pytest.importorskip("check_jsonschema")
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(WORKFLOWS[0].read_text("utf-8").replace("contents: read", "contents: reed"), "utf-8")
    assert "reed" in printed_by(SCHEMA, [wrong])


def test_workflows_may_read_only_and_pin_versions():
    for path in WORKFLOWS:
        text = path.read_text("utf-8")
        assert re.findall(r"^permissions:\n((?:  .*\n)+)", text, re.MULTILINE) == ["  contents: read\n"], (
            path.name
        )
        assert "\nconcurrency:\n" in text, path.name
        used = re.findall(r"uses: (.*)", text)
        assert used
        assert [action for action in used if not PINNED.fullmatch(action)] == [], path.name


def test_all_versions_of_python_are_tested():
    (line,) = re.findall(r"python: \[(.*)\]", (ROOT / ".github/workflows/test.yml").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    versions = re.findall(r"[\d.]+", line)
    assert f">={versions[0]}" == project["requires-python"]
    named = [each.rpartition(" ")[2] for each in project["classifiers"] if "Python :: 3." in each]
    assert set(named) <= set(versions)
