"""Corpora as frames, as sequences of documents, and in notebooks."""

import logging

import pytest

import stickbreaker
from stickbreaker import LDA, Corpus, NgramModel, UserError
from stickbreaker.corpus import Document

ROWS = [
    {"id": "a", "text": "A cat sat on the mat.", "year": 1999, "tags": ["x", "y"]},
    {"id": "b", "text": "Two dogs <b>ran</b>.", "year": None, "tags": [], "tokens": 3},
    {"id": "c", "text": "", "year": 2001, "odd": "=1+1"},
]


@pytest.fixture
def corpus():
    made = [
        Document(r["id"], text=r["text"], metadata={k: v for k, v in r.items() if k not in ("id", "text")})
        for r in ROWS
    ]
    return Corpus.from_documents(made)


def test_days_in_fields_of_dates_are_iso():
    written = [
        "29,April,2002",
        "2001-03",
        "soon",
        None,
        "27 May 2004",
        "2004-05-27T10:00:00Z",
        "May 27, 2004 9:30",
    ]
    metadata = [{"date": one, "title": one} for one in written]
    frame = Corpus.from_texts(["a cat"] * len(written), metadata=metadata).to_frame()
    days = ["2002-04-29", "2001-03", "soon", None, "2004-05-27", "2004-05-27T10:00:00Z", "May 27, 2004 9:30"]
    assert frame["date"].fillna("none").tolist() == [day or "none" for day in days]
    assert frame["title"].fillna("none").tolist() == [title or "none" for title in written]


def test_a_corpus_is_a_sequence_of_documents(corpus):
    assert len(corpus) == 3
    assert bool(corpus)
    assert [one.id for one in corpus] == ["a", "b", "c"]
    assert corpus[1].text == corpus[-2].text == ROWS[1]["text"]
    assert corpus[0].metadata["tags"] == ["x", "y"]
    for number in (3, -4):
        with pytest.raises(IndexError):
            corpus[number]


def test_a_corpus_is_a_frame(corpus):
    frame = corpus.to_frame()
    assert frame.columns.tolist() == ["id", "text", "tokens", "year", "tags", "metadata.tokens", "odd"]
    assert frame["tokens"].tolist() == [float(n) for n in (3, 2, 0)]
    assert frame["text"].tolist() == [row["text"] for row in ROWS]
    assert frame["tags"].tolist()[:2] == ["x; y", ""]
    assert frame["tags"].isna().tolist() == [False, False, True]
    assert frame["year"].tolist()[::2] == [1999, 2001]
    bags = Corpus.from_matrix([[1.0, 2.0], [0.0, 3.5]], ["sea", "sky"]).to_frame()
    assert bags.columns.tolist() == ["id", "tokens"]
    assert bags["tokens"].tolist() == [3.0, 3.5]


def test_notebooks_show_how_documents_begin(corpus):
    page = corpus._repr_html_()
    assert "3 documents, 5 tokens" in page
    assert "Two dogs &lt;b&gt;ran" in page
    assert "<b>" not in page
    many = Corpus.from_texts(["word " * 100] * 9)._repr_html_()
    assert "and 4 documents more" in many
    assert "word word …" in many


def test_topics_are_a_frame():
    texts = ["a river bank", "a boat on the river"] * 4
    model = LDA(2, max_iter=2, tol=0.0, random_state=0).fit(texts)
    frame = model.topics_frame(2)
    assert frame["topic"].tolist() == [0, 1]
    assert frame["share"].tolist() == model.topic_shares_.tolist()
    assert frame["words"].tolist() == [" ".join(words) for words in model.top_words(2)]
    assert frame["name"].isna().all()
    model.name_topics({1: "boats"})
    names = model.topics_frame()["name"]
    assert names.isna().tolist() == [True, False]
    assert names[1] == "boats"


def test_a_frame_needs_pandas(corpus, monkeypatch):
    import pyarrow as pa

    def none(_):
        raise ModuleNotFoundError

    from stickbreaker.corpus import frames

    class Table:
        to_pandas = none

    with pytest.raises(UserError, match="pip install pandas"):
        frames.as_frame(Table())
    assert pa.table({"a": [1]}).num_rows == 1


def test_fits_are_logged(caplog):
    texts = ["a river bank", "a boat on the river"] * 4
    for model in (LDA(2, max_iter=3, tol=0.0, random_state=0), NgramModel(2, max_iter=3, min_count=1)):
        caplog.clear()
        model.fit(texts)
        assert caplog.records == [], "unless somebody listens"
        with caplog.at_level(logging.INFO, "stickbreaker"):
            model.fit(texts)
        assert "pass 3, step 3" in caplog.messages[-1] or "sweep 3" in caplog.messages[-1]


def test_the_version_is_known():
    from importlib.metadata import version

    assert stickbreaker.__version__ == version("stickbreaker")
    assert "__version__" in dir(stickbreaker)
