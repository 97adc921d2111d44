"""Online adaptor grammars in which each document has weights of its own for the start symbol's rules."""

from dataclasses import dataclass, replace

import numpy as np

from stickbreaker.contracts.contract import Local, Step, Summary
from stickbreaker.core.purposes import ASSIGNMENTS
from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.core.records import Array, Field, Record, Stats, TruncatedCounts
from stickbreaker.corpus.shards import Shard
from stickbreaker.grammars.kernels.tree_cache import weigh_tops
from stickbreaker.grammars.model.compiled import Integers
from stickbreaker.grammars.model.documents.document_rules import SentenceTypes, draw_choices, types_of
from stickbreaker.grammars.model.online_grammar import STRENGTHS, OnlineGrammar, View
from stickbreaker.grammars.model.sentence_parser import LearnedGrammar
from stickbreaker.grammars.model.tree_chain import new_chart
from stickbreaker.grammars.purposes import GRAMMAR_SAMPLES


@dataclass(frozen=True, eq=False)
class DocumentGrammar(OnlineGrammar):
    """An online grammar with topics: each document has its own weights for the start symbol's rules.

    For each document, the rules that its sentences use are sampled jointly; its weights theta_d are
    integrated out. Of their common Dirichlet prior, the strength is learned: it maximises the mean of log
    p(sampled rules) by Minka's fixed point, whose sums are the params "gains" and "spread".
    """

    def start(self) -> Record:
        sums = {name: Field(np.zeros(()), ()) for name in ("gains", "spread")}
        return {**super().start(), **sums}

    def alpha(self, params: Record) -> Array:
        """(rules of the start symbol) The Dirichlet prior of documents' weights."""
        return self.priors(params)[self.grammar.own_rules]

    def view(self, params: Record, counts: TruncatedCounts) -> View:
        return super().view(params, counts)._replace(alpha=self.alpha(params))

    def local_step(self, view: View, shard: Shard, local: Local | None, seed: int) -> tuple[Local, Stats]:
        """Sample the first rule (topic) of each sentence, jointly for a document, and then trees below them.

        Returns log p of each document, and the statistics of rules and trees.
        """
        grammar, sentences = self.grammar, self.sentences_of(shard)
        own, alpha = grammar.own_rules, view.alpha
        assert alpha is not None
        view = view._replace(weights=view.weights._replace(rules=view.weights.rules.copy()))
        types = types_of(sentences)
        nats = self._nats_by_rule(view, types)
        keys = numbered_keys(seed, ASSIGNMENTS, 0, shard.documents)
        drawn = draw_choices(
            types.codes, sentences.documents, nats, alpha, grammar.weights[own], self.samples, keys
        )
        places = np.arange(len(drawn.codes)) - np.searchsorted(drawn.documents, drawn.documents)
        numbers = shard.documents[drawn.documents] * 1_000_003 + places
        tree_keys = numbered_keys(seed, GRAMMAR_SAMPLES, 0, numbers)
        order = np.argsort(drawn.codes, kind="stable")  # so that equal sentences share a chart
        trees = self.draw(
            view, *types.repeated(drawn.codes[order]), tree_keys[order], drawn.times[order],
            own[drawn.rules[order]],
        )  # fmt: skip
        rule_uses = trees.rule_uses
        rule_uses[own] = 0.0
        usage = {
            **trees.usage,
            "gains": Field(np.array(drawn.gain), ()),
            "spread": Field(np.array(drawn.spread), ()),
        }
        parsed = np.isfinite(nats.max(axis=1, initial=-np.inf))[types.codes]
        tokens = float(np.diff(sentences.starts)[parsed].sum())
        score = float(drawn.scores.sum())
        return self.stats_of(drawn.scores, score, tokens, trees._replace(rule_uses=rule_uses, usage=usage))

    def _nats_by_rule(self, view: View, types: SentenceTypes) -> Array:
        """log p(sentence | its first rule) of distinct sentences, in nats (types × start symbol's rules).

        view: the weights with which trees are drawn.
        """
        grammar, letters, starts = self.grammar, types.letters, types.starts
        longest = int(np.diff(starts).max(initial=1))
        nats = np.zeros((len(starts) - 1, len(grammar.own_rules)))
        weighted, masses = grammar.weighted(view.weights), view.memory.masses
        batch, chart = self.batch(letters, starts), new_chart(grammar, longest)
        weigh_tops(batch, view.cache.trees, weighted, masses, chart, nats)
        return nats

    def global_step(
        self, params: Record, stats: Stats, totals: Array, summary: Summary | None, step: Step
    ) -> Record:
        moved = super().global_step(params, stats, totals, summary, step)
        keep, add = (1.0 - step.rate) * step.growth, step.rate * step.scale
        sums: dict[str, Field] = {}
        for name in ("gains", "spread"):
            before = params[name]
            sums[name] = before._replace(values=keep * before.values + add * stats.usage[name].values)
        gain, spread = float(sums["gains"].values), float(sums["spread"].values)
        if self.learn_weights and spread > 0.0 and gain > 0.0:
            strengths = moved["strengths"].values.copy()
            start = self.grammar.start
            strengths[start] = np.clip(params["strengths"].values[start] * gain / spread, *STRENGTHS)
            sums["strengths"] = moved["strengths"]._replace(values=strengths)
        return {**moved, **sums}

    def learned(
        self, params: Record, counts: TruncatedCounts, within: Integers | None = None
    ) -> LearnedGrammar:
        return replace(super().learned(params, counts, within), alpha=self.alpha(params))
