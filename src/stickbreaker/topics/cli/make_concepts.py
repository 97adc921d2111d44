"""`stickbreaker concepts`: a dictionary or word vectors become a tree of concepts over a corpus's words."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stickbreaker.console.console import PATH, command, emit, note, option, refuse_written
from stickbreaker.core.errors import UserError, noun_for
from stickbreaker.core.files import atomic_file, refuse_file
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.option_names import quoted_path

if TYPE_CHECKING:
    from stickbreaker.corpus import Vocabulary
    from stickbreaker.corpus.building import AnyAnalysis
    from stickbreaker.topics.concepts.concept_sources import Selection
    from stickbreaker.topics.concepts.dictionaries import Synset


@click.command(
    epilog="Example: stickbreaker concepts de-en.tsv --from de --to en --corpus pages.corpus --out tree.jsonl"
)
@click.argument("dictionary", type=PATH)
@option("--corpus", required=True, metavar="CORPUS", help="A corpus, or a model, that has the words.")
@option("--out", required=True, type=PATH, help="The file to write.")
@option("--from", "source", metavar="LANGUAGE", help="The language of a dictionary's words, or of WordNet's.")
@option("--to", "target", metavar="LANGUAGE", help="The language of a dictionary's translations.")
@option(
    "--format",
    "form",
    choices=["tsv", "counts", "cedict", "constraints", "wordnet", "vectors"],
    help="A word, a tab, a translation; the same with a third column, how often they met; CC-CEDICT; MERGE_ "
    "lines as MALLET has them; a directory of WordNet's database; word vectors (word2vec, GloVe, fastText's "
    ".vec, .npy with --words), or a corpus to learn them from.  [default: as the file looks]",
)
@option(
    "--kind",
    choices=["one-to-one", "all"],
    default="one-to-one",
    help="Put each word of a dictionary in one concept at most, or in one for each of its translations.",
)
@option("--most", least=1, default=5, help="With --kind all: translations of a word, at most.")
@option(
    "--min-count",
    type=click.FloatRange(0),
    default=0.0,
    help="Of counts: pairs that met less often are passed over.",
)
@option(
    "--max-count",
    type=click.FloatRange(0),
    help="Of counts: pairs that met more often are passed over.  [default: none is]",
)
@option("--traditional", is_flag=True, help="CC-CEDICT: traditional characters.")
@option(
    "--depth",
    least=1,
    help="Levels of concepts: of WordNet, at most  [default: as many as there are]; of vectors, 1 or 2  "
    "[default: 1]",
)
@option("--concepts", "n_concepts", least=1, help="Vectors: concepts, about.  [default: one for 8 words]")
@option("--words", type=PATH, metavar="FILE", help="The words of vectors in an .npy file, one per line.")
@option(
    "--synonyms",
    multiple=True,
    metavar="LANGUAGE=FILE",
    help="WordNet: words of its synsets in another language, a file of the Open Multilingual Wordnet; repeat "
    "it for more languages.",
)
@option("--overwrite", is_flag=True, help="Replace the file at --out.")
@command
def concepts(dictionary: Path, corpus: str, out: Path, overwrite: bool, as_json: bool, **given: Any) -> None:
    """Make concepts of a dictionary or of word vectors, for `fit lda --concepts` and `fit hdp --concepts`.

    Words of a concept rise and fall together in topics, also across languages. Entries of a dictionary count
    that are single words of the corpus on both sides, as its analysis spells them. Of vectors, words that
    point in nearly the same direction make a concept; DICTIONARY may be a larger corpus, from which vectors
    are learned. This helps short texts most.
    """
    from stickbreaker.corpus.text.languages import language_code
    from stickbreaker.topics.concepts.concept_sources import BY_CHARACTERS, BY_WORDS
    from stickbreaker.topics.model.vocabularies.concept_tree import ConceptTree

    refuse_file(out, overwrite)
    for name in ("source", "target"):
        given[name] = None if given[name] is None else language_code(given[name])
    synonyms = _files_by_language(given.pop("synonyms"))
    sources = [dictionary, *synonyms.values()]
    sources += [file for file in (given["words"],) if file is not None]
    read = [file for one in sources for file in (one.iterdir() if one.is_dir() else (one,))]
    if out.exists() and any(file.exists() and file.samefile(out) for file in read):
        raise UserError("is the dictionary", where=out, remedy="choose another path")
    vocabulary, analysis = words_of_corpus(corpus)
    selection = select(dictionary, vocabulary, analysis, synonyms=synonyms, **given)
    lines = ConceptTree(selection.concepts).lines()
    with atomic_file(out, overwrite=overwrite) as partial:
        partial.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    others = set(vocabulary.languages).difference(*(concept.words for concept in selection.concepts))
    if others:
        every, some = ", ".join(vocabulary.languages), ", ".join(sorted(others))
        remedy = f"add words of {some} to the file, or take a corpus without"
        note(f"note: a concept ties languages by words in all of {every}; {remedy}")
    if selection.is_reversed():
        fitting, source, target = selection.reversed_pairs, given["source"], given["target"]
        columns = (
            f"the first column seems to be in {target}: {fitting:,} of {selection.entries:,} entries fit so"
        )
        note(f"note: {columns}; give --from {target} --to {source}")
    if selection.mostly_characters():
        note(f"note: {BY_CHARACTERS}; {BY_WORDS}")
    figures = {
        "concepts": len(selection.concepts),
        "entries": selection.entries,
        "several_words": selection.several_words,
        "not_in_vocabulary": selection.not_in_vocabulary,
        "pairs": selection.pairs,
        "coverage": selection.coverage,
    }
    emit({"out": str(out), **figures}, as_json, _as_text)


def select(
    dictionary: Path,
    vocabulary: "Vocabulary",
    analysis: "AnyAnalysis | None",
    source: str | None,
    target: str | None,
    form: str | None,
    kind: str,
    most: int,
    min_count: float,
    max_count: float | None,
    traditional: bool,
    depth: int | None,
    n_concepts: int | None,
    words: Path | None,
    synonyms: Mapping[str, Path],
) -> "Selection":
    """Make concepts for the words of a vocabulary from a file, a corpus or WordNet, as the options of the
    command `concepts` say.

    source, target and form: the options --from, --to and --format; synonyms: the files of --synonyms by
    language. Raises UserError for an unusable file, and a usage error for options that do not go together.
    """
    from stickbreaker.topics.concepts import concept_sources, dictionaries, vector_concepts

    if form == "vectors" or (form is None and vector_concepts.gives_vectors(dictionary)):
        refuse_written(_OF_DICTIONARIES, "is not for word vectors")
        levels = depth or 1
        if levels > 2:
            raise click.UsageError("concepts of vectors have at most 2 levels: --depth 2")
        found = vector_concepts.vectors_at(dictionary, words, vocabulary, analysis)
        return vector_concepts.concepts_of_vectors(found, vocabulary, analysis, n_concepts, levels)
    refuse_written(("n_concepts", "words"), "is for word vectors: --format vectors")
    form = "wordnet" if form is None and dictionary.is_dir() else form
    file = None if form == "wordnet" else dictionaries.WordFile.open(dictionary, form)
    if file is None or file.form == "constraints":
        refuse_written(
            ("target", "kind", "most", "min_count", "max_count", "traditional"), "is for dictionaries"
        )
    if file is None:
        synsets = _synsets(dictionary, vocabulary, source, synonyms)
        return concept_sources.concepts_of_synsets(synsets, vocabulary, analysis, depth)
    refuse_written(("depth", "synonyms"), "is for WordNet")
    if file.form == "constraints":
        refuse_written(("source",), "is for dictionaries and WordNet")
        return concept_sources.concepts_of_constraints(file.constraints(), vocabulary, analysis)
    if file.form != "counts":
        refuse_written(("min_count", "max_count"), "needs counts, in a third column")
    if file.form != "cedict":
        refuse_written(("traditional",), "is for CC-CEDICT")
    if source is None or target is None:
        raise click.UsageError("a dictionary needs --from and --to, the languages of its two sides")
    if kind != "all":
        refuse_written(("most",), "needs --kind all")
    if max_count is not None and max_count < min_count:
        raise click.UsageError(f"--max-count {max_count:g} is below --min-count {min_count:g}")
    most_count = math.inf if max_count is None else max_count
    return concept_sources.concepts_of_pairs(
        file.entries(traditional), vocabulary, analysis, (source, target), kind, most, min_count, most_count
    )


_OF_DICTIONARIES = ("source", "target", "kind", "most", "min_count", "max_count", "traditional", "synonyms")


def _synsets(
    database: Path, vocabulary: "Vocabulary", source: str | None, synonyms: Mapping[str, Path]
) -> "Iterator[Synset]":
    """Read the synsets of the WordNet database at `database`, with words in the languages of a vocabulary.

    `source`: the language of the database's words, None to use only the files of `synonyms`, which have words
    by language. Raises UserError if a vocabulary without language codes would get words of several languages,
    or one with codes gets no language.
    """
    from stickbreaker.topics.concepts.dictionaries import synsets_of

    if not vocabulary.languages:  # one language, which has no code
        if len(synonyms) + (source is not None) > 1:
            raise UserError("the corpus has one language", remedy="give its words by one --synonyms alone")
        file = next(iter(synonyms.values()), None)
        return synsets_of(database) if file is None else synsets_of(database, None, {"": file})
    if source is None and not synonyms:
        problem = f"the corpus has the languages {', '.join(vocabulary.languages)}"
        raise UserError(problem, remedy="name WordNet's by --from, and files of the others by --synonyms")
    return synsets_of(database, source, synonyms)


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


def words_of_corpus(path: str) -> "tuple[Vocabulary, AnyAnalysis | None]":
    """The vocabulary of the corpus or model at a path, and the analysis by which texts become words. Raises
    UserError if there is neither.
    """
    from stickbreaker.corpus import Corpus

    if (Path(path) / "model.json").exists():
        from stickbreaker.topics.topic_estimator import load_topics

        model = load_topics(Path(path), "topics")
        return model.vocabulary_, model.analysis_
    if not Path(path).exists():
        raise UserError("no such corpus", where=path, remedy="build it with: stickbreaker corpus build")
    corpus = Corpus.open(path)
    return corpus.vocabulary, corpus.analysis


def _as_text(result: JsonObject) -> str:
    """The result of the command `concepts` as text: how many concepts were made, how many entries were
    skipped, and the share of the tokens that concepts cover.
    """
    n, entries = result["concepts"], result["entries"]
    of = f"of {entries:,} {noun_for(entries, 'entry', 'entries')}"
    lines = [f"{result['out']}: {n:,} {noun_for(n, 'concept')} {of}"]
    if result["several_words"] or result["not_in_vocabulary"]:
        lines.append(
            f"passed over: {result['several_words']:,} of several words, "
            f"{result['not_in_vocabulary']:,} not in the corpus"
        )
    shares = [
        f"{100 * share:.0f} % of the tokens{f' in {code}' if code else ''}"
        for code, share in result["coverage"].items()
    ]
    lines.append("concepts have " + ", ".join(shares))
    lines.append(f"Next: stickbreaker fit lda CORPUS --out model --concepts {quoted_path(result['out'])}")
    return "\n".join(lines)
