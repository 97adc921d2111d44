"""Every verb: help, exit statuses, one JSON object, one line of error, and what it does."""

import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import click
import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.commands import every_command
from tests.running import PROGRAM, SMALL, TOPICS, planted_documents, write_lines

from stickbreaker import HDP, LDA, Corpus, UserError
from stickbreaker.console.console import GivenPath, printable
from stickbreaker.testing.estimators import contents

VERBS = {  # and a default that its help must show, or None
    "": None,
    "demo": None,
    "corpus": None,
    "corpus build": "[default: text]",
    "corpus info": "[default: 20; x>=0]",
    "corpus export": "[required]",
    "fit": None,
    "fit lda": "[default: by the number of documents: its square root, at most one for 20",
    "fit syntax": "[default: 32; x>=1]",
    "resume": "[default: 60.0; x>=0.0]",
    "topics": "[default: 10; x>=1]",
    "name": "3= takes its name away",
    "transform": "[default: (every core); x>=1]",
    "evaluate": "[default: 0.5; 0.0<=x<1.0]",
    "report": "[default: the model's name]",
    "export": "[default: 20; x>=1]",
}
HEAVY = ("numba", "scipy", "sklearn", "pyarrow", "numpy", "pandas", "safetensors")


@pytest.mark.parametrize("verb", VERBS)
def test_help(verb):
    words = [PROGRAM, *verb.split(), "--help", "all"]
    timed = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1", "COLUMNS": "200"}
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=timed)
    flat = " ".join(done.stdout.split())
    assert flat.startswith(f"Usage: stickbreaker {verb}".strip())
    default = VERBS[verb]
    if default is not None:
        assert default in flat
        assert "--json" in flat
        assert "Example: stickbreaker " + verb in flat
    imported = {line.split("|")[-1].strip().split(".")[0] for line in done.stderr.splitlines()}
    assert "click" in imported
    assert not imported & set(HEAVY)


def test_the_overview_names_every_verb(program):
    told = program("--help").stdout
    assert all(
        verb in told for verb in ("demo", "corpus", "fit", "resume", "topics", "transform", "evaluate")
    )
    assert "Start with: stickbreaker demo" in told
    assert program("--version").stdout.startswith("stickbreaker, version 0.")


USAGE = [
    "trainn",
    "fit",
    "fit plsa",
    "fit lda",
    "fit lda X",
    "fit lda X --out Y --topics 0",
    "fit lda X --out Y --topics many",
    "fit lda X --out Y --schedule weekly",
    "fit lda X --out Y --inference viterbi",
    "fit lda X --out Y --alpha guess",
    "fit lda X --out Y --eta guess",
    "fit lda X --out Y --iterations 0",
    "fit lda X --out Y --held-out 1",
    "fit lda X --out Y --threads 0",
    "fit lda X --out Y --checkpoint-every -1",
    "fit lda X --out Y --seed x",
    "fit lda X --out Y --unknown",
    "resume",
    "topics M --top 0",
    "transform M X",
    "transform M --out F.csv",
    "evaluate M",
    "evaluate M X --completion 1",
    "search-k X --topics 2 --out S --held-out nan",
    "report M",
]


@pytest.mark.parametrize("line", USAGE)
def test_wrong_usage_is_status_2(cli, line):
    told = cli(*line.split(), code=2)
    assert told.stdout == ""
    if "COMMAND [ARGS]" not in told.stderr:  # the help of a group of commands
        (said,) = told.stderr.splitlines()
        assert said.startswith("stickbreaker: ")
        assert said.endswith(" --help)")


NAMELESS = [
    ("evaluate", "model", ""),
    ("topics", ""),
    ("fit", "lda", "", "--out", "model"),
    ("fit", "lda", "lines.jsonl", "--out", ""),
    ("corpus", "build", "", "--out", "corpus"),
    ("corpus", "build", "lines.jsonl", "--out", ""),
    ("corpus", "info", ""),
    ("translate", "tune", "lexicon", ""),
    ("search-k", "", "--topics", "2", "--out", "search"),
]


@pytest.mark.parametrize("words", NAMELESS, ids=" ".join)
def test_an_empty_name_is_refused(cli, words):
    """As of a shell's variable that is not set; it would be the present directory."""
    told = cli(*words, code=2)
    assert "the name of a file or directory is empty" in told.stderr.splitlines()[-1]


def test_every_path_of_every_command_refuses_an_empty_name():
    paths = [
        (line, one.name, one.type)
        for line, command in every_command()
        for one in command.params
        if isinstance(one.type, click.Path)
    ]
    assert len(paths) > 50
    assert not [(line, name) for line, name, kind in paths if not isinstance(kind, GivenPath)]


