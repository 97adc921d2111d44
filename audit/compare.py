"""Runs verbs on an altered material and on the unaltered one, and compares what they do."""

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from audit.materials import UNDER_WAY, Materials, stdin_of, subject
from audit.programs import LIMIT, run
from audit.results import SAME, SILENT, Decision, Done, files_below, refusal, said
from stickbreaker.testing.estimators import untimed

TIMES = re.compile(r"\d+(\.\d+)? s\b|[\d,]+ documents/s|at most [\d:]+ left")

ELSEWHERE = (
    "digest",
    "corpus_path",
    "corpus",
    "stream",
    "seconds",
)  # what depends on the place and the clock


Before = tuple[Any, ...] | None


class Effect(NamedTuple):
    """What a verb printed on standard output and which files it wrote."""

    out: str
    files: dict[str, object]


def effect(done: Done, kind: str, place: Path, before: dict[str, bytes | None]) -> Effect:
    """What a verb did in a folder where some files were before. All files of a run that it resumed count."""
    name = subject(kind)
    goes_on = done.words[0] == "resume" and kind in UNDER_WAY
    files: dict[str, object] = {}
    for file, content in files_below(place).items():
        written = file not in before or before[file] != content or (goes_on and file.startswith(f"{name}/"))
        if written and not file.endswith("/lock"):
            files[file] = steps_of(content) if file.endswith("trace.jsonl") else content
    return Effect(TIMES.sub("…", done.out), files)


def steps_of(content: object) -> object:
    """A trace without its times; its bytes where it is none."""
    try:
        assert isinstance(content, bytes)
        return untimed(json.loads(line) for line in content.splitlines())
    except (ValueError, AttributeError):
        return content


def run_verbs(
    kind: str, verbs: Sequence[str], place: Path, limit: float = LIMIT, before: Before = None
) -> Iterator[tuple[Done, Effect | None]]:
    """Every verb of a kind, one after another, in a folder."""
    for number, verb in enumerate(verbs):
        stdin = stdin_of(kind, place) if verb.startswith("resume") else None
        there = files_below(place)
        done = run(verb, place, stdin=stdin, log=str(number), limit=limit, before=before)
        yield done, effect(done, kind, place, there) if done.code == 0 else None


class Comparison:
    """Effects of verbs on the unaltered material, for comparison."""

    def __init__(self, materials: Materials) -> None:
        self.materials = materials
        self._known: dict[str, list[Effect]] = {}

    def known(self, kind: str) -> list[Effect]:
        """What each verb does with the unaltered material."""
        with self.materials.lock(f"known {kind}"):
            if kind not in self._known:
                folder = self.materials.place / f"known-{kind.replace(' ', '-')}"
                shutil.rmtree(folder, ignore_errors=True)
                effects: list[Effect] = []
                verbs = self.materials.verbs(kind)
                for done, found in run_verbs(kind, verbs, self.materials.copy(kind, folder)):
                    if found is None:
                        raise RuntimeError(f"the unaltered {kind} is refused: {said(done)}")
                    effects.append(found)
                self._known[kind] = effects
                shutil.rmtree(folder)
        return self._known[kind]

    def judge(
        self,
        kind: str,
        place: Path,
        names: tuple[str, ...],
        *,
        legal: bool = False,
        limit: float = LIMIT,
        before: Before = None,
    ) -> list[Decision]:
        """A verdict for every verb on an altered material.

        `names`: what a refusal must have one of. `legal`: being accepted with another outcome is allowed.
        `before`: a function that every command calls first, with its arguments.
        """
        verdicts: list[Decision] = []
        tries = run_verbs(kind, self.materials.verbs(kind), place, limit, before)
        for (done, found), known in zip(tries, self.known(kind), strict=False):
            if found is None:
                verdicts.append(refusal(done, names))
                if done.code is None:  # the others would hang too
                    break
            elif legal or found == known:
                verdicts.append(Decision(SAME))
            else:
                verdicts.append(Decision(SILENT, f"{difference(found, known)}: {said(done)}"))
        return verdicts


def product(path: Path) -> dict[str, object]:
    """What a command made: a file, or all files of a folder; traces without times, models without where their
    corpus lies, pages without how long it took."""
    if not path.is_dir():
        return {path.name: path.read_bytes() if path.exists() else None}
    held: dict[str, object] = {}
    for name, content in files_below(path).items():
        held[name] = content
        if name.endswith("trace.jsonl"):
            held[name] = steps_of(content)
        elif name.endswith(".json") and content is not None:
            held[name] = without_place(content)
        elif name.endswith("search.html"):
            del held[name]
    return held


def without_place(content: bytes) -> object:
    """A record without where its corpus lies, what depends on that, and times."""
    try:
        return _without(json.loads(content))
    except (ValueError, AttributeError):
        return content


def _without(value: object) -> object:
    if isinstance(value, dict):
        return {name: _without(inner) for name, inner in value.items() if name not in ELSEWHERE}
    return [_without(inner) for inner in value] if isinstance(value, list) else value


def differing(one: dict[str, object], other: dict[str, object]) -> list[str]:
    """The files in which two products differ."""
    return [name for name in sorted({*one, *other}) if one.get(name, "") != other.get(name, "")]


def difference(found: Effect, known: Effect) -> str:
    """What two effects differ in."""
    names = {**found.files, **known.files}
    files = [name for name in names if found.files.get(name, "") != known.files.get(name, "")]
    if files:
        return "other files: " + ", ".join(files[:4])
    pairs = zip(found.out.splitlines(), known.out.splitlines(), strict=False)
    lines = next(((one, other) for one, other in pairs if one != other), ("", ""))
    return f"prints {lines[0][:200]!r} for {lines[1][:200]!r}"
