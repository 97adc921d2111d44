"""Exchanges of topics in online learning: half of a giant topic takes the place of the smallest topic.

scipy is imported on use, so that models load without it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Accepted, Decision, Move, Proposal, Proposals, Step
from stickbreaker.contracts.table_view import ReportRows, RowArray, RowBlock, RowQuery, TableView
from stickbreaker.core.edits import Dissolve, Permute, Split
from stickbreaker.core.records import Array, Field, Record, Stats
from stickbreaker.topics.model.moves import row_queries
from stickbreaker.topics.model.moves.row_queries import Answer
from stickbreaker.topics.model.moves.trials import AGREEMENT, mark, topic_of
from stickbreaker.topics.model.slots import TopicVocabulary

GIANT = 3.0  # times the mean of all topics' votes
STARVED = 0.5  # times the mean, of votes and of counts
AT_ONCE, SHARE_AT_ONCE = 3, 0.1  # exchanges per step, or share of the topics if that is more
DIRECTIONS, ROUNDS = 3, 7  # rounds that search for a topic's leading direction; all rounds of a split
LEAST_PART = 0.05  # least share of a giant's tokens in its smaller half
CHANCE = 1.64  # standard deviations by which documents' halves must agree
LEAST_TOKENS = 5.0  # of a giant: a document with fewer does not judge its halves
LEAST_DOCUMENTS = 5.0  # that judge halves
WAIT = 2  # minibatches that a giant waits if its halves did not differ
ETA, ALPHA = 0.1, 0.1  # priors of the halves' words, and of a document's halves
LEAST_TOPICS = 4  # with fewer topics none is a giant, even with all words


@dataclass(frozen=True, slots=True)
class Exchange(Move):
    """A move for online learning that splits a giant topic; one of its halves replaces the smallest topic.

    A giant topic has at least three times the mean number of votes: each document of the minibatch has one
    vote, divided among topics like its tokens. The smallest topic is merged into the most similar one. With
    ordered documents or a small alpha, mean-field inference lets one topic win all documents, and the bound
    prefers this; nothing else makes such a giant specialise again. So the bound does not judge exchanges: the
    halves must differ. They are a model of two topics fitted to the giant's tokens in the minibatch, from its
    leading direction (as `TopicMoves` splits a topic).

    Params: "rested" (topics), the number of documents seen at which a topic with similar halves is tried
    again.
    """

    def start(self, n_columns: int) -> Record:
        return {"rested": Field(np.zeros(n_columns), ("topics",), additive=False)}

    def propose(
        self, params: Record, latest: Stats | None, table: TableView, step: Step, seed: int
    ) -> list[Proposal]:
        """A first proposal, which only counts the minibatch's votes for topics; none if there are too few
        topics.

        `refine` then chooses topics to exchange by these votes.
        """
        if table.totals.shape[1] < LEAST_TOPICS:
            return []
        change = {"votes": Field(np.array(1.0)), "seed": Field(np.array(float(seed)))}
        return [Proposal(f"votes of step {step.number}", change)]

    def refine(
        self, params: Record, stats: Stats, proposals: Proposals, table: TableView, step: Step
    ) -> Decision:
        plans = [plan for plan in proposals if "votes" not in plan.change]
        if not plans:
            return Decision(retry=tuple(self._begin(params, stats, proposals[0], table, step)))
        halves = [plan for plan in plans if "targets" not in plan.change]
        if halves[0].round < ROUNDS:
            return Decision(retry=tuple(self._fitted(halves, table)))
        return self._made(params, stats, halves, plans, table, step)

    def decide(
        self, params: Record, stats: Stats, proposals: Proposals, table: TableView, step: Step
    ) -> Decision:
        return Decision()  # everything was done before the table changed

    # proposals

    def _begin(
        self, params: Record, stats: Stats, survey: Proposal, table: TableView, step: Step
    ) -> list[Proposal]:
        """The proposals for exchanges, by the votes of the minibatch's documents for topics; empty if there
        is no giant.

        They split giant topics, and merge the small topics that the halves of these replace. survey: the
        proposal that counted the votes.
        """
        votes = stats.trial[survey.name].usage["votes"].values
        totals = table.totals.sum(axis=0)
        ready = params["rested"].values <= step.seen
        chosen = exchanges(votes, totals, ready)
        if not chosen:
            return []
        starved = [topic for _, topic in chosen]
        query = partial(_inner_products, topics=starved)
        sums = table.add({"alike": RowQuery(query)})["alike"]
        cosines = sums["products"] / np.sqrt(np.maximum(sums["squares"], 1e-300))
        cosines[:, starved] = -1.0
        cosines[:, [giant for giant, _ in chosen]] -= (
            1.0  # hand over to a giant only for lack of another topic
        )
        plans: list[Proposal] = []
        directions: dict[str, RowQuery] = {}
        seed = int(survey.change["seed"].values)
        for (giant, topic), row in zip(chosen, cosines, strict=True):
            nearest = int(row.argmax())
            n_topics = len(totals)
            name = f"split {giant} of step {step.number}"
            change = {
                "topic": mark(giant, n_topics),
                "least": Field(np.array(LEAST_TOKENS)),
                "half": Field(np.array(0.0)),
            }
            plans.append(Proposal(name, change))
            scores = partial(row_queries.random_scores, seed=seed, step=step.number, topic=giant)
            directions[name] = RowQuery(scores, counts=False)
            target = mark(nearest, n_topics)
            into = target._replace(values=target.values[:, None], axes=("topics", "targets"))
            joined = {"topic": mark(topic, n_topics), "targets": into, "joined": Field(np.array(1.0))}
            plans.append(Proposal(f"merge {topic} {nearest} of step {step.number}", joined))
        made = table.fields(directions)
        return [
            replace(
                plan, change={**plan.change, "direction": Field(made[plan.name]["direction"], ("words",))}
            )
            if plan.name in made
            else plan
            for plan in plans
        ]

    # fitting the halves of a giant

    def _fitted(self, halves: Proposals, table: TableView) -> list[Proposal]:
        """The splits of giant topics for their next round, from the reports of their trials in the round
        before.
        """
        held = {plan.name: {"trial": ReportRows(plan.name)} for plan in halves}

        def queries(made: Mapping[str, Callable[[RowBlock], Answer]]) -> dict[str, RowQuery]:
            return {name: RowQuery(function, held[name], counts=False) for name, function in made.items()}

        number = halves[0].round + 1  # all are in the same round
        if number <= DIRECTIONS:
            sums = table.add(queries(dict.fromkeys(held, row_queries.moments)))
            centred = {name: partial(row_queries.centred, moments=sums[name]["moments"]) for name in held}
            made = table.fields(queries(centred))
            return [self._directed(plan, made[plan.name]["direction"], number) for plan in halves]
        tokens = {
            name: found["tokens"] for name, found in table.add(queries(dict.fromkeys(held, _tokens))).items()
        }
        made = table.fields(queries({name: partial(_log_odds, tokens=tokens[name]) for name in held}))
        plans = [self._parted(plan, made[plan.name]["log_odds"], number) for plan in halves]
        if number < ROUNDS:
            return plans
        leaning = table.add(queries({name: partial(_leaning, tokens=tokens[name]) for name in held}))
        return [self._judged(plan, _mean(leaning[plan.name]["mean"], tokens[plan.name])) for plan in plans]

    def _directed(self, plan: Proposal, direction: RowArray, number: int) -> Proposal:
        change = {**plan.change, "direction": Field(direction, ("words",))}
        if number == DIRECTIONS:
            change["sides"] = Field(np.array(1.0))
        return replace(plan, change=change, round=number)

    def _parted(self, plan: Proposal, log_odds: RowArray, number: int) -> Proposal:
        change = {name: item for name, item in plan.change.items() if name not in ("direction", "sides")}
        change["log_odds"] = Field(log_odds, ("words",), additive=False)
        change["priors"] = Field(np.full(2, ALPHA))
        return replace(plan, change=change, round=number)

    def _judged(self, plan: Proposal, mean: Array) -> Proposal:
        """The proposal of a split for its last round, in which all documents are split.

        Whether the halves differ is judged by the half of the documents to which they were not fitted. mean:
        the expected share of tokens in the first half.
        """
        change = {name: item for name, item in plan.change.items() if name not in ("half", "least")}
        return replace(
            plan, change={**change, "judged": Field(np.array(1.0)), "mean": Field(np.asarray(mean))}
        )

    # decisions

    def _made(
        self, params: Record, stats: Stats, halves: Proposals, plans: Proposals, table: TableView, step: Step
    ) -> Decision:
        """The decision to make the exchanges whose halves differ, each with at least 5% of the tokens; the
        other giants wait for two minibatches.

        An exchange consists of two edits: the merge of the small topic, then the split of the giant.
        """
        sums = table.add(
            {plan.name: RowQuery(_tokens, {"trial": ReportRows(plan.name)}, counts=False) for plan in halves}
        )
        rested = params["rested"].values.copy()
        accepted: list[Accepted] = []
        pairs = list(zip(halves, (plan for plan in plans if "targets" in plan.change), strict=True))
        kept: list[tuple[Proposal, Proposal, float]] = []
        for half, merge in pairs:
            tokens = sums[half.name]["tokens"]
            part = float(tokens[1]) / max(float(tokens.sum()), 1e-300)
            if min(part, 1.0 - part) >= LEAST_PART and differ(stats.trial[half.name].usage[AGREEMENT].values):
                kept.append((half, merge, part))
            else:
                rested[topic_of(half.change["topic"])] = step.seen + WAIT * stats.documents
        queries = {
            half.name: RowQuery(
                partial(_second_shares, of_all=part), {"trial": ReportRows(half.name)}, counts=False
            )
            for half, _, part in kept
        }
        shares = table.fields(queries)
        n_topics = table.totals.shape[1]
        for half, merge, part in kept:
            giant, starved = topic_of(half.change["topic"]), topic_of(merge.change["topic"])
            nearest = topic_of(Field(merge.change["targets"].values[:, 0]))
            joins = Dissolve("topics", starved, (nearest,), (1.0,), trial=merge.name)
            along = {"words": shares[half.name]["words"]}
            source = giant - (giant > starved)
            split = Split("topics", source, part, along=along, trial=half.name)
            order = (*range(starved), n_topics - 1, *range(starved, n_topics - 1))
            accepted.append(Accepted(merge.name, (joins,), None))
            accepted.append(Accepted(half.name, (split, Permute("topics", order)), None))
        memory = {"rested": params["rested"]._replace(values=rested)}
        return Decision(accepted=tuple(accepted), params=memory)


def exchanges_of(words: TopicVocabulary, schedule: str) -> tuple[Move, ...]:
    """The moves of a stream ("partial_fit"), and of an online run with an open vocabulary, whose topics begin
    without words as those of a stream: exchanges of topics, if the vocabulary allows them; otherwise none.

    It does not if topics have different priors of words, or if words have several rows (concepts). schedule:
    its name.
    """
    begins_empty = schedule == "partial_fit" or (schedule == "online" and words.grows)
    allowed = begins_empty and not words.by_topic and words.row_words() is None
    return (Exchange(),) if allowed else ()


def exchanges(votes: Array, totals: Array, ready: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Pairs (giant, starved): topics to split, and for each the small topic that one of its halves replaces.

    votes (topics): each document of the minibatch has one vote, divided like its tokens; totals (topics):
    tokens in the table; ready (topics): whether a topic may be split now. A giant is ready and has at least
    three times the mean number of votes. A starved topic has at most half of the mean number of votes, and of
    tokens (both, since many topics have no votes for a while). The largest giant is paired with the smallest
    starved topic, and so on: three pairs at most, or a tenth of the number of topics if that is more.

    >>> exchanges(np.array([9.0, 0.5, 0.4, 0.1, 0.0]), np.ones(5) - 0.9 * np.eye(5)[3], np.ones(5, bool))
    [(0, 3)]
    """
    mean = max(float(votes.mean()), 1e-300)
    size = np.maximum(votes / mean, totals / max(float(totals.mean()), 1e-300))
    giants = [k for k in np.argsort(-votes, kind="stable").tolist() if votes[k] >= GIANT * mean and ready[k]]
    starved = [k for k in np.argsort(size, kind="stable").tolist() if size[k] <= STARVED]
    at_once = max(AT_ONCE, int(SHARE_AT_ONCE * len(votes)))
    return list(zip(giants[:at_once], starved, strict=False))


