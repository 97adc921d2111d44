"""Queries of topic moves to the table: functions of a block of rows, whose results are summed over the blocks
or joined to arrays over all rows.

In a block, `held` has "trial", the rows that a proposal's trial reported, and "fresh", those of the step's
own report. scipy is imported on use, so that models load without it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stickbreaker.contracts.table_view import RowBlock
from stickbreaker.core.edits import given, own_shares
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array, Record
from stickbreaker.topics import purposes
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary

DRAWN = 1 << 17  # words whose scores are drawn from one stream
SMOOTH = 1.0  # prior tokens of a word, divided like the whole topic
Answer = Mapping[str, Array]


class WordsSlot(NamedTuple):
    """The vocabulary of a model, and the params that belong to it."""

    slot: ClosedVocabulary
    params: Record

    def totals(self, counts: Array, part: RowBlock) -> Array:
        """Sums of counts (rows × columns) over the rows of a block, by group (groups × columns)."""
        ranges = self.slot.ranges(range(part.first, part.first + len(counts)))
        return np.array([[column[rows].sum() for column in counts.T] for rows in ranges])

    def log_words(self, counts: Array, totals: Array, part: RowBlock) -> Array:
        """E[log beta] of counts over a block's rows (rows × columns); totals (groups × columns): of all."""
        return self.slot.log_words(self.params, counts, totals, part.first)


# shares of words


def shares(counts: Array, tokens: Array, smooth: float = SMOOTH) -> Array:
    """The share of the second half in each word (words), from the counts that a trial gave to both halves
    (words × 2), whose sums are `tokens` (2).

    It is smoothed; a word without counts has the share of all words together.
    """
    total = float(tokens.sum())
    part = float(tokens[1]) / total if total > 0.0 else 0.5
    of_word = counts[:, 0] + counts[:, 1] + smooth
    return np.where(of_word > 0.0, (counts[:, 1] + smooth * part) / np.maximum(of_word, 1e-300), part)


def in_two(column: Array, second: Array) -> Array:
    """A topic's counts divided in two (words × 2); `second`: the share of the second half in each word."""
    return np.stack([column * (1.0 - second), column * second], axis=1)


def seconds(part: RowBlock, tokens: Array, smooth: float) -> Answer:
    """The share of the second half in each of a topic's words, as a split's trial divided its tokens, as
    {"words": …}.
    """
    return {"words": shares(part.held["trial"], tokens, smooth)}


def handed(part: RowBlock, amounts: bool) -> Answer:
    """How the trial of a handover divided each word of the topic among the targets, as {"words": …}: the
    tokens that each gains (with `amounts`), or shares.
    """
    tokens = part.held["trial"]
    return {"words": tokens if amounts else own_shares(tokens)}


# what to try


def random_scores(part: RowBlock, seed: int, step: int, topic: int) -> Answer:
    """A random number per word, the first direction of a split; every `DRAWN` words have a stream."""
    at, last, drawn = part.first, part.first + len(part.counts), list[Array]()
    while at < last:
        number, skipped = divmod(at, DRAWN)
        purpose = f"{purposes.DIRECTIONS} {number}" if number else purposes.DIRECTIONS
        end = min(last, (number + 1) * DRAWN)
        drawn.append(stream(seed, purpose, step, topic).standard_normal(skipped + end - at)[skipped:])
        at = end
    return {"direction": np.concatenate([np.zeros(0), *drawn])}


def products(part: RowBlock, totals: Array) -> Answer:
    """Products of topics (topics × topics) as {"counts", "squares", "shares"}: inner products of their
    counts, sums of squares (topics), and inner products of word shares with chi-squared weights; `totals`:
    the topics' tokens.
    """
    columns = part.counts
    mean = np.maximum(columns.sum(axis=1) / max(float(totals.sum()), 1e-300), 1e-12)
    scaled = columns / np.maximum(totals, 1e-3) / np.sqrt(mean)[:, None]
    return {"counts": columns.T @ columns, "squares": (columns**2).sum(axis=0), "shares": scaled.T @ scaled}


