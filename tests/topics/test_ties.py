"""What is shown of a model does not depend on last digits, which depend on the processor."""

import numpy as np
import pytest
from tests.tiers import sampled

from stickbreaker import LDA
from stickbreaker.topics.model.topic_words import Dense
from stickbreaker.topics.model.word_ranking import leading_words, relevant_words
from stickbreaker.topics.report.display_words import choose_words

TEXTS = ["river boat water wave fish", "money loan bank credit price"] * 10  # words of a kind are all alike


def noise(seed, shape):
    return 1.0 + 1e-6 * np.random.default_rng(seed).uniform(-1, 1, shape)


def shown(model):
    return [
        model.top_words(5),
        model.top_words(5, by="probability"),
        [(topic, [word for word, _ in words]) for topic, words in model.show_topics(formatted=False)],
        model.representative_documents(TEXTS, 4),
        model._repr_html_(),
    ]


@pytest.mark.parametrize("seed", sampled(range(5), 2))
def test_words_topics_and_documents_are_shown_in_one_order(seed, tmp_path):
    LDA(4, random_state=0, max_iter=4, tol=0.0, n_jobs=1).fit(TEXTS).save(tmp_path / "model")
    model, other = (LDA.load(tmp_path / "model") for _ in range(2))
    other.engine_.table.values *= noise(seed, other.engine_.table.values.shape)
    assert not np.array_equal(model.topic_word_, other.topic_word_)
    assert shown(other) == shown(model)


@pytest.mark.parametrize("seed", sampled(range(5), 2))
def test_ranked_words_are_those_of_numbers_without_noise(seed):
    generator = np.random.default_rng(seed)
    words = np.repeat(generator.dirichlet(np.full(15, 0.3), size=3), 4, axis=1) / 4
    shares = np.array([0.5, 0.25, 0.25])
    noisy = words * noise(seed, words.shape)
    for n in (3, 10, 25):
        assert leading_words(Dense(noisy), n).words.tolist() == leading_words(Dense(words), n).words.tolist()
        wanted = relevant_words(Dense(words), shares, n).words.tolist()
        assert relevant_words(Dense(noisy), shares, n).words.tolist() == wanted
    names = [f"w{place}" for place in range(60)]
    pages = [
        choose_words(each[0], shares @ each, names, n_frequent=10, n_special=5) for each in (words, noisy)
    ]
    assert [word for word, _, _ in pages[0]] == [word for word, _, _ in pages[1]]
