"""Figure 7.1: how the words of one topic rise while new ones enter the vocabulary."""

from typing import Any

import numpy as np
from reproduce.open_data import Stream
from reproduce.open_runs import Settings, one_pass
from reproduce.pages import Table

from stickbreaker import LDA

MOMENTS = 10  # at which the topic is shown
TEN = 10


def evolution(stream: Stream, settings: Settings) -> dict[str, Any]:
    """One pass over a stream, and the topic with the most new words among its last ten.

    Returns its number, and for each moment: the `step`, the `documents` seen, the ten first words, the rank
    from 1 of each of the ten `last` words (None: not in the vocabulary yet); and the minibatch in which each
    of these words `entered`.
    """
    steps = -(-len(stream.documents) // settings.batch)
    wanted = set(np.unique(np.linspace(1, steps, min(MOMENTS, steps)).round()).astype(int).tolist())
    entered: dict[str, int] = {}
    orders: dict[int, list[list[str]]] = {}

    def watch(model: LDA, number: int) -> None:
        for word in model.vocabulary_.words:
            entered.setdefault(word, number)
        if number in wanted:
            words = np.array(model.vocabulary_.words, dtype=object)
            order = np.argsort(-model.topic_word_, axis=1, kind="stable")
            orders[number] = [words[row].tolist() for row in order]

    one_pass(settings, stream, watch, shares=False)
    last = orders[max(orders)]
    late = [sum(entered[word] > 1 for word in own[:TEN]) for own in last]
    topic = int(np.argmax(late))
    words = last[topic][:TEN]
    moments = []
    for number, topics in sorted(orders.items()):
        rank = {word: place for place, word in enumerate(topics[topic], 1)}
        moments.append({
            "step": number,
            "documents": min(number * settings.batch, len(stream.documents)),
            "first": topics[topic][:TEN],
            "ranks": [rank.get(word) for word in words],
        })  # fmt: skip
    return {
        "topic": topic,
        "late": late,
        "last": words,
        "entered": [entered[word] for word in words],
        "moments": moments,
    }


def evolution_blocks(found: dict[str, Any]) -> list[str | Table]:
    """The topic as two tables: its first words, and the ranks of those that it ends with."""
    first, ranks = [], []
    before: set[str] | None = None
    for moment in found["moments"]:
        own = moment["first"]
        marked = [word if before is None or word in before else f"**{word}**" for word in own]
        when = (f"{moment['step']:,}", f"{moment['documents']:,}")
        first.append([*when, " ".join(marked)])
        ranks.append([*when, *("–" if rank is None else f"{rank:,}" for rank in moment["ranks"])])
        before = set(own)
    ends = [f"{word} ({step:,})" for word, step in zip(found["last"], found["entered"], strict=True)]
    return [
        f"The evolution of topic {found['topic']} (Figure 7.1): of all topics it ends with most words that "
        f"were not in the first minibatch, {max(found['late'])} of {TEN} (all topics: "
        f"{', '.join(map(str, found['late']))}). In bold: not among the ten at the moment before.",
        Table(("minibatch", "documents", "ten most probable words"), first),
        "The ranks of the ten words that it ends with, each with the minibatch in which it entered the "
        "vocabulary; –: not there yet.",
        Table(("minibatch", "documents", *ends), ranks),
    ]
