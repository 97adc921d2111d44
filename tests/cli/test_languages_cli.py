"""Polylingual and guided models at the command line: from rows to topics side by side."""

import json
import re

import pytest
from tests.running import SMALL, TOPICS, german, planted_documents, with_german, write_lines

from stickbreaker.topics.learned import TopicsLearned


@pytest.fixture(scope="module")
def rows():
    return with_german(planted_documents())


@pytest.fixture(scope="module")
def polylingual(cli, rows, tmp_path_factory):
    """A corpus of two languages, and a model of it."""
    place = tmp_path_factory.mktemp("polylingual")
    lines = write_lines(place / "lines.jsonl", rows)
    fields = ("--text-field", "en=text,de=deutsch")
    cli("corpus", "build", lines, *fields, "--out", place / "corpus")
    cli("fit", "lda", place / "corpus", "--out", place / "model", *SMALL, "--iterations", 30)
    return place


def test_languages_are_told(cli, polylingual):
    told = json.loads(cli("corpus", "info", polylingual / "corpus", "--json").stdout)
    assert told["languages"] == {"de": 52, "en": 51}
    text = cli("topics", polylingual / "model", "--top", 3).stdout.splitlines()
    assert text[0].split() == ["topic", "share", "NPMI", "words"]
    assert [line.split()[-4] for line in text[1:7]] == ["de", "en"] * 3
    told = json.loads(cli("topics", polylingual / "model", "--json").stdout)["topics"]
    for topic in told:
        ours, theirs = (set(topic["languages"][code]["words"][:6]) for code in ("en", "de"))
        assert len(set(map(german, ours)) & theirs) >= 4


def test_new_documents_of_one_side(cli, polylingual, tmp_path):
    words = TOPICS[1]
    english = write_lines(tmp_path / "en.jsonl", [{"id": "q", "body": " ".join(words)}])
    other = write_lines(tmp_path / "de.jsonl", [{"id": "q", "body": " ".join(map(german, words))}])
    shares = []
    for code, path in (("en", english), ("de", other)):
        out = tmp_path / f"{code}.csv"
        cli("transform", polylingual / "model", path, "--text-field", f"{code}=body", "--out", out)
        shares.append([float(x) for x in out.read_text().splitlines()[1].split(",")[1:]])
    assert max(shares[0]) > 0.9
    assert shares[0].index(max(shares[0])) == shares[1].index(max(shares[1]))
    error = cli("transform", polylingual / "model", english, "--out", tmp_path / "out.csv", code=1).stderr
    assert "no field 'text'" in error
    line = (
        "transform",
        polylingual / "model",
        english,
        "--text-field",
        "body",
        "--out",
        tmp_path / "out.csv",
    )
    assert "en.jsonl:1: one text where a text for each language is expected" in cli(*line, code=1).stderr


def test_lines_for_a_polylingual_model(cli, polylingual, tmp_path):
    """The remedy that is told helps: a corpus of the lines in their language."""
    lines, out = tmp_path / "new.txt", tmp_path / "out.csv"
    lines.write_text(" ".join(TOPICS[1]) + "\n")
    told = (
        f"{lines}:1: one text where a text for each language is expected; build a corpus with --language "
        "CODE first, or give JSON Lines or CSV with a text field for each language "
        "(--text-field en=FIELD,de=FIELD)"
    )
    assert told in cli("transform", polylingual / "model", lines, "--out", out, code=1).stderr
    cli("corpus", "build", lines, "--language", "en", "--out", tmp_path / "lines")
    cli("transform", polylingual / "model", tmp_path / "lines", "--out", out)
    assert max(float(share) for share in out.read_text().splitlines()[1].split(",")[1:]) > 0.9


def test_nearest_across_languages(cli, polylingual, rows):
    line = ("nearest", polylingual / "model", polylingual / "corpus", "--from", "en", "--to", "de")
    told = json.loads(cli(*line, "--top", 3, "--json").stdout)["queries"]
    label = {row["id"]: row["label"] for row in rows}
    assert [query["id"] for query in told] == [row["id"] for row in rows if "text" in row]
    right = [label[one["id"]] == label[query["id"]] for query in told for one in query["nearest"]]
    assert len(right) == 3 * len(told)
    assert sum(right) / len(right) > 0.9
    own = json.loads(cli("nearest", polylingual / "model", polylingual / "corpus", "--json").stdout)[
        "queries"
    ]
    assert all(one["id"] != query["id"] for query in own for one in query["nearest"])
    assert all(len(query["nearest"]) == 5 for query in own)
    assert "no language 'fr'" in cli(*line[:-1], "fr", code=1).stderr


