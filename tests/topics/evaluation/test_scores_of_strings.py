"""Scores over all strings: probabilities sum to one, and words that nobody knows are spelled."""

from itertools import product
from math import exp, log

import numpy as np
import pytest

from stickbreaker import HDP, LDA, OpenVocabulary
from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Bags, Corpus, Vocabulary
from stickbreaker.corpus.spelling.string_prior import CharacterModel, Spelling
from stickbreaker.topics.evaluation import (
    OpenTopics,
    Topics,
    completion_of,
    completion_of_strings,
    left_to_right_of,
    left_to_right_of_strings,
    split_halves,
    with_one_more_word,
)

WORDS = ("ab", "b", "cab")
TOPICS = np.array([[0.5, 0.2, 0.1], [0.1, 0.1, 0.5]])
REST = np.array([0.2, 0.3])
THETA = np.array([0.25, 0.75])
PLANTED = [["river", "water", "boat"], ["money", "bank", "loan"]]
STRANGE = ["🦊", "\u202eabc", "x\u0000y", "한국어", "ÿ" * 10_000]


def log_letters(words) -> np.ndarray:
    """Every length l has 2⁻ˡ, every letter of a, b, c a third."""
    return np.array([-len(word) * (log(2) + log(3)) for word in words])


def prior(bags: Bags) -> np.ndarray:
    return np.tile(THETA, (len(bags.unseen), 1))


def topics_of(topic_word: np.ndarray = TOPICS, words: tuple[str, ...] = WORDS) -> Topics:
    vocabulary = Vocabulary(words, np.ones(len(words), np.int64), np.arange(1.0, len(words) + 1))
    return Topics(topic_word, np.array([0.5, 1.5]), vocabulary, prior)


def opened() -> OpenTopics:
    return OpenTopics(topics_of(), REST, log_letters)


def closed() -> OpenTopics:
    full = TOPICS / TOPICS.sum(axis=1, keepdims=True)
    return with_one_more_word(topics_of(full), np.array([5.0, 8.0]), 0.5, log_letters)


def by_hand(topics: OpenTopics, word: str) -> float:
    """p(word) under THETA."""
    of_topics = topics.rest * exp(log_letters([word])[0])
    if word in WORDS:
        of_topics = of_topics + topics.topics.topic_word[:, WORDS.index(word)]
    return float(THETA @ of_topics)


@pytest.mark.parametrize("topics", [opened(), closed()], ids=["open", "closed"])
@pytest.mark.parametrize("score", [completion_of_strings, left_to_right_of_strings])
def test_probabilities_of_all_strings_sum_to_one(topics, score) -> None:
    """All strings of up to four letters; of the longer ones G0 has 2⁻⁴."""
    strings = ["".join(letters) for n in range(1, 5) for letters in product("abc", repeat=n)]
    more = {} if score is left_to_right_of_strings else {"share": 0.0}
    scores = [score(topics, Corpus.from_tokens([[word]]), **more).held_out for word in strings]
    longer = float(THETA @ topics.rest) * 2.0**-4
    assert sum(exp(one.nats) for one in scores) == pytest.approx(1.0 - longer, abs=1e-12)
    assert sum(exp(one.unigram_nats) for one in scores) == pytest.approx(1.0 - longer, abs=1e-12)


@pytest.mark.parametrize("topics", [opened(), closed()], ids=["open", "closed"])
def test_every_word_has_its_probability(topics) -> None:
    document = ["ab", "cab", "cc", "cc", "b", "aaaaaa"]
    scored = completion_of_strings(topics, Corpus.from_tokens([document]), 0.0)
    assert scored.held_out.nats == pytest.approx(sum(log(by_hand(topics, word)) for word in document))
    assert (scored.held_out.tokens, scored.unseen) == (6.0, 3.0)
    assert scored.spelling_nats == pytest.approx(log_letters(["cc", "cc", "aaaaaa"]).sum())


def test_one_more_word_has_what_the_prior_gives() -> None:
    topics = closed()
    np.testing.assert_allclose(topics.rest, [0.5 / 5.5, 0.5 / 8.5])
    np.testing.assert_allclose(topics.topics.topic_word.sum(axis=1), 1.0 - topics.rest)
    by_words = with_one_more_word(topics_of(), np.array([5.0, 8.0]), np.array([0.5, 0.5, 40.0]), log_letters)
    np.testing.assert_allclose(by_words.rest, topics.rest)


def test_without_a_rest_the_score_is_that_of_known_words() -> None:
    full = TOPICS / TOPICS.sum(axis=1, keepdims=True)
    known = topics_of(full)
    corpus = Corpus.from_tokens([["ab", "b", "b"], ["cab", "ab", "ab", "b"]])
    through = corpus.with_vocabulary(known.vocabulary)
    none = OpenTopics(known, np.zeros(2), log_letters)
    whole = completion_of_strings(none, corpus, 0.0).held_out
    plain = completion_of(known, through, 0.0)
    assert whole.nats == pytest.approx(plain.nats)
    assert whole.unigram_nats == pytest.approx(plain.unigram_nats)
    left_to_right = left_to_right_of_strings(none, corpus, 5).held_out.nats
    assert left_to_right == pytest.approx(left_to_right_of(known, through, 5).nats)


