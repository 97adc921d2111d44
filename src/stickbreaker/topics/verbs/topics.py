"""The topics of a model as a list: their numbers, names, shares and words, now or at an earlier time."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.topk import descending
from stickbreaker.estimators.learned import AnyLearned, saved_at
from stickbreaker.estimators.topic_lines import ListOfTopics, unused_line
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.saved import ModelDirectory
from stickbreaker.topics.learned import TopicsLearned, topics_in
from stickbreaker.topics.names.named_topics import NamedTopics
from stickbreaker.topics.verbs.settings import TopicsSettings


@dataclass(frozen=True)
class WordsOfTopic:
    """The first words of a topic, and the probability of each."""

    words: tuple[str, ...]
    probabilities: tuple[float, ...]


@dataclass(frozen=True)
class ListedTopic(VerbResult):
    """A topic in a list, or several with the same name: `members` are their numbers, `topic` the largest's.

    `share`: of all tokens. `coherence`: NPMI of its first ten words, of several topics the mean by their
    shares; None if it was not counted. `unused`: it has almost no words of the text. `words` and
    `probabilities`: the first words of all languages; `languages`: those of each, for a model of several.
    `concepts` and `concept_shares`: for a model with concepts.
    """

    topic: int
    members: tuple[int, ...]
    name: str | None
    share: float
    unused: bool
    coherence: float | None = None
    concepts: tuple[str, ...] = ()
    concept_shares: tuple[float, ...] = ()
    languages: Mapping[str, WordsOfTopic] = field(default_factory=dict[str, WordsOfTopic])
    words: tuple[str, ...] = ()
    probabilities: tuple[float, ...] = ()

    def as_json(self) -> JsonObject:
        values = super().as_json()
        absent = ("words", "probabilities") if self.languages else ("languages",)
        absent += () if self.concepts else ("concepts", "concept_shares")
        return {name: value for name, value in values.items() if name not in absent}

    def __str__(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True, repr=False)
class TopicList(ListOfTopics):
    """The topics of a model, the largest first. `coherence_counted_in`: the documents in which coherence was
    counted; None if it was not.

    As text: a table with a line per topic and language, and one of its concepts; coherence below 0 is marked.
    The last lines list those that are unused, and say in what coherence was counted.
    """

    model: str
    topics: tuple[ListedTopic, ...]
    coherence_counted_in: str | None = None

    def __str__(self) -> str:
        counted_in = self.coherence_counted_in
        shown = [one for one in self.topics if not one.unused]
        names = [one.name or "" for one in shown]
        width = max([4, *map(len, names)]) + 2 if any(names) else 0
        numbers = [",".join(map(str, one.members)) for one in shown]
        room = max([5, *map(len, numbers)])
        column = "   NPMI  " if counted_in else "  "
        lines = [f"{'topic':<{room}}    share{column}{'name' if width else '':<{width}}words"]
        for one, name, number in zip(shown, names, numbers, strict=True):
            column = _coherence(one.coherence) if counted_in else "  "
            head = f"{number:>{room}}  {100 * one.share:5.1f} %{column}{_in_a_row([name]):<{width}}"
            by_language = one.languages or {"": WordsOfTopic(one.words, one.probabilities)}
            for code, found in by_language.items():
                lines.append(f"{head}{code + '  ' if code else ''}{_in_a_row(found.words)}")
                head = " " * len(head)
            if one.concepts:
                lines.append(f"{head}concepts  {', '.join(map(_one_line, one.concepts))}")
        lines += unused_line(one.topic for one in self.topics if one.unused)
        if counted_in:
            weak = any((one.coherence or 0.0) < 0.0 for one in shown)
            lines.append(
                f"NPMI in {counted_in}" + ("; ! below 0: the topic does not hold there" if weak else "")
            )
        return "\n".join(lines)


def _coherence(value: float | None) -> str:
    """The cell with a topic's coherence; "!" marks a value below 0."""
    return "      –  " if value is None else f"  {value:5.2f}{'!' if value < 0.0 else ' '} "


@dataclass(frozen=True)
class TopicThen:
    """A topic in a snapshot: its words, and those gained since the snapshot before (`entered`)."""

    topic: int
    words: tuple[str, ...]
    probabilities: tuple[float, ...]
    entered: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class TopicSnapshot(ListOfTopics):
    """A model's topics at an earlier step or date; as text a line per topic."""

    model: str
    step: int
    documents: int
    date: str | None
    topics: tuple[TopicThen, ...]

    def __str__(self) -> str:
        date = f", {self.date}" if self.date else ""
        read = counted(self.documents, "document")
        lines = [f"step {self.step:,}: {read} read{date}", "topic  words"]
        return "\n".join([*lines, *(f"{one.topic:>5}  {_in_a_row(one.words)}" for one in self.topics)])


@dataclass(frozen=True, repr=False)
class LabelPrompt(VerbResult):
    """A prompt for a language model to name a model's topics."""

    model: str
    prompt: str

    def __str__(self) -> str:
        return self.prompt


