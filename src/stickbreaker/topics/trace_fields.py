"""What records of the trace of a topic model hold beside those of every model."""

from stickbreaker.core.json_checks import is_amount, is_count, is_number, list_of, record_with
from stickbreaker.topics.runs.stream_warnings import is_warning

_PREQUENTIAL = {  # how a stream's minibatch was predicted before it was learned from
    **dict.fromkeys(("score", "unigram"), is_number),
    **dict.fromkeys(("tokens", "unseen", "fading"), is_amount),
    "documents": is_count,
}
TRACE_FIELDS = {
    **dict.fromkeys(("topics", "used"), is_count),
    "prequential": record_with(_PREQUENTIAL),
    "warnings": list_of(is_warning),
}
