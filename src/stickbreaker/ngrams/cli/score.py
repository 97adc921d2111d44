"""`stickbreaker score` and `generate`: how probable sentences are, and sentences drawn."""

from itertools import chain
from pathlib import Path
from typing import Any

import click

from stickbreaker.console.console import (
    PATH,
    command,
    inputs_argument,
    model_argument,
    refuse_written,
    say,
)
from stickbreaker.console.faces import call_for, result_for, show, verb_options
from stickbreaker.console.inputs import GivenFiles, ReadingChoice, reading_options
from stickbreaker.core.errors import UserError
from stickbreaker.estimators.kinds import kind_at


@click.command(epilog="Example: stickbreaker score model letters.txt")
@model_argument
@inputs_argument
@verb_options("score", document={"type": PATH})
@reading_options
@command
def score(
    model: Path, inputs: tuple[str, ...], reading: ReadingChoice, as_json: bool, **options: Any
) -> None:
    """Print how probable each sentence is, in nats: log p of its words and of its end.

    One line per sentence, with tabs between: the document's id, the number of the sentence in it, words,
    those that the model does not know, and nats. Texts are cut into sentences as the model's own were. With
    --words: id, sentence, the word (</s> is the end), whether it is known (0 or 1), and nats given the words
    before.

    A model with topics scores each sentence by itself: it infers the topics from the words of the sentence
    alone. --document gives it the text that the sentences come after.

    MODEL may be a file in the ARPA format, of KenLM, SRILM or others: texts are read as these do, one
    sentence per line, words between spaces; in lower case if the file has no capital letter.
    """
    if options["interpolate"] is None:
        refuse_written(("weight", "tune_on"), "needs --interpolate")
    if options["tune_on"] is not None:
        refuse_written(("weight",), "and --tune-on both say the share; leave one out")
    if options["interpolate"] is None:
        _refuse_topics(model, "score")
    more = _files(options, reading)
    if as_json:
        show(result_for("score", model, options, GivenFiles(inputs, reading), **more), as_json)
        return
    arguments = call_for("score", model, options, GivenFiles(inputs, reading), **more).arguments
    from stickbreaker.ngrams.verbs.score import COLUMNS, OF_WORDS, scored_sentences

    sentences = scored_sentences(*arguments)
    first = next(sentences, None)
    if first is None:
        raise UserError("there is nothing to score", remedy="no document has a word")
    say("\t".join(OF_WORDS if options["words"] else COLUMNS))
    for sentence in chain((first,), sentences):  # as many as there are, which need not fit into memory
        for row in sentence.rows():
            say(row)


def _refuse_topics(model: Path, verb: str) -> None:
    """Raise a usage error for options that need topics, if the user gave one for a model without."""
    kind = kind_at(model, verb)
    if "topics" not in kind.verbs:
        refuse_written(("document", "topic"), f"does not apply to a {kind.noun}")


def _files(options: dict[str, Any], reading: ReadingChoice) -> dict[str, object]:
    """The settings that are documents, which are read as the sentences are."""
    names = [name for name in ("document", "tune_on") if options.get(name) is not None]
    return {name: GivenFiles((str(options[name]),), reading) for name in names}


@click.command(epilog='Example: stickbreaker generate model --beginning "the old"')
@model_argument
@verb_options("generate", document={"type": PATH}, beginning={"show_default": False})
@reading_options
@command
def generate(model: Path, reading: ReadingChoice, as_json: bool, **options: Any) -> None:
    """Print sentences drawn from a language model, a line each.

    <unk> stands for a word that is not known; where words are spelled, only known ones are drawn. By a model
    with topics, each sentence is of a document of its own, whose topics are drawn too: from what is likely of
    any, or after --document.
    """
    _refuse_topics(model, "generate")
    show(result_for("generate", model, options, **_files(options, reading)), as_json)
