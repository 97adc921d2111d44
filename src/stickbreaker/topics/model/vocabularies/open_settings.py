"""The settings of an open vocabulary, as users give them."""

from dataclasses import dataclass, field

from stickbreaker.core.errors import UserError, is_whole
from stickbreaker.corpus.spelling.string_prior import Spelling

OUTSIDE = ("constant", "stick", "spelling")
RANKS = ("counts", "spelling")
MEMORY = ("discard", "keep", "bloom")
LEAST, MOST = 1e-2, 1e7  # of a concentration


@dataclass(frozen=True, slots=True)
class OpenVocabulary:
    """beta_k ~ DP(concentration, G0), G0 a distribution over all strings (Zhai 2014, section 7.2).

    Each topic has at most `truncation` words (T) in an order of its own, with a stick each; all other strings
    share the rest. New words are added as they occur in documents. Every `reorder_every` steps (U), the words
    of a topic are sorted again and those beyond the truncation are dropped.

    `concentration`: alpha^beta, a number or "learned". `outside`: the weight of a word in a topic that does
    not have it, as a share of the rest: "constant", 3 / alpha^beta (at most all); "stick", all of it (eq. 7.4
    as printed); "spelling", G0. `rank_by`: sort words by "counts", or by counts times G0, "spelling" (eq.
    7.8). `memory`: for words beyond the truncation, "discard" forgets them, "keep" keeps their counts,
    "bloom" discards them and adds a word at its second document. `spelling`: G0.

    >>> OpenVocabulary(truncation=5_000).memory
    'discard'
    """

    concentration: float | str = 3_000.0
    truncation: int = 20_000
    reorder_every: int = 10
    outside: str = "constant"
    rank_by: str = "counts"
    memory: str = "discard"
    spelling: Spelling = field(default_factory=Spelling)

    def __post_init__(self) -> None:
        number = isinstance(self.concentration, int | float) and not isinstance(self.concentration, bool)
        if not (self.concentration == "learned" or (number and LEAST <= float(self.concentration) <= MOST)):
            _refuse("concentration", self.concentration, f'a number from {LEAST:g} to {MOST:g} or "learned"')
        for name in ("truncation", "reorder_every"):
            if not is_whole(getattr(self, name), 1):
                _refuse(name, getattr(self, name), "a whole number from 1")
        for name, choices in (("outside", OUTSIDE), ("rank_by", RANKS), ("memory", MEMORY)):
            if getattr(self, name) not in choices:
                _refuse(name, getattr(self, name), " or ".join(f'"{choice}"' for choice in choices))
        if not isinstance(self.spelling, Spelling):
            _refuse("spelling", self.spelling, "Spelling(...)")


def _refuse(name: str, value: object, requirement: str) -> None:
    raise UserError(f"OpenVocabulary({name}={value!r})", remedy=f"{name} is {requirement}")
