"""`stickbreaker search-k`: fit several numbers of topics, score each alike, suggest one."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import (
    INPUT,
    PATH,
    NumberRange,
    command,
    emit,
    note,
    number_or_learned,
    option,
    tell_of_compiling,
    threads_option,
)
from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.topics.cli.coherence_counts import COUNTS, held_out_line
from stickbreaker.topics.cli.ranking import ranking_option

if TYPE_CHECKING:
    from stickbreaker.topics.cli.search_runs import SearchRuns
    from stickbreaker.topics.evaluation import Fewest

PAGE = "search.html"


def numbers_of_topics(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[int, ...]:
    """A click callback that reads numbers of topics from a value such as "10,20,40": without repetition,
    ascending. Raises a usage error unless all are whole numbers of at least 1.
    """
    try:
        numbers = sorted({int(part) for part in value.split(",")})
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a list of whole numbers, such as 10,20,40") from None
    if numbers[0] < 1:
        raise click.BadParameter(f"{numbers[0]} topics; give 1 or more")
    return tuple(numbers)


@click.command(
    "search-k", epilog="Example: stickbreaker search-k posts.corpus --topics 10,20,40 --out posts.search"
)
@click.argument("corpus", type=INPUT)
@option("--topics", required=True, metavar="K,K,...", callback=numbers_of_topics, help="Numbers to try.")
@option("--seeds", default=3, least=1, help="Runs of each: seeds 0, 1, ...")
@option(
    "--inference",
    default="mean-field",
    choices=["mean-field", "hybrid", "gibbs", "gibbs-delayed"],
    help="As in fit.",
)
@option("--alpha", default="learned", callback=number_or_learned, help="As in fit lda.")
@option("--eta", default="0.01", callback=number_or_learned, help="As in fit lda.")
@option("--iterations", least=1, help="Passes or sweeps at most.  [default: as in fit]")
@option(
    "--held-out",
    default=0.1,
    type=NumberRange(0.0, 0.9, min_open=True),
    help="Share of the documents that no run learns from, chosen by their ids; scores are theirs.",
)
@ranking_option
@option("--out", required=True, type=PATH, help="Directory of the search.")
@threads_option
@command
def search_k(
    corpus: str,
    topics: tuple[int, ...],
    seeds: int,
    inference: str,
    alpha: float | str,
    eta: float | str,
    iterations: int | None,
    held_out: float,
    by: str,
    out: Path,
    threads: int | None,
    as_json: bool,
) -> None:
    """Choose the number of topics: fit each with several seeds, and score them on documents held out.

    The suggestion is the fewest topics whose held-out score cannot be distinguished from the best one's.
    Coherence, diversity and how much the seeds agree are shown next to it. The directory OUT gets
    search.json; a page with the figures, search.html; the documents that runs learn from, training.corpus;
    and the models: each is the one that `fit lda` learns from training.corpus. The same command continues
    after an interruption: finished models are kept, and you may add numbers or seeds.
    """
    from stickbreaker.core.files import write_atomic
    from stickbreaker.corpus import Corpus
    from stickbreaker.topics.cli.search_page import page
    from stickbreaker.topics.cli.search_runs import SearchPlan, SearchRuns, refuse_few_documents

    opened = Corpus.open(corpus)
    search = SearchRuns(out, SearchPlan(opened.fingerprint, inference, iterations, held_out, alpha, eta, by))
    refuse_few_documents(opened, held_out)
    search.refuse_large_runs(opened, topics, threads)
    with search.claim():
        tell_of_compiling()
        training = search.training(opened)
        results: list[JsonObject] = []
        for k in topics:
            for seed in range(seeds):
                found = search.finished(k, seed)
                if found is None:
                    position = f"run {len(results) + 1} of {len(topics) * seeds}"
                    note(f"{position}: {counted(k, 'topic')}, seed {seed}")
                    found = search.run(opened, training, k, seed, threads)
                results.append(found)
        summary = _summary(search, results)
        search.write(summary)
        write_atomic(out / PAGE, page(summary, Path(corpus).resolve().name).encode("utf-8"))
    emit({"out": str(out), **summary}, as_json, _as_text)


def _summary(search: "SearchRuns", results: list[JsonObject]) -> JsonObject:
    """The result of `search-k` from the records of all runs: a table with a row per number of topics, the
    suggested number, and the reason for it.
    """
    from stickbreaker.topics.evaluation import fewest_topics

    by_topics: dict[int, list[JsonObject]] = {}
    for result in results:
        by_topics.setdefault(result["topics"], []).append(result)
    found = fewest_topics(
        {k: [run["nats"] for run in runs] for k, runs in by_topics.items()}, results[0]["tokens"]
    )
    return {
        "seeds": len(next(iter(by_topics.values()))),
        "held_out_documents": len(results[0]["tokens"]),
        COUNTS: next((run[COUNTS] for run in results if COUNTS in run), None),
        "table": [_row(search, k, runs) for k, runs in by_topics.items()],
        "suggested": found._asdict(),
        "reason": _reason(found, sorted(by_topics), len(results) // len(by_topics)),
    }


def _row(search: "SearchRuns", k: int, runs: list[JsonObject]) -> JsonObject:
    """The row for k topics in the table of results: mean scores over seeds, their stability (None for one
    seed), and in "of_seeds" the scores of each seed.
    """
    import numpy as np

    from stickbreaker.topics.evaluation import stability

    alike = None
    if len(runs) > 1:
        models = [search.model(k, run["seed"]) for run in runs]
        used = [np.delete(model.topic_word_, model.unused_topics_, axis=0) for model in models]
        alike = stability(used, models[0].vocabulary_.parts)
    each = {
        "nats_per_word": [run["nats_per_word"] for run in runs],
        **{name: [run["coherence"][name] for run in runs] for name in ("npmi", "umass", "c_v")},
        "diversity": [run["diversity"] for run in runs],
        "seconds": [run["seconds"] for run in runs],
    }
    means = {name: sum(values) / len(values) for name, values in each.items()}
    return {"topics": k, **means, "stability": alike, "of_seeds": each}


def _reason(found: "Fewest", tried: list[int], seeds: int) -> str:
    """A sentence for the user that explains why a number of topics is suggested, and whether to try more or
    fewer.

    tried: the numbers of topics, ascending; seeds: how many runs of each.
    """
    of = f"{seeds} seeds" if seeds > 1 else "a single seed, so noise between seeds is not known"
    if len(tried) == 1:
        return f"{counted(found.topics, 'topic')} is all that was tried ({of})."
    further = ""
    if found.topics == tried[-1]:
        further = "; it is the most tried: try more"
    elif found.topics == tried[0] > 1:
        further = "; it is the fewest tried: try fewer"
    if found.topics == found.best:
        why = f"the best held-out score, and no fewer come within one standard error of it ({of})"
    else:
        best = counted(found.best, "topic")
        gap = f"{found.behind:.4f} nats/word behind {best}, standard error {found.error:.4f}"
        why = f"the fewest whose held-out score is within one standard error of the best ({gap}; {of})"
    return f"{counted(found.topics, 'topic')}: {why}{further}."


def _as_text(summary: JsonObject) -> str:
    lines = ["topics  held-out    NPMI     C_v  diversity  stability  seconds"]
    for row in summary["table"]:
        alike = "        -" if row["stability"] is None else f"{row['stability']:9.3f}"
        mark = "  ←" if row["topics"] == summary["suggested"]["topics"] else ""
        lines.append(
            f"{row['topics']:>6} {row['nats_per_word']:9.4f} {row['npmi']:7.3f} {row['c_v']:7.3f}  "
            f"{row['diversity']:9.3f}  {alike}  {row['seconds']:7.1f}{mark}"
        )
    return "\n".join(
        [
            *lines,
            f"held-out: nats/word of {counted(summary['held_out_documents'], 'document')}; "
            f"means over seeds ({summary['seeds']})",
            *filter(None, [held_out_line(summary[COUNTS])]),
            f"Suggested: {summary['reason']}",
            f"Figures: {Path(summary['out']) / PAGE}",
        ]
    )
