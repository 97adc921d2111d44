"""A page about a model: a header, a list of sections, and how these become one HTML file; plain pages."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any, ClassVar, NamedTuple

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus.document import Scalar
from stickbreaker.pages.text_values import clean, one_line, script_json
from stickbreaker.pages.views import ShownDocument, View
from stickbreaker.pages.views.payload import as_json

SHARED = "stickbreaker.pages"
VIEWS = "stickbreaker.pages.views"
IN_PIECES = {f"{name}.js" for name in ("note", "row", "tabs", "chosen", "view", "object")}  # no own scripts
LEAD, PLACE = Markup('<p class="lead">{}</p>\n'), Markup('<div class="views"></div>')


class Section(NamedTuple):
    """A section of a page. `anchor`: its address in the page; `text`: paragraphs that explain its `views`;
    `link`: its name in the navigation ("": its title); `figures`: views that are only saved as files.

    A section is made by a function of the report, which returns None if there is nothing to show.
    """

    anchor: str
    title: str
    text: str | Sequence[str] = ""
    views: Sequence[View] = ()
    link: str = ""
    figures: Sequence[View] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """Things of one kind that views are about, such as topics: views have their places in these lists.

    keys: their names in addresses (#topic-7), if a reader can choose one: views that show it then follow;
    first: the place of the one chosen at first (-1: none); home: the anchor of the section that shows the
    chosen one; order: places, through which the arrow keys lead; also: places by further names in addresses.

    Of words: mixes: how their uses divide over things of another choice, (place, thousandths) as
    `base36_pairs`, for the first of them; homes: the place there of the largest part, of each. Of documents:
    what they are, instead of labels.
    """

    labels: Sequence[str] = ()
    colours: Sequence[str] = ()
    keys: Sequence[int | str] = ()
    first: int = -1
    home: str = ""
    order: Sequence[int] = ()
    also: Mapping[str, int] = field(default_factory=dict)
    mixes: Sequence[str] = ()
    homes: str = ""
    documents: Sequence[ShownDocument] = ()


class Report:
    """What a page shows of a model: its sections, and the values that several of them need.

    `facts` are (label, value) cards at the top, `settings` (name, value) rows at the end. `note` comes before
    all sections, `repeat_note` before the settings; `drawn` names what is missing if scripts do not run.
    """

    sections: ClassVar[Sequence[Any]] = ()
    drawn: str = "The sections of this page"
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

    def choices(self) -> Mapping[str, Choice]:
        """What views are about, by its name: {"topic": …}."""
        return {}

    def page(self, title: str) -> Page:
        return Page(title, self)


class Page:
    """A page about a model: a title, and those sections of a report that have something to show.

    All is computed when it is made. `payload` is the data for the scripts, as JSON values.
    """

    def __init__(self, title: str, report: Report) -> None:
        self.title = title
        self.report: Any = report
        self.subtitle, self.facts, self.settings = report.subtitle, report.facts, report.settings
        self._make()

    def _make(self) -> None:
        report = self.report
        made: Iterator[Section | None] = (section(report) for section in report.sections)
        self.sections = [section for section in made if section is not None]
        self.payload: JsonObject = {
            "choices": as_json({of: held(choice) for of, choice in report.choices().items()}),
            "sections": [as_json(section.views) for section in self.sections],
        }

    def figure_payload(self) -> JsonObject:
        """The data for figures: those of the page, and those that are only saved as files."""
        return {**self.payload, "figures": [as_json(section.figures) for section in self.sections]}

    def shown(self) -> list[dict[str, str]]:
        """The sections as the frame of the page takes them."""
        return [shown(section) for section in self.sections]

    def charts(self) -> str:
        """The scripts that make drawings from data alone, as one text."""
        return text_of("base.js", (SHARED,)) + self.drawers()

    def drawers(self) -> str:
        """The scripts that draw the views of the page, and what they share."""
        scripts = [(VIEWS, "pieces.js"), (VIEWS, "axes.js"), *self._own_scripts]
        return "".join(text_of(name, (package,)) for package, name in scripts)

    @cached_property
    def _own_scripts(self) -> list[tuple[str, str]]:
        """The scripts of the page's views, as (package, file); some have a style of the same name."""
        views = [one for section in self.sections for one in (section.views, section.figures)]
        return list(dict.fromkeys(script for part in views for script in _scripts_of(part)))

    def figure_script(self) -> str:
        """The script that draws figures without a page: it defines `drawFigures`, from payload to figures."""
        return self.charts() + text_of("figures.js", (SHARED,))

    def script(self) -> str:
        """All of the page's script."""
        return self.charts() + text_of("dom.js", (SHARED,)) + text_of("mount.js", (VIEWS,))

    def style(self) -> str:
        files = [(package, name.replace(".js", ".css")) for package, name in self._own_scripts]
        own = [text_of(name, (package,)) for package, name in files if _has(package, name)]
        return "".join([text_of("report.css", (SHARED,)), *own, text_of("views.css", (VIEWS,))])

    def html(self) -> str:
        """The page as one self-contained HTML document.

        It loads nothing: style, script and data are inside, and its content security policy allows no script
        but its own (by hash) and no connection.
        """
        script = self.script()
        return environment((SHARED,)).get_template("frame.html.j2").render(
            title=clean(self.title),
            subtitle=clean(self.subtitle),
            facts=_cleaned(self.facts),
            settings=_cleaned(self.settings),
            note=self.report.note,
            drawn=self.report.drawn,
            repeat_note=self.report.repeat_note,
            sections=self.shown(),
            policy=Markup(_content_security_policy(script)),
            style=Markup(self.style()),
            script=Markup(script),
            data=Markup(script_json(self.payload)),
        )  # fmt: skip


def shown(section: Section) -> dict[str, str]:
    """A section as the frame of the page takes it; its views are drawn into the place at its end."""
    return {
        "anchor": section.anchor,
        "heading": clean(section.title),
        "link": clean(section.link or section.title),
        "html": Markup("").join([*map(LEAD.format, _paragraphs(section.text)), PLACE]),
    }


def held(choice: Choice) -> JsonObject:
    rows = {one.name: getattr(choice, one.name) for one in fields(choice)}
    return {name: value for name, value in rows.items() if name == "first" or len(value)}


def _paragraphs(text: str | Sequence[str]) -> list[str]:
    return [one for one in ([text] if isinstance(text, str) else text) if one]


def _scripts_of(value: Any) -> Iterator[tuple[str, str]]:
    """The scripts that draw the views in a value, as (package, file)."""
    if isinstance(value, View):
        for kind in reversed(type(value).__mro__):  # that of a base first
            name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower() + ".js"
            if name not in IN_PIECES:
                yield kind.__module__.rpartition(".")[0], name
    if is_dataclass(value):
        for one in fields(value):
            yield from _scripts_of(getattr(value, one.name))
    elif isinstance(value, list | tuple) and value and not isinstance(value[-1], str | int | float | None):
        for one in value:
            yield from _scripts_of(one)


def plain_page(
    package: str, name: str, title: str, *, script: str = "", data: object = None, **values: object
) -> str:
    """A page that is not a report, as one self-contained HTML document.

    package: that of its files: the template `name`.html.j2, which extends plain.html.j2 and is filled with
    `values`; `name`.css, added to the style of all such pages; and `script`, the name of a file. data: JSON
    values, which the script reads from the element with id "data".
    """
    code = text_of(script, (package,)) if script else None
    template = environment((package,)).get_template(f"{name}.html.j2")
    return template.render(
        title="".join(one if one.isprintable() else " " for one in title),
        policy=Markup(_content_security_policy(code)),
        style=Markup(text_of("plain.css", (SHARED,)) + text_of(f"{name}.css", (package,))),
        script=None if code is None else Markup(code),
        data=Markup(script_json(data)),
        **values,
    )


@cache
def _has(package: str, name: str) -> bool:
    return resources.files(package).joinpath(name).is_file()


@cache
def text_of(name: str, packages: tuple[str, ...]) -> str:
    """The text of the file `name`, from the first of these packages that has it, or else from `pages`."""
    for package in (*packages, SHARED):
        file = resources.files(package).joinpath(name)
        if file.is_file():
            return file.read_text(encoding="utf-8").replace("\r\n", "\n")
    raise FileNotFoundError(name)


@cache
def environment(packages: tuple[str, ...]) -> Environment:
    """The Jinja environment for templates in these packages."""
    made = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(lambda name: text_of(name, packages)),
    )
    made.filters.update(clean=clean, one_line=one_line)
    return made


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
