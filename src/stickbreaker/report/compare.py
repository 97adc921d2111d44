"""Topics of one model beside those of another."""

from __future__ import annotations

from pathlib import Path

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.vocabulary import untagged
from stickbreaker.estimators.saving import load
from stickbreaker.estimators.topics import TopicEstimator


def matches(model: TopicEstimator, path: Path) -> list[tuple[str, float] | None]:
    """Each topic's partner in the model at `path`: (its label, similarity in [0, 1]); None without one.

    Partners are chosen by `evaluation.match_topics`, over the words that both models know. Raises UserError
    where they have no word in common.
    """
    from stickbreaker.evaluation.matching import match_topics, shared_words

    other = load(path)
    rows, others = shared_words(model.vocabulary_.words, other.vocabulary_.words)
    if not len(rows):
        raise UserError("has no word in common with the model", where=path, remedy="compare like models")
    cuts = [slice(*rows.searchsorted((r.start, r.stop)).tolist()) for r in model.vocabulary_.ranges.values()]
    groups = [cut for cut in cuts if cut.stop > cut.start] or [slice(None)]
    matching = match_topics(model.topic_word_[:, rows], other.topic_word_[:, others], groups)
    words = [[_plain(word, other) for word in row] for row in other.top_words(3)]
    found: list[tuple[str, float] | None] = [None] * len(model.alpha_)
    pairs = zip(matching.first.tolist(), matching.second.tolist(), matching.similarity.tolist(), strict=True)
    for own, its, alike in pairs:
        found[own] = (other.topic_names_[its] or ", ".join(words[its]), alike)
    return found


def _plain(word: str, model: TopicEstimator) -> str:
    return untagged(word) if model.vocabulary_.languages else word
