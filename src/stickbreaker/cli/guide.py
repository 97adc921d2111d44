"""The options that guide topics by lists of words."""

import functools
from collections.abc import Callable
from typing import Any

import click

OPTIONS = (
    click.option(
        "--guide",
        metavar="FILE",
        help='What the first topics should be about: a LIWC dictionary (.dic) or JSON {"topic": [words]}.',
    ),
    click.option(
        "--guide-categories",
        metavar="NAME,...",
        help="Take only these categories, in this order.  [default: all]",
    ),
    click.option(
        "--guide-inside",
        type=click.FloatRange(0, min_open=True),
        default=10.0,
        show_default=True,
        help="Eta of a guided topic's own words.",
    ),
    click.option(
        "--guide-outside",
        type=click.FloatRange(0, min_open=True),
        default=0.01,
        show_default=True,
        help="Eta of all other words in it.",
    ),
)


def guide_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a guide; it receives them as one `guide: Guide | None`."""

    @functools.wraps(function)
    def gathered(
        *args: Any,
        guide: str | None,
        guide_categories: str | None,
        guide_inside: float,
        guide_outside: float,
        **values: Any,
    ) -> None:
        from stickbreaker.cli.console import written
        from stickbreaker.estimators.guiding import Guide

        if guide is None:
            for name in written(("guide_categories", "guide_inside", "guide_outside")):
                raise click.UsageError(f"--{name.replace('_', '-')} needs --guide")
            function(*args, guide=None, **values)
            return
        names = None
        if guide_categories is not None:
            names = [name.strip() for name in guide_categories.split(",") if name.strip()]
        made = Guide.read(guide, names, inside=guide_inside, outside=guide_outside)
        function(*args, guide=made, **values)

    for option in reversed(OPTIONS):
        gathered = option(gathered)
    return gathered
