"""What the reproductions of the papers reckon by themselves, and that their claims are backed."""

import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from stickbreaker import Corpus
from tests.running import planted_documents

pytestmark = pytest.mark.usefixtures("reproduction")


def test_the_tests_that_the_table_of_features_names_exist():
    from reproduce.features import COLUMNS, OURS, PEERS, Claim, not_found

    assert not_found(OURS) == []
    assert tuple(OURS) == COLUMNS
    assert {len(cells) for cells in PEERS.values()} == {len(COLUMNS)}
    lost = Claim("no", ("tests/test_reproduce.py::test_that_nobody_wrote", "tests/nowhere.py::test"))
    assert not_found({"x": lost}) == list(lost.tests)


def test_parts_are_disjoint_and_whole():
    from reproduce.texts import cut

    parts = cut(list("abcdefghij"), 0.2, 0.1)
    assert [len(part) for part in parts] == [2, 1, 7]
    assert sorted("".join(map("".join, parts))) == list("abcdefghij")
    assert parts == cut(list("abcdefghij"), 0.2, 0.1)


def test_missing_corpora_are_told_and_their_part_is_left_out(monkeypatch, tmp_path, capsys):
    from reproduce import mr_lda, texts
    from reproduce.parts import main

    monkeypatch.setattr(texts, "DATA", tmp_path / "nowhere")
    monkeypatch.setattr(sys, "argv", ["mr_lda.py", "features", "guided", "--out", str(tmp_path / "out")])
    main(mr_lda.STUDY, mr_lda.__doc__)
    told = capsys.readouterr().out
    assert f"MISSING: AP: {tmp_path / 'nowhere/ap/ap.jsonl.gz'} does not exist" in told
    assert "left out: guided\nfeatures: about 0 minutes" in told
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "mr-lda.html",
        "mr-lda.json",
        "mr-lda.md",
    ]
    monkeypatch.setattr(sys, "argv", ["mr_lda.py", "guided", "--out", str(tmp_path / "none")])
    with pytest.raises(SystemExit, match="nothing to do"):
        main(mr_lda.STUDY, mr_lda.__doc__)
    assert not (tmp_path / "none").exists()


def test_hybrid_inference_is_set_beside_the_others(monkeypatch, capsys):
    from reproduce import curves, hybrid

    monkeypatch.setattr(curves, "texts", lambda _: [one["text"] for one in planted_documents(60)])
    monkeypatch.setattr(hybrid, "TOPICS", (3,))
    monkeypatch.setattr(hybrid, "STEPS", {"mean-field": 3, "hybrid": 3, "gibbs": 4})
    data = hybrid.measure(full=False)
    runs = [hybrid.HybridRun(*one) for one in data["runs"]]
    assert [one.inference for one in runs] == ["mean-field", "hybrid", "gibbs"]
    assert all(0.0 < one.step < one.seconds for one in runs)
    assert all(-6.0 < one.completion < 0.0 for one in runs)
    table, claims = hybrid.section(data).blocks[1:3]
    assert len(table.rows) == 1
    assert claims.rows[0][1].endswith("of 1 numbers of topics")
    assert "K = 3, gibbs, seed 0" in capsys.readouterr().out


def test_unlinked_pages_keep_their_texts():
    from reproduce.polylingual import unlinked

    pages = [{"en": f"e{n}", "de": f"d{n}"} for n in range(8)]
    parts = unlinked(pages, 0.25, seed=0)
    assert [len(part) for part in parts].count(2) == 2
    assert len(parts) == 2 + 2 * 6
    assert sorted(text for part in parts for text in part.values()) == sorted(
        text for page in pages for text in page.values()
    )


def test_one_vocabulary_has_the_same_counts_without_languages():
    from reproduce.polylingual import one_vocabulary

    both = Corpus.from_texts([{"en": "house house", "de": "haus"}, {"en": "tree", "de": "baum haus"}])
    joined = one_vocabulary(both)
    assert joined.vocabulary.languages == ()
    assert joined.vocabulary.words == both.vocabulary.words
    for one, other in zip(joined.bags(0)[:3], both.bags(0)[:3], strict=True):
        np.testing.assert_array_equal(one, other)


def test_alpha_starts_where_it_is_told_and_moves_only_when_learned():
    from reproduce.curves import FIXED, LEARNED, Curve, follow

    train = Corpus.from_texts(["a river bank", "bank money loan", "river water", "loan money"] * 5)
    test = Corpus.from_texts(["river water bank", "loan bank money"], vocabulary=train.vocabulary)
    fixed = follow(train, test, Curve("toy", 3, FIXED, 0, 50.0), passes=2)
    assert fixed.alpha_end == pytest.approx(50.0)
    assert (fixed.at, len(fixed.completion), len(fixed.bound)) == ([2], 1, 1)
    learned = follow(train, test, Curve("toy", 3, LEARNED, 0, 50.0), passes=1)
    assert learned.alpha_end != pytest.approx(50.0)
    small = follow(train, test, Curve("toy", 3, LEARNED, 0, 0.3), passes=1)
    assert small.alpha_end < learned.alpha_end / 5  # one step from another start goes to another place


def test_every_category_of_the_thesis_has_a_pair():
    from reproduce.guided import PAIRS
    from reproduce.paper import GUIDED

    assert tuple(PAIRS) == tuple(GUIDED)


def test_ticks_are_round_and_inside():
    from reproduce.chart import ticks

    for low, high in ((0.0, 37.2), (-7.61, -7.05), (0.0, 0.004), (3.0, 3.0)):
        found = ticks(low, high)
        assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in found)
        assert len(found) <= 7


def test_hostile_text_is_text():
    from reproduce.chart import Line
    from reproduce.pages import Chart, Link, Section, Table, markdown, page

    bad = "</svg><script>alert(1)</script> & |"
    chart = Chart(bad, bad, bad, [Line(bad, [0.0, 1.0], [-8.0, -7.0])], (bad, -9.0))
    section = Section(bad, [bad, Table((bad,), [[bad], [Link(bad, "https://example.org/?a=1&b=2")]]), chart])
    html = page(bad, [bad], [section])
    assert "<script" not in html
    assert html.count("&lt;script&gt;") >= 8
    text = markdown(bad, [bad], [section])
    assert "| </svg><script>alert(1)</script> & \\| |" in text
    drawing = html[html.index("<svg viewBox") : html.rindex("</svg>") + 6]
    ElementTree.fromstring(drawing)  # well-formed
