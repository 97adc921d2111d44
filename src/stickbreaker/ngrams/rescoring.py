"""Reranking of n-best lists of any system with the probability of each text by a language model."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.document import Document
from stickbreaker.ngrams.interpolation import WordScorer, scorer_of
from stickbreaker.ngrams.nbest_lists import Candidate, best_first, with_feature

FEATURE = "LanguageModel"


def rescored(
    scorer: WordScorer, lists: Sequence[Sequence[Candidate]], weight: float
) -> list[list[Candidate]]:
    """The candidates of each sentence with log p (nats) by a language model as an additional feature, the
    best first.

    `weight` times the feature is added to a candidate's score. The model may be a fitted estimator. Raises
    UserError if a candidate already has a feature of that name.
    """
    for candidate in (one for candidates in lists for one in candidates):
        if FEATURE in candidate.features:
            raise UserError(
                f"the list already has a feature {FEATURE}", remedy="remove that feature from the list"
            )
    scored = with_feature(lists, FEATURE, log_probabilities(scorer, lists))
    return [
        best_first(one._replace(score=one.score + weight * one.features[FEATURE][0]) for one in candidates)
        for candidates in scored
    ]


def log_probabilities(scorer: WordScorer, lists: Sequence[Sequence[Candidate]]) -> list[Array]:
    """log p (nats) of each candidate by a language model, its end included: for each list of candidates, an
    array.

    That of a candidate without words is log p of the end of a sentence that has just begun.
    """
    scorer = scorer_of(scorer)
    analysis = scorer.analysis
    if isinstance(analysis, Analysis):
        analysis = dataclasses.replace(analysis, sentences="document")
    texts = [one.text for candidates in lists for one in candidates]
    documents = (Document(str(number), text) for number, text in enumerate(texts))
    corpus = Corpus.from_documents(documents, analysis=analysis, vocabulary=scorer.vocabulary)
    nats, scored, first = np.zeros(len(texts)), np.zeros(len(texts), np.bool_), 0
    for block, scores in enumerate(scorer.scores_of_sentences(corpus)):
        places = first + scores.documents
        np.add.at(nats, places, scores.by_sentence()[2])  # marks inside a candidate end sentences
        scored[places] = True
        first += corpus.block_sizes[block]
    if not scored.all():
        nats[~scored] = scorer.empty_sentence_scores().nats.sum()
    return np.split(nats, np.cumsum([len(candidates) for candidates in lists])[:-1])
