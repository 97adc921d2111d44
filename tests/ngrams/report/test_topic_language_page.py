"""The report of a language model with topics: its records by hand, what it refuses, and the page in a browser."""

from __future__ import annotations

import json
import math
import re
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.golden.names import check
from tests.pages.contrast import contrast
from tests.pages.opened import Opened, refuse_what_leaves_its_place
from tests.topics.report.report_pages import HOSTILE
from tests.topics.report.test_report_html import Elements
from tests.topics.report.test_report_looks import palette

from stickbreaker import TopicNgramModel
from stickbreaker.core.errors import UserError
from stickbreaker.core.files import digest_of
from stickbreaker.core.random_streams import share_of
from stickbreaker.corpus import Corpus
from stickbreaker.estimators.fitting import begin, resume
from stickbreaker.estimators.saving import load
from stickbreaker.ngrams.model.topic_documents import (
    log_probabilities,
    marked,
    mean_of,
    topic_shares,
    word_topics,
)
from stickbreaker.ngrams.plain_topic_ngram import PlainTopicNgramModel
from stickbreaker.ngrams.report.context_shares import BINS, customers_of_contexts, topics_by_context
from stickbreaker.ngrams.report.documents_by_topic import read_topic_documents
from stickbreaker.ngrams.report.language_page_data import LengthRow, Spread
from stickbreaker.ngrams.report.topic_language_page import ASSETS, LEVELS, TopicLanguagePage
from stickbreaker.ngrams.report.topic_language_page_data import (
    ContextShare,
    ExcerptRow,
    LanguageTopicRow,
    MixedDocument,
    ShareHistogram,
    SharesAlong,
    TopicsByContext,
)
from stickbreaker.ngrams.report.topic_language_records import lengths_of, topic_language_page_of, topics_of
from stickbreaker.ngrams.report_documents import (
    EXCERPT_WORDS,
    EXCERPTS,
    LEAST_WINDOW,
    LIMIT,
    WORDS_IN_CONTEXT,
)
from stickbreaker.pages.colour import distinct_colours
from stickbreaker.pages.figures import figures
from stickbreaker.pages.learning_curves import LearningCurve
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.manifest import encoded

PRIORS = ("switching", "hierarchical", "none")
SECTIONS = {"topics", "documents", "contexts", "lengths", "learning", "making"}
SUBJECTS = (["cat", "dog", "mouse", "bird"], ["bank", "share", "price", "loan"])


def two_subjects(n: int = 40, sentences: int = 8) -> list[str]:
    """Documents of short sentences, each of animals or of money."""
    generator = np.random.default_rng(3)
    verbs = ["saw", "liked", "left", "met"]

    def sentence(nouns: list[str]) -> str:
        one, other = generator.choice(nouns, 2)
        return f"The {one} {generator.choice(verbs)} a {other} in the end."

    return [" ".join(sentence(SUBJECTS[d % 2]) for _ in range(sentences)) for d in range(n)]


def learned(
    folder: Path, texts: list[str] | None = None, held_out: float = 0.2, order: int | str = 3, **params: Any
) -> Path:
    """A finished model in `folder`, whose corpus is beside it."""
    params = {"max_iter": 12, "samples": 3, "random_state": 5, "min_count": 2, **params}
    model = PlainTopicNgramModel(**{"n_topics": 3, **params}, order=order)
    analysis, rule = model.reads_texts_by()
    file = folder / "texts.jsonl"
    lines = (
        {"id": f"d{i}", "text": text} for i, text in enumerate(two_subjects() if texts is None else texts)
    )
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    corpus = Corpus.build([file], folder / "corpus", analysis=analysis, rule=rule)
    begin(model, corpus, folder / "model", held_out=held_out)
    resume(folder / "model", every=600.0, threads=1)
    return folder / "model"


@pytest.fixture(scope="module", params=PRIORS)
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned(tmp_path_factory.mktemp(request.param), prior=request.param)


