"""`stickbreaker compare`: the topics of several models, matched and side by side."""

from pathlib import Path

import click

from stickbreaker.console.console import MODEL, command
from stickbreaker.console.faces import show, verb_options


@click.command(epilog="Example: stickbreaker compare seed0.model seed1.model")
@click.argument("models", nargs=-1, required=True, metavar="MODEL MODEL...", type=MODEL)
@verb_options("compare")
@command
def compare(models: tuple[Path, ...], as_json: bool, **options: object) -> None:
    """Match the topics of models, and print them side by side, the most alike first.

    Each topic of the first model is paired with one of every other, so that the pairs are as alike as can be:
    1 is the same distribution of words, 0 no word in common. Models of the same corpus and other seeds show
    which topics can be relied on. Topics that have next to no words of the text are unused, and not matched.
    Models whose common words have less than a twentieth of the probability of either are refused.
    """
    if len(models) < 2:
        raise click.UsageError("give two models or more")
    from stickbreaker.estimators import verbs

    show(verbs.compare(*models, **options), as_json)
