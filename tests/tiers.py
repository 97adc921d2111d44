"""Which tests run: those of `make test`, those that a change needs, or all.

STICKBREAKER_TIER: `first` (the default), `changed` (`.ci/run`; tests/choice.py finds what changed), `all`. A
test that is named by itself (`pytest file.py::test`) runs in every tier.
"""

import os
import random
from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypeVar

import pytest

from tests import choice

TIERS = ("first", "changed", "all")
TIER = os.environ.get("STICKBREAKER_TIER", "first")
EXHAUSTIVE = TIER == "all"  # tests take as many draws, kills and cases as they can
SEED = int(os.environ.get("STICKBREAKER_SEED", "0"))
NOT_FIRST = ("slow", "rest", "ci", "spark", "browser")

Case = TypeVar("Case")


def sampled(cases: Iterable[Any], n: int, *, several: bool = False) -> list[Any]:
    """Cases of a test, for `parametrize`: `make test` runs `n` of them, which are the same each time.

    The others have the mark `rest`. STICKBREAKER_SEED draws others. several: a case is a tuple of values.
    """
    given = [pytest.param(*case) if several and not hasattr(case, "marks") else case for case in cases]
    places = range(len(given))
    chosen = set(places if n >= len(given) else random.Random(SEED).sample(places, n))
    return [case if place in chosen else _marked(case, "rest") for place, case in enumerate(given)]


def some(cases: Sequence[Case], n: int) -> list[Case]:
    """Some cases for a loop in a test: `n` of them, the same each time; all of them in `make test-all`."""
    if EXHAUSTIVE or len(cases) <= n:
        return list(cases)
    return [cases[place] for place in sorted(random.Random(SEED).sample(range(len(cases)), n))]


def chosen_of(cases: Sequence[Any], first: Collection[Any], mark: str = "rest") -> list[Any]:
    """Cases of a test, of which `first` run in `make test`; the others have a mark that leaves them out."""
    return [case if case in first else _marked(case, mark) for case in cases]


def law_cases(configurations: Iterable[str], first: Sequence[str]) -> list[Any]:
    """Configurations to hold to laws: `first` in `make test`, the very first alone to laws about inputs."""
    return chosen_of(chosen_of(list(configurations), first), first[:1], "rest_of_inputs")


def _marked(case: Any, mark: str) -> Any:
    """A case with one more mark."""
    added = getattr(pytest.mark, mark)
    if hasattr(case, "marks"):
        return pytest.param(*case.values, marks=[*case.marks, added], id=case.id)
    return pytest.param(case, marks=added)


def marks_of(item: pytest.Item) -> set[str]:
    """The names of a test's marks, and of those that follow from what a law is about."""
    marks = {mark.name for mark in item.iter_markers()}
    about = getattr(getattr(item, "function", None), "about", "")
    if about == "inputs" and "rest_of_inputs" in marks:
        marks.add("rest")
    if about == "long runs":
        marks.add("slow")
    return marks


def runs(item: pytest.Item, tier: str, whole: Collection[str], spark: str) -> bool:
    """Whether a test is of a tier; `whole` and `spark` are the choice of `changed` (tests/choice.py)."""
    marks = marks_of(item)
    if tier == "all":
        return True
    if tier == "first":
        return marks.isdisjoint(NOT_FIRST)
    if "slow" in marks:
        return False
    if "browser" in marks and "smoke" not in marks:
        return False
    if "spark" in marks:
        return spark == "laws" or "smoke" in marks
    if "rest" in marks:  # the other cases of a long test are for `make test-all`
        return "long" not in marks and choice.room_of(item.nodeid) in whole
    return True


def leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that are not of this tier, but for those that are named by themselves."""
    if TIER not in TIERS:
        raise pytest.UsageError(f"STICKBREAKER_TIER is {TIER!r}, not one of {', '.join(TIERS)}")
    whole, spark = choice.chosen()[:2] if TIER == "changed" else (frozenset[str](), "")
    for item in items:
        for mark in marks_of(item).difference(mark.name for mark in item.iter_markers()):
            item.add_marker(mark)  # for -m
    named = [word for word in config.invocation_params.args if "::" in str(word)]
    kept = {item: runs(item, TIER, whole, spark) or _is_named(item, named) for item in items}
    left_out = [item for item in items if not kept[item]]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if kept[item]]


def _is_named(item: pytest.Item, named: Sequence[Any]) -> bool:
    """Whether the command line names a test, its function or its class."""
    return any(
        item.nodeid == name or item.nodeid.startswith((f"{name}::", f"{name}[")) for name in map(str, named)
    )
