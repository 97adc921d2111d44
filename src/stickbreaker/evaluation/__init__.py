"""How good topics are: held-out prediction by document completion, and coherence of the top words."""

from stickbreaker.evaluation.coherence import Coherence, npmi
from stickbreaker.evaluation.completion import Completion, completion_score, split_halves, unigram_score

__all__ = ["Coherence", "Completion", "completion_score", "npmi", "split_halves", "unigram_score"]
