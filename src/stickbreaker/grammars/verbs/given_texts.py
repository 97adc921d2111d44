"""Texts in the forms that users have, as a grammar reads them: with all their characters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.arrow_tables import table_documents
from stickbreaker.corpus.readers.document_inputs import document_input
from stickbreaker.estimators.document_paths import files_in


class CountedText(NamedTuple):
    """A text, its id, and its count in a file with counts; None if it has none."""

    id: str
    text: str
    times: int | None


@dataclass(frozen=True)
class GivenTexts:
    """Texts and their ids; `name`: what messages call them, None if they were given in Python.

    `copies`: for each text of a file with counts, which of its copies it is, from 1; None for other texts.
    """

    texts: tuple[str, ...]
    ids: tuple[str, ...]
    copies: tuple[int | None, ...]
    name: str | None = None

    @classmethod
    def of(cls, documents: Sequence[Document], name: str | None = None) -> "GivenTexts":
        """The texts of some documents; a document without an id is called by its number."""
        ids = tuple(one.id or str(n) for n, one in enumerate(documents))
        texts = tuple(one.text or "" for one in documents)
        return cls(texts, ids, tuple(one.copy for one in documents), name)

    @property
    def once(self) -> list[CountedText]:
        """Each text once, in order, with its count if it is of a file with counts."""
        found: list[CountedText] = []
        for name, text, copy in zip(self.ids, self.texts, self.copies, strict=True):
            if copy is not None and copy > 1:
                found[-1] = found[-1]._replace(times=copy)
            else:
                found.append(CountedText(name, text, copy))
        return found


def texts_for(model: object, documents: object) -> GivenTexts:
    """Texts, a table with a column `text`, or files, as what a grammar reads.

    Raises UserError for a Corpus, which keeps words and not the spaces between them, and for other forms.
    """
    files = files_in(documents)
    if files is not None:
        return GivenTexts.of(files.as_documents(), files.name)
    if isinstance(documents, Corpus):
        raise UserError("a Corpus keeps no spaces, which a grammar's sentences need", remedy="give its texts")
    given = document_input(documents, empty_lists=True)
    if given.form == "texts" and all(isinstance(one, str) for one in given.values):
        texts = tuple(given.values)
        return GivenTexts(texts, tuple(map(str, range(len(texts)))), (None,) * len(texts))
    if given.form == "table":
        return GivenTexts.of(list(table_documents(given.values)))
    wrong = "other objects" if given.form == "texts" else given.form
    raise UserError(
        f"a grammar reads texts, not {wrong}", remedy="give a list of strings, or a table of them"
    )
