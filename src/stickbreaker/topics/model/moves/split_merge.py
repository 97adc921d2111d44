"""The common base of split and merge moves of topics: proposals, fitting, terms of the bound, edits.

scipy is imported on use, so that models load without it.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, zip_longest
from typing import NamedTuple

import numpy as np

from stickbreaker.contracts.contract import Decision, Move, Proposal, Proposals, Step
from stickbreaker.contracts.table_view import ReportRows, RowArray, RowQuery, TableView
from stickbreaker.core.edits import Dissolve, Split
from stickbreaker.core.records import Array, Field, Record, Stats
from stickbreaker.topics.model.moves import row_queries
from stickbreaker.topics.model.moves.decisions import MERGE, SPLIT, Candidate, MoveLimits, accepted, chosen
from stickbreaker.topics.model.moves.pairs import correlation, likeness, mixtures, pairs
from stickbreaker.topics.model.moves.row_queries import Answer, Terms, WordsSlot
from stickbreaker.topics.model.moves.split_merge_settings import SplitMerge
from stickbreaker.topics.model.moves.trials import TOKENS as TRIAL_TOKENS
from stickbreaker.topics.model.moves.trials import mark, topic_of
from stickbreaker.topics.model.priors.hdp import HDPPrior
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary

DIRECTIONS = 3  # rounds that search for a topic's leading direction; the next round splits documents along it
ROUNDS = 9  # of a split's fitting, directions included
MERGES, MOST_MERGES = 16, 64  # merges tried at once: usually; most of exact ones
TOKENS = 20.0  # a topic with fewer is not split
DUST = 1e-6  # nats per token that a gain must exceed, to exclude rounding errors of single precision
ARRAYS = {  # arrays over words in proposals: axes, whether they are additive, value for a new word
    "direction": (("words",), True, 0.0),
    "log_words": (("words", "targets"), False, 0.0),
    "start": (("words", "halves"), True, 0.0),
    "shares": (("words",), False, 0.5),
    "log_odds": (("words",), False, 0.0),
}


class Draft(NamedTuple):
    """A proposed split or merge that still lacks its arrays over words, and the query to the table that
    computes them.
    """

    plan: Proposal
    query: RowQuery


@dataclass(frozen=True, slots=True)
class TopicMoves(Move):
    """The common base of the three split-merge moves: proposals, their fitting, and the terms of the bound.

    A handover gives all tokens of a topic to other topics, its targets. With one target it is a merge; a
    topic that is approximately a mixture of others has several.

    Params: "failed" (2 × topics), how often in a row a topic's split (0) or its handover as a mixture (1)
    failed; "wait" (2 × topics), the number of documents seen at which they are tried again; "apart" (topics ×
    topics), the number of documents seen at which a pair is tried again.
    """

    settings: SplitMerge
    documents: HDPPrior
    words: ClosedVocabulary
    sampled: bool = False  # documents' topics are drawn, and gains are estimates

    def start(self, n_columns: int) -> Record:
        none = np.zeros((2, n_columns))
        return {
            "failed": Field(none, ("kinds", "topics"), additive=False),
            "wait": Field(none.copy(), ("kinds", "topics"), additive=False),
            "apart": Field(np.zeros((n_columns, n_columns)), ("topics", "topics"), additive=False),
        }

    @property
    def mixing(self) -> bool:
        """Whether merging a topic into several others also divides their own tokens again; by default not.

        That needs a table that is the sum of all documents' reports.
        """
        return False

    def tried(self, n_topics: int) -> int:
        """The number of merges to try per step: the setting `merges`, by default 16.

        If very many were tried, some would seem to be gains by chance. n_topics: used by `ExactMoves`.
        """
        return MERGES if self.settings.merges is None else self.settings.merges

    # proposals

    def _words(self, params: Record) -> WordsSlot:
        return WordsSlot(self.words, {name: params[name] for name in self.words.start()})

    def _directions(
        self, params: Record, table: TableView, step: Step, seed: int, **more: float
    ) -> Iterator[Draft]:
        """Drafts of new splits of the largest topics, the largest first, at most `settings.splits` of them.

        Left out are topics of fewer than `TOKENS` tokens, and those that wait after a failed split (until
        `step.seen` reaches their number in params["wait"]). A draft is a proposal that names the topic, and a
        query for a random score per word, the direction in which documents are first divided; the scores
        depend on the seed, the step and the topic. more: fields to add to each proposal.
        """
        totals = table.totals.sum(axis=0)
        eligible = (params["wait"].values[SPLIT] <= step.seen) & (totals >= TOKENS)
        order = [k for k in np.argsort(-totals, kind="stable").tolist() if eligible[k]]
        extra = {name: Field(np.array(value)) for name, value in more.items()}
        for topic in order[: self.settings.splits]:
            plan = Proposal(
                f"split {topic} of step {step.number}", {"topic": mark(topic, len(totals)), **extra}
            )
            yield Draft(
                plan, RowQuery(partial(row_queries.random_scores, seed=seed, step=step.number, topic=topic))
            )

    def _handovers(self, params: Record, latest: Stats, table: TableView, step: Step) -> Iterator[Draft]:
        """Drafts of new merges, at most as many as `tried`: each gives all tokens of a topic to one or
        several others.

        The other topic has similar words or is correlated over documents, or there are several, of which the
        topic is approximately a mixture. The three kinds take turns.
        """
        totals = table.totals.sum(axis=0)
        most = self.tried(len(totals))
        if most == 0:
            return
        apart, waits, failed = (
            params["apart"].values,
            params["wait"].values[MERGE],
            params["failed"].values[MERGE],
        )
        picked: dict[tuple[int, ...], None] = {}
        small_first = [k for k in np.argsort(totals, kind="stable").tolist() if waits[k] <= step.seen]
        products = table.add({"products": RowQuery(partial(row_queries.products, totals=totals))})["products"]
        mixed = list(mixtures(products["shares"], small_first[: -(-most // 2)], failed))
        alike = likeness(products["counts"], products["squares"])
        rankings = [
            mixed,
            [pair for pair in pairs(alike, totals) if apart[pair] <= step.seen],
            [pair for pair in pairs(correlation(latest), totals) if apart[pair] <= step.seen],
        ]
        for each in chain.from_iterable(zip_longest(*rankings)):
            if each is not None:
                picked[each] = None
            if len(picked) == most:
                break
        for each in picked:
            yield self._union(params, each, table, step, mixed=each in mixed)

    def _union(
        self, params: Record, topics: tuple[int, ...], table: TableView, step: Step, mixed: bool = False
    ) -> Draft:
        """The draft of a merge: the first of these topics gives its tokens to the others (targets).

        `mixed`: it was chosen because it is approximately a mixture of these.
        """
        topic, *targets = topics
        n_topics = table.totals.shape[1]
        marks = np.stack([mark(target, n_topics).values for target in targets], axis=1)
        alpha = self._prior(params, params["weights"].values[[topic]])
        change = {
            "topic": mark(topic, n_topics),
            "targets": Field(marks, ("topics", "targets"), additive=False),
            "priors": Field(np.full(len(targets), alpha[0] / len(targets))),
        }
        if mixed:
            change["mixture"] = Field(np.array(1.0))
        if self.mixing:
            change["mixing"] = Field(np.array(1.0))
        plan = Proposal(f"merge {topic} {' '.join(map(str, targets))} of step {step.number}", change)
        words, totals = self._words(params), table.totals[:, targets]
        return Draft(plan, RowQuery(partial(row_queries.targets, words=words, topics=targets, totals=totals)))

    def _made(self, table: TableView, drafts: Iterable[Draft]) -> list[Proposal]:
        """The proposals of these drafts, complete with their arrays over words, which take a single query of
        the table.
        """
        drafts = list(drafts)
        made = table.fields({plan.name: query for plan, query in drafts})
        return [replace(plan, change={**plan.change, **_arrays(made[plan.name])}) for plan, _ in drafts]

    # fitting of splits

    def _fitting(
        self, params: Record, stats: Stats, proposals: Proposals, table: TableView
    ) -> list[Proposal]:
        """The proposals for the next round of those splits that are not completely fitted yet; empty if all
        are.
        """
        fitting = [plan for plan in proposals if "targets" not in plan.change and plan.round < ROUNDS]
        if not fitting:
            return []
        sums = table.add({plan.name: self._seen(params, stats, plan) for plan in fitting})
        return self._made(table, [self._fitted(params, stats, plan, sums[plan.name]) for plan in fitting])

    def _seen(self, params: Record, stats: Stats, plan: Proposal) -> RowQuery:
        """The query for the sums over all words that a split's next round needs.

        In the first rounds they are the moments of the words' scores, later the total counts of both halves.
        """
        held = {"trial": ReportRows(plan.name)}
        if plan.round < DIRECTIONS:
            return RowQuery(row_queries.moments, held)
        tokens, topic = tokens_of(stats.trial[plan.name]), topic_of(plan.change["topic"])
        return RowQuery(
            partial(row_queries.halves, words=self._words(params), topic=topic, tokens=tokens), held
        )

    def _fitted(self, params: Record, stats: Stats, plan: Proposal, sums: Answer) -> Draft:
        """The draft of a split for its next round. sums: the answer to the query of `_seen` after the round
        before.
        """
        held, change = {"trial": ReportRows(plan.name)}, dict(plan.change)
        after = replace(plan, round=plan.round + 1)
        if plan.round < DIRECTIONS:
            if plan.round + 1 == DIRECTIONS:
                change["sides"] = Field(np.array(1.0))
            query = RowQuery(partial(row_queries.centred, moments=sums["moments"]), held)
            return Draft(replace(after, change=change), query)
        change.pop("direction", None)
        tokens, topic = tokens_of(stats.trial[plan.name]), topic_of(plan.change["topic"])
        totals = sums["totals"]  # groups × 2 halves
        part = float(totals[:, 1].sum() / max(float(totals.sum()), 1e-300))
        weights = params["weights"].values[topic] * np.array([1.0 - part, part])
        change["priors"] = Field(self._prior(params, weights))
        query = partial(
            row_queries.proposed, words=self._words(params), topic=topic, tokens=tokens, totals=sums["totals"]
        )
        return Draft(replace(after, change=change), RowQuery(query, held))

    # terms of the bound

    def _prior(self, params: Record, weights: Array) -> Array:
        """The Dirichlet prior of documents for topics with these weights: alpha × weights."""
        return self.documents.prior({**params, "weights": Field(np.asarray(weights), ("topics",))})

    def _prior_terms(self, alpha: Array, sums: Array, documents: float) -> float:
        """The bound's terms for the prior of documents: the sum over documents of alpha E[log theta] - log
        Gamma(alpha), in nats.

        alpha (topics): their prior; sums (topics): of E[log theta] over `documents` documents.
        """
        from scipy.special import gammaln

        return float((alpha * sums - documents * gammaln(alpha)).sum())

    def _halved(self, params: Record, tried: Stats, topic: int) -> tuple[float, float]:
        """The best way to divide a split topic's weight between its halves.

        Returns the second half's share, and the gain in the bound's terms of documents' prior, in nats.
        """
        from scipy.optimize import fminbound

        sums, weight = tried.usage["log_theta"].values, float(params["weights"].values[topic])

        def fall(share: float) -> float:
            alpha = self._prior(params, weight * np.array([1.0 - share, share]))
            return -self._prior_terms(alpha, sums, tried.documents)

        share = float(np.asarray(fminbound(fall, 1e-4, 1.0 - 1e-4)))
        alpha = self._prior(params, np.array([weight]))
        before = self._prior_terms(alpha, tried.usage["log_whole"].values, tried.documents)
        return share, -fall(share) - before

    # decisions

    @abstractmethod
    def _candidates(
        self, params: Record, stats: Stats, proposals: Proposals, table: TableView, step: Step
    ) -> Iterator[Candidate]:
        """The proposals with their gains in nats, as candidates from which `chosen` accepts the best."""

    def decide(
        self, params: Record, stats: Stats, proposals: Proposals, table: TableView, step: Step
    ) -> Decision:
        found = self._candidates(params, stats, proposals, table, step)
        limits = MoveLimits(DUST * stats.tokens * step.scale, self.settings.splits)
        later = rounds_of(step, stats.documents)
        best, memory = chosen(params, found, limits, table.totals.sum(axis=0), later)
        return Decision(accepted(table, best), params=memory)

    def is_settled(self, params: Record, totals: Array) -> bool:
        """Whether a run may end: all splits and merges that are possible have been tried and failed."""
        failed = params["failed"].values > 0.0
        split = failed[SPLIT] | (totals < TOKENS) | (self.settings.splits == 0)
        handed = failed[MERGE] | (len(totals) == 1) | (self.settings.merges == 0)
        return bool((split & handed).all())

    def _parted(self, plan: Proposal, part: float, gain: float, shares: RowQuery | RowArray) -> Candidate:
        """The candidate for a split, to be judged by its gain. part: the second half's share of the topic's
        weight; shares: the same for each word.
        """
        topic = topic_of(plan.change["topic"])
        return Candidate(plan.name, (topic,), Split("topics", topic, part, trial=plan.name), gain, shares)

    def _union_terms(self, params: Record, plan: Proposal) -> RowQuery:
        """A query for the words' terms of the bound that change if a topic is merged into one or several
        others (targets).

        They are those of the targets after the merge, followed by those of the targets and the topic before
        it.
        """
        topic, targets = concerned(plan)
        columns = partial(row_queries.union, topic=topic, into=targets, amounts=self.mixing)
        return RowQuery(Terms(self._words(params), columns), {"trial": ReportRows(plan.name)})

    def _handover(
        self, params: Record, plan: Proposal, tried: Stats, values: Array, scale: float
    ) -> Candidate:
        """The candidate for merging a topic into one or several others (targets), with its gain.

        `tried`: the report of its trial; `values`: the words' terms of the bound, as in `_union_terms`;
        `scale`: the number of documents that each document of the trial stands for.
        """
        topic, targets = concerned(plan)
        tokens = np.maximum(tokens_of(tried), 0.0)
        parts = tokens / tokens.sum() if tokens.any() else np.arange(len(targets)) == 0.0
        gain = float(tried.usage["own"].values)
        weights = params["weights"].values[[*targets, topic]]
        after = self._prior(params, weights[:-1] + weights[-1] * parts)
        usage, n = tried.usage, tried.documents
        gain += self._prior_terms(after, usage["log_theta"].values, n) - self._prior_terms(
            self._prior(params, weights), usage["log_whole"].values, n
        )
        gain = scale * gain + float(values[: len(targets)].sum())
        gain -= float(values[len(targets) :].sum())
        shares = tuple(map(float, parts))
        amounts = "words" if self.mixing else ""
        edit = Dissolve("topics", topic, tuple(targets), shares, trial=plan.name, amounts=amounts)
        shares = RowQuery(partial(row_queries.handed, amounts=self.mixing), {"trial": ReportRows(plan.name)})
        return Candidate(plan.name, (topic, *targets), edit, gain, shares, "mixture" in plan.change)


def rounds_of(step: Step, documents: float) -> Callable[[float], float]:
    """A function that returns the number of documents that will have been seen after a number of further
    rounds of `documents` each.
    """
    return lambda times: step.seen + times * documents


def _arrays(made: Mapping[str, Array]) -> dict[str, Field]:
    return {name: Field(values, *ARRAYS[name]) for name, values in made.items()}


def tokens_of(tried: Stats) -> Array:
    """The tokens that each half of a split topic, or each target of a merged one, got when the proposal was
    tried on documents.
    """
    return tried.usage[TRIAL_TOKENS].values


def concerned(plan: Proposal) -> tuple[int, list[int]]:
    """The number of the topic that a proposed merge dissolves, and those of the topics that get its tokens
    (targets).
    """
    return topic_of(plan.change["topic"]), plan.change["targets"].values.argmax(axis=0).tolist()
