"""Topic n-gram language models without scikit-learn: their runs, what these leave, to files and back."""

from functools import partial
from pathlib import Path
from typing import Any

from stickbreaker.contracts.contract import Fitted
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.source import Source
from stickbreaker.estimators.saving import corpus_of
from stickbreaker.learning.chains import Chains
from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.sampling import SamplingRun, SamplingState
from stickbreaker.ngrams.model.topic_chain import TopicEvents
from stickbreaker.ngrams.model.topic_documents import (
    log_probabilities,
    marked,
    mean_of,
)
from stickbreaker.ngrams.model.topic_priors import CHAINS
from stickbreaker.ngrams.model.topic_samples import CELLS
from stickbreaker.ngrams.report_documents import TopicLens, write_topic_documents
from stickbreaker.ngrams.topic_ngram_estimator import TopicNgramEstimator
from stickbreaker.ngrams.word_numbers import Base
from stickbreaker.saved import Snapshot
from stickbreaker.saved.checkpoints import fitted_of, params_from, run_state_of, sampling_state_of

WHOLE = ("restaurant_keys", "slot_keys", "cells", *CELLS)  # params that are whole numbers


class PlainTopicNgramModel(TopicNgramEstimator):
    __doc__ = TopicNgramEstimator.__doc__

    def new_run(
        self, corpus: Corpus, seed: int, held_out: float = 0.0, folder: Path | None = None
    ) -> tuple[Run[Any], RunState]:
        source = self.source_of(corpus, held_out)
        text = self.text_events(corpus, source)
        events = TopicEvents(text.events, text.deepest, text.documents, text.n_documents)
        made = CHAINS[self.prior]
        chain = made(events, self.n_topics, seed, text.base.to_fields(), moves=self.moves)
        burn_in = self.max_iter // 2
        every = max(1, (self.max_iter - burn_in) // self.samples)
        evaluate = None
        if held_out:
            evaluate = partial(self._held_out_score, source=source, base=text.base, seed=seed)
        job = SamplingRun(
            source.n_documents, evaluate, seed=seed, limits=self.limits(), scores=self.score_names
        )
        return job, SamplingState(Chains([chain], burn_in, every, 1))

    def resume_run(self, corpus: Corpus, snapshot: Snapshot, folder: Path) -> tuple[Run[Any], RunState]:
        manifest = snapshot.manifest
        seed = manifest["settings"]["random_state"]
        job, state = self.new_run(corpus, seed, manifest["held_out"], folder)
        assert isinstance(state, SamplingState)
        resumed = sampling_state_of(snapshot, state.chains)
        self.model_of(resumed.chains.fitted().params, self.numbers_of(corpus.vocabulary).n_words)
        return job, resumed

    def _held_out_score(self, fitted: Fitted, source: Source, base: Base, seed: int) -> float:
        """The log probability of the held-out documents, in nats a word (ends of sentences are words)."""
        model, nats, events = self.model_of(fitted.params, base.numbers.n_words), 0.0, 0
        for block in range(source.n_blocks):
            content = source.block(block, held_out=True)[1]
            words = base.numbers.numbered(content.words)
            documents = marked(words, content.starts, content.offsets, model.end, base.log_p)
            found = mean_of(log_probabilities(model, documents, seed))
            nats, events = nats + float(found.sum()), events + len(found)
        return nats / events

    # From a run to what was learned

    def take_run(self, corpus: Corpus, job: Run[Any], state: RunState) -> None:
        assert isinstance(state, SamplingState)
        self.take_learned(state.chains.fitted().params, state)

    def finish_run(
        self, corpus: Corpus, job: Run[Any], state: RunState, fixed: dict[str, Any], folder: Path
    ) -> Snapshot:
        self.take_run(corpus, job, state)
        lens = TopicLens(self.topic_model_, self.base_, self.seed_)
        write_topic_documents(lens, corpus, folder, fixed["held_out"], learned_from=True)
        return self.snapshot(fixed)

    def write_report_documents(self, corpus: Corpus, folder: Path) -> None:
        lens = TopicLens(self.topic_model_, self.base_, self.seed_)
        learned_from = corpus.fingerprint == self.corpus_["fingerprint"]
        write_topic_documents(lens, corpus, folder, 0.0, learned_from=learned_from)

    # To files and back

    def snapshot(self, fixed: dict[str, Any]) -> Snapshot:
        return fitted_of(Fitted(self.params_), self.state_, fixed)

    def restore(self, snapshot: Snapshot, folder: Path, *, lasts: bool) -> None:
        self.refuse_params(self.vocabulary_)
        if snapshot.manifest["status"] == "running":
            _, state = self.resume_run(corpus_of(folder, snapshot.manifest), snapshot, folder)
            assert isinstance(state, SamplingState)
            self.take_learned(state.chains.fitted().params, state)
            return
        self.take_learned(params_from(snapshot, WHOLE), run_state_of(snapshot))
