"""The conventions of scikit-learn, for estimators that compute documents' shares of topics."""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from stickbreaker.core.records import Array
from stickbreaker.estimators.document_tables import ALL_UNSEEN, DocumentTable, frame_of_topics
from stickbreaker.estimators.plain_learner import PlainLearned
from stickbreaker.estimators.scikit_learn import ScikitLearn

if TYPE_CHECKING:
    import pandas as pd


class WithTopics(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ScikitLearn):
    """Base of the public estimators with topics: documents' shares, data frames of documents and topics."""

    def transform(self, X: object) -> Array:
        """Topic shares of documents (documents × topics); rows sum to one.

        Each row depends only on its document, not on other documents, their order or threads. A document
        without a known word gets the prior's mean. Raises UserError for documents that `fit` does not accept;
        warns (UserWarning) if none has a known word.
        """
        check_is_fitted(self)
        corpus = self._as_corpus(X, reset=False)
        if corpus.n_tokens == 0.0:
            warnings.warn(ALL_UNSEEN, UserWarning, stacklevel=3)  # scikit-learn wraps transform
        blocks = range(len(corpus.block_sizes))
        return np.concatenate(
            [np.empty((0, self._n_shares)), *(self._block_shares(corpus, b) for b in blocks)]
        )

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Names of the columns of `transform`: "lda0", "lda1" and so on, by the name of the class.

        input_features : names of the columns that the model was fitted to; None, and for a model of texts
            whatever the column of texts is called. Raises ValueError for other columns than those of the fit.

        >>> from stickbreaker import LDA
        >>> model = LDA(2, max_iter=2, tol=0.0).fit(["a river bank", "a boat on the river"])
        >>> model.get_feature_names_out(["text"]).tolist()
        ['lda0', 'lda1']
        """
        check_is_fitted(self)
        return super().get_feature_names_out(input_features if self._knows_columns else None)

    def documents_frame(self, X: object) -> "pd.DataFrame":
        """A row for each document, as a pandas DataFrame: its id, its metadata, topic and topic shares.

        X: what `transform` takes. `topic` is the number of the topic with the largest share, missing if a
        document has no known word; `topic0` and so on are the shares. A field of metadata that has the name
        of another column is called "metadata.id" and so on. Raises UserError if pandas is not installed.
        """
        check_is_fitted(self)
        return DocumentTable(PlainLearned.of(self), self._as_corpus(X, reset=False), metadata=True).frame()

    def topics_frame(self, n: int = 10) -> "pd.DataFrame":
        """A row for each topic, as a pandas DataFrame: number, name, share of the tokens, `n` top words.

        Names are missing if topics have none. Raises UserError if pandas is not installed.
        """
        check_is_fitted(self)
        model: Any = self
        return frame_of_topics(model.top_words(n), getattr(model, "topic_names_", None), model.topic_shares_)
