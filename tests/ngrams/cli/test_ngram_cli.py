"""Language models by the program, as a new user would: fit, score, generate, evaluate, export, resume."""

import json
import os
import signal
import time

import numpy as np
import pytest
from tests.running import PROGRAM, StopAfter, write_lines

from stickbreaker import LDA, NgramModel
from stickbreaker.core.errors import Interrupted
from stickbreaker.estimators import model_runs
from stickbreaker.testing.estimators import contents

LINES = ["the cat sat on the mat", "the dog sat on the cat", "a dog ran", "", "a cat ran to the dog"] * 30
QUICK = ("--iterations", 10, "--seed", 1)


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    file = tmp_path_factory.mktemp("book") / "book.txt"
    file.write_text("\n".join(LINES) + "\n")
    return file


@pytest.fixture(scope="module")
def learned(cli, book, tmp_path_factory):
    path = tmp_path_factory.mktemp("learned") / "model"
    cli("fit", "ngram", book, "--out", path, *QUICK)
    return path


def test_it_is_learned_from_a_file(cli, book, tmp_path):
    done = cli("fit", "ngram", book, "--out", tmp_path / "m", *QUICK, "--held-out", 0.2)
    assert (
        "8 known words; 5.6 % of the tokens are others, <unk>" in done.stderr
        or "known words; " in done.stderr
    )
    first, following = done.stdout.splitlines()
    assert "known words and" in first
    assert "contexts from" in first
    assert "in 10 sweeps, log p(words, seating) -" in first
    assert "held-out" in first
    assert following == f"Next: stickbreaker generate {tmp_path / 'm'}"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["m"]


def test_it_equals_the_estimator(cli, book, learned):
    loaded = NgramModel.load(learned)
    assert loaded.order == 3
    assert loaded.trace_[-1]["step"] == 10
    scored = json.loads(cli("evaluate", learned, book, "--json").stdout)
    assert scored["all"]["nats_per_word"] == pytest.approx(loaded.score(LINES))
    assert scored["all"]["perplexity"] == pytest.approx(np.exp(-loaded.score(LINES)))
    assert (
        scored["known"]["events"]
        <= scored["all"]["events"]
        == sum(len(one.split()) + 1 for one in LINES if one)
    )


def test_sentences_are_scored(cli, learned, tmp_path):
    (tmp_path / "new.txt").write_text("The cat ran. The zebra sat!\n\na dog\n")
    header, *rows = cli("score", learned, tmp_path / "new.txt").stdout.splitlines()
    assert header.split("\t") == ["id", "sentence", "words", "unknown", "nats"]
    values = [row.split("\t") for row in rows]
    assert [value[1:4] for value in values] == [["0", "3", "0"], ["1", "3", "1"], ["0", "2", "0"]]
    whole = json.loads(cli("score", learned, tmp_path / "new.txt", "--json").stdout)
    assert [one["nats"] for one in whole["sentences"]] == pytest.approx(
        [float(value[4]) for value in values], abs=1e-6
    )
    assert whole["events"] == 11
    assert whole["perplexity"] == pytest.approx(np.exp(-whole["nats"] / 11))
    (tmp_path / "empty.txt").write_text("\n\n")
    assert "there is nothing to score" in cli("score", learned, tmp_path / "empty.txt", code=1).stderr


def test_figures_with_unknown_words_say_what_they_are(cli, book, learned, tmp_path):
    text = tmp_path / "x.txt"
    text.write_text("The zyzzy sat.\n")
    told = cli("evaluate", learned, text).stdout
    assert "25.0 % of words and ends are <unk>, one word to this model" in told
    assert "<unk>" not in cli("evaluate", learned, book).stdout or "% of words and ends are" in told
    spelled = tmp_path / "spelled"
    cli("fit", "ngram", book, "--out", spelled, "--iterations", 2, "--unknown", "spelled")
    assert "<unk>" not in cli("evaluate", spelled, text).stdout


