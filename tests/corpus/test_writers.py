"""Corpora in other programs' formats, and back."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus, ReadingOptions
from stickbreaker.corpus.writers import write_lda_c

WORDS = ["cat", "naïve", "two words", "水", "a\u2028b", "e\u0301", "\U00020bb7", "12"]


def read_back(directory: Path) -> Corpus:
    """The corpus that LDA-C's reader makes of the files."""
    options = ReadingOptions("lda-c", vocab=str(directory / "vocabulary.txt"))
    return Corpus.build(directory / "documents.ldac", reading=options)


def bags(corpus: Corpus) -> list[dict[str, float]]:
    """Each document's words and counts, by spelling."""
    told: list[dict[str, float]] = []
    for block in range(len(corpus.block_sizes)):
        held = corpus.bags(block)
        for start, stop in zip(held.offsets[:-1], held.offsets[1:], strict=True):
            words = [corpus.vocabulary.words[row] for row in held.words[start:stop]]
            told.append(dict(zip(words, held.counts[start:stop].tolist(), strict=True)))
    return told


@settings(max_examples=40, deadline=None)
@given(counts=arrays.arrays(np.int64, (5, 8), elements=st.sampled_from([0, 0, 0, 1, 2, 1_000_000])))
def test_bags_come_back(counts, tmp_path_factory):
    if not counts.any():
        counts[0, 0] = 1
    out = tmp_path_factory.mktemp("export") / "out"
    corpus = Corpus.from_matrix(counts, feature_names=WORDS)
    write_lda_c(corpus, out)
    back = read_back(out)
    assert back.vocabulary.words == corpus.vocabulary.words
    assert bags(back) == bags(corpus)
    assert bags(back) == [{WORDS[w]: row[w] for w in np.flatnonzero(row)} for row in counts]


def test_the_files_of_a_text_corpus(tmp_path):
    corpus = Corpus.from_texts(["A cat, a cat and a dog.", "", "Dogs"])
    write_lda_c(corpus, tmp_path / "out")
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["documents.ldac", "vocabulary.txt"]
    assert (tmp_path / "out" / "vocabulary.txt").read_text() == "cat\ndog\ndogs\n"
    assert (tmp_path / "out" / "documents.ldac").read_text() == "2 0:2 1:1\n0\n1 2:1\n"


def test_every_block_is_written(tmp_path):
    counts = np.random.default_rng(0).poisson(0.5, (2500, 6)) + np.eye(6, dtype=int)[[0] * 2500]
    corpus = Corpus.from_matrix(counts)
    assert len(corpus.block_sizes) > 2
    write_lda_c(corpus, tmp_path / "out")
    assert bags(read_back(tmp_path / "out")) == bags(corpus)


@pytest.mark.parametrize(
    "word", ["", " ", " cat", "cat\t", "c\nat", "c\rat", "c\0at", "cat\r", "cat\x85", "\ufeffcat"]
)
def test_words_that_a_line_cannot_hold(tmp_path, word):
    corpus = Corpus.from_matrix([[1, 2]], feature_names=[word, "dog"])
    with pytest.raises(UserError) as told:
        write_lda_c(corpus, tmp_path / "out")
    assert str(told.value).startswith(f"the word {word!r} cannot stand on a line of its own; ")
    assert list(tmp_path.iterdir()) == []


def test_weights_that_are_no_counts(tmp_path):
    corpus = Corpus.from_matrix([[1, 2], [0, 0.5]], ids=["one", "two"])
    with pytest.raises(UserError, match=r"document two: a word weighs 0\.5, and LDA-C has whole counts; "):
        write_lda_c(corpus, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_replaced_by_mistake(tmp_path):
    corpus, out = Corpus.from_texts(["cat"]), tmp_path / "out"
    write_lda_c(corpus, out)
    with pytest.raises(UserError, match="already exists; give another path, or overwrite=True"):
        write_lda_c(corpus, out)
    write_lda_c(Corpus.from_texts(["dog"]), out, overwrite=True)
    assert bags(read_back(out)) == [{"dog": 1}]
    (out / "mine.txt").write_text("mine")
    file = tmp_path / "file"
    file.write_text("mine")
    for place in (out, file):
        with pytest.raises(UserError, match="holds other files than LDA-C's"):
            write_lda_c(corpus, place, overwrite=True)
    assert (out / "mine.txt").read_text() == file.read_text() == "mine"
