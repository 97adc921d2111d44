"""Words ranked by the documents that have them."""

from collections import Counter
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracle import word_documents as oracle
from tests.tiers import sampled

from stickbreaker import HDP, LDA, Corpus
from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Bags
from stickbreaker.learning.stream_documents import StreamDocuments
from stickbreaker.topics.evaluation.cooccurrence import Tokens
from stickbreaker.topics.kernels.document_counts import DocumentTopics
from stickbreaker.topics.model import topic_words
from stickbreaker.topics.model.topic_words import Dense
from stickbreaker.topics.model.word_documents import WordDocuments, keep_first
from stickbreaker.topics.model.word_ranking import (
    WordEvidence,
    characteristic_words,
    document_words,
    joined_documents,
    leading_words,
    supported_words,
    words_in_company,
)
from stickbreaker.topics.model.word_support import KEPT
from stickbreaker.topics.runs import gibbs_runs
from stickbreaker.topics.runs.word_counting import (
    add_documents,
    count_meetings_of,
    sides_of,
    topics_of_documents,
    window_offsets,
    with_company,
)
from stickbreaker.topics.topic_reader import TopicReader


class Case(NamedTuple):
    """What is counted of documents, and these: distinct words, counts, texts in order; theta and beta."""

    evidence: WordEvidence
    documents: list[list[int]]
    counts: list[dict[int, int]]
    texts: list[list[int]]
    theta: np.ndarray
    beta: np.ndarray


def bags_of(texts):
    counts = [dict(sorted(Counter(text).items())) for text in texts]
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in counts])]).astype(np.int64)
    words = np.array([w for one in counts for w in one], np.int32)
    tokens = np.array([n for one in counts for n in one.values()], np.float32)
    return counts, Bags(offsets, words, tokens, np.zeros(len(texts), np.float32))


def tokens_of(texts):
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in texts])]).astype(np.int64)
    return Tokens(offsets, np.array([w for one in texts for w in one], np.int32))


def sums_over(bags, theta, beta):
    n_topics, n_words = beta.shape
    sums = np.zeros((n_words, 4 * n_topics + 1))
    add_documents(bags, all_topics(theta), np.ascontiguousarray(beta.T), [slice(0, n_words)], sums)
    return sums


def all_topics(theta):
    """Every topic of every document, however small its share."""
    n_documents, n_topics = theta.shape
    topics = np.tile(np.arange(n_topics, dtype=np.int32), n_documents)
    return DocumentTopics(np.arange(n_documents + 1) * n_topics, topics, theta.ravel())


def counted(seed=0, n_topics=3, n_words=45, n_documents=60, *, ordered=True):
    """Documents of random words, the longest in several windows, and what is counted of them."""
    random = np.random.default_rng(seed)
    beta = random.dirichlet(np.full(n_words, 0.3), size=n_topics)
    theta = random.dirichlet(np.full(n_topics, 0.4), size=n_documents)
    lengths = [0, 3, 520, 200, 201, *[30] * (n_documents - 5)]
    texts = [
        random.choice(n_words, length, p=shares @ beta).tolist()
        for shares, length in zip(theta, lengths, strict=True)
    ]
    counts, bags = bags_of(texts)
    found = sides_of(sums_over(bags, theta, beta), [slice(0, n_words)])
    distinct = Tokens(bags.offsets, bags.words)
    row = count_meetings_of(distinct, tokens_of(texts) if ordered else bags, found, n_words)
    per_token = np.array([sum(w in one for one in counts) for w in range(n_words)]) / np.maximum(
        1e-9, sum(lengths) * theta.mean(axis=0) @ beta
    )
    evidence = WordEvidence(Dense(beta), theta.mean(axis=0), per_token, with_company(found, row))
    return Case(evidence, [list(one) for one in counts], counts, texts, theta, beta)


