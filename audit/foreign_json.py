"""Hostile values in manifests: each key missing, null, of another type, huge, negative or no number."""

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from audit.sealing import seal

MISSING = object()
NULLABLE = ("language", "normalization", "token_pattern", "content", "analysis", "columns")
VALUES: tuple[Any, ...] = (
    MISSING, None, True, "", "../../victim", "/etc/hostname", "x" * 100_000, [], {}, [[]], {"a": 1}, 0, -1,
    1.5, 2**31, 2**63, 10**400, -(2**70), float("nan"), float("inf"), -1e308, "\ud800\x00",
    [None], ["x", "x"],
)  # fmt: skip
ENDLESS = ("max_iter", "samples", "burn_in", "every", "chains")  # a run of 2³¹ passes is legal
DEEP = 100_000


def places_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value in a JSON value; of long lists the first ones."""
    if path:
        yield path
    pairs = (
        value.items() if isinstance(value, dict) else enumerate(value[:3]) if isinstance(value, list) else ()
    )
    for key, inner in pairs:
        yield from places_of(inner, (*path, key))


def put(value: Any, path: tuple[Any, ...], replacement: Any) -> None:
    """Replace what is at a path, or remove it."""
    for key in path[:-1]:
        value = value[key]
    if replacement is MISSING:
        del value[path[-1]]
    else:
        value[path[-1]] = copy.deepcopy(replacement)


def of_one_kind(one: Any, other: Any) -> bool:
    """Whether two values are of one type, so that one in the place of the other may be legal."""
    numbers = (int, float)
    both = [type(one) in numbers, type(other) in numbers]
    return all(both) or (type(one) is type(other))


def change_facts(place: Path, draw: random.Random) -> tuple[str, bool]:
    """Change one value of a manifest that is sealed again. Returns what was done, and whether it may
    be legal.

    Another number or text of the same type may be: it cannot be told apart from the one that was there.
    """
    done: list[tuple[str, bool]] = []

    def change(facts: dict[str, Any]) -> None:
        paths = [path for path in places_of(facts) if path[-1] not in ("digest", "bytes", "size", *ENDLESS)]
        path = draw.choice(paths)
        held: Any = facts
        for key in path:
            held = held[key]
        replacement = draw.choice(VALUES)
        if isinstance(held, bool) and draw.random() < 0.3:
            replacement = not held
        older = path[0] in ("settings", "trace_digests")
        optional = replacement is MISSING and (older or isinstance(path[-1], int))
        put(facts, path, replacement)
        told = "missing" if replacement is MISSING else repr(replacement)[:60]
        finite = not isinstance(replacement, float) or abs(replacement) < 1e300
        legal = of_one_kind(held, replacement) and finite and not _below_zero(replacement)
        legal = legal or optional  # older models lack some settings, and lists may be shorter
        legal = legal or (held is None and isinstance(replacement, str | int | float))
        legal = legal or (replacement is None and path[-1] in NULLABLE)
        legal = legal or (path[-1] == "random_state" and isinstance(replacement, int))
        legal = legal or (path[0] == "languages" and replacement is MISSING)  # counts by language
        legal = legal or (path == ("phrases",) and replacement is MISSING)  # a lexicon that has none
        legal = legal or (path[-1] == "fresh" and isinstance(replacement, int | float) and finite)
        legal = legal or (
            held == "learned" and isinstance(replacement, int | float) and 0 < replacement < 1e6
        )
        done.append((f"{'.'.join(map(str, path))} = {told}", legal))

    seal(place, change)
    return done[0]


def _below_zero(value: Any) -> bool:
    return isinstance(value, int | float) and value < 0


def deep(opening: str = "[", closing: str = "]") -> str:
    """JSON that is nested deeper than a parser that calls itself can go."""
    return opening * DEEP + closing * DEEP


def add_deep(file: Path) -> None:
    """Give a JSON object one more value, nested deep."""
    text = file.read_text().rstrip()
    file.write_text(text[:-1] + f', "more": {deep()}}}\n')


def json_twice(file: Path) -> None:
    """Give a JSON object all its keys twice, the second time null."""
    facts = json.loads(file.read_bytes())
    pairs = [f"{json.dumps(key)}: null" for key in facts]
    file.write_text(file.read_text().rstrip()[:-1] + ", " + ", ".join(pairs) + "}\n")
