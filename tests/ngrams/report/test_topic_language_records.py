"""The records of the report of a language model with topics, what it saves of documents and refuses."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.golden.names import check
from tests.ngrams.report.topic_language_models import PRIORS, learned, loaded, said, two_subjects
from tests.pages.damaged_documents import damaged
from tests.pages.made_up import views_in

from stickbreaker import TopicNgramModel
from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import share_of
from stickbreaker.corpus import Corpus
from stickbreaker.ngrams.model.topic_documents import (
    log_probabilities,
    marked,
    mean_of,
    topic_shares,
    word_topics,
)
from stickbreaker.ngrams.report.documents import ExcerptRow, read_documents
from stickbreaker.ngrams.report.topic_language_page import lengths_of, topic_language_page_of
from stickbreaker.ngrams.report.topics import topics_of
from stickbreaker.ngrams.report.topics_by_context import BINS, customers_of_contexts, topics_by_context
from stickbreaker.ngrams.report_documents import (
    EXCERPT_WORDS,
    EXCERPTS,
    LEAST_WINDOW,
    LIMIT,
    WORDS_IN_CONTEXT,
)
from stickbreaker.ngrams.topic_ngram_learned import TopicNgramLearned
from stickbreaker.saved import ModelDirectory


@pytest.fixture(scope="module", params=PRIORS)
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned(tmp_path_factory.mktemp(request.param), prior=request.param)


@pytest.fixture(scope="module")
def switching(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned(tmp_path_factory.mktemp("model"))


@pytest.fixture
def estimator(path: Path) -> TopicNgramLearned:
    return loaded(path)


# Topics and contexts


def test_topics_are_those_in_use_with_what_is_typical(estimator: TopicNgramLearned) -> None:
    rows = topics_of(estimator)
    shares = [row.share for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(estimator.topic_shares.sum())
    for row in rows:
        assert row.share == estimator.topic_shares[row.number]
        assert [word for word, _ in row.words] == estimator.top_words(12)[row.number]
        for word, p in row.words:
            assert p == estimator.topic_words[row.number, estimator.words.index(word)]
        assert list(row.phrases) == estimator.top_phrases(6)[row.number]
        known = {*estimator.words, "…"}
        assert all(set(text.split(" ")) <= known for text in row.sentences)
    assert any(row.sentences for row in rows)
    again = [row.sentences for row in topics_of(estimator)]
    assert again == [row.sentences for row in rows]


def test_shares_by_context_are_the_means_of_switches(estimator: TopicNgramLearned) -> None:
    """The customers of a context are counted again, cell by cell."""
    found, model = topics_by_context(estimator), estimator.model
    if model.switches is None:
        assert found is None
        return
    assert found is not None
    customers = np.zeros(len(model.contexts.depths))
    for slot, n in zip(model.slots.tolist(), model.customers.tolist(), strict=True):
        customers[model.contexts.restaurants[slot]] += n
    customers /= model.n_samples
    assert customers_of_contexts(model) == pytest.approx(customers)
    full = (customers >= 20.0) & (model.contexts.depths > 0)
    shares = model.switches.mean(axis=0)
    assert found.mean == pytest.approx(np.average(shares[full], weights=customers[full]))
    for row in found.histograms:
        here = full & (model.contexts.depths == row.length)
        counts, _ = np.histogram(shares[here], BINS, (0.0, 1.0), weights=customers[here])
        assert list(row.customers) == pytest.approx(counts.tolist())
    means = [np.mean([row.share for row in rows]) for rows in (found.low, found.middle, found.high)]
    assert means[0] <= means[2]
    for row in (*found.low, *found.middle, *found.high):
        place = 0
        for word in reversed(row.words):
            number = estimator.numbers.end if word == "<s>" else estimator.words.index(word)
            place = int(model.contexts.find_restaurants(np.array([place]), np.array([number]))[0])
        assert (row.customers, row.share) == pytest.approx((customers[place], shares[place]))
        assert customers[place] >= 20.0
        assert "<unk>" not in row.words


def test_lengths_are_means_over_samples(estimator: TopicNgramLearned) -> None:
    rows = lengths_of(estimator.model)
    assert [row.length for row in rows] == [0, 1, 2]
    for row in rows:
        assert row.discount.mean == pytest.approx(estimator.model.discounts[:, row.length].mean())
    if (
        estimator.facts.settings.prior != "hierarchical"
    ):  # its common topic has the tables of topics as customers
        texts = [text for i, text in enumerate(two_subjects()) if share_of(f"d{i}") >= 0.2]
        n = sum(len(text.split()) + text.count(".") for text in texts)
        assert sum(row.words.mean for row in rows) == pytest.approx(n)


@pytest.mark.parametrize("prior", PRIORS)
def test_unbounded_models_show_where_words_stop(tmp_path: Path, prior: str) -> None:
    page = topic_language_page_of(learned(tmp_path, order="unbounded", prior=prior), "t")
    bars = [view["figure"] for view in views_in(page.payload, "Bars")]
    assert ("context-lengths" in bars) == (prior != "hierarchical")
    assert ("how many stop at each length" in said(page)) == (prior != "hierarchical")


# Documents


def test_excerpts_are_held_out_and_computed_over_their_documents(
    path: Path, estimator: TopicNgramLearned
) -> None:
    page, texts, model = topic_language_page_of(path, "t"), two_subjects(), estimator.model
    excerpts = [row for row in page.report.document_rows.rows if row.parts]
    assert page.report.document_rows.whose == "held-out"
    assert 0 < len(excerpts) <= EXCERPTS
    for row in excerpts:
        (excerpt,) = row.parts
        assert row.held_out
        assert share_of(row.id) < 0.2
        corpus = Corpus.from_texts(
            [texts[int(row.id[1:])]], analysis=estimator.analysis, vocabulary=estimator.vocabulary
        )
        content = corpus.sequences(0)
        documents = marked(
            estimator.numbers.numbered(content.words),
            content.starts,
            content.offsets,
            model.end,
            estimator.base.log_p,
        )
        shown = slice(excerpt.first, excerpt.first + len(excerpt.tokens))
        assert excerpt.read == len(documents.words)
        topics = np.mean([word_topics(model, documents, n) for n in range(model.n_samples)], axis=0)
        nats = mean_of(log_probabilities(model, documents, estimator.facts.seed))
        names = [estimator.words[word] for word in documents.words[shown]]
        tokens = zip(excerpt.tokens, excerpt.known, strict=True)
        assert [token if known else "<unk>" for token, known in tokens] == names
        assert list(excerpt.ends) == (documents.words[shown] == model.end).tolist()
        assert list(excerpt.bits) == pytest.approx((-nats[shown] / math.log(2.0)).tolist())
        assert list(excerpt.specific) == pytest.approx(topics[shown].sum(axis=1).tolist())
        assert list(excerpt.sure) == pytest.approx(topics[shown].max(axis=1).tolist())
        best = topics[shown][np.arange(len(names)), excerpt.best]
        assert best == pytest.approx(excerpt.sure)
        refuse_other_shares_along(excerpt, topics)


def refuse_other_shares_along(excerpt: ExcerptRow, topics: Any) -> None:
    """Fail where the shares along a document are not the means of its windows."""
    along = excerpt.along
    assert along.size == LEAST_WINDOW
    assert len(along.shares) == -(-excerpt.read // along.size)
    for number, shares in enumerate(along.shares):
        window = topics[number * along.size : (number + 1) * along.size]
        wanted = [*window[:, list(along.topics)].mean(axis=0), 1.0 - window.sum(axis=1).mean()]
        assert list(shares) == pytest.approx(wanted, abs=1e-9)


def test_documents_have_the_shares_of_the_last_sample(path: Path, estimator: TopicNgramLearned) -> None:
    page, corpus = topic_language_page_of(path, "t"), Corpus.open(path.parent / "corpus")
    assert [row.id for row in page.report.document_rows.rows] == list(corpus.ids(0))
    documents = estimator._marked_block(corpus, 0)
    for row, shares in zip(
        page.report.document_rows.rows, topic_shares(estimator.model, documents, [2]), strict=True
    ):
        assert dict(row.topics) == pytest.approx(dict(enumerate(shares)))
        assert [share for _, share in row.topics] == sorted(shares, reverse=True)
        assert row.held_out == (share_of(row.id) < 0.2)
        assert row.words == 64


def test_without_held_out_documents_they_are_learned_from(tmp_path: Path) -> None:
    page = topic_language_page_of(learned(tmp_path, held_out=0.0), "t")
    assert page.report.document_rows.whose == "learned"
    assert sum(bool(row.parts) for row in page.report.document_rows.rows) == EXCERPTS
    assert "that the model has learned from" in said(page)
    assert not any(row.held_out for row in page.report.document_rows.rows)


def test_the_same_run_draws_the_same(tmp_path: Path, switching: Path) -> None:
    again = learned(tmp_path)
    assert (again / "documents.parquet").read_bytes() == (switching / "documents.parquet").read_bytes()


def test_many_documents_are_drawn_and_keep_their_order(tmp_path: Path) -> None:
    texts = ["a b c d."] * (LIMIT + 50)
    page = topic_language_page_of(learned(tmp_path, texts, held_out=0.0, max_iter=2, samples=1), "t")
    assert (len(page.report.document_rows.rows), page.report.document_rows.total) == (LIMIT, LIMIT + 50)
    numbers = [int(row.id[1:]) for row in page.report.document_rows.rows]
    assert numbers == sorted(set(numbers))
    assert "The shares of 1,000 documents of 1,050" in said(page)


def test_a_long_document_is_cut_at_a_sentence_and_a_long_sentence_within(tmp_path: Path) -> None:
    sentence = "A b c d e f g h i j"
    texts = [f"{sentence}. " * 300, f"{sentence} " * 40 + ".", f"{sentence} " * 300 + "."]
    path = learned(tmp_path, texts, held_out=0.0, max_iter=2, samples=1)
    long, one, longest = (row.parts[0] for row in topic_language_page_of(path, "t").report.document_rows.rows)
    assert long is not None
    assert one is not None
    assert longest is not None
    assert long.read == WORDS_IN_CONTEXT + WORDS_IN_CONTEXT // 10
    assert (long.first % 11, len(long.tokens) % 11, long.ends[-1]) == (0, 0, True)
    assert (one.read, one.first, len(one.tokens), one.ends[-1]) == (401, 0, EXCERPT_WORDS, False)
    assert (longest.read, len(longest.tokens)) == (WORDS_IN_CONTEXT + 1, EXCERPT_WORDS)


def test_one_topic_one_document_and_one_word(tmp_path: Path) -> None:
    path = learned(tmp_path, ["word."], held_out=0.0, n_topics=1, min_count=1, order=1, max_iter=2, samples=1)
    page = topic_language_page_of(path, "t")
    assert [row.words for row in page.report.document_rows.rows] == [1]
    assert page.report.document_rows.rows[0].topics == [(0, pytest.approx(1.0))]
    assert "No document has 4 words or more." in said(page)
    assert page.report.contexts is None


def test_empty_documents_are_in_no_list(tmp_path: Path) -> None:
    page = topic_language_page_of(learned(tmp_path, [*two_subjects(6), ""], held_out=0.0), "t")
    assert [row.words for row in page.report.document_rows.rows] == [64] * 6 + [0]
    assert "d6" not in said(page)


@pytest.mark.parametrize("unknown", ["symbol", "spelled"])
def test_words_that_are_not_known_are_marked(tmp_path: Path, unknown: str) -> None:
    texts = two_subjects()
    texts = [f"{text} The hapax{i} met a cat." for i, text in enumerate(texts)]
    path = learned(tmp_path, texts, unknown=unknown)
    page = topic_language_page_of(path, "t")
    excerpts = page.report.document_rows.parts
    marks = {
        (token[:5] == "hapax", known)
        for row in excerpts
        for token, known in zip(row.tokens, row.known, strict=True)
    }
    if unknown == "symbol":
        assert marks == {(False, True), (True, False)}
        assert "not known: <unk>" in said(page)
    else:
        assert page.report.spelled
        assert "so by its letters" in said(page)


def test_python_has_documents_where_they_are_given(tmp_path: Path) -> None:
    texts = two_subjects(8)
    model = TopicNgramModel(2, min_count=1, max_iter=4, random_state=0).fit(texts)
    model.save(tmp_path / "m")
    page = topic_language_page_of(tmp_path / "m", "t")
    assert not page.report.document_rows.rows
    assert "This model has no documents" in said(page)
    assert "documents that were given" in model.report(documents=["a cat saw a dog in the end."]).html.lower()


def test_names_in_its_files_are_known(path: Path) -> None:
    check(path)


def change(rows: list[dict[str, Any]], wrong: str) -> list[dict[str, Any]]:
    place = next(i for i, row in enumerate(rows) if row["excerpts"])
    first = json.loads(json.dumps(rows[place]))
    excerpt = first["excerpts"][0]
    first |= {
        "a share above one": {"shares": [1.5, *first["shares"][1:]]},
        "a topic too many": {"topics": [99, *first["topics"][1:]]},
        "too few shares": {"shares": first["shares"][1:]},
        "no id": {"id": None},
        "two excerpts": {"excerpts": [excerpt, excerpt]},
    }.get(wrong, {})
    excerpt |= {
        "positive": {"nats": [0.5, *excerpt["nats"][1:]]},
        "too few": {"ends": excerpt["ends"][1:]},
        "another topic": {"best": [99, *excerpt["best"][1:]]},
        "not a number": {"sure": [float("nan"), *excerpt["sure"][1:]]},
        "beyond its end": {"first": excerpt["read"]},
        "no window": {"window": 0},
        "other windows": {"window": excerpt["window"] + 30},
        "another topic along": {"window_topics": [99, *excerpt["window_topics"][1:]]},
        "above one along": {"window_shares": [1.0] * len(excerpt["window_shares"])},
    }.get(wrong, {})
    if wrong == "too many excerpts":
        return [dict(first) for _ in range(EXCERPTS + 1)]
    changed = [*rows[:place], first, *rows[place + 1 :]]
    return changed * 100 if wrong == "too many rows" else changed


@pytest.mark.parametrize(
    "wrong",
    [
        *("a share above one", "a topic too many", "too few shares", "no id", "two excerpts", "positive"),
        *("too few", "another topic", "not a number", "beyond its end", "no window", "other windows"),
        *("another topic along", "above one along", "too many excerpts", "too many rows", "a column"),
        *("no figures", "other figures", "no file of tables"),
    ],
)
def test_damaged_documents_are_refused_by_name(switching: Path, tmp_path: Path, wrong: str) -> None:
    model = damaged(switching, tmp_path / "m", wrong, change, {"documents": 3, "excerpts": "x"})
    with pytest.raises(UserError, match=re.escape("documents.parquet")):
        topic_language_page_of(model, "t")


def test_what_was_saved_can_be_read_back(switching: Path) -> None:
    found = read_documents(switching, ModelDirectory(switching).manifest(), 3)
    assert found is not None
    assert (found.total, found.whose) == (40, "held-out")
