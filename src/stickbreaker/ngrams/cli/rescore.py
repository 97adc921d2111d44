"""`stickbreaker rescore`: n-best lists of any system, ranked by a language model too."""

from pathlib import Path

import click

from stickbreaker.console.console import (
    PATH,
    NumberRange,
    command,
    emit,
    model_argument,
    option,
    tell_of_compiling,
)
from stickbreaker.console.inputs import ReadingChoice, warnings_as_notes
from stickbreaker.core.errors import counted, naming
from stickbreaker.core.files import refuse_file, write_atomic
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.ngrams.cli.word_scorers import InterpolationChoice, word_scorer


@click.command(epilog="Example: stickbreaker rescore model test.nbest --scale 0.5 --out best.nbest")
@model_argument
@click.argument("nbest", type=PATH)
@option("--out", type=PATH, required=True, help="The n-best list to write, the best of each sentence first.")
@option(
    "--scale",
    default=1.0,
    type=NumberRange(0.0),
    help="Add this times log p (nats) to the scores that the list has.",
)
@option("--best", is_flag=True, help="Write the best text of each sentence alone, a line each.")
@option("--overwrite", is_flag=True, help="Replace the file at --out.")
@command
def rescore(
    model: Path, nbest: Path, out: Path, scale: float, best: bool, overwrite: bool, as_json: bool
) -> None:
    """Rank candidates for sentences, of a recogniser or translator, by a language model too.

    NBEST has a line a candidate, with columns between |||: number of the sentence, text, and a score, if any;
    or as Moses writes them, with features before the score. Each gets the feature LanguageModel, log p of its
    words and of its end in nats, and a score with --scale times it added.

    MODEL is saved, or a file in the ARPA format. --scale is best chosen on lists whose right texts are known.
    """
    refuse_file(out, overwrite)
    tell_of_compiling()
    from stickbreaker.corpus.readers.problems import ReadingWarning
    from stickbreaker.corpus.text.analysis import MarksWarning
    from stickbreaker.ngrams.nbest_lists import lines_of, read_candidates
    from stickbreaker.ngrams.rescoring import rescored

    with warnings_as_notes(ReadingWarning):
        lists = read_candidates(nbest)
    scorer = word_scorer("rescore", model, InterpolationChoice(), ReadingChoice())
    with warnings_as_notes(MarksWarning, at_end=True), naming(nbest):
        ranked = rescored(scorer, lists, scale)
    lines = (f"{own[0].text if own else ''}\n" for own in ranked) if best else lines_of(ranked)
    write_atomic(out, "".join(lines).encode("utf-8"), overwrite=overwrite)
    changed = sum(a[0].text != b[0].text for a, b in zip(lists, ranked, strict=True) if a)
    emit({"out": str(out), "sentences": len(lists), "changed": changed}, as_json, _as_text)


def _as_text(result: JsonObject) -> str:
    sentences = counted(result["sentences"], "sentence")
    return f"{result['out']}: {sentences}, {result['changed']:,} with another best"
