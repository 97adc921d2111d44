"""Models as files for other programs, in the formats that their kinds have, and as one zip file."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import refuse_file
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus import Corpus
from stickbreaker.estimators import model_files
from stickbreaker.estimators.given_documents import corpus_for
from stickbreaker.estimators.given_models import model_for
from stickbreaker.estimators.kinds import export_of, object_at, system_at
from stickbreaker.estimators.learned import AnyLearned
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.estimators.verb_settings import ExportSettings
from stickbreaker.saved.packed_models import pack, pack_folder


@dataclass(frozen=True)
class ExportRequest:
    """What to write, for the kind of model that writes it: what was `learned`, the format, the path `out`.

    `corpus`: the documents, None unless the format is about documents; `where`: the model's path, if it was
    given by that. The writer returns figures, a line of text, and remarks, if there are any.
    """

    learned: AnyLearned
    corpus: Corpus | None
    format: str
    out: Path
    settings: ExportSettings
    overwrite: bool
    where: str | Path | None = None


@dataclass(frozen=True, repr=False)
class ExportedModel(VerbResult):
    """A file that was written: its path, its format, numbers about it, and a line that describes it.

    `remarks`: what a user should know of it.
    """

    out: Path
    format: str
    figures: Mapping[str, Any]
    line: str
    remarks: tuple[str, ...] = ()

    def as_json(self) -> JsonObject:
        return {"out": str(self.out), "format": self.format, **self.figures}

    def __str__(self) -> str:
        return f"{self.out}: {self.line}"


def export(
    model: object, form: str, out: Path, documents: object, settings: ExportSettings, *, overwrite: bool
) -> ExportedModel:
    """Write a model in any form as a file. documents: for formats that are about documents, otherwise None.

    Raises UserError for a format that its kind does not have, for settings that do not apply to it, and if
    the file exists, unless `overwrite`.
    """
    if form == "zip":
        refuse_file(out, overwrite)
        figures, line = _write_zip(model, out, overwrite)
        return ExportedModel(out, form, figures, line)
    saved, learned = model_for("export", model, settings.n_jobs)
    place = model if isinstance(model, str | Path) else None
    chosen = export_of(saved, form, place)
    if (documents is None) == chosen.of_documents:
        about = "documents: give some" if chosen.of_documents else "the model only: leave documents out"
        raise UserError(f"{form} is about {about}")
    for name in settings.given:
        name = "threads" if name == "n_jobs" else name
        if name not in chosen.options:
            raise UserError(f"{name} does not apply to {form} of {saved.said}", remedy="leave it out")
    refuse_file(out, overwrite)
    corpus = None if documents is None else corpus_for(learned, documents)
    request = ExportRequest(learned, corpus, form, out, settings, overwrite, place)
    figures, line, *remarks = object_at(chosen.write)(request)
    return ExportedModel(out, form, figures, line, tuple(remarks))


def _write_zip(model: object, out: Path, overwrite: bool) -> tuple[JsonObject, str]:
    """Write a model or system as one zip file; returns {"bytes": its size}, and a line for the user."""
    if not isinstance(model, str | Path):
        _, learned = model_for("export", model)
        with tempfile.TemporaryDirectory() as folder:
            model_files.save(learned, Path(folder, "model"))
            return _write_zip(Path(folder, "model"), out, overwrite)
    path = Path(model)
    system = system_at(path)
    if system is None or system.marker is None:
        size = pack(path, out, overwrite=overwrite)
        return {"bytes": size}, f"the model as one file, {size / 1e6:,.1f} MB"
    if system.load is not None:
        object_at(system.load)(path)  # refuses a damaged one
    size = pack_folder(path, system.marker, out, overwrite=overwrite)
    return {"bytes": size}, f"the {system.noun} as one file, {size / 1e6:,.1f} MB"
