"""The table of topics that notebooks show for a fitted estimator."""

from collections.abc import Sequence

from stickbreaker.core.errors import counted
from stickbreaker.core.topk import descending
from stickbreaker.corpus.overview import MOST_ROWS, Overview
from stickbreaker.topics.learned import TopicsLearned
from stickbreaker.topics.names.named_topics import NamedTopics

WORDS = 6  # of a topic


def overview_of_topics(model: TopicsLearned) -> Overview:
    """A table of the largest topics for notebooks: number, name and first words, share of all tokens.

    Topics with the same name share a row. A note says how many topics are not shown.
    """
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
    documents = model.facts.corpus["documents"]
    title = f"{counted(len(order), 'topic')}, learned from {counted(documents, 'document')}"
    further = [counted(len(order) - len(rows), "smaller topic")] if len(order) > len(rows) else []
    further += [counted(len(unused), "topic") + " with next to no words"] if unused else []
    note = f"Not shown: {', '.join(further)}." if further else ""
    return Overview(title, ("topic", "words", "share"), rows, note)


def _with_name(name: str | None, words: Sequence[str]) -> str:
    listed = ", ".join(words)
    return listed if name is None else f"{name}: {listed}"
