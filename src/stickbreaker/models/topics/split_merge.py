"""Split and merge moves of growing topics, judged in three ways.

scipy is imported on use: a model is loaded without it.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import NamedTuple

import numpy as np

from stickbreaker.core.edits import Dissolve, Split
from stickbreaker.core.errors import UserError, is_whole
from stickbreaker.core.randomness import stream
from stickbreaker.core.records import Array, Field, Record, Rows, Stats
from stickbreaker.models.contract import Accepted, Move, Plan, Step, Verdict
from stickbreaker.models.topics.growing import GrowingTopics
from stickbreaker.models.topics.trials import mark, topic_of
from stickbreaker.models.topics.words import ClosedVocabulary

DIRECTIONS = 3  # maps that look for a topic's leading direction; the next parts documents along it
ROUNDS = 7  # of a split's fitting, directions included
SETTLED = 2.0  # passes before exact moves begin: alpha must be learned first
STEPS = 10  # minibatches before moves that are judged on halves begin
RATE = 0.2  # merges of a stream wait until the learning rate is below: totals must be steady
TOKENS = 20.0  # a topic of fewer is not split
LONGEST = 32.0  # cohorts that a topic or pair that keeps failing waits at most
SMOOTH = 1.0  # tokens of a word, shared as the whole topic is, that its share starts from
SPLIT, MERGE = 0, 1  # kinds of moves
PARTS, LEAST_PART = 4, 0.05  # topics that one may be handed over to, and the least share of each
DUST = 1e-6  # nats a token that a gain must exceed: single precision could have made it


@dataclass(frozen=True, slots=True)
class SplitMerge:
    """Topics split and merge while a run goes on (Bryant & Sudderth 2012, section 3).

    `accept` says how a change is judged: "exact", by the bound of all documents (memoised and batch
    schedules); "halves", fitted on one half of a minibatch and judged on the other (online, `partial_fit`);
    "paper", on the minibatch that it was fitted on, as Bryant & Sudderth do (biased on text). At most
    `splits` and `merges` are tried at once.

    >>> SplitMerge(accept="halves").splits
    25
    """

    accept: str = "exact"
    splits: int = 25
    merges: int = 30

    def __post_init__(self) -> None:
        if self.accept not in MOVES:
            told = " or ".join(repr(kind) for kind in MOVES)
            raise UserError(f"SplitMerge(accept={self.accept!r})", remedy=f"accept is {told}")
        if not (is_whole(self.splits, 0) and is_whole(self.merges, 0)):
            told = f"SplitMerge(splits={self.splits!r}, merges={self.merges!r})"
            raise UserError(told, remedy="both are whole numbers from 0")

    def move(self, documents: GrowingTopics, words: ClosedVocabulary) -> Move:
        """The move of a model with these slots."""
        return MOVES[self.accept](self, documents, words)


class Candidate(NamedTuple):
    """A change that a trial says something about: columns concerned, its edit, and its gain in nats."""

    plan: str
    topics: tuple[int, ...]
    edit: Split | Dissolve
    gain: float
    mixture: bool = False  # a topic tried with those that it mixes


@dataclass(frozen=True, slots=True)
class TopicMoves(Move):
    """What the three kinds share: what to try, how a proposal is fitted, and the terms of the bound.

    Memory: "failed" and "wait" (kinds × topics), how often in a row a topic's split, and its handover to
    those that it mixes, failed and how many cohorts they wait from then on; "apart" (topics × topics), how
    many cohorts a pair waits.
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
        eligible = (small["wait"].values[SPLIT] <= 0) & (totals >= TOKENS)
        order = [k for k in np.argsort(-totals, kind="stable").tolist() if eligible[k]]
        extra = {name: Field(np.array(value)) for name, value in more.items()}
        for topic in order[: self.settings.splits]:
            start = stream(seed, "directions", step.number, topic).standard_normal(len(rows.values))
            change = {"topic": mark(topic, n_topics), "direction": Field(start, ("words",)), **extra}
            yield Plan(f"split {topic} of step {step.number}", change)

    def _handovers(self, small: Record, latest: Stats, rows: Rows, step: Step) -> Iterator[Plan]:
        """Topics to hand over, each to one that it is like or together with, or to those that it mixes."""
        columns = rows.values
        apart, waits, n_topics = small["apart"].values, small["wait"].values[MERGE], columns.shape[1]
        chosen: dict[tuple[int, ...], None] = {}
        mixtures = [each for each in _mixtures(columns) if waits[each[0]] <= 0]
        rankings = [
            mixtures,
            [pair for pair in _pairs(_likeness(columns), columns) if apart[pair] <= 0],
            [pair for pair in _pairs(_correlation(latest), columns) if apart[pair] <= 0],
        ]
        for each in chain.from_iterable(zip_longest(*rankings)):
            if each is not None:
                chosen[each] = None
            if len(chosen) == self.settings.merges:
                break
        for topic, *targets in list(chosen)[: self.settings.merges]:
            marks = np.stack([mark(target, n_topics).values for target in targets], axis=1)
            alpha = self._prior(small, small["weights"].values[[topic]])
            change = {
                "topic": mark(topic, n_topics),
                "targets": Field(marks, ("topics", "targets"), additive=False),
                "log_words": Field(self.words.log_words(small, columns[:, targets]), ("words", "targets")),
                "priors": Field(np.full(len(targets), alpha[0] / len(targets))),
                **({"mixture": Field(np.array(1.0))} if (topic, *targets) in mixtures else {}),
            }
            yield Plan(f"merge {topic} {' '.join(map(str, targets))} of step {step.number}", change)

    # how a split is fitted

    def _fitted(self, small: Record, stats: Stats, plan: Plan, rows: Rows) -> Plan:
        """The plan for the next round, from what the last one told."""
        told, change = stats.trial[plan.name].rows.rows(), dict(plan.change)
        if plan.round < DIRECTIONS:
            change["direction"] = Field(_centred(told, len(rows.values)), ("words",))
            if plan.round + 1 == DIRECTIONS:
                change["sides"] = Field(np.array(1.0))
        else:
            change.pop("direction", None)
            change |= self._proposal(small, told, topic_of(plan.change["topic"]), rows)
        return replace(plan, change=change, round=plan.round + 1)

    def _proposal(self, small: Record, told: Rows, topic: int, rows: Rows) -> dict[str, Field]:
        """Two topics that a topic's counts make when each word is shared as in a trial (words × 2)."""
        shares = _shares(told, len(rows.values))
        return self._as_topics(small, topic, rows.values[:, topic], shares)

    def _as_topics(self, small: Record, topic: int, column: Array, shares: Array) -> dict[str, Field]:
        halves = np.stack([column * (1.0 - shares), column * shares], axis=1)
        log_words = self.words.log_words(small, halves)
        part = float(halves[:, 1].sum() / max(halves.sum(), 1e-300))
        alpha = self._prior(small, small["weights"].values[topic] * np.array([1.0 - part, part]))
        return {
            "shares": Field(shares, ("words",), additive=False, fresh=0.5),
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

    def _stick(self, small: Record) -> float:
        """What one topic more changes in log p(sticks | gamma)."""
        return float(np.log(small["gamma"].values))

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
        self, small: Record, found: Sequence[Candidate], least: float, n_topics: int
    ) -> tuple[list[Accepted], dict[str, Field]]:
        """The best candidates of disjoint topics, and the memory of the others."""
        failed, wait = small["failed"].values.copy(), np.maximum(small["wait"].values - 1.0, 0.0)
        apart = np.maximum(small["apart"].values - 1.0, 0.0)
        taken: set[int] = set()
        accepted: list[Accepted] = []
        left = list(range(n_topics))
        lost: set[tuple[int, int]] = set()
        for item in sorted(found, key=lambda each: -each.gain):
            kind, topic = SPLIT if isinstance(item.edit, Split) else MERGE, item.topics[0]
            if item.gain <= least:
                if kind == SPLIT or item.mixture:
                    lost.add((kind, topic))
                if kind == MERGE and len(item.topics) == 2:
                    apart[topic, item.topics[1]] = apart[item.topics[1], topic] = LONGEST / 4.0
            elif not taken & set(item.topics):
                taken |= set(item.topics)
                accepted.append(Accepted(item.plan, (_placed(item.edit, left),), item.gain))
                apart[topic, topic] = LONGEST / 4.0  # halves take this place and a new one: not tried at once
        for kind, topic in lost:
            failed[kind, topic] += 1.0
            wait[kind, topic] = min(2.0 ** (failed[kind, topic] - 1.0), LONGEST)
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
        accepted, memory = self._verdict(small, found, least, rows.values.shape[1])
        self._excuse(memory["failed"].values, rows, sum(len(each.topics) > 1 for each in found))
        return Verdict(tuple(accepted), small=memory)

    def _excuse(self, failed: Array, rows: Rows, handovers: int) -> None:
        """Count as failed what is never tried, or a run would wait for it: splits of tiny topics, and, where
        there was room for more, handovers of topics that no others mix to."""
        failed[SPLIT] += (rows.values.sum(axis=0) < TOKENS) & (failed[SPLIT] == 0.0)
        if handovers < self.settings.merges:
            failed[MERGE] += failed[MERGE] == 0.0

    def _split(self, plan: Plan, shares: Array, part: float) -> Split:
        topic = topic_of(plan.change["topic"])
        return Split("topics", topic, part, {"words": shares}, plan.name)


