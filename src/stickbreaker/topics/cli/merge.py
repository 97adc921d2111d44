"""`stickbreaker merge`: makes one topic of several, in a copy of a model."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import PATH, command, emit, model_argument, option
from stickbreaker.core.errors import UserError, counted, shown
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.option_names import command_line

if TYPE_CHECKING:
    from stickbreaker.topics.learned import TopicsLearned

SHOWN_WORDS = 6  # of a topic


def read_groups(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> list[list[int]]:
    """A click callback that reads lists of topics, each from a value such as "3,7". Raises a usage error for
    other values.
    """
    groups: list[list[int]] = []
    for value in values:
        parts = [part.strip() for part in value.split(",")]
        if not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts):
            raise click.BadParameter(f"{shown(value)} is not a list of topics, such as 3,7")
        groups.append([int(part) for part in parts])
    return groups


@click.command(epilog="Example: stickbreaker merge model 0,2 --out merged")
@model_argument
@click.argument("groups", nargs=-1, metavar="[K,K,...]...", callback=read_groups)
@option("--topics", least=1, metavar="K", help="Merge similar topics until K are left.")
@option("--out", required=True, type=PATH, help="Directory for the model with merged topics.")
@option("--overwrite", is_flag=True, help="Replace an existing model at --out.")
@command
def merge(
    model: Path, groups: list[list[int]], topics: int | None, out: Path, overwrite: bool, as_json: bool
) -> None:
    """Merge topics of a model for good: those of each list, such as 3,7, or similar ones, by --topics.

    The largest topic of a list stays, and gets the words, documents and names of all. All other topics keep
    their words, shares and names, but not their numbers; the table of old numbers is printed, and stored with
    the model. The report shows the documents as before, with the shares of merged topics added up, also over
    time. With --topics, those topics are merged by which least is lost: small and similar ones.

    To merge topics in the report alone, give them the same name: `stickbreaker name`.
    """
    from stickbreaker.estimators import model_files
    from stickbreaker.saved import ModelDirectory
    from stickbreaker.saved.directory import refuse_existing
    from stickbreaker.topics.learned import load_topics
    from stickbreaker.topics.merging import groups_for, merged

    if bool(groups) == (topics is not None):
        raise click.UsageError(
            "give lists of topics to merge, such as 3,7, or a number of topics: --topics K"
        )
    refuse_existing(out, overwrite)
    learned = load_topics(model, "merge")
    if ModelDirectory(model).manifest()["status"] != "done":
        remedy = f"end it first: {command_line('resume', model)}"
        raise UserError("is a run under way", where=model, remedy=remedy)
    before = learned.n_shares
    after = merged(learned, groups if topics is None else groups_for(learned, topics))
    model_files.save(after, out, overwrite=overwrite)
    emit(_result(after, out, before), as_json, _as_text)


def _result(learned: "TopicsLearned", out: Path, before: int) -> JsonObject:
    """The merged model as values for JSON: "numbers", the new number of each old topic, and the topics with
    the old numbers of each ("was").
    """
    from stickbreaker.topics.verbs.topics import listed_topics

    numbers = list(learned.merges[-1])
    summary: list[JsonObject] = [topic.as_json() for topic in listed_topics(learned, SHOWN_WORDS)]
    for topic in summary:
        topic["was"] = [k for k, number in enumerate(numbers) if number in topic["members"]]
    return {"model": str(out), "topics_before": before, "numbers": numbers, "topics": summary}


def _as_text(result: JsonObject) -> str:
    """The topics as a table: number, old numbers, share, name (if any has one) and words."""
    rows = sorted(result["topics"], key=lambda topic: topic["topic"])
    was = [", ".join(map(str, topic["was"])) for topic in rows]
    names = [topic["name"] or "" for topic in rows]
    room = max([3, *(min(len(text), 40) for text in was)])
    width = max([4, *map(len, names)]) + 2 if any(names) else 0
    lines = [f"topic  {'was':<{room}}    share  {'name' if width else '':<{width}}words"]
    for topic, old, name in zip(rows, was, names, strict=True):
        words = topic["words"] if "words" in topic else next(iter(topic["languages"].values()))["words"]
        shown_words = "unused" if topic["unused"] else " ".join(" ".join(words).split())
        share = f"{100 * topic['share']:5.1f} %"
        lines.append(f"{topic['topic']:>5}  {old:<{room}}  {share}  {name:<{width}}{shown_words}")
    after = counted(max(result["numbers"]) + 1, "topic")
    return "\n".join(
        [
            *lines,
            f"{result['model']}: {after} of {result['topics_before']}",
            f"Next: {command_line('report', result['model'])}",
        ]
    )
