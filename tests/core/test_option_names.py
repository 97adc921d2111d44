"""Messages name options on the command line and parameters in Python, never the others."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from stickbreaker import UserError
from stickbreaker.core.option_names import all_names, as_keywords, as_options, as_parameters
from stickbreaker.core.untrusted import making_sense_of

MESSAGES = (  # in Python, and on the command line
    ("max_iter=0; max_iter is a number", "--iterations 0; --iterations is a number"),
    (
        "not enough for the score to converge (last changes 1.0e-03, tol 1e-04); raise max_iter or tol",
        "not enough for the score to converge (last changes 1.0e-03, --tol 1e-04); "
        "raise --iterations or --tol",
    ),
    ("n_topics=0; n_topics is a whole number", "--topics 0; --topics is a whole number"),
    ("tol=-1.0; tol is a number of at least 0", "--tol -1.0; --tol is a number of at least 0"),
    (
        "burn_in=5 leaves no sample of 5 sweeps; raise max_iter or lower burn_in",
        "--burn-in 5 leaves no sample of 5 sweeps; raise --iterations or lower --burn-in",
    ),
    ("raise n_topics, or name the categories to take", "raise --topics, or name the categories to take"),
    ('give text, or symbols="spaced"', "give text, or --symbols spaced"),
    (
        'name it by text_field, or on_error="skip"',
        "name it by --text-field, or --on-error skip",
    ),
    ("choose another path or give overwrite=True", "choose another path or give --overwrite"),
    ("build it with min_documents=1 max_share=1", "build it with --min-documents 1 --max-share 1"),
    ('give text_field="en=FIELD,de=FIELD"', "give --text-field en=FIELD,de=FIELD"),
    ("resume it without engine=SparkEngine(session)", "resume it without --engine spark"),
    (
        "mix the order, or give a larger alpha",
        "mix the order, or give a larger --alpha",
    ),
)
ONE_WAY = (  # what only Python says, and what becomes of it
    ("Online(kappa=2.0) is out of range", "--kappa 2.0 is out of range"),
    ("Memoised(batch_size=0) is out of range", "--batch-size 0 is out of range"),
    ("inference='gibbs' does not go with words='open'", "--inference gibbs does not go with --words open"),
    ("set moves=None", "set --moves none"),
    ('set guide=None or words="closed"', "leave out --guide or --words closed"),
    ("doc_max_iter=0", "doc_max_iter=0"),
    ("there is no field 'text_field' in max_iter/x.csv", "there is no field 'text_field' in max_iter/x.csv"),
    ("words in order, every topic", "words in order, every topic"),
)


@pytest.mark.parametrize(("python", "line"), MESSAGES)
def test_messages_are_spelled_both_ways(python, line):
    assert as_options(python) == as_options(line) == line
    assert as_parameters(python) == as_parameters(line) == python


@pytest.mark.parametrize(("python", "line"), ONE_WAY)
def test_settings_and_the_words_of_the_input(python, line):
    assert as_options(python) == line


def test_errors_are_for_whom_they_are_shown_to():
    error = UserError("the line is too long", where="max_iter.txt", remedy="raise --largest-text")
    assert str(error) == "max_iter.txt: the line is too long; raise largest_text"
    assert error.on_command_line() == "max_iter.txt: the line is too long; raise --largest-text"
    error.end_with("the trace is in --top")
    assert str(error).endswith("raise largest_text; the trace is in --top")
    assert error.on_command_line().endswith("raise --largest-text; the trace is in --top")


def test_fields_of_a_file_are_named_as_the_file_has_them():
    for reason in (UserError("max_iter=0", remedy="max_iter is a number"), ValueError("max_iter is 0")):
        with pytest.raises(UserError) as caught, making_sense_of("model.json", "fit again"):
            raise reason
        assert "max_iter" in str(caught.value)
        assert caught.value.on_command_line() == str(caught.value)
    with pytest.raises(UserError) as caught, making_sense_of("model.json", "fit again"):
        raise UserError("max_iter=0", where="here")  # not of the file
    assert caught.value.on_command_line() == "here: --iterations 0"


def test_messages_name_options_when_only_a_part_of_the_package_is_imported():
    child = (
        "from stickbreaker.core.errors import UserError\n"
        "print(UserError('reorder_every=0', remedy='set guide=None').on_command_line())\n"
        "print(UserError('--reorder-every 0'))\n"
    )
    done = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["--reorder-every 0; leave out --guide", "reorder_every=0"]


def test_the_command_line_renames_what_it_says(cli):
    options = {"topics": 3, "iterations": 4, "seed": 5, "threads": 6, "batch_size": 7}
    assert [*as_keywords(options)] == ["n_topics", "max_iter", "random_state", "n_jobs", "batch_size"]
    shown = "".join(
        cli(*verb.split(), "--help", "all").stdout
        for verb in (
            "fit lda",
            "fit hdp",
            "fit ngram",
            "fit grammar",
            "fit syntax",
            "corpus build",
            "topics",
            "report",
            *("effect", "evaluate", "nearest", "compare", "intruders", "search-k", "transform"),
            *("concepts", "score", "generate", "rescore", "merge", "segment", "parse", "rules"),
            *(f"translate {verb}" for verb in ("learn", "terms", "export", "run")),
        )
    )
    assert {
        option for option in all_names().every.values() if option + " " not in re.sub(r"[\n/]", " ", shown)
    } == set()


def test_every_option_that_the_library_names_is_known():
    """Of messages in the library's code, beside the program's own and those of verbs, whose options are
    common words ("from", "kind"), which are not replaced in other messages."""
    source = Path(as_options.__code__.co_filename).parents[1]
    message = re.compile(r"""["' (](--[a-z][a-z-]+)(?![^"'\n]*`)""")
    files = [
        file
        for file in source.rglob("*.py")
        if not {"cli", "console", "verbs", "kind.py", "option_names.py"} & set(file.parts)
    ]
    named = {
        option
        for file in files
        for line in file.read_text().splitlines()
        if "`" not in line and not line.strip().startswith("#")
        for option in message.findall(line)
    }
    assert len(named) > 15
    assert named - set(all_names().every.values()) == set()
    assert set(all_names().clear) <= set(all_names().every)


def test_a_note_of_a_fit_names_options(cli, planted, tmp_path):
    done = cli(
        "fit", "lda", planted, "--out", tmp_path / "m", "--topics", 3, "--iterations", 2, "--tol", 1e-9
    )
    assert "raise --iterations or --tol" in done.stderr
    assert "max_iter" not in done.stderr
