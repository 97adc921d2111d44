"""The topics of a language model as a list: their words, and the phrases that they prefer."""

from dataclasses import dataclass

from stickbreaker.core.topk import descending
from stickbreaker.estimators.topic_lines import ListOfTopics, lines_of_topics, unused_line
from stickbreaker.ngrams.topic_ngram_learned import TopicNgramLearned
from stickbreaker.ngrams.verbs.settings import TopicsSettings

PHRASES = 5  # of a topic


@dataclass(frozen=True)
class ListedTopic:
    """A topic: its share of the words, its first words with their probabilities, and its phrases."""

    topic: int
    share: float
    words: tuple[str, ...]
    probabilities: tuple[float, ...]
    phrases: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class LanguageTopicList(ListOfTopics):
    """The topics in use, the largest first; as text a line per topic.

    `common_share`: of the words, those of the model that all documents share; `unused`: the other topics.
    """

    model: str
    common_share: float
    topics: tuple[ListedTopic, ...]
    unused: tuple[int, ...]

    def __str__(self) -> str:
        rows = [
            (
                str(topic.topic),
                f"{100 * topic.share:.1f} %",
                " ".join(topic.words),
                " | ".join(topic.phrases),
            )
            for topic in self.topics
        ]
        head = ("topic", "share", "words", "phrases")
        lines = lines_of_topics(head, rows)
        if self.common_share > 0.0:
            lines.append(f"common to all documents: {100 * self.common_share:.1f} % of the words")
        return "\n".join([*lines, *unused_line(self.unused)])


def topics_of(model: TopicNgramLearned, settings: TopicsSettings) -> LanguageTopicList:
    """The topics in use, the largest first, with words and phrases."""
    shares, words = model.topic_shares, model.top_words(settings.top)
    phrases, probabilities = model.top_phrases(PHRASES), model.probabilities_of(words)
    in_use = [k for k in descending(shares).tolist() if shares[k] > 0.0]
    return LanguageTopicList(
        "",
        float(max(0.0, 1.0 - shares.sum())),
        tuple(
            ListedTopic(k, float(shares[k]), tuple(words[k]), tuple(probabilities[k]), tuple(phrases[k]))
            for k in in_use
        ),
        tuple(sorted(set(range(model.n_shares)) - set(in_use))),
    )
