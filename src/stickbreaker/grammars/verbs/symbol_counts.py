"""Counts of texts with symbols that are new to a grammar, and of those that it cannot parse."""

import itertools
import warnings
from dataclasses import dataclass, field

from stickbreaker.core.errors import counted
from stickbreaker.grammars.text_grammar import TextGrammar
from stickbreaker.grammars.training_sentences import ONE_FORM, in_another_form

MOST_TEXTS = 1000  # in which symbols in another form of Unicode are looked for


@dataclass
class SymbolCounts:
    """Counts, among `texts` that are read one by one, those with symbols new to a grammar, and those that it
    cannot parse."""

    texts: int
    new_symbols: int = 0
    with_new_symbols: int = 0
    unparsed: int = 0
    some: list[str] = field(default_factory=list[str])  # the first texts with new symbols

    def add(self, text: str, new_symbols: int, *, parsed: bool) -> None:
        """Count a text, by its number of new symbols and whether it could be parsed."""
        if new_symbols and len(self.some) < MOST_TEXTS:
            self.some.append(text)
        self.new_symbols += new_symbols
        self.with_new_symbols += new_symbols > 0
        self.unparsed += not parsed

    def warn(self, what: str, grammar: TextGrammar) -> None:
        """Warn (UserWarning) about texts with new symbols, also if the grammar has one in another form of
        Unicode, and about unparsed texts, if any.

        what: how the result shows unparsed texts, such as 'written as "()"'.
        """
        new_symbols = new_symbols_line(self.with_new_symbols, self.new_symbols, self.texts)
        if new_symbols is not None:
            warnings.warn(new_symbols, UserWarning, stacklevel=3)
        if self.some:
            symbols = dict.fromkeys(itertools.chain.from_iterable(grammar.lines_of(self.some).tokens))
            other_form = in_another_form(list(symbols), grammar.compiled.terminals)
            if other_form:
                warnings.warn(f"{other_form}; {ONE_FORM}", UserWarning, stacklevel=3)
        if self.unparsed:
            verb = "is" if self.unparsed == 1 else "are"
            number = f"{self.unparsed:,} of {counted(self.texts, 'text')}"
            text = f"{number} cannot be parsed, or {verb} too long, and {verb} {what}"
            warnings.warn(text, UserWarning, stacklevel=3)


def new_symbols_line(texts: int, symbols: int, of: int) -> str | None:
    """That `texts` out of `of` texts have `symbols` new symbols in all; None if there are none."""
    if not symbols:
        return None
    number, verb = f"{texts:,} of {counted(of, 'text')}", "has" if texts == 1 else "have"
    return f"{number} {verb} symbols that are new to the model ({symbols:,} in all)"
