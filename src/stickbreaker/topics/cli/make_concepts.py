"""`stickbreaker concepts`: a dictionary or word vectors become a tree of concepts over a corpus's words."""

from collections.abc import Sequence
from pathlib import Path

import click

from stickbreaker.console.console import PATH, command, emit, option, refuse_written
from stickbreaker.console.faces import options_of_settings, settings_in
from stickbreaker.console.inputs import warnings_as_notes
from stickbreaker.core.errors import UserError
from stickbreaker.core.files import refuse_file
from stickbreaker.core.option_names import quoted_path
from stickbreaker.core.parameter_fields import declared
from stickbreaker.topics.verbs.settings import ConceptSettings


@click.command(
    epilog="Example: stickbreaker concepts de-en.tsv --from de --to en --corpus pages.corpus --out tree.jsonl"
)
@click.argument("dictionary", type=PATH)
@option("--corpus", required=True, metavar="CORPUS", help="A corpus, or a model, that has the words.")
@option("--out", required=True, type=PATH, help="The file to write.")
@options_of_settings(
    ConceptSettings,
    words={"type": PATH},
    synonyms={"multiple": True, "default": (), "metavar": "LANGUAGE=FILE"},
)
@option("--overwrite", is_flag=True, help="Replace the file at --out.")
@command
def concepts(
    dictionary: Path, corpus: str, out: Path, overwrite: bool, as_json: bool, **options: object
) -> None:
    """Make concepts of a dictionary or of word vectors, for `fit lda --concepts` and `fit hdp --concepts`.

    Words of a concept rise and fall together in topics, also across languages. Entries of a dictionary count
    that are single words of the corpus on both sides, as its analysis spells them. Of vectors, words that
    point in nearly the same direction make a concept; DICTIONARY may be a larger corpus, from which vectors
    are learned. This helps short texts most.
    """
    from stickbreaker.corpus.text.languages import language_code
    from stickbreaker.topics.verbs.make_concepts import make_concepts

    refuse_file(out, overwrite)
    given = settings_in(ConceptSettings, options)
    given["synonyms"] = _files_by_language(given["synonyms"])
    for name in ("source", "target"):
        given[name] = None if given[name] is None else language_code(given[name])
    words = given["words"]
    sources = [dictionary, *given["synonyms"].values(), *([] if words is None else [words])]
    read = [file for one in sources for file in (one.iterdir() if one.is_dir() else (one,))]
    if out.exists() and any(file.exists() and file.samefile(out) for file in read):
        raise UserError("is the dictionary", where=out, remedy="choose another path")
    with warnings_as_notes(UserWarning):
        found = make_concepts(
            dictionary, corpus, ConceptSettings(**given), refuse=_refuse_written, mistake=click.UsageError
        )
    found.write(out, overwrite=overwrite)
    following = f"Next: stickbreaker fit lda CORPUS --out model --concepts {quoted_path(out)}"
    emit({"out": str(out), **found.as_json()}, as_json, lambda _: f"{out}: {found}\n{following}")


def _refuse_written(names: tuple[str, ...], problem: str) -> None:
    """Raise a usage error if the user gave the option of any of these settings."""
    refuse_written(tuple(declared(ConceptSettings)[name].key for name in names), problem)


def _files_by_language(given: Sequence[str]) -> dict[str, Path]:
    """The files that the user gave by --synonyms, as in "fr=wn-data-fra.tab", by language. Raises UserError
    if one is malformed, or a language is given twice.
    """
    from stickbreaker.corpus.text.languages import language_code

    files: dict[str, Path] = {}
    for one in given:
        name, _, path = one.partition("=")
        if not name.strip() or not path:
            raise UserError(f"--synonyms {one}", remedy="write it as fr=wn-data-fra.tab")
        code = language_code(name.strip())
        if code in files:
            raise UserError(f"--synonyms gives {code} twice", remedy="give one file for a language")
        files[code] = Path(path)
    return files
