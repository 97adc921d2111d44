"""`fit … --words open` on a stream and on a corpus, and `resume` of a stream, as a user runs them."""

import json
import os
import re
import signal
import subprocess
import time
from contextlib import contextmanager

import numpy as np
import pytest
from tests.golden.names import check
from tests.pages.made_up import views_in
from tests.running import PROGRAM, planted_documents, write_lines

from stickbreaker import load
from stickbreaker.saved import ModelDirectory
from stickbreaker.testing.estimators import contents
from stickbreaker.topics.report.genealogy import growth_of
from stickbreaker.topics.report.topic_page import page_of
from stickbreaker.topics.runs import stream_births

OPEN = ("--words", "open", "--schedule", "online", "--batch-size", 20, "--topics", 3, "--threads", 1)
STREAM = (*OPEN, "--inference", "hybrid", "--alpha", "0.1", "--truncation", 30)
EVERY = ("--snapshot-documents", 60, "--snapshot-seconds", 10_000)


def lines(n, seed=0):
    """JSON Lines of documents whose words change, without ids."""
    told = planted_documents(n, seed)
    for number, document in enumerate(told):
        document["text"] += f" new{'abcdefghij'[number // 30]}"
        document["date"] = f"2001-01-{1 + number // 10:02d}"
        del document["id"]
    return "".join(json.dumps(document) + "\n" for document in told)


def documents_in(model):
    """How many documents the last snapshot has."""
    if not (model / "model.json").exists():
        return 0
    return ModelDirectory(model).manifest()["corpus"]["documents"]


@contextmanager
def running(*arguments):
    """The program in a process of its own, which is fed by hand; it is gone at the end."""
    words = [str(argument) for argument in (PROGRAM, *arguments)]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def feed_until(process, text, model, documents):
    """Write to the process and wait for a snapshot of so many documents."""
    process.stdin.write(text)
    process.stdin.flush()
    end = time.monotonic() + 120
    while documents_in(model) < documents:
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture(scope="module")
def undisturbed(cli, tmp_path_factory):
    """A model of 290 documents, of which the last minibatch has ten."""
    out = tmp_path_factory.mktemp("undisturbed") / "model"
    told = cli("fit", "lda", "-", "--out", out, *STREAM, *EVERY, "--json", stdin=lines(290))
    result = json.loads(told.stdout)
    assert (result["documents"], result["steps"], result["status"]) == (290, 15, "done")
    assert "290 documents, " in told.stderr.splitlines()[-1]
    assert " words, " in told.stderr.splitlines()[-1]
    predicted = re.search(r", predicted at (-\d\.\d+) nats/word \(unigram (-\d\.\d+)\)$", told.stderr.strip())
    last = ModelDirectory(out).read().trace[-1]["prequential"]
    assert predicted is not None
    assert predicted.groups() == (f"{last['score']:.3f}", f"{last['unigram']:.3f}")
    assert "the whole stream" not in told.stderr
    return out


def test_names_in_files_are_those_that_are_known(undisturbed):
    check(undisturbed)


@pytest.mark.faults
def test_a_killed_process_goes_on_and_ends_the_same(undisturbed, cli, tmp_path):
    out = tmp_path / "model"
    with running("fit", "lda", "-", "--out", out, *STREAM, *EVERY) as process:
        feed_until(process, lines(290)[: len(lines(175))] + " " * 9_000, out, 120)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    assert documents_in(out) == 120
    cli("resume", out, "--threads", 2, stdin=lines(290))
    assert contents(out) == contents(undisturbed)


def test_a_topic_that_takes_all_is_told(cli, tmp_path):
    texts = [" ".join(f"kind{d // 60}w{(7 * d + i * i) % 9}" for i in range(20)) for d in range(360)]
    given = ("--out", tmp_path / "model", *OPEN[:-4], "--topics", 12, "--threads", 1, "--alpha", 0.05, *EVERY)
    fed = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    told = cli("fit", "lda", "-", *given, "--tau0", 1, "--seed", 1, stdin=fed).stderr
    assert told.count("note: one topic holds ") == 1
    check(tmp_path / "model")
    page = tmp_path / "page.html"
    cli("report", tmp_path / "model", "--out", page)
    assert "Note: one topic holds " in page.read_text()


def test_minibatches_that_were_large_are_told_at_the_end(cli, tmp_path):
    given = ("--out", tmp_path / "model", *STREAM, *EVERY, "--json")
    told = cli("fit", "lda", "-", *given, stdin=lines(90)).stderr
    assert "note: a minibatch is 22% of the whole stream" in told
    assert "smaller minibatches" in told


