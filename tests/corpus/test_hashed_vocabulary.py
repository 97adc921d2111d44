"""Words that share rows by a hash of their spelling: the rows, the counts, corpora and models on disk."""

import hashlib
import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker import LDA, Analysis, Corpus, Vocabulary, VocabularyRule
from stickbreaker.core.errors import UserError
from stickbreaker.corpus.hashing import MOST_ROWS, hashed_rows

TEXTS = ["the river bank of the river", "a bank lends money", "money money rain", "the snow"]
ANYTHING = st.characters(exclude_categories=())  # also lone surrogates


def hash_of(word, n):
    """The definition once more."""
    number = 0
    for place, byte in enumerate(hashlib.blake2b(word.encode(), digest_size=8).digest()):
        number += byte * 256**place
    return number % n


@given(st.lists(st.text(ANYTHING)), st.integers(1, MOST_ROWS))
def test_a_word_has_the_same_row_whatever_stands_beside_it(words, n):
    rows = hashed_rows(words, n)
    assert rows.dtype == np.int32
    assert all(0 <= row < n for row in rows.tolist())
    for word, row in zip(words, rows.tolist(), strict=True):
        assert hashed_rows([word], n).tolist() == [row]


def test_rows_are_those_of_the_definition_and_spread_evenly():
    words = [f"word{number}" for number in range(20_000)]
    rows = hashed_rows(words, 50)
    assert rows.tolist() == [hash_of(word, 50) for word in words]
    expected = 20_000 / 50
    assert ((np.bincount(rows, minlength=50) - expected) ** 2 / expected).sum() < 100  # chi squared, 49


def test_all_words_share_the_buckets_and_stop_words_stay_out():
    corpus = Corpus.from_texts(TEXTS, rule=VocabularyRule(words=Vocabulary.buckets(7).words, hashed=True))
    assert corpus.vocabulary.words == ("#0", "#1", "#2", "#3", "#4", "#5", "#6")
    expected = np.zeros((4, 7))
    for document, words in enumerate(["river bank river", "bank lends money", "money money rain", "snow"]):
        for word in words.split():
            expected[document, hash_of(word, 7)] += 1
    np.testing.assert_array_equal(dense(corpus), expected)
    assert corpus.bags(0).unseen.tolist() == [0.0] * 4
    np.testing.assert_array_equal(corpus.vocabulary.tokens, expected.sum(axis=0))
    assert (corpus.vocabulary.documents >= (expected > 0).sum(axis=0)).all()
    assert (corpus.vocabulary.documents <= 4).all()


def test_words_of_a_dictionary_keep_their_rows_and_the_others_share_them():
    listed = ("river", "money", "sea")
    corpus = Corpus.from_texts(TEXTS, rule=VocabularyRule(words=listed, hashed=True))
    assert corpus.vocabulary.words == listed
    row = {word: hash_of(word, 3) for word in ("bank", "lends", "rain", "snow")} | {"river": 0, "money": 1}
    expected = np.zeros((4, 3))
    for document, words in enumerate(["river bank river", "bank lends money", "money money rain", "snow"]):
        for word in words.split():
            expected[document, row[word]] += 1
    np.testing.assert_array_equal(dense(corpus), expected)
    np.testing.assert_array_equal(corpus.vocabulary.tokens, expected.sum(axis=0))


def test_new_documents_fall_into_the_same_rows():
    hashed = Vocabulary.buckets(1000)
    together = dense(Corpus.from_texts(TEXTS, vocabulary=hashed))
    for number, text in enumerate(TEXTS):
        np.testing.assert_array_equal(
            dense(Corpus.from_texts([text], vocabulary=hashed))[0], together[number]
        )
    seen = Corpus.from_texts(TEXTS).with_vocabulary(hashed)
    np.testing.assert_array_equal(dense(seen), together)


def test_a_rule_may_hash_what_it_leaves_out():
    rule = VocabularyRule(size=2, hashed=True)
    corpus = Corpus.from_texts(TEXTS, rule=rule)
    assert len(corpus.vocabulary) == 2
    assert corpus.n_tokens == Corpus.from_texts(TEXTS).n_tokens
    assert rule.to_dict()["hashed"]


def test_hashing_survives_the_disk_and_is_part_of_the_fingerprint(tmp_path):
    plain = Corpus.from_texts(TEXTS, rule=VocabularyRule(words=("river", "money")))
    hashed = Corpus.from_texts(TEXTS, rule=VocabularyRule(words=("river", "money"), hashed=True))
    assert plain.fingerprint != hashed.fingerprint
    for number, corpus in enumerate((plain, hashed)):
        opened = corpus.write(tmp_path / str(number))
        assert opened.vocabulary.hashed == corpus.vocabulary.hashed == bool(number)
        assert opened.fingerprint == corpus.fingerprint
        assert opened.about.rule.hashed == bool(number)
        np.testing.assert_array_equal(dense(opened), dense(corpus))
    metadata = pq.read_schema(tmp_path / "0" / "vocabulary.parquet").metadata
    assert not metadata or b"hashed" not in metadata  # the file of all others is as it was


