"""What a finished run of a grammar says besides its score."""

from typing import TYPE_CHECKING, Any

from stickbreaker.core.errors import counted

if TYPE_CHECKING:
    from stickbreaker.grammars.plain_grammar import PlainAdaptorGrammar


def summarize_grammar(estimator: "PlainAdaptorGrammar") -> tuple[dict[str, Any], list[str]]:
    """How like the words of the text its pieces are, as figures and as a line; nothing if no spaces part the
    words of the text."""
    found = estimator._agreement
    if found is None:
        return {}, []
    line = (
        f"Cut like the words of the text ({counted(found['documents'], 'line')} of it): "
        f"F1 {found['token_f1']:.3f} of words, {found['boundary_f1']:.3f} of boundaries"
    )
    return {"segmentation": found}, [line]
