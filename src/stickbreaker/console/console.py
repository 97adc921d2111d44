"""Shared by all commands: results as text or JSON, progress and errors on standard error, options."""

import dataclasses
import functools
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar

import click

from stickbreaker.console.headings import HeadedOption
from stickbreaker.core import printing
from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject

P = ParamSpec("P")
F = TypeVar("F", bound=Callable[..., object])
OptionSettings = dict[str, Any]  # arguments of `option`, by name


_NAMED_AS: dict[str, str] = {}  # folders of unpacked files, and the paths that users gave


def printable(text: object) -> str:
    """Text that is safe to show on a terminal, without control characters.

    Characters that change the direction of writing are removed too; tabs and newlines stay. The temporary
    folder of an unpacked zip file is replaced by the path of the zip file.

    >>> printable("a\\x1b[31mb")
    'a[31mb'
    """
    return printing.printable(_as_given(str(text)))


def _as_given(text: str, written: Callable[[str], str] = str) -> str:
    """Replace the folders of unpacked zip files in a text by the paths of the zip files that the user gave.

    written: how a path is written in the text, such as with JSON's escapes.
    """
    for folder, path in _NAMED_AS.items():
        text = text.replace(written(folder), written(path))
    return text


def say(text: object = "") -> None:
    """Print a text on standard output, made safe by `printable`. Raises UserError if it cannot be written."""
    with writing_output():
        click.echo(printable(text))


@contextmanager
def writing_output() -> Iterator[None]:
    """A context in which a failed write to standard output, as on a full disk, raises UserError.

    What is left to write is discarded. BrokenPipeError (the reader has gone) passes unchanged. An error that
    names a file is of that file, and the UserError names it too.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is not None:
            raise UserError(error.strerror or str(error), where=os.fsdecode(error.filename)) from None
        with suppress(OSError, ValueError):  # the rest of the buffer would fail again at exit
            output, nowhere = sys.stdout.fileno(), os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, output)
            os.close(nowhere)
        raise UserError(error.strerror or str(error), where="standard output") from None


def note(text: object) -> None:
    """Print a message on standard error, such as a warning; above the progress bar if there is one."""
    print(printable(text), file=sys.stderr, flush=True)  # click.echo would not go above the bar


COMPILING = "compiling kernels (once after an install, some seconds)"


class ProgressLine:
    """A line of progress on standard error.

    On a terminal, it is replaced at most every `changes` seconds; elsewhere a new line is printed at most
    every `lines` seconds.
    """

    def __init__(self, changes: float, lines: float) -> None:
        self.every = changes if self.live else lines
        self.start = self.shown = time.monotonic()

    @property
    def live(self) -> bool:
        """Whether the line can be overwritten: on a terminal, unless a progress bar is shown."""
        return sys.stderr is sys.__stderr__ and sys.stderr.isatty()

    @property
    def due(self) -> bool:
        """Whether the text shown last has been there long enough, so that a new one may be shown."""
        return time.monotonic() - self.shown >= self.every

    def show(self, text: str, *, last: bool = False) -> None:
        """Show a text, unless too little time has passed since the last one, or since the line was made.

        With `last`, it is always shown, and stays on the screen.
        """
        if last or self.due:
            self.shown = time.monotonic()
            clear, end = ("\r\x1b[K", "\n" if last else "") if self.live else ("", "\n")
            print(f"{clear}{text}", end=end, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Erase the line, if it can be overwritten."""
        if self.live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@functools.cache
def tell_of_compiling() -> None:
    """From now on, show on standard error when kernels are compiled that are not in numba's cache."""
    from numba.core import event

    class Compilations(event.Listener):
        def __init__(self) -> None:
            self.line = ProgressLine(changes=0.2, lines=5.0)
            self.depth = self.number = 0  # kernels compiled within a kernel are parts of it

        def on_start(self, event: event.Event) -> None:
            self.depth += 1
            if self.depth > 1:
                return
            self.number += 1
            if self.number == 1:
                self.line.show(COMPILING, last=True)
            else:
                kernel = dict(event.data or {})["dispatcher"].__name__
                self.line.show(f"compiling {kernel}, kernel {self.number}")

        def on_end(self, event: event.Event) -> None:
            self.depth -= 1
            if not self.depth:
                self.line.clear()

    event.register("numba:compile", Compilations())


