"""Sentences translated by a lexicon with phrases."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stickbreaker.core.errors import counted
from stickbreaker.core.files import write_atomic
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.parameter_fields import naming_settings
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.ngrams.nbest_lists import Candidate
from stickbreaker.translation.decoding.decoder import Translation
from stickbreaker.translation.one_side import as_source
from stickbreaker.translation.phrases.token_documents import in_order, source_documents
from stickbreaker.translation.phrases.translating import translate_documents
from stickbreaker.translation.verbs.given_lexicons import phrases_in
from stickbreaker.translation.verbs.settings import RunSettings


@dataclass(frozen=True, repr=False)
class TranslatedSentences(VerbResult):
    """The translations of each sentence, the best first, of some `documents`; `features`: the names of those
    that each translation has."""

    lists: tuple[tuple[Translation, ...], ...]
    documents: int
    features: tuple[str, ...]

    @property
    def texts(self) -> list[str]:
        """The best translation of each sentence; "" for one without words."""
        return [" ".join(own[0].words) if own else "" for own in self.lists]

    @property
    def candidates(self) -> list[list[Candidate]]:
        """The translations of each sentence as an n-best list, for `rerank` and `rescore`."""
        return [
            [
                Candidate(
                    number,
                    " ".join(one.words),
                    {
                        name: (value,)
                        for name, value in zip(self.features, one.features.tolist(), strict=True)
                    },
                    one.score,
                    (),
                )
                for one in own
            ]
            for number, own in enumerate(self.lists)
        ]

    def write(self, path: str | Path, *, n_best: bool = False, overwrite: bool = False) -> None:
        """Write the best translation of each sentence, a line each or, with `n_best`, all in Moses' format.

        Raises UserError if the file exists, unless `overwrite`.
        """
        lines = [one.line() for own in self.candidates for one in own] if n_best else self.texts
        write_atomic(Path(path), "".join(f"{line}\n" for line in lines).encode("utf-8"), overwrite=overwrite)

    def as_json(self) -> JsonObject:
        return {"sentences": len(self.lists), "documents": self.documents}

    def __str__(self) -> str:
        return f"{counted(len(self.lists), 'sentence')} of {counted(self.documents, 'document')}"


@naming_settings(RunSettings)
def run(lexicon: object, source: object, **settings: Any) -> TranslatedSentences:
    """Translate sentences by a lexicon with phrases.

    lexicon: a `PhraseModel`, or the path of a saved lexicon with phrases. source: the path of a file, a list
    of sentences, or lists of those of each document. settings: the options of `stickbreaker translate run`:
    `n_best` translations of each sentence, and `n_jobs`. What is returned has the `texts`, and `write`.
    Raises UserError for a lexicon without phrases.
    """
    made = RunSettings(**settings)
    model = phrases_in(lexicon)
    text = as_source(source, model.lexicon.bitext.fields)
    documents = source_documents(model.lexicon, text)
    found = translate_documents(model, documents, made.n_best or 1, made.n_jobs)
    lists = in_order(text.document_of, found)
    return TranslatedSentences(tuple(map(tuple, lists)), len(found), tuple(model.features))
