"""Matches a model's topics with those of another model, for the report."""

from __future__ import annotations

from pathlib import Path

from stickbreaker.core.errors import naming
from stickbreaker.corpus.vocabulary import untagged
from stickbreaker.topics.learned import load_topics
from stickbreaker.topics.names.named_topics import NamedTopics


def matches(named: NamedTopics, path: Path) -> list[tuple[str, float] | None]:
    """For each topic, the most similar topic of the model at `path`, as (its name or first words, similarity
    in [0, 1]); None for a topic without a partner.

    In both models, topics with the same name count as one. Each topic has one partner at most
    (`match_models`). Raises UserError if the models have no words in common, or hardly any.
    """
    from stickbreaker.topics.evaluation.matching import match_models

    other = NamedTopics(load_topics(path, "compare"))
    mine, its_model = named.model, other.model
    with naming(path):
        matching, _ = match_models(
            named.words.dense(),
            mine.vocabulary,
            other.words.dense(),
            its_model.vocabulary,
            (named.unused, other.unused),
        )
    spelled = untagged if its_model.vocabulary.languages else str
    words = [[spelled(word) for word in row] for row in other.top_words(3)]
    found: list[tuple[str, float] | None] = [None] * len(named.members)
    pairs = zip(matching.first.tolist(), matching.second.tolist(), matching.similarity.tolist(), strict=True)
    for own, its, alike in pairs:
        found[own] = (other.names[its] or ", ".join(words[its]), alike)
    return found
