"""A page about a model: a header, a list of sections, and how these become one HTML file."""

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
    """A section of a page: what it needs of a report, its words and its scripts.

    `anchor` is its address in the page, `link` its name in the navigation, "" for its heading. `template` is
    its HTML below the heading. Files are looked for in the package of the class, then in `pages`. Of
    `scripts`, those whose names end in view.js or views.js touch the page; the others are functions from the
    payload to trees of nodes, from which figures are drawn without a browser, too. What the page does with
    them they say by `section` (base.js).
    """

    anchor: ClassVar[str]
    heading: str = ""
    link: str = ""
    needs: ClassVar[Sequence[str]] = ()
    template: ClassVar[str] = "chart_section.html.j2"
    styles: ClassVar[Sequence[str]] = ()
    scripts: ClassVar[Sequence[str]] = ()

    def shown(self, report: R) -> bool:
        """Whether there is something to show: the report has all attributes it needs, none of them empty."""
        return all(getattr(report, name) for name in self.needs)

    def title(self, report: R) -> str:
        return self.heading

    def linked_as(self, report: R) -> str:
        return self.link or self.title(report)

    def values(self, report: R) -> JsonObject:
        """The variables that the template needs, in addition to `report`."""
        return {}

    def payload(self, report: R) -> JsonObject:
        """The data that the section's scripts draw, as JSON values, besides the data for all sections."""
        return {}

    def read(self, name: str) -> str:
        """The text of a file, with plain newlines whatever the platform."""
        return _text_of(name, self.packages())

    @classmethod
    def packages(cls) -> tuple[str, ...]:
        """The packages in which its files are looked for, the first first."""
        kinds = [kind for kind in cls.__mro__ if issubclass(kind, Section)]
        return tuple(dict.fromkeys(kind.__module__.rpartition(".")[0] for kind in kinds))


class ChartSection(Section[R]):
    """A section of some words and a row of charts, which scripts draw into the element called `box`."""

    box: ClassVar[str]

    def lead(self, report: R) -> str:
        """The text that explains the charts."""
        raise NotImplementedError

    def values(self, report: R) -> JsonObject:
        return {"lead": self.lead(report), "box": self.box}


class Report:
    """What the sections of a page are made of, as a saved model and what several sections need of it.

    `facts` are the (label, value) cards at the top and `settings` the (name, value) rows at the end. `note`
    stands before all sections, `repeat_note` before the settings; `drawn` is what is missing without scripts.
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
    """A report page: a title, and those sections of a report that have something to show.

    Everything is taken from the report at once: `payload` is what the scripts draw from, as JSON values.
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
        """The scripts that draw charts without the page, in the order in which they are needed, as a text."""
        return self._joined(
            ["base.js", "charts.js"], lambda one: [name for name in one.scripts if not _touches_page(name)]
        )

    def figure_script(self) -> str:
        """The script that defines `drawFigures`, which draws figures from the payload without a page."""
        return self.charts() + _text_of("figures.js", (SHARED,))

    def views(self) -> str:
        """The scripts that use the page, as one text."""
        return self._joined(["dom.js"], lambda one: filter(_touches_page, one.scripts))

    def _joined(self, first: Iterable[str], names: Callable[[Section[Any]], Iterable[str]]) -> str:
        """The contents of script or style files of all sections, each file once, as one text.

        Shared files come before those of one kind of report. first: shared files to begin with; names:
        returns the names of a section's files.
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
            policy=Markup(content_security_policy(script)),
            style=Markup(self._joined(["report.css"], lambda one: one.styles)),
            script=Markup(script),
            data=Markup(script_json(self.payload)),
        )


def _touches_page(name: str) -> bool:
    return name.endswith(("view.js", "views.js"))


@cache
def _text_of(name: str, packages: tuple[str, ...]) -> str:
    """The content of a file, from the first of these packages (and last the shared one) that has it."""
    for package in (*packages, SHARED):
        file = resources.files(package).joinpath(name)
        if file.is_file():
            return file.read_text(encoding="utf-8").replace("\r\n", "\n")
    raise FileNotFoundError(name)


@cache
def _environment(packages: tuple[str, ...]) -> Environment:
    """What templates in some packages are made into HTML with."""
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
