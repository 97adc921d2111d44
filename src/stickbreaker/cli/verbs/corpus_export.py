"""`stickbreaker corpus export`: a corpus in the format of another program."""

from pathlib import Path

import click

from stickbreaker.cli.console import command, counted, emit


@click.command(epilog="Example: stickbreaker corpus export posts.corpus --format lda-c --out posts.ldac")
@click.argument("path", metavar="CORPUS", type=click.Path(path_type=Path))
@click.option("--format", "format", type=click.Choice(["lda-c"]), required=True, help="What to write.")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="The directory to make, with a file of words.",
)
@click.option("--overwrite", is_flag=True, help="Replace an earlier export at --out.")
@command
def export(path: Path, format: str, out: Path, overwrite: bool, as_json: bool) -> None:
    """Write the bags of words of a corpus for another program.

    lda-c: documents.ldac has a line a document, in the order of the corpus, and vocabulary.txt a word a line.
    """
    from stickbreaker.corpus import Corpus
    from stickbreaker.corpus.writers import write_lda_c

    corpus = Corpus.open(path)
    write_lda_c(corpus, out, overwrite=overwrite)
    result = {"out": str(out), "format": format, "documents": corpus.n_documents, "words": corpus.n_words}
    sizes = f"{counted(result['documents'], 'document')}, {counted(result['words'], 'word')}"
    emit(result, as_json, lambda r: f"{r['out']}: {sizes}")
