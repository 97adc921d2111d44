"""Files of estimators of kinds that are not yet settings and a learner: `model_files`, by `PlainLearner`."""

# pyright: reportPrivateUsage=false

from pathlib import Path
from typing import TypeVar

from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus import Corpus
from stickbreaker.estimators import model_files
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.estimators.kinds import kind_of
from stickbreaker.estimators.model_files import corpus_of, learned_from, manifest_at_start
from stickbreaker.estimators.plain_learner import PlainLearned, PlainLearner, held_out_of

__all__ = [
    "corpus_of",
    "estimator_of",
    "held_out_of",
    "learned_from",
    "load",
    "load_as",
    "load_for",
    "manifest_at_start",
]

E = TypeVar("E", bound=Estimator)


def manifest_of(
    estimator: Estimator, seed: int, corpus: JsonObject, where: str | None = None, held_out: float = 0.0
) -> JsonObject:
    """The fields of a model's manifest that do not change during a run, as `model_files.manifest_of`."""
    learner, settings = PlainLearner(type(estimator)), estimator._params_to_save()
    return model_files.manifest_of(learner, settings, seed, corpus, where, held_out)


def estimator_of(manifest: JsonObject, threads: int | None = None) -> Estimator:
    """An unfitted plain estimator with a manifest's settings; threads: its `n_jobs`.

    Raises ValueError or UserError if settings are invalid.
    """
    learner = PlainLearner(kind_of(manifest).plain())
    return model_files.settings_in(manifest, learner, threads).estimator


def save(
    estimator: Estimator, path: Path, *, overwrite: bool = False, documents: Corpus | None = None
) -> None:
    """Save a fitted estimator, as `model_files.save`."""
    model_files.save(PlainLearned.of(estimator), path, overwrite=overwrite, documents=documents)


def load(
    path: Path, threads: int | None = None, *, verb: str | None = None, in_place: bool = False
) -> Estimator:
    """Load a saved model, or a run's last checkpoint, as a plain estimator; as `model_files.load`.

    Raises UserError for a kind that has none.
    """
    learned = model_files.load(path, threads, verb=verb, in_place=in_place)
    if not isinstance(learned, PlainLearned):
        raise UserError(f"{verb or 'this'} does not apply to a model of the kind {learned.kind}", where=path)
    return learned.estimator


def load_for(
    verb: str, made: type[E], path: Path, threads: int | None = None, *, in_place: bool = False
) -> E:
    """Load a model for a command that needs class `made`. Raises UserError for a model of another class.

    verb, threads, in_place: as in `load`.
    """
    learned = model_files.load(path, threads, verb=verb, in_place=in_place)
    estimator = learned.estimator if isinstance(learned, PlainLearned) else None
    if not isinstance(estimator, made):
        raise UserError(f"{verb} does not apply to a model of the kind {learned.kind}", where=path)
    return estimator


def load_as(kind: type[E], path: Path) -> E:
    """Load a model as an estimator of the public class `kind`. Raises UserError for another kind of model."""
    learned = model_files.load_of(PlainLearner(kind), path)
    assert isinstance(learned.estimator, kind)
    return learned.estimator
