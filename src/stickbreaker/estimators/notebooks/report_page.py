"""The report of an estimator as an object that notebooks show."""

import shutil
import tempfile
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any, cast

from sklearn.utils.validation import check_is_fitted

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import refuse_file, write_atomic
from stickbreaker.corpus import Corpus
from stickbreaker.estimators import model_files
from stickbreaker.estimators.kinds import page_of_saved
from stickbreaker.estimators.learned import AnyLearned, Learned, saved_at

HEIGHT = 800  # pixels of the frame in a notebook


class ReportPage:
    """The report of a model as a page that a notebook shows, and that can be saved; `html` is its text.

    >>> page = ReportPage("<!doctype html><title>LDA</title>", "LDA")
    >>> page
    <report "LDA", 33 bytes; .save("report.html") writes it>
    """

    def __init__(self, html: str, title: str) -> None:
        self.html = html
        self.title = title

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the page to the file `path`, in one rename; returns the path.

        Raises UserError if the file exists, unless `overwrite`, and if there is no such directory.
        """
        out = Path(path)
        refuse_file(out, overwrite)
        write_atomic(out, self.html.encode("utf-8"), overwrite=overwrite)
        return out

    def _repr_html_(self) -> str:
        """HTML of the page in a sandboxed iframe.

        Its script runs, without access to the notebook, and it may download files, such as names of topics.
        """
        return (
            f'<iframe title="{escape(self.title)}" sandbox="allow-scripts allow-downloads" '
            f'srcdoc="{escape(self.html)}" style="width: 100%; height: {HEIGHT}px; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        size = len(self.html.encode("utf-8"))
        return f'<report "{self.title}", {size:,} bytes; .save("report.html") writes it>'


def as_compared(model: Any) -> AnyLearned | str | Path | None:
    """The model to compare with: a path as it is, a fitted estimator as what it has learned.

    Raises NotFittedError for an estimator that is not fitted.
    """
    if model is None or isinstance(model, str | Path):
        return model
    if isinstance(model, Learned):
        return cast("AnyLearned", model)
    if hasattr(model, "fit"):
        check_is_fitted(model)
    return model.learned_


def report_page_of(
    learned: AnyLearned,
    title: str,
    documents: Corpus | None,
    compare: AnyLearned | str | Path | None,
    options: Mapping[str, object],
) -> ReportPage:
    """The report of what was learned, as `stickbreaker report` makes it, from a temporary saved copy.

    Without `documents`, a model that was loaded, and has not learned since, has the page of that saved model,
    with the present names of its topics. `compare`: another model, or its path. Raises UserError as
    `stickbreaker report` does.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        path = saved_at(learned) if documents is None else None
        if path is None:
            path = folder / "model"
            model_files.save(learned, path, documents=documents)
        elif not learned.is_beside(path):  # topics were named since
            path = Path(shutil.copytree(path, folder / "model"))
            learned.write_beside(path)
        if isinstance(compare, str | Path) or compare is None:
            other = None if compare is None else Path(compare)
        else:
            other = folder / "compared" / compare.kind  # the page names the model by its folder
            other.parent.mkdir()
            model_files.save(compare, other)
        try:
            page = page_of_saved(path, title, {**options, "compare": other})
            return ReportPage(page.html(), title)
        except UserError as error:
            if error.where is None or folder not in Path(str(error.where)).parents:
                raise
            raise error.replace(where=None) from error
