"""The runs of a search for the number of topics, each stored as a model and a file of scores."""

import json
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import recover, write_atomic
from stickbreaker.core.locks.directory_claims import watched
from stickbreaker.core.locks.path_locks import beside
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.shards import Bags, tokens_by_document
from stickbreaker.corpus.source import Source
from stickbreaker.corpus.store import is_store
from stickbreaker.estimators import model_runs
from stickbreaker.learning.trace import EXTREME
from stickbreaker.saved import ModelDirectory
from stickbreaker.topics.evaluation.completion import completion_score, split_halves
from stickbreaker.topics.evaluation.corpus_scores import Topics, coherence_of, diversity_of
from stickbreaker.topics.learned import TopicsLearned, load_topics
from stickbreaker.topics.learner import LDA
from stickbreaker.topics.model.word_ranking import DEFAULT
from stickbreaker.topics.open_topics import scored_topics
from stickbreaker.topics.report.document_entries import read_figures
from stickbreaker.topics.report.measures import coherence_counted_in
from stickbreaker.topics.report_documents import IN_HALVES
from stickbreaker.topics.settings import LDASettings
from stickbreaker.topics.verbs.coherence_counts import COUNTS, coherence_counts

Learn = Callable[[Path | ModelDirectory], object]  # continues a run to its end

FORMAT = "stickbreaker search-k"
SETTINGS, RUNS, TRAINING = "search.json", "runs", "training.corpus"
SCORES = {"topics", "seed", "nats", "tokens", "nats_per_word", "coherence", "diversity", "seconds"}
BY_TOPIC, COUNTED_IN = "coherence_of_topics", "npmi_counted_in"  # scores that older searches lack


@dataclass(frozen=True)
class SearchPlan:
    """The settings that all runs of a search share, as options of `search-k`.

    `fingerprint` identifies the corpus; `held_out` is the share of its documents; `by` says how a topic's
    words are ranked. Raises UserError if alpha or eta is a number that is not above zero, or infinite.
    """

    fingerprint: str
    inference: str
    iterations: int | None
    held_out: float
    alpha: float | str
    eta: float | str
    by: str

    def __post_init__(self) -> None:
        for name in ("alpha", "eta"):
            value = getattr(self, name)
            if not isinstance(value, str) and not 0.0 < value < float("inf"):
                raise UserError(f"--{name} is {value}", remedy='give a number above zero, or "learned"')


