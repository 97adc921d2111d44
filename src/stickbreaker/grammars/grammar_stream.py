"""`partial_fit` of grammars: online learning from one minibatch of sentences per call."""

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.source import Source
from stickbreaker.engines import LocalEngine
from stickbreaker.engines.local import local_fork
from stickbreaker.estimators.corpus_facts import about, grown
from stickbreaker.estimators.estimator import refuse_to_begin
from stickbreaker.estimators.setting_values import params_as_text, seed_of, threads_of
from stickbreaker.grammars.grammar_of_sticks import model_of_grammar, start_run
from stickbreaker.grammars.training_sentences import NothingParsed, training_sentences
from stickbreaker.learning.online_steps import learn_minibatch
from stickbreaker.learning.schedules import Online
from stickbreaker.learning.variational import VariationalRun, VariationalState

if TYPE_CHECKING:
    from stickbreaker.grammars.model.online_grammar import OnlineGrammar
    from stickbreaker.grammars.plain_grammar import PlainAdaptorGrammar


def partial_fit(estimator: "PlainAdaptorGrammar", corpus: Corpus, *, begun: bool) -> None:
    """Make one online step with all sentences of a corpus, and update the estimator's fitted attributes.

    `begun`: whether the estimator has learned before; if so, sentences with new symbols are skipped. Raises
    UserError if the parameters do not allow partial_fit, or if no sentence can be parsed; in the latter case
    with unparsed="skip" it only warns, and nothing changes.
    """
    refuse_to_begin(estimator, corpus)
    schedule = None if estimator._sampled else estimator._learning_schedule()
    if not isinstance(schedule, Online) or estimator._of_topics:
        problem = "partial_fit learns sentences online"
        raise UserError(problem, remedy='set inference="hybrid", with no other schedule, and no topics')
    if not isinstance(estimator.engine, str):
        raise UserError("partial_fit does not learn on Spark", remedy='set engine="local"')
    state = _state_of(estimator) if begun else None  # a copy: a step that fails leaves the model unchanged
    seed = estimator.seed_ if begun else seed_of(estimator.random_state)
    vocabulary = estimator.vocabulary_ if begun else corpus.vocabulary
    documents = int(estimator.corpus_["documents"]) if begun else corpus.n_documents
    read_before = cast("OnlineGrammar", estimator.engine_.model).known if begun else None
    model = model_of_grammar(estimator, vocabulary, documents, read_before)
    source = Source(corpus, unit=Sequences, shard_size=model.shard_size)
    try:
        sentences, skipped = training_sentences(estimator, corpus, source, model.grammar, skip_unknown=begun)
    except NothingParsed as nothing:
        if estimator.unparsed != "skip":
            raise
        warnings.warn(f"{nothing.problem}: nothing was learned from them", UserWarning, stacklevel=3)
        return
    threads = threads_of(estimator.n_jobs)
    engine = local_fork(estimator.engine_, model, threads, copied=True) if begun else LocalEngine(threads)
    job = VariationalRun(model, engine, schedule, source, seed=seed)
    if state is None:
        job, state = start_run(job, sentences, skipped)
    else:
        before = state.params["skipped"]
        state.params = {**state.params, "skipped": before._replace(values=before.values + skipped)}
    known = grown(estimator.corpus_, about(corpus)) if begun else about(corpus)
    record = learn_minibatch(job, state, known["documents"], source.all_shards())
    if not begun:
        estimator.seed_ = seed
        estimator.vocabulary_, estimator.analysis_ = vocabulary, corpus.analysis or Analysis()
    estimator.corpus_ = known
    estimator._learned_with = params_as_text(estimator)
    estimator.trace_ = [*(estimator.trace_ if begun else []), record]
    estimator._take_sticks(engine, state)
    estimator.converged_ = False  # a stream has no end


def _state_of(estimator: "PlainAdaptorGrammar") -> VariationalState:
    """A copy of a model's state, from which the next online step starts.

    Raises UserError if the model was learned by another inference, or if its grammar has changed.
    """
    state = estimator.state_
    if not isinstance(state, VariationalState) or "tried" not in state.params:
        problem = 'the model was not learned by inference="hybrid"'
        raise UserError(problem, remedy="call fit to start again")
    grammar = estimator._grammar_of(estimator.vocabulary_, int(estimator.corpus_["documents"]))
    if grammar != estimator.grammar_:
        raise UserError("the grammar has changed", remedy="call fit to start again")
    return replace(state, scores=[*state.scores])
