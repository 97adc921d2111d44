"""From an estimator's parameters to a model, and to JSON and back."""

import functools
import inspect
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import Field, fields
from difflib import get_close_matches
from typing import Any

import numpy as np

from stickbreaker.core.errors import UserError, is_whole, shown
from stickbreaker.core.records import Array
from stickbreaker.engines.local import usable_cores
from stickbreaker.learning.schedules import Batch, Memoised, Online, Schedule
from stickbreaker.topics.combinations import INFERENCE
from stickbreaker.topics.model import (
    ConceptTree,
    Gibbs,
    Hybrid,
    Inference,
    OpenVocabulary,
    Spelling,
)
from stickbreaker.topics.model.moves.split_merge_settings import SplitMerge
from stickbreaker.topics.seed_words import Guide

MOST_TOPICS = 1_000_000  # a document's shares and a prior have a number for each
MOST_THREADS = 1_024
ELSEWHERE = {  # in scikit-learn, gensim, tomotopy and MALLET: here
    "n_components": "n_topics",
    "num_topics": "n_topics",
    "k": "n_topics",
    "iterations": "max_iter",
    "n_iter": "max_iter",
    "num_iterations": "max_iter",
    "passes": "max_iter",
    "seed": "random_state",
    "random_seed": "random_state",
    "doc_topic_prior": "alpha",
    "topic_word_prior": "eta",
    "beta": "eta",
    "gamma_threshold": "doc_tol",
    "mean_change_tol": "doc_tol",
    "max_doc_update_iter": "doc_max_iter",
    "perp_tol": "tol",
    "workers": "n_jobs",
    "n_workers": "n_jobs",
    "num_workers": "n_jobs",
    "threads": "n_jobs",
    "num_threads": "n_jobs",
    "learning_method": "schedule",
    "batch_size": "schedule=Online(batch_size=…)",
    "chunksize": "schedule=Online(batch_size=…)",
    "decay": "schedule=Online(kappa=…)",
    "learning_decay": "schedule=Online(kappa=…)",
    "offset": "schedule=Online(tau0=…)",
    "learning_offset": "schedule=Online(tau0=…)",
    "total_samples": "schedule=Online(total=…)",
}


def schedule_of(value: object, kappa: float, tau0: float) -> Schedule:
    """A schedule from "batch", "online", "memoised" or a schedule, with a model's defaults of the online one.

    Raises UserError for anything else.
    """
    if value == "batch" or isinstance(value, Batch):
        return Batch()
    if value == "memoised":
        return Memoised()
    if isinstance(value, Memoised):
        return value
    if value == "online":
        return Online(kappa=kappa, tau0=tau0)
    if isinstance(value, Online):
        return value.with_defaults(kappa, tau0)
    raise UserError(
        f"there is no schedule {value!r}", remedy='use "batch", "memoised", "online" or Online(...)'
    )


SCHEDULES: dict[type[Schedule], str] = {Batch: "batch", Memoised: "memoised", Online: "online"}


def inference_of(value: object) -> Inference:
    """A way of inference from its name, or as it is. Raises UserError for anything else."""
    if isinstance(value, str) and value in INFERENCE:
        return INFERENCE[value]
    if isinstance(value, Inference):
        return value
    alternatives = ", ".join(repr(name) for name in INFERENCE)
    raise UserError(f"inference={value!r}", remedy=f"inference is {alternatives}, Hybrid(...) or Gibbs(...)")


def concentration(
    name: str, value: object, shapes: Mapping[str, tuple[int, ...]], start: float
) -> tuple[float | Array, bool]:
    """A prior's parameter, and whether it is learned: a number, an array of one of `shapes`, "learned".

    alpha may be "learned-symmetric" too.
    """
    if isinstance(value, str):
        if value != "learned" and (name, value) != ("alpha", "learned-symmetric"):
            kinds = '"learned" or "learned-symmetric"' if name == "alpha" else '"learned"'
            raise UserError(f"{name}={value!r}", remedy=f"{name} is a number, an array or {kinds}")
        return start, True
    try:
        array = np.asarray(value, np.float64)
        if np.asarray(value).dtype == np.bool_:
            raise ValueError
    except (TypeError, ValueError):
        raise UserError(f"{name}={value!r}", remedy=f'{name} is a number, an array or "learned"') from None
    if array.ndim and array.shape not in shapes.values():
        wanted = " or ".join(f"{axes} {shape}" for axes, shape in shapes.items())
        raise UserError(f"{name} has the shape {array.shape}", remedy=f"give a number, or {wanted}")
    if not (np.isfinite(array).all() and (array > 0).all() and (array <= 1e6).all()):
        raise UserError(f"{name} has values that are not positive", remedy="every value lies in (0, 1e6]")
    return (array.copy() if array.ndim else float(array)), False


def words_of(value: object) -> tuple[str, OpenVocabulary | ConceptTree | None]:
    """The name of the words slot and its settings, from either. Raises UserError for anything else."""
    if isinstance(value, OpenVocabulary):
        return "open", value
    if isinstance(value, ConceptTree):
        return "concepts", value
    if value == "open":
        return "open", OpenVocabulary()
    if value == "closed":
        return "closed", None
    remedy = 'words is "closed", "open", OpenVocabulary(...) or ConceptTree(...)'
    raise UserError(f"words={shown(str(value))}", remedy=remedy)


