"""Counts and probabilities of lexicons by topic against loops in plain Python."""

import numpy as np
import pytest
from tests.oracle.topic_lexicon import Lexicon, mutual_information, reversed_sentences
from tests.tiers import sampled
from tests.translation.planted_bitexts import random_bitext, sentences_of_bitext, straight_links

from stickbreaker.translation.alignment.aligned_words import links_of
from stickbreaker.translation.bitext import Bitext, Pair
from stickbreaker.translation.lexicon import directed_lexicon, terms
from stickbreaker.translation.lexicon.directed_lexicon import (
    DirectedLexicon,
    Strengths,
    chosen_strengths,
    scores_of,
)
from stickbreaker.translation.lexicon.link_counts import LinkCounts, LinkedWords
from stickbreaker.translation.lexicon.terms import gains_of

STRENGTHS = Strengths(0.7, 3.0)


def both_ways(bitext, links, shares, strengths=STRENGTHS):
    """The lexicons of both directions, each with its oracle and the words of its two languages."""
    linked = LinkedWords.of(bitext.sides, links, bitext.document_of)
    sizes = len(bitext.words[0]), len(bitext.words[1])
    sentences = sentences_of_bitext(bitext, links)
    by_name = dict(zip(bitext.names, shares.tolist(), strict=True))
    ways = (
        (linked, sizes, sentences, bitext.words),
        (linked.reversed(), sizes[::-1], reversed_sentences(sentences), bitext.words[::-1]),
    )
    for events, own, lines, words in ways:
        counts = LinkCounts.of(events, own, len(bitext.names))
        lexicon = DirectedLexicon(counts, shares, strengths)
        yield lexicon, Lexicon(lines, by_name, words[1], *strengths), words


def everything(words):
    """All pairs of a word, or an unknown one, and a translation, or an unknown one; as numbers and names."""
    first, second = ([*range(len(own)), -1] for own in words)
    pairs = [(f, e) for f in first for e in second]
    numbers = np.array(pairs, np.int64)
    named = [(words[0][f] if f >= 0 else None, words[1][e] if e >= 0 else None) for f, e in pairs]
    return numbers[:, 0], numbers[:, 1], named


