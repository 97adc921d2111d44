"""Lists of topics as lines of text and as tables, for kinds of models with topics."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.estimators.verb_results import VerbResult

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, repr=False)
class ListOfTopics(VerbResult):
    """A list of topics, as the verb `topics` returns it for models of any kind."""

    def table(self) -> "pa.Table":
        """A row for each topic: number, name, share and coherence (if known), and its words in one cell.

        Several languages have a column of words each.
        """
        import pyarrow as pa

        found: list[JsonObject] = self.as_json()["topics"]
        languages = list(found[0].get("languages", ())) if found else []
        columns: JsonObject = {"topic": pa.array([one["topic"] for one in found], pa.int32())}
        for name, kind in (("name", pa.string()), ("share", pa.float64()), ("coherence", pa.float64())):
            if any(name in one for one in found):
                columns[name] = pa.array([one.get(name) for one in found], kind)
        for code in languages or [None]:
            own = [one if code is None else one["languages"][code] for one in found]
            words = [" ".join(one["words"]) for one in own]
            columns["words" if code is None else f"words_{code}"] = pa.array(words, pa.string())
        return pa.table(columns)


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
