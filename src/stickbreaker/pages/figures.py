"""The figures of a report as files, drawn by the page's own scripts without a browser."""

from __future__ import annotations

import json
from pathlib import Path

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import write_atomic
from stickbreaker.grammars.report.grammar_page_data import GrammarPage
from stickbreaker.grammars.report.grammar_payload import grammar_payload
from stickbreaker.ngrams.report.language_page_data import LanguagePage
from stickbreaker.ngrams.report.language_payload import language_payload
from stickbreaker.pages.render import GRAMMAR_PURE, LANGUAGE_PURE, PURE, asset
from stickbreaker.topics.report.page_data import Page
from stickbreaker.topics.report.payload import payload

ZOOM = 2.0  # pixels a unit: sharp in print at the width of a column
_EXTRA = "install them with: pip install 'stickbreaker[figures]'"


def figures(page: Page | LanguagePage | GrammarPage) -> dict[str, str]:
    """Each figure of a page by its name, as the text of an SVG file.

    Raises UserError where the interpreter of scripts is not installed.
    """
    try:
        import quickjs
    except ImportError:
        raise UserError("figures need the packages quickjs-ng and resvg-py", remedy=_EXTRA) from None
    if isinstance(page, LanguagePage):
        scripts, draw = (*LANGUAGE_PURE, "figures.js", "language_figures.js"), "drawLanguageFigures"
        data = language_payload(page)
    elif isinstance(page, GrammarPage):
        scripts = (*GRAMMAR_PURE, "figures.js", "language_figures.js", "grammar_figures.js")
        draw, data = "drawGrammarFigures", grammar_payload(page)
    else:
        scripts, draw, data = (*PURE, "figures.js"), "drawFigures", payload(page)
    context = quickjs.Context()
    context.eval("".join(map(asset, scripts)))
    drawn = context.get(draw)(json.dumps(data, allow_nan=False))
    return json.loads(drawn)


def write_figures(page: Page | LanguagePage | GrammarPage, directory: Path) -> list[str]:
    """Write each figure of a page as SVG and PNG into a directory; returns the files' names.

    The directory is made where it is not there; files of the same names are replaced. Raises UserError where
    the packages that draw are not installed.
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
