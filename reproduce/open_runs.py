"""The rows of the comparison: vocabularies, engines and priors; and single passes over a stream."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from reproduce.open_data import Stream

from stickbreaker import LDA, Corpus, Hybrid, Online, Vocabulary
from stickbreaker.engines.local import usable_cores

OPEN, NULL, DICT, DICT_HASH, FULL_HASH, DTM = "open", "null", "dict", "dict-hash", "full-hash", "dtm"
CLOSED = (NULL, DICT, DICT_HASH, FULL_HASH)
TOLD = {
    OPEN: "infvoc: words are added and dropped",
    NULL: "the words of the first minibatch",
    DICT: "those of a dictionary",
    DICT_HASH: "those of a dictionary, whose rows all other words share by hashing",
    FULL_HASH: "none: all words share 30,000 rows by hashing",
    DTM: "dynamic topic model; all words that are not rare, all documents at once",
}
BUCKETS = 30_000
HYBRID, MEAN_FIELD = "hybrid", "mean-field"
ENGINES = (HYBRID, MEAN_FIELD)
INNER = 50  # iterations of mean-field inference
T = TypeVar("T")


class Settings(NamedTuple):
    """A run: a row (vocabulary, engine, prior of shares: "1/K", "0.1" or "learned"), and what may be
    chosen for it. `eta` is for fixed vocabularies; alpha^beta, T and U are for the open one."""

    kind: str
    engine: str
    prior: str
    topics: int
    batch: int
    kappa: float = 0.6
    tau0: float = 64.0
    eta: float = 0.01
    concentration: float = 3000.0
    truncation: int = 40_000
    reorder_every: int = 10
    seed: int = 0

    def chosen(self) -> str:
        """What was chosen, as tables show it."""
        own = (
            f"α^β = {self.concentration:g}, T = {self.truncation:,}, U = {self.reorder_every}"
            if self.kind == OPEN
            else f"η = {self.eta:g}"
        )
        return f"{own}, κ = {self.kappa:g}, τ0 = {self.tau0:g}"


class Pass(NamedTuple):
    """A model after one pass over a stream; the CPU seconds of learning and of the shares."""

    model: LDA
    shares: NDArray[np.float64]
    seconds: float
    shares_seconds: float


def estimator(settings: Settings, total: int) -> LDA:
    """The model of a row for a stream of `total` documents."""
    hybrid = settings.engine == HYBRID
    schedule = Online(batch_size=settings.batch, kappa=settings.kappa, tau0=settings.tau0, total=total)
    common: dict[str, Any] = {
        "inference": Hybrid(burn_in=5, samples=10) if hybrid else "mean-field",
        "fold_in": "sampled" if hybrid else "mean-field",
        "schedule": schedule,
        "alpha": {"1/K": 1.0 / settings.topics, "0.1": 0.1, "learned": "learned"}[settings.prior],
        "doc_max_iter": INNER,
        "random_state": settings.seed,
        "n_jobs": 1,
    }
    if settings.kind == OPEN:
        return _open(settings, common)
    return LDA(settings.topics, eta=settings.eta, **common)


def _open(settings: Settings, common: dict[str, Any]) -> LDA:
    from stickbreaker import OpenVocabulary

    words = OpenVocabulary(
        concentration=settings.concentration,
        truncation=settings.truncation,
        reorder_every=settings.reorder_every,
    )
    return LDA(settings.topics, words=words, init="random", **common)


def first_documents(settings: Settings, stream: Stream, tokens: list[list[str]]) -> Any:
    """The first minibatch, seen through the row's vocabulary."""
    if settings.kind in (OPEN, NULL):
        return tokens
    if settings.kind == FULL_HASH:
        vocabulary = Vocabulary.buckets(BUCKETS)
    else:
        vocabulary = replace(Vocabulary.of(stream.dictionary), hashed=settings.kind == DICT_HASH)
    return Corpus.from_tokens(tokens, vocabulary=vocabulary)


def one_pass(
    settings: Settings, stream: Stream, watch: Callable[[LDA, int], None] | None = None, shares: bool = True
) -> Pass:
    """Learn from the documents in their order; with `shares`, those of each minibatch right after its step.

    `watch` is called after each step with the model and the number of the step, from 1.
    """
    model = estimator(settings, len(stream.documents))
    rows: list[NDArray[np.float64]] = []
    learning = inferring = 0.0
    for number, tokens in enumerate(stream.minibatches(settings.batch), 1):
        since = time.process_time()
        model.partial_fit(first_documents(settings, stream, tokens) if number == 1 else tokens)
        learning += time.process_time() - since
        if shares:
            since = time.process_time()
            rows.append(model.transform(tokens))
            inferring += time.process_time() - since
        if watch is not None:
            watch(model, number)
    return Pass(model, np.vstack(rows) if rows else np.zeros((0, settings.topics)), learning, inferring)


# In processes: a minibatch is too small to be shared out among threads

_held: dict[str, Any] = {}


def each(
    function: Callable[[Any, Any], T], data: Any, jobs: Sequence[Any], workers: int | None = None
) -> Iterator[T]:
    """function(data, job) of every job, in order, in as many processes as there are cores."""
    workers = min(workers or usable_cores(), len(jobs))
    if workers <= 1:
        yield from (function(data, job) for job in jobs)
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), _hold, (data,)) as pool:
        yield from pool.map(partial(_of_held, function), jobs)


def _hold(data: Any) -> None:
    _held["data"] = data


def _of_held(function: Callable[[Any, Any], T], job: Any) -> T:
    return function(_held["data"], job)
