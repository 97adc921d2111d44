"""Groups of commands that suggest a known command for an unknown one, and name pages of the documentation."""

import copy
from collections.abc import Iterable
from difflib import get_close_matches

import click

from stickbreaker.console.doc_pages import page_of
from stickbreaker.console.headings import HeadedCommand

WHOLE = 1000  # characters of a sentence of help


class SuggestingGroup(click.Group):
    """A click group that suggests known commands for an unknown one, with any version of click."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = str(args[0])
        if name[:1] != "-" and self.get_command(ctx, name) is None:
            raise click.UsageError(self.unknown(ctx, name), ctx)
        name, found, rest = super().resolve_command(ctx, args)
        _, *above = ctx.command_path.split()
        return name, None if found is None else as_shown(found, " ".join([*above, str(name)])), rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with the first sentence of each one's help, which click would cut off."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(WHOLE)) for name, one in found if one])

    def unknown(self, ctx: click.Context, name: str) -> str:
        """The message about an unknown command, with a suggestion."""
        return f"No such command {name!r}. {suggestion(name, self.list_commands(ctx))}".rstrip()


def as_shown(command: click.Command, words: str) -> click.Command:
    """A copy of a command whose help has headings, and ends with the page of the documentation about it.

    words: the command's name, such as "fit lda".
    """
    page = page_of(words)
    printed = " ".join(("stickbreaker docs", words))
    more = "" if page is None else f"More: docs/{page} ({printed})"
    epilog = f"{command.epilog or ''}\n\n{more}".strip()
    if not isinstance(command, click.Group):
        return HeadedCommand.of(command, epilog)
    found = copy.copy(command)
    found.epilog = epilog
    return found


def suggestion(name: str, known: Iterable[str]) -> str:
    """A question that names up to three known names similar to `name`; empty if none is similar.

    >>> suggestion("topic", ["topics", "report"]), suggestion("x", ["topics"])
    ("Did you mean 'topics'?", '')
    """
    found = get_close_matches(name, list(known))
    return f"Did you mean {' or '.join(map(repr, found))}?" if found else ""
