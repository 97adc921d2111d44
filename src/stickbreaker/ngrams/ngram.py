"""N-gram language models, as users import them."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from stickbreaker.corpus import Corpus
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.estimators.scikit_learn import ScikitLearn
from stickbreaker.ngrams.plain_ngram import NextWord, PlainNgramModel
from stickbreaker.ngrams.unigram_rescaling import RescaledSums


class SentenceScore(NamedTuple):
    """A sentence's place, its words without the mark at its end, and log p of both."""

    document: int
    words: int
    unknown: int
    nats: float


class NgramModel(ScikitLearn, PlainNgramModel):
    __doc__ = PlainNgramModel.__doc__

    def score_sentences(self, X: Any) -> list[SentenceScore]:
        """How probable each sentence is: log p of its words and of its end, in nats.

        Raises UserError for documents without order.

        >>> model = NgramModel(2, min_count=1, max_iter=5, random_state=0).fit(["a cat sat. a cat ran."])
        >>> [score.words for score in model.score_sentences(["A cat. A cat sat."])]
        [2, 3]
        """
        check_is_fitted(self)
        found: list[SentenceScore] = []
        first, corpus = 0, self._as_corpus(X, reset=False)
        for block, scores in enumerate(self.scores(corpus)):
            sizes = scores.by_sentence(~scores.ends).astype(int).tolist()
            unknown = scores.by_sentence(~scores.known).astype(int).tolist()
            nats = scores.by_sentence(scores.nats).tolist()
            documents = (scores.documents + first).tolist()
            found += map(SentenceScore, documents, sizes, unknown, nats)
            first += corpus.block_sizes[block]
        return found

    def rescaled_perplexity(self, X: Any, topics: Estimator, exponent: float = 0.7) -> float:
        """Perplexity with probabilities rescaled by topics of the document: unigram rescaling (Gildea and
        Hofmann 1999), p(w | context) (p(w | document) / p(w))^exponent, normalised at every word.

        `topics`: a fitted LDA or HDP, by which topics are adapted as the words of a document come. Words that
        it lacks keep the ratio 1: learn it from all words. Raises UserError for a model without such topics.
        """

        def nats_and_tokens(corpus: Corpus) -> tuple[float, float]:
            return RescaledSums.of(self.rescaled_scores(corpus, topics, exponent)).parts["rescaled_all"]

        return float(np.exp(-self._per_token(X, nats_and_tokens)))

    def generate(
        self, n: int = 1, *, beginning: str = "", longest: int = 100, random_state: int = 0
    ) -> list[list[str]]:
        check_is_fitted(self)
        return super().generate(n, beginning=beginning, longest=longest, random_state=random_state)

    generate.__doc__ = PlainNgramModel.generate.__doc__

    def next_words(self, context: str = "", n: int = 10) -> list[NextWord]:
        check_is_fitted(self)
        return super().next_words(context, n)

    next_words.__doc__ = PlainNgramModel.next_words.__doc__
