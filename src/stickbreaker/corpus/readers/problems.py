"""What to do about a document that cannot be read: stop, or skip and count."""

from collections import Counter

from stickbreaker.core.errors import UserError


class Problems:
    """Raises the first problem, or (`skip`) counts problems by kind and keeps the first message of each.

    >>> problems = Problems(skip=True)
    >>> problems.report("malformed JSON", UserError("not JSON"))
    >>> dict(problems.counts)
    {'malformed JSON': 1}
    """

    def __init__(self, skip: bool) -> None:
        self.skip = skip
        self.counts: Counter[str] = Counter()
        self.first: dict[str, str] = {}

    def report(self, kind: str, error: UserError) -> None:
        """Raise the error, or count it."""
        if not self.skip:
            raise error
        self.counts[kind] += 1
        self.first.setdefault(kind, str(error))