@pytest.mark.parametrize("seed", sampled(range(5), 2))
def test_words_by_documents_and_company_are_those_of_the_definition(seed):
    evidence, documents, _, _, theta, beta = counted(seed)
    d, of_words = oracle.document_counts(documents, theta.tolist(), beta.tolist())
    orders = oracle.document_order(d, of_words)
    used = [sum(x > 0 for x in row) for row in d]
    n = min(used)  # words of no document tie
    assert [row[:n] for row in document_words(evidence, 45).words.tolist()] == [row[:n] for row in orders]
    total = sum(1 for one in documents if one)
    together = [oracle.company_order(order, documents, total)[:20] for order in orders]
    assert words_in_company(evidence, 20).words.tolist() == together
    found = document_words(evidence, 7)
    assert found.probabilities.tolist() == np.take_along_axis(beta, found.words, axis=1).tolist()


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_words_by_support_are_those_of_the_definition(seed, ordered):
    """A lower bound, then company: in windows, or in documents if the order of words is unknown."""
    case = counted(seed, ordered=ordered)
    weights = oracle.document_weights(case.counts, case.theta.tolist(), case.beta.tolist())
    orders = oracle.support_order(weights, 3, list(range(45)))
    side = case.evidence.counted.sides[0]
    n = min(sum(any(w in one[k] for one in weights) for w in range(45)) for k in range(3))
    assert side.support.words[:, :n].tolist() == [order[:n] for order in orders]
    texts = oracle.windows(case.texts, 200) if ordered else [text for text in case.texts if text]
    assert max(map(len, oracle.windows(case.texts, 200))) <= 200
    together = [oracle.company_order(order, texts, len(texts))[:20] for order in orders]
    assert supported_words(case.evidence, 20).words.tolist() == together
    alone = case.evidence._replace(
        counted=WordDocuments((side._replace(support=side.support._replace(company=None)),))
    )
    assert supported_words(alone, 20).words.tolist() == [order[:20] for order in orders]


