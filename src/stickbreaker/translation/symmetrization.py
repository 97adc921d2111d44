"""One set of links from two directions of word alignment."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.translation.aligned_words import Links
from stickbreaker.translation.kernels.growing_links import grow_links


class Choices(NamedTuple):
    """The word of the other side that each word of one side chose."""

    positions: NDArray[np.int32]  # words: position in the other sentence, from 0; -1: none
    offsets: NDArray[np.int64]  # sentences + 1: where each begins


def grow_diag_final_and(of_target: Choices, of_source: Choices) -> Links:
    """Links from what target words and source words chose: the intersection, grown into the union.

    Links of the union next to a link (diagonally too) are added if one of their words has none yet; at the
    end those whose words both have none. Koehn, Och, Marcu (2003), as Moses does it with its option
    grow-diag-final-and; `GDFA` for short elsewhere. A pair takes memory of its words × words.
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
