"""`stickbreaker name`, and names in `stickbreaker topics`."""

import json
import re
import shutil
from pathlib import Path

import pytest
from tests.pages.made_up import views_in

from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.manifest import encoded
from stickbreaker.topics.names.names_file import read_names, write_names


@pytest.fixture
def copy(model, tmp_path):
    return shutil.copytree(model, tmp_path / "copy")


def names_on_page(cli, copy, tmp_path, names):
    """A file of names as the page of a model writes it; `names` by topic number."""
    cli("report", copy, "--out", tmp_path / "r.html", "--overwrite")
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1])
    (head,) = views_in(data, "TopicHead")
    topics = [
        {"id": identity, "number": number, "words": words, "name": names.get(number)}
        for *_, members in head["topics"]
        for number, identity, words in members
    ]
    file = tmp_path / "names.json"
    file.write_text(json.dumps({"format": "stickbreaker names of topics", "version": 1, "topics": topics}))
    return file


def test_topics_are_named_and_renamed(copy, cli):
    text = cli("name", copy, "--topic", "0=the sea", "--topic", "2=the sea").stdout
    assert text == cli("name", copy).stdout
    assert re.search(r"^ +0,2 +[\d.]+ %  the sea  \w+", text, re.MULTILINE)
    topics = json.loads(cli("topics", copy, "--json").stdout)["topics"]
    assert {t["name"]: t["members"] for t in topics} == {"the sea": [0, 2], None: [1]}
    assert sum(t["share"] for t in topics) == pytest.approx(1.0)
    one = next(t for t in topics if t["name"])
    assert one["topic"] in (0, 2)
    result = json.loads(cli("name", copy, "--topic", "2=", "--json").stdout)
    assert {t["topic"]: t["name"] for t in result["topics"]} == {0: "the sea", 1: None, 2: None}
    assert result["left_out"] == []
    cli("name", copy, "--remove", "--topic", "1=x")
    assert {t["name"] for t in json.loads(cli("topics", copy, "--json").stdout)["topics"]} == {None, "x"}
    cli("name", copy, "--remove")
    assert not (copy / "names.json").exists()


def test_a_topic_out_of_use_for_a_while_keeps_its_name(copy, cli):
    write_names(copy, {1: "one", 7: "seven"})
    cli("name", copy, "--topic", "1=other")
    assert read_names(copy) == {1: "other", 7: "seven"}
    cli("name", copy, "--remove", "--topic", "0=x")
    assert read_names(copy) == {0: "x"}


def test_a_short_name_has_a_column_of_its_own(copy, cli):
    head, *rows = cli("name", copy, "--topic", "0=x").stdout.splitlines()
    assert head.split() == ["topic", "share", "name", "words"]
    named = next(row for row in rows if re.match(r" +0 ", row))
    assert named.index("x") == head.index("name")


def test_a_file_from_the_page_is_brought_in(copy, cli, tmp_path):
    file = names_on_page(cli, copy, tmp_path, {0: "alpha", 1: "alpha", 2: "beta"})
    cli("name", copy, "--topic", "2=old")
    result = json.loads(cli("name", copy, file, "--json").stdout)
    assert {t["name"]: t["members"] for t in result["topics"]} == {"alpha": [0, 1], "beta": [2]}
    again = names_on_page(cli, copy, tmp_path, {0: "alpha"})  # by a page that shows two as one
    result = json.loads(cli("name", copy, again, "--json").stdout)
    assert {t["topic"]: t["name"] for t in result["topics"]} == {0: "alpha", 1: None, 2: None}


def test_a_file_about_another_model_is_one_line(copy, cli, tmp_path):
    (tmp_path / "o.txt").write_text("".join(f"qa{i % 7} qb{i % 5} qc{i % 3} qd\n" for i in range(60)))
    cli(
        "fit",
        "lda",
        tmp_path / "o.txt",
        "--out",
        tmp_path / "o",
        "--topics",
        3,
        "--iterations",
        3,
        "--threads",
        1,
    )
    file = names_on_page(cli, tmp_path / "o", tmp_path, {0: "x"})
    done = cli("name", copy, file, code=1)
    assert done.stderr.startswith(f"stickbreaker: {file}: names topics of another model: 0 of ")
    assert done.stderr.count("\n") == 1
    assert not (copy / "names.json").exists()


@pytest.mark.parametrize("value", ["3", "=x", "-1=x", "a=x", "1.5=x", "٣=x", "9" * 400 + "=x"])
def test_a_topic_that_is_no_number_is_a_usage_error(copy, cli, value):
    assert (
        "is not a topic's number and name, as 3=weather" in cli("name", copy, "--topic", value, code=2).stderr
    )


def test_other_mistakes_are_one_line(copy, cli, tmp_path):
    twice = cli("name", copy, "--topic", "1=a", "--topic", "01=b", code=2).stderr
    assert "topic 1 is there twice" in twice
    for line, message in (
        (("--topic", "7=x"), "stickbreaker: there is no topic 7; topics run from 0 to 2"),
        (("--topic", "1=" + "x" * 101), "stickbreaker: the name"),
        ((tmp_path / "nothing.json",), f"stickbreaker: {tmp_path / 'nothing.json'}: No such file"),
    ):
        told = cli("name", copy, *line, code=1).stderr
        assert told.startswith(message)
        assert told.count("\n") == 1
    (copy / "names.json").write_text("{}")
    told = cli("topics", copy, code=1).stderr
    assert told.startswith(f"stickbreaker: {copy / 'names.json'}: ")
    assert told.count("\n") == 1


def test_a_search_under_way_is_not_named(copy, cli):
    directory = ModelDirectory(copy)
    manifest = {**directory.manifest(), "status": "running", "search": [], "trace_bytes": 10**9}
    (copy / "model.json").write_bytes(encoded(manifest))
    told = cli("name", copy, "--topic", "0=x", code=1).stderr
    assert "is still learning, and its topics may yet become others" in told


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device without an end")
def test_a_device_without_an_end_is_no_file_of_names(model, cli, tmp_path):
    """Nothing of it is read; elsewhere no more than a line is."""
    assert "/dev/zero: is not a file" in cli("name", model, "/dev/zero", code=1).stderr
    (tmp_path / "t.txt").write_text("a river bank\nbank money\n", encoding="utf-8")
    for option in ("--guide", "--concepts", "--stop-words", "--vocabulary"):
        done = cli("fit", "lda", tmp_path / "t.txt", "--out", tmp_path / "m", option, "/dev/zero", code=1)
        assert "/dev/zero:1: the line is larger than 64 MB" in done.stderr
