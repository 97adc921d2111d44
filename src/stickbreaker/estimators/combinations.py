"""Which choices go together: one table, which every estimator asks and the docs print."""

from typing import NamedTuple

from stickbreaker.core.errors import UserError


class Combination(NamedTuple):
    """Choices any of which go with any of the others in the row."""

    documents: tuple[str, ...]
    words: tuple[str, ...]
    inference: tuple[str, ...]
    schedule: tuple[str, ...]
    engine: tuple[str, ...]


LEGAL = (
    Combination(
        documents=("finite",),
        words=("closed",),
        inference=("mean-field", "hybrid"),
        schedule=("batch", "memoised", "online", "partial_fit"),
        engine=("local", "spark"),
    ),
    Combination(
        documents=("growing",),
        words=("closed",),
        inference=("mean-field", "hybrid"),
        schedule=("batch", "memoised", "online", "partial_fit"),
        engine=("local", "spark"),
    ),
    Combination(
        documents=("finite", "growing"),
        words=("open",),
        inference=("mean-field", "hybrid"),
        schedule=("batch", "online", "partial_fit"),
        engine=("local", "spark"),
    ),
    Combination(
        documents=("franchise",),
        words=("closed",),
        inference=("mean-field",),
        schedule=("batch", "online", "partial_fit"),
        engine=("local", "spark"),
    ),
    Combination(
        documents=("finite",),
        words=("closed",),
        inference=("gibbs", "gibbs-delayed"),
        schedule=("batch",),
        engine=("local",),
    ),
    Combination(
        documents=("growing",),
        words=("closed",),
        inference=("gibbs",),
        schedule=("batch",),
        engine=("local",),
    ),
)


def refuse_illegal(chosen: Combination) -> None:
    """Raise UserError unless one row of the table has all that was chosen (one choice a slot).

    >>> refuse_illegal(Combination(("finite",), ("closed",), ("hybrid",), ("online",), ("local",)))
    """
    for slot, (value,) in zip(Combination._fields, chosen, strict=True):
        known = dict.fromkeys(choice for row in LEGAL for choice in getattr(row, slot))
        if not isinstance(value, str) or value not in known:
            alternatives = " or ".join(repr(choice) for choice in known)
            raise UserError(f"{slot}={value!r}", remedy=f"{slot} is {alternatives}")
    wrong = [_misfits(row, chosen) for row in LEGAL]
    if all(wrong):
        nearest = min(wrong, key=lambda slots: ("words" in slots, len(slots)))  # words are what is kept to
        slot = nearest[0]
        row = LEGAL[wrong.index(nearest)]
        alternatives = " or ".join(repr(choice) for choice in getattr(row, slot))
        others = [name for name in ("inference", "schedule") if name != slot]
        other = "words" if chosen.words == ("open",) else others[0]
        beside = f"{other}={getattr(chosen, other)[0]!r}"
        value = getattr(chosen, slot)[0]
        raise UserError(
            f"{slot}={value!r} does not go with {beside}", remedy=f"there {slot} is {alternatives}"
        )


def _misfits(row: Combination, chosen: Combination) -> list[str]:
    """The slots of a row that lack what was chosen; the schedule before the inference."""
    order = sorted(Combination._fields, key=lambda slot: slot == "inference")
    return [slot for slot in order if getattr(chosen, slot)[0] not in getattr(row, slot)]


def as_markdown() -> str:
    """The table as the docs print it."""
    lines = ["| " + " | ".join(Combination._fields) + " |", "|" + "---|" * len(Combination._fields)]
    lines += ["| " + " | ".join(", ".join(choices) for choices in row) + " |" for row in LEGAL]
    return "\n".join(lines)
