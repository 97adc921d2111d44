"""`stickbreaker fit stm`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from stickbreaker.console.console import (
    NumberRange,
    command,
    from_option,
    inputs_argument,
    options_into,
    refuse_written,
)
from stickbreaker.console.engine_options import EngineChoice, engine_options, resume_remedy
from stickbreaker.console.inputs import LOWERCASE, NORMALIZATION, reading_options
from stickbreaker.console.run_options import NewRun, Table, options_of
from stickbreaker.console.running import begin_run, go_on
from stickbreaker.core.option_names import as_keywords

if TYPE_CHECKING:
    from stickbreaker.corpus import Analysis, VocabularyRule

OPTIONS: Table = {
    "--out": {},
    "--topics": {
        "default": 32,
        "least": 1,
        "help": "Most topics that there may be; those in use are fewer where the text asks for fewer.",
    },
    "--limit": {
        "choices": ["none", "hdp", "itic"],
        "default": "none",
        "help": "Of the model, to compare: hdp, words know nothing of their heads; itic, nothing of their "
        "documents.",
    },
    "--unknown": {
        "choices": ["blank", "tag"],
        "default": "blank",
        "help": "Words outside the vocabulary: blank, passed over and not scored; or their tag.",
    },
    "--eta": {
        "default": 0.1,
        "help": "Dirichlet parameter of each topic's words, before it is learned: the mean of its prior.",
    },
    "--inference": {
        "choices": ["gibbs", "mean-field"],
        "default": "gibbs",
        "help": "Chains; or variational inference that begins where a short chain ends, for much text, "
        "streams and Spark.",
    },
    "--schedule": {
        "choices": ["batch", "online"],
        "help": "--inference mean-field: a step a pass, or a step a few documents.  [default: batch]",
    },
    "--batch-size": {"least": 1, "help": "Online: documents of a step.  [default: 32]"},
    "--kappa": {
        "type": NumberRange(0.0, 1.0),
        "help": "Online: how fast learning slows down; a step replaces the share (tau0 + steps "
        "before)^-kappa of what was learned before it.  [default: 0.7]",
    },
    "--tau0": {
        "type": NumberRange(1e-9),
        "help": "Online: how cautious the first steps are.  [default: 8]",
    },
    "--samples": {
        "default": 10,
        "help": "About how many states of each chain, from the last five eighths of its sweeps, predictions "
        "are averaged over.",
    },
    "--chains": {
        "least": 1,
        "help": "Chains with different starts: predictions are means over all, topics those of the best.  "
        "[default: 4]",
    },
    "--iterations": {
        "help": "Sweeps of each chain, or passes.  [default: 400 sweeps; 50 passes, 3 online]",
    },
    "--tol": {
        "default": 1e-4,
        "type": NumberRange(0.0),
        "help": "--inference mean-field: relative change of the bound at which passes end.",
    },
    "--held-out": {
        "help": "Share of the documents that are never learned from, and scored meanwhile; the vocabulary is "
        "of all.",
    },
    "--seed": {},
    "--threads": {},
    "--checkpoint-every": {},
    "--overwrite": {},
}


@dataclass(frozen=True)
class TreeChoice:
    """How the command line says that words of trees are read: all of them; `given` names the options that
    were written out."""

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
        """The analysis, by which every token is a word."""
        from stickbreaker.corpus import Analysis
        from stickbreaker.corpus.text.all_words import analysis_of_all_words

        normalization = None if self.normalization == "none" else self.normalization
        plain = Analysis(language=None, normalization=normalization, lowercase=self.lowercase, tags=self.tags)
        return analysis_of_all_words(plain, "spaced")

    def rule(self, largest: int | None = None) -> "VocabularyRule":
        """Which words are known."""
        from stickbreaker.corpus import VocabularyRule

        return VocabularyRule(self.min_documents, 1.0, self.vocabulary_size)


tree_options = options_into(TreeChoice, "choice")


@click.command(epilog="Example: stickbreaker fit stm news.conllu --out model --topics 32")
@inputs_argument
@options_of(OPTIONS)
@reading_options
@tree_options
@engine_options
@command
def stm(where: EngineChoice, **options: Any) -> None:
    """Learn topics that know grammar: a word's topic is what its document and its head's topic prefer.

    The input is a corpus with trees (`corpus build --trees --all-words`), or CoNLL-U files, of which one is
    built with every token a word, and kept inside the model until the run is done. Ctrl-C saves a checkpoint;
    `stickbreaker resume` continues the run.
    """
    from stickbreaker.syntax.plain_syntactic_topics import PlainSyntacticTopics

    run = NewRun.take_from(options)
    settings = _ways(options, where.engine)
    with where.host() as host:
        model = PlainSyntacticTopics(**as_keywords(settings), engine=host.engine)
        _, directory = begin_run(model, run)
        host.remedy = resume_remedy(run.out)
        go_on(directory, run.checkpoint_every, run.threads, run.as_json, model.engine)


def _ways(options: dict[str, Any], engine: str) -> dict[str, Any]:
    """The options as the estimator has them. Refuses those of other ways of learning."""
    online = ("batch_size", "kappa", "tau0")
    if options["inference"] == "gibbs":
        refuse_written(("schedule", "tol", *online), "needs --inference mean-field")
        if engine != "local":
            raise click.UsageError(f"--engine {engine} needs --inference mean-field")
    else:
        refuse_written(("chains", "samples"), "needs --inference gibbs")
    if options["schedule"] != "online":
        refuse_written(online, "needs --schedule online")
    given = {name: options.pop(name) for name in online}
    if any(value is not None for value in given.values()):
        from stickbreaker.learning.schedules import Online
        from stickbreaker.syntax.syntax_estimator import BATCH_SIZE

        size = BATCH_SIZE if given["batch_size"] is None else given["batch_size"]
        options["schedule"] = Online(size, given["kappa"], given["tau0"])
    return {**options, "limit": None if options["limit"] == "none" else options["limit"]}
