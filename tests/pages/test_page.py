"""A kind that shared code has never seen says what its page is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.estimators.toy_kind import MIXTURE, Mixture
from tests.pages.toy_page import words_page

from stickbreaker import UserError, load
from stickbreaker.estimators.kinds import kinds, page_of_saved
from stickbreaker.pages.figures import figures

HOSTILE = "<b>bold\x00\n</script>"


def mixture_page(path, title, language=3):
    words = load(path).vocabulary_.words[:language]
    return words_page(title, [*words, HOSTILE])


@pytest.fixture
def saved(monkeypatch, texts, tmp_path):
    kind = replace(
        MIXTURE,
        verbs=("evaluate", "report"),
        page="tests.pages.test_page:mixture_page",
        page_options=("language",),
    )
    monkeypatch.setitem(kinds(), kind.name, kind)
    Mixture(2, random_state=0).fit(texts).save(tmp_path / "m")
    return tmp_path / "m"


def test_a_kind_has_a_page_of_its_own(saved, cli, tmp_path):
    cli("report", saved, "--out", tmp_path / "r.html", "--title", "A & B")
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert html == page_of_saved(saved, "A & B", {}).html() == Mixture.load(saved).report(title="A & B").html
    assert "<title>A &amp; B</title>" in html
    assert "4 components" in html
    assert "\\u003cb\\u003ebold\N{REPLACEMENT CHARACTER} \\u003c/script\\u003e" in html
    assert "</script>" not in html.split('id="data">')[1].split("</script>")[0]


def test_an_option_is_taken_or_refused(saved):
    assert "2 components" in page_of_saved(saved, "t", {"language": 1, "compare": None}).html()
    with pytest.raises(UserError, match="compare does not apply to a model of the kind Mixture"):
        page_of_saved(saved, "t", {"compare": saved})


def test_its_figures_are_drawn_without_a_browser():
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    (drawn,) = figures(words_page("t", ["river", "boat"])).values()
    assert ">river</text>" in drawn
    assert ">boat</text>" in drawn
