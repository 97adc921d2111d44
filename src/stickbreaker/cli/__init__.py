"""The `stickbreaker` command. Each verb lives in a module that is imported when the verb is called."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from stickbreaker.console.console import fail, writing_output
from stickbreaker.console.suggestions import SuggestingGroup
from stickbreaker.core.errors import UserError, shortened

VERBS = {  # verb: (module, one line for the overview)
    "demo": ("cli.verbs.demo", "Learn topics from the documentation of your Python, and open a report."),
    "corpus": ("cli.verbs.corpus", "Build a corpus from text, describe or export one."),
    "concepts": (
        "topics.cli.make_concepts",
        "Make concepts of a dictionary, for topics in which words are tied.",
    ),
    "fit": ("cli.verbs.fit", "Learn a model from a corpus."),
    "resume": ("cli.verbs.fit", "Go on with a run that was interrupted."),
    "stream": ("cli.verbs.stream", "Learn from files as they arrive in a directory, on Spark."),
    "topics": ("topics.cli.topics", "Print the topics of a model."),
    "name": ("topics.cli.name", "Name the topics of a model; those of one name are one to its reader."),
    "transform": ("topics.cli.topics", "Write the topic shares of documents."),
    "evaluate": ("cli.verbs.evaluate", "Score a model on documents that it has not seen."),
    "segment": ("grammars.cli.segment", "Cut sentences into words by a grammar."),
    "parse": ("grammars.cli.segment", "Write the trees of sentences by a grammar."),
    "rules": ("grammars.cli.segment", "Print the subtrees that a grammar remembers."),
    "score": ("ngrams.cli.score", "Print how probable sentences are to a language model."),
    "generate": ("ngrams.cli.score", "Print sentences drawn from a language model."),
    "nearest": ("topics.cli.nearest", "Find documents that are about what others are about."),
    "compare": ("topics.cli.compare", "Match the topics of models: what do they agree on?"),
    "search-k": ("topics.cli.search_k", "Choose the number of topics."),
    "report": ("cli.verbs.report", "Write one HTML page about a model."),
    "export": ("cli.verbs.export", "Write a model for MALLET, gensim, pyLDAvis, SRILM or KenLM."),
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
        module = importlib.import_module(f"stickbreaker.{VERBS[cmd_name][0]}")
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