class ExactMoves(TopicMoves):
    """Judged by the bound of all documents, whose statistics are those of their last visit."""

    def plan(self, small: Record, latest: Stats | None, rows: Rows, step: Step, seed: int) -> list[Plan]:
        if latest is None or step.seen < SETTLED * latest.documents:
            return []
        return [*self._directions(small, rows, step, seed), *self._handovers(small, latest, rows, step)]

    def refine(self, small: Record, stats: Stats, plans: Sequence[Plan], rows: Rows, step: Step) -> Verdict:
        fitting = [plan for plan in plans if "targets" not in plan.change and plan.round < ROUNDS]
        return Verdict(again=tuple(self._fitted(small, stats, plan, rows) for plan in fitting))

    def _candidates(
        self, small: Record, stats: Stats, plans: Sequence[Plan], rows: Rows, step: Step
    ) -> Iterator[Candidate]:
        columns, alone = rows.values, self._value(small, rows.values, rows.values)
        for plan in plans:
            tried = stats.trial[plan.name]
            own = float(tried.usage["own"].values)
            topic = topic_of(plan.change["topic"])
            weights = small["weights"].values
            if "targets" in plan.change:
                yield self._handover(small, plan, tried, columns, alone)
            else:
                shares = _shares(tried.rows.rows(), len(columns), smooth=0.0)
                halves = np.stack([columns[:, topic] * (1.0 - shares), columns[:, topic] * shares], axis=1)
                part, prior = self._halved(small, tried, float(weights[topic]))
                gain = own + prior + self._stick(small)
                gain += float(self._value(small, halves, halves).sum() - alone[topic])
                yield Candidate(plan.name, (topic,), self._split(plan, shares, part), gain)

    def _handover(self, small: Record, plan: Plan, tried: Stats, columns: Array, alone: Array) -> Candidate:
        topic = topic_of(plan.change["topic"])
        targets = plan.change["targets"].values.argmax(axis=0).tolist()
        told = tried.rows.rows()
        shares = told.values.sum(axis=0) / max(float(told.values.sum()), 1e-300)
        along = np.zeros((len(columns), len(targets)))
        along[:, 0] = 1.0
        total = told.values.sum(axis=1)
        along[told.positions[total > 0.0]] = (told.values.T / np.where(total > 0.0, total, 1.0)).T[
            total > 0.0
        ]
        after = columns[:, targets] + columns[:, [topic]] * along
        weights = small["weights"].values[[*targets, topic]]
        gain = float(tried.usage["own"].values) + self._handed(small, tried, weights, shares)
        gain += float(self._value(small, after, after).sum() - alone[[*targets, topic]].sum())
        edit = Dissolve("topics", topic, tuple(targets), tuple(shares.tolist()), {"words": along}, plan.name)
        mixture = "mixture" in plan.change
        return Candidate(plan.name, (topic, *targets), edit, gain - self._stick(small), mixture)


