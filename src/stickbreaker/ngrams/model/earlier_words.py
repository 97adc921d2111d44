"""The words that a model learned from, recovered from who sits where, to learn from them and from more."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from stickbreaker.ngrams.model.contexts import Integers, context_words
from stickbreaker.ngrams.model.language_model import LanguageModel


class EarlierWords(NamedTuple):
    """Words by number, in no order of a text, each with the symbols before it."""

    words: Integers
    symbols: Integers  # words × length of the longest context, the nearest first; -1 where it has ended

    @classmethod
    def of(cls, model: LanguageModel) -> "EarlierWords":
        """The words of a model of contexts of a fixed length.

        Each word of the text sits in its longest context, and every table there sends one customer to the
        shorter one: those that no longer context has sent are words of the text.
        """
        contexts, own = model.contexts, model.customers[0].astype(np.int64)
        sent = contexts.parents >= 0
        np.subtract.at(own, contexts.parents[sent], model.tables[0][sent].astype(np.int64))
        slots = np.repeat(np.arange(len(own)), own)
        return cls(
            contexts.slot_keys[slots] % contexts.n_words, context_words(contexts)[contexts.restaurants[slots]]
        )

    def before(self, later: Callable[[int], Integers]) -> Callable[[int], Integers]:
        """What `contexts_of` asks for, of these words and `later` ones after them."""

        def before(distance: int) -> Integers:
            known = distance <= self.symbols.shape[1]
            own = self.symbols[:, distance - 1] if known else np.full(len(self.words), -1)
            return np.concatenate([own, later(distance)])

        return before
