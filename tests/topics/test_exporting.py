"""Models in other programs' formats: what is written reads back as the model's own numbers."""

import json
import re
import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from stickbreaker import LDA, Corpus, UserError
from stickbreaker.topics.exporting import (
    pyldavis_inputs,
    to_gensim,
    write_doc_topics,
    write_gensim_topics,
    write_pyldavis,
    write_topic_keys,
)

TEXTS = ["river boat fish river", "", "bank coin loan", "zebra", "bank river"]
SIDES = [
    {"en": "river boat fish river", "de": "fluss boot"},
    {"en": "", "de": "bank bank kredit"},
    {"en": "bank coin"},
]


def fitted(texts=TEXTS, **settings) -> tuple[LDA, Corpus]:
    """A model of three topics that does not know the zebra, and a corpus that it was not fitted to."""
    known = [text for text in texts if text != "zebra"]
    model = LDA(n_topics=3, random_state=0, max_iter=5, tol=0, **settings).fit(Corpus.from_texts(known))
    return model, Corpus.from_texts(texts, ids=[f"d{n}" for n in range(len(texts))])


def test_doc_topics_are_those_of_transform(tmp_path):
    model, corpus = fitted()
    write_doc_topics(model, corpus, tmp_path / "topics.txt")
    rows = [line.split("\t") for line in (tmp_path / "topics.txt").read_text().splitlines()]
    assert [row[:2] for row in rows] == [[str(n), f"d{n}"] for n in range(5)]
    assert np.array_equal([[float(share) for share in row[2:]] for row in rows], model.transform(TEXTS))


def test_doc_topics_of_several_blocks(tmp_path):
    counts = np.random.default_rng(0).poisson(1.0, (2100, 5))
    model = LDA(n_topics=2, random_state=0, max_iter=2, tol=0).fit(Corpus.from_matrix(counts))
    corpus = Corpus.from_matrix(counts)
    assert len(corpus.block_sizes) == 3
    write_doc_topics(model, corpus, tmp_path / "topics.txt")
    rows = [line.split("\t") for line in (tmp_path / "topics.txt").read_text().splitlines()]
    assert [row[0] for row in rows] == [row[1] for row in rows] == [str(n) for n in range(2100)]
    assert np.array_equal([[float(share) for share in row[2:]] for row in rows], model.transform(corpus))


def test_ids_and_words_with_blanks_stay_in_their_field(tmp_path):
    corpus = Corpus.from_matrix(np.eye(2), feature_names=["new\tyork", "a b\nc"], ids=["x\ty", "\n z"])
    model = LDA(n_topics=2, random_state=0, max_iter=2, tol=0).fit(corpus)
    write_doc_topics(model, corpus, tmp_path / "topics.txt")
    write_topic_keys(model, tmp_path / "keys.txt")
    write_gensim_topics(model, tmp_path / "gensim.txt")
    lines = (tmp_path / "topics.txt").read_text().splitlines()
    assert [line.split("\t")[:2] for line in lines] == [["0", "x y"], ["1", "z"]]
    assert all(line.count("\t") == 3 for line in lines)
    keys = [line.split("\t")[2].split() for line in (tmp_path / "keys.txt").read_text().splitlines()]
    assert [set(words) for words in keys] == [{"new_york", "a_b_c"}] * 2
    assert len((tmp_path / "gensim.txt").read_text().splitlines()) == 2


def test_topic_keys(tmp_path):
    model, _ = fitted(alpha=[0.1, 0.2, 1 / 3])
    write_topic_keys(model, tmp_path / "keys.txt", 2)
    rows = [line.split("\t") for line in (tmp_path / "keys.txt").read_text().splitlines()]
    assert [row[0] for row in rows] == ["0", "1", "2"]
    assert [float(row[1]) for row in rows] == [0.1, 0.2, 1 / 3]
    assert [row[2].split(" ") for row in rows] == model.top_words(2, by="probability")


def test_show_topics():
    model, _ = fitted()
    words = model.vocabulary_.words
    shares = model.topic_shares_.tolist()
    largest = sorted(range(3), key=lambda k: -shares[k])
    pairs = dict(model.show_topics(-1, 3, formatted=False))
    assert list(pairs) == largest
    for topic, told in pairs.items():
        assert [word for word, _ in told] == model.top_words(3, by="probability")[topic]
        assert [p for _, p in told] == [model.topic_word_[topic, words.index(word)] for word, _ in told]
    assert [topic for topic, _ in model.show_topics(2)] == largest[:2]
    assert len(model.show_topics()) == 3
    topic, line = model.show_topics(1, 2)[0]
    assert line == " + ".join(f'{p:.3f}*"{word}"' for word, p in pairs[topic][:2])
    with pytest.raises(NotFittedError):
        LDA().show_topics()


def test_gensim_topics(tmp_path):
    model, _ = fitted(alpha=0.25)
    write_gensim_topics(model, tmp_path / "topics.txt", 2)
    lines = (tmp_path / "topics.txt").read_text().splitlines()
    shown = dict(model.show_topics(-1, 2))
    assert lines == [f"topic #{k} (0.250): {shown[k]}" for k in range(3)]


# pyLDAvis


def holds(inputs: dict, n_documents: int, n_words: int) -> None:
    """What pyLDAvis asks of its arguments."""
    topics, shares = np.array(inputs["topic_term_dists"]), np.array(inputs["doc_topic_dists"])
    assert topics.shape == (3, n_words)
    assert shares.shape == (n_documents, 3)
    assert len(inputs["doc_lengths"]) == n_documents
    assert len(inputs["vocab"]) == len(inputs["term_frequency"]) == n_words
    for rows in (topics, shares):
        assert np.abs(rows.sum(axis=1) - 1).max() <= 4e-16
        assert (rows > 0).all()
    assert min(inputs["doc_lengths"]) > 0
    assert sum(inputs["doc_lengths"]) == sum(inputs["term_frequency"])


