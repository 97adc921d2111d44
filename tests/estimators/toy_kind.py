"""A kind of models without topics: documents come from one of some unigram components."""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from stickbreaker.corpus.source import Source
from stickbreaker.engines import LocalEngine
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.estimators.kinds import Kind
from stickbreaker.estimators.scikit_learn import ScikitLearn
from stickbreaker.estimators.settings import positive, threads_of
from stickbreaker.learning.loop import Limits, Run, RunState
from stickbreaker.learning.schedules import Batch
from stickbreaker.saved.checkpoints import model_of, state_of
from stickbreaker.testing.growing import ClosedMixture

MIXTURE = Kind(
    name="Mixture",
    home="tests.estimators.toy_kind:PlainMixture",
    front_door="tests.estimators.toy_kind:Mixture",
    verbs=("evaluate",),
    measures=("score",),
)


@dataclass(eq=False, repr=False)
class PlainMixture(Estimator):
    """Components of words, one a document."""

    kind: ClassVar[str] = "Mixture"

    n_components: int = 2
    _: KW_ONLY
    max_iter: int = 4
    n_jobs: int | None = None
    random_state: int | None = None

    def refuse_params(self, vocabulary=None, analysis=None):
        positive("n_components", self.n_components, whole=True)

    def limits(self):
        return Limits(self.max_iter, 0.0)

    def new_run(self, corpus, seed, held_out=0.0, folder=None):
        model = ClosedMixture(self.n_components)
        generator = np.random.default_rng(seed)
        engine = LocalEngine(threads_of(self.n_jobs), folder=folder)
        engine.start(model, generator.random((corpus.n_words, self.n_components)))
        return self._run(corpus, engine, seed, held_out), RunState(model.start())

    def resume_run(self, corpus, snapshot, folder):
        manifest = snapshot.manifest
        engine = LocalEngine(threads_of(self.n_jobs), folder=folder)
        engine.restore(ClosedMixture(self.n_components), snapshot.arrays, snapshot.keys)
        seed = manifest["settings"]["random_state"]
        return self._run(corpus, engine, seed, manifest["held_out"]), state_of(snapshot)

    def _run(self, corpus, engine, seed, held_out):
        return Run(engine.model, engine, Batch(), Source(corpus, held_out), seed, self.limits())

    def sizes(self, job):
        return {"components": job.engine.totals().shape[1]}

    def take_run(self, job, state):
        self._take(job.engine, state)

    def _take(self, engine, state):
        self.take_state(state)
        self.engine_ = engine
        self.component_words_ = engine.rows().values

    def score_documents(self, corpus):
        nats = tokens = 0.0
        for block in range(len(corpus.block_sizes)):
            bags = corpus.bags(block)
            words = np.bincount(bags.words, bags.counts, minlength=corpus.n_words)
            shares = self.component_words_.sum(axis=1) + 0.5
            nats += float(words @ np.log(shares / shares.sum()))
            tokens += float(words.sum())
        return nats, tokens

    def snapshot(self, fixed):
        return model_of(self.engine_, self.state_, fixed, "done")

    def restore(self, snapshot, folder, *, lasts):
        engine = LocalEngine(self.n_jobs, folder=folder)
        engine.restore(ClosedMixture(self.n_components), snapshot.arrays, snapshot.keys)
        self.n_features_in_ = len(self.vocabulary_)
        self._take(engine, state_of(snapshot))


class Mixture(ScikitLearn, PlainMixture):
    """The same with scikit-learn's conventions."""
