"""A page in the browser, and what must not become of data in any page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.pages.elements import Elements, data_block

from stickbreaker.pages.page import Page

FOREIGN = {"img", "iframe", "object", "embed", "form", "base"}  # elements that no page has


class Opened:
    """A page in the browser, and what went wrong there; it asks for nothing, and fits the screen."""

    def __init__(self, browser: Any, file: Path, content: Page, width: int, scheme: str) -> None:
        file.write_text(content.html(), encoding="utf-8")
        self.troubles: list[str] = []
        requests: list[str] = []
        viewport = {"width": width, "height": 900}
        self.page = browser.new_context(offline=True, viewport=viewport, color_scheme=scheme).new_page()
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("dialog", lambda dialog: self.troubles.append(dialog.message))
        self.page.on("request", lambda request: requests.append(request.url))
        self.page.goto(file.as_uri())
        assert [url for url in requests if not url.startswith("data:")] == [file.as_uri()]
        assert self.page.evaluate("document.documentElement.scrollWidth") <= width

    def text(self, selector: str) -> str:
        return self.page.locator(selector).inner_text()


def refuse_what_leaves_its_place(html: str, *others: str) -> Elements:
    """Fail where data have become markup: `FOREIGN` elements or `others`, scripts, addresses."""
    html.encode("utf-8")
    assert not set("<>&\u2028\u2029") & set(data_block(html))
    elements = Elements(html)
    assert sum(tag == "script" for tag, _ in elements.tags) == 2
    assert not {tag for tag, _ in elements.tags} & {*FOREIGN, *others}
    for _, attributes in elements.tags:
        assert not any(attribute.startswith("on") for attribute in attributes)
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith(("#", "data:,"))
    style = elements.raw[0]
    assert "@import" not in style
    assert "url(" not in style
    return elements
