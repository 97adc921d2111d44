"""`stickbreaker fit grammar`."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import command, inputs_argument, note, refuse_written
from stickbreaker.console.inputs import reading_options, warnings_as_notes
from stickbreaker.console.options import (
    EngineChoice,
    NewRun,
    Table,
    engine_options,
    option_table,
    options_of,
    refuse_unneeded,
    resume_remedy,
    take_settings,
)
from stickbreaker.console.running import begin_run, continue_run
from stickbreaker.core.errors import UserError, noun_for, shown
from stickbreaker.core.option_names import ParameterValues, as_keywords
from stickbreaker.grammars.settings import BATCH_SIZE, FIRST_BATCH, GrammarSettings

if TYPE_CHECKING:
    from stickbreaker.corpus import Analysis, VocabularyRule
    from stickbreaker.grammars.model.grammar import Grammar
    from stickbreaker.learning.run import Run, RunState

LARGEST = 10 << 20  # bytes of a grammar's file
DIGITS = 18  # of a number of subtrees, at most


@dataclass(frozen=True)
class SymbolChoice:
    """The analysis and the vocabulary rule by which `fit grammar` reads texts, as the model's settings ask.

    It takes the place of the options about words that other `fit` commands have. So `given`, the names of
    those that the user wrote, is empty.
    """

    settings: GrammarSettings
    given: tuple[str, ...] = ()

    def analysis(self, largest: int | None = None) -> "Analysis":
        """The model's analysis; for the grammar "topic", the default one. `largest` has no effect here."""
        from stickbreaker.corpus import Analysis
        from stickbreaker.grammars.learner import GRAMMARS

        found, _ = GRAMMARS.reads_texts_by(self.settings)
        return found if isinstance(found, Analysis) else Analysis()

    def rule(self, largest: int | None = None) -> "VocabularyRule | None":
        """The model's vocabulary rule; None (grammar "topic"): the default. `largest` has no effect here."""
        from stickbreaker.grammars.learner import GRAMMARS

        return GRAMMARS.reads_texts_by(self.settings)[1]


OPTIONS: Table = {
    "--out": {},
    **option_table(
        GrammarSettings,
        without=("total",),
        batch_size={
            "help": "--schedule online: sentences per minibatch; with --grammar collocation the first "
            "minibatches have 2, later ones a hundredth of the sentences before them, up to this number.  "
            "[default: 20]",
        },
        truncation={"multiple": True},
        held_out={"help": "Share of the lines that are never learned from, and scored meanwhile."},
    ),
    "--threads": {},
    "--checkpoint-every": {"help": "Seconds; 0: every sweep."},
    "--overwrite": {},
}


@click.command(epilog="Example: stickbreaker fit grammar sentences.txt --out model --grammar collocation")
@inputs_argument
@options_of(OPTIONS)
@reading_options
@engine_options
@command
def grammar(grammar: str, where: EngineChoice, **options: object) -> None:
    """Learn a grammar that remembers subtrees: words, stems, collocations, topics.

    A line is a sentence, and spaces in it are left out: the model finds the words. Next: `segment`, `parse`
    and `rules`. Ctrl-C saves a checkpoint; `stickbreaker resume` continues. A chain runs on one core;
    --inference hybrid learns from much text, a few sentences at a time.
    """
    refuse_unneeded(GrammarSettings, {**options, "grammar": grammar})
    if grammar == "topic":
        refuse_written(("symbols", "punctuation"), "does not go with --grammar topic, which reads words")
    run = NewRun.take_from(options, choice=None)
    params = as_keywords(_ways(options, where.engine, grammar))
    with where.host() as host:
        made = GrammarSettings(grammar_from(grammar), **params, engine=host.engine)
        with warnings_as_notes(UserWarning):
            run = replace(run, choice=SymbolChoice(made))
            _, directory = begin_run(made, run, look_at_run=_note_skipped)
        host.remedy = resume_remedy(run.out)
        continue_run(directory, run.checkpoint_every, run.threads, run.as_json, made.engine)


