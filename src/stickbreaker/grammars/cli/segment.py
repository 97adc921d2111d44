"""`stickbreaker segment`, `parse` and `rules`: sentences cut and parsed by a grammar, and its subtrees."""

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from stickbreaker.console.console import (
    INPUT,
    PATH,
    command,
    emit,
    model_argument,
    note,
    option,
    say,
    tell_of_compiling,
)
from stickbreaker.console.inputs import ReadingChoice, reading_options
from stickbreaker.core.errors import UserError, counted, noun_for
from stickbreaker.core.files import atomic_file, refuse_file
from stickbreaker.core.json_checks import JsonObject

if TYPE_CHECKING:
    from stickbreaker.corpus.document import Document
    from stickbreaker.grammars.parsing import ParsedSentence
    from stickbreaker.grammars.text_grammar import TextGrammar

files_argument = click.argument("inputs", nargs=-1, required=True, metavar="FILE...", type=INPUT)
nonterminal_option = option(
    "--nonterminal",
    metavar="SYMBOL",
    help="Cut by this symbol.  [default: Word, or the last that is adapted]",
)
seed_option = option("--seed", default=0, help="The same seed gives the same trees.")
out_option = option("--out", type=PATH, help="File to write.  [default: standard output]")
overwrite_option = option("--overwrite", is_flag=True, help="Replace the file at --out.")


@click.command(epilog="Example: stickbreaker segment model sentences.txt --nonterminal Word --out words.txt")
@model_argument
@files_argument
@nonterminal_option
@out_option
@overwrite_option
@seed_option
@reading_options
@command
def segment(
    model: Path,
    inputs: tuple[str, ...],
    nonterminal: str | None,
    out: Path | None,
    overwrite: bool,
    seed: int,
    reading: ReadingChoice,
    as_json: bool,
) -> None:
    """Cut texts into pieces, by a symbol of a grammar: a line for each, spaces between pieces.

    A sentence is cut where more than half of its trees have a cut. If the model has learned from the
    sentence, these are the trees of the run, otherwise they are drawn from the model. Symbols that the
    model has not learned are cut around, and counted on standard error. With --json, pieces are lists, with
    the text's id. --format counts reads a text and its count per line, and writes the count after the pieces.
    """
    from stickbreaker.grammars.parsing import segmented_texts

    grammar = load_grammar(model, "segment", out, overwrite)
    documents = texts_of(inputs, reading)
    found = segmented_texts(grammar, (one.text for one in documents), nonterminal, seed)
    between = " " if grammar.settings.symbols == "characters" else "  "
    counts = SymbolCounts(len(documents))
    if as_json and out is None:
        sentences: list[dict[str, object]] = []
        for given, one in zip(documents, found, strict=True):
            counts.add(one.new_symbols, parsed=one.parsed)
            own = {} if given.times is None else {"count": given.times}
            sentences.append({"id": given.id, **own, **one._asdict()})
        emit({"sentences": sentences, **counts.figures()}, as_json, str)
    else:

        def lines() -> Iterator[str]:
            for given, one in zip(documents, found, strict=True):
                counts.add(one.new_symbols, parsed=one.parsed)
                line = between.join(one.pieces)
                yield line if given.times is None else f"{line}\t{given.times}"

        _write(lines(), out, as_json, counts)
    counts.note("left whole")


