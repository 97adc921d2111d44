"""NPMI, UMass and C_v against plain-Python oracles, and their limits."""

from itertools import combinations
from math import log, sqrt

import numpy as np
import pytest
from tests.tiers import sampled

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.shards import Bags
from stickbreaker.topics.evaluation import Tokens, c_v, coherence, npmi, umass
from stickbreaker.topics.evaluation.coherence import TopWords


def bags_of(documents: list[set[int]]) -> Bags:
    offsets = np.cumsum([0] + [len(document) for document in documents])
    words = np.array([word for document in documents for word in sorted(document)], np.int32)
    counts = np.full(len(words), 3, np.float32)  # counts must not matter
    return Bags(offsets, words, counts, np.zeros(len(documents), np.float32))


def oracle(topic: list[int], documents: list[set[int]]) -> float:
    total, pairs = 0.0, list(combinations(topic, 2))
    for a, b in pairs:
        with_a = sum(a in document for document in documents) / len(documents)
        with_b = sum(b in document for document in documents) / len(documents)
        both = sum({a, b} <= document for document in documents) / len(documents)
        if both == 0:
            total -= 1
        elif both < 1:
            total += log(both / (with_a * with_b)) / -log(both)
    return total / len(pairs)


def random_documents(seed: int, n: int = 30, n_words: int = 12) -> list[set[int]]:
    draw = np.random.default_rng(seed)
    return [set(np.flatnonzero(draw.random(n_words) < draw.random()).tolist()) for _ in range(n)]


@pytest.mark.parametrize("seed", sampled(range(5), 2))
def test_equals_the_oracle(seed: int) -> None:
    documents = random_documents(seed)
    topics = [np.random.default_rng([seed, k]).permutation(12)[:4].tolist() for k in range(6)]
    result = npmi(topics, [bags_of(documents)], 12)
    np.testing.assert_allclose(result.per_topic, [oracle(topic, documents) for topic in topics], atol=1e-12)
    assert result.mean == pytest.approx(np.mean(result.per_topic))


def test_blocks_do_not_matter() -> None:
    documents = random_documents(7)
    topics = [[0, 3, 5], [1, 2, 11]]
    whole = npmi(topics, [bags_of(documents)], 12)
    parts = npmi(topics, (bags_of(documents[i : i + 4]) for i in range(0, 30, 4)), 12)
    np.testing.assert_array_equal(whole.per_topic, parts.per_topic)
    assert whole.unseen_pairs == parts.unseen_pairs


def test_limits_are_never_nan() -> None:
    always_together = bags_of([{0, 1}, {0, 1}])
    assert npmi([[0, 1]], [always_together], 5).per_topic.tolist() == [0.0]
    assert npmi([[0, 4]], [always_together], 5) == ([-1.0], -1.0, 1)  # word 4 never occurs
    assert npmi([[0, 1], [2, 3]], [bags_of([{0, 1}, {2, 3}])], 4).per_topic.tolist() == [1.0, 1.0]
    assert npmi([[0, 2], [1, 3]], [bags_of([{0, 1}, {2, 3}])], 4).unseen_pairs == 2


def test_documents_without_top_words_count() -> None:
    assert npmi([[0, 1]], [bags_of([{0, 1}, {2}, set()])], 3).per_topic.tolist() == [1.0]


def test_mistakes_are_told() -> None:
    bags = bags_of([{0, 1}])
    for topics, blocks in (([[0]], [bags]), ([[0, 9]], [bags]), ([[-1, 0]], [bags]), ([[0, 1]], [])):
        with pytest.raises(UserError):
            npmi(topics, blocks, 2)


def test_few_documents_say_little_of_pairs() -> None:
    """Smoothed NPMI: a pair that cannot be expected to meet counts about 0, one that should meet and does
    not is far below; in many documents it is NPMI."""
    words = ["a", "b", "c", "d"]
    few = [["a", "x"], ["b", "x"], ["c", "d"], *[["x"]] * 7]
    found = coherence([["a", "b"], ["c", "d"]], Corpus.from_tokens(few))
    expected = (0.0 + 0.1) / (10 * 0.1 * 0.1 + 0.1)
    assert found.smoothed.per_topic[0] == pytest.approx(log(expected) / -log(expected * 0.01))
    assert found.npmi.per_topic.tolist() == [-1.0, 1.0]
    assert -0.2 < found.smoothed.per_topic[0] < 0.0 < found.smoothed.per_topic[1] < 1.0
    many = coherence([["a", "b"], ["c", "d"]], Corpus.from_tokens(few * 1_000))
    assert many.smoothed.per_topic[0] < -0.5
    assert many.smoothed.per_topic[1] == pytest.approx(1.0, abs=0.01)
    draw = np.random.default_rng(0)
    texts = [[words[i] for i in np.flatnonzero(draw.random(4) < 0.4)] + ["x"] for _ in range(3_000)]
    met = coherence([words], Corpus.from_tokens(texts))
    assert met.smoothed.per_topic[0] == pytest.approx(met.npmi.per_topic[0], abs=1e-3)