def _note_skipped(job: "Run", state: "RunState") -> None:
    """Print a note with the number of sentences that a run skips, if there are any."""
    from stickbreaker.grammars.grammar_of_sticks import skipped_in

    skipped = skipped_in(state)
    if skipped:
        verb, they = ("is", "it") if skipped == 1 else ("are", "they")
        number = f"{skipped:,} {noun_for(skipped, 'sentence')}"
        note(f"{number} {verb} skipped: {they} cannot be parsed, or {verb} too long")


def _ways(settings: ParameterValues, engine: str, grammar: str) -> ParameterValues:
    """Turn the command's options into keyword arguments of the estimator.

    Values of --truncation are parsed, and the file of --known is read. grammar: the name or file that the
    user gave. Raises a usage error for options that do not apply to the chosen inference.
    """
    inference = settings["inference"]
    if inference == "mcmc" and engine != "local":
        raise click.UsageError(f"--engine {engine} needs --inference hybrid or mean-field")
    if inference != "hybrid" and settings["schedule"] == "online":
        refuse_written(("schedule",), "online needs --inference hybrid")
    more = {"batch_size": BATCH_SIZE, "total": "seen", "first_batch": FIRST_BATCH.get(grammar)}
    take_settings(
        GrammarSettings, settings, {"schedule": "online"} if inference == "hybrid" else {}, more=more
    )
    known = settings["known"]
    return {
        **settings,
        "truncation": _truncation(settings["truncation"]),
        "known": None if known is None else words_from(known),
    }


def _truncation(given: tuple[str, ...]) -> int | dict[str, int] | None:
    """Parse the values of --truncation: "N" for all symbols, or several "SYMBOL=N".

    Returns a number, or {symbol: number}; None if the option was not used. Raises a usage error for anything
    else.
    """
    by_symbol: dict[str, int] = {}
    for one in given:
        symbol, equals, number = one.rpartition("=")
        whole = number.isascii() and number.isdigit() and len(number) <= DIGITS and int(number) > 0
        if not whole or (equals and not symbol) or (not equals and len(given) > 1):
            raise click.UsageError(f"--truncation {one}: give a number above 0, or SYMBOL=number for each")
        if not equals:
            return int(number)
        by_symbol[symbol] = int(number)
    return by_symbol or None


def words_from(path: str) -> dict[str, float]:
    """Read a file of known words (--known): {word: count}.

    A line is a word, whose count is 1, or a word, a tab and its count. Empty lines are skipped; lines of the
    same word add up. Raises UserError, with the line, for a count that is not a number above 0, and for a
    file without words.
    """
    from stickbreaker.corpus.readers.sources import listed_lines

    words: dict[str, float] = {}
    for number, line in listed_lines(path, "give a file with a word per line", skippable=False):
        before, tab, given = line.partition("\t")
        word = before.strip()
        if not word and not tab:
            continue
        try:
            count = float(given) if tab else 1.0
        except ValueError:
            count = 0.0
        if not word or not 0.0 < count < float("inf"):
            problem = (
                f"{shown(given.strip())} is not a number above 0"
                if word
                else "there is no word before the tab"
            )
            raise UserError(problem, where=path, line=number, remedy="write a word, a tab, its count")
        words[word] = words.get(word, 0.0) + count
    if not words:
        raise UserError("has no word", where=path, remedy="give a file with a word per line")
    return words


def grammar_from(given: str) -> "Grammar | str":
    """The grammar that the user asked for: its name if it is a named one, else the grammar in that file.

    Raises UserError if there is no such file, or if it is not a valid grammar.
    """
    from stickbreaker.core.untrusted import read_given_text
    from stickbreaker.grammars.model.grammar import Grammar
    from stickbreaker.grammars.model.named import BY_NAME

    if given in BY_NAME:
        return given
    path = Path(given)
    if not path.exists():
        remedy = f"there are: {', '.join(BY_NAME)}; or give a file"
        raise UserError("is not the name of a grammar, and there is no such file", where=given, remedy=remedy)
    text = read_given_text(path, LARGEST, "give a grammar as text")
    return Grammar.from_text(text.replace("\r\n", "\n").replace("\r", "\n"), given)
