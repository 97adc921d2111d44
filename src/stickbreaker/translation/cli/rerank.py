"""`stickbreaker translate rerank`: n-best lists of any system, ranked by topics too."""

from dataclasses import replace
from pathlib import Path

import click

from stickbreaker.console.console import MODEL, PATH, command, emit, option
from stickbreaker.console.faces import options_of_settings, settings_in
from stickbreaker.console.inputs import warnings_as_notes
from stickbreaker.core.files import refuse_file
from stickbreaker.translation.verbs.settings import RankSettings, WeightSettings


@click.command(
    epilog="Example: stickbreaker translate rerank lexicon test.nbest --source test.de --weight 0.2 "
    "--out best.nbest"
)
@click.argument("lexicon", type=MODEL)
@click.argument("nbest", type=PATH)
@option(
    "--source",
    type=PATH,
    required=True,
    metavar="FILE",
    help="The sentences that were translated, in order: a line each, or JSON Lines with their documents.",
)
@option("--out", type=PATH, required=True, help="The n-best list to write; with --tune the weights.")
@option("--tune", type=PATH, metavar="REFERENCES", help="Learn weights: the right translations, in order.")
@options_of_settings(RankSettings, WeightSettings, weights={"type": PATH})
@option("--overwrite", is_flag=True, help="Replace the file at --out.")
@command
def rerank(
    lexicon: Path,
    nbest: Path,
    source: Path,
    out: Path,
    tune: Path | None,
    overwrite: bool,
    as_json: bool,
    **options: object,
) -> None:
    """Rank translations of any system again, by how probable their words are in their document's topics.

    NBEST is a list as Moses writes it: number ||| translation ||| features ||| score. Each candidate gets one
    more feature, the log probability of its words by the lexicon. First learn weights on sentences whose
    translations are known (--tune), then rank others with these weights (--weights). If no translations are
    known, --weight adds the mean log probability of a candidate's words, in nats; the mean does not favour
    short candidates.
    """
    if (tune is not None) + (options["weights"] is not None) + (options["weight"] is not None) != 1:
        raise click.UsageError("give one of --tune REFERENCES, --weights FILE and --weight NUMBER")
    refuse_file(out, overwrite)
    from stickbreaker import translation

    with warnings_as_notes(UserWarning):
        if tune is not None:
            settings = settings_in(WeightSettings, options)
            weights = translation.rerank_weights(lexicon, nbest, source, tune, **settings)
            weights.write(out, overwrite=overwrite)
            text = str(replace(weights, path=out))
            emit({"out": str(out), **weights.as_json()}, as_json, lambda _: text)
            return
        found = translation.rerank(lexicon, nbest, source, **settings_in(RankSettings, options))
    found.write(out, overwrite=overwrite)
    emit({"out": str(out), **found.as_json()}, as_json, lambda _: f"{out}: {found}")
