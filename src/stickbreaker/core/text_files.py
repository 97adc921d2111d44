"""Files of settings that users give and that are read whole: grammars, names."""

import stat
from pathlib import Path

from stickbreaker.core.errors import UserError

MEGABYTE = 1 << 20


def read_given_file(path: Path, most: int, remedy: str) -> bytes:
    """The content of a file or pipe of at most `most` bytes.

    Raises UserError, before more than that is read, for a larger one, and for what has no content of its own
    (a directory, a device such as /dev/zero). Raises OSError for a file that cannot be opened.
    """
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise UserError("is a directory", where=path, remedy=remedy)
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
        raise UserError("is not a file", where=path, remedy=remedy)
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        size = f"{most // MEGABYTE:,} MB" if most >= MEGABYTE else f"{most:,} bytes"
        raise UserError(f"has more than {size}", where=path, remedy=remedy)
    return content


def read_given_text(path: Path, most: int, remedy: str) -> str:
    """The text of such a file in UTF-8, without its byte order mark. Raises UserError for others."""
    content = read_given_file(path, most, remedy)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UserError("is not UTF-8", where=path, line=line, remedy=remedy) from None