def test_a_word_that_one_document_repeats_loses_to_words_of_many():
    """Word 0 is half of the longest document of topic 0, and in no other; words 1 to 3 are in all of them."""
    texts = [[0] * 100 + [1, 2, 3] * 2, *[[1, 2, 3, 8]] * 7, *[[4, 5, 6, 7, 8]] * 8]
    _, bags = bags_of(texts)
    theta = np.array([[0.98, 0.02]] * 8 + [[0.02, 0.98]] * 8)
    tokens = np.zeros((2, 9)) + 0.01
    for row, text in enumerate(texts):
        np.add.at(tokens[row // 8], text, 1.0)
    beta = tokens / tokens.sum(axis=1, keepdims=True)
    found = sides_of(sums_over(bags, theta, beta), [slice(0, 9)])
    evidence = WordEvidence(Dense(beta), np.array([0.6, 0.4]), None, found)
    assert leading_words(evidence.topics, 1).words[0].tolist() == [0]
    by_support = supported_words(evidence, 9).words[0].tolist()
    assert sorted(by_support[:3]) == [1, 2, 3]
    support = found.sides[0].support
    at = support.words[0].tolist().index(0)
    assert support.weights[0, at] < 2.0 * support.spreads[0, at]


def test_the_sums_of_shards_add():
    case = counted(2)
    _, whole = bags_of(case.texts)
    _, first = bags_of(case.texts[:17])
    _, second = bags_of(case.texts[17:])
    together = sums_over(first, case.theta[:17], case.beta) + sums_over(second, case.theta[17:], case.beta)
    np.testing.assert_allclose(together, sums_over(whole, case.theta, case.beta), rtol=1e-12)
    found = case.evidence.counted
    rows = [
        count_meetings_of(Tokens(bags.offsets, bags.words), tokens_of(texts), found, 45)
        for bags, texts in ((whole, case.texts), (first, case.texts[:17]), (second, case.texts[17:]))
    ]
    assert rows[0].tolist() == (rows[1] + rows[2]).tolist()


def test_each_language_is_ranked_alone():
    """Weights of one language do not depend on the words of another."""
    case = counted(3, n_words=20)
    rows = [slice(0, 12), slice(12, 20)]
    _, bags = bags_of(case.texts)
    sums = np.zeros((20, 13))
    add_documents(bags, all_topics(case.theta), np.ascontiguousarray(case.beta.T), rows, sums)
    for part, side in zip(rows, sides_of(sums, rows).sides, strict=True):
        own = [{w: n for w, n in one.items() if part.start <= w < part.stop} for one in case.counts]
        weights = oracle.document_weights(own, case.theta.tolist(), case.beta.tolist())
        orders = oracle.support_order(weights, 3, list(range(part.start, part.stop)))
        assert side.support.words.tolist() == orders


def test_the_topics_of_a_document_explain_half_a_token():
    _, bags = bags_of([[0] * 10, [0] * 10, [1], []])
    theta = np.array([[0.91, 0.05, 0.04], [0.0, 0.4, 0.6], [0.3, 0.3, 0.4], [0.2, 0.5, 0.3]])
    found = topics_of_documents(theta, bags)
    of_each = np.split(found.topics, found.starts[1:-1])
    assert [one.tolist() for one in of_each] == [[0, 1], [1, 2], [2], []]
    assert found.shares.tolist() == [0.91, 0.05, 0.4, 0.6, 0.4]


def test_groups_of_documents_count_as_all_together():
    """To the last digit: how blocks are joined does not matter."""
    case = counted(4, n_documents=300)
    _, bags = bags_of(case.texts)
    whole = sums_over(bags, case.theta, case.beta)
    in_parts = np.zeros_like(whole)
    for part in (slice(0, 7), slice(7, 260), slice(260, 300)):
        own = bags.slice(part.start, part.stop)
        topics = all_topics(case.theta[part])
        add_documents(own, topics, np.ascontiguousarray(case.beta.T), [slice(0, 45)], in_parts)
    assert in_parts.tolist() == whole.tolist()


CHAINS = [LDA(3, inference="gibbs"), HDP(4, inference="gibbs")]


@pytest.mark.parametrize("model", [*CHAINS, LDA(3, inference="gibbs-delayed")], ids=repr)
def test_a_chain_ranks_by_the_topics_of_its_own_tokens(model, monkeypatch):
    """Without inferring a document."""
    kinds = [["river", "boat", "fish", "sail"], ["loan", "bank", "money", "rent"], ["tree", "wood", "leaf"]]
    generator = np.random.default_rng(0)
    texts = [" ".join(generator.choice(kinds[d % 3], 9)) for d in range(60)]
    found = []

    def spy(chains, columns):
        found.append(gibbs_topics(chains, columns))
        return found[-1]

    gibbs_topics = gibbs_runs.topics_of_documents
    monkeypatch.setattr(gibbs_runs, "topics_of_documents", spy)
    monkeypatch.setattr(TopicReader, "shares", lambda *_: pytest.fail("documents are inferred"))
    model.set_params(max_iter=40, random_state=1).fit(texts)
    (topics,) = found
    assert len(topics.starts) == 61
    assert np.add.reduceat(topics.shares, topics.starts[:-1]).tolist() == [9.0] * 60  # tokens
    tokens = np.bincount(topics.topics, weights=topics.shares) / 540
    assert tokens == pytest.approx(model.topic_shares_, abs=0.05)
    bags = Bags.of_block(Corpus.from_texts(texts), 0)
    sums = np.zeros((11, 4 * len(model.alpha_) + 1))
    add_documents(bags, topics, np.ascontiguousarray(model.topic_word_.T), [slice(0, 11)], sums)
    own, side = sides_of(sums, [slice(0, 11)]).sides[0], model.word_documents_.sides[0]
    assert side.words.tolist() == own.words.tolist()
    assert side.support.weights.tolist() == own.support.weights.tolist()
    assert {frozenset(top) for top in model.top_words(3)} <= {
        frozenset(three) for kind in kinds for three in combinations(kind, 3)
    }


def test_windows_are_as_few_and_as_equal_as_possible():
    lengths = [0, 1, 200, 201, 450, 0]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    found = np.diff(window_offsets(offsets, 200))
    assert found.tolist() == [1, 200, 100, 101, 150, 150, 150]
    texts = [list(range(n)) for n in lengths]
    assert found.tolist() == [len(one) for one in oracle.windows(texts, 200)]


def test_what_older_versions_saved_ranks_by_documents():
    evidence = counted()[0]
    older = {name: values for name, values in evidence.counted.to_arrays().items() if "support" not in name}
    again = evidence._replace(counted=WordDocuments.from_arrays(older, 3, lambda: (slice(0, 45),)))
    assert supported_words(again, 9).words.tolist() == document_words(evidence, 9).words.tolist()
    bare = evidence._replace(counted=None)
    assert supported_words(bare, 9).words.tolist() == characteristic_words(bare, 9).words.tolist()


@pytest.mark.parametrize("words", sampled(["closed", "open"], 1))
def test_a_stream_ranks_words_by_a_sample_of_its_documents(words, tmp_path):
    generator = np.random.default_rng(0)
    kinds = [
        ["river", "boat", "fish", "sail", "water", "bank"],
        ["loan", "bank", "money", "credit", "rate", "rent"],
    ]
    texts = [" ".join(generator.choice(kinds[d % 2], 8)) for d in range(80)]
    texts[3] += " croix" * 9  # by one document only
    model = LDA(2, words=words, random_state=0)
    for start in (0, 40):
        model.partial_fit(texts[start : start + 40])
    counted = model.word_documents_
    assert counted is not None
    assert counted.sides[0].support is not None
    bags = Bags.of_block(model.learned_.with_words(Corpus.from_texts(texts)), 0)
    sums = np.zeros((len(model.vocabulary_), 9))
    topics = topics_of_documents(model.learned_.shares_of_bags(bags), bags)
    add_documents(bags, topics, np.ascontiguousarray(model.topic_word_.T), model.vocabulary_.parts, sums)
    whole = sides_of(sums, model.vocabulary_.parts).sides[0].support
    assert whole is not None
    assert counted.sides[0].support.totals == pytest.approx(whole.totals, rel=1e-9)
    assert counted.sides[0].support.words.tolist() == whole.words.tolist()
    assert all("croix" not in top for top in model.top_words(5))
    assert all(model.top_words(5, by="company"))
    model.save(tmp_path / "m")
    assert LDA.load(tmp_path / "m").top_words(12) == model.top_words(12)
    model.partial_fit(texts[:40])
    assert model.word_documents_ is not counted


def test_a_stream_that_continues_a_fit_ranks_by_the_table():
    texts = ["river boat fish", "loan bank money", "river fish sail"] * 5
    model = LDA(2, random_state=0).fit(texts)
    assert model.partial_fit(texts).word_documents_ is None
    assert all(model.top_words(3))


def test_a_sample_of_a_stream_has_a_size():
    n = 300
    bags = Bags(
        np.arange(0, 3 * n + 1, 3),
        np.tile(np.arange(3, dtype=np.int32), n),
        np.repeat(np.arange(1, n + 1, dtype=np.float32), 3),
        np.zeros(n, np.float32),
    )
    whole = StreamDocuments(bags)
    assert whole.sampled(n, 3 * n, np.random.default_rng(0)) is whole
    some = whole.sampled(100, 3 * n, np.random.default_rng(0)).bags
    assert len(some.unseen) == 100
    numbers = some.counts[::3]
    assert (np.diff(numbers) > 0).all()  # in their order, each once
    assert numbers[:20].mean() < 150 < numbers[-20:].mean()
    assert len(whole.sampled(100, 31, np.random.default_rng(0))) == 10
    spelled = StreamDocuments.of(bags, ["ant", "boat", "zoë"]).sampled(1, 3, np.random.default_rng(0))
    assert spelled.spelled == ("ant", "boat", "zoë")


@given(st.data())
def test_words_by_the_table_are_those_of_the_definition(data):
    """However the vocabulary is cut."""
    random = np.random.default_rng(data.draw(st.integers(0, 1000)))
    n_topics, n_words = data.draw(st.integers(2, 4)), data.draw(st.integers(2, 40))
    beta = random.dirichlet(np.ones(n_words), size=n_topics)
    shares, per_token = random.dirichlet(np.ones(n_topics)), random.uniform(0.1, 1.0, n_words)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(topic_words, "CELLS", data.draw(st.integers(1, 80)))
        found = characteristic_words(WordEvidence(Dense(beta), shares, per_token), n_words).words
    orders = oracle.table_order(beta.tolist(), shares.tolist(), per_token.tolist())
    score = [dict(zip(order, range(n_words), strict=True)) for order in orders]
    assert [[rank[w] for w in row] for rank, row in zip(score, found.tolist(), strict=True)] == [
        list(range(n_words))
    ] * n_topics


def test_a_document_counts_once_however_often_it_says_a_word():
    """A word that one document repeats leads by probability, and not by documents."""
    beta = np.array([[0.5, 0.3, 0.1, 0.1], [0.05, 0.05, 0.45, 0.45]])
    bags = Bags(
        np.array([0, 3, 5, 7, 9]),
        np.array([0, 1, 2, 1, 3, 1, 2, 2, 3], np.int32),
        np.array([50, 1, 1, 1, 1, 1, 1, 1, 1], np.float32),
        np.zeros(4, np.float32),
    )
    theta = np.array([[0.9, 0.1], [0.9, 0.1], [0.9, 0.1], [0.1, 0.9]])
    sums = sums_over(bags, theta, beta)
    assert sums[:, -1].tolist() == [1, 3, 3, 2]
    side = keep_first(np.ascontiguousarray(sums[:, :8:4].T), sums[:, -1], slice(0, 4))
    evidence = WordEvidence(Dense(beta), np.array([0.6, 0.4]), None, WordDocuments((side,)))
    assert document_words(evidence, 1).words[0].tolist() == [1]


def test_beyond_the_words_kept_the_table_goes_on():
    evidence, *_ = counted(n_words=150)
    kept = document_words(evidence, KEPT).words
    whole = document_words(evidence, 150).words
    assert whole[:, :KEPT].tolist() == kept.tolist()
    assert np.sort(whole, axis=1).tolist() == [list(range(150))] * 3
    rest = [
        [w for w in row if w not in own]
        for row, own in zip(characteristic_words(evidence, 150).words.tolist(), kept.tolist(), strict=True)
    ]
    assert whole[:, KEPT:].tolist() == rest
    bare = evidence._replace(counted=None)
    assert document_words(bare, 9).words.tolist() == characteristic_words(bare, 9).words.tolist()
    with pytest.raises(UserError, match="has not counted which words occur together; fit it again"):
        words_in_company(bare, 9)


def test_one_topic_has_its_most_probable_words():
    """Nothing sets it apart."""
    evidence = WordEvidence(Dense(np.array([[0.2, 0.5, 0.3]])), np.array([1.0]))
    assert characteristic_words(evidence, 3).words.tolist() == [[1, 2, 0]]


def test_documents_of_a_group_are_those_of_its_members():
    """Exactly, where all words are kept; and close to it where a member lacks some."""
    for n_words, same in ((45, 45), (160, 10)):
        evidence, documents, counts, _, theta, beta = counted(1, n_words=n_words, n_topics=4)
        joined = joined_documents(evidence, [(2, 0), (1,), (3,)])
        assert joined is not None
        d, of_words = (
            np.array(one) for one in oracle.document_counts(documents, theta.tolist(), beta.tolist())
        )
        groups = np.array([d[2] + d[0], d[1], d[3]])
        orders = oracle.document_order(groups.tolist(), of_words.tolist())
        side = joined.sides[0]
        used = min(int((groups > 0).sum(axis=1).min()), same)
        assert side.words[0, :used].tolist() == orders[0][:used]
        np.testing.assert_allclose(side.totals, groups.sum(axis=1))
        own = evidence.counted.sides[0]
        assert side.words[1:].tolist() == own.words[[1, 3]].tolist()
        assert side.company[1:].tolist() == own.company[[1, 3]].tolist()
        whole, before = side.support, own.support
        assert whole.words[1:].tolist() == before.words[[1, 3]].tolist()
        assert whole.company[1:].tolist() == before.company[[1, 3]].tolist()
        weights = oracle.document_weights(counts, theta.tolist(), beta.tolist())
        both = [sum(one[k].get(w, 0.0) for one in weights for k in (2, 0)) for w in range(n_words)]
        if n_words <= KEPT:  # all words are stored: weights are exact, and spreads not too small
            np.testing.assert_allclose(whole.weights[0], np.array(both)[whole.words[0]])
            p = [sum(one[k].get(w, 0.0) for one in weights for k in range(4)) for w in range(n_words)]
            p = np.array(p) / sum(p)
            for place, w in enumerate(whole.words[0].tolist()):
                exact = sum(
                    sum(one[k].get(w, 0.0) - sum(one[k].values()) * p[w] for k in (2, 0)) ** 2
                    for one in weights
                )
                assert whole.spreads[0, place] >= exact**0.5 * (1 - 1e-9)


def test_arrays_come_back():
    evidence, *_ = counted()
    arrays = evidence.counted.to_arrays()
    again = WordDocuments.from_arrays(arrays, 3, lambda: (slice(0, 45),))
    own, other = evidence.counted.sides[0], again.sides[0]
    for before, after in zip([*own[:-1], *own.support], [*other[:-1], *other.support], strict=True):
        assert np.array_equal(before, after)
    assert WordDocuments.from_arrays({}, 3, lambda: (slice(0, 45),)) is None


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("words", lambda a: a[:, :-1], "words has another shape"),
        ("words", lambda a: a + 40, "are not in the vocabulary"),
        ("words", lambda a: a - 1, "are not in the vocabulary"),
        ("words", lambda a: np.zeros_like(a), "occurs twice"),
        ("words", lambda a: a.astype(np.float64), "words has another type"),
        ("documents", lambda a: -a, "documents is negative"),
        ("documents", lambda a: a[:-1], "documents has another shape"),
        ("of word", lambda a: a - 1000.0, "of word is negative"),
        ("totals", lambda a: a[1:], "totals has another shape"),
        ("total", lambda a: np.zeros(2), "total has another shape"),
        ("company", lambda a: a * 0 + 2.0, "out of range"),
        ("company", lambda a: a[:, 1:], "company has another shape"),
        ("company", lambda a: a * np.nan, "out of range"),
        ("support words", lambda a: a[:, :-1], "words has another shape"),
        ("support words", lambda a: a + 40, "are not in the vocabulary"),
        ("support words", lambda a: np.zeros_like(a), "occurs twice"),
        ("support weights", lambda a: -a, "support weights is negative"),
        ("support spreads", lambda a: a * np.nan, "support spreads is negative"),
        ("support overall", lambda a: a[1:], "support overall has another shape"),
        ("support totals", lambda a: a[1:], "support totals has another shape"),
        ("support company", lambda a: a * 0 + 2.0, "out of range"),
    ],
)
def test_other_arrays_are_refused(name, change, message):
    arrays = counted()[0].counted.to_arrays()
    arrays[f"ranked/0/{name}"] = change(arrays[f"ranked/0/{name}"])
    with pytest.raises(ValueError, match=message):
        WordDocuments.from_arrays(arrays, 3, lambda: (slice(0, 45),))
