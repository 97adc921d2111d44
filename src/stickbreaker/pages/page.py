"""A page about a model: a header, a list of sections, and how these become one HTML file; plain pages."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property
from importlib import resources
from typing import Any, ClassVar, Generic, TypeVar

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus.document import Scalar
from stickbreaker.pages.text_values import clean, one_line, script_json

SHARED = "stickbreaker.pages"
R = TypeVar("R", bound="Report")


class Section(Generic[R]):
    """A section of a page: what it needs of a report, its text, its template, styles and scripts.

    `anchor`: its address in the page; `link`: its name in the navigation ("": its heading); `needs`:
    attributes of the report that must not be empty; `template`: its HTML below the heading. Files are looked
    for in the package of the class, then in `pages`.

    Scripts whose names end in view.js or views.js use the page. The others are functions from data to
    drawings; they also draw the figures that are made without a browser.
    """

    anchor: ClassVar[str]
    heading: str = ""
    link: str = ""
    needs: ClassVar[Sequence[str]] = ()
    template: ClassVar[str] = "chart_section.html.j2"
    styles: ClassVar[Sequence[str]] = ()
    scripts: ClassVar[Sequence[str]] = ()

    def shown(self, report: R) -> bool:
        """Whether the report has something to show in this section: no attribute in `needs` is empty."""
        return all(getattr(report, name) for name in self.needs)

    def title(self, report: R) -> str:
        return self.heading

    def linked_as(self, report: R) -> str:
        return self.link or self.title(report)

    def values(self, report: R) -> JsonObject:
        """The values that its template needs besides `report`, by name."""
        return {}

    def payload(self, report: R) -> JsonObject:
        """The data that this section's scripts draw, as JSON values."""
        return {}

    def read(self, name: str) -> str:
        """The text of one of the section's files, with line breaks "\\n"."""
        return _text_of(name, self.packages())

    @classmethod
    def packages(cls) -> tuple[str, ...]:
        """The packages in which files of the section are looked for: those of its class and base classes."""
        kinds = [kind for kind in cls.__mro__ if issubclass(kind, Section)]
        return tuple(dict.fromkeys(kind.__module__.rpartition(".")[0] for kind in kinds))


class ChartSection(Section[R]):
    """A section with some text and a row of charts, which scripts draw into the element with id `box`."""

    box: ClassVar[str]

    def lead(self, report: R) -> str:
        """The text that explains the charts."""
        raise NotImplementedError

    def values(self, report: R) -> JsonObject:
        return {"lead": self.lead(report), "box": self.box}


class Report:
    """What a page shows of a model: its sections, and the values that several of them need.

    `facts` are (label, value) cards at the top, `settings` (name, value) rows at the end. `note` comes before
    all sections, `repeat_note` before the settings; `drawn` names what is missing if scripts do not run.
    """

    sections: ClassVar[Sequence[Section[Any]]] = ()
    drawn: str = "The charts"
    repeat_note: str = "The same documents with these settings give the same model again."
    note: str = ""

    @cached_property
    def subtitle(self) -> str:
        return ""

    @cached_property
    def facts(self) -> Sequence[tuple[str, Scalar]]:
        return ()

    @cached_property
    def settings(self) -> Sequence[tuple[str, Scalar]]:
        return ()

    def payload(self) -> JsonObject:
        """The data that scripts of several sections draw, as JSON values."""
        return {}


