"""Learning word alignment by variational Bayes: IBM model 1, then the hidden Markov model."""

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.translation.alignment.aligned_words import Sentences
from stickbreaker.translation.alignment.jump_weights import first_jumps, fit_jumps
from stickbreaker.translation.alignment.sentence_pieces import cell_starts, pairs_of
from stickbreaker.translation.kernels.ordered_alignment import (
    Contexts,
    Shares,
    Side,
    count_in_agreement,
    count_with_order,
)
from stickbreaker.translation.kernels.word_alignment import (
    WIDEST,
    Direction,
    Pairs,
    count_without_order,
    expected_translations,
    likeliest_translations,
)
from stickbreaker.translation.kernels.word_pairs import index_pairs

MISSING = 1e-7  # p of a translation that was never seen or was dropped
UNKNOWN = 1e-5  # p of a translation of or by an unknown word
PRUNED = 1e-6  # translations less likely than this in both directions by model 1 are dropped


class AlignmentSettings(NamedTuple):
    """Settings of learning word alignments; the defaults are the best of about seventy settings on Multi30k.

    Steps in which each direction learns alone (`ordered_steps`), before those in agreement, gave worse links.
    """

    plain_steps: int = 3  # of model 1
    ordered_steps: int = 0  # of the hidden Markov model, each direction alone
    agreeing_steps: int = 4  # of both directions in agreement
    null_share: float = 0.2  # p that a word translates nothing (null)
    anywhere: float = 0.4  # p that the next link's position is uniform, whatever the jump
    alpha: float = 0.1  # prior count of each translation; 0: maximum likelihood

    @property
    def shares(self) -> Shares:
        """The probabilities among the settings that kernels need."""
        return Shares(self.null_share, self.anywhere)


class LearnedTranslations(NamedTuple):
    """Learned translation probabilities of the word pairs that occur together (slots).

    Slots are in no particular order; pairs that became very unlikely while learning have none.
    """

    sources: NDArray[np.int32]  # slots: source word
    targets: NDArray[np.int32]  # slots: target word
    directions: tuple[Direction, Direction]  # to target words, to source words
    trace: NDArray[np.float64]  # steps × 2: nats per target word, per source word, before each step


class _Learner(NamedTuple):
    """The state of learning one direction of translation. A slot is a pair of words that occur in the same
    sentence pair."""

    pairs: Pairs
    given: NDArray[np.int32]  # slots: their given words
    n_given: int  # number of given words
    direction: Direction

    def blank(self, pairs: Pairs) -> Side:
        """What a step over these sentence pairs needs: the current parameters, and new arrays of zeros to
        which the step adds expected counts."""
        counts = Direction(*(np.zeros_like(values) for values in self.direction))
        contexts = Contexts(np.zeros((WIDEST + 1, WIDEST + 1)), np.zeros(WIDEST))
        return Side(pairs, self.direction, counts, contexts)

    def after(self, side: Side, alpha: float) -> "_Learner":
        """The learner after a step, with parameters estimated from the expected counts in `side` (M step).

        alpha: prior count of each translation; 0: maximum likelihood. The constant probabilities of missing
        translations and unknown words stay. This learner is not changed.
        """
        counts, (translations, null, *_) = side.counts, (values.copy() for values in self.direction)
        nowhere = np.zeros(len(null) - 1, np.int32)
        if alpha == 0.0:
            likeliest_translations(counts.translations, self.given, self.n_given, translations)
            likeliest_translations(counts.null, nowhere, 1, null)
        else:
            expected_translations(counts.translations, self.given, self.n_given, alpha, translations)
            expected_translations(counts.null, nowhere, 1, alpha, null)
        jumps, starts = fit_jumps(self.direction, counts, side.contexts)
        return self._replace(direction=Direction(translations, null, jumps, starts))


_Both = tuple[_Learner, _Learner]
_Nats = tuple[float, float]


