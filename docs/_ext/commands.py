"""The directive `stickbreaker`: a command's help as a page of the reference."""

import re
from collections.abc import Iterable

import click
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.addnodes import pending_xref

from stickbreaker.cli import main
from stickbreaker.console.doc_pages import page_of


def command_at(words: list[str]) -> click.Command:
    """The command of a line, as ["fit", "lda"]."""
    found: click.Command = main
    for word in words:
        assert isinstance(found, click.Group), word
        inner = found.get_command(click.Context(found), word)
        assert inner is not None, word
        found = inner
    return found


CODE = re.compile(r"`([^`]+)`|(?<![\w-])(--?[a-z][\w-]*(?:=[^\s,;)]+)?)")
ENTRY = re.compile(r"^(\S+)  +(\S.*)$")


def paragraph(text: str) -> nodes.paragraph:
    """A paragraph in which options, and what stands in backquotes, are set as code."""
    whole, end = nodes.paragraph(), 0
    line = " ".join(text.split())
    for code in CODE.finditer(line):
        whole += [nodes.Text(line[end : code.start()]), nodes.literal(text=code[1] or code[2])]
        end = code.end()
    whole += nodes.Text(line[end:])
    return whole


def part_of_help(text: str) -> nodes.Element:
    """A paragraph of a command's help; after the mark of click for lines that stay as they are, a list.

    Each line of such a list is a name, two spaces and a text, which lines that begin with spaces continue.
    """
    if not text.startswith("\b\n"):
        return paragraph(text)
    entries: list[tuple[str, list[str]]] = []
    for line in text.splitlines()[1:]:
        entry = ENTRY.match(line)
        if entry:
            entries.append((entry[1], [entry[2]]))
        else:
            entries[-1][1].append(line)
    return definitions((name, " ".join(lines)) for name, lines in entries)


def definitions(entries: Iterable[tuple[str, str]]) -> nodes.definition_list:
    """A list of names, set as code, and their texts."""
    found = nodes.definition_list()
    for name, text in entries:
        term = nodes.term("", "", nodes.literal(text=name))
        found += nodes.definition_list_item("", term, nodes.definition("", paragraph(text)))
    return found


def options_of(command: click.Command, context: click.Context) -> nodes.definition_list:
    records = (parameter.get_help_record(context) for parameter in command.get_params(context))
    return definitions(record for record in records if record is not None and record[1])


class CommandHelp(Directive):
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        words = self.arguments[0].split()
        command = command_at(words)
        context = click.Context(command, info_name=" ".join(["stickbreaker", *words]))
        usage = context.get_usage().removeprefix("Usage: ")
        out: list[nodes.Node] = [part_of_help(part) for part in (command.help or "").split("\n\n")]
        out.append(nodes.literal_block(text=" ".join(usage.split()), language="text"))
        for part in (command.epilog or "").split("\n\n"):
            label, _, line = part.partition(": ")
            if label == "Example":
                out += [nodes.rubric(text="Example"), nodes.literal_block(text=line, language="text")]
        page = page_of(" ".join(words))
        if page is not None and page != "index.md":
            link = pending_xref(
                "",
                refdomain="std",
                reftype="doc",
                reftarget=f"/{page.removesuffix('.md')}",
                refexplicit=False,
                refdoc=self.state.document.settings.env.docname,
            )
            link += nodes.inline(text=page)
            out += [nodes.paragraph("", "More: ", link)]
        return [*out, nodes.rubric(text="Options"), options_of(command, context)]


def setup(app) -> dict[str, bool]:
    app.add_directive("stickbreaker", CommandHelp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
