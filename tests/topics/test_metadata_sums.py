"""Sums over all documents by their metadata: exact, the same in any order, bounded, and read back."""

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tests.running import SMALL, planted_documents

from stickbreaker import LDA
from stickbreaker.core.errors import UserError
from stickbreaker.core.files import digest_of
from stickbreaker.corpus import Corpus
from stickbreaker.saved.manifest import encoded
from stickbreaker.topics import metadata_sums, report_documents
from stickbreaker.topics.metadata_sums import SCALE, MetadataSums, read_sums, write_sums
from stickbreaker.topics.report.document_entries import read_metadata_sums
from stickbreaker.topics.report.topic_page import page_of

DOCUMENTS, KEPT = 90, 30


def drawn(n: int, topics: int = 3, seed: int = 0):
    rng = np.random.default_rng(seed)
    fields = [
        {
            "kind": "abc"[int(rng.integers(3))],
            "day": f"1990-01-{1 + int(rng.integers(28)):02d}",
            "key": str(i),
        }
        for i in range(n)
    ]
    return fields, rng.integers(0, 50, n).astype(float), rng.dirichlet(np.ones(topics), n)


def filled(parts: list[slice], n: int = 60, **bounds) -> MetadataSums:
    """Sums of drawn documents, added in parts that are joined at the end."""
    fields, tokens, shares = drawn(n)
    sums = []
    for part in parts:
        sums.append(MetadataSums(3, **bounds))
        sums[-1].add(fields[part], tokens[part], shares[part])
    whole = sums[0]
    for more in sums[1:]:
        whole = whole.plus(more)
    return whole


def content(sums: MetadataSums):
    def rows(some):
        return None if some is None else {name: row.tolist() for name, row in sorted(some.items())}

    fields = {name: (rows(f.values), rows(f.dates), f.precision) for name, f in sorted(sums.fields.items())}
    return sums.documents, fields


def test_sums_are_those_by_hand():
    fields, tokens, shares = drawn(60)
    by_hand: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(5))
    for one, n, row in zip(fields, tokens, shares, strict=True):
        by_hand[one["kind"]] += np.array([1, n, *(n * row)])
    (values,) = [filled([slice(None)]).fields["kind"].values]
    assert values is not None
    assert set(values) == set(by_hand)
    for name, row in values.items():
        assert row[0] == by_hand[name][0]
        np.testing.assert_allclose(row[1:] / SCALE, by_hand[name][1:], atol=60 / SCALE)


@pytest.mark.parametrize("bounds", [{}, {"most_cells": 90}, {"most_cells": 30}])
def test_sums_do_not_depend_on_the_parts_that_they_come_in(monkeypatch, bounds):
    monkeypatch.setattr(metadata_sums, "LEAST_VALUES", 2)
    monkeypatch.setattr(metadata_sums, "LEAST_DATES", 2)
    whole = content(filled([slice(None)], **bounds))
    for cuts in ([0, 20, 60], [0, 1, 2, 59, 60], [0, 30, 45, 60]):
        parts = [slice(a, b) for a, b in pairwise(cuts)]
        assert content(filled(parts, **bounds)) == whole
        assert content(filled(parts[::-1], **bounds)) == whole


def test_a_field_of_too_many_values_is_forgotten_and_dates_are_joined(monkeypatch):
    monkeypatch.setattr(metadata_sums, "LEAST_VALUES", 2)
    monkeypatch.setattr(metadata_sums, "LEAST_DATES", 2)
    sums = filled([slice(None)], most_cells=30)  # ten values of three topics
    assert sums.fields["key"].values is None
    assert set(sums.fields["kind"].values or ()) == set("abc")
    assert list(sums.fields["day"].dates) == ["1990-01"]
    assert sums.fields["day"].precision == 7


