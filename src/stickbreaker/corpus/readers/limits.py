"""Bounds on what a reader holds in memory, and on what a header may claim."""

from stickbreaker.corpus.readers.problems import Bad

MEGABYTE = 1_000_000
LARGEST_TEXT = 64 * MEGABYTE  # bytes of a line, a document, a packed table, a list of words
LONGEST_GAP = 10_000  # consecutive documents without an entry


def bytes_allowed(largest: int | None) -> int:
    """The limit in bytes: `largest`, or the default if it is None (for files that no option covers)."""
    return LARGEST_TEXT if largest is None else largest


def too_large(what: str, largest: int | None) -> Bad:
    """The error for something, such as "the line", that has more than `largest` bytes (None: the default).

    >>> too_large("the line", 2_000_000).problem
    'the line is larger than 2 MB'
    """
    raised = "raise the bound by --largest-text"
    remedy = "check that this is the right file" if largest is None else raised
    most = bytes_allowed(largest)
    size = f"{most / MEGABYTE:.10g} MB" if most >= MEGABYTE else f"{most} bytes"
    return Bad("too large", f"{what} is larger than {size}", remedy)
