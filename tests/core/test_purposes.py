"""Purposes of random draws are data: a renaming of code leaves them alone."""

import ast
import importlib
from pathlib import Path

import pytest

import stickbreaker

SOURCE = Path(stickbreaker.__file__).parent
DRAWING = ("stream", "derived_seed", "numbered_keys", "keyed_uniforms")  # (seed, purpose, ...)
SPELLINGS = {
    "again",
    "effects",
    "prevalence",
    "intrusion",
    "assignments",
    "births",
    "chain",
    "completion",
    "delayed gibbs, documents",
    "delayed gibbs, words",
    "directions",
    "documents",
    "gibbs",
    "grammar order",
    "grammar parses",
    "grammar processes",
    "grammar samples",
    "grammar tables",
    "grammar trees",
    "halves",
    "hdp gibbs",
    "hdp weights",
    "left-to-right",
    "merges",
    "moves",
    "n-gram hyperparameters",
    "n-gram report",
    "n-gram rescaling",
    "n-gram sentences",
    "n-grams",
    "neighbours on the map",
    "planted languages",
    "planted",
    "prequential",
    "sample",
    "shuffle",
    "start",
    "step",
    "syntax part",
    "syntax report",
    "syntax shares",
    "syntax start",
    "syntax trees",
    "syntax weights",
    "topic n-gram hyperparameters",
    "topic n-gram particles",
    "topic n-gram switches",
    "topic n-gram tables",
    "topic n-grams",
    "topics",
    "translation pairs",
}


def test_purposes_keep_their_spelling():
    files = sorted(SOURCE.rglob("purposes.py"))
    rooms = [importlib.import_module(f"stickbreaker.{file.parent.name}.purposes") for file in files]
    spellings = [value for room in rooms for name, value in vars(room).items() if name.isupper()]
    assert len(rooms) > 3
    assert len(spellings) == len(set(spellings)), "two draws with one purpose draw the same numbers"
    assert set(spellings) == SPELLINGS


@pytest.mark.ci
def test_purposes_are_spelled_in_files_of_their_own():
    elsewhere: list[str] = []
    toys = SOURCE / "testing"  # which are as models of other packages, with purposes of their own
    for file in sorted(set(SOURCE.rglob("*.py")) - set(toys.glob("*.py"))):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and _name(call.func) in DRAWING and len(call.args) > 1:
                literals = [node.value for node in ast.walk(call.args[1]) if isinstance(node, ast.Constant)]
                elsewhere += [f"{file.name}:{call.lineno}: {value!r}" for value in literals]
    assert not elsewhere, "write these into a purposes.py"


def _name(function: ast.expr) -> str:
    return getattr(function, "attr", None) or getattr(function, "id", "")
