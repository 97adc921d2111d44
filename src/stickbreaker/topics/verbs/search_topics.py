"""A search for the number of topics: several are learned with several seeds, and one is suggested."""

import atexit
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from stickbreaker.core.errors import UserError, counted, is_whole
from stickbreaker.core.files import write_atomic
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus import Corpus
from stickbreaker.estimators import model_runs
from stickbreaker.estimators.kinds import kinds, object_at
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.topics.evaluation.matching import stability
from stickbreaker.topics.search.topics_that_hold import (
    Suggestion,
    next_to_try,
    reason_of,
    suggest_topics,
    weakest_quarter,
)
from stickbreaker.topics.verbs.coherence_counts import COUNTS
from stickbreaker.topics.verbs.search_page import page
from stickbreaker.topics.verbs.search_runs import (
    BY_TOPIC,
    COUNTED_IN,
    Learn,
    SearchPlan,
    SearchRuns,
    refuse_few_documents,
)
from stickbreaker.topics.verbs.settings import SearchSettings

PAGE = "search.html"
FIGURES = ("nats_per_word", "npmi", "weakest", "umass", "c_v", "diversity", "seconds")
LEAST_DOCUMENTS = 4  # for a topic, in a search that chooses the numbers


@dataclass(frozen=True, kw_only=True)
class TriedNumber:
    """The scores of one number of topics: means over the seeds, and those of each seed by name.

    `npmi`: the mean coherence of topics, `weakest`: that of their weakest quarter. `stability`: how much the
    topics of the seeds agree, from 0 to 1; None for a single seed.
    """

    topics: int
    nats_per_word: float
    npmi: float
    weakest: float
    umass: float
    c_v: float
    diversity: float
    seconds: float
    stability: float | None
    of_seeds: Mapping[str, Sequence[float]]


@dataclass(frozen=True, kw_only=True, repr=False)
class NumberOfTopics(VerbResult):
    """The result of a search for the number of topics: a row for each number tried, and the suggested one.

    `out`: the directory of the search, with the models; None: a temporary one. `npmi_counted_in`: the
    documents in which NPMI was counted; `coherence_counts`: those of UMass and C_v. `reason`: a line that
    says which numbers read best, up to which topics hold, and which predicts best.
    """

    out: str | None
    seeds: int
    held_out_documents: int
    coherence_counts: JsonObject | None
    npmi_counted_in: str
    table: tuple[TriedNumber, ...]
    suggested: Suggestion
    reason: str
    runs: SearchRuns = field(compare=False)

    def as_json(self) -> JsonObject:
        values = super().as_json()
        del values["runs"]
        return values

    @property
    def best(self) -> Any:
        """The model (LDA) with the suggested number of topics, of the seed with the best held-out score."""
        row = next(one for one in self.table if one.topics == self.suggested.topics)
        seed = int(np.argmax(row.of_seeds["nats_per_word"]))
        return self.model(row.topics, seed)

    def model(self, topics: int, seed: int) -> Any:
        """The model (LDA) of one of the runs. Raises UserError if there was no such run."""
        return object_at(f"{kinds()['LDA'].front_door}.load")(self.runs.place(topics, seed))

    def __str__(self) -> str:
        lines = ["topics  held-out    NPMI  weakest  diversity  stability  seconds"]
        for row in self.table:
            alike = "        -" if row.stability is None else f"{row.stability:9.3f}"
            mark = "  ←" if row.topics == self.suggested.topics else ""
            lines.append(
                f"{row.topics:>6} {row.nats_per_word:9.4f} {row.npmi:7.3f} {row.weakest:8.3f}  "
                f"{row.diversity:9.3f}  {alike}  {row.seconds:7.1f}{mark}"
            )
        lines.append(
            f"held-out: nats/word of {counted(self.held_out_documents, 'document')}; "
            f"means over seeds ({self.seeds})"
        )
        lines.append(f"NPMI in {self.npmi_counted_in}; weakest: the mean of the weakest quarter of topics")
        lines.append(f"Suggested: {self.reason}.")
        return "\n".join([*lines, *([] if self.out is None else [f"Figures: {Path(self.out) / PAGE}"])])


