"""Scores of whole corpora: block by block, and language by language."""

from itertools import combinations
from math import exp, log

import numpy as np
import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.shards import Bags
from stickbreaker.topics.evaluation import (
    Topics,
    coherence_of,
    compare_sides,
    completion_of,
    completion_score,
    left_to_right_of,
    split_halves,
    unigram_probabilities,
)

WORDS = ("bank", "coin", "river", "water")
PAIRS = {"bank": "bank", "coin": "münze", "river": "fluss", "water": "wasser"}
TWO_TOPICS = np.array([[0.4, 0.5, 0.05, 0.05], [0.4, 0.02, 0.3, 0.28]])


def posterior(topic_word: np.ndarray):
    """Infers by Bayes' rule for documents of a single topic, softened."""

    def infer(bags: Bags) -> np.ndarray:
        rows = zip(bags.offsets[:-1].tolist(), bags.offsets[1:].tolist(), strict=True)
        nats = [(np.log(topic_word[:, bags.words[a:b]]) * bags.counts[a:b]).sum(axis=1) for a, b in rows]
        theta = np.exp(np.array(nats)) + 1e-3
        return theta / theta.sum(axis=1, keepdims=True)

    return infer


def plain() -> Topics:
    vocabulary = Vocabulary(WORDS, np.ones(4, np.int64), np.array([30.0, 10.0, 10.0, 10.0]))
    return Topics(TWO_TOPICS, np.array([0.5, 0.5]), vocabulary, posterior(TWO_TOPICS))


def polylingual() -> Topics:
    english = Vocabulary(tuple(f"en:{w}" for w in WORDS), np.ones(4, np.int64), np.array([4.0, 2, 1, 1]))
    german = Vocabulary(
        tuple(f"de:{PAIRS[w]}" for w in WORDS), np.ones(4, np.int64), np.array([9.0, 5, 5, 1])
    )
    both = np.hstack([TWO_TOPICS, TWO_TOPICS])
    return Topics(
        both, np.array([0.5, 0.5]), Vocabulary.joined({"en": english, "de": german}), posterior(both)
    )


def texts(n: int = 30) -> list[list[str]]:
    draw = np.random.default_rng(0)
    return [[WORDS[w] for w in draw.choice(4, 12, p=TWO_TOPICS[d % 2])] for d in range(n)]


def aligned(n: int = 30) -> list[list[str]]:
    draw, found = np.random.default_rng(1), []
    for d in range(n):
        english, german = draw.choice(4, (2, 12), p=TWO_TOPICS[d % 2])
        found.append([f"de:{PAIRS[WORDS[w]]}" for w in german] + [f"en:{WORDS[w]}" for w in english])
    return found


def test_completion_is_that_of_the_bags_and_blocks_do_not_matter() -> None:
    topics = plain()
    corpus = Corpus.from_tokens(texts(1500), vocabulary=topics.vocabulary)  # two blocks
    assert len(corpus.block_sizes) == 2
    scored = completion_of(topics, corpus, 0.5)
    nats = 0.0
    for block in (0, 1):
        observed, rest = split_halves(corpus.bags(block), digests=topics.vocabulary.digests)
        nats += completion_score(rest, topics.infer(observed), TWO_TOPICS).nats
    assert scored.nats == pytest.approx(nats, rel=1e-12)
    assert scored.tokens == 1500 * 6
    assert scored.perplexity == pytest.approx(exp(-nats / scored.tokens))
    assert scored.nats_per_word > scored.unigram_nats_per_word


def test_the_unigram_model_sums_to_one_in_each_language() -> None:
    topics = polylingual()
    p = unigram_probabilities(topics.vocabulary)
    for rows in topics.vocabulary.ranges.values():
        assert p[rows].sum() == pytest.approx(1)
    assert p[0] == pytest.approx(9.01 / 20.04)
    assert p[4] == pytest.approx(4.01 / 8.04)
    assert (topics.vocabulary.tokens == [9, 5, 5, 1, 4, 2, 1, 1]).all()  # left as it was


def test_left_to_right_of_one_topic_is_exact_in_two_languages() -> None:
    topics = polylingual()
    single = topics._replace(topic_word=topics.topic_word[:1], alpha=np.array([0.3]))
    corpus = Corpus.from_tokens(aligned(5), vocabulary=topics.vocabulary)
    bags = corpus.bags(0)
    expected = float((np.log(single.topic_word[0, bags.words]) * bags.counts).sum())
    scored = left_to_right_of(single, corpus, particles=2)
    assert scored.nats == pytest.approx(expected)
    assert scored.tokens == 5 * 24
    p = unigram_probabilities(topics.vocabulary)
    assert scored.unigram_nats == pytest.approx(float((np.log(p[bags.words]) * bags.counts).sum()))


