"""Who makes a page of a saved model: a room above this one, `stickbreaker.topics.report`.

The package's own `__init__.py`, which stands above all rooms, names the function here (decision 0031).
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Renderer = Callable[[Path, str, Mapping[str, Any]], str]
_renderers: list[Renderer] = []  # one, once the package is imported


def render_by(renderer: Renderer) -> None:
    """Name the function that makes the page of a saved model, as HTML, of its path, a title and the options
    of `stickbreaker report`."""
    _renderers[:] = [renderer]


def render_saved(model: Path, title: str, options: Mapping[str, Any]) -> str:
    """The page of the model that is saved at a path, as HTML."""
    return _renderers[0](model, title, options)