def test_words_are_scored_one_by_one(cli, learned, tmp_path):
    text = tmp_path / "x.txt"
    text.write_text("The cat sat. Zyzzy ran\n\nthe dog\n")
    whole = json.loads(cli("score", learned, text, "--json").stdout)["sentences"]
    found = json.loads(cli("score", learned, text, "--words", "--json").stdout)["sentences"]
    words = [[word for word, _, _ in one["of_words"]] for one in found]
    assert words == [["the", "cat", "sat", "</s>"], ["zyzzy", "ran", "</s>"], ["the", "dog", "</s>"]]
    for one, line in zip(found, whole, strict=True):
        assert sum(nats for *_, nats in one["of_words"]) == pytest.approx(line["nats"], rel=1e-12)
        assert sum(not known for _, known, _ in one["of_words"]) == line["unknown"]
    rows = [line.split("\t") for line in cli("score", learned, text, "--words").stdout.splitlines()]
    assert rows[0] == ["id", "sentence", "word", "known", "nats"]
    assert [row[2] for row in rows[1:]] == [word for own in words for word in own]
    assert rows[5][:4] == ["x.txt:1", "1", "zyzzy", "0"]
    empty = tmp_path / "empty.txt"
    empty.write_text("\n")
    assert "nothing to score" in cli("score", learned, empty, "--words", code=1).stderr


def test_sentences_are_drawn(cli, learned):
    told = cli("generate", learned, "--sentences", 3, "--beginning", "the cat").stdout.splitlines()
    assert len(told) == 3
    assert all(line.startswith("the cat") for line in told)
    assert json.loads(
        cli("generate", learned, "--sentences", 3, "--beginning", "the cat", "--json").stdout
    ) == {"sentences": told}


def test_it_is_written_as_arpa(cli, learned, tmp_path):
    done = cli("export", learned, "--format", "arpa", "--out", tmp_path / "m.arpa")
    assert "of order 3" in done.stdout
    assert "one of 5 samples, exactly" in done.stderr
    assert (tmp_path / "m.arpa").read_text().startswith("\n\\data\\\nngram 1=")
    done = cli("export", learned, "--format", "gensim-topics", "--out", tmp_path / "t", code=1)
    assert done.stderr.endswith(
        "a model of the kind NgramModel cannot be written as gensim-topics; use one of arpa, zip\n"
    )
    done = cli("export", learned, "--format", "pyldavis", "--sample", 1, "--out", tmp_path / "t", code=2)
    assert not (tmp_path / "t").exists()


def test_a_model_of_topics_has_no_ngrams(cli, model, tmp_path):
    done = cli("export", model, "--format", "arpa", "--out", tmp_path / "m.arpa", code=1)
    assert "a model of the kind LDA cannot be written as arpa" in done.stderr
    for verb in ("score", "generate"):
        extra = (tmp_path / "x.txt",) if verb == "score" else ()
        assert f"{verb} does not apply to a model of the kind LDA" in cli(verb, model, *extra, code=1).stderr


@pytest.mark.parametrize("verb", ["topics", "name", "transform", "nearest", "compare"])
def test_verbs_of_topics_are_one_line(cli, learned, book, tmp_path, verb):
    extra = {"transform": (book, "--out", tmp_path / "x.csv"), "nearest": (book,), "compare": (learned,)}
    done = cli(verb, learned, *extra.get(verb, ()), code=1)
    assert (
        f"{verb} does not apply to a model of the kind NgramModel; use one of generate, score," in done.stderr
    )
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--order", "many"), "not a whole number above zero"),
        (("--order", 11), "order is at most 10"),
        (("--unknown", "spelled", "--min-count", 2), "--min-count needs --unknown symbol"),
        (("--tokens", "spaced", "--token-pattern", "x"), "--tokens and --token-pattern both say"),
        (("--min-count", 1000), "no word of the text occurs 1000 times; lower --min-count"),
        (("--stop-words", "none"), "No such option"),
    ],
)
def test_mistakes_are_one_line_and_leave_nothing(cli, book, tmp_path, options, line):
    usage = line.startswith(("not a whole", "--min-count", "--tokens", "No such"))
    done = cli("fit", "ngram", book, "--out", tmp_path / "m", *options, code=2 if usage else 1)
    assert line in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_corpus_is_taken_as_it_was_built(cli, book, tmp_path):
    words = ("--stop-words", "none", "--min-length", 1, "--min-documents", 1, "--max-share", 1)
    cli("corpus", "build", book, "--out", tmp_path / "whole", *words, "--sentences", "line")
    cli("fit", "ngram", tmp_path / "whole", "--out", tmp_path / "m", *QUICK)
    line = cli(
        "fit", "ngram", tmp_path / "whole", "--out", tmp_path / "n", "--tokens", "spaced", code=1
    ).stderr
    assert "is a corpus already, --tokens has no effect" in line
    cli("corpus", "build", book, "--out", tmp_path / "topics")
    line = cli("fit", "ngram", tmp_path / "topics", "--out", tmp_path / "n", code=1).stderr
    assert "tokens are not in the vocabulary of the corpus; build it with --stop-words none" in line


