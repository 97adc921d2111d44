"""The elements of a page, and its data."""

from __future__ import annotations

import re
from html.parser import HTMLParser


class Elements(HTMLParser):
    """Collects the start tags, and the text of script and style elements."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[str] = []
        self.text: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.raw.append("")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem:
            self.raw[-1] += data
        else:
            self.text.append(data)


def data_block(html: str) -> str:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    return found[1]
