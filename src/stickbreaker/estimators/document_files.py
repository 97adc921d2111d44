"""Files of documents that are read once it is known which model they are for. Quick to import."""

import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, cast

from stickbreaker.core.errors import UserError

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus, ReadingOptions, Vocabulary
    from stickbreaker.corpus.building import AnyAnalysis
    from stickbreaker.corpus.document import Document


class DocumentFiles(ABC):
    """Files of documents that are read once the model is known, by whose words and analysis they are read.

    `name`: what messages call them. `paths`: of the files, or of one stored corpus; `options`: how they are
    read, and `given` the names of those options that the user gave.
    """

    name: str
    paths: tuple[str, ...]

    @property
    @abstractmethod
    def options(self) -> "ReadingOptions": ...

    @property
    @abstractmethod
    def given(self) -> tuple[str, ...]: ...

    @abstractmethod
    def as_corpus(
        self, analysis: "AnyAnalysis", vocabulary: "Vocabulary", *, trees: bool = False
    ) -> "Corpus":
        """The documents as a corpus, by the analysis and the vocabulary of a model. trees: whether it reads
        trees."""

    def as_documents(self) -> "list[Document]":
        """The documents as they are in the files. Raises UserError if there are none."""
        from stickbreaker.corpus.readers import Problems, read_inputs

        options = self.options
        documents, kind, _ = read_inputs(self.paths, options, Problems(skip=options.on_error == "skip"))
        if kind != "text":
            raise UserError("bags of words have no sentences", where=self.paths[0], remedy="give texts")
        found = list(documents)
        if not found:
            raise UserError("there is no sentence", where=self.paths[0], remedy="give texts")
        return found


class DocumentPath(DocumentFiles):
    """A stored corpus, or files of documents, by their path."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = os.fspath(path)
        self.paths = (self.name,)

    @property
    def options(self) -> "ReadingOptions":
        from stickbreaker.corpus import ReadingOptions

        return ReadingOptions()

    @property
    def given(self) -> tuple[str, ...]:
        return ()

    def as_corpus(
        self, analysis: "AnyAnalysis", vocabulary: "Vocabulary", *, trees: bool = False
    ) -> "Corpus":
        from stickbreaker.corpus import Corpus, ReadingOptions
        from stickbreaker.corpus.store import is_store

        if is_store(Path(self.name)):
            found = Corpus.open(self.name).with_vocabulary(vocabulary)
        else:
            reading = ReadingOptions(trees=trees)
            found = Corpus.build(self.name, reading=reading, analysis=analysis, vocabulary=vocabulary)
        return found.named(self.name)

    def as_own_corpus(self) -> "Corpus":
        """The corpus that is stored there, or one of the files, by the default analysis."""
        from stickbreaker.corpus import Corpus
        from stickbreaker.corpus.store import is_store

        return Corpus.open(self.name) if is_store(Path(self.name)) else Corpus.build(self.name)


def files_in(documents: object) -> DocumentFiles | None:
    """Documents that are given as files, or as the path of files or of a corpus; None for other forms.

    A string is a path if there is a file of this name.
    """
    if isinstance(documents, DocumentFiles):
        return documents
    if isinstance(documents, os.PathLike) or (isinstance(documents, str) and os.path.exists(documents)):
        return DocumentPath(os.fsdecode(cast("str | os.PathLike[str]", documents)))
    return None
