"""The section on terms whose translation follows the topic."""

from typing import TYPE_CHECKING

from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import one_line
from stickbreaker.translation.lexicon.terms import Term
from stickbreaker.translation.report.example_sentences import short

if TYPE_CHECKING:
    from stickbreaker.translation.report.lexicon_page import LexiconReport


class Terms(Section["LexiconReport"]):
    anchor, link = "terms", "Terms"
    needs = ("terms",)
    template = "terms.html.j2"
    styles = ("lexicon.css",)
    scripts = ("lexicon_charts.js", "terms.js", "terms_view.js")

    def title(self, report: "LexiconReport") -> str:
        return f"Terms whose translation follows the {report.noun}"

    def values(self, report: "LexiconReport") -> dict[str, object]:
        return {"noun": report.noun, "n_terms": len(report.terms)}

    def payload(self, report: "LexiconReport") -> dict[str, object]:
        return {"terms": [_term(term) for term in report.terms]}


def _term(term: Term) -> list[object]:
    """A term as a JSON row: [word, links, gain, topics]; each topic is [topic, share, translation, p in the
    topic, p overall]."""
    topics = [
        [one.topic, short(one.share), one_line(one.translation), short(one.p), short(one.p_all)]
        for one in term.topics
    ]
    return [one_line(term.word), round(term.links), short(term.gain), topics]
