"""`stickbreaker topics` for topic models: the top words of topics, now or at an earlier step or date."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.console.console import Outcome, refuse_written, tell_of_compiling
from stickbreaker.console.inputs import ReadingChoice, open_documents
from stickbreaker.console.requests import TopicsRequest
from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.json_checks import JsonObject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stickbreaker.corpus import Corpus
    from stickbreaker.topics.topic_estimator import TopicEstimator


def list_topics(asked: TopicsRequest) -> Outcome:
    """The result of `stickbreaker topics` as values for JSON, and the function that turns it into text. It
    lists a model's topics or, with --at, a snapshot of them at an earlier step or date.
    """
    by, at = asked.options["by"], asked.options["at"]
    if at is not None:
        refuse_written(("by",), "does not go with --at: snapshots keep the most frequent words")
        return {"model": str(asked.model), **topics_at(asked.model, at, asked.top)}, snapshot_as_text
    from stickbreaker.topics.topic_estimator import load_topics

    estimator = load_topics(asked.model, "topics")
    coherence, counted_in = coherence_at(asked.model, len(estimator.alpha_))
    summaries = summarize_topics(estimator, asked.top, by, coherence)
    result = {"model": str(asked.model), "topics": summaries, "coherence_counted_in": counted_in}
    return result, topics_as_text


def coherence_at(model: Path, n_topics: int) -> tuple[list[float | None] | None, str | None]:
    """The coherence of each topic that is stored with a saved model, and in what it was counted; both None if
    the model has not counted it. Raises UserError for an invalid file.
    """
    from stickbreaker.saved.packed_models import directory_of
    from stickbreaker.topics.report.document_entries import read_figures
    from stickbreaker.topics.report.measures import coherence_counted_in

    figures = read_figures(directory_of(model))
    found = figures.get("coherence")
    if not found or len(found) != n_topics:  # in the midst of a run
        return None, None
    return found, coherence_counted_in(figures)


def summarize_topics(
    estimator: "TopicEstimator",
    top: int,
    by: str = "support",
    coherence: "Sequence[float | None] | None" = None,
) -> list[dict[str, object]]:
    """A model's topics as values for JSON, largest first: number, name, share of the tokens, coherence if it
    is known, whether unused, and the first `top` words.

    Topics with the same name are merged into one: `members` are their numbers, its number is that of the
    largest, and its coherence their mean by shares. by: how words are ranked. In a polylingual model, words
    are listed by language.
    """
    import numpy as np

    from stickbreaker.core.topk import descending
    from stickbreaker.topics.names.named_topics import NamedTopics

    named = NamedTopics(estimator)
    ranges: dict[str | None, slice] = {**estimator.vocabulary_.ranges} or {None: slice(None)}
    ranked = {code: named._ranked_words(top, rows, by) for code, rows in ranges.items()}
    spelled, concepts = estimator.vocabulary_.spelled, named.top_concepts(top)
    coherences = None if coherence is None else named.means(np.array(coherence, np.float64))

    def list_words(g: int, code: str | None) -> dict[str, object]:
        rows, probabilities = (found[g].tolist() for found in ranked[code])
        return {"words": [spelled[row] for row in rows], "probabilities": probabilities}

    def topic(g: int) -> dict[str, object]:
        common: dict[str, object] = {
            "topic": named.members[g][0],
            "members": sorted(named.members[g]),
            "name": named.names[g],
            "share": float(named.shares[g]),
            "unused": g in named.unused,
        }
        if coherences is not None:
            known = g not in named.unused and not np.isnan(coherences[g])
            common["coherence"] = float(coherences[g]) if known else None
        if concepts[g]:
            common["concepts"] = [name for name, _ in concepts[g]]
            common["concept_shares"] = [share for _, share in concepts[g]]
        if None in ranges:
            return {**common, **list_words(g, None)}
        return {**common, "languages": {code: list_words(g, code) for code in ranges}}

    return [topic(g) for g in descending(named.shares).tolist()]


def topics_as_text(result: JsonObject) -> str:
    """The topics of a model (see `summarize_topics`) as a table: number, share of the tokens, coherence (if
    it is known; below 0 with a mark), name (if any topic has one) and words.

    A topic has a line per language, and one of concepts if it has any. The last lines list unused topics, and
    say in what coherence was counted.
    """
    measured = result.get("coherence_counted_in")
    shown = [t for t in result["topics"] if not t["unused"]]
    names = [t["name"] or "" for t in shown]
    width = max([4, *map(len, names)]) + 2 if any(names) else 0
    numbers = [",".join(map(str, t["members"])) for t in shown]
    room = max([5, *map(len, numbers)])
    column = "   NPMI  " if measured else "  "
    lines = [f"{'topic':<{room}}    share{column}{'name' if width else '':<{width}}words"]
    for t, name, number in zip(shown, names, numbers, strict=True):
        column = _coherence(t["coherence"]) if measured else "  "
        head = f"{number:>{room}}  {100 * t['share']:5.1f} %{column}{_in_a_row([name]):<{width}}"
        for code, one in t.get("languages", {"": t}).items():
            lines.append(f"{head}{code + '  ' if code else ''}{_in_a_row(one['words'])}")
            head = " " * len(head)
        if "concepts" in t:
            lines.append(f"{head}concepts  {', '.join(map(_one_line, t['concepts']))}")
    lines += unused_line(t["topic"] for t in result["topics"] if t["unused"])
    if measured:
        weak = any((t["coherence"] or 0.0) < 0.0 for t in shown)
        lines.append(f"NPMI in {measured}" + ("; ! below 0: the topic does not hold there" if weak else ""))
    return "\n".join(lines)


def _coherence(value: float | None) -> str:
    """The cell with a topic's coherence; "!" marks a value below 0."""
    if value is None:
        return "      –  "
    return f"  {value:5.2f}{'!' if value < 0.0 else ' '} "


