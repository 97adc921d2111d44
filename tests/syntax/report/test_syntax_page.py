"""The report of syntactic topics: its records by hand, what it refuses, and the page in a browser."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.golden.names import check
from tests.pages.damaged_documents import damaged
from tests.pages.elements import Elements
from tests.pages.made_up import all_text, page_of, views_in
from tests.pages.opened import Opened, refuse_what_leaves_its_place
from tests.topics.report.report_pages import HOSTILE

from stickbreaker import SyntacticTopics
from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import share_of
from stickbreaker.corpus import Corpus, VocabularyRule
from stickbreaker.corpus.readers import ReadingOptions
from stickbreaker.estimators.model_files import load_of
from stickbreaker.estimators.model_runs import begin, resume
from stickbreaker.pages.document_rows import DocumentRow, DocumentRows
from stickbreaker.pages.figures import figures
from stickbreaker.pages.learning_curves import LearningCurve
from stickbreaker.pages.page import Page
from stickbreaker.saved import ModelDirectory
from stickbreaker.syntax.learned import SyntaxLearned
from stickbreaker.syntax.learner import SYNTAX
from stickbreaker.syntax.report.graph import MOST_NODES
from stickbreaker.syntax.report.sentences import ParsedSentence, read_documents
from stickbreaker.syntax.report.syntax_page import SyntaxReport, curves_of, syntax_page_of
from stickbreaker.syntax.report.topics import SyntaxTopic, colours_of, percent, topics_of
from stickbreaker.syntax.report_documents import BEYOND, LIMIT, MOST_WORDS, SENTENCES
from stickbreaker.syntax.settings import SyntaxSettings
from stickbreaker.syntax.topic_graph import Edge, depths_of, heads_of

SECTIONS = {"learning", "graph", "topics", "documents", "sentences", "making"}
DETAILS, NAME = "#graph .pinned > .view:last-child", "#graph .pinned > .view:last-child strong"
WILD = ("<script>window.hacked=1</script>", "&lt;b&gt;", "\"'`", "{{7*7}}")

Sentence = list[tuple[str, str, int]]  # words: form, tag, head (1 for the first word, 0 for none)


def made_up(n: int = 30, words: tuple[str, ...] = ("cat", "dog", "boat", "river")) -> list[list[Sentence]]:
    """Documents of short sentences: "the cat saw a dog"."""
    generator = np.random.default_rng(3)

    def sentence() -> Sentence:
        one, other = generator.choice(words, 2)
        verb = str(generator.choice(["saw", "left", "met"]))
        return [
            ("the", "DT", 2),
            (one, "NN", 3),
            (verb, "VB", 0),
            ("a", "DT", 5),
            (other, "NN", 3),
            (".", ".", 3),
        ]

    return [[sentence() for _ in range(5)] for _ in range(n)]


def conllu(documents: list[list[Sentence]]) -> str:
    lines: list[str] = []
    for number, sentences in enumerate(documents):
        lines.append(f"# newdoc id = d{number}")
        for sentence in sentences:
            for place, (form, tag, head) in enumerate(sentence, start=1):
                lines.append(f"{place}\t{form}\t_\t{tag}\t_\t_\t{head}\tdep\t_\t_")
            lines.append("")
    return "\n".join(lines) + "\n"


def corpus_of(folder: Path, documents: list[list[Sentence]], rarest: int = 1) -> Corpus:
    """A corpus on disk of which every token is a word; words of fewer than `rarest` documents are unknown."""
    folder.mkdir(exist_ok=True)
    file = folder / "texts.conllu"
    file.write_text(conllu(documents), encoding="utf-8")
    rule = VocabularyRule(rarest, 1.0)
    return Corpus.build(
        file, folder / "corpus", reading=ReadingOptions(trees=True), rule=rule, all_words=True
    )


def learned(
    folder: Path,
    documents: list[list[Sentence]] | None = None,
    held_out: float = 0.2,
    rarest: int = 1,
    **params: Any,
) -> Path:
    """A finished model in `folder`."""
    params = {"n_topics": 5, "max_iter": 12, "random_state": 5, **params}
    if params.get("inference") != "mean-field":
        params = {"samples": 3, "chains": 1, **params}
    corpus = corpus_of(folder, made_up() if documents is None else documents, rarest)
    begin(SYNTAX, SyntaxSettings(**params), corpus, folder / "model", held_out=held_out)
    resume(folder / "model", every=600.0, threads=1)
    return folder / "model"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned(tmp_path_factory.mktemp("model"))


@pytest.fixture
def results(path: Path) -> SyntaxLearned:
    return load_of(SYNTAX, path)


def ids_in(page: Page) -> set[str | None]:
    return {attributes.get("id") for _, attributes in Elements(page.html()).tags}


# Topics and their graph


def test_topics_are_those_in_use_with_what_was_counted(results: SyntaxLearned) -> None:
    rows, counted = topics_of(results), results.samples.transitions.mean(axis=0)
    assert [row.number for row in rows] == results.topics_in_use
    assert sum(row.share for row in rows) == pytest.approx(1.0, abs=1e-6)
    for row in rows:
        k = row.number
        assert row.share == pytest.approx(counted[:, k].sum() / counted.sum())
        assert dict(row.below) == pytest.approx(
            {i: counted[k, i] / counted[k].sum() for i, _ in row.below}, rel=1e-6
        )
        for head, share in row.above:
            own = counted[-1 if head is None else head, k]
            assert share == pytest.approx(own / counted[:, k].sum())
        assert sum(share for _, share in row.tags) == pytest.approx(1.0, abs=0.05)
        for word, p, overall in row.words:
            w = results.words.names.index(word)
            assert p == results.samples.topic_words[k, w]
            assert overall == pytest.approx(
                float(results.samples.topic_shares @ results.samples.topic_words[:, w])
            )


def test_parts_of_speech_have_the_topics_of_their_words(path: Path, results: SyntaxLearned) -> None:
    page = syntax_page_of(path, "t")
    (section,) = [one for one in page.sections if one.anchor == "parts"]
    (table,) = section.views
    joint = results.samples.topic_shares[:, None] * results.samples.topic_tags
    for name, share, topics in table.rows:
        own = joint[:, list(results.words.tags).index(name)]
        assert share == pytest.approx(own.sum())
        assert page.report.topics[topics.texts[0][0].place].number == own.argmax()
    shares = [row[1] for row in table.rows]
    assert shares == pytest.approx(sorted(shares, reverse=True))


def test_depths_are_the_means_of_a_walk_up(results: SyntaxLearned) -> None:
    heads, depths = heads_of(results), depths_of(results)
    assert heads.sum(axis=1) == pytest.approx(1.0)
    generator = np.random.default_rng(1)
    for k in results.topics_in_use[:2]:
        steps = []
        for _ in range(2000):
            at, n = k, 0
            while at < results.n_shares:
                at, n = int(generator.choice(len(heads) + 1, p=heads[at])), n + 1
            steps.append(n)
        assert depths[k] == pytest.approx(np.mean(steps), rel=0.15)


def test_a_topic_that_no_root_leads_to_has_a_depth() -> None:
    class Fake:
        class samples:
            transitions = np.array([[[4.0, 0.0], [0.0, 3.0], [2.0, 0.0]]])
            of_best = staticmethod(lambda values: values.mean(axis=0))

    depths = depths_of(Fake())  # pyright: ignore[reportArgumentType]
    assert depths[0] == pytest.approx(3.0, rel=1e-3)
    assert depths[1] > 1e5


def test_kindred_topics_have_kindred_colours() -> None:
    topics = [SyntaxTopic(k, 0.1, tags=[(tag, 1.0)]) for k, tag in enumerate(["NN", "VB", "NN", "VB"])]
    hues = colours_of(topics)
    assert len(set(hues)) == 4
    alike = colours_of([SyntaxTopic(k, 0.1, tags=[("x", 1.0)]) for k in range(4)])
    order = [alike.index(hue) for hue in hues]
    assert order == [0, 2, 1, 3]


def test_curves_are_perplexities() -> None:
    first = {"pass": 1, "held_out": -2.0, "score": -3.0}
    held_out, text = curves_of([first, {"pass": 2}, {"pass": 3, "held_out": -1.0, "score": float("nan")}])
    assert held_out.points == [(1, pytest.approx(math.exp(2.0))), (3, pytest.approx(math.e))]
    assert text.points == [(1, pytest.approx(math.exp(3.0)))]
    assert curves_of([{"pass": 1, "score": -1e9}]) == []
    steps = [{"pass": 1, "step": n, "kind": "documents", "score": -1.0} for n in (1, 2)]
    (stream,) = curves_of(steps)
    assert [step for step, _ in stream.points] == [1, 2], "an online run has many steps in a pass"
    assert stream.name.startswith("Of the documents of each step")


@pytest.mark.parametrize(("schedule", "unit"), [("batch", "pass"), ("online", "step")])
def test_runs_of_mean_field_inference_have_passes_and_a_bound(
    tmp_path: Path, schedule: str, unit: str
) -> None:
    settings = {"inference": "mean-field", "schedule": schedule, "tol": 0.0}
    path = learned(tmp_path, made_up(), held_out=0.2, **settings)
    page = syntax_page_of(path, "A model")
    assert page.report.unit == unit
    html = page.html()
    assert f"Perplexity by {unit}:" in html
    assert "by the bound of mean-field inference" in html
    assert "sampler" not in html


# Documents and sentences


def test_sentences_are_held_out_and_as_they_were_parsed(path: Path) -> None:
    page, texts = syntax_page_of(path, "t"), made_up()
    assert page.report.document_rows.whose == "held-out"
    assert 0 < len(page.report.document_rows.parts) <= SENTENCES
    assert len({(row.id, tuple(row.tokens)) for row in page.report.document_rows.parts}) > 5
    for row in page.report.document_rows.parts:
        assert share_of(row.id) < 0.2
        parsed = [
            ([form for form, _, _ in one], [head - 1 for _, _, head in one]) for one in texts[int(row.id[1:])]
        ]
        assert (list(row.tokens), list(row.heads)) in parsed
        assert row.size == len(row.tokens) == 6
        assert all(row.known)
        assert all(1 / 5 - 0.01 <= sure <= 1.0 + 1e-9 for sure in row.sure)


def test_documents_have_the_shares_of_the_last_sample(path: Path, results: SyntaxLearned) -> None:
    page, corpus = syntax_page_of(path, "t"), Corpus.open(path.parent / "corpus")
    ids = corpus.ids(0)
    assert [row.id for row in page.report.document_rows.rows] == list(ids)
    assert page.report.document_rows.total == 30
    seen = results.words.ordered(corpus.trees(0))
    counts = results.samples.expected_counts(seen, results.facts.seed, 3)
    for row, count in zip(page.report.document_rows.rows, counts, strict=True):
        assert row.words == 30
        assert row.held_out == (share_of(row.id) < 0.2)
        assert dict(row.topics) == pytest.approx({k: n / 30 for k, n in enumerate(count) if n})
        shares = [share for _, share in row.topics]
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) == pytest.approx(1.0)


def test_topics_of_sentences_are_those_of_brute_force(results: SyntaxLearned, path: Path) -> None:
    """The probabilities of a short tree's topics given its document's shares, over all configurations."""
    from stickbreaker.syntax.sentence_scores import sentences_of

    trees = Corpus.open(path.parent / "corpus").trees(0).take(np.arange(2))
    alone, learned_ = sentences_of(trees, np.array([0, 7])), results.samples
    seen, nodes = results.words.ordered(trees), results.words.ordered(alone)
    found = learned_.topic_probabilities(nodes, np.array([0, 1]), seen, 1)
    assert found.sum(axis=1) == pytest.approx(1.0)
    wanted = np.zeros_like(found)
    log_theta, k = learned_.log_theta(seen, 1, 3), results.n_shares
    for d in range(2):
        first, last = nodes.nodes.offsets[d : d + 2]
        n = last - first
        configurations = np.indices((k,) * n).reshape(n, -1)
        for draw in range(log_theta.shape[1]):
            weights = np.exp(log_theta[d, draw] + learned_.log_pi[3])
            chances = weights / weights.sum(axis=1, keepdims=True)
            p = np.ones(configurations.shape[1])
            for i in range(n):
                head, own = nodes.nodes.heads[first + i], configurations[i]
                p *= chances[k if head < 0 else configurations[head], own]
                p *= learned_.beta[3][nodes.nodes.words[first + i], own]
            p /= p.sum() * log_theta.shape[1]
            for i in range(n):
                wanted[first + i] += np.bincount(configurations[i], p, k)
    assert np.abs(found - wanted).max() < 0.2  # of a hundred draws
    assert np.abs(found - wanted).mean() < 0.04


def test_without_held_out_documents_they_are_of_the_text(tmp_path: Path) -> None:
    page = syntax_page_of(learned(tmp_path, held_out=0.0), "t")
    assert (page.report.document_rows.whose, len(page.report.document_rows.parts)) == ("learned", SENTENCES)
    assert not any(row.held_out for row in page.report.document_rows.rows)
    assert "that the model has learned from" in all_text(page)


def test_the_same_run_draws_the_same_and_another_seed_others(tmp_path: Path) -> None:
    one, same, other = (
        learned(tmp_path / name, held_out=0.0, random_state=seed)
        for name, seed in (("one", 5), ("same", 5), ("other", 6))
    )
    assert (same / "documents.parquet").read_bytes() == (one / "documents.parquet").read_bytes()
    reports = (syntax_page_of(each, "t").report for each in (one, other))
    first, second = ([row.id for row in report.document_rows.parts] for report in reports)
    assert len(first) == len(second) == SENTENCES
    assert first != second


def test_many_documents_are_drawn_and_keep_their_order(tmp_path: Path) -> None:
    one = [("a", "X", 0), ("b", "X", 1), ("c", "X", 2)]
    page = syntax_page_of(learned(tmp_path, [[one]] * (LIMIT + 300), held_out=0.0, max_iter=2), "t")
    assert (len(page.report.document_rows.rows), page.report.document_rows.total) == (LIMIT, LIMIT + 300)
    numbers = [int(row.id[1:]) for row in page.report.document_rows.rows]
    assert numbers == sorted(set(numbers))
    assert numbers[-1] > LIMIT
    rows = page.report.document_rows
    assert {row.id for row in rows.parts} <= {row.id for row in rows.rows}
    assert "Here are 2,000 documents of 2,300" in all_text(page)


def test_words_that_are_not_known_are_marked(tmp_path: Path) -> None:
    documents = made_up()
    documents[3][0][1] = ("hapax", "NN", 3)
    for unknown in ("blank", "tag"):
        path = learned(tmp_path / unknown, documents, held_out=0.0, rarest=2, unknown=unknown)
        rows = read_documents(path, ModelDirectory(path).manifest(), 5)
        for row in rows.parts:
            assert list(row.known) == [token != "hapax" for token in row.tokens]


def test_a_long_sentence_is_cut(tmp_path: Path) -> None:
    long = [("w", "X", 0), *((f"w{i % 7}", "X", i) for i in range(1, 1000))]
    long[5], long[899] = ("far", "X", 900), ("w", "X", 1)
    page = syntax_page_of(learned(tmp_path, [[long]], held_out=0.0, max_iter=4), "t")
    (row,) = page.report.document_rows.parts
    assert (row.size, len(row.tokens)) == (1000, MOST_WORDS)
    assert row.heads[:7] == [-1, 0, 1, 2, 3, BEYOND, 5]
    assert "… 940 more words" in all_text(page)


def test_one_topic_and_one_word(tmp_path: Path) -> None:
    page = syntax_page_of(learned(tmp_path, [[[("w", "X", 0)]]], held_out=0.0, n_topics=1, max_iter=4), "t")
    (topic,) = page.report.topics
    assert (topic.share, topic.words, topic.above) == (1.0, [("w", 1.0, 1.0)], [(None, 1.0)])
    assert "No sentence of the documents has 3 words or more." in all_text(page)
    assert [edge.head for edge in page.report.edges] == [None]
    assert [row.topics for row in page.report.document_rows.rows] == [[(0, pytest.approx(1.0))]]


def test_empty_documents_have_no_shares(tmp_path: Path) -> None:
    page = syntax_page_of(learned(tmp_path, [*made_up(3), []], held_out=0.0), "t")
    assert [row.words for row in page.report.document_rows.rows][:3] == [30, 30, 30]
    assert all(not row.topics for row in page.report.document_rows.rows[3:])


@pytest.mark.parametrize("limit", ["hdp", "itic"])
def test_limits_have_such_a_page(tmp_path: Path, limit: str) -> None:
    page = syntax_page_of(learned(tmp_path, limit=limit), "t")
    assert limit in page.subtitle
    assert page.report.document_rows.parts
    assert page.report.document_rows.rows


def test_python_has_documents_where_they_are_given(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, made_up(8))
    model = SyntacticTopics(4, max_iter=4, random_state=0).fit(corpus)
    with_documents, without = model.report(documents=corpus).html, model.report().html
    assert "that the model has learned from" in with_documents
    assert "This model has no documents" in without
    assert not {"documents"} & {a.get("id") for _, a in Elements(without).tags}
    others = corpus_of(tmp_path / "others", made_up(9))
    assert "documents that were given for this page" in model.report(documents=others).html


def test_names_in_its_files_are_known(path: Path) -> None:
    check(path)


def change(rows: list[dict[str, Any]], wrong: str) -> list[dict[str, Any]]:
    place = next(i for i, row in enumerate(rows) if row["sentences"])
    first = json.loads(json.dumps(rows[place]))
    sentence = first["sentences"][0]
    first |= {
        "a share above one": {"shares": [1.5, *first["shares"][1:]]},
        "a topic too many": {"topics": [99, *first["topics"][1:]]},
        "too few shares": {"shares": first["shares"][1:]},
        "no id": {"id": None},
    }.get(wrong, {})
    sentence |= {
        "another head": {"heads": [70, *sentence["heads"][1:]]},
        "its own head": {"heads": [0, *sentence["heads"][1:]]},
        "too few heads": {"heads": sentence["heads"][1:]},
        "another topic": {"topics": [5, *sentence["topics"][1:]]},
        "another size": {"size": 3},
        "not a number": {"sure": [float("nan"), *sentence["sure"][1:]]},
    }.get(wrong, {})
    if wrong == "too many sentences":
        first["sentences"] = [sentence] * (SENTENCES + 1)
    changed = [*rows[:place], first, *rows[place + 1 :]]
    return changed * 100 if wrong == "too many rows" else changed


@pytest.mark.parametrize(
    "wrong",
    [
        *("a share above one", "a topic too many", "too few shares", "no id", "another head", "its own head"),
        *("too few heads", "another topic", "another size", "not a number", "too many sentences"),
        *("too many rows", "a column", "no figures", "other figures", "no file of tables"),
    ],
)
def test_damaged_documents_are_refused_by_name(path: Path, tmp_path: Path, wrong: str) -> None:
    model = damaged(path, tmp_path / "m", wrong, change, {"documents": 3, "sentences": "x"})
    with pytest.raises(UserError, match=re.escape("documents.parquet")):
        syntax_page_of(model, "t")


# The program


def test_the_program_writes_page_and_figures(cli, path: Path, tmp_path: Path) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    pytest.importorskip("resvg_py", reason="resvg-py is not installed")
    page = tmp_path / "r.html"
    done = cli("report", path, "--out", page, "--figures", tmp_path / "f", "--title", "A title", "--json")
    found = json.loads(done.stdout)
    assert {Path(name).stem for name in found["files"]} == {
        *("topic-graph", "perplexity-held-out", "perplexity-text", "tree-1", "tree-2", "tree-3")
    }
    assert sorted(found["files"]) == sorted(file.name for file in (tmp_path / "f").iterdir())
    html = page.read_text(encoding="utf-8")
    assert '<h1 dir="auto">A title</h1>' in html
    assert len(html) < 400_000


def test_options_for_other_topics_are_refused(cli, path: Path, tmp_path: Path) -> None:
    done = cli("report", path, "--out", tmp_path / "r.html", "--date-field", "d", code=1)
    assert "--date-field does not apply to a model of the kind SyntacticTopics" in done.stderr


def test_only_finished_models_of_this_kind_have_such_a_page(model: Path, path: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a model of syntactic topics"):
        syntax_page_of(model, "t")
    begin(SYNTAX, SyntaxSettings(2), Corpus.open(path.parent / "corpus"), tmp_path / "m")
    with pytest.raises(UserError, match="is still learning"):
        syntax_page_of(tmp_path / "m", "t")


def test_facts_say_what_was_learned(path: Path, results: SyntaxLearned) -> None:
    page = syntax_page_of(path, "A title")
    facts = dict(page.facts)
    assert (facts["documents"], facts["known words read"], facts["samples"]) == ("30", "900", "4")
    assert facts["topics in use"] == str(len(results.topics_in_use))
    perplexity = math.exp(-results.facts.trace[-1]["held_out"])
    assert float(str(facts["held-out perplexity"])) == pytest.approx(perplexity, abs=0.051)
    assert dict(page.settings)["seed"] == "5"
    assert "20% of them held out" in page.subtitle


# The page


def made_up_page(title: str, **fields: Any) -> Page:
    known = {"curves": [], "unit": "sweep", "topics": [], "edges": [], "parts": []}
    known["document_rows"] = DocumentRows()
    return page_of(SyntaxReport, title, **{**known, **fields})


def bare() -> Page:
    return page_of(SyntaxReport, "Nothing yet", topics=[], sections=())


def hostile() -> Page:
    """Markup, quotes, lone surrogates, control characters and overrides of direction everywhere."""
    n, wrong = len(HOSTILE), float("nan")
    topics = [
        SyntaxTopic(
            number=3 * k,
            share=1 / n if k else wrong,
            tags=[(text, 0.5), (HOSTILE[0], wrong)],
            words=[(each, 0.1, 0.05) for each in HOSTILE],
            below=[(0, 0.5), (3, wrong), (99, 0.1)],
            above=[(None, 0.5), (3, 0.2), (99, 0.1)],
            depth=float(k) if k else float("inf"),
        )
        for k, text in enumerate(HOSTILE)
    ]
    sentences = [
        ParsedSentence(
            text,
            n + k,
            HOSTILE,
            [i % 2 == 0 for i in range(n)],
            [-1, -2, *range(n - 2)],
            [3, 99] * (n // 2) + [0] * (n % 2),
            [0.5] * n,
        )
        for k, text in enumerate(HOSTILE)
    ]
    return made_up_page(
        HOSTILE[0],
        subtitle=" ".join(HOSTILE[:-1]),
        facts=[(text, text) for text in HOSTILE],
        settings=[(text, text) for text in HOSTILE],
        curves=[LearningCurve("text", HOSTILE[0], [(1, 30.0), (2, 20.0)])],
        topics=topics,
        edges=[
            Edge(None, 0, 0.9),
            Edge(0, 3, 0.4),
            Edge(3, 3, 1.0),
            Edge(99, 3, 0.1),
            Edge(0, 6, wrong),
        ],
        document_rows=DocumentRows(
            [
                DocumentRow(text, 7, [(3, 0.6), (99, 0.4)], k % 2 == 0, [sentences[k]])
                for k, text in enumerate(HOSTILE)
            ],
            10**6,
            "other",
        ),
    )


def many() -> Page:
    """More topics than the graph has room for, all of one tag."""
    words = [("word", 0.5, 0.1)]
    rows = [
        SyntaxTopic(k, 1 / 200, words, [("NN", 1.0)], [((k + 1) % 200, 0.9)], [(None, 1.0)])
        for k in range(200)
    ]
    return made_up_page("many", topics=rows, edges=[Edge(k, (k + 1) % 200, 0.9) for k in range(200)])


PAGES = {"hostile": hostile, "many": many, "bare": bare}


@pytest.mark.parametrize("name", PAGES)
def test_nothing_leaves_its_place(name: str) -> None:
    refuse_what_leaves_its_place(PAGES[name]().html())


def test_hostile_words_are_shown_as_text(tmp_path: Path) -> None:
    text = all_text(hostile())
    assert "</script><script>window.hacked=1</script>" in text
    assert "nul\ufffdesc\ufffd[31mbell\ufffd\ufffd" in text
    page = syntax_page_of(learned(tmp_path, made_up(12, WILD), held_out=0.0), "t")
    refuse_what_leaves_its_place(page.html())
    text = all_text(page)
    assert [word for word in WILD if word not in text] == []


def test_sections_without_data_are_left_out(path: Path) -> None:
    assert ids_in(syntax_page_of(path, "t")) >= SECTIONS
    assert not ids_in(bare()) & SECTIONS


def test_views_mean_topics_by_their_places(path: Path) -> None:
    page = syntax_page_of(path, "t")
    numbers = page.payload["choices"]["topic"]["keys"]
    assert numbers == [topic.number for topic in page.report.topics]
    assert {card["anchor"] for card in views_in(page.payload, "Card")} == {f"topic-{n}" for n in numbers}
    (graph,) = views_in(page.payload, "Graph")
    for (head, topic, share), edge in zip(graph["edges"], page.report.edges, strict=True):
        assert (None if head < 0 else numbers[head], numbers[topic]) == (edge.head, edge.topic)
        assert share == pytest.approx(edge.share, rel=1e-3)
    entries = [entry for entry in views_in(hostile().payload, "Entry") if "mix" in entry]
    assert [entry["mix"] for entry in entries] == [[[1, 0.6]]] * len(HOSTILE)
    assert set(views_in(hostile().payload, "SentenceArcs")[0]["topics"]) == {1, 0, -1}


def test_shares_as_the_page_writes_them() -> None:
    assert [percent(p) for p in (0.0, 1e-5, 0.0123, 0.0994, 0.0996, 1.0, float("nan"))] == [
        *("0.0%", "<0.1%", "1.2%", "9.9%", "10%", "100%", "–")
    ]


def test_figures_are_drawn_without_a_browser(path: Path) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    page = syntax_page_of(path, "t")
    drawn = figures(page)
    graph = ElementTree.fromstring(drawn["topic-graph"])
    circles = [element for element in graph.iter() if element.tag.endswith("circle")]
    assert len(circles) == 1 + len(page.report.topics)
    for name, svg in {**drawn, **figures(hostile()), **figures(many())}.items():
        assert not re.search(r"var\(|currentColor|NaN|undefined|Infinity|null", svg), name
        ElementTree.fromstring(svg)
    assert figures(bare()) == {}


# In a browser


@pytest.mark.smoke
@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1400, "light")])
@pytest.mark.parametrize("name", ["learned", *PAGES])
def test_opens_quietly_and_fits_the_screen(
    browser: Any, tmp_path: Path, path: Path, name: str, width: int, scheme: str
) -> None:
    content = syntax_page_of(path, "t") if name == "learned" else PAGES[name]()
    seen = Opened(browser, tmp_path / "r.html", content, width, scheme)
    drawn = seen.page.locator("#graph .dot")
    assert drawn.count() == min(len(content.report.topics), MOST_NODES)
    for summary in seen.page.locator("#sentences summary").all()[1:4]:
        summary.click()
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert seen.troubles == []
    assert seen.page.evaluate("typeof window.hacked") == "undefined"


@pytest.mark.browser
def test_a_topic_is_chosen_by_click_and_keys(browser: Any, tmp_path: Path, path: Path) -> None:
    content = syntax_page_of(path, "t")
    seen = Opened(browser, tmp_path / "r.html", content, 1400, "light")
    page = seen.page
    page.locator("#graph .dot[data-key='topic 1']").click()
    topic = content.report.topics[1]
    assert topic.label in seen.text(DETAILS)
    assert all(tag in seen.text(DETAILS) for tag, _ in topic.tags)
    own = page.locator("#graph .edge.own").count()
    assert own == sum(topic.number in (edge.head, edge.topic) for edge in content.report.edges)
    seen_numbers = {seen.text(NAME)}
    page.locator("#graph .dot[data-key='topic 1']").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
        seen_numbers.add(seen.text(NAME))
    assert len(seen_numbers) > 2
    chosen = page.locator("#graph .dot[aria-pressed='true']")
    assert chosen.count() == page.locator("#graph .dot[tabindex='0']").count() == 1
    page.locator(f"{DETAILS} a.item").first.click()
    assert chosen.count() == 1
    page.locator("#graph svg.graph").click(position={"x": 3, "y": 3})
    assert "Choose a topic" in seen.text(DETAILS)
    assert seen.troubles == []


@pytest.mark.browser
def test_a_topic_stays_in_sight_on_a_narrow_screen(browser: Any, tmp_path: Path) -> None:
    topics = [SyntaxTopic(k, 0.1, [("w", 1.0, 0.5)] * 10, [("NN", 1.0)], depth=k) for k in range(12)]
    seen = Opened(browser, tmp_path / "r.html", made_up_page("t", topics=topics), 390, "light")
    for place, lower in ((8, 250), (7, -250), (11, 0)):  # at first there are no details
        dot = seen.page.locator(f"#graph .dot[data-key='topic {place}']")
        dot.evaluate("(dot, by) => { dot.scrollIntoView({ block: 'center' }); scrollBy(0, -by); }", lower)
        box = dot.bounding_box()
        seen.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert seen.text(NAME).startswith(f"topic {place}:")
        shown = dot.bounding_box()
        assert shown["y"] + shown["height"] <= seen.page.locator(DETAILS).bounding_box()["y"] + 1
    before = seen.text(NAME)
    seen.page.keyboard.press("ArrowUp")
    assert seen.text(NAME) != before
    assert seen.troubles == []


@pytest.mark.browser
def test_the_whole_page_is_reached_by_keys(browser: Any, tmp_path: Path, path: Path) -> None:
    content = syntax_page_of(path, "t")
    seen = Opened(browser, tmp_path / "r.html", content, 1400, "light")
    met = set()
    for _ in range(200):
        seen.page.keyboard.press("Tab")
        met.add(seen.page.evaluate("(document.activeElement.closest('section') || {}).id"))
        if seen.page.evaluate("document.activeElement.matches('.pointed')"):
            break
    assert met >= {"graph", "documents", "sentences"}
    first = seen.page.locator("#sentences .readout").first
    row = content.report.document_rows.parts[0]
    assert f"“{row.tokens[0]}”: topic {row.topics[0]}" in first.inner_text()
    seen.page.keyboard.press("ArrowRight")
    assert f"“{row.tokens[1]}”: topic {row.topics[1]}" in first.inner_text()
    assert f"below “{row.tokens[2]}”" in first.inner_text()
    assert seen.page.locator("#sentences .arc.own").count() == 1 + list(row.heads).count(1)
    assert seen.troubles == []


@pytest.mark.browser
def test_documents_are_ordered_by_a_topic_and_paged(browser: Any, tmp_path: Path, path: Path) -> None:
    content = syntax_page_of(path, "t")
    seen = Opened(browser, tmp_path / "r.html", content, 1400, "light")
    rows = seen.page.locator("#documents .entries > li")
    assert rows.count() == 20
    seen.page.locator("#documents .pager button >> nth=1").click()
    assert rows.count() == 10
    assert rows.first.locator(".title").inner_text() == content.report.document_rows.rows[20].id
    topic = content.report.topics[2].number
    seen.page.locator("#documents select").select_option("2")
    most = max(content.report.document_rows.rows, key=lambda row: dict(row.topics).get(topic, 0.0))
    assert rows.first.locator(".title").inner_text() == most.id
    rows.first.locator("a.item").first.click()
    assert seen.text(NAME).startswith(f"topic {topic}:")
    assert seen.troubles == []


@pytest.mark.browser
def test_trees_are_drawn_when_they_are_opened_and_the_graph_follows_the_width(
    browser: Any, tmp_path: Path, path: Path
) -> None:
    seen = Opened(browser, tmp_path / "r.html", syntax_page_of(path, "t"), 1400, "light")
    assert seen.page.locator(".arcs").count() == 1
    seen.page.locator("#sentences summary").nth(1).click()
    seen.page.wait_for_function("document.querySelectorAll('.arcs').length === 2")
    graph = seen.page.locator("#graph svg.graph")
    before = graph.bounding_box()["width"]
    seen.page.set_viewport_size({"width": 500, "height": 900})
    seen.page.wait_for_timeout(600)
    assert graph.bounding_box()["width"] not in (before, 0)
    assert seen.troubles == []
