"""Search results with excerpts, also in pages opened as files, whose scripts may fetch no others."""

import json
from pathlib import Path

from docutils import nodes

TEXTS = "_static/texts_of_pages.js"
SCRIPT = """
if (location.protocol === "file:") {
  const fetched = window.fetch;
  window.fetch = (address, ...more) => {
    const page = String(address).replace(/^(\\.\\/)+/, "").split(/[?#]/)[0];
    if (!(page in TEXTS_OF_PAGES)) return fetched(address, ...more);
    const main = document.createElement("div");
    main.setAttribute("role", "main");
    main.textContent = TEXTS_OF_PAGES[page];
    return Promise.resolve(new Response(main.outerHTML));
  };
}
"""


def texts_of(app) -> dict[str, str]:
    """The text of each page, by its address below the root."""
    found: dict[str, str] = {}
    for name in sorted(app.env.found_docs):
        doctree = app.env.get_doctree(name)
        pieces = (node.astext() for node in doctree.findall(nodes.Text))
        found[app.builder.get_target_uri(name)] = " ".join(" ".join(pieces).split())
    return found


def on_page(app, pagename, templatename, context, doctree) -> None:
    if pagename == "search":
        app.add_js_file(TEXTS.removeprefix("_static/"))


def on_finished(app, exception) -> None:
    if exception is None and app.builder.format == "html":
        texts = json.dumps(texts_of(app), ensure_ascii=False, separators=(",", ":"))
        Path(app.outdir, TEXTS).write_text(f"const TEXTS_OF_PAGES = {texts};\n{SCRIPT}", encoding="utf-8")


def setup(app) -> dict[str, bool]:
    app.connect("html-page-context", on_page)
    app.connect("build-finished", on_finished)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
