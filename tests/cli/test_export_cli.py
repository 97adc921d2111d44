"""`stickbreaker export` and `corpus export`: files, JSON, mistakes."""

import json

import numpy as np
import pytest
from tests.running import planted_documents, write_lines

from stickbreaker import LDA, Corpus

FORMATS = {
    "mallet-topic-keys": False,
    "gensim-topics": False,
    "mallet-doc-topics": True,
    "pyldavis": True,
}  # whether documents are needed


@pytest.fixture(scope="module")
def corpus(cli, tmp_path_factory):
    """The planted corpus, built, with an empty document."""
    place = tmp_path_factory.mktemp("export")
    lines = write_lines(place / "lines.jsonl", [*planted_documents(), {"id": "none", "text": "zebra"}])
    cli("corpus", "build", lines, "--out", place / "corpus")
    return place / "corpus"


@pytest.mark.parametrize("format", FORMATS)
def test_every_format(cli, model, corpus, tmp_path, format):
    out = tmp_path / "out"
    inputs = [corpus] if FORMATS[format] else []
    line = ["export", model, *inputs, "--format", format, "--out", out]
    told = cli(*line)
    assert told.stdout.startswith(f"{out}: 3 topics")
    first = out.read_bytes()
    assert "already exists" in cli(*line, code=1).stderr
    result = json.loads(cli(*line, "--overwrite", "--json", "--threads", 1).stdout)
    assert out.read_bytes() == first
    assert (result["out"], result["format"], result["topics"]) == (str(out), format, 3)
    if FORMATS[format]:
        left_out = format == "pyldavis"
        assert (result["documents"], result["left_out"]) == (61 - left_out, int(left_out))
        assert 0 < result["unseen_share"] < 0.01
        assert ("left out, which pyLDAvis refuses: 1" in told.stderr) == left_out
    assert list(tmp_path.iterdir()) == [out]


def test_shares_are_those_of_transform(cli, model, corpus, tmp_path):
    cli("export", model, corpus, "--format", "mallet-doc-topics", "--out", tmp_path / "out")
    rows = [line.split("\t") for line in (tmp_path / "out").read_text().splitlines()]
    expected = LDA.load(model).transform(Corpus.open(corpus))
    assert np.array_equal([[float(share) for share in row[2:]] for row in rows], expected)
    assert [row[1] for row in rows] == [*(f"d{n}" for n in range(60)), "none"]


def test_top_words(cli, model, tmp_path):
    cli("export", model, "--format", "mallet-topic-keys", "--out", tmp_path / "out", "--top", 4)
    rows = [line.split("\t") for line in (tmp_path / "out").read_text().splitlines()]
    assert [row[2].split() for row in rows] == LDA.load(model).top_words(4, by="probability")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("export {model} --format pyldavis --out {dir}/p", "pyldavis is about documents: give a corpus"),
        ("export {model} {corpus} --format gensim-topics --out {dir}/p", "is about the model only: leave"),
        (
            "export {model} {corpus} --format mallet-doc-topics --language de --out {dir}/p",
            "--language belongs",
        ),
        ("export {model} {corpus} --format html --out {dir}/p", "Invalid value for '--format'"),
        ("export {model} {corpus} --format pyldavis", "Missing option '--out'"),
        ("corpus export {corpus} --format svm --out {dir}/p", "Invalid value for '--format'"),
    ],
)
def test_wrong_usage(cli, model, corpus, tmp_path, line, says):
    told = cli(*line.format(model=model, corpus=corpus, dir=tmp_path).split(), code=2)
    assert says in told.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("export {model} {dir} --format pyldavis --out {dir}/p", "not a corpus"),
        ("export {corpus} --format gensim-topics --out {dir}/p", "is not a saved model"),
        (
            "export {model} {corpus} --format pyldavis --language de --out {dir}/p",
            "no language 'de' to choose",
        ),
        ("export {model} --format gensim-topics --out {dir}/none/p", "there is no such directory"),
        ("corpus export {dir} --format lda-c --out {dir}/p", "not a corpus"),
        ("corpus export {corpus} --format lda-c --out {model} --overwrite", "holds other files than LDA-C's"),
    ],
)
def test_a_mistake_is_one_line(cli, model, corpus, tmp_path, line, says):
    told = cli(*line.format(model=model, corpus=corpus, dir=tmp_path).split(), code=1)
    assert told.stderr.count("\n") == 1
    assert says in told.stderr
    assert list(tmp_path.iterdir()) == []


def test_corpus_export(cli, corpus, tmp_path):
    out = tmp_path / "out"
    line = ("corpus", "export", corpus, "--format", "lda-c", "--out", out)
    assert cli(*line).stdout == f"{out}: 61 documents, 25 words\n"
    assert "already exists; give another path, or --overwrite" in cli(*line, code=1).stderr
    told = json.loads(cli(*line, "--overwrite", "--json").stdout)
    assert told == {"out": str(out), "format": "lda-c", "documents": 61, "words": 25}
    cli(
        "corpus",
        "build",
        out / "documents.ldac",
        "--vocab",
        out / "vocabulary.txt",
        "--out",
        tmp_path / "back",
    )
    back, there = Corpus.open(tmp_path / "back"), Corpus.open(corpus)
    assert (back.n_documents, back.n_tokens) == (there.n_documents, there.n_tokens)
    assert back.vocabulary.words == there.vocabulary.words


def test_help_gives_an_example(cli):
    assert "Example: stickbreaker export model posts.corpus" in cli("export", "--help").stdout
    assert "Example: stickbreaker corpus export posts.corpus" in cli("corpus", "export", "--help").stdout
