"""The documents whose topics are most like those of other documents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stickbreaker.core.arguments import refuse_no_list
from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.text.languages import language_code
from stickbreaker.estimators.given_documents import corpus_for
from stickbreaker.estimators.learned import AnyLearned
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.topics.evaluation.cross_lingual import one_side
from stickbreaker.topics.evaluation.nearest import Nearest, nearest_documents
from stickbreaker.topics.learned import TopicsLearned, topics_in
from stickbreaker.topics.report_documents import titles_of
from stickbreaker.topics.verbs.settings import NearestSettings


@dataclass(frozen=True)
class FoundDocument:
    """A document by its id and, if it has one, its title."""

    id: str
    title: str | None

    def as_text(self) -> str:
        """Its title, if it has one, with the id in parentheses; otherwise its id."""
        title = " ".join((self.title or "").split())
        return f"{title}  ({self.id})" if title else self.id

    def as_json(self) -> JsonObject:
        """Its id, and its title if it has one."""
        return {"id": self.id, **({"title": self.title} if self.title else {})}


@dataclass(frozen=True)
class NearDocument(FoundDocument):
    """A document near another. `affinity`: 1 for equal topic shares, 0 for shares without a common topic."""

    affinity: float

    def as_json(self) -> JsonObject:
        return {**super().as_json(), "affinity": self.affinity}


@dataclass(frozen=True)
class Query(FoundDocument):
    """A document, and those that are nearest to it, the nearest first."""

    nearest: tuple[NearDocument, ...]

    def as_json(self) -> JsonObject:
        return {**super().as_json(), "nearest": [one.as_json() for one in self.nearest]}


@dataclass(frozen=True, repr=False)
class NearestDocuments(VerbResult):
    """For each document that was asked of, the nearest ones."""

    model: str
    queries: tuple[Query, ...]

    def as_json(self) -> JsonObject:
        return {"model": self.model, "queries": [query.as_json() for query in self.queries]}

    def __str__(self) -> str:
        lines: list[str] = []
        for query in self.queries:
            lines.append(query.as_text())
            lines += [f"  {one.affinity:.4f}  {one.as_text()}" for one in query.nearest]
        return "\n".join(lines)


def nearest(learned: AnyLearned, queries: Corpus, settings: NearestSettings) -> NearestDocuments:
    """Find the documents whose topic shares are most like those of each query; without a known word they are
    left out.

    Raises UserError for a language that the model lacks, and for an id that no query has.
    """
    source, target = (
        None if code is None else language_code(code) for code in (settings.source, settings.target)
    )
    learned = topics_in(learned, "nearest")
    others = queries if settings.among is None else corpus_for(learned, settings.among)
    same = settings.among is None and source == target
    if not isinstance(settings.ids, str):
        refuse_no_list("ids", settings.ids)
    ids = (settings.ids,) if isinstance(settings.ids, str) else tuple(settings.ids)
    shares, named = zip(*_queries_of(learned, queries, source, ids), strict=True)
    choices: list[FoundDocument] = []

    def blocks() -> Iterator[Array]:
        for theta, documents in _shares(learned, others, target):
            choices.extend(documents)
            yield theta

    found = nearest_documents(np.concatenate(shares), blocks(), settings.top + same)
    names = [document for part in named for document in part]
    return NearestDocuments("", tuple(_listed(names, choices, found, same, settings.top)))


def _queries_of(
    learned: TopicsLearned, corpus: Corpus, language: str | None, ids: Sequence[str]
) -> list[tuple[Array, list[FoundDocument]]]:
    """The documents whose nearest ones are wanted, all or those with these ids: their topic shares, and what
    they are called, in the form of `_shares`.

    Raises UserError for an id that no document has, or only one without a known word.
    """
    found = list(_shares(learned, corpus, language, frozenset(ids)))
    missing = set(ids) - {one.id for _, documents in found for one in documents}
    if missing:
        problem = f"no document with a known word has the id {shown(min(missing))}"
        raise UserError(problem, remedy="`nearest` without --id lists all")
    return found


def _shares(
    learned: TopicsLearned, corpus: Corpus, language: str | None, wanted: frozenset[str] = frozenset()
) -> Iterator[tuple[Array, list[FoundDocument]]]:
    """For each block, the topic shares of its documents (documents × topics), and what they are called.

    Documents without a known word are left out, and so are those without an id in `wanted`, if that is not
    empty; with `language`, only their side in that language is used. Raises UserError for a language that the
    model lacks.
    """
    ranges = learned.vocabulary.ranges
    if language is not None and language not in ranges:
        languages = ", ".join(ranges) or "one language"
        raise UserError(f"there is no language {language!r}", remedy=f"the model has {languages}")
    for block in range(len(corpus.block_sizes)):
        bags = corpus.bags(block)
        bags = bags if language is None else one_side(bags, ranges[language])
        known = np.flatnonzero(np.diff(bags.offsets))
        ids = corpus.ids(block)
        if wanted:
            known = known[np.array([ids[place] in wanted for place in known], np.bool_)]
        theta = np.empty((0, len(learned.alpha)))
        if len(known):
            rows = learned.covariates(corpus, block)
            theta = learned.shares_of_bags(bags.take(known), None if rows is None else rows[known])
        titles = titles_of(corpus, block)
        yield theta, [FoundDocument(ids[i], titles[i] or None) for i in known]


def _listed(
    names: list[FoundDocument], choices: list[FoundDocument], found: Nearest, same: bool, top: int
) -> Iterator[Query]:
    for name, positions, affinities in zip(names, found.positions, found.affinity, strict=True):
        near = [
            NearDocument(choices[p].id, choices[p].title, float(a))
            for p, a in zip(positions, affinities, strict=True)
        ]
        near = [one for one in near if not (same and one.id == name.id)][:top]
        yield Query(name.id, name.title, tuple(near))
