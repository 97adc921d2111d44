"""Adaptor grammars by variational inference, online and in batches (Zhai, Boyd-Graber & Cohen 2014)."""

from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import psi

from stickbreaker.contracts.contract import Local, Model, Score, Step, Summary, TableSpec
from stickbreaker.core.edits import Change, Drop, Edit, Grow, Merge, Reorder
from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.core.records import (
    AnyArray,
    Array,
    Field,
    Record,
    Rows,
    SparseCounts,
    Stats,
    TruncatedCounts,
)
from stickbreaker.core.untrusted import refuse_negative
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.shards import Index, Shard, entries_between
from stickbreaker.grammars import purposes
from stickbreaker.grammars.kernels.grammar_chart import Desk, Memory, Remembered, Weights, close_circles
from stickbreaker.grammars.kernels.tree_cache import (
    Draws,
    SentenceBatch,
    TreeRows,
    TreeSet,
    Uses,
    best_trees,
    link_trees,
    place_trees,
    sample_trees,
    weigh_trees,
)
from stickbreaker.grammars.model.cached_trees import CachedTrees, key_of, parts_below
from stickbreaker.grammars.model.chart_texts import active_symbols, longest_that_fits
from stickbreaker.grammars.model.compiled import Compiled, Integers
from stickbreaker.grammars.model.grammar_sentences import UNKNOWN, SentenceReader, Sentences
from stickbreaker.grammars.model.processes import best_process, log_gamma_ratio, predictive
from stickbreaker.grammars.model.sentence_parser import LearnedGrammar, Predictive
from stickbreaker.grammars.model.tree_chain import chart_room, new_draft
from stickbreaker.kernels.sticks import (
    OrderedCells,
    Process,
    StickSums,
    expected_sticks,
    stick_evidence,
    stick_sums,
)

LEAST = 0.5  # uses of a cached tree: with fewer, it costs more rules than it saves
REDERIVED = 500  # cached trees replaced by better ones at a time, at most
STRENGTHS = 1e-3, 1e3  # least and greatest strength of priors
FEW = 64  # symbols up to which all are considered in every sentence


class Cache(NamedTuple):
    """The remembered ("cached") trees that are rows of a table, with their uses and their sticks."""

    ids: Integers  # rows: the number of each tree in `trees`
    rows: Integers  # trees: the row of each, or -1
    trees: TreeSet
    cells: OrderedCells  # all uses: by sentences and by other cached trees
    own: Array  # columns × slots: uses by sentences
    sums: StickSums
    rule_uses: Array  # rules: uses by cached trees

    @property
    def tree_rows(self) -> TreeRows:
        """Which trees are cached, for kernels."""
        return TreeRows(self.ids, self.rows, self.trees)


class View(NamedTuple):
    """The weights with which a local step draws trees: the grammar theta' (Zhai's thesis, equation 8.5)."""

    cache: Cache
    weights: Weights
    memory: Memory
    alpha: Array | None = None  # rules of the start symbol: prior of documents' own weights


class DrawnTrees(NamedTuple):
    """Uses of rules, remembered trees (rows) and new trees (by key) by sentences: means over their trees."""

    rows: Rows | SparseCounts
    new_rows: Mapping[str, Array]
    rule_uses: NDArray[np.floating]
    usage: Record
    nats: Array  # sentences: log p; -inf if it cannot be parsed


