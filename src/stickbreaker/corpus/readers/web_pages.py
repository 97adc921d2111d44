"""The main text of a web page, with title, author and date, by the package trafilatura.

trafilatura decides which texts are the page's own. It drops a text that repeats and headings between such; so
all blocks of the page whose text it found are read, in their order.
"""

import importlib
import json
import re
from collections.abc import Iterator
from datetime import date
from typing import Any, NamedTuple

from stickbreaker.core.json_checks import is_list, is_record
from stickbreaker.corpus.readers.office_text import REMEDY, Extract, TextPieces
from stickbreaker.corpus.readers.problems import Bad
from stickbreaker.corpus.readers.web_encodings import page_text
from stickbreaker.corpus.text.dates import date_of

_MOST_ATTRIBUTES = 100  # of a tag; parsing takes the square of their number
_TAG = re.compile(
    r"""<([a-zA-Z][^\s>/]*+)((?:[^>=]++|=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))?+)*+)(?:>|\Z)"""
)
_VALUE = re.compile(r"""=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s>]*+)""")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*>")
_INLINE_TAGS = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rb s samp small "
    "span strike strong sub sup time tt u var wbr"
)
_INLINE = frozenset(_INLINE_TAGS.split())
_HIDDEN_TAGS = (
    "head script style noscript template iframe svg object select option textarea button rt rp audio video "
    "canvas"
)
_HIDDEN = frozenset(_HIDDEN_TAGS.split())
_LONGEST_MENUS = 100_000  # characters in which pieces of menus are looked for
_MENUS = frozenset(("nav", "menu"))
_AROUND = frozenset(("footer", "aside", "dialog"))  # around what is seldom the main text
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "dt", "caption", "figcaption", "legend"))
_SIGNS = re.compile(r"[\s|\-–•*#>`]+")  # signs that trafilatura adds to lines
_PUBLISHED = (
    "article:published_time", "og:published_time", "datepublished", "date", "dc.date", "dcterms.date",
    "dc.date.issued", "dcterms.issued", "dc.date.created", "dcterms.created", "pubdate", "publishdate",
    "publish-date", "publish_date", "citation_publication_date", "citation_date", "parsely-pub-date",
    "sailthru.date", "datecreated",
    "article:modified_time", "og:updated_time", "datemodified", "last-modified",  # of changes
)  # fmt: skip
_OF_CHANGES = 4  # of these
_OF_JSON = ("datePublished", "dateCreated", "uploadDate", "dateModified")
_MOST_DEPTH = 50  # of JSON-LD
# trafilatura asks other programs too, whose time is the square of the blocks and of the depth of tags
_FEW_BLOCKS, _FEW_LEVELS = 1_000, 256
_MOST_BLOCKS, _MOST_TAGS = 10_000, 100_000  # of which trafilatura finds the main text, in some 5 s


def extract_page(content: bytes, largest: int | None) -> Extract:
    """The main text of a web page, without its menus; all of its text if there is no main text.

    The date is the one that `<meta>`, `<time>` or JSON-LD states. Raises Bad if tags are nested too deeply to
    be read, or for more than `largest` characters.
    """
    trafilatura, html = importlib.import_module("trafilatura"), importlib.import_module("lxml.html")
    pieces = TextPieces(largest)
    text = _XML_DECLARATION.sub("", _NOT_XML.sub("", page_text(content, pieces)))
    text = _TAG.sub(_with_few_attributes, text)
    parser = html.HTMLParser(
        collect_ids=False, default_doctype=False, encoding="utf-8", remove_comments=True, remove_pis=True,
        huge_tree=True,
    )  # fmt: skip
    tree = html.document_fromstring(text.encode("utf-8"), parser=parser, ensure_head_body=True)
    if any("depth" in entry.message for entry in parser.error_log):
        raise Bad("unreadable document", "has tags that are nested too deeply", REMEDY)
    day, blocks = _date_in(tree), list(_blocks(tree))
    found = None
    tags, levels = _size_of(tree)
    if len(blocks) <= _MOST_BLOCKS and tags <= _MOST_TAGS:
        found = trafilatura.bare_extraction(
            tree,
            fast=len(blocks) > _FEW_BLOCKS or levels > _FEW_LEVELS,
            with_metadata=True,
            date_extraction_params=_LITTLE_SEARCH,
        )
    else:
        pieces.remark("web pages are too large to look for their main text, and are read with their menus")
    lines: list[str] = [] if found is None or not found.text else found.text.split("\n")
    whole = "\n".join(
        _in_order(lines, blocks) if any(map(str.strip, lines)) else [one.text for one in blocks]
    )
    pieces.count(whole)
    about = {} if found is None else {"title": found.title, "author": found.author}
    if "title" not in about or not about["title"]:
        about["title"] = (tree.findtext(".//title") or "").strip()
    return Extract(whole, {**about, "date": day}, pieces.remarks)


_LITTLE_SEARCH = {"extensive_search": False, "original_date": True, "max_date": "2100-01-01"}


def _with_few_attributes(tag: re.Match[str]) -> str:
    """A tag as it is; without attributes if it has more than a hundred."""
    if len(tag[2]) <= 2 * _MOST_ATTRIBUTES or len(_VALUE.sub(" ", tag[2]).split()) <= _MOST_ATTRIBUTES:
        return tag[0]
    return f"<{tag[1]}>"


