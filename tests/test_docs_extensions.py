"""Docstrings as pages show them, and equations as MathML."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

EXTENSIONS = Path(__file__).parents[1] / "docs" / "_ext"


def extension(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXTENSIONS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def docstrings():
    pytest.importorskip("sphinx")
    return extension("docstrings")


@pytest.fixture(scope="module")
def commands():
    pytest.importorskip("sphinx")
    return extension("commands")


@pytest.fixture(scope="module")
def equations():
    pytest.importorskip("latex2mathml")
    return extension("equations")


def test_a_list_of_parameters(docstrings):
    head = ["What it is.", "", "Parameters", "----------"]
    entries = ["n_topics : topics to", "    learn.", "alpha_ : a prior; eta_ : another."]
    found = docstrings.restructured([*head, *entries], {"n_topics"})
    assert found == [
        *("What it is.", ""),
        *(":param n\\_topics: topics to learn.", ":param alpha\\_: a prior", ":param eta\\_: another.", ""),
    ]


def test_sentences_about_parameters_errors_and_results(docstrings):
    text = "Read it.\n\n`path` is a file; `size` its length. Raises UserError where it is missing."
    found = docstrings.restructured(text.split("\n"), {"path", "size"})
    assert found[:2] == ["Read it.", ""]
    assert ":param path: a file." in found
    assert ":param size: its length." in found
    assert ":raises: :py:exc:`~stickbreaker.UserError` where it is missing." in found


def test_an_example_is_code(docstrings):
    found = docstrings.restructured(["One.", "", ">>> f(1)", "1"], set())
    assert found[2:] == ["**Example**", "", ".. code-block:: pycon", "", "   >>> f(1)", "   1", "", ""]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("alpha_ and *this*, not a * b", "alpha\\_ and *this*, not a \\* b"),
        ("see docs/models/lda.md for a_", "see :doc:`/models/lda` for a\\_"),
        ("`fit` it", "\\ :py:obj:`fit`\\  it"),
        ("`a b` it", "\\ ``a b``\\  it"),
    ],
)
def test_prose(docstrings, text, shown):
    assert docstrings.prose(text) == shown


def test_options_and_names_in_help_are_code(commands):
    shown = commands.paragraph("see `load` and\n--seed=1, non-negative")
    assert [str(node) for node in shown if node.tagname == "literal"] == [
        "<literal>load</literal>",
        "<literal>--seed=1</literal>",
    ]
    assert shown.astext() == "see load and --seed=1, non-negative"


def test_a_list_in_help_is_a_list(commands):
    shown = commands.part_of_help("\b\ndot   a graph\nzip   one file, which `load`\n      reads")
    assert [term.astext() for term in shown.findall(commands.nodes.term)] == ["dot", "zip"]
    texts = [text.astext() for text in shown.findall(commands.nodes.definition)]
    assert texts == ["a graph", "one file, which load reads"]


def test_functions_have_room_in_equations(equations):
    assert "<mi>log</mi><mspace" in equations.mathml(r"\log p(w)", block=True)
    assert "<msub><mi>log</mi><mn>2</mn></msub>" in equations.mathml(r"\log_2 n", block=False)
    assert "<mo>&#x0223C;</mo>" in equations.mathml(r"z \sim \theta", block=False)