@pytest.mark.slow
def test_a_model_is_read_while_it_learns(cli, tmp_path):
    out, held = tmp_path / "model", write_lines(tmp_path / "held.jsonl", planted_documents(6, seed=9))
    with running("fit", "lda", "-", "--out", out, *STREAM, "--snapshot-seconds", 0) as process:
        feed_until(process, lines(90) + " " * 9_000, out, 80)
        told = cli("topics", out, "--top", 8).stdout
        assert any(word in told for word in ("river", "stream", "boat", "shore"))
        assert cli("topics", out, "--at", "2001-01-03").stdout.startswith(
            "step 1: 20 documents read, 2001-01-02"
        )
        cli("transform", out, held, "--out", tmp_path / "shares.csv")
        cli("report", out, "--out", tmp_path / "report.html")
        assert documents_in(out) == 80
        assert "another run is writing this model" in cli("resume", out, code=1, stdin=lines(90)).stderr
        process.stdin.close()
        assert process.wait() == 0
    assert documents_in(out) == 90


@pytest.mark.slow
@pytest.mark.faults
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_saves_and_says_how_to_go_on(number, cli, tmp_path):
    out = tmp_path / "model"
    with running("fit", "lda", "-", "--out", out, *STREAM, *EVERY) as process:
        feed_until(process, lines(90) + " " * 9_000, out, 60)
        while len((out / "trace.jsonl").read_text().splitlines()) < 4:
            time.sleep(0.05)
        process.send_signal(number)
        assert process.wait() == 1
        told = process.stderr.read().splitlines()
    assert told[-1].endswith(
        f"interrupted; the model is saved; give the stream again, from its beginning, to: "
        f"stickbreaker resume {out}"
    )
    assert documents_in(out) == 80
    result = json.loads(cli("resume", out, "--json", stdin=lines(90)).stdout)
    assert (result["documents"], result["steps"]) == (90, 5)
    assert "finished already" in cli("resume", out, stdin="").stdout


@pytest.mark.slow
@pytest.mark.faults
def test_a_signal_before_the_first_minibatch_leaves_nothing(tmp_path):
    out = tmp_path / "model"
    with running("fit", "lda", "-", "--out", out, *STREAM) as process:
        process.stdin.write(lines(5))
        process.stdin.flush()
        catches = f"/proc/{process.pid}/status"
        if not os.path.exists(catches):
            pytest.skip("needs /proc")
        mask = 1 << (signal.SIGTERM - 1)
        while not _caught(catches) & mask:
            time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 1
        assert "nothing is saved" in process.stderr.read()
    assert not list(tmp_path.iterdir())


def _caught(status):
    with open(status) as file:
        return int(next(line.split()[1] for line in file if line.startswith("SigCgt")), 16)


def test_bad_lines(cli, tmp_path):
    text = lines(70).splitlines()
    bad = "\n".join([*text[:50], "nonsense", *text[50:]])
    told = cli("fit", "lda", "-", "--out", tmp_path / "a", *STREAM, stdin=bad, code=1)
    assert "what was learned is saved" in told.stderr
    assert "stickbreaker: standard input:51: malformed JSON" in told.stderr.splitlines()[-1]
    told = cli("resume", tmp_path / "a", "--on-error", "skip", "--json", stdin=bad)
    result = json.loads(told.stdout)
    assert (result["documents"], result["skipped"]) == (70, 1)
    assert "skipped 1 (malformed JSON); the first: standard input:51" in told.stderr
    told = cli("fit", "lda", "-", "--out", tmp_path / "b", *STREAM, "--on-error", "skip", stdin=bad)
    assert "skipped 1 (malformed JSON)" in told.stderr
    states = [(tmp_path / name / "state.safetensors").read_bytes() for name in "ab"]
    assert states[0] == states[1]


def test_lines_that_are_too_large(cli, tmp_path):
    text = lines(50)
    large = text + json.dumps({"text": "x" * 1_000_000}) + "\n" + lines(20, seed=1)
    bound = ("--largest-text", 1)
    told = cli("fit", "lda", "-", "--out", tmp_path / "a", *STREAM, *bound, stdin=large, code=1)
    assert "stickbreaker: standard input:51: the line is larger than 1 MB" in told.stderr.splitlines()[-1]
    assert ModelDirectory(tmp_path / "a").manifest()["stream"]["largest_text"] == 1_000_000
    told = cli("resume", tmp_path / "a", "--on-error", "skip", "--json", stdin=large)
    assert (json.loads(told.stdout)["documents"], json.loads(told.stdout)["skipped"]) == (70, 1)


def test_documents_without_words_are_told(cli, tmp_path):
    stdin = lines(40) + '{"text": "of the"}\n' * 3
    told = cli("fit", "lda", "-", "--out", tmp_path / "m", *STREAM, stdin=stdin)
    assert "from 43 documents (3 without words) in 2 steps" in told.stdout


