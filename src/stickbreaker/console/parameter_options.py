"""Makes options of the command line from declared parameters, and settings from the options' values."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

import click

from stickbreaker.console.console import NumberRange, number_or_learned, written
from stickbreaker.console.run_options import SHARED, Table, whole_number_or
from stickbreaker.core.option_names import as_options
from stickbreaker.core.parameter_fields import SIMPLE, Above, Condition, Parameter, declared, either, is_met
from stickbreaker.estimators.kinds import object_at


def option_table(
    kind: type,
    *,
    only: Collection[str] = (),
    without: Collection[str] = (),
    fixed: Mapping[str, str] = MappingProxyType({}),
    **changes: Mapping[str, object],
) -> Table:
    """The options for a class with declared parameters, as a table for `run_options.options_of`.

    `only`, `without`: names of parameters to include, or leave out. Some choices of a parameter, such as a
    schedule, have settings of their own; their options come after the parameter's. `fixed`: parameters that
    get no option, as {name: choice}; only the settings of that choice get options. `changes`: arguments of
    `option` to add or replace, by parameter; "held_out" adds --held-out before --seed.
    """
    table: dict[str, Mapping[str, object]] = {}
    pending: list[Parameter] = []

    def add_settings() -> None:
        for one in pending:
            for name, (choices, owners) in _settings(one, fixed.get(one.name)).items():
                if name not in without:
                    condition = "" if one.name in fixed else f"{_needs(one, choices)}: "
                    option = {
                        **_option_of_setting(kind, condition, choices, owners),
                        "heading": one.heading,
                    }
                    table[str(owners[0].option_name)] = {**option, **changes.get(name, {})}
        pending.clear()

    for one in declared(kind).values():
        if one.option_name is None or one.name in without or (only and one.name not in only):
            continue
        if not one.settings:
            add_settings()
        pending += [one] if one.settings else []
        if one.option_name in SHARED and one.last:
            table |= {"--held-out": changes["held_out"]} if "held_out" in changes else {}
            table[one.option_name] = {"heading": one.heading}
        elif one.name not in fixed:
            name = f"{one.option_name}/--no-{one.option_name[2:]}" if _is_pair(one) else one.option_name
            table[name] = {**_option(one, declared(kind)), **changes.get(one.name, {})}
    add_settings()
    return table


def _option_of_setting(
    kind: type, condition: str, choices: tuple[str, ...], owners: list[Parameter]
) -> dict[str, object]:
    """The arguments of `console.option` for a setting that some choices of a parameter have.

    condition: text to begin the help with, such as "--schedule online: "; choices: the choices that have the
    setting; owners: its declaration in each of them. The help lists the defaults by choice if they differ.
    """
    by_default: dict[str, list[str]] = {}
    for choice, owner in zip(choices, owners, strict=True):
        by_default.setdefault(_default(kind, owner), []).append(choice)
    defaults = [
        text if len(by_default) == 1 else f"{text} ({either(own)})" for text, own in by_default.items()
    ]
    text = f"{condition}{_lower(owners[0].help) if condition else owners[0].help}"
    return {**_option(owners[0]), "default": None, "help": f"{text}  [default: {'; '.join(defaults)}]"}


def _settings(one: Parameter, only: str | None = None) -> dict[str, tuple[tuple[str, ...], list[Parameter]]]:
    """The settings that belong to a parameter's choices, such as the batch size to the schedule "online".

    Returns {name of the setting: (choices that have it, its declaration in each)}. only: take just the
    settings of this choice.
    """
    found: dict[str, tuple[tuple[str, ...], list[Parameter]]] = {}
    for choice, kind in one.settings.items():
        for name, own in declared(kind).items():
            if own.option_name is not None and only in (None, choice):
                choices, owners = found.get(name, ((), []))
                found[name] = (*choices, choice), [*owners, own]
    return found


def _default(kind: type, one: Parameter) -> str:
    """The default of a setting as text for `--help`: that of the model's class, or else the declared one.

    A different default for streams is added.
    """
    defaults = getattr(kind, "schedule_defaults", getattr(kind, "_schedule_defaults", {}))
    own = defaults.get(one.name)
    if own is None:
        return one.unset or (f"{one.default:g}" if isinstance(one.default, float) else f"{one.default}")
    streamed = getattr(kind, "_stream_defaults", {}).get(one.name, own)
    return f"{own:g}" if streamed == own else f"{own:g}; of streams {streamed:g}"


def _option(one: Parameter, others: Mapping[str, Parameter] = MappingProxyType({})) -> dict[str, object]:
    """Derive the arguments of `console.option` from a parameter's declaration: help, default, type.

    others: the parameters that it may need, by name.
    """
    needs = " ".join(_needs(others[name], condition) for name, condition in one.needs.items())
    text = f"{needs}: {_lower(one.help)}" if needs else one.help
    made: dict[str, object] = {"heading": one.heading, "common": one.common}
    made["help"] = as_options(text + (f"  [default: {one.unset}]" if one.unset else ""))
    if one.default is not None and one.default is not False:
        made["default"] = str(one.default) if "str" in one.kinds else one.default
    if one.metavar is not None:
        made["metavar"] = one.metavar
    if "bool" in one.kinds:
        made |= {"default": one.default} if _is_pair(one) else {"is_flag": True}
    elif {"int", "str"} <= one.kinds:
        made["callback"] = whole_number_or(one.choices[0])
    elif "int" in one.kinds and one.kinds <= SIMPLE:
        made["type"] = click.IntRange(None if one.least is None else int(one.least))
    elif {"float", "str"} <= one.kinds and one.above is None:
        made["callback"] = number_or_learned
    elif "float" in one.kinds:
        low = one.least if one.above is None else one.above
        bounds = [None if bound in (None, float("inf")) else bound for bound in (low, one.most)]
        made["type"] = NumberRange(*map(_plain, bounds), min_open=one.above is not None)
    elif one.choices:
        made["choices"] = one.choices
    return made


def _plain(bound: float | None) -> float | None:
    """A bound as an integer if it is whole, so that `--help` shows no decimal point; None stays None."""
    return int(bound) if bound is not None and bound == int(bound) else bound


def _is_pair(one: Parameter) -> bool:
    """Whether a parameter has two options, to turn it on and off, as --phrases and --no-phrases."""
    return "bool" in one.kinds and one.default is not False


def _needs(one: Parameter, condition: Condition) -> str:
    """A condition on a parameter, as text for the command line, such as "--order unbounded"."""
    if isinstance(condition, Above):
        return f"{one.option_name} above {condition.bound:g}"
    return f"{one.option_name} {either(condition)}"


def _lower(text: str) -> str:
    """A sentence to follow a colon: its first letter in lower case, unless the first word is in capitals."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def refuse_unneeded(kind: type, options: Mapping[str, object]) -> None:
    """Raise a usage error if the user gave an option that needs another option to have some other value."""
    parameters = declared(kind)
    for one in parameters.values():
        if one.option_name is None or not written((one.key,)):
            continue
        for other, condition in one.needs.items():
            if not is_met(condition, options[parameters[other].key]):
                raise click.UsageError(f"{one.option_name} needs {_needs(parameters[other], condition)}")


def take_settings(
    kind: type,
    options: dict[str, object],
    chosen: Mapping[str, str] | None = None,
    always: tuple[str, ...] = (),
    more: Mapping[str, object] = MappingProxyType({}),
) -> None:
    """Change a command's `options` in place: a choice and its settings become one instance of a class.

    With "online" and a batch size, say, the batch size is removed and the schedule becomes an `Online`.
    `chosen`: the choice if a parameter's option is None; `always`: choices that get an instance even if no
    setting was given; `more`: further arguments for instances. Raises a usage error for a setting of a choice
    that was not made.
    """
    for name, one in declared(kind).items():
        if not one.settings or name not in options:
            continue
        choice = str(options[name] or (chosen or {}).get(name))
        given: dict[str, object] = {}
        for setting, (choices, owners) in _settings(one).items():
            key = owners[0].key
            value = options.pop(key, None)
            if choice in choices and value is not None:
                given[setting] = value
            elif choice not in choices and written((key,)):
                raise click.UsageError(f"{owners[0].option_name} needs {_needs(one, choices)}")
        if choice in one.settings and (given or choice in always):
            options[name] = object_at(one.settings[choice].home)(
                **{**more, **given}, **one.settings[choice].fixed
            )
