"""Checks parameters that several kinds of estimators have, and converts parameters to JSON and back."""

import inspect
import os
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, cast

import numpy as np

from stickbreaker.core.errors import UserError, is_whole
from stickbreaker.core.json_checks import Classes, JsonObject, is_mapping
from stickbreaker.core.parameter_fields import declared, refuse_values
from stickbreaker.core.records import python_scalar
from stickbreaker.engines import Cluster
from stickbreaker.engines.local import usable_cores
from stickbreaker.learning.schedules import Batch, Memoised, Online, Schedule

MOST_THREADS = 1_024


def schedule_of(value: object, kappa: float, tau0: float) -> Schedule:
    """The schedule that a parameter means: by name ("batch", "online", "memoised") or a schedule itself.

    kappa, tau0: the model's defaults for an online one. Raises UserError for anything else.
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


_WHOLE: Classes = (int, np.integer)
_NUMBERS: Classes = (*_WHOLE, float, np.floating)
SCHEDULES: dict[type[Schedule], str] = {Batch: "batch", Memoised: "memoised", Online: "online"}


def engine_name(value: object) -> str:
    """The name of an engine: "local", or "spark" for a SparkEngine. Raises UserError for anything else."""
    if isinstance(value, str) and value in ("local", "spark"):
        return value
    if isinstance(value, Cluster):
        return value.name
    raise UserError(f"engine={value!r}", remedy='engine is "local" or SparkEngine(session)')


def positive(name: str, value: Any, *, whole: bool = False) -> None:
    """Raise UserError unless the value of parameter `name` is a finite number above 0.

    With `whole`, unless it is a whole number from 1 to 2^31 - 1.
    """
    if whole:
        right = is_whole(value, 1) and value < 1 << 31
    else:
        number = isinstance(value, _NUMBERS) and not isinstance(value, bool)
        right = number and np.isfinite(value) and value > 0
    if not right:
        kind = "a whole number" if whole else "a number"
        raise UserError(f"{name}={value!r}", remedy=f"{name} is {kind} above 0")


def refuse_parameters(estimator: Any) -> None:
    """Raise UserError for the first parameter of an estimator that has a value that is not allowed."""
    refuse_values(estimator)
    if estimator.n_jobs == 0:
        raise UserError("n_jobs=0", remedy="n_jobs is a whole number above 0, -1 or None")


def threads_of(n_jobs: int | None) -> int | None:
    """The number of threads for scikit-learn's `n_jobs`: -1 is every core, -2 all but one, and so on.

    None, for every core, stays None. At most `MOST_THREADS`.
    """
    if n_jobs is None or n_jobs > 0:
        return None if n_jobs is None else min(n_jobs, MOST_THREADS)  # the result does not depend on it
    return max(1, usable_cores() + 1 + n_jobs)


def threads_for(n_jobs: int | None) -> int:
    """The number of threads that `n_jobs` means on this machine."""
    return threads_of(n_jobs) or usable_cores()


def memory_of_machine() -> float:
    """The memory of this machine, in bytes; infinite if unknown."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return float("inf")


def seed_of(random_state: Any) -> int:
    """A whole number to seed a run with, from the parameter `random_state`; None draws one from the system.

    A generator of NumPy is asked for a number, which advances it. Raises UserError for other values.
    """
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if isinstance(random_state, _WHOLE) and not isinstance(random_state, bool):
        return int(random_state)
    raise UserError(f"random_state={random_state!r}", remedy="give a whole number or None")


def params_of(estimator: object) -> JsonObject:
    """An estimator's parameters by name: the arguments of its `__init__`, read from its attributes."""
    return {name: getattr(estimator, name) for name in inspect.signature(type(estimator)).parameters}


def params_as_text(estimator: object) -> dict[str, str]:
    """An estimator's parameters that decide what it learns, each as text, to see later which were changed."""
    without = ("callbacks", "verbose", "n_jobs", "engine")
    return {name: repr(value) for name, value in params_of(estimator).items() if name not in without}


SettingTypes = Mapping[str, type[Any]]
SCHEDULE_TYPES: SettingTypes = {"online": Online, "memoised": Memoised}


def to_json(params: Mapping[str, object], types: SettingTypes = SCHEDULE_TYPES) -> JsonObject:
    """Parameters as JSON values, without callbacks and `verbose`; an engine becomes its name.

    types: the dataclasses that may be parameters, by their names in JSON.
    """
    plain = {name: value for name, value in params.items() if name not in ("callbacks", "verbose")}
    if "engine" in plain:
        plain["engine"] = engine_name(plain["engine"])
    return {
        name: {"mapping": dict(value)} if is_mapping(value) else _plain(value, types)
        for name, value in plain.items()
    }


def from_json(params: Mapping[str, object], types: SettingTypes = SCHEDULE_TYPES) -> JsonObject:
    """Make parameters again from the values that `to_json` returned, given the same `types`."""
    return {name: _rich(value, types) for name, value in params.items()}


def _plain(value: Any, types: SettingTypes) -> Any:
    for name, kind in types.items():
        if isinstance(value, kind):
            given_only = {one.name for one in declared(value.__class__).values() if not one.saved}
            found = {each.name: getattr(value, each.name) for each in fields(value)}
            found = {name: own for name, own in found.items() if own is not None or name not in given_only}
            return {name: {key: _plain(own, types) for key, own in found.items()}}
    if isinstance(value, tuple):
        return [_plain(each, types) for each in cast("tuple[Any, ...]", value)]
    if isinstance(value, Batch):
        return "batch"
    if isinstance(value, np.ndarray):
        return {"array": value.tolist()}
    return python_scalar(value)


def _rich(value: Any, types: SettingTypes) -> Any:
    if not is_mapping(value):
        return value
    ((name, held),) = value.items()
    if name == "mapping":
        return dict(held)
    if name == "array":
        array = np.array(held)
        if array.dtype.kind not in "fi":
            raise ValueError("an array that does not hold numbers")
        return array
    return types[name](**{parameter: _rich(setting, types) for parameter, setting in held.items()})
