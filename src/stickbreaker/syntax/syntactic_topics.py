"""Syntactic topic models, as users import them."""

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from stickbreaker.core.records import Array
from stickbreaker.estimators.scikit_learn import ScikitLearn
from stickbreaker.estimators.settings import ELSEWHERE
from stickbreaker.syntax.plain_syntactic_topics import PlainSyntacticTopics


class SyntacticTopics(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ScikitLearn, PlainSyntacticTopics):
    __doc__ = PlainSyntacticTopics.__doc__

    elsewhere: ClassVar[Mapping[str, str]] = {
        **ELSEWHERE,
        "n_components": "n_topics",
        "num_topics": "n_topics",
    }

    def transform(self, X: Any) -> Array:
        """Topic shares of documents (documents × topics): of the words of each, the share that every topic is
        expected to have; rows sum to one.

        A function of each document alone: no other document, order or thread changes a row. Documents
        without words get the mean of what is expected of any. Raises UserError for documents without trees;
        warns (UserWarning) where none has a known word.
        """
        check_is_fitted(self)
        corpus = self._as_corpus(X, reset=False)
        if corpus.n_tokens == 0.0:
            warnings.warn("no document has a word that the model knows", UserWarning, stacklevel=3)
        blocks = range(len(corpus.block_sizes))
        return np.concatenate([np.empty((0, self.n_shares)), *(self.block_shares(corpus, b) for b in blocks)])

    def score(self, X: Any, y: object = None) -> float:
        """Log probability of sentences given others of their documents, in nats per word: higher is better.

        A document's shares are drawn from its odd-numbered sentences, and each of the others is predicted by
        an exact sum over the topics of its tree; of a document of one sentence, that one. Only words of the
        vocabulary count. Raises UserError where there is nothing to score, and for documents without trees.
        """
        return super().score(X)

    def top_words(self, n: int = 10) -> list[list[str]]:
        """The `n` most probable words of each topic."""
        check_is_fitted(self)
        return super().top_words(n)

    @property
    def _n_features_out(self) -> int:
        return self.n_shares
