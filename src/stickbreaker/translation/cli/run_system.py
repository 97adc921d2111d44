"""`stickbreaker translate run`: sentences translated phrase by phrase, by the topics of their documents."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import MODEL, PATH, command, emit, option, tell_of_compiling, threads_option
from stickbreaker.console.inputs import warnings_as_notes
from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.files import refuse_file, write_atomic
from stickbreaker.core.json_checks import JsonObject

if TYPE_CHECKING:
    from stickbreaker.translation.decoding.decoder import Translation
    from stickbreaker.translation.phrases.phrase_model import PhraseModel


MOST_TRANSLATIONS = 10_000  # of a sentence


@click.command(epilog="Example: stickbreaker translate run lexicon letters.jsonl --out translated.txt")
@click.argument("lexicon", type=MODEL)
@click.argument("source", type=PATH, metavar="FILE")
@option("--out", type=PATH, required=True, help="The file to write, a translation a line.")
@option(
    "--n-best",
    least=1,
    help="Write this many translations of each, as Moses does: number ||| words ||| features ||| score.",
)
@option("--overwrite", is_flag=True, help="Replace the file at --out.")
@threads_option
@command
def run(
    lexicon: Path,
    source: Path,
    out: Path,
    n_best: int | None,
    overwrite: bool,
    threads: int | None,
    as_json: bool,
) -> None:
    """Translate sentences by a lexicon with phrases (translate learn --phrases, then translate tune).

    FILE has a sentence a line, or is JSON Lines or a table with documents as the lexicon was learned from.
    Translations are tokens in lower case with spaces between them. If the language model has topics, those of
    a document are seen in a first, quick translation of it.
    """
    refuse_file(out, overwrite)
    if n_best is not None and n_best > MOST_TRANSLATIONS:
        raise UserError(
            f"--n-best {n_best}", remedy=f"give at most {MOST_TRANSLATIONS:,}: more need gigabytes"
        )
    tell_of_compiling()
    from stickbreaker.corpus.readers.problems import ReadingWarning
    from stickbreaker.translation.one_side import read_source
    from stickbreaker.translation.phrases.saved_phrases import load_phrases
    from stickbreaker.translation.phrases.token_documents import in_order, source_documents
    from stickbreaker.translation.phrases.translating import translate_documents

    model = load_phrases(lexicon)
    with warnings_as_notes(ReadingWarning):
        text = read_source(source, model.lexicon.bitext.fields)
    found = translate_documents(model, source_documents(model.lexicon, text), n_best or 1, threads)
    lists = in_order(text.document_of, found)
    lines = _plain(lists) if n_best is None else _n_best(model, lists)
    write_atomic(out, "".join(f"{line}\n" for line in lines).encode("utf-8"), overwrite=overwrite)
    emit({"out": str(out), "sentences": len(lists), "documents": len(found)}, as_json, _as_text)


def _plain(lists: "list[list[Translation]]") -> list[str]:
    return [" ".join(own[0].words) if own else "" for own in lists]


def _n_best(model: "PhraseModel", lists: "list[list[Translation]]") -> list[str]:
    from stickbreaker.ngrams.nbest_lists import Candidate

    return [
        Candidate(
            number,
            " ".join(one.words),
            {name: (value,) for name, value in zip(model.features, one.features.tolist(), strict=True)},
            one.score,
            (),
        ).line()
        for number, own in enumerate(lists)
        for one in own
    ]


def _as_text(result: JsonObject) -> str:
    sentences, documents = counted(result["sentences"], "sentence"), counted(result["documents"], "document")
    return f"{result['out']}: {sentences} of {documents}"
