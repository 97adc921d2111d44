"""`stickbreaker score` and `generate`: how probable sentences are, and sentences drawn."""

import math
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import (
    PATH,
    command,
    emit,
    inputs_argument,
    model_argument,
    option,
    refuse_written,
    say,
    tell_of_compiling,
)
from stickbreaker.console.inputs import ReadingChoice, reading_options
from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus.text.analysis import END_MARK
from stickbreaker.ngrams.cli.word_scorers import (
    InterpolationChoice,
    documents_for,
    interpolation_options,
    language_model,
    word_scorer,
)

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus
    from stickbreaker.ngrams.interpolation import WordScorer
    from stickbreaker.ngrams.sentence_scores import Scores

WITHOUT_TOPICS = "does not apply to a language model without topics"
COLUMNS = ("id", "sentence", "words", "unknown", "nats")
OF_WORDS = ("id", "sentence", "word", "known", "nats")


document_option = option(
    "--document",
    type=PATH,
    help="Models with topics: a file whose text comes before each sentence, by which topics adapt.",
)


@click.command(epilog="Example: stickbreaker score model letters.txt")
@model_argument
@inputs_argument
@document_option
@interpolation_options
@option("--words", is_flag=True, help="Print a line per word instead, and one for the end of each sentence.")
@reading_options
@command
def score(
    model: Path,
    inputs: tuple[str, ...],
    document: Path | None,
    interpolation: InterpolationChoice,
    words: bool,
    reading: ReadingChoice,
    as_json: bool,
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
    tell_of_compiling()
    scorer = word_scorer("score", model, interpolation, reading)
    corpus = documents_for(scorer, inputs, reading)
    seen = _documents_seen(scorer, document, reading)
    blocks = scorer.scores_of_sentences(corpus, seen)
    lines = _lines(blocks, corpus, words=words)
    first = next(lines, None)
    if first is None:
        raise UserError("there is nothing to score", remedy="no document has a word")
    if as_json:
        sentences = [first, *lines]
        nats, events = sum(line["nats"] for line in sentences), sum(line["words"] + 1 for line in sentences)
        whole = {"nats": nats, "events": events, "perplexity": math.exp(-nats / events)}
        emit({"sentences": sentences, **whole}, as_json, str)
        return
    if words:
        _say_words(chain((first,), lines))
        return
    say("\t".join(COLUMNS))
    for line in chain((first,), lines):
        say(
            "\t".join(
                (
                    " ".join(line["id"].split()),
                    *(str(line[name]) for name in COLUMNS[1:-1]),
                    f"{line['nats']:.6f}",
                )
            )
        )


def _documents_seen(scorer: "WordScorer", document: Path | None, reading: ReadingChoice) -> "Corpus | None":
    """Read the document of --document as a corpus; None if the option is not given.

    For a model without topics, raises a usage error if --document or --topic is given.
    """
    if not scorer.has_topics:
        refuse_written(("document", "topic"), WITHOUT_TOPICS)
    return None if document is None else documents_for(scorer, (str(document),), reading)


def _say_words(lines: Iterable[JsonObject]) -> None:
    """Print a header, and a table row for each word and for the end of each sentence.

    lines: the rows of sentences from `_lines`, with their words.
    """
    say("\t".join(OF_WORDS))
    for line in lines:
        for word, known, nats in line["of_words"]:
            cells = (
                " ".join(line["id"].split()),
                str(line["sentence"]),
                word,
                str(int(known)),
                f"{nats:.6f}",
            )
            say("\t".join(cells))


def _words_of(scores: "Scores", corpus: "Corpus", block: int) -> Iterator[list[tuple[str, bool, float]]]:
    """For each sentence of a block, its words as they are spelled in the text, and its end: (word, whether it
    is known, log p in nats)."""
    entries, _ = corpus.source.tokens(block)
    tokens = iter(entries.spellings(entries.codes))
    found: list[tuple[str, bool, float]] = []
    figures = scores.ends.tolist(), scores.known.tolist(), scores.nats.tolist()
    for end, known, nats in zip(*figures, strict=True):
        found.append((END_MARK if end else next(tokens), known, nats))
        if end:
            yield found
            found = []


def _lines(blocks: "Iterator[Scores]", corpus: "Corpus", *, words: bool) -> Iterator[JsonObject]:
    """Yield a row for each sentence: its document's id, its number there (from 0), how many words and unknown
    words it has, and log p in nats, named as in `COLUMNS`.

    With `words`, the row also has "of_words": (word, whether it is known, log p) of each word and the end.
    """
    for block, scores in enumerate(blocks):
        ids, before = corpus.ids(block), -1
        n_words, unknown, nats = scores.by_sentence()
        of_words = _words_of(scores, corpus, block) if words else None
        number = 0
        for place, document in enumerate(scores.documents.tolist()):
            number, before = (number + 1 if document == before else 0), document
            values = (ids[document], number, n_words[place], unknown[place], nats[place])
            line: JsonObject = dict(zip(COLUMNS, values, strict=True))
            yield line if of_words is None else {**line, "of_words": next(of_words)}


@click.command(epilog='Example: stickbreaker generate model --beginning "the old"')
@model_argument
@option("--sentences", default=10, least=1, help="How many.")
@option("--beginning", default="", metavar="TEXT", help="Words that each begins with.", show_default=False)
@option("--longest", default=100, least=1, help="Words at most.")
@option("--topic", least=0, help="Models with topics: draw all words that are of a topic from this one.")
@document_option
@option("--seed", default=0, help="The same seed gives the same sentences.")
@reading_options
@command
def generate(
    model: Path,
    sentences: int,
    beginning: str,
    longest: int,
    topic: int | None,
    document: Path | None,
    seed: int,
    reading: ReadingChoice,
    as_json: bool,
) -> None:
    """Print sentences drawn from a language model, a line each.

    <unk> stands for a word that is not known; where words are spelled, only known ones are drawn. By a model
    with topics, each sentence is of a document of its own, whose topics are drawn too: from what is likely of
    any, or after --document.
    """
    tell_of_compiling()
    learned = language_model("generate", model)
    seen = _documents_seen(learned, document, reading)
    drawn = learned.draw_sentences(
        sentences, topic=topic, seen=seen, beginning=beginning, longest=longest, random_state=seed
    )
    emit(
        {"sentences": [" ".join(one) for one in drawn]},
        as_json,
        lambda result: "\n".join(result["sentences"]),
    )
