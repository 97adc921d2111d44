"""The result of a search for the number of topics, as `stickbreaker` shows it for a finished run."""

from typing import TYPE_CHECKING

from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject

if TYPE_CHECKING:
    from stickbreaker.topics.topic_estimator import TopicEstimator


def summarize_search(estimator: "TopicEstimator") -> tuple[dict[str, object], list[str]]:
    """What a search for the number of topics found, for the output of finished runs: its runs and the range
    of equally good numbers, as values for JSON and as lines of text. Both are empty if there was no search.
    """
    found = estimator._search_range()
    if found is None:
        return {}, []
    summary = {
        "search": [point.to_json() for point in estimator.search_],
        "range": None if found.range is None else list(found.range),
        "range_of": found.of,
        "range_at_most": found.at_most,
        "overruled_bound": found.few,
        "unchecked": found.unchecked,
    }
    return summary, search_as_text(summary)


def search_as_text(summary: JsonObject) -> list[str]:
    """The summary of a search (see `summarize_search`) as lines of text: the topics and bounds of the runs to
    the end, the range of numbers within 0.005 nats per word of the best if more than one run is, and remarks.
    """
    whole = [run for run in summary["search"] if run["final"]]
    ends = ", ".join(f"{run['used']} at {run['bound']:.4f}" for run in reversed(whole))
    lines = [f"Runs to the end, topics and bound, the model's first: {ends}"] if len(whole) > 1 else []
    if summary["range"] is None:
        lines.append(
            f"No range of numbers: of the {summary['range_of']} only one is within 0.005 nats/word of the "
            "best, and another --seed may find another number"
        )
    else:
        fewest, most = summary["range"]
        found = f"{fewest} to {most}" if most > fewest else f"{fewest}"
        lines.append(f"Topics within 0.005 nats/word of the best, by {summary['range_of']}: {found}")
    if summary["range_at_most"]:
        lines.append(
            "The best run began with the largest number of topics that was tried; more may be better: "
            "see what --topics with a larger number gives"
        )
    if summary["unchecked"]:
        lines.append(
            "Too few or too short documents to check this small number by held-out ones: see what "
            "--judge held-out gives, and --topics with a number of your own"
        )
    if summary["overruled_bound"]:
        lines.append(
            f"The bound asks for {counted(summary['overruled_bound'], 'topic')}; documents held out are "
            "clearly better predicted with more, so they chose the number, and no moves were made"
        )
    return lines
