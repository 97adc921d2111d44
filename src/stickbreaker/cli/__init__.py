"""The program `stickbreaker`. Each command is in a module of its own, which is imported when it is called."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from stickbreaker.console.console import fail, printable, writing_output
from stickbreaker.console.suggestions import SuggestingGroup
from stickbreaker.core.errors import UserError, shortened
from stickbreaker.estimators.kinds import Command, kinds, object_at, systems

VERBS = {  # commands for several kinds
    "demo": Command(
        "stickbreaker.cli.verbs.demo:demo",
        "Learn topics from the documentation of your Python, and open a report.",
    ),
    "corpus": Command(
        "stickbreaker.cli.verbs.corpus:corpus", "Build a corpus from text, describe or export one."
    ),
    "fit": Command("stickbreaker.cli.verbs.fit:fit", "Learn a model from a corpus."),
    "resume": Command("stickbreaker.cli.verbs.resume:resume", "Continue a run that was interrupted."),
    "update": Command("stickbreaker.cli.verbs.update:update", "Update a finished model with more documents."),
    "stream": Command(
        "stickbreaker.cli.verbs.stream:stream", "Learn from files as they arrive in a directory, on Spark."
    ),
    "topics": Command("stickbreaker.cli.verbs.topics:topics", "Print the topics of a model."),
    "transform": Command(
        "stickbreaker.cli.verbs.transform:transform", "Write the topic shares of documents."
    ),
    "evaluate": Command(
        "stickbreaker.cli.verbs.evaluate:evaluate", "Score a model on documents that it has not seen."
    ),
    "report": Command("stickbreaker.cli.verbs.report:report", "Write one HTML page about a model."),
    "export": Command(
        "stickbreaker.cli.verbs.export:export",
        "Write a model for MALLET, gensim, pyLDAvis, KenLM or Graphviz.",
    ),
    "docs": Command("stickbreaker.cli.verbs.docs:docs", "Print the location of the documentation."),
}
GROUPS = ("fit", "corpus", "translate")  # groups of commands

HELP_INSTEAD = tuple(  # its message is the help; new in click 8.2
    filter(None, [getattr(click.exceptions, "NoArgsIsHelpError", None)])
)


def commands() -> dict[str, Command]:
    """All commands by name, those of each kind included, in the order in which `--help` lists them."""
    order, known = list(VERBS), {**VERBS}
    for kind in (*kinds().values(), *systems()):
        before = ""
        for verb, one in kind.commands.items():
            if verb not in known:
                order.insert(order.index(one.after or before) + 1, verb)
                known[verb] = one
            before = verb
    return {verb: known[verb] for verb in order}


class OneLineUsageError(click.UsageError):
    """A usage error that is shown as one line, which names the help of the command."""

    def show(self, file: IO[Any] | None = None) -> None:
        see = "" if self.ctx is None else f" ({self.ctx.command_path} --help)"
        click.echo(f"stickbreaker: {printable(self.message)}{see}", file=file, err=file is None)


@contextmanager
def _shortened_messages() -> Iterator[None]:
    """A context in which the message of a usage error is one line of usual length."""
    try:
        yield
    except (OneLineUsageError, *HELP_INSTEAD):
        raise
    except click.UsageError as error:
        message = shortened(" ".join(error.format_message().split()))
        raise OneLineUsageError(message, error.ctx) from None
    except click.ClickException as error:
        error.message = shortened(" ".join(error.message.split()))  # pyright: ignore[reportAttributeAccessIssue]
        raise


class LazyGroup(SuggestingGroup):
    """The group of all commands, which are imported on use, so that `--help` is quick.

    Messages about a wrong command line are shortened; a UserError ends the program with one line.
    """

    def main(self, *args: Any, **settings: Any) -> Any:
        try:
            with writing_output():
                return super().main(*args, **settings)
        except UserError as error:
            fail(error.on_command_line())

    def make_context(self, *args: Any, **settings: Any) -> click.Context:
        with _shortened_messages():
            return super().make_context(*args, **settings)

    def invoke(self, ctx: click.Context) -> Any:
        with _shortened_messages():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        verb = commands().get(cmd_name)
        return None if verb is None else object_at(verb.place)

    def unknown(self, ctx: click.Context, name: str) -> str:
        for verb in GROUPS:
            group = self.get_command(ctx, verb)
            if isinstance(group, click.Group) and name in group.list_commands(ctx):
                return f"No such command {name!r}. Did you mean '{verb} {name}'?"
        return super().unknown(ctx, name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(verb, one.line) for verb, one in commands().items()])


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: stickbreaker demo\n\nDocumentation: stickbreaker docs",
)
@click.version_option(package_name="stickbreaker")
def main() -> None:
    """Bayesian text models that grow with the data."""
