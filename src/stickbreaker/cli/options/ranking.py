"""The option that says which words stand for a topic."""

import click

ranking_option = click.option(
    "--by",
    type=click.Choice(["relevance", "probability"]),
    default="relevance",
    show_default=True,
    help="Which words stand for a topic: those more frequent in it than elsewhere, or the most frequent.",
)
