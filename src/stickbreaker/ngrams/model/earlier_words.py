"""The training words of a model, recovered from its seating, so that it can learn from them and more text."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from stickbreaker.ngrams.model.contexts import Integers, context_words
from stickbreaker.ngrams.model.language_model import LanguageModel


class EarlierWords(NamedTuple):
    """The training words of a model, by number, in no particular order, each with the symbols before it."""

    words: Integers
    symbols: Integers  # words × longest context, nearest first; -1 beyond its end

    @classmethod
    def of(cls, model: LanguageModel) -> "EarlierWords":
        """Recover the training words of a model with a fixed context length, from its first sample.

        Each word of the text sits in its longest context, and every table there sends one customer to the
        shorter context. So the customers that no longer context sent are words of the text.
        """
        contexts, own = model.contexts, model.customers[0].astype(np.int64)
        sent = contexts.parents >= 0
        np.subtract.at(own, contexts.parents[sent], model.tables[0][sent].astype(np.int64))
        slots = np.repeat(np.arange(len(own)), own)
        return cls(
            contexts.slot_keys[slots] % contexts.n_words, context_words(contexts)[contexts.restaurants[slots]]
        )

    def before(self, later: Callable[[int], Integers]) -> Callable[[int], Integers]:
        """A function by which `contexts_of` looks up contexts in these words followed by other ones:
        `before(d)` returns the symbol d places before each word.

        later: such a function for the other words.
        """

        def before(distance: int) -> Integers:
            known = distance <= self.symbols.shape[1]
            own = self.symbols[:, distance - 1] if known else np.full(len(self.words), -1)
            return np.concatenate([own, later(distance)])

        return before
