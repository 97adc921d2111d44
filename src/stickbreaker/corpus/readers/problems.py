"""What happens with documents that cannot be read: the run stops, or they are skipped and counted."""

import warnings
from collections import Counter

from stickbreaker.core.errors import UserError


class ReadingWarning(UserWarning):
    """Warns of what was left out, replaced or guessed in documents that were read: what, and where first.

    >>> print(ReadingWarning("pages of PDF files have no text", 3, 2, "a.pdf"))
    pages of PDF files have no text: 3, in 2 files, the first a.pdf
    """

    def __init__(self, what: str, number: int, files: int, first: str) -> None:
        where = f"in {first}" if files == 1 else f"in {files:,} files, the first {first}"
        super().__init__(f"{what}: {number:,}, {where}")


class Bad(Exception):
    """Raised by readers for what cannot be read; `kind` is the category under which it is counted.

    >>> Bad("bad id", "the id is a list", "name another field").kind
    'bad id'
    """

    def __init__(self, kind: str, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.kind, self.problem, self.remedy = kind, problem, remedy

    def at(self, where: object, line: int | None = None) -> UserError:
        """The UserError for this problem, naming the place."""
        return UserError(self.problem, where=where, line=line, remedy=self.remedy)


class Problems:
    """Decides what happens with problems: the first one is raised or, with `skip`, all are counted by kind.

    With `skip`, the first message of each kind is kept. `skippable` is False for files to which `--on-error
    skip` does not apply; remedies then do not mention it.

    >>> problems = Problems(skip=True)
    >>> problems.report("malformed JSON", UserError("not JSON"))
    >>> dict(problems.counts)
    {'malformed JSON': 1}
    """

    def __init__(self, skip: bool, skippable: bool = True) -> None:
        self.skip = skip
        self.skippable = skippable
        self.counts: Counter[str] = Counter()
        self.first: dict[str, str] = {}
        self._remarks: dict[str, tuple[int, int, str]] = {}  # number, files, the first file

    def report(self, kind: str, error: UserError, count: int = 1) -> None:
        """Raise the error or, with `skip`, count the `count` documents that are left out because of it."""
        if not self.skip:
            raise error
        self.counts[kind] += count
        self.first.setdefault(kind, str(error))

    def tell(self, bad: Bad, where: object, line: int | None = None, count: int = 1) -> None:
        """Raise the error of what a reader could not read or, with `skip`, count it (see `report`).

        where, line: its place, for the message; count: documents left out because of it.
        """
        error = bad.at(where, line)
        if not self.skippable:
            error = error.replace(remedy=error.remedy.partition(", or --on-error skip")[0])
        self.report(bad.kind, error, count)

    def remark(self, what: str, where: str, number: int) -> None:
        """Record what happened `number` times in a file that was read, for `warn`.

        what: a short sentence, "pages of PDF files have no text"; where: the file.
        """
        before, files, first = self._remarks.get(what, (0, 0, where))
        self._remarks[what] = before + number, files + 1, first

    def warn(self) -> None:
        """Issue a ReadingWarning for each kind of remark so far, and forget them."""
        remarks, self._remarks = self._remarks, {}
        for what, (number, files, first) in remarks.items():
            warnings.warn(ReadingWarning(what, number, files, first), stacklevel=3)
