"""Part `threads`: several threads that learn with one estimator, save it and use it, in a child."""

import os
import random
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.running import planted_documents

from audit.parts import Part
from audit.programs import run
from audit.results import SAME, SILENT, Decision, refusal

LETTERS = ["thedogran", "acatsat", "thecatran", "adogsat"] * 5
KINDS = ("lda", "lda open", "hdp", "hdp open", "grammar")
LOST_STEPS = 3  # the status of a child that found that something was lost


class Threads(Part):
    name = "threads"
    weight = 0.5
    sample = 5

    def kinds(self) -> tuple[str, ...]:
        return KINDS

    def attempt(self, kind: str, number: int, draw: random.Random, place: Path) -> Decision:
        place.mkdir(parents=True)
        work = (learn_at_once, kind, draw.randint(2, 8), draw.randint(1, 4), draw.random() < 0.5, str(place))
        done = run("--version", place, before=work)
        if done.code == LOST_STEPS:
            return Decision(SILENT, done.err.strip()[-300:])
        return Decision(SAME) if done.code == 0 else refusal(done)


def estimator_of(kind: str) -> Any:
    """An estimator that learns online."""
    from stickbreaker import HDP, LDA, AdaptorGrammar, Online, OpenVocabulary

    if kind == "grammar":
        return AdaptorGrammar("unigram", inference="hybrid", random_state=0, n_jobs=1)
    words: Any = OpenVocabulary(truncation=40) if "open" in kind else "closed"
    settings: dict[str, Any] = {"words": words, "random_state": 0, "n_jobs": 1}
    return LDA(3, **settings) if kind.startswith("lda") else HDP(3, schedule=Online(20), **settings)


def learn_at_once(kind: str, threads: int, calls: int, begun: bool, folder: str) -> None:
    """In the child: all calls of all threads count, and whatever is saved meanwhile can be read."""
    from stickbreaker import UserError

    texts = LETTERS if kind == "grammar" else [document["text"] for document in planted_documents(30)]
    estimator, started = estimator_of(kind), threading.Barrier(threads)
    if begun:
        estimator.partial_fit(texts)
    saved: list[Path] = []

    def work(number: int) -> None:
        started.wait()
        for call in range(calls):
            estimator.partial_fit(texts)
            path = Path(folder) / f"{number}-{call}"
            estimator.save(path)
            saved.append(path)

    def problems() -> str:
        steps = threads * calls + begun
        counts = (estimator.n_steps_, len(estimator.trace_), estimator.corpus_["documents"] // len(texts))
        if counts != (steps, steps, steps):
            return f"{steps} calls, and {counts} steps, lines of the trace and texts that were learned from"
        for path in saved:
            try:
                loaded = type(estimator).load(path)
            except UserError as error:
                return f"what was saved meanwhile is refused: {error}"
            if loaded.n_steps_ != len(loaded.trace_):
                return f"{path.name} has {loaded.n_steps_} steps and {len(loaded.trace_)} lines"
        return ""

    _in_threads(work, threads)
    if told := problems():
        print(told, file=sys.stderr, flush=True)
        os._exit(LOST_STEPS)


def _in_threads(work: Callable[[int], None], threads: int) -> None:
    """Do it in several threads, which change often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, range(threads)))
    finally:
        sys.setswitchinterval(before)
