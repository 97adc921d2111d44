"""Queries of topic moves to the table: functions of a block of rows, whose results are summed over the blocks
or joined to arrays over all rows.

A proposal is a split of a topic in two halves, or a handover of its tokens to other topics (targets), which
is tried on documents. In a block, `held` has "trial", the rows that this trial reported, and "fresh", those
of the step's own report. scipy is imported on use, so that models load without it.
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
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary, digammas, log_gammas

DRAWN = 1 << 17  # words whose scores are drawn from one stream
SMOOTH = 1.0  # prior tokens of a word, divided like the whole topic
ROUNDING = 1e-12  # share of the mean square of scores, up to which they do not differ
Answer = Mapping[str, Array]


class WordsSlot(NamedTuple):
    """The model's vocabulary with its params, bound together for queries."""

    slot: ClosedVocabulary
    params: Record

    def totals(self, counts: Array, part: RowBlock) -> Array:
        """Sums of counts (rows × columns) over the rows of a block, by group of words (language; groups ×
        columns).
        """
        ranges = self.slot.ranges(range(part.first, part.first + len(counts)))
        return np.array([counts[rows].sum(axis=0) for rows in ranges])

    def log_words(self, counts: Array, totals: Array, part: RowBlock) -> Array:
        """E[log beta] for a block's rows (rows × columns), from their counts; totals (groups × columns): sums
        of counts over the whole table.
        """
        return self.slot.log_words(self.params, counts, totals, part.first)


# shares of words


def shares(counts: Array, tokens: Array, smooth: float = SMOOTH) -> Array:
    """The share of the second half in each word (words), smoothed, after a trial split a topic.

    counts (words × 2): the tokens that each half got; tokens (2): their sums over all words. A word without
    counts gets the share of all words together.
    """
    total = float(tokens.sum())
    part = float(tokens[1]) / total if total > 0.0 else 0.5
    of_word = counts[:, 0] + counts[:, 1] + smooth
    return np.where(of_word > 0.0, (counts[:, 1] + smooth * part) / np.maximum(of_word, 1e-300), part)


def in_two(column: Array, second: Array) -> Array:
    """A topic's counts divided in two (words × 2); `second`: the share of the second half in each word."""
    return np.stack([column * (1.0 - second), column * second]).T


def seconds(part: RowBlock, tokens: Array, smooth: float) -> Answer:
    """The share of the second half in each word, as the trial of a split divided its tokens, as {"words": …}.

    tokens (2): each half's sum over all words; smooth: pseudo-counts per word.
    """
    return {"words": shares(part.held["trial"], tokens, smooth)}


def handed(part: RowBlock, amounts: bool) -> Answer:
    """How each word of a topic is divided if the topic is merged into one or several others (targets), as
    {"words": …}.

    The values (words × targets) are from the merge's trial on documents: the tokens that each target gains
    (with `amounts`), or shares.
    """
    tokens = part.held["trial"]
    return {"words": tokens if amounts else own_shares(tokens)}


# what to try


def random_scores(part: RowBlock, seed: int, step: int, topic: int) -> Answer:
    """A random number for each word of a block, by which a new split first divides documents, as
    {"direction": …}.

    It only depends on the seed, step, topic and word: every `DRAWN` words have a random stream of their own.
    """
    at, last, drawn = part.first, part.first + len(part.counts), list[Array]()
    while at < last:
        number, skipped = divmod(at, DRAWN)
        purpose = f"{purposes.DIRECTIONS} {number}" if number else purposes.DIRECTIONS
        end = min(last, (number + 1) * DRAWN)
        drawn.append(stream(seed, purpose, step, topic).standard_normal(skipped + end - at)[skipped:])
        at = end
    return {"direction": np.concatenate([np.zeros(0), *drawn])}


def products(part: RowBlock, totals: Array) -> Answer:
    """Sums over words from which similar topics are found.

    "counts" (topics × topics) are the inner products of their counts, "squares" (topics) the sums of squares,
    and "shares" (topics × topics) the inner products of their word shares, with chi-squared weights. totals:
    the topics' tokens.
    """
    columns = part.counts
    mean = np.maximum(columns.sum(axis=1) / max(float(totals.sum()), 1e-300), 1e-12)
    scaled = columns / np.maximum(totals, 1e-3) / np.sqrt(mean)[:, None]
    return {"counts": columns.T @ columns, "squares": (columns**2).sum(axis=0), "shares": scaled.T @ scaled}


