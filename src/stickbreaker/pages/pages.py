"""The page of a saved model of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickbreaker.core.errors import UserError
from stickbreaker.estimators.kinds import kind_at
from stickbreaker.pages.render import render
from stickbreaker.topics.report.page_records import page_of

if TYPE_CHECKING:
    from stickbreaker.grammars.report.grammar_page_data import GrammarPage
    from stickbreaker.ngrams.report.language_page_data import LanguagePage
    from stickbreaker.topics.report.page_data import Page


def page_of_any(path: Path, title: str, options: Mapping[str, Any]) -> Page | LanguagePage | GrammarPage:
    """The report of the model at `path`; `options` are those of `page_of`, for models of topics.

    Raises UserError for what is no model, and for an option that means nothing for its kind.
    """
    kind = kind_at(path, "report")
    if "topics" in kind.verbs:
        return page_of(path, title, **options)
    for name, value in options.items():
        if value is not None:
            option = "--" + name.replace("_", "-")
            problem = f"{option} means nothing for a model of the kind {kind.name}"
            raise UserError(problem, where=path, remedy=f"leave {option} out")
    if "segment" in kind.verbs:
        from stickbreaker.grammars.report.grammar_page import grammar_page_of  # brings numba

        return grammar_page_of(path, title)
    from stickbreaker.ngrams.report.language_page import language_page_of  # brings numba

    return language_page_of(path, title)


def rendered_page_of(path: Path, title: str, options: Mapping[str, Any]) -> str:
    """The report of the model at `path` as HTML; see `page_of_any`."""
    return render(page_of_any(path, title, options))
