"""Words ranked by the documents that have them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracle import word_documents as oracle
from tests.tiers import sampled

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Bags
from stickbreaker.topics.model import topic_words
from stickbreaker.topics.model.topic_words import Dense
from stickbreaker.topics.model.word_documents import KEPT, WordDocuments, keep_first
from stickbreaker.topics.model.word_ranking import (
    WordEvidence,
    characteristic_words,
    document_words,
    joined_documents,
    words_in_company,
)
from stickbreaker.topics.runs.word_counting import add_documents, company_from, count_company


def counted(seed=0, n_topics=3, n_words=45, n_documents=60):
    """Documents of random words, what is counted of them, and what the definitions make of them."""
    random = np.random.default_rng(seed)
    beta = random.dirichlet(np.full(n_words, 0.3), size=n_topics)
    theta = random.dirichlet(np.full(n_topics, 0.4), size=n_documents)
    documents = [np.unique(random.choice(n_words, 30, p=shares @ beta)) for shares in theta]
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in documents])]).astype(np.int64)
    words = np.concatenate(documents).astype(np.int32)
    bags = Bags(offsets, words, np.ones(len(words), np.float32), np.zeros(n_documents, np.float32))
    counts = np.zeros((n_words, n_topics + 1))
    add_documents(bags, theta, Dense(beta), counts)
    side = keep_first(counts[:, :-1], counts[:, -1], slice(0, n_words))
    side = side._replace(company=company_from(side, count_company(bags, side, n_words)))
    per_token = counts[:, -1] / np.maximum(1e-9, 30 * (theta @ beta).sum(axis=0))
    evidence = WordEvidence(Dense(beta), theta.mean(axis=0), per_token, WordDocuments((side,)))
    return evidence, [one.tolist() for one in documents], theta, beta


@pytest.mark.parametrize("seed", sampled(range(5), 2))
def test_words_by_documents_and_company_are_those_of_the_definition(seed):
    evidence, documents, theta, beta = counted(seed)
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
    counts = np.zeros((4, 3))
    add_documents(bags, theta, Dense(beta), counts)
    assert counts[:, -1].tolist() == [1, 3, 3, 2]
    side = keep_first(counts[:, :-1], counts[:, -1], slice(0, 4))
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
    with pytest.raises(
        UserError, match="has not counted which words occur together; fit it again on a corpus"
    ):
        words_in_company(bare, 9)


def test_one_topic_has_its_most_probable_words():
    """Nothing sets it apart."""
    evidence = WordEvidence(Dense(np.array([[0.2, 0.5, 0.3]])), np.array([1.0]))
    assert characteristic_words(evidence, 3).words.tolist() == [[1, 2, 0]]


def test_documents_of_a_group_are_those_of_its_members():
    """Exactly, where all words are kept; and close to it where a member lacks some."""
    for n_words, same in ((45, 45), (160, 10)):
        evidence, documents, theta, beta = counted(1, n_words=n_words, n_topics=4)
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


def test_arrays_come_back():
    evidence, *_ = counted()
    arrays = evidence.counted.to_arrays()
    again = WordDocuments.from_arrays(arrays, 3, lambda: (slice(0, 45),))
    for own, other in zip(evidence.counted.sides[0], again.sides[0], strict=True):
        assert np.array_equal(own, other)
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
    ],
)
def test_other_arrays_are_refused(name, change, message):
    arrays = counted()[0].counted.to_arrays()
    arrays[f"ranked/0/{name}"] = change(arrays[f"ranked/0/{name}"])
    with pytest.raises(ValueError, match=message):
        WordDocuments.from_arrays(arrays, 3, lambda: (slice(0, 45),))
