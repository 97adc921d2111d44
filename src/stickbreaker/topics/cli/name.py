"""`stickbreaker name`: names that users give to the topics of a model."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import GivenPath, changed_model_argument, command, emit, note, option
from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.option_names import command_line

if TYPE_CHECKING:
    from stickbreaker.topics.learned import TopicsLearned

SHOWN_WORDS = 6  # of a topic
MOST_BYTES = 1 << 24  # of a file with names


def read_numbered(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> dict[int, str | None]:
    """A click callback that reads topics' names by number, from values such as "3=weather". "3=" becomes
    None, which removes the name. Raises a usage error for other values, and for a topic that occurs twice.
    """
    names: dict[int, str | None] = {}
    for value in values:
        number, equals, text = value.partition("=")
        if not equals or not (number.strip().isascii() and number.strip().isdecimal()) or len(number) > 9:
            raise click.BadParameter(f"{shown(value)} is not a topic's number and name, as 3=weather")
        if int(number) in names:
            raise click.BadParameter(f"topic {int(number)} is there twice")
        names[int(number)] = text or None
    return names


@click.command(epilog="Example: stickbreaker name model --topic 0=weather --topic 2=weather")
@changed_model_argument
@click.argument(
    "names", required=False, metavar="[NAMES.json]", type=GivenPath(path_type=Path, dir_okay=False)
)
@option(
    "--topic",
    "numbered",
    multiple=True,
    metavar="NUMBER=NAME",
    callback=read_numbered,
    help="Call a topic so; 3= takes its name away. May be repeated.",
)
@option(
    "--from-file",
    "answer",
    metavar="FILE",
    type=GivenPath(path_type=Path, dir_okay=False),
    help="Names from a text with a line for each topic, such as 3: weather: a language model's answer to the "
    "prompt of `topics --prompt`.",
)
@option("--remove", is_flag=True, help="First take all names away that were given.")
@command
def name(
    model: Path,
    names: Path | None,
    numbered: dict[int, str | None],
    answer: Path | None,
    remove: bool,
    as_json: bool,
) -> None:
    """Name the topics of a model, and print what they are called.

    NAMES.json is a file from the report: there topics are named by its reader, and the button Download names
    writes it. Topics with the same name are merged in the report and in `stickbreaker topics`; the model
    itself keeps all its topics. A file that is about the topics of another model is refused.
    """
    from stickbreaker.core.locks.directory_claims import watched
    from stickbreaker.estimators.kinds import refuse_system
    from stickbreaker.saved import ModelDirectory

    refuse_system(model, "name")
    ModelDirectory(model).manifest()  # raises UserError if there is no model
    if answer is not None:
        numbered = {**_names_in(answer), **numbered}
    with watched(model):
        learned, left_out = _change(model, names, numbered, remove)
    if left_out and not as_json:
        note(f"left out, because their topics no longer exist: {', '.join(left_out)}")
    from stickbreaker.topics.verbs.topics import TopicList, listed_topics

    found = TopicList(str(model), listed_topics(learned, SHOWN_WORDS))
    result = {"model": str(model), "left_out": left_out, **found.as_json()}
    emit(result, as_json, lambda _: str(found))


def _names_in(file: Path) -> dict[int, str]:
    """The names by topic number in a file with a language model's answer. Raises UserError naming the file if
    it has none.
    """
    from stickbreaker.core.errors import naming
    from stickbreaker.core.untrusted import read_given_file
    from stickbreaker.topics.names.label_prompt import REMEDY, names_in_answer

    content = read_given_file(file, MOST_BYTES, REMEDY)
    with naming(file):
        return names_in_answer(content.decode("utf-8", "replace"))


def _change(
    model: Path, names: Path | None, numbered: dict[int, str | None], remove: bool
) -> "tuple[TopicsLearned, list[str]]":
    """Change the names of a saved model's topics, as the options of the command `name` say.

    names: a file from a report; numbered: names by topic number; remove: first remove all given names.
    Returns the model with its new names, and those names in the file whose topics no longer exist. Raises
    UserError while topics may still be replaced by others: during a search for their number, or Gibbs
    sampling.
    """
    from stickbreaker.topics.learned import load_topics
    from stickbreaker.topics.names.given_names import names_by_id, names_in_file
    from stickbreaker.topics.names.names_file import change_names, changed_names

    learned = load_topics(model, "name")
    from stickbreaker.saved import ModelDirectory
    from stickbreaker.saved.manifest_fields import SEARCH

    manifest = ModelDirectory(model).manifest()
    # topics of a search, or of the best of several chains, may yet be replaced by others of the same numbers
    if manifest["status"] == "running" and (SEARCH in manifest or learned.plan.sampling is not None):
        remedy = f"finish it with: {command_line('resume', model)}"
        raise UserError("is still learning, and its topics may yet become others", where=model, remedy=remedy)
    left_out: list[str] = []
    before = learned.given_names
    if remove:
        learned = learned.renamed({})
    if names is not None:
        in_file = names_in_file(learned, names)
        learned = learned.renamed(names_by_id(learned, in_file.by_topic))
        left_out = in_file.left_out
    given = names_by_id(learned, numbered)  # also those of topics that are out of use for a while
    changed = given if remove else changed_names(before, given)
    if changed or remove:
        given = change_names(model, changed, afresh=remove)  # as they are now, others' too
    return learned.renamed(given), left_out