def differ(sums: Array) -> bool:
    """Whether documents prefer one of a split topic's halves more than by chance (1.64 standard deviations);
    False if fewer than five judge.

    sums (3): sums over these documents of 1, of the agreement between two parts of the document on a half,
    and of its square (`trials._agreement`).

    >>> differ(np.array([20.0, 40.0, 100.0])), differ(np.array([20.0, 5.0, 100.0]))
    (True, False)
    """
    n, agreement, squares = sums.tolist()
    return n >= LEAST_DOCUMENTS and agreement > CHANCE * squares**0.5


def _inner_products(part: RowBlock, topics: Sequence[int]) -> Answer:
    """Sums from which the topics most similar to the given ones are found.

    "products" are inner products of the counts of these with those of all topics (given × all), "squares" the
    sums of squares of all.
    """
    columns = part.counts
    return {"products": columns[:, topics].T @ columns, "squares": (columns**2).sum(axis=0)}


def _tokens(part: RowBlock) -> Answer:
    """The number of tokens that a split's trial gave to each half, as {"tokens": …}."""
    return {"tokens": part.held["trial"].sum(axis=0)}


def _log_odds(part: RowBlock, tokens: Array) -> Answer:
    """For each word, log p(word | first half) - log p(word | second half), with eta added to the trial's
    counts, as {"log_odds": …}.

    tokens (2): the trial's tokens in each half.
    """
    logs = np.log(part.held["trial"] + ETA) - np.log(tokens + ETA * part.n_rows)
    return {"log_odds": logs[:, 0] - logs[:, 1]}


def _leaning(part: RowBlock, tokens: Array) -> Answer:
    """The expected number of a trial's tokens in the first half, if only the words decide, as {"mean": …}.

    tokens (2): the trial's tokens in each half.
    """
    odds = _log_odds(part, tokens)["log_odds"]
    return {"mean": (part.held["trial"].sum(axis=1) / (1.0 + np.exp(-np.clip(odds, -50.0, 50.0)))).sum()}


def _mean(leaning: Array, tokens: Array) -> Array:
    """The expected share of a trial's tokens in the first half, if only the words decide.

    leaning: the expected number of these tokens (`_leaning`); tokens (2): those of each half. If there are
    none, since no document is long enough to be split, the share is 1/2: the halves are equal.
    """
    total = tokens.sum()
    return leaning / total if total > 0.0 else np.array(0.5)


def _second_shares(part: RowBlock, of_all: float) -> Answer:
    """The share of the second half in each word, by which a topic's counts are split, as {"words": …}.

    It is smoothed by one token with the share `of_all` that the second half has of all tokens.
    """
    first, second = part.held["trial"].T
    return {"words": (second + of_all) / (first + second + 1.0)}
