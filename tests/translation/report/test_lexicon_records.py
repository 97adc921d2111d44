"""From lexicons to the records of their report, on planted domains and against sums over all translations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.translation.planted_bitexts import straight_links
from tests.translation.report.planted_lexicons import MONEY, PARK, pairs, planted

from stickbreaker import LDA
from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.corpus import Analysis, Corpus, VocabularyRule
from stickbreaker.pages.page import Page
from stickbreaker.translation.bitext import Bitext, Pair
from stickbreaker.translation.lexicon.domains import Domains
from stickbreaker.translation.lexicon.terms import ContentWords, gains_of
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.report.changed_documents import (
    MOST_DOCUMENTS,
    MOST_OF_A_DOMAIN,
    divergences,
    word_changes,
)
from stickbreaker.translation.report.example_sentences import NO_EXAMPLE, Examples, cut_pieces
from stickbreaker.translation.report.lexicon_page import LexiconReport
from stickbreaker.translation.report.topics import topic_rows
from stickbreaker.translation.report.words_across_topics import words_across_topics


class MixedDomains(Domains):
    """Two topics, which documents have in shares that their text says by its length."""

    kind = "mixed"

    @property
    def names(self) -> list[str]:
        return ["one", "other"]

    def shares(self, sources: list[str], domains: list[str]) -> Array:
        first = np.array([0.1 + 0.8 * ("Geld" in text) for text in sources])
        return np.stack([first, 1.0 - first], axis=1)

    def write(self, directory: object) -> dict[str, object]:
        raise NotImplementedError


def mixed(domains: tuple[str | None, str | None] = ("money", "park")) -> TopicLexicon:
    bitext = Bitext.of(pairs(10, domains), "de", "en")
    return TopicLexicon.with_domains(bitext, MixedDomains(), straight_links(bitext))


@pytest.fixture(scope="module")
def lexicon() -> TopicLexicon:
    return planted()


@pytest.fixture(scope="module")
def page(lexicon: TopicLexicon) -> Page:
    return Page("A title", LexiconReport(lexicon, "1.0"))


# Words and topics


def test_words_have_their_probabilities_and_sentences(lexicon: TopicLexicon, page: Page) -> None:
    assert {row.word for row in page.report.words} >= {"bank", "schloss"}
    for row in page.report.words:
        entry = lexicon.entry(row.word)
        assert row.links == entry.links
        for name, p in row.translations:
            assert p == entry.found.p[entry.translations.index(name)]
        for one in row.topics:
            places = [entry.translations.index(name) for name, _ in row.translations]
            assert one.links == entry.word_topic_counts[one.topic]
            assert list(one.p) == entry.found.topic_p[places, one.topic].tolist()
            best = row.translations[int(np.argmax(one.p))][0]
            assert best == entry.translations[int(np.argmax(entry.found.topic_p[:, one.topic]))]
            example = page.report.examples[one.example]
            own = MONEY if lexicon.domains.names[one.topic] == "money" else PARK
            assert ("".join(example.source), "".join(example.target)) in own
            assert example.source[1].lower() == row.word
            assert example.target[1] == best


def test_examples_are_shared_and_limited(lexicon: TopicLexicon, monkeypatch: pytest.MonkeyPatch) -> None:
    content, gains = ContentWords.of(lexicon), gains_of(lexicon.forward)[0].sum(axis=1)
    examples = Examples(lexicon)
    every = words_across_topics(lexicon, content, gains, examples)
    numbers = [one.example for row in every for one in row.topics if one.example != NO_EXAMPLE]
    assert sorted(set(numbers)) == list(range(len(examples)))
    assert len(examples.sentences()) == len(examples)
    monkeypatch.setattr("stickbreaker.translation.report.words_across_topics.MOST_EXAMPLES", 1)
    assert words_across_topics(lexicon, content, gains, Examples(lexicon)) == every[:1]


def test_topics_have_typical_words_and_the_domains_of_their_documents() -> None:
    lexicon = mixed()
    rows = topic_rows(lexicon, ContentWords.of(lexicon), ("money", "park"))
    assert [row.name for row in rows] == ["one", "other"]
    assert sum(row.share for row in rows) == pytest.approx(1.0)
    counts = lexicon.forward.word_topic_counts
    assert [row.share for row in rows] == pytest.approx(counts.sum(axis=0) / counts.sum())
    assert "geld" in {word for word, _, _ in rows[0].words}
    assert "garten" in {word for word, _, _ in rows[1].words}
    links = {
        name: sum(len(one[0].split()) + 1 for one in said)
        for name, said in (("money", MONEY), ("park", PARK))
    }
    for k, (mine, yours) in enumerate(((0.9, 0.1), (0.1, 0.9))):
        of_money, of_park = mine * links["money"], yours * links["park"]
        share = of_money / (of_money + of_park)
        assert dict(rows[k].domains) == pytest.approx({0: share, 1: 1.0 - share})
    for row in rows:
        for word, translation, p in row.words:
            entry = lexicon.entry(word)
            assert p == entry.found.topic_p[entry.translations.index(translation), rows.index(row)]


# Documents


def test_changes_are_divergences_over_all_translations() -> None:
    lexicon = mixed()
    forward, content = lexicon.forward, ContentWords.of(lexicon)
    changes = word_changes(lexicon, content)
    everything = np.arange(-1, forward.counts.n_translations)
    assert len(changes.word) > 20
    for document, word, links, nats in zip(*changes, strict=True):
        words, shares = (
            np.full(len(everything), word),
            np.tile(lexicon.shares[document], (len(everything), 1)),
        )
        plain, here = forward.p_plain(words, everything), forward.p_adapted(words, everything, shares)
        assert nats == pytest.approx((here * np.log(here / plain)).sum(), abs=1e-12)
        own = (lexicon.linked.source == word) & (lexicon.linked.document == document)
        assert links == own.sum()
    assert divergences(forward.translations_of(0), np.array([[1.0, 0.0]])).shape == (1,)


def test_documents_show_what_changes_most_in_them() -> None:
    lexicon = mixed()
    page = Page("t", LexiconReport(lexicon, "1.0"))
    assert [row.nats for row in page.report.documents] == sorted(
        (row.nats for row in page.report.documents), reverse=True
    )
    for row in page.report.documents:
        document = lexicon.bitext.names.index(row.name)
        shares = lexicon.shares[document]
        assert (row.domain, row.pairs) == (lexicon.bitext.domains[document], 3)
        assert dict(row.topics) == pytest.approx({k: shares[k] for k in range(2)})
        words = {one.word: one for one in row.words}
        assert set(words) >= {"bank", "schloss"}
        better = "bank" if row.domain == "money" else "bench"
        assert words["bank"].here.translation == better
        for one in row.words:
            entry = lexicon.entry(one.word)
            for change in (one.usual, one.here):
                e = entry.translations.index(change.translation)
                assert change.p_all == entry.found.p[e]
                assert change.p_here == pytest.approx(float(entry.found.topic_p[e] @ shares))
            assert one.here.p_here > one.here.p_all
            assert one.another_is_best == (one.here.p_here > one.usual.p_here)
            said = MONEY if row.domain == "money" else PARK
            assert "".join(page.report.examples[one.example].source) in {source for source, _ in said}


def test_some_documents_of_each_domain_are_shown() -> None:
    lexicon = planted([*pairs(30), *pairs(2, ("other", None))])
    page = Page("t", LexiconReport(lexicon, "1.0"))
    domains = [row.domain for row in page.report.documents]
    assert MOST_DOCUMENTS <= len(domains) <= MOST_DOCUMENTS + 3 * MOST_OF_A_DOMAIN
    assert min(domains.count(name) for name in ("money", "park")) >= MOST_OF_A_DOMAIN


# Sentences


@given(
    st.text(st.sampled_from("ab 我é"), max_size=60),
    st.lists(st.integers(0, 59), max_size=6),
    st.integers(1, 30),
)
def test_pieces_are_the_text_around_the_first_mark(text: str, ends: list[int], most: int) -> None:
    places = sorted({end for end in ends if end < len(text)})
    marks = [(a, b) for a, b in zip(places[::2], places[1::2], strict=False) if a < b]
    pieces = cut_pieces(text, marks, most)
    assert len(pieces) % 2 == 1
    whole = "".join(pieces)
    inside = whole[2 if pieces[0].startswith("… ") else 0 : -2 if pieces[-1].endswith(" …") else len(whole)]
    assert inside in text
    assert len(inside) <= max(most, 1)
    if len(text) <= most:
        assert inside == text
        assert pieces[1::2] == [text[a:b] for a, b in marks]
    if marks:
        first = text[slice(*marks[0])]
        assert first.startswith(pieces[1])
        assert pieces[1]


def test_sentences_that_are_cut_into_other_tokens_now_have_no_marks(
    lexicon: TopicLexicon, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = Examples(lexicon)
    number = examples.in_topic(lexicon.numbers[0]["bank"], lexicon.numbers[1]["bench"], 1)
    assert number == 0
    monkeypatch.setattr(
        "stickbreaker.translation.report.example_sentences.token_spans", lambda text, _: (text, [(0, 1)])
    )
    (example,) = examples.sentences()
    assert (len(example.source), len(example.target)) == (1, 1)


# What may be missing


def test_facts_and_settings_say_what_was_learned(lexicon: TopicLexicon, page: Page) -> None:
    facts, settings = dict(page.facts), dict(page.settings)
    assert (facts["languages"], facts["pairs of sentences"], facts["documents"]) == ("de → en", "60", "20")
    assert facts["links"] == str(len(lexicon.links.source))
    assert facts["domains"] == "2"
    assert settings["links between words"] == "given"
    assert settings["prior of p(en | de; domain)"] == f"worth {lexicon.strengths[0].topic:g} links"
    assert "from German into English" in page.subtitle


def test_python_has_the_same_page(lexicon: TopicLexicon, tmp_path: Path) -> None:
    page = lexicon.report(tmp_path / "r.html", title="<A title>")
    assert page.html == Page("<A title>", LexiconReport(lexicon)).html()
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == page.html
    assert page._repr_html_().startswith('<iframe title="&lt;A title&gt;"')
    with pytest.raises(UserError, match="exists"):
        lexicon.report(tmp_path / "r.html")


def test_one_domain_has_no_terms_and_changes_nothing() -> None:
    page = Page("t", LexiconReport(planted(pairs(5, ("money",))), "1.0"))
    assert not page.report.terms
    assert not page.report.words
    assert not page.report.documents
    assert len(page.report.topics) == 1
    assert "two" not in [section.anchor for section in page.sections]


def test_topics_of_a_model_without_domains() -> None:
    bitext = Bitext.of(pairs(10, (None, None)), "de", "en")
    corpus = Corpus.from_texts(bitext.document_texts[0], analysis=Analysis("de"), rule=VocabularyRule(1, 1.0))
    model = LDA(2, max_iter=20, tol=0.0, random_state=0).fit(corpus)
    page = Page("t", LexiconReport(TopicLexicon.learn(bitext, model, straight_links(bitext)), "1.0"))
    assert page.report.topics_of_model
    assert page.report.domains == ()
    assert not any(row.domains for row in page.report.topics)
    assert page.report.label_of(1).startswith("topic 1: ")
    assert dict(page.facts)["topics"] == "2"


def test_words_that_are_linked_with_none() -> None:
    bitext = Bitext.of([Pair("a b", "c d", "one", "x"), Pair("a", "c", "two", "y")], "de", "en")
    from stickbreaker.translation.alignment.aligned_words import links_of

    page = Page("t", LexiconReport(TopicLexicon.learn(bitext, links=links_of([[], []])), "1.0"))
    assert (page.report.terms, page.report.words, page.report.documents, page.report.examples) == (
        [],
        [],
        [],
        [],
    )
    assert [row.share for row in page.report.topics] == [0.0, 0.0]
