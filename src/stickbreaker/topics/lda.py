"""The public class of latent Dirichlet allocation, `LDA`."""

from typing import TYPE_CHECKING

from sklearn.utils.validation import check_is_fitted

from stickbreaker.corpus.frames import as_frame
from stickbreaker.topics.plain_lda import PlainLDA
from stickbreaker.topics.scikit_learn import ScikitLearnTopics

if TYPE_CHECKING:
    import pandas as pd


class LDA(ScikitLearnTopics, PlainLDA):
    __doc__ = PlainLDA.__doc__

    def expected_shares(self, at: str | None = None) -> "pd.DataFrame":
        """Expected topic shares by the metadata on which the prior depends, for a model with `prevalence`.

        at: values of fields, as "party=A, year=1990:2020"; all else is average. None: the levels of each
        field, or its mean, smallest and largest number. Returns one row per topic and place: `topic`, `name`,
        `at`, `documents` (learned from, if known), `share` with the bounds `low` and `high` of 95 %,
        `compared_with`, and `difference` with its bounds. The uncertainty of the topics themselves is not in
        the bounds. Raises UserError for a model without `prevalence`, and for unknown values.
        """
        from stickbreaker.topics.effects_of_prevalence import expected_shares

        check_is_fitted(self)
        return as_frame(expected_shares(self, at).table(self.topic_names_ or [None] * len(self.alpha_)))