@pytest.mark.parametrize("seed", sampled(range(6), 2))
def test_counts_equal_loops(seed):
    bitext, links, shares = random_bitext(seed)
    for lexicon, oracle, words in both_ways(bitext, links, shares):
        counts = lexicon.counts
        found = {}
        for row, (f, e) in enumerate(zip(counts.words, counts.translations, strict=True)):
            for d, n in enumerate(counts.by_document[row].toarray()[0]):
                found[bitext.names[d], words[0][f], words[1][e]] = n
        wanted = {key: n for key, n in oracle.by_document.items() if n}
        assert {key: n for key, n in found.items() if n} == wanted
        rows = np.arange(len(counts.words))
        by_topic = lexicon.topic_counts(rows)
        for row in rows:
            f, e = words[0][counts.words[row]], words[1][counts.translations[row]]
            assert lexicon.pair_counts[row] == oracle.all[f, e]
            assert by_topic[row] == pytest.approx([oracle.by_topic[k, f, e] for k in range(3)])
        assert lexicon.word_counts == pytest.approx([oracle.count(f) for f in words[0]])
        topics = [[oracle.count(f, k) for k in range(3)] for f in words[0]]
        np.testing.assert_allclose(lexicon.word_topic_counts, topics, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_probabilities_equal_loops_and_sum_to_one(seed, monkeypatch):
    monkeypatch.setattr(directed_lexicon, "AT_ONCE", 7)
    bitext, links, shares = random_bitext(seed)
    here = np.array([0.2, 0.5, 0.3])
    for lexicon, oracle, words in both_ways(bitext, links, shares):
        first, second, named = everything(words)
        plain, by_topic = lexicon.p_plain(first, second), lexicon.p_topics(first, second)
        adapted = lexicon.p_adapted(first, second, np.tile(here, (len(first), 1)))
        assert plain == pytest.approx([oracle.p(e, f) for f, e in named])
        wanted = [[oracle.p_topic(e, f, k) for k in range(3)] for f, e in named]
        np.testing.assert_allclose(by_topic, wanted, rtol=1e-10)
        assert adapted == pytest.approx([oracle.p_document(e, f, here) for f, e in named])
        n = len(words[1]) + 1
        for p in (plain, adapted, *by_topic.T):
            np.testing.assert_allclose(p.reshape(-1, n).sum(axis=1), 1.0, rtol=1e-10)
            assert (p > 0.0).all()
        assert lexicon.base.sum() == pytest.approx(1.0)


def test_one_topic_changes_nothing():
    bitext, links, _ = random_bitext(1)
    for lexicon, _, words in both_ways(bitext, links, np.ones((len(bitext.names), 1))):
        first, second, _ = everything(words)
        rows = np.arange(len(lexicon.counts.words))
        np.testing.assert_allclose(lexicon.topic_counts(rows)[:, 0], lexicon.pair_counts)
        plain = lexicon.p_plain(first, second)
        np.testing.assert_allclose(lexicon.p_topics(first, second)[:, 0], plain, rtol=1e-12)
        np.testing.assert_allclose(lexicon.p_adapted(first, second, np.ones((len(first), 1))), plain)
        np.testing.assert_allclose(gains_of(lexicon)[0], 0.0, atol=1e-12)


def test_topics_say_nothing_of_what_was_never_linked():
    bitext, links, shares = random_bitext(2)
    for lexicon, _, words in both_ways(bitext, links, shares):
        first, second, _ = everything(words)
        strange = lexicon.counts.rows_of(first, second) < 0
        plain, by_topic = lexicon.p_plain(first, second), lexicon.p_topics(first, second)
        assert strange.any()
        np.testing.assert_allclose(by_topic[strange], np.tile(plain[strange, None], 3), rtol=1e-12)


@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_scores_equal_loops(seed):
    bitext, links, shares = random_bitext(seed)
    other, other_links, _ = random_bitext(seed + 100)
    more = [Pair("f0 strange f1", "new e1", "d9")]  # words that the lexicon does not know
    other = Bitext.of([*(Pair(*texts) for texts in other.texts(range(other.n_pairs))), *more], "de", "en")
    other_links = straight_links(other)
    new_shares = np.random.default_rng(seed).dirichlet(np.ones(3), len(other.names))
    seen = LinkedWords.of(other.seen_by(bitext), other_links, other.document_of)
    sentences = sentences_of_bitext(other, other_links, known=bitext)
    by_name = dict(zip(other.names, new_shares.tolist(), strict=True))
    ways = zip((seen, seen.reversed()), (sentences, reversed_sentences(sentences)), strict=True)
    for (lexicon, oracle, _), (events, lines) in zip(both_ways(bitext, links, shares), ways, strict=True):
        scores = scores_of(lexicon, events, new_shares)
        wanted = oracle.scores(lines, by_name)
        assert [other.names[d] for d in scores.document] == [one[0] for one in wanted]
        assert scores.plain == pytest.approx([one[1] for one in wanted])
        assert scores.adapted == pytest.approx([one[2] for one in wanted])
        assert scores.gain == pytest.approx([one[2] - one[1] for one in wanted])


def test_a_word_linked_with_several_has_their_mean():
    bitext = Bitext.of([Pair("a b", "x", "d0"), Pair("a", "y", "d1")], "de", "en")
    links = links_of([[(0, 0), (1, 0)], [(0, 0)]])
    (lexicon, oracle, _), _ = both_ways(bitext, links, np.eye(2))
    linked = LinkedWords.of(bitext.sides, links, bitext.document_of)
    scores = scores_of(lexicon, linked, np.eye(2))
    assert len(scores.plain) == 2
    assert np.exp(scores.plain[0]) == pytest.approx((oracle.p("x", "a") + oracle.p("x", "b")) / 2)


def test_translations_of_a_word_are_in_order():
    bitext, links, shares = random_bitext(3)
    for lexicon, oracle, words in both_ways(bitext, links, shares):
        for number, f in enumerate(words[0]):
            found = lexicon.translations_of(number)
            linked = {e for e in words[1] if oracle.all[f, e] > 0}
            assert {words[1][e] for e in found.words} == linked
            assert found.p.tolist() == sorted(found.p.tolist(), reverse=True)
            for place, e in enumerate(found.words):
                name = words[1][e]
                assert found.links[place] == oracle.all[f, name]
                assert found.p[place] == pytest.approx(oracle.p(name, f))
                wanted = [oracle.p_topic(name, f, k) for k in range(3)]
                assert found.topic_p[place] == pytest.approx(wanted)
                assert found.topic_links[place] == pytest.approx(
                    [oracle.by_topic[k, f, name] for k in range(3)]
                )


# terms


@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_gains_equal_sums_over_all_words(seed, monkeypatch):
    monkeypatch.setattr(terms, "AT_ONCE", 5)
    bitext, links, shares = random_bitext(seed)
    for lexicon, oracle, words in both_ways(bitext, links, shares):
        by_topic, topic_shares = gains_of(lexicon)
        for number, f in enumerate(words[0]):
            if oracle.count(f):
                assert by_topic[number] == pytest.approx([oracle.gain(f, k) for k in range(3)], abs=1e-12)
                wanted = [oracle.count(f, k) / oracle.count(f) for k in range(3)]
                assert topic_shares[number] == pytest.approx(wanted)
            else:
                assert not by_topic[number].any()


@pytest.mark.parametrize("base", [1e-9, 0.8])
def test_gains_without_a_prior_of_topics_are_mutual_information(base):
    bitext, links, shares = random_bitext(5)
    for lexicon, oracle, words in both_ways(bitext, links, shares, Strengths(base, 1e-9)):
        gains = gains_of(lexicon)[0].sum(axis=1)
        for number, f in enumerate(words[0]):
            if not oracle.count(f):
                continue
            joint = {
                (k, e): oracle.by_topic[k, f, e]
                + base * oracle.base(e) * oracle.count(f, k) / oracle.count(f)
                for k in range(3)
                for e in (*words[1], None)
            }
            assert gains[number] == pytest.approx(mutual_information(joint), abs=1e-7)


# strengths


def test_strengths_are_those_of_the_best_held_out_score():
    bitext, links, shares = random_bitext(7, n_documents=12)
    linked = LinkedWords.of(bitext.sides, links, bitext.document_of)
    apart = linked.document >= 9
    counts = LinkCounts.of(linked.take(~apart), tuple(map(len, bitext.words)), 12)
    held_out = linked.take(apart)
    found = chosen_strengths([(counts, held_out)], shares)
    scores = {
        base: np.log(DirectedLexicon(counts, shares, Strengths(base)).p_plain(*held_out[:2])).mean()
        for base in directed_lexicon.STRENGTHS
    }
    assert found.base == max(scores, key=scores.get)
    by_topic = {
        m: scores_of(
            DirectedLexicon(counts, shares, Strengths(found.base, m)), held_out, shares
        ).adapted.mean()
        for m in directed_lexicon.TOPIC_STRENGTHS
    }
    assert found.topic == max(by_topic, key=by_topic.get)


def test_strengths_without_links_are_the_defaults():
    bitext, links, shares = random_bitext(0)
    linked = LinkedWords.of(bitext.sides, links, bitext.document_of)
    nothing = linked.take(np.zeros(len(linked.source), bool))
    sizes = tuple(map(len, bitext.words))
    counts = LinkCounts.of(nothing, sizes, len(bitext.names))
    assert chosen_strengths([(counts, nothing)], shares) == Strengths()
    lexicon = DirectedLexicon(counts, shares)
    assert lexicon.p_plain(np.array([0, -1]), np.array([0, -1])) == pytest.approx(
        [1 / (1 + sizes[1])] * 2
    )  # nothing is known: all words are as probable, and so is the place of unknown ones
    assert not gains_of(lexicon)[0].any()
