"""Writes the figures of a report as files, drawn by the page's own scripts without a browser."""

from __future__ import annotations

import json
from pathlib import Path

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import write_atomic
from stickbreaker.pages.page import Page

ZOOM = 2.0  # pixels per unit: sharp in print at the width of a column
_EXTRA = "install them with: pip install 'stickbreaker[figures]'"


def figures(page: Page) -> dict[str, str]:
    """Draw the figures of a page: the text of an SVG file for each, by name.

    They are drawn by the page's own scripts. Raises UserError if the interpreter of scripts is not installed.
    """
    try:
        import quickjs
    except ImportError:
        raise UserError("figures need the packages quickjs-ng and resvg-py", remedy=_EXTRA) from None
    context = quickjs.Context()
    context.eval(page.figure_script())
    drawn = context.get("drawFigures")(json.dumps(page.figure_payload(), allow_nan=False))
    return json.loads(drawn)


def write_figures(page: Page, directory: Path) -> list[str]:
    """Write each figure of a page as SVG and PNG into a directory; returns the files' names.

    The directory, but not its parent, is made if it does not exist; files of the same names are replaced.
    Raises UserError if the packages that draw are not installed.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise UserError("figures need the packages quickjs-ng and resvg-py", remedy=_EXTRA) from None
    drawn = figures(page)
    directory.mkdir(exist_ok=True)
    for name, svg in drawn.items():
        write_atomic(directory / f"{name}.svg", svg.encode("utf-8"))
        write_atomic(directory / f"{name}.png", bytes(svg_to_bytes(svg_string=svg, zoom=ZOOM)))
    return [f"{name}.{kind}" for name in drawn for kind in ("svg", "png")]
