"""The prose of the code is plain English: phrases that need a second reading stay out of it.

The checks read docstrings, comments and messages (string literals of several words) of the code, and the
help of every command. They show what they find as `file:line: phrase (what to write instead)`; so does
`python -m tests.test_prose audit`, for one folder. If a phrase is right in its place, make the pattern
sharper.

The prose of the documentation is checked in the same way: `DONE_PAGES` lists the pages and folders that
have been rewritten, and `python -m tests.test_prose docs/howto` shows what is left on others.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from tests.commands import every_command

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "stickbreaker"
ROOMS = [
    *sorted(f"src/stickbreaker/{path.parent.name}" for path in SOURCE.glob("*/__init__.py")),
    *("audit", "benchmarks", "examples", "reproduce"),
]

COUNTED = (
    "one|two|once|twice|times|all|bits|blocks|bytes|cells|changes|characters|columns|counts|documents"
    r"|(?<!\btoken )(?<!\btokens )(?<!\btopic )draws|dozens|figures|files|hits|kilobytes"
    "|labels|lines|megabytes|minibatches|nats|n-grams"
    "|numbers?|passes|pieces|places|points|probabilities|rounds|rows|samples|seconds|milliseconds"
    "|minutes|sentences|shards|slots|sticks|steps|strings|sums|sweeps|tables|tags|terms|texts|tokens"
    "|topics|utterances|values|weights|words"
)
UNIT = (
    "batch|block|cell|chain|character|column|corpus|customer|document|draw|edit|file|group|language"
    "|letter|line|minibatch|minute|pair|partition|pass|pattern|point|process|record|restaurant|round"
    "|row|sample|second|sentence|shard|slot|split|start|step|stick|string|sweep|symbol|table|target|task|term"
    "|thread|token|topic|tree|trial|word"
)
SUBJECT = "there|none|nothing|no|one|some|it|they|these|those|such|both|each|all|any|several|an?|the"
VERB = "is|are|was|were|has|have|had|lacks?|does|do|did|can|cannot|may|must|differs?|exists?|stays?"
OUTCOME = r"None|False|True|\w+Error|-1|0|zero|one|NaN|nan|empty|unchanged|nothing|raises|refused"
SIZE = "larger|higher|lower|smaller|more|longer|fewer|greater"
PHRASES = {  # a pattern, and what to write instead
    r"(?:^|[.;] )Where (?:there|none|nothing|no|it|they|one|some|both)\b(?! is in the code)": "if",
    rf"[.;] [Ww]here (?:{SUBJECT})\b": "if",
    r"\bwhere (?:none|nothing|nobody|no \w+)\b|\bwhere there (?:is|are|was|were|would be)\b": "if, when",
    rf"(?:[,;(]|\band|\bor|\bonly|\bexcept|\bbut) where (?:{SUBJECT}) (?:{VERB})\b": "if, when",
    rf"\b(?:{OUTCOME}) where\b": "if",
    rf"\b(?:{COUNTED}) an? (?:\w+ of an? )?(?:{UNIT})\b": "per word, per step",
    r"\b[Bb]y what (?:it|they|he|she|is|are|was|were|has|have)\b": "a noun",
    r"\bof what (?:it|they) (?:is|are|was|were)\b": "a noun",
    r"(?<!cannot )\b[Tt]ells?\b(?! apart| \w+ apart| the (?:model|program)\b)|\btold\b(?! apart)": (
        "reports, shows, prints, says"
    ),
    r"(?:^|[;.] )[Gg]ives\b": "returns",
    r"\b[Bb]eside (?:an?|the|it|its|them|this|that|those|each|what|others?|`)(?! bench)": (
        "next to, compared with"
    ),
    r"(?<![Tt]here )(?<![wW]here )\b(?:is|are|was|were) no (?!longer|more|less|better|worse|such|one\b)"
    rf"(?!{SIZE})\w+": "is not a",
    r"(?:(?:^|\. )O|; o)f (?:an?|one|none|others|all|whole|each|CoNLL-U)\b": "for, in",
    r"\b(?:go|goes|going|gone|went) on\b": "continue",
    r"\b[Ss]o (?:many|much|few)\b(?! (?:\w+ )?that)": "that many, n",
    r"\b[Bb]lanks\b|\ba blank\b(?! line| row)": "space",
    r"\b[Aa]new\b": "again",
    r"\bparted\b|\bparts (?:words|the words|cells|the cells|them)\b": "split, separated",
    r"\b(?:comes?|came) to it\b": "cannot be parsed",
    r"\b[Ww]ords (?:enter|leave|entered)\b": "the vocabulary grows, words are dropped",
    rf"(?<!in )\b[Aa] (?:line|row|column|word|cell) an? (?:{UNIT})\b": "a line for each document",
    r"\b[Ss]ome (?:hundred|thousand|hundreds|thousands)\b": "a few hundred, about a hundred",
    r"\b(?:is|are) of(?:\.|\]| *$)": "belongs to",
    r"\blearned of (?!(?:what|their|its|each|them)\b)": "learned from",
    r"\bmeans? nothing\b": "does not apply, has no",
    r"\b(?:kept|keeps?|set|laid|put) aside\b": "held out",
    rf"\b[Tt]he (?:{SIZE})\b[^.;]*, the (?:{SIZE})\b": "larger values give more",
}

DONE_PAGES = (
    "README.md",
    "docs/index.md",
    "docs/questions.md",
    "docs/reports.md",
    "docs/explanation",
    "docs/howto",
    "docs/models",
    "docs/reference",
    "docs/tutorials",
)


class Prose(NamedTuple):
    line: int
    text: str


def _docstrings(tree: ast.Module) -> Iterator[Prose]:
    """Each string that is a statement of its own, one paragraph at a time, without the examples."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            continue
        line = node.lineno
        for paragraph in re.split(r"(\n\s*\n)", str(node.value.value)):
            if not paragraph.lstrip().startswith(">>>"):
                yield Prose(line, paragraph)
            line += paragraph.count("\n")