class Page:
    """A page about a model: a title, and those sections of a report that have something to show.

    All is computed when it is made. `payload` is the data for the scripts, as JSON values.
    """

    def __init__(self, title: str, report: Report) -> None:
        self.title, self.report = title, report
        self.subtitle, self.facts, self.settings = report.subtitle, report.facts, report.settings
        self.sections = [section for section in report.sections if section.shown(report)]
        self.payload = report.payload()
        self._shown: list[dict[str, str]] = []
        for section in self.sections:
            self.payload |= section.payload(report)
            template = _environment(section.packages()).get_template(section.template)
            html = template.render(report=report, **section.values(report))
            self._shown.append(
                {
                    "anchor": section.anchor,
                    "heading": section.title(report),
                    "link": section.linked_as(report),
                    "html": Markup(html),
                }
            )

    def charts(self) -> str:
        """The scripts that draw charts from data alone, as one text; the others are in `views`."""
        return self._joined(
            ["base.js", "charts.js"], lambda one: [name for name in one.scripts if not _touches_page(name)]
        )

    def figure_script(self) -> str:
        """The script that draws figures without a page: it defines `drawFigures`, from payload to figures."""
        return self.charts() + _text_of("figures.js", (SHARED,))

    def views(self) -> str:
        """The scripts that use the elements of the page, as one text."""
        return self._joined(["dom.js"], lambda one: filter(_touches_page, one.scripts))

    def _joined(self, first: Iterable[str], names: Callable[[Section[Any]], Iterable[str]]) -> str:
        """Join files of all sections to one text, each file once; files that reports share come first.

        first: names of shared files to begin with; names: returns the names of a section's files.
        """
        shared = [_text_of(name, (SHARED,)) for name in first]
        own: list[str] = []
        for section in self.sections:
            for name in names(section):
                of_all = resources.files(SHARED).joinpath(name).is_file()
                (shared if of_all else own).append(section.read(name))
        return "".join(dict.fromkeys([*shared, *own]))

    def html(self) -> str:
        """The page as one self-contained HTML document.

        It loads nothing: style, script and data are inside, and its content security policy allows no script
        but its own (by hash) and no connection.
        """
        script = self.charts() + self.views() + _text_of("page.js", (SHARED,))
        template = _environment((SHARED,)).get_template("frame.html.j2")
        return template.render(
            title=clean(self.title),
            subtitle=clean(self.subtitle),
            facts=_cleaned(self.facts),
            settings=_cleaned(self.settings),
            note=self.report.note,
            drawn=self.report.drawn,
            repeat_note=self.report.repeat_note,
            sections=self._shown,
            policy=Markup(_content_security_policy(script)),
            style=Markup(self._joined(["report.css"], lambda one: one.styles)),
            script=Markup(script),
            data=Markup(script_json(self.payload)),
        )


def plain_page(
    package: str, name: str, title: str, *, script: str = "", data: object = None, **values: object
) -> str:
    """A page that is not a report, as one self-contained HTML document.

    package: that of its files: the template `name`.html.j2, which extends plain.html.j2 and is filled with
    `values`; `name`.css, added to the style of all such pages; and `script`, the name of a file. data: JSON
    values, which the script reads from the element with id "data".
    """
    code = _text_of(script, (package,)) if script else None
    template = _environment((package,)).get_template(f"{name}.html.j2")
    return template.render(
        title="".join(one if one.isprintable() else " " for one in title),
        policy=Markup(_content_security_policy(code)),
        style=Markup(_text_of("plain.css", (SHARED,)) + _text_of(f"{name}.css", (package,))),
        script=None if code is None else Markup(code),
        data=Markup(script_json(data)),
        **values,
    )


def _touches_page(name: str) -> bool:
    return name.endswith(("view.js", "views.js"))


@cache
def _text_of(name: str, packages: tuple[str, ...]) -> str:
    """The text of the file `name`, from the first of these packages that has it, or else from `pages`."""
    for package in (*packages, SHARED):
        file = resources.files(package).joinpath(name)
        if file.is_file():
            return file.read_text(encoding="utf-8").replace("\r\n", "\n")
    raise FileNotFoundError(name)


@cache
def _environment(packages: tuple[str, ...]) -> Environment:
    """The Jinja environment for templates in these packages."""
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(lambda name: _text_of(name, packages)),
    )
    environment.filters.update(clean=clean, one_line=one_line)
    environment.globals["counted"] = counted
    return environment


def _cleaned(rows: Sequence[tuple[str, Scalar]]) -> list[tuple[str, str]]:
    return [(clean(name), clean(value)) for name, value in rows]


def _content_security_policy(script: str | None) -> str:
    """The content security policy of a page: nothing is loaded, and only this script runs (None: none)."""
    allowed = ""
    if script is not None:
        digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
        allowed = f"script-src 'sha256-{digest}'; "
    return (
        f"default-src 'none'; {allowed}style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
