"""Converts what users give as parameters of topic models (names, numbers, arrays) into settings and
priors.
"""

from collections.abc import Mapping

import numpy as np

from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.records import Array
from stickbreaker.corpus.spelling.string_prior import Spelling
from stickbreaker.estimators.setting_values import SCHEDULE_TYPES, SettingTypes
from stickbreaker.topics.combinations import INFERENCE
from stickbreaker.topics.model.moves.split_merge_settings import SplitMerge
from stickbreaker.topics.model.samplers.gibbs_settings import Gibbs
from stickbreaker.topics.model.slots import Inference
from stickbreaker.topics.model.solvers.hybrid import Hybrid
from stickbreaker.topics.model.vocabularies.concept_tree import ConceptTree
from stickbreaker.topics.model.vocabularies.open_settings import OpenVocabulary
from stickbreaker.topics.seed_words import Guide

TOPIC_SETTING_TYPES: SettingTypes = {  # parameters with settings as values, by name in JSON
    **SCHEDULE_TYPES,
    "split-merge": SplitMerge,
    "hybrid": Hybrid,
    "gibbs": Gibbs,
    "guide": Guide,
    "open": OpenVocabulary,
    "concepts": ConceptTree,
    "spelling": Spelling,
}

MOST_PRIOR = 1_000_000  # of alpha and eta


def inference_of(value: object) -> Inference:
    """The settings of inference that the user chose by the parameter `inference`: by a name, which stands for
    default settings, or as settings. Raises UserError for anything else.
    """
    if isinstance(value, str) and value in INFERENCE:
        return INFERENCE[value]
    if isinstance(value, Inference):
        return value
    alternatives = ", ".join(repr(name) for name in INFERENCE)
    raise UserError(f"inference={value!r}", remedy=f"inference is {alternatives}, Hybrid(...) or Gibbs(...)")


def concentration(
    name: str, value: object, shapes: Mapping[str, tuple[int, ...]], start: float
) -> tuple[float | Array, bool]:
    """Convert what the user gave as the parameter of a prior, such as alpha, to its value (the initial value
    if it is learned) and whether it is learned.

    value: a number, an array of one of `shapes` (shapes by the names of their axes), or "learned", which
    starts at `start` ("learned:0.5" at 0.5). alpha may also be "learned-symmetric". Numbers lie in (0, 1e6].
    Raises UserError for other values; `name` is for its message.

    >>> concentration("eta", "learned", {}, 0.1), concentration("eta", "learned:0.5", {}, 0.1)
    ((0.1, True), (0.5, True))
    """
    if isinstance(value, str):
        kind, _, given = value.partition(":")
        if kind != "learned" and (name, kind) != ("alpha", "learned-symmetric"):
            kinds = '"learned" or "learned-symmetric"' if name == "alpha" else '"learned"'
            raise UserError(f"{name}={value!r}", remedy=f"{name} is a number, an array or {kinds}")
        if kind == value:
            return start, True
        try:
            first = float(given)
        except ValueError:
            remedy = f'give its initial value, as in "{kind}:0.5"'
            raise UserError(f"{name}={value!r}", remedy=remedy) from None
        return concentration(name, first, {}, start)[0], True
    try:
        array = np.asarray(value, np.float64)
        if np.asarray(value).dtype == np.bool_:
            raise ValueError
    except (TypeError, ValueError):
        raise UserError(f"{name}={value!r}", remedy=f'{name} is a number, an array or "learned"') from None
    if array.ndim and array.shape not in shapes.values():
        wanted = " or ".join(f"{axes} {shape}" for axes, shape in shapes.items())
        raise UserError(f"{name} has the shape {array.shape}", remedy=f"give a number, or {wanted}")
    wrong = array[~((array > 0) & (array <= MOST_PRIOR))]
    if wrong.size:
        found = f"{name}={value!r}" if not array.ndim else f"{name} has the value {float(wrong.flat[0]):g}"
        remedy = f"{name} is above 0 and at most {MOST_PRIOR:,}"
        raise UserError(found, remedy=remedy)
    return (array.copy() if array.ndim else float(array)), False


def vocabulary_choice(value: object) -> tuple[str, OpenVocabulary | ConceptTree | None]:
    """What the user gave as the parameter `words`: the name of the kind of vocabulary ("closed", "open" or
    "concepts"), and its settings, None for "closed".

    Raises UserError for anything but these names (except "concepts") or settings.
    """
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


def guide_of(value: object) -> Guide | None:
    """What the user gave as the parameter `guide`, as a `Guide`: from such an object, or from a mapping of
    topics to words; None stays None. Raises UserError for anything else.
    """
    if value is None or isinstance(value, Guide):
        return value
    if isinstance(value, Mapping):
        return Guide(value)
    raise UserError(f"guide={str(value)[:40]!r}", remedy='guide is {"topic": ["word"]}, or Guide.read(path)')
