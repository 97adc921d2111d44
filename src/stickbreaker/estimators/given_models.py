"""Models in the forms that users have: fitted estimators, what these learned, and paths of saved ones."""

from pathlib import Path
from typing import Any, cast

from stickbreaker.core.errors import UserError
from stickbreaker.estimators.kinds import Kind, Saved, kind_at, kinds, markers, object_at, systems
from stickbreaker.estimators.learned import AnyLearned, Learned, as_read_now
from stickbreaker.estimators.model_files import load
from stickbreaker.saved.packed_models import directory_of

FORMS = "give a fitted estimator, what it has learned, or the path of a saved model"


def learned_in(model: object, n_jobs: int | None = None) -> AnyLearned | None:
    """What an estimator, or a result of learning, has learned; None for anything else.

    n_jobs: threads to read documents with; None: those of the estimator. Raises UserError for an estimator
    that is not fitted.
    """
    if isinstance(model, Learned):
        learned = cast("AnyLearned", model)
    elif hasattr(model, "__sklearn_is_fitted__") and hasattr(type(model), "learned_"):
        front: Any = model
        _refuse_unfitted(front, front.__sklearn_is_fitted__())
        learned = as_read_now(front.learned_, front)
    else:
        return None
    if n_jobs is None:
        return learned
    return learned.but(settings=learned.facts.settings.but(n_jobs=n_jobs))


def _refuse_unfitted(model: object, fitted: object) -> None:
    if not fitted:
        raise UserError(f"this {type(model).__name__} has not learned anything", remedy="call fit first")


def model_for(verb: str, model: object, n_jobs: int | None = None) -> tuple[Saved, Any]:
    """The kind of a model in any form, and what its functions take: what was learned, or a system's object.

    n_jobs: as in `learned_in`. Raises UserError for a model to which the verb does not apply, and for what is
    not a model.
    """
    if isinstance(model, str | Path):
        return loaded_for(verb, Path(model), n_jobs)
    learned = learned_in(model, n_jobs)
    found: Saved | None = None
    if learned is not None:
        found = kinds().get(learned.kind)
    else:
        places = {f"{one.__module__}:{one.__qualname__}" for one in type(model).__mro__}
        found = next((system for system in systems() if places & set(system.classes)), None)
    if found is None:
        problem = f"an object of the class {type(model).__name__} was given instead of a model"
        raise UserError(problem, remedy=FORMS)
    found.refuse(verb)
    return found, model if learned is None else learned


def loaded_for(verb: str, path: Path, n_jobs: int | None = None) -> tuple[Saved, Any]:
    """The kind of what is saved at a path, and what its functions take; as `model_for`."""
    path = directory_of(path, markers())
    saved = kind_at(path, verb)
    if isinstance(saved, Kind):
        return saved, load(path, n_jobs, verb=verb)
    assert saved.load is not None, "a system with verbs can be loaded"
    return saved, object_at(saved.load)(path)


def loaded_model(model: object) -> AnyLearned:
    """What a model in any form has learned; it is loaded if a path was given. Raises UserError for others."""
    learned = load(Path(model)) if isinstance(model, str | Path) else learned_in(model)
    if learned is None:
        problem = f"an object of the class {type(model).__name__} was given instead of a model"
        raise UserError(problem, remedy=FORMS)
    return learned


def name_of(model: object) -> str:
    """What results call a model: its path if that was given, otherwise its kind."""
    if isinstance(model, str | Path):
        return str(model)
    kind = model.kind if isinstance(model, Learned) else type(model).__name__
    return str(kind)
