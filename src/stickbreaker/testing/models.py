"""The laws of topic models besides those of estimators: planted topics are found, the bound never falls."""

from typing import Any, ClassVar

import numpy as np
import pytest

from stickbreaker.core.records import Array
from stickbreaker.learning.schedules import Online
from stickbreaker.testing.planted import Planted, matched, plant_topics


class ModelTests:
    """Tests that hold for all topic models. Subclass and implement `make(**settings)`.

    It must return an estimator of five topics with a fixed random_state.
    """

    recovers = 0.95  # least cosine of a planted topic and its match
    passes = 60  # passes that a batch run may need to find them
    _fitted: ClassVar[dict[tuple[object, ...], Any]] = {}

    def make(self, **settings: object) -> Any:
        raise NotImplementedError

    def planted(self) -> Planted:
        """Data drawn from a known model."""
        return plant_topics()

    def words(self, n_words: int) -> list[str]:
        """The names that the model gives to the columns of the data: "x0", "x1", …."""
        return [f"x{word}" for word in range(n_words)]

    def fitted(self, **settings: object) -> Any:
        """A model fitted to the planted data, once for all tests of a class; do not change it."""
        key = (type(self), *sorted(settings.items()))
        if key not in self._fitted:
            self._fitted[key] = self.make(**settings).fit(self.planted().counts)
        return self._fitted[key]

    def topics_of(self, model: Any, n_words: int) -> Array:
        """E[beta] of a fitted model (topics × planted words); 0 for words that it does not have."""
        columns = model.vocabulary_.lookup(self.words(n_words))
        return np.where(columns >= 0, model.topic_word_[:, columns], 0.0)

    def test_planted_topics_are_found(self) -> None:
        """Law 7: a model fitted to data of known topics finds these topics, and the documents' shares."""
        planted = self.planted()
        found = self.fitted(max_iter=self.passes)
        chosen, cosines = matched(self.topics_of(found, planted.topics.shape[1]), planted.topics)
        assert cosines.min() > self.recovers, cosines
        theta = found.transform(planted.counts)[:, chosen]
        assert np.abs(theta - planted.theta).mean() < 0.05


class VariationalTests(ModelTests):
    """Tests that hold for topic models that learn by variational inference, online too."""

    def test_online_with_one_minibatch_of_all_and_rate_one_is_batch(self) -> None:
        """Law 3: online with one minibatch of all documents and rate one equals batch inference."""
        X = self.planted().counts
        whole = Online(batch_size=len(self.planted().theta), kappa=0.0, tau0=1.0, shuffle=False)
        for passes in (1, 4):
            batch = self.make(max_iter=passes, tol=0.0).fit(X)
            online = self.make(schedule=whole, max_iter=passes, tol=0.0).fit(X)
            assert online.components_ == pytest.approx(batch.components_, rel=1e-9)
            assert online.alpha_ == pytest.approx(batch.alpha_, rel=1e-9)


class MeanFieldTests(VariationalTests):
    """Tests that hold for variational topic models whose bound is computed exactly."""

    def test_bound_never_falls_when_local_records_are_kept(self) -> None:
        """Law 1: the bound never falls if documents' records are carried from pass to pass.

        This holds to single precision, if the inner loops have converged, with alpha fixed or learned.
        """
        for alpha in (0.1, "learned"):
            model = self.make(
                alpha=alpha, keep_local=True, doc_max_iter=500, doc_tol=1e-6, max_iter=25, tol=0.0, n_jobs=1
            ).fit(self.planted().counts)
            scores = np.array([record["score"] for record in model.trace_])
            assert {record["kind"] for record in model.trace_} == {"bound"}
            assert (np.diff(scores) > -1e-6 * np.abs(scores[1:])).all(), scores
