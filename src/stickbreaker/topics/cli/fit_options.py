"""The options of models of topics, for `stickbreaker fit` and `stickbreaker stream`, and the parameters that
they make."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from stickbreaker.console.console import NumberRange, number_or_learned, written
from stickbreaker.console.run_options import Table, whole_number_or
from stickbreaker.core.option_names import as_keywords

if TYPE_CHECKING:
    from stickbreaker.learning.schedules import Schedule
    from stickbreaker.topics.model.samplers.gibbs_settings import Gibbs
    from stickbreaker.topics.model.solvers.hybrid import Hybrid

PRIOR = {"callback": number_or_learned}
OPTIONS: Table = {  # of LDA and HDP, each of which changes some
    "--out": {},
    "--topics": {"least": 1, "help": "Topics to learn."},
    "--inference": {
        "default": "mean-field",
        "help": "How to infer: by variational bound, sampled documents, or sampling throughout.",
    },
    "--schedule": {
        "default": "batch",
        "choices": ["batch", "online"],
        "help": "Update after a pass, or after each minibatch.",
    },
    "--burn-in": {"least": 0, "help": "Sweeps before samples count: 5, or half of all (Gibbs)."},
    "--samples": {
        "help": "Hybrid: sweeps of a document that count.  [default: 5, with --words open 10]",
    },
    "--every": {"least": 1, "help": "Gibbs: sweeps from sample to sample.  [default: 10]"},
    "--chains": {"least": 1, "help": "Gibbs: chains side by side.  [default: 1]"},
    "--batch-size": {
        "default": 256,
        "least": 1,
        "help": "Documents a minibatch.",
    },
    "--kappa": {"type": float, "help": "Online: how fast old counts fade."},
    "--tau0": {"type": float, "help": "Online: how slow the first steps are."},
    "--total": {
        "type": NumberRange(0, min_open=True),
        "help": "Online: documents in all; of a stream that drifts, how many should count.  "
        "[default: the corpus's, or those of the stream so far]",
    },
    "--alpha": {"default": "learned", **PRIOR},
    "--concentration": {
        "default": "learned",
        **PRIOR,
        "help": 'Of topics: the larger, the more there are; a number or "learned".',
    },
    "--eta": {"default": "0.01", **PRIOR, "help": 'Prior of words in topics: a number or "learned".'},
    "--point-topics/--no-point-topics": {
        "default": None,
        "help": "Learn the most probable word shares of topics, not distributions over them; streams are "
        "predicted better.  [default: only streams of a known vocabulary]",
    },
    "--init": {
        "default": "documents",
        "choices": ["documents", "random"],
        "help": "Start topics from a few documents each, or from noise.",
    },
    "--iterations": {
        "help": "Passes at most, or sweeps.  [default: 100, or 500 with Gibbs sampling]",
    },
    "--tol": {
        "default": 1e-4,
        "type": float,
        "help": "Relative change that ends the run (not Gibbs).",
    },
    "--keep-local": {
        "is_flag": True,
        "help": "Carry documents' state from pass to pass (batch and memoised).",
    },
    "--fold-in": {
        "default": "mean-field",
        "choices": ["mean-field", "sampled"],
        "help": "How new documents are inferred.",
    },
    "--held-out": {
        "help": "Share never trained on, which decides when to stop (but for Gibbs sampling); the vocabulary "
        "is the whole corpus's.",
    },
    "--seed": {},
}
LDA: Table = {
    "--topics": {"default": 100},
    "--kappa": {"help": "Online: how fast old counts fade.  [default: 0.7; of streams 0.6]"},
    "--tau0": {"help": "Online: how slow the first steps are.  [default: 64; of streams 32]"},
    "--alpha": {
        "default": None,
        "help": 'Prior of topics in documents: a number, "learned" or "learned-symmetric", and with ":0.5" '
        "after it where it starts.  "
        "[default: learned; of streams 0.2]",
    },
    "--eta": {
        "default": None,
        "help": 'Prior of words in topics: a number or "learned".  [default: 0.01; with point topics 0.05]',
    },
}
HDP: Table = {
    "--topics": {
        "default": "auto",
        "least": None,
        "callback": whole_number_or("auto"),
        "metavar": "K|auto",
        "help": "Search for their number, or start with K, one run.",
    },
    "--eta": {
        "default": None,
        "help": 'Prior of words in topics: a number or "learned".  [default: learned with --topics auto, '
        "else 0.01; with point topics 0.05]",
    },
    "--kappa": {"default": 0.7},
    "--tau0": {"default": 64.0},
    "--alpha": {"help": 'How alike documents are to the weights of all: a number or "learned".'},
}
OF_HDP: Table = {
    "--judge": {
        "default": "bound",
        "choices": ["bound", "held-out"],
        "help": "--topics auto: compare numbers of topics by the bound, or by documents held out (a tenth, "
        "unless --held-out says), which finds more. These check the bound where it asks for ten topics or "
        "fewer.",
    },
    "--moves": {
        "default": "split-merge",
        "choices": ["split-merge", "exact", "halves", "paper", "none"],
        "help": "Topics split and merge, judged by all documents (exact), by half a minibatch (halves), as "
        "in the paper, or as suits the schedule (split-merge): exact, and none online.",
    },
    "--representation": {
        "default": "direct",
        "choices": ["direct", "franchise"],
        "help": "Of documents: topics directly, or tables that have topics.",
    },
    "--tables": {"default": 15, "least": 1, "help": "Franchise: tables a document."},
}
ONLINE = ("batch_size", "kappa", "tau0", "total")
SAMPLING = {"hybrid": ("burn_in", "samples"), "gibbs": ("burn_in", "every", "chains")}
SAMPLING["gibbs-delayed"] = SAMPLING["gibbs"]


def params_from_options(settings: dict[str, Any], *, opened: bool) -> dict[str, Any]:
    """An estimator's parameters from the options of a command line; `opened`: of an open vocabulary."""
    gathered = {*ONLINE, "schedule", "inference", *(name for names in SAMPLING.values() for name in names)}
    params = as_keywords({name: value for name, value in settings.items() if name not in gathered})
    return {**params, "schedule": _schedule(settings), "inference": _inference(settings, opened)}


def _schedule(settings: dict[str, Any]) -> "str | Schedule | None":
    """The schedule. Raises a usage error if options of the online one are given to another."""
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
    from stickbreaker.topics.model.samplers.gibbs_settings import Gibbs
    from stickbreaker.topics.model.solvers.hybrid import Hybrid
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
