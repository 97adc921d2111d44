"""`stickbreaker nearest`: the documents whose topics are most like those of other documents."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import (
    command,
    emit,
    inputs_argument,
    model_argument,
    option,
    threads_option,
)
from stickbreaker.console.inputs import ReadingChoice, reading_options
from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.topics.cli.topics import open_model

if TYPE_CHECKING:
    from stickbreaker.core.records import Array
    from stickbreaker.corpus import Corpus
    from stickbreaker.topics.evaluation.nearest import Nearest
    from stickbreaker.topics.topic_estimator import TopicEstimator


@click.command(epilog="Example: stickbreaker nearest model pages.corpus --from en --to de")
@model_argument
@inputs_argument
@option("--id", "ids", multiple=True, help="Ask of this document alone; may be given several times.")
@option("--among", metavar="CORPUS", help="A corpus to choose from.  [default: that of the queries]")
@option("--top", least=1, default=5, help="Documents a query.")
@option("--from", "source", metavar="LANGUAGE", help="Use only this language of the queries.")
@option("--to", "target", metavar="LANGUAGE", help="Use only this language of the other documents.")
@threads_option
@reading_options
@command
def nearest(
    model: Path,
    inputs: tuple[str, ...],
    ids: tuple[str, ...],
    among: str | None,
    top: int,
    source: str | None,
    target: str | None,
    threads: int | None,
    reading: ReadingChoice,
    as_json: bool,
) -> None:
    """Find the documents whose topic shares are most like those of each query.

    With a polylingual model, across languages: --from and --to take one side of each document. Affinity is
    1 for equal shares and 0 for shares without a common topic; documents without a known word are left out.
    """
    import numpy as np

    from stickbreaker.corpus import Corpus
    from stickbreaker.corpus.text.languages import language_code
    from stickbreaker.topics.evaluation.nearest import nearest_documents

    source = None if source is None else language_code(source)
    target = None if target is None else language_code(target)
    estimator, queries = open_model(model, "nearest", inputs, reading, threads)
    others = queries
    if among is not None:
        others = Corpus.open(among).with_vocabulary(estimator.vocabulary_, estimator.analysis_)
    same = among is None and source == target
    asked, named = zip(*_queries_of(estimator, queries, source, ids), strict=True)
    choices: list[dict[str, str]] = []

    def blocks() -> "Iterator[Array]":
        for theta, documents in _shares(estimator, others, target):
            choices.extend(documents)
            yield theta

    found = nearest_documents(np.concatenate(asked), blocks(), top + same)
    names = [document for part in named for document in part]
    emit({"model": str(model), "queries": _list_nearest(names, choices, found, same, top)}, as_json, _as_text)


def _queries_of(
    estimator: "TopicEstimator", corpus: "Corpus", language: str | None, ids: tuple[str, ...]
) -> "list[tuple[Array, list[dict[str, str]]]]":
    """The documents whose nearest ones are wanted, all or those with these ids: their topic shares, ids and
    titles, in the form of `_shares`.

    Raises UserError for an id that no document has, or only one without a known word.
    """
    found = list(_shares(estimator, corpus, language, frozenset(ids)))
    missing = set(ids) - {one["id"] for _, documents in found for one in documents}
    if missing:
        problem = f"no document with a known word has the id {shown(min(missing))}"
        raise UserError(problem, remedy="`nearest` without --id lists all")
    return found


def _shares(
    estimator: "TopicEstimator", corpus: "Corpus", language: str | None, wanted: frozenset[str] = frozenset()
) -> "Iterator[tuple[Array, list[dict[str, str]]]]":
    """For each block, the topic shares of its documents (documents × topics), and their ids and titles as
    dicts.

    Documents without a known word are left out, and so are those without an id in `wanted`, if that is not
    empty; with `language`, only their side in that language is used. Raises UserError for a language that the
    model lacks.
    """
    import numpy as np

    from stickbreaker.topics.evaluation.cross_lingual import one_side
    from stickbreaker.topics.report_documents import titles_of

    ranges = estimator.vocabulary_.ranges
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
        theta = np.empty((0, len(estimator.alpha_)))
        if len(known):
            covariates = estimator._covariates(corpus, block)
            theta = estimator._infer_shares(
                bags.take(known), None if covariates is None else covariates[known]
            )
        titles = titles_of(corpus, block)
        yield theta, [{"id": ids[i], **({"title": titles[i]} if titles[i] else {})} for i in known]


def _list_nearest(
    names: list[dict[str, str]], choices: list[dict[str, str]], found: "Nearest", same: bool, top: int
) -> list[JsonObject]:
    queries: list[JsonObject] = []
    for name, positions, affinities in zip(names, found.positions, found.affinity, strict=True):
        near = [{**choices[p], "affinity": float(a)} for p, a in zip(positions, affinities, strict=True)]
        near = [one for one in near if not (same and one["id"] == name["id"])][:top]
        queries.append({**name, "nearest": near})
    return queries


def _as_text(result: JsonObject) -> str:
    lines: list[str] = []
    for query in result["queries"]:
        lines.append(_named(query))
        lines += [f"  {one['affinity']:.4f}  {_named(one)}" for one in query["nearest"]]
    return "\n".join(lines)


def _named(document: JsonObject) -> str:
    """A document in the output: its title, if it has one, with the id in parentheses; otherwise its id."""
    title = " ".join(document.get("title", "").split())
    return f"{title}  ({document['id']})" if title else document["id"]
