"""Which words a vocabulary leaves out, by which rule; and the largest share where documents are long."""

import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus, VocabularyRule


def figures(corpus: Corpus) -> dict[str, tuple[int, float, tuple[str, ...]]]:
    return {one.rule: (one.words, one.tokens, one.frequent) for one in corpus.dropped}


def test_every_word_is_told_by_the_rule_that_drops_it(tmp_path):
    long = "w" * 101
    texts = [f"the cat cat x {long} common", "the cat y dog common", "of dog rare common"]
    rule = VocabularyRule(min_documents=2, max_share=0.9, size=1)
    built = Corpus.from_texts(texts, rule=rule).write(tmp_path / "c")
    assert figures(built) == {
        "stop_words": (2, 3.0, ("the", "of")),
        "min_length": (2, 2.0, ("x", "y")),
        "max_length": (1, 1.0, (long[:100] + "…",)),
        "min_documents": (1, 1.0, ("rare",)),
        "max_share": (1, 3.0, ("common",)),
        "size": (1, 2.0, ("dog",)),
    }
    labels = [one.label for one in Corpus.open(tmp_path / "c").dropped]
    assert "in fewer than 2 documents" in labels
    assert any(label.startswith("in more than 66.7 %") for label in labels)
    assert built.vocabulary.words == ("cat",)


def test_words_and_dropped_words_are_all_words():
    texts = [f"alpha beta{i % 7} gamma{i} the {'x' * (i % 3)}" for i in range(60)]
    corpus = Corpus.from_texts(texts, rule=VocabularyRule(2, 0.6))
    n_tokens = sum(len(document.tokens or []) for document in corpus.documents(0))
    assert corpus.n_tokens + sum(one.tokens for one in corpus.dropped) == n_tokens


def test_a_list_of_words_and_hashing():
    listed = Corpus.from_texts(["cat dog", "cat emu"], rule=VocabularyRule(words=("cat",)))
    assert figures(listed) == {"words": (2, 2.0, ("dog", "emu"))}
    hashed = Corpus.from_texts(["the cat dog", "cat emu"], rule=VocabularyRule(2, 1.0, hashed=True))
    assert figures(hashed) == {"stop_words": (1, 1.0, ("the",))}


def test_languages_are_added_up():
    texts = [{"en": "the house", "de": "das Haus"}, {"en": "the house", "de": "das Haus q"}]
    dropped = figures(Corpus.from_texts(texts))
    assert dropped["stop_words"] == (2, 4.0, ("de:das", "en:the"))
    assert dropped["min_length"] == (1, 1.0, ("de:q",))


def test_other_vocabularies_and_matrices_drop_nothing():
    corpus = Corpus.from_texts(["the cat"])
    assert corpus.dropped
    assert not corpus.with_vocabulary(corpus.vocabulary).dropped
    assert not Corpus.from_matrix([[1.0]]).dropped


@pytest.mark.parametrize(
    ("length", "most"), [(0, 500), (100, 500), (500, 500), (1_000, 750), (2_500, 900), (10_000, 975)]
)
def test_the_largest_share_follows_the_length_of_documents(length, most):
    assert VocabularyRule().bounds(1_000, length) == (3, most)
    assert VocabularyRule(max_share=0.5).bounds(1_000, length) == (3, 500)


def test_a_word_of_most_long_documents_is_kept():
    filler = [" ".join(f"word{(i * 37 + j) % 900}" for j in range(1_500)) for i in range(20)]
    texts = [text + (" war tax" if i % 5 else "") + " always" for i, text in enumerate(filler)]
    words = Corpus.from_texts(texts).vocabulary.words
    assert "war" in words
    assert "always" not in words
    short = Corpus.from_texts([("war" if i % 5 else "peace") + f" word{i}" for i in range(40)])
    assert "war" not in short.vocabulary.words


def test_words_are_not_longer_than_they_may_be():
    long = "a" * 1_000_000
    corpus = Corpus.from_tokens([["cat", long], ["dog"]])
    assert corpus.vocabulary.words == ("cat", "dog")
    assert figures(corpus) == {"max_length": (1, 1.0, (long[:100] + "…",))}
    for make in (
        lambda: Corpus.from_matrix([[1, 2]], ["cat", long]),
        lambda: Corpus.from_gensim([[(0, 1)]], {0: long}),
        lambda: VocabularyRule(words=("cat", long)),
    ):
        with pytest.raises(UserError, match="has 1,000,000 characters; words have at most 1,000"):
            make()
    assert Corpus.from_matrix([[1]], ["b" * 1_000]).n_words == 1
