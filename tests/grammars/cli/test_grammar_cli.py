"""Grammars by the program, as a new user would: fit, segment, parse, rules, evaluate, resume."""

import json
import signal
import subprocess
import sys

import pytest
from tests.grammars.test_grammars import GOLD, LINES, RULES
from tests.tiers import sampled

from stickbreaker.testing.estimators import contents

HYBRID, MEAN_FIELD = ("--inference", "hybrid"), ("--inference", "mean-field")
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
    first, agreement, following = done.stdout.splitlines()
    assert agreement.startswith("Cut like the words of the text (")
    assert " of words, " in agreement
    assert "Word subtrees from" in first
    assert "sweeps, log p(sentences, trees, tables) -" in first
    assert "log p(sentences, trees, tables) -" in done.stderr
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
    assert found[0] == {"id": f"{text.name}:1", "pieces": cut[0].split(), "new_symbols": 0, "parsed": True}
    assert "already exists" in cli("segment", learned, text, "--out", tmp_path / "cut.txt", code=1).stderr


def test_topics_are_not_cut_and_a_page_is_what_comes_next(cli, tmp_path):
    model, text = tmp_path / "m", tmp_path / "text.txt"
    text.write_text("the dog ran\na cat ran\n")
    done = cli("fit", "grammar", text, "--out", model, "--grammar", "topic", "--iterations", 2)
    assert done.stdout.splitlines()[-1] == f"Next: stickbreaker report {model}"
    assert "nothing to segment" in cli("segment", model, text, code=1).stderr


def test_trees_are_written(cli, learned, tmp_path):
    (tmp_path / "new.txt").write_text("the dog\n\na(t\n\n")
    done = cli("parse", learned, tmp_path / "new.txt")
    best, empty, new, last = done.stdout.splitlines()
    assert best.startswith("(Sentence (Words (Word (Chars (Char t) ")
    assert (empty, last) == ("", "")
    assert "(Char -LRB-)" in new
    assert done.stderr.splitlines()[-1] == (
        "note: 1 of 4 texts has symbols that are new to the model (1 in all)"
    )
    drawn = cli("parse", learned, tmp_path / "new.txt", "--how", "samples", "--trees", 3).stdout.splitlines()
    assert [line == "" for line in drawn] == [False] * 3 + [True] * 3 + [False] * 3 + [True] * 3
    lines = cli("parse", learned, tmp_path / "new.txt", "--json", "--how", "minimum-risk").stdout.splitlines()
    first, nothing, third, _ = map(json.loads, lines)
    assert first["nats"] >= first["trees"][0]["nats"]
    assert nothing == {"id": "new.txt:2", "nats": None, "new_symbols": 0, "trees": []}
    assert (third["id"], third["new_symbols"]) == ("new.txt:3", 1)
    assert third["nats"] >= third["trees"][0]["nats"] > -100.0
    assert "--how samples" in cli("parse", learned, tmp_path / "new.txt", "--trees", 2, code=2).stderr


def test_new_symbols_are_cut_around_and_counted(cli, learned, tmp_path):
    new = tmp_path / "new.txt"
    new.write_text("thedogξran\n\nacatran\nξξ\n")
    counts = {"new_symbols": 3, "with_new_symbols": 2, "unparsed": 0}
    done = cli("segment", learned, new)
    assert done.stdout.splitlines()[:3] == ["the dog ξ ran", "", "a cat ran"]
    assert "note: 2 of 4 texts have symbols that are new to the model (3 in all)" in done.stderr
    found = json.loads(cli("segment", learned, new, "--json").stdout)
    assert {name: found[name] for name in counts} == counts
    assert [one["id"] for one in found["sentences"]] == [f"new.txt:{line}" for line in (1, 2, 3, 4)]
    assert [one["new_symbols"] for one in found["sentences"]] == [1, 0, 0, 2]
    written = json.loads(cli("segment", learned, new, "--json", "--out", tmp_path / "cut.txt").stdout)
    assert written == {"out": str(tmp_path / "cut.txt"), "lines": 4, **counts}
    scores = json.loads(cli("evaluate", learned, new, "--json").stdout)
    assert {name: scores[name] for name in counts} == counts
    parses = [json.loads(line) for line in cli("parse", learned, new, "--json").stdout.splitlines()]
    nats = sum(one["nats"] or 0.0 for one in parses)
    assert scores["nats_per_symbol"] == pytest.approx(nats / scores["symbols"])


