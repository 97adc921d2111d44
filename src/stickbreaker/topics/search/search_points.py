"""Records of the finished runs of a search for the number of topics, as they are stored and compared."""

from dataclasses import asdict, dataclass, fields

from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import (
    is_count,
    is_flag,
    is_number,
    is_positive,
    optional,
    refuse_other_kinds,
)

SHORT, WHOLE = "short runs", "runs to the end"  # the scores on which a range is based


@dataclass(frozen=True)
class SearchPoint:
    """A finished run of a search for the number of topics.

    It started with `topics` topics and has `used` of them in use after `passes` passes; `bound` and
    `held_out` are its scores in nats per word, the latter on documents that no run learned from (None without
    any). `final`: it ran to its end; otherwise it was a short run. `checks`: it belongs to the runs that
    check, by held-out documents, whether the bound favoured too few topics.
    """

    topics: int
    used: int
    bound: float
    held_out: float | None
    passes: int
    final: bool
    checks: bool = False

    def score(self, judge: str) -> float:
        """The score by which runs are compared: the bound if `judge` is "bound", otherwise the held-out
        score.

        Raises ValueError if the run has no held-out score.
        """
        if judge == "bound":
            return self.bound
        if self.held_out is None:
            raise ValueError("a run of the search has no held-out score")
        return self.held_out

    def __str__(self) -> str:
        held_out = "" if self.held_out is None else f", held-out {self.held_out:.4f}"
        kind = "run to its end, from" if self.final else "checking:" if self.checks else "searching:"
        topics = f"{counted(self.topics, 'topic')}, {self.used} in use"
        return f"{kind} {topics}, bound {self.bound:.4f} nats/word{held_out}"

    def to_json(self) -> dict[str, object]:
        return asdict(self)


KINDS = {
    "topics": is_positive,
    "used": is_positive,
    "bound": is_number,
    "held_out": optional(is_number),
    "passes": is_count,
    "final": is_flag,
    "checks": is_flag,
}
OLDER = {"checks": False}  # fields that records of earlier versions lack


def points_from(held: object) -> tuple[SearchPoint, ...]:
    """Read the runs of a search from the JSON value `held` in a saved model's manifest. Raises ValueError if
    they are invalid.
    """
    if not isinstance(held, list):
        raise ValueError("the runs of the search are not a list")
    names = {field.name for field in fields(SearchPoint)}
    points: list[SearchPoint] = []
    for record in held:
        whole = {**OLDER, **record} if isinstance(record, dict) else record
        refuse_other_kinds(whole, KINDS)
        if set(whole) != names:
            raise ValueError("a run of the search has other figures")
        points.append(SearchPoint(**whole))
    return tuple(points)
