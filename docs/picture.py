"""What pictures of models are drawn with: words in frames, bars and arrows, as SVG.

Colours of text and lines follow the theme of the page, or the reader's system if the picture is shown alone.
"""

from collections.abc import Iterable
from xml.sax.saxutils import escape

WIDTH = 480  # at which a telephone still shows 15 px as 11
BLUE, ORANGE, GREEN, GREY = "#3b82d0", "#d97f24", "#2f9e6e", "#8a8f98"
PURPLE, RED = "#a55bbd", "#c2506a"
STYLE = """
.model{--ink:#1f2328;--faint:#5f6670}
@media (prefers-color-scheme:dark){.model{--ink:#e6e8eb;--faint:#a0a6ae}}
.model text{fill:var(--color-foreground-primary,var(--ink));font-family:system-ui,'DejaVu Sans',sans-serif}
.model .note{fill:var(--color-foreground-secondary,var(--faint))}
.model .line{stroke:var(--color-foreground-secondary,var(--faint));fill:none;stroke-width:1.3}
.model .head{fill:var(--color-foreground-secondary,var(--faint))}
"""
Words = Iterable[tuple[str, str]]  # each with its colour, or ""


class Picture:
    """Shapes one after another; y grows downwards."""

    def __init__(self) -> None:
        self.shapes: list[str] = []

    def text(
        self, x: float, y: float, text: str, size: int = 15, anchor: str = "start", bold: bool = False
    ) -> None:
        self._text(x, y, text, f'font-size="{size}" text-anchor="{anchor}"' + ' font-weight="600"' * bold)

    def note(self, x: float, y: float, text: str, anchor: str = "start", colour: str = "") -> None:
        style = f' style="fill:{colour}"' if colour else ""
        self._text(x, y, text, f'class="note" font-size="13" text-anchor="{anchor}"{style}')

    def _text(self, x: float, y: float, text: str, attributes: str) -> None:
        self.shapes.append(f'<text x="{x:g}" y="{y:g}" {attributes}>{escape(text)}</text>')

    def box(self, x: float, y: float, width: float, colour: str, height: float, dashed: bool = False) -> None:
        """A frame in a colour, with a little of the colour within."""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.shapes.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5" fill="{colour}"'
            f' fill-opacity="0.22" stroke="{colour}" stroke-width="1.4"{dash}/>'
        )

    def bar(self, x: float, y: float, width: float, colour: str, height: float = 16) -> None:
        self.shapes.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="2" fill="{colour}"/>'
        )

    def bars(self, x: float, y: float, width: float, parts: Words, height: float = 16) -> None:
        """Parts of a whole side by side; a part is its share and its colour."""
        for share, colour in parts:
            self.bar(x, y, width * float(share) - 1.5, colour, height)
            x += width * float(share)

    def chip(self, x: float, y: float, word: str, colour: str, dashed: bool = False) -> float:
        """A word in a frame with its colour, y being its base line; returns its right end."""
        width = 8.4 * len(word) + 10
        if colour:
            self.box(x, y - 16, width, colour, 22, dashed)
        self.text(x + width / 2, y, word, anchor="middle")
        return x + width

    def words(self, x: float, y: float, words: Words, right: float = WIDTH) -> float:
        """Words in lines; returns the base line of the last one."""
        at = x
        for word, colour in words:
            if at + 8.4 * len(word) + 10 > right:
                at, y = x, y + 28
            at = self.chip(at, y, word, colour) + (4 if colour else 0)
        return y

    def line(self, points: str, arrow: bool = False) -> None:
        """A path in SVG's notation, with a head at its end if it is an arrow."""
        head = ' marker-end="url(#head)"' if arrow else ""
        self.shapes.append(f'<path class="line" d="{points}"{head}/>')

    def svg(self, height: int) -> str:
        shapes = "\n".join(self.shapes)
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" class="model"'
            f' viewBox="0 0 {WIDTH} {height}" width="{WIDTH}">\n'
            f"<style>{STYLE}</style>\n"
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
            ' orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>\n'
            f"{shapes}\n</svg>\n"
        )


def coloured(text: str) -> list[tuple[str, str]]:
    """Words; one that begins with b:, o:, g: or x: has this colour."""
    colours = {"b": BLUE, "o": ORANGE, "g": GREEN, "x": GREY}
    pairs = (word.rpartition(":") for word in text.split())
    return [(word, colours.get(colour, "")) for colour, _, word in pairs]