def test_texts_are_cut_as_the_options_say(cli, tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "One <unk> two.\nThree 3.5 four! Five"}) + "\n")
    sizes = {}
    for sentences in ("line", "punctuation", "document"):
        options = ("--sentences", sentences, "--tokens", "spaced", "--min-count", 1)
        cli("fit", "ngram", tmp_path / "a.jsonl", "--out", tmp_path / sentences, *QUICK, *options)
        found = json.loads(cli("score", tmp_path / sentences, tmp_path / "a.jsonl", "--json").stdout)
        sizes[sentences] = [(one["words"], one["unknown"]) for one in found["sentences"]]
    assert sizes == {"line": [(3, 1), (4, 0)], "punctuation": [(3, 1), (3, 0), (1, 0)], "document": [(7, 1)]}


def test_short_sentences_that_are_held_out_are_not_shown(cli, tmp_path):
    texts = [{"text": "one two three"}, {"text": "two three"}] * 20
    lines = write_lines(tmp_path / "lines.jsonl", texts)
    cli("fit", "ngram", lines, "--out", tmp_path / "m", *QUICK, "--held-out", 0.5)
    cli("report", tmp_path / "m", "--out", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert "No sentence of the documents held out has four words or more." in page
    assert "from 40 documents, with 50.00% of them held out" in page


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("evaluate {model} {book} --engine spark", "--engine spark only scores models of topics"),
        ("export {model} --format arpa --out a.arpa --top 3", "--top does not apply to --format arpa"),
        (
            "export {model} --format arpa --out a.arpa --threads 2",
            "--threads does not apply to --format arpa",
        ),
    ],
)
def test_options_without_a_meaning_are_refused(cli, book, learned, line, says):
    words = [word.format(model=learned, book=book) for word in line.split()]
    assert says in cli(*words, code=2).stderr


# Rescaled by topics


@pytest.fixture(scope="module")
def topics(cli, book, tmp_path_factory):
    path = tmp_path_factory.mktemp("topics") / "lda"
    words = ("--stop-words", "none", "--min-length", 1, "--min-documents", 1, "--max-share", 1)
    cli("fit", "lda", book, "--out", path, "--topics", 2, "--iterations", 5, "--seed", 1, *words)
    return path


def test_rescaling_stands_beside_the_plain_model(cli, book, learned, topics):
    plain = json.loads(cli("evaluate", learned, book, "--json").stdout)
    rescaled = json.loads(cli("evaluate", learned, book, "--rescale", topics, "--json").stdout)
    assert {name: rescaled[name] for name in plain} == plain
    assert rescaled["rescaled_all"]["events"] == plain["all"]["events"]
    loaded = NgramModel.load(learned)
    expected = loaded.rescaled_perplexity(LINES, LDA.load(topics))
    assert rescaled["rescaled_all"]["perplexity"] == pytest.approx(expected)
    assert rescaled["exponent"] == 0.7
    assert rescaled["rescale"] == str(topics)
    sentences = sum(1 for line in LINES if line)
    assert rescaled["ratio_one_share"] == pytest.approx(sentences / plain["all"]["events"])
    told = cli("evaluate", learned, book, "--rescale", topics, "--exponent", 0).stdout.splitlines()
    rows = {line[:16].strip(): line.split()[-3:] for line in told[-5:-1]}
    assert rows["rescaled all"] == rows["all"]
    assert told[-1].endswith("of words and ends of sentences have the ratio 1, not being among its words")


def test_topics_that_lack_most_words_are_noted(cli, book, learned, tmp_path):
    cli("fit", "lda", book, "--out", tmp_path / "lda", "--topics", 2, "--iterations", 2, "--max-share", 0.3)
    done = cli("evaluate", learned, book, "--rescale", tmp_path / "lda")
    assert "note: topics lack most words, which are not rescaled" in done.stderr


