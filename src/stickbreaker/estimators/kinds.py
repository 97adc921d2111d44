"""The kinds of models: what saving, the program, the report, Spark and tests know of each.

A kind is a folder of the package, whose `kind.py` says by functions what it can do; its module is one of
`HOMES`. Everything else in the folder is imported when a function is called, so that the program's help is
quick.
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from stickbreaker.core.errors import UserError
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.manifest import RESTORE


class Page(Protocol):
    """The report of a model, of which a kind says how it is shown: see `stickbreaker.pages.page`."""

    def html(self) -> str:
        """The page as one HTML document."""
        ...


@dataclass(frozen=True)
class Kind:
    """One kind of models.

    `name` is what manifests call it. `home` and `front_door` are where its plain estimator is and the one
    that users import: "module:class". `verbs` are those that mean something for it, of the program and of
    estimators, first the one to begin with; to learn, save and resume is every kind's. `measures` are those
    of `evaluate`; `formats` those of `export`.
    `page` gives the report of a saved model, from its path, a title and those of `page_options` that are
    given, by name. `trials` are parameters that tests learn it with, by name.
    """

    name: str
    home: str
    front_door: str
    verbs: tuple[str, ...]
    measures: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    page: Callable[[Path, str, Mapping[str, Any]], Page] | None = None
    page_options: tuple[str, ...] = ()
    trials: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])

    def plain(self) -> type[Estimator]:
        """The estimator with its parameters and what they mean, without scikit-learn."""
        return _imported(self.home)

    def public(self) -> type[Estimator]:
        """The estimator that users import."""
        return _imported(self.front_door)

    @property
    def class_name(self) -> str:
        """The name of the class that users import."""
        return self.front_door.partition(":")[2]

    def refuse(self, verb: str, where: object = None) -> None:
        """Raise UserError for a verb that means nothing for this kind; `where`: the model's path."""
        if verb in self.verbs:
            return
        problem = f"{verb} means nothing for a model of the kind {self.name}"
        raise UserError(problem, where=where, remedy=f"it knows {', '.join(self.verbs) or 'resume'}")


def _imported(place: str) -> Any:
    """A class from "module:class"."""
    module, name = place.split(":")
    return getattr(importlib.import_module(module), name)


HOMES = ("stickbreaker.topics.kind", "stickbreaker.ngrams.kind", "stickbreaker.grammars.kind")
_known: dict[str, Kind] = {}


def kinds() -> dict[str, Kind]:
    """All kinds by name, in the order of `HOMES`."""
    if not _known:
        for home in HOMES:
            _known.update((kind.name, kind) for kind in importlib.import_module(home).KINDS)
    return _known


def kind_of(manifest: Mapping[str, Any]) -> Kind:
    """The kind of the model that a manifest is of. Raises UserError for one that is not known."""
    name = manifest["estimator"]
    if name not in kinds():
        raise UserError(f"a model of an unknown kind, {name!r}", remedy="upgrade stickbreaker")
    return kinds()[name]


def kind_at(path: Path, verb: str) -> Kind:
    """The kind of the model at a path. Raises UserError where the verb means nothing for it."""
    with making_sense_of(path, RESTORE):
        kind = kind_of(ModelDirectory(path).manifest())
        kind.refuse(verb, path)
        return kind


def page_of_saved(path: Path, title: str, options: Mapping[str, Any]) -> Page:
    """The report of the model at `path`; `options` by name, None for those that are not given.

    Raises UserError for what is no model, for a kind without a report, and for an option that means nothing
    for the kind.
    """
    kind = kind_at(path, "report")
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in kind.page_options:
            option = "--" + name.replace("_", "-")
            problem = f"{option} means nothing for a model of the kind {kind.name}"
            raise UserError(problem, where=path, remedy=f"leave {option} out")
    assert kind.page is not None, "a kind with the verb report has a page"
    return kind.page(path, title, given)
