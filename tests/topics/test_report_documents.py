"""The documents that a model keeps for its report, their marked words, and figures of the corpus."""

import json
from itertools import pairwise

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from stickbreaker import LDA, OpenVocabulary, load
from stickbreaker.corpus import Analysis, Corpus, Vocabulary, blocks
from stickbreaker.corpus import source as sources
from stickbreaker.corpus.source import Source
from stickbreaker.corpus.text.polylingual import PolylingualAnalysis
from stickbreaker.estimators import model_runs
from stickbreaker.learning.schedules import Online
from stickbreaker.testing import plant_languages
from stickbreaker.testing.estimators import begin
from stickbreaker.topics import snippets
from stickbreaker.topics.evaluation import Topics, coherence_of
from stickbreaker.topics.model import topic_words
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.topic_words import Dense
from stickbreaker.topics.report.document_entries import read_documents
from stickbreaker.topics.report_documents import (
    LIMIT,
    collect_documents_and_figures,
    likeliest_topics,
    nats_by_word_shares,
)
from stickbreaker.topics.snippets import SNIPPET, Excerpts


def excerpt_of(corpus: Corpus, i: int = 0) -> tuple[str, list[tuple[str, str]]]:
    """A document's excerpt, and each marked piece of it with the word that it is marked as."""
    found = Excerpts(corpus, 0, corpus.source.entries(0)).excerpt(i)
    spans = zip(found.starts.tolist(), found.lengths.tolist(), found.words.tolist(), strict=True)
    return found.text, [(found.text[s : s + n], corpus.vocabulary.words[w]) for s, n, w in spans]


def test_words_are_marked_where_they_stand():
    text = "  The Cats\n\n  didn't\tcatch 😀 the cats’ boat. "
    shown, marks = excerpt_of(Corpus.from_texts([text]))
    assert shown == "The Cats didn't catch 😀 the cats’ boat."
    assert marks == [("Cats", "cats"), ("catch", "catch"), ("cats", "cats"), ("boat", "boat")]


def test_stems_are_marked_as_the_words_that_they_stand_for():
    corpus = Corpus.from_texts(["running boats"], analysis=Analysis(stemming=True))
    assert excerpt_of(corpus)[1] == [("running", "run"), ("boats", "boat")]


@given(
    st.lists(
        st.sampled_from(["boat", "the", "Ä", "river's", "x", "\n", "  ", "東京", "-", "😀"]), max_size=400
    )
)
def test_every_mark_is_its_word(pieces):
    text = " ".join(["anchor", *pieces])
    shown, marks = excerpt_of(Corpus.from_texts([text]))
    assert len(shown) <= SNIPPET
    assert shown.rstrip("…") == " ".join(text.split())[: SNIPPET - 1 if shown.endswith("…") else None]
    for piece, word in marks:
        assert piece.lower().removesuffix("'s") == word


def test_long_texts_are_cut_between_characters_and_half_words_are_not_marked():
    corpus = Corpus.from_texts(["ab " * 199 + "wonderful " * 3])
    shown, marks = excerpt_of(corpus)
    assert len(shown) == SNIPPET
    assert shown.endswith("…")
    assert {word for _, word in marks} == {"ab"}


def test_tokens_without_text_and_bags_are_told_by_their_words():
    tokens = Corpus.from_tokens([["one", "two", "one", "zzz"]]).with_vocabulary(
        Corpus.from_tokens([["one", "two"]]).vocabulary
    )
    assert excerpt_of(tokens) == ("one two one zzz", [("one", "one"), ("two", "two"), ("one", "one")])
    bags = Corpus.from_matrix([[1, 5, 0]], ["few", "many", "none"])
    assert excerpt_of(bags) == ("many few", [("many", "many"), ("few", "few")])
    assert excerpt_of(Corpus.from_tokens([["a"], []]), 1) == ("", [])


def test_each_language_has_its_part_of_an_excerpt():
    analysis = PolylingualAnalysis.of(Analysis(), ["de", "en"])
    long = {"de": "Das Haus am Fluss. " * 60, "en": "A house by the river. " * 60}
    corpus = Corpus.from_texts([long, {"en": "house river"}], analysis=analysis)
    shown, marks = excerpt_of(corpus)
    first, second = shown.split("\n")
    assert first.startswith("Das Haus")
    assert second.startswith("A house")
    assert max(len(first), len(second)) <= SNIPPET // 2
    assert {word.split(":")[0] for _, word in marks} == {"de", "en"}
    assert all(word.split(":")[1] == piece.lower() for piece, word in marks)
    assert excerpt_of(corpus, 1)[0] == "house river"


