"""`stickbreaker fit grammar`."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stickbreaker.console.console import NumberRange, command, inputs_argument, note, refuse_written
from stickbreaker.console.engine_options import EngineChoice, engine_options, resume_remedy
from stickbreaker.console.inputs import reading_options, warnings_as_notes
from stickbreaker.console.run_options import NewRun, Table, options_of
from stickbreaker.console.running import begin_run, go_on
from stickbreaker.core.errors import UserError, noun_for
from stickbreaker.core.option_names import as_keywords

if TYPE_CHECKING:
    from stickbreaker.corpus import Analysis, VocabularyRule
    from stickbreaker.grammars.model.grammar import Grammar
    from stickbreaker.grammars.plain_grammar import PlainAdaptorGrammar

LARGEST = 10 << 20  # bytes of a grammar's file
DIGITS = 18  # of a number of subtrees, at most


@dataclass(frozen=True)
class SymbolChoice:
    """How a grammar reads texts: by what its estimator says."""

    model: "PlainAdaptorGrammar"
    given: tuple[str, ...] = ()

    def analysis(self, largest: int | None = None) -> "Analysis":
        """The analysis."""
        from stickbreaker.corpus import Analysis

        found, _ = self.model.reads_texts_by()
        return found if isinstance(found, Analysis) else Analysis()

    def rule(self, largest: int | None = None) -> "VocabularyRule | None":
        """Which symbols are in the vocabulary; None: as by default."""
        return self.model.reads_texts_by()[1]


OPTIONS: Table = {
    "--out": {},
    "--grammar": {
        "default": "collocation",
        "metavar": "FILE|NAME",
        "help": "A file in the format of py-cfg or PyAdaGram; or collocation, unigram, collocation-syllable, "
        "morphology (a line is a word) or topic (documents of words), over the symbols of the text.",
    },
    "--inference": {
        "default": "mcmc",
        "choices": ["mcmc", "hybrid", "mean-field"],
        "help": "A Markov chain; variational inference by trees that are drawn, for streams and much text; "
        "or by sums over all trees, where what is remembered is chosen at the start.",
    },
    "--schedule": {
        "choices": ["online", "batch"],
        "help": "--inference hybrid: a step a few sentences, or a step a pass.  [default: online]",
    },
    "--batch-size": {
        "least": 1,
        "help": "Online: sentences of a step; with --grammar collocation the first steps have 2, later ones "
        "a hundredth of the sentences before them, until there are so many.  [default: 20]",
    },
    "--kappa": {
        "type": NumberRange(0.0, 1.0),
        "help": "Online: how fast learning slows down. A step replaces the share (tau0 + steps "
        "before)^-kappa of what was learned before it; with 0 always all.  [default: 0.5]",
    },
    "--tau0": {
        "type": NumberRange(1e-9),
        "help": "Online: how cautious the first steps are. With 1 the first replaces all there was, with 64 "
        "and --kappa 0.5 an eighth.  [default: 1]",
    },
    "--samples": {
        "default": 10,
        "help": "--inference hybrid: trees drawn of each sentence of a step, whose mean is learned from; "
        "more make steps steadier and slower.",
    },
    "--truncation": {
        "metavar": "[SYMBOL=]N",
        "multiple": True,
        "help": "Not --inference mcmc: subtrees that a symbol remembers at most, of all symbols or of one; "
        "may be given several times. There may be more between prunings, and of a symbol that others are "
        "made of.  [default: as the grammar says, else 10000]",
    },
    "--refine-every": {
        "default": 50,
        "least": 1,
        "help": "--inference hybrid: steps from one pruning of what is remembered to the next.",
    },
    "--iterations": {
        "help": "Sweeps of the sampler, or passes.  [default: 200 sweeps; 3 passes online, 20 in batches]"
    },
    "--init": {
        "default": "batch",
        "choices": ["batch", "incremental"],
        "help": "The first trees: all drawn by the rules alone, or one by one, each by what those before it "
        "have. The start decides what is found.",
    },
    "--chains": {"default": 1, "least": 1, "help": "Chains side by side, of which the best speaks."},
    "--symbols": {
        "default": "characters",
        "choices": ["characters", "spaced"],
        "help": "A sentence is of characters, blanks left out; or of what stands between blanks.",
    },
    "--punctuation": {
        "default": "symbols",
        "choices": ["symbols", "boundaries"],
        "help": "Marks of punctuation are symbols as others, or end words and are left out.",
    },
    "--unparsed": {
        "default": "fail",
        "choices": ["fail", "skip"],
        "help": "What to do about sentences that cannot be parsed, or are too long.",
    },
    "--weights": {
        "default": "learned",
        "choices": ["learned", "fixed"],
        "help": "The weights of rules: learned from priors, or as the grammar has them.",
    },
    "--processes": {
        "default": "learned",
        "choices": ["learned", "fixed"],
        "help": "Discounts and concentrations: learned, or as the grammar has them.",
    },
    "--relabel/--no-relabel": {
        "default": True,
        "help": "Draw remembered subtrees anew, with all who use them.",
    },
    "--temperature": {
        "default": 1.0,
        "type": NumberRange(1.0),
        "help": "Of the first sweep; above 1 more is tried.",
    },
    "--cooling": {"least": 0, "help": "Sweeps until the temperature is 1.  [default: half of all]"},
    "--topics": {"default": 5, "least": 1, "help": "--grammar topic: how many."},
    "--vowels": {
        "metavar": "SYMBOLS",
        "help": "--grammar collocation-syllable: which symbols are vowels.  [default: those of Latin, Greek "
        "and Cyrillic letters]",
    },
    "--held-out": {"help": "Share of the lines that are never learned from, and scored meanwhile."},
    "--seed": {},
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
def grammar(grammar: str, where: EngineChoice, **options: Any) -> None:
    """Learn a grammar that remembers subtrees: words, stems, collocations, topics.

    A line is a sentence, and spaces in it are left out: the model finds the words. Next: `segment`, `parse`
    and `rules`. Ctrl-C saves a checkpoint; `stickbreaker resume` continues. A chain runs on one core;
    --inference hybrid learns from much text, a few sentences at a time.
    """
    from stickbreaker.grammars.plain_grammar import PlainAdaptorGrammar

    if grammar != "topic":
        refuse_written(("topics",), "needs --grammar topic")
    if grammar != "collocation-syllable":
        refuse_written(("vowels",), "needs --grammar collocation-syllable")
    if grammar == "topic":
        refuse_written(("symbols", "punctuation"), "does not go with --grammar topic, which reads words")
    run = NewRun.take_from(options, choice=None)
    params = as_keywords(_ways(options, where.engine, grammar))
    with where.host() as host:
        model = PlainAdaptorGrammar(grammar_from(grammar), **params, engine=host.engine)
        with warnings_as_notes(UserWarning):
            _, directory = begin_run(model, replace(run, choice=SymbolChoice(model)))
        if model.skipped_:
            verb, they = ("is", "it") if model.skipped_ == 1 else ("are", "they")
            number = f"{model.skipped_:,} {noun_for(model.skipped_, 'sentence')}"
            note(f"{number} {verb} skipped: {they} cannot be parsed, or {verb} too long")
        host.remedy = resume_remedy(run.out)
        go_on(directory, run.checkpoint_every, run.threads, run.as_json, model.engine)


def _ways(settings: dict[str, Any], engine: str, grammar: str) -> dict[str, Any]:
    """The settings with the schedule (for a grammar by its name) and truncations as the estimator has them.
    Refuses options of other ways of learning."""
    sampled, online = settings["inference"] == "mcmc", settings["schedule"] != "batch"
    online = online and settings["inference"] == "hybrid"
    if sampled:
        refuse_written(("schedule", "truncation"), "needs --inference hybrid or mean-field")
        if engine != "local":
            raise click.UsageError(f"--engine {engine} needs --inference hybrid or mean-field")
        if settings["temperature"] == 1.0:
            refuse_written(("cooling",), "needs a --temperature above 1")
    else:
        refuse_written(("init", "chains", "relabel", "temperature", "cooling"), "needs --inference mcmc")
    if settings["inference"] != "hybrid":
        refuse_written(("samples", "refine_every"), "needs --inference hybrid")
        if settings["schedule"] == "online":
            refuse_written(("schedule",), "online needs --inference hybrid")
    if not online:
        refuse_written(("batch_size", "kappa", "tau0"), "needs --inference hybrid --schedule online")
    given = {name: settings.pop(name) for name in ("batch_size", "kappa", "tau0")}
    if any(value is not None for value in given.values()):
        from stickbreaker.grammars.grammar_estimator import BATCH_SIZE, FIRST_BATCH
        from stickbreaker.learning.schedules import Online

        size = BATCH_SIZE if given["batch_size"] is None else given["batch_size"]
        rates, first = (given["kappa"], given["tau0"]), FIRST_BATCH.get(grammar)
        settings["schedule"] = Online(size, *rates, total="seen", first_batch=first)
    return {**settings, "truncation": _truncation(settings["truncation"])}


def _truncation(given: tuple[str, ...]) -> int | dict[str, int] | None:
    """A number for all symbols, or one for each. Raises a usage error for what is neither."""
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


def grammar_from(given: str) -> "Grammar | str":
    """A grammar from a file, or its name. Raises UserError for what is neither, and for a wrong grammar."""
    from stickbreaker.core.untrusted import read_given_text
    from stickbreaker.grammars.model.grammar import Grammar
    from stickbreaker.grammars.model.named import BY_NAME

    if given in BY_NAME:
        return given
    path = Path(given)
    if not path.exists():
        remedy = f"there are: {', '.join(BY_NAME)}; or give a file"
        raise UserError("is no grammar's name, and there is no such file", where=given, remedy=remedy)
    text = read_given_text(path, LARGEST, "give a grammar as text")
    return Grammar.from_text(text.replace("\r\n", "\n").replace("\r", "\n"), given)
