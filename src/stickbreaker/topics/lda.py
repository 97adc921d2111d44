"""The public class of latent Dirichlet allocation, `LDA`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from stickbreaker.corpus.frames import as_frame
from stickbreaker.corpus.readers.separate_metadata import with_metadata
from stickbreaker.topics.topics_front import TopicsFront

if TYPE_CHECKING:  # so that editors and type checkers know its parameters
    import pandas as pd

    from stickbreaker.topics.settings import LDASettings

    Parameters = LDASettings
else:
    Parameters = object


class LDA(TopicsFront, Parameters, kind="LDA"):
    """Latent Dirichlet allocation: documents as mixtures of topics, topics as distributions over words.

    Attributes
    ----------
    components_ : (topics × words) parameters lambda of q(beta), expected counts plus eta.
    topic_word_ : (topics × words) E[beta]; rows sum to one, over the words of each language.
    alpha_ : (topics,); eta_ : number or array.
    topic_names_ : (topics,) the name of each topic, by `name_topics` or the guide; None without one.
    merges_ : for each time that topics were merged after a fit, the new number of each topic.
    topic_shares_ : (topics,) share of the tokens that each topic explains.
    bound_ : nats per token of the last pass: the exact bound in batch mean-field runs, an estimate in online
        and hybrid ones, log p(w, z) of the last sample in Gibbs sampling.
    n_iter_ : passes done; converged_ : whether they ended before max_iter; trace_ : list of records.
    learned_ : all that was learned, as a record that never changes.

    >>> from stickbreaker import LDA
    >>> model = LDA(n_topics=2, random_state=0).fit(["a river bank", "bank money"])
    >>> model.transform(["river money"]).shape
    (1, 2)
    """

    __metadata_request__fit: ClassVar[dict[str, str]] = {"metadata": UNUSED}
    __metadata_request__transform: ClassVar[dict[str, str]] = {"metadata": UNUSED}

    def fit(self, X: object, y: object = None, *, metadata: object = None, **others: object) -> Self:
        """Learn from `X`: a Corpus, texts or lists of tokens, a table, records, or a matrix of counts.

        Texts and lists of tokens come as a list, an array, a column (a Series or an Arrow array) or a
        generator; their `metadata`, for `prevalence`, as a table or a list of dicts with a row for each. For
        a table (pandas, polars, Arrow) with texts, and for records (dicts), the column `text` is read, which
        has strings or lists of tokens; the others are metadata. A text may be a dict of texts by language
        code: then topics have words of all languages.

        Raises UserError for invalid parameters or documents. Warns (ConvergenceWarning) if `max_iter` passes
        were not enough for `tol`, and (UserWarning) about concepts without an effect, and if there are more
        topics than documents. If several threads call it, each learns, and the last one counts. Raises
        TypeError for `sample_weight`, as documents have no weights.
        """
        return self._learn_from(with_metadata(X, metadata), others)

    def fit_transform(
        self, X: object, y: object = None, *, metadata: object = None, **fit_params: object
    ) -> NDArray[np.float64]:
        """Fit to the documents `X`, then return their topic shares: `fit` and `transform` in one call."""
        return super().fit_transform(with_metadata(X, metadata), y, **fit_params)

    def transform(self, X: object, *, metadata: object = None) -> NDArray[np.float64]:
        """Topic shares E[theta] of documents (documents × topics); rows sum to one.

        Each row depends only on its document, not on other documents, order or threads. Documents without
        known words get the prior mean. With `prevalence` the prior is that of the document's metadata, from
        the columns of a table, a Corpus, or `metadata` of texts as for `fit`, or without these the mean.
        Warns (UserWarning) if no document has known words, and if documents lack metadata of the prior.
        """
        return self._shares_of(with_metadata(X, metadata))

    def expected_shares(self, at: str | None = None) -> pd.DataFrame:
        """Expected topic shares by the metadata on which the prior depends, for a model with `prevalence`.

        at: values of fields, as "party=A, year=1990:2020"; all else is average. None: the levels of each
        field, or its mean, smallest and largest number. Returns one row per topic and place: `topic`, `name`,
        `at`, `documents` (learned from, if known), `share` with the bounds `low` and `high` of 95 %,
        `compared_with`, and `difference` with its bounds. The uncertainty of the topics themselves is not in
        the bounds. Raises UserError for a model without `prevalence`, and for unknown values.
        """
        from stickbreaker.topics.effects_of_prevalence import expected_shares

        check_is_fitted(self)
        return as_frame(expected_shares(self.learned_, at).table(self.topic_names_))
