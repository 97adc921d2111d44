"""N-best lists of any system, ranked again by how probable a language model holds each text."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from stickbreaker.core.records import Array
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.document import Document
from stickbreaker.ngrams.interpolation import WordScorer
from stickbreaker.ngrams.nbest_lists import Candidate, best_first, with_feature

FEATURE = "LanguageModel"


def rescored(
    scorer: WordScorer, lists: Sequence[Sequence[Candidate]], weight: float
) -> list[list[Candidate]]:
    """The candidates of each sentence, the best first. log p (nats) is one more feature; `weight` times it is
    added to the score."""
    scored = with_feature(lists, FEATURE, log_probabilities(scorer, lists))
    return [
        best_first(one._replace(score=one.score + weight * one.features[FEATURE][0]) for one in candidates)
        for candidates in scored
    ]


def log_probabilities(scorer: WordScorer, lists: Sequence[Sequence[Candidate]]) -> list[Array]:
    """log p (nats) of each candidate of each sentence, read as one sentence, and of its end.

    A candidate without a word has the least log p of its list, or 0 if no candidate has one.
    """
    analysis = scorer.analysis_
    if isinstance(analysis, Analysis):
        analysis = dataclasses.replace(analysis, sentences="document")
    texts = [one.text for candidates in lists for one in candidates]
    documents = (Document(str(number), text) for number, text in enumerate(texts))
    corpus = Corpus.from_documents(documents, analysis=analysis, vocabulary=scorer.vocabulary_)
    nats, first = np.full(len(texts), np.nan), 0
    for block, scores in enumerate(scorer.scores_of_sentences(corpus)):
        nats[first + scores.documents] = scores.by_sentence()[2]
        first += corpus.block_sizes[block]
    found = np.split(nats, np.cumsum([len(candidates) for candidates in lists])[:-1])
    for own in found:
        known = own[~np.isnan(own)]
        own[np.isnan(own)] = known.min() if len(known) else 0.0
    return found
