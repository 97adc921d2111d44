"""What happens with documents that cannot be read: the run stops, or they are skipped and counted."""

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from stickbreaker.core.errors import LONGEST_SHOWN, UserError, counted, shortened


class ReadingWarning(UserWarning):
    """Warns of what readers changed or left out in a file, or of what they may have misunderstood.

    `problem` is the text in which the program shows it, with its own remedy.
    """

    def __init__(self, problem: str) -> None:
        self.problem = problem
        super().__init__(problem)


class ReadingNotes:
    """What readers left out, replaced or guessed, to be counted and reported when all is read.

    `remark` records what happened in a file. By field: `left_out`: those of which a value cannot be metadata;
    `encrypted`: those that cannot be read without a key; `missing`: the cells of each column of a table
    without types that are empty or NA; `far`: the dates outside the years 1 to 9999, which are missing then;
    `repeated`: the fields that occur twice in a JSON object, of which the last is kept.
    """

    def __init__(self) -> None:
        self.left_out: dict[str, int] = {}
        self.encrypted: dict[str, int] = {}
        self.missing: dict[str, int] = {}
        self.far: dict[str, int] = {}
        self.repeated: dict[str, int] = {}
        self._remarks: dict[str, tuple[int, int, str]] = {}  # number, files, the first file

    def remark(self, what: str, where: str, number: int = 1) -> None:
        """Record what happened `number` times in a file that was read.

        what: a short sentence, "pages of PDF files have no text"; where: the file.
        """
        before, files, first = self._remarks.get(what, (0, 0, where))
        self._remarks[what] = before + number, files + 1, first

    def warn(self) -> None:
        """Issue a `ReadingWarning` for each sort of note so far, and forget them."""
        problems = list(self._notes())
        for held in vars(self).values():
            held.clear()
        for problem in problems:
            warnings.warn(ReadingWarning(problem), stacklevel=3)

    def _notes(self) -> Iterator[str]:
        if self.left_out:
            fields = "the field" if len(self.left_out) == 1 else "the fields"
            kinds = "metadata are text, numbers, truth values, dates and lists of strings"
            yield f"left out {fields} {_names(self.left_out)}, since {kinds}"
        if self.encrypted:
            yield f"left out what is encrypted: {_names(self.encrypted)}"
        if self.missing:
            number = sum(self.missing.values())
            cells = f"{counted(number, 'cell')} {'is' if number == 1 else 'are'} empty or NA, and so missing"
            yield f"{cells}: {_counts(self.missing)}"
        if self.far:
            yield f"dates outside the years 1 to 9999 are missing: {_counts(self.far)}"
        if self.repeated:
            yield f"fields that a JSON object has twice, of which the last was read: {_counts(self.repeated)}"
        for what, (number, files, first) in self._remarks.items():
            where = f"in {first}" if files == 1 else f"in {files:,} files, the first {first}"
            yield f"{what}: {number:,}, {where}"


def _names(names: Iterable[str]) -> str:
    """The first eight names, shortened, and how many others there are."""
    listed = [shortened(name, LONGEST_SHOWN) for name in names]
    others = f" and {len(listed) - 8} more" if len(listed) > 8 else ""
    return ", ".join(listed[:8]) + others


def _counts(numbers: Mapping[str, int]) -> str:
    """The eight largest numbers with their names, and how many others there are."""
    names = sorted(numbers, key=lambda name: -numbers[name])
    return _names([f"{shortened(name, LONGEST_SHOWN)} ({numbers[name]:,})" for name in names])


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
