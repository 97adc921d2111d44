"""Texts cut into pieces by a symbol of a grammar."""

from dataclasses import dataclass

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.grammars.learned import GrammarLearned
from stickbreaker.grammars.parsing import SegmentedText, segmented_texts
from stickbreaker.grammars.verbs.given_texts import GivenTexts
from stickbreaker.grammars.verbs.settings import SegmentSettings
from stickbreaker.grammars.verbs.symbol_counts import SymbolCounts


@dataclass(frozen=True, repr=False)
class SegmentedTexts(VerbResult):
    """Texts and their pieces; as text a line for each, with `between` between pieces.

    `times`: the counts of texts of a file with counts; None for others. `new_symbols`: how many symbols of
    the texts the grammar has not learned, `with_new_symbols`: how many texts have some, and `unparsed`: how
    many cannot be parsed.
    """

    ids: tuple[str, ...]
    texts: tuple[SegmentedText, ...]
    times: tuple[int | None, ...]
    between: str
    new_symbols: int
    with_new_symbols: int
    unparsed: int

    @property
    def pieces(self) -> list[list[str]]:
        """The pieces of each text."""
        return [one.pieces for one in self.texts]

    @property
    def figures(self) -> JsonObject:
        """The counts, by name."""
        return {name: getattr(self, name) for name in ("new_symbols", "with_new_symbols", "unparsed")}

    @property
    def lines(self) -> list[str]:
        """The lines of the text: pieces, and after a tab the count of a text that has one."""
        found = [self.between.join(one.pieces) for one in self.texts]
        return [
            line if times is None else f"{line}\t{times}"
            for line, times in zip(found, self.times, strict=True)
        ]

    def as_json(self) -> JsonObject:
        sentences = [
            {"id": name, **({} if times is None else {"count": times}), **one._asdict()}
            for name, times, one in zip(self.ids, self.times, self.texts, strict=True)
        ]
        return {"sentences": sentences, **self.figures}

    def __str__(self) -> str:
        return "\n".join(self.lines)


def segment(learned: GrammarLearned, given: GivenTexts, settings: SegmentSettings) -> SegmentedTexts:
    """Cut each text where more than half of its trees have a cut by a symbol; a text that cannot be parsed is
    one piece. Warns (UserWarning) about new symbols and unparsed texts.

    Raises UserError for a symbol that the grammar does not have.
    """
    model, texts = learned.model, given.once
    plain = (one.text for one in texts)
    found = tuple(segmented_texts(model, plain, settings.nonterminal, settings.random_state))
    counts = SymbolCounts(len(texts))
    for one, cut in zip(texts, found, strict=True):
        counts.add(one.text, cut.new_symbols, parsed=cut.parsed)
    counts.warn("left whole", model)
    return SegmentedTexts(
        tuple(one.id for one in texts),
        found,
        tuple(one.times for one in texts),
        " " if model.settings.symbols == "characters" else "  ",
        counts.new_symbols,
        counts.with_new_symbols,
        counts.unparsed,
    )