def test_guided_topics_carry_their_names(cli, tmp_path):
    lines = write_lines(tmp_path / "lines.jsonl", planted_documents())
    guide = tmp_path / "words.json"
    guide.write_text(
        json.dumps({"space": ["plan*", "star"], "finance": ["bank", "bank loan"], "unused": ["sun"]})
    )
    line = ["fit", "lda", lines, *SMALL, "--guide", guide, "--out", tmp_path / "model"]
    done = cli(*line, "--guide-categories", "finance,space")
    assert "guide: finance 1 of 2 words, space 2 of 2" in done.stderr.splitlines()
    told = json.loads(cli("topics", tmp_path / "model", "--json").stdout)["topics"]
    by_number = {topic["topic"]: topic for topic in told}
    assert [by_number[k]["name"] for k in range(3)] == ["finance", "space", None]
    for k, planted in ((0, 1), (1, 2), (2, 0)):
        assert len(set(by_number[k]["words"][:6]) & set(TOPICS[planted])) >= 5
    text = cli("topics", tmp_path / "model").stdout.splitlines()
    assert text[0].split() == ["topic", "share", "NPMI", "name", "words"]
    assert sum("finance" in row for row in text) == 1
    line[-1] = tmp_path / "other"
    assert "no category 'war'" in cli(*line, "--guide-categories", "war", code=1).stderr
    line[line.index(guide)] = tmp_path / "none.dic"
    assert "none.dic: no such file" in cli(*line, code=1).stderr
    assert (
        "--guide-inside needs --guide"
        in cli("fit", "lda", lines, "--guide-inside", 2, "--out", "x", code=2).stderr
    )


def test_the_report_names_topics_in_the_language_wanted(cli, polylingual, tmp_path):
    for code, words in (("en", TOPICS), ("de", [list(map(german, topic)) for topic in TOPICS])):
        out = tmp_path / f"{code}.html"
        cli("report", polylingual / "model", "--out", out, "--language", code)
        (found,) = re.findall(r'"topic":\{"labels":(\[.*?\])', out.read_text())
        labels = json.loads(found)
        known = {word for topic in words for word in topic}
        assert len(labels) >= 3
        assert {word for label in labels[:3] for word in label.split(", ")} <= known
    line = ("report", polylingual / "model", "--out", tmp_path / "out.html", "--language", "fr")
    assert "no language 'fr'; the model has de, en" in cli(*line, code=1).stderr


def test_documents_of_one_language_are_evaluated(cli, polylingual, tmp_path):
    lines = write_lines(tmp_path / "en.jsonl", [{"id": "q", "body": " ".join(TOPICS[0])}])
    told = json.loads(
        cli("evaluate", polylingual / "model", lines, "--text-field", "en=body", "--json").stdout
    )
    assert [one["language"] for one in told["coherence"]] == ["en"]
    assert told["language_pairs"] == []


def test_nearest_documents_have_their_titles(cli, tmp_path, monkeypatch):
    lines = [{"id": str(i), "text": "boat river bank", "subject": f"On  boats,\n{i}"} for i in range(3)]
    lines.append({"id": "bare", "text": "boat river"})
    file = tmp_path / "d.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    cli("fit", "lda", file, "--out", tmp_path / "m", "--topics", 2, "--iterations", 2)
    (first, *_, bare) = json.loads(cli("nearest", tmp_path / "m", file, "--json").stdout)["queries"]
    assert first["title"] == lines[0]["subject"]
    assert {one["id"]: one.get("title") for one in first["nearest"]} == {
        **{str(i): lines[i]["subject"] for i in (1, 2)},
        "bare": None,
    }
    assert "title" not in bare
    text = cli("nearest", tmp_path / "m", file).stdout
    assert "On boats, 0  (0)" in text.splitlines()
    alone = json.loads(cli("nearest", tmp_path / "m", file, "--id", 2, "--id", "bare", "--json").stdout)[
        "queries"
    ]
    whole = json.loads(cli("nearest", tmp_path / "m", file, "--json").stdout)["queries"]
    assert alone == [one for one in whole if one["id"] in ("2", "bare")]
    inferred, infer = [], TopicsLearned.shares_of_bags

    def counting(model, bags, *rest):
        inferred.append(len(bags.offsets) - 1)
        return infer(model, bags, *rest)

    monkeypatch.setattr(TopicsLearned, "shares_of_bags", counting)
    cli("corpus", "build", file, "--out", tmp_path / "c", "--min-documents", 1, "--max-share", 1)
    cli("nearest", tmp_path / "m", file, "--id", 2, "--among", tmp_path / "c")
    assert inferred == [1, 4]  # the query alone, and all to choose from
    error = cli("nearest", tmp_path / "m", file, "--id", "nobody", code=1).stderr
    assert "no document with a known word has the id 'nobody'" in error
