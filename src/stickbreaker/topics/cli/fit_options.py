"""Turns options of `stickbreaker fit` and `stickbreaker stream` into the parameters of topic models."""

from stickbreaker.console.options import refuse_unneeded, take_settings
from stickbreaker.core.option_names import ParameterValues, as_keywords
from stickbreaker.topics.settings import TopicSettings

HELD_OUT = {
    "help": "Share never trained on, which decides when to stop (but for Gibbs sampling); the vocabulary is "
    "the whole corpus's.",
}
MEMOISED = "mean-field", "hybrid"  # ways of inference that are memoised if a schedule is left open
VALUES = "online", "hybrid", "gibbs", "gibbs-delayed"  # choices that are saved with all their settings


def params_from_options(
    kind: type[TopicSettings], options: ParameterValues, *, opened: bool
) -> ParameterValues:
    """The parameters of a topic estimator of this kind, from the options of a command line, which are
    changed. `opened`: whether the vocabulary is open.

    Raises a usage error for options that need other options.
    """
    refuse_unneeded(kind, options)
    memoised = options.get("representation") == "direct" and options["inference"] in MEMOISED
    if opened and options["inference"] == "hybrid" and options["samples"] is None:
        options["samples"] = 10  # Zhai 2014, section 7.5
    take_settings(kind, options, {"schedule": "memoised"} if memoised else {}, VALUES)
    return as_keywords(options)
