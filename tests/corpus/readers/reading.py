"""What tests of readers share: reading a file, and the lines of what is wrong with it."""

import bz2
import gzip
import io
import lzma
import zipfile
from pathlib import Path

import pytest
import zstandard

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Document, ReadingOptions
from stickbreaker.corpus.readers import Problems, read_inputs


def read(path: Path, **options) -> list[Document]:
    """The documents of a file, in which nothing may be wrong."""
    return list(read_inputs([str(path)], ReadingOptions(**options), Problems(skip=False))[0])


def skipping(path: Path, **options) -> tuple[list[Document], Problems]:
    """The documents of a file that are right, and what was wrong with the others."""
    problems = Problems(skip=True)
    return list(read_inputs([str(path)], ReadingOptions(on_error="skip", **options), problems)[0]), problems


def error_in(path: Path, **options) -> str:
    """The line that tells what is wrong with a file, without the file's name; skipping tells the same."""
    with pytest.raises(UserError) as caught:
        read(path, **options)
    line = str(caught.value)
    assert "\n" not in line
    assert "; " in line  # a remedy
    assert line.startswith(f"{path}:")
    assert line in skipping(path, **options)[1].first.values()
    return line.removeprefix(str(path))


def packings(content: bytes) -> dict[str, bytes]:
    """The same content under the endings of file names."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("content", content)
    return {
        "": content,
        ".gz": gzip.compress(content),
        ".zst": zstandard.ZstdCompressor().compress(content),
        ".bz2": bz2.compress(content),
        ".xz": lzma.compress(content),
        ".zip": whole.getvalue(),
    }
