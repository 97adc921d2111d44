"""Matrix Market: the coordinates of a matrix of documents (rows) and words (columns), as gensim writes it."""

import re
import warnings
from collections.abc import Iterator

from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.bags import BagEntries, BagShape, consecutive, number_of, weight_of
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.problems import Bad, Problems, ReadingWarning
from stickbreaker.corpus.readers.sources import Source, raw_lines_of

_BANNER = re.compile(
    rb"%%matrixmarket\s+matrix\s+coordinate\s+(real|integer|unsigned-integer)\s+general", re.IGNORECASE
)
_SIZES = "the first line after the comments is: documents words entries"


def read(source: Source, options: ReadingOptions, problems: Problems) -> Iterator[Document]:
    """Yield a bag of words for each row of the matrix; weights that are zero are left out.

    A wrong header or entry is reported to `problems`.
    """
    lines = consecutive(raw_lines_of(source, problems, options.largest_text))
    line = 1
    try:
        line, content = next(lines, (1, b""))
        if not _BANNER.fullmatch(content.strip()):
            raise _wrong_banner(content)
        for line, content in lines:  # noqa: B007
            if content.strip() and not content.startswith(b"%"):
                break
        shape = _shape(content.split(), len(options.words))
        if shape.words < len(options.words):  # gensim leaves out words at the end that do not occur
            problem = f"the header says {shape.words} words, and the vocabulary has {len(options.words)}"
            remedy = "if no document has the last words, all is right; if not, check --vocab"
            warnings.warn(ReadingWarning(f"{source.name}:{line}: {problem}; {remedy}"), stacklevel=2)
    except Bad as bad:
        problems.tell(bad, source.name, line)
        return
    yield from BagEntries(source, options, problems, weight_of).documents(lines, shape)


def _wrong_banner(content: bytes) -> Bad:
    """The error for a first line that is another one, with what SciPy needs to write the right one."""
    words = content[:100].lower().split()
    if words[:1] != [b"%%matrixmarket"]:
        remedy = "the first line is: %%MatrixMarket matrix coordinate real general"
        return Bad("wrong header", "not a Matrix Market file of coordinates", remedy)
    written = {
        b"array": ("a dense matrix", "write a sparse one, as by scipy.io.mmwrite(path, csr_array(counts))"),
        b"pattern": ("places without counts", 'write the counts, as by mmwrite with field="integer"'),
        b"symmetric": ("half of a symmetric matrix", 'write all of it, by mmwrite with symmetry="general"'),
    }
    named = next((word for word in written if word in words), b"")
    problem, remedy = written.get(named, ("numbers that are not counts", "write real numbers or integers"))
    return Bad("wrong header", f"the file has {problem}", remedy)


def _shape(parts: list[bytes], n_words: int) -> BagShape:
    if len(parts) != 3:
        raise Bad("wrong header", "the line is not three numbers", _SIZES)
    shape = BagShape(*(number_of(part, "the size", _SIZES, "wrong header") for part in parts))
    if shape.words > n_words:
        problem = f"the header says {shape.words} words, and the vocabulary has {n_words}"
        raise Bad("wrong header", problem, "check --vocab")
    return shape


READER = Reader("mm", "Matrix Market, as gensim's MmCorpus; needs --vocab", (".mm", ".mtx"), "bag", read)
