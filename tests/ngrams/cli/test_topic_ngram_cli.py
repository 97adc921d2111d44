"""Language models with topics by the program: learned, read, scored, drawn from, written."""

import json

import numpy as np
import pytest
from tests.running import write_lines

from stickbreaker import TopicNgramModel

PETS = "the cat sat on the mat. a dog ran to the cat. the dog sat."
STOCKS = "stocks fell in new york. bonds rose in new york. stocks rose."
DOCUMENTS = [{"id": f"d{i}", "text": (PETS, STOCKS)[i % 2]} for i in range(40)]
QUICK = ("--topics", 2, "--order", 2, "--prior", "none", "--iterations", 20, "--seed", 1)


@pytest.fixture(scope="module")
def news(tmp_path_factory):
    file = tmp_path_factory.mktemp("news") / "news.jsonl"
    write_lines(file, DOCUMENTS)
    return file


@pytest.fixture(scope="module")
def topical(cli, news, tmp_path_factory):
    path = tmp_path_factory.mktemp("topical") / "model"
    cli("fit", "ngram", news, "--out", path, *QUICK)
    return path


def test_it_is_learned_from_a_file(cli, news, tmp_path):
    done = cli("fit", "ngram", news, "--out", tmp_path / "m", *QUICK, "--held-out", 0.2)
    first, following = done.stdout.splitlines()
    assert "m: 2 topics, " in first
    assert "in 20 sweeps, log p(words, topics, seating) -" in first
    assert "held-out" in first
    assert following == f"Next: stickbreaker topics {tmp_path / 'm'}"


def test_topics_have_words_and_phrases(cli, topical):
    told = json.loads(cli("topics", topical, "--json").stdout)
    assert told["common_share"] == 0.0
    assert sum(topic["share"] for topic in told["topics"]) == pytest.approx(1.0)
    pets, stocks = sorted(told["topics"], key=lambda topic: "york" in topic["words"])
    assert "dog" in pets["words"]
    assert "new york" in " ".join(stocks["phrases"])
    assert all(0.0 < p <= 1.0 for p in stocks["probabilities"])
    lines = cli("topics", topical, "--top", 3).stdout.splitlines()
    assert lines[0].split() == ["topic", "share", "words", "phrases"]
    assert len(lines) == 3


def test_documents_have_shares(cli, topical, news, tmp_path):
    cli("transform", topical, news, "--out", tmp_path / "shares.csv")
    rows = np.genfromtxt(tmp_path / "shares.csv", delimiter=",", skip_header=1)[:, 1:]
    assert np.allclose(rows.sum(axis=1), 1.0)
    assert (rows[::2].argmax(axis=1) != rows[1::2].argmax(axis=1)).all()


def test_scores_are_those_of_the_estimator(cli, topical, news, tmp_path):
    scored = json.loads(cli("evaluate", topical, news, "--json").stdout)
    loaded = TopicNgramModel.load(topical)
    assert scored["all"]["nats_per_word"] == pytest.approx(loaded.score([one["text"] for one in DOCUMENTS]))
    (tmp_path / "new.txt").write_text("stocks rose in new york\n")
    (tmp_path / "before.txt").write_text(STOCKS)
    (tmp_path / "other.txt").write_text(PETS)
    nats = {
        name: json.loads(cli("score", topical, tmp_path / "new.txt", *options, "--json").stdout)["nats"]
        for name, options in {
            "alone": (),
            "after": ("--document", tmp_path / "before.txt"),
            "other": ("--document", tmp_path / "other.txt"),
        }.items()
    }
    assert nats["after"] > nats["alone"] > nats["other"]
    expected = loaded.score_sentences(["stocks rose in new york"], document=STOCKS)[0].nats
    assert nats["after"] == pytest.approx(expected)


def test_sentences_are_drawn_from_a_topic(cli, topical):
    topics = json.loads(cli("topics", topical, "--json").stdout)["topics"]
    stocks = next(topic["topic"] for topic in topics if "york" in topic["words"])
    drawn = cli("generate", topical, "--topic", stocks, "--sentences", 20).stdout.split()
    assert np.mean([word in STOCKS for word in drawn]) > 0.9
    wrong = cli("generate", topical, "--topic", 9, code=1)
    assert wrong.stderr.endswith("there is no topic 9; topics are 0 to 1\n")


def test_a_topic_is_written_as_arpa(cli, topical, news, tmp_path):
    out = ("--format", "arpa", "--out", tmp_path / "t.arpa")
    assert "give --topic N or --topic common" in cli("export", topical, *out, code=1).stderr
    assert "no common part" in cli("export", topical, *out, "--topic", "common", code=1).stderr
    assert "there is no topic 2" in cli("export", topical, *out, "--topic", 2, code=1).stderr
    assert "no topic" in cli("export", topical, *out, "--topic", "seven", code=1).stderr
    done = cli("export", topical, *out, "--topic", 1, "--sample", 0)
    assert "of order 2" in done.stdout
    assert (tmp_path / "t.arpa").read_text().startswith("\n\\data\\\nngram 1=")


def test_options_of_topics_are_refused_without_them(cli, news, tmp_path):
    for options in (("--prior", "none"), ("--moves", "tokens")):
        done = cli("fit", "ngram", news, "--out", tmp_path / "m", *options, code=2)
        assert f"{options[0]} needs --topics" in done.stderr
    cli("fit", "ngram", news, "--out", tmp_path / "m", "--iterations", 2)
    for verb in (
        ("generate", tmp_path / "m", "--topic", 1),
        ("generate", tmp_path / "m", "--document", news),
        ("score", tmp_path / "m", news, "--document", news),
        ("export", tmp_path / "m", "--format", "arpa", "--out", tmp_path / "t", "--topic", 1),
    ):
        assert "does not apply to a language model without topics" in cli(*verb, code=2).stderr
    assert "does not apply to a model of the kind NgramModel" in cli("topics", tmp_path / "m", code=1).stderr