def learn_translations(
    sides: tuple[Sentences, Sentences],
    sizes: tuple[int, int],
    settings: AlignmentSettings,
    threads: int,
    on_step: Callable[[str], None] | None,
) -> LearnedTranslations:
    """Learn translation probabilities in both directions, by IBM model 1 and hidden Markov models.

    sides: source and target sentences, long ones already cut (`pieces_of`); sizes: how many different words
    each language has; threads: more than two do not help. `on_step` gets a line of text after each step.
    """
    sources, targets, learners = _index(*sides, sizes)
    n_words = [max(int(words), 1) for words in _words_in_pairs(*sides)[::-1]]
    trace: list[_Nats] = []
    n_plain, n_alone = settings.plain_steps, settings.plain_steps + settings.ordered_steps
    with ThreadPoolExecutor(threads) as pool:
        for number in range(n_alone + settings.agreeing_steps):
            if number == n_plain:
                sources, targets, learners = _pruned(sources, targets, learners)
            step = _plain_step if number < n_plain else _ordered_step if number < n_alone else _agreeing_step
            learners, nats = step(pool, learners, settings)
            trace.append((nats[0] / n_words[0], nats[1] / n_words[1]))
            if on_step is not None:
                on_step(f"step {number + 1}: {trace[-1][0]:.3f} and {trace[-1][1]:.3f} nats per word")
    directions = learners[0].direction, learners[1].direction
    return LearnedTranslations(sources, targets, directions, np.array(trace).reshape(-1, 2))


def _words_in_pairs(source: Sentences, target: Sentences) -> tuple[int, int]:
    """How many source and target words there are in sentence pairs with words on both sides; others are not
    aligned."""
    both = (source.lengths > 0) & (target.lengths > 0)
    return int(source.lengths[both].sum()), int(target.lengths[both].sum())


def _plain_step(pool: Executor, learners: _Both, settings: AlignmentSettings) -> tuple[_Both, _Nats]:
    """One step of IBM model 1 in both directions.

    Returns the new learners, and -log p of the generated words of each direction before the step, in nats.
    """
    sides = _blanks(learners)
    nats = list(pool.map(lambda side: count_without_order(side.pairs, side.direction, side.counts), sides))
    return _after(learners, sides, settings.alpha), (nats[0], nats[1])


def _ordered_step(pool: Executor, learners: _Both, settings: AlignmentSettings) -> tuple[_Both, _Nats]:
    """One step of the hidden Markov models, each direction alone.

    Returns the new learners, and -log p of the generated words of each direction before the step, in nats.
    """
    sides = _blanks(learners)
    nats = list(pool.map(lambda side: count_with_order(side, settings.shares), sides))
    return _after(learners, sides, settings.alpha), (nats[0], nats[1])


