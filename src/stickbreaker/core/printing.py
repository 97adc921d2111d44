"""Text that is safe to show on a terminal."""

import re

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Text without control characters, and without those that change the direction of writing; tabs and
    newlines stay.

    >>> printable("a\\x1b[31mb")
    'a[31mb'
    """
    return _CONTROL.sub("", text).encode("utf-8", "replace").decode("utf-8")
