"""`stickbreaker score` and `generate`: how probable sentences are, and sentences drawn."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stickbreaker.console.console import (
    command,
    emit,
    inputs_argument,
    model_argument,
    option,
    say,
    tell_of_compiling,
)
from stickbreaker.console.inputs import ReadingChoice, open_documents, reading_options
from stickbreaker.core.errors import UserError

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus
    from stickbreaker.ngrams.plain_ngram import PlainNgramModel

COLUMNS = ("id", "sentence", "words", "unknown", "nats")


@click.command(epilog="Example: stickbreaker score model letters.txt")
@model_argument
@inputs_argument
@reading_options
@command
def score(model: Path, inputs: tuple[str, ...], reading: ReadingChoice, as_json: bool) -> None:
    """Print how probable each sentence is, in nats: log p of its words and of its end.

    A line a sentence, with tabs between: the document's id, the number of the sentence in it, words, those
    that the model does not know, and nats. Texts are cut into sentences as the model's own were.
    """
    from stickbreaker.estimators.saving import load_for
    from stickbreaker.ngrams.plain_ngram import PlainNgramModel

    tell_of_compiling()
    estimator = load_for("score", PlainNgramModel, model)
    corpus = open_documents(estimator, inputs, reading)
    lines = _lines(estimator, corpus)
    first = next(lines, None)
    if first is None:
        raise UserError("there is nothing to score", remedy="no document has a word")
    if as_json:
        sentences = [first, *lines]
        nats, events = sum(line["nats"] for line in sentences), sum(line["words"] + 1 for line in sentences)
        whole = {"nats": nats, "events": events, "perplexity": math.exp(-nats / events)}
        emit({"sentences": sentences, **whole}, as_json, str)
        return
    say("\t".join(COLUMNS))
    for line in (first, *lines):
        say(
            "\t".join(
                (
                    " ".join(line["id"].split()),
                    *(str(line[name]) for name in COLUMNS[1:-1]),
                    f"{line['nats']:.6f}",
                )
            )
        )


def _lines(estimator: "PlainNgramModel", corpus: "Corpus") -> Iterator[dict[str, Any]]:
    """What is known of each sentence, by the names of `COLUMNS`."""
    for block, scores in enumerate(estimator.scores(corpus)):
        ids, before = corpus.ids(block), -1
        words, unknown, nats = (
            scores.by_sentence(values).tolist() for values in (~scores.ends, ~scores.known, scores.nats)
        )
        number = 0
        for place, document in enumerate(scores.documents.tolist()):
            number, before = (number + 1 if document == before else 0), document
            values = (ids[document], number, int(words[place]), int(unknown[place]), nats[place])
            yield dict(zip(COLUMNS, values, strict=True))


@click.command(epilog='Example: stickbreaker generate model --beginning "the old"')
@model_argument
@option("--sentences", default=10, least=1, help="How many.")
@option("--beginning", default="", metavar="TEXT", help="Words that each begins with.", show_default=False)
@option("--longest", default=100, least=1, help="Words at most.")
@option("--seed", default=0, help="The same seed gives the same sentences.")
@command
def generate(model: Path, sentences: int, beginning: str, longest: int, seed: int, as_json: bool) -> None:
    """Print sentences drawn from a language model, a line each.

    <unk> stands for a word that is not known; where words are spelled, only known ones are drawn.
    """
    from stickbreaker.estimators.saving import load_for
    from stickbreaker.ngrams.plain_ngram import PlainNgramModel

    tell_of_compiling()
    estimator = load_for("generate", PlainNgramModel, model)
    drawn = estimator.generate(sentences, beginning=beginning, longest=longest, random_state=seed)
    emit(
        {"sentences": [" ".join(one) for one in drawn]},
        as_json,
        lambda result: "\n".join(result["sentences"]),
    )