def test_the_topic_of_a_word_is_the_most_probable_given_the_document():
    draw = np.random.default_rng(0)
    topic_word, theta = draw.dirichlet(np.ones(9), 4), draw.dirichlet(np.ones(4))
    words = draw.integers(0, 9, 30)
    slow = [max(range(4), key=lambda k: theta[k] * topic_word[k, w]) for w in words]
    assert likeliest_topics(words, theta, Dense(topic_word)).tolist() == slow


def test_unigram_by_hand():
    words, learned = np.array([1.0, 3.0, 2.0, 2.0]), np.array([1.0, 1.0, 3.0, 1.0])
    assert nats_by_word_shares(words, learned, {}) == pytest.approx(
        (np.log(1 / 6) + 3 * np.log(1 / 6) + 2 * np.log(3 / 6) + 2 * np.log(1 / 6)) / 8
    )
    sides = {"de": slice(0, 2), "en": slice(2, 4)}
    assert nats_by_word_shares(words, learned, sides) == pytest.approx(
        (4 * np.log(1 / 2) + 2 * np.log(3 / 4) + 2 * np.log(1 / 4)) / 8
    )
    assert nats_by_word_shares(np.zeros(4), learned, {}) is None


def test_a_model_keeps_documents_and_figures(model):
    documents, told = read_documents(model)
    assert 0 < len(documents) <= LIMIT
    assert len(told["coherence"]) == 3
    assert all(-1 <= value <= 1 for value in told["coherence"])
    assert "unigram_held_out" not in told
    words = pq.read_table(model / "vocabulary.parquet").to_pydict()
    counts = np.array(words["tokens"])
    assert told["unigram"] == pytest.approx((counts * np.log(counts / counts.sum())).sum() / counts.sum())
    for document in documents:
        assert document.marks
        topics = {k for _, _, k in document.marks}
        assert topics <= {0, 1, 2}
        ends = [(start, start + n) for start, n, _ in document.marks]
        assert all(one[1] < other[0] for one, other in pairwise(ends))


def test_held_out_words_are_scored_by_what_was_learned(cli, planted, tmp_path):
    cli("fit", "lda", planted, "--out", tmp_path / "m", "--topics", 3, "--held-out", 0.3, "--iterations", 3)
    _, told = read_documents(tmp_path / "m")
    assert -4 < told["unigram_held_out"] < told["unigram"] + 1 < 0
    kept = json.loads(
        pq.ParquetFile(tmp_path / "m" / "documents.parquet").schema_arrow.metadata[b"stickbreaker"]
    )
    assert kept == told


def test_the_coherence_of_two_languages_is_the_mean_of_both():
    """That of `evaluate`, though some documents have one side, or one without a word of the vocabulary."""
    planted = plant_languages((30, 20), n_documents=60, length=12)
    names = [*(f"de:w{n}" for n in range(30)), *(f"en:w{n}" for n in range(20))]
    documents = [
        [names[w] for w in np.repeat(row.indices, row.data.astype(int))]
        for row in map(csr_matrix, planted.counts)
    ]
    documents[3] = [word for word in documents[3] if word.startswith("de:")]
    documents[4] = [*(word for word in documents[4] if word.startswith("de:")), "en:unknown"]
    sides = {code: Vocabulary.of([w for w in names if w.startswith(code)]) for code in ("de", "en")}
    corpus = Corpus.from_tokens(documents, vocabulary=Vocabulary.joined(sides))
    model = LDA(5, random_state=0, max_iter=5, tol=0.0).fit(corpus)
    told = collect_documents_and_figures(model.learned_, Source(corpus), model.engine_)[1]["coherence"]
    topics = Topics(
        model.topic_word_,
        model.alpha_,
        model.vocabulary_,
        model.learned_.shares_of_bags,
        model.topic_shares_,
        model.word_documents_,
    )
    scores = coherence_of(topics, corpus)
    assert [one.documents for one in scores.values()] == [60, 59]
    assert told == np.mean([one.smoothed.per_topic for one in scores.values()], axis=0).tolist()


