"""The symmetrisation heuristic grow-diag-final-and.

Koehn, Och, Marcu (2003), section 2, in the order of Moses's program symal: links are visited in order of
(target, source), their straight neighbours before diagonal ones; a link added after the visited one is
visited in the same round.
"""

import numpy as np
from numba import njit

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART

_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))  # target, source


@kernel_part(**PART)
def _grow(of_target, of_source, links, linked_targets, linked_sources):
    """Extend the links of a sentence pair: repeatedly add neighbours of links, also diagonal ones, until no
    more can be added.

    A neighbour must have been chosen by its target word (of_target: the source position of each, -1: none) or
    its source word (of_source), and one of its words must have no link yet. links (target × source words) and
    the flags of words that have a link are updated in place.
    """
    added = True
    while added:
        added = False
        for target in range(len(of_target)):
            for source in range(len(of_source)):
                if not links[target, source]:
                    continue
                for down, right in _NEIGHBOURS:
                    t, s = target + down, source + right
                    if t < 0 or s < 0 or t >= len(of_target) or s >= len(of_source) or links[t, s]:
                        continue
                    in_either = of_target[t] == s or of_source[s] == t
                    if in_either and not (linked_targets[t] and linked_sources[s]):
                        links[t, s] = linked_targets[t] = linked_sources[s] = True
                        added = True


@kernel_part(**PART)
def _add_between_unlinked(of_target, of_source, links, linked_targets, linked_sources):
    """Add links that one direction chose and whose words both have no link yet, after `_grow`.

    First come those chosen by target words, then those chosen by source words, each in order of (target,
    source). links and the flags of linked words are updated in place.
    """
    for t in range(len(of_target)):
        s = of_target[t]
        if s >= 0 and not linked_targets[t] and not linked_sources[s]:
            links[t, s] = linked_targets[t] = linked_sources[s] = True
    for t in range(len(of_target)):
        for s in range(len(of_source)):
            if of_source[s] == t and not linked_targets[t] and not linked_sources[s]:
                links[t, s] = linked_targets[t] = linked_sources[s] = True


@njit(**OPTIONS)
def grow_links(of_target, of_source, target_offsets, source_offsets, offsets_out, target_out, source_out):
    """Symmetrise the links of all sentence pairs (grow-diag-final-and): fill the arrays named _out.

    of_target (target words): the source position that each word chose, -1: none; of_source likewise.
    target_out, source_out: positions of the links, sorted by (target, source) within a pair, with room for as
    many as there are words on both sides; offsets_out (pairs + 1): where the links of each pair begin.
    """
    count = 0
    for pair in range(len(offsets_out) - 1):
        chosen_by_target = of_target[target_offsets[pair] : target_offsets[pair + 1]]
        chosen_by_source = of_source[source_offsets[pair] : source_offsets[pair + 1]]
        n, m = len(chosen_by_target), len(chosen_by_source)
        links = np.zeros((n, m), np.bool_)
        linked_targets, linked_sources = np.zeros(n, np.bool_), np.zeros(m, np.bool_)
        for t in range(n):
            s = chosen_by_target[t]
            if s >= 0 and chosen_by_source[s] == t:
                links[t, s] = linked_targets[t] = linked_sources[s] = True
        _grow(chosen_by_target, chosen_by_source, links, linked_targets, linked_sources)
        _add_between_unlinked(chosen_by_target, chosen_by_source, links, linked_targets, linked_sources)
        offsets_out[pair] = count
        for t in range(n):
            for s in range(m):
                if links[t, s]:
                    target_out[count], source_out[count] = t, s
                    count += 1
    offsets_out[len(offsets_out) - 1] = count
