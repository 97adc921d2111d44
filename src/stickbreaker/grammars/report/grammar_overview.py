"""The table of remembered subtrees that notebooks show of a learned grammar."""

from stickbreaker.core.errors import counted
from stickbreaker.corpus.overview import MOST_ROWS, Overview
from stickbreaker.grammars.plan import is_sampled
from stickbreaker.grammars.text_grammar import TextGrammar

SUBTREES = 8  # of a symbol


def overview_of_grammar(model: TextGrammar) -> Overview:
    """The table that a notebook shows for a learned grammar: its adapted symbols, each with top subtrees."""
    rows: list[list[str]] = []
    subtrees = model.subtrees()
    for symbol in model.symbols:
        own = [one for one in subtrees if one.symbol == symbol]
        uses = [f"{model.join(one.text)} ({one.customers:,.0f})" for one in own[:SUBTREES]]
        rows.append([symbol, f"{len(own):,}", ", ".join(uses)])
    title = f"{counted(len(subtrees), 'remembered subtree')} of {counted(len(rows), 'adapted symbol')}"
    shown = rows[:MOST_ROWS]
    more = len(rows) - len(shown)
    note = f"Not shown: {counted(more, 'symbol')}." if more else ""
    uses = "how often" if is_sampled(model.settings) else "expected uses"  # of variational inference
    return Overview(title, ("symbol", "remembered", f"used most, and {uses}"), shown, note)
