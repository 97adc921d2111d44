"""Lexicons by topic, whose translations follow the topics of a document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError, counted, shown
from stickbreaker.core.random_streams import share_of
from stickbreaker.core.records import Array
from stickbreaker.core.topk import descending
from stickbreaker.translation.alignment.aligned_words import Links
from stickbreaker.translation.bitext import Bitext
from stickbreaker.translation.lexicon.directed_lexicon import (
    BY_DEFAULT,
    DirectedLexicon,
    EventScores,
    Strengths,
    Translations,
    chosen_strengths,
    scores_of,
)
from stickbreaker.translation.lexicon.domains import Domains, KnownDomains, TopicDomains
from stickbreaker.translation.lexicon.link_counts import LinkCounts, LinkedWords
from stickbreaker.translation.sentence_tokens import tokens_of

if TYPE_CHECKING:
    from stickbreaker.estimators.notebooks.report_page import ReportPage
    from stickbreaker.translation.alignment.word_aligner import WordAligner

PARTS = 10  # parts of the documents, held out in turn to choose strengths
ENOUGH = 10_000  # held-out links in total
SEED = 0


class WordEntry(NamedTuple):
    """A word of one of the two languages, with all translations that it is linked with."""

    word: str
    language: str
    links: float  # number of links
    translations: tuple[str, ...]  # the most probable first
    found: Translations
    word_topic_counts: Array  # (topics,) links of the word by topic


@dataclass(frozen=True, eq=False, repr=False)
class TopicLexicon:
    """Translation probabilities of words by topic, counted from a word-aligned bitext.

    `shares` (documents × topics): domain shares of the bitext's documents. `aligner` links the words of new
    sentences; None if links were given.

    >>> from stickbreaker.translation.alignment.aligned_words import links_of
    >>> pairs = [("die bank", "the bank", "a", "money"), ("die bank", "the bench", "b", "park")]
    >>> links = links_of([[(0, 0), (1, 1)], [(0, 0), (1, 1)]])
    >>> lexicon = TopicLexicon.learn(Bitext.of(pairs, "de", "en"), links=links)
    >>> lexicon.translations("bank")[0][0]
    'bank'
    """

    bitext: Bitext
    domains: Domains
    links: Links
    shares: Array
    strengths: tuple[Strengths, Strengths]  # source to target, target to source
    aligner: WordAligner | None = None

    def __repr__(self) -> str:
        pairs, domains = counted(self.bitext.n_pairs, "pair"), counted(self.shares.shape[1], "domain")
        return f"TopicLexicon({self.bitext.source}-{self.bitext.target}, {pairs} of sentences, {domains})"

    @classmethod
    def learn(
        cls,
        bitext: Bitext,
        topics: object | None = None,
        links: Links | None = None,
        *,
        threads: int | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> TopicLexicon:
        """Learn a lexicon: link a bitext's words, unless `links` are given, and count links by topic.

        `topics`: a fitted LDA or HDP of texts in the source language, or in both; without one, domains that
        the bitext's documents state take the place of topics. Prior strengths are chosen to maximise the
        probability of held-out documents, which are selected by name; then all documents are counted. The
        result does not depend on `threads`. Raises UserError if the topics are of another language, or no
        document has a domain.
        """
        domains: Domains
        domains = (
            KnownDomains.of_bitext_fields(bitext) if topics is None else TopicDomains(topics, bitext.source)
        )
        return cls.with_domains(bitext, domains, links, threads=threads, progress=progress)

    @classmethod
    def with_domains(
        cls,
        bitext: Bitext,
        domains: Domains,
        links: Links | None = None,
        *,
        threads: int | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> TopicLexicon:
        """Learn a lexicon for given `domains`, which take the place of topics: link a bitext's words, unless
        `links` are given, count links by domain, and choose prior strengths.

        `progress` gets a line of text at each part of the work.
        """
        say: Callable[[str], None] = progress or (lambda _: None)
        aligner = None
        if links is None:
            from stickbreaker.translation.alignment.word_aligner import WordAligner

            sizes = len(bitext.words[0]), len(bitext.words[1])
            aligner = WordAligner.learn(*bitext.sides, sizes, threads=threads, on_step=say)
            links = aligner.align(*bitext.sides, threads=threads)
        say("topics of the documents")
        shares = domains.of_bitext(bitext)
        say("counts")
        made = cls(bitext, domains, links, shares, (BY_DEFAULT, BY_DEFAULT), aligner)
        return replace(made, strengths=made.best_strengths())

    # Counts and probabilities

    @cached_property
    def linked(self) -> LinkedWords:
        """The links of the bitext, each with its words, document and positions."""
        return LinkedWords.of(self.bitext.sides, self.links, self.bitext.document_of)

    @cached_property
    def forward(self) -> DirectedLexicon:
        """The lexicon of p(target word | source word)."""
        return self._directed(0)

    @cached_property
    def backward(self) -> DirectedLexicon:
        """The lexicon of p(source word | target word)."""
        return self._directed(1)

    def _directed(self, side: int) -> DirectedLexicon:
        """The lexicon from source words (side 0), or from target words (side 1), to the other language."""
        linked, sizes = self._ways[side]
        counts = LinkCounts.of(linked, sizes, len(self.bitext.names))
        return DirectedLexicon(counts, self.shares, self.strengths[side])

    @property
    def _ways(self) -> tuple[tuple[LinkedWords, tuple[int, int]], ...]:
        """For each direction (source to target, then the reverse): the links, with words translated from as
        their source, and the numbers of different words translated from and to."""
        source, target = map(len, self.bitext.words)
        return (self.linked, (source, target)), (self.linked.reversed(), (target, source))

    def best_strengths(self) -> tuple[Strengths, Strengths]:
        """The prior strengths of both directions that make held-out links most probable.

        The documents are divided into ten parts by a hash of their names, and parts are held out in turn: the
        first ones that together have `ENOUGH` (10,000) links, or all ten. The defaults if none can be held
        out, since one part has all links.
        """
        parts = np.array([int(PARTS * share_of(name, SEED)) for name in self.bitext.names])
        part_of = parts[self.linked.document]
        links = np.bincount(part_of, minlength=PARTS)
        enough = int(np.searchsorted(np.cumsum(links), ENOUGH)) + 1
        apart = [part_of == part for part in range(min(enough, PARTS)) if 0 < links[part] < len(part_of)]
        found: list[Strengths] = []
        for linked, sizes in self._ways:
            folds = [
                (LinkCounts.of(linked.take(~here), sizes, len(parts)), linked.take(here)) for here in apart
            ]
            found.append(chosen_strengths(folds, self.shares))
        return found[0], found[1]

    # Queries

    def shares_of(self, texts: Sequence[str], domains: Sequence[str] | None = None) -> Array:
        """Topic shares of documents in the source language (documents × topics).

        They come from the documents' texts or, if the lexicon's topics are known domains, from the domains
        that the documents state (None: all unknown); an unknown domain has the mean shares.
        """
        return self.domains.shares(texts, domains or [""] * len(texts))

    def entry(self, word: str, language: str | None = None) -> WordEntry:
        """Look up a word with its translations: first in the source language, then in the target language, or
        only in `language`.

        Raises UserError for a word without links, a text of several tokens, and a language that is neither.
        """
        codes = (self.bitext.source, self.bitext.target)
        if language is not None and language not in codes:
            remedy = f"it has {codes[0]} and {codes[1]}"
            raise UserError(f"the lexicon has no language {language!r}", remedy=remedy)
        for side, code in enumerate(codes):
            tokens = tokens_of(word, code)
            number = self.numbers[side].get(tokens[0], -1) if len(tokens) == 1 else -1
            lexicon = (self.forward, self.backward)[side]
            if language in (None, code) and number >= 0 and lexicon.word_counts[number] > 0.0:
                found = lexicon.translations_of(number)
                names = tuple(self.bitext.words[1 - side][e] for e in found.words.tolist())
                links, by_topic = float(lexicon.word_counts[number]), lexicon.word_topic_counts[number]
                return WordEntry(tokens[0], code, links, names, found, by_topic)
        known = " or ".join(codes) if language is None else language
        raise UserError(f"the word {shown(word)} has no translation in {known}", remedy="check its spelling")

    def translations(
        self, word: str, document: str | None = None, n: int = 10, language: str | None = None
    ) -> list[tuple[str, float]]:
        """The n most probable translations of a word, as (translation, p(e | f)).

        document: the text of a document d in the source language; p is then p(e | f, d), by its topics.
        Raises UserError for a word without links.
        """
        entry = self.entry(word, language)
        p = entry.found.p if document is None else entry.found.topic_p @ self.shares_of([document])[0]
        return [(entry.translations[e], float(p[e])) for e in descending(p, n).tolist()]

    @cached_property
    def numbers(self) -> tuple[dict[str, int], dict[str, int]]:
        """The number of each word by spelling, for the source language and for the target language."""
        source, target = ({w: number for number, w in enumerate(words)} for words in self.bitext.words)
        return source, target

    def align(self, bitext: Bitext) -> Links:
        """Link the words of new sentence pairs by the lexicon's aligner. Raises UserError if it has none,
        since its own links were given."""
        if self.aligner is None:
            problem = "the lexicon was learned from given links and has no aligner"
            raise UserError(problem, remedy="give links of the new sentences with --alignments")
        return self.aligner.align(*bitext.seen_by(self.bitext))

    def score(
        self, bitext: Bitext, links: Links | None = None, shares: Array | None = None
    ) -> tuple[EventScores, EventScores]:
        """log p of the linked words of other documents, with topics and without: of the target words given
        source words, and the reverse.

        Topics come from the documents' source side, or from `shares` (documents × topics) if already known
        (`domains.of_bitext`). A positive gain means that topics help to predict translations; no decoder is
        needed. Raises UserError without `links` if the lexicon has no aligner.
        """
        links = self.align(bitext) if links is None else links
        linked = LinkedWords.of(bitext.seen_by(self.bitext), links, bitext.document_of)
        shares = self.domains.of_bitext(bitext) if shares is None else shares
        return (scores_of(self.forward, linked, shares), scores_of(self.backward, linked.reversed(), shares))

    def report(
        self, path: str | Path | None = None, *, title: str = "Lexicon by topic", overwrite: bool = False
    ) -> ReportPage:
        """The page of `stickbreaker report` on this lexicon, which notebooks show; it is also written to
        `path`, if given.

        Raises UserError if the file exists, unless `overwrite`.
        """
        from stickbreaker.estimators.notebooks.report_page import ReportPage
        from stickbreaker.pages.page import Page
        from stickbreaker.translation.report.lexicon_page import LexiconReport

        page = ReportPage(Page(title, LexiconReport(self)).html(), title)
        if path is not None:
            page.save(path, overwrite=overwrite)
        return page

    # Files

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Save everything in a directory, the bitext included.

        Raises UserError if the path exists, unless `overwrite`, which replaces lexicons only.
        """
        from stickbreaker.translation.lexicon.saved_lexicon import save

        save(self, Path(path), overwrite=overwrite)

    @classmethod
    def load(cls, path: str | Path) -> TopicLexicon:
        """Load what `save` wrote, or the zip file that `stickbreaker export --format zip` makes of it.

        Raises UserError for a file that is missing, damaged or altered.
        """
        from stickbreaker.saved.packed_models import directory_of
        from stickbreaker.translation.lexicon.saved_lexicon import MANIFEST, load

        return load(directory_of(Path(path), (MANIFEST,)))


def sentences_with(
    lexicon: TopicLexicon, word: str, language: str, translations: Sequence[str]
) -> dict[str, NDArray[np.int64]]:
    """For each of these translations, the numbers of the sentence pairs in which a word is linked with it,
    once per link.

    language: that of the word.
    """
    side = int(language == lexicon.bitext.target)
    linked = lexicon.linked if side == 0 else lexicon.linked.reversed()
    numbers = lexicon.numbers
    here = linked.source == numbers[side][word]
    return {e: linked.pair[here & (linked.target == numbers[1 - side][e])] for e in translations}
