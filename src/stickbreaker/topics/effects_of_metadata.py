"""Regression of topic shares on documents' metadata by a formula, for Python and the command line."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from stickbreaker.core.arguments import refuse_other_class
from stickbreaker.core.errors import UserError, counted, shown
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.shards import tokens_by_document
from stickbreaker.topics.evaluation.effects import Effects, effects_of
from stickbreaker.topics.formula_coding import refuse_without_package
from stickbreaker.topics.formula_design import Reference, design_of
from stickbreaker.topics.formula_grammar import read_formula
from stickbreaker.topics.learned import TopicsLearned

ENOUGH_WORDS = 100  # of a document, from which on bounds hold the truth 93 to 97 times of 100


class MetadataEffects(NamedTuple):
    """Effects of the terms of a formula on topic shares.

    `terms`: the name of each term, a column of `effects`; `documents`: how many were used; `left_out`: how
    many were not, since they lack a field of the formula or have no word of the vocabulary; `references`: the
    levels with which other levels of a field are compared. `words`: of the median document, if the model's
    prior is the same for all, which pulls the effects in short documents together; else None.
    """

    terms: Sequence[str]
    effects: Effects
    documents: int
    left_out: int
    references: Sequence[Reference] = ()
    words: float | None = None

    def table(self, names: Sequence[str | None]) -> pa.Table:
        """The effects as a table with a row for each topic and term, topic by topic. Columns: topic (its
        number), name, term, estimate, error, low and high, as in `Effects`.

        names: the name of each topic, or None.
        """
        n_topics, terms = self.effects.estimates.shape[0], list(self.terms)
        columns: JsonObject = {
            "topic": pa.array(np.repeat(np.arange(n_topics, dtype=np.int32), len(terms))),
            "name": pa.array([name for name in names for _ in terms], pa.string()),
            "term": pa.array(terms * n_topics, pa.string()),
        }
        for name, values in zip(("estimate", "error", "low", "high"), self.effects, strict=True):
            columns[name] = pa.array(values.ravel())
        return pa.table(columns)


def effects_of_metadata(
    learned: TopicsLearned, corpus: Corpus, formula: str, *, draws: int = 25, seed: int = 0
) -> MetadataEffects:
    """Effects of documents' metadata on a model's topic shares, by a formula like "party + year".

    `corpus` must have the model's vocabulary. Shares are drawn `draws` times, to include their uncertainty.
    A name before a ~ is ignored, since the response is always the shares. Levels are compared with the most
    frequent one. Raises UserError for an invalid formula (`formula_grammar`), if no document has all its
    fields, for more draws than fit in memory, and if the package that evaluates formulas is missing.
    """
    refuse_other_class("formula", formula, str)
    terms = read_formula(formula)
    refuse_without_package()
    frame: Any = corpus.to_frame()
    wanted = sorted({name for term in terms for factor in term for name in factor.fields})
    missing = [name for name in wanted if name not in frame.columns]
    if missing:
        known = ", ".join(name for name in frame.columns if name not in ("id", "text", "tokens")) or "none"
        raise UserError(f"no document has the field {shown(missing[0])}", remedy=f"there are: {known}")
    bags = [corpus.bags(block) for block in range(len(corpus.block_sizes))]
    tokens = np.concatenate([tokens_by_document(one.offsets, one.counts) for one in bags])
    whole = (frame[wanted].notna().all(axis=1) if wanted else frame["tokens"].notna()).to_numpy() & (
        tokens > 0.0
    )
    if not whole.any():
        raise UserError(f"no document has {', '.join(wanted)} and a known word", remedy="check the formula")
    design = design_of(formula, terms, frame[whole])
    gammas = [
        local["gamma"].values
        for block in range(len(corpus.block_sizes))
        for local in learned.infer_documents(corpus.bags(block), learned.covariates(corpus, block))
    ]
    gamma = np.concatenate(gammas)[whole][:, learned.columns]
    found = effects_of(gamma, design.values, draws=draws, seed=seed)
    counts = int(whole.sum()), int((~whole).sum())
    words = None if learned.model.documents.by_document else float(np.median(tokens[whole]))
    return MetadataEffects(list(design.columns), found, *counts, design.references, words)


def left_out_text(found: MetadataEffects) -> str:
    """A line for the user: how many documents were used for the effects, and how many were left out."""
    left = f", {found.left_out:,} left out for lack of a field or words" if found.left_out else ""
    return f"{counted(found.documents, 'document')}{left}"


def short_text(words: float | None) -> str:
    """A line for the user if documents are so short that differences between them come out too small; empty
    otherwise. words: of the median document, None if the model's prior depends on metadata.
    """
    if words is None or words >= ENOUGH_WORDS:
        return ""
    return (
        f"half of the documents have {words:.0f} words or fewer: differences come out too small, and their "
        "bounds hold the truth less often than that; let the model know the metadata (prevalence)"
    )


def references_text(found: MetadataEffects) -> str:
    """A line for the user: the reference level of each field, and how many documents have it."""
    return "; ".join(
        f"{one.field} is compared with {one.level} ({counted(one.documents, 'document')})"
        for one in found.references
    )