def test_a_file_is_read_as_a_stream_and_found_again(cli, tmp_path, monkeypatch):
    (tmp_path / "s.jsonl").write_text(lines(60))
    monkeypatch.chdir(tmp_path)
    cli("fit", "hdp", "s.jsonl", "--stream", "--words", "open", "--batch-size", 20, "--out", "m")
    manifest = ModelDirectory(tmp_path / "m").manifest()
    assert manifest["estimator"] == "HDP"
    assert manifest["stream"]["inputs"] == [str(tmp_path / "s.jsonl")]
    assert manifest["corpus"]["documents"] == 60


def test_the_options_of_an_open_vocabulary(cli, tmp_path):
    (tmp_path / "words.txt").write_text("Rivers\nbanking\nRiver\n")
    told = (*STREAM, "--word-concentration", "learned", "--reorder-every", 4, "--memory", "bloom")
    given = (*told, "--total", 500, "--stemming", "--spelling-words", tmp_path / "words.txt")
    cli("fit", "lda", "-", "--out", tmp_path / "m", *given, stdin=lines(60))
    settings = ModelDirectory(tmp_path / "m").manifest()["settings"]
    words = settings["words"]["open"]
    assert words["concentration"] == "learned"
    assert (words["truncation"], words["reorder_every"], words["memory"]) == (30, 4, "bloom")
    assert words["spelling"]["spelling"]["words"] == ["river", "bank"]
    assert settings["schedule"]["online"]["total"] == 500.0


@pytest.mark.parametrize(
    ("words", "options", "expected"),
    [
        ("open", (), {"burn_in": 5, "samples": 10}),
        ("open", ("--burn-in", 2), {"burn_in": 2, "samples": 10}),
        ("open", ("--samples", 3), {"burn_in": 5, "samples": 3}),
        ("closed", (), {"burn_in": 5, "samples": 5}),
    ],
)
def test_sampled_documents_of_an_open_vocabulary_have_ten_samples(words, options, expected, cli, tmp_path):
    (tmp_path / "s.jsonl").write_text(lines(20))
    given = ("--words", words, "--inference", "hybrid", *options, "--topics", 2, "--iterations", 1)
    cli("fit", "lda", tmp_path / "s.jsonl", "--out", tmp_path / "m", *given)
    assert ModelDirectory(tmp_path / "m").manifest()["settings"]["inference"] == {"hybrid": expected}


def test_files_that_are_built_have_all_words(cli, tmp_path):
    (tmp_path / "s.jsonl").write_text(lines(60) + '{"text": "hapax"}\n')
    told = cli("fit", "lda", tmp_path / "s.jsonl", "--out", tmp_path / "m", *OPEN, "--iterations", 1)
    assert "no other words are learned" not in told.stderr
    words = cli("topics", tmp_path / "m", "--top", 100).stdout
    assert "hapax" in words
    cli("corpus", "build", tmp_path / "s.jsonl", "--out", tmp_path / "c", "--min-documents", 2)
    told = cli("fit", "lda", tmp_path / "c", "--out", tmp_path / "n", *OPEN, "--iterations", 1)
    assert "the corpus has a vocabulary, and no other words are learned; build it with" in told.stderr
    assert "hapax" not in cli("topics", tmp_path / "n", "--top", 100).stdout


MISTAKES = [
    ("fit lda - --stream --out {dir}/m", 1, "give --words open, or build a corpus first"),
    ("fit lda - --words open --schedule online --out {dir}/m", 1, "standard input: there is no document"),
    ("fit lda - --words open --stream --schedule batch --out {dir}/m", 2, "--stream needs --schedule online"),
    ("fit lda - --words open --stream --held-out 0.1 --out {dir}/m", 2, "--held-out does not apply"),
    ("fit lda - --words open --stream --min-documents 3 --out {dir}/m", 2, "--min-documents does not apply"),
    ("fit lda - --words open --stream --longest-gap 3 --out {dir}/m", 2, "--longest-gap does not apply"),
    ("fit lda - --words open --stream --text-field en=a,de=b --out {dir}/m", 1, "a stream has one language"),
    ("fit lda - --words open --eta 0.1 --out {dir}/m", 2, "--eta does not apply with --words open"),
    ("fit lda - --truncation 9 --out {dir}/m", 2, "--truncation needs --words open"),
    ("fit hdp - --memory keep --out {dir}/m", 2, "--memory needs --words open"),
    ("fit lda - --date-field day --out {dir}/m", 2, "--date-field needs --stream"),
    ("fit lda - --total 9 --out {dir}/m", 2, "--total needs --schedule online"),
    ("fit lda - --words open --word-concentration much --out {dir}/m", 2, "'much' is not a number"),
    ("fit lda - --words open --stream --spelling-words {dir}/no --out {dir}/m", 1, "no such file"),
    ("fit lda - --words open --stream --out {done}", 1, "already exists"),
    ("fit hdp - --words open --moves births --out {dir}/m", 1, "there is no document"),
    ("fit hdp - --moves births --out {dir}/m", 2, "--moves births is for streams"),
    ("fit hdp {dir}/a.jsonl --words open --moves births --out {dir}/m", 2, "--moves births is for streams"),
    (
        "fit hdp - --words open --stream --moves births --representation franchise --out {dir}/m",
        1,
        "does not go with",
    ),
    ("resume {closed} --on-error skip", 2, "--on-error is for a run over a stream"),
]


