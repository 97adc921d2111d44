"""The settings of an open vocabulary, as users give them."""

from dataclasses import dataclass, field

from stickbreaker.core.errors import UserError
from stickbreaker.core.parameter_fields import with_parameter_section
from stickbreaker.corpus.spelling.string_prior import Spelling
from stickbreaker.topics.settings import OpenVocabularyParameters


@with_parameter_section
@dataclass(frozen=True, slots=True)
class OpenVocabulary(OpenVocabularyParameters):
    """The settings of an open vocabulary: beta_k ~ DP(concentration, G0), with G0 a distribution over all
    strings (Zhai 2014, section 7.2).

    Each topic has at most `truncation` words in an order of its own, with a stick each; all other strings
    share the rest. New words are added as they occur in documents. `spelling`: the settings of G0.

    >>> OpenVocabulary(truncation=5_000).memory
    'discard'
    """

    spelling: Spelling = field(default_factory=Spelling)

    def __post_init__(self) -> None:
        OpenVocabularyParameters.__post_init__(self)
        if not isinstance(self.spelling, Spelling):
            raise UserError(f"OpenVocabulary(spelling={self.spelling!r})", remedy="spelling is Spelling(...)")
