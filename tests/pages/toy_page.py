"""A page of a toy kind: some words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stickbreaker.pages.page import Assets, Page


@dataclass(frozen=True, slots=True)
class WordsPage(Page):
    assets = Assets("tests.pages", "toy.html.j2", ["report.css"], ["base.js"], [], ["figures.js", "toy.js"])

    words: Sequence[str] = ()

    def context(self) -> dict[str, Any]:
        return {"n": len(self.words)}

    def payload(self) -> dict[str, Any]:
        return {"words": list(self.words)}
