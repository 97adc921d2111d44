"""Syntactic topics at the command line: from a treebank to topics, shares, scores and a graph."""

import csv
import json

import numpy as np
import pytest
from tests.running import write_trees

from stickbreaker import SyntacticTopics

FEW = ("--topics", 6, "--iterations", 12, "--seed", 1, "--threads", 1)


@pytest.fixture(scope="module")
def news(tmp_path_factory):
    return write_trees(tmp_path_factory.mktemp("trees") / "news.conllu")


@pytest.fixture(scope="module")
def learned(news, cli, tmp_path_factory):
    path = tmp_path_factory.mktemp("learned") / "model"
    cli("fit", "syntax", news, "--out", path, *FEW)
    return path


def test_a_run_says_what_it_learned_and_what_comes_next(cli, news, tmp_path):
    done = cli("fit", "syntax", news, "--out", tmp_path / "m", *FEW, "--held-out", 0.2, "--chains", 2)
    assert "topics from" in done.stdout
    assert "held-out -" in done.stdout
    assert "Next: stickbreaker topics" in done.stdout
    summary = json.loads(cli("resume", tmp_path / "m", "--json").stdout)
    assert summary["status"] == "done"


def test_topics_have_words_parts_of_speech_and_what_stands_below(cli, learned):
    found = json.loads(cli("topics", learned, "--top", 3, "--json").stdout)
    assert sum(topic["share"] for topic in found["topics"]) == pytest.approx(1.0, abs=0.05)
    top = found["topics"][0]
    assert len(top["words"]) == len(top["probabilities"]) == 3
    assert {one["name"] for topic in found["topics"] for one in topic["tags"]} == {"DET", "NOUN", "VERB"}
    assert sorted([*found["unused"], *(topic["topic"] for topic in found["topics"])]) == list(range(6))
    lines = cli("topics", learned).stdout.splitlines()
    assert lines[0].split() == ["topic", "share", "tags", "below", "words"]
    assert len(lines) == 1 + len(found["topics"]) + bool(found["unused"])
    for option in ("--by", "probability"), ("--at", "3"):
        assert (
            "does not apply to a model of syntactic topics" in cli("topics", learned, *option, code=2).stderr
        )


def test_shares_and_scores_are_those_of_python(cli, news, learned, tmp_path):
    model = SyntacticTopics.load(learned)
    cli("transform", learned, news, "--out", tmp_path / "t.csv")
    rows = list(csv.reader((tmp_path / "t.csv").open()))
    shares = np.array([row[1:] for row in rows[1:]], float)
    assert rows[1][0] == "doc0"
    assert shares.shape == (30, 6)
    assert shares.sum(axis=1) == pytest.approx(np.ones(30))
    scores = json.loads(cli("evaluate", learned, news, "--json").stdout)
    assert scores["words"] == 30 * 4 == sum(part["words"] for part in scores["by_tag"].values())
    nats = sum(part["words"] * part["nats_per_word"] for part in scores["by_tag"].values())
    assert nats == pytest.approx(scores["words"] * scores["nats_per_word"])
    assert scores["perplexity"] == pytest.approx(np.exp(-scores["nats_per_word"]))
    assert scores["learned_from"] == 1.0
    assert model.n_topics == 6
    text = cli("evaluate", learned, news).stdout
    assert "Even-numbered sentences given the odd-numbered ones of their document" in text
    assert "NOUN" in text


def test_the_graph_is_for_graphviz(cli, learned, tmp_path):
    cli("export", learned, "--format", "dot", "--out", tmp_path / "g.dot")
    text = (tmp_path / "g.dot").read_text()
    assert text.startswith("digraph topics {\n")
    assert text.endswith("}\n")
    assert "start -> topic" in text
    assert text.count("{") == text.count("}") == 1


