"""Texts and tokens as sequences without a corpus: what a corpus of them gives."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker.corpus import Analysis, Corpus, Vocabulary
from stickbreaker.corpus.readers.document_inputs import document_input
from stickbreaker.corpus.text.all_words import analysis_of_all_words
from stickbreaker.corpus.token_sequences import token_sequences

WORDS = ("a", "cat", "sat", "é", "3.5", "don't")
VOCABULARY = Vocabulary.of(WORDS)
TOKENS = st.lists(st.lists(st.sampled_from([*WORDS, "emu", "", "x\ud800", "</s>"]), max_size=6), min_size=1)
TEXT = st.text("acts \n\r.!?'é35\x1c\x85\u2028\ud800<>/s", max_size=30)
ANALYSES = {
    "default": Analysis(),
    "all words": analysis_of_all_words(Analysis()),
    "spaced": analysis_of_all_words(Analysis(), "spaced"),
    "spaced lines": analysis_of_all_words(Analysis(sentences="line"), "spaced"),
    "whole": Analysis(sentences="document", lowercase=False),
    "phrases": Analysis().with_phrases([{("a", "cat"): "a_cat"}]),
}


def assert_same(found, corpus, spelled):
    expected = corpus.sequences(0)
    for name in ("offsets", "words", "starts"):
        one, other = getattr(found.content, name), getattr(expected, name)
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)
    assert list(found.spelled) == spelled


@given(TOKENS)
def test_lists_of_tokens_are_the_sequences_of_their_corpus(tokens):
    found = token_sequences(document_input(tokens, empty_lists=True), VOCABULARY, None)
    corpus = Corpus.from_tokens(tokens, vocabulary=VOCABULARY)
    assert_same(found, corpus, [word for one in corpus.documents(0) for word in one.tokens or []])


@pytest.mark.parametrize("name", ANALYSES)
@given(texts=st.lists(TEXT, min_size=1, max_size=5))
def test_texts_are_the_sequences_of_their_corpus(name, texts):
    analysis = ANALYSES[name]
    found = token_sequences(document_input(texts), VOCABULARY, analysis)
    if any(map(analysis.marks_in, texts)):
        assert found is None
        return
    corpus = Corpus.from_texts(texts, analysis=analysis, vocabulary=VOCABULARY)
    assert_same(found, corpus, [word for one in corpus.documents(0) for word in one.tokens or []])


def test_what_only_a_corpus_reads_is_left_to_it():
    """Phrases among tokens, texts by language, marks of which a corpus warns, what is no document."""
    tokens, texts = document_input([["a", "cat"]]), document_input(["a cat"])
    assert token_sequences(tokens, VOCABULARY, ANALYSES["phrases"]) is None
    assert token_sequences(texts, VOCABULARY, None) is None
    assert token_sequences(document_input([{"en": "a cat"}]), VOCABULARY, Analysis()) is None
    assert token_sequences(document_input(["a", 3]), VOCABULARY, Analysis()) is None
    assert token_sequences(document_input([["a"], "b"]), VOCABULARY, None) is None
    assert token_sequences(document_input([["a", 3]]), VOCABULARY, None) is None
    assert token_sequences(texts, Vocabulary.buckets(3), Analysis()) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert token_sequences(document_input(["<s> a </s>"]), VOCABULARY, ANALYSES["all words"]) is None