def _messages(tree: ast.Module) -> Iterator[Prose]:
    """Each other string literal of several words; `x` stands for what an f-string formats."""
    nodes = list(ast.walk(tree))
    other = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    other |= {
        id(part)
        for node in nodes
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part != node
    }
    for node in nodes:
        if id(node) in other:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = [str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values]
            yield Prose(node.lineno, "".join(parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield Prose(node.lineno, node.value)


def _comments(source: str) -> Iterator[Prose]:
    """The comments; those on adjacent lines are one."""
    lines: list[str] = []
    first = last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            alone = token.line[: token.start[1]].strip() == ""
            if token.start[0] != last + 1 or not alone:
                yield Prose(first, "\n".join(lines))
                first, lines = token.start[0], []
            last = token.start[0] if alone else 0
            lines.append(token.string.lstrip("# "))
    yield Prose(first, "\n".join(lines))


def listed_phrases(text: str) -> Iterator[tuple[int, str]]:
    """Line (from 0) of each listed phrase in a text, and the phrase with what to write instead."""
    text = re.sub(r"[ \t]*\n[ \t]*", "\n", text)
    text = re.sub(r"`[^`\n]*`", "`x`", text)  # names in the code are not prose
    for pattern, instead in PHRASES.items():
        for match in re.finditer(pattern, text.replace("\n", " ")):
            yield text[: match.start()].count("\n"), f"{match[0].strip()} ({instead})"


def _paragraphs(page: str) -> Iterator[Prose]:
    """Each paragraph, list item and cell of a Markdown page; `x` stands for code and formulas in a line."""
    # What is not prose keeps its line ends, so that lines are counted right.
    for notation in (r"(?ms)^ *(```+|~~~+).*?^ *\1 *$", r"(?s)<!--.*?-->", r"(?s)\$\$.*?\$\$"):
        page = re.sub(notation, lambda match: "\n" * match[0].count("\n"), page)
    page = re.sub(r"(?s)`[^`]+`|\$[^$]+\$", lambda match: "x" + "\n" * match[0].count("\n"), page)
    page = re.sub(r"\]\([^)]*\)", lambda match: "\n" * match[0].count("\n"), page)
    page = re.sub(r"[\[\]*]", "", page)
    line = 1
    for paragraph in re.split(r"(\n\s*\n|\n(?= *(?:[-#|]|\d+\.) )|\|)", page):
        yield Prose(line, re.sub(r"^\s*(?:[-#]+|\d+\.) ", "", paragraph).strip(" "))
        line += paragraph.count("\n")


def phrases_on_page(path: Path) -> list[str]:
    """The listed phrases in the prose of a Markdown page, as `file:line: phrase`."""
    found = {
        (line + offset, phrase)
        for line, text in _paragraphs(path.read_text(encoding="utf-8"))
        for offset, phrase in listed_phrases(text)
    }
    return [f"{path.relative_to(ROOT)}:{line}: {phrase}" for line, phrase in sorted(found)]


def pages_of(place: str) -> list[Path]:
    """A page, or the pages of a folder and its folders."""
    path = ROOT / place
    return [path] if path.is_file() else sorted(path.rglob("*.md"))


def phrases_in(path: Path) -> list[str]:
    """The listed phrases in the docstrings, comments and messages of a file, as `file:line: phrase`."""
    source = path.read_text()
    tree = ast.parse(source)
    found = {
        (line + offset, phrase)
        for line, text in (*_docstrings(tree), *_messages(tree), *_comments(source))
        for offset, phrase in listed_phrases(text)
    }
    return [f"{path.relative_to(ROOT)}:{line}: {phrase}" for line, phrase in sorted(found)]


def help_texts() -> Iterator[tuple[str, str, str]]:
    """Each command, the command or option that a text is about, and the text."""
    for command, item in every_command():
        yield command, command, f"{item.help or ''}\n\n{item.epilog or ''}"
        for option in item.params:
            if isinstance(option, click.Option):
                yield command, option.opts[0], option.help or ""


def test_help_holds_no_listed_phrase():
    found = [
        f"{command}: {name}: {phrase}"
        for command, name, text in help_texts()
        for _, phrase in listed_phrases(text)
    ]
    assert found == []


@pytest.mark.ci
@pytest.mark.parametrize("room", ROOMS)
def test_docstrings_comments_and_messages_hold_no_listed_phrase(room: str):
    files = sorted((ROOT / room).rglob("*.py"))
    assert files
    assert [line for path in files for line in phrases_in(path)] == []


@pytest.mark.parametrize("place", DONE_PAGES)
def test_pages_hold_no_listed_phrase(place: str):
    pages = pages_of(place)
    assert pages
    assert [line for page in pages for line in phrases_on_page(page)] == []


def test_prose_of_a_page_is_what_a_reader_reads():
    page = (
        "# Tells\n\nSo\nit `goes on`.\n\n```console\n$ tells\n```\n\n| 3 | 128 words\n- the run\n  goes on\n"
    )
    found = [
        (line + offset, phrase.split(" (")[0])
        for line, text in _paragraphs(page)
        for offset, phrase in listed_phrases(text)
    ]
    assert found == [(1, "Tells"), (12, "goes on")]


@pytest.mark.parametrize(
    "text",
    [
        "Nothing where\n    there is none.",
        "None where the file is missing.",
        "128 documents a minibatch",
        "Chosen by what it is.",
        "The line tells how many there are.",
        "Draws; gives the number drawn.",
        "Written beside\n    the file.",
        "'12' is no text",
        "Of CoNLL-U, form or lemma",
        "The run goes on.",
        "reads so many lines",
        "split at blanks",
    ],
)
def test_listed_phrases_are_found_across_the_ends_of_lines(text: str):
    assert list(listed_phrases(text))


@pytest.mark.parametrize(
    "text",
    [
        "the directory where they are",
        "x / n, where n is the number of tokens",
        "there is no text",
        "is no longer than a line",
        "the two cannot be told apart",
        "so many that none is left",
        "a sweep gives each document a topic",
        "each of its tokens draws a topic",
        "tell the model which words you know",
    ],
)
def test_right_uses_of_the_same_words_are_left_alone(text: str):
    assert list(listed_phrases(text)) == []


if __name__ == "__main__":
    for place in sys.argv[1:]:
        for page in pages_of(place):
            for line in phrases_on_page(page):
                print(line)
        for file in sorted((ROOT / place).rglob("*.py")):
            for line in phrases_in(file):
                print(line)
