"""The handling of documents that cannot be read: stop, or skip and count."""

from collections import Counter

from stickbreaker.core.errors import UserError


class Bad(Exception):
    """Raised for something that cannot be read: `problem` says what is wrong, `kind` is the category that
    counts it.

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
    """Raises the first problem, or (`skip`) counts problems by kind and keeps the first message of each.

    `skippable` is false for files without `--on-error skip`: remedies do not mention it.

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
        """Raise the error, or count it: `count` documents are left out."""
        if not self.skip:
            raise error
        self.counts[kind] += count
        self.first.setdefault(kind, str(error))

    def tell(self, bad: Bad, where: object, line: int | None = None, count: int = 1) -> None:
        """Report a problem and its place; `count` documents are left out because of it."""
        error = bad.at(where, line)
        if not self.skippable:
            error = error.replace(remedy=error.remedy.partition(", or --on-error skip")[0])
        self.report(bad.kind, error, count)
