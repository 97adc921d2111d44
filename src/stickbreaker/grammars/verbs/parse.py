"""The trees of texts by a grammar, in the bracket notation of treebanks."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.grammars.learned import GrammarLearned
from stickbreaker.grammars.parsing import ParsedSentence, parsed
from stickbreaker.grammars.verbs.given_texts import GivenTexts
from stickbreaker.grammars.verbs.settings import ParseSettings
from stickbreaker.grammars.verbs.symbol_counts import SymbolCounts


class TreeOfText(NamedTuple):
    """The trees of a text's sentences in brackets, with spaces between them, and the sum of their log p in
    nats."""

    tree: str
    nats: float


@dataclass(frozen=True)
class ParsedText:
    """A text with its trees.

    `nats`: log p of the text; None if a sentence cannot be parsed. `new_symbols`: how many of its symbols the
    grammar has not learned. `lines`: its trees as text, also if it has none.
    """

    id: str
    nats: float | None
    new_symbols: int
    trees: tuple[TreeOfText, ...]
    lines: tuple[str, ...]

    def as_json(self) -> JsonObject:
        """The values by name."""
        trees = [one._asdict() for one in self.trees]
        return {"id": self.id, "nats": self.nats, "new_symbols": self.new_symbols, "trees": trees}


@dataclass(frozen=True, repr=False)
class ParsedTexts(VerbResult):
    """Texts with their trees; as text a line for each tree. The command prints the JSON of each text on a
    line of its own."""

    texts: tuple[ParsedText, ...]

    def as_json(self) -> JsonObject:
        return {"texts": [one.as_json() for one in self.texts]}

    def __str__(self) -> str:
        return "\n".join(line for one in self.texts for line in one.lines)


def parse(learned: GrammarLearned, given: GivenTexts, settings: ParseSettings) -> ParsedTexts:
    """Parse each text. Warns (UserWarning) about new symbols and texts that cannot be parsed."""
    return ParsedTexts(tuple(parsed_texts(learned, given, settings)))


def parsed_texts(learned: GrammarLearned, given: GivenTexts, settings: ParseSettings) -> Iterator[ParsedText]:
    """Parse texts one by one; at the end, warns as `parse` does.

    Raises UserError if a number of trees is given that are not drawn.
    """
    if settings.how != "samples" and settings.trees is not None:
        raise UserError('`trees` needs how="samples"', remedy="leave it out")
    texts, n_trees = given.once, settings.trees or 1
    plain = (one.text for one in texts)
    found = parsed(learned.model, plain, settings.how, n_trees, settings.random_state)
    counts = SymbolCounts(len(texts))
    for one, sentences in zip(texts, _by_text(found, len(texts)), strict=True):
        new_symbols = sum(sentence.new_symbols for sentence in sentences)
        whole = all(sentence.trees for sentence in sentences)
        counts.add(one.text, new_symbols, parsed=whole)
        yield _text_of(one.id, sentences, new_symbols, n_trees, parsed=whole and bool(sentences))
    counts.warn('written as "()"', learned.model)


def _text_of(
    name: str, sentences: list[ParsedSentence], new_symbols: int, n_trees: int, *, parsed: bool
) -> ParsedText:
    """A text of its sentences. parsed: it has sentences, and each has trees."""
    each = [[tree.brackets() for tree in one.trees] or ["()"] * n_trees for one in sentences]
    lines = tuple(" ".join(own) for own in zip(*each, strict=True)) or ("",) * n_trees
    if not parsed:
        return ParsedText(name, None, new_symbols, (), lines)
    sums = [sum(own) for own in zip(*(one.tree_nats for one in sentences), strict=True)]
    trees = tuple(map(TreeOfText, lines, sums))
    return ParsedText(name, sum(one.nats for one in sentences), new_symbols, trees, lines)


def _by_text(found: Iterable[ParsedSentence], n: int) -> Iterator[list[ParsedSentence]]:
    """Group parsed sentences by text, for n texts; a text without sentences gets an empty list."""
    place = 0
    for document, sentences in itertools.groupby(found, lambda one: one.document):
        yield from ([] for _ in range(document - place))
        yield list(sentences)
        place = document + 1
    yield from ([] for _ in range(n - place))
