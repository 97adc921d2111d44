"""The kinds of models: what saving, the program, the report, Spark and tests need to know of each.

A kind is a folder of the package, whose `kind.py` describes what it can do; its module is listed in `HOMES`.
Things that use models of several kinds, such as lexicons, are listed in `SYSTEMS`. Everything else in the
folder is imported when a function is called, so that the program's help is quick.
"""

import functools
import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.option_names import OptionNames
from stickbreaker.core.parameter_fields import names_of

if TYPE_CHECKING:  # importing it takes longer than the program's help may take
    from sklearn.base import BaseEstimator

    from stickbreaker.estimators.learner import AnyLearner


@dataclass(frozen=True)
class Command:
    """A command that a kind of model adds to the program.

    place: "module:command"; line: its line in the list of commands; after: the command that it follows there
    (None: the one before it).
    """

    place: str
    line: str
    after: str | None = None


@dataclass(frozen=True)
class Export:
    """A format of files to which models can be exported.

    `write`, "module:function", takes an `ExportRequest`, writes the file, and returns numbers about it, a
    line that describes it, and remarks, if there are any; `help` says what is in the file. `of_documents`: it
    needs a corpus; `options`: those of the command that apply.
    """

    write: str
    help: str
    of_documents: bool = False
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class VerbFunction:
    """A verb that a kind has, as a function from what was learned, documents and settings to a record.

    `function`, "module:function", takes what was learned (a `Learned`; for a system what its `load` returns),
    documents if the verb has any, and settings, and returns a `VerbResult`. `settings`, "module:class", is
    the class of the settings. `documents`, "module:function", makes what the function takes of documents in
    any form that a user has; None: the verb has no documents.
    """

    function: str
    settings: str = "stickbreaker.estimators.verb_settings:VerbSettings"
    documents: str | None = None

    def settings_class(self) -> type[Any]:
        """The class of the verb's settings; importing it is quick."""
        return object_at(self.settings)


OF_CORPUS = "stickbreaker.estimators.given_documents:corpus_for"  # `VerbFunction.documents` of most verbs
OF_EVERY_KIND = {  # for kinds that have no function of their own
    "evaluate": VerbFunction("stickbreaker.estimators.document_scores:evaluate", documents=OF_CORPUS),
    "transform": VerbFunction(
        "stickbreaker.estimators.document_tables:transform",
        "stickbreaker.estimators.verb_settings:TransformSettings",
        documents=OF_CORPUS,
    ),
    "update": VerbFunction(
        "stickbreaker.estimators.updating:update",
        "stickbreaker.estimators.verb_settings:UpdateSettings",
        documents=OF_CORPUS,
    ),
}


class Page(Protocol):
    """The report of a model, as its kind makes it: see `stickbreaker.pages.page`."""

    def html(self) -> str:
        """The page as one HTML document."""
        ...


@dataclass(frozen=True, kw_only=True)
class Saved:
    """Something on disk that commands accept: a model, or a system that uses models, such as a lexicon.

    `name` is its name in manifests, `noun` its name for users. `verbs`: the commands and methods that apply;
    the first is suggested first. `marker`: the file by which a directory of a system is recognised (models
    have a manifest), and `load`, "module:function", loads it to find out what is damaged. `is_file`,
    "module:function", recognises a system that is a single file.

    `page`, "module:function", makes the report from a path, a title and those of `page_options` that were
    given. `functions`: its verbs that are functions of the package, by name. `commands` are its own commands,
    and `exports` its formats by name. `parameters` has, for messages, the names of parameters that no class
    declares. `classes`, "module:class": those of a system's objects in Python.
    """

    name: str
    noun: str = "model of this kind"
    verbs: tuple[str, ...]
    marker: str | None = None
    load: str | None = None
    is_file: str | None = None
    page: str | None = None
    page_options: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    functions: Mapping[str, VerbFunction] = field(default_factory=dict[str, VerbFunction])
    commands: Mapping[str, Command] = field(default_factory=dict[str, Command])
    exports: Mapping[str, Export] = field(default_factory=dict[str, Export])
    parameters: OptionNames = field(default_factory=OptionNames)

    def names(self) -> tuple[OptionNames, ...]:
        """The names of its parameters and of their command line options, so that messages can name either."""
        settings = (one.settings_class() for one in self.functions.values())
        # `source` of a verb is --from, but in other messages it is a word
        return (self.parameters, *(replace(names_of(one), renamed={}) for one in settings))

    @property
    def said(self) -> str:
        """How messages name it, with an article: "a model of the kind LDA", or "a lexicon"."""
        return f"a {self.noun}" if self.marker or self.is_file else f"a model of the kind {self.name}"

    def function(self, verb: str) -> VerbFunction:
        """Its function for a verb, such as "evaluate". Raises UserError if it has none."""
        found = self.functions.get(verb)
        if found is None:
            problem = f"{verb} does not apply to {self.said}"
            raise UserError(problem, remedy=f"use one of {', '.join(self.functions)}")
        return found

    def refuse(self, verb: str, where: object = None) -> None:
        """Raise UserError if a verb, such as "report", does not apply to it. where: its path."""
        if verb in self.verbs:
            return
        problem = f"{verb} does not apply to {self.said}"
        raise UserError(problem, where=where, remedy=f"use one of {', '.join(self.verbs) or 'resume'}")


