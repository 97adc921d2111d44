"""Grammars by the program, as a new user would: fit, segment, parse, rules, evaluate, resume."""

import json

import pytest
from tests.estimators.test_grammars import GOLD, LINES, RULES

QUICK = ("--grammar", "unigram", "--iterations", 30, "--seed", 1)


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    file = tmp_path_factory.mktemp("text") / "gold.txt"
    file.write_text("".join(f"{line}\n" for line in GOLD))
    return file


@pytest.fixture(scope="module")
def learned(cli, text, tmp_path_factory):
    path = tmp_path_factory.mktemp("learned") / "model"
    cli("fit", "grammar", text, "--out", path, *QUICK)
    return path


def test_it_is_learned_from_a_file(cli, text, tmp_path):
    done = cli("fit", "grammar", text, "--out", tmp_path / "m", *QUICK, "--held-out", 0.2, "--chains", 2)
    first, following = done.stdout.splitlines()
    assert "Word subtrees from" in first
    assert "nats/symbol" in first
    assert "nats/word" not in done.stdout + done.stderr
    assert "held-out" in first
    assert following == f"Next: stickbreaker segment {tmp_path / 'm'}"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["m"]


def test_sentences_are_cut(cli, learned, text, tmp_path):
    cli("segment", learned, text, "--out", tmp_path / "cut.txt", "--nonterminal", "Word")
    cut = (tmp_path / "cut.txt").read_text().splitlines()
    assert [line.replace(" ", "") for line in cut] == LINES
    assert sum(line == gold for line, gold in zip(cut, GOLD, strict=True)) > 200
    assert cli("segment", learned, text).stdout.splitlines() == cut
    found = json.loads(cli("segment", learned, text, "--json").stdout)["sentences"]
    assert found[0] == {"id": f"{text.name}:1", "pieces": cut[0].split()}
    assert "already exists" in cli("segment", learned, text, "--out", tmp_path / "cut.txt", code=1).stderr


def test_trees_are_written(cli, learned, tmp_path):
    (tmp_path / "new.txt").write_text("the dog\n\na(b\n")
    best, none = cli("parse", learned, tmp_path / "new.txt").stdout.splitlines()
    assert best.startswith("(Sentence (Words (Word (Chars (Char t) ")
    assert none == "()"
    drawn = cli("parse", learned, tmp_path / "new.txt", "--how", "samples", "--trees", 3).stdout.splitlines()
    assert len(drawn) == 4
    lines = cli("parse", learned, tmp_path / "new.txt", "--json", "--how", "minimum-risk").stdout.splitlines()
    first, second = map(json.loads, lines)
    assert first["nats"] >= first["trees"][0]["nats"]
    assert second == {"id": "new.txt:3", "nats": None, "trees": []}
    assert "--how samples" in cli("parse", learned, tmp_path / "new.txt", "--trees", 2, code=2).stderr


def test_subtrees_and_rules_are_printed(cli, learned):
    text = cli("rules", learned, "--top", 3).stdout.splitlines()
    assert text[0].startswith("Word: ")
    assert "Sentence --> Words" in "\n".join(text)
    found = json.loads(cli("rules", learned, "--nonterminal", "Word", "--json", "--top", 0).stdout)
    word = found["symbols"]["Word"]
    assert len(word["subtrees"]) == word["all"]
    assert {"customers", "tables", "text"} == set(word["subtrees"][0])
    assert "no adapted symbol" in cli("rules", learned, "--nonterminal", "Chars", code=1).stderr


def test_it_is_evaluated(cli, learned, text, tmp_path):
    scores = json.loads(cli("evaluate", learned, text, "--nonterminal", "Word", "--json").stdout)
    assert scores["token"]["f1"] > 0.8
    assert set(scores["boundary"]) == {"precision", "recall", "f1"}
    assert scores["nats_per_symbol"] <= 0.0
    assert "token" in cli("evaluate", learned, text).stdout
    (tmp_path / "joined.txt").write_text("\n".join(LINES))
    alone = json.loads(cli("evaluate", learned, tmp_path / "joined.txt", "--json").stdout)
    assert set(alone) == {"sentences", "unparsed", "symbols", "nats_per_symbol"}
    assert "no meaning for a grammar" in cli("evaluate", learned, text, "--labels", "x", code=2).stderr


def test_a_grammar_from_a_file(cli, tmp_path):
    (tmp_path / "rules.lt").write_text(RULES)
    (tmp_path / "text.txt").write_text("ab\naab\nb\n")
    cli(
        "fit",
        "grammar",
        tmp_path / "text.txt",
        "--out",
        tmp_path / "m",
        *QUICK,
        "--grammar",
        tmp_path / "rules.lt",
    )
    assert "W: " in cli("rules", tmp_path / "m").stdout
    (tmp_path / "wrong.lt").write_text("1 1 S --> W\nW --> V\n1 1 V --> W\n")
    out = ("--out", tmp_path / "n")
    wrong = cli(
        "fit", "grammar", tmp_path / "text.txt", *out, "--grammar", tmp_path / "wrong.lt", code=1
    ).stderr
    assert "wrong.lt" in wrong
    assert len(wrong.strip().splitlines()) == 1
    nothing = cli("fit", "grammar", tmp_path / "text.txt", *out, "--grammar", "biggram", code=1).stderr
    assert "unigram, collocation" in nothing
    (tmp_path / "text.txt").write_text("ab\nxab\n")
    given = (*out, *QUICK, "--grammar", tmp_path / "rules.lt")
    assert "symbol 1, 'x'" in cli("fit", "grammar", tmp_path / "text.txt", *given, code=1).stderr
    assert not (tmp_path / "n").exists()
    done = cli("fit", "grammar", tmp_path / "text.txt", *given, "--unparsed", "skip")
    assert "1 sentence is skipped: no tree of the grammar comes to it\n" in done.stderr


def test_numbers_are_said_as_a_person_would(cli, tmp_path):
    text, model = tmp_path / "text.txt", tmp_path / "m"
    text.write_text("a\n")
    done = cli("fit", "grammar", text, "--out", model, "--grammar", "unigram", "--iterations", 1)
    assert "1 document read" in done.stderr
    assert "1 Word subtree from 1 document in 1 sweep," in done.stdout
    assert cli("rules", model).stdout.startswith("Word: 1 subtree, ")
    assert cli("evaluate", model, text).stdout.startswith("1 sentence; ")
    assert "cut.txt: 1 line\n" in cli("segment", model, text, "--out", tmp_path / "cut.txt").stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--topics", 3), "--grammar topic"),
        (("--vowels", "a"), "--grammar collocation-syllable"),
        (("--grammar", "topic", "--symbols", "spaced"), "does not go with"),
        (("--cooling", 3), "--temperature above 1"),
    ],
)
def test_options_that_do_not_go_together(cli, text, tmp_path, options, message):
    done = cli("fit", "grammar", text, "--out", tmp_path / "m", *options, code=2)
    assert message in done.stderr


def test_verbs_of_other_kinds_are_refused(cli, learned, text):
    assert "means nothing" in cli("topics", learned, code=1).stderr
    assert "means nothing" in cli("generate", learned, code=1).stderr
