"""Topics of one model beside those of another."""

from __future__ import annotations

from pathlib import Path

from stickbreaker.core.errors import naming
from stickbreaker.corpus.vocabulary import untagged
from stickbreaker.estimators.topics.topic_estimator import TopicEstimator, load_topics


def matches(model: TopicEstimator, path: Path) -> list[tuple[str, float] | None]:
    """Each topic's partner in the model at `path`: (its label, similarity in [0, 1]); None without one.

    Partners are chosen by `evaluation.match_models`. Raises UserError where the models have no words in
    common, or hardly any.
    """
    from stickbreaker.evaluation.matching import match_models

    other = load_topics(path, "compare")
    unused = model.unused_topics_, other.unused_topics_
    with naming(path):
        matching, _ = match_models(
            model.topic_word_, model.vocabulary_, other.topic_word_, other.vocabulary_, unused
        )
    words = [[_plain(word, other) for word in row] for row in other.top_words(3)]
    found: list[tuple[str, float] | None] = [None] * len(model.alpha_)
    pairs = zip(matching.first.tolist(), matching.second.tolist(), matching.similarity.tolist(), strict=True)
    for own, its, alike in pairs:
        found[own] = (other.topic_names_[its] or ", ".join(words[its]), alike)
    return found


def _plain(word: str, model: TopicEstimator) -> str:
    return untagged(word) if model.vocabulary_.languages else word
