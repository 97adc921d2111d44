"""One set of links from two directions of word alignment."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.translation.alignment.aligned_words import Links
from stickbreaker.translation.kernels.growing_links import grow_links


class Choices(NamedTuple):
    """For each word of one side, the position of the word in the other sentence that it was linked with; -1
    if none."""

    positions: NDArray[np.int32]  # words: position in the other sentence, from 0; -1: none
    offsets: NDArray[np.int64]  # sentences + 1: where each begins


def grow_diag_final_and(of_target: Choices, of_source: Choices) -> Links:
    """Links from the choices of target words and of source words: their intersection, extended by some links
    of their union.

    Links of the union that are next to a link (also diagonally) are added if one of their words has no link
    yet; at the end, those whose words both have none. Koehn, Och, Marcu (2003), like Moses's option
    grow-diag-final-and. Memory: words × words of the longest pair.
    """
    n = len(of_target.positions) + len(of_source.positions)
    target, source = np.empty(n, np.int32), np.empty(n, np.int32)
    offsets = np.zeros(len(of_target.offsets), np.int64)
    grow_links(
        *(of_target.positions, of_source.positions, of_target.offsets, of_source.offsets),
        offsets,
        target,
        source,
    )
    return Links(source[: offsets[-1]].copy(), target[: offsets[-1]].copy(), offsets)