def test_a_word_that_the_vocabulary_lists_and_no_topic_has_is_unseen() -> None:
    listed = topics_of(np.hstack([TOPICS, np.zeros((2, 1))]), (*WORDS, "cc"))
    corpus = Corpus.from_tokens([["ab", "cc", "b", "cc"]])
    scored = completion_of_strings(OpenTopics(listed, REST, log_letters), corpus, 0.0)
    plain = completion_of_strings(opened(), corpus, 0.0)
    assert scored.unseen == 2.0
    assert scored.held_out.nats == pytest.approx(plain.held_out.nats)
    assert scored.held_out.unigram_nats == pytest.approx(plain.held_out.unigram_nats)


def test_neither_order_nor_company_changes_a_document() -> None:
    seen: list[tuple[int, float]] = []

    def infer(bags: Bags) -> np.ndarray:
        seen.append((len(bags.words), float(bags.counts.sum())))
        return prior(bags)

    topics = opened()._replace(topics=topics_of()._replace(infer=infer))
    document = ["ab", "cab", "cc", "aa", "b", "aaaa", "ab"]
    alone = completion_of_strings(topics, Corpus.from_tokens([document]))
    turned = completion_of_strings(topics, Corpus.from_tokens([document[::-1]]))
    assert turned == alone
    assert seen[0] == seen[1]
    assert seen[0][1] < 4  # three of seven tokens were seen, at most, and of these only known words
    other = completion_of_strings(topics, Corpus.from_tokens([["zz", "a", "b"]]))
    both = completion_of_strings(topics, Corpus.from_tokens([["zz", "a", "b"], document]))
    assert both.held_out.nats == pytest.approx(alone.held_out.nats + other.held_out.nats)
    assert both.unseen == alone.unseen + other.unseen


def test_the_split_is_by_spelling() -> None:
    """The same two words in vocabularies of other words: the same tokens are observed."""
    counts, nothing = np.array([3.0, 4.0], np.float32), np.zeros(1, np.float32)
    small = Bags(np.array([0, 2]), np.array([0, 1], np.int32), counts, nothing)
    large = small._replace(words=np.array([1, 3], np.int32))
    halves = split_halves(small, 0.5, ["ab", "b"])
    for one, other in zip(halves, split_halves(large, 0.5, ["a", "ab", "az", "b"]), strict=True):
        np.testing.assert_array_equal(one.counts, other.counts)
    splits = {
        tuple(split_halves(small, 0.5, [f"a{i}", f"b{i}"])[0].counts.tolist()) for i in range(30)
    }  # or the key would not be the spelling
    assert len(splits) > 1


@pytest.mark.parametrize("memory", ["discard", "keep"])
@pytest.mark.parametrize("kind", [LDA, HDP])
def test_models_of_open_vocabularies(kind, memory) -> None:
    draw = np.random.default_rng(0)
    documents = [[PLANTED[d % 2][w] for w in draw.integers(0, 3, 8)] for d in range(60)]
    words = OpenVocabulary(concentration=10.0, truncation=4, memory=memory)
    model = kind(2, words=words, inference="hybrid", schedule="online", random_state=0)
    for start in range(0, 60, 20):
        model.partial_fit(documents[start : start + 20])
    topics = Topics(model.topic_word_, model.alpha_, model.vocabulary_, model.learned_.shares_of_bags)
    opened = OpenTopics(
        topics, model.rest_, lambda spelled: model.learned_.model.words.log_spelling(model.params_, spelled)
    )
    corpus = Corpus.from_tokens([*documents, ["river", "rover", "boat", *STRANGE]])
    known = completion_of_strings(opened, corpus.with_vocabulary(model.vocabulary_))
    assert np.isfinite(known.held_out.nats)
    assert known.unseen > 0
    only_known = completion_of_strings(opened, Corpus.from_tokens(documents)).held_out
    assert only_known.nats_per_word > only_known.unigram_nats_per_word + 0.1


def test_a_model_without_words_spells_everything() -> None:
    nothing = Topics(np.zeros((2, 0)), np.ones(2), Vocabulary.of([]), prior)
    scored = completion_of_strings(
        OpenTopics(nothing, np.ones(2), log_letters), Corpus.from_tokens([["ab", "c"]]), 0.0
    )
    assert scored.held_out.nats == pytest.approx(log_letters(["ab", "c"]).sum())
    assert scored.held_out.unigram_nats == pytest.approx(scored.held_out.nats)


def test_strange_words_have_finite_scores() -> None:
    characters = CharacterModel.learn(WORDS, Spelling())
    topics = with_one_more_word(topics_of(), np.array([5.0, 8.0]), 0.1, characters.log_probability)
    corpus = Corpus.from_tokens([STRANGE, ["", *WORDS]])
    for scored in (completion_of_strings(topics, corpus, 0.0), left_to_right_of_strings(topics, corpus, 2)):
        assert np.isfinite([scored.held_out.nats, scored.held_out.unigram_nats, scored.spelling_nats]).all()
        assert (scored.held_out.tokens, scored.unseen) == (8.0, 5.0)


def test_what_has_no_distribution_over_words_is_refused() -> None:
    hashed = topics_of()._replace(vocabulary=Vocabulary(WORDS, np.ones(3, np.int64), np.ones(3), hashed=True))
    many = topics_of()._replace(vocabulary=Vocabulary.joined({"en": Vocabulary.of(WORDS)}))
    for topics, told in ((hashed, "hashed words"), (many, "several languages")):
        with pytest.raises(UserError, match=told):
            with_one_more_word(topics, np.array([5.0, 8.0]), 0.1, log_letters)
    with pytest.raises(UserError, match="nothing to score"):
        completion_of_strings(opened(), Corpus.from_tokens([[], []], vocabulary=Vocabulary.of(WORDS)))
