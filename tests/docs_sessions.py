"""Runs what a page of the docs shows, in order: files that it has its readers write, commands, Python.

A file is the block after a line that ends with its name, as "`posts.jsonl`:". Of a console block the lines
that begin with `$ stickbreaker` are run; what follows `>` is the file that gets their output. What tabs show
in two ways, as commands and as a program, a reader takes in one of them: a page with tabs is run for each.
"""

import re
import shlex
import textwrap
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

from tests.children import run_program, run_script

DOCS = Path(__file__).parent.parent / "docs"
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", flags=re.DOTALL | re.MULTILINE)
TABS = re.compile(r"^( *)::::\{tab-set-code\}\n(.*?)^\1::::$", flags=re.DOTALL | re.MULTILINE)
WAYS = ("console", "python")  # tabs of a page
NAME = re.compile(r"`([\w./-]+\.\w+)`:$")

JOINED = {"from-gensim", "from-scikit-learn", "from-tomotopy"}  # pages whose programs go on from each other


@dataclass(frozen=True)
class Step:
    """A file to write ("file"), a command ("console") or a program ("python"), as the page shows it."""

    kind: str
    text: str
    name: str = ""


def ways_of(page: Path) -> tuple[str, ...]:
    """The tabs that a page has; `("",)` if it has none."""
    return WAYS if TABS.search(page.read_text(encoding="utf-8")) else ("",)


def one_way(text: str, way: str) -> str:
    """The text of a page with this tab instead of all."""

    def kept(tabs: re.Match[str]) -> str:
        found = [block for block in BLOCK.finditer(tabs[2]) if way in ("", block[2])]
        return "\n".join(block[0] for block in found)

    return TABS.sub(kept, text)


def steps(page: Path, way: str = "") -> list[Step]:
    """What a page's reader does, in order, with this tab of all that the page has; without one, all."""
    text = one_way(page.read_text(encoding="utf-8"), way)
    found: list[Step] = []
    for block in BLOCK.finditer(text):
        _, language, content = block.groups()
        content = textwrap.dedent(content)
        named = NAME.search(text[: block.start()].rstrip())
        if named:
            found.append(Step("file", content, named[1]))
        elif language == "python":
            found.append(Step("python", content))
        elif language == "console":
            lines = content.replace("\\\n", " ").splitlines()
            found += [Step("console", line[2:]) for line in lines if line.startswith("$ stickbreaker ")]
    return found


def run_step(step: Step, folder: Path) -> "CompletedProcess[str] | None":
    """Take one step in a folder; None of a file."""
    if step.kind == "file":
        (folder / step.name).parent.mkdir(parents=True, exist_ok=True)
        (folder / step.name).write_text(step.text, encoding="utf-8")
        return None
    if step.kind == "python":
        return run_script(step.text, folder)
    command, _, out = step.text.partition(" > ")
    ended = run_program(shlex.split(command)[1:], folder)
    if out:
        (folder / out.strip()).write_text(ended.stdout, encoding="utf-8")
    return ended


def run_page(page: Path, folder: Path, way: str = "") -> list[Step]:
    """Take every step of a page, with this tab; fails, and names the step, where one does.

    Programs of a page that go on from each other are run as one, at its end.
    """
    found = steps(page, way)
    if page.stem in JOINED:
        programs = [step.text for step in found if step.kind == "python"]
        found = [step for step in found if step.kind != "python"] + [Step("python", "\n".join(programs))]
    for step in found:
        ended = run_step(step, folder)
        if ended is not None:
            assert ended.returncode == 0, f"{page.name}: {step.text}\n{ended.stdout}\n{ended.stderr}"
            assert "Traceback" not in ended.stderr, f"{page.name}: {step.text}\n{ended.stderr}"
    return found
