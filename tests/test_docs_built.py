"""The built pages: without a warning, without a network, equations as MathML."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
AWAY = r"[\"']?\s*((?:https?:)?//[^\"'>\s]+)"
RELATIONS = "stylesheet|icon|shortcut icon|preload|preconnect|dns-prefetch|modulepreload|manifest"
LOADED = re.compile(
    rf"<(?:script|img|iframe|source|audio|video|embed)\b[^>]*?\b(?:src|srcset)\s*=\s*{AWAY}"
    rf"|<link\b(?=[^>]*\brel\s*=\s*[\"']?(?:{RELATIONS}))[^>]*?\bhref\s*=\s*{AWAY}",
    re.IGNORECASE,
)
STYLED = re.compile(r"@import\s+[\"']?(?:https?:)?//|url\(\s*[\"']?(?:https?:)?//", re.IGNORECASE)

pytestmark = pytest.mark.ci


@pytest.fixture(scope="module")
def built():
    """The pages that `make docs` built, in which a warning is an error."""
    out = ROOT / "build" / "docs"
    made = out / "searchindex.js"
    assert made.exists(), "make docs, before these tests"
    newest = max(page.stat().st_mtime for page in (ROOT / "docs").rglob("*.md"))
    assert made.stat().st_mtime > newest, "pages changed since make docs"
    return out


def test_no_page_fetches_anything(built):
    pages = sorted(built.rglob("*.html"))
    assert len(pages) > 100
    for page in pages:
        found = LOADED.findall(page.read_text(encoding="utf-8"))
        assert found == [], f"{page.relative_to(built)}: {found}"
    for style in built.rglob("*.css"):
        assert not STYLED.search(style.read_text(encoding="utf-8")), style.name


def test_reports_of_each_kind_are_part_of_the_docs(built):
    page = (built / "reports.html").read_text(encoding="utf-8")
    linked = set(re.findall(r'href="(reports/[^"]+)"', page))
    assert linked == {f"reports/{path.name}" for path in (built / "reports").iterdir()}
    assert len(linked) >= 10
    for name in linked - {"reports/topics.ipynb"}:
        assert "<h1" in (built / name).read_text(encoding="utf-8"), name


def test_every_model_page_has_a_picture_that_follows_the_theme(built):
    for page in (ROOT / "docs" / "models").glob("*.md"):
        text = (built / "models" / f"{page.stem}.html").read_text(encoding="utf-8")
        (label,) = re.findall(r'<svg role="img" aria-label="([^"]*)"[^>]*class="model"', text)
        assert len(label) > 40, page.name
        assert text.count("--color-foreground-primary,var(--ink)") == 1, page.name


def test_equations_are_mathml(built):
    page = (built / "explanation" / "lda-equations.html").read_text(encoding="utf-8")
    assert page.count("<math") > 100
    assert not any("mathjax" in source.lower() for source in re.findall(r'<script[^>]*src="([^"]*)', page))
    wrong = [p.name for p in built.rglob("*.html") if re.search(r"<m[io][^>]*>\\", p.read_text("utf-8"))]
    assert wrong == []


def test_docstrings_are_prose_with_parameters(built):
    page = (built / "reference" / "api" / "lda.html").read_text(encoding="utf-8")
    for said in ("Parameters", "Attributes", "Raises", "Return type", "Example"):
        assert said in page
    assert '<a class="reference internal" href="#stickbreaker.LDA.transform"' in page


def test_every_page_is_built(built):
    sources = {p.relative_to(ROOT / "docs").with_suffix(".html") for p in (ROOT / "docs").rglob("*.md")}
    assert sources <= {p.relative_to(built) for p in built.rglob("*.html")}


def test_the_patterns_see_what_is_fetched():
    for tag in (
        '<script async src="https://cdn.example/x.js">',
        '<img alt="" src="//images.example/x.png">',
        '<link rel="stylesheet" href="https://fonts.example/css">',
        '<link href="http://fonts.example/css" rel="stylesheet">',
    ):
        assert LOADED.search(tag), tag
    assert not LOADED.search('<a href="https://example.org">')
    assert STYLED.search("src: url(https://fonts.example/x.woff2)")
