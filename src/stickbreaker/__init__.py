"""Bayesian text models that grow with the data.

>>> from stickbreaker import LDA
>>> LDA(n_topics=1, max_iter=2, tol=0.0).fit(["a river bank", "a boat on the river"]).top_words(1)
[['river']]
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stickbreaker.core.errors import UserError
    from stickbreaker.corpus import Analysis, Corpus, Vocabulary, VocabularyRule
    from stickbreaker.estimators.guiding import Guide
    from stickbreaker.estimators.hdp import HDP
    from stickbreaker.estimators.lda import LDA
    from stickbreaker.learning.schedules import Memoised, Online
    from stickbreaker.models.topics.hybrid import Hybrid
    from stickbreaker.models.topics.open_vocabulary import OpenVocabulary
    from stickbreaker.models.topics.sampling import Gibbs
    from stickbreaker.models.topics.spelling import Spelling
    from stickbreaker.models.topics.split_merge import SplitMerge

_HOMES = {
    "LDA": "stickbreaker.estimators.lda",
    "HDP": "stickbreaker.estimators.hdp",
    "Memoised": "stickbreaker.learning.schedules",
    "SplitMerge": "stickbreaker.models.topics.split_merge",
    "Online": "stickbreaker.learning.schedules",
    "Hybrid": "stickbreaker.models.topics.hybrid",
    "OpenVocabulary": "stickbreaker.models.topics.open_vocabulary",
    "Spelling": "stickbreaker.models.topics.spelling",
    "Gibbs": "stickbreaker.models.topics.sampling",
    "Guide": "stickbreaker.estimators.guiding",
    "Corpus": "stickbreaker.corpus",
    "Analysis": "stickbreaker.corpus",
    "Vocabulary": "stickbreaker.corpus",
    "VocabularyRule": "stickbreaker.corpus",
    "UserError": "stickbreaker.core.errors",
}

__all__ = [
    "HDP",
    "LDA",
    "Analysis",
    "Corpus",
    "Gibbs",
    "Guide",
    "Hybrid",
    "Memoised",
    "Online",
    "OpenVocabulary",
    "Spelling",
    "SplitMerge",
    "UserError",
    "Vocabulary",
    "VocabularyRule",
]


def __getattr__(name: str) -> Any:
    """Import on first use, so that the command line's help is quick."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'stickbreaker' has no attribute {name!r}")
