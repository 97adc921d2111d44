"""The Markov chain over topics and seatings of a topic n-gram language model (Noji et al. 2013)."""

from abc import abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from stickbreaker.contracts.contract import Fitted, Sampler, Score
from stickbreaker.core.random_streams import numbered_keys, stream
from stickbreaker.core.records import AnyArray, Array, Record
from stickbreaker.ngrams import purposes
from stickbreaker.ngrams.kernels.pitman_yor import Priors, Stops
from stickbreaker.ngrams.kernels.topic_blocks import Sitting
from stickbreaker.ngrams.kernels.topic_sweeps import Words
from stickbreaker.ngrams.kernels.topic_tables import (
    COMMON,
    CUSTOMERS,
    SIZE,
    TABLES,
    Rooms,
    Seats,
    count_sizes,
)
from stickbreaker.ngrams.model.chain import (
    CONCENTRATION,
    DISCOUNT,
    GO_ON,
    STOP,
    TextEvents,
    nats_of_last_sweep,
)
from stickbreaker.ngrams.model.contexts import Integers
from stickbreaker.ngrams.model.document_topics import draw_alpha, log_documents
from stickbreaker.ngrams.model.hyperparameters import (
    DepthCounts,
    all_positive,
    draw_by_depth,
    log_by_depth,
    with_draws,
)
from stickbreaker.ngrams.model.seatings import passing, stops_and_passes
from stickbreaker.ngrams.model.topic_rooms import empty_seats, rooms_of, used
from stickbreaker.ngrams.model.topic_samples import TopicSamples, sample_of
from stickbreaker.ngrams.model.topic_seating import seats_from_arrays, seats_to_arrays
from stickbreaker.ngrams.model.word_slots import first_slots, refuse_words

ALPHA = 0.02  # of each topic, at the start