def emit(result: JsonObject, as_json: bool, text: Callable[[JsonObject], str]) -> None:
    """Print a command's result: as one JSON object, or as the text that `text(result)` returns."""
    if as_json:
        with writing_output():
            click.echo(_as_given(json.dumps(result, allow_nan=False), lambda name: json.dumps(name)[1:-1]))
    else:
        say(text(result))


class NumberRange(click.FloatRange):
    """The type of an option with a number within bounds; it refuses NaN, which click accepts."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


class GivenPath(click.Path):
    """The type of arguments and options that are files or directories; an empty name, which would be the
    present directory, is refused."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        if value == "":
            self.fail("the name of a file or directory is empty", param, ctx)
        return super().convert(value, param, ctx)


PATH = GivenPath(path_type=Path)
INPUT = GivenPath()  # as text: "-" is standard input


def option(
    *names: str, choices: Sequence[str] = (), least: int | None = None, **settings: Any
) -> Callable[[F], F]:
    """As `click.option`, but the default is shown in `--help`, unless it is None.

    choices: the texts that are allowed; least: the option takes whole numbers, and this is the smallest.
    heading: under which `--help all` lists it; common: `--help` lists it too (`HeadedOption`).
    """
    if choices:
        settings["type"] = click.Choice(choices)
    if least is not None:
        settings["type"] = click.IntRange(least)
    if settings.get("default") is not None:
        settings.setdefault("show_default", True)
    return click.option(*names, cls=HeadedOption, **settings)


class ModelPath(GivenPath):
    """The type of a command's argument that is a saved model or system: a directory, or a zip file.

    A zip file is unpacked, and its value is the folder, which is removed when the program ends; output names
    the zip file. With `changes`, for commands that change the model, a zip file is refused.
    """

    def __init__(self, *, changes: bool = False) -> None:
        super().__init__(path_type=Path)
        self.changes = changes

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        from stickbreaker.estimators.kinds import markers
        from stickbreaker.saved.packed_models import directory_of, is_packed

        path = super().convert(value, param, ctx)
        try:
            if not isinstance(path, Path) or not is_packed(path):
                return path
            if self.changes:
                remedy = "unpack it into a directory, and change that"
                raise UserError("is a zip file, which cannot be changed", where=path, remedy=remedy)
            _exit_when_terminated()
            folder = directory_of(path, markers())
        except UserError as error:
            fail(error.on_command_line())
        except OSError as error:
            fail(str(UserError(error.strerror or str(error), where=error.filename or path)))
        _NAMED_AS[str(folder)] = str(path)
        return folder


def _exit_when_terminated() -> None:
    """Let SIGTERM, if it has no handler, end the program like an exit, so that unpacked zips are removed."""
    free = threading.current_thread() is threading.main_thread()
    if free and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


MODEL = ModelPath()
model_argument = click.argument("model", type=MODEL)
changed_model_argument = click.argument("model", type=ModelPath(changes=True))
inputs_argument = click.argument("inputs", nargs=-1, required=True, metavar="CORPUS|FILE...", type=INPUT)
THREADS = {
    "heading": "Machines",
    "least": 1,
    "show_default": "every core",
    "help": "Use this many threads at most; the result does not depend on their number.",
}
threads_option = option("--threads", **THREADS)


def number_or_learned(_ctx: click.Context, param: click.Parameter, value: str | None) -> float | str | None:
    """A click callback for a prior's parameter: a number, "learned" or "learned:NUMBER"; None if not given.

    For alpha also "learned-symmetric". Numbers are converted, the others stay texts. Raises BadParameter.
    """
    kind = None if value is None else value.partition(":")[0]
    if value is None or kind == "learned" or (kind, param.name) == ("learned-symmetric", "alpha"):
        return value
    try:
        return float(value)
    except ValueError:
        raise click.BadParameter(f'{value!r} is not a number; give one, or "learned"') from None


