"""Pages whose sections are classes with templates and scripts, not yet functions that return views."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import resources
from typing import Any, ClassVar, Generic, TypeVar

from markupsafe import Markup

from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.pages.page import SHARED, VIEWS, Page, Report, environment, held, shown, text_of
from stickbreaker.pages.page import Section as ViewSection
from stickbreaker.pages.views.payload import as_json

R = TypeVar("R", bound=Report)


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
    template: ClassVar[str]
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
        return text_of(name, self.packages())

    @classmethod
    def packages(cls) -> tuple[str, ...]:
        """The packages in which files of the section are looked for: those of its class and base classes."""
        kinds = [kind for kind in cls.__mro__ if issubclass(kind, Section)]
        return tuple(dict.fromkeys(kind.__module__.rpartition(".")[0] for kind in kinds))


class TemplateReport(Report):
    """A report whose sections are classes; `payload` is the data that scripts of several sections draw."""

    drawn: str = "The charts"

    def payload(self) -> JsonObject:
        return {}

    def page(self, title: str) -> Page:
        return TemplatePage(title, self)


class TemplatePage(Page):
    """The page of a `TemplateReport`."""

    def _make(self) -> None:
        report = self.report
        assert isinstance(report, TemplateReport)
        self.sections, self.templates = [], []
        self.payload = report.payload()
        self._shown: list[dict[str, str]] = []
        for section in report.sections:
            if not isinstance(section, Section):
                self._add(section(report))
                continue
            if not section.shown(report):
                continue
            self.templates.append(section)
            self.payload |= section.payload(report)
            made = environment(section.packages())
            made.globals["counted"] = counted
            html = made.get_template(section.template).render(report=report, **section.values(report))
            self._shown.append(
                {
                    "anchor": section.anchor,
                    "heading": section.title(report),
                    "link": section.linked_as(report),
                    "html": Markup(html),
                }
            )

        choices = {of: held(choice) for of, choice in report.choices().items()}
        views = [as_json(section.views) for section in self.sections]
        self.payload |= {"choices": as_json(choices), "sections": views}

    def _add(self, section: ViewSection | None) -> None:
        """Add a section of views, if there is one."""
        if section is not None:
            self.sections.append(section)
            self._shown.append(shown(section))

    def shown(self) -> list[dict[str, str]]:
        return self._shown

    def charts(self) -> str:
        """The scripts that draw charts from data alone, as one text; the others are in `views`."""
        own = self._joined(
            ["base.js", "charts.js"], lambda one: [name for name in one.scripts if not _touches_page(name)]
        )
        return f"{own}\n{{{self.drawers()}}}\n"

    def views(self) -> str:
        """The scripts that use the elements of the page, as one text."""
        return self._joined(["dom.js"], lambda one: filter(_touches_page, one.scripts))

    def script(self) -> str:
        mounted = self.drawers() + text_of("mount.js", (VIEWS,))
        return f"{self.charts()}{self.views()}\n{{{mounted}}}\n" + text_of("page.js", (SHARED,))

    def style(self) -> str:
        return self._joined(["report.css"], lambda one: one.styles) + text_of("views.css", (VIEWS,))

    def _joined(self, first: Iterable[str], names: Callable[[Section[Any]], Iterable[str]]) -> str:
        """Join files of all sections to one text, each file once; files that reports share come first.

        first: names of shared files to begin with; names: returns the names of a section's files.
        """
        shared = [text_of(name, (SHARED,)) for name in first]
        own: list[str] = []
        for section in self.templates:
            for name in names(section):
                of_all = resources.files(SHARED).joinpath(name).is_file()
                (shared if of_all else own).append(section.read(name))
        return "".join(dict.fromkeys([*shared, *own]))


def _touches_page(name: str) -> bool:
    return name.endswith(("view.js", "views.js"))
