"""`stickbreaker rescore`: n-best lists of any system, ranked by a language model too."""

from pathlib import Path
from typing import Any

import click

from stickbreaker.console.console import PATH, command, emit, model_argument, option
from stickbreaker.console.faces import result_for, verb_options
from stickbreaker.core.files import refuse_file


@click.command(epilog="Example: stickbreaker rescore model test.nbest --scale 0.5 --out best.nbest")
@model_argument
@click.argument("nbest", type=PATH)
@option("--out", type=PATH, required=True, help="The n-best list to write, the best of each sentence first.")
@verb_options("rescore")
@option("--best", is_flag=True, help="Write the best text of each sentence alone, a line each.")
@option("--overwrite", is_flag=True, help="Replace the file at --out.")
@command
def rescore(
    model: Path, nbest: Path, out: Path, best: bool, overwrite: bool, as_json: bool, **options: object
) -> None:
    """Rank candidates for sentences, of a recogniser or translator, by a language model too.

    NBEST has a line a candidate, with columns between |||: number of the sentence, text, and a score, if any;
    or as Moses writes them, with features before the score. Each gets the feature LanguageModel, log p of its
    words and of its end in nats, and a score with --scale times it added.

    MODEL is saved, or a file in the ARPA format. --scale is best chosen on lists whose right texts are known.
    """
    refuse_file(out, overwrite)
    found: Any = result_for("rescore", model, options, nbest)
    found.write(out, best=best, overwrite=overwrite)
    emit({"out": str(out), **found.as_json()}, as_json, lambda _: f"{out}: {found}")
