"""Adaptor grammars by mean-field inference with a fixed set of cached trees (Cohen, Blei & Smith 2010)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stickbreaker.contracts.contract import Local, Step
from stickbreaker.core.edits import Edit
from stickbreaker.core.records import Array, Field, Record, Rows, Stats, TruncatedCounts
from stickbreaker.corpus.shards import Shard
from stickbreaker.grammars.kernels.tree_cache import Charts, Uses, expect_trees
from stickbreaker.grammars.model.cached_trees import CachedTrees, parts_below
from stickbreaker.grammars.model.online_grammar import DrawnTrees, OnlineGrammar, View
from stickbreaker.grammars.model.tree_chain import new_chart


@dataclass(frozen=True, eq=False)
class MeanFieldGrammar(OnlineGrammar):
    """An adaptor grammar by batch mean-field inference, with a fixed set of remembered trees.

    Instead of drawing trees as `OnlineGrammar` does, q(t) is over all trees of a sentence, by inside and
    outside probabilities. All trees that are not remembered share the rest of the stick of length one; their
    uses (`beyond`) count in the tails of all sticks, so that the score is a bound that never decreases.
    """

    score_kind: ClassVar[str] = "bound"

    def start(self) -> Record:
        """The initial params: those of `OnlineGrammar`, without the counts of drawn trees (tried, fresh)."""
        return {name: item for name, item in super().start().items() if name not in ("tried", "fresh")}

    def local_step(self, view: View, shard: Shard, local: Local | None, seed: int) -> tuple[Local, Stats]:
        grammar, cache, sentences = self.grammar, view.cache, self.sentences_of(shard)
        batch = self.batch(sentences.letters, sentences.starts)
        n, longest = len(batch.starts) - 1, int(np.diff(batch.starts).max(initial=1))
        nats, tree_uses = np.zeros(n), np.zeros(len(cache.ids))
        rule_uses, fresh = np.zeros(len(grammar.weights)), np.zeros(len(grammar.adapted))
        charts = Charts(new_chart(grammar, longest), new_chart(grammar, longest))
        uses = Uses(tree_uses, rule_uses, fresh, nats)
        expect_trees(batch, cache.trees, grammar.weighted(view.weights), view.memory, charts, uses)
        positions = np.flatnonzero(tree_uses)
        values = np.zeros((len(positions), len(fresh)))
        values[np.arange(len(positions)), cache.trees.places[cache.ids[positions]]] = tree_uses[positions]
        usage = {"beyond": Field(fresh, ("symbols",))}
        drawn = DrawnTrees(Rows(positions, values), {}, rule_uses, usage, nats)
        return self.report(sentences, shard, drawn)

    def needs_summary(self, step: Step) -> bool:
        return True

    def reorder(self, params: Record, counts: TruncatedCounts, step: Step) -> Edit:  # type: ignore[override]
        return ()

    def finish(self, params: Record, counts: TruncatedCounts) -> Edit:  # type: ignore[override]
        return ()


def support_of(model: OnlineGrammar, drawn: Mapping[str, Array], most: int | None = None) -> dict[str, Array]:
    """Choose which of the sampled trees to remember: those with the largest uses × log(terminals + 1).

    drawn: for the key of each sampled tree, its uses (adapted symbols). Returns a part of `drawn`: for each
    symbol the best trees, at most `most` (None: no limit) and at most its truncation, and the cached trees
    inside them.
    """
    keys = sorted(drawn)
    known = CachedTrees(model.grammar)
    ids, trees = known.ids(keys), known.trees
    lengths = np.diff(trees.letter_starts)[ids]
    uses = np.stack([drawn[key] for key in keys]) if keys else np.zeros((0, len(model.truncations)))
    places, rows = trees.places[ids], known.rows(ids)
    kept = np.zeros(len(keys), np.bool_)
    for place, at_most in enumerate(np.minimum(model.truncations, most or np.inf).astype(int)):
        own = np.flatnonzero(places == place)
        ranks = uses[own, place] * np.log(lengths[own] + 1.0)
        kept[own[np.argsort(-ranks, kind="stable")[:at_most]]] = True
        kept[rows[parts_below(trees, ids[own[kept[own]]])]] = True
    return {keys[row]: uses[row] for row in np.flatnonzero(kept).tolist()}
