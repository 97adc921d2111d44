"""Command-line options about words: concepts that tie them, and vocabularies that grow with the documents."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stickbreaker.console.console import NumberRange, from_option, from_table, options_into, refuse_written
from stickbreaker.console.options import option_table, take_settings
from stickbreaker.core.option_names import ParameterValues
from stickbreaker.topics.settings import TopicSettings

if TYPE_CHECKING:
    from stickbreaker.corpus.building import AnyAnalysis
    from stickbreaker.topics.model.vocabularies.concept_tree import ConceptTree
    from stickbreaker.topics.model.vocabularies.open_settings import OpenVocabulary


@dataclass(frozen=True)
class OpenChoice:
    """The command-line options of the vocabulary: --words with the settings of an open one, and concepts."""

    settings: Mapping[str, object] = from_table(option_table(TopicSettings, only=("words",)))
    spelling_words: str | None = from_option(
        metavar="FILE",
        help="--words open: words, one per line, from which to learn how words are spelled.  "
        "[default: the first ones]",
    )
    concepts: str | None = from_option(
        metavar="FILE",
        help="Words that rise and fall together, a concept in JSON per line; see `stickbreaker concepts`.",
    )
    concept_strength: float = from_option(
        type=NumberRange(0, min_open=True),
        default=100.0,
        help="Concepts: how firmly a topic is held to have the words of one together; pseudo-counts in units "
        "of eta.",
    )

    @property
    def is_open(self) -> bool:
        return self.settings["words"] == "open"

    def build(self, analysis: "AnyAnalysis | None" = None) -> "str | OpenVocabulary | ConceptTree":
        """The value of the estimator's parameter `words` that the options describe: "closed", settings of an
        open vocabulary, or a tree of concepts.

        analysis: applied to the words from which spelling is learned. Raises UserError for a file that cannot
        be read, and a usage error for options that need --words open or --concepts.
        """
        settings: ParameterValues = dict(self.settings)
        take_settings(TopicSettings, settings, always=("open",))
        if not self.is_open:
            refuse_written(("spelling_words",), "needs --words open")
            return self._concepts()
        refuse_written(("eta",), "does not apply with --words open")
        refuse_written(("concepts", "concept_strength"), "does not go with --words open")
        from stickbreaker.corpus import Analysis
        from stickbreaker.corpus.spelling.string_prior import Spelling

        listed = Spelling(words=self.spelling_words).word_list()
        if listed is not None and isinstance(analysis, Analysis):
            listed = tuple(dict.fromkeys(map(analysis.form, listed)))
        return replace(settings["words"], spelling=Spelling(words=listed))

    def _concepts(self) -> "str | ConceptTree":
        """The tree of concepts read from the file of --concepts; without that option, "closed". Either is a
        value of the parameter `words`.
        """
        if self.concepts is None:
            refuse_written(("concept_strength",), "needs --concepts")
            return "closed"
        from stickbreaker.topics.model.vocabularies.concept_tree import ConceptTree

        return ConceptTree.read(self.concepts, self.concept_strength)


open_options = options_into(OpenChoice, "opened", "Concepts")
