"""Sentences of a grammar's terminals, read out of documents, beside slow readings."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker.corpus import Analysis, Vocabulary
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.grammars.model.grammar_sentences import BOUNDARY, UNKNOWN, SymbolReader
from stickbreaker.grammars.text_symbols import TextLines, analysis_of_symbols, symbol_finder

DOCUMENTS = st.lists(st.lists(st.tuples(st.integers(-1, 3), st.booleans()), max_size=6), max_size=5)
TERMINALS = [0, BOUNDARY, 1, UNKNOWN, UNKNOWN]  # of four words, and of what is no word


@given(DOCUMENTS)
def test_symbols_are_cut_at_boundaries_and_where_sentences_begin(documents):
    offsets = np.cumsum([0, *map(len, documents)])
    words = np.array([word for document in documents for word, _ in document], np.int32)
    begins = [first or place == 0 for document in documents for place, (_, first) in enumerate(document)]
    content = Sequences(offsets, words, np.flatnonzero(begins))
    found = SymbolReader(np.array(TERMINALS)).read(content, documents=np.arange(len(documents)))
    expected = []
    for number, document in enumerate(documents):
        sentence = []
        for place, (word, first) in enumerate([*document, (1, True)]):
            letter = TERMINALS[word]
            if sentence and (letter == BOUNDARY or first):
                expected.append((number, sentence))
                sentence = []
            if letter != BOUNDARY and place < len(document):
                sentence.append(letter)
    sentences = [found[number].tolist() for number in range(len(found.documents))]
    assert list(zip(found.documents.tolist(), sentences, strict=True)) == expected
    assert found.starts[-1] == len(found.letters)


@given(st.text(alphabet=st.sampled_from("ab\u0301\u200d \t\n\u3000\x1c\x85é.'"), max_size=20))
def test_symbols_are_those_of_the_analysis(text):
    for symbols in ("characters", "spaced"):
        analysis = analysis_of_symbols(symbols)
        for one in (analysis, analysis.resolved()):
            assert symbol_finder(one)(text) == analysis.analyse(text).words
    assert symbol_finder(Analysis())(text) == Analysis().analyse(text).words


def test_lines_are_numbered():
    found = TextLines.of(["ab", "", "xa"], analysis_of_symbols("characters"), Vocabulary.of(["a", "b"]))
    assert found.tokens == [["a", "b"], [], ["x", "a"]]
    assert found.content.words.tolist() == [0, 1, -1, 0]
    assert found.content.offsets.tolist() == [0, 2, 2, 4]
    assert found.content.starts.tolist() == [0, 2]
