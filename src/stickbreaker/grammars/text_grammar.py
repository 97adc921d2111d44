"""A grammar that reads texts: its rules, what it has learned of their use, and how texts become sentences."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.arguments import refuse_other_class
from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.records import Array, Record
from stickbreaker.core.topk import by_size
from stickbreaker.corpus import Vocabulary
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.grammars.model.compiled import Compiled
from stickbreaker.grammars.model.grammar import Grammar
from stickbreaker.grammars.model.grammar_sentences import Sentences
from stickbreaker.grammars.model.named import WORD
from stickbreaker.grammars.model.sentence_parser import LearnedGrammar, Parse
from stickbreaker.grammars.plan import has_topics, reader_of
from stickbreaker.grammars.settings import GrammarSettings
from stickbreaker.grammars.text_symbols import TextLines, terminals_of


class Subtree(NamedTuple):
    """A subtree that an adapted symbol remembers, with how often it is used.

    symbol: the adapted symbol; text: the terminals of the subtree; customers: its uses (in variational
    inference, expected uses); tables: how many tables of the symbol's restaurant (Pitman-Yor process) have
    it (in variational inference, 1).
    """

    symbol: str
    text: tuple[str, ...]
    customers: float
    tables: int


@dataclass(frozen=True, eq=False)
class TextGrammar:
    """A grammar that reads texts, learned or as far as a run has learned it.

    `vocabulary`, `analysis` and `n_documents`: of the corpus; `grammar`: its rules; `parser`: these, with
    what was learned of their use; `params`: the stored sentences of the run, and their cuts.
    """

    settings: GrammarSettings
    vocabulary: Vocabulary
    analysis: AnyAnalysis
    n_documents: int
    grammar: Grammar
    parser: LearnedGrammar
    params: Record

    @property
    def compiled(self) -> Compiled:
        """The rules and symbols as flat arrays, for kernels."""
        return self.parser.grammar

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of the adapted symbols; each comes before those that occur in its subtrees."""
        return tuple(self.compiled.names[symbol] for symbol in self.compiled.adapted)

    @property
    def discounts(self) -> Array:
        """The discount of each adapted symbol."""
        return self.parser.discounts

    @property
    def concentrations(self) -> Array:
        """The concentration of each adapted symbol."""
        return self.parser.concentrations

    @property
    def has_topics(self) -> bool:
        """Whether the grammar is the one named "topic", in which each word of a document is a sentence."""
        return has_topics(self.settings)

    def subtrees(self, symbol: str | None = None) -> list[Subtree]:
        """The remembered subtrees of each adapted symbol, most used first; or those of one `symbol` only.

        Raises UserError for a symbol that is not adapted.
        """
        refuse_other_class("symbol", symbol, str)
        symbols = self.symbols
        if symbol is not None and symbol not in symbols:
            remedy = f"there are: {', '.join(symbols) or 'none'}"
            raise UserError(f"no adapted symbol is named {shown(symbol)}", remedy=remedy)
        learned, terminals = self.parser, self.compiled.terminals
        letters, offsets = learned.yields
        found = [
            Subtree(
                symbols[place],
                tuple(terminals[k] for k in letters[offsets[row] : offsets[row + 1]]),
                _plain(learned.customers[row]),
                int(learned.tables[row]),
            )
            for row, place in enumerate(learned.places)
        ]
        found = [one for one in found if symbol is None or one.symbol == symbol]
        ordered: list[Subtree] = []
        for name in symbols:
            own = sorted((one for one in found if one.symbol == name), key=lambda one: one.text)
            ordered += by_size(own, [one.customers for one in own])
        return ordered

    def symbol_number(self, symbol: str | None) -> int:
        """The number of the symbol whose subtrees are the pieces of a segmentation.

        symbol: its name; None: "Word", or else the last adapted symbol. The start symbol, which occurs once
        per sentence, is then chosen only if there is no other. Raises UserError for an unknown symbol.
        """
        names, start = self.compiled.names, self.compiled.start
        if symbol is None:
            words = [names.index(one) for one in self.grammar.symbols if one == WORD]
            wanted = [*words, *reversed(self.compiled.adapted.tolist())]
            return next((number for number in wanted if number != start), start)
        if symbol not in self.grammar.symbols:
            remedy = f"there are: {', '.join(self.grammar.symbols[:20])}"
            raise UserError(f"the grammar has no symbol {shown(symbol)}", remedy=remedy)
        return names.index(symbol)

    def join(self, symbols: Sequence[str]) -> str:
        """Join symbols to a text: characters directly, others with spaces between them."""
        return joined(self.settings, symbols)

    # Sentences

    def parses_of(
        self, sentences: Sentences, n_trees: int, *, best: bool = False, seed: int = 0
    ) -> Iterator[Parse]:
        """Parse sentences, which may have symbols unseen in training: see `LearnedGrammar.parses`."""
        learned = self.parser.opened
        letters = sentences.numbered(learned.new_symbol)
        return learned.parses(letters, sentences.starts, n_trees, best=best, seed=seed)

    def drawn_cuts(
        self, sentences: Sentences, symbol: int, n_trees: int, *, seed: int = 0
    ) -> tuple[Array, NDArray[np.bool_]]:
        """At each place in sentences, the share of drawn trees in which a subtree of `symbol` begins or ends.

        Returns the shares before each terminal of all sentences, and whether each sentence can be parsed
        (see `LearnedGrammar.cuts`).
        """
        learned = self.parser.opened
        letters = sentences.numbered(learned.new_symbol)
        return learned.cuts(letters, sentences.starts, symbol, n_trees, seed=seed)

    def nats_of(self, sentences: Sentences) -> Array:
        """(sentences,) log p of each in nats; -inf if it cannot be parsed.

        All symbols unseen in training count as one and the same symbol.
        """
        learned = self.parser.opened
        return learned.nats(sentences.numbered(learned.new_symbol), sentences.starts)

    # Texts

    @property
    def symbols_read(self) -> Vocabulary:
        """The symbols that texts are read with: those of the vocabulary, in its order, then terminals that
        only the grammar or the known words have."""
        if self.has_topics:
            return self.vocabulary
        index = self.vocabulary.index
        more = [terminal for terminal in self.compiled.terminals if terminal not in index]
        return Vocabulary.of((*self.vocabulary.words, *more)) if more else self.vocabulary

    def lines_of(self, texts: Iterable[str]) -> TextLines:
        """Split texts into symbols, and look these up in `symbols_read`."""
        return TextLines.of(texts, self.analysis, self.symbols_read)

    @property
    def numbers_read(self) -> NDArray[np.int64]:
        """For each of `symbols_read`, its number among the grammar's terminals; see `terminals_of`."""
        boundaries = self.settings.punctuation == "boundaries"
        return terminals_of(self.symbols_read, self.compiled.terminals, boundaries=boundaries)

    def sentences_in(self, content: Sequences) -> Sentences:
        """The sentences of these documents, whose words are rows of `symbols_read`."""
        documents = np.arange(len(content.offsets) - 1)
        reader = reader_of(self.settings, self.symbols_read, self.compiled.terminals, self.n_documents)
        return reader.read(content, documents=documents)


def joined(settings: GrammarSettings, symbols: Sequence[str]) -> str:
    """Join symbols to a text: characters directly, others with spaces between them."""
    return ("" if settings.symbols == "characters" else " ").join(symbols)


def _plain(number: np.number) -> float:
    """A number as a Python int if it is whole, else as a float."""
    return int(number) if float(number).is_integer() else float(number)
