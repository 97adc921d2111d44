"""What the program prints: how long messages may be, and what happens where nothing can be printed."""

import json
import shlex
import subprocess
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from tests.commands import every_command
from tests.running import PROGRAM

from stickbreaker.console.console import writing_output
from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus, ReadingOptions

LONG = "x" * 20_000
WRONG = [
    ("{x}", 2, "No such command"),
    ("--{x}", 2, "No such option"),
    ("fit {x}", 2, "No such command"),
    ("topics m --{x}", 2, "No such option"),
    ("topics m --top {x}", 2, "Invalid value for '--top'"),
    ("fit lda x --out y --alpha {x}", 2, "Invalid value for '--alpha'"),
    ("fit lda x --out y --schedule {x}", 2, "Invalid value for '--schedule'"),
    ("search-k x --topics {x} --out y", 2, "Invalid value for '--topics'"),
    ("topics {x}", 1, ": File name too long"),
    ("corpus build {x}* --out {dir}/c", 1, "xxx*: cannot be read: File name too long; check the path"),
    ("corpus build {data} --out {dir}/c --language {x}", 1, "unknown language 'xxx"),
    ("corpus build {data} --out {dir}/c --token-pattern ({x}", 1, "the token pattern '(xxx"),
    ("corpus build {data} --out {dir}/c --text-field {x}", 1, "no field 'xxx"),
]


@pytest.mark.parametrize(("line", "code", "says"), WRONG)
def test_messages_repeat_little_of_the_command_line(cli, planted, tmp_path, line, code, says):
    words = [word.format(x=LONG, dir=tmp_path, data=planted) for word in line.split()]
    told = cli(*words, code=code)
    last = told.stderr.splitlines()[-1]
    assert says in last
    assert "…" in last
    assert len(last) < 750


# the content of a file in which all of `{x}` is long, and what is said of it
LONG_INPUT = [
    ("a.jsonl", '{"text": "a", "id": "%s"}\n{"text": "b", "id": "%s"}', "was used before"),
    ("a.jsonl", '{"%s": "a"}', "no field 'text' (fields: xxx"),
    ("a.jsonl", '{"text": "a", "language": "%s"}', "unknown language 'xxx"),
    ("a.csv", "%s,%s\na,b", "no column 'language' (columns: xxx"),
    ("a.csv", "text,language,%s,%s\na,b,c,d", "two columns are named 'xxx"),
    ("words", "%s\n%s", "was listed before"),
]


@pytest.mark.parametrize(("name", "content", "says"), LONG_INPUT)
def test_messages_repeat_little_of_what_is_read(tmp_path, name, content, says):
    path, given = tmp_path / name, tmp_path / "given.txt"
    given.write_text("cat")
    path.write_text(content.replace("%s", LONG))
    reading = ReadingOptions(language_field=None if "id" in content else "language")
    if name == "words":
        path, reading = given, ReadingOptions("lda-c", vocab=str(path))
    with pytest.raises(UserError) as caught:
        Corpus.build(path, reading=reading)
    assert says in str(caught.value)
    assert len(str(caught.value)) < 950


def test_a_long_id_is_not_repeated_to_be_cut():
    """A message of a few hundred characters takes no memory of the id's size."""
    ids = ["x" * 50_000_000] * 2
    tracemalloc.start()
    with pytest.raises(UserError, match="used before"):
        Corpus.from_texts(["a cat", "a dog"], ids=ids)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000


def test_notes_of_what_was_skipped_are_short(cli, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"text": "a cat"}) + "\n" + json.dumps({LONG: 1}) + "\n")
    told = cli("corpus", "build", path, "--out", tmp_path / "c", "--on-error", "skip").stderr
    assert "skipped 1 (no text field); the first: " in told
    assert max(map(len, told.splitlines())) < 950


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "line", ["topics {model}", "topics {model} --json", "--help", "topics --help", "--version"]
)
def test_a_full_disk_is_one_line(model, line):
    words = [word.format(model=model) for word in line.split()]
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "stickbreaker: standard output: No space left on device\n")


def examples() -> Iterator[tuple[click.Command, list[str]]]:
    """Every command with an example at the end of its help, and the words of the example after its name."""
    for name, command in every_command():
        if command.epilog:
            words = shlex.split(command.epilog.removeprefix("Example: "))
            own = ["stickbreaker", *name.split()]
            assert words[: len(own)] == own
            yield command, words[len(own) :]


def test_examples_in_the_help_have_options_that_there_are():
    shown = [(command, words) for command, words in examples() if not isinstance(command, click.Group)]
    assert len(shown) > 12
    for command, words in shown:
        command.make_parser(click.Context(command)).parse_args(words)  # raises NoSuchOption


def test_an_error_of_a_file_is_not_one_of_standard_output():
    told = "t.csv: No space left on device"
    with pytest.raises(UserError, match=told), writing_output():
        raise OSError(28, "No space left on device", "t.csv")
