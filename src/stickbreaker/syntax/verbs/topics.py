"""Syntactic topics as a list: their words, parts of speech, and the topics of their words' dependents."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stickbreaker.core.records import Array
from stickbreaker.core.topk import descending
from stickbreaker.estimators.topic_lines import ListOfTopics, lines_of_topics, unused_line
from stickbreaker.syntax.learned import SyntaxLearned
from stickbreaker.syntax.verbs.settings import TopicsSettings

SHOWN = 3  # of a topic's tags, and of the topics below it


@dataclass(frozen=True)
class NamedShare:
    """A tag or topic, by name or number, and its share."""

    name: str | int
    share: float


@dataclass(frozen=True)
class ListedTopic:
    """A topic: its share of the words, its commonest tags, the topics of its words' dependents (`below`), and
    its most probable words.
    """

    topic: int
    share: float
    tags: tuple[NamedShare, ...]
    below: tuple[NamedShare, ...]
    words: tuple[str, ...]
    probabilities: tuple[float, ...]


@dataclass(frozen=True, repr=False)
class SyntacticTopicList(ListOfTopics):
    """The topics in use, the largest first, and the numbers of the others; as text a line per topic."""

    model: str
    topics: tuple[ListedTopic, ...]
    unused: tuple[int, ...]

    def __str__(self) -> str:
        rows = [
            (
                str(topic.topic),
                f"{100 * topic.share:.1f} %",
                " ".join(str(one.name) for one in topic.tags if one.share >= 0.05),
                " ".join(str(one.name) for one in topic.below),
                " ".join(" ".join(topic.words).split()),
            )
            for topic in self.topics
        ]
        head = ("topic", "share", "tags", "below", "words")
        return "\n".join([*lines_of_topics(head, rows), *unused_line(self.unused)])


def topics_of(learned: SyntaxLearned, settings: TopicsSettings) -> SyntacticTopicList:
    """The topics in use, the largest first."""
    samples, words = learned.samples, learned.words.names
    topics: list[ListedTopic] = []
    for k in learned.topics_in_use:
        best = descending(samples.topic_words[k], settings.top).tolist()
        topics.append(
            ListedTopic(
                topic=k,
                share=float(samples.topic_shares[k]),
                tags=_first(samples.topic_tags[k], learned.words.tags),
                below=_first(samples.head_topics[k], range(learned.n_shares)),
                words=tuple(words[row] for row in best),
                probabilities=tuple(float(samples.topic_words[k, row]) for row in best),
            )
        )
    unused = sorted(set(range(learned.n_shares)) - set(learned.topics_in_use))
    return SyntacticTopicList("", tuple(topics), tuple(unused))


def _first(shares: Array, names: Sequence[Any]) -> tuple[NamedShare, ...]:
    """The `SHOWN` largest shares with their names; shares of zero are left out."""
    best = descending(shares, SHOWN).tolist()
    return tuple(NamedShare(names[k], float(shares[k])) for k in best if shares[k] > 0.0)
