"""Errors that a user can correct, and how messages show numbers and pieces of the input."""

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from numbers import Integral
from typing import Any, Self, TypeGuard

from stickbreaker.core.option_names import OptionNames, as_options, as_parameters

LONGEST_PIECE = 300  # characters of a message's problem, place or remedy
LONGEST_SHOWN = 100
_BREAK = re.compile(r"\s*[^\S ]\s*")  # white space other than spaces, which paths may have


class UserError(ValueError):
    """A mistake by the user; its message is one line: where, what is wrong, and what to do.

    The command line prints it without a traceback and exits with status 1. `problem` and `remedy` may name
    options or parameters: Python shows parameters, the command line shows options. In the message, place,
    problem and remedy are each cut to 300 characters (a path to its last 300); the attributes are complete.

    `in_file` is True if the mistake is in a file that this library wrote; then the names of its fields are
    not translated to options. It is False if the mistake is elsewhere, even if it was found while a file was
    read (`untrusted.making_sense_of`), and None if that is not known. `names`: those of the verb that it is
    about, whose parameters may be in backquotes in messages (`naming_settings`).

    >>> str(UserError("no such topic", where="model/", remedy="topics run from 0 to 9"))
    'model/: no such topic; topics run from 0 to 9'
    """

    def __init__(
        self,
        problem: str,
        *,
        where: object = None,
        line: int | None = None,
        remedy: str = "",
        in_file: bool | None = None,
        names: OptionNames | None = None,
    ) -> None:
        self.problem = problem
        self.where = where
        self.line = line
        self.remedy = remedy
        self.in_file = in_file
        self.names = names
        self.after = ""
        super().__init__(self._message(as_parameters))

    def fields(self) -> dict[str, Any]:
        """The arguments from which `UserError(**fields)` makes an equal error, as JSON values."""
        where = None if self.where is None else str(self.where)
        fields = {"problem": self.problem, "where": where, "line": self.line, "remedy": self.remedy}
        return {**fields, "in_file": self.in_file}

    def replace(self, **changes: object) -> Self:
        """A copy of the error in which some arguments of `UserError` are changed.

        >>> str(UserError("there is no document").replace(where="news.jsonl", line=2))
        'news.jsonl:2: there is no document'
        """
        other = type(self).__new__(type(self))
        vars(other).update({**vars(self), **changes})
        other.args = (other._message(as_parameters),)
        return other

    def end_with(self, text: str) -> None:
        """Append a semicolon and `text` to the message; unlike its other parts, `text` is never shortened."""
        self.after = f"; {text}"
        self.args = (self._message(as_parameters),)

    def on_command_line(self) -> str:
        """The error message for the command line: with names of options in place of parameters of Python.

        For an error in a file, names of the file's fields stay as they are.

        >>> UserError("max_iter=0", remedy="raise max_iter").on_command_line()
        '--iterations 0; raise --iterations'
        """
        return self._message(as_parameters if self.in_file else as_options)

    def _message(self, spelled: Callable[[str, OptionNames | None], str]) -> str:
        path = "" if self.where is None else shortened_path(str(self.where))
        place = (
            "" if self.where is None else f"{path}:{self.line}: " if self.line is not None else f"{path}: "
        )
        text = shortened(self.problem) + (f"; {shortened(self.remedy)}" if self.remedy else "")
        return _BREAK.sub(" ", f"{place}{spelled(text, self.names)}").strip() + self.after


@contextmanager
def naming(where: object, line: int | None = None) -> Generator[None]:
    """A context that adds `where` and `line` to each UserError raised inside it that does not name a place.

    >>> with naming("news.jsonl"):
    ...     raise UserError("there is no document")
    Traceback (most recent call last):
    stickbreaker.core.errors.UserError: news.jsonl: there is no document
    """
    try:
        yield
    except UserError as error:
        if error.where is not None:
            raise
        raise error.replace(where=where, line=line) from error


class Interrupted(Exception):
    """Raised by a run that was asked to stop; its state is then the one after the last complete step."""


def shortened(text: str, most: int = LONGEST_PIECE) -> str:
    """The text, or its beginning and end joined by "…" if it has more than `most` characters.

    >>> shortened("abcdefghij", 5)
    'abc…j'
    """
    if len(text) <= most:
        return text
    end = (most - 1) // 3
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def shortened_path(path: str, most: int = LONGEST_PIECE) -> str:
    """The path, or "…" and its end (with the file's name) if it has more than `most` characters.

    >>> shortened_path("/a/long/way/name.txt", 9)
    '…name.txt'
    """
    return path if len(path) <= most else f"…{path[len(path) - most + 1 :]}"


def shown(text: str, most: int = LONGEST_SHOWN) -> str:
    """Text of the input in quotes, for a message; only its beginning if it is long.

    >>> shown("it's"), shown("abcdef", 3)
    ('"it\\'s"', "'abc…'")
    """
    return repr(text) if len(text) <= most else repr(text[:most] + "…")


def noun_for(number: float, one: str, many: str | None = None) -> str:
    """The noun to follow a number: singular or plural.

    >>> noun_for(1, "line"), noun_for(0, "line"), noun_for(2, "pass", "passes")
    ('line', 'lines', 'passes')
    """
    return one if number == 1 else many or f"{one}s"


def counted(number: float, one: str, many: str | None = None) -> str:
    """A number with its noun in the singular or plural, such as "1 topic" or "1,200 topics".

    >>> counted(1, "document"), counted(2_000, "document"), counted(2, "pass", "passes")
    ('1 document', '2,000 documents', '2 passes')
    """
    return f"{number:,.0f} {noun_for(number, one, many)}"


def is_whole(value: object, least: int) -> TypeGuard[int]:
    """Whether a value, such as a parameter's, is a whole number of at least `least`; bool is not.

    >>> is_whole(2, 1), is_whole(2.0, 1), is_whole(True, 1)
    (True, False, False)
    """
    return not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= least
