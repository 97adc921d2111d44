"""The option that says which words stand for a topic."""

import click

ranking_option = click.option(
    "--by",
    type=click.Choice(["documents", "company", "relevance", "probability"]),
    default="documents",
    show_default=True,
    help="Which words stand for a topic: those in more of its documents than elsewhere (company: of these, "
    "first those that occur together), those more frequent in it than elsewhere, or the most frequent.",
)
