"""`stickbreaker intruders`: a quiz that shows whether a person understands the topics."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import PATH, command, emit, model_argument, option
from stickbreaker.core.errors import counted
from stickbreaker.core.files import refuse_file, write_atomic
from stickbreaker.topics.cli.ranking import ranking_option

if TYPE_CHECKING:
    from stickbreaker.topics.evaluation.intrusion import Question


@click.command(epilog="Example: stickbreaker intruders model --out quiz.html")
@model_argument
@option("--out", type=PATH, required=True, help="The page to write, one HTML file.")
@option("--questions", default=10, least=1, help="Topics to ask about, drawn at random.")
@ranking_option
@option("--seed", default=0, help="The same seed gives the same questions.")
@option("--overwrite", is_flag=True, help="Replace the file at --out.")
@command
def intruders(
    model: Path, out: Path, questions: int, by: str, seed: int, overwrite: bool, as_json: bool
) -> None:
    """Write a quiz: five words of each topic, and one that does not belong. Finding it shows understanding.

    This is the field's own test of topics (word intrusion, Chang and others 2009). The page counts the
    answers, and after each shows the topic, and its coherence if the model has it. Nothing is sent anywhere.
    The words of a polylingual model are those of its first language.
    """
    refuse_file(out, overwrite)
    from stickbreaker.pages.page import plain_page
    from stickbreaker.topics.evaluation.intrusion import intrusion_questions
    from stickbreaker.topics.report.document_entries import read_documents
    from stickbreaker.topics.topic_estimator import load_topics

    estimator = load_topics(model, "topics")
    vocabulary = estimator.vocabulary_
    part = vocabulary.parts[0]
    words = [vocabulary.spelled[row] for row in range(len(vocabulary))[part]]
    top = estimator.top_words(10, next(iter(vocabulary.ranges), None), by)
    unused = estimator.unused_topics_
    found = intrusion_questions(estimator.topic_word_[:, part], top, words, unused, questions, seed)
    coherence = read_documents(model)[1].get("coherence")
    quiz = {"questions": [_entry(one, top[one.topic], coherence) for one in found]}
    title = f"Which word does not belong? {model.name}"
    page = plain_page("stickbreaker.topics.cli", "intruders", title, script="intruders.js", data=quiz)
    write_atomic(out, page.encode("utf-8"), overwrite=overwrite)
    result = {"out": str(out), "questions": len(found), "topics": [one.topic for one in found]}
    emit(
        result, as_json, lambda r: f"{r['out']}: {counted(r['questions'], 'question')}; open it in a browser"
    )


def _entry(
    question: "Question", top: list[str], coherence: Sequence[float | None] | None
) -> dict[str, object]:
    """A question of the quiz as values for the page: its words, which one is the intruder, and a line about
    the topic (its words and coherence) to show after the answer.
    """
    about = f"topic {question.topic}: {' '.join(top)}"
    found = coherence[question.topic] if coherence else None  # None: of a topic that was merged
    if found is not None:
        about += f" (NPMI {found:.3f})"
    return {"words": question.words, "intruder": question.intruder, "about": about}
