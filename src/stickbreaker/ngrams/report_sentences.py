"""Sentences saved for the report of a language model, with the probability of each word."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from stickbreaker.core.random_streams import stream
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.source import Source
from stickbreaker.ngrams import purposes
from stickbreaker.ngrams.model.contexts import Integers
from stickbreaker.ngrams.model.language_model import LanguageModel
from stickbreaker.ngrams.sentence_scores import log_base_of
from stickbreaker.ngrams.word_numbers import Base
from stickbreaker.saved.manifest_fields import DOCUMENTS
from stickbreaker.saved.parquet_figures import write_with_figures

LIMIT = 40  # sentences
LEAST_WORDS = 4  # of a sentence
MOST_WORDS = 60  # longer sentences are cut
COLUMNS = ("id", "tokens", "nats", "known")


class Sentence(NamedTuple):
    """Where a sentence is in a corpus: its block, its document's position there, its first token and its
    size.

    `start` is a position among the tokens of the block, `size` a number of tokens.
    """

    block: int
    document: int
    start: int
    size: int


def write_sentences(
    model: LanguageModel, base: Base, corpus: Corpus, held_out: float, seed: int, folder: Path
) -> None:
    """Write documents.parquet into a model's directory: at most `LIMIT` sentences, drawn uniformly.

    They come from held-out documents if there are any, else from the training text. Columns: id (of the
    document), tokens, nats (log p of each token, and of the end unless the sentence was cut), known (of each
    token). In the file's own metadata, "stickbreaker" is a JSON object: {"held_out": true or false}.
    """
    source = Source(corpus, held_out)
    found = [place for block in range(source.n_blocks) for place in _places(corpus, source, block)]
    generator = stream(seed, purposes.NGRAM_REPORT)
    drawn = sorted(generator.permutation(len(found))[:LIMIT].tolist())
    rows = [_row(model, base, corpus, found[number]) for number in drawn]
    types = (pa.string(), pa.list_(pa.string()), pa.list_(pa.float64()), pa.list_(pa.bool_()))
    columns = {
        name: pa.array([row[name] for row in rows], kind) for name, kind in zip(COLUMNS, types, strict=True)
    }
    write_with_figures(folder / DOCUMENTS, columns, {"held_out": held_out > 0.0})


def _places(corpus: Corpus, source: Source, block: int) -> Iterator[Sentence]:
    """The sentences of a block that a report may show: those with enough words, of held-out documents if any
    are held out."""
    content = corpus.sequences(block)
    sizes = np.diff(content.starts, append=len(content.words))
    documents = np.searchsorted(content.offsets, content.starts, side="right") - 1
    shown = source.training_in(block) != (source.held_out > 0.0)
    wanted = shown[documents] & (sizes >= LEAST_WORDS)
    for i in np.flatnonzero(wanted).tolist():
        yield Sentence(block, int(documents[i]), int(content.starts[i]), int(sizes[i]))


def _row(model: LanguageModel, base: Base, corpus: Corpus, place: Sentence) -> dict[str, object]:
    """The row of documents.parquet for a sentence, with log p of its words: see `write_sentences`."""
    numbers = base.numbers
    tokens = slice(place.start, place.start + min(place.size, MOST_WORDS))
    words: Integers = numbers.numbered(corpus.sequences(place.block).words[tokens])
    entries = corpus.source.entries(place.block)
    spelled = entries.spellings(entries.codes[tokens])
    log_base = np.append(log_base_of(words, corpus, place.block, base, tokens), base.log_p[numbers.end])
    nats = model.log_probabilities(words, np.zeros(1, np.int64), log_base)
    return {
        "id": corpus.ids(place.block)[place.document],
        "tokens": spelled,
        "nats": nats.tolist() if place.size <= MOST_WORDS else nats[:-1].tolist(),
        "known": ((words != numbers.unknown) & (words >= 0)).tolist(),
    }