def _size_of(tree: Any) -> tuple[int, int]:
    """The number of a page's tags, and how deeply they are nested."""
    depth = deepest = number = 0
    for event, _ in importlib.import_module("lxml.etree").iterwalk(tree, events=("start", "end")):
        number += event == "start"
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
    return number, deepest


class _Block(NamedTuple):
    """A piece of text that is a line of its own; whether it is a heading, in a menu, next to other text."""

    text: str
    is_heading: bool
    is_menu: bool
    is_around: bool


def _blocks(tree: Any) -> Iterator[_Block]:
    """The texts of a page's blocks in order, without what is never shown."""
    held = list[str]()
    heading = menu = around = 0

    def block() -> Iterator[_Block]:
        text = " ".join("".join(held).split())
        held.clear()
        if text:
            yield _Block(text, heading > 0, menu > 0, menu + around > 0)

    hidden = 0
    for event, element in importlib.import_module("lxml.etree").iterwalk(tree, events=("start", "end")):
        tag, step = element.tag, 1 if event == "start" else -1
        if not isinstance(tag, str):
            continue
        if tag in _HIDDEN:
            hidden += step
        if held and tag not in _INLINE and (not hidden or tag in _HIDDEN):
            yield from block()
        heading += step * (tag in _HEADINGS)
        menu += step * (tag in _MENUS or element.get("role") == "navigation")
        around += step * (tag in _AROUND)
        if not hidden and (text := element.text if event == "start" else element.tail):
            held.append(text)
    yield from block()


def _in_order(lines: list[str], blocks: list[_Block]) -> Iterator[str]:
    """The lines that trafilatura found, with those blocks between them that it dropped as repeats.

    Such a block has the text of one of the lines, or is a heading between such blocks. Menus are left out if
    there is other text. Lines without a block on the page, such as rows of tables, stay where they are.
    """
    keys = [_key(one.text) for one in blocks]
    wanted, places = {_key(line) for line in lines}, dict[str, list[int]]()
    pairs = list(zip(keys, blocks, strict=True))
    shown = {key for key, one in pairs if not one.is_around}
    only_menus = not any(key in wanted and not one.is_menu for key, one in pairs)
    main = [
        key in wanted and (not one.is_menu or only_menus) and (not one.is_around or key not in shown)
        for key, one in pairs
    ]
    numbers = [number for number, is_main in enumerate(main) if is_main]
    if not numbers:
        yield from lines
        return
    first, last = numbers[0], numbers[-1]
    for number in numbers:
        places.setdefault(keys[number], []).append(number)
    used, every = dict.fromkeys(places, 0), set(keys)
    menus = "\n".join(key for key, one in pairs if one.is_menu)[:_LONGEST_MENUS]
    done = first
    for line in lines:
        key = _key(line)
        here = places.get(key, [])
        while used.get(key, 0) < len(here) and here[used[key]] < done:
            used[key] += 1
        if not here:
            if key not in every and (only_menus or key not in menus):
                yield line
        elif used[key] < len(here):
            yield from _between(blocks, main, done, here[used[key]] + 1)
            done = here[used[key]] + 1
    yield from _between(blocks, main, done, last + 1)


def _between(blocks: list[_Block], main: list[bool], start: int, stop: int) -> Iterator[str]:
    for number in range(start, stop):
        one = blocks[number]
        if main[number] or (one.is_heading and not one.is_around):
            yield one.text


def _key(text: str) -> str:
    return _SIGNS.sub("", text)


def _date_in(tree: Any) -> date | None:
    """The date that a page states: in `<meta>`, JSON-LD or `<time>`, in this order."""
    stated = dict[str, str]()
    for element in tree.iter("meta"):
        name = (
            element.get("property")
            or element.get("name")
            or element.get("itemprop")
            or element.get("http-equiv")
        )
        if name and element.get("content"):
            stated.setdefault(name.strip().lower(), element.get("content"))
    times = sorted(
        tree.iter("time"),
        key=lambda one: one.get("itemprop") != "datePublished" and one.get("pubdate") is None,
    )
    tried = [stated.get(name) for name in _PUBLISHED[:-_OF_CHANGES]]
    tried += list(_dates_of_json(tree))
    tried += [one.get("datetime") or (one.text or "") for one in times]
    tried += [stated.get(name) for name in _PUBLISHED[-_OF_CHANGES:]]
    for value in tried:
        found = date_of(value.strip()) if value else None
        if found is not None:
            return found
    return None


def _dates_of_json(tree: Any) -> Iterator[str]:
    """The dates in a page's JSON-LD, the likeliest first."""
    found: dict[str, list[str]] = {name: [] for name in _OF_JSON}
    for element in tree.iter("script"):
        if (element.get("type") or "").strip().lower() == "application/ld+json" and element.text:
            try:
                _collect(json.loads(element.text, strict=False), found, 0)
            except (ValueError, RecursionError):
                continue
    for name in _OF_JSON:
        yield from found[name]


def _collect(value: Any, found: dict[str, list[str]], depth: int) -> None:
    if depth > _MOST_DEPTH:
        return
    if is_list(value):
        for one in value:
            _collect(one, found, depth + 1)
    elif is_record(value):
        for name, one in value.items():
            if name in found and isinstance(one, str):
                found[name].append(one)
            _collect(one, found, depth + 1)
