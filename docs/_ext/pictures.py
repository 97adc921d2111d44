"""SVG pictures become part of the page, so that they follow the theme that the reader chooses."""

from html import escape
from pathlib import Path

from docutils import nodes


def put_into_page(app, doctree, docname) -> None:
    if app.builder.format != "html":
        return
    for image in list(doctree.findall(nodes.image)):
        if image["uri"].endswith(".svg"):
            svg = (Path(app.srcdir) / image["uri"]).read_text(encoding="utf-8")
            named = svg.replace("<svg ", f'<svg role="img" aria-label="{escape(image.get("alt", ""))}" ', 1)
            image.replace_self(nodes.raw("", named, format="html"))


def setup(app) -> dict[str, bool]:
    app.connect("doctree-resolved", put_into_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
