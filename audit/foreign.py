"""Part `foreign`: models and corpora made by somebody who means harm; all their sums are right."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

from audit.foreign_json import change_facts
from audit.foreign_links import age, link_out, pipe, times
from audit.foreign_tables import change_parquet, change_trace, change_words, nest
from audit.foreign_tensors import HEADERS, change_tensor
from audit.materials import CORPORA, subject
from audit.parts import Part
from audit.programs import LIMIT
from audit.results import LOST, REFUSED, SILENT, Decision, files_below, worst
from audit.sealing import seal_model, state_file

Change = Callable[[Path, random.Random], tuple[str, bool]]
STATES = ("lda", "open", "hdp", "gibbs under way", "hdp under way", "stream under way", "ngram", "grammar")
READ = ("held.jsonl: ", "sides.jsonl: ", "standard input:")  # documents that a changed model may not fit
KINDS: dict[str, Change] = {"manifest": change_facts, "nested": nest, "table": change_parquet}
WHERE: dict[str, tuple[str, ...]] = {
    "manifest": (*STATES, "concepts", "polylingual", "text corpus", "bag corpus", "polylingual corpus"),
    "nested": ("lda", "gibbs under way", "text corpus"),
    "table": (
        "lda",
        "open",
        "polylingual",
        "gibbs under way",
        "stream under way",
        "ngram",
        "grammar",
        *CORPORA,
    ),
    "tensor": (
        "lda",
        "open",
        "hdp",
        "gibbs under way",
        "hdp under way",
        "open under way",
        "stream under way",
        "ngram",
        "ngram spelled",
        "ngram under way",
        "grammar",
        "grammar under way",
        "concepts",
        "concepts under way",
    ),
    "words": ("open", "stream under way"),
    "trace": ("lda", "open", "hdp", "gibbs under way", "stream under way"),
    "header": ("lda", "stream under way"),
    "link": ("lda", "open", "gibbs under way", "stream under way", "text corpus"),
    "pipe": ("lda", "open", "gibbs under way", "stream under way", "text corpus"),
}
KINDS |= {"tensor": change_tensor, "words": change_words, "trace": change_trace}


class Foreign(Part):
    name = "foreign"
    weight = 3.0
    sample = 30

    def kinds(self) -> tuple[str, ...]:
        return tuple(f"{way} of {kind}" for way, kinds in WHERE.items() for kind in kinds)

    def size(self, kind: str) -> int | None:
        return len(HEADERS) if kind.startswith("header") else None

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
            what = list(HEADERS)[number % len(HEADERS)]
            HEADERS[what](state_file(place))
            seal_model(place / name)
        else:
            what, legal = KINDS[way](place, draw)
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
