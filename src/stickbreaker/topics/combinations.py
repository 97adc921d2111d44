"""Which choices for a topic model (prior of documents, words, inference, schedule, engine) can be combined.
The table is computed from what each choice declares; estimators and the docs use it.
"""

from collections.abc import Iterable
from itertools import combinations, product
from typing import NamedTuple

from stickbreaker.core.errors import UserError
from stickbreaker.learning.schedules import Batch, Memoised, Online, Schedule
from stickbreaker.topics.model.priors.dirichlet import DirichletPrior
from stickbreaker.topics.model.priors.franchise import FranchisePrior
from stickbreaker.topics.model.priors.hdp import HDPPrior
from stickbreaker.topics.model.priors.prevalence import PrevalencePrior
from stickbreaker.topics.model.samplers.gibbs_settings import Gibbs, chain_settings
from stickbreaker.topics.model.slots import Inference, TopicPrior, TopicVocabulary
from stickbreaker.topics.model.solvers.hybrid import Hybrid
from stickbreaker.topics.model.solvers.mean_field import CoordinateAscent
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary
from stickbreaker.topics.model.vocabularies.concepts import ConceptVocabulary
from stickbreaker.topics.model.vocabularies.open import OpenWords


class Combination(NamedTuple):
    """Choices for the five parts of a run, as tuples of their names.

    In a row of the table of valid combinations, a field has several choices, and any choice of one field can
    be combined with any choice of the others. For a single run, each field has one.
    """

    documents: tuple[str, ...]
    words: tuple[str, ...]
    inference: tuple[str, ...]
    schedule: tuple[str, ...]
    engine: tuple[str, ...]


DOCUMENTS: dict[str, type[TopicPrior]] = {
    kind.name: kind for kind in (DirichletPrior, PrevalencePrior, HDPPrior, FranchisePrior)
}
WORDS: dict[str, type[TopicVocabulary]] = {
    kind.name: kind for kind in (ClosedVocabulary, ConceptVocabulary, OpenWords)
}
INFERENCE: dict[str, Inference] = {
    kind.name: kind for kind in (CoordinateAscent(), Hybrid(), Gibbs(), Gibbs(delayed=True))
}
SCHEDULES: dict[str, Schedule] = {
    "batch": Batch(),
    "memoised": Memoised(),
    "online": Online(),
    "partial_fit": Online(),
}
ENGINES = ("local", "spark")
NAMES = {
    ("documents", "finite"): "a fixed number of topics",
    ("documents", "prevalence"): "a prior by metadata (prevalence)",
    ("documents", "growing"): "growing topics",
    ("documents", "franchise"): "representation='franchise'",
    ("words", "concepts"): "a tree of concepts",
    ("schedule", "partial_fit"): "partial_fit",
}  # names of choices that are not the value of a parameter
DIRECT = "set representation='direct'"  # other slots only restrict the representation of documents
CHANGED = (
    "inference",
    "schedule",
    "engine",
    "documents",
    "words",
)  # the slots blamed in messages, first ones first


def _row(documents: str, words: str, inference: Iterable[str]) -> Combination | None:
    """The row of the table for one kind of prior over documents and one kind of vocabulary; None if none of
    the kinds of inference suits both.

    inference: the names to choose from, either all Gibbs samplers or none. Gibbs samplers run only in the
    batch schedule on this machine. The memoised schedule, which stores the statistics of each minibatch,
    needs documents without tables (so not the franchise), one alpha for all, and a closed vocabulary without
    concepts.
    """
    prior, vocabulary = DOCUMENTS[documents], WORDS[words]
    ways = tuple(name for name in inference if INFERENCE[name].goes_with(prior, vocabulary))
    if not ways:
        return None
    if chain_settings(INFERENCE[ways[0]]) is not None:
        return Combination((documents,), (words,), ways, ("batch",), ("local",))
    keeps = prior.direct and vocabulary.dirichlet and not prior.by_document
    schedules = tuple(name for name, schedule in SCHEDULES.items() if keeps or not schedule.keeps_reports)
    if prior.by_document:  # a coding is learned from documents that are all there
        return Combination((documents,), (words,), ways, ("batch", "online"), ("local",))
    return Combination((documents,), (words,), ways, schedules, ENGINES)


def legal() -> tuple[Combination, ...]:
    """Compute the table of valid combinations of choices, each row a `Combination`. Priors of
    documents that combine with exactly the same other choices share a row. Samplers have their own rows.

    >>> len(legal())
    13
    """
    samplers = {name for name, way in INFERENCE.items() if chain_settings(way) is not None}
    kinds = [[name for name in INFERENCE if (name in samplers) == sampled] for sampled in (False, True)]
    rows: list[dict[tuple[Combination, ...], Combination]] = [{} for _ in kinds]
    for words, documents in product(WORDS, DOCUMENTS):
        own = [_row(documents, words, kind) for kind in kinds]
        alike = tuple(row._replace(documents=()) for row in own if row is not None)
        for table, row in zip(rows, own, strict=True):
            if row is not None:
                before = table[alike].documents if alike in table else ()
                table[alike] = row._replace(documents=(*before, documents))
    return tuple(row for table in rows for row in table.values())


LEGAL = legal()


def refuse_illegal(chosen: Combination) -> None:
    """Raise UserError if the chosen combination (a tuple of one name per field) is not valid: if a name is
    unknown, or choices conflict. The message says which, and what can be chosen.

    >>> refuse_illegal(Combination(("finite",), ("closed",), ("hybrid",), ("online",), ("local",)))
    """
    for slot, (value,) in zip(Combination._fields, chosen, strict=True):
        known = dict.fromkeys(choice for row in LEGAL for choice in getattr(row, slot))
        if not isinstance(value, str) or value not in known:
            alternatives = " or ".join(repr(choice) for choice in known)
            raise UserError(f"{slot}={value!r}", remedy=f"{slot} is {alternatives}")
    together = _apart(chosen)
    if together:
        slot = next(slot for slot in CHANGED if slot in together)
        others = [other for other in Combination._fields if other in together and other != slot]
        rows = [row for row in LEGAL if _has(row, chosen, [s for s in Combination._fields if s != slot])]
        rows = rows or [row for row in LEGAL if _has(row, chosen, others)]
        values = (choice for row in rows for choice in getattr(row, slot) if (slot, choice) not in NAMES)
        there = dict.fromkeys(map(repr, values))
        beside = " and ".join(_named(other, getattr(chosen, other)[0]) for other in others)
        raise UserError(
            f"{_named(slot, getattr(chosen, slot)[0])} does not go with {beside}",
            remedy=DIRECT if slot == "documents" else f"there {slot} is {' or '.join(there)}",
        )


def _apart(chosen: Combination) -> tuple[str, ...]:
    """The names of the smallest set of fields whose choices conflict (the first such set if there are
    several); empty if all five can be combined.
    """
    slots = Combination._fields
    groups = (group for size in range(2, len(slots) + 1) for group in combinations(slots, size))
    return next((group for group in groups if not any(_has(row, chosen, group) for row in LEGAL)), ())


def _has(row: Combination, chosen: Combination, slots: Iterable[str]) -> bool:
    """Whether a row of the table contains the choices of `chosen` for these fields."""
    return all(getattr(chosen, slot)[0] in getattr(row, slot) for slot in slots)


def _named(slot: str, choice: str) -> str:
    """A choice as it is called in error messages, such as "a tree of concepts" or "inference='gibbs'"."""
    return NAMES.get((slot, choice), f"{slot}={choice!r}")
