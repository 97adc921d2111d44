"""`stickbreaker translate tune`: the weights by which phrases are translated."""

from dataclasses import replace
from pathlib import Path

import click

from stickbreaker.console.console import (
    INPUT,
    ModelPath,
    command,
    emit,
    note,
    option,
    tell_of_compiling,
    threads_option,
)
from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.option_names import quoted_path
from stickbreaker.translation.cli.bitext_options import read_as_learned

RANKS = 3  # of the topics of a document


@click.command(epilog="Example: stickbreaker translate tune lexicon dev.jsonl")
@click.argument("lexicon", type=ModelPath(changes=True))
@click.argument("dev", nargs=-1, required=True, metavar="DEV...", type=INPUT)
@option(
    "--topics",
    choices=["mixture", "ranks", "none"],
    default="mixture",
    help="How topics of a document take part: by lexical weights of their mixture; by those of each of its "
    "three largest topics; or not, so that all documents are translated alike.",
)
@option("--rounds", default=8, least=1, help="Translate and learn this many times; the best round counts.")
@option("--seed", default=0, help="The same seed gives the same weights.")
@threads_option
@command
def tune(
    lexicon: Path,
    dev: tuple[str, ...],
    topics: str,
    rounds: int,
    seed: int,
    threads: int | None,
    as_json: bool,
) -> None:
    """Tune the weights of a lexicon with phrases (translate learn --phrases) on pairs that it has not seen.

    DEV are pairs of sentences as the lexicon was learned from; some hundred do. Weights are learned by
    pairwise ranking of the best translations, and kept with the lexicon. If the language model has topics,
    those of a document are seen once, in a first translation by the weights before any tuning, as in run.
    """
    tell_of_compiling()
    from stickbreaker.translation.lexicon.saved_lexicon import lexicon_claimed
    from stickbreaker.translation.phrases.phrase_model import FIRST_WEIGHTS
    from stickbreaker.translation.phrases.saved_phrases import load_phrases, write_weights
    from stickbreaker.translation.phrases.token_documents import token_documents
    from stickbreaker.translation.phrases.translating import TuningRound, tune

    with lexicon_claimed(lexicon):
        model = load_phrases(lexicon)
        model = replace(
            model, weights=FIRST_WEIGHTS, adapts=topics != "none", ranks=RANKS if topics == "ranks" else 0
        )
        pairs = read_as_learned(model.lexicon, dev)
        documents, references = token_documents(model.lexicon, pairs)

        def show(one: TuningRound) -> None:
            note(f"BLEU {100 * one.bleu:.2f}, length {one.length:.3f} of the references'")

        history = tune(model, documents, references, rounds=rounds, seed=seed, threads=threads, progress=show)
        best = max(history, key=lambda one: one.bleu)
        write_weights(lexicon, model, best.weights)
    result: JsonObject = {
        "lexicon": str(lexicon),
        "sentences": pairs.n_pairs,
        "bleu": 100 * best.bleu,
        "length": best.length,
        "rounds": [{"bleu": 100 * one.bleu, "length": one.length} for one in history],
        "weights": {name: best.weights[name] for name in model.features},
    }
    emit(result, as_json, _as_text)


def _as_text(result: JsonObject) -> str:
    lines = [
        f"{result['lexicon']}: BLEU {result['bleu']:.2f} of the {counted(result['sentences'], 'sentence')} "
        f"tuned on, length {result['length']:.3f} of the references'",
        *(f"  {weight:9.5f}  {name}" for name, weight in result["weights"].items()),
        f"Next: stickbreaker translate run {quoted_path(result['lexicon'])} FILE --out translated.txt",
    ]
    return "\n".join(lines)
