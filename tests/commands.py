"""Every command of the program, for tests of all of them."""

import shlex
from collections.abc import Iterator

import click

from stickbreaker.cli import main


def every_command(
    group: click.Command = main, above: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    """The words of every command and group of commands, as "fit lda", and itself; a group before its own."""
    assert isinstance(group, click.Group)
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield " ".join((*above, name)), command
        if isinstance(command, click.Group):
            yield from every_command(command, (*above, name))


def taken(line: str) -> click.Context:
    """A command's context for a line such as "stickbreaker fit lda a.txt --out b", of which nothing is done.

    click.ClickException where its command does not take the arguments, LookupError where there is none.
    """
    words = shlex.split(line, comments=True)[1:]
    commands = dict(every_command())
    for n in range(len(words), 0, -1):
        command = commands.get(" ".join(words[:n]))
        if command is not None and not isinstance(command, click.Group):
            return command.make_context(" ".join(words[:n]), words[n:])
    raise LookupError(f"no such command: {line}")
