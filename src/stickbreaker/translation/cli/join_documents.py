"""`stickbreaker translate documents`: pairs of sentences joined into documents, to learn topics of."""

import json
from pathlib import Path

import click

from stickbreaker.console.console import PATH, command, emit, option
from stickbreaker.core.errors import counted
from stickbreaker.core.files import atomic_file, refuse_file
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.option_names import quoted_path
from stickbreaker.translation.cli.bitext_options import (
    BitextChoice,
    bitext_argument,
    bitext_options,
    language_options,
    read_bitext,
)


@click.command(
    epilog="Example: stickbreaker translate documents pairs.jsonl --from de --to en --out documents.jsonl"
)
@bitext_argument
@language_options
@option("--out", type=PATH, required=True, help="The JSON Lines to write.")
@option(
    "--tokens",
    type=PATH,
    metavar="FILE",
    help="Write the tokens of pairs too, one pair per line as source ||| target, for another aligner.",
)
@option("--overwrite", is_flag=True, help="Replace the files.")
@bitext_options
@command
def documents(
    bitext: tuple[str, ...],
    source: str,
    target: str,
    out: Path,
    tokens: Path | None,
    overwrite: bool,
    reading: BitextChoice,
    as_json: bool,
) -> None:
    """Join the pairs of each document, to learn topics of: a line a document, with its text in each language.

    Topics are learned of these, in both languages or the source alone, for `translate learn --topics`.
    """
    for file in (out, tokens):
        if file is not None:
            refuse_file(file, overwrite)
    pairs = read_bitext(bitext, source, target, reading)
    with atomic_file(out, overwrite=overwrite) as partial, partial.open("w", encoding="utf-8") as file:
        for name, domain, first, second in zip(
            pairs.names, pairs.domains, *pairs.document_texts, strict=True
        ):
            about = {"domain": domain} if domain else {}
            row = {"id": name, **about, pairs.source: first, pairs.target: second}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    if tokens is not None:
        with atomic_file(tokens, overwrite=overwrite) as partial, partial.open("w", encoding="utf-8") as file:
            sides = [side.spelled(words) for words, side in zip(pairs.words, pairs.sides, strict=True)]
            file.writelines(f"{' '.join(a)} ||| {' '.join(b)}\n" for a, b in zip(*sides, strict=True))
    result = {"out": str(out), "documents": len(pairs.names), "pairs": pairs.n_pairs}
    codes = f"{pairs.source}={pairs.source},{pairs.target}={pairs.target}"
    emit(result, as_json, lambda found: _as_text(found, codes))


def _as_text(result: JsonObject, codes: str) -> str:
    counts = f"{counted(result['documents'], 'document')} of {counted(result['pairs'], 'pair')} of sentences"
    return (
        f"{result['out']}: {counts}\n"
        f"Next: stickbreaker fit lda {quoted_path(result['out'])} --text-field {codes} --out model"
    )