def test_pyldavis_inputs():
    model, corpus = fitted()
    inputs = pyldavis_inputs(model, corpus)
    holds(inputs, 3, 6)  # without the empty document and the zebra
    assert inputs["doc_lengths"].tolist() == [4, 3, 2]
    assert dict(zip(inputs["vocab"], inputs["term_frequency"], strict=True)) == {
        "river": 3, "boat": 1, "fish": 1, "bank": 2, "coin": 1, "loan": 1,
    }  # fmt: skip
    assert inputs["doc_topic_dists"] == pytest.approx(model.transform(TEXTS)[[0, 2, 4]], rel=1e-15)
    assert inputs["topic_term_dists"] == pytest.approx(model.topic_word_, rel=1e-15)


def test_pyldavis_json_has_the_same_numbers(tmp_path):
    model, corpus = fitted()
    assert write_pyldavis(model, corpus, tmp_path / "p.json") == 3
    told, inputs = json.loads((tmp_path / "p.json").read_text()), pyldavis_inputs(model, corpus)
    assert set(told) == set(inputs)
    assert all(np.array_equal(told[name], inputs[name]) for name in inputs)


def test_pyldavis_of_weights_and_blocks(tmp_path):
    weights = np.random.default_rng(0).gamma(0.3, 1.0, (1500, 7)).round(1)
    weights[700] = 0
    corpus = Corpus.from_matrix(weights)
    model = LDA(n_topics=3, random_state=0, max_iter=2, tol=0).fit(corpus)
    lengths = weights.astype(np.float32).astype(float).sum(axis=1)
    kept = np.flatnonzero(lengths > 0)
    inputs = pyldavis_inputs(model, corpus)
    assert inputs["doc_lengths"] == pytest.approx(lengths[kept])
    assert inputs["doc_topic_dists"] == pytest.approx(model.transform(corpus)[kept], rel=1e-15)
    assert write_pyldavis(model, corpus, tmp_path / "p.json") == len(kept) < 1500
    assert json.loads((tmp_path / "p.json").read_text())["doc_lengths"] == inputs["doc_lengths"].tolist()


def test_pyldavis_of_nothing(tmp_path):
    model, _ = fitted()
    nothing = Corpus.from_texts(["zebra", "giraffe"])
    with pytest.raises(UserError, match="there is nothing to show; no document has a word"):
        pyldavis_inputs(model, nothing)
    with pytest.raises(UserError, match="there is nothing to show"):
        write_pyldavis(model, nothing, tmp_path / "p.json")
    assert list(tmp_path.iterdir()) == []


# Polylingual models


def test_topic_keys_of_several_languages(tmp_path):
    model, _ = fitted(SIDES)
    write_topic_keys(model, tmp_path / "keys.txt", 2)
    for line in (tmp_path / "keys.txt").read_text().splitlines():
        assert re.fullmatch(r"\d\t[0-9.e-]+\tde:\w+ de:\w+ en:\w+ en:\w+", line)


def test_pyldavis_of_one_language():
    model, corpus = fitted(SIDES)
    for language, documents in (("en", [0, 2]), ("de", [0, 1])):
        inputs = pyldavis_inputs(model, corpus, language)
        rows = model.vocabulary_.ranges[language]
        holds(inputs, 2, rows.stop - rows.start)
        assert inputs["vocab"] == list(model.vocabulary_.spelled[rows])
        assert inputs["doc_topic_dists"] == pytest.approx(model.transform(corpus)[documents], rel=1e-15)
    assert dict(zip(inputs["vocab"], inputs["term_frequency"], strict=True)) == {
        "fluss": 1, "boot": 1, "bank": 2, "kredit": 1,
    }  # fmt: skip


def test_a_language_is_named_where_there_are_several(tmp_path):
    model, corpus = fitted(SIDES)
    with pytest.raises(
        UserError, match=r"the model has several languages \(de, en\); choose one with language"
    ):
        pyldavis_inputs(model, corpus)
    with pytest.raises(UserError, match="no language 'fr' to choose; the model has de, en"):
        write_pyldavis(model, corpus, tmp_path / "p.json", "fr")
    plain, texts = fitted()
    with pytest.raises(UserError, match="no language 'en' to choose; the model has one language"):
        pyldavis_inputs(plain, texts, "en")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("settings", [{}, {"alpha": 0.3}, {"words": "open"}], ids=str)
def test_gensim_has_the_same_topics(tmp_path, settings):
    gensim = pytest.importorskip("gensim", reason="gensim is not installed")
    model, _ = fitted(**settings)
    own = model.topic_word_ / model.topic_word_.sum(axis=1, keepdims=True)
    to_gensim(model).save(str(tmp_path / "m"))
    theirs = gensim.models.LdaModel.load(str(tmp_path / "m"))
    assert theirs.get_topics() == pytest.approx(own, abs=1e-5)
    assert theirs.alpha == pytest.approx(model.alpha_)
    assert [theirs.id2word[row] for row in range(len(own[0]))] == list(model.vocabulary_.words)
    bag = theirs.id2word.doc2bow(["river", "boat", "river"])
    shares = dict(theirs.get_document_topics(bag, minimum_probability=0.0))
    assert [shares[k] for k in range(3)] == pytest.approx(model.transform(["river boat river"])[0], abs=0.02)


def test_without_gensim_it_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim", None)
    monkeypatch.setitem(sys.modules, "gensim.corpora", None)
    with pytest.raises(UserError, match="gensim is not installed; install it: pip install gensim"):
        to_gensim(fitted()[0])
