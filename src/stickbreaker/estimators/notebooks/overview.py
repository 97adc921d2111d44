"""A fitted estimator at a glance: a few lines of what was learned, as a table for notebooks."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from stickbreaker.core.errors import counted
from stickbreaker.core.topk import descending
from stickbreaker.corpus.text.letters import JOINERS

if TYPE_CHECKING:
    from stickbreaker.grammars.plain_grammar import PlainAdaptorGrammar
    from stickbreaker.topics.topic_estimator import TopicEstimator

MOST_ROWS = 30
WORDS = 6  # of a topic
SUBTREES = 8  # of a symbol


class Overview(NamedTuple):
    """What was learned: a line about it, names of columns, rows, and how many more there would be of what."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


def as_html(overview: Overview, estimator: str) -> str:
    """An overview as an HTML table, below a line with the estimator's own text.

    It takes its colours from the page around it, light or dark, and has no script.

    >>> "&lt;b&gt;" in as_html(Overview("1 topic", ["words"], [["<b>"]]), "LDA()")
    True
    """
    cell = "text-align: left; padding: 0.15em 1.2em 0.15em 0; border: 0; color: inherit; background: none"
    head = "".join(f'<th scope="col" style="{cell}">{_text(name)}</th>' for name in overview.columns)
    rows = "".join(
        "<tr>" + "".join(f'<td dir="auto" style="{cell}">{_text(value)}</td>' for value in row) + "</tr>"
        for row in overview.rows
    )
    note = f"<div>{_text(overview.note)}</div>" if overview.note else ""
    return (
        f'<div style="color: inherit"><div><code style="color: inherit; background: none">'
        f"{_text(estimator)}</code></div><div>{_text(overview.title)}</div>"
        f'<table style="border-collapse: collapse; border: 0; color: inherit"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>{note}</div>"
    )


def _text(text: str) -> str:
    """Text that is written as such, whatever characters it has."""
    shown = (one if one.isprintable() or one in JOINERS else "\N{REPLACEMENT CHARACTER}" for one in text)
    return escape("".join(shown))


def overview_of_topics(model: "TopicEstimator") -> Overview:
    """The largest topics: number, name or first words, share of the words; those of one name are one."""
    from stickbreaker.topics.names.named_topics import NamedTopics

    named = NamedTopics(model)
    unused, tops = set(named.unused), named.top_words(WORDS)
    order = [g for g in descending(named.shares).tolist() if g not in unused]
    rows = [
        [
            ", ".join(map(str, sorted(named.members[g]))),
            _with_name(named.names[g], tops[g]),
            f"{100 * named.shares[g]:.1f} %",
        ]
        for g in order[:MOST_ROWS]
    ]
    documents = model.corpus_["documents"]
    title = f"{counted(len(order), 'topic')}, learned from {counted(documents, 'document')}"
    further = [counted(len(order) - len(rows), "smaller topic")] if len(order) > len(rows) else []
    further += [counted(len(unused), "topic") + " with next to no words"] if unused else []
    note = f"Not shown: {', '.join(further)}." if further else ""
    return Overview(title, ("topic", "words", "share"), rows, note)


def _with_name(name: str | None, words: Sequence[str]) -> str:
    listed = ", ".join(words)
    return listed if name is None else f"{name}: {listed}"


def overview_of_grammar(model: "PlainAdaptorGrammar") -> Overview:
    """The most used remembered subtrees of each adapted symbol."""
    rows: list[list[str]] = []
    subtrees = model.subtrees()
    for symbol in model.symbols_:
        own = [one for one in subtrees if one.symbol == symbol]
        uses = [f"{model.join(one.text)} ({one.customers:,.0f})" for one in own[:SUBTREES]]
        rows.append([symbol, f"{len(own):,}", ", ".join(uses)])
    title = f"{counted(len(subtrees), 'remembered subtree')} of {counted(len(rows), 'adapted symbol')}"
    shown = rows[:MOST_ROWS]
    more = len(rows) - len(shown)
    note = f"Not shown: {counted(more, 'symbol')}." if more else ""
    uses = "how often" if model.sampled else "expected uses"  # of variational inference
    return Overview(title, ("symbol", "remembered", f"used most, and {uses}"), shown, note)
