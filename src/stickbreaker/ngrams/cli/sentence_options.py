"""The options by which a language model reads texts: all words, in sentences."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import from_option, options_into
from stickbreaker.console.inputs import (
    LANGUAGE,
    LOWERCASE,
    NORMALIZATION,
    SEGMENTATION,
    SENTENCES,
    TOKEN_PATTERN,
)

if TYPE_CHECKING:
    from stickbreaker.corpus import Analysis, VocabularyRule


@dataclass(frozen=True)
class SentenceChoice:
    """The command's options on how texts are read, for a language model. `given`: the names of those that the
    user set."""

    sentences: str = from_option(**SENTENCES)
    tokens: str = from_option(
        choices=["words", "spaced"],
        default="words",
        help="What counts as a word: words and numbers; or, in texts already split into words, what stands "
        "between spaces.",
    )
    language: str = from_option(**LANGUAGE)
    normalization: str = from_option(**NORMALIZATION)
    lowercase: bool = from_option(**LOWERCASE)
    token_pattern: str | None = from_option(**TOKEN_PATTERN)
    segmentation: str = from_option(**SEGMENTATION)
    given: tuple[str, ...] = ()

    def analysis(self, largest: int | None = None) -> "Analysis":
        """The analysis of text that these options ask for, without leaving words out. `largest` is ignored.

        Raises UserError for invalid options, and a usage error if two of them define tokens.
        """
        from stickbreaker.corpus import Analysis
        from stickbreaker.corpus.text.all_words import analysis_of_all_words

        if self.token_pattern is not None and "tokens" in self.given:
            raise click.UsageError("--tokens and --token-pattern both say what a token is; leave one out")
        analysis = Analysis(
            language=None if self.language.lower() == "none" else self.language,
            normalization=None if self.normalization == "none" else self.normalization,
            lowercase=self.lowercase,
            token_pattern=self.token_pattern,
            segmentation=self.segmentation,
            sentences=self.sentences,
        )
        return analysis_of_all_words(analysis, self.tokens)

    def rule(self, largest: int | None = None) -> "VocabularyRule":
        """The rule by which a corpus gets a vocabulary of all words; the model decides later which are known.
        `largest` is ignored."""
        from stickbreaker.corpus import VocabularyRule

        return VocabularyRule(1, 1.0)


sentence_options = options_into(SentenceChoice, "choice", "Words")
