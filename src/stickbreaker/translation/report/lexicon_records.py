"""From a saved lexicon to the records of its report."""

from pathlib import Path
from typing import Any

from stickbreaker.core.errors import counted
from stickbreaker.corpus.text.languages import LANGUAGES
from stickbreaker.translation.lexicon.domains import Domains, TopicDomains
from stickbreaker.translation.lexicon.saved_lexicon import load, read_manifest
from stickbreaker.translation.lexicon.terms import ContentWords, gains_of, terms_of
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.report.changed_documents import changed_documents
from stickbreaker.translation.report.example_sentences import Examples
from stickbreaker.translation.report.lexicon_page import LexiconPage
from stickbreaker.translation.report.words_across_topics import (
    known_domains,
    topic_rows,
    words_across_topics,
)

MOST_TERMS = 500


def lexicon_page_of(path: Path, title: str) -> LexiconPage:
    """The report of the lexicon at `path`. Raises UserError for what is no lexicon, damaged or altered."""
    manifest = read_manifest(path)
    return page_of_lexicon(load(path), title, manifest["stickbreaker"])


def page_of_lexicon(lexicon: TopicLexicon, title: str, made_by: str | None = None) -> LexiconPage:
    """The report of a lexicon; `made_by` is the version of the library that saved it, if one did."""
    content, examples, domains = ContentWords.of(lexicon), Examples(lexicon), known_domains(lexicon)
    documents = changed_documents(lexicon, content, examples)
    by_topic, _ = gains_of(lexicon.forward)
    words = words_across_topics(lexicon, content, by_topic.sum(axis=1), examples)
    source, target = lexicon.bitext.source, lexicon.bitext.target
    noun = noun_of(lexicon.domains)
    return LexiconPage(
        title=title,
        subtitle=f"How words are translated from {_name(source)} into {_name(target)} in each {noun}, "
        f"learned from {counted(lexicon.bitext.n_pairs, 'pair')} of sentences",
        facts=_facts(lexicon),
        settings=_settings(lexicon, made_by),
        languages=(source, target),
        topics_of_model=noun == "topic",
        topics=topic_rows(lexicon, content, domains),
        domains=domains,
        terms=terms_of(lexicon)[:MOST_TERMS],
        words=words,
        documents=documents,
        n_documents=len(lexicon.bitext.names),
        examples=examples.sentences(),
    )


def noun_of(domains: Domains) -> str:
    """What the page calls one of the domains: a topic if they are those of a model."""
    return "topic" if isinstance(domains, TopicDomains) else "domain"


def _name(code: str) -> str:
    return LANGUAGES[code].capitalize() if code in LANGUAGES else code


def _facts(lexicon: TopicLexicon) -> list[tuple[str, str]]:
    bitext = lexicon.bitext
    strengths = " / ".join(f"{one.topic:g}" for one in lexicon.strengths)
    return [
        ("languages", f"{bitext.source} → {bitext.target}"),
        ("pairs of sentences", f"{bitext.n_pairs:,}"),
        ("documents", f"{len(bitext.names):,}"),
        ("links", f"{len(lexicon.links.source):,}"),
        ("linked pairs of words", f"{len(lexicon.forward.counts.words):,}"),
        (f"{noun_of(lexicon.domains)}s", f"{lexicon.shares.shape[1]:,}"),
        (f"links that the prior of a {noun_of(lexicon.domains)} is worth", strengths),
    ]


def _settings(lexicon: TopicLexicon, made_by: str | None) -> list[tuple[str, str]]:
    bitext, domains = lexicon.bitext, lexicon.domains
    fields, noun = bitext.fields, noun_of(domains)
    ways = ((bitext.source, bitext.target), (bitext.target, bitext.source))
    rows: list[tuple[str, Any]] = [
        *([("made by", f"stickbreaker {made_by}")] if made_by else []),
        ("source and target", f"{_name(bitext.source)}, {_name(bitext.target)}"),
        ("fields of text", fields.texts),
        ("field of documents", fields.document_field),
        ("field of domains", fields.domain_field),
        ("pairs of a document without a name", fields.lines_per_document),
        (f"{noun}s", f"of a model, {domains.model.kind}" if isinstance(domains, TopicDomains) else "known"),
        ("links between words", "given" if lexicon.aligner is None else "learned from the same pairs"),
    ]
    for (one, other), strength in zip(ways, lexicon.strengths, strict=True):
        rows += [
            (f"prior of p({other} | {one})", f"worth {strength.base:g} links"),
            (f"prior of p({other} | {one}; {noun})", f"worth {strength.topic:g} links"),
        ]
    return [(name, str(value)) for name, value in [*rows, ("fingerprint", bitext.corpus.fingerprint)]]
