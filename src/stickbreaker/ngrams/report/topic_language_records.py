"""From a saved language model with topics to the records of its report."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import stream
from stickbreaker.core.topk import descending
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.estimators.saving import load
from stickbreaker.ngrams import purposes
from stickbreaker.ngrams.language_estimator import UNBOUNDED
from stickbreaker.ngrams.model.topic_language_model import TopicLanguageModel
from stickbreaker.ngrams.model.topic_sentences import TopicSentences
from stickbreaker.ngrams.plain_topic_ngram import PlainTopicNgramModel
from stickbreaker.ngrams.report.context_shares import topics_by_context
from stickbreaker.ngrams.report.documents_by_topic import DocumentsByTopic, read_topic_documents
from stickbreaker.ngrams.report.language_page_data import LengthRow
from stickbreaker.ngrams.report.language_records import curves_of, facts_of
from stickbreaker.ngrams.report.notable_contexts import length_rows
from stickbreaker.ngrams.report.topic_language_page import TopicLanguagePage
from stickbreaker.ngrams.report.topic_language_page_data import LanguageTopicRow
from stickbreaker.ngrams.report_documents import LEAST_WORDS
from stickbreaker.pages.saved_models import readable_manifest, settings_of
from stickbreaker.saved.documents_with_topics import HELD_OUT
from stickbreaker.saved.manifest import RESTORE

WORDS, PHRASES, SENTENCES = 12, 6, 3  # shown of a topic
LONGEST_SENTENCE = 30  # words
MOST_WITH_SENTENCES = 100  # topics, the largest
PRIORS = {
    "switching": "switching between topics and a common one",
    "hierarchical": "which draw on a common one",
    "none": "without a common one",
}


def topic_language_page_of(path: Path, title: str) -> TopicLanguagePage:
    """The report of the language model with topics at `path`.

    Raises UserError for what is not one (a run that is not finished is none).
    """
    manifest = readable_manifest(path)
    model = load(path, verb="report")
    if not isinstance(model, PlainTopicNgramModel):
        raise UserError("is not a language model with topics", where=path)
    with making_sense_of(path, RESTORE):
        return _topic_language_page(path, manifest, model, title)


def _topic_language_page(
    path: Path, manifest: dict[str, Any], model: PlainTopicNgramModel, title: str
) -> TopicLanguagePage:
    n = manifest["corpus"]["documents"]
    order = "of unbounded order" if model.order == UNBOUNDED else f"of order {model.order}"
    held_out = f", with {100 * manifest['held_out']:g}% of them held out" if manifest["held_out"] else ""
    documents = read_topic_documents(path, manifest, model.n_topics)
    shares = model.topic_shares_
    return TopicLanguagePage(
        title=title,
        subtitle=f"A language model {order} with {model.n_topics} topics, {PRIORS[model.prior]}, "
        f"learned from {n:,} documents{held_out}",
        facts=_facts(model, manifest),
        settings=settings_of(manifest),
        curves=curves_of(model.trace_),
        lengths=lengths_of(model.topic_model_),
        unbounded=model.order == UNBOUNDED and model.prior != "hierarchical",
        spelled=model.numbers_.spelled,
        common=model.prior == "switching",
        common_share=float(max(0.0, 1.0 - shares.sum())),
        topics=topics_of(model),
        contexts=topics_by_context(model),
        documents=documents.documents if documents else [],
        n_documents=documents.total if documents else 0,
        whose=documents.whose if documents else "",
        no_documents=_why_none(documents),
    )


def _why_none(documents: DocumentsByTopic | None) -> str:
    if documents is None:
        return "This model has no documents: only a run into a directory, such as stickbreaker fit, has."
    if any(row.excerpt for row in documents.documents):
        return ""
    held_out = " held out" if documents.whose == HELD_OUT else ""
    return f"No document{held_out} has {LEAST_WORDS} words or more."


def topics_of(model: PlainTopicNgramModel) -> list[LanguageTopicRow]:
    """The topics in use, the largest first."""
    shares, words, phrases = model.topic_shares_, model.top_words(WORDS), model.top_phrases(PHRASES)
    probabilities = model.probabilities_of(words)
    in_use = [k for k in descending(shares).tolist() if shares[k] > 0.0]
    drawn = drawn_sentences(model, in_use[:MOST_WITH_SENTENCES])
    return [
        LanguageTopicRow(
            number=k,
            share=float(shares[k]),
            words=list(zip(words[k], probabilities[k], strict=True)),
            phrases=phrases[k],
            sentences=drawn.get(k, []),
        )
        for k in in_use
    ]


def drawn_sentences(model: PlainTopicNgramModel, topics: list[int]) -> dict[int, list[str]]:
    """Sentences drawn from the last sample, in which all words that are of a topic are of one, by topic.

    Sentences of `LONGEST_SENTENCE` words have no end.
    """
    found = model.topic_model_
    base, names = np.exp(model.base_.log_p), model.words_
    drawn: dict[int, list[str]] = {}
    generator = stream(model.seed_, purposes.NGRAM_SENTENCES, 1)
    sentences = TopicSentences(found, found.n_samples - 1, base, generator)
    for k in topics:
        theta = np.eye(model.n_topics)[k]
        rows = [sentences.sentence(theta, LONGEST_SENTENCE) for _ in range(SENTENCES)]
        drawn[k] = [_spelled(names, row) for row in rows if row]
    return drawn


def _spelled(names: tuple[str, ...], words: list[int]) -> str:
    more = " …" if len(words) == LONGEST_SENTENCE else ""
    return " ".join(names[word] for word in words) + more


def lengths_of(model: TopicLanguageModel) -> list[LengthRow]:
    """Discounts, concentrations and words that stop, by length of context, up to the longest with a word.

    The words that stop in a context are its customers less the tables of longer contexts. Of topics that draw
    on the common one that is not so: the tables of both are customers there.
    """
    depths = model.contexts.depths[model.contexts.restaurants]
    n = int(depths.max()) + 2
    stopping: list[Any] = []
    for first, last in pairwise(model.cells.tolist()):
        at = depths[model.slots[first:last].astype(np.int64)]
        customers = np.bincount(at, model.customers[first:last], n)
        stopping.append(customers[:-1] - np.bincount(at, model.tables[first:last], n)[1:])
    return length_rows(model.discounts, model.concentrations, np.array(stopping))


def _facts(model: PlainTopicNgramModel, manifest: dict[str, Any]) -> list[tuple[str, str]]:
    sizes = model.sizes()
    facts = [
        ("topics in use", f"{sizes['topics']:,}"),
        ("contexts", f"{sizes['contexts']:,}"),
        ("samples", str(model.topic_model_.n_samples)),
    ]
    if model.prior == "switching":
        facts.append(("of the words are common", f"{100.0 * (1.0 - model.topic_shares_.sum()):.0f}%"))
    return facts_of(model, manifest, facts)
