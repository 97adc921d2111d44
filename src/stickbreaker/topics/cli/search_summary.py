"""What a finished run says of the search for its number of topics."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stickbreaker.topics.topic_estimator import TopicEstimator


def summarize_search(estimator: "TopicEstimator") -> tuple[dict[str, Any], list[str]]:
    """The runs of a search, and the numbers of topics that are as good, as figures and as lines; nothing
    without one."""
    found = estimator.search_range()
    if found is None:
        return {}, []
    against = estimator.overruled_bound()
    summary = {
        "search": [point.to_json() for point in estimator.search_],
        "range": [found.fewest, found.most],
        "range_of": found.of,
        "range_of_short_runs": list(found.curve),
        "short_runs_disagree": found.disagree,
        "overruled": None if against is None else against._asdict(),
    }
    return summary, search_as_text(summary)


def search_as_text(summary: dict[str, Any]) -> list[str]:
    """What a search says of the number of topics: the runs to the end, and the numbers that are as good."""
    from stickbreaker.topics.search.search_points import SHORT

    runs, against = summary["search"], summary["overruled"]
    whole = [run for run in runs if run["final"]]
    ends = ", ".join(f"{run['used']} at {run['bound']:.4f}" for run in reversed(whole))
    rule = "" if against else " (the fewest topics within 0.005 nats/word of the best)"
    lines = [f"Runs to the end, topics and bound, the model's first{rule}: {ends}"] if len(whole) > 1 else []
    within = f"Topics within 0.005 nats/word of the best, by {summary['range_of']}"
    curve = _as_range(*summary["range_of_short_runs"])
    if summary["range_of"] == SHORT:
        lines.append(f"{within} ({len(runs) - len(whole)}): {curve}; runs to the end may differ by more")
    else:
        doubt = ", far from that: the number is uncertain" if summary["short_runs_disagree"] else ""
        if doubt and runs[-1]["held_out"] is None:
            doubt += "; see what --judge held-out gives"
        found = _as_range(*summary["range"])
        lines.append(f"{within}: {found}; by short runs ({len(runs) - len(whole)}): {curve}{doubt}")
    if against is not None:
        lines.append(
            f"The bound asks for {against['few']}; documents held out are better predicted (by "
            f"{against['gain']:.2f} nats/word) with about {against['topics']}, where the last run began"
        )
    return lines


def _as_range(fewest: int, most: int) -> str:
    return f"{fewest} to {most}" if most > fewest else f"{fewest}"
