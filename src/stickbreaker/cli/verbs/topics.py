"""`stickbreaker topics`: what a model has found."""

from pathlib import Path
from typing import Any

import click

from stickbreaker.console.console import command, emit, model_argument, option, refuse_written
from stickbreaker.console.requests import TopicsRequest
from stickbreaker.topics.cli.ranking import ranking_option


@click.command(epilog="Example: stickbreaker topics model --top 15")
@model_argument
@option("--top", default=10, least=1, help="Words a topic.")
@ranking_option
@option(
    "--at",
    metavar="DATE|STEP",
    help="The topics as they were: 2020-05-01, 2020-05, 2020, 120 or step:120. For models with snapshots.",
)
@command
def topics(model: Path, top: int, as_json: bool, **options: Any) -> None:
    """Print the topics of a model, the largest first.

    Those that have next to no words of the text are named as unused, at the end. Topics that were given the
    same name (`stickbreaker name`) are one row, with the numbers of all and the mean of their words. Of
    syntactic topics, which parts of speech they are stands before their most probable words.

    With --at, those of the last snapshot not after a date or step, by their lasting numbers; at most 50 words
    a topic are kept there, the most frequent. A model may be asked while it is still learning.
    """
    from stickbreaker.estimators.kinds import kind_at, object_at

    kind = kind_at(model, "topics")
    for name in options:
        if name not in kind.topics_options:
            refuse_written((name,), f"has no meaning for a {kind.noun}")
    assert kind.topics is not None, "a kind with the verb topics has a function for it"
    result, text = object_at(kind.topics)(TopicsRequest(model, top, options))
    emit(result, as_json, text)
