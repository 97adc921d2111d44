"""Learning by estimators of kinds that have no learner yet: `model_runs`, through `PlainLearner`."""

# pyright: reportPrivateUsage=false

from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.estimators import model_runs
from stickbreaker.estimators.corpus_facts import about, counted_vocabulary
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.estimators.model_runs import unsettled
from stickbreaker.estimators.plain_learner import PlainLearned, PlainLearner, PlainSettings
from stickbreaker.estimators.setting_values import params_as_text
from stickbreaker.learning.observers import Trace
from stickbreaker.learning.run import Run, RunState
from stickbreaker.saved import ModelDirectory

if TYPE_CHECKING:
    pass

__all__ = ["begin", "finish", "fit", "resume", "unsettled"]


def fit(estimator: Estimator, corpus: Corpus) -> RunState:
    """Make `n_init` complete runs, and store in the estimator the one with the best final score.

    Returns that run's progress. Raises UserError for wrong parameters or a corpus without words.
    """
    learned = model_runs.learn(PlainLearner(type(estimator)), PlainSettings.of(estimator), corpus)
    return learned.facts.progress


def finish(estimator: Estimator, corpus: Corpus, job: Run, state: RunState, trace: Trace) -> None:
    """Store the results of a run in the estimator, as its fitted attributes."""
    estimator.vocabulary_ = counted_vocabulary(corpus)
    estimator.analysis_ = corpus.analysis or Analysis()
    estimator.corpus_ = about(corpus)
    estimator._learned_with = params_as_text(estimator)
    estimator.trace_ = trace.records
    estimator.updates_, estimator._origin = [], None  # they belonged to what was learned before
    estimator._take_run(corpus, job, state)


def begin(estimator: Estimator, corpus: Corpus, path: Path, **options: Any) -> ModelDirectory:
    """Make the directory of a model, with a run before its first step; options as in `model_runs.begin`."""
    return model_runs.begin(
        PlainLearner(type(estimator)), PlainSettings.of(estimator), corpus, path, **options
    )


def resume(model: Path | ModelDirectory, **options: Any) -> tuple[Estimator, Run, RunState] | None:
    """Continue the run in a model's directory to its end, as `model_runs.resume`, for a plain estimator."""
    done = model_runs.resume(model, **options)
    if done is None:
        return None
    learned, job, state = done
    assert isinstance(learned, PlainLearned)
    return learned.estimator, job, state
