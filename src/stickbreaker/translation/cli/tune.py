"""`stickbreaker translate tune`: the weights by which phrases are translated."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import INPUT, ModelPath, command, note, tell_of_compiling
from stickbreaker.console.faces import options_of_settings, settings_in, show
from stickbreaker.console.inputs import warnings_as_notes
from stickbreaker.translation.verbs.settings import TuneSettings

if TYPE_CHECKING:
    from stickbreaker.translation.phrases.translating import TuningRound


@click.command(epilog="Example: stickbreaker translate tune lexicon dev.jsonl")
@click.argument("lexicon", type=ModelPath(changes=True))
@click.argument("dev", nargs=-1, required=True, metavar="DEV...", type=INPUT)
@options_of_settings(TuneSettings)
@command
def tune(lexicon: Path, dev: tuple[str, ...], as_json: bool, **options: object) -> None:
    """Tune the weights of a lexicon with phrases (translate learn --phrases) on pairs that it has not seen.

    DEV are pairs of sentences in the form that the lexicon was learned from; a few hundred are enough.
    Weights are learned by pairwise ranking of the best translations, and kept with the lexicon. If the
    language model has topics, those of a document are seen once, in a first translation by the weights before
    any tuning, as in run.
    """
    tell_of_compiling()
    from stickbreaker import translation

    with warnings_as_notes(UserWarning):
        found = translation.tune(lexicon, dev, progress=_note_round, **settings_in(TuneSettings, options))
    show(found, as_json)


def _note_round(one: "TuningRound") -> None:
    note(f"BLEU {100 * one.bleu:.2f}, length {one.length:.3f} of the references'")
