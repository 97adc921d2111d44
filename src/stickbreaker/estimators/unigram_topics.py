"""Topics as distributions over single words, from any estimator that has them."""

from typing import NamedTuple

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.estimators.kinds import kinds, object_at
from stickbreaker.estimators.learned import AnyLearned, Learned
from stickbreaker.estimators.plain_learner import estimator_in


class UnigramTopics(NamedTuple):
    """The topics of a fitted model as distributions over single words, for use by other kinds of models.

    `topic_word` (topics × words): p(word | topic); `alpha`: the prior of topics in documents; `topic_shares`:
    each topic's share of the words learned from.
    """

    words: tuple[str, ...]
    topic_word: Array  # topics × words: p(word | topic)
    alpha: Array  # (topics,) prior of topics in documents
    topic_shares: Array  # (topics,) each topic's share of the words learned from


def unigram_topics_of(model: Estimator | AnyLearned) -> UnigramTopics:
    """The topics of a fitted estimator, or of what one has learned.

    Raises UserError for a kind without topics over single words.
    """
    kind = kinds()[model.kind]
    if kind.unigram_topics is None:
        problem = f"a model of the kind {kind.name} has no topics over single words"
        having = " or ".join(each.name for each in kinds().values() if each.unigram_topics)
        raise UserError(problem, remedy=f"give a model of the kind {having}")
    return object_at(kind.unigram_topics)(estimator_in(model) if isinstance(model, Learned) else model)
