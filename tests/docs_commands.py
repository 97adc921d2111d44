"""What is wrong with the shell commands that a page shows; none of them is run.

A command is a line of a block without a language or of a console block, or a span of code, that begins with
`make`, `python`, `pytest` or a program in `.venv/bin`; variables may stand before it. Checked are targets and
variables of `make`, modules of `python -m` and their options, programs and the files they are given, and for
pytest: paths, markers, and whether an expression after `-k` matches the name of a test.
"""

import ast
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from audit.run import PARTS as PARTS_OF_AUDIT

from tests.tiers import TIERS
from tests.whole_run import PARTS

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
SHELL = ("", "sh", "bash", "console")  # languages of blocks that may have commands
VARIABLE = re.compile(r"([A-Z_]+)=(.*)", re.DOTALL)
ROOMS = ("src", "tests", "audit", "benchmarks", "reproduce", "docs")
WITH_VALUES = (
    "-k",
    "-m",
    "-n",
    "-p",
    "--dist",
    "--maxprocesses",
)  # options of pytest that another word follows
OPERATORS = ("and", "or", "not")
STICKBREAKER = re.compile(r"\bSTICKBREAKER_\w+")  # variables of the tests


def spans_of(text: str) -> list[str]:
    """The spans of code in the paragraphs of a page, each on one line."""
    paragraphs = BLOCK.sub("", text).split("\n\n")
    return [" ".join(span[2].split()) for paragraph in paragraphs for span in SPAN.finditer(paragraph)]


def commands_of(text: str) -> list[str]:
    """The commands that a page shows."""
    lines = [
        line.removeprefix("$ ")
        for _, language, content in BLOCK.findall(text)
        if language in SHELL
        for line in content.replace("\\\n", " ").splitlines()
    ]
    return [command for command in [*lines, *spans_of(text)] if is_command(command)]


def is_command(line: str) -> bool:
    """Whether a line or span is a command that `faults_of` knows something about."""
    _, words = _split(line)
    return len(words) > 1 and (words[0] in ("make", "python", "pytest") or words[0].startswith(".venv/"))


def faults_of(command: str) -> list[str]:
    """What is wrong with a command: nothing, if it could be run."""
    variables, words = _split(command)
    wrong = [f"nothing reads {name}" for name in variables if not is_read(name)]
    program, arguments = words[0].removeprefix(".venv/bin/").removeprefix(".venv/Scripts/"), words[1:]
    if program == "make":
        return wrong + list(_faults_of_make(arguments))
    if program == "python":
        return wrong + list(_faults_of_python(arguments))
    if program == "pytest":
        return wrong + list(_faults_of_pytest(arguments))
    if shutil.which(program, path=Path(sys.executable).parent) is None:
        wrong.append(f"{program} is not installed")
    return wrong + [f"{word} does not exist" for word in arguments[1:] if not _exists(word)]