def targets(part: RowBlock, words: WordsSlot, topics: Sequence[int], totals: Array) -> Answer:
    """E[log beta] of the topics into which a topic is to be merged (targets), as {"log_words": …}.

    `totals` (groups × targets): the sums of their counts by language.
    """
    return {"log_words": words.log_words(part.counts[:, topics], totals, part)}


# how a split is fitted


def _scores(rows: Array) -> tuple[Array, Array]:
    """Scores of words in a split's trial, and their tokens: a word's score is the mean score of its
    documents, shrunk to 0.

    rows (words × 2): the sum of documents' scores over the word's tokens, and its tokens.
    """
    sums, tokens = rows.T
    return sums / (tokens + 1.0), tokens


def moments(part: RowBlock) -> Answer:
    """The number of tokens in a split's trial, and the token-weighted sums of score and score², as
    {"moments": …}.

    A word's score is how far its documents lean to one half. From these sums over all blocks, `centred`
    standardises the scores.
    """
    scores, tokens = _scores(part.held["trial"])
    return {"moments": np.array([tokens.sum(), (tokens * scores).sum(), (tokens * scores**2).sum()])}


def centred(part: RowBlock, moments: Array) -> Answer:
    """The words' scores for the next round of a split, as {"direction": …}: those of the last trial,
    standardised.

    They have mean 0 and variance 1 over tokens; words without tokens have 0. All have 0 if their scores are
    the same but for rounding, so that no word tells documents apart. moments: the result of `moments`, summed
    over blocks.
    """
    scores, tokens = _scores(part.held["trial"])
    total = max(float(moments[0]), 1e-300)
    mean, square = moments[1] / total, moments[2] / total
    variance = float(square - mean**2)
    if variance <= ROUNDING * float(square):
        return {"direction": np.zeros(len(scores))}
    return {"direction": np.where(tokens > 0.0, (scores - mean) / np.sqrt(variance), 0.0)}


def halves(part: RowBlock, words: WordsSlot, topic: int, tokens: Array) -> Answer:
    """The sums by language of both halves' counts (groups × 2), as {"totals": …}, if each word of the topic
    is divided as in the split's trial.

    tokens (2): the trial's tokens in each half.
    """
    second = shares(part.held["trial"], tokens)
    return {"totals": words.totals(in_two(part.counts[:, topic], second), part)}


def proposed(part: RowBlock, words: WordsSlot, topic: int, tokens: Array, totals: Array) -> Answer:
    """The arrays over words that a split needs for its next round, from its last trial.

    "shares" is the share of the second half in each word; "log_odds" is E[log beta] of the first half minus
    that of the second. tokens (2): the trial's tokens in each half; totals: the result of `halves`.
    """
    second = shares(part.held["trial"], tokens)
    log_words = words.log_words(in_two(part.counts[:, topic], second), totals, part)
    return {"shares": second, "log_odds": log_words[:, 0] - log_words[:, 1]}


def first_counts(
    part: RowBlock, words: WordsSlot, topic: int, keep: float, add: float, totals: Array
) -> Answer:
    """The arrays over words with which a split starts: its parts are a topic's past counts and those of this
    step.

    "start" has these counts, weighted by `keep` and `add` (words × 2); "log_odds" is E[log beta] of the first
    part minus that of the second. totals (groups × 2): sums of both by language.
    """
    start = np.stack([keep * part.counts[:, topic], add * part.held["fresh"][:, topic]]).T
    log_words = words.log_words(start, totals, part)
    return {"start": start, "log_odds": log_words[:, 0] - log_words[:, 1]}


def report_totals(part: RowBlock, words: WordsSlot) -> Answer:
    """The total counts by language in the step's own report (groups × topics), as {"totals": …}."""
    return {"totals": words.totals(part.held["fresh"], part)}


# terms of the bound


class DrawnColumns(NamedTuple):
    """The counts of some topics, as they are or as they would be after a move, in a block of rows (rows ×
    columns).

    `drawn`: tokens, of the same shape, over which E[log beta] is summed (`log_likelihood`); None if that is
    not needed.
    """

    counts: Array
    drawn: Array | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """A query for sums over words, from which `evidence` and `log_likelihood` compute the bound's terms of
    some topics. It is called with each block of rows.

    columns: a function from a block to the counts of these topics, as they are or would be.
    """

    words: WordsSlot
    columns: Callable[[RowBlock], DrawnColumns]

    def __call__(self, part: RowBlock) -> Answer:
        slot, params = self.words
        counts, drawn = self.columns(part)
        values = slot.parameters(params, counts, part.first)
        sums = {"totals": self.words.totals(counts, part), "log_gammas": log_gammas(values)}
        if drawn is None:
            return sums
        logs = (drawn * digammas(values)).sum(axis=0)
        return {**sums, "drawn": self.words.totals(drawn, part), "logs": logs}


