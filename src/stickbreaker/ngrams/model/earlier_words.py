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
        """Recover the training words of a model with a fixed context length.

        Each word of the text sits in its longest context, and every table there sends one customer to the
        shorter one: the customers that no longer context sent are words of the text.
        """
        contexts, own = model.contexts, model.customers[0].astype(np.int64)
        sent = contexts.parents >= 0
        np.subtract.at(own, contexts.parents[sent], model.tables[0][sent].astype(np.int64))
        slots = np.repeat(np.arange(len(own)), own)
        return cls(
            contexts.slot_keys[slots] % contexts.n_words, context_words(contexts)[contexts.restaurants[slots]]
        )

    def before(self, later: Callable[[int], Integers]) -> Callable[[int], Integers]:
        """The function `symbol_before` that `contexts_of` takes, for these words followed by others, whose
        function is `later`."""

        def before(distance: int) -> Integers:
            known = distance <= self.symbols.shape[1]
            own = self.symbols[:, distance - 1] if known else np.full(len(self.words), -1)
            return np.concatenate([own, later(distance)])

        return before
