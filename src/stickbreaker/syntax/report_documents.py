"""Documents and sentences saved for the report of a syntactic topic model, with their topics."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stickbreaker.core.random_streams import stream
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.sequences import Trees
from stickbreaker.corpus.source import Source
from stickbreaker.saved.documents_with_topics import document_row, whose, write_rows
from stickbreaker.syntax import purposes
from stickbreaker.syntax.model.learned_syntax import LearnedSyntax
from stickbreaker.syntax.sentence_scores import sentences_of
from stickbreaker.syntax.tree_words import TreeWords

LIMIT = 2000  # documents
SENTENCES = 40
LEAST_WORDS = 3  # of a sentence
MOST_WORDS = 60  # longer sentences are cut
BEYOND = -2  # the head of a word, if it is in the part that was cut
SENTENCE = ("size", "tokens", "known", "heads", "topics", "sure")


class Lens(NamedTuple):
    """What infers the topics of the report's documents: a learned model, its word numbers and a seed."""

    learned: LearnedSyntax
    words: TreeWords
    seed: int


class Chosen(NamedTuple):
    """The documents and sentences of a block of the corpus that a report shows, by their positions in it."""

    documents: NDArray[np.int64]
    sentences: NDArray[np.int64]


def write_documents(lens: Lens, corpus: Corpus, folder: Path, held_out: float, *, learned_from: bool) -> None:
    """Write documents.parquet into a model's directory, for the report: documents and parsed sentences.

    There are at most `SENTENCES` sentences, drawn uniformly, of held-out documents if there are any; and at
    most `LIMIT` documents, those of the sentences and random others. lens: infers their topics; held_out: the
    share of documents that the run held out; learned_from: whether the model was learned from this corpus.

    Columns: id; words, their number; held_out; topics and shares, lists of the topics with the largest
    expected shares of the words; sentences, a list of records. A record has size, the number of words of the
    sentence, and for each word shown (at most `MOST_WORDS`): its token; whether it is known; its head's
    position, -1 for none, or `BEYOND`; its most probable topic; and the probability of that (sure).

    Topics are by the last sample of the best chain. In the file's metadata, "stickbreaker" is a JSON object:
    {"documents": the number in the corpus, "sentences": "held-out", "learned" or "other"}.
    """
    source = Source(corpus, held_out, unit=Trees)
    chosen = _chosen(source, lens.seed)
    rows = [row for block, own in enumerate(chosen) for row in _rows(lens, source, block, own)]
    whole, flags = pa.list_(pa.int32()), pa.list_(pa.bool_())
    types = (pa.int32(), pa.list_(pa.string()), flags, whole, whole, pa.list_(pa.float64()))
    fields: dict[str, pa.DataType] = dict(zip(SENTENCE, types, strict=True))
    of = whose(held_out, learned_from=learned_from)
    write_rows(folder, rows, "sentences", fields, n=corpus.n_documents, of=of)


def _chosen(source: Source, seed: int) -> list[Chosen]:
    """Choose the documents and sentences that the report shows, in each block of the corpus.

    Sentences are drawn uniformly. Documents are those of these sentences, and random others up to `LIMIT`.
    """
    generator = stream(seed, purposes.SYNTAX_REPORT)
    places = [_places(source, block) for block in range(source.n_blocks)]
    found = np.concatenate([np.empty((0, 3), np.int64), *places])  # block, document, sentence
    found = found[generator.permutation(len(found))[:SENTENCES]]
    first = source.first[found[:, 0]] + found[:, 1]
    order = np.concatenate([first, generator.permutation(int(source.first[-1]))])
    _, at = np.unique(order, return_index=True)
    documents = np.sort(order[np.sort(at)[:LIMIT]])
    cuts = np.searchsorted(documents, source.first)
    return [
        Chosen(
            documents[cuts[block] : cuts[block + 1]] - source.first[block],
            np.sort(found[found[:, 0] == block, 2]),
        )
        for block in range(source.n_blocks)
    ]


def _places(source: Source, block: int) -> NDArray[np.int64]:
    """The sentences of a block that the report may show: (sentences × 3) block, document, sentence number.

    They have at least `LEAST_WORDS` words, and are of held-out documents if the run has any.
    """
    trees = source.content(block)
    sizes = np.diff(trees.starts, append=len(trees.words))
    documents = np.searchsorted(trees.offsets, trees.starts, side="right") - 1
    shown = source.training_in(block) != (source.held_out > 0.0)
    numbers = np.flatnonzero(shown[documents] & (sizes >= LEAST_WORDS))
    return np.stack([np.full(len(numbers), block), documents[numbers], numbers], axis=1)


def _rows(lens: Lens, source: Source, block: int, chosen: Chosen) -> list[dict[str, object]]:
    """The rows of documents.parquet for the chosen documents of a block."""
    if not len(chosen.documents):
        return []
    trees, ids = source.content(block), source.corpus.ids(block)
    ordered = lens.words.ordered(trees.take(chosen.documents))
    sizes = np.diff(ordered.nodes.offsets)
    counts = lens.learned.expected_counts(ordered, lens.seed, lens.learned.own - 1)
    shares = np.where(sizes[:, None] > 0, counts / np.maximum(sizes, 1)[:, None], 0.0)
    sentences = _sentences(lens, source, block, chosen)
    learned_from = source.training_in(block)
    places: list[int] = chosen.documents.tolist()
    return [
        {
            **document_row(ids[place], int(size), bool(learned_from[place]), share),
            "sentences": sentences.get(place, []),
        }
        for place, size, share in zip(places, sizes, shares, strict=True)
    ]


def _sentences(lens: Lens, source: Source, block: int, chosen: Chosen) -> dict[int, list[dict[str, object]]]:
    """Make the records of a block's chosen sentences: {document's position in the block: its records}."""
    if not len(chosen.sentences):
        return {}
    corpus, trees = source.corpus, source.content(block)
    assert isinstance(corpus, Corpus)
    firsts = trees.starts[chosen.sentences]
    documents = np.searchsorted(trees.offsets, firsts, side="right") - 1
    distinct, owners = np.unique(documents, return_inverse=True)
    alone = sentences_of(trees, chosen.sentences)
    ordered, seen = lens.words.ordered(alone), lens.words.ordered(trees.take(distinct))
    shares = np.empty((len(alone.words), lens.learned.tau.shape[1]))
    shares[ordered.tokens] = lens.learned.topic_probabilities(ordered, owners, seen, lens.seed)
    entries = corpus.source.entries(block)
    found: dict[int, list[dict[str, object]]] = {}
    for number, (place, start) in enumerate(zip(documents.tolist(), firsts.tolist(), strict=True)):
        at, end = alone.offsets[number : number + 2].tolist()
        n = min(end - at, MOST_WORDS)
        shown = slice(at, at + n)
        heads, best = alone.heads[shown], shares[shown].argmax(axis=1)
        parts = (
            end - at,
            entries.spellings(entries.codes[start : start + n]),
            (alone.words[shown] >= 0).tolist(),
            np.where(heads < n, heads, BEYOND).tolist(),
            best.tolist(),
            shares[shown].max(axis=1).tolist(),
        )
        found.setdefault(place, []).append(dict(zip(SENTENCE, parts, strict=True)))
    return found
