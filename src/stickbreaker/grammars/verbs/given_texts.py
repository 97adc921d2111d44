"""Texts in the forms that users have, as a grammar reads them: with all their characters."""

from dataclasses import dataclass

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.readers.arrow_tables import table_documents
from stickbreaker.corpus.readers.document_inputs import document_input
from stickbreaker.estimators.document_files import files_in


@dataclass(frozen=True)
class GivenTexts:
    """Texts and their ids; `name`: what messages call them, None if they were given in Python."""

    texts: tuple[str, ...]
    ids: tuple[str, ...]
    name: str | None = None


def texts_for(model: object, documents: object) -> GivenTexts:
    """Texts, a table with a column `text`, or files, as what a grammar reads.

    Raises UserError for a Corpus, which keeps words and not the spaces between them, and for other forms.
    """
    files = files_in(documents)
    if files is not None:
        found = files.as_documents()
        ids = tuple(one.id or str(n) for n, one in enumerate(found))
        return GivenTexts(tuple(one.text or "" for one in found), ids, files.name)
    if isinstance(documents, Corpus):
        raise UserError("a Corpus keeps no spaces, which a grammar's sentences need", remedy="give its texts")
    given = document_input(documents, empty_lists=True)
    if given.form == "texts" and all(isinstance(one, str) for one in given.values):
        return GivenTexts(tuple(given.values), tuple(map(str, range(len(given.values)))))
    if given.form == "table":
        found = list(table_documents(given.values))
        ids = tuple(one.id or str(n) for n, one in enumerate(found))
        return GivenTexts(tuple(one.text or "" for one in found), ids)
    raise UserError(
        f"a grammar reads texts, not {given.form}", remedy="give a list of strings, or a table of them"
    )
