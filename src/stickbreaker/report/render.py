"""Put template, style, script and data together into one HTML file."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from stickbreaker.report.data import Page
from stickbreaker.report.payload import clean, has_curve, payload, to_json

SCRIPTS = ("charts.js", "pieces.js", "report.js")  # the first two are pure functions, the last draws


def render(page: Page) -> str:
    """Write a page as one self-contained HTML document.

    It fetches nothing: style, script and data are inside, and its content security policy allows no
    script but its own (by hash) and no connection.
    """
    script = "".join(_asset(name) for name in SCRIPTS)
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_asset("page.html.j2")).render(
        title=clean(page.title),
        subtitle=clean(page.subtitle),
        facts=[(clean(label), clean(value)) for label, value in page.facts],
        settings=[(clean(name), clean(value)) for name, value in page.settings],
        n_topics=len(page.topics),
        has_map=len(page.positions) > 1,
        n_documents=len(page.documents),
        documents_total=max(page.documents_total, len(page.documents)),
        has_trace=has_curve(page),
        policy=Markup(content_security_policy(script)),
        style=Markup(_asset("report.css")),
        script=Markup(script),
        data=Markup(to_json(payload(page))),
    )


def content_security_policy(script: str) -> str:
    """The policy that lets exactly this script run."""
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _asset(name: str) -> str:
    """A file that lies beside this module, with plain newlines whatever the platform."""
    text = resources.files(__package__ or "stickbreaker.report").joinpath(name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n")
