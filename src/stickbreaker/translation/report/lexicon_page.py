"""The page about a lexicon by topic: its header, its sections, and what these share of a lexicon."""

from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from stickbreaker.core.errors import counted
from stickbreaker.corpus.text.languages import LANGUAGES
from stickbreaker.pages.colour import distinct_colours
from stickbreaker.pages.page import Choice, Page, Report
from stickbreaker.pages.text_values import one_line
from stickbreaker.pages.views import Text
from stickbreaker.translation.lexicon.domains import TopicDomains
from stickbreaker.translation.lexicon.saved_lexicon import load, read_manifest
from stickbreaker.translation.lexicon.terms import ContentWords, gains_of, terms_of
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.report.changed_documents import ChangedDocument, changed_documents, documents
from stickbreaker.translation.report.changed_terms import terms
from stickbreaker.translation.report.example_sentences import Example, Examples
from stickbreaker.translation.report.topics import known_domains, topic_rows, topics
from stickbreaker.translation.report.words_across_topics import (
    WordAcrossTopics,
    two_topics,
    words_across_topics,
)

MOST_TERMS = 500


class WithExamples(NamedTuple):
    """The rows of the report that refer to example sentences by number, and the example sentences in the
    order of these numbers."""

    documents: list[ChangedDocument]
    words: list[WordAcrossTopics]
    examples: list[Example]


class LexiconReport(Report):
    """The report on a lexicon; its rows refer to topics, domains and examples by number.

    `made_by` is the version of the library that saved the lexicon, None if it was not saved.
    """

    sections = (terms, two_topics, documents, topics)
    repeat_note = "The same pairs of sentences with the same topics and settings give the same lexicon again."

    def __init__(self, lexicon: TopicLexicon, made_by: str | None = None) -> None:
        self.lexicon, self.made_by = lexicon, made_by
        self.note = "" if self.terms else f"No term’s translation follows the {self.noun}."

    @cached_property
    def subtitle(self) -> str:
        source, target = map(_name, self.languages)
        return (
            f"How words are translated from {source} into {target} in each {self.noun}, "
            f"learned from {counted(self.lexicon.bitext.n_pairs, 'pair')} of sentences"
        )

    @cached_property
    def facts(self) -> list[tuple[str, str]]:
        lexicon, bitext, noun = self.lexicon, self.lexicon.bitext, self.noun
        strengths = " / ".join(f"{one.topic:g}" for one in lexicon.strengths)
        return [
            ("languages", f"{bitext.source} → {bitext.target}"),
            ("pairs of sentences", f"{bitext.n_pairs:,}"),
            ("documents", f"{len(bitext.names):,}"),
            ("links", f"{len(lexicon.links.source):,}"),
            ("linked pairs of words", f"{len(lexicon.forward.counts.words):,}"),
            (f"{noun}s", f"{lexicon.shares.shape[1]:,}"),
            (f"links that the prior of a {noun} is worth", strengths),
        ]

    @cached_property
    def settings(self) -> list[tuple[str, str]]:
        lexicon, bitext, noun = self.lexicon, self.lexicon.bitext, self.noun
        fields, domains = bitext.fields, lexicon.domains
        source = f"of a model, {domains.model.kind}" if isinstance(domains, TopicDomains) else "known"
        ways = ((bitext.source, bitext.target), (bitext.target, bitext.source))
        rows: list[tuple[str, object]] = [
            *([("made by", f"stickbreaker {self.made_by}")] if self.made_by else []),
            ("source and target", f"{_name(bitext.source)}, {_name(bitext.target)}"),
            ("fields of text", fields.texts),
            ("field of documents", fields.document_field),
            ("field of domains", fields.domain_field),
            ("pairs of a document without a name", fields.lines_per_document),
            (f"{noun}s", source),
            ("links between words", "given" if lexicon.aligner is None else "learned from the same pairs"),
        ]
        for (one, other), strength in zip(ways, lexicon.strengths, strict=True):
            rows += [
                (f"prior of p({other} | {one})", f"worth {strength.base:g} links"),
                (f"prior of p({other} | {one}; {noun})", f"worth {strength.topic:g} links"),
            ]
        return [(name, str(value)) for name, value in [*rows, ("fingerprint", bitext.corpus.fingerprint)]]

    # the codes of the source and of the target
    languages = cached_property(lambda self: (self.lexicon.bitext.source, self.lexicon.bitext.target))
    # whether the topics are called by a model; else they are known domains
    topics_of_model = cached_property(lambda self: isinstance(self.lexicon.domains, TopicDomains))

    @property
    def noun(self) -> str:
        return "topic" if self.topics_of_model else "domain"

    content = cached_property(lambda self: ContentWords.of(self.lexicon))
    topics = cached_property(lambda self: topic_rows(self.lexicon, self.content, self.domains))
    # the known domains of the documents, if these are not the topics
    domains = cached_property(lambda self: known_domains(self.lexicon))
    terms = cached_property(lambda self: terms_of(self.lexicon)[:MOST_TERMS])

    @cached_property
    def _with_examples(self) -> WithExamples:
        examples, (by_topic, _) = Examples(self.lexicon), gains_of(self.lexicon.forward)
        documents = changed_documents(self.lexicon, self.content, examples)
        words = words_across_topics(self.lexicon, self.content, by_topic.sum(axis=1), examples)
        return WithExamples(documents, words, examples.sentences())

    documents = cached_property(lambda self: self._with_examples.documents)
    words = cached_property(lambda self: self._with_examples.words)
    examples = cached_property(lambda self: self._with_examples.examples)
    n_documents = cached_property(lambda self: len(self.lexicon.bitext.names))

    def label_of(self, topic: int) -> str:
        """The label of a topic on the page: number and name, or the name if topics are known domains."""
        name = one_line(self.topics[topic].name)
        return f"topic {topic}: {name}" if self.topics_of_model else name

    def example(self, number: int) -> list[Text]:
        """An example sentence and its translation as texts of a view; none if there is no such example."""
        return self.examples[number].lines(self.languages) if 0 <= number < len(self.examples) else []

    def choices(self) -> dict[str, Choice]:
        """What the page's views are about: topics, and the known domains of documents."""
        topics, domains = self.topics, self.domains
        found = {
            "topic": Choice([self.label_of(k) for k in range(len(topics))], distinct_colours(len(topics))),
            "domain": Choice([one_line(name) for name in domains], distinct_colours(len(domains))),
        }
        return {of: choice for of, choice in found.items() if choice.labels}


def lexicon_page_of(path: Path, title: str) -> Page:
    """The page of the lexicon at `path`. Raises UserError if it is not one, or is damaged or altered."""
    manifest = read_manifest(path)
    return Page(title, LexiconReport(load(path), manifest["stickbreaker"]))


def _name(code: str) -> str:
    return LANGUAGES[code].capitalize() if code in LANGUAGES else code