MOVES: dict[str, type[TopicMoves]] = {"exact": ExactMoves}


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


def _centred(told: Rows, n_words: int) -> Array:
    """Scores of words from what documents' scores make of them: mean zero, variance one by tokens."""
    sums, tokens = told.values.T
    scores = sums / (tokens + 1.0)
    total = max(float(tokens.sum()), 1e-300)
    scores = scores - (tokens * scores).sum() / total
    scores /= max(float(np.sqrt((tokens * scores**2).sum() / total)), 1e-300)
    out = np.zeros(n_words)
    out[told.positions] = scores
    return out


def _shares(told: Rows, n_words: int, smooth: float = SMOOTH) -> Array:
    """The second part's share of each word (words), where it was seen; elsewhere that of all words."""
    values = told.values
    total = float(values.sum())
    part = float(values[:, 1].sum()) / total if total > 0.0 else 0.5
    out = np.full(n_words, part)
    tokens = values.sum(axis=1) + smooth
    here = tokens > 0.0
    out[told.positions[here]] = (values[here, 1] + smooth * part) / tokens[here]
    return out


def _likeness(columns: Array) -> Array:
    """Cosines of topics' counts."""
    length = np.sqrt((columns**2).sum(axis=0))
    return np.asarray((columns.T @ columns) / np.maximum(length[:, None] * length, 1e-300))


