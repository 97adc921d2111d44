"""Hierarchical Dirichlet processes in the benchmark: ours and the peers', with the interface of `peers.py`.

Topics in use have at least a ten-thousandth of all tokens, as the program itself counts them. `n_topics`: the
number of topics that a run starts with, or its truncation. A run ends when `watch.over` is true.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from benchmarks.corpora import entries
from benchmarks.ours import schedule_of
from benchmarks.peers import Tomotopy
from benchmarks.watch import Watch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

SHARE = 1e-4  # of the tokens, of a topic in use

Array = NDArray[np.float64]


class OurHDP:
    """`HDP` by one method; a step is a pass, or a sweep of the Gibbs sampler."""

    module = "stickbreaker"
    theta = None

    def __init__(self, method: str) -> None:
        self.method = method

    def fit(
        self, train: csr_matrix, n_topics: int, seed: int, settings: dict[str, Any], watch: Watch
    ) -> None:
        from stickbreaker import Corpus
        from stickbreaker.estimators import model_runs
        from stickbreaker.estimators.model_runs import EndedRun
        from stickbreaker.learning.loop import run
        from stickbreaker.learning.observers import Observer, Trace
        from stickbreaker.learning.run import Run, RunState
        from stickbreaker.topics.learner import HDP as LEARNER

        corpus = Corpus.from_matrix(train)
        self._hdp(n_topics, seed, settings, 3).fit(train[:200])  # compiles
        asked, trace = self._hdp(n_topics, seed, settings, watch.last).settings, Trace()
        in_table: list[int] = []  # topics, at the end of each pass

        class Passes(Observer):
            def step(self, job: Run[Any], state: RunState, record: dict[str, Any]) -> bool:
                def topics() -> Array:
                    ended = EndedRun(job, state, trace)
                    return model_runs.learned_by(LEARNER, asked, corpus, ended).topic_word

                if state.passes == len(in_table):
                    return False
                in_table.append(record["topics"])
                watch.step(topics)
                return watch.over

        watch.start()
        job, state = LEARNER.new_run(asked, corpus, seed)
        run(job, state, [trace, Passes()])
        self.learned = model_runs.learned_by(LEARNER, asked, corpus, EndedRun(job, state, trace))
        watch.facts["in_table"] = in_table

    def topics(self) -> Array:
        return self.learned.topic_word

    def _hdp(self, n_topics: int, seed: int, settings: dict[str, Any], passes: int) -> Any:
        from stickbreaker import HDP, SplitMerge

        online, rest = schedule_of(settings, kappa=0.5, tau0=1.0)
        choices: dict[str, dict[str, Any]] = {
            "memoised-SM": {"schedule": "memoised", "moves": SplitMerge(accept="exact")},
            "memoised": {"schedule": "memoised", "moves": None},
            "oHDP-SM": {"schedule": online, "moves": SplitMerge(accept="halves")},
            "oHDP": {"schedule": online, "moves": None},
            "CGS": {"schedule": "batch", "moves": None, "inference": "gibbs"},
        }
        chosen = {**choices[self.method], **rest}
        return HDP(n_topics, max_iter=passes, tol=0.0, n_jobs=1, random_state=seed, **chosen)


class GensimHDP:
    """gensim's HdpModel: a step is a pass. `n_topics` is its T; weights of topics are those of its sticks."""

    module = "gensim"
    theta = None

    def fit(
        self, train: csr_matrix, n_topics: int, seed: int, settings: dict[str, Any], watch: Watch
    ) -> None:
        from gensim.models import HdpModel

        class Paused(HdpModel):
            """Does not train when it is made."""

            def update(self, corpus: Any) -> None:
                return

        documents = entries(train)
        names = {word: str(word) for word in range(train.shape[1])}
        model = self.model = Paused(documents, names, T=n_topics, random_state=seed, **settings)
        calls = math.ceil(len(documents) / model.chunksize)
        model.max_chunks = calls * watch.last
        update_chunk, done = model.update_chunk, 0

        def timed(*arguments: Any) -> Any:
            nonlocal done
            result = update_chunk(*arguments)
            done += 1
            if done % calls == 0:
                watch.step(self.topics)
                if watch.over:
                    model.max_chunks = done
            return result

        model.update_chunk = timed
        watch.start()
        HdpModel.update(model, documents)

    def topics(self) -> Array:
        self.model.update_expectations()  # topics are updated lazily
        weights = self.model.hdp_to_lda()[0]
        return self.model.get_topics()[weights >= SHARE * weights.sum()].astype(np.float64)


class TomotopyHDP(Tomotopy):
    """tomotopy's HDPModel, `workers=1`: a step is a sweep. `n_topics` is its initial_k."""

    theta = None

    def new_model(self, n_topics: int, seed: int, settings: dict[str, Any]) -> Any:
        import tomotopy

        return tomotopy.HDPModel(initial_k=n_topics, seed=seed, **settings)

    def in_use(self) -> list[int]:
        tokens = np.asarray(self.model.get_count_by_topics())
        return np.flatnonzero((tokens >= 1) & (tokens >= SHARE * tokens.sum())).tolist()


OURS = ("memoised-SM", "memoised", "oHDP-SM", "oHDP", "CGS")
PROGRAMS: dict[str, Callable[[], Any]] = {
    **{name: lambda name=name: OurHDP(name) for name in OURS},
    "gensim HDP": GensimHDP,
    "tomotopy HDP": TomotopyHDP,
}
