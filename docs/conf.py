"""Sphinx settings: Markdown by MyST, a plain theme, nothing fetched while building."""

from stickbreaker import __doc__ as summary

project = "stickbreaker"
author = copyright = "the stickbreaker authors"

extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

html_theme = "alabaster"
html_theme_options = {
    "description": (summary or "").splitlines()[0],
    "fixed_sidebar": True,
    "page_width": "1000px",
}
html_show_sphinx = False