@pytest.mark.parametrize("words", [[], ["fit"], ["corpus"]])
def test_a_group_alone_prints_its_help(cli, words):
    asked = cli(*words, code=2)
    assert (asked.stdout + asked.stderr).strip() == cli(*words, "--help").stdout.strip()


def test_wrong_usage_is_one_line(cli):
    assert cli("corpus", "info", "X", "a\nb", code=2).stderr.count("\n") == 1


MEANT = [  # a command line, and what the last line says that may have been meant
    ("topic M", "No such command 'topic'. Did you mean 'topics'?"),
    ("fti lda X --out M", "No such command 'fti'. Did you mean 'fit'?"),
    ("lda X --out M", "No such command 'lda'. Did you mean 'fit lda'?"),
    ("build X --out C", "No such command 'build'. Did you mean 'corpus build'?"),
    ("fit lad X --out M", "No such command 'lad'. Did you mean 'lda'?"),
    ("corpus bild X --out C", "No such command 'bild'. Did you mean 'build'?"),
    ("qqq", "No such command 'qqq'."),
    ("fit lda X --out M --topcs 3", "'--topics'"),
    (
        "fit my.corpus",
        "give the kind of model before 'my.corpus': lda, hdp, ngram, grammar or syntax. For topics: "
        "stickbreaker fit lda my.corpus --out MODEL",
    ),
]


@pytest.mark.parametrize(("line", "says"), MEANT)
def test_what_was_meant(cli, line, says):
    told = cli(*line.split(), code=2).stderr.splitlines()[-1]
    assert told.startswith(f"stickbreaker: {says} (") or (says.startswith("'--") and says in told)


def test_a_kind_left_out_before_a_directory(cli, model, monkeypatch):
    monkeypatch.chdir(model.parent)
    assert (
        "give the kind of model before 'model': lda, hdp, ngram, grammar or syntax."
        in cli("fit", "model", code=2).stderr
    )


@pytest.mark.parametrize("verb", [("fit", "lda"), ("fit", "ngram"), ("corpus", "build")])
def test_a_model_in_place_of_documents(cli, model, tmp_path, verb):
    told = cli(*verb, model, "--out", tmp_path / "m", code=1).stderr
    assert told == (
        f"stickbreaker: {model}: is a model, not a corpus or files of documents; to continue its "
        f"run: stickbreaker resume {model}; for new documents: stickbreaker transform {model} FILE --out "
        "T.csv\n"
    )


def test_one_is_no_plural(cli, model, tmp_path):
    (tmp_path / "one.txt").write_text("river boat fish river\n")
    cli("corpus", "build", tmp_path / "one.txt", "--out", tmp_path / "c", "--max-share", 1)
    fitted = cli("fit", "lda", tmp_path / "c", "--out", tmp_path / "m", "--topics", 1, "--iterations", 1)
    lines = [
        fitted.stdout,
        cli("transform", tmp_path / "m", tmp_path / "one.txt", "--out", tmp_path / "t.csv").stdout,
        cli("evaluate", model, tmp_path / "one.txt").stdout,
        cli("compare", tmp_path / "m", tmp_path / "m").stdout,
        cli("corpus", "export", tmp_path / "c", "--format", "lda-c", "--out", tmp_path / "x").stdout,
        cli("export", tmp_path / "m", "--format", "gensim-topics", "--out", tmp_path / "g.txt").stdout,
        cli("fit", "hdp", tmp_path / "c", "--out", tmp_path / "h", "--topics", 1, "--iterations", 1).stderr,
    ]
    assert all("1 topic" in lines[n] or "1 document" in lines[n] for n in range(6))
    found = re.search(
        r"(?<![\d.,])1 (documents|topics|words|passes|windows|steps|labels)\b", "\n".join(lines)
    )
    assert found is None, found


def test_an_order_beyond_the_highest(cli, planted, tmp_path):
    told = cli("fit", "ngram", planted, "--out", tmp_path / "m", "--order", 11, code=1).stderr
    says = "--order 11; --order is at most 10"
    assert told == f"stickbreaker: {says}\n"


def test_options_without_effect_are_refused(cli, model, planted, tmp_path):
    (tmp_path / "plain.txt").write_text("a river\na boat\n")
    line = ("fit", "lda", tmp_path / "plain.txt", "--out", tmp_path / "m", "--text-field", "en=a,de=b")
    assert "a plain text has no field 'en=a,de=b'; leave out --text-field" in cli(*line, code=1).stderr
    cli("fit", "ngram", planted, "--out", tmp_path / "n", "--iterations", 2)
    told = cli("evaluate", tmp_path / "n", planted, "--threads", 2, code=2).stderr
    assert "--threads does not apply to a language model without topics" in told


