"""The options that guide topics by lists of words."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stickbreaker.console.console import NumberRange, from_option, options_into, refuse_written

if TYPE_CHECKING:
    from stickbreaker.topics.seed_words import Guide


@dataclass(frozen=True)
class GuideChoice:
    """The command-line options that guide topics: a file with lists of words, and the prior (eta) of these
    words and of all others.
    """

    guide: str | None = from_option(
        metavar="FILE",
        help='What the first topics should be about: a LIWC dictionary (.dic) or JSON {"topic": [words]}.',
    )
    guide_categories: str | None = from_option(
        metavar="NAME,...", help="Take only these categories, in this order.  [default: all]"
    )
    guide_inside: float = from_option(
        type=NumberRange(0, min_open=True), default=10.0, help="Eta of a guided topic's own words."
    )
    guide_outside: float = from_option(
        type=NumberRange(0, min_open=True), default=0.01, help="Eta of all other words in it."
    )

    def build(self) -> "Guide | None":
        """The guide that the options describe; None if there is no file.

        Raises UserError for an invalid file, and a usage error if the other options were given without a
        file.
        """
        from stickbreaker.topics.seed_words import Guide

        if self.guide is None:
            refuse_written(("guide_categories", "guide_inside", "guide_outside"), "needs --guide")
            return None
        names = None
        if self.guide_categories is not None:
            names = [name.strip() for name in self.guide_categories.split(",") if name.strip()]
        return Guide.read(self.guide, names, inside=self.guide_inside, outside=self.guide_outside)


guide_options = options_into(GuideChoice, "guide", "Guides")
