"""Functions that only kernels call, and functions without reference counts."""

import ast
import importlib
import os
from pathlib import Path

import pytest
from numba import njit

import stickbreaker
from stickbreaker.kernels.kernel_parts import kernel_part


@kernel_part(nogil=True)
def doubled(x):
    """Twice x."""
    return x + x


@njit
def added(x):
    """Twice x, and one."""
    return doubled(x) + 1


@pytest.mark.kernels
def test_kernels_call_parts():
    assert added(3) == 7
    assert added(0.25) == 1.5


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "") not in ("", "0"), reason="nothing is compiled")
def test_python_is_told_how_to_call_one():
    for _ in range(2):  # before and after it is compiled
        with pytest.raises(
            TypeError, match="doubled is called by kernels only; with NUMBA_DISABLE_JIT=1 Python"
        ):
            doubled(3)
        assert added(3) == 7


def options_of(decorator, module):
    """The options of a compiled function, by the name that its decorator expands: `@njit(**LEAN)`."""
    names = [one.value for one in decorator.keywords if one.arg is None]
    return {} if not names else eval(ast.unparse(names[0]), vars(module))


def compiled_functions():
    """The compiled functions of the package: name, syntax tree, and whether references are counted."""
    root = Path(stickbreaker.__file__).parent
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "njit" not in text and "kernel_part" not in text:
            continue
        name = ".".join(("stickbreaker", *path.relative_to(root).with_suffix("").parts))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                for one in node.decorator_list:
                    if isinstance(one, ast.Call) and ast.unparse(one.func) in ("njit", "kernel_part"):
                        counted = options_of(one, importlib.import_module(name)).get("_nrt", True)
                        yield node, counted


def returns_arrays(node):
    """Whether a function returns a slice or a NamedTuple; only `Filling` has nothing but numbers."""
    for one in ast.walk(node):
        if isinstance(one, ast.Return) and one.value is not None:
            for value in one.value.elts if isinstance(one.value, ast.Tuple) else [one.value]:
                made = (
                    value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else ""
                )
                cut = isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice)
                if cut or (made[:1].isupper() and made != "Filling"):
                    return True
    return False


def test_arrays_are_returned_to_those_who_count_references():
    """If one function counts and the other does not, an array is given back too often, or never."""
    functions = list(compiled_functions())
    assert len(functions) > 400
    silent = {node.name for node, counted in functions if not counted and returns_arrays(node)}
    assert "word_at" in silent
    for node, counted in functions:
        called = {
            one.func.id
            for one in ast.walk(node)
            if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)
        }
        assert not counted or not called & silent, f"{node.name} calls {called & silent}"