def test_a_text_of_several_sentences_is_one_line(cli, tmp_path):
    (tmp_path / "rules.lt").write_text('S -> L | L S\nL -> "a" | "b"\nS -> "c" "d"\n')
    (tmp_path / "text.txt").write_text("ab.ba\nab\ncd\n")
    model = tmp_path / "m"
    given = (*QUICK, "--grammar", tmp_path / "rules.lt", "--punctuation", "boundaries")
    cli("fit", "grammar", tmp_path / "text.txt", "--out", model, *given)
    (tmp_path / "new.txt").write_text("a.b\n\na.dc\n")
    first, empty, last = cli("parse", model, tmp_path / "new.txt").stdout.splitlines()
    assert (first, empty, last) == ("(S (L a)) (S (L b))", "", "(S (L a)) ()")
    parses = cli("parse", model, tmp_path / "new.txt", "--json")
    first, _, last = map(json.loads, parses.stdout.splitlines())
    assert first["trees"][0]["tree"] == "(S (L a)) (S (L b))"
    assert first["nats"] == pytest.approx(first["trees"][0]["nats"])
    assert last == {"id": "new.txt:3", "nats": None, "new_symbols": 0, "trees": []}
    assert 'note: 1 of 3 texts cannot be parsed, or is too long, and is written as "()"' in parses.stderr


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
    assert set(alone) == {
        "sentences", "unparsed", "new_symbols", "with_new_symbols", "symbols", "nats_per_symbol",
        "learned_from",
    }  # fmt: skip
    assert "does not apply to a grammar" in cli("evaluate", learned, text, "--labels", "x", code=2).stderr


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
    assert "1 sentence is skipped: it cannot be parsed, or is too long\n" in done.stderr


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
        (("--schedule", "batch"), "--schedule needs --inference hybrid or mean-field"),
        (("--truncation", 5), "--truncation needs --inference hybrid or mean-field"),
        (("--engine", "spark"), "--engine spark needs --inference hybrid or mean-field"),
        (("--samples", 3), "--samples needs --inference hybrid"),
        ((*MEAN_FIELD, "--refine-every", 3), "--refine-every needs --inference hybrid"),
        ((*MEAN_FIELD, "--schedule", "online"), "--schedule online needs --inference hybrid"),
        ((*MEAN_FIELD, "--batch-size", 3), "--batch-size needs --schedule online"),
        (
            (*HYBRID, "--schedule", "batch", "--kappa", 1),
            "--kappa needs --schedule online",
        ),
        ((*HYBRID, "--schedule", "batch", "--tau0", 1), "--tau0 needs --schedule online"),
        ((*HYBRID, "--init", "batch"), "--init needs --inference mcmc"),
        ((*HYBRID, "--chains", 2), "--chains needs --inference mcmc"),
        ((*HYBRID, "--no-relabel"), "--relabel needs --inference mcmc"),
        ((*HYBRID, "--temperature", 2), "--temperature needs --inference mcmc"),
        ((*MEAN_FIELD, "--cooling", 2), "--cooling needs --inference mcmc"),
        ((*HYBRID, "--truncation", 0), "--truncation 0: give a number above 0, or SYMBOL=number"),
        ((*HYBRID, "--truncation", "Word=x"), "--truncation Word=x: give a number above 0"),
        ((*HYBRID, "--truncation", "=3"), "--truncation =3: give a number above 0"),
        ((*HYBRID, "--truncation", "9" * 5000), "give a number above 0"),
        ((*HYBRID, "--truncation", 3, "--truncation", "Word=3"), "--truncation 3: give a number above 0"),
    ],
)
def test_options_that_do_not_go_together(cli, text, tmp_path, options, message):
    done = cli("fit", "grammar", text, "--out", tmp_path / "m", *options, code=2)
    assert message in done.stderr


def test_verbs_of_other_kinds_are_refused(cli, learned, text):
    assert "does not apply" in cli("topics", learned, code=1).stderr
    assert "does not apply" in cli("generate", learned, code=1).stderr


