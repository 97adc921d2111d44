"""Three ways to judge a split or a merge of topics: by all documents, by a half, by the minibatch itself."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from stickbreaker.core.records import Array, Field, Record, Rows, Stats
from stickbreaker.models.contract import Plan, Step, Verdict
from stickbreaker.models.topics.proposals import correlation, pairs, shares
from stickbreaker.models.topics.topic_moves import ROUNDS, Candidate, TopicMoves
from stickbreaker.models.topics.trials import mark, topic_of

SETTLED = 2.0  # passes before exact moves begin: alpha must be learned first
STEPS = 10  # minibatches before moves that are judged on halves begin
RATE = 0.2  # merges of a stream wait until the learning rate is below: totals must be steady


class ExactMoves(TopicMoves):
    """Judged by the bound of all documents, whose statistics are those of their last visit."""

    def plan(self, small: Record, latest: Stats | None, rows: Rows, step: Step, seed: int) -> list[Plan]:
        if latest is None or step.seen < SETTLED * latest.documents:
            return []
        return [*self._directions(small, rows, step, seed), *self._handovers(small, latest, rows, step)]

    def refine(self, small: Record, stats: Stats, plans: Sequence[Plan], rows: Rows, step: Step) -> Verdict:
        return Verdict(again=tuple(self._fitting(small, stats, plans, rows)))

    def _candidates(
        self, small: Record, stats: Stats, plans: Sequence[Plan], rows: Rows, step: Step
    ) -> Iterator[Candidate]:
        columns = rows.values
        for plan in plans:
            tried = stats.trial[plan.name]
            if "targets" in plan.change:
                yield self._handover(small, plan, tried, columns, columns, 1.0)
                continue
            topic = topic_of(plan.change["topic"])
            second = shares(tried.rows.rows(), len(columns), smooth=0.0)
            halves = _halves(columns[:, topic], second)
            part, prior = self._halved(small, tried, float(small["weights"].values[topic]))
            gain = float(tried.usage["own"].values) + prior
            gain += float(self._value(small, halves, halves).sum())
            gain -= float(self._value(small, columns[:, [topic]], columns[:, [topic]])[0])
            yield self._parted(plan, second, part, gain)


class HalvesMoves(TopicMoves):
    """Splits are fitted on half of a minibatch's documents and judged by what they gain on the other half.

    Merges have nothing to fit: pairs are chosen by the minibatch before and judged on this one.
    """

    def is_settled(self, small: Record, totals: Array) -> bool:
        """Yes: what a stream brings may always give reason to try again."""
        return True

    def plan(self, small: Record, latest: Stats | None, rows: Rows, step: Step, seed: int) -> list[Plan]:
        if latest is None or step.number < STEPS:
            return []
        splits = list(self._directions(small, rows, step, seed, half=0.0))
        return splits if step.rate > RATE else [*splits, *self._handovers(small, latest, rows, step)]

    def refine(self, small: Record, stats: Stats, plans: Sequence[Plan], rows: Rows, step: Step) -> Verdict:
        again = self._fitting(small, stats, plans, rows)
        other = {"half": Field(np.array(1.0))}
        return Verdict(
            again=tuple(
                replace(plan, change={**plan.change, **other}) if plan.round == ROUNDS else plan
                for plan in again
            )
        )

    def _candidates(
        self, small: Record, stats: Stats, plans: Sequence[Plan], rows: Rows, step: Step
    ) -> Iterator[Candidate]:
        columns = rows.values
        for plan in plans:
            tried = stats.trial[plan.name]
            if "targets" in plan.change:
                yield self._handover(small, plan, tried, columns, columns, step.scale)
                continue
            topic = topic_of(plan.change["topic"])
            second = plan.change["shares"].values
            halves = _halves(columns[:, topic], second)
            _, prior = self._halved(small, tried, float(small["weights"].values[topic]))
            told = tried.rows.rows()
            fit = (told.values * self.words.log_words(small, halves)[told.positions]).sum()
            whole = self.words.log_words(small, columns[:, [topic]])[told.positions, 0]
            gain = float(tried.usage["own"].values) + prior
            gain += float(fit - (told.values.sum(axis=1) * whole).sum())
            gain *= step.scale * stats.documents / max(1.0, tried.documents)
            part = float(halves[:, 1].sum() / max(float(halves.sum()), 1e-300))
            yield self._parted(plan, second, part, gain)


class PaperMoves(TopicMoves):
    """Judged on the minibatch that they were fitted on (Bryant & Sudderth 2012, Algorithms 1 and 2).

    Pairs with positive covariance merge before the topics are updated; every topic's split is tried after.
    Merged topics have one eta, where the paper's sum of lambdas counts it twice; the two parts of a split
    topic share its phi, where the printed restricted phi does not sum to one; a split takes one restricted
    iteration, from the topic's past and its present counts.
    """

    def is_settled(self, small: Record, totals: Array) -> bool:
        """Yes: every topic is tried at every step."""
        return True

    def plan(self, small: Record, latest: Stats | None, rows: Rows, step: Step, seed: int) -> list[Plan]:
        if step.number == 0:
            return []
        n_topics = rows.values.shape[1]
        splits = [
            Plan(f"split {k} of step {step.number}", {"topic": mark(k, n_topics)}) for k in range(n_topics)
        ]
        return [Plan(f"merges of step {step.number}", {}), *splits]

    def refine(self, small: Record, stats: Stats, plans: Sequence[Plan], rows: Rows, step: Step) -> Verdict:
        fresh = _dense(stats, rows) * step.scale
        if all(plan.round == 0 for plan in plans):
            apart = [self._begun(small, stats, plan, rows, fresh, step) for plan in plans if plan.change]
            likely = pairs(correlation(stats), rows.values)[: self.settings.merges]
            unions = [self._union(small, pair, rows, step) for pair in likely]
            return Verdict(again=(*apart, *unions))
        found = [
            self._handover(small, plan, stats.trial[plan.name], rows.values, fresh, step.scale)
            for plan in plans
            if "targets" in plan.change
        ]
        return Verdict(tuple(self._verdict(small, found, 0.0, rows.values.sum(axis=0), lambda times: 0.0)[0]))

    def _begun(self, small: Record, stats: Stats, plan: Plan, rows: Rows, fresh: Array, step: Step) -> Plan:
        """A split to start from: the counts of earlier minibatches, and this one's."""
        topic = topic_of(plan.change["topic"])
        start = np.stack([(1.0 - step.rate) * rows.values[:, topic], step.rate * fresh[:, topic]], axis=1)
        log_words = self.words.log_words(small, start)
        weight = (1.0 - step.rate) * float(small["weights"].values[topic])
        now = step.rate * float(stats.usage["shares"].values[topic]) / max(1.0, stats.documents)
        change = {
            **plan.change,
            "start": Field(start, ("words", "halves")),
            "log_odds": Field(log_words[:, 0] - log_words[:, 1], ("words",), additive=False),
            "priors": Field(self._prior(small, np.array([weight, now]))),
        }
        return replace(plan, change=change, round=1)

    def _candidates(
        self, small: Record, stats: Stats, plans: Sequence[Plan], rows: Rows, step: Step
    ) -> Iterator[Candidate]:
        columns, fresh = rows.values, _dense(stats, rows) * step.scale
        for plan in plans:
            if "log_odds" not in plan.change or not plan.change["topic"].values.any():
                continue  # no split, or of a topic that was merged meanwhile
            topic, tried = topic_of(plan.change["topic"]), stats.trial[plan.name]
            told = tried.rows.rows()
            parted = np.zeros((len(columns), 2))
            parted[told.positions] = step.scale * told.values
            if not np.isclose(parted.sum(), fresh[:, topic].sum(), rtol=1e-3, atol=1e-3):
                continue  # another topic was merged into it
            after = (1.0 - step.rate) * plan.change["start"].values + step.rate * parted
            second = after[:, 1] / np.maximum(after.sum(axis=1), 1e-300)
            halves = _halves(columns[:, topic], second)
            part, prior = self._halved(small, tried, float(small["weights"].values[topic]))
            gain = step.scale * (float(tried.usage["own"].values) + prior)
            gain += float(self._value(small, parted, halves).sum())
            gain -= float(self._value(small, fresh[:, [topic]], columns[:, [topic]])[0])
            yield self._parted(plan, second, part, gain)


MOVES: dict[str, type[TopicMoves]] = {"exact": ExactMoves, "halves": HalvesMoves, "paper": PaperMoves}


def _halves(column: Array, second: Array) -> Array:
    """A topic's counts in two (words × 2), by the second's share of each word."""
    return np.stack([column * (1.0 - second), column * second], axis=1)


def _dense(stats: Stats, rows: Rows) -> Array:
    """A report's rows as a table."""
    told = stats.rows.rows()
    out = np.zeros(rows.values.shape)
    out[told.positions] = told.values
    return out