def written(names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the options named here that the user gave on the command line; defaults do not count."""
    context = click.get_current_context()
    source = click.core.ParameterSource.COMMANDLINE
    return tuple(name for name in names if context.get_parameter_source(name) == source)


def refuse_written(names: tuple[str, ...], problem: str) -> None:
    """Raise a usage error, "--name problem", if the user gave any of the options `names`; for the first."""
    options = {param.name: param.opts for param in click.get_current_context().command.params}
    for name in written(names):
        option = f"--{name.replace('_', '-')}"
        raise click.UsageError(f"{option if option in options[name] else options[name][0]} {problem}")


def from_option(*, names: str | None = None, **settings: Any) -> Any:
    """Declare a dataclass field that is set by a command line option; for classes given to `options_into`.

    names: the option's names, if they differ from the field's; settings: as for `option`.
    """
    default = settings.get("default", False if settings.get("is_flag") else None)
    return dataclasses.field(default=default, metadata={"names": names, "settings": settings})


def from_table(table: Mapping[str, Mapping[str, object]]) -> Any:
    """Declare a dataclass field that several options set; its value is a dict of theirs.

    table: the settings of each option, by its name. For classes given to `options_into`.
    """
    return dataclasses.field(metadata={"table": table})


def options_into(
    kind: type[Any], name: str, heading: str = ""
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator: the command gets the options of dataclass `kind`, and an instance as its argument `name`.

    The field `given`, if there is one, gets the names of the options that the user gave. heading: of the
    options that have no other.
    """
    fields = {field.name: field.metadata for field in dataclasses.fields(kind) if field.name != "given"}
    plain = tuple(field for field, about in fields.items() if "table" not in about)
    tables = {field: about["table"] for field, about in fields.items() if "table" in about}

    def decorated(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def gathered(*args: object, **values: object) -> None:
            made = {field: values.pop(field) for field in plain}
            for field, table in tables.items():
                keys = [name[2:].replace("-", "_") for name in table]
                made[field] = {key: values.pop(key) for key in keys}
            if hasattr(kind, "given"):
                made["given"] = written(plain)
            function(*args, **{name: kind(**made)}, **values)

        for field, about in reversed(fields.items()):
            own = (
                {about["names"] or f"--{field.replace('_', '-')}": about["settings"]}
                if field in plain
                else tables[field]
            )
            for names, settings in reversed(own.items()):
                gathered = option(names, **{"heading": heading, **settings})(gathered)
        return gathered

    return decorated


def command(function: Callable[P, None]) -> Callable[P, None]:
    """A decorator for commands: adds `--json`; some errors become one line and exit status 1.

    They are UserError, OSError and MemoryError. If the reader of the output has gone, nothing is printed.
    """

    @click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            function(*args, **kwargs)
        except UserError as error:
            fail(error.on_command_line())
        except BrokenPipeError:
            sys.stderr.close()
            sys.exit(1)
        except OSError as error:
            remedy = "check its permissions" if isinstance(error, PermissionError) else ""
            place = error.filename or "input or output"
            fail(str(UserError(error.strerror or str(error), where=place, remedy=remedy)))
        except MemoryError:
            fail("there is not enough memory; take fewer topics, or a smaller vocabulary")

    return guarded


def fail(line: str) -> NoReturn:
    """Print one line on standard error and exit with status 1."""
    click.echo(f"stickbreaker: {printable(line)}", err=True)
    sys.exit(1)


STOPPING = "stopping after the current documents; press Ctrl-C again to exit immediately"


@contextmanager
def stop_signals(
    stop: Callable[[], None],
    message: str = STOPPING,
    numbers: tuple[int, ...] = (signal.SIGINT, signal.SIGTERM),
) -> Iterator[None]:
    """A context in which the first Ctrl-C or SIGTERM prints `message` and calls `stop`; a second one exits.

    numbers: the signals, if others than these two.
    """
    before = {number: signal.getsignal(number) for number in numbers}

    def handler(_number: int, _frame: object) -> None:
        for number in before:
            signal.signal(number, signal.SIG_DFL)
        note(message)
        stop()

    for number in before:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, was in before.items():
            signal.signal(number, was)
