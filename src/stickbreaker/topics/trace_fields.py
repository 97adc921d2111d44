"""Fields that the trace records of topic models have in addition to those of all models, with their
checks, and what their scores are called.
"""

from stickbreaker.core.json_checks import is_amount, is_count, is_number, list_of, record_with
from stickbreaker.learning.run import ScoreNames
from stickbreaker.topics.runs.stream_warnings import is_warning

OPEN, CLOSE = "open", "close"  # first words of the plans of a stream's births and deaths
ALIKE = "alike"  # first word of the plans of an online run's merges, which documents judge
_PREQUENTIAL = {  # prediction of a stream's minibatch before learning from it
    **dict.fromkeys(("score", "unigram"), is_number),
    **dict.fromkeys(("tokens", "unseen", "fading"), is_amount),
    "documents": is_count,
}
SCORE_NAMES = ScoreNames(documents="documents given topics")
TRACE_FIELDS = {
    **dict.fromkeys(("topics", "used"), is_count),
    "prequential": record_with(_PREQUENTIAL),
    "warnings": list_of(is_warning),
}
