"""The options of the commands that make runs, and the run that they describe."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click

from stickbreaker.console.console import PATH, THREADS, NumberRange, OptionSettings, option, threads_option
from stickbreaker.console.engine_options import engine_options
from stickbreaker.console.inputs import ReadingChoice, TextChoice, reading_options
from stickbreaker.core.option_names import ParameterValues

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