def label_prompt(learned: AnyLearned, top: int) -> LabelPrompt:
    """A prompt for a language model to name a model's topics by `top` words of each, and by those of the
    documents stored with the saved model that have most of it.
    """
    from stickbreaker.topics.names.label_prompt import prompt_for, typical_documents
    from stickbreaker.topics.report.document_entries import read_documents

    learned, path = topics_in(learned, "topics"), saved_at(learned)
    stored = [] if path is None else read_documents(path)[0]
    texts, mixes = [one.text for one in stored], [one.mix for one in stored]
    documents = typical_documents(texts, mixes, len(learned.alpha)) if stored else None
    return LabelPrompt("", prompt_for(learned, documents, top))


def topics_of(learned: AnyLearned, settings: TopicsSettings) -> TopicList | TopicSnapshot | LabelPrompt:
    """A model's topics, or with `settings.at` a snapshot of them at an earlier step or date; with
    `settings.prompt` a prompt for a language model to name them.

    Raises UserError for words ranked in a way that the model did not count, and if there is no snapshot.
    """
    if settings.prompt:
        if settings.at is not None:
            raise UserError("prompt=True does not go with `at`", remedy="leave one of them out")
        return label_prompt(learned, settings.top)
    if settings.at is not None:
        if settings.by != TopicsSettings.by:
            problem = f'by="{settings.by}" does not go with `at`: snapshots keep the most frequent words'
            raise UserError(problem, remedy="leave one of them out")
        return topics_at(learned, settings.at, settings.top)
    learned, path = topics_in(learned, "topics"), saved_at(learned)
    coherence, counted_in = (None, None) if path is None else coherence_at(path, len(learned.alpha))
    return TopicList("", listed_topics(learned, settings.top, settings.by, coherence), counted_in)


def coherence_at(model: Path, n_topics: int) -> tuple[Sequence[float | None] | None, str | None]:
    """The coherence of each topic that is stored with a saved model, and in what it was counted; both None if
    the model has not counted it. Raises UserError for an invalid file.
    """
    from stickbreaker.topics.report.document_entries import read_figures
    from stickbreaker.topics.report.measures import coherence_counted_in

    figures = read_figures(model)
    found = figures.get("coherence")
    if not found or len(found) != n_topics:
        return None, None
    return found, coherence_counted_in(figures)


def listed_topics(
    learned: TopicsLearned,
    top: int,
    by: str = TopicsSettings.by,
    coherence: Sequence[float | None] | None = None,
) -> tuple[ListedTopic, ...]:
    """A model's topics, largest first, each with its first `top` words, ranked `by` a way to rank words.

    Topics with the same name are merged into one. In a polylingual model, words are listed by language.
    coherence: that of each topic of the model.
    """
    named, vocabulary = NamedTopics(learned), learned.vocabulary
    coherences = None if coherence is None else named.means(np.array(coherence, np.float64))
    ranges: dict[str | None, slice] = {**vocabulary.ranges} or {None: slice(None)}
    ranked = {code: named.ranked_words(top, rows, by) for code, rows in ranges.items()}
    spelled, concepts = vocabulary.spelled, named.top_concepts(top)

    def words_of(g: int, code: str | None) -> WordsOfTopic:
        rows, probabilities = (found[g].tolist() for found in ranked[code])
        return WordsOfTopic(tuple(spelled[row] for row in rows), tuple(probabilities))

    def topic(g: int) -> ListedTopic:
        own = words_of(g, None) if None in ranges else WordsOfTopic((), ())
        return ListedTopic(
            topic=named.members[g][0],
            members=tuple(sorted(named.members[g])),
            name=named.names[g],
            share=float(named.shares[g]),
            unused=g in named.unused,
            coherence=None if coherences is None or g in named.unused else _known(coherences[g]),
            concepts=tuple(name for name, _ in concepts[g]),
            concept_shares=tuple(share for _, share in concepts[g]),
            languages={code: words_of(g, code) for code in ranges if code is not None},
            words=own.words,
            probabilities=own.probabilities,
        )

    return tuple(topic(g) for g in descending(named.shares).tolist())


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def topics_at(learned: AnyLearned, when: str, top: int) -> TopicSnapshot:
    """A snapshot of a saved model's topics at an earlier step or date, `when`, with at most `top` words each.

    Raises UserError if the model has no snapshots, or none so early.
    """
    saved = learned.facts.saved
    evolution = None if saved is None else ModelDirectory(saved.path).evolution()
    if evolution is None or not evolution.moments:
        remedy = "leave out --at; models of open vocabularies keep snapshots"
        raise UserError("there are no snapshots of its topics", remedy=remedy)
    moment = evolution.at(when)
    entered = moment.entered()
    return TopicSnapshot(
        "",
        moment.step,
        moment.documents,
        moment.date,
        tuple(
            TopicThen(
                topic,
                tuple(word for word, _ in words[:top]),
                tuple(float(f"{p:.7g}") for _, p in words[:top]),  # single precision
                tuple(word for _, word, _ in entered.get(topic, ())),
            )
            for topic, words in moment.top().items()
        ),
    )


def _in_a_row(words: Iterable[str]) -> str:
    """Words on one line, separated by spaces, even if they contain line breaks."""
    return _one_line(" ".join(words))


def _one_line(text: str) -> str:
    return " ".join(text.split())
