"""Lists of topics as lines of text, for kinds of models with topics."""

from collections.abc import Iterable, Sequence


def lines_of_topics(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table as lines: numbers and shares are aligned on the right, other columns on the left.

    >>> lines_of_topics(("topic", "share", "words"), [("0", "50.0 %", "river")])
    ['topic   share  words', '    0  50.0 %  river']
    """
    rooms = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def line(topic: str, share: str, *others: str) -> str:
        padded = [one.ljust(room) for one, room in zip(others, rooms[2:], strict=True)]
        return "  ".join([topic.rjust(rooms[0]), share.rjust(rooms[1]), *padded]).rstrip()

    return [line(*row) for row in (head, *rows)]


def unused_line(topics: Iterable[int], of: str = "") -> list[str]:
    """A line that lists the numbers of unused topics, as a list; empty if there are none. `of`: text that
    says of which model, if there are several.
    """
    numbers = ", ".join(map(str, sorted(topics)))
    return [f"unused{of}: {numbers}"] if numbers else []
