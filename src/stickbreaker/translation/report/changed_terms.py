"""The section on terms whose translation follows the topic."""

from typing import TYPE_CHECKING

from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import one_line, percent
from stickbreaker.pages.views import Bars, Column, Each, Item, Styled, Table, Text, muted, serif
from stickbreaker.translation.lexicon.terms import Term
from stickbreaker.translation.report.example_sentences import probability

if TYPE_CHECKING:
    from stickbreaker.translation.report.lexicon_page import LexiconReport

FIGURE_TERMS = 15
COLUMNS = (
    Column("term"),
    Column("links", "number", unit="links"),
    Column("gain", "number", digits=2, unit="nats"),
    Column("translations", wide=68),
)


def terms(report: "LexiconReport") -> Section | None:
    found, noun = report.terms, report.noun
    if not found:
        return None
    text = (
        f"The gain of a term is how much its {noun} says about its translation, in nats (their mutual "
        f"information): 0 if it is translated the same way everywhere, 0.69 if two {noun}s that have half "
        f"of it each have a translation of their own. Listed are the {noun}s that add most to it, each with "
        f"the translation that stands out there, its probability p in the {noun} and in all documents. Stop "
        "words, numbers and signs are left out."
    )
    rows = [[serif(one_line(term.word)), round(term.links), term.gain, _uses(term)] for term in found]
    find = f"Find in {len(found):,} term{'s' if len(found) > 1 else ''}"
    table = Table(COLUMNS, rows, find=find, missing="No such term here.", stacks=True)
    title = f"Terms whose translation follows the {noun}"
    return Section("terms", title, text, [table], link="Terms", figures=[_gains(found[:FIGURE_TERMS])])


def _uses(term: Term) -> Each:
    """The topics of a term, each with its translation there."""
    uses: list[Text] = [
        [
            serif(one_line(one.translation)),
            f" {probability(one.p)} ",
            muted(f"in all {probability(one.p_all)}"),
            Styled([Item("topic", one.topic), f" · {percent(one.share)} of its links"], "below"),
        ]
        for one in term.topics
    ]
    return Each(uses, across=3)


def _gains(found: list[Term]) -> Bars:
    said = [
        " · ".join(f"{one_line(one.translation)} {probability(one.p)}" for one in term.topics)
        for term in found
    ]
    return Bars(
        [f"{one_line(term.word)}  {term.gain:.2f}" for term in found],
        [term.gain for term in found],
        figures=[[text] for text in said],
        title="Terms by gain, in nats",
        figure="terms",
    )
