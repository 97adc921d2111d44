"""Names in rules that have no rules and do not occur in the text: probably misspelled."""

from collections.abc import Container
from difflib import get_close_matches

from stickbreaker.core.errors import counted, shown
from stickbreaker.grammars.model.grammar import Grammar, Terminal

ALIKE = 0.7  # similarity from which on names are close


def remark_on_unused_names(grammar: Grammar, words: Container[str]) -> str | None:
    """A remark to the user on names in rules that are probably misspelled, or None.

    Such a name has no rules of its own, and is not a symbol of the text (`words`). Always None for the format
    of PyAdaGram, in which terminals are in quotes.

    >>> grammar = Grammar.from_text("1 1 S --> Word Wrod\\n1 1 Word --> a", "rules.lt")
    >>> remark_on_unused_names(grammar, {"a"})
    "rules.lt:1: 'Wrod' has no rules and does not occur in the text; did you mean 'Word'?"
    """
    if not grammar.unquoted:
        return None
    lines: dict[str, int | None] = {}
    for rule in grammar.rules:
        for child in rule.children:
            if isinstance(child, Terminal) and child not in words:
                lines.setdefault(str(child), rule.line)
    if not lines:
        return None
    close = {name: get_close_matches(name, grammar.symbols, 1, ALIKE) for name in list(lines)[:1000]}
    name = max(close, key=lambda one: bool(close[one]))  # the first name with a close one
    place = grammar.where or "the grammar"
    remark = f"{place}:{lines[name]}: {shown(name)} has no rules and does not occur in the text"
    if close[name]:
        remark += f"; did you mean {shown(close[name][0])}?"
    others = len(lines) - 1
    return remark + (f" ({counted(others, 'other name', 'other names')} as well)" if others else "")