def _correlation(latest: Stats) -> Array:
    """Correlation of documents' shares of topics; of sampled documents it is not told."""
    if "together" not in latest.usage:
        return np.zeros((0, 0))
    n = max(latest.documents, 1.0)
    mean = latest.usage["shares"].values / n
    covariance = latest.usage["together"].values / n - mean[:, None] * mean
    spread = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    return np.asarray(covariance / (spread[:, None] * spread))


def _pairs(likeness: Array, columns: Array) -> list[tuple[int, ...]]:
    """Pairs of topics whose likeness is above zero, the most alike first; the smaller topic of each first."""
    one, other = np.triu_indices(len(likeness), 1)
    values = likeness[one, other]
    order = np.argsort(-values, kind="stable")
    order = order[values[order] > 0.0]
    totals = columns.sum(axis=0)
    pairs = zip(one[order].tolist(), other[order].tolist(), strict=True)
    return [pair if totals[pair[0]] <= totals[pair[1]] else pair[::-1] for pair in pairs]


def _mixtures(columns: Array) -> list[tuple[int, ...]]:
    """Each topic, the smallest first, with those that it is most nearly a mixture of, the largest part first.

    Non-negative least squares of its word shares on those of all other topics, words weighted as chi-squared
    weights them.
    """
    from scipy.optimize import nnls

    totals = columns.sum(axis=0)
    mean = np.maximum(columns.sum(axis=1) / max(float(totals.sum()), 1e-300), 1e-12)
    shares = columns / np.maximum(totals, 1e-3) / np.sqrt(mean)[:, None]
    products = shares.T @ shares
    found: list[tuple[int, ...]] = []
    for topic in np.argsort(totals, kind="stable").tolist():
        others = np.array([k for k in range(len(totals)) if k != topic], np.int64)
        if not len(others):
            break
        ridge = 1e-9 * np.trace(products) * np.eye(len(others))
        root = np.linalg.cholesky(products[np.ix_(others, others)] + ridge)
        parts, _ = nnls(root.T, np.linalg.solve(root, products[others, topic]))
        largest = np.argsort(-parts, kind="stable")[:PARTS]
        found.append((topic, *others[largest[parts[largest] > LEAST_PART]].tolist()))
    return [each for each in found if len(each) > 1]
