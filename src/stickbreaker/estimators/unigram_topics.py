"""Topics as distributions over single words, from any model that has them."""

from typing import NamedTuple

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.estimators.given_models import loaded_model
from stickbreaker.estimators.kinds import kinds, object_at


class UnigramTopics(NamedTuple):
    """The topics of a fitted model as distributions over single words, for use by other kinds of models.

    `topic_word` (topics × words): p(word | topic); `alpha`: the prior of topics in documents; `topic_shares`:
    each topic's share of the words learned from.
    """

    words: tuple[str, ...]
    topic_word: Array  # topics × words: p(word | topic)
    alpha: Array  # (topics,) prior of topics in documents
    topic_shares: Array  # (topics,) each topic's share of the words learned from


def unigram_topics_of(model: object) -> UnigramTopics:
    """The topics of a fitted estimator, of what one has learned, or of a saved model.

    Raises UserError for a kind without topics over single words.
    """
    learned = loaded_model(model)
    kind = kinds()[learned.kind]
    if kind.unigram_topics is None:
        problem = f"a model of the kind {kind.name} has no topics over single words"
        having = " or ".join(each.name for each in kinds().values() if each.unigram_topics)
        raise UserError(problem, remedy=f"give a model of the kind {having}")
    return object_at(kind.unigram_topics)(learned)
