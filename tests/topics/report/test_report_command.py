"""`stickbreaker report`: its options, its files, and models of every age."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.pages.made_up import views_in
from tests.running import SMALL, planted_documents

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import digest_of
from stickbreaker.saved.manifest import encoded
from stickbreaker.topics.report.topic_page import page_of


@pytest.fixture(scope="module")
def dated(cli, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of documents with dates, labels and titles."""
    directory = tmp_path_factory.mktemp("dated")
    lines = [
        {**document, "published": f"{1990 + i % 6}-05-01", "shelf": "ab"[i % 2], "title": f"Title {i}"}
        for i, document in enumerate(planted_documents(90))
    ]
    (directory / "d.jsonl").write_text("\n".join(map(json.dumps, lines)))
    cli("fit", "lda", directory / "d.jsonl", "--out", directory / "model", "--held-out", 0.2, *SMALL)
    return directory / "model"


def data_of(page: Path) -> dict:
    found = re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return json.loads(found[1])


def test_fields_are_found(dated: Path) -> None:
    page = page_of(dated, "t")
    assert page.report.times is not None
    assert (page.report.times.field, list(page.report.times.names)) == (
        "published",
        [str(y) for y in range(1990, 1996)],
    )
    assert sum(page.report.times.documents) == 90
    assert [group.field for group in page.report.groups] == ["label", "shelf"]
    assert len(page.report.document_places) == len(page.report.documents) == 90
    assert None not in page.report.document_places
    assert page.report.relations is not None
    assert sorted(page.report.relations.order) == [0, 1, 2]
    assert page.report.unigram is not None
    assert page.report.unigram_held_out is not None
    assert page.report.trace[-1].held_out is not None
    assert page.report.trace[-1].held_out > page.report.unigram_held_out  # these topics are easy to learn
    words = {row.word: row for row in page.report.words}
    assert len(words) == page.report.words_total
    river = words["river"]
    assert "river" in [word for word, _, _ in page.report.topics[river.topic].words]


def test_fields_can_be_named(cli, dated: Path, tmp_path: Path) -> None:
    options = ("--date-field", "published", "--group-field", "shelf", "--title", "A title")
    cli("report", dated, "--out", tmp_path / "r.html", *options)
    data, page = data_of(tmp_path / "r.html"), (tmp_path / "r.html").read_text("utf-8")
    assert "shelf" in page[page.index('id="groups"') :]
    assert "time is the field <bdi>published</bdi>" in page
    assert len(views_in(data, "Bands")) == 1
    told = cli("report", dated, "--out", tmp_path / "s.html", "--date-field", "shelf", code=1).stderr
    assert "the field 'shelf' has too few dates" in told
    told = cli("report", dated, "--out", tmp_path / "s.html", "--group-field", "colour", code=1).stderr
    assert "no document has a field 'colour'" in told
    assert not (tmp_path / "s.html").exists()


def test_a_model_is_like_itself(cli, dated: Path, model: Path, tmp_path: Path) -> None:
    same = page_of(dated, "t", compare=dated)
    assert same.report.compared == "model"
    for topic in same.report.topics:
        assert topic.match is not None
        assert topic.match[0] == topic.label
        assert topic.match[1] == pytest.approx(1.0)
    other = page_of(dated, "t", compare=model)
    assert all(topic.match and 0 < topic.match[1] <= 1 for topic in other.report.topics)
    (tmp_path / "x.txt").write_text("nothing here is alike\nquite another vocabulary\n")
    cli("fit", "lda", tmp_path / "x.txt", "--out", tmp_path / "x", "--topics", 2, "--iterations", 2)
    told = cli("report", dated, "--out", tmp_path / "r.html", "--compare", tmp_path / "x", code=1).stderr
    assert "the models have no word in common" in told


@pytest.mark.long("draws all figures three times")
def test_figures_are_written_beside_or_without_the_page(cli, dated: Path, tmp_path: Path) -> None:
    pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    pytest.importorskip("resvg_py", reason="resvg-py is not installed")
    told = json.loads(cli("report", dated, "--figures", tmp_path / "f", "--json").stdout)
    assert sorted(told["files"]) == sorted(file.name for file in (tmp_path / "f").iterdir())
    assert {"map.svg", "times.png", "groups-1.svg", "tree.svg", "similarity.png"} <= set(told["files"])
    told = cli("report", dated, "--figures", tmp_path / "f", code=1).stderr
    assert "is not empty" in told
    both = cli("report", dated, "--figures", tmp_path / "f", "--out", tmp_path / "r.html", "--overwrite")
    assert "files, each figure as SVG and PNG" in both.stdout
    assert (tmp_path / "r.html").exists()


def test_there_must_be_something_to_write(cli, dated: Path, tmp_path: Path) -> None:
    assert "give --out report.html, --figures DIR or both" in cli("report", dated, code=2).stderr
    told = cli("report", dated, "--figures", tmp_path / "no" / "f", code=1).stderr
    assert "there is no such directory" in told


def test_documents_without_all_their_columns_are_refused(dated: Path, tmp_path: Path) -> None:
    altered = shutil.copytree(dated, tmp_path / "altered")
    file = altered / "documents.parquet"
    for columns in (["starts", "lengths", "word_topics"], ["number"], ["title"]):
        pq.write_table(pq.read_table(dated / file.name).drop_columns(columns), file)
        with pytest.raises(UserError, match="a column is missing"):
            page_of(_sign_anew(altered), "t")


def _sign_anew(model: Path) -> Path:
    """Make the manifest describe documents.parquet as it is now."""
    manifest = json.loads((model / "model.json").read_text())
    file = model / "documents.parquet"
    manifest["files"][file.name] = {"bytes": file.stat().st_size, "digest": digest_of(file)}
    del manifest["digest"]
    (model / "model.json").write_bytes(encoded(manifest))
    return model
