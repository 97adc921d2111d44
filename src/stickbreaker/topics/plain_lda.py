"""The parameters of latent Dirichlet allocation, and the model that they describe."""

from typing import ClassVar, Self

import numpy as np

from stickbreaker.contracts.contract import Move
from stickbreaker.core.errors import UserError
from stickbreaker.core.parameter_fields import with_parameter_section
from stickbreaker.topics.formula_grammar import read_formula
from stickbreaker.topics.model.moves.exchange import exchanges_of
from stickbreaker.topics.model.priors.dirichlet import DirichletPrior
from stickbreaker.topics.model.priors.prevalence import PrevalencePrior
from stickbreaker.topics.model.slots import TopicPrior, TopicVocabulary
from stickbreaker.topics.parameters import LDAParameters
from stickbreaker.topics.topic_estimator import TopicEstimator
from stickbreaker.topics.topic_settings import concentration

CHAIN_ALPHA = 0.1  # start of a learned alpha in a chain: with less, tokens hardly change their topics
STREAM_ALPHA = 0.2  # if learned, alpha would favour the topics that came first


@with_parameter_section
class PlainLDA(LDAParameters, TopicEstimator):
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

    >>> from stickbreaker import LDA
    >>> model = LDA(n_topics=2, random_state=0).fit(["a river bank", "bank money"])
    >>> model.transform(["river money"]).shape
    (1, 2)
    """

    kind: ClassVar[str] = "LDA"
    _documents_slot: ClassVar[str] = "finite"

    def _for_stream(self) -> Self:
        made = super()._for_stream()
        made.alpha = STREAM_ALPHA if self.alpha is None else self.alpha
        return made

    def _as_it_started(self) -> Self:
        made = super()._as_it_started()
        if self._began_as_stream:
            made.alpha = STREAM_ALPHA if self.alpha is None else self.alpha
        return made

    def _slot(self) -> str:
        return self._documents_slot if self.prevalence is None else PrevalencePrior.name

    def _documents(self, stream: bool) -> DirichletPrior | PrevalencePrior:
        K, given = int(self._n_topics_at_start()), self.alpha
        if given is None:
            given = STREAM_ALPHA if stream and self.prevalence is None else "learned"
        start = 1.0 / K if self._gibbs_settings() is None else max(1.0 / K, CHAIN_ALPHA)
        alpha, learned = concentration("alpha", given, {"topics": (K,)}, start)
        alphas = tuple(np.broadcast_to(alpha, K).tolist())
        if self.prevalence is not None:
            if not learned or str(given).startswith("learned-symmetric"):
                remedy = 'leave out alpha, or give where it starts, as in "learned:0.5"'
                raise UserError(f"prevalence learns alpha, and alpha={given!r}", remedy=remedy)
            read_formula(self.prevalence, prior=True)
            return PrevalencePrior(alphas, self.prevalence)
        return DirichletPrior(alphas, learned, str(given).startswith("learned-symmetric"))

    def _moves(
        self, schedule: str, documents: TopicPrior, words: TopicVocabulary, sampled: bool
    ) -> tuple[Move, ...]:
        return () if self.moves is None or documents.by_document else exchanges_of(words, schedule)
