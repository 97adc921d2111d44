"""`stickbreaker fit ngram`."""

from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import command, inputs_argument, note, refuse_written
from stickbreaker.console.inputs import reading_options
from stickbreaker.console.parameter_options import option_table, refuse_unneeded
from stickbreaker.console.run_options import NewRun, Table, options_of
from stickbreaker.console.running import begin_run, go_on
from stickbreaker.core.errors import counted
from stickbreaker.core.option_names import ParameterValues, as_keywords
from stickbreaker.core.parameter_fields import declared
from stickbreaker.ngrams.cli.sentence_options import sentence_options
from stickbreaker.ngrams.parameters import TopicNgramParameters

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus
    from stickbreaker.ngrams.language_estimator import LanguageEstimator

OF_TOPICS = ("topics", "prior", "moves")  # options that only a model with topics has
PARAMETERS = declared(TopicNgramParameters)
OPTIONS: Table = {
    "--out": {},
    **option_table(
        TopicNgramParameters,
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
    refuse_unneeded(TopicNgramParameters, options)
    if options["iterations"] is None:
        del options["iterations"]  # each kind has its own
    run = NewRun.take_from(options)
    model = _model(options)
    corpus, directory = begin_run(model, run)
    _tell_of_unknown_words(model, corpus)
    go_on(directory, run.checkpoint_every, None, run.as_json)


def _model(options: ParameterValues) -> "LanguageEstimator":
    """Make the estimator, with or without topics, that the options of `fit ngram` describe."""
    if options["topics"] is not None:
        from stickbreaker.ngrams.plain_topic_ngram import PlainTopicNgramModel

        return PlainTopicNgramModel(**as_keywords(options))
    from stickbreaker.ngrams.plain_ngram import PlainNgramModel

    refuse_written(OF_TOPICS, "needs --topics")
    return PlainNgramModel(**as_keywords({k: v for k, v in options.items() if k not in OF_TOPICS}))


def _tell_of_unknown_words(model: "LanguageEstimator", corpus: "Corpus") -> None:
    """Print a note with the number of known words, and the share of the corpus's tokens that are unknown."""
    from stickbreaker.ngrams.word_numbers import UNKNOWN

    numbers = model._numbers_of(corpus.vocabulary)
    tokens = corpus.vocabulary.tokens
    share = float(tokens[numbers.of_rows == numbers.unknown].sum() / max(tokens.sum(), 1.0))
    others = "" if numbers.spelled else f"; {100 * share:.1f} % of the tokens are others, {UNKNOWN}"
    note(f"{counted(len(numbers.known), 'known word')}{others}")