def targets(part: RowBlock, words: WordsSlot, topics: Sequence[int], totals: Array) -> Answer:
    """E[log beta] of a handover's targets, as {"log_words": …}; `totals` (groups × targets): their tokens."""
    return {"log_words": words.log_words(part.counts[:, topics], totals, part)}


# how a split is fitted


def _scores(rows: Array) -> tuple[Array, Array]:
    """Each word's score, the mean (shrunk to 0) of its documents' scores, and its tokens, from a trial's rows
    (words × 2: the sum of its documents' scores over tokens, tokens).
    """
    sums, tokens = rows.T
    return sums / (tokens + 1.0), tokens


def moments(part: RowBlock) -> Answer:
    """Moments of the scores of words in a split's trial, from which `centred` standardises them, as
    {"moments": …}: the number of tokens, and the sums over tokens of score and score².
    """
    scores, tokens = _scores(part.held["trial"])
    return {"moments": np.array([tokens.sum(), (tokens * scores).sum(), (tokens * scores**2).sum()])}


def centred(part: RowBlock, moments: Array) -> Answer:
    """The scores of words for the next round of a split, as {"direction": …}: those of the last trial, with
    mean 0 and variance 1 over tokens; 0 for words without tokens.

    moments: the result of `moments`, summed over blocks.
    """
    scores, tokens = _scores(part.held["trial"])
    total = max(float(moments[0]), 1e-300)
    mean = moments[1] / total
    spread = np.sqrt(max(float(moments[2] / total - mean**2), 0.0))
    return {"direction": np.where(tokens > 0.0, (scores - mean) / max(float(spread), 1e-300), 0.0)}


def halves(part: RowBlock, words: WordsSlot, topic: int, tokens: Array) -> Answer:
    """The totals (groups × 2) of a topic's counts divided as in its trial, as {"totals": …}."""
    second = shares(part.held["trial"], tokens)
    return {"totals": words.totals(in_two(part.counts[:, topic], second), part)}


def proposed(part: RowBlock, words: WordsSlot, topic: int, tokens: Array, totals: Array) -> Answer:
    """For the next round of a split: the share of the second half in each word, as the trial divided its
    tokens, and the log odds of the first half.

    totals: the result of `halves`.
    """
    second = shares(part.held["trial"], tokens)
    log_words = words.log_words(in_two(part.counts[:, topic], second), totals, part)
    return {"shares": second, "log_odds": log_words[:, 0] - log_words[:, 1]}


def first_counts(
    part: RowBlock, words: WordsSlot, topic: int, keep: float, add: float, totals: Array
) -> Answer:
    """The initial counts of a topic's split into `keep` × its past counts and `add` × the report's counts,
    and the log odds of words between these two.
    """
    start = np.stack([keep * part.counts[:, topic], add * part.held["fresh"][:, topic]], axis=1)
    log_words = words.log_words(start, totals, part)
    return {"start": start, "log_odds": log_words[:, 0] - log_words[:, 1]}


def report_totals(part: RowBlock, words: WordsSlot) -> Answer:
    """The sums of the report's rows (groups × topics), as {"totals": …}."""
    return {"totals": words.totals(part.held["fresh"], part)}


# terms of the bound


class DrawnColumns(NamedTuple):
    """Counts of some topics, present or proposed, over the rows of a block, and the tokens sampled from each
    (both rows × columns).
    """

    counts: Array
    drawn: Array | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """A query for the sums over words from which the bound of some columns is computed: see `evidence` and
    `log_likelihood`.

    columns: a function from a block to the counts of these columns.
    """

    words: WordsSlot
    columns: Callable[[RowBlock], DrawnColumns]

    def __call__(self, part: RowBlock) -> Answer:
        from scipy.special import psi

        slot, params = self.words
        counts, drawn = self.columns(part)
        sums = {"totals": self.words.totals(counts, part), **slot.summary(params, counts, part.first)}
        if drawn is None:
            return sums
        logs = (drawn * psi(slot.parameters(params, counts, part.first))).sum(axis=0)
        return {**sums, "drawn": self.words.totals(drawn, part), "logs": logs}


