"""Files of documents that are read once it is known which model they are for. Quick to import."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

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