def test_a_local_run_is_refused_before_spark_starts(cli, model):
    told = cli("resume", model, "--engine", "spark", code=1).stderr
    assert told == f"stickbreaker: {model}: the run began on one machine; resume it without --engine spark\n"


@pytest.mark.parametrize("given", [("--tol", -1), ("--kappa", 2, "--schedule", "online"), ("--topics", 0)])
def test_numbers_out_of_range_are_usage_errors(cli, planted, tmp_path, given):
    told = cli("fit", "lda", planted, "--out", tmp_path / "m", *given, code=2).stderr
    assert f"Invalid value for '{given[0]}'" in told


MISTAKES = [  # a command line, with {} for places, and what the line on standard error says
    ("fit lda {dir}/none.jsonl --out {dir}/m", "none.jsonl: no such file"),
    ("fit lda {dir} --out {dir}/m", "{dir}"),
    ("fit lda {empty} --out {dir}/m", "no document"),
    ("fit lda {data} --out {model}", "{model}: already exists; choose another path or give --overwrite"),
    ("fit lda {data} --out {data} --overwrite", "is not a model; --overwrite replaces models only"),
    ("fit lda {data} --out {data}/m", "File exists"),
    ("fit lda {data} --out {dir}/m --alpha -1", "--alpha -1.0; --alpha is above 0 and at most 1,000,000"),
    ("fit lda {data} --out {dir}/m --eta 0", "--eta 0.0; --eta is above 0"),
    ("fit lda {data} --out {dir}/m --eta nan", "--eta nan; --eta is above 0"),
    ("fit lda {data} --out {dir}/m --schedule online --tau0 inf", "--tau0 inf; --tau0 is a number"),
    (
        "fit lda {data} --out {dir}/m --keep-local --schedule online",
        "--keep-local needs batch or memoised mean-field inference",
    ),
    ("fit lda {data} --out {dir}/m --text-field body", "planted.jsonl:1: "),
    ("fit lda {data} --out {dir}/m --language tlh", "tlh"),
    ("fit lda {data} --out {dir}/m --min-documents 1000", "the vocabulary is empty"),
    ("resume {dir}/none", "{dir}/none: there is no such model; a model is a directory with model.json"),
    ("resume {dir}", "{dir}: is not a saved model"),
    ("topics {data}", "is not a saved model"),
    ("transform {dir}/none {data} --out {dir}/t.csv", "there is no such model"),
    ("transform {model} {dir}/none.jsonl --out {dir}/t.csv", "no such file"),
    ("transform {model} {data} --out {dir}/t.xls", "t.xls: cannot tell the format; end the name in"),
    ("transform {model} {data} --out {dir}/t", "cannot tell the format"),
    ("transform {model} {data} --out {there}", "already exists; choose another path or give --overwrite"),
    (
        "transform {model} {data} --out {dir}/none/t.csv",
        "{dir}/none: there is no such directory; make it first",
    ),
    ("evaluate {model} {foreign}", "there is nothing to score; no document has a word of the model's"),
    ("evaluate {model} {empty}", "no document"),
    ("report {model} --out {there}", "already exists"),
    ("report {model} --out {dir} --overwrite", "{dir}: already exists; choose another path"),
    ("report {dir}/none --out {dir}/r.html", "there is no such model"),
]


@pytest.mark.parametrize(("line", "says"), MISTAKES)
def test_a_mistake_is_one_line_and_status_1(cli, model, planted, tmp_path, line, says):
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "there.csv").write_text("mine")
    places = {"dir": tmp_path, "model": model, "data": planted, "empty": tmp_path / "empty.jsonl"}
    places["there"] = tmp_path / "there.csv"
    places["foreign"] = write_lines(tmp_path / "foreign.jsonl", [{"text": "zebra giraffe"}, {"text": ""}])
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    told = cli(*line.format(**places).split(), code=1)
    assert told.stdout == ""
    lines = [one for one in told.stderr.splitlines() if " documents read in " not in one]
    assert len(lines) == 1
    assert lines[0].startswith("stickbreaker: ")
    assert says.format(**places) in lines[0]
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before
    assert (tmp_path / "there.csv").read_text() == "mine"


def test_statuses_of_the_installed_program(program, tmp_path):
    assert program("topics", tmp_path, code=1).stderr.count("\n") == 1
    assert program("topics", code=2).stderr == (
        "stickbreaker: Missing argument 'MODEL'. (stickbreaker topics --help)\n"
    )


# What the verbs do