@pytest.fixture(scope="module")
def switching(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned(tmp_path_factory.mktemp("model"))


@pytest.fixture
def estimator(path: Path) -> PlainTopicNgramModel:
    return loaded(path)


def loaded(path: Path) -> PlainTopicNgramModel:
    found = load(path)
    assert isinstance(found, PlainTopicNgramModel)
    return found


def said(page: TopicLanguagePage) -> str:
    return "".join(Elements(page.html()).text)


# Topics and contexts


def test_topics_are_those_in_use_with_what_is_typical(estimator: PlainTopicNgramModel) -> None:
    rows = topics_of(estimator)
    shares = [row.share for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(estimator.topic_shares_.sum())
    for row in rows:
        assert row.share == estimator.topic_shares_[row.number]
        assert [word for word, _ in row.words] == estimator.top_words(12)[row.number]
        for word, p in row.words:
            assert p == estimator.topic_word_[row.number, estimator.words_.index(word)]
        assert list(row.phrases) == estimator.top_phrases(6)[row.number]
        known = {*estimator.words_, "…"}
        assert all(set(text.split(" ")) <= known for text in row.sentences)
    assert any(row.sentences for row in rows)
    again = [row.sentences for row in topics_of(estimator)]
    assert again == [row.sentences for row in rows]


def test_shares_by_context_are_the_means_of_switches(estimator: PlainTopicNgramModel) -> None:
    """The customers of a context are counted again, cell by cell."""
    found, model = topics_by_context(estimator), estimator.topic_model_
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
            number = estimator.numbers_.end if word == "<s>" else estimator.words_.index(word)
            place = int(model.contexts.find_restaurants(np.array([place]), np.array([number]))[0])
        assert (row.customers, row.share) == pytest.approx((customers[place], shares[place]))
        assert customers[place] >= 20.0
        assert "<unk>" not in row.words


def test_lengths_are_means_over_samples(estimator: PlainTopicNgramModel) -> None:
    rows = lengths_of(estimator.topic_model_)
    assert [row.length for row in rows] == [0, 1, 2]
    for row in rows:
        assert row.discount.mean == pytest.approx(estimator.topic_model_.discounts[:, row.length].mean())
    if estimator.prior != "hierarchical":  # its common topic has the tables of topics as customers
        texts = [text for i, text in enumerate(two_subjects()) if share_of(f"d{i}") >= 0.2]
        n = sum(len(text.split()) + text.count(".") for text in texts)
        assert sum(row.words.mean for row in rows) == pytest.approx(n)


@pytest.mark.parametrize("prior", PRIORS)
def test_unbounded_models_show_where_words_stop(tmp_path: Path, prior: str) -> None:
    page = topic_language_page_of(learned(tmp_path, order="unbounded", prior=prior), "t")
    assert bool(page.payload()["stopping"]) == (prior != "hierarchical")
    assert ("how many stop at each length" in said(page)) == (prior != "hierarchical")


# Documents


def test_excerpts_are_held_out_and_computed_over_their_documents(
    path: Path, estimator: PlainTopicNgramModel
) -> None:
    page, texts, model = topic_language_page_of(path, "t"), two_subjects(), estimator.topic_model_
    excerpts = [row for row in page.documents if row.excerpt]
    assert page.whose == "held-out"
    assert 0 < len(excerpts) <= EXCERPTS
    for row in excerpts:
        assert row.excerpt is not None
        assert row.held_out
        assert share_of(row.id) < 0.2
        corpus = Corpus.from_texts(
            [texts[int(row.id[1:])]], analysis=estimator.analysis_, vocabulary=estimator.vocabulary_
        )
        content = corpus.sequences(0)
        documents = marked(
            estimator.numbers_.numbered(content.words),
            content.starts,
            content.offsets,
            model.end,
            estimator.base_.log_p,
        )
        shown = slice(row.excerpt.first, row.excerpt.first + len(row.excerpt.tokens))
        assert row.excerpt.read == len(documents.words)
        topics = np.mean([word_topics(model, documents, n) for n in range(model.n_samples)], axis=0)
        nats = mean_of(log_probabilities(model, documents, estimator.seed_))
        names = [estimator.words_[word] for word in documents.words[shown]]
        tokens = zip(row.excerpt.tokens, row.excerpt.known, strict=True)
        assert [token if known else "<unk>" for token, known in tokens] == names
        assert list(row.excerpt.ends) == (documents.words[shown] == model.end).tolist()
        assert list(row.excerpt.bits) == pytest.approx((-nats[shown] / math.log(2.0)).tolist())
        assert list(row.excerpt.specific) == pytest.approx(topics[shown].sum(axis=1).tolist())
        assert list(row.excerpt.sure) == pytest.approx(topics[shown].max(axis=1).tolist())
        best = topics[shown][np.arange(len(names)), row.excerpt.best]
        assert best == pytest.approx(row.excerpt.sure)
        refuse_other_shares_along(row.excerpt, topics)


def refuse_other_shares_along(excerpt: ExcerptRow, topics: Any) -> None:
    """Fail where the shares along a document are not the means of its windows."""
    along = excerpt.along
    assert along.size == LEAST_WINDOW
    assert len(along.shares) == -(-excerpt.read // along.size)
    for number, shares in enumerate(along.shares):
        window = topics[number * along.size : (number + 1) * along.size]
        wanted = [*window[:, list(along.topics)].mean(axis=0), 1.0 - window.sum(axis=1).mean()]
        assert list(shares) == pytest.approx(wanted, abs=1e-9)


def test_documents_have_the_shares_of_the_last_sample(path: Path, estimator: PlainTopicNgramModel) -> None:
    page, corpus = topic_language_page_of(path, "t"), Corpus.open(path.parent / "corpus")
    assert [row.id for row in page.documents] == list(corpus.ids(0))
    documents = estimator._marked_block(corpus, 0)
    for row, shares in zip(
        page.documents, topic_shares(estimator.topic_model_, documents, [2]), strict=True
    ):
        assert dict(row.topics) == pytest.approx(dict(enumerate(shares)))
        assert [share for _, share in row.topics] == sorted(shares, reverse=True)
        assert row.held_out == (share_of(row.id) < 0.2)
        assert row.words == 64


def test_without_held_out_documents_they_are_learned_from(tmp_path: Path) -> None:
    page = topic_language_page_of(learned(tmp_path, held_out=0.0), "t")
    assert page.whose == "learned"
    assert sum(row.excerpt is not None for row in page.documents) == EXCERPTS
    assert "that the model has learned from" in said(page)
    assert not any(row.held_out for row in page.documents)


def test_the_same_run_draws_the_same(tmp_path: Path, switching: Path) -> None:
    again = learned(tmp_path)
    assert (again / "documents.parquet").read_bytes() == (switching / "documents.parquet").read_bytes()


def test_many_documents_are_drawn_and_keep_their_order(tmp_path: Path) -> None:
    texts = ["a b c d."] * (LIMIT + 50)
    page = topic_language_page_of(learned(tmp_path, texts, held_out=0.0, max_iter=2, samples=1), "t")
    assert (len(page.documents), page.n_documents) == (LIMIT, LIMIT + 50)
    numbers = [int(row.id[1:]) for row in page.documents]
    assert numbers == sorted(set(numbers))
    assert "The shares of 1,000 documents of 1,050" in said(page)


def test_a_long_document_is_cut_at_a_sentence_and_a_long_sentence_within(tmp_path: Path) -> None:
    sentence = "A b c d e f g h i j"
    texts = [f"{sentence}. " * 300, f"{sentence} " * 40 + ".", f"{sentence} " * 300 + "."]
    path = learned(tmp_path, texts, held_out=0.0, max_iter=2, samples=1)
    long, one, longest = (row.excerpt for row in topic_language_page_of(path, "t").documents)
    assert long is not None and one is not None and longest is not None
    assert long.read == WORDS_IN_CONTEXT + WORDS_IN_CONTEXT // 10
    assert (long.first % 11, len(long.tokens) % 11, long.ends[-1]) == (0, 0, True)
    assert (one.read, one.first, len(one.tokens), one.ends[-1]) == (401, 0, EXCERPT_WORDS, False)
    assert (longest.read, len(longest.tokens)) == (WORDS_IN_CONTEXT + 1, EXCERPT_WORDS)


def test_one_topic_one_document_and_one_word(tmp_path: Path) -> None:
    path = learned(tmp_path, ["word."], held_out=0.0, n_topics=1, min_count=1, order=1, max_iter=2, samples=1)
    page = topic_language_page_of(path, "t")
    assert [row.words for row in page.documents] == [1]
    assert page.documents[0].topics == [(0, pytest.approx(1.0))]
    assert "No document has 4 words or more." in said(page)
    assert page.contexts is None


def test_empty_documents_are_in_no_list(tmp_path: Path) -> None:
    page = topic_language_page_of(learned(tmp_path, [*two_subjects(6), ""], held_out=0.0), "t")
    assert [row.words for row in page.documents] == [64] * 6 + [0]
    assert "d6" not in said(page)


@pytest.mark.parametrize("unknown", ["symbol", "spelled"])
def test_words_that_are_not_known_are_marked(tmp_path: Path, unknown: str) -> None:
    texts = two_subjects()
    texts = [f"{text} The hapax{i} met a cat." for i, text in enumerate(texts)]
    path = learned(tmp_path, texts, unknown=unknown)
    page = topic_language_page_of(path, "t")
    excerpts = [row.excerpt for row in page.documents if row.excerpt]
    marks = {(token[:5] == "hapax", known) for row in excerpts for token, known in zip(row.tokens, row.known, strict=True)}
    if unknown == "symbol":
        assert marks == {(False, True), (True, False)}
        assert "not known: <unk>" in said(page)
    else:
        assert page.spelled
        assert "so by its letters" in said(page)


def test_python_has_documents_where_they_are_given(tmp_path: Path) -> None:
    texts = two_subjects(8)
    model = TopicNgramModel(2, min_count=1, max_iter=4, random_state=0).fit(texts)
    model.save(tmp_path / "m")
    page = topic_language_page_of(tmp_path / "m", "t")
    assert page.documents == []
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
    model = shutil.copytree(switching, tmp_path / "m")
    file = model / "documents.parquet"
    table = pq.read_table(file)
    if wrong == "a column":
        changed = table.rename_columns(["id", "words", "held_out", "topics", "shares", "others"])
    elif wrong in ("no figures", "other figures"):
        held = {"stickbreaker": '{"documents": 3, "excerpts": "x"}'} if wrong == "other figures" else None
        changed = table.replace_schema_metadata(held)
    else:
        changed = pa.Table.from_pylist(change(table.to_pylist(), wrong), schema=table.schema)
    pq.write_table(changed, file)
    if wrong == "no file of tables":
        file.write_bytes(b"PAR1 nothing of the kind PAR1")
    manifest = json.loads((model / "model.json").read_text())
    manifest["files"][file.name] = {"bytes": file.stat().st_size, "digest": digest_of(file)}
    del manifest["digest"]
    (model / "model.json").write_bytes(encoded(manifest))
    with pytest.raises(UserError, match=re.escape("documents.parquet")):
        topic_language_page_of(model, "t")


def test_what_was_saved_can_be_read_back(switching: Path) -> None:
    found = read_topic_documents(switching, ModelDirectory(switching).manifest(), 3)
    assert found is not None
    assert (found.total, found.whose) == (40, "held-out")


# The program


def test_the_program_writes_page_and_figures(cli, switching: Path, tmp_path: Path) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    pytest.importorskip("resvg_py", reason="resvg-py is not installed")
    page = tmp_path / "r.html"
    done = cli("report", switching, "--out", page, "--figures", tmp_path / "f", "--title", "A title", "--json")
    found = json.loads(done.stdout)
    names = {"discounts", "perplexity-held-out", "topics-along-1", "topics-by-context-1"}
    assert names <= {Path(name).stem for name in found["files"]}
    html = page.read_text(encoding="utf-8")
    assert '<h1 dir="auto">A title</h1>' in html
    assert len(html) < 600_000


def test_only_finished_models_with_topics_have_such_a_page(model: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a language model with topics"):
        topic_language_page_of(model, "t")
    started = PlainTopicNgramModel(2, order=2, min_count=1, random_state=0)
    analysis, rule = started.reads_texts_by()
    corpus = Corpus.from_texts(two_subjects(5), analysis=analysis, rule=rule).write(tmp_path / "c")
    begin(started, corpus, tmp_path / "m")
    with pytest.raises(UserError, match="is still learning"):
        topic_language_page_of(tmp_path / "m", "t")


def test_facts_say_what_was_learned(path: Path, estimator: PlainTopicNgramModel) -> None:
    facts = dict(topic_language_page_of(path, "t").facts)
    assert facts["documents"] == "40"
    assert facts["samples"] == "3"
    assert facts["topics in use"] == str(estimator.sizes()["topics"])
    assert ("of the words are common" in facts) == (estimator.prior != "none")


# The page


def hostile() -> TopicLanguagePage:
    """Markup, quotes, lone surrogates, control characters and overrides of direction everywhere."""
    n = len(HOSTILE)
    fine, wrong = Spread(0.5, 0.4, 0.6), Spread(float("nan"), float("inf"), 1.0)
    topic = LanguageTopicRow(0, 0.5, [(text, 0.1) for text in HOSTILE], HOSTILE, HOSTILE)
    rows = [ContextShare([text, "b"], 30.0, 0.5) for text in HOSTILE]
    along = SharesAlong(20, [0, 7], [[0.5, 0.2, 0.3]])
    excerpt = ExcerptRow(
        0,
        n,
        HOSTILE,
        [k % 2 == 0 for k in range(n)],
        [False] * n,
        *([1.5 * k for k in range(n)], [0, 7] * (n // 2) + [0] * (n % 2), [0.5] * n, [k / n for k in range(n)]),
        along,
    )
    return TopicLanguagePage(
        title=HOSTILE[0],
        subtitle=" ".join(HOSTILE[:-1]),
        facts=[(text, text) for text in HOSTILE],
        settings=[(text, text) for text in HOSTILE],
        curves=[LearningCurve("text", HOSTILE[0], [(1, 30.0), (2, 20.0)])],
        lengths=[LengthRow(0, fine, fine, fine), LengthRow(1, wrong, fine, fine)],
        unbounded=True,
        topics=[topic, LanguageTopicRow(3, 0.1)],
        contexts=TopicsByContext(rows, rows, rows, [ShareHistogram(1, False, [1.0, float("nan")])], 0.5),
        documents=[MixedDocument(text, 30, True, [(0, 0.9), (7, 0.1)], excerpt) for text in HOSTILE],
        n_documents=99,
        whose="held-out",
        no_documents=HOSTILE[0],
    )


def one_document() -> TopicLanguagePage:
    """A page without a common topic, of one document whose only word is of an unknown topic."""
    excerpt = ExcerptRow(
        0, 1, ["w" * 300], [True], [False], [3.0], [5], [1.0], [1.0], SharesAlong(20, [], [[0.0]])
    )
    row = MixedDocument("d" * 300, 1, False, [], excerpt)
    return TopicLanguagePage("One", common=False, documents=[row], n_documents=1, whose="learned")


PAGES = {"hostile": hostile, "one": one_document, "bare": lambda: TopicLanguagePage("Nothing yet")}


@pytest.mark.parametrize("name", PAGES)
def test_nothing_leaves_its_place(name: str) -> None:
    elements = refuse_what_leaves_its_place(PAGES[name]().html())
    (policy,) = [a["content"] or "" for t, a in elements.tags if t == "meta" and a.get("http-equiv")]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")


def test_hostile_words_are_shown_as_text() -> None:
    text = said(hostile())
    assert "</script><script>window.hacked=1</script>" in text
    assert "<img src=x onerror=window.hacked=1>" in text
    assert "nul\ufffdesc\ufffd[31mbell\ufffd\ufffd" in text
    assert "x" * 59 + "…" in text


def test_sections_without_data_are_left_out(path: Path, estimator: PlainTopicNgramModel) -> None:
    whole = {a.get("id") for _, a in Elements(topic_language_page_of(path, "t").html()).tags}
    assert whole & SECTIONS == SECTIONS - ({"contexts"} if estimator.prior == "none" else set())
    bare = {a.get("id") for _, a in Elements(TopicLanguagePage("Nothing yet").html()).tags}
    assert not bare & SECTIONS


def shaded_tokens(page: TopicLanguagePage) -> list[dict[str, str | None]]:
    return [
        a for _, a in Elements(page.html()).tags if re.match(r"token s\d", a.get("class") or "")
    ]


def test_shades_follow_the_chance_of_not_being_common() -> None:
    specific = [0.0, 0.049, 0.05, 0.49, 0.5, 0.8, 1.0]
    along = SharesAlong(20, [3], [[0.5, 0.5]])
    n = len(specific)
    excerpt = ExcerptRow(
        *(0, n, list("abcdefg"), [True] * (n - 1) + [False], [False] * n, [2.0] * n, [3] * n),
        *(specific, specific, along),
    )
    topic = LanguageTopicRow(3, 0.5, [("a", 0.5), ("b", 0.1)])
    page = TopicLanguagePage(
        "t", topics=[topic], documents=[MixedDocument("d", n, False, [(3, 1.0)], excerpt)], whose="learned"
    )
    tokens = shaded_tokens(page)
    levels = [int(re.findall(r"\bs(\d)", a["class"] or "")[0]) for a in tokens]
    assert levels == [sum(p >= level for level in LEVELS) for p in specific] == [0, 0, 1, 2, 3, 4, 5]
    coloured = ["coloured" in (a["class"] or "").split() for a in tokens]
    assert coloured == [p >= 0.5 for p in specific]
    assert tokens[5]["title"] == "80% not common; of topics most probably topic 3: a b (80%); 2.0 bits"
    assert (tokens[6]["title"] or "").startswith("not known, <unk>; 100% not common")
    without = shaded_tokens(replace(page, common=False))
    assert all("s0" in (a["class"] or "").split() for a in without)
    assert without[5]["title"] == "topic 3: a b (80%); 2.0 bits"


def test_the_page_says_how_words_are_coloured(path: Path, estimator: PlainTopicNgramModel) -> None:
    text = said(topic_language_page_of(path, "t"))
    assert ("has the colour of its most probable topic." in text) == (estimator.prior == "none")
    assert ("The darker a word" in text) == (estimator.prior != "none")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_are_legible_on_the_colours_of_topics(scheme: str) -> None:
    """Where topics have nothing in common, a word's ground is a quarter of its topic's colour."""
    ink, ground = palette(scheme)["ink"], palette(scheme)["ground"]
    (share,) = re.findall(r"var\(--topic\) (\d+)%", ASSETS.read("topic_language.css"))
    part = int(share) / 100.0

    def channels(colour: str) -> list[int]:
        return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]

    for colour in distinct_colours(100):
        mixed = [part * a + (1 - part) * b for a, b in zip(channels(colour), channels(ground), strict=True)]
        assert contrast(ink, "#" + "".join(f"{round(v):02x}" for v in mixed)) >= 4.5


def test_neighbours_in_a_list_have_other_colours() -> None:
    colours = distinct_colours(20)
    assert len(set(colours)) == 20
    for one, other in pairwise(colours):
        assert sum(abs(int(one[i : i + 2], 16) - int(other[i : i + 2], 16)) for i in (1, 3, 5)) > 100


def test_figures_are_drawn_without_a_browser(switching: Path) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    page = topic_language_page_of(switching, "t")
    drawn = figures(page)
    assert {"topics-along-1", "topics-along-2", "topics-along-3", "topics-by-context-1"} <= set(drawn)
    for name, svg in {**drawn, **figures(hostile()), **figures(one_document())}.items():
        assert not re.search(r"var\(|currentColor|NaN|undefined", svg), name
        ElementTree.fromstring(svg)
    assert figures(TopicLanguagePage("t")) == {}


@pytest.mark.parametrize("name", [*ASSETS.charts, *ASSETS.figures])
def test_charts_know_no_browser(name: str) -> None:
    code = re.sub(r"^\s*//.*$", "", ASSETS.read(name), flags=re.MULTILINE)
    assert re.findall(r"\b(?:document|window|location|history|navigator)\.", code) == []


# In a browser


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1400, "light")])
@pytest.mark.parametrize("name", ["learned", *PAGES])
def test_opens_quietly_and_fits_the_screen(
    browser: Any, tmp_path: Path, switching: Path, name: str, width: int, scheme: str
) -> None:
    content = topic_language_page_of(switching, "t") if name == "learned" else PAGES[name]()
    seen = Opened(browser, tmp_path / "r.html", content, width, scheme)
    seen.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    seen.page.wait_for_timeout(100)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert seen.troubles == []
    assert seen.page.evaluate("typeof window.hacked") == "undefined"


@pytest.mark.browser
def test_a_word_is_explained_by_pointer_and_keys(browser: Any, tmp_path: Path, switching: Path) -> None:
    content = topic_language_page_of(switching, "t")
    seen = Opened(browser, tmp_path / "r.html", content, 1280, "light")
    text, readout = seen.page.locator(".walk").first, seen.page.locator(".readout").first
    tokens = text.locator(".token")
    tokens.nth(2).click()
    assert readout.inner_text() == f"“{tokens.nth(2).locator('.word').inner_text()}”: {tokens.nth(2).get_attribute('title')}"
    text.focus()
    seen.page.keyboard.press("ArrowRight")
    assert "at" in (tokens.nth(3).get_attribute("class") or "").split()
    seen.page.keyboard.press("End")
    assert tokens.last.get_attribute("title") in readout.inner_text()
    seen.page.keyboard.press("ArrowRight")
    seen.page.keyboard.press("Home")
    assert tokens.first.get_attribute("title") in readout.inner_text()
    assert seen.page.locator(".walk .at").count() == 1
    bits = tokens.first.locator(".bits")
    assert not bits.is_visible()
    seen.page.locator("#numbers").check()
    assert bits.is_visible()
    assert seen.troubles == []


@pytest.mark.browser
def test_strips_are_drawn_where_documents_are_open(browser: Any, tmp_path: Path, switching: Path) -> None:
    content = topic_language_page_of(switching, "t")
    seen = Opened(browser, tmp_path / "r.html", content, 1280, "light")
    n = sum(row.excerpt is not None for row in content.documents)
    strips = seen.page.locator(".topic-strip")
    assert strips.count() == min(2, n)
    seen.page.locator(".excerpts summary").nth(2).click()
    seen.page.wait_for_timeout(100)
    assert strips.count() == min(3, n)
    before = strips.first.bounding_box()["width"]
    seen.page.set_viewport_size({"width": 500, "height": 900})
    seen.page.wait_for_timeout(600)
    assert strips.first.bounding_box()["width"] < before
    assert "Shares of topics along" in strips.first.get_attribute("aria-label")
    assert seen.troubles == []
