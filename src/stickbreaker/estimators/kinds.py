"""The kinds of models: what saving, the program, the report, Spark and tests know of each.

A kind is a folder of the package, whose `kind.py` says by functions what it can do; its module is one of
`HOMES`. Everything else in the folder is imported when a function is called, so that the program's help is
quick.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stickbreaker.core.errors import UserError
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.manifest import RESTORE


@dataclass(frozen=True)
class Kind:
    """One kind of models.

    `name` is what manifests call it. `home` and `front_door` are where its plain estimator is and the one
    that users import: "module:class". `verbs` are those that mean something for it, of the program and of
    estimators, first the one to begin with; to learn, save and resume is every kind's. `measures` are those
    of `evaluate`; `sections` the parts of the report that not all kinds have; `formats` those of `export`.
    """

    name: str
    home: str
    front_door: str
    verbs: tuple[str, ...]
    measures: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()

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
