"""Finds sums in kernels whose last digits depend on where arrays lie in memory.

A loop that reads one array and writes another is compiled twice: vectorised, and one by one for arrays that
lie close to each other, which is looked up each time. If the loop also adds up numbers, the two differ in
their last digits, and whether small arrays lie close is chance. So a sum has a loop of its own, which only
reads.

`watch` has every kernel looked at that is compiled from then on; `python -m tests.compile` ends with an error
where such a sum is found.
"""

import re
from collections.abc import Iterator

from numba.core import codegen

CLOSE = "diff.check"  # what LLVM calls a look at how far arrays are apart
_LABEL = re.compile(r'^"?([\w.$-]+)"?:')
_TARGETS = re.compile(r'label %"?([\w.$-]+)"?')
_VALUE = re.compile(r"\s*%([\w.$-]+) = (\w+) ")
_BRANCH = re.compile(r"\s*br i1 %([\w.$-]+),")
_NAMES = re.compile(r"%([\w.$-]+)")
_SUM = re.compile(r"= phi <\d+ x (double|float)>")
_WRITE = re.compile(r"\s*(tail call void @llvm\.masked\.)?store[ .]")
_JOINS = ("or", "and", "select", "xor", "freeze")
_NEAR = 5  # blocks between the look and the loop


def watch() -> list[str]:
    """A list to which the name of each kernel with such a sum is added when it is compiled."""
    found: list[str] = []
    finish = codegen.CPUCodeLibrary._finalize_final_module

    def looked_at(library: codegen.CPUCodeLibrary) -> None:
        finish(library)
        text = str(library._final_module)
        if CLOSE in text:
            found.extend(name for name, lines in _functions(text) if _has_sum(lines))

    codegen.CPUCodeLibrary._finalize_final_module = looked_at
    return found


def _functions(text: str) -> Iterator[tuple[str, list[str]]]:
    """The functions of a module: module and name, and lines."""
    name, lines = "", []
    for line in text.split("\n"):
        if line.startswith("define "):
            name, lines = _plain_name(line), []
        elif line.startswith("}") and name:
            yield name, lines
            name = ""
        else:
            lines.append(line)


def _plain_name(line: str) -> str:
    """The name of the Python function that a line defines: numba's names have each part after its length.

    >>> _plain_name('define i32 @_ZN3foo6_startB3v17B112c8tJTI(ptr %x) {')
    'foo._start'
    """
    mangled = re.search(r'@"?([^"(]+)"?\(', line)
    rest, parts = "" if mangled is None else mangled.group(1).partition("_ZN")[2], []
    while (size := re.match(r"\d+", rest)) is not None:
        start, end = size.end(), size.end() + int(size.group())
        parts.append(rest[start:end])
        rest = rest[end:]
    return ".".join(parts) or "a function"


def _has_sum(lines: list[str]) -> bool:
    """Whether a function has a sum in a loop that is only run where arrays are not close."""
    blocks: dict[str, list[str]] = {"": []}
    close: set[str] = set()
    label = ""
    for line in lines:
        begun, value = _LABEL.match(line), _VALUE.match(line)
        if begun is not None:
            label = begun.group(1)
            blocks[label] = []
            continue
        blocks[label].append(line)
        if value is not None:
            joined = value.group(2) in _JOINS and close & set(_NAMES.findall(line)[1:])
            if joined or value.group(1).startswith(CLOSE):
                close.add(value.group(1))
    before: dict[str, set[str]] = {}
    looks: set[str] = set()
    for label, own in blocks.items():
        for line in own:
            branch = _BRANCH.match(line)
            if branch is not None and branch.group(1) in close:
                looks.add(label)
            for target in _TARGETS.findall(line):
                before.setdefault(target, set()).add(label)
    sums = [label for label, own in blocks.items() if "vector.body" in label and _sums_and_writes(own)]
    return any(looks & _near(label, before) for label in sums)


def _sums_and_writes(loop: list[str]) -> bool:
    """Whether a loop adds up numbers and writes others; one that only reads is not run by a look."""
    return any(map(_SUM.search, loop)) and any(_WRITE.match(line) for line in loop)


def _near(label: str, before: dict[str, set[str]]) -> set[str]:
    """A block, and those that come at most `_NEAR` before it."""
    seen = last = {label}
    for _ in range(_NEAR):
        last = {one for here in last for one in before.get(here, ())} - seen
        seen = seen | last
    return seen
