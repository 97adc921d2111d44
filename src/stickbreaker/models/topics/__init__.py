"""Topic models: one model with three slots (documents, words, local solver)."""

from stickbreaker.models.topics.documents import FiniteTopics
from stickbreaker.models.topics.franchise import FranchiseTopics
from stickbreaker.models.topics.franchise_solver import Franchise
from stickbreaker.models.topics.growing import GrowingTopics
from stickbreaker.models.topics.hybrid import Hybrid
from stickbreaker.models.topics.informed import InformedPrior
from stickbreaker.models.topics.mean_field import CoordinateAscent, MeanField
from stickbreaker.models.topics.model import TopicModel, topic_model
from stickbreaker.models.topics.open_vocabulary import OpenVocabulary
from stickbreaker.models.topics.open_words import OpenWords
from stickbreaker.models.topics.sampling import Gibbs
from stickbreaker.models.topics.slots import Inference, LocalSolver, TopicPrior, TopicVocabulary
from stickbreaker.models.topics.spelling import Spelling
from stickbreaker.models.topics.words import ClosedVocabulary

__all__ = [
    "ClosedVocabulary",
    "CoordinateAscent",
    "FiniteTopics",
    "Franchise",
    "FranchiseTopics",
    "Gibbs",
    "GrowingTopics",
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