@click.command(epilog="Example: stickbreaker parse model sentences.txt --how samples --trees 5")
@model_argument
@files_argument
@option(
    "--how",
    default="best",
    choices=["best", "samples", "minimum-risk"],
    help="The most probable tree; trees drawn by how probable they are; or that of many whose parts are "
    "expected most.",
)
@option("--trees", least=1, help="--how samples: trees of a sentence.  [default: 1]")
@out_option
@overwrite_option
@seed_option
@reading_options
@command
def parse(
    model: Path,
    inputs: tuple[str, ...],
    how: str,
    trees: int | None,
    out: Path | None,
    overwrite: bool,
    seed: int,
    reading: ReadingChoice,
    as_json: bool,
) -> None:
    """Write the tree of each text in brackets, as treebanks have them, on a line of its own.

    With --trees 5, each text has five lines. An empty text is an empty line, a sentence that cannot be parsed
    "()", and round brackets of the text are -LRB- and -RRB-. Symbols that the model has not learned are
    counted on standard error. With --json, each text is one line: its id, log p in nats (null: there is no
    tree), how many of its symbols are new, and its trees with log p of each.
    """
    from stickbreaker.grammars.parsing import parsed

    if how != "samples" and trees is not None:
        raise click.UsageError("--trees needs --how samples")
    grammar = load_grammar(model, "parse", out, overwrite)
    documents = texts_of(inputs, reading)
    found = parsed(grammar, (one.text for one in documents), how, trees or 1, seed)
    counts = SymbolCounts(len(documents))

    def lines() -> Iterator[str]:
        for given, sentences in zip(documents, _by_text(found, len(documents)), strict=True):
            new_symbols, whole = (
                sum(one.new_symbols for one in sentences),
                all(one.trees for one in sentences),
            )
            counts.add(new_symbols, parsed=whole)
            each = [[tree.brackets() for tree in one.trees] or ["()"] * (trees or 1) for one in sentences]
            brackets = [" ".join(own) for own in zip(*each, strict=True)] or [""] * (trees or 1)
            if not as_json:
                yield from brackets
                continue
            whole = whole and bool(sentences)
            nats = sum(one.nats for one in sentences) if whole else None
            sums = [sum(own) for own in zip(*(one.tree_nats for one in sentences), strict=whole)]
            drawn = [{"tree": tree, "nats": own} for tree, own in zip(brackets, sums, strict=False)]
            yield json.dumps(
                {"id": given.id, "nats": nats, "new_symbols": new_symbols, "trees": drawn if whole else []}
            )

    _write(lines(), out, as_json=False)
    counts.note('written as "()"')


@click.command(epilog="Example: stickbreaker rules model --nonterminal Word --top 20")
@model_argument
@option("--nonterminal", metavar="SYMBOL", help="Of this adapted symbol alone.")
@option("--top", default=20, least=0, help="Subtrees of a symbol; 0: all.")
@command
def rules(model: Path, nonterminal: str | None, top: int, as_json: bool) -> None:
    """Print the subtrees that a grammar remembers, most used first, and how often its rules are used."""
    from stickbreaker.grammars.plan import is_sampled

    grammar = load_grammar(model, "rules", None, overwrite=False)
    symbols = grammar.symbols if nonterminal is None else (nonterminal,)
    subtrees = {symbol: grammar.subtrees(symbol) for symbol in symbols}
    uses = grammar.parser.uses
    result = {
        "expected": not is_sampled(grammar.settings),
        "symbols": {
            symbol: {
                "discount": float(grammar.discounts[grammar.symbols.index(symbol)]),
                "concentration": float(grammar.concentrations[grammar.symbols.index(symbol)]),
                "subtrees": [
                    {"text": list(one.text), "customers": one.customers, "tables": one.tables}
                    for one in (found[:top] if top else found)
                ],
                "all": len(found),
            }
            for symbol, found in subtrees.items()
        },
        "rules": [
            {"rule": str(rule), "uses": float(n)} for rule, n in zip(grammar.grammar.rules, uses, strict=True)
        ],
    }
    emit(result, as_json, _rules_as_text(grammar.join, whole=nonterminal is None))


def _rules_as_text(join: Callable[[list[str]], str], *, whole: bool) -> Callable[[JsonObject], str]:
    """A function that formats the result of the command `rules` as text.

    join: joins the symbols of a subtree; whole: whether to list the uses of the grammar's rules as well.
    """

    def text(result: JsonObject) -> str:
        lines: list[str] = []
        for symbol, found in result["symbols"].items():
            process = f"discount {found['discount']:.3f}, concentration {found['concentration']:.1f}"
            uses = ", expected uses" if result["expected"] else ""
            lines.append(f"{symbol}: {found['all']:,} {noun_for(found['all'], 'subtree')}{uses}, {process}")
            lines += [f"{one['customers']:9,.0f}  {join(one['text'])}" for one in found["subtrees"]]
        if whole:
            lines.append("Uses of rules, in trees and remembered subtrees:")
            lines += [f"{one['uses']:9,.0f}  {one['rule']}" for one in result["rules"]]
        return "\n".join(lines)

    return text


