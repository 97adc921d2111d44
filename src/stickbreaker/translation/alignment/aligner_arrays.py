"""Checks of the arrays of saved word aligners, before kernels index with them."""

from collections.abc import Mapping

import numpy as np

from stickbreaker.core.records import AnyArray
from stickbreaker.translation.kernels.word_alignment import WIDEST


def refuse_other_arrays(arrays: Mapping[str, AnyArray], sizes: tuple[int, int]) -> None:
    """Raise ValueError unless the arrays of a saved word aligner have the right shapes, types and values.

    Arrays from a file are checked with this before `WordAligner.from_arrays` uses them. A missing array
    raises KeyError; "trace" is not checked. sizes: the numbers of different source words and target words.
    """
    offsets, targets = arrays["offsets"], arrays["targets"]
    slots = len(targets)
    shapes = {
        "offsets": (sizes[0] + 1,),
        "targets": (slots,),
        "translations_to_target": (slots + 2,),
        "translations_to_source": (slots + 2,),
        "null_to_target": (sizes[1] + 1,),
        "null_to_source": (sizes[0] + 1,),
        "jumps": (2, 2 * WIDEST + 1),
        "starts": (2, WIDEST),
        "shares": (2,),
    }
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise ValueError(f"the aligner's {name} belong to other words")
        whole = name in ("offsets", "targets")
        if arrays[name].dtype.kind != ("i" if whole else "f"):
            raise ValueError(f"the aligner's {name} have another type")
        if not (whole or (np.isfinite(arrays[name]).all() and (arrays[name] >= 0.0).all())):
            raise ValueError(f"the aligner's {name} are not probabilities")
    if offsets[0] != 0 or offsets[-1] != slots or (np.diff(offsets) < 0).any():
        raise ValueError("the aligner's offsets belong to other words")
    if slots and (targets.min() < 0 or targets.max() >= sizes[1]):
        raise ValueError("the aligner's targets belong to other words")
    first = np.zeros(slots + 1, np.bool_)
    first[offsets] = True
    if (np.diff(targets) <= 0)[~first[1:-1]].any():
        raise ValueError("the aligner's targets are not sorted")
