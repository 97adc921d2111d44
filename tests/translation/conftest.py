"""Lexicons of a planted bitext, learned as a user learns them."""

import pytest
from tests.translation.planted_bitexts import as_rows, planted_pairs

WAY = ("--from", "de", "--to", "en")
FIELDS = ("--text-field", "de=de,en=en")


@pytest.fixture(scope="session")
def learned(cli, tmp_path_factory):
    """A folder with pairs.jsonl, test.jsonl, docs.jsonl, a model of their topics, and lexicons: `lexicon` (by
    topics, with an aligner), and `fields` (by domain, of given links). Tests must not change it."""
    place = tmp_path_factory.mktemp("learned")
    (place / "pairs.jsonl").write_text(as_rows(planted_pairs()))
    (place / "test.jsonl").write_text(as_rows(planted_pairs(10, seed=1, first=30)))
    for name in ("pairs", "test"):
        lines = len((place / f"{name}.jsonl").read_text().splitlines())
        (place / f"{name}.links").write_text("0-0 1-1 2-2 3-3 4-4 5-5\n" * lines)
    pairs = place / "pairs.jsonl"
    cli("translate", "documents", pairs, *WAY, "--out", place / "docs.jsonl")
    fit = ("--topics", 2, "--seed", 0, "--threads", 1, "--stop-words", "none")
    cli("fit", "lda", place / "docs.jsonl", *FIELDS, "--out", place / "model", *fit)
    cli("translate", "learn", pairs, *WAY, "--topics", place / "model", "--out", place / "lexicon")
    given = ("--by-domain", "--alignments", place / "pairs.links")
    cli("translate", "learn", pairs, *WAY, *given, "--out", place / "fields")
    return place
