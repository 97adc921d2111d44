"""The result of a search for the number of topics, as `stickbreaker` shows it for a finished run."""

from typing import TYPE_CHECKING

from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject

if TYPE_CHECKING:
    from stickbreaker.topics.learned import TopicsLearned


def summarize_search(learned: "TopicsLearned") -> tuple[dict[str, object], list[str]]:
    """What is known of the number of topics, for the output of finished runs, as values for JSON and as lines
    of text: of a search its runs and the range of equally good numbers, and whether the topics hold.
    """
    weakest, lines = _weakest(learned)
    found = learned.search_range
    if found is None:
        return weakest, lines
    summary: dict[str, object] = {
        "search": [point.to_json() for point in learned.search],
        "range": None if found.range is None else list(found.range),
        "range_of": found.of,
        "range_at_most": found.at_most,
        "overruled_bound": found.few,
        "unchecked": found.unchecked,
    }
    return {**summary, **weakest}, [*search_as_text(summary), *lines]


def _weakest(learned: "TopicsLearned") -> tuple[dict[str, object], list[str]]:
    """The coherence of the weakest quarter of topics in documents that did not choose their words
    ("weakest"), how many topics are below 0 ("below"), and a line if the weakest quarter is; all are empty if
    coherence was not counted.
    """
    import numpy as np

    from stickbreaker.topics.search.topics_that_hold import weakest_quarter

    if learned.coherence is None:
        return {}, []
    used = np.delete(np.array(learned.coherence, np.float64), learned.unused_topics)
    weakest, below = weakest_quarter(used), int((used < 0.0).sum())
    found: dict[str, object] = {"weakest": weakest, "below": below}
    if weakest >= 0.0:
        return found, []
    return found, [
        f"{below} of {counted(len(used), 'topic')} do not hold in documents that did not choose their words "
        f"(smoothed NPMI of the weakest quarter {weakest:.2f}): `topics` marks them, search-k finds how many "
        "hold, merge joins similar ones"
    ]


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
