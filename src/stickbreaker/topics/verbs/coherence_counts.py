"""What the measures of coherence have counted, for JSON and as a line of text."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject

if TYPE_CHECKING:
    from stickbreaker.topics.evaluation.coherence import Coherences

COUNTS = "coherence_counts"  # these numbers in the records of a search; older ones lack them


def coherence_counts(measured: Sequence["Coherences"]) -> JsonObject:
    """The numbers of documents and windows in which coherence counted words, summed over languages; None for
    windows if the order of words is unknown.

    measured: one for each language, at least one.
    """
    from stickbreaker.topics.evaluation.coherence import TEXT_WINDOW

    ordered = measured[0].ordered
    return {
        "documents": max(scores.documents for scores in measured),
        "windows": sum(scores.windows for scores in measured) if ordered else None,
        "text_windows": sum(scores.texts for scores in measured) if ordered else None,
        "words_per_text_window": TEXT_WINDOW if ordered else None,
    }


def counted_line(counts: JsonObject) -> str:
    """What the measures of coherence have counted, as text; counts: those of `coherence_counts`."""
    if counts["windows"] is None:
        return "all measures count whole documents, since the order of words is unknown"
    return (
        f"NPMI counts {counted(counts['text_windows'], 'window')} of "
        f"{counts['words_per_text_window']} words, UMass documents, C_v "
        f"{counted(counts['windows'], 'window')}"
    )