def _agreeing_step(pool: Executor, learners: _Both, settings: AlignmentSettings) -> tuple[_Both, _Nats]:
    """One step of the hidden Markov models of both directions in agreement.

    Returns the new learners, and -log p of the generated words of each direction before the step, in nats.

    Two halves of the pairs are counted in parallel, then added.
    """
    one, other = learners
    starts = one.pairs.starts
    middle = int(np.searchsorted(starts, starts[-1] // 2))
    halves = [
        (one.blank(_some(one.pairs, *ends)), other.blank(_some(other.pairs, *ends)))
        for ends in ((0, middle), (middle, len(starts) - 1))
    ]
    nats = list(pool.map(lambda half: count_in_agreement(half[0], half[1], settings.shares), halves))
    both = _sum(halves[0][0], halves[1][0]), _sum(halves[0][1], halves[1][1])
    return _after(learners, both, settings.alpha), (nats[0][0] + nats[1][0], nats[0][1] + nats[1][1])


def _blanks(learners: _Both) -> tuple[Side, Side]:
    one, other = learners
    return one.blank(one.pairs), other.blank(other.pairs)


def _some(pairs: Pairs, begin: int, end: int) -> Pairs:
    """The consecutive sentence pairs with the numbers from `begin` to `end` (exclusive)."""
    ends = slice(begin, end + 1)
    return pairs._replace(
        generated_offsets=pairs.generated_offsets[ends],
        given_offsets=pairs.given_offsets[ends],
        starts=pairs.starts[ends],
        generated_steps=pairs.generated_steps[begin:end],
        given_steps=pairs.given_steps[begin:end],
    )


def _sum(one: Side, other: Side) -> Side:
    """Add up the expected counts of one direction from two halves of the sentence pairs."""
    counts = Direction(*(a + b for a, b in zip(one.counts, other.counts, strict=True)))
    jumps = one.contexts.jumps + other.contexts.jumps
    return one._replace(counts=counts, contexts=Contexts(jumps, one.contexts.starts + other.contexts.starts))


def _after(learners: _Both, sides: tuple[Side, Side], alpha: float) -> _Both:
    return learners[0].after(sides[0], alpha), learners[1].after(sides[1], alpha)


def _index(
    source: Sentences, target: Sentences, sizes: tuple[int, int]
) -> tuple[NDArray[np.int32], NDArray[np.int32], _Both]:
    """Number the pairs of words that occur in the same sentence pair (slots), and start learning.

    Returns the source word and the target word of each slot, and the learners before their first step: of
    target words given source words, and the reverse. sizes: the numbers of different source and target words.
    """
    starts = cell_starts(source, target)
    places = np.argsort(source.words, kind="stable")[np.count_nonzero(source.words < 0) :]
    offsets = np.zeros(sizes[0] + 1, np.int64)
    targets, slots = np.empty(starts[-1], np.int32), np.full(starts[-1], -1, np.int32)
    n_slots = int(index_pairs(source, target, places, starts, offsets, targets, slots))
    slots[slots < 0] = n_slots + 1
    targets = targets[:n_slots].copy()
    sources = np.repeat(np.arange(sizes[0], dtype=np.int32), np.diff(offsets))
    to_target, to_source = pairs_of(source, target, slots, starts)
    learners = (
        _Learner(to_target, sources, sizes[0], _first(n_slots, sizes[1])),
        _Learner(to_source, targets, sizes[1], _first(n_slots, sizes[0])),
    )
    return sources, targets, learners


def _first(n_slots: int, n_words: int) -> Direction:
    """The initial parameters of a direction: uniform translation probabilities, and the jump weights of
    `first_jumps`.

    n_slots: pairs of words that occur together; n_words: different words of the generated side.
    """
    share = 1.0 / max(n_words, 1)
    translations = np.append(np.full(n_slots, share), (MISSING, UNKNOWN))
    return Direction(translations, np.append(np.full(n_words, share), UNKNOWN), *first_jumps())


def _pruned(
    sources: NDArray[np.int32], targets: NDArray[np.int32], learners: _Both
) -> tuple[NDArray[np.int32], NDArray[np.int32], _Both]:
    """Drop the pairs of words (slots) whose probability is below `PRUNED` in both directions; they then have
    the constant probability of missing pairs.

    sources, targets (slots): their words. Returns the source words and target words of the remaining slots,
    and the learners of both directions.
    """
    likely = np.maximum(*(learner.direction.translations for learner in learners)) >= PRUNED
    likely[-2:] = True
    numbers = np.cumsum(likely, dtype=np.int32) - 1
    numbers[~likely] = numbers[-2]
    slots = numbers[learners[0].pairs.slots]

    def without(learner: _Learner) -> _Learner:
        direction = learner.direction._replace(translations=learner.direction.translations[likely])
        pairs = learner.pairs._replace(slots=slots)
        return _Learner(pairs, learner.given[likely[:-2]], learner.n_given, direction)

    return sources[likely[:-2]], targets[likely[:-2]], (without(learners[0]), without(learners[1]))
