"""A page of a toy kind: some words."""

from collections.abc import Sequence
from typing import Any

from stickbreaker.pages.page import Page, Report, Section


class Components(Section["WordsReport"]):
    anchor, template = "components", "toy.html.j2"
    scripts = ("toy.js",)

    def title(self, report: "WordsReport") -> str:
        return f"{len(report.words)} components"

    def values(self, report: "WordsReport") -> dict[str, Any]:
        return {"words": report.words}

    def payload(self, report: "WordsReport") -> dict[str, Any]:
        return {"words": list(report.words)}


class WordsReport(Report):
    sections = (Components(),)
    repeat_note = "Nothing is drawn."

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words


def words_page(title: str, words: Sequence[str]) -> Page:
    return Page(title, WordsReport(words))
