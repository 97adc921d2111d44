"""A toy: a probabilistic grammar over sentences, whose rules have keys, come and go, in a truncated table.

Every symbol is rewritten as two symbols or as a word, the first symbol as a whole sentence. Rows of the table
are right sides, spelled "<b c>" or by the word, columns the symbols that they are of. Words that sentences
bring become rules; a symbol keeps its best right sides only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import (
    Counts,
    Index,
    Local,
    Model,
    Score,
    Step,
    Summary,
    TableSpec,
)
from stickbreaker.core.edits import Drop, Edit, Grow, Reorder
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array, Field, Record, Rows, Stats, TruncatedCounts
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.shards import Shard


class Rules(NamedTuple):
    """Probabilities of rules of each symbol: two symbols, and words (the last: any other word)."""

    pairs: Array  # (symbols, symbols, symbols)
    words: Array  # (symbols, words + 1)


def inside(rules: Rules, sentence: NDArray[np.int32]) -> tuple[Array, Array]:
    """p(words i to j | symbol), and the same of two symbols one after the other (from, to, symbols)."""
    n, K = len(sentence), len(rules.pairs)
    whole, two = np.zeros((n, n + 1, K)), np.zeros((n, n + 1, K, K))
    whole[np.arange(n), np.arange(1, n + 1)] = rules.words.T[sentence]
    for length in range(2, n + 1):
        for i, j in zip(range(n), range(length, n + 1), strict=False):
            two[i, j] = whole[i, i + 1 : j].T @ whole[i + 1 : j, j]
            whole[i, j] = np.tensordot(rules.pairs, two[i, j], 2)
    return whole, two


def expected_uses(rules: Rules, sentence: NDArray[np.int32]) -> tuple[float, Rules]:
    """log p(sentence), and how often each rule is used in its trees, on average."""
    whole, two = inside(rules, sentence)
    n, uses = len(sentence), Rules(np.zeros_like(rules.pairs), np.zeros_like(rules.words))
    outside = np.zeros_like(whole)
    outside[0, n, 0] = 1.0 / whole[0, n, 0]
    for length in range(n, 1, -1):
        for i, j in zip(range(n), range(length, n + 1), strict=False):
            uses.pairs[:] += outside[i, j][:, None, None] * two[i, j]
            weights = np.tensordot(outside[i, j], rules.pairs, 1)
            outside[i, i + 1 : j] += whole[i + 1 : j, j] @ weights.T
            outside[i + 1 : j, j] += whole[i, i + 1 : j] @ weights
    np.add.at(uses.words.T, sentence, outside[np.arange(n), np.arange(1, n + 1)])
    return float(np.log(whole[0, n, 0])), Rules(uses.pairs * rules.pairs, uses.words * rules.words)


@dataclass(frozen=True)
class ToyGrammar(Model):
    """EM, with `eta` uses of each symbol given beforehand: half of pairs, half of `possible` words.

    A word enters with `least` expected uses in a step; each symbol keeps its `most` best right sides.
    """

    symbols: int = 3
    eta: float = 1.0
    possible: int = 1000
    least: float = 1.5
    most: int = 12
    unit = Sequences
    table = TableSpec("rules", "symbols", keyed=True, truncated=True)

    def n_columns(self, params: Record) -> int:
        return self.symbols

    def keys(self) -> list[str]:
        """The spelling of two symbols."""
        return [f"<{b} {c}>" for b in range(self.symbols) for c in range(self.symbols)]

    def start(self) -> Record:
        return {}

    def seed(self, keys: Sequence[str], tokens: float, seed: int) -> Array:
        return stream(seed, "grammar").gamma(1.0, 1.0, (len(keys), self.symbols))

    def reads(self, shard: Shard[Any], index: Index) -> NDArray[np.int64]:
        """All pairs of symbols, then the shard's words."""
        return index([*self.keys(), *(shard.keys or ())])

    def prepare(self, params: Record, counts: Counts) -> Record:
        assert isinstance(counts, TruncatedCounts)
        return {**params, "uses": Field(counts.dense(counts.values) * counts.scale, ("rules", "symbols"))}

    def expectations(
        self, params: Record, counts: Counts, totals: Array, rows: NDArray[np.int64] | None
    ) -> Rules:
        """(uses + eta base) / (all uses + eta), of a word that the table lacks without its uses."""
        assert isinstance(counts, TruncatedCounts)
        assert rows is not None
        K = self.symbols
        base = np.repeat([0.5 / K**2, 0.5 / self.possible], [K * K, len(rows) - K * K + 1])
        uses = np.where(rows[:, None] >= 0, params["uses"].values[rows], 0.0) if len(counts.keys) else 0.0
        shares = np.broadcast_to(self.eta * base, (K, len(base))).copy()
        shares[:, :-1] += np.transpose(uses)
        shares /= totals[0][:, None] + self.eta
        return Rules(shares[:, : K * K].reshape(K, K, K), shares[:, K * K :])

    def local_step(
        self, view: Rules, shard: Shard[Sequences], local: Local | None, seed: int
    ) -> tuple[Local, Stats]:
        content, scores = shard.content, np.zeros(shard.n_documents)
        pairs, words = np.zeros_like(view.pairs), np.zeros_like(view.words)
        sentences = np.split(content.words, content.starts[1:]) if len(content.starts) else []
        owners = np.searchsorted(content.offsets, content.starts, side="right") - 1
        for document, sentence in zip(owners.tolist(), sentences, strict=True):
            nats, uses = expected_uses(view, sentence)
            scores[document] += nats
            pairs, words = pairs + uses.pairs, words + uses.words
        uses = np.hstack([pairs.reshape(self.symbols, -1), words[:, :-1]]).T
        known, spelled = np.flatnonzero(shard.rows >= 0), [*self.keys(), *(shard.keys or ())]
        known = known[np.argsort(shard.rows[known])]
        stats = Stats(
            rows=Rows(shard.rows[known], uses[known]),
            new_rows={spelled[i]: uses[i] for i in np.flatnonzero(shard.rows < 0).tolist()},
            score=float(scores.sum()),
            documents=float(shard.n_documents),
            tokens=float(len(content.words)),
        )
        return {"scores": Field(scores, ("documents",))}, stats

    def admit(self, params: Record, new_rows: Mapping[str, Array], step: Step) -> tuple[Edit, Record]:
        keys = tuple(sorted(key for key, uses in new_rows.items() if uses.sum() >= self.least))
        return ((Grow("rules", len(keys), keys),) if keys else ()), {}

    def reorder(self, params: Record, counts: Counts, step: Step) -> Edit:
        """Every other step, each symbol's best right sides by their uses; those of no symbol leave."""
        assert isinstance(counts, TruncatedCounts)
        if step.number % 2 == 0:
            return ()
        sides = [counts.rows[k, :size].astype(np.int64) for k, size in enumerate(counts.sizes.tolist())]
        ranks = [np.argsort(-counts.values[k, : len(own)], kind="stable") for k, own in enumerate(sides)]
        orders = tuple(own[rank][: self.most] for own, rank in zip(sides, ranks, strict=True))
        left = np.setdiff1d(np.arange(len(counts.keys)), np.concatenate(orders))
        change = Reorder("rules", "symbols", orders, tuple(map(len, orders)))
        return (change, Drop("rules", tuple(left.tolist()))) if len(left) else (change,)

    def summary(self, params: Record, counts: Counts, first: int) -> Summary:
        return {}

    def global_step(
        self, params: Record, stats: Stats, totals: Array, summary: Summary | None, step: Step
    ) -> Record:
        return params

    def score(self, params: Record, stats: Stats, totals: Array, summary: Summary) -> Score:
        return Score(stats.score, stats.tokens, "estimate")
