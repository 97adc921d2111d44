"""Writes a corpus in the formats of other programs."""

import functools
from pathlib import Path

import numpy as np

from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.files import atomic_directory
from stickbreaker.corpus.corpus import Corpus
from stickbreaker.corpus.shards import Bags

LDA_C_FILES = ("documents.ldac", "vocabulary.txt")


def write_lda_c(corpus: Corpus, out: str | Path, *, overwrite: bool = False) -> None:
    """Write a corpus as bags in the LDA-C format, into a directory `out`.

    `documents.ldac` has one line per document, in order, and `vocabulary.txt` one line per word; ids, texts
    and the order of words are not written. With `overwrite`, such files are replaced, never others. Raises
    UserError if something is at `out`, for weights that are not whole, and for words that cannot stand on a
    line of their own (line breaks, spaces at the ends).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     write_lda_c(Corpus.from_texts(["cat cat dog", "dog"]), f"{place}/pets")
    ...     print(Path(place, "pets", "documents.ldac").read_text(), end="")
    2 0:2 1:1
    1 1:1
    """
    directory = Path(out)
    check = functools.partial(_refuse, directory, overwrite)
    with atomic_directory(directory, overwrite=overwrite, check=check) as partial:
        _check_words(corpus.vocabulary.words)
        documents, words = (partial / name for name in LDA_C_FILES)
        words.write_text("".join(f"{word}\n" for word in corpus.vocabulary.words), "utf-8", newline="\n")
        with documents.open("w", encoding="ascii", newline="\n") as file:
            for block in range(len(corpus.block_sizes)):
                bags = corpus.bags(block)
                _check_counts(bags, corpus.ids(block))
                file.writelines(_line(bags, d) for d in range(len(bags.offsets) - 1))


def _line(bags: Bags, document: int) -> str:
    entries = slice(bags.offsets[document], bags.offsets[document + 1])
    words, counts = bags.words[entries].tolist(), bags.counts[entries].tolist()
    pairs = (f" {word}:{int(count)}" for word, count in zip(words, counts, strict=True))
    return f"{len(words)}{''.join(pairs)}\n"


def _check_words(words: tuple[str, ...]) -> None:
    for word in words:
        apart = not {"\n", "\r", "\0"} & set(word)
        if not word.strip() or word != word.strip() or not apart or word[0] == "\ufeff":
            remedy = "leave it out of the vocabulary"
            raise UserError(f"the word {shown(word)} cannot stand on a line of its own", remedy=remedy)


def _check_counts(bags: Bags, ids: list[str]) -> None:
    odd = np.flatnonzero(bags.counts != np.rint(bags.counts))
    if len(odd):
        first: np.int64 = odd[0]
        document = int(np.searchsorted(bags.offsets, first, side="right")) - 1
        problem = f"a word weighs {bags.counts[first]:g}, and LDA-C has whole counts"
        raise UserError(problem, where=f"document {ids[document]}", remedy="build the corpus from counts")


def _refuse(directory: Path, overwrite: bool) -> None:
    """Raise UserError if a directory must not be replaced: without `overwrite`, or with other files."""
    if not directory.exists():
        return
    if not overwrite:
        raise UserError("already exists", where=directory, remedy="give another path, or --overwrite")
    held = [file.name for file in directory.iterdir()] if directory.is_dir() else [directory.name]
    if not set(held) <= set(LDA_C_FILES):
        remedy = "give another path; --overwrite replaces such files only"
        raise UserError("holds other files than LDA-C's", where=directory, remedy=remedy)
