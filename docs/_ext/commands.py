"""The directive `stickbreaker`: a command's help as a page of the reference."""

import re

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


def paragraph(text: str) -> nodes.paragraph:
    """A paragraph in which options and names of files are set as code."""
    whole = nodes.paragraph()
    for place, piece in enumerate(re.split(r"(?<![\w-])(--?[a-z][\w-]*(?:=\S+)?)", " ".join(text.split()))):
        whole += nodes.literal(text=piece) if place % 2 else nodes.Text(piece)
    return whole


def options_of(command: click.Command, context: click.Context) -> nodes.definition_list:
    found = nodes.definition_list()
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None:
            continue
        names, text = record
        if not text:
            continue
        term = nodes.term("", "", nodes.literal(text=names))
        found += nodes.definition_list_item("", term, nodes.definition("", paragraph(text)))
    return found


class CommandHelp(Directive):
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        words = self.arguments[0].split()
        command = command_at(words)
        context = click.Context(command, info_name=" ".join(["stickbreaker", *words]))
        usage = context.get_usage().removeprefix("Usage: ")
        out: list[nodes.Node] = [paragraph(part) for part in (command.help or "").split("\n\n")]
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
