"""Topics' words, read a part at a time."""

import re
import warnings
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker import LDA, ConceptTree, TopicNgramModel
from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.estimators import model_runs
from stickbreaker.testing.estimators import begin
from stickbreaker.topics.model import topic_words
from stickbreaker.topics.model.topic_words import Dense, parts_of
from stickbreaker.topics.model.word_ranking import (
    WordEvidence,
    characteristic_words,
    leading_words,
    relevant_words,
)
from stickbreaker.topics.runs import word_counting


@given(st.data())
def test_leading_words_are_those_of_a_stable_sort(data):
    """With ties, and however the vocabulary is cut."""
    n_topics, n_words = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 40))
    values = np.array(
        data.draw(st.lists(st.integers(0, 4), min_size=n_topics * n_words, max_size=n_topics * n_words))
    )
    matrix = values.reshape(n_topics, n_words) / 7
    first = data.draw(st.integers(0, n_words - 1))
    within = slice(first, data.draw(st.integers(first + 1, n_words)))
    n = data.draw(st.integers(1, 12))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(topic_words, "CELLS", data.draw(st.integers(1, 80)))
        rows, probabilities = leading_words(Dense(matrix), n, within)
    order = np.argsort(-matrix[:, within], axis=1, kind="stable")[:, :n] + first
    assert rows.tolist() == order.tolist()
    assert probabilities.tolist() == np.take_along_axis(matrix, order, axis=1).tolist()


@given(st.data())
def test_relevant_words_are_those_of_the_formula(data):
    """0.6 log p(w|k) + 0.4 log p(w|k)/p(w), of words a tenth as frequent as the tenth one; however cut."""
    n_topics, n_words, n = (
        data.draw(st.integers(1, 4)),
        data.draw(st.integers(1, 40)),
        data.draw(st.integers(1, 12)),
    )
    random = np.random.default_rng(data.draw(st.integers(0, 1000)))
    matrix = random.gamma(0.1, size=(n_topics, n_words)) + 1e-200
    shares = random.dirichlet(np.ones(n_topics))
    first = data.draw(st.integers(0, n_words - 1))
    within = slice(first, data.draw(st.integers(first + 1, n_words)))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(topic_words, "CELLS", data.draw(st.integers(1, 80)))
        words, probabilities = relevant_words(Dense(matrix), shares, n, within)
    part, overall = matrix[:, within], (shares @ matrix)[within]
    for topic, (row, found) in enumerate(zip(part, words, strict=True)):
        tenth = np.sort(row)[::-1][:10][-1]
        relevance = 0.6 * np.log(row) + 0.4 * np.log(row / overall)
        frequent = [w for w in np.argsort(-relevance, kind="stable") if row[w] >= 0.1 * tenth]
        others = [w for w in np.argsort(-row, kind="stable") if row[w] < 0.1 * tenth]
        assert sorted(found.tolist()) == sorted(w + first for w in [*frequent, *others][:n])
        scores = [relevance[w - first] if row[w - first] >= 0.1 * tenth else -1e9 for w in found]
        assert all(a >= b - 1e-5 for a, b in pairwise(scores))  # ties are in order of number
        assert probabilities[topic].tolist() == matrix[topic, found].tolist()


def test_words_of_the_whole_collection_stand_for_no_topic():
    two, three = ("river boat", "money loan"), "said said said"
    vocabulary = Vocabulary.of(["said", "river", "boat", "money", "loan"])
    corpus = Corpus.from_texts([f"{words} {words} {three}" for words in two] * 15, vocabulary=vocabulary)
    model = LDA(2, random_state=0, alpha=0.1, eta=0.01, max_iter=50).fit(corpus)
    by_probability = model.top_words(1, by="probability")
    assert by_probability == [["said"], ["said"]]
    for by in ("support", "documents", "relevance"):
        assert sorted(map(sorted, model.top_words(2, by=by))) == [["boat", "river"], ["loan", "money"]]
    assert model.top_words(2, by="support") == model.top_words(2)
    with pytest.raises(
        UserError,
        match="by='lift'; words are ranked by support, documents, company, relevance or probability",
    ):
        model.top_words(2, by="lift")


def test_words_are_compared_with_those_of_their_language():
    """p(w) is that of the word's language: as for that language by itself."""
    random = np.random.default_rng(0)
    first, second = (random.dirichlet(np.full(size, 0.2), size=3) for size in (12, 20))
    both, shares = Dense(np.hstack([first, second])), [0.6, 0.3, 0.1]
    alone = relevant_words(Dense(second), shares, 5)
    within = relevant_words(both, shares, 5, slice(12, 32))
    assert (within.words - 12).tolist() == alone.words.tolist()


def test_a_topic_without_mass_still_has_words():
    words = relevant_words(Dense(np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]])), [1.0, 0.0], 2)
    assert words.words.tolist() == [[0, 1], [0, 1]]


def test_a_model_tells_the_same_words_part_by_part(monkeypatch):
    texts = ["river bank boat water", "money bank loan credit", "river boat water", "loan money credit"] * 5
    model = LDA(2, random_state=0, max_iter=5).fit(texts)
    whole = model.topic_word_
    assert whole.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    monkeypatch.setattr(topic_words, "CELLS", 3)
    parts = list(parts_of(model.learned_.topic_words))
    assert len(parts) == len(model.vocabulary_)
    assert np.hstack([part for _, part in parts]).tolist() == whole.tolist()
    assert model.learned_.topic_words.of(np.array([4, 1])[::-1]).tolist() == whole[:, [1, 4]].tolist()


