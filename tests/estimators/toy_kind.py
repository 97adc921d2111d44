"""Two kinds of models without topics: one with a table that an engine owns, and a sampler without."""

from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar

import numpy as np

from stickbreaker.contracts.contract import Fitted, Sampler, Score
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Field
from stickbreaker.corpus.source import Source
from stickbreaker.engines import LocalEngine
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.estimators.kinds import Kind
from stickbreaker.estimators.scikit_learn import ScikitLearn
from stickbreaker.estimators.setting_values import positive, threads_of
from stickbreaker.learning.chains import Chains
from stickbreaker.learning.run import Limits, RunState
from stickbreaker.learning.sampling import SamplingRun, SamplingState
from stickbreaker.learning.schedules import Batch
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved.checkpoints import (
    fitted_of,
    model_of,
    params_from,
    sampling_state_of,
    state_of,
)
from stickbreaker.testing.unigram_mixture import ClosedMixture

MIXTURE = Kind(
    name="Mixture",
    home="tests.estimators.toy_kind:PlainMixture",
    front_door="tests.estimators.toy_kind:Mixture",
    verbs=("evaluate",),
)
UNIGRAMS = replace(
    MIXTURE,
    name="Unigrams",
    home="tests.estimators.toy_kind:PlainUnigrams",
    front_door="tests.estimators.toy_kind:Unigrams",
)


@dataclass(eq=False, repr=False)
class PlainMixture(Estimator):
    """Components of words, one a document, in the columns of a table."""

    kind: ClassVar[str] = "Mixture"

    n_components: int = 2
    _: KW_ONLY
    max_iter: int = 4
    n_jobs: int | None = None
    random_state: int | None = None

    def _refuse_params(self, vocabulary=None, analysis=None):
        positive("n_components", self.n_components, whole=True)

    def _limits(self):
        return Limits(self.max_iter, 0.0)

    def _new_run(self, corpus, seed, held_out=0.0, folder=None):
        model = ClosedMixture(self.n_components)
        generator = np.random.default_rng(seed)
        engine = LocalEngine(threads_of(self.n_jobs), folder=folder)
        engine.start(model, generator.random((corpus.n_words, self.n_components)))
        return self._run(corpus, engine, seed, held_out), VariationalState(model.start())

    def _resume_run(self, corpus, snapshot, folder):
        manifest = snapshot.manifest
        engine = LocalEngine(threads_of(self.n_jobs), folder=folder)
        engine.restore(ClosedMixture(self.n_components), snapshot.arrays, snapshot.keys)
        seed = manifest["settings"]["random_state"]
        return self._run(corpus, engine, seed, manifest["held_out"]), state_of(snapshot)

    def _run(self, corpus, engine, seed, held_out):
        source = Source(corpus, held_out)
        return VariationalRun(engine.model, engine, Batch(), source, seed=seed, limits=self._limits())

    def _sizes(self):
        return {"components": self.component_words_.shape[1]}

    def _take_run(self, corpus, job, state):
        self._take(job.engine, state)

    def _take(self, engine, state):
        self.state_ = state
        self._take_state(state)
        self.engine_ = engine
        self.component_words_ = engine.table.counts(slice(None))

    def _score_documents(self, corpus):
        nats = tokens = 0.0
        for block in range(len(corpus.block_sizes)):
            bags = corpus.bags(block)
            words = np.bincount(bags.words, bags.counts, minlength=corpus.n_words)
            shares = self.component_words_.sum(axis=1) + 0.5
            nats += float(words @ np.log(shares / shares.sum()))
            tokens += float(words.sum())
        return nats, tokens

    def _snapshot(self, fixed):
        return model_of(self.engine_, self.state_, fixed, "done")

    def _restore(self, snapshot, folder, *, lasts):
        engine = LocalEngine(self.n_jobs, folder=folder)
        engine.restore(ClosedMixture(self.n_components), snapshot.arrays, snapshot.keys)
        self.n_features_in_ = len(self.vocabulary_)
        self._take(engine, state_of(snapshot))


class Mixture(ScikitLearn, PlainMixture):
    """The same with scikit-learn's conventions."""


class Shares(Sampler):
    """Draws of words' shares from their posterior, under a Dirichlet prior of one."""

    def __init__(self, counts, seed):
        self.counts, self.seed = counts, seed
        self.shares, self.sum, self.samples = (
            np.full(len(counts), 1.0 / len(counts)),
            np.zeros(len(counts)),
            0,
        )

    def sweep(self, number, threads):
        self.shares = stream(self.seed, "shares", number).dirichlet(self.counts + 1.0)

    def learn(self):
        pass

    def keep(self):
        self.sum, self.samples = self.sum + self.shares, self.samples + 1

    def score(self):
        return Score(float(self.counts @ np.log(self.shares)), float(self.counts.sum()), "joint")

    def fitted(self):
        return Fitted({"shares": Field(self.sum / max(self.samples, 1), ("words",))})

    def snapshot(self):
        return {"shares": self.shares, "sum": self.sum, "samples": np.array(self.samples)}

    def restore(self, arrays):
        self.shares, self.sum, self.samples = arrays["shares"], arrays["sum"], int(arrays["samples"])


@dataclass(eq=False, repr=False)
class PlainUnigrams(Estimator):
    """One distribution over words, sampled: a run without a table and without an engine."""

    kind: ClassVar[str] = "Unigrams"

    max_iter: int = 4
    _: KW_ONLY
    n_jobs: int | None = None
    random_state: int | None = None

    def _refuse_params(self, vocabulary=None, analysis=None):
        positive("max_iter", self.max_iter, whole=True)

    def _limits(self):
        return Limits(self.max_iter, 0.0)

    def _new_run(self, corpus, seed, held_out=0.0, folder=None):
        job = SamplingRun(corpus.n_documents, seed=seed, limits=self._limits())
        return job, SamplingState(Chains([Shares(_counts(corpus), seed)], 0, 1, 1))

    def _resume_run(self, corpus, snapshot, folder):
        job, state = self._new_run(corpus, snapshot.manifest["settings"]["random_state"])
        return job, sampling_state_of(snapshot, state.chains)

    def _take_run(self, corpus, job, state):
        self.params_ = state.chains.fitted().params
        self.state_ = state
        self._take_state(state)

    def _sizes(self):
        return {"words": len(self.params_["shares"].values)}

    def _score_documents(self, corpus):
        counts = _counts(corpus)
        return float(counts @ np.log(self.params_["shares"].values)), float(counts.sum())

    def _snapshot(self, fixed):
        return fitted_of(Fitted(self.params_), self.state_, fixed)

    def _restore(self, snapshot, folder, *, lasts):
        self.n_features_in_ = len(self.vocabulary_)
        self.params_ = params_from(snapshot)
        self.state_ = RunState(**snapshot.manifest["run"])
        self._take_state(self.state_)


def _counts(corpus):
    bags = [corpus.bags(block) for block in range(len(corpus.block_sizes))]
    return sum(np.bincount(each.words, each.counts, minlength=corpus.n_words) for each in bags)


class Unigrams(ScikitLearn, PlainUnigrams):
    """The same with scikit-learn's conventions."""
