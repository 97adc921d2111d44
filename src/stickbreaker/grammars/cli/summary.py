"""How well a grammar's finished run cuts its text, for the summary that the program prints."""

from typing import TYPE_CHECKING

from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject

if TYPE_CHECKING:
    from stickbreaker.grammars.learned import GrammarLearned


def summarize_grammar(learned: "GrammarLearned") -> tuple[JsonObject, list[str]]:
    """For the summary of a finished run: how well the grammar's pieces agree with the words of its text.

    Returns values for JSON, and a line of text in a list; both are empty if this was not measured, as when
    the text has no spaces between words.
    """
    found = learned.agreement
    if found is None:
        return {}, []
    line = (
        f"Cut like the words of the text ({counted(found['documents'], 'line')} of it): "
        f"F1 {found['token_f1']:.3f} of words, {found['boundary_f1']:.3f} of boundaries"
    )
    return {"segmentation": found}, [line]
