"""Topic n-gram language models, as users import them."""

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from stickbreaker.core.records import Array
from stickbreaker.estimators.scikit_learn import ScikitLearn
from stickbreaker.estimators.settings import ELSEWHERE
from stickbreaker.ngrams.plain_topic_ngram import PlainTopicNgramModel
from stickbreaker.ngrams.sentence_scores import SentenceScore, scores_by_sentence


class TopicNgramModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ScikitLearn, PlainTopicNgramModel):
    __doc__ = PlainTopicNgramModel.__doc__

    elsewhere: ClassVar[Mapping[str, str]] = {
        **ELSEWHERE,
        "n_components": "n_topics",
        "num_topics": "n_topics",
    }

    def transform(self, X: Any) -> Array:
        """Topic shares of documents (documents × topics); rows sum to one.

        A function of each document alone. Words of the common model do not count; a document without words
        has the prior's mean. Raises UserError for documents without order; warns (UserWarning) if no document
        has a known word.
        """
        check_is_fitted(self)
        corpus = self._as_corpus(X, reset=False)
        if corpus.n_tokens == 0.0:
            warnings.warn("no document has a word that the model knows", UserWarning, stacklevel=3)
        blocks = range(len(corpus.block_sizes))
        return np.concatenate([np.empty((0, self.n_shares)), *(self.block_shares(corpus, b) for b in blocks)])

    def score_sentences(self, X: Any, document: Any = None) -> list[SentenceScore]:
        """How probable each sentence is: log p of its words and of its end, in nats.

        Topics adapt within each sentence alone, or after `document`, a text, if one is given. Raises
        UserError for documents without order.
        """
        check_is_fitted(self)
        corpus = self._as_corpus(X, reset=False)
        seen = None if document is None else self._as_corpus([document], reset=False)
        return scores_by_sentence(corpus, self.scores_of_sentences(corpus, seen))

    def generate(
        self,
        n: int = 1,
        *,
        topic: int | None = None,
        document: Any = None,
        beginning: str = "",
        longest: int = 100,
        random_state: int = 0,
    ) -> list[list[str]]:
        """Sentences drawn from the model, as lists of words; of `longest` words at most.

        Each is of a document of its own, whose topics are drawn from the prior, or given a `document` (a
        text) that it comes after; or all that is of a topic is of `topic`. `beginning`: the words that each
        begins with.
        """
        check_is_fitted(self)
        seen = None if document is None else self._as_corpus([document], reset=False)
        return self.draw_sentences(
            n, topic=topic, seen=seen, beginning=beginning, longest=longest, random_state=random_state
        )

    def top_words(self, n: int = 10) -> list[list[str]]:
        check_is_fitted(self)
        return super().top_words(n)

    top_words.__doc__ = PlainTopicNgramModel.top_words.__doc__

    @property
    def _n_features_out(self) -> int:
        return self.n_shares