def test_hybrid_learns_online_and_what_it_learned_is_read_as_ever(cli, text, tmp_path):
    model = tmp_path / "m"
    given = (*HYBRID, "--grammar", "unigram", "--batch-size", 20, "--truncation", "Word=500")
    done = cli("fit", "grammar", text, "--out", model, *given, "--held-out", 0.1)
    assert "sentences -" in done.stderr
    assert "Word subtrees from" in done.stdout
    assert "estimate of the bound -" in done.stdout
    assert cli("segment", model, text).stdout.splitlines()[0] == GOLD[0]
    found = json.loads(cli("rules", model, "--nonterminal", "Word", "--json").stdout)["symbols"]["Word"]
    assert all(isinstance(one["customers"], int | float) for one in found["subtrees"])
    assert json.loads(cli("evaluate", model, text, "--json").stdout)["token"]["f1"] > 0.9
    assert cli("parse", model, text).stdout.startswith("(Sentence (Words (Word ")
    cli("report", model, "--out", tmp_path / "page.html", "--figures", tmp_path / "figures")
    assert "Grammar" in (tmp_path / "page.html").read_text()
    settings = json.loads((model / "model.json").read_text())["settings"]
    assert settings["truncation"] == {"mapping": {"Word": 500}}
    schedule = settings["schedule"]["online"]
    assert (schedule["batch_size"], schedule["total"]) == (20, "seen")
    assert "first_batch" not in schedule


def test_collocations_are_learned_from_small_steps_at_first(cli, tmp_path):
    text, model = tmp_path / "text.txt", tmp_path / "m"
    text.write_text("thedog\nacat\n" * 10)
    cli("fit", "grammar", text, "--out", model, *HYBRID, "--batch-size", 6, "--iterations", 1)
    found = json.loads((model / "model.json").read_text())
    assert found["settings"]["schedule"]["online"]["first_batch"] == 2
    assert found["run"]["step"] == 10


def test_mean_field_learns_and_a_symbol_that_remembers_nothing_is_named(cli, text, tmp_path):
    given = ("fit", "grammar", text, "--out", tmp_path / "m", *MEAN_FIELD, "--grammar", "unigram")
    wrong = cli(*given, "--truncation", "Chars=9", code=1).stderr
    assert "truncation has 'Chars', which is not an adapted symbol; there are: Word" in wrong
    assert not (tmp_path / "m").exists()
    done = cli(*given, "--truncation", 100)
    assert "100 Word subtrees" in done.stdout
    assert "pass 20, step 20, bound -" in done.stderr
    assert cli("segment", tmp_path / "m", text).stdout


