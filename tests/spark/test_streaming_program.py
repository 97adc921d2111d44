"""`stickbreaker stream` as a user runs it."""

import json

import pytest
from tests.spark.streaming_on_spark import FILE, GIVEN, SPARK, WORDS

from stickbreaker.estimators.model_files import load
from stickbreaker.saved import ModelDirectory


def test_the_program_learns_from_a_stream(spark, cli, incoming, out):
    told = json.loads(cli("stream", "lda", incoming, *SPARK, *GIVEN, "--once", "--out", out, "--json").stdout)
    assert (told["documents"], told["steps"], told["skipped"]) == (3 * FILE, 6, 0)
    assert told["words"] == len(load(out).vocabulary)
    again = cli("stream", "lda", incoming, *SPARK, *GIVEN, "--once", "--out", out)
    assert f"3 topics and {told['words']} words from 180 documents in 6 steps" in again.stdout
    assert "river" in cli("topics", out).stdout


def test_the_program_takes_a_vocabulary(spark, cli, incoming, out, tmp_path):
    (tmp_path / "words").write_text("\n".join(WORDS) + "\n")
    known = ("--vocabulary", tmp_path / "words", "--topics", 2, "--once", "--out", out)
    told = cli("stream", "hdp", incoming, *SPARK, *known, "--json")
    assert json.loads(told.stdout)["documents"] == 3 * FILE
    assert "comet" in cli("topics", out).stdout


MISTAKES = [
    ("--engine spark --words open", 1, "no document arrived; put files into it"),
    ("--words open", 2, "give --engine spark; on this machine only: stickbreaker fit lda"),
    ("--engine spark", 2, "give --words open, or the words to count: --vocabulary FILE"),
    ("--engine spark --words open --vocabulary words", 2, "--vocabulary does not go with --words open"),
    ("--engine spark --words open --min-documents 3", 2, "--min-documents does not apply to a stream"),
    ("--engine spark --words open --phrases", 2, "--phrases does not apply to a stream"),
    ("--engine spark --words open --eta 0.1", 2, "--eta does not apply with --words open"),
    ("--engine spark --vocabulary words --truncation 9", 2, "--truncation needs --words open"),
    ("--engine spark --words open --samples 3", 2, "--samples needs --inference hybrid"),
    ("--engine spark --words open also", 2, "give one directory"),
    ("--engine spark --words open --held-out 0.1", 2, "No such option"),
    ("--engine spark --words open --threads 2", 2, "No such option"),
]


@pytest.mark.parametrize(("options", "code", "told"), MISTAKES)
def test_mistakes_are_told_in_one_line(spark, cli, tmp_path, options, code, told):
    (tmp_path / "in").mkdir()
    out = tmp_path / "m"
    result = cli("stream", "lda", tmp_path / "in", "--once", "--out", out, *options.split(), code=code)
    assert told in result.stderr.splitlines()[-1]
    assert result.stdout == ""
    assert not out.exists()


def test_what_stops_the_program_is_one_line(spark, program, incoming, out):
    (incoming / "2.jsonl").unlink()
    (incoming / "1.jsonl").write_text('{"text": "cut o')
    told = program("stream", "lda", incoming, *SPARK, *GIVEN, "--once", "--out", out, code=1)
    lines = [line for line in told.stderr.splitlines() if "incubator" not in line]
    assert lines[-1].endswith("correct the file, or give --on-error skip")
    assert [line for line in lines if "documents, step" not in line][:-1] == ["starting Spark"]
    # the broken file is the youngest
    assert ModelDirectory(out).manifest()["corpus"]["documents"] == FILE
