"""`stickbreaker corpus build`, `corpus info` and `corpus export`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import INPUT, PATH, command, emit, option, tell_of_compiling
from stickbreaker.console.inputs import (
    AnalysisChoice,
    ReadingChoice,
    StructureChoice,
    analysis_options,
    build_corpus,
    reading_options,
    structure_options,
)
from stickbreaker.console.suggestions import SuggestingGroup
from stickbreaker.core.errors import UserError, counted, noun_for, shortened
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.option_names import option_of

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus

DROPPING = ("stop_words", "extra_stop_words", "min_length", "max_share", "vocabulary_size", "vocabulary")
SHOWN = 8  # number of words shown per rule that dropped them
SHOWN_WORD = 40  # characters shown of a word


@click.group(
    cls=SuggestingGroup, epilog="Example: stickbreaker corpus build posts.jsonl.gz --out posts.corpus"
)
def corpus() -> None:
    """Build a corpus from text, describe or export one."""


@corpus.command(epilog="Example: stickbreaker corpus build posts.jsonl.gz --out posts.corpus")
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True, type=INPUT)
@option("--out", metavar="CORPUS", type=INPUT, required=True, help="Directory for the new corpus.")
@reading_options
@analysis_options
@structure_options
@option("--overwrite", is_flag=True, help="Replace an existing corpus at that path.")
@command
def build(
    inputs: tuple[str, ...],
    out: str,
    reading: ReadingChoice,
    choice: AnalysisChoice,
    structure: StructureChoice,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Build a corpus from text.

    INPUT is a file, a directory of text files (one document each), a glob, or - for standard input. By their
    names, .jsonl, .ndjson and .json are JSON Lines; .csv, .tsv, .parquet, .arrow and .feather are tables, one
    row per document; .conllu is CoNLL-U; .txt has one document per line. For bags of words, .ldac is LDA-C,
    .mm and .mtx Matrix Market, docword.NAME.txt UCI. .gz, .zst, .bz2, .xz and .zip may follow. MALLET's lines
    need --format.
    """
    if structure.all_words:
        _refuse_dropping(choice)
    tell_of_compiling()
    built = build_corpus(inputs, reading, choice, None, None, Path(out), overwrite, structure)
    emit(described(built), as_json, _summary)


def _refuse_dropping(choice: AnalysisChoice) -> None:
    """Raise UserError if the user gave options that drop words, which contradict --all-words."""
    of_no_effect = {"stop_words": "none", "min_length": 1, "max_share": 1.0}
    names = [name for name in DROPPING if name in choice.given]
    dropping = [option_of(name) for name in names if getattr(choice, name) != of_no_effect.get(name)]
    if dropping:
        verb = "drops" if len(dropping) == 1 else "drop"
        problem = f"--all-words keeps every word, {' and '.join(dropping)} {verb} words"
        raise UserError(problem, remedy="leave one out")


@corpus.command(epilog="Example: stickbreaker corpus info posts.corpus")
@click.argument("path", metavar="CORPUS", type=INPUT)
@option("--top", least=0, default=20, help="Number of the most frequent words to show.")
@command
def info(path: str, top: int, as_json: bool) -> None:
    """Describe a corpus: how large it is, its most frequent words, and what was left out."""
    from stickbreaker.corpus import Corpus

    emit(described(Corpus.open(path), top), as_json, _summary)


def described(corpus: "Corpus", top: int = 20) -> JsonObject:
    """The facts about a corpus that `corpus info` prints, as JSON. top: most frequent words to list."""
    vocabulary = corpus.vocabulary
    frequent = sorted(range(len(vocabulary)), key=lambda row: (-vocabulary.tokens[row], row))[:top]
    words = [{"word": vocabulary.words[row], "tokens": float(vocabulary.tokens[row])} for row in frequent]
    return {
        "corpus": str(corpus.path),
        "kind": corpus.kind,
        "ordered": corpus.ordered,
        "documents": corpus.n_documents,
        "words": corpus.n_words,
        "tokens": corpus.n_tokens,
        "empty_documents": corpus.n_empty,
        "languages": corpus.languages,
        "metadata_fields": list(corpus.metadata_fields),
        "skipped": corpus.skipped,
        "blocks": len(corpus.block_sizes),
        "frequent_words": words,
        "dropped_words": [one.to_dict() for one in corpus.dropped],
        **_tags_of(corpus),
        "fingerprint": corpus.fingerprint,
    }


