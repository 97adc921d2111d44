"""Part `foreign`: models and corpora made by somebody who means harm; all their sums are right."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

from audit.foreign_json import change_facts
from audit.foreign_links import age, link_out, pipe, times
from audit.foreign_tables import change_parquet, change_trace, change_words, nest
from audit.foreign_tensors import HEADERS, change_header, change_tensor
from audit.materials import CORPORA, KINDS, LEXICONS, command_of, subject
from audit.parts import Part
from audit.programs import LIMIT
from audit.results import LOST, REFUSED, SILENT, Decision, files_below, worst

Change = Callable[[Path, random.Random], tuple[str, bool]]
READ = ("held.jsonl: ", "sides.jsonl: ", "trees.conllu: ", "standard input:")  # what may not fit a model
KINDS_OF_CHANGE: dict[str, Change] = {
    "manifest": change_facts,
    "nested": nest,
    "table": change_parquet,
    "tensor": change_tensor,
    "words": change_words,
    "trace": change_trace,
}
WAYS = (*KINDS_OF_CHANGE, "header", "link", "pipe")


def applies(way: str, kind: str) -> bool:
    """Whether a material of a kind has the files that a change is about."""
    if way in ("tensor", "header"):
        return kind not in CORPORA
    if way == "trace":
        return kind not in CORPORA and kind not in LEXICONS
    return way != "words" or "--words open" in command_of(kind)


class Foreign(Part):
    name = "foreign"
    weight = 3.0
    sample = 30

    def kinds(self) -> tuple[str, ...]:
        return tuple(f"{way} of {kind}" for way in WAYS for kind in KINDS if applies(way, kind))

    def size(self, kind: str) -> int | None:
        return 2 * len(HEADERS) if kind.startswith("header") else None

    def attempt(self, kind: str, number: int, draw: random.Random, place: Path) -> Decision:
        way, _, material = kind.partition(" of ")
        self.comparison.known(material)
        self.materials.copy(material, place)
        name = subject(material)
        if way == "link":
            return self._link(material, draw, place)
        legal = False
        if way == "pipe":
            what = pipe(place, name, draw)
        elif way == "header":
            what, legal = change_header(place, number)
        else:
            what, legal = KINDS_OF_CHANGE[way](place, draw)
        judge = self.comparison.judge
        limit = LIMIT if way != "pipe" else 8.0
        verdict = worst(judge(material, place, (f"{name}/", f"{name}: ", *READ), legal=legal, limit=limit))
        return Decision(verdict.outcome, f"{what}; {verdict.message}")

    def _link(self, material: str, draw: random.Random, place: Path) -> Decision:
        """What a link leads to is neither read nor changed."""
        name = subject(material)
        what, outside = link_out(place, name, draw)
        before, read = files_below(outside), times(outside)
        age(outside)
        verdicts = self.comparison.judge(material, place, (f"{name}/", f"{name}: "))
        followed = [Path(file).name for file, when in times(outside).items() if read.get(file) != when]
        if files_below(outside) != before:
            verdicts.append(Decision(LOST, "a file outside was changed or removed"))
        elif followed and not all(verdict.outcome == REFUSED for verdict in verdicts):
            verdicts.append(Decision(SILENT, f"{', '.join(followed)} outside was read"))
        shutil.rmtree(outside)
        verdict = worst(verdicts)
        return Decision(verdict.outcome, f"{what}; {verdict.message}")
