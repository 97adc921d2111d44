"""The views: frozen values, each drawn by the script that has its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stickbreaker.pages.views.pieces import Text

Points = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A part of a section. title, said: its name, and what stands after it; figure: the name of the file in
    which it is saved by `report --figures` ("": none)."""

    title: str = ""
    said: str = ""
    figure: str = ""


@dataclass(frozen=True, slots=True)
class Note(View):
    """A paragraph, with a heading if it has a title."""

    text: Text
    muted: bool = False


@dataclass(frozen=True, slots=True)
class Row(View):
    """Views side by side, each at least `least` wide (in rem), and below each other on narrow screens.

    widths: CSS widths of columns on wide screens, if they differ; panel: they are in one frame; pinned: on
    narrow screens the last stays in sight.
    """

    views: Sequence[View]
    least: float = 20.0
    widths: str = ""
    panel: bool = False
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Tabs(View):
    """Views of which one is shown, with a button for each, or with a box to choose from if it has a `label`.
    tabs: (name, view)."""

    tabs: Sequence[tuple[str, View]]
    label: str = ""


@dataclass(frozen=True, slots=True)
class Chosen(View):
    """One view for each thing of the choice `of`: that of the chosen one is shown; `none` while none is
    chosen."""

    of: str
    views: Sequence[View]
    none: View | None = None


class Column(NamedTuple):
    """A column of a table: its cells are "text", numbers with `digits` ("number"), shares ("share"), or
    places in the choice `of` ("item"). sorts: the reader can sort by it; meter: a bar stands next to its
    numbers; wide: its part of the width, in percent.
    """

    title: str
    kind: str = "text"
    digits: int = 0
    of: str = ""
    sorts: bool = False
    meter: bool = False
    wide: int = 0
    unit: str = ""  # of its numbers on a narrow screen, where the heading is not seen