def test_models_without_topics_do_not_rescale(cli, book, learned, topics):
    line = cli("evaluate", learned, book, "--rescale", learned, code=1).stderr.splitlines()[-1]
    assert f"{learned}: a model of the kind NgramModel has no topics over single words; give a" in line
    line = cli("evaluate", learned, book, "--exponent", 0.5, code=2).stderr
    assert "--exponent needs --rescale" in line
    line = cli("evaluate", topics, book, "--rescale", topics, code=2).stderr
    assert "--rescale does not apply to a" in line


# Interrupted and killed


@pytest.mark.parametrize("kind", [("--held-out", 0.2), ("--order", "unbounded"), ("--unknown", "spelled")])
def test_an_interrupted_run_goes_on_alike(cli, book, tmp_path, monkeypatch, kind):
    options = ("fit", "ngram", book, *QUICK, *kind, "--checkpoint-every", 0)
    cli(*options, "--out", tmp_path / "whole")
    with monkeypatch.context() as patched:
        patched.setattr("stickbreaker.console.running.watcher", lambda: StopAfter(7))
        told = cli(*options, "--out", tmp_path / "m", code=1)
    assert f"stickbreaker resume {tmp_path / 'm'}" in told.stderr
    with pytest.raises(Interrupted):
        model_runs.resume(tmp_path / "m", every=0.0, threads=2, watch=[StopAfter(2)])
    cli("resume", tmp_path / "m")
    assert contents(tmp_path / "m") == contents(tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.faults
def test_a_run_that_is_killed_in_mid_sweep_goes_on_alike(cli, tmp_path):
    import subprocess

    generator = np.random.default_rng(0)
    texts = [{"text": " ".join(f"w{n}" for n in generator.zipf(1.5, 400) % 500)} for _ in range(300)]
    lines = write_lines(tmp_path / "lines.jsonl", texts)
    options = ["fit", "ngram", lines, "--iterations", 40, "--order", "unbounded", "--checkpoint-every", 0]
    cli(*options, "--out", tmp_path / "whole")
    path, killed = tmp_path / "m", 0
    words = [str(word) for word in (PROGRAM, *options, "--out", path)]
    for _ in range(3):
        child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before = size(path / "trace.jsonl")
        while child.poll() is None and size(path / "trace.jsonl") <= before:
            time.sleep(0.002)
        time.sleep(generator.uniform(0.0, 0.05))
        os.kill(child.pid, signal.SIGKILL)
        killed += child.wait() == -signal.SIGKILL
        words = [str(word) for word in (PROGRAM, "resume", path, "--checkpoint-every", 0)]
    assert killed
    cli("resume", path)
    assert contents(path) == contents(tmp_path / "whole")


def size(file):
    return file.stat().st_size if file.exists() else 0


def test_marks_of_sentences_are_no_words(cli, tmp_path):
    """As KenLM and SRILM write them, in every verb: with a note, and the numbers of the text without them."""
    plain = ["a cat sat", "the dog ran", "a dog sat"] * 4
    (tmp_path / "plain.txt").write_text("\n".join(plain), encoding="utf-8")
    (tmp_path / "marked.txt").write_text("\n".join(f"<s> {line} </s>" for line in plain), encoding="utf-8")
    tokens = [json.dumps({"text": ["<s>", *line.split(), "</s>"]}) + "\n" for line in plain]
    (tmp_path / "tokens.jsonl").write_text("".join(tokens), encoding="utf-8")
    for tokenizer in ("words", "spaced"):
        for name in ("plain.txt", "marked.txt", "tokens.jsonl"):
            options = ("--tokens", tokenizer, "--sentences", "line", "--iterations", 5, "--overwrite")
            done = cli("fit", "ngram", tmp_path / name, "--out", tmp_path / name[:5], *options)
            assert ("note: 24 marks of sentences, <s> and </s>, were left out" in done.stderr) == (
                name[0] == "m"
            )
        figures = {}
        for name in ("plain.txt", "marked.txt", "tokens.jsonl"):
            for verb in ("score", "evaluate"):
                done = cli(verb, tmp_path / name[:5], tmp_path / name, "--json")
                figures[name, verb] = json.loads(done.stdout)
                assert ("24 marks of sentences" in done.stderr) == (name[0] == "m")
        for name in ("marked.txt", "tokens.jsonl"):
            whole = [figures[name, "score"]["nats"], figures[name, "evaluate"]["all"]]
            assert whole == [figures["plain.txt", "score"]["nats"], figures["plain.txt", "evaluate"]["all"]]
    model = tmp_path / "plain"
    line = (
        "</s> is the end of a sentence and cannot be followed by a word; "
        "give the words that a sentence begins with"
    )
    assert line in cli("generate", model, "--beginning", "</s>", code=1).stderr
    begun = cli("generate", model, "--beginning", "<s> the").stdout
    assert begun == cli("generate", model, "--beginning", "the").stdout


class TestFilesAndTwoModels:
    """ARPA files, two models interpolated, n-best lists."""

    @pytest.fixture
    def arpa(self, cli, learned, tmp_path):
        path = tmp_path / "m.arpa"
        cli("export", learned, "--format", "arpa", "--out", path)
        return path

    def test_a_file_is_scored_and_evaluated(self, cli, arpa, book):
        rows = cli("score", arpa, book).stdout.splitlines()
        assert rows[0].split("\t") == ["id", "sentence", "words", "unknown", "nats"]
        assert len(rows) == 1 + sum(map(bool, LINES))
        found = json.loads(cli("evaluate", arpa, book, "--json").stdout)
        nats = sum(float(row.split("\t")[-1]) for row in rows[1:])
        assert found["all"]["nats_per_word"] * found["all"]["events"] == pytest.approx(nats, abs=1e-3)
        assert found["learned_from"] is None

    def test_verbs_without_meaning_are_refused(self, cli, arpa, book, tmp_path):
        for words in (
            ("topics", arpa),
            ("transform", arpa, book, "--out", tmp_path / "t.csv"),
            ("report", arpa, "--out", tmp_path / "r.html"),
        ):
            done = cli(*words, code=1)
            assert (
                "does not apply to a language model in the ARPA format; use one of score, evaluate, rescore"
                in (done.stderr)
            )

    def test_two_are_interpolated(self, cli, arpa, book, learned):
        plain = json.loads(cli("evaluate", learned, book, "--json").stdout)
        for extra in (("--weight", 1.0), ("--tune-on", book), ()):
            found = json.loads(cli("evaluate", learned, book, "--interpolate", arpa, *extra, "--json").stdout)
            assert 0.0 <= found["weight"] <= 1.0
            if extra[:1] == ("--weight",):
                assert found["all"] == found["first_alone"] == plain["all"]
        text = cli("evaluate", arpa, book, "--interpolate", learned, "--weight", 0.25).stdout
        assert f"0.250 of {arpa}, 0.750 of {learned}" in text
        assert cli("score", learned, book, "--interpolate", arpa).stdout.count("\n") == 1 + sum(
            map(bool, LINES)
        )

    def test_options_that_do_not_go_together(self, cli, arpa, book):
        both = cli("evaluate", arpa, book, "--interpolate", arpa, "--weight", 0.2, "--tune-on", book, code=2)
        assert "--weight and --tune-on both say the share" in both.stderr
        assert "--weight needs --interpolate" in cli("evaluate", arpa, book, "--weight", 0.2, code=2).stderr

    def test_lists_are_ranked(self, cli, arpa, learned, tmp_path):
        lists = tmp_path / "n.nbest"
        lists.write_text("0 ||| mat the on ran ||| -1\n0 ||| the cat ran ||| -1.5\n1 ||| a dog ran\n")
        for model in (learned, arpa):
            done = cli("rescore", model, lists, "--out", tmp_path / "best.txt", "--best", "--overwrite")
            assert (tmp_path / "best.txt").read_text() == "the cat ran\na dog ran\n"
            assert done.stdout == f"{tmp_path / 'best.txt'}: 2 sentences, 1 with another best\n"
        cli("rescore", arpa, lists, "--out", tmp_path / "again.nbest", "--scale", 0.0)
        rows = (tmp_path / "again.nbest").read_text().splitlines()
        assert rows[0].startswith("0 ||| mat the on ran ||| LanguageModel= -")
        assert rows[0].endswith("||| -1")
        twice = cli("rescore", arpa, tmp_path / "again.nbest", "--out", tmp_path / "twice.nbest", code=1)
        assert "the list already has a feature LanguageModel" in twice.stderr