def test_topics_of_a_large_model_are_told_without_its_table(monkeypatch, tmp_path):
    """Neither top words nor `topics` make an array of all words and topics."""
    from stickbreaker.topics.learned import TopicsLearned
    from stickbreaker.topics.verbs.topics import listed_topics

    corpus = Corpus.from_texts(["river bank boat water", "money bank loan credit"] * 5)
    model = LDA(2, random_state=0, max_iter=5).fit(corpus)
    before = model.top_words(3), model.show_topics(2, 3)
    summary = listed_topics(model.learned_, 3)

    def refuse(self):
        raise AssertionError("the whole table was asked for")

    monkeypatch.setattr(TopicsLearned, "topic_word", property(refuse))
    monkeypatch.setattr(TopicsLearned, "components", property(refuse))
    assert (model.top_words(3), model.show_topics(2, 3)) == before
    assert listed_topics(model.learned_, 3) == summary


def test_a_concept_has_the_tokens_of_its_words_and_of_its_kinds():
    """The share of a concept is the sum of its words' probabilities, below its parents as well."""
    tree = ConceptTree(
        [
            {"concept": "animal", "words": ["horse", "cow"]},
            {"concept": "pet", "words": ["cat", "dog"], "parent": "animal"},
            {"concept": "water", "words": ["river", "sea"]},
        ]
    )
    texts = ["horse cow cat dog ship", "cat dog pet sea river", "river sea ship boat", "boat ship horse"] * 5
    model = LDA(2, words=tree, max_iter=10, tol=0.0, random_state=0).fit([text.split() for text in texts])
    words, p = model.vocabulary_.words, model.topic_word_
    below = {
        "animal": ("horse", "cow", "cat", "dog"),
        "pet": ("cat", "dog"),
        "water": ("river", "sea"),
    }
    for k, found in enumerate(model.top_concepts(3)):
        expected = {name: sum(p[k, words.index(word)] for word in own) for name, own in below.items()}
        assert dict(found) == pytest.approx(expected, rel=1e-9)
        shares = [share for _, share in found]
        assert shares == sorted(shares, reverse=True)


TEXTS = [
    "river bank boat water",
    "money bank loan credit",
    "river boat water bank",
    "loan money credit bank",
] * 6


def test_words_of_a_stream_are_ranked_without_documents():
    """And what was counted is dropped when a model goes on."""
    corpus = Corpus.from_texts(TEXTS)
    model = LDA(2, random_state=0, max_iter=20).fit(corpus)
    assert model.top_words(2, by="company")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.partial_fit(corpus)
    assert model.word_documents_ is None
    assert model.top_words(3) == [list(row) for row in _by_table(model, 3)]
    with pytest.raises(UserError, match="by='company': the model has not counted which words occur together"):
        model.top_words(2, by="company")
    assert model.fit(corpus).top_words(2, by="company")


def _by_table(model, n):
    per_token = model.vocabulary_.documents / model.vocabulary_.tokens
    evidence = WordEvidence(Dense(model.topic_word_), model.topic_shares_, per_token)
    return [[model.vocabulary_.words[w] for w in row] for row in characteristic_words(evidence, n).words]


def test_a_table_that_is_too_large_is_not_counted(monkeypatch):
    monkeypatch.setattr(word_counting, "CELLS", 10)
    model = LDA(2, random_state=0, max_iter=5).fit(TEXTS)
    assert model.word_documents_ is None
    assert sorted(model.top_words(1)) == sorted(_by_table(model, 1))


def test_documents_held_out_are_not_counted(tmp_path):
    """A model in a directory has counted what it learned from, and a loaded one knows it."""
    corpus = Corpus.from_texts(TEXTS)
    corpus.write(tmp_path / "corpus")
    for share in (0.0, 0.25):
        path = tmp_path / f"model{share}"
        model = LDA(2, random_state=0, max_iter=5)
        begin(model, Corpus.open(tmp_path / "corpus"), path, held_out=share)
        model_runs.resume(path, every=60.0, threads=1)
        loaded = LDA.load(path)
        total = loaded.word_documents_.sides[0].total
        assert (total == corpus.vocabulary.documents.sum()) == (share == 0.0)
        assert loaded.top_words(2, by="company")
    assert 0 < total < corpus.vocabulary.documents.sum()


def test_numbers_of_words_that_make_no_sense():
    model = LDA(2, max_iter=1, tol=0.0, random_state=0).fit(["a river bank", "a boat on the river"])
    language = TopicNgramModel(2, min_count=1, max_iter=1, random_state=0).fit(["a river bank"])
    doors = [
        model.top_words, model.top_concepts, model.topics_frame, language.top_words, language.top_phrases,
        partial(model.representative_documents, ["a river"]),
    ]  # fmt: skip
    for door in doors:
        for n in (-1, 0, 2.5, "a"):
            with pytest.raises(UserError, match=re.escape(f"n={n!r}; n is a whole number from 1")):
                door(n)
    assert len(model.show_topics(-1)) == 2
    with pytest.raises(UserError, match="num_words=-1; num_words is a whole number from 1"):
        model.show_topics(2, -1)
