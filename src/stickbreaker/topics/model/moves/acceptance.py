"""Three ways to judge splits and merges of topics: on all documents, on half of a minibatch, or on all of it.

A merge is a handover of a topic's tokens to one or several other topics, its targets.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from stickbreaker.contracts.contract import Decision, Proposal, Proposals, Step
from stickbreaker.contracts.table_view import ReportRows, RowArray, RowQuery, TableView
from stickbreaker.core.edits import Split
from stickbreaker.core.records import Array, Field, Record, Stats
from stickbreaker.topics.model.moves import row_queries
from stickbreaker.topics.model.moves.decisions import EMPTY, Candidate, MoveLimits, accepted, chosen
from stickbreaker.topics.model.moves.pairs import correlation, pairs
from stickbreaker.topics.model.moves.row_queries import Answer, Terms, evidence, log_likelihood
from stickbreaker.topics.model.moves.split_merge import (
    MERGES,
    MOST_MERGES,
    ROUNDS,
    Draft,
    TopicMoves,
    concerned,
    rounds_of,
    tokens_of,
)
from stickbreaker.topics.model.moves.split_merge_settings import SplitMerge
from stickbreaker.topics.model.moves.trials import mark, topic_of
from stickbreaker.topics.model.priors.hdp import HDPPrior
from stickbreaker.topics.model.slots import TopicPrior, TopicVocabulary
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary

SETTLED = 2.0  # passes before exact moves begin: alpha must be learned first
STEPS = 10  # minibatches before moves judged on halves begin
WHOLE = np.array([1.0, 1.0, -1.0])  # coefficients: the two parts minus the whole
FEW = 0.5  # handovers are only given up by minibatches with at most this share of all documents
HOPELESS = 0.1  # nats per token of a topic that its handover must lose, by a minibatch, to be given up
RATE = 0.2  # learning rate below which merges in a stream begin, since totals must be steady


class ExactMoves(TopicMoves):
    """Split-merge moves that are judged by the exact bound of all documents.

    Each document's statistics are those of the last visit to it.
    """

    @property
    def mixing(self) -> bool:
        return not self.sampled

    def tried(self, n_topics: int) -> int:
        """The number of merges to try per step: as the user set it, otherwise half of the number of topics,
        but at least 16 and at most 64.

        Many can be tried, since exact moves are never accepted by mistake.
        """
        if self.settings.merges is not None:
            return self.settings.merges
        return min(max(MERGES, n_topics // 2), MOST_MERGES)

    def propose(
        self, params: Record, latest: Stats | None, table: TableView, step: Step, seed: int
    ) -> list[Proposal]:
        if latest is None or step.seen < SETTLED * latest.documents:
            return []
        splits = self._directions(params, table, step, seed)
        return self._made(table, [*splits, *self._handovers(params, latest, table, step)])

    def refine(
        self, params: Record, stats: Stats, proposals: Proposals, table: TableView, step: Step
    ) -> Decision:
        again = self._fitting(params, stats, proposals, table)
        if again or self.sampled:
            return Decision(retry=tuple(again))
        return self._hopeless(params, stats, proposals, table, step)

    def _hopeless(
        self, params: Record, stats: Stats, proposals: Proposals, table: TableView, step: Step
    ) -> Decision:
        """Decide which proposed splits and merges do badly on this minibatch: they are dropped before a trial
        on all documents, and wait for their next trial.

        These are splits without a gain on the documents to which they were fitted, and merges with a large
        loss, if the minibatch has less than half of all tokens. A small loss is not enough, since merges are
        not fitted to the minibatch, and its documents are only a part of all.
        """
        totals = table.totals.sum(axis=0)
        scale = float(totals.sum()) / max(stats.tokens, 1e-300)
        tried = [plan for plan in proposals if "targets" not in plan.change or scale * FEW > 1.0]
        if not tried:
            return Decision()
        sums = table.add(
            {
                plan.name: self._foreseen(params, stats, plan)
                if "targets" in plan.change
                else self._terms(params, stats, plan)
                for plan in tried
            }
        )
        found = self._judged(params, stats, tried, sums, scale)
        lost = [each for each in found if not each.gain > _least(each, totals)]
        later = rounds_of(step, scale * stats.documents)
        _, memory = chosen(params, lost, MoveLimits(0.0, 0), totals, later)
        return Decision(dropped=tuple(each.plan for each in lost), params=memory)

    def _foreseen(self, params: Record, stats: Stats, plan: Proposal) -> RowQuery:
        """A query for the words' terms of the bound after a merge into one or several topics (targets),
        before it is tried on all documents.

        Each word of the dissolved topic is divided among the targets in proportion to their tokens in the
        trial on the minibatch × exp E[log beta].
        """
        topic, targets = concerned(plan)
        tokens = np.maximum(tokens_of(stats.trial[plan.name]), 1e-6)
        columns = partial(row_queries.union_foreseen, topic=topic, into=targets, tokens=tokens)
        return RowQuery(Terms(self._words(params), columns), {"log_words": plan.change["log_words"].values})

    def _candidates(
        self, params: Record, stats: Stats, proposals: Proposals, table: TableView, step: Step
    ) -> Iterator[Candidate]:
        sums = table.add({plan.name: self._terms(params, stats, plan) for plan in proposals})
        return self._judged(params, stats, proposals, sums, 1.0)

    def _judged(
        self, params: Record, stats: Stats, proposals: Proposals, sums: Mapping[str, Answer], scale: float
    ) -> Iterator[Candidate]:
        """The candidates of these proposals with their gains, for a corpus with `scale` times the documents
        of `stats`.

        sums: for each proposal, the answer to its query (`_terms` or `_foreseen`).
        """
        for plan in proposals:
            tried, values = stats.trial[plan.name], evidence(self._words(params), sums[plan.name])
            if "targets" in plan.change:
                yield self._handover(params, plan, tried, values, scale)
                continue
            part, prior = self._halved(params, tried, topic_of(plan.change["topic"]))
            gain = scale * (float(tried.usage["own"].values) + prior) + float(values @ WHOLE)
            shares = partial(row_queries.seconds, tokens=tokens_of(tried), smooth=0.0)
            yield self._parted(plan, part, gain, RowQuery(shares, {"trial": ReportRows(plan.name)}))

    def _terms(self, params: Record, stats: Stats, plan: Proposal) -> RowQuery:
        """A query for the words' terms of the bound, for the topics that a split or merge would make and
        those it replaces.
        """
        if "targets" in plan.change:
            return self._union_terms(params, plan)
        topic, tokens = topic_of(plan.change["topic"]), tokens_of(stats.trial[plan.name])
        columns = partial(row_queries.split, topic=topic, tokens=tokens)
        return RowQuery(Terms(self._words(params), columns), {"trial": ReportRows(plan.name)})


def _least(item: Candidate, totals: Array) -> float:
    """The gain in nats that a proposal must exceed on a minibatch, to be tried on all documents.

    It is 0 for a split. A merge may lose 0.1 nats per token of the dissolved topic, or 1 nat if that is more.
    """
    return 0.0 if isinstance(item.edit, Split) else -max(HOPELESS * float(totals[item.topics[0]]), EMPTY)


class HalvesMoves(TopicMoves):
    """Moves in which splits are fitted on half of a minibatch's documents and judged by their gain on the
    other half.

    Merges have nothing to fit: pairs are chosen on the previous minibatch and judged on this one.
    """

    def is_settled(self, params: Record, totals: Array) -> bool:
        """True: a run may end at any time, since a stream can always give new reasons to try moves."""
        return True

    def propose(
        self, params: Record, latest: Stats | None, table: TableView, step: Step, seed: int
    ) -> list[Proposal]:
        if latest is None or step.number < STEPS:
            return []
        drafts = list(self._directions(params, table, step, seed, half=0.0))
        if step.rate <= RATE:
            drafts += self._handovers(params, latest, table, step)
        return self._made(table, drafts)

    def refine(
        self, params: Record, stats: Stats, proposals: Proposals, table: TableView, step: Step
    ) -> Decision:
        again = self._fitting(params, stats, proposals, table)
        other = {"half": Field(np.array(1.0))}
        return Decision(
            retry=tuple(
                replace(plan, change={**plan.change, **other}) if plan.round == ROUNDS else plan
                for plan in again
            )
        )

    def _candidates(
        self, params: Record, stats: Stats, proposals: Proposals, table: TableView, step: Step
    ) -> Iterator[Candidate]:
        sums = table.add({plan.name: self._terms(params, plan) for plan in proposals})
        for plan in proposals:
            tried, terms = stats.trial[plan.name], sums[plan.name]
            if "targets" in plan.change:
                yield self._handover(params, plan, tried, evidence(self._words(params), terms), step.scale)
                continue
            part, prior = self._halved(params, tried, topic_of(plan.change["topic"]))
            gain = float(tried.usage["own"].values) + prior
            gain += float(log_likelihood(self._words(params), terms) @ WHOLE)
            gain *= step.scale * stats.documents / max(1.0, tried.documents)
            yield self._parted(plan, part, gain, plan.change["shares"].values)

    def _terms(self, params: Record, plan: Proposal) -> RowQuery:
        """A query for the words' terms of the bound, for the topics that a split or merge would make and
        those it replaces.
        """
        if "targets" in plan.change:
            return self._union_terms(params, plan)
        columns = partial(row_queries.split_as_fitted, topic=topic_of(plan.change["topic"]))
        held = {"trial": ReportRows(plan.name), "shares": plan.change["shares"].values}
        return RowQuery(Terms(self._words(params), columns), held)


class PaperMoves(TopicMoves):
    """Moves judged on the minibatch on which they were fitted (Bryant & Sudderth 2012, Algorithms 1 and 2).

    Pairs with positive covariance merge before the topics are updated; then every topic's split is tried.
    Differences from the paper: merged topics have one eta (the sum of lambdas counts it twice); the two parts
    of a split topic share its phi (the printed restricted phi does not sum to one); a split takes one
    restricted iteration, from the topic's past and its present counts.
    """

    def is_settled(self, params: Record, totals: Array) -> bool:
        """True: a run may end at any time, since every topic is tried at every step."""
        return True

    def propose(
        self, params: Record, latest: Stats | None, table: TableView, step: Step, seed: int
    ) -> list[Proposal]:
        if step.number == 0:
            return []
        n_topics = table.totals.shape[1]
        splits = [
            Proposal(f"split {k} of step {step.number}", {"topic": mark(k, n_topics)})
            for k in range(n_topics)
        ]
        return [Proposal(f"merges of step {step.number}", {}), *splits]

    def refine(
        self, params: Record, stats: Stats, proposals: Proposals, table: TableView, step: Step
    ) -> Decision:
        if all(plan.round == 0 for plan in proposals):
            fresh = table.add({"fresh": self._report(params)})["fresh"]["totals"] * step.scale
            apart = [
                self._first_draft(params, stats, plan, table, fresh, step)
                for plan in proposals
                if plan.change
            ]
            totals = table.totals.sum(axis=0)
            likely = pairs(correlation(stats), totals)[: self.tried(len(totals))]
            unions = [self._union(params, pair, table, step) for pair in likely]
            return Decision(retry=tuple(self._made(table, [*apart, *unions])))
        unions = [plan for plan in proposals if "targets" in plan.change]
        sums = table.add({plan.name: self._union_after(params, plan, step) for plan in unions})
        found = [
            self._handover(
                params, plan, stats.trial[plan.name], self._value(params, sums[plan.name]), step.scale
            )
            for plan in unions
        ]
        limits = MoveLimits(0.0, self.settings.splits)
        best, _ = chosen(params, found, limits, table.totals.sum(axis=0), lambda times: 0.0)
        return Decision(accepted(table, best))

    def _report(self, params: Record) -> RowQuery:
        """A query for the total counts by language in the step's own report (groups × topics)."""
        return RowQuery(
            partial(row_queries.report_totals, words=self._words(params)), {"fresh": ReportRows()}
        )

    def _first_draft(
        self, params: Record, stats: Stats, plan: Proposal, table: TableView, fresh: Array, step: Step
    ) -> Draft:
        """A draft that splits a topic into the counts of earlier minibatches and those of this one.

        fresh (groups × topics): totals of this minibatch's counts, scaled to all documents.
        """
        topic, keep = topic_of(plan.change["topic"]), 1.0 - step.rate
        totals = np.stack([keep * table.totals[:, topic], step.rate * fresh[:, topic]], axis=1)
        weight = keep * float(params["weights"].values[topic])
        now = step.rate * float(stats.usage["shares"].values[topic]) / max(1.0, stats.documents)
        priors = Field(self._prior(params, np.array([weight, now])))
        start = partial(
            row_queries.first_counts,
            words=self._words(params),
            topic=topic,
            keep=keep,
            add=step.rate * step.scale,
            totals=totals,
        )
        return Draft(
            replace(plan, change={**plan.change, "priors": priors}, round=1),
            RowQuery(start, {"fresh": ReportRows()}),
        )

    def _union_after(self, params: Record, plan: Proposal, step: Step) -> RowQuery:
        """A query for the words' terms of the bound after a merge, from the counts that topics will have
        after the step.
        """
        topic, targets = concerned(plan)
        columns = partial(row_queries.union_after, topic=topic, into=targets, scale=step.scale)
        return RowQuery(
            Terms(self._words(params), columns), {"trial": ReportRows(plan.name), "fresh": ReportRows()}
        )

    def _split_after(self, params: Record, plan: Proposal, step: Step) -> RowQuery:
        """A query for the words' terms of the bound after a split, from the counts that topics will have
        after the step.
        """
        topic = topic_of(plan.change["topic"])
        columns = partial(row_queries.split_after, topic=topic, rate=step.rate, scale=step.scale)
        return RowQuery(Terms(self._words(params), columns), {**_blended(plan), "fresh": ReportRows()})

    def _value(self, params: Record, sums: Answer) -> Array:
        """Each topic's terms of the bound, in nats, from the answer to a query: reported tokens × E[log beta]
        - KL(q(beta) || p(beta)).
        """
        words = self._words(params)
        return evidence(words, sums) + log_likelihood(words, sums)

    def _candidates(
        self, params: Record, stats: Stats, proposals: Proposals, table: TableView, step: Step
    ) -> Iterator[Candidate]:
        splits = [
            plan
            for plan in proposals  # except of topics merged meanwhile
            if "log_odds" in plan.change and plan.change["topic"].values.any()
        ]
        queries = {plan.name: self._split_after(params, plan, step) for plan in splits}
        sums = table.add({"fresh": self._report(params), **queries})
        fresh = sums["fresh"]["totals"].sum(axis=0) * step.scale
        for plan in splits:
            topic, tried = topic_of(plan.change["topic"]), stats.trial[plan.name]
            tokens = step.scale * tokens_of(tried).sum()
            if not np.isclose(tokens, fresh[topic], rtol=1e-3, atol=1e-3):
                continue  # another topic was merged into it
            part, prior = self._halved(params, tried, topic)
            gain = step.scale * (float(tried.usage["own"].values) + prior)
            gain += float(self._value(params, sums[plan.name]) @ WHOLE)
            shares = partial(row_queries.seconds_after, rate=step.rate, scale=step.scale)
            yield self._parted(plan, part, gain, RowQuery(shares, _blended(plan)))


def _blended(plan: Proposal) -> dict[str, RowArray | ReportRows]:
    """What a query for a split's counts after the step needs in each block: the initial counts, and those
    that its trial reported.
    """
    return {"trial": ReportRows(plan.name), "start": plan.change["start"].values}


MOVES: dict[str, type[TopicMoves]] = {"exact": ExactMoves, "halves": HalvesMoves, "paper": PaperMoves}


def move_of(settings: SplitMerge, documents: TopicPrior, words: TopicVocabulary, sampled: bool) -> TopicMoves:
    """The split-merge move for a model with this prior and vocabulary, of the kind that the setting `accept`
    names.

    `sampled`: whether the solver draws tokens' topics.
    """
    assert isinstance(documents, HDPPrior)
    assert isinstance(words, ClosedVocabulary)
    return MOVES[settings.accept](settings, documents, words, sampled)