@dataclass(frozen=True, slots=True)
class Table(View):
    """Rows of cells. sort: (column, whether the largest come first) at first.

    page: rows at once, with buttons to turn (0: all, in a frame that is scrolled); find: what stands in the
    field in which words are looked for ("": no field); missing: what is said if there are none; only: the
    column with things of a choice by which the rows of the chosen one are picked; stacks: on a narrow screen
    the cells of a row stand below each other.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[object]]
    sort: tuple[int, bool] | None = None
    page: int = 0
    find: str = ""
    missing: str = "No such row here."
    only: int = -1
    stacks: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """A card: a title and a share, lines, views, and views below `more` that are seen once it is opened."""

    title: Text
    share: str = ""
    lines: Sequence[Text] = ()
    views: Sequence[View] = ()
    more: str = ""
    hidden: Sequence[View] = ()
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Cards(View):
    """Cards side by side, as many as there is room for (at least `least` rem wide)."""

    cards: Sequence[Card]
    least: float = 27.0


@dataclass(frozen=True, slots=True)
class Bars(View):
    """A bar for each label. figures: texts behind a bar; marks: a line at another value; upright: bars stand.

    colour: of all bars; of, colour_of: a thing of a choice whose colour they have; places: things of the
    choice that the bars stand for, with their colours; parts: instead of values, (place, share) of the choice
    `of` that a bar is made of; axis, unit: names of the labels (upright bars); shares: whether upright bars
    say which part of all they are; edges: labels stand between bars; ranked: a slider sorts by value or by
    value over mark, and `most` bars are shown.
    """

    labels: Sequence[str] = ()
    values: Sequence[float] = ()
    colour: str = ""
    figures: Sequence[Sequence[str]] = ()
    marks: Sequence[float] = ()
    of: str = ""
    colour_of: int = -1
    places: Sequence[int] = ()
    parts: Sequence[Sequence[tuple[int, float]]] = ()
    notes: Sequence[str] = ()
    by: Points = ()
    base: Sequence[float] = ()
    upright: bool = False
    axis: str = ""
    unit: str = ""
    shares: bool = False
    edges: bool = False
    ranked: bool = False
    most: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WordBars(Bars):
    """Bars of things of the choice `of` at `places`, with how often each is here compared with all (values
    over marks). points: a reader can point at them, and views that follow the choice show where they are
    used, by their mixes of the choice `mixes_of`.
    """

    points: bool = False
    mixes_of: str = ""


class Series(NamedTuple):
    """A line of a chart: points (x, y), or (x, y, least, most) with ranges.

    dashed: a line to compare with; look: "rings" (a line with rings), "large rings" or "dot" (no line);
    notes: what is said of each point.
    """

    points: Points
    colour: str = ""
    name: str = ""
    dashed: bool = False
    look: str = ""
    notes: Sequence[str] = ()


class Lane(NamedTuple):
    """Numbers below a chart of lines, one for each point: bars ("up", "down") or marks ("split", "merge")."""

    name: str
    numbers: Sequence[float]
    look: str = "up"


@dataclass(frozen=True, slots=True)
class Lines(View):
    """Curves over axes. x, y: names of the axes.

    log: axes with equal steps for equal ratios, "", "x", "y" or "xy"; rises: higher is better, so that the
    legend is below; whole: nothing is cut off above; steps: values hold until the next; baseline: (name,
    value) of a dashed line; shaded: a range of x; walk: what the reader walks through with a slider
    ("passes"), and `labels` what is said of each point; names: what is said of whole numbers on the x axis.
    """

    series: Sequence[Series]
    x: str = ""
    y: str = ""
    log: str = ""
    rises: bool = False
    whole: bool = False
    steps: bool = False
    dots: bool = False
    baseline: tuple[str, float] | None = None
    shaded: tuple[float, float] | None = None
    most: float | None = None
    walk: str = ""
    labels: Sequence[str] = ()
    lanes: Sequence[Lane] = ()
    names: Sequence[str] = ()
    unit: str = ""
    tall: int = 250


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedLines(View):
    """Lines of things of the choice `of` over time, each with its name at its end: of the chosen one, of
    those in `shown`, and of others that the reader adds. by: a row of shares of all things for each of the
    `names`.
    """

    of: str
    by: Points
    names: Sequence[str]
    shown: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bands(View):
    """Shares of things of the choice `of` over time as bands, in an `order`: those in `most`, and the chosen
    one. shares: a row for each of the `names` (times); amounts: how much there is of what is `counted` then.
    """

    of: str
    order: Sequence[int]
    most: Sequence[int]
    names: Sequence[str]
    shares: Points
    amounts: Sequence[float]
    counted: str = "documents"


class Token(NamedTuple):
    """A word of a text. level: its shade; figure: a number below it; note: what is said when it is pointed
    at.

    style: letters: "u" not known, "e" an end, "r" underlined; colour: of the line below it ("" for none). The
    text of a word with doubtful places is a list: its parts, each after the first with what is said there.
    """

    text: str | Sequence[str]
    level: int = 0
    figure: str = ""
    note: str = ""
    style: str = ""
    colour: str = ""


class Line(NamedTuple):
    """A text of tokens, with what stands below it; starts_late, stops_early: words before, or after, are left
    out."""

    tokens: Sequence[Token]
    below: Text = ""
    starts_late: bool = False
    stops_early: bool = False


@dataclass(frozen=True, slots=True)
class MarkedText(View):
    """Texts whose words are shaded or coloured.

    levels: (shade, what it means); legend: (look, what it means), of the looks "unknown", "end", "underlined"
    and "doubt"; figures: the label of a box that shows the number of every word ("": no box); reads: what is
    said of a word stands below too, for words that are reached with the arrow keys; filled: colours fill
    words.
    """

    lines: Sequence[Line]
    levels: Sequence[tuple[int, str]] = ()
    legend: Sequence[tuple[str, str, str]] = ()
    figures: str = ""
    reads: bool = False
    filled: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One of a list: a title, a text about it, a mix of things of the list's choice, and views that are
    seen once it is opened. group: what it is filtered by; text: what it is found by, and its beginning is
    shown; aside: what stands next to its views.
    """

    title: Text
    about: Text = ""
    mix: Sequence[tuple[int, float]] = ()
    views: Sequence[View] = ()
    group: str = ""
    text: str = ""
    badge: str = ""


@dataclass(frozen=True, slots=True)
class List(View):
    """Entries that are opened one by one. of: the choice of which they have mixes; page: entries at once.

    order: entries can be ordered by the share of a thing of the choice; groups: the label of the choice of a
    group ("": none), of which the first `most` are shown; find: what stands in the field in which words are
    looked for; open: how many are open at first; missing: what is said if there are none.
    """

    entries: Sequence[Entry]
    of: str = ""
    page: int = 0
    order: bool = False
    groups: str = ""
    most: int = 0
    find: str = ""
    open: int = 0
    missing: str = "None has all of these words."