def load_grammar(model: Path, verb: str, out: Path | None, overwrite: bool) -> "TextGrammar":
    """Load a saved grammar for the command `verb`, after checking that the command may write the file `out`.

    Raises UserError for another kind of model, or if `out` may not be written; a usage error for `overwrite`
    without `out`.
    """
    from stickbreaker.estimators.model_files import load_of
    from stickbreaker.grammars.learner import GRAMMARS

    if out is not None:
        refuse_file(out, overwrite)
    elif overwrite:
        raise click.UsageError("--overwrite needs --out")
    tell_of_compiling()
    return load_of(GRAMMARS, model, verb=verb).model


class GivenText(NamedTuple):
    """One text of the input, with its id; `times` is its count in a file with counts, otherwise None."""

    id: str
    text: str
    times: int | None = None


def documents_of(inputs: tuple[str, ...], reading: ReadingChoice) -> "list[Document]":
    """Read the input files as documents; a line of a file with counts becomes as many as its count says.

    Raises UserError for bags of words, and if there are no documents.
    """
    from stickbreaker.corpus.readers import Problems, read_inputs

    problems = Problems(skip=reading.on_error == "skip")
    documents, kind, _ = read_inputs(inputs, reading.options(), problems)
    if kind != "text":
        raise UserError("bags of words have no sentences", where=inputs[0], remedy="give texts")
    found = list(documents)
    if not found:
        raise UserError("there is no sentence", where=inputs[0], remedy="give texts")
    return found


def texts_of(inputs: tuple[str, ...], reading: ReadingChoice) -> list[GivenText]:
    """Read the input files as texts; a line of a file with counts is one text, with its count in `times`.

    Raises UserError for bags of words, and if there are no documents.
    """
    found: list[GivenText] = []
    for place, document in enumerate(documents_of(inputs, reading)):
        if document.copy is not None and document.copy > 1:
            found[-1] = found[-1]._replace(times=document.copy)
        else:
            found.append(GivenText(document.id or str(place), document.text or "", document.copy))
    return found


@dataclass
class SymbolCounts:
    """While texts are written, counts those with symbols new to the grammar, and those it cannot parse."""

    texts: int
    new_symbols: int = 0
    with_new_symbols: int = 0
    unparsed: int = 0

    def add(self, new_symbols: int, *, parsed: bool) -> None:
        """Count a text, by its number of new symbols and whether it could be parsed."""
        self.new_symbols += new_symbols
        self.with_new_symbols += new_symbols > 0
        self.unparsed += not parsed

    def figures(self) -> dict[str, int]:
        """The counts by name, for --json."""
        return {name: getattr(self, name) for name in ("new_symbols", "with_new_symbols", "unparsed")}

    def note(self, what: str) -> None:
        """Print notes on texts with new symbols and on unparsed texts, if any.

        what: for the note, how the output shows unparsed texts, such as 'written as "()"'.
        """
        from stickbreaker.grammars.verbs.evaluate import new_symbols_line

        new_symbols = new_symbols_line(self.with_new_symbols, self.new_symbols, self.texts)
        if new_symbols is not None:
            note(f"note: {new_symbols}")
        if self.unparsed:
            verb = "is" if self.unparsed == 1 else "are"
            number = f"{self.unparsed:,} of {counted(self.texts, 'text')}"
            note(f"note: {number} cannot be parsed, or {verb} too long, and {verb} {what}")


def _by_text(found: "Iterable[ParsedSentence]", n: int) -> "Iterator[list[ParsedSentence]]":
    """Group parsed sentences by text, for n texts; a text without sentences gets an empty list."""
    groups = itertools.groupby(found, lambda one: one.document)
    place = 0
    for document, sentences in groups:
        yield from ([] for _ in range(document - place))
        yield list(sentences)
        place = document + 1
    yield from ([] for _ in range(n - place))


def _write(lines: Iterable[str], out: Path | None, as_json: bool, counts: SymbolCounts | None = None) -> None:
    """Write lines to the file `out`, completely or not at all, and report their number.

    If `out` is None, the lines are printed, without a report. as_json: the report is JSON, with the `counts`
    if given, instead of a note on standard error.
    """
    if out is None:
        for line in lines:
            say(line)
        return
    number = 0
    with atomic_file(out) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        for line in lines:
            file.write(f"{line}\n")
            number += 1
    if as_json:
        emit({"out": str(out), "lines": number, **(counts.figures() if counts else {})}, as_json, str)
    else:
        note(f"{out}: {number:,} {noun_for(number, 'line')}")
