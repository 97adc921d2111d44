"""`stickbreaker intruders`: a quiz that shows whether a person understands the topics."""

from pathlib import Path
from typing import Any

import click

from stickbreaker.console.console import PATH, command, emit, model_argument, option
from stickbreaker.console.faces import result_for, verb_options
from stickbreaker.core.errors import counted
from stickbreaker.core.files import refuse_file, write_atomic


@click.command(epilog="Example: stickbreaker intruders model --out quiz.html")
@model_argument
@option("--out", type=PATH, required=True, help="The page to write, one HTML file.")
@verb_options("intruders")
@option("--overwrite", is_flag=True, help="Replace the file at --out.")
@command
def intruders(model: Path, out: Path, overwrite: bool, as_json: bool, **options: object) -> None:
    """Write a quiz: five words of each topic, and one that does not belong. Finding it shows understanding.

    This is the field's own test of topics (word intrusion, Chang and others 2009). The page counts the
    answers, and after each shows the topic, and its coherence if the model has it. Nothing is sent anywhere.
    The words of a polylingual model are those of its first language.
    """
    refuse_file(out, overwrite)
    quiz: Any = result_for("intruders", model, options)
    page = quiz.page(f"Which word does not belong? {model.name}")
    write_atomic(out, page.encode("utf-8"), overwrite=overwrite)
    number = len(quiz.questions)
    result = {"out": str(out), "questions": number, "topics": [one.topic for one in quiz.questions]}
    emit(result, as_json, lambda r: f"{r['out']}: {counted(number, 'question')}; open it in a browser")
