"""The `stickbreaker` command. Each verb lives in a module that is imported when the verb is called."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from stickbreaker.cli.console import fail, writing_output
from stickbreaker.cli.suggestions import SuggestingGroup
from stickbreaker.core.errors import UserError, shortened

VERBS = {  # verb: (module, one line for the overview)
    "demo": ("demo", "Learn topics from the documentation of your Python, and open a report."),
    "corpus": ("corpus", "Build a corpus from text, describe or export one."),
    "concepts": ("make_concepts", "Make concepts of a dictionary, for topics in which words are tied."),
    "fit": ("fit", "Learn a model from a corpus."),
    "resume": ("fit", "Go on with a run that was interrupted."),
    "stream": ("stream", "Learn from files as they arrive in a directory, on Spark."),
    "topics": ("topics", "Print the topics of a model."),
    "name": ("name", "Name the topics of a model; those of one name are one to its reader."),
    "transform": ("topics", "Write the topic shares of documents."),
    "evaluate": ("evaluate", "Score a model on documents that it has not seen."),
    "segment": ("segment", "Cut sentences into words by a grammar."),
    "parse": ("segment", "Write the trees of sentences by a grammar."),
    "rules": ("segment", "Print the subtrees that a grammar remembers."),
    "score": ("score", "Print how probable sentences are to a language model."),
    "generate": ("score", "Print sentences drawn from a language model."),
    "nearest": ("nearest", "Find documents that are about what others are about."),
    "compare": ("compare", "Match the topics of models: what do they agree on?"),
    "search-k": ("search_k", "Choose the number of topics."),
    "report": ("report", "Write one HTML page about a model."),
    "export": ("export", "Write a model for MALLET, gensim, pyLDAvis, SRILM or KenLM."),
}
GROUPS = ("fit", "corpus")  # verbs that have commands of their own

HELP_INSTEAD = getattr(click.exceptions, "NoArgsIsHelpError", ())  # its message is the help; click 8.2 has it


@contextmanager
def _shortened_messages() -> Iterator[None]:
    """Makes the message of a wrong command line short, and one line."""
    try:
        yield
    except HELP_INSTEAD:
        raise
    except click.ClickException as error:
        error.message = shortened(" ".join(error.message.split()))  # pyright: ignore[reportAttributeAccessIssue]
        raise


class LazyGroup(SuggestingGroup):
    """A group whose commands are imported on use, so that `--help` is quick.

    What it says of a wrong command line repeats no more of it than other messages do.
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
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"stickbreaker.cli.verbs.{VERBS[cmd_name][0]}")
        return getattr(module, cmd_name.replace("-", "_"))

    def unknown(self, ctx: click.Context, name: str) -> str:
        for verb in GROUPS:
            group = self.get_command(ctx, verb)
            if isinstance(group, click.Group) and name in group.commands:
                return f"No such command {name!r}. Did you mean '{verb} {name}'?"
        return super().unknown(ctx, name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(verb, line) for verb, (_, line) in VERBS.items()])


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: stickbreaker demo",
)
@click.version_option(package_name="stickbreaker")
def main() -> None:
    """Bayesian text models that grow with the data."""
