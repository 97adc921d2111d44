"""The settings of collapsed Gibbs sampling. The samplers are imported on use, since they need numba."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Sampler
from stickbreaker.core.parameter_fields import with_parameter_section
from stickbreaker.core.records import Array
from stickbreaker.corpus.shards import Shard
from stickbreaker.topics.model.priors.dirichlet import DirichletPrior
from stickbreaker.topics.model.priors.hdp import HDPPrior
from stickbreaker.topics.model.priors.prevalence import PrevalencePrior
from stickbreaker.topics.model.samplers.tokens import TokensInOrder
from stickbreaker.topics.model.slots import Inference, TopicPrior, TopicVocabulary
from stickbreaker.topics.model.solvers.hybrid import Hybrid
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary
from stickbreaker.topics.model.vocabularies.concepts import ConceptVocabulary
from stickbreaker.topics.settings import GibbsParameters

if TYPE_CHECKING:
    from stickbreaker.topics.model.model import TopicModel


@with_parameter_section
class Gibbs(GibbsParameters, Inference):
    """The settings of collapsed Gibbs sampling: every token's topic is drawn, with theta and beta integrated
    out (Zhai 2014, section 4.1).

    >>> Gibbs(chains=4).every
    10
    """

    @property
    def name(self) -> str:
        return "gibbs-delayed" if self.delayed else "gibbs"

    def goes_with(self, documents: type[TopicPrior], words: type[TopicVocabulary]) -> bool:
        single = documents.grows or self.delayed or documents.by_document  # tokens, without paths
        fitting = words.dirichlet if single else words.collapses
        apart = documents.grows or documents.by_document
        return documents.direct and fitting and not (self.delayed and apart)

    def sampler(
        self, model: TopicModel, tokens: TokensInOrder, assignments: NDArray[np.int32], seed: int
    ) -> Sampler:
        """A new Markov chain over the topics of `tokens`, of the kind that the model's documents and words
        need.

        assignments (tokens): the topics with which it starts.
        """
        documents, words = model.documents, model.words
        if isinstance(words, ConceptVocabulary):
            from stickbreaker.topics.model.samplers.tree_gibbs import TreeGibbs

            assert isinstance(documents, DirichletPrior)
            return TreeGibbs(tokens, assignments, documents, words, seed)
        assert isinstance(words, ClosedVocabulary)
        if isinstance(documents, HDPPrior):
            from stickbreaker.topics.model.samplers.hdp_gibbs import DirectAssignment

            return DirectAssignment(tokens, assignments, documents, words, seed)
        from stickbreaker.topics.model.samplers.delayed_gibbs import DelayedGibbs
        from stickbreaker.topics.model.samplers.gibbs import CollapsedGibbs

        if self.delayed:
            assert isinstance(documents, DirichletPrior)
            return DelayedGibbs(tokens, assignments, documents, words, seed)
        assert isinstance(documents, DirichletPrior | PrevalencePrior)
        return CollapsedGibbs(tokens, assignments, documents, words, seed)


def chain_settings(inference: Inference) -> Gibbs | None:
    """The settings of collapsed Gibbs sampling if that is the inference, else None.

    Such a Markov chain runs over the whole corpus and needs no engine.
    """
    return inference if isinstance(inference, Gibbs) else None


def first_assignments(
    model: TopicModel, seeds: Array, shards: Iterable[Shard], seed: int
) -> NDArray[np.int32]:
    """Draw a first topic for every token, given topics' initial counts, to start a chain. Returns the topics
    (tokens) of all shards in turn, sorted by document, then word.

    seeds (rows of the table × topics): the initial counts.
    """
    assert isinstance(model.words, ClosedVocabulary | ConceptVocabulary)
    view = model.expectations(model.start(), seeds, model.words.totals(seeds), None)
    start = Hybrid(burn_in=1, samples=1)
    read = (replace(shard, rows=model.words.reads(shard.rows)) for shard in shards)
    return np.concatenate([start.assign(view, shard, seed) for shard in read])
