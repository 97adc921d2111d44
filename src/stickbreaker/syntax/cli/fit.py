"""`stickbreaker fit syntax`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import (
    command,
    from_option,
    inputs_argument,
    options_into,
)
from stickbreaker.console.inputs import LOWERCASE, NORMALIZATION, reading_options
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
from stickbreaker.core.option_names import ParameterValues, as_keywords
from stickbreaker.syntax.settings import BATCH_SIZE, SyntaxSettings

if TYPE_CHECKING:
    from stickbreaker.corpus import Analysis, VocabularyRule

OPTIONS: Table = {
    "--out": {},
    **option_table(
        SyntaxSettings,
        without=("total",),
        limit={"choices": ["none", "hdp", "itic"], "default": "none"},
        batch_size={"help": "--schedule online: documents per minibatch.  [default: 32]"},
        held_out={
            "help": "Share of the documents that are never learned from, and scored meanwhile; the "
            "vocabulary is that of all.",
        },
    ),
    "--threads": {},
    "--checkpoint-every": {},
    "--overwrite": {},
}


@dataclass(frozen=True)
class TreeChoice:
    """The command's options for building a corpus of trees, in which every token is a word.

    `given`: the names of the options that the user set.
    """

    lowercase: bool = from_option(**LOWERCASE)
    normalization: str = from_option(**NORMALIZATION)
    min_documents: int = from_option(least=1, default=2, help="Fewest documents of a word that is known.")
    tags: str | None = from_option(
        choices=["upos", "xpos"],
        help="The column of tags.  [default: upos, or xpos of words whose upos is _]",
    )
    vocabulary_size: int | None = from_option(least=1, help="Keep the most frequent words.  [default: all]")
    given: tuple[str, ...] = ()

    def analysis(self, largest: int | None = None) -> "Analysis":
        """The analysis of text that these options ask for: every token is a word; `largest` has no effect."""
        from stickbreaker.corpus import Analysis
        from stickbreaker.corpus.text.all_words import analysis_of_all_words

        normalization = None if self.normalization == "none" else self.normalization
        plain = Analysis(language=None, normalization=normalization, lowercase=self.lowercase, tags=self.tags)
        return analysis_of_all_words(plain, "spaced")

    def rule(self, largest: int | None = None) -> "VocabularyRule":
        """The rule for choosing the vocabulary, from --min-documents and --vocabulary-size.

        `largest` has no effect.
        """
        from stickbreaker.corpus import VocabularyRule

        return VocabularyRule(self.min_documents, 1.0, self.vocabulary_size)


tree_options = options_into(TreeChoice, "choice", "Words")


@click.command(epilog="Example: stickbreaker fit syntax news.conllu --out model --topics 32")
@inputs_argument
@options_of(OPTIONS)
@reading_options
@tree_options
@engine_options
@command
def syntax(where: EngineChoice, **options: object) -> None:
    """Learn topics that know grammar: a word's topic is what its document and its head's topic prefer.

    The input is a corpus with trees (`corpus build --trees --all-words`), or CoNLL-U files, of which one is
    built with every token a word, and kept inside the model until the run is done. Ctrl-C saves a checkpoint;
    `stickbreaker resume` continues the run.
    """
    run = NewRun.take_from(options)
    settings = _ways(options, where.engine)
    with where.host() as host:
        asked = SyntaxSettings(**as_keywords(settings), engine=host.engine)
        _, directory = begin_run(asked, run)
        host.remedy = resume_remedy(run.out)
        continue_run(directory, run.checkpoint_every, run.threads, run.as_json, asked.engine)


def _ways(options: ParameterValues, engine: str) -> ParameterValues:
    """The command's options as keyword arguments of the settings.

    Raises a usage error for options that do not apply to the chosen inference.
    """
    refuse_unneeded(SyntaxSettings, options)
    if options["inference"] == "gibbs" and engine != "local":
        raise click.UsageError(f"--engine {engine} needs --inference mean-field")
    take_settings(SyntaxSettings, options, more={"batch_size": BATCH_SIZE})
    return {**options, "limit": None if options["limit"] == "none" else options["limit"]}