@pytest.mark.slow
def test_a_day_of_work_through_the_installed_program(program, cli, planted, model, tmp_path):
    """From a file to a report: learning, resuming and reading in processes of their own."""
    corpus, path = tmp_path / "corpus", tmp_path / "model"
    cli("corpus", "build", planted, "--out", corpus)
    assert "60" in cli("corpus", "info", corpus).stdout
    fitted = json.loads(program("fit", "lda", corpus, "--out", path, *SMALL, "--json").stdout)
    assert (fitted["topics"], fitted["documents"], fitted["converged"]) == (3, 60, True)
    more = f"to learn from more documents: stickbreaker update {path} FILE"
    assert program("resume", path).stdout == f"{path}: finished already; {more}\n"
    lines = program("topics", path, "--top", 8).stdout.splitlines()
    assert {frozenset(line.split()[3:]) for line in lines[1:]} == {frozenset(topic) for topic in TOPICS}
    cli("transform", path, planted, "--out", tmp_path / "shares.csv")
    assert "unigram" in cli("evaluate", path, planted).stdout
    cli("report", path, "--out", tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")
    assert np.array_equal(LDA.load(path).components_, LDA.load(model).components_)


def test_json_is_one_object(cli, planted, model, tmp_path):
    lines = {
        "fit": ("fit", "lda", planted, "--out", tmp_path / "m", *SMALL, "--iterations", 2),
        "resume": ("resume", model),
        "topics": ("topics", model, "--top", 4),
        "transform": ("transform", model, planted, "--out", tmp_path / "t.csv"),
        "evaluate": ("evaluate", model, planted),
        "report": ("report", model, "--out", tmp_path / "r.html"),
    }
    told = {verb: json.loads(cli(*line, "--json").stdout) for verb, line in lines.items()}
    assert all(isinstance(result, dict) for result in told.values())
    assert set(told["fit"]) >= {"model", "topics", "documents", "passes", "score", "seed", "held_out"}
    assert (told["fit"]["passes"], told["fit"]["converged"], told["fit"]["held_out"]) == (2, False, None)
    assert told["report"]["bytes"] == (tmp_path / "r.html").stat().st_size
    topics = told["topics"]["topics"]
    assert [len(topic["words"]) for topic in topics] == [4, 4, 4]
    assert sum(topic["share"] for topic in topics) == pytest.approx(1)
    by_probability = json.loads(cli("topics", model, "--by", "probability", "--top", 4, "--json").stdout)[
        "topics"
    ]
    for topic in by_probability:
        assert topic["probabilities"] == sorted(topic["probabilities"], reverse=True)
    assert [topic["share"] for topic in topics] == sorted((t["share"] for t in topics), reverse=True)


def test_progress_is_on_standard_error(cli, planted, tmp_path):
    told = cli("fit", "lda", planted, "--out", tmp_path / "m", *SMALL, "--iterations", 2)
    assert "60 documents read in" in told.stderr
    assert "pass 2, step 2, bound -" in told.stderr
    assert "note: 2 passes were not enough for the score to converge" in told.stderr
    assert told.stdout.splitlines()[1] == f"Next: stickbreaker topics {tmp_path / 'm'}"


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_transform(cli, model, planted, tmp_path, suffix):
    out = tmp_path / f"shares{suffix}"
    odd = [{"id": 'a "quoted", id', "text": "zebra"}, {"id": "empty", "text": ""}]
    new = write_lines(tmp_path / "new.jsonl", [*planted_documents(7, seed=9), *odd])
    told = cli("transform", model, new, "--out", out).stdout
    assert told == f"{out}: 9 documents × 3 topics; 2 without a known word, 0.9 % of the words unseen\n"
    if suffix == ".csv":
        with out.open(newline="") as file:
            rows = list(csv.DictReader(file))
    else:
        rows = pq.read_table(out).to_pylist()
    assert [row["id"] for row in rows] == [*(f"d{n}" for n in range(7)), 'a "quoted", id', "empty"]
    theta = np.array([[float(row[f"topic{k}"]) for k in range(3)] for row in rows])
    assert np.allclose(theta.sum(axis=1), 1)
    lda = LDA.load(model)
    assert np.array_equal(theta, lda.transform([d["text"] for d in planted_documents(7, seed=9)] + ["", ""]))
    cli("transform", model, planted, "--out", out, "--overwrite", "--threads", 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.jsonl", out.name]


def test_a_table_has_metadata_and_the_topic_of_each_document(cli, model, tmp_path):
    """In all formats alike, and as the frame of pandas."""
    import openpyxl

    about = [
        {"year": 1, "share": 1, "title": "=1+1", "new": True, "tags": ["a", "b"], "mixed": 1, "topic": "x"},
        {"year": 2, "share": 0.5, "title": "b", "new": False, "mixed": "two"},
        {"year": None, "title": None, "mixed": None},
    ]
    texts = [*(one["text"] for one in planted_documents(2, seed=9)), "zebra"]
    rows = [
        {"id": f"d{n}", "text": text, **own} for n, (text, own) in enumerate(zip(texts, about, strict=True))
    ]
    new = write_lines(tmp_path / "new.jsonl", rows)
    for suffix in (".csv", ".parquet", ".xlsx"):
        cli("transform", model, new, "--metadata", "--out", tmp_path / f"t{suffix}")
    whole = pq.read_table(tmp_path / "t.parquet")
    names = ["id", "year", "share", "title", "new", "tags", "mixed", "metadata.topic", "topic"]
    assert whole.column_names == [*names, "topic0", "topic1", "topic2"]
    found = whole.to_pylist()
    theta = LDA.load(model).transform(texts)
    assert [row["topic"] for row in found] == [*theta[:2].argmax(axis=1).tolist(), None]
    assert [[row[f"topic{k}"] for k in range(3)] for row in found] == theta.tolist()
    assert [row["year"] for row in found] == [1, 2, None]
    assert [row["share"] for row in found] == [1.0, 0.5, None]
    assert [row["new"] for row in found] == [True, False, None]
    assert [row["tags"] for row in found] == ["a; b", None, None]
    assert [row["mixed"] for row in found] == ["1", "two", None]
    with (tmp_path / "t.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    assert [row["title"] for row in cells] == ["'=1+1", "b", ""]
    assert [float(row["topic1"]) for row in cells] == theta[:, 1].tolist()
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    assert [cell.value for cell in sheet[1]] == whole.column_names
    for cells, row in zip(sheet.iter_rows(2), found, strict=True):  # which have 16 digits
        assert [cell.value for cell in cells][:9] == list(row.values())[:9]
        assert [cell.value for cell in cells][9:] == pytest.approx(list(row.values())[9:])
    assert sheet["D2"].data_type == "s", "no formula"
    frame = LDA.load(model).documents_frame(Corpus.build([new]))
    assert frame.columns.tolist() == whole.column_names
    assert frame["topic0"].tolist() == theta[:, 0].tolist()


def test_shares_of_parts_are_summed_to_whole_documents(cli, model, tmp_path):
    texts = ["Boat river bank. " * 7 + "Loan money coin.", "Zebra yak. Gnu.", "River."]
    rows = [{"id": f"w{n}", "text": text, "year": 2000 + n} for n, text in enumerate(texts)]
    new = write_lines(tmp_path / "new.jsonl", rows)
    line = ("transform", model, new, "--split", "sentences:2")
    cli(*line, "--out", tmp_path / "parts.parquet", "--metadata")
    cli(*line, "--out", tmp_path / "whole.parquet", "--metadata", "--by", "document")
    parts = pq.read_table(tmp_path / "parts.parquet").to_pylist()
    assert [row["id"] for row in parts] == ["w0#1", "w0#2", "w0#3", "w0#4", "w1#1", "w2#1"]
    assert [row["part"] for row in parts] == [1, 2, 3, 4, 1, 1]
    whole = pq.read_table(tmp_path / "whole.parquet")
    assert whole.column_names == ["id", "year", "topic", "topic0", "topic1", "topic2"]
    found = whole.to_pylist()
    assert [(row["id"], row["year"]) for row in found] == [("w0", 2000), ("w1", 2001), ("w2", 2002)]
    shares = np.array([[row[f"topic{k}"] for k in range(3)] for row in parts])
    theta = np.array([[row[f"topic{k}"] for k in range(3)] for row in found])
    assert theta[0] == pytest.approx(shares[:4].mean(axis=0), rel=1e-9)  # of as many words each
    assert theta[1] == pytest.approx(shares[4])
    assert [row["topic"] for row in found][1] is None
    assert theta[2].tolist() == shares[5].tolist()
    error = cli("transform", model, new, "--by", "document", "--out", tmp_path / "x.csv", code=1).stderr
    assert "the documents are not parts of others; build the corpus with --split" in error
    assert not (tmp_path / "x.csv").exists()
    assert "unknown split" in cli(*line[:3], "--split", "pages", "--out", tmp_path / "x.csv", code=1).stderr


def test_topics_are_a_table(cli, model, tmp_path):
    whole = json.loads(cli("topics", model, "--top", 4, "--json").stdout)["topics"]
    told = cli("topics", model, "--top", 4, "--out", tmp_path / "topics.csv")
    assert told.stdout == ""
    assert told.stderr == f"{tmp_path / 'topics.csv'}: 3 topics\n"
    with (tmp_path / "topics.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["words"].split() for row in rows] == [topic["words"] for topic in whole]
    assert [int(row["topic"]) for row in rows] == [topic["topic"] for topic in whole]
    assert [float(row["share"]) for row in rows] == [topic["share"] for topic in whole]
    assert cli("topics", model, "--top", 4, "--out", "-").stdout == (tmp_path / "topics.csv").read_text()
    assert "already exists" in cli("topics", model, "--out", tmp_path / "topics.csv", code=1).stderr
    assert (
        "does not go with --out" in cli("topics", model, "--out", tmp_path / "x.csv", "--json", code=2).stderr
    )


def test_a_table_goes_to_standard_output(cli, model, planted, tmp_path):
    told = cli("transform", model, planted, "--out", "-")
    cli("transform", model, planted, "--out", tmp_path / "t.csv")
    assert told.stdout == (tmp_path / "t.csv").read_text()
    assert "60 documents × 3 topics" in told.stderr
    assert "needs a file" in cli("transform", model, planted, "--out", "-", "--json", code=2).stderr


def test_a_fit_writes_the_shares_of_its_documents(cli, planted, tmp_path):
    model, shares = tmp_path / "m", tmp_path / "s.csv"
    told = cli("fit", "lda", planted, "--out", model, *SMALL, "--iterations", 2, "--shares", shares, "--json")
    assert json.loads(told.stdout)["documents"] == 60
    assert f"{shares}: topic shares of 60 documents" in told.stderr
    cli("transform", model, planted, "--out", tmp_path / "t.csv")
    assert shares.read_bytes() == (tmp_path / "t.csv").read_bytes()
    more = ("fit", "lda", planted, *SMALL, "--out", tmp_path / "other")
    assert "already exists" in cli(*more, "--shares", shares, code=1).stderr
    assert "cannot tell the format" in cli(*more, "--shares", tmp_path / "s.txt", code=1).stderr
    assert "read again" in cli(*more, "--shares", tmp_path / "x.csv", "--stream", code=2).stderr
    assert not (tmp_path / "other").exists()


def test_what_no_sheet_holds_is_refused(cli, model, tmp_path, monkeypatch):
    from stickbreaker.console import table_files

    new = write_lines(tmp_path / "new.jsonl", [{"text": "river", "note": "long" * 10_000}] * 3)
    told = cli("transform", model, new, "--metadata", "--out", tmp_path / "t.xlsx", code=1)
    assert "t.xlsx: row 1: a cell has 32,767 characters at most; write .csv" in told.stderr
    for name, bound, said in (("MOST_ROWS", 3, "3 rows"), ("MOST_COLUMNS", 3, "3 columns")):
        monkeypatch.setattr(table_files, name, bound)
        assert said in cli("transform", model, new, "--out", tmp_path / "t.xlsx", code=1).stderr
        monkeypatch.undo()
    assert not (tmp_path / "t.xlsx").exists()


def test_files_and_corpora_are_seen_alike(cli, model, planted, tmp_path):
    """A corpus with another vocabulary, a file, two files and standard input give the same scores."""
    documents = planted_documents()
    first = write_lines(tmp_path / "first.jsonl", documents[:25])
    second = write_lines(tmp_path / "second.jsonl", documents[25:])
    corpus = tmp_path / "corpus"
    cli("corpus", "build", planted, "--out", corpus, "--vocabulary-size", 5)
    whole = cli("evaluate", model, planted, "--json").stdout
    for inputs in ((corpus,), (first, second)):
        assert cli("evaluate", model, *inputs, "--json").stdout == whole
    told = cli("evaluate", model, "-", "--format", "jsonl", "--json", stdin=planted.read_text())
    assert told.stdout == whole


def test_evaluate(cli, model, planted, tmp_path):
    told = json.loads(cli("evaluate", model, planted, "--json").stdout)
    assert told["nats_per_word"] > told["unigram_nats_per_word"] + 0.3
    assert told["perplexity"] == pytest.approx(math.exp(-told["nats_per_word"]))
    assert (told["documents"], told["scored_tokens"], told["unseen_share"]) == (60, 480, 0)
    more = planted_documents()
    more[0]["text"] += " zebra" * 100
    more.append({"id": "foreign", "label": "", "text": "giraffe"})
    other = json.loads(cli("evaluate", model, write_lines(tmp_path / "x.jsonl", more), "--json").stdout)
    assert other["nats_per_word"] == told["nats_per_word"]  # unseen words change no score
    assert other["unseen_share"] == pytest.approx(101 / 1001)
    assert other["empty_documents"] == 1
    nothing_seen = json.loads(cli("evaluate", model, planted, "--completion", 0, "--json").stdout)
    assert nothing_seen["scored_tokens"] == 900
    assert nothing_seen["nats_per_word"] < told["nats_per_word"]


def test_scores_of_documents_add_up(cli, model, tmp_path):
    """The score of a document does not depend on which others are scored."""
    documents = planted_documents()
    parts = (documents[:20], documents[20:], documents)
    files = [write_lines(tmp_path / f"{n}.jsonl", part) for n, part in enumerate(parts)]
    told = [json.loads(cli("evaluate", model, file, "--json").stdout) for file in files]
    nats = [one["nats_per_word"] * one["scored_tokens"] for one in told]
    assert nats[0] + nats[1] == pytest.approx(nats[2], rel=1e-12)


def test_fit_from_standard_input(cli, model, planted, tmp_path):
    cli("fit", "lda", "-", "--format", "jsonl", "--out", tmp_path / "m", *SMALL, stdin=planted.read_text())
    assert contents(tmp_path / "m") == contents(model)


def test_fit_from_several_inputs_makes_parents(cli, planted, tmp_path):
    out = tmp_path / "models" / "one"
    two = write_lines(tmp_path / "two.txt", planted_documents(5))
    told = json.loads(cli("fit", "lda", planted, two, "--out", out, *SMALL, "--json").stdout)
    assert told["documents"] == 65
    assert [path.name for path in out.parent.iterdir()] == ["one"]


def test_fit_online_with_held_out_documents(cli, planted, tmp_path):
    options = ("--schedule", "online", "--batch-size", 10, "--tau0", 1, "--held-out", 0.25)
    told = json.loads(cli("fit", "lda", planted, "--out", tmp_path / "m", *SMALL, *options, "--json").stdout)
    lda = LDA.load(tmp_path / "m")
    held_out = [record["held_out"] for record in lda.trace_ if "held_out" in record]
    assert told["held_out"] == held_out[-1]
    assert told["documents"] < 60
    assert told["converged"]  # long before a hundred passes: no gain in five evaluations
    assert told["passes"] < 50
    assert max(held_out[-5:]) <= max(held_out[:-5]) * (1 - 1e-4)
    assert {record["kind"] for record in lda.trace_} == {"documents"}


def test_settings_reach_the_model(cli, planted, tmp_path):
    options = ("--eta", "learned", "--alpha", 0.3, "--init", "documents", "--iterations", 3, "--tol", 0)
    cli("fit", "lda", planted, "--out", tmp_path / "m", "--topics", 4, "--seed", 9, *options, "--threads", 2)
    lda = LDA.load(tmp_path / "m")
    told = {**lda.get_params(), "eta_": lda.eta_}
    assert told["eta_"] != 0.25
    expected = {"n_topics": 4, "alpha": 0.3, "eta": "learned", "init": "documents", "max_iter": 3, "tol": 0.0}
    assert {name: told[name] for name in expected} == expected
    assert lda.alpha_.tolist() == [0.3] * 4
    cli("fit", "lda", planted, "--out", tmp_path / "m", *SMALL, "--overwrite", "--iterations", 1)
    assert len(LDA.load(tmp_path / "m").alpha_) == 3


# Hostile words

HOSTILE = ("</script><script>alert(1)</script>", "\x1b[31mred", "[red]rich[/red]", "a\x07b\u202ec", "x\ny")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "model"
    corpus = Corpus.from_tokens([[*HOSTILE, "calm"], [HOSTILE[0], "calm"]] * 5, ids=list("abcdefghij"))
    LDA(n_topics=2, max_iter=2, tol=0, n_jobs=1, random_state=0).fit(corpus).save(path)
    return path


def test_hostile_words_in_a_terminal(cli, hostile):
    told = cli("topics", hostile).stdout
    assert not any(character in told for character in "\x1b\x07\u202e")
    assert len(told.splitlines()) == 3
    assert "[red]rich[/red]" in told
    words = json.loads(cli("topics", hostile, "--json").stdout)["topics"][0]["words"]
    assert set(words) == {*HOSTILE, "calm"}


def test_hostile_words_in_a_report(cli, hostile, tmp_path):
    cli("report", hostile, "--out", tmp_path / "report.html", "--title", HOSTILE[0])
    page = (tmp_path / "report.html").read_text()
    assert "alert(1)" in page
    assert "<script>alert" not in page
    assert "\x1b" not in page
    for outside in ("http://", "https://", "src=", "@import", "url("):
        assert outside not in page.replace("http://www.w3.org/2000/svg", "")


FORMULAS = ["=1+1\n\x1b", "-2", "+3", "@SUM(1)", "\t=1", " =1", "\ufeff=1", "＝1", "'tis", "'=1+1"]


@pytest.mark.parametrize("raw", [False, True])
def test_no_id_is_a_formula_in_csv(cli, model, tmp_path, raw):
    ids = [*FORMULAS, "a=b", 'a "quoted", id', "d-1"]
    path = write_lines(tmp_path / "in.jsonl", [{"id": one, "text": "river"} for one in ids])
    cli("transform", model, path, "--out", tmp_path / "out.csv", *(["--raw-text"] if raw else []))
    cli("transform", model, path, "--out", tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet")["id"].to_pylist() == ids
    with (tmp_path / "out.csv").open(newline="") as file:
        written = [row["id"] for row in csv.DictReader(file)]
    assert written == [one if raw or one not in FORMULAS else "'" + one for one in ids]


@pytest.mark.parametrize("line", ["--out {dir}/t.parquet", "--out {dir}/t --engine spark"])
def test_raw_text_is_for_csv(cli, model, planted, tmp_path, line):
    told = cli("transform", model, planted, "--raw-text", *line.format(dir=tmp_path).split(), code=2)
    assert "--raw-text is for CSV; other formats need no quotes" in told.stderr


def test_an_error_is_one_safe_line():
    assert "\n" not in str(UserError("a\nb", where="x\ny", remedy="z"))
    assert printable("a\x1b[2Jb\u2028c\u200dd\x9b\r\t") == "a[2Jbc\u200dd\t"


def test_a_closed_pipe_is_no_traceback(model):
    line = f"{PROGRAM} topics {model} --top 24 | head -c 1"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


def test_a_damaged_model_is_one_line(cli, model, planted, tmp_path):
    path = shutil.copytree(model, tmp_path / "m")
    (path / "vocabulary.parquet").write_bytes(b"PAR1")
    for line in (("topics", path), ("evaluate", path, planted), ("report", path, "--out", tmp_path / "r")):
        assert "vocabulary.parquet: is truncated or altered" in cli(*line, code=1).stderr


def test_a_run_that_held_out_stops_in_its_first_pass_is_told(cli, planted, tmp_path):
    online = ("--schedule", "online", "--batch-size", 4, "--held-out", 0.2, "--tol", 0.9)
    done = cli("fit", "lda", planted, "--out", tmp_path / "m", *SMALL, *online, "--json")
    told = json.loads(done.stdout)
    assert told["converged"]
    assert told["passes"] == 1
    assert told["score"] < 0
    assert cli("resume", tmp_path / "m").exit_code == 0


def test_an_input_inside_a_model_is_refused(cli, planted, model, tmp_path):
    path = shutil.copytree(model, tmp_path / "m")
    cli("corpus", "build", planted, "--out", path / "corpus")
    done = cli("fit", "lda", path / "corpus", "--out", path, "--overwrite", *SMALL, code=1)
    assert "is inside a model" in done.stderr
    assert (path / "model.json").exists()


def test_options_of_the_online_schedule_need_it(cli, planted, tmp_path):
    done = cli("fit", "lda", planted, "--out", tmp_path / "m", "--kappa", 0.6, code=2)
    assert "--kappa needs --schedule online" in done.stderr


def test_settings_for_short_texts_are_noted(cli, tmp_path):
    path, line = tmp_path / "a.txt", ("--topics", 2, "--iterations", 1, "--tol", 0, "--threads", 1)
    path.write_text("a river bank\nbank money\n" * 50)
    fit = ("fit", "lda", path, "--out", tmp_path / "m", "--format", "lines", "--overwrite", *line)
    noted = "documents have 1.0 known words on average; topics of such short texts were best with"
    settings = "--inference gibbs, --alpha 0.1, --eta 0.1, and with concepts of word vectors"
    assert f"note: {noted} {settings}" in " ".join(cli(*fit).stderr.split())
    assert noted not in " ".join(cli(*fit, "--inference", "gibbs").stderr.split())
    path.write_text(("a river bank " * 20 + "\n" + "bank money " * 20 + "\n") * 50)
    assert "known words on average" not in cli(*fit).stderr
    texts = ["a river bank", "bank money"] * 50
    with pytest.warns(UserWarning, match='such short texts were best with inference="gibbs", alpha=0.1'):
        LDA(2, max_iter=1, tol=0.0).fit(texts)
    with pytest.warns(UserWarning, match="1.0 known words on average, too few to know how many topics there"):
        HDP(3, max_iter=1, tol=0.0).fit(texts)


def test_more_topics_than_documents_are_noted(cli, planted, tmp_path):
    line = ("--topics", 70, "--iterations", 1, "--tol", 0, "--threads", 1)
    done = cli("fit", "lda", planted, "--out", tmp_path / "m", *line)
    notes = [one for one in done.stderr.splitlines() if "topics of" in one]
    assert notes == ["note: 70 topics of 60 documents: many will be similar or unused; lower --topics"]
    texts = ["a river bank", "bank money"]
    with pytest.warns(UserWarning, match="3 topics of 2 documents: .*; lower n_topics"):
        LDA(3, max_iter=1, tol=0.0).fit(texts)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LDA(2, max_iter=1, tol=0.0).fit(texts)
        LDA(3).partial_fit(texts)


def test_python_runs_the_program_too(model):
    command = [sys.executable, "-m", "stickbreaker", "topics", str(model), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert len(json.loads(done.stdout)["topics"]) > 1
