"""A prompt for a language model to name topics, and the names in its answer."""

import json

import pytest
from tests.running import SMALL, planted_documents, write_lines

import stickbreaker
from stickbreaker import LDA, UserError
from stickbreaker.topics.names.label_prompt import names_in_answer, typical_documents
from stickbreaker.topics.report.document_entries import read_documents


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        ("0: wind and rain\n12: money", {0: "wind and rain", 12: "money"}),
        (
            'Here you are:\n\nTopic 0 – wind\n- **3**: "money."\n4) \u201cfish\u201d\n5 = a = b\n',
            {0: "wind", 3: "money", 4: "fish", 5: "a = b"},
        ),
        ('```json\n{"0": "wind", "topic 1": "rain", "x": "y", "2": 5}\n```', {0: "wind", 1: "rain"}),
        ("1: a: b {c}\n1: a: b {c}", {1: "a: b {c}"}),
        ('1:\n2: ""\n3: Stra\u00dfe, M\u00e4rkte', {3: "Stra\u00dfe, M\u00e4rkte"}),
    ],
)
def test_names_in_an_answer(answer, names):
    assert names_in_answer(answer) == names


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("I cannot do that.", "the answer names no topic; write a line for each topic, such as 3: weather"),
        ("", "the answer names no topic"),
        ("1: a\n1: b", "topic 1 has two names"),
        ("{" * 10_000, "the answer names no topic"),
        ("1" * 5000 + ": x", "the answer names no topic"),
    ],
)
def test_an_answer_without_names_is_one_line(answer, message):
    with pytest.raises(UserError) as told:
        names_in_answer(answer)
    assert message in str(told.value)
    assert "\n" not in str(told.value)


def test_documents_that_have_most_of_a_topic():
    mixes = [[(0, 0.9), (1, 0.1)], [(1, 0.6), (0, 0.4)], [(0, 0.95)], [(0, 0.2)], [(1, 0.04)]]
    found = typical_documents(["a", "b", "c", "d", "e"], mixes, 3)
    assert found == [["c", "a", "b"], ["b", "a"], []]
    assert typical_documents([], [], 2) == [[], []]


def test_a_prompt_and_its_answer(cli, tmp_path):
    path = write_lines(tmp_path / "p.jsonl", planted_documents())
    cli("fit", "lda", path, "--out", tmp_path / "m", *SMALL)
    prompt = cli("topics", tmp_path / "m", "--prompt", "--top", 4).stdout
    model = LDA.load(tmp_path / "m")
    for k, words in enumerate(model.top_words(4)):
        assert f"Topic {k}\nWords: {', '.join(words)}\nDocument: " in prompt
    shares = {one.text: dict(one.mix).get(1, 0.0) for one in read_documents(tmp_path / "m")[0]}
    shown = prompt.split("Topic 1\n")[1].split("\n\n")[0].splitlines()[1:]
    assert len(shown) == 3
    assert all(shares[line.removeprefix("Document: ")] > max(shares.values()) - 0.01 for line in shown)
    assert stickbreaker.topics_of(tmp_path / "m", prompt=True, top=4).prompt in prompt
    assert "Document:" not in model.label_prompt()
    assert (
        model.label_prompt(top=4)
        .split("Topic 0\n")[1]
        .startswith(f"Words: {', '.join(model.top_words(4)[0])}")
    )
    (tmp_path / "answer.txt").write_text("Names:\n0: the sea\n2: the sky\n1: money\n", encoding="utf-8")
    named = cli(
        "name", tmp_path / "m", "--from-file", tmp_path / "answer.txt", "--topic", "1=banks", "--json"
    )
    assert {t["topic"]: t["name"] for t in json.loads(named.stdout)["topics"]} == {
        0: "the sea",
        1: "banks",
        2: "the sky",
    }


def test_mistakes_of_the_commands_are_one_line(cli, model, tmp_path):
    (tmp_path / "a.txt").write_text("9: x")
    told = cli("name", model, "--from-file", tmp_path / "a.txt", code=1).stderr
    assert "there is no topic 9; topics run from 0 to 2" in told
    (tmp_path / "a.txt").write_text("none")
    told = cli("name", model, "--from-file", tmp_path / "a.txt", code=1).stderr
    assert told.startswith(f"stickbreaker: {tmp_path / 'a.txt'}: the answer names no topic")
    assert told.count("\n") == 1
    assert (
        "--prompt does not go with --out" in cli("topics", model, "--prompt", "--out", "x.csv", code=2).stderr
    )
    with pytest.raises(UserError, match="call fit first"):
        LDA(2).label_prompt()