@dataclass(frozen=True, kw_only=True)
class Kind(Saved):
    """One kind of model. Every kind can learn, save and resume.

    `learner`, "module:object", is how it learns (`estimators/learner.py`). `front_door` is the place of the
    estimator that users import; `declared` that of the class of its settings (`estimators/run_settings.py`).
    `fit`: its commands of `stickbreaker fit`, "module:command" by name. `summary`, "module:function", takes
    what a run has learned, and returns further numbers and lines for the summary. `unigram_topics`,
    "module:function", takes what was learned and returns `UnigramTopics`, for other kinds that use its
    topics.
    """

    front_door: str
    learner: str
    fit: Mapping[str, str] = field(default_factory=dict[str, str])
    summary: str | None = None
    unigram_topics: str | None = None
    declared: str

    def function(self, verb: str) -> VerbFunction:
        return (
            OF_EVERY_KIND[verb]
            if verb in OF_EVERY_KIND and verb not in self.functions
            else super().function(verb)
        )

    def names(self) -> tuple[OptionNames, ...]:
        return (*super().names(), names_of(object_at(self.declared)))

    def how(self) -> "AnyLearner":
        """How models of this kind learn, are saved and loaded."""
        return object_at(self.learner)

    def public(self) -> "type[BaseEstimator]":
        """The estimator class that users import."""
        return object_at(self.front_door)

    @property
    def class_name(self) -> str:
        """The name of the class that users import."""
        return self.front_door.partition(":")[2]


def object_at(place: str) -> Any:
    """Import the object at a place, "module:name" or "module:class.name"."""
    module, name = place.split(":")
    return functools.reduce(getattr, name.split("."), importlib.import_module(module))


HOMES = (
    "stickbreaker.topics.kind",
    "stickbreaker.ngrams.kind",
    "stickbreaker.grammars.kind",
    "stickbreaker.syntax.kind",
)
SYSTEMS = (
    "stickbreaker.translation.kind",
    "stickbreaker.ngrams.kind",
)  # things that use models of several kinds
_known: dict[str, Kind] = {}


def kinds() -> dict[str, Kind]:
    """All kinds of models by name, in the order of `HOMES`, whose modules are imported at the first call."""
    if not _known:
        for home in HOMES:
            _known.update((kind.name, kind) for kind in importlib.import_module(home).KINDS)
    return _known


@functools.cache
def systems() -> tuple[Saved, ...]:
    """All kinds of systems, such as lexicons, that use models without being models; in order of `SYSTEMS`."""
    return tuple(system for home in SYSTEMS for system in importlib.import_module(home).SYSTEMS)


def kind_of(manifest: JsonObject, where: object = None) -> Kind:
    """The kind of the model with this manifest; where: its path. Raises UserError, with that path, for an
    unknown kind."""
    name = manifest["estimator"]
    if name not in kinds():
        raise UserError(f"a model of an unknown kind, {name!r}", where=where, remedy="upgrade stickbreaker")
    return kinds()[name]


def markers() -> tuple[str, ...]:
    """The names of the files by which directories of systems, such as lexicons, are recognised."""
    return tuple(system.marker for system in systems() if system.marker is not None)


def system_at(path: Path) -> Saved | None:
    """The kind of system, such as a lexicon, that is saved at a path; None for models and other things."""
    file = path.is_file()
    for system in systems():
        if system.marker is not None and (path / system.marker).is_file():
            return system
        if file and system.is_file is not None and object_at(system.is_file)(path):
            return system
    return None


def refuse_system(path: Path, verb: str) -> None:
    """Raise UserError if the path has a system, such as a lexicon, that the command `verb` cannot use."""
    system = system_at(path)
    if system is not None:
        system.refuse(verb, path)


def kind_at(path: Path, verb: str | None = None) -> Saved:
    """The kind of the model or system saved at a path.

    Raises UserError if `verb`, if there is one, does not apply to it, or if there is neither.
    """
    system = system_at(path)
    if system is not None:
        if verb is not None:
            system.refuse(verb, path)
        return system
    from stickbreaker.core.untrusted import making_sense_of
    from stickbreaker.saved import ModelDirectory
    from stickbreaker.saved.manifest import RESTORE

    with making_sense_of(path, RESTORE):
        kind = kind_of(ModelDirectory(path).manifest())
        if verb is not None:
            kind.refuse(verb, path)
        return kind


def export_of(saved: Saved, form: str, where: object = None) -> Export:
    """The export of a kind to a format. Raises UserError if it does not have it; where: the model's path."""
    if form not in saved.exports:
        problem = f"{saved.said} cannot be written as {form}"
        raise UserError(problem, where=where, remedy=f"use one of {', '.join((*saved.exports, 'zip'))}")
    return saved.exports[form]


def page_of_saved(path: Path, title: str, options: Mapping[str, object]) -> Page:
    """The report of the model at `path`; options that are None count as not given.

    Raises UserError for anything but a model, for a kind without a report, and for an option that does not
    apply to the kind.
    """
    kind = kind_at(path, "report")
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in kind.page_options:
            option = "--" + name.replace("_", "-")
            problem = f"{option} does not apply to {kind.said}"
            raise UserError(problem, where=path, remedy=f"leave {option} out")
    assert kind.page is not None, "a kind with the verb report has a page"
    page: Page = object_at(kind.page)(path, title, **given)
    return page