def _split(line: str) -> tuple[dict[str, str], list[str]]:
    """The variables before a command, and its words; no words if quotes do not match."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        return {}, []
    variables: dict[str, str] = {}
    while words and (found := VARIABLE.fullmatch(words[0])):
        variables[found[1]] = found[2]
        words = words[1:]
    return variables, words


def _exists(word: str) -> bool:
    return word.startswith("-") or (ROOT / word).exists()


@cache
def targets() -> frozenset[str]:
    """What `make` can be asked for."""
    text = (ROOT / "Makefile").read_text("utf-8").replace("$(BIN)", "$(VENV)/bin").replace("$(VENV)", ".venv")
    return frozenset(
        name for line in re.findall(r"^([^\s:=#][^:=]*):(?!=)", text, re.MULTILINE) for name in line.split()
    )


@cache
def _sources() -> str:
    """All Python of the project, and the Makefile."""
    files = [ROOT / "Makefile", *(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


@cache
def is_read(name: str) -> bool:
    """Whether the Makefile or a program reads a variable of the environment."""
    return f'"{name}"' in _sources() or f"$({name})" in _sources() or f"$(or $({name})" in _sources()


def _faults_of_make(words: Sequence[str]) -> Iterator[str]:
    given = {found[1]: found[2] for word in words if (found := VARIABLE.fullmatch(word))}
    asked = [word for word in words if not VARIABLE.fullmatch(word) and not word.startswith("-")]
    yield from (f"make has no target {target}" for target in asked if target not in targets())
    for name, value in given.items():
        if not is_read(name):
            yield f"make knows no {name}"
        for target in asked:
            yield from VALUES.get((target, name), lambda _: ())(value)


def _one_of(names: Sequence[str]) -> Callable[[str], list[str]]:
    return lambda value: [
        f"{word} is none of {', '.join(names)}" for word in value.split() if word not in names
    ]


VALUES = {  # (target, variable): what is wrong with a value
    ("test", "TIER"): _one_of(TIERS),
    ("test", "KIND"): lambda kind: (
        [] if (ROOT / "tests" / kind).is_dir() else [f"tests/{kind} does not exist"]
    ),
    ("test", "TESTS"): lambda value: list(_faults_of_pytest(shlex.split(value))),
    ("test-all", "PARTS"): _one_of(tuple(PARTS)),
    ("audit", "PARTS"): _one_of(tuple(PARTS_OF_AUDIT)),
}


def _faults_of_python(words: Sequence[str]) -> Iterator[str]:
    if words[:2] == ["-m", "pytest"]:
        yield from _faults_of_pytest(words[2:])
    elif words[0] != "-m":
        yield from (f"{word} does not exist" for word in words[:1] if "/" in word and not _exists(word))
    elif (source := _source_of(words[1])) is None:
        yield f"there is no module {words[1]}"
    elif source:
        options = [word.partition("=")[0] for word in words[2:] if word.startswith("--")]
        yield from (f"{words[1]} has no {option}" for option in options if f'"{option}"' not in source)


def _source_of(module: str) -> str | None:
    """The source of a module of the project; an empty text for a module of others, None if there is none."""
    place = ROOT / module.replace(".", "/")
    files = [path for path in (place.with_suffix(".py"), *sorted(place.glob("*.py"))) if path.exists()]
    if files:
        return "".join(path.read_text("utf-8") for path in files)
    package = module.partition(".")[0]
    return None if (ROOT / package).is_dir() or find_spec(package) is None else ""


def _faults_of_pytest(words: Sequence[str]) -> Iterator[str]:
    values: dict[str, str] = {}
    places: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in WITH_VALUES:
            values[word] = next(rest, "")
        elif not word.startswith("-"):
            places.append(word)
    yield from (f"{place} has no tests" for place in places if not names_of_tests(place))
    unknown = set(re.findall(r"\w+", values.get("-m", ""))) - {*OPERATORS, *markers()}
    yield from (f"{name} is not a marker" for name in sorted(unknown))
    wrong = [f"{name} {values[name]}" for name in ("-k", "-m") if not _is_expression(values.get(name, "x"))]
    yield from (f"{option} is not an expression" for option in wrong)
    if "-k" in values and not wrong:
        tests = (test for place in places or ["tests"] for test in names_of_tests(place))
        if not any(_holds(values["-k"], test) for test in tests):
            yield f"no test matches -k {values['-k']}"


def _is_expression(expression: str) -> bool:
    try:
        _holds(expression, "")
    except SyntaxError:
        return False
    return True


def _holds(expression: str, test: str) -> bool:
    """Whether a test has the words of an expression in its name, as pytest's `-k` takes it."""

    def value(word: re.Match[str]) -> str:
        return word[0] if word[0] in OPERATORS else str(word[0].lower() in test.lower())

    return bool(eval(re.sub(r"[^\s()]+", value, expression)))


@cache
def markers() -> frozenset[str]:
    """The names of the markers that pyproject.toml has."""
    options = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
    return frozenset(re.split(r"\W", line)[0] for line in options["markers"])


@cache
def names_of_tests(place: str) -> tuple[str, ...]:
    """The tests in a file or folder, as "tests/a.py::TestB::test_c"; `place` may be one of them, too."""
    path, _, name = place.partition("::")
    files = [ROOT / path] if path.endswith(".py") else sorted((ROOT / path).rglob("test_*.py"))
    names = [name for file in files if file.exists() for name in _tests_in(file)]
    asked = f"{path}::{name.partition('[')[0]}"
    return tuple(each for each in names if not name or f"{each}::".startswith(f"{asked}::"))


def _tests_in(file: Path) -> Iterator[str]:
    """The names of the tests in a file, by its syntax."""

    def below(body: Sequence[ast.stmt], above: str) -> Iterator[str]:
        for node in body:
            if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
                yield f"{above}::{node.name}"  # its tests may be inherited
                yield from below(node.body, f"{above}::{node.name}")
            elif isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                yield f"{above}::{node.name}"

    yield from below(ast.parse(file.read_text("utf-8")).body, file.relative_to(ROOT).as_posix())
