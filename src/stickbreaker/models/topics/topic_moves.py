"""What all split and merge moves of topics share: proposals, their fitting, the terms of the bound, edits.

scipy is imported on use: a model is loaded without it.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import NamedTuple

import numpy as np

from stickbreaker.core.edits import Dissolve, Split, own_shares
from stickbreaker.core.randomness import stream
from stickbreaker.core.records import Array, Field, Record, Rows, Stats
from stickbreaker.models.contract import Accepted, Move, Plan, Step, Verdict
from stickbreaker.models.topics.growing import GrowingTopics
from stickbreaker.models.topics.proposals import (
    centred,
    correlation,
    likeness,
    mixtures,
    pairs,
    shares,
)
from stickbreaker.models.topics.split_merge import SplitMerge
from stickbreaker.models.topics.trials import mark, topic_of
from stickbreaker.models.topics.words import ClosedVocabulary

DIRECTIONS = 3  # maps that look for a topic's leading direction; the next parts documents along it
ROUNDS = 9  # of a split's fitting, directions included
TOKENS = 20.0  # a topic of fewer is not split
LONGEST = 32.0  # cohorts that a topic that keeps failing waits at most
APART = 8.0  # cohorts that a pair waits that failed, or was one topic before
SPLIT, MERGE = 0, 1  # kinds of moves
EMPTY, NOUGHT = 1.0, -1e-2  # a topic of fewer tokens goes for nothing, to rounding
DUST = 1e-6  # nats a token that a gain must exceed: single precision could have made it


class Candidate(NamedTuple):
    """A change that a trial says something about: columns concerned, its edit, and its gain in nats.

    log p(sticks | gamma) has no part in the gain: a density at a point does not compare across numbers of
    topics.
    """

    plan: str
    topics: tuple[int, ...]
    edit: Split | Dissolve
    gain: float
    mixture: bool = False  # a topic tried with those that it mixes


@dataclass(frozen=True, slots=True)
class TopicMoves(Move):
    """What the three kinds share: what to try, how a proposal is fitted, and the terms of the bound.

    Memory: "failed" and "wait" (kinds × topics), how often in a row a topic's split, and its handover to
    those that it mixes, failed, and the documents seen by when they are tried again; "apart" (topics ×
    topics), the documents seen by when a pair is.
    """

    settings: SplitMerge
    documents: GrowingTopics
    words: ClosedVocabulary

    def start(self, n_columns: int) -> Record:
        none = np.zeros((2, n_columns))
        return {
            "failed": Field(none, ("kinds", "topics"), additive=False),
            "wait": Field(none.copy(), ("kinds", "topics"), additive=False),
            "apart": Field(np.zeros((n_columns, n_columns)), ("topics", "topics"), additive=False),
        }

    # what to try

    def _directions(self, small: Record, rows: Rows, step: Step, seed: int, **more: float) -> Iterator[Plan]:
        """Splits to fit: the largest topics that do not wait, from a random direction of words."""
        totals, n_topics = rows.values.sum(axis=0), rows.values.shape[1]
        eligible = (small["wait"].values[SPLIT] <= step.seen) & (totals >= TOKENS)
        order = [k for k in np.argsort(-totals, kind="stable").tolist() if eligible[k]]
        extra = {name: Field(np.array(value)) for name, value in more.items()}
        for topic in order[: self.settings.splits]:
            start = stream(seed, "directions", step.number, topic).standard_normal(len(rows.values))
            change = {"topic": mark(topic, n_topics), "direction": Field(start, ("words",)), **extra}
            yield Plan(f"split {topic} of step {step.number}", change)

    def _handovers(self, small: Record, latest: Stats, rows: Rows, step: Step) -> Iterator[Plan]:
        """Topics to hand over, each to one that it is like or together with, or to those that it mixes."""
        columns = rows.values
        apart, waits = small["apart"].values, small["wait"].values[MERGE]
        chosen: dict[tuple[int, ...], None] = {}
        small_first = [
            k for k in np.argsort(columns.sum(axis=0), kind="stable").tolist() if waits[k] <= step.seen
        ]
        mixed = list(mixtures(columns, small_first[: -(-self.settings.merges // 2)]))
        rankings = [
            mixed,
            [pair for pair in pairs(likeness(columns), columns) if apart[pair] <= step.seen],
            [pair for pair in pairs(correlation(latest), columns) if apart[pair] <= step.seen],
        ]
        for each in chain.from_iterable(zip_longest(*rankings)):
            if each is not None:
                chosen[each] = None
            if len(chosen) == self.settings.merges:
                break
        for each in list(chosen)[: self.settings.merges]:
            yield self._union(small, each, rows, step, mixed=each in mixed)

    def _union(
        self, small: Record, topics: tuple[int, ...], rows: Rows, step: Step, mixed: bool = False
    ) -> Plan:
        """The first of some topics to be handed over to the others."""
        topic, *targets = topics
        n_topics = rows.values.shape[1]
        marks = np.stack([mark(target, n_topics).values for target in targets], axis=1)
        alpha = self._prior(small, small["weights"].values[[topic]])
        log_words = self.words.log_words(small, rows.values[:, targets])
        change = {
            "topic": mark(topic, n_topics),
            "targets": Field(marks, ("topics", "targets"), additive=False),
            "log_words": Field(log_words, ("words", "targets"), additive=False),
            "priors": Field(np.full(len(targets), alpha[0] / len(targets))),
        }
        if mixed:
            change["mixture"] = Field(np.array(1.0))
        return Plan(f"merge {topic} {' '.join(map(str, targets))} of step {step.number}", change)

    # how a split is fitted

    def _fitting(self, small: Record, stats: Stats, plans: Sequence[Plan], rows: Rows) -> list[Plan]:
        """Splits that are not fitted yet, for their next round."""
        fitting = [plan for plan in plans if "targets" not in plan.change and plan.round < ROUNDS]
        return [self._fitted(small, stats, plan, rows) for plan in fitting]

    def _fitted(self, small: Record, stats: Stats, plan: Plan, rows: Rows) -> Plan:
        """The plan for the next round, from what the last one told."""
        told, change = stats.trial[plan.name].rows.rows(), dict(plan.change)
        if plan.round < DIRECTIONS:
            change["direction"] = Field(centred(told, len(rows.values)), ("words",))
            if plan.round + 1 == DIRECTIONS:
                change["sides"] = Field(np.array(1.0))
        else:
            change.pop("direction", None)
            change |= self._proposal(small, told, topic_of(plan.change["topic"]), rows)
        return replace(plan, change=change, round=plan.round + 1)

    def _proposal(self, small: Record, told: Rows, topic: int, rows: Rows) -> dict[str, Field]:
        """Two topics that a topic's counts make when each word is shared as in a trial (words × 2)."""
        second, column = shares(told, len(rows.values)), rows.values[:, topic]
        halves = np.stack([column * (1.0 - second), column * second], axis=1)
        log_words = self.words.log_words(small, halves)
        part = float(halves[:, 1].sum() / max(halves.sum(), 1e-300))
        alpha = self._prior(small, small["weights"].values[topic] * np.array([1.0 - part, part]))
        return {
            "shares": Field(second, ("words",), additive=False, fresh=0.5),
            "log_odds": Field(log_words[:, 0] - log_words[:, 1], ("words",), additive=False),
            "priors": Field(alpha),
        }

    # terms of the bound

    def _prior(self, small: Record, weights: Array) -> Array:
        """alpha times some weights."""
        return self.documents.prior({**small, "weights": Field(np.asarray(weights), ("topics",))})

    def _prior_terms(self, alpha: Array, sums: Array, documents: float) -> float:
        """sum of alpha E[log theta] - log Gamma(alpha) over documents."""
        from scipy.special import gammaln

        return float((alpha * sums - documents * gammaln(alpha)).sum())

    def _halved(self, small: Record, tried: Stats, weight: float) -> tuple[float, float]:
        """The second part's best share of a topic's weight, and the change of the prior's terms."""
        from scipy.optimize import fminbound

        sums = tried.usage["log_theta"].values

        def fall(share: float) -> float:
            alpha = self._prior(small, weight * np.array([1.0 - share, share]))
            return -self._prior_terms(alpha, sums, tried.documents)

        share = float(np.asarray(fminbound(fall, 1e-4, 1.0 - 1e-4)))
        alpha = self._prior(small, np.array([weight]))
        before = self._prior_terms(alpha, tried.usage["log_whole"].values, tried.documents)
        return share, -fall(share) - before

    def _handed(self, small: Record, tried: Stats, weights: Array, shares: Array) -> float:
        """The change of the prior's terms when the last of some topics' weight goes to the others."""
        after = self._prior(small, weights[:-1] + weights[-1] * shares)
        usage, n = tried.usage, tried.documents
        return self._prior_terms(after, usage["log_theta"].values, n) - self._prior_terms(
            self._prior(small, weights), usage["log_whole"].values, n
        )

    def _value(self, small: Record, fresh: Array, counts: Array) -> Array:
        """sum of fresh E[log beta] - KL(q(beta) || p(beta)) of topics of these counts (words × topics).

        Where `fresh`, what documents have, are the counts themselves, that is log B(lambda) - log B(eta).
        """
        collapsed = self.words.evidence_of(small, counts)
        if fresh is counts:
            return collapsed
        return collapsed + ((fresh - counts) * self.words.log_words(small, counts)).sum(axis=0)

    # edits

    def _verdict(
        self,
        small: Record,
        found: Sequence[Candidate],
        least: float,
        totals: Array,
        later: Callable[[float], float],
    ) -> tuple[list[Accepted], dict[str, Field]]:
        """The best candidates of disjoint topics, and the memory of the others.

        `later` gives the documents seen after so many rounds of all that is at hand.
        """
        failed, wait, apart = (small[name].values.copy() for name in ("failed", "wait", "apart"))
        taken, splits = set[int](), 0
        accepted: list[Accepted] = []
        left = list(range(len(totals)))
        lost: set[tuple[int, int]] = set()
        for item in sorted(found, key=lambda each: -each.gain):
            kind, topic = SPLIT if isinstance(item.edit, Split) else MERGE, item.topics[0]
            if item.gain <= (NOUGHT if kind == MERGE and totals[topic] < EMPTY else least):
                if kind == SPLIT or item.mixture:
                    lost.add((kind, topic))
                if kind == MERGE and len(item.topics) == 2:
                    apart[topic, item.topics[1]] = apart[item.topics[1], topic] = later(APART)
            elif not taken & set(item.topics) and (kind == MERGE or splits < self.settings.splits):
                splits += kind == SPLIT
                taken |= set(item.topics)
                accepted.append(Accepted(item.plan, (_placed(item.edit, left),), item.gain))
                apart[topic, topic] = later(APART)  # halves take this place and a new one: not tried at once
        for kind, topic in lost:
            failed[kind, topic] += 1.0
            wait[kind, topic] = later(min(2.0 ** failed[kind, topic], LONGEST))
        for k in taken:
            failed[:, k] = wait[:, k] = 0.0
        return accepted, {
            "failed": small["failed"]._replace(values=failed),
            "wait": small["wait"]._replace(values=wait),
            "apart": small["apart"]._replace(values=apart),
        }

    @abstractmethod
    def _candidates(
        self, small: Record, stats: Stats, plans: Sequence[Plan], rows: Rows, step: Step
    ) -> Iterator[Candidate]:
        """What the plans gain."""

    def decide(self, small: Record, stats: Stats, plans: Sequence[Plan], rows: Rows, step: Step) -> Verdict:
        found = list(self._candidates(small, stats, plans, rows, step))
        least = DUST * stats.tokens * step.scale
        totals = rows.values.sum(axis=0)
        accepted, memory = self._verdict(small, found, least, totals, _clock(stats, step))
        return Verdict(tuple(accepted), small=memory)

    def is_settled(self, small: Record, totals: Array) -> bool:
        """Every topic that could be split or handed over was, and it failed."""
        failed = small["failed"].values > 0.0
        split = failed[SPLIT] | (totals < TOKENS) | (self.settings.splits == 0)
        handed = failed[MERGE] | (len(totals) == 1) | (self.settings.merges == 0)
        return bool((split & handed).all())

    def _parted(self, plan: Plan, word_shares: Array, part: float, gain: float) -> Candidate:
        topic = topic_of(plan.change["topic"])
        edit = Split("topics", topic, part, {"words": word_shares}, plan.name)
        return Candidate(plan.name, (topic,), edit, gain)

    def _handover(
        self, small: Record, plan: Plan, tried: Stats, columns: Array, fresh: Array, scale: float
    ) -> Candidate:
        """A topic shared out among targets; `fresh` (words × topics) is what documents have of each."""
        topic = topic_of(plan.change["topic"])
        targets = plan.change["targets"].values.argmax(axis=0).tolist()
        told = tried.rows.rows()
        tokens = told.values.sum(axis=0)
        parts = tokens / tokens.sum() if tokens.any() else np.arange(len(targets)) == 0.0
        along = own_shares(told, len(columns))
        before = [*targets, topic]
        after = columns[:, targets] + columns[:, [topic]] * along
        fresh_after = after if fresh is columns else fresh[:, targets] + fresh[:, [topic]] * along
        gain = float(tried.usage["own"].values)
        gain += self._handed(small, tried, small["weights"].values[before], parts)
        gain = scale * gain + float(self._value(small, fresh_after, after).sum())
        alone = columns[:, before]
        gain -= float(self._value(small, alone if fresh is columns else fresh[:, before], alone).sum())
        edit = Dissolve(
            "topics", topic, tuple(targets), tuple(map(float, parts)), {"words": along}, plan.name
        )
        return Candidate(plan.name, (topic, *targets), edit, gain, "mixture" in plan.change)


def _clock(stats: Stats, step: Step) -> Callable[[float], float]:
    """The documents that will have been seen after so many times those of a report."""
    return lambda times: step.seen + times * stats.documents


def _placed(edit: Split | Dissolve, left: list[int]) -> Split | Dissolve:
    """An edit in the shape that those before it left; `left`: the old topic of each place."""
    if isinstance(edit, Split):
        placed: Split | Dissolve = replace(edit, source=left.index(edit.source))
        left.append(-1)
        return placed
    into = tuple(left.index(target) for target in edit.into)
    placed = replace(edit, into=into, source=left.index(edit.source))
    left.remove(edit.source)
    return placed
