"""What happens with documents that cannot be read: the run stops, or they are skipped and counted."""

from collections import Counter

from stickbreaker.core.errors import UserError


class ReadingWarning(UserWarning):
    """Warns of what readers changed or left out in a file, or of what they may have misunderstood.

    `problem` is the text in which the program shows it, with its own remedy.
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        self.problem = problem
        super().__init__(f"{problem}; {remedy}" if remedy else problem)


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
