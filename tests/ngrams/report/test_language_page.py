"""The report of a language model: its records by hand, what it refuses, and the page in a browser."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.pages import made_up
from tests.pages.contrast import contrast
from tests.pages.damaged_documents import damaged
from tests.pages.elements import Elements
from tests.pages.opened import Opened, refuse_what_leaves_its_place
from tests.topics.report.report_pages import HOSTILE
from tests.topics.report.test_report_looks import palette

from stickbreaker import NgramModel
from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import share_of
from stickbreaker.corpus import Corpus
from stickbreaker.estimators.model_files import load
from stickbreaker.estimators.model_runs import begin, resume
from stickbreaker.ngrams.learner import NGRAMS
from stickbreaker.ngrams.ngram_learned import NgramLearned
from stickbreaker.ngrams.report.context_lengths import LengthRow, Spread, context_lengths
from stickbreaker.ngrams.report.language_page import LanguageReport, curves_of, language_page_of
from stickbreaker.ngrams.report.notable_contexts import (
    LEAST_CUSTOMERS,
    LEAST_P,
    LEAST_SHARE,
    MOST_ROWS,
    ContextRow,
    expressions_of,
    longest_contexts,
)
from stickbreaker.ngrams.report.sentences import LEVELS, SavedSentences, SentenceRow
from stickbreaker.ngrams.report_sentences import LIMIT
from stickbreaker.ngrams.settings import NgramSettings
from stickbreaker.pages.figures import figures
from stickbreaker.pages.learning_curves import LearningCurve
from stickbreaker.pages.page import Page
from stickbreaker.topics.report.topic_page import page_of

KINDS = {"trigrams": 3, "unbounded": "unbounded"}
SECTIONS = {"sentences", "expressions", "longest", "lengths", "learning", "making"}


def made_up_texts(n: int = 60) -> list[str]:
    """Documents of a few sentences, in which "as well as" and "in addition to" stand fast."""
    generator = np.random.default_rng(3)
    nouns, verbs = ["cat", "dog", "boat", "river", "house"], ["saw", "liked", "left", "found", "met"]

    def sentence() -> str:
        one, other, third = generator.choice(nouns, 3)
        forms = (
            f"the {one} {generator.choice(verbs)} the {other} as well as the {third}",
            f"in addition to the {one} we {generator.choice(verbs)} a {other}",
            f"a {one} {generator.choice(verbs)} the {other}",
        )
        return forms[generator.integers(3)].capitalize() + "."

    return [" ".join(sentence() for _ in range(5)) for _ in range(n)]


def learned(folder: Path, order: int | str = 3, held_out: float = 0.2, **params: Any) -> Path:
    """A finished model in `folder`, of made-up texts, whose corpus is gone."""
    settings = NgramSettings(order, max_iter=16, samples=4, random_state=5, **{"min_count": 2, **params})
    analysis, rule = NGRAMS.reads_texts_by(settings)
    texts = folder / "texts.jsonl"
    lines = ({"id": f"d{i}", "text": text} for i, text in enumerate(made_up_texts()))
    texts.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    corpus = Corpus.build([texts], folder / "corpus", analysis=analysis, rule=rule)
    begin(NGRAMS, settings, corpus, folder / "model", held_out=held_out, corpus_inside=True)
    resume(folder / "model", every=600.0, threads=1)
    assert not (folder / "model" / "corpus").exists()
    return folder / "model"


@pytest.fixture(scope="module", params=KINDS)
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned(tmp_path_factory.mktemp(request.param), KINDS[request.param])


@pytest.fixture(scope="module")
def trigrams(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned(tmp_path_factory.mktemp("model"))


@pytest.fixture
def estimator(path: Path) -> NgramLearned:
    found = load(path)
    assert isinstance(found, NgramLearned)
    return found


# Records against a model, by brute force


def seated(model: NgramLearned, sample: int = -1) -> dict[tuple[str, ...], Counter[str]]:
    """Customers of each word in each context of a sample; the farthest word comes first."""
    held = model.model
    n, names = held.contexts.n_words, model.words
    words: list[tuple[str, ...]] = [()]
    for key in held.contexts.restaurant_keys.tolist():
        far = key % n
        words.append(("<s>" if far == model.numbers.end else names[far], *words[key // n]))
    found: dict[tuple[str, ...], Counter[str]] = {}
    for key, customers in zip(held.contexts.slot_keys.tolist(), held.customers[sample].tolist(), strict=True):
        if customers:
            found.setdefault(words[key // n], Counter())[names[key % n]] += customers
    return found


def probability(model: NgramLearned, context: tuple[str, ...], word: str) -> float:
    numbers = [model.numbers.end if each == "<s>" else model.words.index(each) for each in context]
    p = model.model.next_words(numbers, np.exp(model.base.log_p))
    return float(p[model.words.index(word)])


def test_discounts_are_means_and_ranges_over_samples(estimator: NgramLearned) -> None:
    rows = context_lengths(estimator)
    assert [row.length for row in rows] == list(range(estimator.model.longest + 1))
    for row in rows:
        for spread, values in (
            (row.discount, estimator.model.discounts[:, row.length]),
            (row.concentration, estimator.model.concentrations[:, row.length]),
        ):
            assert (spread.least, spread.most) == (values.min(), values.max())
            assert spread.mean == pytest.approx(values.mean())


def test_every_word_stops_at_one_length(estimator: NgramLearned) -> None:
    rows = context_lengths(estimator)
    texts = [text for i, text in enumerate(made_up_texts()) if share_of(f"d{i}") >= 0.2]
    n_words = sum(len(text.split()) for text in texts) + 5 * len(texts)  # with the ends of sentences
    assert sum(row.words.mean for row in rows) == pytest.approx(n_words)
    if estimator.facts.settings.order == 3:  # before the first word stands the mark alone
        exactly = [0, 5 * len(texts), n_words - 5 * len(texts)]
        assert [(row.words.least, row.words.most) for row in rows] == [(n, n) for n in exactly]


def test_the_longest_contexts_are_those_with_customers(estimator: NgramLearned) -> None:
    shown, seats = longest_contexts(estimator), seated(estimator)
    sizes = {words: counter.total() for words, counter in seats.items() if words and "<unk>" not in words}
    for row in shown:
        assert sizes[tuple(row.words)] == row.customers
        for word, p in row.following:
            assert p == pytest.approx(probability(estimator, tuple(row.words), word))
        ps = [p for _, p in row.following]
        assert ps == sorted(ps, reverse=True)
    order = [(-len(row.words), -row.customers) for row in shown]
    assert order == sorted(order)
    longest = max(map(len, sizes))
    fullest = sorted((n for words, n in sizes.items() if len(words) == longest), reverse=True)
    first = [row.customers for row in shown if len(row.words) == longest]
    assert first == fullest[:MOST_ROWS]
    tuples = [tuple(row.words) for row in shown]
    assert not any(a != b and a[len(a) - len(b) :] == b for a in tuples for b in tuples if len(a) > len(b))


def test_contexts_with_one_way_on_are_found(estimator: NgramLearned) -> None:
    ways: dict[tuple[str, ...], tuple[str, int]] = {}
    for words, counter in seated(estimator).items():
        (word, most), *_ = counter.most_common(1)
        unknown = "<unk>" in (*words, word)
        if len(words) < 2 or unknown or counter.total() < LEAST_CUSTOMERS:
            continue
        if most >= LEAST_SHARE * counter.total() and probability(estimator, words, word) >= LEAST_P:
            ways[words] = word, counter.total()
    wanted = {
        words: way
        for words, way in ways.items()
        if not any(ways.get(words[i:], ("", 0))[0] == way[0] for i in range(1, len(words) - 1))
    }
    shown = {tuple(row.words): (row.following[0][0], row.customers) for row in expressions_of(estimator)}
    assert shown.items() <= wanted.items()
    assert len(shown) == min(len(wanted), MOST_ROWS)
    assert shown[("as", "well")][0] == "as"
    assert shown[("in", "addition")][0] == "to"
    order = [row.customers for row in expressions_of(estimator)]
    assert order == sorted(order, reverse=True)
    for row in expressions_of(estimator):
        word, p = row.following[0]
        assert p == pytest.approx(probability(estimator, tuple(row.words), word))


def test_a_model_without_contexts_has_no_table_of_them(tmp_path: Path) -> None:
    page = language_page_of(learned(tmp_path, 1), "t")
    assert page.report.longest == page.report.expressions == []
    assert [row.length for row in page.report.lengths] == [0]
    ids = {a.get("id") for _, a in Elements(page.html()).tags}
    assert not ids & {"expressions", "longest"}
    assert {"sentences", "lengths", "learning"} <= ids


def test_curves_are_perplexities_and_else_the_joint_score() -> None:
    first = {"pass": 1, "held_out": -2.0, "perplexity": 30.0, "score": -9.0}
    records = [first, {"pass": 2}, {"pass": 3, "held_out": -1.0, "perplexity": float("nan")}]
    held_out, text = curves_of(records)
    assert held_out.points == [(1, pytest.approx(math.exp(2.0))), (3, pytest.approx(math.e))]
    assert text.points == [(1, 30.0)]
    (joint,) = curves_of([{"pass": 1, "score": -3.0}, {"pass": 2, "score": -2.0}])
    assert (joint.kind, joint.points[1]) == ("joint", (2, pytest.approx(math.exp(2.0))))
    assert curves_of([{"pass": 1, "score": -1e9}, {"pass": 2, "perplexity": 0.0}]) == []


# Sentences


def test_sentences_are_those_held_out_and_have_the_models_scores(path: Path) -> None:
    page, model = language_page_of(path, "t"), load(path)
    assert isinstance(model, NgramLearned)
    assert page.report.saved_sentences.held_out
    assert 0 < len(page.report.saved_sentences.rows) <= LIMIT
    texts = dict(zip((f"d{i}" for i in range(60)), made_up_texts(), strict=True))
    for row in page.report.saved_sentences.rows:
        text = " ".join(row.tokens) + "."
        corpus = Corpus.from_texts([text], analysis=model.analysis, vocabulary=model.vocabulary)
        (scores,) = model.scores(corpus)
        assert " ".join(row.tokens) in texts[row.id].lower()
        assert row.bits == pytest.approx((-scores.nats / math.log(2.0)).tolist())
        assert list(row.known) == scores.known[:-1].tolist()


def test_without_held_out_documents_they_are_of_the_text(tmp_path: Path) -> None:
    page = language_page_of(learned(tmp_path, held_out=0.0), "t")
    assert len(page.report.saved_sentences.rows) == LIMIT
    assert not page.report.saved_sentences.held_out
    assert "less surprising" in made_up.all_text(page)


def test_the_same_run_draws_the_same_sentences(tmp_path: Path, trigrams: Path) -> None:
    again = learned(tmp_path)
    assert (again / "documents.parquet").read_bytes() == (trigrams / "documents.parquet").read_bytes()


@pytest.mark.parametrize("unknown", ["symbol", "spelled"])
def test_words_that_are_not_known_are_marked(tmp_path: Path, unknown: str) -> None:
    path = learned(tmp_path, held_out=0.0 if unknown == "symbol" else 0.2, unknown=unknown, min_count=70)
    page = language_page_of(path, "t")
    marked = [token for token in made_up.tokens_in(page) if "u" in token.style]
    if unknown == "symbol":
        assert any(not known for row in page.report.saved_sentences.rows for known in row.known)
        assert any("not known, <unk>" in token.note for token in marked)
    else:
        assert page.report.spelled
        assert "not known, so by its letters" in made_up.all_text(page)


def test_a_model_made_in_python_says_why_it_has_no_sentences(tmp_path: Path) -> None:
    model = NgramModel(2, min_count=1, max_iter=4, random_state=0).fit(made_up_texts(10))
    model.save(tmp_path / "m")
    page = language_page_of(tmp_path / "m", "t")
    assert not page.report.saved_sentences.rows
    assert "This model keeps no sentences" in made_up.all_text(page)
    assert made_up.views_in(page.payload, "MarkedText") == []


def change(rows: list[dict[str, Any]], wrong: str) -> list[dict[str, Any]]:
    first = dict(rows[0])
    first |= {
        "positive": {"nats": [0.5] * len(first["nats"])},
        "not a number": {"nats": [float("nan")] * len(first["nats"])},
        "too few": {"nats": first["nats"][:1]},
        "others known": {"known": first["known"][1:]},
        "nothing": {"tokens": None},
        "no id": {"id": None},
        "too many words": {"tokens": ["a"] * 100, "known": [True] * 100, "nats": [-1.0] * 101},
    }.get(wrong, {})
    return [first, *rows[1:]] if wrong != "too many rows" else rows * 50


@pytest.mark.parametrize(
    "wrong",
    [
        *("positive", "not a number", "too few", "others known", "nothing", "no id", "too many words"),
        *("too many rows", "a column", "no figures", "other figures", "no file of tables"),
    ],
)
def test_damaged_sentences_are_refused_by_name(trigrams: Path, tmp_path: Path, wrong: str) -> None:
    model = damaged(trigrams, tmp_path / "m", wrong, change, {"held_out": 3})
    with pytest.raises(UserError, match=re.escape("documents.parquet")):
        language_page_of(model, "t")


# The program


def test_the_program_writes_page_and_figures(cli, trigrams: Path, tmp_path: Path) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    pytest.importorskip("resvg_py", reason="resvg-py is not installed")
    page = tmp_path / "r.html"
    done = cli("report", trigrams, "--out", page, "--figures", tmp_path / "f", "--title", "A title", "--json")
    names = {"discounts", "concentrations", "perplexity-held-out"}
    found = json.loads(done.stdout)
    assert names <= {Path(name).stem for name in found["files"]}
    assert sorted(found["files"]) == sorted(file.name for file in (tmp_path / "f").iterdir())
    html = page.read_text(encoding="utf-8")
    assert '<h1 dir="auto">A title</h1>' in html
    assert len(html) < 400_000


@pytest.mark.parametrize("option", ["--date-field", "--group-field", "--language", "--compare"])
def test_options_for_topics_are_refused_in_one_line(cli, trigrams: Path, tmp_path: Path, option: str) -> None:
    done = cli("report", trigrams, "--out", tmp_path / "r.html", option, tmp_path, code=1)
    (line,) = done.stderr.strip().splitlines()
    assert f"{option} does not apply to a model of the kind NgramModel" in line
    assert not (tmp_path / "r.html").exists()


def test_only_finished_language_models_have_such_a_page(model: Path, trigrams: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a language model"):
        language_page_of(model, "t")
    with pytest.raises(UserError, match="does not apply to a model of the kind"):
        page_of(trigrams, "t")
    settings = NgramSettings(2, min_count=1, random_state=0)
    analysis, rule = NGRAMS.reads_texts_by(settings)
    corpus = Corpus.from_texts(made_up_texts(5), analysis=analysis, rule=rule).write(tmp_path / "c")
    begin(NGRAMS, settings, corpus, tmp_path / "m")
    with pytest.raises(UserError, match="is still learning"):
        language_page_of(tmp_path / "m", "t")


def test_facts_say_what_was_learned(path: Path) -> None:
    page, model = language_page_of(path, "A title"), load(path)
    assert isinstance(model, NgramLearned)
    facts = dict(page.facts)
    assert facts["documents"] == "60"
    assert facts["samples"] == "4"
    assert facts["contexts kept"] == f"{model.model.n_contexts:,}"
    assert float(str(facts["held-out perplexity"])) == pytest.approx(
        math.exp(-model.facts.trace[-1]["held_out"]), rel=0.01
    )
    settings = dict(page.settings)
    assert settings["seed"] == "5"
    assert settings["order"] == str(model.facts.settings.order)


# The page


def page_with(title: str, **fields: Any) -> Page:
    known = {
        "saved_sentences": SavedSentences(),
        "expressions": [],
        "longest": [],
        "lengths": [],
        "curves": [],
    }
    return made_up.page_of(
        LanguageReport, title, **{"counts_stops": False, "spelled": False, **known, **fields}
    )


def bare() -> Page:
    return made_up.page_of(LanguageReport, "Nothing yet", sections=())


def hostile() -> Page:
    """Markup, quotes, lone surrogates, control characters and overrides of direction everywhere."""
    n = len(HOSTILE)
    wrong = Spread(float("nan"), float("inf"), 1.0)
    fine = Spread(0.5, 0.4, 0.6)
    rows = [ContextRow([text, "b"], 7, [(text, 0.9), ("c", 0.01)]) for text in HOSTILE]
    return page_with(
        HOSTILE[0],
        subtitle=" ".join(HOSTILE[:-1]),
        facts=[(text, text) for text in HOSTILE],
        settings=[(text, text) for text in HOSTILE],
        curves=[LearningCurve("text", HOSTILE[0], [(1, 30.0), (2, 20.0)])],
        lengths=[LengthRow(0, fine, fine, fine), LengthRow(1, wrong, fine, fine)],
        counts_stops=True,
        longest=rows,
        expressions=rows,
        saved_sentences=SavedSentences(
            [
                SentenceRow(text, HOSTILE, [k % 2 == 0 for k in range(n)], [1.5 * k for k in range(n + 1)])
                for text in HOSTILE
            ]
        ),
    )


PAGES = {"hostile": hostile, "bare": bare}


@pytest.mark.parametrize("name", PAGES)
def test_nothing_leaves_its_place(name: str) -> None:
    elements = refuse_what_leaves_its_place(PAGES[name]().html())
    (policy,) = [a["content"] or "" for t, a in elements.tags if t == "meta" and a.get("http-equiv")]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")


def test_hostile_words_are_shown_as_text() -> None:
    text = made_up.all_text(hostile())
    assert "</script><script>window.hacked=1</script>" in text
    assert "<img src=x onerror=window.hacked=1>" in text
    assert "nul\ufffdesc\ufffd[31mbell\ufffd\ufffd" in text
    assert "x" * 59 + "…" in text


def test_sections_without_data_are_left_out(path: Path) -> None:
    whole = {a.get("id") for _, a in Elements(language_page_of(path, "t").html()).tags}
    assert whole >= SECTIONS
    assert not {a.get("id") for _, a in Elements(bare().html()).tags} & SECTIONS


def test_shades_follow_the_bits() -> None:
    bits = [0.0, 1.99, 2.0, 7.0, 10.9, 11.0, 50.0]
    row = SentenceRow("d", list("abcdef"), [True] * 6, bits)
    tokens = made_up.tokens_in(page_with("t", saved_sentences=SavedSentences([row])))
    levels = [token.level for token in tokens]
    assert levels == [sum(b >= level for level in LEVELS) for b in bits] == [0, 0, 1, 2, 3, 4, 5]
    assert [token.note for token in tokens][2:4] == ["2.0 bits", "7.0 bits"]
    assert tokens[-1].note == "the end of the sentence: 50.0 bits"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_are_legible_on_every_shade(scheme: str) -> None:
    found = re.findall(r":root \{(.*?)\}", bare().style().partition("/* Views")[2], re.DOTALL)
    light, dark = (dict(re.findall(r"--(s\d): (#[0-9a-f]{6});", each)) for each in found[:2])
    shades, ink = (light if scheme == "light" else dark), palette(scheme)["ink"]
    contrasts = [contrast(ink, shades[f"s{level}"]) for level in range(1, 6)]
    assert min(contrasts) >= 4.5
    assert all(more > less for more, less in pairwise(contrasts))  # in grey, too, more is more


def test_figures_are_drawn_without_a_browser(path: Path) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    page = language_page_of(path, "t")
    drawn = figures(page)
    names = {"discounts", "concentrations", "perplexity-held-out"}
    assert set(drawn) - {"perplexity-text"} == names | (
        {"context-lengths"} if page.report.counts_stops else set()
    )
    for name, svg in {**drawn, **figures(hostile())}.items():
        assert not re.search(r"var\(|currentColor|NaN|undefined", svg), name
        circles = [e for e in ElementTree.fromstring(svg).iter() if e.tag.endswith("circle")]
        assert len(circles) >= (len(page.report.lengths) if name == "discounts" and svg == drawn[name] else 0)
    assert figures(bare()) == {}


# In a browser


@pytest.mark.smoke
@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
@pytest.mark.parametrize("name", ["learned", *PAGES])
def test_opens_quietly_and_fits_the_screen(
    browser: Any, tmp_path: Path, trigrams: Path, name: str, width: int, scheme: str
) -> None:
    content = language_page_of(trigrams, "t") if name == "learned" else PAGES[name]()
    seen = Opened(browser, tmp_path / "r.html", content, width, scheme)
    assert seen.troubles == []
    assert seen.page.evaluate("typeof window.hacked") == "undefined"


@pytest.mark.browser
def test_numbers_can_be_shown_and_charts_follow_the_width(browser: Any, tmp_path: Path, path: Path) -> None:
    content = language_page_of(path, "Another")
    seen = Opened(browser, tmp_path / "r.html", content, 1280, "light")
    first = seen.page.locator(".sentence .bits").first
    assert not first.is_visible()
    seen.page.locator(".numbers input").check()
    assert first.is_visible()
    assert first.inner_text() == f"{content.report.saved_sentences.rows[0].bits[0]:.1f}"
    charts = seen.page.locator("#lengths .row svg")
    assert charts.count() == (3 if content.report.counts_stops else 2)
    assert "1: " in charts.first.get_attribute("aria-label")
    before = charts.first.bounding_box()["width"]
    seen.page.set_viewport_size({"width": 500, "height": 900})
    seen.page.wait_for_timeout(600)
    assert charts.first.bounding_box()["width"] not in (before, 0)
    assert seen.page.locator("#learning circle").count() > 2
    assert seen.troubles == []