def test_smoothing_counts_windows_that_do_not_overlap() -> None:
    """A document of 500 words has 301 windows of 200, which say as much as two and a half."""
    counted = TopWords([["a", "b"]])
    counted.add(Corpus.from_tokens([["a", *["x"] * 498, "b"], ["b"], []]).source.entries(0))
    assert (counted.texts.total, counted.texts.apart) == (302, 3.5)


def test_smoothed_limits_are_never_nan() -> None:
    together = Corpus.from_tokens([["a", "b"], ["a", "b"]])
    assert coherence([["a", "b"]], together).smoothed.per_topic.tolist() == [0.0]
    assert coherence([["a", "none"]], together).smoothed.per_topic.tolist() == [0.0]


# UMass and C_v


def umass_oracle(topic: list[int], documents: list[set[int]]) -> float:
    total, pairs = 0.0, list(combinations(topic, 2))
    for given, word in pairs:
        with_given = sum(given in document for document in documents)
        both = sum({given, word} <= document for document in documents)
        total += log((both + 1) / with_given) if with_given else log(1 / len(documents))
    return total / len(pairs)


def c_v_oracle(topic: list[int], windows: list[set[int]]) -> float:
    def share(*words: int) -> float:
        return sum(set(words) <= window for window in windows) / len(windows)

    def normalised(i: int, j: int) -> float:
        if share(i) == 0 or share(j) == 0 or share(i, j) == 1:
            return 0.0
        smoothed = share(i, j) + 1e-12
        return log(smoothed / (share(i) * share(j))) / -log(smoothed)

    vectors = [[normalised(i, j) for j in topic] for i in topic]
    whole = [sum(column) for column in zip(*vectors, strict=True)]
    cosines = []
    for vector in vectors:
        product = sum(x * y for x, y in zip(vector, whole, strict=True))
        lengths = sqrt(sum(x * x for x in vector)) * sqrt(sum(y * y for y in whole))
        cosines.append(product / lengths if lengths else 0.0)
    return sum(cosines) / len(cosines)


def sliding(texts: list[list[int]], width: int) -> list[set[int]]:
    return [
        set(text[start : start + width])
        for text in texts
        if text
        for start in range(max(1, len(text) - width + 1))
    ]


def random_texts(seed: int) -> list[list[int]]:
    draw = np.random.default_rng(seed)
    return [draw.integers(-1, 12, draw.integers(0, 40)).tolist() for _ in range(12)]


def tokens_of(texts: list[list[int]]) -> Tokens:
    words = np.array([word for text in texts for word in text], np.int64)
    return Tokens(np.cumsum([0, *map(len, texts)]), words)


@pytest.mark.parametrize("seed", sampled(range(5), 2))
def test_umass_and_c_v_equal_the_oracles(seed: int) -> None:
    documents, texts = random_documents(seed), random_texts(seed)
    topics = [
        np.random.default_rng([seed, k]).permutation(14)[:4].tolist() for k in range(6)
    ]  # 12, 13: never
    expected = [umass_oracle(topic, documents) for topic in topics]
    np.testing.assert_allclose(umass(topics, [bags_of(documents)], 14).per_topic, expected, atol=1e-12)
    for width in (1, 5, 110):
        expected = [c_v_oracle(topic, sliding(texts, width)) for topic in topics]
        found = c_v(topics, [tokens_of(texts[:5]), tokens_of(texts[5:])], 14, width).per_topic
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_by_hand() -> None:
    """Three documents: 0 1 | 0 1 | 0 2. NPMI of (0, 1): p = 2/3, 1, 2/3; UMass: log((2 + 1) / 3)."""
    bags = bags_of([{0, 1}, {0, 1}, {0, 2}])
    assert npmi([[0, 1]], [bags], 3).per_topic == pytest.approx([0.0])
    assert umass([[0, 1]], [bags], 3).per_topic == pytest.approx([0.0])
    assert umass([[1, 0]], [bags], 3).per_topic == pytest.approx([log(3 / 2)])
    assert umass([[1, 2]], [bags], 3) == (pytest.approx([log(1 / 2)]), pytest.approx(log(1 / 2)), 1)
    # a pair that never meets: the vectors are (1, x) and (x, 1), their sum (1 + x, 1 + x)
    x = log(1e-12 / 0.25) / -log(1e-12)
    expected = (1 + x) / (sqrt(1 + x * x) * sqrt(2))
    assert c_v([[0, 1]], [tokens_of([[0], [1]])], 2).per_topic == pytest.approx([expected])


