"""A quiz that shows whether a person understands the topics of a model."""

from dataclasses import dataclass
from pathlib import Path

from stickbreaker.core.files import write_atomic
from stickbreaker.estimators.learned import AnyLearned, saved_at
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.pages.page import plain_page
from stickbreaker.topics.evaluation.intrusion import Question, intrusion_questions
from stickbreaker.topics.learned import topics_in
from stickbreaker.topics.report.document_entries import read_documents
from stickbreaker.topics.verbs.settings import IntruderSettings


@dataclass(frozen=True, repr=False)
class Quiz(VerbResult):
    """Questions about topics: which of these words does not belong?

    `about`: for each question a line about its topic, to show after the answer.
    """

    model: str
    questions: tuple[Question, ...]
    about: tuple[str, ...]

    def page(self, title: str | None = None) -> str:
        """The quiz as one HTML document, which counts the answers."""
        entries = [
            {"words": one.words, "intruder": one.intruder, "about": about}
            for one, about in zip(self.questions, self.about, strict=True)
        ]
        title = title or f"Which word does not belong? {self.model}"
        return plain_page(
            "stickbreaker.topics.verbs",
            "intruders",
            title,
            script="intruders.js",
            data={"questions": entries},
        )

    def write(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the page of the quiz to a file. Raises UserError if it exists, unless `overwrite`."""
        write_atomic(Path(path), self.page().encode("utf-8"), overwrite=overwrite)

    def __str__(self) -> str:
        return "\n".join(
            f"{number}. {' '.join(question.words)}" for number, question in enumerate(self.questions, 1)
        )


def intruders(learned: AnyLearned, settings: IntruderSettings) -> Quiz:
    """Questions of word intrusion about a model's topics, drawn at random.

    The words of a polylingual model are those of its first language. Raises UserError if no topic has words
    that stand out from another's.
    """
    learned = topics_in(learned, "intruders")
    vocabulary = learned.vocabulary
    part = vocabulary.parts[0]
    words = [vocabulary.spelled[row] for row in range(len(vocabulary))[part]]
    top = learned.top_words(10, next(iter(vocabulary.ranges), None), settings.by)
    found = intrusion_questions(
        learned.topic_word[:, part],
        top,
        words,
        learned.unused_topics,
        settings.questions,
        settings.random_state,
    )
    saved = saved_at(learned)
    coherence = None if saved is None else read_documents(saved)[1].get("coherence")

    def about(k: int) -> str:
        measured = f" (NPMI {coherence[k]:.3f})" if coherence else ""
        return f"topic {k}: {' '.join(top[k])}{measured}"

    return Quiz("", tuple(found), tuple(about(one.topic) for one in found))
