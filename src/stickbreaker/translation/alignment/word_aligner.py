"""Word alignment of sentence pairs, learned from parallel text in both directions and symmetrised."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import AnyArray
from stickbreaker.engines.local import usable_cores
from stickbreaker.translation.alignment.aligned_words import Links, Sentences
from stickbreaker.translation.alignment.alignment_learning import (
    MISSING,
    UNKNOWN,
    AlignmentSettings,
    LearnedTranslations,
    learn_translations,
)
from stickbreaker.translation.alignment.sentence_pieces import (
    blocks,
    cell_starts,
    links_of_sentences,
    pairs_of,
    pieces_of,
)
from stickbreaker.translation.alignment.symmetrization import Choices, grow_diag_final_and
from stickbreaker.translation.kernels.ordered_alignment import Shares, likeliest_links
from stickbreaker.translation.kernels.word_alignment import Direction
from stickbreaker.translation.kernels.word_pairs import PairTable, find_pairs

LEAST = 1e-4  # translations that are less likely in both directions are dropped

Arrays = dict[str, AnyArray]


@dataclass(frozen=True)
class WordAligner:
    """A learned word aligner: two hidden Markov models, one for each direction of translation.

    Translations less likely than `LEAST` in both directions are dropped, and probabilities are rounded to
    single precision, so that an aligner returns the same links after it was saved.
    """

    table: PairTable  # target words sorted for each source word
    to_target: Direction  # target words given source words
    to_source: Direction  # source words given target words
    shares: Shares  # p of null words, and of jumps to anywhere
    trace: NDArray[np.float64]  # steps × 2: nats per target word, per source word, before each step

    @classmethod
    def learn(
        cls,
        source: Sentences,
        target: Sentences,
        sizes: tuple[int, int],
        *,
        settings: AlignmentSettings | None = None,
        threads: int | None = None,
        on_step: Callable[[str], None] | None = None,
    ) -> "WordAligner":
        """Learn an aligner from sentence pairs; sizes: the numbers of different source and target words.

        At most two threads are used; links do not depend on their number. Memory: 4 bytes per possible link
        (source words × target words of a pair, summed over pairs) and about 50 bytes per distinct pair of
        words. `on_step` gets a line of text after each step.
        """
        settings = settings or AlignmentSettings()
        pieces = pieces_of(source, target)
        n_threads = min(2, usable_cores() if threads is None else threads)
        learned = learn_translations(pieces[:2], sizes, settings, n_threads, on_step)
        return _without_unlikely(learned, sizes[0], settings.shares)

    def align(self, source: Sentences, target: Sentences, *, threads: int | None = None) -> Links:
        """The links between the words of sentence pairs, sorted by (target, source) within each pair.

        Each word chooses the position of the other side with the highest posterior probability of a link, or
        none if that is more probable; the choices are symmetrised by grow-diag-final-and. Pairs with more
        than 200 words on a side are aligned in pieces. Unknown words (-1) have the same small probability
        with every word, so their position follows from their neighbours. A pair without words on one side has
        no links.
        """
        pieces = pieces_of(source, target)
        of_target = np.full(len(target.words), -1, np.int32)
        of_source = np.full(len(source.words), -1, np.int32)

        def choose(block: tuple[Sentences, Sentences]) -> None:
            starts = cell_starts(*block)
            slots = np.empty(starts[-1], np.int32)
            find_pairs(self.table, *block, starts, slots)
            to_target, to_source = pairs_of(*block, slots, starts)
            likeliest_links(to_target, self.to_target, self.shares, of_target)
            likeliest_links(to_source, self.to_source, self.shares, of_source)

        with ThreadPoolExecutor(threads or usable_cores()) as pool:
            list(pool.map(choose, blocks(pieces.source, pieces.target)))
        chosen = Choices(of_target, pieces.target.offsets), Choices(of_source, pieces.source.offsets)
        return links_of_sentences(grow_diag_final_and(*chosen), pieces, source, target)

    def to_arrays(self) -> Arrays:
        """The aligner as arrays by name, to be saved; translation probabilities are in single precision."""
        both = self.to_target, self.to_source
        return {
            "offsets": self.table.offsets,
            "targets": self.table.targets,
            "translations_to_target": self.to_target.translations.astype(np.float32),
            "translations_to_source": self.to_source.translations.astype(np.float32),
            "null_to_target": self.to_target.null.astype(np.float32),
            "null_to_source": self.to_source.null.astype(np.float32),
            "jumps": np.array([direction.jumps for direction in both]),
            "starts": np.array([direction.starts for direction in both]),
            "shares": np.array(self.shares),
            "trace": self.trace,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> "WordAligner":
        """The aligner from the arrays that `to_arrays` returned; arrays are copied, but not checked.

        Callers check arrays from a file with `refuse_other_arrays` first.
        """
        to_target, to_source = (
            Direction(
                arrays[f"translations_{name}"].astype(np.float64),
                arrays[f"null_{name}"].astype(np.float64),
                arrays["jumps"][number].copy(),
                arrays["starts"][number].copy(),
            )
            for number, name in enumerate(("to_target", "to_source"))
        )
        table = PairTable(arrays["offsets"].copy(), arrays["targets"].copy())
        return cls(table, to_target, to_source, Shares(*arrays["shares"].tolist()), arrays["trace"].copy())


def _without_unlikely(learned: LearnedTranslations, n_source: int, shares: Shares) -> WordAligner:
    """Make an aligner of what was learned, with only the translations that are likely in some direction.

    A translation is kept if its p is at least `LEAST` in one direction or the other. Those kept are sorted by
    source word, then target word, and their probabilities are rounded. n_source: number of different source
    words; shares: the constants of the hidden Markov models, stored in the aligner.
    """
    to_target, to_source = learned.directions
    likely = np.maximum(to_target.translations[:-2], to_source.translations[:-2]) >= LEAST
    slots = np.flatnonzero(likely)
    sources, targets = learned.sources[slots], learned.targets[slots]
    order = np.lexsort((targets, sources))
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(sources, minlength=n_source))])
    table = PairTable(offsets, targets[order].astype(np.int32))
    chosen = slots[order]
    both = _rounded(to_target, chosen), _rounded(to_source, chosen)
    return WordAligner(table, both[0], both[1], shares, learned.trace)


def _rounded(direction: Direction, slots: NDArray[np.int64]) -> Direction:
    """One direction with only the translations at indices `slots`, in that order.

    Translations are at least `MISSING`, and like p from null rounded to single precision; weights of jumps
    and first positions are at least 1e-6.
    """
    translations = np.append(np.maximum(direction.translations[slots], MISSING), (MISSING, UNKNOWN))
    translations, null = (
        values.astype(np.float32).astype(np.float64) for values in (translations, direction.null)
    )
    return Direction(
        translations, null, np.maximum(direction.jumps, 1e-6), np.maximum(direction.starts, 1e-6)
    )
