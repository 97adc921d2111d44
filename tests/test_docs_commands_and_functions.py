"""The page that shows commands and functions side by side has every command, and functions that exist."""

import functools
import importlib
import re

import click

from tests.commands import every_command
from tests.test_docs import ROOT

PAGE = ROOT / "docs" / "reference" / "commands-and-functions.md"
OF_THE_PROGRAM = {"demo", "docs"}  # what no function does


def rows() -> dict[str, list[str]]:
    """The functions of each command."""
    found = re.findall(r"^\| `([^`]+)` \|(.*)\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    return {command: re.findall(r"`([^`]+)`", functions) for command, functions in found}


def object_of(name: str) -> object:
    """What a dotted name is, of the longest part of it that is a module."""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:n]))
        except ModuleNotFoundError:
            continue
        return functools.reduce(getattr, parts[n:], module)
    raise LookupError(name)


def test_every_command_has_a_function():
    commands = {words for words, command in every_command() if not isinstance(command, click.Group)}
    assert set(rows()) == commands
    assert {command for command, functions in rows().items() if not functions} == OF_THE_PROGRAM


def test_the_functions_exist():
    for name in {name for functions in rows().values() for name in functions}:
        assert object_of(name) is not None, name


def test_every_verb_of_a_kind_is_exported():
    import stickbreaker
    from stickbreaker.estimators.kinds import kinds, systems

    verbs = {verb for saved in (*kinds().values(), *systems()) for verb in saved.functions}
    own = {
        "topics": "topics_of",
        "effect": "effects",
        "over-time": "topics_over_time",
        "search-k": "search_topics",
    }
    named = {verb: own.get(verb, verb) for verb in verbs}
    assert {name for name in named.values() if name not in stickbreaker.__all__} == set()
    shown = rows()
    assert all(f"stickbreaker.{name}" in shown[verb] for verb, name in named.items() if verb in shown)
