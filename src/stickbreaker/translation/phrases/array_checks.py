"""Checks that arrays of a file are a phrase table and a language model, since kernels do not check."""

import numpy as np

from stickbreaker.core.records import AnyArray
from stickbreaker.ngrams.kernels.backoff_trigrams import BackoffArrays
from stickbreaker.translation.kernels.phrase_extraction import MOST
from stickbreaker.translation.phrases.phrase_table import GivenScores, PhraseCounts, PhraseTable


def require_table(table: PhraseTable, words: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
    """Raise ValueError unless a phrase table from a file is consistent and fits the words of a bitext
    (source, target)."""
    index, n = table.index, table.n_options
    for own, more in zip(words, table.more_words, strict=True):
        _require({*more}.isdisjoint(own), "more_words contains known words")
    sizes = [len(own) + len(more) for own, more in zip(words, table.more_words, strict=True)]
    _require(index.n_words == sizes[0] and len(index.keys) <= MOST, "phrases belong to other words")
    before = 1
    for keys in index.keys:
        _within(keys, np.int64, 0, before * index.n_words)
        _require((np.diff(keys) > 0).all(), "phrases are not sorted")
        before = len(keys)
    _offsets(table.starts, int(index.starts[-1]), n)
    _offsets(table.offsets, n, len(table.target_words))
    lengths = np.diff(table.offsets)
    _within(lengths, np.int64, 1, MOST + 1)
    _within(table.target_words, np.int32, 0, sizes[1])
    _require_scores(table.scores, n)
    _within(table.links, np.int32, 1, 1 << MOST * MOST)
    _require(len(table.links) == n, "links belong to other phrases")
    source_lengths = np.searchsorted(index.starts, table.phrases, side="right")
    source, target = np.divmod(np.arange(MOST * MOST), MOST)
    for places, own in ((source, source_lengths), (target, lengths)):
        allowed = np.array([(1 << np.flatnonzero(places < m)).sum() for m in range(MOST + 1)], np.int64)
        _require(not (table.links & ~allowed[own]).any(), "links go beyond the ends of phrases")


def _require_scores(scores: PhraseCounts | GivenScores, n: int) -> None:
    """Raise ValueError unless these are valid scores of n translations."""
    if isinstance(scores, GivenScores):
        for values in scores:
            _require(values.shape == (n, 2) and values.dtype == np.float64, "scores belong to other phrases")
            _require((values <= 0.0).all(), "probabilities are above one")
        return
    for counts in scores:
        _require(len(counts) == n, "counts belong to other phrases")
        _within(counts, np.int64, 1, 1 << 62)
    _require((scores.counts <= scores.source_counts).all(), "counts are above those of the phrase")
    _require((scores.counts <= scores.target_counts).all(), "counts are above those of the phrase")


def require_model(model: BackoffArrays, n_words: int) -> None:
    """Raise ValueError unless arrays from a file are a language model over `n_words` target words, whose
    indices kernels can follow safely."""
    nodes = len(model.log_p)
    _require(len(model.numbers) == n_words, "the language model belongs to other words")
    _require(0 < model.n_words < nodes, "the language model has no words")
    for value, below in (
        (model.unknown, model.n_words),
        (model.end, model.n_words),
        (model.beginning, nodes),
    ):
        _require(0 <= value < below, "the marks of the language model are not words")
    _within(model.numbers, np.int64, 0, model.n_words)
    for values in (model.log_p, model.back_off):
        _require(
            values.dtype == np.float64 and values.shape == (nodes,),
            "log probabilities have another size or type",
        )
    _require(np.isfinite(model.log_p[1 : model.n_words + 1]).all(), "some words have no probability")
    _require(
        not np.isinf(model.log_p).any() and np.isfinite(model.back_off).all(), "log weights are infinite"
    )
    for links in (model.shorter, model.states):
        _require(links.shape == (nodes,), "suffixes belong to other n-grams")
        _within(links, np.int64, 0, nodes)
        _require((links <= np.arange(nodes)).all(), "suffixes are longer")
    _require((model.shorter[1:] < np.arange(1, nodes)).all(), "suffixes are not shorter")
    slots = model.slots
    _require(
        slots.ndim == 2 and slots.shape[1] == 2 and slots.dtype == np.int64, "slots have another size or type"
    )
    _require(len(slots).bit_count() == 1 and (slots[:, 0] < 0).any(), "slots are all taken")
    _within(slots[slots[:, 0] >= 0, 1], np.int64, 0, nodes)


def _within(values: AnyArray, kind: type[np.integer], low: int, high: int) -> None:
    """Raise ValueError unless an array has one axis and this type, and all values are at least `low` and
    below `high`."""
    _require(values.ndim == 1 and values.dtype == kind, f"{values.ndim} axes of {values.dtype}")
    if len(values):
        _require(low <= int(values.min()) and int(values.max()) < high, "numbers are out of range")


def _offsets(offsets: AnyArray, n: int, last: int) -> None:
    """Raise ValueError unless offsets divide `last` items into n groups: n + 1 positions from 0 to `last`."""
    _within(offsets, np.int64, 0, last + 1)
    _require(
        len(offsets) == n + 1 and offsets[0] == 0 and offsets[-1] == last, "offsets belong to other items"
    )
    _require((np.diff(offsets) >= 0).all(), "offsets are not sorted")


def _require(holds: object, problem: str) -> None:
    if not holds:
        raise ValueError(problem)
