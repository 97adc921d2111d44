"""scikit-learn's conventions, for topic models: see `estimators/scikit_learn.py`."""

import warnings
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from stickbreaker.core.arguments import refuse_other_number
from stickbreaker.core.threads import alone_with
from stickbreaker.core.topk import largest
from stickbreaker.corpus.frames import as_frame
from stickbreaker.corpus.readers.document_inputs import once_read
from stickbreaker.estimators.document_tables import ALL_UNSEEN
from stickbreaker.estimators.with_topics import WithTopics
from stickbreaker.topics.model.word_ranking import DEFAULT
from stickbreaker.topics.topic_estimator import TopicEstimator

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.utils import Tags


class ScikitLearnTopics(  # pyright: ignore[reportIncompatibleVariableOverride] (vocabulary_)
    WithTopics, TopicEstimator
):
    """The public methods of topic estimators, with scikit-learn's names: `transform`, `score`, words of
    topics, online learning.
    """

    def __sklearn_tags__(self) -> "Tags":
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def partial_fit(self, X: object, y: object = None) -> Self:
        """Learn from the documents `X` by one online step, as one minibatch in their order; continues what
        `fit` or earlier calls have learned.

        The first call fixes the analysis of texts, and the vocabulary if it is closed.

        `kappa`, `tau0` and `total` of an `Online` schedule apply; the corpus size D is `total`, or the number
        of documents seen so far, those of `fit` counted once. Calls from several threads are processed one
        after another, in order.
        """
        from stickbreaker.topics.runs import topic_stream  # brings numba, which takes a while

        with alone_with(self):
            begun = "state_" in vars(self)
            analysis, grows = self.analysis_ if begun else None, begun and self._is_open
            corpus = self._as_corpus(X, reset=not begun, analysis=analysis, grows=grows)
            topic_stream.partial_fit(self, corpus, begun)
        remark = None if begun else self._remark()
        if remark is not None:
            warnings.warn(remark, UserWarning, stacklevel=2)
        return self

    def _remark(self) -> str | None:
        return self._model.words.remark()

    def fit_transform(self, X: object, y: object = None, **fit_params: object) -> NDArray[np.float64]:
        """Fit to the documents `X`, then return their topic shares: `fit` and `transform` in one call."""
        return super().fit_transform(once_read(X), y, **fit_params)

    def transform(self, X: object) -> NDArray[np.float64]:
        """Topic shares E[theta] of documents (documents × topics); rows sum to one.

        Each row depends only on its document, not on other documents, order or threads. Documents without
        known words get the prior mean. With `prevalence` the prior is that of the document's metadata, or
        without these the mean. Warns (UserWarning) if no document has known words, and if documents lack
        metadata of the prior.
        """
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)  # raises; takes longer than the words of a sentence
        if self._model.covariates is not None:
            corpus = self._as_corpus(X, reset=False)
            remark = ALL_UNSEEN if corpus.n_tokens == 0.0 else self._remark_on_documents(corpus)
            if remark is not None:
                warnings.warn(remark, UserWarning, stacklevel=3)
            return np.concatenate([self._block_shares(corpus, b) for b in range(len(corpus.block_sizes))])
        known, shares = False, list[NDArray[np.float64]]()
        for bags in self._known_bags(X):
            known = known or len(bags.words) > 0
            shares.append(self._infer_shares(bags))
        if not known:
            warnings.warn(ALL_UNSEEN, UserWarning, stacklevel=3)  # scikit-learn wraps transform
        return np.concatenate(shares)

    def score(self, X: object, y: object = None) -> float:
        """Log probability of documents given what was learned, in nats per token: higher is better.

        Each word is predicted from the words before it, with the posterior means of the topics: given these,
        the probabilities of all words sum to one, whatever the inference. Not affected by `fold_in`. Tokens
        of unknown words are left out; with an open vocabulary they are predicted by their spelling. For the
        objective of inference see `bound`.

        Raises UserError if no document has a known word.
        """
        return super().score(X)

    def bound(self, X: object) -> float:
        """The lower bound on the log probability of documents that inference maximises, in nats per token.

        It contains E[log beta], and so is far below `score` for rare words: use it to compare runs on the
        same documents, not as a prediction. With `fold_in="sampled"` it is estimated. Unknown words are left
        out.

        Raises UserError if no document has a known word.
        """
        return self._per_token(X, self._bound_documents)

    def top_words(self, n: int = 10, language: str | None = None, by: str = DEFAULT) -> list[list[str]]:
        """The `n` top words of each topic.

        `by` "support": words that many of the topic's documents support, more than elsewhere, with the first
        30 also ordered by how often they occur within 200 words of each other; "documents": words in a larger
        share of the topic's documents than of all documents, weighted by that share; "company": these, with
        the first 30 also ordered by how often they occur together in documents; "relevance": frequent in the
        topic, and more than elsewhere (Sievert and Shirley 2014, λ of 0.6); "probability": the most frequent.
        For a polylingual model, those of each language in turn, such as "de:haus", or those of one
        `language`. Words of `unused_topics_` are not meaningful. Raises
        UserError for another `by`, for "company" if documents were not counted (streams), and for a language
        that the model does not have.
        """
        check_is_fitted(self)
        return super().top_words(n, language, by)

    def effects(self, X: object, formula: str, *, draws: int = 25, random_state: int = 0) -> "pd.DataFrame":
        """Effects of documents' metadata on their topics, by a formula as in R: "party + year".

        X: documents with metadata, as for `fit`. Returns one row per topic and term: `topic`, `name`, `term`,
        `estimate` (change of the topic's share, 0 to 1, per unit of the term), `error` (its standard error),
        and the bounds `low` and `high` of the central 95 % of the draws (see `evaluation.effects`). Raises
        UserError for an invalid formula, and if formulaic or pandas is missing.
        """
        from stickbreaker.topics.effects_of_metadata import effects_of_metadata

        check_is_fitted(self)
        corpus = self._as_corpus(X, reset=False)
        found = effects_of_metadata(self, corpus, formula, draws=draws, seed=random_state)
        names = self.topic_names_ or [None] * len(self.alpha_)
        return as_frame(found.table(names))

    def representative_documents(self, X: object, n: int = 5) -> list[list[int]]:
        """For each topic, the positions in `X` of the `n` documents that have the largest share of it,
        largest first; ties in order of `X`.
        """
        refuse_other_number("n", n)
        theta = self.transform(X)
        return largest(theta.T, n)[0].tolist()

    @property
    def _n_features_out(self) -> int:
        return len(self.alpha_)
