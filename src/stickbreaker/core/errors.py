"""Errors that a user can mend, what of the input their messages repeat, and how these say numbers."""

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from numbers import Integral

from stickbreaker.core.option_names import as_options, as_parameters

LONGEST_PIECE = 300  # characters of a message's problem, place or remedy
LONGEST_SHOWN = 100
_BREAK = re.compile(r"\s*[^\S ]\s*")  # white space that is more than blanks, which paths may have


class UserError(ValueError):
    """A mistake of the user's; its message is one line that says what is wrong, where, and the remedy.

    The command line prints it without a traceback and exits with status 1. Problem and remedy may name
    options or parameters: the message has parameters, that of the command line options. The line has at most
    300 characters of each of the three, of a path the last ones; the attributes have all. With `in_file` the
    mistake is in a file that this library wrote, whose fields are named like parameters: so they are on the
    command line too. False says that it is none of a file, even if it comes up while one is made sense of.

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
    ) -> None:
        self.problem = problem
        self.where = where
        self.line = line
        self.remedy = remedy
        self.in_file = in_file
        self.after = ""
        super().__init__(self._message(as_parameters))

    def end_with(self, text: str) -> None:
        """Add to the message what is never shortened, after a semicolon."""
        self.after = f"; {text}"
        self.args = (self._message(as_parameters),)

    def on_command_line(self) -> str:
        """The message with options of the command line where it would name parameters, not fields of a file.

        >>> UserError("max_iter=0", remedy="raise max_iter").on_command_line()
        '--iterations 0; raise --iterations'
        """
        return self._message(as_parameters if self.in_file else as_options)

    def _message(self, spelled: Callable[[str], str]) -> str:
        path = "" if self.where is None else shortened_path(str(self.where))
        place = (
            "" if self.where is None else f"{path}:{self.line}: " if self.line is not None else f"{path}: "
        )
        text = shortened(self.problem) + (f"; {shortened(self.remedy)}" if self.remedy else "")
        return _BREAK.sub(" ", f"{place}{spelled(text)}").strip() + self.after


@contextmanager
def naming(where: object) -> Generator[None]:
    """Let a UserError that names no place name this one.

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
        raise type(error)(error.problem, where=where, remedy=error.remedy, in_file=error.in_file) from error


class Interrupted(Exception):
    """A run was asked to stop; everything is as its last complete step left it."""


def shortened(text: str, most: int = LONGEST_PIECE) -> str:
    """The text, or where it has more than `most` characters its beginning and its end.

    >>> shortened("abcdefghij", 5)
    'abc…j'
    """
    if len(text) <= most:
        return text
    end = (most - 1) // 3
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def shortened_path(path: str, most: int = LONGEST_PIECE) -> str:
    """The path, or where it has more than `most` characters its end, with the file's name.

    >>> shortened_path("/a/long/way/name.txt", 9)
    '…name.txt'
    """
    return path if len(path) <= most else f"…{path[len(path) - most + 1 :]}"


def shown(text: str, most: int = LONGEST_SHOWN) -> str:
    """Text of the input in quotes, for a message; of a long one its beginning.

    >>> shown("it's"), shown("abcdef", 3)
    ('"it\\'s"', "'abc…'")
    """
    return repr(text) if len(text) <= most else repr(text[:most] + "…")


def noun_for(number: float, one: str, many: str | None = None) -> str:
    """What stands after a number.

    >>> noun_for(1, "line"), noun_for(0, "line"), noun_for(2, "pass", "passes")
    ('line', 'lines', 'passes')
    """
    return one if number == 1 else many or f"{one}s"


def counted(number: float, one: str, many: str | None = None) -> str:
    """A number and what it counts.

    >>> counted(1, "document"), counted(2_000, "document"), counted(2, "pass", "passes")
    ('1 document', '2,000 documents', '2 passes')
    """
    return f"{number:,.0f} {noun_for(number, one, many)}"


def is_whole(value: object, least: int) -> bool:
    """Whether a parameter is a whole number of at least `least`.

    >>> is_whole(2, 1), is_whole(2.0, 1), is_whole(True, 1)
    (True, False, False)
    """
    return not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= least