class TopicChain(Sampler):
    """Collapsed Gibbs sampling of the topics and seating of a text's words; a subclass for each prior of
    topics.

    A sweep draws every word's topic and seat again, moves tables in blocks (each with all words below it),
    and draws discounts and concentrations by depth and the prior of documents' topics. Topic 0 is common to
    all documents; it stays empty under a prior without a common topic. Sweeps are sequential and use one
    thread.
    """

    ways: ClassVar[int] = 1  # most customers that a word can be in a slot

    def __init__(
        self,
        text: TextEvents,
        n_topics: int,
        seed: int,
        given: Record = MappingProxyType({}),
        *,
        moves: str = "tables",
    ) -> None:
        """Start a chain: words of the text are seated one by one, each in a topic drawn given the words
        before it.

        n_topics: without the common one; given: further params of the model, such as its G0, which become
        part of `fitted`; moves: with "tables", a sweep moves words, then tables with all words below them;
        with "tokens", words alone.
        """
        self._events, self._seed, self._given, self._blocks = text.events, seed, given, moves == "tables"
        contexts, n_words = text.events.contexts, len(text.deepest)
        most, self._passing = passing(contexts, text.events.own)
        self._most = int(most.max(initial=1))
        self._rooms = rooms_of(contexts, text.events.own, n_topics + 1, self.ways)
        self._seats = empty_seats(self._rooms)
        self._depths = np.arange(int(contexts.depths.max()) + 1)
        self._depth_of_total = np.repeat(contexts.depths, np.diff(self._rooms.totals)).astype(np.int8)
        n_depths = len(self._depths)
        self._priors = Priors(text.events.base, np.full(n_depths, DISCOUNT), np.full(n_depths, CONCENTRATION))
        order = np.argsort(text.deepest, kind="stable")
        deepest = text.deepest[order].astype(np.int64)
        self._words = Words(
            deepest,
            first_slots(self._rooms, deepest) if text.events.unbounded else deepest.copy(),
            np.zeros(n_words, np.int32),
            text.documents[order].astype(np.int64),
            np.zeros((text.n_documents, n_topics + 1), np.int32),
            np.zeros(text.n_documents, np.int32),
            np.append(0.0, np.full(n_topics, ALPHA)),
        )
        counted = len(contexts.depths) if text.events.unbounded else 0
        self._stops = Stops(np.empty(0, np.int32), np.zeros((counted, 2), np.int32), STOP, GO_ON)
        self._count_stops()
        self._samples = TopicSamples(contexts, n_topics + 1, unbounded=text.events.unbounded)
        self._nats = np.empty(0)  # log p of all words in the last sweep: one number, or none before the first
        self._start(np.argsort(order), self._key(purposes.TOPIC_NGRAMS, -1))

    # What each prior of topics defines

    @abstractmethod
    def _start(self, order: Integers, key: np.uint64) -> None:
        """Begin a run: seat all words in empty restaurants, one by one in the order of the text, each in a
        topic drawn given the words before it."""

    @abstractmethod
    def _sweep_words(self, number: int) -> float:
        """Resample every word's topic and seat; returns the sum of their log p given all others, in nats.

        number: of the sweep, which selects the random stream.
        """

    @abstractmethod
    def _move_tables(self, number: int) -> None:
        """Resample the topics of tables, each together with all words below it. number: of the sweep."""

    def _draw_more(self, number: int, generator: np.random.Generator) -> None:
        """Draw parameters that only this kind of prior has, at the end of a sweep; by default none."""

    def _log_more(self) -> float:
        """log p of the parameters that only this kind of prior has, in nats; by default 0."""
        return 0.0

    def _switch_shares(self) -> Array:
        """Expected lambda of each restaurant: the probability that a word comes from a topic other than the
        common one (restaurants). Empty if there is no common topic."""
        return np.empty(0)

    def _more_arrays(self) -> dict[str, AnyArray]:
        """Arrays of a checkpoint that only this kind of prior has; by default none."""
        return {}

    def _restore_more(self, arrays: Mapping[str, AnyArray], words: Words, seats: Seats) -> None:
        """Restore what `_more_arrays` returned; by default nothing. words, seats: as restored before.

        Raises ValueError if the arrays belong to another text.
        """

    # The chain

    @property
    def _restaurants(self) -> tuple[Rooms, Seats, Priors]:
        """The arguments that every kernel takes after the words: structure, seating and priors."""
        return self._rooms, self._seats, self._priors

    def sweep(self, number: int, threads: int) -> None:
        self._nats = np.array([self._sweep_words(number)])
        if self._blocks:
            self._move_tables(number)
        generator = stream(self._seed, purposes.TOPIC_NGRAM_HYPERPARAMETERS, number)
        draw_by_depth(self._priors, self._by_depth(), generator)
        draw_alpha(self._words, self._key(purposes.TOPIC_NGRAM_HYPERPARAMETERS, number), generator)
        self._draw_more(number, generator)

    def learn(self) -> None:
        """Do nothing: all parameters are drawn in every sweep."""

    def score(self) -> Score:
        """log p(words, topics, seating, lengths of contexts, discounts, concentrations, prior), in nats."""
        nats = log_by_depth(self._priors, self._by_depth())
        nats += float(self._base_tables() @ np.log(self._events.base))
        nats += log_documents(self._words)
        stops = self._stops.counts
        nats += float((betaln(stops[:, 0] + STOP, stops[:, 1] + GO_ON) - betaln(STOP, GO_ON)).sum())
        return Score(nats + self._log_more(), float(len(self._words.slots)), "joint")

    def _base_tables(self) -> Integers:
        """For each word, how many of its tables in the empty context, in all topics, were drawn from G0 (not
        from the common topic)."""
        n = self._events.contexts.n_words
        last = int(self._rooms.cells[n])
        slots = np.repeat(np.arange(n), np.diff(self._rooms.cells[: n + 1]))
        cells = self._seats.cells[:last]
        sent = (cells[:, TABLES] - cells[:, COMMON]) * used(
            self._rooms.cells[: n + 1], self._seats.n_cells[:n]
        )
        return np.bincount(slots, sent, n).astype(np.int64)

    def figures(self) -> Mapping[str, float]:
        """Numbers to show during a run: occupied contexts, tables, topics in use, and the perplexity of the
        last sweep.

        The perplexity is exp(-mean log p(word | context, document)), each p given all other words at the time
        when the word was resampled; it is missing before the first sweep.
        """
        rows = used(self._rooms.totals, self._seats.n_totals)
        totals, n = self._seats.totals, len(self._rooms.depths)
        owners = np.repeat(np.arange(n), np.diff(self._rooms.totals))[rows]
        counts = {
            "contexts": int((np.bincount(owners, totals[rows, CUSTOMERS], n) > 0).sum()),
            "tables": int(totals[rows, TABLES].sum()),
            "topics_in_use": int(self._words.counts[:, 1:].any(axis=0).sum()),
        }
        if not len(self._nats):
            return counts
        return {**counts, "perplexity": float(np.exp(-self._nats[0] / len(self._words.slots)))}

    def keep(self) -> None:
        self._samples.add(self._sample(), self._word_topics())

    def fitted(self) -> Fitted:
        """All samples stored so far, or the current state if there are none, as the params of a finished
        model.

        Only contexts that are occupied in some sample are included.
        """
        samples = self._samples
        if not len(samples):
            samples = TopicSamples(
                self._events.contexts, self._rooms.n_topics, unbounded=self._events.unbounded
            )
            samples.add(self._sample(), self._word_topics())
        return Fitted({**samples.to_fields(), **self._given})

    def snapshot(self) -> dict[str, AnyArray]:
        """The chain's state as arrays of a checkpoint: topics, seating, other sampled parameters, and the
        samples."""
        return {
            "topics": self._words.topics.copy(),
            "at": self._words.slots.copy(),
            **seats_to_arrays(self._rooms, self._seats),
            "discounts": self._priors.discounts.copy(),
            "concentrations": self._priors.concentrations.copy(),
            "prior": self._words.prior.copy(),
            "nats": self._nats.copy(),
            **self._more_arrays(),
            **self._samples.to_arrays(),
        }

    def restore(self, arrays: Mapping[str, AnyArray]) -> None:
        like = {"topics": self._words.topics, "at": self._words.slots, "prior": self._words.prior}
        for name, held in {**like, **self._priors._asdict()}.items():
            if name in arrays and (arrays[name].shape != held.shape or arrays[name].dtype != held.dtype):
                raise ValueError(f"{name} belongs to another text")
        words = self._words._replace(
            topics=arrays["topics"].copy(), slots=arrays["at"].copy(), prior=arrays["prior"].copy()
        )
        refuse_words(self._rooms, words, unbounded=self._events.unbounded)
        discounts, concentrations = arrays["discounts"].copy(), arrays["concentrations"].copy()
        priors, nats = with_draws(self._priors, discounts, concentrations), nats_of_last_sweep(arrays)
        if words.prior[0] != 0.0 or not all_positive(words.prior[1:]):
            raise ValueError("the prior of topics is invalid")
        sitting = words.slots * self._rooms.n_topics + words.topics
        seats = seats_from_arrays(self._rooms, sitting, arrays)
        self._restore_more(arrays, words, seats)
        self._samples.take(arrays)
        self._words, self._seats, self._priors, self._nats = words, seats, priors, nats
        self._count_words()
        self._count_stops()

    def _count_words(self) -> None:
        """Fill the counts of words by document and topic, from the topics of words."""
        words, n_topics = self._words, self._rooms.n_topics
        places = words.documents * n_topics + words.topics
        words.counts[:] = np.bincount(places, minlength=words.counts.size).reshape(words.counts.shape)
        words.sizes[:] = words.counts[:, 1:].sum(axis=1)

    def _count_stops(self) -> None:
        """With unbounded contexts, count how many words stop at each restaurant and how many pass it, from
        the slots (words in a context) in which words sit."""
        if self._events.unbounded:
            at, deepest = self._words.slots, self._words.deepest
            self._stops.counts[:] = stops_and_passes(self._rooms, at, at != deepest)

    def _by_depth(self) -> list[DepthCounts]:
        """For each context length: the customers and tables of its occupied restaurants, and how many tables
        have each size.

        The restaurants of different topics in the same context are counted separately.
        """
        seats = self._seats
        rows = used(self._rooms.totals, seats.n_totals) & (seats.totals[:, CUSTOMERS] > 0)
        largest = int(seats.entries[:, SIZE].max(initial=1))
        sizes = np.zeros((len(self._depths), largest + 1), np.int64)
        count_sizes(self._rooms, seats, sizes)
        found: list[DepthCounts] = []
        for depth in self._depths:
            here = seats.totals[rows & (self._depth_of_total == depth)].astype(np.int64)
            last = int(np.flatnonzero(sizes[depth])[-1:].sum())
            found.append((here[:, CUSTOMERS], here[:, TABLES], sizes[depth, : last + 1]))
        return found

    def _sitting(self) -> Sitting:
        """The words of the text, grouped by the slot (a word in a context) in which they sit."""
        starts = np.cumsum(np.bincount(self._words.slots + 1, minlength=len(self._rooms.parents) + 1))
        return Sitting(starts.astype(np.int64), np.argsort(self._words.slots, kind="stable"))

    def _sample(self) -> dict[str, AnyArray]:
        """The current seating, parameters and prior, to be stored as a sample for predictions."""
        stops = {"stops": self._stops.counts.copy()} if self._events.unbounded else {}
        return {
            **sample_of(self._rooms, self._seats),
            "discounts": self._priors.discounts.copy(),
            "concentrations": self._priors.concentrations.copy(),
            "prior": self._words.prior.copy(),
            "switches": self._switch_shares(),
            **stops,
        }

    def _word_topics(self) -> NDArray[np.int64]:
        """How many occurrences of each word have each topic, in the current state (words × topics)."""
        n_words, n_topics = self._events.contexts.n_words, self._rooms.n_topics
        numbers = self._events.contexts.slot_keys[self._words.deepest] % n_words
        found = np.bincount(numbers * n_topics + self._words.topics, minlength=n_words * n_topics)
        return found.reshape(n_words, n_topics)

    def _key(self, purpose: str, number: int) -> np.uint64:
        return numbered_keys(self._seed, purpose, number + 1, np.zeros(1, np.int64))[0]
