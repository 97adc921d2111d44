"""Topics that no document came to use are told from the others, and stand last."""

import json

import numpy as np
import pytest

from stickbreaker import HDP, LDA, Corpus
from stickbreaker.topics.model.unused_topics import unused_topics
from stickbreaker.topics.report.topic_page import page_of

TEXTS = ["river bank boat water fish", "money bank loan credit cash"] * 30


@pytest.fixture(scope="module")
def lda() -> LDA:
    """Two topics of words, and one in the middle whose prior keeps documents away."""
    alpha = [1.0, 1e-7, 1.0]
    lda = LDA(3, alpha=alpha, eta=0.01, init="random", random_state=0, max_iter=60)
    return lda.fit(Corpus.from_texts(TEXTS))


@pytest.mark.parametrize(
    ("tokens", "unused"),
    [
        ([1e5, 1e5, 19.9], [2]),
        ([1e5, 1e5, 20.1], []),  # few, but words of documents
        ([60.0, 40.0, 3.0], []),  # a small collection
        ([60.0, 40.0, 0.3], [2]),
        ([0.2, 0.3], []),  # light weights
        ([0.0, 0.0], []),
        ([0.0], []),
        ([1e-9, 1e6, 0.0], [0, 2]),
    ],
)
def test_the_criterion(tokens: list[float], unused: list[int]) -> None:
    """Fewer than twenty expected tokens, and than a hundredth of an even share; one topic is always used."""
    assert unused_topics(tokens).tolist() == unused


def test_a_model_knows_its_unused_topics(lda: LDA, tmp_path) -> None:
    assert lda.unused_topics_ == [1]
    assert lda.topic_shares_[1] < 0.003
    lda.save(tmp_path / "model")
    assert LDA.load(tmp_path / "model").unused_topics_ == [1]


def test_an_hdp_shows_no_unused_topics() -> None:
    assert HDP(8, random_state=0, max_iter=30).fit(Corpus.from_texts(TEXTS)).unused_topics_ == []


def test_the_program_names_them_last(lda: LDA, tmp_path, cli) -> None:
    lda.save(tmp_path / "model")
    lines = cli("topics", tmp_path / "model").stdout.splitlines()
    assert len(lines) == 4
    assert lines[-1] == "unused: 1"
    assert not any(line.startswith("    1 ") for line in lines)
    topics = json.loads(cli("topics", tmp_path / "model", "--json").stdout)["topics"]
    assert [topic["unused"] for topic in topics] == [False, False, True]
    assert topics[-1]["topic"] == 1


def test_comparisons_leave_them_out(lda: LDA, tmp_path, cli) -> None:
    other = LDA(2, alpha=1.0, eta=0.01, random_state=1, max_iter=60).fit(Corpus.from_texts(TEXTS))
    lda.save(tmp_path / "three")
    other.save(tmp_path / "two")
    line = ("compare", tmp_path / "three", tmp_path / "two")
    result = json.loads(cli(*line, "--json").stdout)
    assert (result["unused"], result["comparisons"][0]["unused"]) == ([1], [])
    assert sorted(pair["topic"] for pair in result["comparisons"][0]["pairs"]) == [0, 2]
    assert result["comparisons"][0]["only_first"] == []
    assert f"unused in {tmp_path / 'three'}: 1" in cli(*line).stdout.splitlines()


def test_the_report_has_no_words_for_them(lda: LDA, tmp_path) -> None:
    from stickbreaker.topics.report.topic_page import page_of

    lda.save(tmp_path / "model")
    page = page_of(tmp_path / "model", "Texts")
    assert [topic.label == "unused" for topic in page.report.topics] == [False, True, False]
    assert (page.report.topics[1].words, page.report.topics[1].named, page.report.topics[1].similar) == (
        (),
        False,
        [],
    )
    assert not any(1 in topic.similar for topic in page.report.topics)
    assert page.subtitle == "2 topics learned from 60 documents"
    assert ("topics unused", "1") in page.facts


def test_words_by_probability_on_request(lda: LDA, tmp_path, cli) -> None:
    lda.save(tmp_path / "model")
    topics = json.loads(cli("topics", tmp_path / "model", "--by", "probability", "--json").stdout)["topics"]
    for topic in topics[:2]:
        k, probabilities = topic["topic"], topic["probabilities"]
        assert topic["words"] == lda.top_words(by="probability")[k]
        assert probabilities == sorted(probabilities, reverse=True)
        assert np.isclose(max(probabilities), lda.topic_word_[k].max())
    result = cli("topics", tmp_path / "model", "--at", "3", "--by", "probability", code=2)
    assert "snapshots keep the most frequent words" in result.output


def test_the_report_neither_draws_nor_counts_them(tmp_path) -> None:
    texts = [*TEXTS, *["river moon star night sky", "goal match team ball player"] * 30]
    lda = LDA(5, alpha=[1.0, 1e-7, 1.0, 1.0, 1.0], eta=0.01, init="random", random_state=0, max_iter=60)
    lda.fit(Corpus.from_texts(texts)).save(tmp_path / "model")
    used = [k for k in range(5) if k not in lda.unused_topics_]
    assert 1 in lda.unused_topics_
    page = page_of(tmp_path / "model", "t")
    assert [k for k, topic in enumerate(page.report.topics) if topic.unused] == lda.unused_topics_
    assert page.subtitle.startswith(f"{len(used)} topics")
    assert page.report.relations is not None
    assert sorted(page.report.relations.order) == used
    assert {page.report.positions[k] for k in lda.unused_topics_} == {(0.0, 0.0)}
    assert f"These {len(used)} were found" in page.html()
