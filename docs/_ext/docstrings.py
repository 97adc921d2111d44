"""Docstrings of the library, which are plain text, as reStructuredText.

A docstring is paragraphs. Names stand in single backquotes; a paragraph of `>>>` lines is an example; lines
`name : text` (under a heading, or where `name` is a parameter) describe parameters or attributes;
a sentence that begins with "Raises" or "Returns" becomes a field.
"""

import inspect
import re
from collections.abc import Iterable

from sphinx.domains.python import PyObject

HEADINGS = {"Parameters": "param", "Attributes": "ivar"}
ENTRY = re.compile(r"^(\w+(?:, \w+)*) ?: (.*)$")
NEXT_ENTRY = re.compile(r"; (?=\w+_ : )")
SENTENCE = re.compile(r"(?:(?<=^)|(?<=[.)…] ))(?=Raises \w+(?:Error|Warning)\b|Returns )")
SPAN = re.compile(r"`([^`]+)`")
ARRAY = re.compile(r"~?[\w.]*ndarray\[[^\]]*\](?:, ~?[\w.]*dtype\[[^\]]*\])?\]?")
EMPHASIS = re.compile(r"((?<!\w)\*\w+\*(?!\w))")
MARKUP = re.compile(r"([*_|\\])")
PAGE = re.compile(r"\bdocs/([\w/-]+)\.md\b")


def paragraphs(lines: Iterable[str]) -> list[list[str]]:
    """The lines between empty ones."""
    found: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            found[-1].append(line.rstrip())
        elif found[-1]:
            found.append([])
    return [paragraph for paragraph in found if paragraph]


def prose(text: str) -> str:
    """Plain text as reStructuredText: names are links where they can be, and nothing else is markup."""
    pieces = SPAN.split(text)
    return "".join(_name(piece) if place % 2 else _plain(piece) for place, piece in enumerate(pieces))


def _name(name: str) -> str:
    if re.fullmatch(r"[A-Za-z_][\w.]*(\(\))?", name):
        return f"\\ :py:obj:`{name.removesuffix('()')}`\\ "
    return f"\\ ``{name.strip()}``\\ " if name.strip() else "a space"


def _plain(text: str) -> str:
    """Text outside of backquotes: pages become links, *emphasis* stays, nothing else is markup."""
    pieces = PAGE.split(text)
    return "".join(f":doc:`/{piece}`" if n % 2 else _escaped(piece) for n, piece in enumerate(pieces))


def _escaped(text: str) -> str:
    pieces = EMPHASIS.split(text)
    return "".join(piece if n % 2 else MARKUP.sub(r"\\\1", piece) for n, piece in enumerate(pieces))


def entries(paragraph: list[str]) -> list[tuple[str, str]]:
    """Names with their text, where the first line has one; lines that stand further in go on."""
    found: list[tuple[str, str]] = []
    for line in paragraph:
        entry = None if line.startswith(" ") else ENTRY.match(line)
        if entry:
            first, *others = NEXT_ENTRY.split(entry[2])
            found.append((entry[1], first))
            found.extend((name, text) for name, text in (other.split(" : ", 1) for other in others))
        elif found:
            name, text = found[-1]
            found[-1] = (name, f"{text} {line.strip()}")
    return found


def parameters_of(obj: object) -> set[str]:
    try:
        return set(inspect.signature(obj).parameters)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return set()


def restructured(lines: list[str], parameters: set[str]) -> list[str]:
    """The docstring as reStructuredText."""
    out: list[str] = []
    examples: list[str] = []
    fields: list[str] = []
    heading = ""
    for paragraph in paragraphs(lines):
        if len(paragraph) > 1 and set(paragraph[1].strip()) == {"-"} and paragraph[0] in HEADINGS:
            heading, paragraph = HEADINGS[paragraph[0]], paragraph[2:]
            fields += _fields(entries(paragraph), heading)
        elif paragraph[0].lstrip().startswith(">>>"):
            examples += ["", *("   " + line for line in paragraph)]
        else:
            at = next((n for n, line in enumerate(paragraph) if _begins_entry(line, parameters)), None)
            text = paragraph if at is None else paragraph[:at]
            if text:
                out += _sentences(text, fields, parameters if out else set())
            if at is not None:
                fields += _fields(entries(paragraph[at:]), "param")
    if examples:
        out += ["**Example**", "", ".. code-block:: pycon", *examples, ""]
    outcomes = [field for field in fields if field.startswith((":raises", ":returns"))]
    return [*out, *(field for field in fields if field not in outcomes), *outcomes, ""]


def _begins_entry(line: str, parameters: set[str]) -> bool:
    entry = ENTRY.match(line)
    return entry is not None and all(name in parameters for name in entry[1].split(", "))


def _fields(found: list[tuple[str, str]], role: str) -> list[str]:
    fields: list[str] = []
    for names, text in found:
        lead, *others = SENTENCE.split(text)
        fields += [f":{role} {_plain(name)}: {prose(lead)}" for name in names.split(", ")]
        fields += map(_outcome, others)
    return fields


def _outcome(sentence: str) -> str:
    """The field of a sentence that begins with "Raises" or "Returns"."""
    verb, rest = sentence.split(" ", 1)
    linked = re.sub(r"^UserError\b", ":py:exc:`~stickbreaker.UserError`", prose(rest))
    return f":{verb.lower()}: {linked}"


def _sentences(paragraph: list[str], fields: list[str], parameters: set[str]) -> list[str]:
    """A paragraph, less what it says of parameters, errors and results, which is added to `fields`."""
    lead, *others = SENTENCE.split(" ".join(line.strip() for line in paragraph))
    fields += map(_outcome, others)
    if (
        any(line.startswith("  ") for line in paragraph) and not others
    ):  # a table or an equation, as it stands
        return ["::", "", *("   " + line for line in paragraph), ""]
    lead, described = _of_parameters(lead, parameters)
    fields += _fields(described, "param")
    return [prose(lead.strip()), ""] if lead.strip() else []


def _of_parameters(text: str, parameters: set[str]) -> tuple[str, list[tuple[str, str]]]:
    """What a paragraph says before sentences that begin with a parameter, and what these say of each."""
    if not parameters:
        return text, []
    names = "|".join(map(re.escape, sorted(parameters)))
    lead, *rest = re.split(rf"(?:(?<=^)|(?<=[.;] ))`({names})`(?=[ :])(?! (?:and|or) )", text)
    described: dict[str, str] = {}
    for name, said in zip(rest[::2], rest[1::2], strict=True):
        plain = re.sub(r";$", ".", re.sub(r"^(?::| is| are| says)? ", "", said).strip())
        described[name] = f"{described[name]} It {plain}" if name in described else plain
    return lead, list(described.items())


def on_docstring(app, what, name, obj, options, lines) -> None:
    lines[:] = restructured(list(lines), parameters_of(obj))


def shorten_types(app, *signature) -> None:
    """Types of arrays, as readers say them."""
    for types in app.env.current_document.autodoc_annotations.values():
        for name, text in types.items():
            types[name] = ARRAY.sub("array", text)


def setup(app) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", on_docstring)
    app.connect("autodoc-process-signature", shorten_types, priority=900)
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
