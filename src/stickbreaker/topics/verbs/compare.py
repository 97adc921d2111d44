"""The topics of several models, matched and side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from stickbreaker.core.errors import counted, naming
from stickbreaker.core.printing import printable
from stickbreaker.estimators.learned import AnyLearned
from stickbreaker.estimators.topic_lines import unused_line
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.topics.evaluation.matching import Matching, match_models
from stickbreaker.topics.learned import TopicsLearned, topics_in
from stickbreaker.topics.verbs.settings import CompareSettings

WIDTH = 46  # characters of a column of words


@dataclass(frozen=True)
class TopicPair:
    """A topic of the first model and the topic of another (`with_…`) that is matched with it.

    `similarity`: 1 is the same distribution of words, 0 no word in common.
    """

    topic: int
    with_topic: int
    similarity: float
    name: str | None
    with_name: str | None
    words: tuple[str, ...]
    with_words: tuple[str, ...]


@dataclass(frozen=True)
class SingleTopic:
    """A topic that is not matched with any."""

    topic: int
    name: str | None
    words: tuple[str, ...]


@dataclass(frozen=True)
class ComparedModel:
    """The topics of another model, matched with those of the first, the most alike first.

    `shared_words`: how many words both vocabularies have; `mean`: of the pairs' similarity.
    """

    model: str
    topics: int
    unused: tuple[int, ...]
    shared_words: int
    mean: float
    pairs: tuple[TopicPair, ...]
    only_first: tuple[SingleTopic, ...]
    only_second: tuple[SingleTopic, ...]


@dataclass(frozen=True, repr=False)
class ModelComparison(VerbResult):
    """The topics of a model, matched with those of others. `mean`: similarity over all pairs of models."""

    model: str
    topics: int
    unused: tuple[int, ...]
    comparisons: tuple[ComparedModel, ...]
    mean: float

    def as_json(self) -> dict[str, object]:
        values = super().as_json()
        for one in values["comparisons"]:
            one["pairs"] = [
                {("with" if name == "with_topic" else name): value for name, value in pair.items()}
                for pair in one["pairs"]
            ]
        return values

    def __str__(self) -> str:
        lines: list[str] = []
        for one in self.comparisons:
            lines += [
                f"{self.model} ({counted(self.topics, 'topic')}) and {one.model} ({one.topics}): "
                f"{one.mean:.3f} alike on average, {counted(one.shared_words, 'word')} in both",
                f"alike  topic  {'words':<{WIDTH}}  topic  words",
            ]
            for pair in one.pairs:
                left, right = _cut(pair.name, pair.words), _cut(pair.with_name, pair.with_words)
                lines.append(
                    f"{pair.similarity:5.2f}  {pair.topic:>5}  {left:<{WIDTH}}  {pair.with_topic:>5}  {right}"
                )
            for single in one.only_first:
                lines.append(f"    -  {single.topic:>5}  {_cut(single.name, single.words)}")
            for single in one.only_second:
                right = _cut(single.name, single.words)
                lines.append(f"    -  {'':>5}  {'':<{WIDTH}}  {single.topic:>5}  {right}")
            lines += unused_line(self.unused, f" in {self.model}")
            lines += [*unused_line(one.unused, f" in {one.model}"), ""]
        if len(self.comparisons) > 1:
            lines.append(f"all pairs of models: {self.mean:.3f} alike on average")
        return "\n".join(lines).rstrip()


def compare(models: Sequence[AnyLearned], names: Sequence[str], settings: CompareSettings) -> ModelComparison:
    """Match the topics of the first model with those of each other. names: what the result calls the models.

    Raises UserError, which names the second of two models, if they have too few words in common.
    """
    loaded = [topics_in(one, "compare") for one in models]
    comparisons = [
        _compared(loaded[0], other, name, settings) for other, name in zip(loaded[1:], names[1:], strict=True)
    ]
    rest = zip(loaded[1:], names[1:], strict=True)
    others = [_matched(a, b, name)[0].mean for (a, _), (b, name) in combinations(rest, 2)]
    means = [*(one.mean for one in comparisons), *others]
    return ModelComparison(
        names[0],
        len(loaded[0].alpha),
        tuple(loaded[0].unused_topics),
        tuple(comparisons),
        sum(means) / len(means),
    )


def _matched(first: TopicsLearned, second: TopicsLearned, name: str) -> tuple[Matching, int]:
    """Match the topics in use of two models; also returns the number of words that both vocabularies have.

    Errors name the second model.
    """
    with naming(name):
        return match_models(
            first.topic_word,
            first.vocabulary,
            second.topic_word,
            second.vocabulary,
            (first.unused_topics, second.unused_topics),
        )


def _compared(
    first: TopicsLearned, second: TopicsLearned, name: str, settings: CompareSettings
) -> ComparedModel:
    matching, shared = _matched(first, second, name)
    words, others = _top_words(first, settings), _top_words(second, settings)
    names, other_names = first.topic_names, second.topic_names
    pairs = zip(matching.first.tolist(), matching.second.tolist(), matching.similarity.tolist(), strict=True)
    return ComparedModel(
        model=name,
        topics=len(second.alpha),
        unused=tuple(second.unused_topics),
        shared_words=shared,
        mean=matching.mean,
        pairs=tuple(
            TopicPair(k, j, alike, names[k], other_names[j], words[k], others[j]) for k, j, alike in pairs
        ),
        only_first=tuple(SingleTopic(k, names[k], words[k]) for k in matching.only_first.tolist()),
        only_second=tuple(SingleTopic(k, other_names[k], others[k]) for k in matching.only_second.tolist()),
    )


def _top_words(learned: TopicsLearned, settings: CompareSettings) -> list[tuple[str, ...]]:
    """The top words of each topic, about as many as asked. In a polylingual model, each language has an equal
    part, at least one word.
    """
    number = max(1, settings.top // len(learned.vocabulary.parts))
    return [tuple(words) for words in learned.top_words(number, by=settings.by)]


def _cut(name: str | None, words: Sequence[str]) -> str:
    """A topic in a column of the output: its name, if it has one, and its words on one line, cut to the
    column's width.
    """
    line = printable(" ".join(" ".join([*([] if name is None else [name + ":"]), *words]).split()))
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
