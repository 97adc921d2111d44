"""Pages of made-up reports: what sections are made of by name, instead of a saved model."""

from typing import Any

from tests.pages.elements import Elements

from stickbreaker.pages.page import Page, Report
from stickbreaker.pages.views import Token


def page_of(kind: type[Report], title: str, **fields: Any) -> Page:
    """The page of a report of a kind, of which these things are known."""
    report = object.__new__(kind)
    report.__dict__.update({"subtitle": "", "facts": (), "settings": (), **fields})
    return report.page(title)


def texts_in(value: Any) -> list[str]:
    """All texts in a JSON value."""
    if isinstance(value, dict):
        return [text for each in value.values() for text in texts_in(each)]
    return [text for each in value for text in texts_in(each)] if isinstance(value, list) else [str(value)]


def all_text(page: Page) -> str:
    """What a page says, in its HTML and in its data."""
    return "\n".join([*Elements(page.html()).text, *texts_in(page.payload)])


def views_in(value: Any, name: str) -> list[Any]:
    """All views of one kind in a JSON value, by the name of their class."""
    if isinstance(value, dict):
        own = [value] if value.get("view") == name else []
        return own + [view for each in value.values() for view in views_in(each, name)]
    return [view for each in value for view in views_in(each, name)] if isinstance(value, list) else []


def tokens_in(page: Page) -> list[Token]:
    """The words of all marked texts of a page."""
    texts = views_in(page.payload, "MarkedText")
    return [Token(*token) for text in texts for line in text["lines"] for token in line[0]]