def engine_name(value: object) -> str:
    """The name of an engine: "local", or "spark" of a SparkEngine. Raises UserError for anything else."""
    if isinstance(value, str) and value in ("local", "spark"):
        return value
    from stickbreaker.engines.spark import SparkEngine

    if isinstance(value, SparkEngine):
        return "spark"
    raise UserError(f"engine={value!r}", remedy='engine is "local" or SparkEngine(session)')


def guide_of(value: object) -> Guide | None:
    """A guide from one, a mapping of topics to words, or None. Raises UserError for anything else."""
    if value is None or isinstance(value, Guide):
        return value
    if isinstance(value, Mapping):
        return Guide(value)
    raise UserError(f"guide={str(value)[:40]!r}", remedy='guide is {"topic": ["word"]}, or Guide.read(path)')


def positive(name: str, value: Any, *, whole: bool = False, zero: bool = False) -> None:
    """Raise UserError unless a parameter is a finite number above zero (`zero`: or zero)."""
    if whole:
        right = is_whole(value, 0 if zero else 1) and value < 1 << 31
    else:
        number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        right = number and np.isfinite(value) and (value > 0 or (value == 0 and zero))
    if not right:
        kind = "a whole number" if whole else "a number"
        raise UserError(
            f"{name}={value!r}", remedy=f"{name} is {kind} {'of at least' if zero else 'above'} 0"
        )


def threads_of(n_jobs: int | None) -> int | None:
    """Threads from scikit-learn's `n_jobs`: -1 is every core, -2 all but one; None is every core too."""
    if n_jobs is None or n_jobs > 0:
        return None if n_jobs is None else min(n_jobs, MOST_THREADS)  # the result does not depend on it
    return max(1, usable_cores() + 1 + n_jobs)


def memory_of_machine() -> float:
    """Bytes of memory that this machine has; infinite if it does not say."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return float("inf")


def seed_of(random_state: object) -> int:
    """A whole number from what scikit-learn calls a random state; None draws one from the system."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return int(random_state)
    raise UserError(f"random_state={random_state!r}", remedy="give a whole number or None")


def params_of(estimator: object) -> dict[str, Any]:
    """An estimator's parameters: the arguments of its `__init__`, which keeps them under their names."""
    return {name: getattr(estimator, name) for name in inspect.signature(type(estimator)).parameters}


def to_json(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as plain JSON values; callbacks are left out, since they are code."""
    plain = {name: value for name, value in params.items() if name != "callbacks"}
    if "engine" in plain:
        plain["engine"] = engine_name(plain["engine"])
    if "guide" in plain:
        plain["guide"] = guide_of(plain["guide"])
    if hasattr(plain.get("grammar"), "to_text"):
        plain["grammar"] = plain["grammar"].to_text()
    return {
        name: {"mapping": dict(value)} if isinstance(value, Mapping) else _plain(value)
        for name, value in plain.items()
    }


def from_json(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters from what `to_json` made."""
    return {name: _rich(value) for name, value in params.items()}


VALUES = {
    "online": Online,
    "memoised": Memoised,
    "split-merge": SplitMerge,
    "hybrid": Hybrid,
    "gibbs": Gibbs,
    "guide": Guide,
    "open": OpenVocabulary,
    "concepts": ConceptTree,
    "spelling": Spelling,
}  # parameters that are values, by name in JSON


def _plain(value: Any) -> Any:
    for name, kind in VALUES.items():
        if isinstance(value, kind):
            found = {each.name: getattr(value, each.name) for each in fields(value) if _is_saved(each, value)}
            return {name: {key: _plain(own) for key, own in found.items()}}
    if isinstance(value, tuple):
        return list(map(_plain, value))
    if isinstance(value, Batch):
        return "batch"
    if isinstance(value, np.ndarray):
        return {"array": value.tolist()}
    return value.item() if isinstance(value, np.generic) else value


def _is_saved(item: Field[Any], value: Any) -> bool:
    """Whether a field of a value is written: some are only where they are given."""
    return "saved" not in item.metadata or getattr(value, item.name) is not None


def _rich(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    ((name, held),) = value.items()
    if name == "mapping":
        return dict(held)
    if name == "array":
        array = np.array(held)
        if array.dtype.kind not in "fi":
            raise ValueError("an array that holds no numbers")
        return array
    return VALUES[name](**{parameter: _rich(setting) for parameter, setting in held.items()})


def checked(init: Callable[..., None]) -> Callable[..., None]:
    """An `__init__` with the same signature, that says what a parameter which it lacks is called here.

    It raises TypeError, as Python does, and names the class that was called.
    """
    taken = inspect.signature(init).parameters
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in taken.values()):
        return init

    @functools.wraps(init)
    def made(self: object, *args: Any, **params: Any) -> None:
        for name in params:
            if name not in taken:
                raise TypeError(unknown_parameter(type(self).__name__, name, list(taken)[1:]))
        init(self, *args, **params)

    return made


def unknown_parameter(kind: str, name: str, known: Collection[str]) -> str:
    """What is said of a parameter that a kind of estimator does not have.

    >>> unknown_parameter("LDA", "n_components", ["n_topics", "alpha"])
    "LDA has no parameter 'n_components'; here it is n_topics"
    """
    here = ELSEWHERE.get(name, "")
    alike = get_close_matches(name, list(known), 1)
    if here.partition("=")[0] in known:
        return f"{kind} has no parameter {name!r}; here it is {here}"
    if alike:
        return f"{kind} has no parameter {name!r}; did you mean {alike[0]}?"
    return f"{kind} has no parameter {name!r}; it has {', '.join(known)}"
