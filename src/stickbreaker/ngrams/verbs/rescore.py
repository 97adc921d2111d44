"""N-best lists of any system, ranked by a language model too."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import cast

from stickbreaker.core.errors import UserError, counted, naming
from stickbreaker.core.files import write_atomic
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.ngrams.nbest_lists import Candidate, candidate_of, lines_of, read_candidates
from stickbreaker.ngrams.rescoring import rescored
from stickbreaker.ngrams.verbs.given_scorers import scorer_in
from stickbreaker.ngrams.verbs.settings import RescoreSettings

Lists = list[list[Candidate]]


@dataclass(frozen=True, repr=False)
class RankedLists(VerbResult):
    """The candidates of each sentence, the best first, with log p by the language model as a feature.

    `changed`: how many sentences have another best candidate than before.
    """

    lists: tuple[tuple[Candidate, ...], ...]
    changed: int

    @property
    def best(self) -> list[str]:
        """The best text of each sentence; "" if it has no candidate."""
        return [own[0].text if own else "" for own in self.lists]

    def as_json(self) -> JsonObject:
        return {"sentences": len(self.lists), "changed": self.changed}

    def write(self, path: str | Path, *, best: bool = False, overwrite: bool = False) -> None:
        """Write the lists in Moses' format or, with `best`, the best text of each sentence, a line each."""
        lines = (f"{text}\n" for text in self.best) if best else lines_of(self.lists)
        write_atomic(Path(path), "".join(lines).encode("utf-8"), overwrite=overwrite)

    def __str__(self) -> str:
        return f"{counted(len(self.lists), 'sentence')}, {self.changed:,} with another best"


def lists_for(model: object, given: object) -> tuple[Lists, str | None]:
    """N-best lists, and what messages call them: the path of a file, lists of `Candidate`, or lines as in a
    file. Raises UserError for anything else.
    """
    if isinstance(given, str | PathLike):
        return read_candidates(Path(given)), str(given)
    if isinstance(given, Sequence) and given:
        rows = cast("Sequence[object]", given)
        if all(isinstance(one, str) for one in rows):
            return _of_lines(cast("Sequence[str]", rows)), None
        lists = [list(cast("Sequence[object]", own)) for own in rows if isinstance(own, Sequence)]
        if len(lists) == len(rows) and all(isinstance(one, Candidate) for own in lists for one in own):
            return cast("Lists", lists), None
    problem = f"an object of the class {type(given).__name__} was given instead of n-best lists"
    raise UserError(problem, remedy="give the path of a file, or its lines: number ||| text ||| score")


def _of_lines(lines: Sequence[str]) -> Lists:
    lists: Lists = []
    for place, line in enumerate(lines):
        try:
            one = candidate_of(line)
        except ValueError as error:
            problem = f"line {place} is not a candidate ({error})"
            raise UserError(problem, remedy="write it as number ||| text ||| score") from None
        lists += [[] for _ in range(one.sentence + 1 - len(lists))]
        lists[one.sentence].append(one)
    return lists


def rescore(model: object, given: tuple[Lists, str | None], settings: RescoreSettings) -> RankedLists:
    """Rank the candidates of each sentence with `settings.scale` times log p (nats) added to their scores."""
    lists, name = given
    with naming(name):
        return ranked_lists(lists, rescored(scorer_in(model), lists, settings.scale))


def ranked_lists(lists: Lists, ranked: Lists) -> RankedLists:
    """The result of ranking lists again. lists: as they were before."""
    changed = sum(a[0].text != b[0].text for a, b in zip(lists, ranked, strict=True) if a)
    return RankedLists(tuple(map(tuple, ranked)), changed)
