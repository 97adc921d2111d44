"""The face of a verb on the command line: its options, from the settings that kinds declare, and its result.

A verb is a function (`estimators/verbs.py`); a command reads its arguments, calls it, and prints the record.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from stickbreaker.console.console import emit, refuse_written, tell_of_compiling
from stickbreaker.console.inputs import warnings_as_notes
from stickbreaker.console.options import Decorator, option_table, options_of
from stickbreaker.core.parameter_fields import LEARNING, declared
from stickbreaker.estimators.kinds import OF_EVERY_KIND, Saved, kind_at, kinds, systems

if TYPE_CHECKING:
    from stickbreaker.estimators.verb_results import VerbResult


def settings_classes(verb: str) -> Iterator[type]:
    """The classes of the settings that kinds of models and systems have for a verb."""
    for saved in (*kinds().values(), *systems()):
        if verb in saved.functions:
            yield saved.functions[verb].settings_class()
    if verb in OF_EVERY_KIND:
        yield OF_EVERY_KIND[verb].settings_class()


def verb_options(verb: str, **changes: Any) -> Decorator:
    """A decorator: the command gets the options of a verb, those of all kinds.

    changes: arguments of `option` to add or replace, by setting.
    """
    return options_of_settings(*settings_classes(verb), **changes)


def options_of_settings(*classes: type, **changes: Any) -> Decorator:
    """A decorator: the command gets the options of some classes of settings; the first counts if two have the
    same option. changes: as for `verb_options`.
    """
    table: dict[str, Mapping[str, object]] = {}
    for settings in classes:
        table = {
            **table,
            **{k: one for k, one in option_table(settings, **changes).items() if k not in table},
        }
    return options_of({name: {**one, "heading": _heading(one)} for name, one in table.items()})


def _heading(option: Mapping[str, object]) -> object:
    """The heading in `--help` of a verb's option: the declared one, but none in place of "Learning"."""
    heading = option["heading"]
    return "" if heading == LEARNING else heading


def settings_in(settings: type, options: Mapping[str, object]) -> dict[str, Any]:
    """The values of a command's options that are of this class of settings, by the names of the settings."""
    names = _names_by_key(settings)
    return {names[key]: value for key, value in options.items() if key in names}


def _names_by_key(settings: type) -> dict[str, str]:
    """The names of settings, by the keys under which click passes the values of their options."""
    return {one.key: one.name for one in declared(settings).values() if one.option_name}


def settings_for(verb: str, saved: Saved, options: Mapping[str, object]) -> dict[str, object]:
    """The settings of a verb for one kind, by name, from the values of a command's options.

    Raises a usage error if the user gave an option that is of other kinds only.
    """
    settings = saved.function(verb).settings_class()
    for key in options:
        if key not in _names_by_key(settings):
            refuse_written((key,), f"does not apply to a {saved.noun}")
    return settings_in(settings, options)


def result_for(
    verb: str, model: Path, options: Mapping[str, object], *documents: object, **more: object
) -> "VerbResult":
    """What a verb returns for the model at a path. options: the values of the command's options; documents:
    what it is applied to, if anything; more: settings that have no option, or replace an option's value."""
    with warnings_as_notes(UserWarning):
        return call_for(verb, model, options, *documents, **more).result(str(model))


class Call(NamedTuple):
    """A verb's function, and its arguments: what was learned, documents and settings."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def result(self, name: str) -> "VerbResult":
        """What the function returns; name: what it calls the model."""
        return self.function(*self.arguments).of_model(name)


def call_for(
    verb: str, model: Path, options: Mapping[str, object], *documents: object, **more: object
) -> Call:
    """The call of a verb's function for the model at a path; for commands that print before it ends. The
    arguments are those of `result_for`."""
    settings = settings_for(verb, kind_at(model, verb), options)
    tell_of_compiling()
    from stickbreaker.estimators.verbs import call_of

    return Call(*call_of(verb, model, *documents, **{**settings, **more}))


def show(result: "VerbResult", as_json: bool) -> None:
    """Print the result of a verb, as text or as JSON."""
    emit({} if not as_json else result.as_json(), as_json, lambda _: str(result))