class ShownDocument(NamedTuple):
    """A document as pages show it: one of `Choice.documents`.

    tokens: how many words it has; shares: (place, share of its words) of things of another choice, the
    largest first; marks: which words of its text belong to which thing: for each, the characters since the
    end of the one before, its length and the place of its thing, as `base36_pairs`; facts: (name, value) of
    its metadata.
    """

    id: str
    title: str
    tokens: int
    text: str = ""
    shares: Sequence[tuple[int, float]] = ()
    marks: str = ""
    facts: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents(List):
    """The documents of the choice `documents`, with their shares of things of the choice `of`: as a list, or
    those that are `typical` of the chosen thing (places of documents, for each), or, if `pointed`, the one
    that the reader points at or has chosen (without one, `help` is said).

    leading: of documents without marked words, the words of each thing that are marked, as places in the
    choice `words_of`; help: what is said above typical ones, and if none is pointed at.
    """

    entries: Sequence[Entry] = ()
    documents: str
    typical: Sequence[Sequence[int]] = ()
    pointed: bool = False
    leading: Sequence[Sequence[int]] = ()
    words_of: str = ""
    help: Text = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Index(View):
    """A list of the things of the choice `of`, in its order, with their sizes: the reader chooses one, or
    finds it by its name or its words (places in the choice `words_of`). elsewhere: the anchor and name of a
    section with further words.
    """

    of: str
    sizes: Sequence[float]
    find: str
    words: Sequence[Sequence[int]] = ()
    words_of: str = ""
    elsewhere: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane(View):
    """Things with places in the plane, with labels that hide none of them: a `Map` or `Dots`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Map(Plane):
    """A circle for each thing of the choice `of` that has a point: near ones are alike, larger ones have
    larger sizes. uses: a choice whose things have mixes of these; while the reader points at one, circles are
    as large as their parts of it; help: what is said below.
    """

    of: str
    points: Sequence[tuple[float, float] | None]
    sizes: Sequence[float]
    uses: str = ""
    help: Text = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dots(Plane):
    """A dot for each document of the choice `of` that has a place, in the colour of its largest share of the
    choice `by`; the chosen thing can be brought out. places: as `packed_places`; name: what it is called.
    """

    of: str
    by: str
    places: str
    name: str


@dataclass(frozen=True, slots=True)
class Grid(View):
    """Bars in a grid, each under its title, as a figure."""

    views: Sequence[Bars]
    across: int


@dataclass(frozen=True, slots=True)
class Flow(View):
    """Shares of things of the choice `of` along something, such as the words of a document: a column of parts
    for each stretch between two of the `edges`.

    places: of the things, -1 for all others, -2 for what stays empty; other: what these two are called;
    marked: a part that is underlined.
    """

    of: str
    places: Sequence[int]
    shares: Points
    edges: Sequence[int]
    marked: tuple[int, int] | None = None
    other: tuple[str, str] = ("others", "the rest")


class Node(NamedTuple):
    """A node of a graph: the place of its thing in the graph's choice, its size, its depth, and lines of
    text."""

    place: int
    size: float
    depth: float
    lines: Sequence[str]
    note: str


@dataclass(frozen=True, slots=True)
class Graph(View):
    """Circles in rows by their depth, and bent lines (from, to, width) between them; -1 is the root."""

    of: str
    nodes: Sequence[Node]
    edges: Sequence[tuple[int, int, float]]
    root: str


@dataclass(frozen=True, slots=True)
class Matrix(View):
    """A square with a cell for every two things of the choice `of`, in an order: the stronger its colour, the
    more alike they are. The pair that the reader points at is named, and so are those that are most alike.

    likeness: the lower triangle by places in the order, row by row, in thousandths, as `base36_pairs`.
    """

    of: str
    order: Sequence[int]
    likeness: str


class Boxes(NamedTuple):
    """A box of a picture: its name, what is in it (texts and boxes), and whether it has a firm line."""

    name: str
    inside: Sequence[Boxes | str]
    firm: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Picture(View):
    """A drawing of boxes in boxes, with texts; name: what it shows."""

    boxes: Boxes
    name: str


@dataclass(frozen=True, slots=True)
class Paths(View):
    """How words move in rank from moment to moment: columns of words, and a line for each from column to
    column.

    moments: (name, what was read until then); ways: for each thing of the choice `of`, or for each of
    `names`, the ranks and the new words of each moment as `Wording.payload` has them, None without words;
    noun, whose: what words and things are called.
    """

    moments: Sequence[tuple[str, str]]
    ways: Sequence[Mapping[str, object] | None]
    of: str = ""
    names: Sequence[str] = ()
    inks: Sequence[str] = ()
    label: str = ""
    noun: str = "word"
    whose: str = "the topic"
