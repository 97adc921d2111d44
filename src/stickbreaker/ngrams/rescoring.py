"""N-best lists of any system, ranked again by how probable a language model holds each text."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from stickbreaker.core.errors import UserError
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
    added to the score. Raises UserError if the list has a feature of that name."""
    for candidate in (one for candidates in lists for one in candidates):
        if FEATURE in candidate.features:
            raise UserError(f"the list has a feature {FEATURE} already", remedy="rank the list without it")
    scored = with_feature(lists, FEATURE, log_probabilities(scorer, lists))
    return [
        best_first(one._replace(score=one.score + weight * one.features[FEATURE][0]) for one in candidates)
        for candidates in scored
    ]


def log_probabilities(scorer: WordScorer, lists: Sequence[Sequence[Candidate]]) -> list[Array]:
    """log p (nats) of each candidate of each sentence, and of its end.

    A candidate without a word has the least log p of its list, or 0 if no candidate has one.
    """
    analysis = scorer.analysis_
    if isinstance(analysis, Analysis):
        analysis = dataclasses.replace(analysis, sentences="document")
    texts = [one.text for candidates in lists for one in candidates]
    documents = (Document(str(number), text) for number, text in enumerate(texts))
    corpus = Corpus.from_documents(documents, analysis=analysis, vocabulary=scorer.vocabulary_)
    nats, scored, first = np.zeros(len(texts)), np.zeros(len(texts), np.bool_), 0
    for block, scores in enumerate(scorer.scores_of_sentences(corpus)):
        places = first + scores.documents
        np.add.at(nats, places, scores.by_sentence()[2])  # marks inside a candidate end sentences
        scored[places] = True
        first += corpus.block_sizes[block]
    nats[~scored] = np.nan
    found = np.split(nats, np.cumsum([len(candidates) for candidates in lists])[:-1])
    for own in found:
        known = own[~np.isnan(own)]
        own[np.isnan(own)] = known.min() if len(known) else 0.0
    return found