@dataclass(frozen=True)
class SearchRuns:
    """The directory of a search, with its plan and its runs. It allows a search to continue after an
    interruption.

    A run with 10 topics and seed 0 has the files `runs/k10-seed0.model` and `runs/k10-seed0.json` (scores).
    `search.json` has the plan and results; `training.corpus` the documents that are not held out, from which
    all runs learn.
    """

    path: Path
    plan: SearchPlan

    @contextmanager
    def claim(self) -> Generator[None]:
        """A context in which the search may write into its directory; a missing one is made.

        Raises UserError if the path has another search or anything else, or if another directory takes its
        place meanwhile.
        """
        self._begin()
        with watched(self.path):
            yield

    def _begin(self) -> None:
        """Make the search's directory, if it is missing or empty. Otherwise raises UserError unless it has a
        search with the same plan.
        """
        settings = self.path / SETTINGS
        if not settings.is_file():
            half_made = {RUNS, *(one.name for one in beside(settings, "partial"))}  # by one that was killed
            empty = self.path.is_dir() and {one.name for one in self.path.iterdir()} <= half_made
            if self.path.is_symlink() or (self.path.exists() and not empty):
                raise UserError("exists and is not a search", where=self.path, remedy="choose another path")
            (self.path / RUNS).mkdir(parents=True, exist_ok=True)
            self.write({})
            return
        try:
            record = json.loads(settings.read_bytes())
            before = SearchPlan(**record["plan"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise UserError("is not that of a search, or is damaged", where=settings) from None
        for name, now in asdict(self.plan).items():
            was = getattr(before, name)
            if was != now:
                values = ["the default" if value is None else value for value in (was, now)]
                other = f"{name.replace('_', '-')} {values[0]}, not {values[1]}"
                difference = "another corpus" if name == "fingerprint" else other
                raise UserError(f"was begun with {difference}", where=self.path, remedy="give another --out")

    def write(self, summary: dict[str, object]) -> None:
        """Write search.json: the plan, and the summary of the results (empty at the start)."""
        _write(self.path / SETTINGS, {"format": FORMAT, "plan": asdict(self.plan), **summary})

    def model(self, k: int, seed: int) -> TopicsLearned:
        """Load the model of a finished run, with k topics and this seed."""
        return load_topics(self.place(k, seed), "search-k")

    def finished(self, k: int, seed: int) -> dict[str, object] | None:
        """The recorded scores of the run with k topics and this seed; None if the run is not finished, so
        that it has to be made. Raises UserError for a damaged file.
        """
        path = self._file(k, seed, "json")
        if not path.is_file():
            return None
        record: dict[str, object] = {}
        try:
            record = json.loads(path.read_bytes())
            whole = set(record) >= SCORES and (record["topics"], record["seed"]) == (k, seed)
        except (ValueError, TypeError):
            whole = False
        if not whole:
            problem, remedy = "the file is damaged", "delete it, and the run is scored again"
        elif BY_TOPIC not in record:
            problem = "is of an earlier version, which did not score single topics"
            remedy = "give another --out"
        else:
            return record
        raise UserError(problem, where=path, remedy=remedy)

    def training(self, corpus: Corpus) -> Corpus:
        """The corpus that runs learn from: `corpus` without its held-out documents. The first call writes it
        to the directory; later calls open it.
        """
        path = self.path / TRAINING
        return Corpus.open(path) if is_store(path) else corpus.write(path, held_out=self.plan.held_out)

    def run(
        self, corpus: Corpus, training: Corpus, k: int, seed: int, threads: int | None, learn: Learn
    ) -> dict[str, object]:
        """Make one run: fit a model on `training`, as `fit lda` does, and score it on the held-out documents
        of `corpus`. The record of its scores is written, and returned. learn: continues the run.
        """
        path = self.place(k, seed)
        self._fit(path, training, k, seed, threads, learn)
        model = load_topics(path, "search-k", threads)
        scores = _scores(model, corpus, self.plan.held_out, self.plan.by, path)
        record = {"topics": k, "seed": seed, **scores}
        _write(self._file(k, seed, "json"), record)
        return record

    def place(self, k: int, seed: int) -> Path:
        """The path of the model with k topics and this seed."""
        return self._file(k, seed, "model")

    def _file(self, k: int, seed: int, kind: str) -> Path:
        return self.path / RUNS / f"k{k}-seed{seed}.{kind}"

    def refuse_large_runs(self, corpus: Corpus, topics: Iterable[int], threads: int | None) -> None:
        """Before a search begins, raise UserError if this machine has too little memory for its run with the
        most topics.
        """
        model_runs.refuse_settings_for(LDA, self._settings(max(topics), 0, threads), corpus)

    def _settings(self, k: int, seed: int, threads: int | None) -> LDASettings:
        plan = self.plan
        return LDASettings(
            k,
            inference=plan.inference,
            alpha=plan.alpha,
            eta=plan.eta,
            max_iter=plan.iterations,
            random_state=seed,
            n_jobs=threads,
        )

    def _fit(self, path: Path, corpus: Corpus, k: int, seed: int, threads: int | None, learn: Learn) -> None:
        """Learn the model at `path` from the corpus, or continue its run if it has begun; k: the number of
        topics.
        """
        recover(path)
        begun: Path | ModelDirectory = path
        if not path.exists():
            settings = self._settings(k, seed, threads)
            begun = model_runs.begin(LDA, settings, corpus, path, stays_locked=True)
        learn(begun)


def refuse_few_documents(corpus: Corpus, held_out: float) -> None:
    """Before a search begins, raise UserError if the held-out share of the corpus leaves nothing to learn
    from, or nothing to score.
    """
    n_training = Source(corpus, held_out).n_documents
    if n_training == 0:
        raise UserError("every document is held out", remedy="lower --held-out")
    if n_training == corpus.n_documents:
        raise UserError("no document is held out", remedy="raise --held-out")
    if next(_held_out_halves(corpus, held_out), None) is None:
        raise UserError("no held-out document has two known words", remedy="raise --held-out")


def _scores(model: TopicsLearned, corpus: Corpus, held_out: float, by: str, path: Path) -> dict[str, object]:
    """The scores of a run's model, for its record: log probability (nats) of every held-out document,
    coherence, that of each topic in use, diversity, and seconds of learning.

    NPMI is that stored with the model, by halves of the documents learned from; if it was not counted so, or
    words are ranked in another way, it is counted in the held-out documents, as the other measures are.
    held_out: the share of the corpus's documents; by: how a topic's words are ranked; path: of the saved
    model. Raises UserError if the vocabulary is too small for coherence.
    """
    topics = scored_topics(model)
    nats, tokens = _held_out_nats(topics, corpus, held_out)
    held_out_in = Source(corpus, held_out).held_out_in
    measured = list(coherence_of(topics, corpus, by=by, documents=held_out_in).values())
    if not measured:
        raise UserError("coherence needs two words in the vocabulary", remedy="search a larger corpus")
    figures = read_figures(path)
    if by == DEFAULT and figures.get("coherence_in", (0, 0, 0))[2] == IN_HALVES:
        values, counted_in = np.array(figures["coherence"]), coherence_counted_in(figures)
    else:
        values = np.mean([one.smoothed.per_topic for one in measured], axis=0)
        counted_in = f"{measured[0].texts:,} windows of the documents held out (smoothed)"
    values = np.delete(values, model.unused_topics)
    means = {
        name: sum(getattr(one, name).mean for one in measured) / len(measured) for name in ("umass", "c_v")
    }
    return {
        "nats": nats,
        "tokens": tokens,
        "nats_per_word": sum(nats) / sum(tokens),
        "coherence": {"npmi": float(values.mean()), **means},
        BY_TOPIC: values.tolist(),
        COUNTED_IN: counted_in,
        COUNTS: coherence_counts(measured),
        "diversity": diversity_of(topics, by=by),
        "passes": model.facts.progress.passes,
        "seconds": float(model.facts.trace[-1].get("seconds", 0.0)) if model.facts.trace else 0.0,
    }


def _held_out_nats(topics: Topics, corpus: Corpus, held_out: float) -> tuple[list[float], list[float]]:
    """Document completion of held-out documents: for each document the log probability (nats) of its
    predicted words, and their number.
    """
    nats: list[float] = []
    tokens: list[float] = []
    for observed, rest in _held_out_halves(corpus, held_out):
        scored = completion_score(rest, topics.infer(observed), topics.topic_word)
        nats += scored.per_document.tolist()
        tokens += tokens_by_document(rest.offsets, rest.counts).tolist()
    return nats, tokens


def _held_out_halves(corpus: Corpus, held_out: float) -> Iterator[tuple[Bags, Bags]]:
    """For each block, the halves of its held-out documents, observed and to be predicted; blocks without a
    word to predict are left out.
    """
    source = Source(corpus, held_out)
    for block in range(source.n_blocks):
        observed, rest = split_halves(source.block(block, held_out=True)[1])
        if rest.counts.sum() > 0:
            yield observed, rest


def _write(path: Path, value: object) -> None:
    try:
        text = json.dumps(value, allow_nan=False)
    except ValueError:
        problem = "is not written, for some scores are not finite numbers"
        raise UserError(problem, where=path, remedy=EXTREME) from None
    write_atomic(path, text.encode("utf-8") + b"\n")
