"""The public class of n-gram language models, `NgramModel`."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from stickbreaker.corpus import Corpus
from stickbreaker.corpus.readers.document_inputs import document_input
from stickbreaker.corpus.token_sequences import token_sequences
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.estimators.scikit_learn import ScikitLearn
from stickbreaker.ngrams.plain_ngram import NextWord, PlainNgramModel
from stickbreaker.ngrams.sentence_scores import (
    SentenceScore,
    scores_by_sentence,
    scores_of_tokens,
    sentence_scores,
)
from stickbreaker.ngrams.unigram_rescaling import RescaledSums


class NgramModel(ScikitLearn, PlainNgramModel):
    __doc__ = PlainNgramModel.__doc__

    def score_sentences(self, X: object) -> list[SentenceScore]:
        """log p of each sentence, its end included, in nats.

        Raises UserError for documents without word order.

        >>> model = NgramModel(2, min_count=1, max_iter=5, random_state=0).fit(["a cat sat. a cat ran."])
        >>> [score.words for score in model.score_sentences(["A cat. A cat sat."])]
        [2, 3]
        """
        check_is_fitted(self)
        if not isinstance(X, Corpus):
            given = document_input(X, empty_lists=True)
            if given.form == "tokens":
                given = given._replace(values=list(map(self._tokens_of_document, given.values)))
            tokens = token_sequences(given, self.vocabulary_, self.analysis_)
            if tokens is not None:
                return list(sentence_scores(scores_of_tokens(self._log_words_learned, tokens, self.base_)))
            X = given.values
        corpus = self._as_corpus(X, reset=False)
        return scores_by_sentence(corpus, self.scores(corpus))

    def rescaled_perplexity(self, X: object, topics: Estimator, exponent: float = 0.7) -> float:
        """Perplexity of documents if probabilities are rescaled by the document's topics (unigram rescaling,
        Gildea and Hofmann 1999): p(w | context) (p(w | document) / p(w))^exponent, normalised at every word.

        `topics`: a fitted LDA or HDP; a document's topic shares are updated word by word. Words that it lacks
        have the ratio 1, so learn it from all words. Raises UserError for a model without such topics.
        """

        def nats_and_tokens(corpus: Corpus) -> tuple[float, float]:
            return RescaledSums.of(self._rescaled_scores(corpus, topics, exponent)).parts["rescaled_all"]

        return float(np.exp(-self._per_token(X, nats_and_tokens)))

    def generate(
        self, n: int = 1, *, beginning: str = "", longest: int = 100, random_state: int = 0
    ) -> list[list[str]]:
        """Draw sentences from the model, as lists of at most `longest` words.

        `beginning`: the words that each begins with. With unknown="spelled", only words of the training text
        are drawn.
        """
        check_is_fitted(self)
        return self._draw_sentences(n, beginning=beginning, longest=longest, random_state=random_state)

    def next_words(self, context: str = "", n: int = 10) -> list[NextWord]:
        check_is_fitted(self)
        return super().next_words(context, n)

    next_words.__doc__ = PlainNgramModel.next_words.__doc__