def test_a_saved_model_hashes_as_it_did(tmp_path):
    new = ["glaciers and rivers of the alps", "money"]
    texts = [*TEXTS * 5, "banks of rivers", "loans"]
    for number, words in enumerate([Vocabulary.buckets(40).words, ("river", "bank", "money")]):
        corpus = Corpus.from_texts(texts, rule=VocabularyRule(words=words, hashed=True))
        model = LDA(2, max_iter=5, tol=0.0, random_state=0).fit(corpus)
        model.save(tmp_path / str(number))
        loaded = LDA.load(tmp_path / str(number))
        assert loaded.vocabulary_.hashed
        np.testing.assert_array_equal(loaded.transform(new), model.transform(new))
        assert loaded.top_words(3) == model.top_words(3)
        prior = model.transform(["the"])  # a stop word
        assert not np.allclose(model.transform(["glaciers"]), prior)  # a word that was never seen


def test_a_stream_learns_from_words_that_its_dictionary_lacks():
    batches = [["glacier glacier", "money bank"], ["glacier snow", "bank loan"]]
    first = Corpus.from_texts(batches[0], rule=VocabularyRule(words=("money", "river"), hashed=True))
    model = LDA(2, random_state=0).partial_fit(first).partial_fit(batches[1])
    assert model.vocabulary_.hashed
    assert model.vocabulary_.tokens.sum() == 8
    tokens = LDA(2, random_state=0).partial_fit(first).partial_fit([text.split() for text in batches[1]])
    np.testing.assert_array_equal(tokens.components_, model.components_)


def test_what_cannot_be_hashed_is_one_line():
    for n in (0, -1, MOST_ROWS + 1):
        with pytest.raises(UserError, match=f"{n} rows to hash words into; take 1 to {MOST_ROWS}"):
            Vocabulary.buckets(n)
    with pytest.raises(UserError, match="the vocabulary is empty"):
        Corpus.from_texts(TEXTS, rule=VocabularyRule(words=(), hashed=True))
    sides = [{"en": "a river", "de": "ein Fluss"}] * 3
    with pytest.raises(UserError, match="words of several languages cannot be hashed"):
        Corpus.from_texts(sides, rule=VocabularyRule(min_documents=1, max_share=1.0, hashed=True))


def test_the_command_line_hashes(cli, planted, tmp_path):
    dictionary = tmp_path / "words.txt"
    dictionary.write_text("river\nmoney\nstar\n")
    cli("corpus", "build", planted, "--hash", 20, "--out", tmp_path / "full")
    cli(
        "corpus", "build", planted, "--hash", "others", "--vocabulary", dictionary, "--out", tmp_path / "dict"
    )
    full, listed = (Corpus.open(tmp_path / name) for name in ("full", "dict"))
    assert (full.n_words, listed.vocabulary.words) == (20, ("river", "money", "star"))
    everything = Corpus.build(planted, rule=VocabularyRule(min_documents=1, max_share=1.0)).n_tokens
    assert full.n_tokens == listed.n_tokens == everything
    info = json.loads(cli("corpus", "info", tmp_path / "full", "--json").stdout)
    assert info["words"] == 20
    for arguments, problem in (
        (("--hash", "many"), "--hash many; give a whole number of rows, or others"),
        (("--hash", 0), "0 rows to hash words into"),
        (("--hash", 9, "--vocabulary", dictionary), "--vocabulary goes with --hash others"),
    ):
        told = cli("corpus", "build", planted, *arguments, "--out", tmp_path / "none", code=1).stderr
        assert problem in told
        assert told.count("\n") == 1


def test_analysis_decides_what_is_hashed():
    stemmed = Analysis(stemming=True)
    hashed = Vocabulary.buckets(1000)
    one, other = (
        Corpus.from_texts([text], analysis=stemmed, vocabulary=hashed) for text in ("rivers", "river")
    )
    np.testing.assert_array_equal(dense(one), dense(other))


def dense(corpus):
    """Documents × rows."""
    bags = corpus.bags(0)
    counts = np.zeros((len(bags.offsets) - 1, corpus.n_words))
    for document in range(len(counts)):
        entries = slice(bags.offsets[document], bags.offsets[document + 1])
        np.add.at(counts[document], bags.words[entries], bags.counts[entries])
    return counts
