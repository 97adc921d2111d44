"""The page about topics: its header, its sections, and the values that the sections need of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.pages.changes import of_stream
from stickbreaker.pages.page import Choice, Page
from stickbreaker.pages.saved_models import SavedReport, readable_manifest, settings_of
from stickbreaker.saved.manifest import RESTORE
from stickbreaker.topics.learned import TopicsLearned, load_topics
from stickbreaker.topics.names.named_topics import NamedTopics
from stickbreaker.topics.report.compare import matches
from stickbreaker.topics.report.dates_and_groups import (
    Breakdown,
    breakdowns_of,
    groups,
    over_time,
    sums_of,
    times_of,
)
from stickbreaker.topics.report.display_words import WordFigures, apart, look_at
from stickbreaker.topics.report.document_entries import DocumentEntry, read_documents, read_metadata_sums
from stickbreaker.topics.report.documents import document_map, documents, documents_choice
from stickbreaker.topics.report.genealogy import growth_of_topics, search_of
from stickbreaker.topics.report.growth import how_topics_came_about
from stickbreaker.topics.report.hierarchy import Relations, how_they_relate, relate_used
from stickbreaker.topics.report.learning import learning, scores_of, unigram_of
from stickbreaker.topics.report.maps.document_map import place_documents
from stickbreaker.topics.report.maps.topic_map import nearest_topics, place_used, topic_distances
from stickbreaker.topics.report.measures import measures
from stickbreaker.topics.report.predictions import predictions, predictions_of, warnings_of_run
from stickbreaker.topics.report.topic_changes import changes, changes_of_topics
from stickbreaker.topics.report.topics import topics, words_choice
from stickbreaker.topics.report.topics_of_page import (
    Topic,
    colours_of,
    leading_language,
    spread_of,
    topics_of,
)
from stickbreaker.topics.report.vocabulary_table import vocabulary, words_of
from stickbreaker.topics.report_documents import OF_OTHERS


class TopicReport(SavedReport[TopicsLearned]):
    """The report on a saved model's topics: whatever its sections show, computed when first needed. Topics
    with the same name are merged (`named`).

    `leading`: the language whose words label topics, "" if there is only one; `compared_with`: the path of
    another model whose topics are matched with these. `date_field`, `group_field`: the metadata fields by
    which topics are broken down; None: suitable ones are chosen.
    """

    sections = (
        *(topics, how_they_relate, over_time, groups, document_map, documents, measures),
        *(vocabulary, how_topics_came_about, changes, learning, predictions),
    )
    drawn = "The topics and charts"
    repeat_note = "The same documents with these settings give the same topics again."
    leading: str = ""

    def __init__(
        self,
        path: Path,
        manifest: JsonObject,
        model: TopicsLearned,
        leading: str = "",
        date_field: str | None = None,
        group_field: str | None = None,
        compared_with: Path | None = None,
    ) -> None:
        super().__init__(path, manifest, model)
        self.leading, self.compared_with = leading, compared_with
        self.date_field, self.group_field = date_field, group_field

    @cached_property
    def subtitle(self) -> str:
        """A line for the top of the page: the numbers of topics and documents, and how many topics are shown
        if some share a name.
        """
        named, n_documents = self.named, self.manifest["corpus"]["documents"]
        n_topics = len(self.model.alpha) - len(self.model.unused_topics)
        learned = f"{counted(n_topics, 'topic')} learned from {counted(n_documents, 'document')}"
        n_shown = len(named.members) - len(named.unused)
        return (
            f"{learned}, shown as {n_shown}: topics with the same name are merged"
            if named.joined
            else learned
        )

    @cached_property
    def settings(self) -> list[tuple[str, str]]:
        return settings_of(self.manifest, {"concepts": _concepts_in_words})

    @cached_property
    def facts(self) -> list[tuple[str, str]]:
        model, figures, corpus = self.model, self.figures, self.manifest["corpus"]
        seconds = model.facts.trace[-1].get("seconds") if model.facts.trace else None
        held_out = [record["held_out"] for record in model.facts.trace if "held_out" in record]
        if model.plan.sampling:
            unit, more = "sweep", "s"
        elif "stream" in self.manifest or "arriving" in self.manifest or of_stream(model.facts.trace):
            unit, more = "step", "s"
        else:
            unit, more = "pass", "es"
        facts = [
            ("documents", f"{corpus['documents']:,}"),
            ("words read", f"{corpus['tokens']:,.0f}"),
            ("distinct words", f"{len(model.vocabulary):,}"),
            ("topics", str(len(model.alpha) - len(model.unused_topics))),
            (unit + ("" if model.facts.progress.passes == 1 else more), f"{model.facts.progress.passes:,}"),
        ]
        if model.unused_topics:
            facts.append(("topics unused", str(len(model.unused_topics))))
        if held_out:
            facts.append(("held-out nats per word", f"{held_out[-1]:.3f}"))
        counted = np.array(figures.get("coherence", ()), np.float64)  # NaN: of merged topics
        used = np.delete(counted, model.unused_topics) if len(counted) else counted
        if not np.isnan(used).all():
            facts.append(("mean coherence (NPMI)", f"{np.nanmean(used):.3f}"))
        if model.merges:
            merges = [len(model.merges[0]), *(max(numbers) + 1 for numbers in model.merges)]
            facts.append(("topics merged", " → ".join(map(str, merges))))
        if model.facts.updates:
            facts.append(("updated", "; ".join(one.text for one in model.facts.updates)))
        if seconds is not None:
            label = "seconds of this run, without the search" if model.facts.search else "seconds of learning"
            facts.append((label, f"{seconds:,.0f}" if seconds >= 10 else f"{seconds:.1f}"))
        return facts

    def choices(self) -> dict[str, Choice]:
        found = self.topics
        used = [k for k, topic in enumerate(found) if not topic.unused]
        first = max(used or range(len(found)), key=lambda k: found[k].share, default=-1)
        order = sorted(range(len(found)), key=lambda k: (found[k].unused, -found[k].share))
        also = {str(one.number): k for k, topic in enumerate(found) for one in topic.members}
        labels, keys = [topic.label for topic in found], [topic.id for topic in found]
        topics = Choice(labels, self.colours, keys, first, "topics", order, also)
        choices = {"topic": topics, "word": self.words_choice} if found else {}
        return choices | ({"document": documents_choice(self)} if self.documents else {})

    @cached_property
    def colours(self) -> list[str]:
        """A colour for each topic: near ones have similar colours."""
        if self.positions and len(self.positions) != len(self.topics):
            raise ValueError(f"{len(self.positions)} positions for {len(self.topics)} topics")
        return colours_of(self.topics, self.positions)

    @cached_property
    def shown_words(self) -> list[str]:
        """The words that views are about: those whose division among topics is known, then others of topics
        and of the table of words."""
        of_topics = (word for topic in self.topics for word, _, _ in topic.words)
        return list(
            dict.fromkeys([*(word for word, _ in self.spread), *of_topics, *(row.word for row in self.words)])
        )

    words_choice = cached_property(words_choice)

    @cached_property
    def _saved_documents(self) -> tuple[list[DocumentEntry], JsonObject]:
        documents, figures = read_documents(self.path)
        n = len(self.model.alpha)
        if len(figures.get("coherence", range(n))) != n or any(
            k >= n for one in documents for k, _ in one.mix
        ):
            raise ValueError("documents of a model of other topics")
        return documents, figures

    @property
    def figures(self) -> JsonObject:
        """Numbers about the whole corpus that were stored with the model, by name, such as topics'
        "coherence"; see `collect_documents_and_figures`.
        """
        return self._saved_documents[1]

    named = cached_property(lambda self: NamedTopics(self.model))

    @cached_property
    def _breakdowns(self) -> tuple[Breakdown | None, list[Breakdown]]:
        """Topic shares over time (None without dates) and by group, before topics with the same name are
        merged.

        They are of all documents if the model stores sums by metadata, otherwise of the sample stored for the
        report.
        """
        documents, n_topics = self._saved_documents[0], len(self.model.alpha)
        sums, wanted = read_metadata_sums(self.path, n_topics), self.group_field
        whole = sums or sums_of(documents, n_topics)
        times = times_of(whole, self.date_field)
        dated = times.field if times else None
        of_sample = sums is None
        if sums and wanted in sums.fields and sums.fields[wanted].values is None:  # too many to sum
            groups, of_sample = breakdowns_of(sums_of(documents, n_topics), wanted, dated), True
        else:
            groups = breakdowns_of(whole, wanted, dated)
        if times and sums is None:
            times = replace(times, sampled=True)
        return times, [replace(group, sampled=of_sample) for group in groups]

    @cached_property
    def times(self) -> Breakdown | None:
        times, _ = self._breakdowns
        return self._joined(times) if times else None

    groups = cached_property(lambda self: [self._joined(group) for group in self._breakdowns[1]])

    def _joined(self, part: Breakdown) -> Breakdown:
        """A breakdown in which the shares of topics with the same name are added up."""
        return replace(part, shares=self.named.sums(part.shares).tolist()) if self.named.joined else part

    @cached_property
    def documents(self) -> list[DocumentEntry]:
        documents, named = self._saved_documents[0], self.named
        if not named.joined:
            return documents
        return [
            replace(
                document,
                mix=named.mix(document.mix),
                marks=[(start, length, int(named.group_of[k])) for start, length, k in document.marks],
            )
            for document in documents
        ]

    @cached_property
    def documents_total(self) -> int:
        """The number of documents in the collection, of which `documents` may be a sample."""
        return self.figures.get(OF_OTHERS, self.manifest["corpus"]["documents"])

    @cached_property
    def word_figures(self) -> WordFigures:
        named = self.named
        return look_at(named.words, named.shares, self.model.vocabulary.parts, named.ranked_words)

    _distances = cached_property(lambda self: topic_distances(apart(self.named.words, self.word_figures)))
    _used = cached_property(lambda self: np.delete(np.arange(len(self.named.members)), self.named.unused))
    # an (x, y) for each topic, in [-1, 1], or nothing
    positions = cached_property(lambda self: place_used(self._distances, self._used))

    @cached_property
    def relations(self) -> Relations | None:
        return relate_used(self._distances, self._used) if len(self._used) > 2 else None

    @cached_property
    def document_places(self) -> Sequence[tuple[float, float] | None]:
        """Each document's (x, y) on the map of documents, in [-1, 1]; None for a document without a place.
        Empty if there is no map, as for a single topic.
        """
        return place_documents(self.documents, self.positions) if len(self._used) > 1 else ()

    @cached_property
    def topics(self) -> list[Topic]:
        named, near, compared = self.named, nearest_topics(self._distances), self.compared_with
        found = self.figures.get("coherence")
        coherence = named.means(found).tolist() if found else None
        partners = matches(named, compared) if compared else [None] * len(named.members)
        return topics_of(named, self.word_figures, self.leading, self.documents, near, coherence, partners)

    # how the tokens of words divide over topics
    spread = cached_property(lambda self: spread_of(self.named, self.leading, self.topics))
    # the name of the model of the topics' matches
    compared = cached_property(lambda self: self.compared_with.resolve().name if self.compared_with else "")
    words = cached_property(lambda self: words_of(self.named, self.word_figures.overall))
    words_total = cached_property(lambda self: len(self.model.vocabulary))
    _scores = cached_property(lambda self: scores_of(self.model))
    trace = cached_property(lambda self: self._scores[0])

    @cached_property
    def score_kind(self) -> str:
        """What the scores in `trace` are.

        "bound", "estimate" (of the bound), "documents" (log probability of each step's documents, given the
        topics), or "joint" (log probability of words and topics together).
        """
        return self._scores[1]

    # the score of a model without topics, to compare with `trace`
    unigram = cached_property(lambda self: unigram_of(self.model, self.manifest, self.figures))
    unigram_held_out = cached_property(lambda self: self.figures.get("unigram_held_out"))
    growth = cached_property(lambda self: growth_of_topics(self.named))
    search = cached_property(lambda self: search_of(self.model, self.manifest["settings"]))
    changes = cached_property(lambda self: changes_of_topics(self.path, self.named))
    predictions = cached_property(lambda self: predictions_of(self.model.facts.trace))

    @cached_property
    def warnings(self) -> list[str]:
        return warnings_of_run(self.model.facts.trace, self.manifest, self.model.plan.schedule)


def _concepts_in_words(held: JsonObject) -> str:
    """The parameter `words`, if it is a tree of concepts, as text for the list of settings: how many
    concepts, and their strength.
    """
    return f"{len(held['concepts']):,} concepts, strength {held['strength']:g}"


def page_of(
    path: Path,
    title: str,
    *,
    date_field: str | None = None,
    group_field: str | None = None,
    language: str | None = None,
    compare: Path | None = None,
) -> Page:
    """The report page on the topics of the model at `path`.

    Arguments as for `TopicReport`; `language`: of the words that label topics; `compare`: the path of another
    model. Raises UserError if `path` is not a model, or an unfinished run over a corpus, for fields that its
    documents lack, and for a language that it does not have.
    """
    manifest = readable_manifest(path)
    model = load_topics(path, "report")
    leading = leading_language(model, language)
    with making_sense_of(path, RESTORE):
        return TopicReport(path, manifest, model, leading, date_field, group_field, compare).page(title)
