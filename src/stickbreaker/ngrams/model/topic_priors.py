"""Three priors of topics with word order: what topics share (Noji et al. 2013, sections 2.2 and 3)."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from stickbreaker.core.records import AnyArray, Array
from stickbreaker.ngrams import purposes
from stickbreaker.ngrams.kernels import mixed_topics, topic_sweeps, unbounded_topics
from stickbreaker.ngrams.kernels.switch_tables import draw_shares, seat_switches
from stickbreaker.ngrams.kernels.topic_blocks import move_switching_tables, move_tables
from stickbreaker.ngrams.kernels.topic_sweeps import Words
from stickbreaker.ngrams.kernels.topic_tables import Seats
from stickbreaker.ngrams.model.contexts import Integers
from stickbreaker.ngrams.model.switches import SwitchState
from stickbreaker.ngrams.model.topic_chain import TopicChain


class IndependentTopics(TopicChain):
    """Topics with nothing in common, each a language model (Wallach 2006, with Pitman-Yor processes)."""

    def _start(self, order: Integers, key: np.uint64) -> None:
        topic_sweeps.start_topics(order, self._words, *self._restaurants, key)

    def _sweep_words(self, number: int) -> float:
        held, key = (self._words, *self._restaurants), self._key(purposes.TOPIC_NGRAMS, number)
        if self._events.unbounded:
            return unbounded_topics.sweep_unbounded_topics(*held, self._stops, key)
        return topic_sweeps.sweep_topics(*held, key)

    def _move_tables(self, number: int) -> None:
        key = self._key(purposes.TOPIC_NGRAM_TABLES, number)
        move_tables(self._words, self._sitting(), *self._restaurants, self._most, key)


class _CommonTopic(TopicChain):
    """Topics with a common model: in each context, a word comes from a topic with the probability lambda,
    otherwise from the common model.

    A switch stands for lambda in one context; its customers are the choices made there, one kind for topics
    and one for the common model.
    """

    reach: ClassVar[bool]  # whether shorter contexts have customers besides those sent by longer ones

    def _begin_switches(self) -> None:
        """Create the switches without customers, with room for as many as they can ever have."""
        contexts, n_depths = self._events.contexts, len(self._depths)
        times = n_depths - contexts.depths if self.reach else 1
        self._switches = SwitchState(contexts, self._passing * times)

    def _seat_switches(self, number: int) -> None:
        """Draw the seating of the switches' customers again, given lambda. number: of the sweep, for its
        random stream."""
        key = self._key(purposes.TOPIC_NGRAM_SWITCHES, 2 * number + 1)
        seat_switches(self._own_switches(self._words, self._seats), self._switches.held, key)

    def _draw_shares(self, number: int) -> Array:
        """Draw lambda of each context (restaurants), given the customers of its switch; number: of the
        sweep."""
        draw_shares(self._switches.held, self._key(purposes.TOPIC_NGRAM_SWITCHES, 2 * number))
        return self._switches.held.shares

    @abstractmethod
    def _own_switches(self, words: Words, seats: Seats) -> Integers:
        """How many customers of each switch are not sent by the switch of a longer context (slots of
        switches: two per context, the common model and topics)."""

    def _draw_more(self, number: int, generator: np.random.Generator) -> None:
        self._switches.draw_concentrations(generator)

    def _log_more(self) -> float:
        return self._switches.log_p()

    def _switch_shares(self) -> Array:
        return self._switches.expected()

    def _more_arrays(self) -> dict[str, AnyArray]:
        return self._switches.to_arrays()

    def _restore_more(self, arrays: Mapping[str, AnyArray], words: Words, seats: Seats) -> None:
        self._switches.take(arrays, self._own_switches(words, seats))


class SwitchingTopics(_CommonTopic):
    """Each word comes from a common model, with a probability by context, otherwise from a topic."""

    reach = False

    def _start(self, order: Integers, key: np.uint64) -> None:
        self._begin_switches()
        topic_sweeps.start_switching(order, self._words, *self._restaurants, self._switches.held, key)

    def _own_switches(self, words: Words, seats: Seats) -> Integers:
        at = 2 * self._rooms.restaurants[words.slots] + (words.topics > 0)
        return np.bincount(at, minlength=2 * len(self._rooms.depths)).astype(np.int64)

    def _sweep_words(self, number: int) -> float:
        held, key = (self._words, *self._restaurants), self._key(purposes.TOPIC_NGRAMS, number)
        switches = self._switches.held
        if self._events.unbounded:
            return unbounded_topics.sweep_unbounded_switching(*held, switches, self._stops, key)
        return topic_sweeps.sweep_switching(*held, switches, key)

    def _move_tables(self, number: int) -> None:
        shares, key = self._draw_shares(number), self._key(purposes.TOPIC_NGRAM_TABLES, number)
        move_switching_tables(self._words, self._sitting(), *self._restaurants, shares, self._most, key)
        self._seat_switches(number)


class HierarchicalTopics(_CommonTopic):
    """Topics that draw on a common model: in each context, a topic's base distribution mixes the same topic
    in the shorter context with the common model in this context."""

    ways = 2
    reach = True

    def _start(self, order: Integers, key: np.uint64) -> None:
        self._begin_switches()
        mixed_topics.start_mixed(order, self._words, *self._restaurants, self._switches.held.shares, key)
        self._seat_switches(-1)

    def _own_switches(self, words: Words, seats: Seats) -> Integers:
        own = np.zeros(2 * len(self._rooms.depths), np.int64)
        mixed_topics.count_labels(self._rooms, seats, own)
        return own

    def _sweep_words(self, number: int) -> float:
        held, key = (self._words, *self._restaurants), self._key(purposes.TOPIC_NGRAMS, number)
        shares = self._draw_shares(number)
        if self._events.unbounded:
            return unbounded_topics.sweep_unbounded_mixed(*held, shares, self._stops, key)
        return mixed_topics.sweep_mixed(*held, shares, key)

    def _move_tables(self, number: int) -> None:
        key, shares = self._key(purposes.TOPIC_NGRAM_TABLES, number), self._switches.held.shares
        mixed_topics.move_mixed_tables(
            self._words, self._sitting(), *self._restaurants, shares, self._most, key
        )

    def _draw_more(self, number: int, generator: np.random.Generator) -> None:
        self._seat_switches(number)
        super()._draw_more(number, generator)


CHAINS: dict[str, type[TopicChain]] = {
    "switching": SwitchingTopics,
    "hierarchical": HierarchicalTopics,
    "none": IndependentTopics,
}
