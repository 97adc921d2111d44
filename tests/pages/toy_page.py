"""A page of a toy kind: some words."""

from collections.abc import Sequence

from stickbreaker.pages.page import Page, Report, Section
from stickbreaker.pages.text_values import one_line
from stickbreaker.pages.views import Bars, Note


def components(report: "WordsReport") -> Section:
    words = [one_line(word) for word in report.words]
    bars = Bars(words, [1.0] * len(words), title="Words", figure="words")
    return Section("components", f"{len(words)} components", "", [Note(words), bars])


class WordsReport(Report):
    sections = (components,)
    repeat_note = "Nothing is drawn."

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words


def words_page(title: str, words: Sequence[str]) -> Page:
    return Page(title, WordsReport(words))