def evidence(words: WordsSlot, sums: Answer) -> Array:
    """log B(lambda) - log B(eta) of each topic that a `Terms` query had, in nats, from its sums (columns)."""
    return words.slot.evidence(words.params, sums["totals"], sums)


def log_likelihood(words: WordsSlot, sums: Answer) -> Array:
    """The sum of E[log beta] over the `drawn` tokens of each topic that a `Terms` query had, in nats
    (columns).
    """
    from scipy.special import psi

    log_totals = psi(sums["totals"] + words.slot.prior_totals(words.params))
    return np.asarray(sums["logs"] - (sums["drawn"] * log_totals).sum(axis=0))


def split(part: RowBlock, topic: int, tokens: Array) -> DrawnColumns:
    """The counts of both halves of a topic, divided as in the split's trial, and of the whole topic (3
    columns).

    tokens (2): the trial's tokens in each half.
    """
    second = shares(part.held["trial"], tokens, 0.0)
    return DrawnColumns(_parts_and_whole(part.counts[:, topic], second))


def split_as_fitted(part: RowBlock, topic: int) -> DrawnColumns:
    """The counts of both halves of a topic, divided by the "shares" that were fitted before, and of the whole
    topic (3 columns).

    `drawn` has the tokens that the last trial gave to each.
    """
    first, second = part.held["trial"].T
    counts = _parts_and_whole(part.counts[:, topic], part.held["shares"])
    return DrawnColumns(counts, np.stack([first, second, first + second]).T)


def seconds_after(part: RowBlock, rate: float, scale: float) -> Answer:
    """The share of the second half in each word after the step, as {"words": …}.

    The step, at learning rate `rate`, blends `scale` × the trial's counts into the initial ones ("start").
    """
    after = (1.0 - rate) * part.held["start"] + rate * (scale * part.held["trial"])
    return {"words": after[:, 1] / np.maximum(after[:, 0] + after[:, 1], 1e-300)}


def split_after(part: RowBlock, topic: int, rate: float, scale: float) -> DrawnColumns:
    """The counts of both halves of a topic after the step, divided by `seconds_after`, and of the whole topic
    (3 columns).

    `drawn`: `scale` × the reported tokens of each, minus these counts.
    """
    counts = _parts_and_whole(part.counts[:, topic], seconds_after(part, rate, scale)["words"])
    fresh = scale * np.stack([*part.held["trial"].T, part.held["fresh"][:, topic]]).T
    return DrawnColumns(counts, fresh - counts)


def union(part: RowBlock, topic: int, into: Sequence[int], amounts: bool) -> DrawnColumns:
    """The counts of topics after and before a topic is merged into one or several others (targets), by word.

    First those of the targets after the merge, with words divided as in its trial on documents, then those of
    the targets and of the topic before it. topic: the one that is dissolved; into: the targets; amounts:
    whether the trial reported the tokens that each target gains, rather than shares.
    """
    return DrawnColumns(_united(part.counts, handed(part, amounts)["words"], topic, into, amounts))


def union_foreseen(part: RowBlock, topic: int, into: Sequence[int], tokens: Array) -> DrawnColumns:
    """The counts of topics after and before a topic is merged into one or several others (targets), if it has
    not been tried yet.

    First those of the targets after the merge, then of the targets and of the topic before it. Each word is
    divided in proportion to `tokens` (targets) × exp E[log beta].
    """
    logs = part.held["log_words"] + np.log(tokens)
    along = np.exp(logs - logs.max(axis=1, keepdims=True))
    return DrawnColumns(_united(part.counts, along / along.sum(axis=1, keepdims=True), topic, into))


def union_after(part: RowBlock, topic: int, into: Sequence[int], scale: float) -> DrawnColumns:
    """The counts of `union`, with each word of the dissolved topic divided by shares, and the step's tokens
    in the same columns.

    `drawn`: `scale` × the reported tokens of each column, minus its counts.
    """
    along = own_shares(part.held["trial"])
    counts = _united(part.counts, along, topic, into)
    return DrawnColumns(counts, _united(scale * part.held["fresh"], along, topic, into) - counts)


def _parts_and_whole(column: Array, second: Array) -> Array:
    return np.stack([column * (1.0 - second), column * second, column]).T


def _united(columns: Array, along: Array, topic: int, into: Sequence[int], amounts: bool = False) -> Array:
    before = columns.T[[*into, topic]]
    gained = given(before[-1], along).T if amounts else before[-1] * along.T
    return np.concatenate([before[:-1] + gained, before]).T