def search_topics(
    corpus: Corpus,
    settings: SearchSettings,
    out: Path | None = None,
    *,
    learn: Learn | None = None,
    note: Callable[[str], None] = lambda _: None,
) -> NumberOfTopics:
    """Learn each number of topics with several seeds, and score them on documents held out. Without numbers,
    these are doubled as long as the topics of the largest hold (`next_to_try`).

    out: the directory of the search, which is continued if it has begun; None: a temporary one, which lasts
    as long as the process. learn: continues a run to its end; note: is called with a line before each run.
    Raises UserError if the held-out share leaves nothing to learn from or to score.
    """
    numbers = None if settings.topics is None else _numbers(settings.topics)
    plan = _plan(corpus, settings)
    place = _temporary() if out is None else out
    search, results = SearchRuns(place, plan), list[JsonObject]()
    refuse_few_documents(corpus, settings.held_out)
    if numbers:
        search.refuse_large_runs(corpus, numbers, settings.n_jobs)

    def to_its_end(begun: Any) -> None:
        model_runs.resume(begun, every=60.0, threads=settings.n_jobs)
        if not isinstance(begun, Path):
            begun.unlock()

    with search.claim():
        training = search.training(corpus)
        largest = training.n_documents // LEAST_DOCUMENTS
        for k in numbers or _numbers_that_hold(results, largest):
            for seed in range(settings.seeds):
                found = search.finished(k, seed)
                if found is None:
                    of = f" of {len(numbers) * settings.seeds}" if numbers else ""
                    note(f"run {len(results) + 1}{of}: {counted(k, 'topic')}, seed {seed}")
                    found = search.run(corpus, training, k, seed, settings.n_jobs, learn or to_its_end)
                results.append(found)
        found = _result(search, results, None if out is None else str(out), largest)
        summary = {name: value for name, value in found.as_json().items() if name != "out"}
        search.write(summary)
        name = "" if corpus.name is None else Path(corpus.name).resolve().name
        write_atomic(place / PAGE, page(summary, name).encode("utf-8"))
    return found


def _numbers(topics: object) -> list[int]:
    """The numbers of topics to try, ascending. Raises UserError unless all are whole and from 1."""
    given: Any = [topics] if isinstance(topics, int) else topics
    try:
        numbers = sorted(set(given))
    except TypeError:
        numbers = []
    if not numbers or not all(is_whole(one, 1) for one in numbers):
        raise UserError(
            f"topics={topics!r}", remedy="topics is a list of whole numbers, such as [10, 20, 40]"
        )
    return [int(one) for one in numbers]


def _numbers_that_hold(results: list[JsonObject], largest: int) -> Iterator[int]:
    """The numbers of topics to try, one after another, each chosen by the records of the runs before it
    (`results`, to which the caller adds them); largest: the most to try.
    """
    while True:
        following = next_to_try({k: _weakest(runs) for k, runs in _by_topics(results).items()}, largest)
        if following is None:
            return
        yield following


def _by_topics(results: Sequence[JsonObject]) -> dict[int, list[JsonObject]]:
    """The records of runs by their numbers of topics, ascending."""
    found: dict[int, list[JsonObject]] = {}
    for result in results:
        found.setdefault(result["topics"], []).append(result)
    return dict(sorted(found.items()))


def _weakest(runs: Sequence[JsonObject]) -> float:
    """The coherence of the weakest quarter of topics, the mean over runs."""
    return sum(weakest_quarter(run[BY_TOPIC]) for run in runs) / len(runs)


def _plan(corpus: Corpus, settings: SearchSettings) -> SearchPlan:
    return SearchPlan(
        corpus.fingerprint,
        settings.inference,
        settings.max_iter,
        settings.held_out,
        settings.alpha,
        settings.eta,
        settings.by,
    )


def _temporary() -> Path:
    """A directory for a search that is removed when the process ends."""
    outside = Path(tempfile.mkdtemp(prefix="stickbreaker-"))
    atexit.register(shutil.rmtree, outside, ignore_errors=True)
    return outside / "search"


def _result(
    search: SearchRuns, results: Sequence[JsonObject], out: str | None, largest: int
) -> NumberOfTopics:
    """The result of a search from the records of all runs; largest: the most topics that make sense."""
    by_topics = _by_topics(results)
    found = suggest_topics(
        {k: [run[BY_TOPIC] for run in runs] for k, runs in by_topics.items()},
        {k: [run["nats"] for run in runs] for k, runs in by_topics.items()},
        results[0]["tokens"],
    )
    return NumberOfTopics(
        out=out,
        seeds=len(next(iter(by_topics.values()))),
        held_out_documents=len(results[0]["tokens"]),
        coherence_counts=next((run[COUNTS] for run in results if COUNTS in run), None),
        npmi_counted_in=results[0][COUNTED_IN],
        table=tuple(_row(search, k, runs) for k, runs in by_topics.items()),
        suggested=found,
        reason=reason_of(found, sorted(by_topics), len(results) // len(by_topics), largest),
        runs=search,
    )


def _row(search: SearchRuns, k: int, runs: Sequence[JsonObject]) -> TriedNumber:
    """The scores of k topics: means over seeds, their stability (None for one seed), and those of each."""
    alike = None
    if len(runs) > 1:
        models = [search.model(k, run["seed"]) for run in runs]
        used = [np.delete(model.topic_word, model.unused_topics, axis=0) for model in models]
        alike = stability(used, models[0].vocabulary.parts)
    each: dict[str, list[float]] = {
        "nats_per_word": [run["nats_per_word"] for run in runs],
        **{name: [run["coherence"][name] for run in runs] for name in ("npmi", "umass", "c_v")},
        "weakest": [weakest_quarter(run[BY_TOPIC]) for run in runs],
        "diversity": [run["diversity"] for run in runs],
        "seconds": [run["seconds"] for run in runs],
    }
    means = {name: sum(values) / len(values) for name, values in each.items()}
    return TriedNumber(topics=k, **means, stability=alike, of_seeds=each)
