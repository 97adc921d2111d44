"""Files of documents, and stored corpora, that are given by their path."""

import os
from pathlib import Path
from typing import cast

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus, ReadingOptions, Vocabulary
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.store import is_store
from stickbreaker.estimators.document_files import DocumentFiles


class DocumentPath(DocumentFiles):
    """A stored corpus, or files of documents, by their path."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = os.fspath(path)
        self.paths = (self.name,)

    @property
    def options(self) -> ReadingOptions:
        return ReadingOptions()

    @property
    def given(self) -> tuple[str, ...]:
        return ()

    def as_corpus(self, analysis: AnyAnalysis, vocabulary: Vocabulary, *, trees: bool = False) -> Corpus:
        if is_store(Path(self.name)):
            found = Corpus.open(self.name).with_vocabulary(vocabulary)
        else:
            reading = ReadingOptions(trees=trees)
            found = Corpus.build(self.name, reading=reading, analysis=analysis, vocabulary=vocabulary)
        return found.named(self.name)

    def as_own_corpus(self) -> Corpus:
        """The corpus that is stored there, or one of the files, by the default analysis."""
        return Corpus.open(self.name) if is_store(Path(self.name)) else Corpus.build(self.name)


def files_in(documents: object) -> DocumentFiles | None:
    """Documents that are given as files, or as the path of files or of a corpus; None for other forms.

    A string is a path if there is a file of this name. Raises UserError for one that looks like a path, and
    is of no file.
    """
    if isinstance(documents, DocumentFiles):
        return documents
    if isinstance(documents, os.PathLike) or (isinstance(documents, str) and os.path.exists(documents)):
        return DocumentPath(os.fsdecode(cast("str | os.PathLike[str]", documents)))
    if isinstance(documents, str) and not documents.split()[1:] and set(documents) & {os.sep, "."}:
        raise UserError("no such file or directory", where=documents, remedy="check the path, or give texts")
    return None
