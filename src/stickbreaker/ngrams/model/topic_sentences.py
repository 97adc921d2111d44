"""Sentences drawn from a topic n-gram model: for each word a topic, then the word from its restaurants."""

from collections.abc import Sequence

import numpy as np

from stickbreaker.core.records import Array
from stickbreaker.ngrams.kernels.pitman_yor import find_ways
from stickbreaker.ngrams.model.contexts import Integers
from stickbreaker.ngrams.model.topic_language_model import TopicLanguageModel


class TopicSentences:
    """Draws sentences by one sample of a topic n-gram model."""

    def __init__(
        self, model: TopicLanguageModel, number: int, base: Array, generator: np.random.Generator
    ) -> None:
        """Prepare to draw sentences by sample `number` of a model. `base` (words): G0, which is
        normalised."""
        self._model, self._shares, self._generator = model, model.samples[number], generator
        self._base = np.cumsum(base) / base.sum()

    def sentence(self, theta: Array, most: int, beginning: Sequence[int] = ()) -> list[int]:
        """Draw a sentence of at most `most` words; returns their numbers, without the end mark.

        `theta` (topics): the shares of its document; `beginning`: the words with which it begins.
        """
        end = self._model.end
        sentence = [end, *beginning]
        while len(sentence) <= most:
            sentence.append(self._word(sentence, theta))
            if sentence[-1] == end:
                break
        return [word for word in sentence if word != end]

    def _word(self, context: list[int], theta: Array) -> int:
        """Draw the next word after a context, in a document with the topic shares `theta`; returns its
        number."""
        draw, switches = self._generator.random, self._shares.switches
        way, missing = self._way(context)
        if self._model.ends is not None:
            last, missing = 0, 0
            while last + 1 < len(way) and draw() >= self._shares.ends[way[last]]:
                last += 1
            way = way[: last + 1]
        topic = 1 + int(self._generator.choice(len(theta), p=theta))
        if self._model.prior_name != "hierarchical":
            return self._down(way, topic if draw() < switches[way[-1]] else 0)
        mixed = [draw() >= switches[way[-1]] for _ in range(missing)]
        return self._down(way, 0 if any(mixed) else topic)

    def _way(self, context: list[int]) -> tuple[Integers, int]:
        """The restaurants of a context and its shorter ones, from the empty context on, and how many of the
        longer ones are not in the model."""
        text, longest = np.array([-1, *context, -1]), self._model.longest
        way = np.empty((2, 1, longest + 1), np.int64)
        find_ways(text, np.array([len(text) - 1]), self._model.trie, *way)
        known = int((np.append(way[0, 0], -1) < 0).argmax())
        return way[0, 0, :known], min(len(context), longest) + 1 - known

    def _down(self, way: Integers, topic: int) -> int:
        """Draw a word of a topic: restaurants are tried from the longest context on, until one yields a word.

        way: the restaurants, from the empty context on. Under the hierarchical prior the topic may change to
        the common one on the way. If no restaurant yields a word, it is drawn from G0.
        """
        mixed = self._model.prior_name == "hierarchical"
        for restaurant in way[::-1].tolist():
            word = self._seated(restaurant, topic)
            if (
                word is None
                and mixed
                and topic
                and self._generator.random() >= self._shares.switches[restaurant]
            ):
                topic = 0
                word = self._seated(restaurant, topic)
            if word is not None:
                return word
        return int(np.searchsorted(self._base, self._generator.random(), side="right"))

    def _seated(self, restaurant: int, topic: int) -> int | None:
        """Draw a word among a topic's customers in a restaurant; None if it comes from the shorter context
        instead."""
        shares = self._shares
        cells = slice(*shares.cells[self._model.contexts.first_slots[restaurant : restaurant + 2]].tolist())
        own = np.flatnonzero(shares.cell_topics[cells] == topic) + cells.start
        running = np.cumsum(shares.seated[own])
        target = self._generator.random()
        if not len(own) or target >= running[-1]:
            return None
        cell = own[np.searchsorted(running, target, side="right")]
        slot = np.searchsorted(shares.cells, cell, side="right") - 1
        return int(self._model.contexts.slot_keys[slot] % self._model.contexts.n_words)
