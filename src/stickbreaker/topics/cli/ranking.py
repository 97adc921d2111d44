"""The option that says which words stand for a topic."""

from stickbreaker.console.console import option

ranking_option = option(
    "--by",
    choices=["support", "documents", "company", "relevance", "probability"],
    default="support",
    help="Which words stand for a topic: those that many of its documents support, first those that occur "
    "together; those in more of its documents than elsewhere (company: of these, first those that occur "
    "together); those more frequent in it than elsewhere; or the most frequent.",
)
