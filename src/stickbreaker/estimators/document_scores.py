"""Scores of documents by their log probability, for kinds without an evaluation of their own."""

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

from stickbreaker.core.errors import UserError, counted, naming
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus import Corpus
from stickbreaker.estimators.learned import AnyLearned
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.estimators.verb_settings import VerbSettings
from stickbreaker.saved.own_corpus import share_of_own_corpus

PartScores = Mapping[str, tuple[float, float]]  # log probability in nats and number of words, by part


@dataclass(frozen=True, kw_only=True, repr=False)
class ScoredDocuments(VerbResult):
    """Base of scores of documents: what they were.

    `empty_documents`: those without a known word. `unseen_share`: of their words, those that the model does
    not know. `learned_from`: the share of the documents that the model has learned from; None: not known.
    """

    documents: int
    empty_documents: int
    unseen_share: float
    learned_from: float | None


@dataclass(frozen=True)
class PartFigures:
    """The score of a part of the words: their number, mean log probability and perplexity."""

    events: float
    nats_per_word: float
    perplexity: float


@dataclass(frozen=True, kw_only=True, repr=False)
class DocumentScores(ScoredDocuments):
    """Log probability of documents: `parts` has the figures of each part of their words, "all" among them."""

    parts: Mapping[str, PartFigures]

    def as_json(self) -> JsonObject:
        values = super().as_json()
        parts = values.pop("parts")
        return {**values, **parts}

    def __str__(self) -> str:
        documents, width = counted(self.documents, "document"), max(9, *map(len, self.parts))
        share = 100 * self.unseen_share
        lines = [
            f"{documents}; {share:.1f} % of their words are not in the text learned from",
            *learned_from_lines(self.learned_from),
            f"  {'':<{width}}      events  nats/word  perplexity",
        ]
        for name, part in self.parts.items():
            figures = f"{part.events:10.0f}  {part.nats_per_word:9.4f}  {part.perplexity:10.1f}"
            lines.append(f"  {name.replace('_', ' '):<{width}}  {figures}")
        return "\n".join(lines)


def evaluate(learned: AnyLearned, corpus: Corpus, settings: VerbSettings) -> DocumentScores:
    """Score documents by their log probability. Raises UserError if no word can be scored."""
    share = share_of_own_corpus(learned.facts.corpus, learned.facts.held_out, corpus)
    with naming(corpus.name):
        return DocumentScores(**figures_of(corpus, learned.part_scores(corpus), share))


def figures_of(corpus: Corpus, parts: PartScores, learned_from: float | None) -> JsonObject:
    """The fields of `DocumentScores`, by name.

    parts: "all" must be among them; those without words are left out. Warns (UserWarning) if all words are
    unseen. Raises UserError if "all" has no words.
    """
    if not parts["all"][1]:
        raise UserError("there is nothing to score", remedy="no document has a word of the vocabulary")
    warn_if_all_unseen(corpus.unseen_share)
    return {
        "documents": corpus.n_documents,
        "empty_documents": corpus.n_empty,
        "unseen_share": corpus.unseen_share,
        "learned_from": learned_from,
        "parts": {
            name: PartFigures(tokens, nats / tokens, math.exp(-nats / tokens))
            for name, (nats, tokens) in parts.items()
            if tokens
        },
    }


def learned_from_lines(share: float | None) -> list[str]:
    """A line that warns that the model has learned from these documents; an empty list if it has not.

    share: the share of the documents that it has learned from; None if unknown.

    >>> learned_from_lines(1.0)
    ['The model has learned from these documents: expect lower scores for new ones']
    """
    if not share:
        return []
    part = "these documents" if share == 1.0 else f"{max(0.1, 100 * share):.1f} % of these documents"
    return [f"The model has learned from {part}: expect lower scores for new ones"]


def warn_if_all_unseen(share: float) -> None:
    """Warn (UserWarning) if no scored document has a word that the model knows; share: of unknown words."""
    if share == 1.0:
        text = "no document has a word that the model knows; are they in its language?"
        warnings.warn(text, UserWarning, stacklevel=2)
