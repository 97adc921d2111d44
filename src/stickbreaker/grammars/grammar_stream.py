"""Online learning of grammars from one minibatch of sentences per call."""

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.source import Source
from stickbreaker.engines import LocalEngine
from stickbreaker.engines.local import local_fork
from stickbreaker.estimators.corpus_facts import about, grown
from stickbreaker.estimators.learned import Facts, progress_of
from stickbreaker.estimators.model_runs import refuse_settings_for
from stickbreaker.estimators.setting_values import seed_of, threads_of
from stickbreaker.grammars.grammar_of_sticks import learned_by, model_of_grammar, start_run
from stickbreaker.grammars.learned import GrammarLearned
from stickbreaker.grammars.plan import grammar_of, has_topics, is_sampled, schedule_for
from stickbreaker.grammars.settings import GrammarSettings
from stickbreaker.grammars.training_sentences import training_sentences
from stickbreaker.learning.online_steps import learn_minibatch
from stickbreaker.learning.run import RunState
from stickbreaker.learning.schedules import Online
from stickbreaker.learning.variational import VariationalRun, VariationalState

if TYPE_CHECKING:
    from stickbreaker.estimators.learner import Learner
    from stickbreaker.grammars.model.online_grammar import OnlineGrammar


def learned_more(
    learner: "Learner[GrammarSettings, GrammarLearned]",
    settings: GrammarSettings,
    before: GrammarLearned | None,
    corpus: Corpus,
) -> GrammarLearned:
    """What is known after one online step with all sentences of a corpus, which leaves `before` as it is.

    before: what was known; if it is given, sentences with new symbols are skipped. Raises UserError if the
    settings do not allow such a step, and NothingParsed if no sentence can be parsed.
    """
    refuse_settings_for(learner, settings, corpus)
    schedule = None if is_sampled(settings) else schedule_for(settings)
    if not isinstance(schedule, Online) or has_topics(settings):
        problem = "partial_fit learns sentences online"
        raise UserError(problem, remedy='set inference="hybrid", with no other schedule, and no topics')
    if not isinstance(settings.engine, str):
        raise UserError("partial_fit does not learn on Spark", remedy='set engine="local"')
    state = None if before is None else _state_of(settings, before)
    facts = _first_facts(settings, corpus) if before is None else before.facts
    known = facts.corpus if before is None else grown(facts.corpus, about(corpus))
    earlier = None if before is None else cast("LocalEngine", before.engine)
    read_before = None if earlier is None else cast("OnlineGrammar", earlier.model).known
    model = model_of_grammar(settings, facts.vocabulary, int(facts.corpus["documents"]), read_before)
    source = Source(corpus, unit=Sequences, shard_size=model.shard_size)
    begun = before is not None
    sentences, skipped = training_sentences(settings, corpus, source, model.grammar, skip_unknown=begun)
    threads = threads_of(settings.n_jobs)
    engine = LocalEngine(threads) if earlier is None else local_fork(earlier, model, threads, copied=True)
    job = VariationalRun(model, engine, schedule, source, seed=facts.seed)
    if state is None:
        job, state = start_run(job, sentences, skipped)
    else:
        own = state.params["skipped"]
        state.params = {**state.params, "skipped": own._replace(values=own.values + skipped)}
    record = learn_minibatch(job, state, known["documents"], source.all_shards())
    progress = replace(progress_of(state), converged=False)  # a stream has no end
    more = replace(
        facts,
        settings=settings.but(random_state=facts.seed, callbacks=None, verbose=False),
        corpus=known,
        trace=[*facts.trace, record],
        progress=progress,
    )
    return learned_by(more, engine, state)


def _first_facts(settings: GrammarSettings, corpus: Corpus) -> Facts[GrammarSettings]:
    """The facts from which learning begins, before the first step."""
    return Facts(
        settings=settings.but(random_state=seed_of(settings.random_state)),
        vocabulary=corpus.vocabulary,
        analysis=corpus.analysis or Analysis(),
        corpus=about(corpus),
        trace=(),
        progress=RunState(),
    )


def _state_of(settings: GrammarSettings, before: GrammarLearned) -> VariationalState:
    """A copy of what a run knew, from which the next online step starts.

    Raises UserError if it was learned by another inference, or if the settings mean another grammar.
    """
    state = before.state
    if state is None or "tried" not in state.params:
        problem = 'the model was not learned by inference="hybrid"'
        raise UserError(problem, remedy="call fit to start again")
    grammar = grammar_of(settings, before.vocabulary, int(before.facts.corpus["documents"]))
    if grammar != before.model.grammar:
        raise UserError("the grammar has changed", remedy="call fit to start again")
    return replace(state, scores=[*state.scores])
