"""Documents seen through a vocabulary that is given are the same held in memory as kept in files."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import (
    Analysis,
    Corpus,
    Document,
    ReadingOptions,
    Sequences,
    Vocabulary,
    blocks,
)
from stickbreaker.corpus.blocks import Entries
from stickbreaker.corpus.counting import bags_of
from stickbreaker.corpus.metadata import storable
from stickbreaker.corpus.shards import Bags, shard_of
from stickbreaker.corpus.text.analysis import MarksWarning, default_analysis
from stickbreaker.corpus.token_bags import bags_of_texts

GIVEN = Vocabulary.of(["cat", "dog", "naïve", "水"])
WORDS = st.sampled_from(["the", "cat", "dog", "emu", "naïve", "it's", "水", "b\ud800", "Dog"])
TEXTS = st.lists(st.lists(WORDS | st.sampled_from([". ", "!\n\n"]), max_size=12).map(" ".join), min_size=1)
TOKENS = st.lists(st.lists(WORDS, max_size=9), min_size=1)


def assert_same(held: Corpus, stored: Corpus) -> None:
    """Whatever is asked of them."""
    assert held.block_sizes == stored.block_sizes
    for block in range(len(held.block_sizes)):
        for one, other in zip(held.bags(block), stored.bags(block), strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
        one, other = held.sequences(block), stored.sequences(block)
        assert isinstance(one, Sequences)
        for name in ("offsets", "words", "starts"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
            assert getattr(one, name).dtype == getattr(other, name).dtype
        assert held.ids(block) == stored.ids(block)
        assert held.documents(block) == stored.documents(block)
        entries = held.source.entries(block), stored.source.entries(block)
        assert entries[0].words() == entries[1].words()
        assert entries[0].spellings(entries[0].codes) == entries[1].spellings(entries[1].codes)
    for name in ("n_tokens", "n_empty", "unseen_share", "fingerprint", "languages", "metadata_fields"):
        assert getattr(held, name) == getattr(stored, name), name
    assert (held.path, held.about.content) == (None, stored.about.content)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_DOCUMENTS", 3)


@given(TEXTS, st.sampled_from(["punctuation", "line"]), st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_texts(tmp_path_factory, texts, sentences, data):
    out = tmp_path_factory.mktemp("corpus") / "stored"
    ids = [f"d{number}" for number in range(len(texts))]
    documents = [Document(name, text, metadata={"n": 1}) for name, text in zip(ids, texts, strict=True)]
    analysis = Analysis(sentences=sentences)
    held = Corpus.from_documents(documents, analysis=analysis, vocabulary=GIVEN)
    assert_same(held, Corpus.from_documents(documents, out, analysis=analysis, vocabulary=GIVEN))


@given(TOKENS, st.booleans())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_tokens(tmp_path_factory, tokens, hashed):
    out = tmp_path_factory.mktemp("corpus") / "stored"
    documents = [Document(None, tokens=list(words)) for words in tokens]
    vocabulary = Vocabulary.buckets(5) if hashed else GIVEN
    held = Corpus.from_documents(documents, vocabulary=vocabulary)
    assert_same(held, Corpus.from_documents(documents, out, vocabulary=vocabulary))


def test_bags_are_read_under_an_analysis_with_phrases(tmp_path):
    (tmp_path / "two.ldac").write_text("2 0:1 1:2\n1 1:3\n")
    (tmp_path / "words.txt").write_text("cat\nemu\n")
    analysis = Analysis().with_phrases([{("new", "york"): "new_york"}])
    reading = ReadingOptions(vocab=tmp_path / "words.txt")
    held = Corpus.build(tmp_path / "two.ldac", reading=reading, analysis=analysis, vocabulary=GIVEN)
    assert held.bags(0).counts.tolist() == [1.0]
    assert held.bags(0).unseen.tolist() == [2.0, 3.0]
    assert held.source.entries(0).weights.tolist() == [1.0, 2.0, 3.0]


def test_sentences_that_begin_at_no_token_are_refused():
    for places in ([0, 4], [1], [-1, 0], [0, 0]):
        document = Document("a", tokens=["cat", "dog"], sentences=places)
        corpus = Corpus.from_documents([document], vocabulary=GIVEN)
        with pytest.raises(UserError, match="sentences that begin outside their document"):
            corpus.sequences(0)
    document = Document("a", tokens=["cat", "dog", "cat"], sentences=[2, 0])
    assert Corpus.from_documents([document], vocabulary=GIVEN).sequences(0).starts.tolist() == [0, 2]


def test_a_matrix_has_the_vocabulary_that_is_given():
    corpus = Corpus.from_matrix([[0, 2, 0, 1]], GIVEN)
    assert corpus.vocabulary is GIVEN
    assert corpus.bags(0).words.tolist() == [1, 3]
    with pytest.raises(UserError, match="4 feature names for 2 columns"):
        Corpus.from_matrix([[0, 2]], GIVEN)


def test_an_analysis_that_is_resolved_keeps_what_it_has_worked_out():
    resolved = default_analysis().resolved()
    assert resolved is default_analysis().resolved()
    assert resolved.resolved() is resolved
    assert resolved == Analysis().resolved()
    assert Corpus.from_texts(["a cat"], analysis=resolved, vocabulary=GIVEN).analysis is resolved


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 6), st.floats(0.25, 9.0, width=32)), max_size=8), min_size=1)
)
def test_bags_against_a_slow_count(documents):
    rows, eligible = np.array([3, -1, 0, 1, -1, 1, 2], np.int32), np.array([0, 1, 0, 0, 0, 0, 0], np.bool_)
    flat = [pair for document in documents for pair in document]
    offsets = np.cumsum([0, *map(len, documents)]).astype(np.int64)
    codes = np.array([code for code, _ in flat], np.int32)
    weights = np.array([weight for _, weight in flat], np.float64)
    for given_weights in (weights, None):
        bags = bags_of(Entries(offsets, codes, list("abcdefg"), given_weights), rows, eligible, 4)
        counts, unseen = np.zeros((len(documents), 4)), np.zeros(len(documents))
        for number, document in enumerate(documents):
            for code, weight in document:
                weight = 1.0 if given_weights is None else weight
                counts[number, rows[code]] += weight if rows[code] >= 0 else 0.0
                unseen[number] += weight if eligible[code] else 0.0
        found = csr_array((bags.counts, bags.words, bags.offsets), shape=counts.shape)
        assert found.has_canonical_format
        np.testing.assert_allclose(found.toarray(), counts, rtol=1e-6)
        np.testing.assert_allclose(bags.unseen, unseen, rtol=1e-6)


@given(st.lists(st.integers(-1, 99), max_size=20))
def test_a_shard_of_few_words_is_that_of_many(words):
    content = Sequences(np.array([0, len(words)]), np.array(words, np.int32), np.zeros(1, np.int64))
    few, many = (shard_of(content, np.zeros(1, np.int64), n_words) for n_words in (100_000, 100))
    for one, other in ((few.rows, many.rows), (few.content.words, many.content.words)):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype
    assert few.table_rows().tolist() == np.unique(np.array(words)[np.array(words) >= 0]).tolist()


def test_an_empty_bag_makes_a_shard():
    none = Bags(
        np.zeros(2, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(1, np.float32)
    )
    shard = shard_of(none, np.zeros(1, np.int64), 100_000)
    assert (len(shard.rows), len(shard.content.words), len(shard.table_rows())) == (0, 0, 0)


VARIED = [
    "The President's sea, the SEA and the ship's sea: <b>New York</b> &amp; 1,000 ships!",
    "",
    "naïve cafés — cafe\u0301s; \ud800 lone, x\u00ady, 水は青い, it's <s> marks </s>",
    "nothing known: qqq zzz",
]


@pytest.mark.parametrize(
    "analysis",
    [
        Analysis(),
        Analysis(clean="web", stemming=True, possessives="apart"),
        Analysis(token_pattern=r"(s)?\w+|", min_length=1, stop_words=()),
        Analysis(segmentation="characters", lowercase=False, sentences="line"),
        Analysis(phrases=(("new york", "the ship"),), sentence_marks="dropped"),
    ],
)
def test_bags_of_a_few_texts_are_those_of_their_corpus(analysis):
    words = {word for text in VARIED for word in analysis.analyse(storable(text)).words if word[0] != "q"}
    vocabulary = Vocabulary.of(sorted(words))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MarksWarning)
        corpus = Corpus.from_texts(VARIED, analysis=analysis, vocabulary=vocabulary)
    wanted = Bags.join([corpus.bags(block) for block in range(len(corpus.block_sizes))])
    found = bags_of_texts(VARIED, analysis.resolved(), vocabulary)
    assert found.counts.sum() > 20
    for one, other in zip(found[:3], wanted[:3], strict=True):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()
