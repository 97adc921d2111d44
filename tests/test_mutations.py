"""Every mutation can be made: its line is there, once, and so are the tests that are to notice it."""

import ast
from pathlib import Path

import pytest

from tests.mutations import MUTATIONS, TREE, forget_compiled, imports_of

SOURCE = TREE / "src" / "stickbreaker"


def test_every_mutation_finds_its_line_once():
    wrong = {
        name: f"{mutation.file} has it {count} times: {mutation.right}"
        for name, mutation in MUTATIONS.items()
        if (count := (SOURCE / mutation.file).read_text("utf-8").count(mutation.right)) != 1
    }
    assert wrong == {}


def test_every_mutation_leaves_a_program():
    for name, mutation in MUTATIONS.items():
        changed = (SOURCE / mutation.file).read_text("utf-8").replace(mutation.right, mutation.wrong)
        try:
            ast.parse(changed)
        except SyntaxError as error:
            pytest.fail(f"{name}: {error}")
        assert mutation.right != mutation.wrong, name


def test_tests_of_mutations_are_there():
    named = {path for mutation in MUTATIONS.values() for path in mutation.tests.partition(" -k ")[0].split()}
    assert {path for path in named if not (TREE / path.partition("::")[0]).exists()} == set()


def test_kernels_that_may_hold_the_changed_line_are_compiled_anew(tmp_path: Path):
    changed, caller, other = "kernels/math.py", "topics/kernels/mean_field.py", "kernels/document_words.py"
    for file in (changed, caller, other):
        assert (SOURCE / file).exists()
        path = (tmp_path / "src" / "stickbreaker" / file).parent / "__pycache__"
        path.mkdir(parents=True, exist_ok=True)
        (path / f"{Path(file).stem}.draw-1.py311.nbi").touch()
    forget_compiled(tmp_path, changed, imports_of(TREE))
    assert [path.name for path in tmp_path.rglob("*.nbi")] == ["document_words.draw-1.py311.nbi"]
