"""The section on documents of a bitext whose topics change most how their words are translated."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import counted
from stickbreaker.core.records import Array
from stickbreaker.core.topk import descending
from stickbreaker.pages.document_rows import document_name
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import one_line
from stickbreaker.pages.views import Entry, List, Note, Text, View, badge, muted, number, serif, strong
from stickbreaker.translation.lexicon.directed_lexicon import Translations
from stickbreaker.translation.lexicon.terms import LEAST_COUNT, LEAST_P, ContentWords
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.report.example_sentences import NO_EXAMPLE, Examples, probability

if TYPE_CHECKING:
    from stickbreaker.translation.report.lexicon_page import LexiconReport

MOST_DOCUMENTS = 12  # of all
MOST_OF_A_DOMAIN = 4
MOST_DOMAINS = 20  # those with most documents
MOST_WORDS = 8  # of a document
LEAST_WORDS = 40  # linked words with content of a document, if any has as many
LEAST_NATS = 0.01  # of a word that is shown
LEAST_SHARE = 0.005  # of a topic that is drawn


class WordChanges(NamedTuple):
    """How much a document's topics change the translation of its words: arrays with an entry for each
    distinct word of each document."""

    document: NDArray[np.int64]  # (words of documents,)
    word: NDArray[np.int64]  # (words of documents,) numbers of source words, each once per document
    links: NDArray[np.int64]  # (words of documents,) of the word in the document
    nats: Array  # (words of documents,) divergence of p(e | f, d) from p(e | f)


@dataclass(frozen=True, slots=True)
class ChangedTranslation:
    """A translation with its probability in all documents, p(e | f), and in one document, p(e | f, d)."""

    translation: str
    p_all: float
    p_here: float


@dataclass(frozen=True, slots=True)
class ChangedWord:
    """A word whose translation changes in a document: `usual` is its most probable translation in all
    documents, `here` one that the document makes more probable (which may be the same).

    `nats` is the divergence of p(e | f, d) from p(e | f); `example` is the number of an example from the
    document.
    """

    word: str
    nats: float
    usual: ChangedTranslation
    here: ChangedTranslation
    another_is_best: bool  # the likeliest translation is not that of all documents
    example: int = NO_EXAMPLE


@dataclass(frozen=True, slots=True)
class ChangedDocument:
    """A document of the bitext, and how much its topics change translations.

    domain: "" if not known; pairs: number of sentence pairs; nats: mean change per link of a content word (a
    divergence); topics: (topic, share), the largest first; words: those whose translations change most.
    """

    name: str
    domain: str
    pairs: int
    nats: float
    topics: Sequence[tuple[int, float]]
    words: Sequence[ChangedWord]


def documents(report: "LexiconReport") -> Section | None:
    if not any(row.words for row in report.documents):
        return None
    source = "A document’s topics come from its source side alone. " if report.topics_of_model else ""
    text = (
        f"Documents whose {report.noun}s change most of how their words are translated: here are "
        f"{len(report.documents):,} of {report.n_documents:,}. {source}Of its words, those are listed whose "
        "translation is furthest from that in all documents: p in all documents → p in this document. The "
        "change is the divergence of the two, in nats; that of a document is the mean over its linked words. "
        "The sentences are the document’s own; what is linked there is marked."
    )
    entries = [_entry(row, report) for row in report.documents]
    view = List(entries, of="topic", groups="Domain", most=MOST_DOCUMENTS, open=1)
    return Section("documents", "What changes in a document", text, [view], link="Documents")


def _entry(row: ChangedDocument, report: "LexiconReport") -> Entry:
    domain, size = one_line(row.domain) if row.domain else "", counted(row.pairs, "pair")
    about = f"{size}, {row.nats:.3f} nats per word"
    words: list[View] = [Note(_changed_word(word, report)) for word in row.words]
    return Entry(
        document_name(row.name),
        f"{domain} · {about}" if domain else about,
        row.topics,
        words or [Note("No word has a translation that becomes likelier.", muted=True)],
        domain,
    )


def _changed_word(row: ChangedWord, report: "LexiconReport") -> Text:
    """A word with its translation in all documents and in this one, and an example below."""
    said: list[Text] = [strong(serif(one_line(row.word))), " ", _translation(row.here)]
    if row.usual.translation != row.here.translation:
        usual = "instead of " if row.another_is_best else "usually "
        said += [" ", muted([usual, _translation(row.usual)])]
    if row.another_is_best:
        said.append(badge("another is best"))
    return [*said, " ", number(f"{row.nats:.2f} nats"), *report.example(row.example)]


def _translation(row: ChangedTranslation) -> Text:
    return [serif(one_line(row.translation)), f" {probability(row.p_all)} → {probability(row.p_here)}"]


def word_changes(lexicon: TopicLexicon, content: ContentWords) -> WordChanges:
    """How much the topics of each document change the translation of each of its linked content words.

    Words with fewer than `LEAST_COUNT` links in the bitext are left out. Entries are sorted by word, then
    document.
    """
    wanted = content.source & (lexicon.forward.word_counts >= LEAST_COUNT)
    linked, n = lexicon.linked, len(lexicon.bitext.names)
    chosen = wanted[linked.source]
    keys, links = np.unique(linked.source[chosen] * n + linked.document[chosen], return_counts=True)
    word, document = np.divmod(keys, n)
    nats = np.zeros(len(keys))
    starts = np.append(np.flatnonzero(np.diff(word, prepend=-1)), len(keys))
    for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        found = lexicon.forward.translations_of(int(word[start]))
        nats[start:stop] = divergences(found, lexicon.shares[document[start:stop]])
    return WordChanges(document, word, links, nats)


def divergences(found: Translations, shares: Array) -> Array:
    """The divergence in nats of p(e | f, d) from p(e | f), for one word f in each of several documents d
    (documents).

    found: the translations of the word; shares (documents × topics). Translations that were never linked add
    nothing.
    """
    here = shares @ found.topic_p.T
    return np.maximum((here * np.log(here / found.p)).sum(axis=1), 0.0)


def changed_documents(
    lexicon: TopicLexicon, content: ContentWords, examples: Examples
) -> list[ChangedDocument]:
    """The documents in which translations change most, overall and in each domain, the largest changes first.

    Example sentences from them are added to `examples`.
    """
    changes, n = word_changes(lexicon, content), len(lexicon.bitext.names)
    links: Array = np.bincount(changes.document, changes.links, minlength=n).astype(np.float64)
    nats = np.bincount(changes.document, changes.links * changes.nats, minlength=n) / np.maximum(links, 1.0)
    pairs = np.bincount(lexicon.bitext.document_of, minlength=n)
    order = np.argsort(changes.document, kind="stable")
    starts = np.searchsorted(changes.document[order], np.arange(n + 1))
    found: list[ChangedDocument] = []
    for document in _chosen(lexicon.bitext.domains, links, nats):
        own = order[starts[document] : starts[document + 1]]
        own = own[descending(changes.nats[own])]  # by word before
        shares = lexicon.shares[document]
        found.append(
            ChangedDocument(
                lexicon.bitext.names[document],
                lexicon.bitext.domains[document],
                int(pairs[document]),
                float(nats[document]),
                [(k, float(shares[k])) for k in descending(shares).tolist() if shares[k] >= LEAST_SHARE],
                list(
                    _changed_words(
                        lexicon,
                        content,
                        document,
                        changes.word[own[changes.nats[own] >= LEAST_NATS]],
                        examples,
                    )
                ),
            )
        )
    return found


def _chosen(domains: tuple[str, ...], links: Array, nats: Array) -> list[int]:
    """The numbers of the documents to show, those with the largest changes first: the `MOST_DOCUMENTS`
    largest overall, and the `MOST_OF_A_DOMAIN` largest of each large domain.

    domains, links, nats: of each document. Documents without changes, and those with few linked content
    words, are left out.
    """
    enough = links >= min(LEAST_WORDS, links.max(initial=0.0))
    ranked = [d for d in np.argsort(-nats, kind="stable").tolist() if enough[d] and nats[d] > 0.0]
    names = sorted({domain for domain in domains if domain}, key=lambda name: (-domains.count(name), name))
    shown = set(ranked[:MOST_DOCUMENTS])
    for name in names[:MOST_DOMAINS]:
        shown.update([d for d in ranked if domains[d] == name][:MOST_OF_A_DOMAIN])
    return [d for d in ranked if d in shown]


def _changed_words(
    lexicon: TopicLexicon, content: ContentWords, document: int, words: NDArray[np.int64], examples: Examples
) -> Iterator[ChangedWord]:
    """How a document's topics change the translation of these source words, in the order given.

    Yields the first `MOST_WORDS` words for which the document makes a translation, a content word, more
    probable; others are skipped. Example sentences are added to `examples`.
    """
    left = MOST_WORDS
    for word in words.tolist():
        found = lexicon.forward.translations_of(word)
        shares = lexicon.shares[document : document + 1]
        changed = _changed(lexicon, content, found, found.topic_p @ shares[0])
        if changed is not None and left:
            left -= 1
            usual, here = changed
            target = lexicon.numbers[1][here.translation]
            yield ChangedWord(
                lexicon.bitext.words[0][word],
                float(divergences(found, shares)[0]),
                usual,
                here,
                here.p_here > usual.p_here,
                examples.in_document(word, target, document),
            )


def _changed(
    lexicon: TopicLexicon, content: ContentWords, found: Translations, here: Array
) -> tuple[ChangedTranslation, ChangedTranslation] | None:
    """The usual translation of a word, and one that a document makes more probable; None if no translation
    became more probable.

    The usual one is the most probable in all documents. The other is the most probable in the document or, if
    that is the same, the one that adds most to the divergence. Only content words count, and the other must
    have a p of at least `LEAST_P` in the document. `here` (translations,): p(e | f, d).
    """
    chosen = np.flatnonzero(content.target[found.words])
    if not len(chosen):
        return None
    usual, best = chosen[np.argmax(found.p[chosen])], chosen[np.argmax(here[chosen])]
    if best == usual:
        best = chosen[np.argmax(np.where(here >= LEAST_P, here * np.log(here / found.p), 0.0)[chosen])]
    if here[best] < LEAST_P or here[best] <= found.p[best]:
        return None
    names = lexicon.bitext.words[1]
    one, other = (
        ChangedTranslation(names[found.words[e]], float(found.p[e]), float(here[e])) for e in (usual, best)
    )
    return one, other
