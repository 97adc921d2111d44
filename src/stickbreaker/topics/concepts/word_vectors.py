"""Word vectors: read from files of other programs, or learned from a corpus."""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickbreaker.core.errors import UserError, noun_for, shown
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.readers.problems import Bad
from stickbreaker.corpus.readers.sources import listed_lines, one_source, opened

DIMENSIONS = 100
WINDOW = 10  # words on either side
_REMEDY = "give vectors as word2vec, GloVe or fastText (.vec) write them, or an .npy file with --words"
_FLOAT = np.dtype("<f4")
_LONGEST_WORD = 1000  # bytes
_FEWEST_NUMBERS = 10  # of a first line that is a vector, not a dictionary's entry


class WordVectors(NamedTuple):
    """Words, the most frequent first where that is known, and a row of numbers for each."""

    words: tuple[str, ...]
    vectors: NDArray[np.float32]  # (words × dimensions)


def vectors_from(given: object) -> WordVectors:
    """Word vectors as users have them: `WordVectors`, (words, array), a mapping from words to vectors, or
    gensim's `KeyedVectors` (or a model that has them as `wv`).

    Raises UserError for anything else, for numbers that are not finite, and for words and rows that differ
    in number.
    """
    given = getattr(given, "wv", given)
    if hasattr(given, "index_to_key") and hasattr(given, "vectors"):
        words, rows = cast(Any, given).index_to_key, cast(Any, given).vectors
    elif isinstance(given, Mapping):
        words, rows = list(given), list(given.values())
    elif isinstance(given, tuple | list) and len(given) == 2:
        words, rows = given
    else:
        problem = f"{type(given).__name__} is not word vectors"
        raise UserError(problem, remedy="give a path, KeyedVectors, a dict of vectors, or (words, array)")
    return _checked([str(word) for word in words], rows)


def _checked(words: Sequence[str], rows: ArrayLike, where: str | None = None) -> WordVectors:
    """Words and their rows as WordVectors. Raises UserError if they do not fit, or are not numbers."""
    try:
        vectors = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError):
        raise UserError("vectors are not rows of numbers of one length", where=where) from None
    if vectors.ndim != 2 or len(vectors) != len(words) or not vectors.size:
        shape = " × ".join(map(str, vectors.shape))
        problem = f"{len(words):,} {noun_for(len(words), 'word')}, and vectors of {shape}"
        raise UserError(problem, where=where, remedy="give one row for each word")
    if not np.isfinite(vectors).all():
        word = words[int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])]
        problem = f"the vector of {shown(word)} has a number that is not finite"
        raise UserError(problem, where=where, remedy="remove the word")
    return WordVectors(tuple(words), vectors)


def read_vectors(
    path: str | Path, words: str | Path | None = None, wanted: Callable[[str], bool] = lambda word: True
) -> WordVectors:
    """Read word vectors from a file: word2vec's text or binary format, GloVe, fastText's .vec, or NumPy's
    .npy with the words, one per line, in the file `words`. A compressed file is unpacked while it is read.

    wanted: whether a word's vector is kept; those of others are not held in memory. If a word comes
    twice, its first vector is kept. Raises UserError with file and line for one that is malformed, and if no
    wanted word has a vector.
    """
    name = str(path)
    if Path(path).suffix == ".npy":
        found = _of_array(name, words, wanted)
    elif words is not None:
        raise UserError("--words is for an .npy file", where=name, remedy="leave it out")
    else:
        found = _of_rows(name, _rows(name, wanted))
    if not found.words:
        raise UserError("no word of the corpus has a vector", where=name, remedy="check its language")
    return found


def looks_like_vectors(path: Path) -> bool:
    """Whether a file seems to have word vectors: by its name, or a first line of sizes or many numbers."""
    if path.suffix in (".npy", ".vec"):
        return True
    try:
        with opened(one_source(str(path), _REMEDY)) as raw:
            head = raw.readline(1 << 16)
    except (UserError, Bad):
        return False
    numbers = head.split()[1:]
    try:
        [float(number) for number in numbers]
    except ValueError:
        return False
    return _size_of(head) is not None or len(numbers) >= _FEWEST_NUMBERS


