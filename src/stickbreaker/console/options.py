"""The options of commands: those that several share, and those that follow from declared parameters.

In order: where a command runs (`EngineChoice`); tables of options, and the run that they describe (`NewRun`);
options of the parameters that a class declares, and settings from the options' values.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from stickbreaker.console.console import (
    PATH,
    THREADS,
    NumberRange,
    OptionSettings,
    from_option,
    note,
    number_or_learned,
    option,
    options_into,
    threads_option,
    written,
)
from stickbreaker.console.inputs import ReadingChoice, TextChoice, reading_options
from stickbreaker.core.option_names import ParameterValues, as_options, command_line
from stickbreaker.core.parameter_fields import SIMPLE, Above, Condition, Parameter, declared, either, is_met
from stickbreaker.estimators.kinds import object_at

if TYPE_CHECKING:
    from stickbreaker.engines import Cluster

# Where a command runs

AGAIN = "nothing was saved; give the command again"


@dataclass(frozen=True)
class EngineChoice:
    """The options on where a command runs: on this machine or on Spark."""

    engine: str = from_option(
        choices=["local", "spark"],
        default="local",
        help="Run on this machine, or on Spark; then all its machines must see the corpus and the model.",
    )
    master: str | None = from_option(
        metavar="MASTER",
        help="Spark master: local[2], spark://HOST:PORT, yarn …  [default: spark-submit's, or local[*]]",
    )
    blocks: int | None = from_option(
        least=1,
        help="Spark: number of files for a new model's table, each with a reducer of its own.  "
        "[default: one for every 4 MB of it, at most 16]",
    )
    given: tuple[str, ...] = ()

    def refuse_spark_options(self) -> None:
        """Raise a usage error if options for Spark were given without --engine spark."""
        if self.engine == "local":
            for name in self.given:
                if name != "engine":
                    raise click.UsageError(f"--{name} needs --engine spark")

    @contextmanager
    def host(self, remedy: str = AGAIN) -> Iterator["Host"]:
        """A context that yields the `Host` of the command; on Spark, a session has been started for it.

        A failure of Spark becomes a UserError: one line with `remedy` and the name of a file with the traces;
        nothing else of Spark's is printed. Raises a usage error for options that need --engine spark,
        UserError if Spark is not available.
        """
        self.refuse_spark_options()
        if self.engine == "local":
            yield Host("local", remedy)
            return
        from stickbreaker.console.spark_log import reporting_spark_failures
        from stickbreaker.estimators.engine_choice import spark_cluster

        host = Host("spark", remedy)
        with reporting_spark_failures(lambda: host.remedy) as log:
            note("starting Spark")
            with log.launching():
                host.engine = spark_cluster(self.master, self.blocks)
            yield host


@dataclass
class Host:
    """Where a command runs: the `engine` for its estimator, and what to advise if Spark fails.

    A command may change `remedy` once something is saved.
    """

    engine: "str | Cluster"
    remedy: str


def resume_remedy(path: Path) -> str:
    """The advice if Spark fails during a run in the directory `path`: how to resume it."""
    again = command_line("resume", path, "--engine spark")
    return f"what was learned up to the last checkpoint is saved, continue with: {again}"


engine_options = options_into(EngineChoice, "where", "Machines")


# Tables of options, and runs

Table = Mapping[str, Mapping[str, object]]  # settings of options, by name: see `console.option`
Decorator = Callable[[Callable[..., None]], Callable[..., None]]

SHARED: Table = {  # settings that a kind's table need not repeat
    "--out": {"heading": "", "required": True, "type": PATH, "help": "Directory for the new model."},
    "--samples": {"least": 1},
    "--iterations": {"least": 1, "common": True},
    "--held-out": {"heading": "Learning", "default": 0.0, "type": NumberRange(0.0, 0.9)},
    "--seed": {
        "common": True,
        "default": 0,
        "type": int,
        "help": "Random seed; the same seed gives the same model.",
    },
    "--threads": THREADS,
    "--checkpoint-every": {
        "heading": "Machines",
        "default": 60.0,
        "type": NumberRange(0.0),
        "help": "Seconds between checkpoints; 0: after every step.",
    },
    "--overwrite": {"heading": "", "is_flag": True, "help": "Replace an existing model at --out."},
}


def chained(*options: Decorator) -> Decorator:
    """A decorator that adds several options to a command, in this order."""

    def decorated(function: Callable[..., None]) -> Callable[..., None]:
        for one in reversed(options):
            function = one(function)
        return function

    return decorated


def options_of(table: Table, *changes: Table, without: tuple[str, ...] = ()) -> Decorator:
    """A decorator that adds the options of a table to a command, in order, except those in `without`.

    Their settings come from `SHARED`, from `table` and from `changes`, of which the later ones count. Options
    that only `changes` has are not added.
    """

    def settings(name: str) -> OptionSettings:
        return {key: value for one in (SHARED, table, *changes) for key, value in one.get(name, {}).items()}

    return chained(*(option(name, **settings(name)) for name in table if name not in without))


checkpoint_option = options_of({"--checkpoint-every": {}})
run_options = chained(
    engine_options, threads_option, checkpoint_option, options_of({"--overwrite": {}}), reading_options
)


def whole_number_or(word: str) -> Callable[[click.Context, click.Parameter, str], int | str]:
    """A click callback for an option that takes a whole number above zero (returned as int), or `word`."""

    def converted(_ctx: click.Context, _param: click.Parameter, value: str) -> int | str:
        if value == word:
            return value
        if value.isdecimal() and 0 < int(value) < 1 << 31:
            return int(value)
        raise click.BadParameter(f'{value!r} is not a whole number above zero; give one, or "{word}"')

    return converted


@dataclass(frozen=True)
class NewRun:
    """The options of a command that makes a run: documents, how to read them, where the model is written."""

    inputs: tuple[str, ...]
    out: Path
    reading: ReadingChoice
    choice: TextChoice
    held_out: float
    checkpoint_every: float
    overwrite: bool
    as_json: bool
    threads: int | None = None

    @classmethod
    def take_from(cls, options: ParameterValues, **others: Any) -> "NewRun":
        """Take a run's options out of a command's `options`, in place; the rest are the model's parameters.

        "threads", if there, remains too. others: the values of fields that are not options.
        """
        names = [field.name for field in fields(cls) if field.name not in (*others, "threads")]
        values: ParameterValues = {name: options.pop(name) for name in names}
        return cls(**values, threads=options.get("threads"), **others)


# Options of declared parameters


def option_table(
    kind: type,
    *,
    only: Collection[str] = (),
    without: Collection[str] = (),
    fixed: Mapping[str, str] = MappingProxyType({}),
    **changes: Mapping[str, object],
) -> Table:
    """The options for a class with declared parameters, as a table for `options_of`.

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