@pytest.mark.parametrize(("line", "code", "told"), MISTAKES)
def test_mistakes_are_told_in_one_line(line, code, told, cli, model, undisturbed, tmp_path):
    places = {"dir": tmp_path, "done": undisturbed, "closed": model}
    result = cli(*(word.format(**places) for word in line.split()), code=code, stdin="")
    assert told in result.stderr.splitlines()[-1]
    assert result.stdout == ""
    assert not (tmp_path / "m").exists()


BIRTHS = (
    *("--words", "open", "--stream", "--moves", "births", "--batch-size", 20, "--topics", 2),
    *("--word-concentration", 30),  # so that few counts open a topic
)


def changing(n):
    """Lines of documents about two subjects, and from the middle on about two others."""
    draw, subjects = np.random.default_rng(0), [[f"{a}{b}ing" for b in "bdfgklmnprst"] for a in "aeiou"]
    made = []
    for place in range(n):
        words = subjects[place % 2 + (2 if place >= n // 2 else 0)]
        made.append(json.dumps({"text": " ".join(words[i] for i in draw.integers(len(words), size=20))}))
    return made


@pytest.mark.long("a stream that is long enough for births")
def test_topics_of_a_stream_open_and_close(cli, tmp_path, monkeypatch):
    monkeypatch.setattr(stream_births, "WINDOW", 60)
    told, whole, cut = changing(470), tmp_path / "whole", tmp_path / "cut"
    given = (*BIRTHS, "--seed", 1, "--threads", 1)
    cli("fit", "hdp", "-", "--out", whole, *given, *EVERY, stdin="\n".join(told))
    trace = ModelDirectory(whole).read().trace
    moves = [edit["move"] for record in trace for edit in record.get("edits", ())]
    assert {"split", "merge"} == set(moves)
    model = load(whole)
    assert model.moves == "births"
    assert 2 + moves.count("split") - moves.count("merge") == trace[-1]["topics"]
    letters = [{word[0] for word in words} for words in model.top_words(5)]
    assert {"i"} in letters
    assert {"o"} in letters
    growth = growth_of(trace, model.topic_ids_, model.vocabulary_.spelled, [[0]] * model.n_topics_)
    assert growth is not None
    assert (growth.splits, growth.merges) == (moves.count("split"), moves.count("merge"))
    check(whole)
    cli("fit", "hdp", "-", "--out", cut, *given, *EVERY, stdin="\n".join([*told[:360], "{"]), code=1)
    assert documents_in(cut) == 360
    cli("resume", cut, "--threads", 2, stdin="\n".join(told))
    assert contents(cut) == contents(whole)
    more = tmp_path / "more.jsonl"
    more.write_text("\n".join(changing(240)[:120]))
    cli("update", whole, more, "--out", tmp_path / "new", "--batch-size", 20)
    after = ModelDirectory(tmp_path / "new").read().trace[len(trace) :]
    assert len(after) == 6
    assert any(edit["move"] == "split" for record in after for edit in record.get("edits", ()))


@pytest.mark.parametrize("total", [(), ("--total", 100_000)])
def test_what_nobody_counted_is_no_count_in_a_stream_s_report(total, cli, tmp_path):
    """Of a stream the model has expected tokens, which fade and stand for more documents than there were."""
    cli("fit", "lda", "-", "--out", tmp_path / "m", *STREAM, *EVERY, *total, stdin=lines(120))
    model, page = load(tmp_path / "m"), page_of(tmp_path / "m", "t")
    assert page.report.words
    assert all(row.documents is None and row.tokens is None for row in page.report.words)
    assert not model.vocabulary_.documents.any()
    shares = {row.word: row.share for row in page.report.words}
    topics = model.topic_shares_ @ model.topic_word_
    assert shares == pytest.approx(dict(zip(model.vocabulary_.words, topics.tolist(), strict=True)))
    assert list(shares.values()) == sorted(shares.values(), reverse=True)
    (table,) = [one for one in views_in(page.payload, "Table") if "find" in one]
    assert [column[0] for column in table["columns"]][:2] == ["word", "share of all words"]
    shown = page.report.shown_words
    assert [shown[row[0]] for row in table["rows"]] == [row.word for row in page.report.words]
    assert "How often each was used nobody counted" in page.html()
    assert page.report.unigram is None
    assert "documents with it" not in table
    assert "times used" not in table
