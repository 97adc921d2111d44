"""Put template, style, script and data together into one HTML file."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from stickbreaker.core.errors import counted
from stickbreaker.grammars.report.grammar_page_data import GrammarPage
from stickbreaker.grammars.report.grammar_payload import grammar_context, grammar_payload
from stickbreaker.ngrams.report.language_page_data import LanguagePage
from stickbreaker.ngrams.report.language_payload import language_context, language_payload
from stickbreaker.topics.report.page_data import Breakdown, Page
from stickbreaker.topics.report.payload import clean, has_curve, payload, to_json

# functions from data to trees of nodes; the others draw these into the page
PURE = (
    "base.js",
    "charts.js",
    "relations.js",
    "flows.js",
    "topic_names.js",
    "pieces.js",
    "tables.js",
    "growth.js",
    "search.js",
    "evolution.js",
    "predictions.js",
    "spread.js",
    "time_lines.js",
    "document_map.js",
)
SCRIPTS = (
    *PURE,
    "dom.js",
    "change_views.js",
    "naming_views.js",
    "document_map_view.js",
    "views.js",
    "report.js",
)
LANGUAGE_PURE = ("base.js", "charts.js", "language_charts.js")
LANGUAGE_SCRIPTS = (*LANGUAGE_PURE, "dom.js", "chart_sections.js", "language_report.js")
GRAMMAR_PURE = (*LANGUAGE_PURE, "evolution.js", "grammar_charts.js")
GRAMMAR_SCRIPTS = (*GRAMMAR_PURE, "dom.js", "chart_sections.js", "change_views.js", "grammar_report.js")


def render(page: Page | LanguagePage | GrammarPage) -> str:
    """Write a page as one self-contained HTML document.

    It fetches nothing: style, script and data are inside, and its content security policy allows no
    script but its own (by hash) and no connection.
    """
    if isinstance(page, LanguagePage):
        template, context, data = "language.html.j2", language_context(page), language_payload(page)
        scripts, styles = LANGUAGE_SCRIPTS, ("report.css", "language.css")
    elif isinstance(page, GrammarPage):
        template, context, data = "grammar.html.j2", grammar_context(page), grammar_payload(page)
        scripts, styles = GRAMMAR_SCRIPTS, ("report.css", "language.css", "grammar.css")
    else:
        template, context, data = "page.html.j2", _build_context(page), payload(page)
        scripts, styles = SCRIPTS, ("report.css",)
    script = "".join(map(asset, scripts))
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(asset),
    )
    return environment.get_template(template).render(
        **context,
        policy=Markup(content_security_policy(script)),
        style=Markup("".join(map(asset, styles))),
        script=Markup(script),
        data=Markup(to_json(data)),
    )


def _build_context(page: Page) -> dict[str, object]:
    """What the template itself says, and which sections it has."""
    total = max(page.documents_total, len(page.documents))
    return {
        "title": clean(page.title),
        "subtitle": clean(page.subtitle),
        "facts": [(clean(label), clean(value)) for label, value in page.facts],
        "settings": [(clean(name), clean(value)) for name, value in page.settings],
        "n_topics": len(page.topics),
        "n_used": sum(not topic.unused for topic in page.topics),
        "named_by": _namers(page),
        "can_name": any(topic.members for topic in page.topics),
        "has_map": bool(page.positions) and sum(not topic.unused for topic in page.topics) > 1,
        "has_spread": bool(page.spread),
        "has_sides": any(topic.sides for topic in page.topics),
        "has_languages": any(side[0] != "concepts" for topic in page.topics for side in topic.sides),
        "has_concepts": any(side[0] == "concepts" for topic in page.topics for side in topic.sides),
        "has_relations": page.relations is not None,
        "times": clean(page.times.field) if page.times else "",
        "times_left_out": _left_out(page.times),
        "times_note": _sample_note(page, page.times.sampled if page.times else False),
        "groups": len(page.groups),
        "groups_note": _sample_note(page, any(group.sampled for group in page.groups)),
        "n_documents": len(page.documents),
        "n_places": sum(place is not None for place in page.document_places),
        "documents_total": total,
        "has_measures": any(topic.coherence is not None or topic.match for topic in page.topics),
        "has_coherence": any(topic.coherence is not None for topic in page.topics),
        "compared": clean(page.compared),
        "n_words": len(page.words),
        "words_counted": all(row.documents is not None for row in page.words),
        "words_total": max(page.words_total, len(page.words)),
        "growth": page.growth,
        "search": page.search,
        "changes": page.changes,
        "counted": counted,
        "has_trace": has_curve(page),
        "score_kind": page.score_kind,
        "has_predictions": len(page.predictions) > 1,
        "warnings": [clean(warning) for warning in page.warnings],
        "has_unigram": page.unigram is not None or page.unigram_held_out is not None,
    }


def _namers(page: Page) -> str:
    """Who named topics: "" for nobody, "guide", "reader"."""
    if any(topic.given for topic in page.topics):
        return "reader"
    return "guide" if any(topic.named for topic in page.topics) else ""


def _sample_note(page: Page, sampled: bool) -> str:
    """Where not all documents were counted: how many were."""
    if not sampled or page.documents_total <= len(page.documents):
        return ""
    return (
        f" Counted are the {len(page.documents):,} documents that the model has for its report, a sample of "
        f"{page.documents_total:,}."
    )


def _left_out(times: Breakdown | None) -> str:
    if times is None or not times.left_out:
        return ""
    return f" Left out: {times.left_out:,} without a date, or far from all others."


def content_security_policy(script: str) -> str:
    """The policy that lets exactly this script run."""
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def asset(name: str) -> str:
    """A file that lies beside this module, with plain newlines whatever the platform."""
    text = resources.files("stickbreaker.pages").joinpath(name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n")
