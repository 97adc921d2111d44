"""The report of a grammar: its records against the model, what it refuses, and the page in a browser."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.pages import made_up
from tests.pages.elements import Elements
from tests.pages.opened import Opened, refuse_what_leaves_its_place
from tests.topics.report.report_pages import HOSTILE

from stickbreaker import AdaptorGrammar
from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Field
from stickbreaker.estimators.model_files import load
from stickbreaker.grammars.learned import GrammarLearned
from stickbreaker.grammars.model.grammar import Grammar
from stickbreaker.grammars.report.grammar_page import GrammarReport, grammar_page_of
from stickbreaker.grammars.report.learning import ScoreCurve, ScoreLine, curves_of
from stickbreaker.grammars.report.remembered_subtrees import AdaptedSymbol, SubtreeRow
from stickbreaker.grammars.report.rules import MOST_ALTERNATIVES, RuleRow, rules_of
from stickbreaker.grammars.report.segmented_sentences import LEVELS, LIMIT, Piece, SegmentedSentence
from stickbreaker.grammars.report.sentence_trees import DrawnTree, TreeNode
from stickbreaker.grammars.report.subtree_evolution import Turnover
from stickbreaker.ngrams.report.language_page import language_page_of
from stickbreaker.pages.changes import Changes, Wording
from stickbreaker.pages.figures import figures
from stickbreaker.pages.page import Page
from stickbreaker.saved import ModelDirectory

SECTIONS = {"sentences", "memory", "trees", "learning", "grammar", "making"}
TEXTS = [
    f"{one}{two}{three}" for one in ("the", "a") for two in ("dog", "cat", "bird") for three in ("sat", "ran")
]
WILD = ["</script>", "<b>", '"', "'", "&amp;", "\u202eabc", "שלום", "-LRB-", "(", "{{x}}"]
UNADAPTED = "1 1 S --> A S\n1 1 S --> A\n1 1 A --> a\n1 1 A --> b"
LEARNED: dict[str, tuple[Any, list[str], dict[str, Any]]] = {
    "unigram": ("unigram", 4 * TEXTS, {"chains": 2}),
    "collocation": ("collocation", 4 * TEXTS, {}),
    "morphology": ("morphology", ["walking", "walked", "talking", "talked", "walks", "talks"] * 3, {}),
    "topic": (
        "topic",
        ["dog cat dog bird", "sum term factor sum", "cat bird dog", "factor term sum"],
        {"n_topics": 2},
    ),
    "wild": ("unigram", [" ".join(WILD[i:] + WILD[:i]) for i in range(len(WILD))] * 2, {"symbols": "spaced"}),
    "unadapted": (UNADAPTED, ["abab", "aab", "b"] * 3, {}),
    "skipping": (UNADAPTED, ["abab", "aab", "xyz"] * 3, {"unparsed": "skip"}),
}


def learned(folder: Path, name: str) -> Path:
    """A saved grammar of one of the texts above."""
    grammar, texts, params = LEARNED[name]
    model = AdaptorGrammar(grammar, max_iter=8, random_state=3, **params).fit(texts)
    model.save(folder / name)
    return folder / name


@pytest.fixture(scope="module", params=LEARNED)
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned(tmp_path_factory.mktemp("grammars"), request.param)


@pytest.fixture(scope="module")
def unigram(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned(tmp_path_factory.mktemp("one"), "unigram")


def what_was_learned(path: Path) -> GrammarLearned:
    found = load(path)
    assert isinstance(found, GrammarLearned)
    return found


def with_params(learned: GrammarLearned, **changed: Field) -> GrammarLearned:
    params = {**learned.params, **changed}
    return replace(learned, params=params, model=replace(learned.model, params=params))


# Records against a model


def test_symbols_have_their_subtrees(path: Path) -> None:
    page, model = grammar_page_of(path, "t"), what_was_learned(path).model
    assert [one.name for one in page.report.symbols] == list(model.symbols)
    for i, one in enumerate(page.report.symbols):
        subtrees = model.subtrees(one.name)
        assert one.subtrees == len(subtrees) == sum(one.lengths)
        assert one.customers == sum(each.customers for each in subtrees)
        assert (one.discount, one.concentration) == (model.discounts[i], model.concentrations[i])
        for length, n in enumerate(one.lengths):
            assert n == sum(len(each.text) == length for each in subtrees)
        customers = sorted((each.customers for each in subtrees), reverse=True)
        assert [row.customers for row in one.most_used] == customers[: len(one.most_used)]
        assert all(customers[rank - 1] == n for rank, n in one.ranked)
        lengths = sorted((len(each.text) for each in subtrees), reverse=True)
        assert [row.length for row in one.longest] == lengths[: len(one.longest)]


def test_pieces_make_up_their_sentences(path: Path) -> None:
    page, model = grammar_page_of(path, "t"), what_was_learned(path).model
    uses: dict[str, int] = {}
    for one in model.subtrees(page.report.piece) if page.report.piece in model.symbols else []:
        uses[model.join(one.text)] = uses.get(model.join(one.text), 0) + one.customers
    letters, lengths = (np.asarray(model.params[name].values) for name in ("letters", "lengths"))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    for row in page.report.sentences:
        own = letters[starts[row.number - 1] : starts[row.number]]
        whole = model.join([model.compiled.terminals[letter] for letter in own])
        texts = [model.join(one.parts) for one in row.pieces]
        assert model.join(texts) == whole
        assert [one.customers for one in row.pieces] == [uses.get(text, 0) for text in texts]
        assert all(0.5 <= one.sure <= 1.0 and len(one.inside) == len(one.parts) - 1 for one in row.pieces)
    assert len(page.report.sentences) <= LIMIT
    assert bool(page.report.sentences) != bool(page.report.no_sentences)


def test_pieces_are_those_of_segment(unigram: Path) -> None:
    page, model = (
        grammar_page_of(unigram, "t"),
        AdaptorGrammar("unigram", chains=2, max_iter=8, random_state=3),
    )
    model.fit(LEARNED["unigram"][1])
    shown = [["".join(one.parts) for one in row.pieces] for row in page.report.sentences]
    assert len(shown) == len(TEXTS)
    assert shown == model.segment(["".join(pieces) for pieces in shown])
    assert (page.report.piece, page.report.samples) == ("Word", int(model.learned_.params["kept"].values))


def test_trees_are_the_best_ones(unigram: Path) -> None:
    page = grammar_page_of(unigram, "t")
    model = AdaptorGrammar("unigram", chains=2, max_iter=8, random_state=3).fit(LEARNED["unigram"][1])
    assert page.report.trees
    for tree, best in zip(
        page.report.trees, model.parse([tree.text for tree in page.report.trees]), strict=True
    ):
        assert tree.brackets == best.trees[0].brackets()
        assert (tree.nats, tree.tree_nats) == pytest.approx((best.nats, best.tree_nats[0]))
        assert (tree.top.symbol, tree.top.customers) == ("Sentence", 0)
        words = [one for one in tree.top.children if isinstance(one, TreeNode)]
        assert {one.symbol for one in words} == {"Word"}
        assert "".join(str(child) for one in words for child in one.children) == tree.text


def test_chains_have_a_line_each(unigram: Path) -> None:
    curves = {curve.kind: curve for curve in grammar_page_of(unigram, "t").report.curves}
    assert [line.name for line in curves["trees"].lines] == ["chain 1", "chain 2"]
    trace = what_was_learned(unigram).facts.trace
    assert curves["trees"].lines[1].points[-1] == (8, pytest.approx(-trace[-1]["chains"][1]))
    assert curves["sentences"].lines[0].points[-1] == (8, pytest.approx(-trace[-1]["nats_per_symbol"]))


def test_what_cannot_be_drawn_is_no_point() -> None:
    trace = [{"pass": 1, "score": float("nan")}, {"pass": 2, "score": -np.inf}, {"pass": 3, "score": 1.0}]
    assert curves_of(trace) == []
    assert curves_of([]) == []


def test_without_samples_trees_are_drawn(unigram: Path) -> None:
    model = with_params(what_was_learned(unigram), kept=Field(np.array(0), (), additive=False))
    page = Page("t", GrammarReport(unigram, ModelDirectory(unigram).manifest(), model))
    assert page.report.samples == 0
    assert len(page.report.sentences) == len(TEXTS)
    assert "100 trees" in made_up.all_text(page)


def test_grammars_without_pieces_say_why(tmp_path: Path) -> None:
    topic = grammar_page_of(learned(tmp_path, "topic"), "t")
    assert "single words" in topic.report.no_sentences
    assert [one.name for one in topic.report.symbols] == ["Topic1", "Topic2", "Word"]
    unadapted = grammar_page_of(learned(tmp_path, "unadapted"), "t")
    assert unadapted.report.symbols == []
    assert "No symbol" in unadapted.report.no_sentences
    assert {tree.top.symbol for tree in unadapted.report.trees} == {"S"}
    assert grammar_page_of(learned(tmp_path, "morphology"), "t").report.piece != "Word"


def test_facts_say_what_was_learned(tmp_path: Path) -> None:
    facts = dict(grammar_page_of(learned(tmp_path, "skipping"), "t").facts)
    assert (facts["sentences"], facts["sentences skipped"], facts["adapted symbols"]) == ("6", "3", "0")
    assert facts["symbols in them"] == "21"


def test_rules_are_by_symbol() -> None:
    grammar = Grammar.from_text(
        '@ W * 1 0.5\nS -> W S | W [2]\nW -> "a" | "\\"" | \'b\'\n'.replace('"\\""', "'\"'")
    )
    assert rules_of(grammar) == [
        RuleRow("S", False, ["W S", "W [2]"]),
        RuleRow("W", True, ['"a"', "'\"'", '"b"']),
    ]
    many = Grammar.from_text("\n".join(f'S -> "a{i}"' for i in range(MOST_ALTERNATIVES + 3)))
    assert rules_of(many)[0].more == 3


@pytest.mark.parametrize("wrong", ["letters", "lengths", "cuts"])
def test_damaged_sentences_are_refused(unigram: Path, wrong: str) -> None:
    model = what_was_learned(unigram)
    values = np.asarray(model.params[wrong].values)
    changed = values[..., 1:] if wrong == "cuts" else values + 1000
    model = with_params(model, **{wrong: model.params[wrong]._replace(values=changed)})
    with pytest.raises(ValueError, match=r"another|other|end"):
        Page("t", GrammarReport(unigram, ModelDirectory(unigram).manifest(), model))


# The program


def test_the_program_writes_page_and_figures(cli, unigram: Path, tmp_path: Path) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    pytest.importorskip("resvg_py", reason="resvg-py is not installed")
    page = tmp_path / "r.html"
    done = cli("report", unigram, "--out", page, "--figures", tmp_path / "f", "--title", "A title", "--json")
    found = json.loads(done.stdout)
    assert {Path(name).stem for name in found["files"]} == {
        "ranks",
        "lengths-1",
        "nats-trees",
        "nats-sentences",
    }
    html = page.read_text(encoding="utf-8")
    assert '<h1 dir="auto">A title</h1>' in html
    assert len(html) < 400_000


def test_options_for_topics_are_refused(cli, unigram: Path, tmp_path: Path) -> None:
    done = cli("report", unigram, "--out", tmp_path / "r.html", "--date-field", "d", code=1)
    assert "--date-field does not apply to a model of the kind AdaptorGrammar" in done.stderr


def test_only_grammars_have_such_a_page(model: Path, unigram: Path) -> None:
    with pytest.raises(UserError, match="is not a grammar"):
        grammar_page_of(model, "t")
    with pytest.raises(UserError, match="is not a language model"):
        language_page_of(unigram, "t")


# The page


def page_with(title: str, **fields: Any) -> Page:
    rows = {name: [] for name in ("curves", "symbols", "turnovers", "sentences", "trees", "rules")}
    known = {"more_symbols": 0, "changes": None, "piece": None, "samples": 0, "no_sentences": ""}
    return made_up.page_of(GrammarReport, title, **{"expected": False, **rows, **known, **fields})


def bare() -> Page:
    return made_up.page_of(GrammarReport, "Nothing yet", sections=())


def hostile() -> Page:
    """Markup, quotes, lone surrogates, control characters and overrides of direction everywhere."""
    rows = [SubtreeRow(text, 3, 7, 2) for text in HOSTILE]
    wrong = float("nan")
    node = TreeNode(HOSTILE[0], [*HOSTILE, TreeNode(HOSTILE[1], HOSTILE[2:], 3)])
    pieces = [Piece([text, text], [0.3], 0.7, i % 2, i % 2) for i, text in enumerate(HOSTILE)]
    return page_with(
        HOSTILE[0],
        subtitle=" ".join(HOSTILE[:-1]),
        facts=[(text, text) for text in HOSTILE],
        settings=[(text, text) for text in HOSTILE],
        curves=[ScoreCurve("trees", HOSTILE[0], [ScoreLine(text, [(1, 3.0), (2, 2.0)]) for text in HOSTILE])],
        symbols=[
            AdaptedSymbol(text, 3, 9, 4, wrong, wrong, rows, rows, [0, 1, 2] * 20, [(1, 7), (2, 2)])
            for text in HOSTILE
        ],
        more_symbols=2,
        changes=Changes(
            moments=[(1, 10, HOSTILE[0]), (2, 20, "")],
            wordings=[
                Wording(
                    [{text: i + 1 for i, text in enumerate(HOSTILE)}, {HOSTILE[0]: 1}], [[], HOSTILE[:1]]
                ),
                None,
            ],
            vocabulary=[(1.0, 9, 9, 0), (2.0, 8, 1, 2)],
            noun="subtree",
            reads="sentence",
            of="the symbol",
        ),
        turnovers=[
            Turnover(text, [(each, 3, 2) for each in HOSTILE], [(each, 9, 1, wrong) for each in HOSTILE])
            for text in HOSTILE
        ],
        piece=HOSTILE[0],
        sentences=[SegmentedSentence(i + 1, pieces) for i in range(3)],
        no_sentences=HOSTILE[0],
        trees=[DrawnTree(1, text, -3.0, -4.0, node, text) for text in HOSTILE],
        rules=[RuleRow(text, True, HOSTILE, 2) for text in HOSTILE * 10],
    )


PAGES = {"hostile": hostile, "bare": bare}


@pytest.mark.parametrize("name", PAGES)
def test_nothing_leaves_its_place(name: str) -> None:
    refuse_what_leaves_its_place(PAGES[name]().html(), "b")


def test_learned_pages_are_whole(path: Path) -> None:
    page = grammar_page_of(path, "t")
    html = page.html()
    refuse_what_leaves_its_place(html, "b")
    ids = {attributes.get("id") for _, attributes in Elements(html).tags}
    assert ids & SECTIONS == (SECTIONS if page.report.symbols else SECTIONS - {"memory"})


def test_hostile_symbols_are_shown_as_text(tmp_path: Path) -> None:
    text = made_up.all_text(grammar_page_of(learned(tmp_path, "wild"), "t"))
    assert all(symbol in text for symbol in WILD if "\u202e" not in symbol)
    text = made_up.all_text(hostile())
    assert "</script><script>window.hacked=1</script>" in text
    assert "nul\ufffdesc\ufffd[31mbell\ufffd\ufffd" in text


def test_sections_without_data_are_left_out() -> None:
    assert not {attributes.get("id") for _, attributes in Elements(bare().html()).tags} & SECTIONS


def test_shades_follow_the_doubt() -> None:
    sure = [1.0, 0.96, 0.95, 0.85, 0.75, 0.6, 0.5]
    row = SegmentedSentence(1, [Piece(["a"], [], each, 2, 1) for each in sure])
    (view,) = made_up.views_in(page_with("t", piece="Word", sentences=[row]).payload, "MarkedText")
    tokens = [[*token, 0][1:2] + token[3:4] for token in view["lines"][0][0]]
    wanted = [sum(1.0 - each >= level - 1e-9 for level in LEVELS) for each in sure]
    assert [level for level, _ in tokens] == wanted == [0, 0, 1, 2, 3, 5, 5]
    assert tokens[0][1] == "remembered: 2 customers at 1 table; 100% sure"


def test_figures_are_drawn_without_a_browser(path: Path) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    drawn = figures(grammar_page_of(path, "t"))
    assert {"nats-trees", "nats-sentences"} <= set(drawn)
    for name, svg in {**drawn, **figures(hostile())}.items():
        assert not re.search(r"var\(|currentColor|NaN|undefined|Infinity", svg), name
        ElementTree.fromstring(svg)
    assert figures(bare()) == {}


# In a browser


@pytest.mark.smoke
@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
@pytest.mark.parametrize("name", ["learned", *PAGES])
def test_opens_quietly_and_fits_the_screen(
    browser: Any, tmp_path: Path, unigram: Path, name: str, width: int, scheme: str
) -> None:
    content = grammar_page_of(unigram, "t") if name == "learned" else PAGES[name]()
    seen = Opened(browser, tmp_path / "r.html", content, width, scheme)
    assert seen.troubles == []
    assert seen.page.evaluate("typeof window.hacked") == "undefined"


@pytest.mark.browser
def test_shares_can_be_shown_and_charts_follow_the_width(browser: Any, tmp_path: Path, unigram: Path) -> None:
    seen = Opened(browser, tmp_path / "r.html", grammar_page_of(unigram, "t"), 1280, "light")
    page = seen.page
    first = page.locator(".sentence .bits").first
    assert not first.is_visible()
    page.locator(".numbers input").check()
    assert first.is_visible()
    charts = page.locator("#memory .row svg")
    assert charts.count() == 2
    before = charts.first.bounding_box()["width"]
    page.set_viewport_size({"width": 500, "height": 900})
    page.wait_for_timeout(600)
    assert charts.first.bounding_box()["width"] not in (before, 0)
    assert page.locator("#learning svg").count() == 2
    assert seen.troubles == []
