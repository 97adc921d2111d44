"""Errors that a user can mend."""

from numbers import Integral


class UserError(ValueError):
    """A mistake of the user's, told in one line that says what is wrong, where, and the remedy.

    The command line prints it without a traceback and exits with status 1.

    >>> str(UserError("no such topic", where="model/", remedy="topics run from 0 to 9"))
    'model/: no such topic; topics run from 0 to 9'
    """

    def __init__(
        self, problem: str, *, where: object = None, line: int | None = None, remedy: str = ""
    ) -> None:
        place = "" if where is None else f"{where}:{line}: " if line is not None else f"{where}: "
        text = f"{place}{problem}" + (f"; {remedy}" if remedy else "")
        super().__init__(" ".join(text.split()))
        self.problem = problem
        self.where = where
        self.line = line
        self.remedy = remedy


def is_whole(value: object, least: int) -> bool:
    """Whether a parameter is a whole number of at least `least`.

    >>> is_whole(2, 1), is_whole(2.0, 1), is_whole(True, 1)
    (True, False, False)
    """
    return not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= least