def test_nothing_is_ever_nan() -> None:
    empty, full = [[], []], [[0, 1, 2, 0, 1, 2]] * 2
    for texts in (full, [[0]], [[-1]], [[0], [1], [2]]):
        bags = bags_of([{word for word in text if word >= 0} for text in texts])
        for measure in (npmi, umass):
            assert np.isfinite(measure([[0, 1, 2]], [bags], 3).per_topic).all()
        assert np.isfinite(c_v([[0, 1, 2]], [tokens_of(texts)], 3).per_topic).all()
    with pytest.raises(UserError, match="documents"):
        c_v([[0, 1]], [tokens_of(empty)], 3)


# By spelling, in a corpus


def spelled(texts: list[list[int]]) -> list[list[str]]:
    return [["abcdefghijklmn"[word] if word >= 0 else "other" for word in text] for text in texts]


def test_a_corpus_gives_all_three_in_one_read() -> None:
    texts = random_texts(3)
    topics = [[0, 3, 5], [1, 2, 13]]
    corpus = Corpus.from_tokens(spelled(texts), vocabulary=Vocabulary.of(["unrelated"]))
    found = coherence(spelled(topics), corpus, window=6)
    documents = [{word for word in text if word >= 0} for text in texts]
    assert (found.documents, found.windows, found.ordered) == (12, len(sliding(texts, 6)), True)
    for scores, oracle_of, units in (
        (found.npmi, oracle, sliding(texts, 200)),
        (found.umass, umass_oracle, documents),
        (found.c_v, c_v_oracle, sliding(texts, 6)),
    ):
        np.testing.assert_allclose(scores.per_topic, [oracle_of(t, units) for t in topics], atol=1e-12)
    assert found.texts == len(sliding(texts, 200))
    missing = sum(not any({a, b} <= d for d in documents) for t in topics for a, b in combinations(t, 2))
    assert found.npmi.unseen_pairs == missing


def test_npmi_counts_windows_of_a_long_document() -> None:
    """Words that are far from each other in one long document do not go together."""
    texts = [["a", *["x"] * 300, "b"], ["c", "b"], ["a"]]
    corpus = Corpus.from_tokens(texts)
    found = coherence([["a", "b"], ["b", "c"]], corpus)
    assert (found.documents, found.texts) == (3, 103 + 2)
    assert found.npmi.per_topic[0] == -1.0
    assert found.npmi.per_topic[1] > 0.0
    assert found.umass.unseen_pairs == 0  # documents, as published
    few = coherence([["a", "b"], ["b", "c"]], corpus, documents=lambda block: np.array([1, 2]))
    assert (few.documents, few.texts) == (2, 2)
    assert (
        few.npmi.per_topic.tolist()
        == coherence([["a", "b"], ["b", "c"]], Corpus.from_tokens(texts[1:])).npmi.per_topic.tolist()
    )


def test_bags_have_documents_for_windows() -> None:
    counts = np.array([[2, 1, 0], [1, 1, 0], [0, 0, 4]])
    found = coherence([["a", "b"], ["b", "c"]], Corpus.from_matrix(counts, feature_names=["a", "b", "c"]))
    expected = [c_v_oracle(topic, [{0, 1}, {0, 1}, {2}]) for topic in ([0, 1], [1, 2])]
    np.testing.assert_allclose(found.c_v.per_topic, expected, atol=1e-12)
    assert (found.ordered, found.windows, found.texts) == (False, 3, 3)


def test_one_language_is_counted_by_itself() -> None:
    """The other side's tokens are no part of a window, and documents without the side do not count."""
    both = [["de:a", "de:b", "en:a", "en:b"], ["en:a"], ["de:a"]]
    alone = [["de:a", "de:b"], ["de:a"]]
    for window in (1, 2, 110):
        found = coherence([["de:a", "de:b"]], Corpus.from_tokens(both), window, language="de")
        expected = coherence([["de:a", "de:b"]], Corpus.from_tokens(alone), window)
        assert found.npmi.per_topic.tolist() == expected.npmi.per_topic.tolist()
        assert found.c_v.per_topic.tolist() == expected.c_v.per_topic.tolist()
        assert (found.documents, found.windows) == (expected.documents, expected.windows)


def test_top_words_must_be_as_many_for_each_topic() -> None:
    with pytest.raises(UserError, match="different numbers"):
        coherence([["a", "b"], ["c"]], Corpus.from_texts(["a text"]))
    for topics in ([], [[]], [["a"]]):
        with pytest.raises(UserError, match="two top words"):
            coherence(topics, Corpus.from_texts(["a text"]))


def test_words_in_place_of_topics_and_windows_without_words():
    corpus = Corpus.from_tokens([["graph", "trees"], ["graph", "minors"]])
    with pytest.raises(UserError, match=r"top_words has a string where a topic's list of words belongs"):
        coherence(["graph", "trees"], corpus)
    for window in (0, -1, 1.5):
        with pytest.raises(UserError, match=f"window={window}; window is a whole number from 1"):
            coherence([["graph", "trees"]], corpus, window=window)
