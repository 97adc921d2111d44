"""How good topics are: held-out likelihood, by completion or left to right, and coherence of top words."""

from stickbreaker.evaluation.coherence import Coherence, npmi
from stickbreaker.evaluation.completion import Completion, completion_score, split_halves, unigram_score
from stickbreaker.evaluation.left_to_right import left_to_right_score

__all__ = [
    "Coherence",
    "Completion",
    "completion_score",
    "left_to_right_score",
    "npmi",
    "split_halves",
    "unigram_score",
]