def test_of_many_fields_the_first_by_name_stay(monkeypatch):
    monkeypatch.setattr(metadata_sums, "MOST_FIELDS", 2)
    names = ["d", "b", "c", "a"]
    sums = MetadataSums(1)
    for name in names:
        sums.add([{name: "x"}], np.ones(1), np.ones((1, 1)))
    assert set(sums.fields) == {"a", "b"}


def refuse(wrong: bool) -> None:
    if wrong:
        raise ValueError("refused")


def test_sums_are_read_back(tmp_path: Path):
    sums = filled([slice(None)])
    write_sums(sums, tmp_path / "sums.parquet")
    assert content(read_sums(tmp_path / "sums.parquet", refuse)) == content(sums)


@pytest.mark.parametrize("name", ["documents", "counts"])
def test_sums_that_cannot_be_are_refused(tmp_path: Path, name: str):
    sums = filled([slice(None)])
    if name == "documents":
        sums.documents = 3  # fewer than have one value
    else:
        sums.fields["kind"].values = {"a": np.array([1, 2, 3, -4, 5])}
    write_sums(sums, tmp_path / "sums.parquet")
    with pytest.raises(ValueError, match="refused"):
        read_sums(tmp_path / "sums.parquet", refuse)


@pytest.fixture(scope="module")
def sampled(cli, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of documents with dates and labels that keeps a third of them."""
    directory = tmp_path_factory.mktemp("sampled")
    lines = [
        {**one, "published": f"{1990 + i % 6}-05-01", "shelf": "ab"[i % 3 % 2]}
        for i, one in enumerate(planted_documents(DOCUMENTS))
    ]
    (directory / "d.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report_documents, "LIMIT", KEPT)
        cli("fit", "lda", directory / "d.jsonl", "--out", directory / "model", *SMALL)
    return directory / "model"


def test_times_and_groups_are_of_all_documents(sampled: Path):
    page = page_of(sampled, "t")
    assert len(page.report.documents) == KEPT
    assert page.report.times is not None
    assert sum(page.report.times.documents) == DOCUMENTS
    (shelf,) = [group for group in page.report.groups if group.field == "shelf"]
    assert list(shelf.documents) == [60, 30]
    assert "a sample of" not in page.html()
    model = LDA.load(sampled)
    lines = (sampled.parent / "d.jsonl").read_text().splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    corpus = Corpus.from_texts(texts, analysis=model.analysis_, vocabulary=model.vocabulary_)
    theta, bags = model.transform(corpus), corpus.bags(0)
    sizes = np.add.reduceat(bags.counts.astype(float), bags.offsets[:-1])
    part = np.arange(DOCUMENTS) % 3 % 2 == 0
    expected = (theta[part] * sizes[part, None]).sum(axis=0) / sizes[part].sum()
    np.testing.assert_allclose(shelf.shares[0], expected, atol=1e-4)


def test_a_model_without_sums_tells_that_a_sample_was_counted(sampled: Path):
    manifest = json.loads((sampled / "model.json").read_text())
    manifest.pop("digest")
    del manifest["files"]["metadata-sums.parquet"]
    (sampled / "model.json").write_bytes(encoded(manifest))
    sums = (sampled / "metadata-sums.parquet").read_bytes()
    (sampled / "metadata-sums.parquet").unlink()
    assert read_metadata_sums(sampled, 3) is None
    page = page_of(sampled, "t")
    assert sum(page.report.groups[-1].documents) == KEPT
    assert "Counted are the 30 documents that the model has for its report, a sample of 90." in page.html()
    (sampled / "metadata-sums.parquet").write_bytes(sums)
    with pytest.raises(UserError, match="is not a file of its model"):
        LDA.load(sampled)
    manifest["files"]["metadata-sums.parquet"] = {
        "bytes": len(sums),
        "digest": digest_of(sampled / "metadata-sums.parquet"),
    }
    (sampled / "model.json").write_bytes(encoded(manifest))
    with pytest.raises(UserError, match="none of this model's documents"):
        read_metadata_sums(sampled, 4)