def test_a_language_without_documents_has_no_coherence():
    sides = {code: Vocabulary.of([f"{code}:bank", f"{code}:gift"]) for code in ("de", "en")}
    corpus = Corpus.from_tokens([["de:bank", "de:gift"]] * 3, vocabulary=Vocabulary.joined(sides))
    model = LDA(2, random_state=0, max_iter=2, tol=0.0).fit(corpus)
    assert collect_documents_and_figures(model.learned_, Source(corpus), model.engine_)[1]["coherence"] == [
        0.0,
        0.0,
    ]


def test_words_that_an_open_vocabulary_lost_are_not_marked(tmp_path):
    """Words are numbered otherwise in the corpus than in the model, which has fewer."""
    words = [f"w{n}" for n in range(300)]
    drawn = np.random.default_rng(0).integers(0, 300, (400, 40))
    corpus = Corpus.from_tokens([[words[n] for n in row] for row in drawn]).write(tmp_path / "c")
    vocabulary = OpenVocabulary(truncation=20, concentration=10)
    estimator = LDA(4, words=vocabulary, schedule=Online(20), max_iter=1, random_state=0)
    begin(estimator, corpus, tmp_path / "m")
    model_runs.resume(tmp_path / "m", every=100, threads=1)
    known = set(load(tmp_path / "m").vocabulary_.words)
    assert len(known) <= 80
    documents, _ = read_documents(tmp_path / "m")
    assert len(documents) == 400
    for document in documents:
        marked = [document.text[start : start + length] for start, length, _ in document.marks]
        assert marked == [word for word in document.text.split() if word in known]


@pytest.mark.parametrize("parts", [1, 3])
def test_what_is_told_does_not_depend_on_how_a_corpus_is_cut(cli, planted, tmp_path, monkeypatch, parts):
    cli("fit", "lda", planted, "--out", tmp_path / "a", "--topics", 3, "--iterations", 3)
    monkeypatch.setattr(sources, "PARTS", parts)
    monkeypatch.setattr(topic_words, "CELLS", 7)
    cli("fit", "lda", planted, "--out", tmp_path / "b", "--topics", 3, "--iterations", 3)
    assert read_documents(tmp_path / "a") == read_documents(tmp_path / "b")
    sums = [(tmp_path / name / "metadata-sums.parquet").read_bytes() for name in "ab"]
    assert sums[0] == sums[1]


def test_long_values_of_metadata_are_cut(cli, tmp_path):
    lines = [
        {"id": str(i), "text": "boat river", "headers": "x" * 5000, "title": "t" * 900} for i in range(3)
    ]
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    cli("fit", "lda", file, "--out", tmp_path / "m", "--topics", 2, "--iterations", 2)
    documents, _ = read_documents(tmp_path / "m")
    assert {len(str(documents[0].metadata["headers"])), len(documents[0].title)} == {200}


@given(st.text(st.sampled_from([*"ab\n\t ", "\x1c", "\u2003", "\u00a0", "\u3000", "\u3001", "😀", "\ud800"])))
def test_white_space_is_told_alike(text):
    places = np.array([i for i, letter in enumerate(text) if not letter.isspace()], np.int64)
    shown, moved = snippets._on_one_line(text, places)
    assert shown == " ".join(text.split())
    assert [shown[i] for i in moved] == [text[i] for i in places]
    assert (np.diff(moved) > 0).all()


def test_documents_are_inferred_with_one_view_of_the_table(monkeypatch):
    """However many blocks the corpus has, for ranking words as for the report."""
    monkeypatch.setattr(blocks, "BLOCK_DOCUMENTS", 5)
    corpus = Corpus.from_texts(["river boat fish", "loan bank money"] * 30)
    assert len(corpus.block_sizes) == 12
    views = []

    def counted(model, *given):
        views.append(given)
        return expectations(model, *given)

    expectations = TopicModel.expectations
    monkeypatch.setattr(TopicModel, "expectations", counted)
    estimator = LDA(2, max_iter=2, n_jobs=2, random_state=0)
    estimator.fit(corpus)
    assert len(views) == 3  # two passes and the ranking
    collect_documents_and_figures(estimator.learned_, Source(corpus), estimator.engine_)
    assert len(views) == 4