@pytest.mark.long("a process of its own that is killed")
@pytest.mark.faults
@pytest.mark.parametrize(
    ("way", "disturb"),
    sampled(
        [
            ((*HYBRID, "--batch-size", 10, "--iterations", 20), "SIGINT"),
            ((*HYBRID, "--schedule", "batch", "--iterations", 60), "SIGINT"),
            ((*HYBRID, "--schedule", "batch", "--iterations", 60), "SIGKILL"),
            ((*MEAN_FIELD, "--iterations", 60), "SIGINT"),
            ((*MEAN_FIELD, "--iterations", 60), "SIGKILL"),
        ],
        1,
        several=True,
    ),
)
def test_a_disturbed_run_goes_on_to_where_an_undisturbed_one_ends(cli, text, tmp_path, way, disturb):
    given = ("--grammar", "unigram", *map(str, way), "--threads", 1)
    command = [sys.executable, "-c", "from stickbreaker.cli import main; main()", "fit", "grammar", str(text)]
    command += ["--out", str(tmp_path / "m"), *map(str, given), "--checkpoint-every", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        trace = tmp_path / "m" / "trace.jsonl"
        while running.poll() is None and not (trace.exists() and trace.read_text().count("\n") > 2):
            pass
        running.send_signal(getattr(signal, disturb))
        _, words = running.communicate(timeout=60)
    if disturb == "SIGINT":
        assert f"continue with: stickbreaker resume {tmp_path / 'm'}" in words
    early = json.loads((tmp_path / "m" / "model.json").read_text())
    assert early["status"] == "running"
    assert cli("rules", tmp_path / "m").stdout
    cli("resume", tmp_path / "m", "--threads", 1)
    cli("fit", "grammar", text, "--out", tmp_path / "n", *given)
    assert contents(tmp_path / "m") == contents(tmp_path / "n")


def test_sentences_that_nothing_comes_to(cli, tmp_path):
    (tmp_path / "rules.lt").write_text(RULES)
    (tmp_path / "text.txt").write_text("ab\nxab\nb\n")
    for way in ("hybrid", "mean-field"):
        given = ("fit", "grammar", tmp_path / "text.txt", "--out", tmp_path / way, "--inference", way)
        given += ("--grammar", tmp_path / "rules.lt")
        assert "symbol 1, 'x', is not a terminal" in cli(*given, code=1).stderr
        assert "1 sentence is skipped" in cli(*given, "--unparsed", "skip").stderr
        assert cli("segment", tmp_path / way, tmp_path / "text.txt").stdout.splitlines()[1] == "x ab"


def test_names_without_rules_are_a_line_on_standard_error(cli, tmp_path):
    (tmp_path / "rules.lt").write_text(RULES + "1 1 S --> W Letrs\n1 1 Letters --> a\n1 1 S --> Letters\n")
    (tmp_path / "text.txt").write_text("ab\nba\n")
    given = ("--out", tmp_path / "m", *QUICK, "--grammar", tmp_path / "rules.lt")
    lines = cli("fit", "grammar", tmp_path / "text.txt", *given).stderr.splitlines()
    (remark,) = [line for line in lines if "has no rules" in line]
    number = RULES.count("\n") + 1
    assert remark.startswith("note: ")
    assert remark.endswith(
        f"rules.lt:{number}: 'Letrs' has no rules and does not occur in the text; did you mean 'Letters'?"
    )


@pytest.mark.parametrize(
    ("grammar", "problem"), [("/dev/zero", "/dev/zero: is not a file"), (".", ".: is a directory")]
)
def test_what_is_no_file_of_rules_is_refused(cli, tmp_path, grammar, problem):
    (tmp_path / "text.txt").write_text("ab\n")
    done = cli("fit", "grammar", tmp_path / "text.txt", "--out", tmp_path / "m", "--grammar", grammar, code=1)
    assert f"{problem}; give a grammar as text" in done.stderr
    assert not (tmp_path / "m").exists()


def test_how_it_cuts_is_said_at_the_end(cli, text, tmp_path):
    done = cli("fit", "grammar", text, "--out", tmp_path / "m", *QUICK, "--json")
    told = json.loads(done.stdout)["segmentation"]
    found = json.loads(cli("evaluate", tmp_path / "m", text, "--json").stdout)
    assert told["documents"] == len(GOLD)
    assert told["token_f1"] == pytest.approx(found["token"]["f1"], abs=0.02)
    assert told["boundary_f1"] == pytest.approx(found["boundary"]["f1"], abs=0.02)
    bare = tmp_path / "bare.txt"
    bare.write_text("".join(f"{line}\n" for line in LINES))
    assert "segmentation" not in json.loads(
        cli("fit", "grammar", bare, "--out", tmp_path / "b", *QUICK, "--json").stdout
    )


def test_of_few_sentences_a_chain_makes_more(cli, text, tmp_path):
    done = cli(
        "fit", "grammar", text, "--out", tmp_path / "m", *HYBRID, "--grammar", "unigram", "--iterations", 1
    )
    assert f"note: {len(GOLD)} sentences are few for --inference hybrid: a chain is as fast" in done.stderr
    assert "few for" not in cli("fit", "grammar", text, "--out", tmp_path / "c", *QUICK).stderr


def test_marked_boundaries_are_kept(cli, tmp_path):
    """With --punctuation boundaries a mark says where words end: partial supervision."""
    marked, plain = tmp_path / "marked.txt", tmp_path / "plain.txt"
    marked.write_text(
        "".join(f"{line.replace(' ', '.') if n % 2 else line}\n" for n, line in enumerate(GOLD))
    )
    plain.write_text("".join(f"{line}\n" for line in GOLD[1::2]))
    cli("fit", "grammar", marked, "--out", tmp_path / "m", *QUICK, "--punctuation", "boundaries")
    cut = cli("segment", tmp_path / "m", marked, "--nonterminal", "Word").stdout.splitlines()[1::2]
    for line, gold in zip(cut, GOLD[1::2], strict=True):
        ends = lambda words: {len("".join(words[: n + 1])) for n in range(len(words))}  # noqa: E731
        assert ends(gold.split()) <= ends([word for word in line.replace(".", " ").split() if word])


@pytest.mark.parametrize("verb", ["segment", "parse"])
def test_another_form_of_unicode_is_named(cli, tmp_path, verb):
    """Letters with accents as one character in the text and as two in what was learned."""
    (tmp_path / "learned.txt").write_text("cafe\u0301 cafe\u0301\nun cafe\u0301\n" * 3)
    (tmp_path / "new.txt").write_text("un caf\u00e9\n")
    cli("fit", "grammar", tmp_path / "learned.txt", "--out", tmp_path / "m", "--iterations", 2)
    told = "has 'e\u0301' in another form of Unicode (NFD in place of NFC); write the grammar"
    assert told in cli(verb, tmp_path / "m", tmp_path / "new.txt").stderr
    assert "Unicode" not in cli(verb, tmp_path / "m", tmp_path / "learned.txt").stderr