def test_left_to_right_reads_whole_documents() -> None:
    corpus = Corpus.from_tokens(texts(), vocabulary=plain().vocabulary)
    scored = left_to_right_of(plain(), corpus)
    assert scored.tokens == 30 * 12
    assert scored.nats_per_word > scored.unigram_nats_per_word


def test_a_weight_is_told_by_its_document_s_number_in_the_corpus() -> None:
    counts = np.ones((1100, 4))
    counts[1090, 2] = 1.5
    corpus = Corpus.from_matrix(counts, list(WORDS)).with_vocabulary(plain().vocabulary)
    assert len(corpus.block_sizes) == 2
    with pytest.raises(UserError, match=r"document 1090: a word has the count 1\.5"):
        left_to_right_of(plain(), corpus, particles=1)


def test_nothing_to_score_is_told() -> None:
    corpus = Corpus.from_tokens([["zebra"], []], vocabulary=plain().vocabulary)
    for score in (completion_of, left_to_right_of):
        with pytest.raises(UserError, match="there is nothing to score; no document has a word"):
            score(plain(), corpus)
    assert corpus.unseen_share == 1
    assert Corpus.from_tokens([[]], vocabulary=plain().vocabulary).unseen_share == 0


def test_coherence_is_by_language() -> None:
    topics, documents = polylingual(), [set(document) for document in aligned()]
    found = coherence_of(topics, Corpus.from_tokens(aligned(), vocabulary=topics.vocabulary), 3)
    assert set(found) == {"de", "en"}
    total = 0.0
    for pair in combinations(("de:bank", "de:fluss", "de:wasser"), 2):  # the second topic's
        both, one, other = (sum(w <= d for d in documents) / 30 for w in (set(pair), {pair[0]}, {pair[1]}))
        total += log(both / (one * other)) / -log(both)
    assert found["de"].npmi.per_topic[1] == pytest.approx(total / 3)
    assert coherence_of(plain(), Corpus.from_tokens(texts(), vocabulary=plain().vocabulary), 2).keys() == {
        None
    }
    one_word = Topics(np.ones((2, 1)), np.ones(2), Vocabulary.of(["bank"]), plain().infer)
    assert coherence_of(one_word, Corpus.from_tokens(texts(), vocabulary=one_word.vocabulary)) == {}


def test_sides_of_planted_documents_go_together() -> None:
    topics = polylingual()
    corpus = Corpus.from_tokens([*aligned(), ["de:fluss"], ["en:coin"]], vocabulary=topics.vocabulary)
    ((pair, sides),) = compare_sides(topics, corpus).items()
    assert (pair, sides.documents) == (("de", "en"), 30)
    assert sides.mrr > 1.5 * sides.chance
    assert compare_sides(topics, corpus, most=7)[pair].documents == 7
    assert compare_sides(plain(), Corpus.from_tokens(texts(), vocabulary=plain().vocabulary)) == {}
    apart = Corpus.from_tokens([["de:fluss"], ["en:coin"]], vocabulary=topics.vocabulary)
    assert compare_sides(topics, apart) == {}


def test_aligned_documents_are_gathered_over_blocks() -> None:
    topics = polylingual()
    corpus = Corpus.from_tokens([*aligned(1200), ["de:fluss"]], vocabulary=topics.vocabulary)
    assert len(corpus.block_sizes) == 2
    (whole,), (most,) = (compare_sides(topics, corpus, most=n).values() for n in (5000, 1100))
    assert (whole.documents, most.documents) == (1200, 1100)
    first = Corpus.from_tokens(aligned(1200)[:1100], vocabulary=topics.vocabulary)
    assert compare_sides(topics, first)["de", "en"].mrr == most.mrr


def test_words_that_never_share_a_document_across_languages() -> None:
    topics = polylingual()
    crossed = [["de:münze", "en:river"], ["de:fluss", "en:coin"]] * 3
    sides = compare_sides(topics, Corpus.from_tokens(crossed, vocabulary=topics.vocabulary))["de", "en"]
    assert sides.cross_lingual_npmi.mean < 0
    assert sides.documents == 6