def evidence(words: WordsSlot, sums: Answer) -> Array:
    """log B(lambda) - log B(eta) of each column, in nats (columns), from the sums of `Terms`."""
    return words.slot.evidence(words.params, sums["totals"], sums)


def log_likelihood(words: WordsSlot, sums: Answer) -> Array:
    """The sum of E[log beta] over the tokens sampled from each column, in nats (columns)."""
    from scipy.special import psi

    log_totals = psi(sums["totals"] + words.slot.prior_totals(words.params))
    return np.asarray(sums["logs"] - (sums["drawn"] * log_totals).sum(axis=0))


def split(part: RowBlock, topic: int, tokens: Array) -> DrawnColumns:
    """The counts of a topic's two halves, divided as in its trial, and of the whole topic."""
    second = shares(part.held["trial"], tokens, 0.0)
    return DrawnColumns(_parts_and_whole(part.counts[:, topic], second))


def split_as_fitted(part: RowBlock, topic: int) -> DrawnColumns:
    """The counts of a topic's two halves, divided by "shares", and of the whole topic; `drawn`: the tokens
    that the trial gave to each.
    """
    first, second = part.held["trial"].T
    counts = _parts_and_whole(part.counts[:, topic], part.held["shares"])
    return DrawnColumns(counts, np.stack([first, second, first + second], axis=1))


def seconds_after(part: RowBlock, rate: float, scale: float) -> Answer:
    """The share of the second half in each word, after a step at `rate` has blended `scale` × the trial's
    counts into the initial ones ("start"), as {"words": …}.
    """
    after = (1.0 - rate) * part.held["start"] + rate * (scale * part.held["trial"])
    return {"words": after[:, 1] / np.maximum(after[:, 0] + after[:, 1], 1e-300)}


def split_after(part: RowBlock, topic: int, rate: float, scale: float) -> DrawnColumns:
    """The counts of a topic's two halves, divided by `seconds_after`, and of the whole topic.

    `drawn`: `scale` × the reported tokens of each minus these counts.
    """
    counts = _parts_and_whole(part.counts[:, topic], seconds_after(part, rate, scale)["words"])
    fresh = scale * np.stack([*part.held["trial"].T, part.held["fresh"][:, topic]], axis=1)
    return DrawnColumns(counts, fresh - counts)


def union(part: RowBlock, topic: int, into: Sequence[int], amounts: bool) -> DrawnColumns:
    """The counts of the targets after a handover, divided as its trial divided the tokens, then those of the
    targets and the topic before it.

    amounts: whether the trial has the tokens that each target gains.
    """
    return DrawnColumns(_united(part.counts, handed(part, amounts)["words"], topic, into, amounts))


def union_foreseen(part: RowBlock, topic: int, into: Sequence[int], tokens: Array) -> DrawnColumns:
    """The counts of the targets after a handover that has not been tried yet, then those of the targets and
    the topic before it.

    Each word is divided in proportion to `tokens` (targets) × exp E[log beta].
    """
    logs = part.held["log_words"] + np.log(tokens)
    along = np.exp(logs - logs.max(axis=1, keepdims=True))
    return DrawnColumns(_united(part.counts, along / along.sum(axis=1, keepdims=True), topic, into))


def union_after(part: RowBlock, topic: int, into: Sequence[int], scale: float) -> DrawnColumns:
    """As `union`, by shares; `drawn`: `scale` × the reported tokens of each column minus its counts."""
    along = own_shares(part.held["trial"])
    counts = _united(part.counts, along, topic, into)
    return DrawnColumns(counts, _united(scale * part.held["fresh"], along, topic, into) - counts)


def _parts_and_whole(column: Array, second: Array) -> Array:
    return np.stack([column * (1.0 - second), column * second, column], axis=1)


def _united(columns: Array, along: Array, topic: int, into: Sequence[int], amounts: bool = False) -> Array:
    before = columns[:, [*into, topic]]
    gained = given(before[:, -1], along) if amounts else before[:, -1:] * along
    return np.concatenate([before[:, :-1] + gained, before], axis=1)
