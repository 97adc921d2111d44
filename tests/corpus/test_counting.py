"""What is counted while a corpus is built: totals without bags, words that come by number."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus, Document, VocabularyRule
from stickbreaker.corpus.blocks import Entries
from stickbreaker.corpus.counting import WordCounts
from stickbreaker.corpus.text.numbered_words import FirstNumbers, NumberedWords, WordList

WORDS = ("the", "a", "cat", "dog", "fox", "emu", "ibis", "x")
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), min_size=1, max_size=30)
RULES = st.builds(
    VocabularyRule,
    min_documents=st.integers(1, 3),
    max_share=st.sampled_from([0.3, 0.6, 1.0]),
    size=st.sampled_from([None, 1, 2]),
    words=st.sampled_from([None, ("the", "emu", "gnu")]),
    hashed=st.booleans(),
)


@given(texts=TEXTS, rule=RULES, tokens=st.booleans(), phrases=st.booleans())
def test_totals_are_those_of_the_bags(tmp_path_factory, texts, rule, tokens, phrases):
    documents = [
        Document(str(n), tokens=text.split()) if tokens else Document(str(n), text)
        for n, text in enumerate(texts)
    ]
    path = tmp_path_factory.mktemp("totals") / "corpus"
    try:
        corpus = Corpus.from_documents(documents, path, rule=rule, analysis=Analysis(), phrases=phrases)
    except UserError:
        return  # no word is left
    bags = corpus.with_vocabulary(corpus.vocabulary)
    assert (corpus.n_tokens, corpus.n_empty) == (bags.n_tokens, bags.n_empty)


@given(st.lists(st.lists(st.integers(0, 9)), max_size=5), st.booleans())
def test_words_that_come_by_number_get_the_numbers_of_their_spelling(parts, two_lists):
    spelled = WordList("abcdefghij"), WordList("jihgfedcba")
    numbers, oracle = FirstNumbers(), FirstNumbers()
    for turn, part in enumerate(parts):
        codes = np.array(part, np.int32)
        words = NumberedWords(codes, spelled[turn % 2 if two_lists else 0])
        assert numbers.of(words).tolist() == oracle.of(list(words)).tolist()
        assert words.array().to_pylist() == list(words)
    assert numbers.words == oracle.words
    assert dict(numbers) == dict(oracle)


@given(st.lists(st.lists(st.integers(0, 9), max_size=6), min_size=1, max_size=6))
def test_documents_of_words_are_counted_by_the_kernel_as_without(documents):
    words = NumberedWords(np.arange(10, dtype=np.int32), WordList("abcdefghij"))
    offsets = np.cumsum([0, *map(len, documents)])
    codes = np.array([code for one in documents for code in one], np.int32)
    entries = Entries(offsets, codes, words, None)
    by_kernel, oracle = WordCounts(), WordCounts()
    assert np.array_equal(by_kernel.add(entries, words), oracle.add(entries, list(words)))
    expected = [sum(code in one for one in documents) for code in range(10)]
    assert by_kernel.documents.tolist() == expected