@dataclass(frozen=True, eq=False)
class OnlineGrammar(Model):
    """An adaptor grammar by variational inference, online or in batches.

    The table of counts has a row for each remembered ("cached") tree and a column for each adapted symbol.
    Remembered trees have stick-breaking weights, rules have Dirichlet weights. q(t) of a sentence is
    represented by `samples` drawn trees; drawn trees of adapted symbols that are not in the table enter it in
    the same step.
    """

    grammar: Compiled
    reader: SentenceReader
    truncations: NDArray[np.int64]  # columns
    samples: int = 10
    refine_every: int = 50
    learn_processes: bool = True
    learn_weights: bool = True
    shard_size: int = 128  # type: ignore[misc]
    read_before: InitVar[CachedTrees | None] = None  # cached trees, read by a model of the same grammar
    known: CachedTrees = field(init=False, repr=False)

    score_kind: ClassVar[str] = "estimate"
    unit = Sequences
    table = TableSpec("derivations", "symbols", keyed=True, truncated=True)

    def __post_init__(self, read_before: CachedTrees | None) -> None:
        object.__setattr__(self, "known", read_before or CachedTrees(self.grammar))

    def n_columns(self, params: Record) -> int:
        return len(self.grammar.adapted)

    def start(self) -> Record:
        grammar, symbols = self.grammar, ("symbols",)
        return {
            "uses": Field(np.zeros(grammar.n_rules), ("rules",)),
            "beyond": Field(np.zeros(len(grammar.adapted)), symbols),
            "discounts": Field(grammar.discounts.copy(), symbols, additive=False),
            "concentrations": Field(grammar.concentrations.copy(), symbols, additive=False),
            "strengths": Field(np.ones(len(grammar.names)), ("parents",), additive=False),
            "tried": Field(np.zeros(0), ("derivations",)),
            "fresh": Field(np.zeros(len(grammar.adapted)), symbols),
        }

    def seed(self, keys: Sequence[str], tokens: float, seed: int) -> Array:
        """Initial counts of new rows: zeros, since sampling breaks the symmetry."""
        return np.zeros((len(keys), len(self.grammar.adapted)))

    def reads(self, shard: Shard, index: Index) -> NDArray[np.int64]:
        """The rows of the table that a shard needs: all, since its sentences can use any remembered tree."""
        return shard.rows

    def refuse_others(self, params: Record, counts: TruncatedCounts) -> None:
        """Raise ValueError if the params and the table do not fit this grammar or each other."""
        grammar = self.grammar
        like = self.start()
        for name, item in like.items():
            shape = item.values.shape if name != "tried" else (len(counts.keys),)
            if name not in params or params[name].values.shape != shape:
                raise ValueError(f"{name} belongs to another grammar")
            if not np.isfinite(params[name].values).all():
                raise ValueError(f"{name} is not finite")
        for name in like:
            if name != "concentrations":
                refuse_negative(params[name].values, name)
        a, b = params["concentrations"].values, params["discounts"].values
        if (b >= 1.0).any() or not (a > -b).all() or not (params["strengths"].values > 0.0).all():
            raise ValueError("discounts or concentrations are out of range")
        ids, live = self.known.ids(counts.keys), counts.live()
        trees = self.known.trees
        if len(set(ids.tolist())) < len(ids):
            raise ValueError("a tree occurs twice")
        columns = np.repeat(np.arange(len(counts.sizes)), counts.sizes)
        if (
            len(counts.sizes) != len(grammar.adapted)
            or (trees.places[ids[counts.rows[live]]] != columns).any()
        ):
            raise ValueError("trees belong to other symbols")
        rows = self.known.rows(ids)
        if (rows[parts_below(trees, ids)] < 0).any():
            raise ValueError("trees contain trees that do not exist")

    # From counts to weights

    def prepare(self, params: Record, counts: TruncatedCounts) -> Record:  # type: ignore[override]
        held = np.empty((), object)
        held[()] = self.view(params, counts)
        return {**params, "view": Field(held)}

    def expectations(
        self, params: Record, counts: Any, totals: Array, rows: NDArray[np.int64] | None
    ) -> View:
        return cast("View", params["view"].values[()])

    def view(self, params: Record, counts: TruncatedCounts) -> View:
        """Compute the weights of rules and of remembered trees with which local steps draw trees."""
        grammar = self.grammar
        cache = self.cache(params, counts)
        trees, n_columns = cache.trees, len(grammar.adapted)
        weights = np.zeros(len(cache.ids))
        weigh_trees(
            cache.cells, cache.sums.before, cache.sums.log_totals, params["discounts"].values, weights
        )
        places, strings, following, first, masses = link_trees(cache.ids, weights, trees, n_columns)
        nothing = np.zeros(len(cache.ids), np.int32)
        memory = Memory(
            customers=weights, parts=nothing, contents=nothing,
            places=places, strings=strings,
            positions=nothing, lengths=nothing, following=following, before=nothing, first=first,
            masses=masses, values=nothing, onward=nothing, free=np.zeros(6, np.int32),
        )  # fmt: skip
        found = Weights(
            self.rule_weights(params, cache),
            np.exp(np.maximum(cache.sums.leftover, -690.0)),
            np.ones(n_columns),
            np.zeros(grammar.n_closures),
        )
        if len(found.closures):
            close_circles(False, grammar.weighted(found))
        return View(cache, found, memory)

    def cache(self, params: Record, counts: TruncatedCounts) -> Cache:
        """Collect the remembered trees of a table with all their uses, and the sums along their sticks.

        Uses inside larger remembered trees count as well as uses by sentences.
        """
        ids, rows, tree_uses, rule_uses = self.known.of_table(counts.keys)
        trees = self.known.trees
        stored = OrderedCells(counts.rows, counts.values, counts.inside, counts.sizes, counts.scale)
        placed, values, own, inside, sizes = place_trees(stored, ids, trees, tree_uses)
        cells, n = OrderedCells(placed, values, inside, sizes, 1.0), len(sizes)
        sums = StickSums(np.zeros(values.shape), np.zeros(n), np.zeros(n))
        stick_sums(cells, self.process(params), sums)
        return Cache(ids, rows, trees, cells, own, sums, rule_uses * self.grammar.rules.counted)

    def process(self, params: Record) -> Process:
        names = "concentrations", "discounts", "beyond"
        return Process(*(params[name].values for name in names))

    def priors(self, params: Record) -> Array:
        """(rules) The Dirichlet parameter of each rule before any use."""
        grammar = self.grammar
        return grammar.weights * params["strengths"].values[grammar.rules.parents]

    def rule_counts(self, params: Record, cache: Cache) -> Array:
        """(rules) The uses of each rule, in sentences and inside remembered trees."""
        grammar = self.grammar
        uses = np.where(grammar.rules.counted, params["uses"].values[grammar.sources], 0.0)
        return uses + cache.rule_uses

    def rule_weights(self, params: Record, cache: Cache) -> Array:
        """(rules) The weight of each rule, exp E[log theta] (Zhai's thesis, equation 8.7).

        If weights are not learned, it is the rule's share of the prior weights of its parent's rules.
        """
        grammar = self.grammar
        if not self.learn_weights:
            return grammar.shares(grammar.weights)
        counts = self.priors(params) + self.rule_counts(params, cache)
        totals = np.bincount(grammar.rules.parents, counts, len(grammar.names))
        logs = psi(counts) - psi(totals)[grammar.rules.parents]
        return np.where(grammar.rules.counted, np.exp(np.maximum(logs, -690.0)), 1.0)

    # Local steps

    def local_step(self, view: View, shard: Shard, local: Local | None, seed: int) -> tuple[Local, Stats]:
        sentences = self.sentences_of(shard)
        letters, starts = sentences.letters, sentences.starts
        n = len(starts) - 1
        places = np.arange(n) - np.searchsorted(sentences.documents, sentences.documents)
        numbers = shard.documents[sentences.documents] * 1_000_003 + places
        keys = numbered_keys(seed, purposes.GRAMMAR_SAMPLES, 0, numbers)
        drawn = self.draw(view, letters, starts, keys, np.full(n, self.samples), np.full(n, -1))
        return self.report(sentences, shard, drawn)

    def draw(
        self,
        view: View,
        letters: Integers,
        starts: NDArray[np.int64],
        keys: NDArray[np.uint64],
        times: NDArray[np.int64],
        tops: NDArray[np.int64],
    ) -> DrawnTrees:
        """Draw trees of sentences, and count the rules and trees that they use, divided by `self.samples`.

        letters: terminals of all sentences, which begin at `starts`. For each sentence, keys: of its random
        stream; times: how many trees to draw; tops: the rule that they must begin with (-1: any).
        """
        grammar, cache, nats = self.grammar, view.cache, np.zeros(len(starts) - 1)
        longest = int(np.diff(starts).max(initial=1))
        tree_uses, tree_draws = np.zeros((2, len(cache.ids)), np.int64)
        fresh = np.zeros(len(grammar.adapted), np.int64)
        rule_uses = np.zeros(len(grammar.weights), np.int64)
        found, found_starts, times_of_new = sample_trees(
            self.batch(letters, starts),
            Draws(keys, times, tops),
            cache.tree_rows,
            grammar.weighted(view.weights),
            Remembered(view.memory, view.memory.masses, np.zeros(len(grammar.adapted))),
            Desk(chart_room(grammar, longest), new_draft(grammar, longest)),
            tree_draws,
            Uses(tree_uses, rule_uses, fresh, nats),
        )
        unit = 1.0 / self.samples
        usage = {
            "tried": Field(tree_draws * unit, ("derivations",)),
            "fresh": Field(fresh * unit, ("symbols",)),
        }
        positions = np.flatnonzero(tree_uses)
        columns = cache.trees.places[cache.ids[positions]]
        rows = SparseCounts(positions, columns, tree_uses[positions], len(grammar.adapted), unit)
        places = grammar.symbols.adapted[grammar.rules.parents[found[found_starts[:-1]]]]
        drawn = np.zeros((len(places), len(grammar.adapted)))
        drawn[np.arange(len(places)), places] = times_of_new * unit
        values = list(map(self.spelled.__getitem__, found.tolist()))  # like `key_of`
        keys_of_new = [" ".join(values[start:stop]) for start, stop in pairwise(found_starts.tolist())]
        new_rows = dict(zip(keys_of_new, drawn, strict=True))
        return DrawnTrees(rows, new_rows, rule_uses * unit, usage, nats)

    @cached_property
    def spelled(self) -> list[str]:
        """The number of each rule as a text, from which keys of trees are joined."""
        return list(map(str, range(len(self.grammar.weights))))

    @cached_property
    def longest(self) -> int:
        """The length, in symbols, of the longest sentence whose chart fits into memory."""
        return longest_that_fits(self.grammar)

    def sentences_of(self, shard: Shard) -> Sentences:
        """The sentences of a shard's documents that have no new symbols and are not too long."""
        found = self.reader.read(shard.content, shard.rows, documents=shard.documents)
        fits = found.sizes <= self.longest
        if fits.all() and not (found.letters == UNKNOWN).any():
            return found
        return found.take(~found.with_unknown() & fits)

    def report(self, sentences: Sentences, shard: Shard, drawn: DrawnTrees) -> tuple[Local, Stats]:
        """Make the results of a local step: log p of each document of the shard, and the statistics.

        drawn: how often trees of the sentences use rules and trees; it also has each sentence's log p.
        """
        parsed, n = np.isfinite(drawn.nats), shard.n_documents
        known = np.where(parsed, drawn.nats, 0.0)
        by_document = np.asarray(np.bincount(sentences.documents, known, n), np.float64)
        tokens = float(np.diff(sentences.starts)[parsed].sum())
        return self.stats_of(by_document, float(known.sum()), tokens, drawn)

    def stats_of(
        self, by_document: Array, score: float, tokens: float, drawn: DrawnTrees
    ) -> tuple[Local, Stats]:
        """Make the results of a local step from the log p of documents and the uses in drawn trees.

        by_document (documents): log p in nats; score: their sum; tokens: the number of symbols.
        """
        uses = Field(self.grammar.of_grammar(drawn.rule_uses), ("rules",))
        local = {"nats": Field(by_document, ("documents",))}
        usage = {**drawn.usage, "uses": uses}
        n = float(len(by_document))
        return local, Stats(drawn.rows, drawn.new_rows, usage, score, n, tokens)

    def batch(self, letters: Integers, starts: NDArray[np.int64]) -> SentenceBatch:
        """Sentences as kernels take them, with the symbols that may occur in each one's trees.

        These are found by `active_symbols`; in a grammar of at most `FEW` symbols they are all symbols.
        letters: terminals of all sentences, which begin at `starts`.
        """
        n, grammar = len(starts) - 1, self.grammar
        if len(grammar.names) <= FEW:
            every = np.arange(len(grammar.names), dtype=np.int32)
            active = np.tile(every, n), np.arange(n + 1) * len(every)
            return SentenceBatch(letters, starts, *active, grammar.start)
        none = np.zeros(n + 1, np.int64)
        active = active_symbols(letters, starts, grammar.start, grammar.rules, grammar.symbols, none)
        return SentenceBatch(letters, starts, *active, grammar.start)

    # Global steps

    def needs_summary(self, step: Step) -> bool:
        """Whether this step computes `summary`, to learn discounts, concentrations and prior strengths.

        It does in the steps 1, 2, 4, 8, …, and when rarely used trees are dropped (`pruned`).
        """
        number = step.number + 1
        return number & (number - 1) == 0 or self._refines(step)

    def _refines(self, step: Step) -> bool:
        return (step.number + 1) % self.refine_every == 0 or step.rate >= 1.0

    def summary(self, params: Record, counts: TruncatedCounts, first: int) -> Summary:  # type: ignore[override]
        """Sums over the table, for the score and for learning its parameters.

        For the score, in nats: "evidence" (adapted symbols), log p of all uses of trees with the sticks
        integrated out; "expected" (adapted symbols), the uses by sentences times E[log weight]; "rules", the
        rules' part of the bound. For learning: the uses of trees in the order of their sticks
        (`OrderedCells`) and the best prior strengths (symbols). All come from the view in `params`; `counts`
        and `first` are not used.
        """
        view = cast("View", params["view"].values[()])
        cache, process = view.cache, self.process(params)
        cells = cache.cells
        evidence, expected = np.zeros(len(cells.sizes)), process.beyond * cache.sums.leftover
        for k, size in enumerate(cells.sizes.tolist()):
            if size:
                evidence[k] = stick_evidence(cells, k, *(float(each[k]) for each in process))
            own, all_uses = cache.own[k, :size], cells.values[k, :size]
            logs = psi(1.0 - process.discounts[k] + all_uses) - cache.sums.before[k, :size]
            expected[k] += own @ (logs - cache.sums.log_totals[k])
        made = {"evidence": evidence, "expected": expected, "rules": self._rule_terms(params, view)}
        if self.learn_processes:
            names = "order", "uses", "inside", "sizes"
            made |= dict(zip(names, cells[:4], strict=True))
        if self.learn_weights:
            made["strengths"] = self._best_strengths(params, cache)
        return made

    def _rule_terms(self, params: Record, view: View) -> Array:
        """The rules' part of the bound, in nats: -KL(q(theta) || p(theta)) + E[log p] of remembered trees."""
        counted = self.grammar.rules.counted
        logs = np.log(view.weights.rules)[counted]
        if not self.learn_weights:
            return np.array(view.cache.rule_uses[counted] @ logs)
        uses = self.rule_counts(params, view.cache)
        sentences = (uses - view.cache.rule_uses)[counted]
        return np.array(self._rule_evidence(params, uses) - sentences @ logs)

    def _rule_evidence(self, params: Record, uses: Array) -> float:
        """log p of the uses of rules, in nats, with the rules' weights integrated out; uses: of each rule."""
        grammar, prior = self.grammar, self.priors(params)
        counted, n = grammar.rules.counted, len(grammar.names)
        parents = grammar.rules.parents[counted]
        nats = float(log_gamma_ratio(prior + uses, prior, uses)[counted].sum())
        sums = [np.bincount(parents, x[counted], n) for x in (prior + uses, prior, uses)]
        after, before, used = (x[sums[1] > 0.0] for x in sums)
        return nats - float(log_gamma_ratio(after, before, used).sum())

    def best_processes(self, params: Record, summary: Summary, step: Step) -> dict[str, Field]:
        """Learn the discount and concentration of each adapted symbol; returns both as params.

        In batches they maximise log p of all uses with the sticks integrated out (the evidence), online the
        expected log p of recent draws (`predictive`), in which trees that were new when drawn count as new.
        Online, the evidence would mistake the few trees of the first sentences, scaled up to many uses, for a
        low concentration, and nothing new would be found (see docs/explanation/online-grammars-equations.md).
        """
        moved = {name: params[name].values.copy() for name in ("discounts", "concentrations")}
        order: dict[str, AnyArray] = dict(summary)
        cells = OrderedCells(order["order"], order["uses"], order["inside"], order["sizes"], 1.0)
        for k, size in enumerate(cells.sizes.tolist()):
            uses, beyond = cells.values[k, :size], float(params["beyond"].values[k])
            if step.rate >= 1.0:
                total = float(uses.sum()) + beyond
                score = partial(_mean_evidence, cells=cells, k=k, beyond=beyond, total=total)
            else:
                tried, fresh = params["tried"].values[cells.rows[k, :size]], float(params["fresh"].values[k])
                total = float(tried.sum()) + fresh
                score = partial(_mean_predictive, uses=uses, tried=tried, fresh=fresh, total=total)
            if not size or not total > 0.0:
                continue
            b, a = moved["discounts"][k], moved["concentrations"][k]
            found = best_process(score, b, a)
            if score(found[1], found[0]) > score(a, b):
                moved["discounts"][k], moved["concentrations"][k] = found
        return {name: params[name]._replace(values=values) for name, values in moved.items()}

    def _best_strengths(self, params: Record, cache: Cache) -> Array:
        """(symbols) The factor on prior weights of each symbol's rules that maximises log p of their uses.

        By Minka's fixed point (2000).
        """
        grammar, strengths = self.grammar, params["strengths"].values.copy()
        parents, n, counted = grammar.rules.parents, len(grammar.names), grammar.rules.counted
        weights, uses = grammar.weights * counted, self.rule_counts(params, cache)
        sums, all_uses = np.bincount(parents, weights, n), np.bincount(parents, uses, n)
        for _ in range(20):
            prior = np.where(counted, grammar.weights * strengths[parents], 1.0)
            gains = np.bincount(parents, weights * (psi(prior + uses) - psi(prior)), n)
            totals = np.maximum(sums * strengths, 1e-300)
            losses = sums * (psi(totals + all_uses) - psi(totals))
            found = losses > 0.0
            strengths[found] *= gains[found] / losses[found]
            strengths = np.clip(strengths, *STRENGTHS)
        return strengths

    def global_step(
        self, params: Record, stats: Stats, totals: Array, summary: Summary | None, step: Step
    ) -> Record:
        keep, add = (1.0 - step.rate) * step.growth, step.rate * step.scale

        def blended(name: str, new: Array) -> Field:
            return params[name]._replace(values=keep * params[name].values + add * new)

        moved: dict[str, Field] = {}
        for name in ("uses", "beyond", "tried", "fresh"):
            if name in stats.usage:
                new = np.zeros(params[name].values.shape)
                new[: len(stats.usage[name].values)] = stats.usage[name].values
                moved[name] = blended(name, new)
        if summary is not None and "strengths" in summary:
            moved["strengths"] = params["strengths"]._replace(values=summary["strengths"])
        if summary is not None and "order" in summary and step.number > 0:
            moved |= self.best_processes({**params, **moved}, summary, step)
        return {**params, **moved}

    def score(self, params: Record, stats: Stats, totals: Array, summary: Summary) -> Score:
        """An estimate of the bound on log p(sentences), in nats.

        It is the sum of the sentences' log p by the weights of trees and rules, plus the part of the table
        and the rules.
        """
        table = summary["evidence"] - summary["expected"]
        return Score(stats.score + float(table.sum() + summary["rules"]), stats.tokens, self.score_kind)

    def rederived(self, params: Record, counts: TruncatedCounts) -> Edit:
        """The edit that replaces each remembered tree by the most probable tree of the same string.

        The new tree gets the old one's counts. This takes the place of resampling remembered subtrees
        (section 8.3.1 of Zhai's thesis). Trees inside other remembered trees stay. At most `REDERIVED` trees
        are replaced at a time.
        """
        view = self.view(params, counts)
        grammar, cache, memory = self.grammar, view.cache, view.memory
        used = cache.cells.values - cache.own > 0.0
        inner = np.zeros(len(cache.ids), np.bool_)
        inner[cache.cells.rows[cache.cells.inside & used]] = True
        which = np.flatnonzero(~inner)
        greatest = np.zeros(memory.masses.shape)
        np.maximum.at(greatest, (memory.places, memory.strings), memory.customers)
        longest = int(np.diff(cache.trees.letter_starts)[cache.ids].max(initial=1))
        weights = view.weights
        if len(weights.closures):
            weights = weights._replace(closures=np.zeros(len(weights.closures)))
            close_circles(True, grammar.weighted(weights))
        rows, found, starts = best_trees(
            which,
            grammar.adapted,
            cache.tree_rows,
            grammar.weighted(weights),
            Remembered(memory, greatest, np.zeros(len(grammar.adapted))),
            Desk(chart_room(grammar, longest), new_draft(grammar, longest)),
        )
        keys = [key_of(found[a:b]) for a, b in pairwise(starts)][:REDERIVED]
        return self._merged(counts, rows[: len(keys)].tolist(), keys)

    def _merged(self, counts: TruncatedCounts, rows: Sequence[int], keys: Sequence[str]) -> Edit:
        """The edit that replaces rows of the table by other trees, given by a key for each of `rows`.

        It adds rows for these trees and the trees inside them, if they have none yet, and merges each old row
        into its new one. An old row whose tree occurs within one of the new trees stays.
        """
        places = {key: row for row, key in enumerate(counts.keys)}
        parts = dict(zip(keys, self.known.parts_of(keys), strict=True))
        inner = {places.get(part) for below in parts.values() for part in below}
        pairs = [(row, key) for row, key in zip(rows, keys, strict=True) if row not in inner]
        wanted = dict.fromkeys(part for _, key in pairs for part in (*parts[key], key))
        new = [key for key in wanted if key not in places]
        places |= {key: len(counts.keys) + at for at, key in enumerate(new)}
        edit: list[Change] = [Grow("derivations", len(new), tuple(new))] if new else []
        into = np.array([places[key] for _, key in pairs], np.int64)
        for at in sorted(range(len(pairs)), key=lambda at: -pairs[at][0]):
            source, target = pairs[at][0], int(into[at])
            edit.append(Merge("derivations", target, source))
            into[into > source] -= 1
        return tuple(edit)

    def learned(
        self, params: Record, counts: TruncatedCounts, within: Integers | None = None
    ) -> LearnedGrammar:
        """The learned grammar, to parse sentences: remembered trees and rules with posterior mean weights.

        within: the terminals of a text; remembered trees whose strings do not occur in it are left out, to
        save time. None: all are included.
        """
        grammar, cache = self.grammar, self.cache(params, counts)
        trees, columns = cache.trees, len(grammar.adapted)
        means, fresh = np.zeros(cache.cells.values.shape), np.ones(columns)
        expected_sticks(cache.cells, self.process(params), means, fresh)
        cells = cache.cells
        shares, uses = np.zeros(len(cache.ids)), np.zeros(len(cache.ids))
        shares[cells.rows[cells.inside]] = means[cells.inside]
        uses[cells.rows[cells.inside]] = cells.values[cells.inside]
        order = np.argsort(trees.places[cache.ids], kind="stable")  # symbols before those below them
        if within is not None:
            order = order[self._occurring(cache.ids[order], within)]
        rows = np.empty(len(cache.ids), np.int32)
        rows[order] = np.arange(len(order), dtype=np.int32)
        ids = cache.ids[order]
        ends, places = entries_between(trees.part_starts[ids], trees.part_starts[ids + 1])
        parts = trees.parts[places]
        inner = parts < 0
        parts[inner] = -1 - rows[cache.rows[-1 - parts[inner]]]
        rule_uses = self.rule_counts(params, cache)
        weights = self.priors(params) + rule_uses if self.learn_weights else grammar.weights
        return LearnedGrammar(
            grammar,
            grammar.of_grammar(rule_uses),
            params["discounts"].values,
            params["concentrations"].values,
            uses[order],
            np.ones(len(order), np.int64),
            parts,
            ends,
            Predictive(grammar.shares(weights), fresh, shares[order]),
        )

    def _occurring(self, ids: Integers, text: Integers) -> NDArray[np.bool_]:
        """(trees,) Whether the string of each tree occurs in a text; ids: the trees' numbers in the cache.

        Bytes are compared, also across the ends of sentences, so that a few others may count as well.
        """
        trees, whole = self.known.trees, text.astype(np.int32).tobytes()
        starts = trees.letter_starts
        strings = (trees.letters[starts[tree] : starts[tree + 1]].tobytes() for tree in ids.tolist())
        return np.fromiter((string in whole for string in strings), np.bool_, len(ids))

    def admit(self, params: Record, new_rows: Mapping[str, Array], step: Step) -> tuple[Edit, Record]:
        if not new_rows:
            return (), {}
        uses = np.array(list(new_rows.values())).sum(axis=-1)
        keys = [key for _, key in sorted(zip((-uses).tolist(), new_rows, strict=True))]
        return (Grow("derivations", len(keys), tuple(keys)),), {}

    def reorder(self, params: Record, counts: TruncatedCounts, step: Step) -> Edit:  # type: ignore[override]
        """The edit to the table after a step: mostly none, else that of `pruned` or `rederived`.

        `pruned` comes every `refine_every` steps, and after a step that replaces all counts; `rederived` half
        way between two prunings.
        """
        if not self._refines(step):
            half = (step.number + 1 + self.refine_every // 2) % self.refine_every == 0
            return self.rederived(params, counts) if half and self.refine_every > 1 else ()
        return self.pruned(params, counts, step.rate, LEAST)

    def finish(self, params: Record, counts: TruncatedCounts) -> Edit:  # type: ignore[override]
        """The last edit of a run: it drops trees beyond the truncation, if any; those hardly used stay."""
        if (self.cache(params, counts).cells.sizes <= self.truncations).all():
            return ()
        return self.pruned(params, counts, 1.0, 0.0)

    def pruned(self, params: Record, counts: TruncatedCounts, rate: float, least: float) -> Edit:
        """The edit that sorts remembered trees by rank, and drops those beyond the truncation or hardly used.

        The rank is uses × log(rate × terminals + 1) (section 8.3.1 of Zhai's thesis; rate: the step's
        learning rate). Trees with fewer than `least` uses count as hardly used. Trees inside those that stay
        are not dropped.
        """
        cache = self.cache(params, counts)
        trees, ids = cache.trees, cache.ids
        lengths = np.diff(trees.letter_starts)[ids]
        kept = np.zeros(len(ids), np.bool_)
        orders: list[NDArray[np.int64]] = []
        for column, size in enumerate(cache.cells.sizes.tolist()):
            rows, uses = cache.cells.rows[column, :size].astype(np.int64), cache.cells.values[column, :size]
            ranks = uses * np.log(rate * lengths[rows] + 1.0)
            order = np.argsort(-ranks, kind="stable")
            best = order[: int(self.truncations[column])]
            kept[rows[best[uses[best] >= least]]] = True
            order = order[kept[rows[order]]]
            orders.append(rows[order])
            kept[cache.rows[parts_below(trees, ids[rows[order]])]] = True  # trees within others come later
        change = Reorder("derivations", "symbols", tuple(orders), tuple(map(len, orders)))
        gone = tuple(np.flatnonzero(~kept).tolist())
        return (change, Drop("derivations", gone)) if gone else (change,)


def _mean_evidence(a: float, b: float, cells: OrderedCells, k: int, beyond: float, total: float) -> float:
    """log p of the uses in column k with its sticks integrated out, divided by `total`, their sum.

    a: concentration, b: discount; beyond: uses of trees that are not remembered.
    """
    return float(stick_evidence(cells, k, a, b, beyond)) / total


def _mean_predictive(a: float, b: float, uses: Array, tried: Array, fresh: float, total: float) -> float:
    """The mean of `predictive` per draw; total: the number of draws."""
    return predictive(a, b, uses, tried, fresh) / total
