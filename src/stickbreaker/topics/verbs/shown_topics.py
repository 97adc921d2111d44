"""What results about a model's topics say of them: their names, and those that the user asks for."""

from collections.abc import Iterable
from typing import NamedTuple

from stickbreaker.core.errors import UserError
from stickbreaker.topics.learned import TopicsLearned


class Titles(NamedTuple):
    """`names`: of the topics, None if they have none; `titles`: the name of each, or its first words."""

    names: tuple[str | None, ...]
    titles: tuple[str, ...]


def titles_of(model: TopicsLearned) -> Titles:
    """What a model's topics are called."""
    names = tuple(model.topic_names or [None] * len(model.alpha))
    tops = model.top_words(4)
    return Titles(names, tuple(name or " ".join(words) for name, words in zip(names, tops, strict=True)))


def refuse_unknown_topics(model: TopicsLearned, numbers: Iterable[int]) -> None:
    """Raise UserError for the first of these topics that the model does not have."""
    n_topics = len(model.alpha)
    wrong = next((one for one in numbers if not 0 <= one < n_topics), None)
    if wrong is not None:
        raise UserError(f"there is no topic {wrong}", remedy=f"topics are 0 to {n_topics - 1}")
