"""Checks whether the parts of a saved topic model fit together."""

from stickbreaker.core.serialize import refuse_other_rows, refuse_other_sizes
from stickbreaker.core.untrusted import refuse_negative
from stickbreaker.corpus.spelling.string_prior import CharacterModel
from stickbreaker.learning.variational import VariationalState
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.vocabularies.bloom import SeenBefore

POSITIVE = ("alpha", "gamma", "concentration", "eta")
NOT_NEGATIVE = (*POSITIVE, "weights", "rest", "tables", "entered", "failed", "wait")


def refuse_other_shapes(
    model: TopicModel, shape: tuple[int, int], state: VariationalState, n_words: int
) -> None:
    """Check a saved model after it was read: raise ValueError if its parts do not fit together or have
    impossible values.

    model: built from the saved parameters; shape: of the saved table (rows × columns); state: all other
    arrays that were saved; n_words: the size of the vocabulary, which must fit the table unless it is open.
    """
    words = model.words.row_words()
    n_rows = n_words if words is None else len(words)
    if not model.words.grows and shape[0] != n_rows:
        raise ValueError(f"{shape[0]} rows for {n_words} words")
    if not model.documents.grows and model.documents.n_topics != shape[1]:
        raise ValueError(f"{shape[1]} columns for {model.documents.n_topics} topics")
    sizes = dict(zip(model.table.axes, shape, strict=True))
    needed = {**model.documents.start(), **model.words.start()}
    if model.words.grows:
        needed |= CharacterModel.from_fields(state.params).to_fields()
    for name, item in {**model.start(), **needed}.items():
        held = state.params.get(name)
        if held is None and name not in needed:
            continue  # of a new move
        if held is None or held.axes != item.axes or held.values.ndim != item.values.ndim:
            raise ValueError(f"no {name} like this model's")
        if "kinds" in item.axes and held.values.shape[0] != item.values.shape[0]:
            raise ValueError(f"{name} belongs to other kinds of moves")
        if (held.additive, held.fresh) != (item.additive, item.fresh):
            raise ValueError(f"{name} would follow edits in another way than this model's")
    if state.waiting is not None:
        state.waiting.refuse_others(shape[0], keyed=model.words.grows)
    if state.sample is not None:
        state.sample.refuse_others(n_words, keyed=model.words.grows)
    if state.latest is not None:
        refuse_other_rows(state.latest, shape)
    for name, item in state.params.items():
        if name in NOT_NEGATIVE:
            refuse_negative(item.values, name)
        if name in POSITIVE and not (item.values > 0.0).all():
            raise ValueError(f"{name} is zero")
    proposals = [plan.change for _, plan in state.proposals]
    for change in proposals:
        model.refuse_proposal(change)
    sums = {} if state.latest is None else state.latest.usage
    for name in ("shares", "together"):
        if name in sums:
            refuse_negative(sums[name].values, name)
    if any(item.values.ndim for item in sums.values() if not item.axes):
        raise ValueError("a sum is not a number")
    for record in (state.params, sums, *proposals):
        refuse_other_sizes(record, sizes)
    if "seen before" in state.params:
        SeenBefore.of(state.params["seen before"])
    numbers = range(shape[1]) if state.columns is None else state.columns.numbers
    if len(set(numbers)) != shape[1]:
        raise ValueError("the columns' numbers are not distinct")
