"""The public class of the hierarchical Dirichlet process, `HDP`."""

from dataclasses import replace

from sklearn.utils.validation import check_is_fitted

from stickbreaker.core.errors import UserError
from stickbreaker.engines import LocalEngine
from stickbreaker.topics.lda import LDA
from stickbreaker.topics.plain_hdp import PlainHDP
from stickbreaker.topics.scikit_learn import ScikitLearnTopics


class HDP(ScikitLearnTopics, PlainHDP):
    __doc__ = PlainHDP.__doc__

    def to_lda(self) -> LDA:
        """The topics in use as a fitted `LDA`, for programs that need one; its prior of documents' topic
        shares is the HDP's learned one, fixed.

        Raises UserError for an open vocabulary or one with concepts, and NotFittedError before `fit`.

        >>> HDP(3, max_iter=5, tol=0.0).fit(["a river bank", "bank money"]).to_lda().alpha_.ndim
        1
        """
        check_is_fitted(self)
        if not self._model.words.dirichlet:
            raise UserError("to_lda needs a closed vocabulary", remedy='fit with words="closed"')
        lda = LDA(self.n_topics_, alpha=self.alpha_, eta=self.eta_, random_state=self.seed_)
        lda.set_params(fold_in=self.fold_in, doc_max_iter=self.doc_max_iter, doc_tol=self.doc_tol)
        lda.set_params(n_jobs=self.n_jobs)
        for name in ("vocabulary_", "analysis_", "corpus_", "seed_", "trace_", "n_features_in_"):
            setattr(lda, name, getattr(self, name))
        model, engine = lda._topic_model(self.vocabulary_, self.analysis_), LocalEngine(1)
        engine.start(model, self.engine_.table.counts(slice(None))[:, self.topic_columns_])
        lda._take(model, engine, replace(self.state_, params=model.start()))
        lda.word_documents_ = self.word_documents_
        return lda
