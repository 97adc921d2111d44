"""A priority queue in arrays: a binary heap with the highest priority first, ties by lowest number.

`priorities` (float64) and `items` (int64) need room for the largest queue; the first `size` elements are in
it, and callers keep `size`.
"""

import numpy as np

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.ngrams.kernels.backoff_trigrams import LEAF


@kernel_part(**LEAF)
def push(priorities, items, size, priority, item):
    """Put an item with its priority into a queue of `size` items; the caller then increases `size`."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        higher = priority > priorities[above] or (priority == priorities[above] and item < items[above])
        if not higher:
            break
        priorities[at], items[at] = priorities[above], items[above]
        at = above
    priorities[at], items[at] = priority, item


@kernel_part(**LEAF)
def remove_first(priorities, items, size):
    """Remove the item with the highest priority, at index 0, from a queue of `size` items (at least 1).

    The caller reads the item before, and decreases `size` afterwards.
    """
    last = size - 1
    priority, item = priorities[last], items[last]
    at = np.int64(0)
    while 2 * at + 1 < last:
        below = 2 * at + 1
        if below + 1 < last and (
            priorities[below + 1] > priorities[below]
            or (priorities[below + 1] == priorities[below] and items[below + 1] < items[below])
        ):
            below += 1
        higher = priority > priorities[below] or (priority == priorities[below] and item < items[below])
        if higher:
            break
        priorities[at], items[at] = priorities[below], items[below]
        at = below
    priorities[at], items[at] = priority, item