def _tags_of(corpus: "Corpus") -> JsonObject:
    """The tags of a corpus with trees, and the CoNLL-U column that they come from, for `corpus info`.

    An empty dict for a corpus without trees.
    """
    from stickbreaker.corpus import Analysis

    if corpus.about.tag_names is None:
        return {}
    chosen = corpus.analysis.tags if isinstance(corpus.analysis, Analysis) else None
    return {"tags": list(corpus.about.tag_names), "tags_from": chosen or "upos, or xpos"}


@corpus.command(epilog="Example: stickbreaker corpus export posts.corpus --format lda-c --out posts.ldac")
@click.argument("path", metavar="CORPUS", type=PATH)
@option("--format", "format", choices=["lda-c"], required=True, help="Format to write.")
@option("--out", required=True, type=PATH, help="Directory for the new files.")
@option("--overwrite", is_flag=True, help="Replace an earlier export at --out.")
@command
def export(path: Path, format: str, out: Path, overwrite: bool, as_json: bool) -> None:
    """Write the bags of words of a corpus for another program.

    lda-c: documents.ldac has one line per document, in the order of the corpus, and vocabulary.txt one word
    per line.
    """
    from stickbreaker.corpus import Corpus
    from stickbreaker.corpus.writers import write_lda_c

    corpus = Corpus.open(path)
    write_lda_c(corpus, out, overwrite=overwrite)
    result = {"out": str(out), "format": format, "documents": corpus.n_documents, "words": corpus.n_words}
    sizes = f"{counted(result['documents'], 'document')}, {counted(result['words'], 'word')}"
    emit(result, as_json, lambda r: f"{r['out']}: {sizes}")


def _summary(facts: JsonObject) -> str:
    kind = "text, tokens in order" if facts["ordered"] else "bags of words, unordered"
    kind += ", with trees" if "tags" in facts else ""
    languages = ", ".join(f"{code} ({count:,})" for code, count in facts["languages"].items())
    rows = {
        "corpus": facts["corpus"],
        "kind": kind,
        "documents": f"{facts['documents']:,}",
        "words": f"{facts['words']:,}",
        "tokens": f"{facts['tokens']:,.10g}",
        "empty documents": f"{facts['empty_documents']:,}",
        "skipped": ", ".join(f"{count:,} {kind}" for kind, count in facts["skipped"].items()),
        "languages": languages,
        "metadata": ", ".join(facts["metadata_fields"]),
        "tags": f"{len(facts['tags'])}, from {facts['tags_from']}" if "tags" in facts else "",
        "frequent words": " ".join(entry["word"] for entry in facts["frequent_words"]),
        "fingerprint": facts["fingerprint"],
    }
    lines = [f"{name:<16} {value}" for name, value in rows.items() if value]
    return "\n".join([*lines[:-1], *_dropped_lines(facts), lines[-1]])


def _dropped_lines(facts: JsonObject) -> list[str]:
    """Lines on the words left out of the vocabulary: a heading, and one for each rule; empty if none were."""
    from stickbreaker.corpus.text.dropped_words import DroppedWords

    dropped = [DroppedWords.from_dict(values) for values in facts["dropped_words"]]
    lines = ["dropped words"] if dropped else []
    for one in dropped:
        frequent = " ".join(shortened(word, SHOWN_WORD) for word in one.frequent[:SHOWN])
        number = (
            f"{one.words:,} {noun_for(one.words, 'word')}, {one.tokens:,.10g} {noun_for(one.tokens, 'token')}"
        )
        lines.append(f"  {one.label}: {number}: {frequent}{' …' if one.words > SHOWN else ''}")
    return lines
