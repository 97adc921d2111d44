"""Topic models: one model with three slots (documents, words, local solver)."""

from stickbreaker.models.topics.model import TopicModel, topic_model
from stickbreaker.models.topics.priors.dirichlet import DirichletPrior
from stickbreaker.models.topics.priors.franchise import FranchisePrior
from stickbreaker.models.topics.priors.hdp import HDPPrior
from stickbreaker.models.topics.samplers.gibbs_settings import Gibbs
from stickbreaker.models.topics.slots import Inference, LocalSolver, TopicPrior, TopicVocabulary
from stickbreaker.models.topics.solvers.franchise import Franchise
from stickbreaker.models.topics.solvers.hybrid import Hybrid
from stickbreaker.models.topics.solvers.mean_field import CoordinateAscent, MeanField
from stickbreaker.models.topics.vocabularies.closed import ClosedVocabulary
from stickbreaker.models.topics.vocabularies.concept_tree import Concept, ConceptTree
from stickbreaker.models.topics.vocabularies.concepts import ConceptVocabulary
from stickbreaker.models.topics.vocabularies.informed_prior import InformedPrior
from stickbreaker.models.topics.vocabularies.open import OpenWords
from stickbreaker.models.topics.vocabularies.open_settings import OpenVocabulary
from stickbreaker.models.topics.vocabularies.string_prior import Spelling

__all__ = [
    "ClosedVocabulary",
    "Concept",
    "ConceptTree",
    "ConceptVocabulary",
    "CoordinateAscent",
    "DirichletPrior",
    "Franchise",
    "FranchisePrior",
    "Gibbs",
    "HDPPrior",
    "Hybrid",
    "Inference",
    "InformedPrior",
    "LocalSolver",
    "MeanField",
    "OpenVocabulary",
    "OpenWords",
    "Spelling",
    "TopicModel",
    "TopicPrior",
    "TopicVocabulary",
    "topic_model",
]
