"""Topics' words, read a part at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker import LDA
from stickbreaker.corpus import Corpus
from stickbreaker.estimators.topics.leading_words import leading_words
from stickbreaker.models.topics import topic_words
from stickbreaker.models.topics.topic_words import Dense, parts_of


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


def test_a_model_tells_the_same_words_part_by_part(monkeypatch):
    texts = ["river bank boat water", "money bank loan credit", "river boat water", "loan money credit"] * 5
    model = LDA(2, random_state=0, max_iter=5).fit(texts)
    whole = model.topic_word_
    assert whole.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    monkeypatch.setattr(topic_words, "CELLS", 3)
    parts = list(parts_of(model.topic_words))
    assert len(parts) == len(model.vocabulary_)
    assert np.hstack([part for _, part in parts]).tolist() == whole.tolist()
    assert model.topic_words.of(np.array([4, 1])[::-1]).tolist() == whole[:, [1, 4]].tolist()


def test_topics_of_a_large_model_are_told_without_its_table(monkeypatch, tmp_path):
    """Neither top words nor `topics` make an array of all words and topics."""
    from stickbreaker.estimators.topics.topic_estimator import TopicEstimator

    corpus = Corpus.from_texts(["river bank boat water", "money bank loan credit"] * 5)
    model = LDA(2, random_state=0, max_iter=5).fit(corpus)
    before = model.top_words(3), model.show_topics(2, 3)

    def refuse(self):
        raise AssertionError("the whole table was asked for")

    monkeypatch.setattr(TopicEstimator, "topic_word_", property(refuse))
    monkeypatch.setattr(TopicEstimator, "components_", property(refuse))
    assert (model.top_words(3), model.show_topics(2, 3)) == before
