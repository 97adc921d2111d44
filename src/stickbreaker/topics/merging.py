"""Merges topics of a fitted model: its table and all that goes with topics get one topic for several.

Topics that are not merged keep their words, shares and names. The table's counts of merged topics are added
up, and so are their priors in documents, so that a document keeps the sum of their shares.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.edits import Merge
from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.records import Array, Record
from stickbreaker.core.topk import by_size
from stickbreaker.engines.local import local_fork
from stickbreaker.estimators.setting_values import threads_of
from stickbreaker.learning.events import edit_columns, first_columns
from stickbreaker.topics.learned import TopicsLearned
from stickbreaker.topics.learner import model_to_read
from stickbreaker.topics.model.word_ranking import joined_documents
from stickbreaker.topics.seed_words import Guide
from stickbreaker.topics.stored_report import report_after


class MergePlan(NamedTuple):
    """Which topics become one: `into` and `sources` of each merged topic, by number, and the new number of
    each topic (`numbers`).
    """

    into: tuple[int, ...]
    sources: tuple[tuple[int, ...], ...]
    numbers: tuple[int, ...]

    @property
    def members(self) -> list[list[int]]:
        """The topics that each new topic is made of, the one that stays first."""
        found: list[list[int]] = [[] for _ in range(max(self.numbers) + 1)]
        stays = set(self.into)
        for topic, number in sorted(
            enumerate(self.numbers), key=lambda pair: (pair[0] not in stays, pair[0])
        ):
            found[number].append(topic)
        return found


def merged(learned: TopicsLearned, groups: Sequence[Sequence[int]]) -> TopicsLearned:
    """The same topics, with those of each group merged to one; groups are lists of topic numbers.

    Raises UserError for groups that are not lists of two different topics or more, name no topic, or overlap,
    and for a prior by metadata.
    """
    plan = plan_of(learned, checked_groups(groups, learned.n_shares))
    stored_report = report_after(learned, plan.numbers)
    counted_words = learned.word_documents
    if counted_words is not None:
        counted_words = joined_documents(learned.word_evidence, plan.members)
    changes = _settings_after(learned, plan)
    names = _names_after(learned, plan)
    params, edit = _params_after(learned, plan)
    facts = learned.facts
    after = model_to_read(replace(facts, settings=learned.settings_to_save.but(**changes)))
    fresh = {name: item.fresh for name, item in after.start().items()}
    params = {name: item._replace(fresh=fresh.get(name, item.fresh)) for name, item in params.items()}
    columns = learned.state.columns or first_columns(learned.engine.table.shape[1])
    columns = edit_columns(columns, edit, after.table.columns)
    # the last step's sums are of other topics
    state = replace(learned.state, params=params, columns=columns, latest=None, proposals=[])
    settings, merges = facts.settings.but(**changes), (*learned.merges, plan.numbers)
    engine = local_fork(learned.engine, after, threads_of(settings.n_jobs), copied=True)
    engine.edit(edit)
    saved = facts.saved
    if saved is not None:  # so that it is no longer taken for the model saved there
        saved = saved._replace(manifest={**saved.manifest, "merges": list(merges)})
    return TopicsLearned.of(
        replace(facts, settings=settings, saved=saved),
        after,
        engine,
        state,
        counted=counted_words,
        given_names=names,
        names_as_read=learned.names_as_read,
        merges=merges,
        stored_report=stored_report,
        began_as_stream=learned.began_as_stream,
    )


def checked_groups(groups: object, n_topics: int) -> list[list[int]]:
    """Groups of topics to merge, as lists of numbers. Raises UserError as `merge` does."""
    given = f"topics run from 0 to {n_topics - 1}"
    example = "give lists of topic numbers, as [[3, 7], [2, 5, 9]]"
    if not _is_list(groups):
        raise UserError("the topics to merge are not a list of lists", remedy=example)
    group_of: dict[int, int] = {}
    found: list[list[int]] = []
    for place, group in enumerate(groups):
        if not _is_list(group):
            raise UserError(f"{repr(group)[:50]} is not a list of topics to merge", remedy=example)
        own: list[int] = []
        for topic in group:
            if not isinstance(topic, Integral) or isinstance(topic, bool) or not 0 <= int(topic) < n_topics:
                raise UserError(f"there is no topic {repr(topic)[:50]}", remedy=given)
            before = group_of.setdefault(int(topic), place)
            if before != place:
                problem = f"topic {topic} is in two of the lists of topics to merge"
                raise UserError(problem, remedy="join these lists, or take it out of one")
            if int(topic) in own:
                raise UserError(f"topic {topic} is twice in a list of topics to merge", remedy="give it once")
            own.append(int(topic))
        if len(own) < 2:
            problem = f"{own} is not a list of topics to merge"
            raise UserError(problem, remedy="give two topics or more, to become one")
        found.append(own)
    if not found:
        raise UserError("there are no topics to merge", remedy=example)
    return found


def _is_list(value: object) -> TypeGuard[Iterable[object]]:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def plan_of(learned: TopicsLearned, groups: Sequence[Sequence[int]]) -> MergePlan:
    """Which topic of each group stays: the largest, but one of the guide before all others, whose prior is
    that of a place in the table.
    """
    guided = _n_guided(learned)
    into: list[int] = []
    sources: list[tuple[int, ...]] = []
    for group in groups:
        ordered = by_size(sorted(group), learned.topic_shares[sorted(group)])
        ordered.sort(key=lambda topic: topic >= guided)
        into.append(ordered[0])
        sources.append(tuple(ordered[1:]))
    target = {source: k for k, own in zip(into, sources, strict=True) for source in own}
    left = [k for k in range(learned.n_shares) if k not in target]
    place = {k: number for number, k in enumerate(left)}
    numbers = tuple(place[target.get(k, k)] for k in range(learned.n_shares))
    return MergePlan(tuple(into), tuple(sources), numbers)


def _n_guided(learned: TopicsLearned) -> int:
    """The number of topics that the guide shapes, which are the first ones."""
    guide = learned.plan.guide
    return 0 if guide is None else len(guide.names)


def _params_after(learned: TopicsLearned, plan: MergePlan) -> tuple[Record, tuple[Merge, ...]]:
    """The params after the merges, and the edit of the table. An unused topic adds nothing to the prior."""
    documents, params, axis = learned.model.documents, learned.params, learned.model.table.columns
    columns, edit = list(range(learned.engine.table.shape[1])), list[Merge]()
    for into, sources in zip(plan.into, plan.sources, strict=True):
        for source in sources:
            target, gone = (int(learned.columns[k]) for k in (into, source))
            change = Merge(axis, columns.index(target), columns.index(gone))
            params = documents.merged(params, change, adds=source not in learned.unused_topics)
            edit.append(change)
            columns.remove(gone)
    return params, tuple(edit)


def _settings_after(learned: TopicsLearned, plan: MergePlan) -> dict[str, object]:
    """The settings that describe the merged model, where they change: those with a value for each topic."""
    if not learned.plan.fixed_number:
        return {}  # the number of topics is learned, and no setting has a value for each
    given = learned.facts.settings
    settings: dict[str, object] = {"n_topics": max(plan.numbers) + 1}
    gone = [source for sources in plan.sources for source in sources]
    alpha, eta = (None if isinstance(value, str) else value for value in (given.alpha, given.eta))
    if alpha is not None and np.ndim(alpha) == 1:
        settings["alpha"] = np.bincount(plan.numbers, np.asarray(alpha, np.float64))
    if eta is not None and np.ndim(eta) == 2:
        settings["eta"] = np.delete(np.asarray(eta, np.float64), gone, axis=0)
    guide = learned.plan.guide
    if guide is not None:
        settings["guide"] = _guide_after(guide, plan)
    return settings


def _guide_after(guide: Guide, plan: MergePlan) -> Guide:
    """The guide of the merged topics: a merged topic has the words of all, and the name of the one that
    stays.
    """
    weighted = {
        place: (name, words if isinstance(words, Mapping) else dict.fromkeys(words, guide.inside))
        for place, (name, words) in enumerate(guide.pairs())
    }
    for into, sources in zip(plan.into, plan.sources, strict=True):
        for source in sources:
            if source in weighted:
                name, words = weighted[into]
                weighted[into] = (name, {**weighted.pop(source)[1], **words})
    return replace(guide, categories=tuple(weighted.values()))


def _names_after(learned: TopicsLearned, plan: MergePlan) -> dict[int, str]:
    """The names that users gave, by id. A merged topic without a name gets that of its largest member with
    one.
    """
    names = dict(learned.given_names)
    ids, guided = learned.topic_ids, learned.guided_names
    for into, sources in zip(plan.into, plan.sources, strict=True):
        known = [
            names.get(ids[k]) or guided[k] for k in by_size(sources, learned.topic_shares[list(sources)])
        ]
        if not (names.get(ids[into]) or guided[into]) and any(known):
            names[ids[into]] = next(name for name in known if name)
        for source in sources:
            names.pop(ids[source], None)
    return names


def groups_for(learned: TopicsLearned, n_topics: int) -> list[list[int]]:
    """The topics to merge so that `n_topics` are left, by `joined_by_information`.

    Topics with the same name are joined first. Unused topics go to the largest one. Raises UserError for a
    number that is not below that of the topics.
    """
    from stickbreaker.topics.names.named_topics import NamedTopics
    from stickbreaker.topics.report.display_words import apart, look_at

    whole = isinstance(n_topics, Integral) and not isinstance(n_topics, bool)
    if not whole or not 1 <= n_topics < learned.n_shares:
        problem = f"{repr(n_topics)[:50]} topics are not fewer than the {counted(learned.n_shares, 'topic')}"
        raise UserError(f"{problem} that there are", remedy="give a number from 1 to one less than that")
    named = NamedTopics(learned)
    used = [g for g in range(len(named.members)) if g not in named.unused]
    figures = look_at(named.words, named.shares, learned.vocabulary.parts, named.ranked_words)
    words = np.asarray(apart(named.words, figures, len(figures.most)), np.float64)
    joined = joined_by_information(words[used], named.shares[used], n_topics)
    groups = [[k for place in own for k in named.members[used[place]]] for own in joined]
    largest = max(groups, key=lambda own: float(learned.topic_shares[own].sum()))
    largest += [k for g in named.unused for k in named.members[g]]
    return [sorted(own) for own in groups if len(own) > 1]


def joined_by_information(topic_word: Array, shares: Array, n: int) -> list[list[int]]:
    """Join topics until `n` groups are left; each time those two whose join loses least of what topics say
    about words: (s + t) times the Jensen-Shannon divergence of their words, with weights s and t, their
    shares (Slonim and Tishby 1999, agglomerative information bottleneck).

    topic_word (K × V): rows sum to one. Returns groups of rows. Average linkage of unweighted distances, as
    in the tree of the report, joins most topics to one giant: of 25 topics of news, cut at ten, one has half
    of the words.

    >>> joined_by_information(np.array([[0.9, 0.1], [0.1, 0.9], [0.8, 0.2]]), np.ones(3) / 3, 2)
    [[0, 2], [1]]
    """
    words, sizes = np.array(topic_word, np.float64), np.array(shares, np.float64)
    groups: dict[int, list[int]] = {k: [k] for k in range(len(words))}
    losses = np.full((len(words), len(words)), np.inf)
    for k in range(len(words)):
        others = np.arange(k + 1, len(words))
        losses[k, others] = _losses(words, sizes, k, others)
    while len(groups) > n:
        k, gone = divmod(int(np.argmin(losses)), len(words))
        whole = sizes[k] + sizes[gone]
        words[k] = (sizes[k] * words[k] + sizes[gone] * words[gone]) / max(whole, 1e-300)
        sizes[k] = whole
        groups[k] += groups.pop(gone)
        losses[gone], losses[:, gone] = np.inf, np.inf
        others = np.array([other for other in groups if other != k], np.int64)
        losses[np.minimum(others, k), np.maximum(others, k)] = _losses(words, sizes, k, others)
    return list(groups.values())


def _losses(words: Array, sizes: Array, k: int, others: NDArray[np.int64]) -> Array:
    """How much information about words each join of topic k with one of the others loses (others)."""
    own, their = sizes[k], sizes[others]
    mixture = (own * words[k] + their[:, None] * words[others]) / np.maximum(own + their, 1e-300)[:, None]
    entropies = _entropies(words[np.append(others, k)])
    return (own + their) * _entropies(mixture) - their * entropies[:-1] - own * entropies[-1]


def _entropies(words: Array) -> Array:
    return -(words * np.log(np.maximum(words, 1e-300))).sum(axis=1)