def unused_line(topics: Iterable[int], of: str = "") -> list[str]:
    """A line that lists the numbers of unused topics, as a list; empty if there are none. `of`: text that
    says of which model, if there are several.
    """
    numbers = ", ".join(map(str, sorted(topics)))
    return [f"unused{of}: {numbers}"] if numbers else []


def topics_at(model: Path, when: str, top: int) -> dict[str, object]:
    """A snapshot of a model's topics at an earlier step or date (`when`), with at most `top` words each, as
    values for JSON. "entered" are the words that the topic gained since the snapshot before.

    Raises UserError if the model has no snapshots, or none so early.
    """
    from stickbreaker.saved import ModelDirectory

    evolution = ModelDirectory(model).evolution()
    if not evolution.moments:
        raise UserError(
            "there are no snapshots of its topics",
            where=model,
            remedy="leave out --at; models of open vocabularies (fit --words open) keep snapshots",
        )
    moment = evolution.at(when)
    entered = moment.entered()
    rows = [
        {
            "topic": topic,
            "words": [word for word, _ in words[:top]],
            "probabilities": [float(f"{p:.7g}") for _, p in words[:top]],  # single precision
            "entered": [word for _, word, _ in entered.get(topic, ())],
        }
        for topic, words in moment.top().items()
    ]
    return {"step": moment.step, "documents": moment.documents, "date": moment.date, "topics": rows}


def snapshot_as_text(snapshot: JsonObject) -> str:
    """A snapshot from `topics_at` as text: step and date, then a line per topic: its number and words."""
    date = f", {snapshot['date']}" if snapshot["date"] else ""
    read = counted(snapshot["documents"], "document")
    lines = [f"step {snapshot['step']:,}: {read} read{date}", "topic  words"]
    lines += [f"{t['topic']:>5}  {_in_a_row(t['words'])}" for t in snapshot["topics"]]
    return "\n".join(lines)


def _in_a_row(words: list[str]) -> str:
    """Words on one line, separated by spaces, even if they contain line breaks."""
    return _one_line(" ".join(words))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def open_model(
    model: Path, verb: str, inputs: tuple[str, ...], reading: ReadingChoice, threads: int | None
) -> "tuple[TopicEstimator, Corpus]":
    """Open a topic model and the documents to which a command applies it; these are read with the model's
    vocabulary. `verb`: the command, for error messages.
    """
    from stickbreaker.topics.topic_estimator import load_topics

    tell_of_compiling()
    estimator = load_topics(model, verb, threads)
    return estimator, open_documents(estimator, inputs, reading)
