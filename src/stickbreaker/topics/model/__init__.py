"""Topic models: one model with three slots (documents, words, local solver)."""

from stickbreaker.corpus.spelling.string_prior import Spelling
from stickbreaker.topics.model.model import TopicModel, topic_model
from stickbreaker.topics.model.priors.dirichlet import DirichletPrior
from stickbreaker.topics.model.priors.franchise import FranchisePrior
from stickbreaker.topics.model.priors.hdp import HDPPrior
from stickbreaker.topics.model.samplers.gibbs_settings import Gibbs
from stickbreaker.topics.model.slots import Inference, LocalSolver, TopicPrior, TopicVocabulary
from stickbreaker.topics.model.solvers.franchise import Franchise
from stickbreaker.topics.model.solvers.hybrid import Hybrid
from stickbreaker.topics.model.solvers.mean_field import CoordinateAscent, MeanField
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary
from stickbreaker.topics.model.vocabularies.concept_tree import Concept, ConceptTree
from stickbreaker.topics.model.vocabularies.concepts import ConceptVocabulary
from stickbreaker.topics.model.vocabularies.informed_prior import InformedPrior
from stickbreaker.topics.model.vocabularies.open import OpenWords
from stickbreaker.topics.model.vocabularies.open_settings import OpenVocabulary

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
