"""From the options of a command line to the parameters of a model of topics."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from stickbreaker.console.console import written
from stickbreaker.core.option_names import as_keywords

if TYPE_CHECKING:
    from stickbreaker.learning.schedules import Schedule
    from stickbreaker.topics.model import Gibbs, Hybrid

ONLINE = ("batch_size", "kappa", "tau0", "total")
SAMPLING = {"hybrid": ("burn_in", "samples"), "gibbs": ("burn_in", "every", "chains")}
SAMPLING["gibbs-delayed"] = SAMPLING["gibbs"]


def params_of(settings: dict[str, Any], *, opened: bool) -> dict[str, Any]:
    """An estimator's parameters from the options of a command line; `opened`: of an open vocabulary."""
    gathered = {*ONLINE, "schedule", "inference", *(name for names in SAMPLING.values() for name in names)}
    params = as_keywords({name: value for name, value in settings.items() if name not in gathered})
    return {**params, "schedule": _schedule(settings), "inference": _inference(settings, opened)}


def _schedule(settings: dict[str, Any]) -> "str | Schedule | None":
    """The schedule. Raises a usage error where options of the online one are given to another."""
    from stickbreaker.learning.schedules import Memoised, Online

    chosen = settings["schedule"]
    if chosen == "online":
        return Online(*(settings[name] for name in ONLINE))
    kept = settings.get("representation") == "direct" and settings["inference"] in ("mean-field", "hybrid")
    by_size = chosen == "memoised" or (chosen is None and kept)
    for name in written(ONLINE):
        if by_size and name == "batch_size":
            chosen = Memoised(settings["batch_size"])
            continue
        raise click.UsageError(f"--{name.replace('_', '-')} needs --schedule online")
    return chosen


def _inference(settings: dict[str, Any], opened: bool) -> "str | Hybrid | Gibbs":
    """The inference with its options. Raises a usage error for options of another one."""
    from stickbreaker.topics.model import Gibbs, Hybrid
    from stickbreaker.topics.topic_params import OPEN_HYBRID

    name = settings["inference"]
    known = dict.fromkeys(option for options in SAMPLING.values() for option in options)
    given = {option: settings[option] for option in known if settings.get(option) is not None}
    for option in given:
        if option not in SAMPLING.get(name, ()):
            fitting = " or ".join(kind for kind, options in SAMPLING.items() if option in options)
            raise click.UsageError(f"--{option.replace('_', '-')} needs --inference {fitting}")
    if name == "mean-field":
        return name
    if name == "hybrid":
        return replace(OPEN_HYBRID if opened else Hybrid(), **given)
    return Gibbs(**given, delayed=name == "gibbs-delayed")
