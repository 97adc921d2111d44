"""A page about a model: the parts that every kind fills in, and how they become one HTML file."""

from __future__ import annotations

import base64
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from importlib import resources
from typing import Any, ClassVar, NamedTuple

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from stickbreaker.core.errors import counted
from stickbreaker.corpus.document import Scalar
from stickbreaker.pages.text_values import clean, one_line, script_json

SHARED = "stickbreaker.pages"


class Assets(NamedTuple):
    """The files from which the pages of a kind are made, by name: the kind's own, or shared ones of `pages`.

    `folder` is the package with the kind's own files. `template` extends frame.html.j2. `charts` are scripts
    of pure functions from the payload to trees of nodes, `views` scripts that draw these into the page.
    `figures` are scripts that, after the charts, define `drawFigures`: from the payload as JSON to the SVG
    texts by name, as JSON.
    """

    folder: str
    template: str
    styles: Sequence[str]
    charts: Sequence[str]
    views: Sequence[str]
    figures: Sequence[str]

    def read(self, name: str) -> str:
        """The text of a file, with plain newlines on any platform; the kind's own file takes precedence."""
        own = resources.files(self.folder).joinpath(name)
        file = own if own.is_file() else resources.files(SHARED).joinpath(name)
        return file.read_text(encoding="utf-8").replace("\r\n", "\n")

    def joined(self, names: Sequence[str]) -> str:
        """The texts of several files, concatenated."""
        return "".join(map(self.read, names))


@dataclass(frozen=True, slots=True)
class Page(ABC):
    """A page about a model of any kind: plain data, with the kind's description of how to show it.

    `facts` are the (label, value) cards at the top and `settings` the (name, value) rows at the end.
    """

    assets: ClassVar[Assets]

    title: str
    subtitle: str = ""
    facts: Sequence[tuple[str, Scalar]] = ()
    settings: Sequence[tuple[str, Scalar]] = ()

    @abstractmethod
    def context(self) -> dict[str, Any]:
        """What the template needs besides the page's fields, by name: counts, sections, texts."""

    @abstractmethod
    def payload(self) -> dict[str, Any]:
        """Everything that the scripts draw from, as JSON values."""

    def html(self) -> str:
        """The page as one self-contained HTML document.

        It loads nothing: style, script and data are inside, and its content security policy allows no script
        but its own (by hash) and no connection.
        """
        assets = self.assets
        script = assets.joined([*assets.charts, *assets.views])
        environment = Environment(
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            loader=FunctionLoader(assets.read),
        )
        environment.filters.update(clean=clean, one_line=one_line)
        environment.globals["counted"] = counted
        values: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        values |= {name: clean(values[name]) for name in ("title", "subtitle")}
        values |= {name: _cleaned(values[name]) for name in ("facts", "settings")}
        return environment.get_template(assets.template).render(
            **values | self.context(),
            policy=Markup(content_security_policy(script)),
            style=Markup(assets.joined(assets.styles)),
            script=Markup(script),
            data=Markup(script_json(self.payload())),
        )


def _cleaned(rows: Sequence[tuple[str, Scalar]]) -> list[tuple[str, str]]:
    return [(clean(name), clean(value)) for name, value in rows]


def content_security_policy(script: str | None) -> str:
    """The policy that allows exactly this script, or none, and no loading."""
    allowed = ""
    if script is not None:
        digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
        allowed = f"script-src 'sha256-{digest}'; "
    return (
        f"default-src 'none'; {allowed}style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