def test_words_in_the_graph_are_quoted(cli, tmp_path):
    path = tmp_path / "odd.conllu"
    words = ('"q"', "a\\b", "ü")
    rows = "".join(f"{n}\t{word}\t_\tX\t_\t_\t{n - 1}\t_\t_\t_\n" for n, word in enumerate(words, 1))
    path.write_text("".join(f"# newdoc id = {d}\n{rows}\n{rows}\n" for d in range(4)))
    cli("fit", "syntax", path, "--out", tmp_path / "m", "--topics", 1, "--iterations", 3)
    cli("export", tmp_path / "m", "--format", "dot", "--out", tmp_path / "g.dot")
    (line,) = (one for one in (tmp_path / "g.dot").read_text().splitlines() if one.startswith("  topic0 ["))
    label = json.loads(line.split("label=")[1].removesuffix("];"))
    assert set(label.splitlines()[1].split()) == set(words)


def test_tags_are_of_the_column_that_has_them(cli, tmp_path):
    file = write_trees(tmp_path / "x.conllu", upos=False)
    cli("fit", "syntax", file, "--out", tmp_path / "m", *FEW)
    assert SyntacticTopics.load(tmp_path / "m").tags_ == ("DET", "NOUN", "VERB")
    cli("fit", "syntax", file, "--out", tmp_path / "n", *FEW, "--tags", "upos", "--unknown", "tag")
    assert SyntacticTopics.load(tmp_path / "n").words_[-1] == "<_>"


def test_a_corpus_may_be_built_before(cli, news, learned, tmp_path):
    cli("corpus", "build", news, "--trees", "--all-words", "--min-documents", 2, "--out", tmp_path / "c")
    cli("fit", "syntax", tmp_path / "c", "--out", tmp_path / "m", *FEW)
    found = [json.loads(cli("topics", model, "--json").stdout) for model in (learned, tmp_path / "m")]
    assert found[0]["topics"] == found[1]["topics"]
    cli("corpus", "build", news, "--trees", "--min-length", 5, "--out", tmp_path / "d")
    noted = cli("fit", "syntax", tmp_path / "d", "--out", tmp_path / "n", *FEW).stderr
    assert "of the tokens were left out of the corpus: build it with --trees --all-words" in noted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a plain text\n", "a line has ten columns"),
        ("", "no document"),
        ("1\ta\ta\tX\t_\t_\t7\t_\t_\t_\n", "head"),
    ],
)
def test_what_is_no_treebank_is_one_line(cli, tmp_path, text, said):
    path = tmp_path / "a.conllu"
    path.write_text(text)
    told = cli("fit", "syntax", path, "--out", tmp_path / "m", *FEW, code=1).stderr.splitlines()[-1]
    assert said in told, told
    assert not (tmp_path / "m").exists()


def test_files_of_other_formats_have_no_trees(cli, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\n")
    told = cli("fit", "syntax", path, "--out", tmp_path / "m", *FEW, code=1).stderr.splitlines()[-1]
    assert "trees" in told, told
    assert not (tmp_path / "m").exists()


def test_what_means_nothing_is_refused(cli, news, learned, tmp_path):
    for line in (("name", learned, "--topic", "1=a"), ("nearest", learned, news), ("generate", learned)):
        assert "does not apply to a model of the kind SyntacticTopics" in cli(*line, code=1).stderr
    assert "does not apply" in cli("evaluate", learned, news, "--left-to-right", code=2).stderr
    told = cli("fit", "syntax", news, "--out", tmp_path / "m", "--topics", 2000, code=1).stderr
    assert "--topics is at most 1,024" in told


def test_what_was_built_without_trees_is_refused_in_one_line(cli, news, tmp_path):
    cli("corpus", "build", news, "--min-length", 5, "--out", tmp_path / "c")
    told = cli("fit", "syntax", tmp_path / "c", "--out", tmp_path / "m", *FEW, code=1).stderr
    assert told.splitlines() == [
        f"stickbreaker: {tmp_path / 'c'}: the corpus has no trees; build it from CoNLL-U with --trees"
    ]
    assert not (tmp_path / "m").exists()
