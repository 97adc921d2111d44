"""The settings of split and merge moves of topics."""

from dataclasses import dataclass

from stickbreaker.core.errors import UserError, is_whole

ACCEPT = ("exact", "halves", "paper")


@dataclass(frozen=True, slots=True)
class SplitMerge:
    """Topics split and merge while a run continues (Bryant & Sudderth 2012, section 3).

    `accept`: how a change is judged: "exact", by the bound of all documents (memoised and batch schedules);
    "halves", fitted on one half of a minibatch and judged on the other (online, `partial_fit`); "paper", on
    the minibatch on which it was fitted, as in Bryant & Sudderth (biased on text). At most `splits` and
    `merges` are tried at once; by default 16 merges, or with "exact" half the number of topics (16 to 64).

    >>> SplitMerge(accept="halves").splits
    12
    """

    accept: str = "exact"
    splits: int = 12
    merges: int | None = None

    def __post_init__(self) -> None:
        if self.accept not in ACCEPT:
            choices = " or ".join(map(repr, ACCEPT))
            raise UserError(f"SplitMerge(accept={self.accept!r})", remedy=f"accept is {choices}")
        if not (is_whole(self.splits, 0) and (self.merges is None or is_whole(self.merges, 0))):
            problem = f"SplitMerge(splits={self.splits!r}, merges={self.merges!r})"
            raise UserError(problem, remedy="both are whole numbers from 0")
