"""What pages of all kinds need of a saved model: its manifest, and rows with its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.option_names import command_line
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.estimators.model_files import load
from stickbreaker.pages.page import Page, Report
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.manifest import RESTORE

Model = TypeVar("Model")
MOST_SHOWN = 10  # parts of a setting with many, such as known words


class SavedReport(Report, Generic[Model]):
    """The report on a saved model; each kind has a subclass with the values that its sections need.

    `estimator`: the class that the model must be of, a `Learned`; `noun`: what errors call it.
    """

    estimator: ClassVar[type]
    noun: ClassVar[str]

    def __init__(self, path: Path, manifest: JsonObject, model: Model) -> None:
        self.path, self.manifest, self.model = path, manifest, model

    @classmethod
    def page_of(cls, path: Path, title: str) -> Page:
        """The page about the model saved at `path`.

        Raises UserError if it is not a model of this kind, or is an unfinished run, and for invalid files.
        """
        manifest = readable_manifest(path)
        model: Any = load(path, verb="report")
        if not isinstance(model, cls.estimator):
            raise UserError(f"is not {cls.noun}", where=path)
        with making_sense_of(path, RESTORE):
            return cls(path, manifest, model).page(title)

    @cached_property
    def settings(self) -> list[tuple[str, str]]:
        return settings_of(self.manifest)


def readable_manifest(path: Path) -> JsonObject:
    """The manifest of the model at `path`, if a report can be made of it.

    Raises UserError if it is not a model, or a run that is not finished; a stream, which may never end, may
    be unfinished.
    """
    manifest = ModelDirectory(path).manifest()
    if manifest["status"] != "done" and "stream" not in manifest:
        raise UserError(
            "is still learning", where=path, remedy=f"finish it with: {command_line('resume', path)}"
        )
    return manifest


def settings_of(
    manifest: JsonObject, own: Mapping[str, Callable[[Any], str]] | None = None
) -> list[tuple[str, str]]:
    """The settings of a model, and facts about its run, as (name, value) rows for the end of a page.

    Settings that are None are left out. own: functions that turn settings of some classes into text, by the
    name of the class in the manifest, such as "concepts"; each gets the setting's fields.
    """
    rows = [("model", manifest["estimator"]), ("stickbreaker", manifest["stickbreaker"])]
    for name, value in manifest["settings"].items():
        if name in ("n_jobs", "callbacks") or value is None:
            continue
        rows.append(("seed" if name == "random_state" else name, _text_of(value, own or {})))
    rows.append(("held out", f"{100 * manifest['held_out']:.0f} % of the documents"))
    rows.append(("empty documents", f"{manifest['corpus']['empty']:,}"))
    rows.append(("corpus fingerprint", manifest["corpus"]["fingerprint"]))
    return rows


def _text_of(value: object, own: Mapping[str, Callable[[Any], str]]) -> str:
    if isinstance(value, list) and len(value) > MOST_SHOWN:
        return _first([str(one) for one in value])
    if not isinstance(value, dict):
        return str(value)
    ((name, held),) = value.items()
    if name == "array":
        return "an array"
    if name in own:
        return own[name](held)
    return f"{name}: " + _first([f"{k} {v}" for k, v in held.items() if v is not None])


def _first(texts: Sequence[str]) -> str:
    """The first ten texts of a list, and how many more there are.

    >>> _first("abcdefghijklm")
    'a, b, c, d, e, f, g, h, i, j, and 3 more'
    """
    more = len(texts) - MOST_SHOWN
    return ", ".join(texts[:MOST_SHOWN]) + (f", and {more:,} more" if more > 0 else "")
