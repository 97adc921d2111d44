"""Two kinds of models without topics: one with a table that an engine owns, and a sampler without."""

from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar

import numpy as np

from stickbreaker.contracts.contract import Fitted, Sampler, Score
from stickbreaker.core.parameter_fields import parameter
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Field, Record
from stickbreaker.corpus.source import Source
from stickbreaker.engines import LocalEngine
from stickbreaker.estimators.front import Front
from stickbreaker.estimators.kinds import Kind
from stickbreaker.estimators.learned import Learned
from stickbreaker.estimators.learner import Learner
from stickbreaker.estimators.run_settings import RunSettings
from stickbreaker.estimators.setting_values import threads_of
from stickbreaker.learning.chains import Chains
from stickbreaker.learning.run import Limits
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
    learner="tests.estimators.toy_kind:MIXTURES",
    front_door="tests.estimators.toy_kind:Mixture",
    declared="tests.estimators.toy_kind:MixtureSettings",
    verbs=("evaluate",),
)
UNIGRAMS = replace(
    MIXTURE,
    name="Unigrams",
    learner="tests.estimators.toy_kind:UNIGRAM_MODELS",
    front_door="tests.estimators.toy_kind:Unigrams",
    declared="tests.estimators.toy_kind:UnigramSettings",
)


@dataclass(frozen=True, eq=False, repr=False)
class MixtureSettings(RunSettings):
    """The settings of a mixture."""

    kind: ClassVar[str] = "Mixture"

    n_components: int = parameter(2, "Components.", least=1)
    _: KW_ONLY
    max_iter: int = parameter(4, "Passes.", least=1)


@dataclass(frozen=True, eq=False, repr=False)
class MixtureLearned(Learned[MixtureSettings]):
    """Components of words, one a document, in the columns of a table."""

    engine: LocalEngine
    state: VariationalState

    @property
    def component_words(self):
        return self.engine.table.counts(slice(None))

    def sizes(self):
        return {"components": self.component_words.shape[1]}

    def log_probability(self, corpus):
        nats = tokens = 0.0
        for block in range(len(corpus.block_sizes)):
            bags = corpus.bags(block)
            words = np.bincount(bags.words, bags.counts, minlength=corpus.n_words)
            shares = self.component_words.sum(axis=1) + 0.5
            nats += float(words @ np.log(shares / shares.sum()))
            tokens += float(words.sum())
        return nats, tokens

    def snapshot(self, fixed):
        return model_of(self.engine, self.state, fixed, "done")


class MixtureLearner(Learner[MixtureSettings, MixtureLearned]):
    """How a mixture is learned: by variational steps, with a table."""

    def check(self, settings, vocabulary=None, analysis=None):
        pass

    def limits(self, settings):
        return Limits(settings.max_iter, 0.0)

    def new_run(self, settings, corpus, seed, held_out=0.0, folder=None):
        model = ClosedMixture(settings.n_components)
        generator = np.random.default_rng(seed)
        engine = LocalEngine(threads_of(settings.n_jobs), folder=folder)
        engine.start(model, generator.random((corpus.n_words, settings.n_components)))
        return self.run_of(settings, corpus, engine, seed, held_out), VariationalState(model.start())

    def resume_run(self, settings, corpus, snapshot, folder):
        manifest = snapshot.manifest
        engine = self.engine_of(settings, snapshot, folder)
        seed = manifest["settings"]["random_state"]
        return self.run_of(settings, corpus, engine, seed, manifest["held_out"]), state_of(snapshot)

    def run_of(self, settings, corpus, engine, seed, held_out):
        source, limits = Source(corpus, held_out), self.limits(settings)
        return VariationalRun(engine.model, engine, Batch(), source, seed=seed, limits=limits)

    def engine_of(self, settings, snapshot, folder):
        engine = LocalEngine(threads_of(settings.n_jobs), folder=folder)
        engine.restore(ClosedMixture(settings.n_components), snapshot.arrays, snapshot.keys)
        return engine

    def learned(self, facts, corpus, job, state):
        return MixtureLearned(facts, job.engine, state)

    def restored(self, facts, snapshot, folder, *, lasts):
        return MixtureLearned(facts, self.engine_of(facts.settings, snapshot, folder), state_of(snapshot))


class Mixture(Front, settings=MixtureSettings):
    """Components of words, one a document."""


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


@dataclass(frozen=True, eq=False, repr=False)
class UnigramSettings(RunSettings):
    """The settings of one distribution over words."""

    kind: ClassVar[str] = "Unigrams"

    max_iter: int = parameter(4, "Sweeps.", least=1)


@dataclass(frozen=True, eq=False, repr=False)
class UnigramsLearned(Learned[UnigramSettings]):
    """One distribution over words."""

    params: Record

    def sizes(self):
        return {"words": len(self.params["shares"].values)}

    def log_probability(self, corpus):
        counts = _counts(corpus)
        return float(counts @ np.log(self.params["shares"].values)), float(counts.sum())

    def snapshot(self, fixed):
        return fitted_of(Fitted(self.params), self.facts.progress, fixed)


class UnigramLearner(Learner[UnigramSettings, UnigramsLearned]):
    """How it is learned: by a sampler, without a table and without an engine."""

    def check(self, settings, vocabulary=None, analysis=None):
        pass

    def limits(self, settings):
        return Limits(settings.max_iter, 0.0)

    def new_run(self, settings, corpus, seed, held_out=0.0, folder=None):
        job = SamplingRun(corpus.n_documents, seed=seed, limits=self.limits(settings))
        return job, SamplingState(Chains([Shares(_counts(corpus), seed)], 0, 1, 1))

    def resume_run(self, settings, corpus, snapshot, folder):
        job, state = self.new_run(settings, corpus, snapshot.manifest["settings"]["random_state"])
        return job, sampling_state_of(snapshot, state.chains)

    def learned(self, facts, corpus, job, state):
        return UnigramsLearned(facts, state.chains.fitted().params)

    def restored(self, facts, snapshot, folder, *, lasts):
        return UnigramsLearned(facts, params_from(snapshot))


class Unigrams(Front, settings=UnigramSettings):
    """One distribution over words, sampled."""


def _counts(corpus):
    bags = [corpus.bags(block) for block in range(len(corpus.block_sizes))]
    return sum(np.bincount(each.words, each.counts, minlength=corpus.n_words) for each in bags)


MIXTURES, UNIGRAM_MODELS = MixtureLearner(MixtureSettings), UnigramLearner(UnigramSettings)
