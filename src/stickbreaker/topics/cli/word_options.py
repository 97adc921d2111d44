"""The options about words: concepts that tie them, and vocabularies that grow with the documents."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stickbreaker.console.console import (
    NumberRange,
    from_option,
    number_or_learned,
    options_into,
    refuse_written,
)

if TYPE_CHECKING:
    from stickbreaker.corpus.building import AnyAnalysis
    from stickbreaker.topics.model.vocabularies.concept_tree import ConceptTree
    from stickbreaker.topics.model.vocabularies.open_settings import OpenVocabulary


@dataclass(frozen=True)
class OpenChoice:
    """The options of an open vocabulary of a command line."""

    words: str = from_option(
        choices=["closed", "open"],
        default="closed",
        help="Those of a vocabulary, or all: words enter as documents bring them, and leave.",
    )
    truncation: int = from_option(least=1, default=20_000, help="Open: words a topic has at most.")
    word_concentration: float | str = from_option(
        default="3000",
        callback=number_or_learned,
        help='Open: the larger, the more words a topic uses; a number or "learned".',
    )
    reorder_every: int = from_option(
        least=1,
        default=10,
        help="Open: steps until words are ranked anew, and those beyond the truncation leave.",
    )
    memory: str = from_option(
        choices=["discard", "keep", "bloom"],
        default="discard",
        help="Open: of words beyond the truncation, forget all or keep the counts; bloom: forget, and let a "
        "word in at its second document.",
    )
    spelling_words: str | None = from_option(
        metavar="FILE",
        help="Open: words, one a line, from which to learn how words are spelled.  [default: the first ones]",
    )
    concepts: str | None = from_option(
        metavar="FILE",
        help="Words that rise and fall together, a concept in JSON a line; see `stickbreaker concepts`.",
    )
    concept_strength: float = from_option(
        type=NumberRange(0, min_open=True),
        default=100.0,
        help="Concepts: how evenly a topic is held to have the words of one; pseudo-counts in units of eta.",
    )

    @property
    def is_open(self) -> bool:
        return self.words == "open"

    def build(self, analysis: "AnyAnalysis | None" = None) -> "str | OpenVocabulary | ConceptTree":
        """The words slot; the list of spellings is brought into the forms that `analysis` gives to words.

        Raises UserError for a file that cannot be read, a usage error for options without --words open or
        --concepts.
        """
        own = ("words", "concepts", "concept_strength")
        if not self.is_open:
            others = tuple(name for name in self.__dataclass_fields__ if name not in own)
            refuse_written(others, "needs --words open")
            return self._concepts()
        refuse_written(("eta",), "has no meaning with --words open")
        refuse_written(("concepts", "concept_strength"), "does not go with --words open")
        from stickbreaker.corpus import Analysis
        from stickbreaker.corpus.spelling.string_prior import Spelling
        from stickbreaker.topics.model.vocabularies.open_settings import OpenVocabulary

        listed = Spelling(words=self.spelling_words).word_list()
        if listed is not None and isinstance(analysis, Analysis):
            listed = tuple(dict.fromkeys(map(analysis.form, listed)))
        return OpenVocabulary(
            self.word_concentration,
            self.truncation,
            self.reorder_every,
            memory=self.memory,
            spelling=Spelling(words=listed),
        )

    def _concepts(self) -> "str | ConceptTree":
        """The tree of a file with concepts, or "closed" without one."""
        if self.concepts is None:
            refuse_written(("concept_strength",), "needs --concepts")
            return "closed"
        from stickbreaker.topics.model.vocabularies.concept_tree import ConceptTree

        return ConceptTree.read(self.concepts, self.concept_strength)


open_options = options_into(OpenChoice, "opened")
