"""What is private to a module is used nowhere else: other modules ask by public names.

Of estimators, what runs, files and commands call begins with an underscore too, so that users see what is
theirs (docs/decisions/0020): these attributes of the kinds are known to the whole package.
"""

import ast
from pathlib import Path

import pytest

import stickbreaker
from stickbreaker import HDP, LDA, AdaptorGrammar, NgramModel, SyntacticTopics, TopicLexicon, TopicNgramModel

ROOT = Path(stickbreaker.__file__).parent
FILES = {path.relative_to(ROOT).as_posix(): path for path in sorted(ROOT.rglob("*.py"))}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def private_names(tree: ast.AST) -> set[str]:
    """Private functions, classes and attributes that a module defines."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
    return set(filter(is_private, names))


def uses(tree: ast.AST) -> dict[str, int]:
    """Private attributes of others than `self`, `cls` and `super()`, and private imports: line by name."""
    found: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            if ast.unparse(node.value) not in ("self", "cls", "super()"):
                found[node.attr] = node.lineno
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.name: node.lineno for alias in node.names if is_private(alias.name)}
    return found


PUBLIC = {"_asdict", "_fields", "_replace"}  # of named tuples, in spite of the name
KINDS = (LDA, HDP, AdaptorGrammar, NgramModel, SyntacticTopics, TopicLexicon, TopicNgramModel)
OF_KINDS = {name for kind in KINDS for base in kind.__mro__ for name in vars(base) if is_private(name)}


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.AST]:
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in FILES.items()}


@pytest.fixture(scope="module")
def defined(trees) -> dict[str, set[str]]:
    return {name: private_names(tree) for name, tree in trees.items()}


@pytest.fixture(scope="module")
def ours(defined) -> set[str]:
    """What is private somewhere; what other libraries have is theirs."""
    return set().union(*defined.values()) - PUBLIC - OF_KINDS


def trespasses(tree: ast.AST, private: set[str]) -> list[str]:
    return [f"{line}: {name}" for name, line in uses(tree).items() if name in private]


@pytest.mark.ci
def test_no_module_uses_what_is_private_to_another(trees, defined, ours):
    found = {name: trespasses(trees[name], ours - defined[name]) for name in FILES}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_a_use_is_found():
    private, ours = "_own", {"_own"}
    assert trespasses(ast.parse(f"thing.{private}"), ours) == [f"1: {private}"]
    assert trespasses(ast.parse(f"from module import {private}"), ours) == [f"1: {private}"]
    assert trespasses(ast.parse(f"self.{private}"), ours) == []
