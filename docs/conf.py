"""Sphinx settings: Markdown by MyST, a plain theme, nothing fetched while building."""

from stickbreaker import __doc__ as summary

project = "stickbreaker"
author = copyright = "the stickbreaker authors"

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
autodoc_typehints = "none"

html_theme = "alabaster"
html_theme_options = {
    "description": (summary or "").splitlines()[0],
    "fixed_sidebar": True,
    "page_width": "1200px",
    "code_font_size": "0.8em",
}
html_show_sphinx = False


def as_written(app, what, name, obj, options, lines):
    """Docstrings are plain text and are shown as they stand in the code."""
    lines[:] = ["::", "", *("   " + line for line in lines), ""]


def setup(app):
    app.connect("autodoc-process-docstring", as_written)
