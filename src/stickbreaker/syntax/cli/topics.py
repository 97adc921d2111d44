"""`stickbreaker topics` of syntactic topics: their words, parts of speech, and topics of dependents."""

from typing import Any

from stickbreaker.console.console import Outcome
from stickbreaker.console.requests import TopicsRequest
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.topk import descending

SHOWN = 3  # of a topic's tags, and of the topics below it


def list_topics(asked: TopicsRequest) -> Outcome:
    """List the topics in use, the largest first; returns them and the function that formats them as text.

    Each has its share of the words, its most probable words, its tags, and the topics of its words'
    dependents.
    """
    from stickbreaker.estimators.model_files import load_of
    from stickbreaker.syntax.learner import SYNTAX

    model = load_of(SYNTAX, asked.model, verb="topics")
    in_use, samples = model.topics_in_use, model.samples
    unused = sorted(set(range(model.n_shares)) - set(in_use))
    words, tags, below = model.words.names, samples.topic_tags, samples.head_topics
    topics = []
    for k in in_use:
        best = descending(samples.topic_words[k], asked.top).tolist()
        topics.append(
            {
                "topic": k,
                "share": float(samples.topic_shares[k]),
                "tags": _first(tags[k], model.words.tags),
                "below": _first(below[k], range(model.n_shares)),
                "words": [words[row] for row in best],
                "probabilities": [float(samples.topic_words[k, row]) for row in best],
            }
        )
    return {"model": str(asked.model), "topics": topics, "unused": unused}, _as_text


def _first(shares: Any, names: Any) -> list[JsonObject]:
    """The `SHOWN` largest shares with their names, as JSON values; shares of zero are left out."""
    best = descending(shares, SHOWN).tolist()
    return [{"name": names[k], "share": float(shares[k])} for k in best if shares[k] > 0.0]


def _as_text(result: JsonObject) -> str:
    """Format the result of `list_topics` as a table, a line per topic; a last line lists unused topics."""
    rows = [
        (
            str(topic["topic"]),
            f"{100 * topic['share']:.1f} %",
            " ".join(one["name"] for one in topic["tags"] if one["share"] >= 0.05),
            " ".join(str(one["name"]) for one in topic["below"]),
            " ".join(" ".join(topic["words"]).split()),
        )
        for topic in result["topics"]
    ]
    head = ("topic", "share", "tags", "below", "words")
    rooms = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [
        f"{topic:>{rooms[0]}}  {share:>{rooms[1]}}  {tags:<{rooms[2]}}  {below:<{rooms[3]}}  {words}"
        for topic, share, tags, below, words in (head, *rows)
    ]
    unused = ", ".join(map(str, result["unused"]))
    return "\n".join([*lines, *([f"unused: {unused}"] if unused else [])])
