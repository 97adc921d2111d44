"""`stickbreaker generate`: sentences drawn from a language model."""

from pathlib import Path

import click

from stickbreaker.cli.console import command, emit, model_argument, tell_of_compiling


@click.command(epilog='Example: stickbreaker generate model --beginning "the old"')
@model_argument
@click.option("--sentences", default=10, show_default=True, type=click.IntRange(1), help="How many.")
@click.option("--beginning", default="", metavar="TEXT", help="Words that each begins with.")
@click.option("--longest", default=100, show_default=True, type=click.IntRange(1), help="Words at most.")
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same sentences.")
@command
def generate(model: Path, sentences: int, beginning: str, longest: int, seed: int, as_json: bool) -> None:
    """Print sentences drawn from a language model, a line each.

    <unk> stands for a word that is not known; where words are spelled, only known ones are drawn.
    """
    from stickbreaker.estimators.ngrams.loading import load_ngrams

    tell_of_compiling()
    estimator = load_ngrams(model, "generate")
    drawn = estimator.generate(sentences, beginning=beginning, longest=longest, random_state=seed)
    emit(
        {"sentences": [" ".join(one) for one in drawn]},
        as_json,
        lambda result: "\n".join(result["sentences"]),
    )
