"""Pairs of sentences joined into documents, to learn topics of."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from stickbreaker.core.errors import counted
from stickbreaker.core.files import atomic_file
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.translation.bitext import Bitext


@dataclass(frozen=True, repr=False)
class JoinedDocuments(VerbResult):
    """The documents of a bitext, each with its text in both languages; `pairs`: of how many sentences."""

    documents: int
    pairs: int
    bitext: Bitext = field(compare=False)

    def rows(self) -> list[JsonObject]:
        """Each document as the row of a table: its id, its domain if any, and its texts by language."""
        bitext = self.bitext
        return [
            {
                "id": name,
                **({"domain": domain} if domain else {}),
                bitext.source: first,
                bitext.target: second,
            }
            for name, domain, first, second in zip(
                bitext.names, bitext.domains, *bitext.document_texts, strict=True
            )
        ]

    def write(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the rows as JSON Lines. Raises UserError if the file exists, unless `overwrite`."""
        with (
            atomic_file(Path(path), overwrite=overwrite) as partial,
            partial.open("w", encoding="utf-8") as file,
        ):
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in self.rows())

    def write_tokens(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the tokens of pairs, one pair per line as source ||| target, for another aligner."""
        bitext = self.bitext
        sides = [side.spelled(words) for words, side in zip(bitext.words, bitext.sides, strict=True)]
        with (
            atomic_file(Path(path), overwrite=overwrite) as partial,
            partial.open("w", encoding="utf-8") as file,
        ):
            file.writelines(f"{' '.join(a)} ||| {' '.join(b)}\n" for a, b in zip(*sides, strict=True))

    def as_json(self) -> JsonObject:
        return {"documents": self.documents, "pairs": self.pairs}

    def __str__(self) -> str:
        return f"{counted(self.documents, 'document')} of {counted(self.pairs, 'pair')} of sentences"


def documents(bitext: Bitext) -> JoinedDocuments:
    """The pairs of each document of a bitext, joined: `rows` of the texts, to learn topics of in both
    languages or in the source alone. What is returned has `write`, to JSON Lines."""
    return JoinedDocuments(len(bitext.names), bitext.n_pairs, bitext)
