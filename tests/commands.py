"""Every command of the program, for tests of all of them."""

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
