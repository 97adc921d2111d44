"""Texts cut into pieces by a symbol of a grammar."""

from dataclasses import dataclass

from stickbreaker.core.errors import naming
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.estimators.learned import AnyLearned
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.grammars.learned import GrammarLearned
from stickbreaker.grammars.parsing import SegmentedText, segmented_texts
from stickbreaker.grammars.verbs.given_texts import GivenTexts
from stickbreaker.grammars.verbs.settings import SegmentSettings


@dataclass(frozen=True, repr=False)
class SegmentedTexts(VerbResult):
    """Texts and their pieces; as text a line for each, with `between` between pieces."""

    ids: tuple[str, ...]
    texts: tuple[SegmentedText, ...]
    between: str

    @property
    def pieces(self) -> list[list[str]]:
        """The pieces of each text."""
        return [one.pieces for one in self.texts]

    def as_json(self) -> JsonObject:
        sentences = [{"id": name, **one._asdict()} for name, one in zip(self.ids, self.texts, strict=True)]
        return {
            "sentences": sentences,
            "new_symbols": sum(one.new_symbols for one in self.texts),
            "with_new_symbols": sum(one.new_symbols > 0 for one in self.texts),
            "unparsed": sum(not one.parsed for one in self.texts),
        }

    def __str__(self) -> str:
        return "\n".join(self.between.join(one.pieces) for one in self.texts)


def segment(learned: AnyLearned, given: GivenTexts, settings: SegmentSettings) -> SegmentedTexts:
    """Cut each text where more than half of its trees have a cut by a symbol; a text that cannot be parsed is
    one piece. Raises UserError for a symbol that the grammar does not have.
    """
    assert isinstance(learned, GrammarLearned)
    model = learned.model
    with naming(given.name):
        found = tuple(segmented_texts(model, given.texts, settings.nonterminal, settings.random_state))
    return SegmentedTexts(given.ids, found, " " if model.settings.symbols == "characters" else "  ")
