"""`stickbreaker fit ngram`."""

from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import command, inputs_argument, note, refuse_written
from stickbreaker.console.inputs import reading_options
from stickbreaker.console.options import NewRun, Table, option_table, options_of, refuse_unneeded
from stickbreaker.console.running import begin_run, continue_run
from stickbreaker.core.errors import counted
from stickbreaker.core.option_names import ParameterValues, as_keywords
from stickbreaker.core.parameter_fields import declared
from stickbreaker.ngrams.cli.sentence_options import sentence_options
from stickbreaker.ngrams.settings import LanguageSettings, NgramSettings, TopicNgramSettings

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus

OF_TOPICS = ("topics", "prior", "moves")  # options that only a model with topics has
PARAMETERS = declared(TopicNgramSettings)
OPTIONS: Table = {
    "--out": {},
    **option_table(
        TopicNgramSettings,
        max_iter={"default": None, "help": "Sweeps of the sampler.  [default: 20; with --topics 100]"},
        held_out={
            "help": "Share of the documents that are never learned from, and scored meanwhile; the "
            "vocabulary is that of all.",
        },
        n_topics={"default": None, "help": f"{PARAMETERS['n_topics'].help}  [default: none]"},
        prior={"help": f"--topics: {PARAMETERS['prior'].help}"},
        moves={"help": f"--topics: {PARAMETERS['moves'].help}"},
    ),
    "--checkpoint-every": {},
    "--overwrite": {},
}


@click.command(epilog="Example: stickbreaker fit ngram novel.txt --out model --order 3")
@inputs_argument
@options_of(OPTIONS)
@reading_options
@sentence_options
@command
def ngram(**options: object) -> None:
    """Learn a language model: which word comes next, by hierarchical Pitman-Yor processes.

    With --topics, documents have topics, each with a model of its own (topics with word order).

    The input is a corpus of text with all its words, or raw files, from which one is built and kept inside
    the model until the run is done. Ctrl-C saves a checkpoint; `stickbreaker resume` continues. A
    sampler runs on one core.
    """
    refuse_unneeded(TopicNgramSettings, options)
    if options["iterations"] is None:
        del options["iterations"]  # each kind has its own
    run = NewRun.take_from(options)
    settings = _settings(options)
    corpus, directory = begin_run(settings, run)
    _tell_of_unknown_words(settings, corpus)
    continue_run(directory, run.checkpoint_every, None, run.as_json)


def _settings(options: ParameterValues) -> LanguageSettings:
    """The settings of a model, with or without topics, that the options of `fit ngram` describe."""
    if options["topics"] is not None:
        return TopicNgramSettings(**as_keywords(options))
    refuse_written(OF_TOPICS, "needs --topics")
    return NgramSettings(**as_keywords({k: v for k, v in options.items() if k not in OF_TOPICS}))


def _tell_of_unknown_words(settings: LanguageSettings, corpus: "Corpus") -> None:
    """Print a note with the number of known words, and the share of the corpus's tokens that are unknown."""
    from stickbreaker.ngrams.plan import numbers_of
    from stickbreaker.ngrams.word_numbers import UNKNOWN

    numbers = numbers_of(settings, corpus.vocabulary)
    tokens = corpus.vocabulary.tokens
    share = float(tokens[numbers.of_rows == numbers.unknown].sum() / max(tokens.sum(), 1.0))
    others = "" if numbers.spelled else f"; {100 * share:.1f} % of the tokens are others, {UNKNOWN}"
    note(f"{counted(len(numbers.known), 'known word')}{others}")
