"""The page about a language model with topics: its header, its sections, what these share of a model."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np

from stickbreaker.ngrams.model.topic_language_model import TopicLanguageModel
from stickbreaker.ngrams.report.context_lengths import LengthRow, length_rows, lengths_section
from stickbreaker.ngrams.report.documents import documents, read_documents
from stickbreaker.ngrams.report.language_page import AnyLanguageReport, learning
from stickbreaker.ngrams.report.topics import topics, topics_of
from stickbreaker.ngrams.report.topics_by_context import contexts, topics_by_context
from stickbreaker.ngrams.settings import UNBOUNDED
from stickbreaker.ngrams.topic_ngram_learned import TopicNgramLearned
from stickbreaker.pages.colour import distinct_colours
from stickbreaker.pages.document_rows import DocumentRows
from stickbreaker.pages.page import Choice

PRIORS = {
    "switching": "switching between topics and a common one",
    "hierarchical": "which draw on a common one",
    "none": "without a common one",
}


class TopicLanguageReport(AnyLanguageReport[TopicNgramLearned]):
    """The report on a language model with topics; it shows those in use, the largest first."""

    estimator, noun = TopicNgramLearned, "a language model with topics"
    sections = (topics, documents, contexts, lengths_section, learning)

    @cached_property
    def subtitle(self) -> str:
        model, held_out = self.model, self.manifest["held_out"]
        aside = f", with {100 * held_out:g}% of them held out" if held_out else ""
        return (
            f"A language model {self.order} with {model.n_shares} topics, "
            f"{PRIORS[model.facts.settings.prior]}, "
            f"learned from {self.manifest['corpus']['documents']:,} documents{aside}"
        )

    def sizes(self) -> list[tuple[str, str]]:
        model, sizes = self.model, self.model.sizes()
        facts = [
            ("topics in use", f"{sizes['topics']:,}"),
            ("contexts", f"{sizes['contexts']:,}"),
            ("samples", str(model.model.n_samples)),
        ]
        if model.facts.settings.prior == "switching":
            facts.append(("of the words are common", f"{100.0 * (1.0 - model.topic_shares.sum()):.0f}%"))
        return facts

    lengths = cached_property(lambda self: lengths_of(self.model.model))

    @cached_property
    def counts_stops(self) -> bool:
        """Whether the report shows how many words stop at each length of context."""
        return (
            self.model.facts.settings.order == UNBOUNDED and self.model.facts.settings.prior != "hierarchical"
        )

    # whether words can be of a topic common to all documents; else each is of one of its document
    common = cached_property(lambda self: self.model.facts.settings.prior == "switching")
    # the part of the words that is common
    common_share = cached_property(lambda self: float(max(0.0, 1.0 - self.model.topic_shares.sum())))
    topics = cached_property(lambda self: topics_of(self.model))
    contexts = cached_property(lambda self: topics_by_context(self.model))

    @cached_property
    def document_rows(self) -> DocumentRows:
        return read_documents(self.path, self.manifest, self.model.n_shares)

    def choices(self) -> dict[str, Choice]:
        colours = distinct_colours(len(self.topics))
        return {"topic": Choice([topic.label for topic in self.topics], colours)} if self.topics else {}


def lengths_of(model: TopicLanguageModel) -> list[LengthRow]:
    """A row for each length of context, up to the longest with a word: parameters, and how many words of the
    text stop there (use a context of this length).

    These are the customers in contexts of the length, less the tables of longer contexts. The numbers are not
    valid under the hierarchical prior, where tables of topics are also customers of the common topic.
    """
    depths = model.contexts.depths[model.contexts.restaurants]
    n = int(depths.max()) + 2
    stopping: list[object] = []
    for first, last in pairwise(model.cells.tolist()):
        at = depths[model.slots[first:last].astype(np.int64)]
        customers = np.bincount(at, model.customers[first:last], n)
        stopping.append(customers[:-1] - np.bincount(at, model.tables[first:last], n)[1:])
    return length_rows(model.discounts, model.concentrations, np.array(stopping))


topic_language_page_of = TopicLanguageReport.page_of