def _of_array(name: str, words: str | Path | None, wanted: Callable[[str], bool]) -> WordVectors:
    """The vectors of an .npy file and the words of a file."""
    if words is None:
        remedy = "give a file with its words, one per line, by --words"
        raise UserError("an .npy file has no words", where=name, remedy=remedy)
    try:
        array = np.load(name, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot be read as .npy: {error}", where=name, remedy=_REMEDY) from None
    listed = [line.strip() for _, line in listed_lines(str(words), "give a word per line", skippable=False)]
    if array.ndim != 2 or len(array) != len(listed):
        shape = " × ".join(map(str, array.shape))
        problem = f"vectors of {shape}, and {len(listed):,} {noun_for(len(listed), 'line')} in {words}"
        raise UserError(problem, where=name, remedy="give one word per row")
    places = {word: place for place, word in reversed(list(enumerate(listed))) if wanted(word)}
    chosen = sorted(places.values())
    return _checked([listed[place] for place in chosen], array[chosen], name) if chosen else _NONE


def _of_rows(name: str, rows: Iterator[tuple[str, NDArray[np.float32]]]) -> WordVectors:
    """Rows of a file, the first of each word, as one array."""
    met: dict[str, NDArray[np.float32]] = {}
    for word, row in rows:
        met.setdefault(word, row)
    return _checked(list(met), np.stack(list(met.values())), name) if met else _NONE


_NONE = WordVectors((), np.zeros((0, 0), dtype=np.float32))


def _rows(name: str, wanted: Callable[[str], bool]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """The wanted rows of a file in one of the formats without an own ending."""
    source = one_source(name, _REMEDY)
    try:
        with opened(source) as raw:
            stream = io.BufferedReader(cast(io.RawIOBase, raw), 1 << 20)
            head = stream.readline(1 << 20)
            size = _size_of(head)
            if size is not None and _is_binary(stream, size[1]):
                yield from _binary_rows(name, stream, *size, wanted)
            else:
                yield from _text_rows(name, stream, head, size, wanted)
    except Bad as bad:
        raise bad.at(name) from None


def _size_of(head: bytes) -> tuple[int, int] | None:
    """The numbers of words and of dimensions, which word2vec writes first; None if the line is a vector."""
    fields = head.split()
    return (int(fields[0]), int(fields[1])) if len(fields) == 2 and all(f.isdigit() for f in fields) else None


def _is_binary(stream: "io.BufferedReader[Any]", dimensions: int) -> bool:
    """Whether what follows the first line is not a line of text with a word and its numbers."""
    ahead = stream.peek(1 << 16)
    line = ahead[: ahead.find(b"\n")] if b"\n" in ahead else ahead
    try:
        fields = line.decode("utf-8", "strict" if b"\n" in ahead else "ignore").rstrip().split(" ")
        [float(field) for field in fields[1:-1]]
    except ValueError:
        return True
    return len(fields) < 2 or (b"\n" in ahead and len(fields) != dimensions + 1)


def _text_rows(
    name: str,
    stream: "io.BufferedReader[Any]",
    head: bytes,
    size: tuple[int, int] | None,
    wanted: Callable[[str], bool],
) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Rows of a word and its numbers, separated by spaces; words with spaces (GloVe has some) are skipped."""
    dimensions = len(head.rstrip().split(b" ")) - 1 if size is None else size[1]
    first = 1 if size is None else 2
    if dimensions < 2:
        raise UserError("is not a file of word vectors", where=name, line=1, remedy=_REMEDY)
    lines = stream if size is not None else (each for part in ((head,), stream) for each in part)
    for number, line in enumerate(lines, first):
        try:
            spelled = line[: line.find(b" ")].decode("utf-8")
        except UnicodeDecodeError:
            continue  # half a character, as word2vec leaves them where it cut a long word
        if not wanted(spelled):
            continue
        word, *numbers = line.rstrip().rsplit(b" ", dimensions)
        if b" " in word:
            continue
        try:
            row = np.array(numbers, dtype=np.float32)
        except ValueError:
            row = np.zeros(0, dtype=np.float32)
        if len(row) != dimensions:
            found = shown(line[:80].rstrip().decode("utf-8", "replace"))
            problem = f"{found} is not a word and {dimensions} numbers"
            raise UserError(problem, where=name, line=number, remedy=_REMEDY)
        yield spelled, row


def _binary_rows(
    name: str, stream: "io.BufferedReader[Any]", n_words: int, dimensions: int, wanted: Callable[[str], bool]
) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Rows of word2vec's binary format: a word, a space, its numbers as 32-bit floats."""
    size = dimensions * _FLOAT.itemsize
    for number in range(n_words):
        word = bytearray()
        while (byte := stream.read(1)) not in (b" ", b"") and len(word) <= _LONGEST_WORD:
            word += byte
        content = stream.read(size)
        if byte != b" " or len(content) < size:
            problem = f"ends after {number:,} of {n_words:,} vectors, or is not in word2vec's binary format"
            raise UserError(problem, where=name, remedy=_REMEDY)
        spelled = word.lstrip(b"\n").decode("utf-8", "replace")
        if wanted(spelled):
            yield spelled, np.frombuffer(content, dtype=_FLOAT)


def learned_vectors(corpus: Corpus, dimensions: int = DIMENSIONS, window: int = WINDOW) -> WordVectors:
    """Word vectors, learned from the words that stand near each other in a corpus.

    Positive pointwise mutual information of words at most `window` tokens apart, with the context's counts
    raised to 3/4, and its truncated singular value decomposition, a dimension divided by the root of its
    singular value (Levy, Goldberg and Dagan 2015, sections 2.2 and 3.2 to 3.3). In a corpus of counts, words
    meet in documents. Raises UserError if no two words meet.
    """
    from scipy.sparse import csr_matrix
    from sklearn.decomposition import TruncatedSVD

    meetings = _meetings(corpus, window).tocoo()
    if not meetings.nnz:
        raise UserError("no two words meet in the corpus", remedy="give a larger one to learn vectors from")
    totals = np.bincount(meetings.row, meetings.data, corpus.n_words)
    context = totals**0.75
    information = np.log(meetings.data * context.sum() / (totals[meetings.row] * context[meetings.col]))
    kept = information > 0.0
    shape = (corpus.n_words, corpus.n_words)
    matrix = csr_matrix((information[kept], (meetings.row[kept], meetings.col[kept])), shape=shape)
    split = TruncatedSVD(max(1, min(dimensions, corpus.n_words - 1)), random_state=0)
    vectors = split.fit_transform(matrix) / np.sqrt(np.maximum(split.singular_values_, 1e-12))
    return WordVectors(corpus.vocabulary.words, vectors.astype(np.float32))


def _meetings(corpus: Corpus, window: int) -> Any:
    """(words × words) How often two words are at most `window` tokens apart, a sparse matrix."""
    from scipy.sparse import coo_matrix, csr_matrix

    shape = (corpus.n_words, corpus.n_words)
    total = csr_matrix(shape)
    for block in range(len(corpus.block_sizes)):
        if not corpus.ordered:
            bags = corpus.bags(block)
            n_documents = len(bags.offsets) - 1
            counts = csr_matrix((bags.counts, bags.words, bags.offsets), (n_documents, corpus.n_words))
            met = counts.T @ counts
            met.setdiag(0.0)
            total = total + met
            continue
        documents = corpus.sequences(block)
        owner = np.repeat(np.arange(len(documents.offsets) - 1), np.diff(documents.offsets))
        pairs: list[NDArray[np.int32]] = []
        for apart in range(1, window + 1):
            one, other = documents.words[:-apart], documents.words[apart:]
            inside = (owner[:-apart] == owner[apart:]) & (one >= 0) & (other >= 0)
            pairs.append(np.stack((one[inside], other[inside])))
        rows, columns = np.concatenate(pairs, axis=1)
        met = coo_matrix((np.ones(len(rows)), (rows, columns)), shape=shape).tocsr()
        total = total + met + met.T
    total.eliminate_zeros()
    return total
