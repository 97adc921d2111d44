"""`evaluate` on words that a model does not know: ignored, or spelled."""

import json

import pytest
from tests.running import SMALL, planted_documents, write_lines

from stickbreaker import LDA, Corpus, OpenVocabulary
from stickbreaker.topics.evaluation import OpenTopics, Topics, completion_of_strings


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("unseen")


@pytest.fixture(scope="module")
def strange(place):
    """Documents of known words, each with one that is new."""
    documents = planted_documents(30, seed=3)
    for number, document in enumerate(documents):
        document["text"] += f" neologism{'abcdef'[number % 6]}"
    return write_lines(place / "strange.jsonl", documents)


@pytest.fixture(scope="module")
def open_model(place):
    words = OpenVocabulary(concentration=30.0)
    model = LDA(3, words=words, inference="hybrid", schedule="online", alpha=0.1, random_state=0)
    lists = [document["text"].split() for document in planted_documents()]
    for _ in range(5):
        model.partial_fit(lists)
    model.save(place / "open")
    return place / "open"


def told(cli, *line):
    return json.loads(cli("evaluate", *line, "--json").stdout)


def test_an_open_model_spells_always(cli, open_model, strange) -> None:
    found = told(cli, open_model, strange, "--left-to-right", "--particles", 2)
    model = LDA.load(open_model)
    words, small = model.learned_.model.words, model.params_
    topics = Topics(model.topic_word_, model.alpha_, model.vocabulary_, model.learned_.shares_of_bags)
    opened = OpenTopics(topics, model.rest_, lambda spelled: words.log_spelling(small, spelled))
    scored = completion_of_strings(opened, Corpus.build(strange, analysis=model.analysis_))
    assert found["nats_per_word"] == pytest.approx(scored.held_out.nats_per_word, rel=1e-12)
    assert found["spelled"]["nats"] == pytest.approx(scored.spelling_nats)
    assert 0 < found["spelled"]["tokens"] <= 30
    assert found["spelled"]["share"] == pytest.approx(found["spelled"]["tokens"] / found["scored_tokens"])
    assert 0.1 < found["spelled"]["share_of_nats"] < 1.0
    whole = found["left_to_right"]
    assert (whole["spelled"]["tokens"], whole["scored_tokens"]) == (30.0, 480.0)
    text = cli("evaluate", open_model, strange).stdout
    assert "of words that no topic has" in text
    known = write_lines(open_model.parent / "known.jsonl", planted_documents(5))
    assert "takes 0 nats, 0.0 % of all" in cli("evaluate", open_model, known).stdout


def test_a_closed_model_spells_when_told(cli, model, open_model, strange) -> None:
    plain = told(cli, model, strange)
    spelled = told(cli, model, strange, "--unseen", "spelled")
    by_other = told(cli, model, strange, "--spelling-of", open_model)
    assert plain["spelled"] is None
    assert plain["unseen_share"] == spelled["unseen_share"] == pytest.approx(30 / 480)
    assert spelled["nats_per_word"] < plain["nats_per_word"]
    assert spelled["scored_tokens"] == by_other["scored_tokens"] == 240.0
    assert spelled["spelled"]["nats"] == pytest.approx(
        by_other["spelled"]["nats"]
    )  # the same words were learned
    opened = told(cli, open_model, strange)
    assert opened["spelled"]["tokens"] == by_other["spelled"]["tokens"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("open", "--unseen", "ignored"), "gives every word a probability"),
        (("closed", "--unseen", "ignored", "--spelling-of", "open"), "drop one of them"),
        (("closed", "--spelling-of", "nowhere"), "nowhere"),
    ],
)
def test_what_does_not_fit_is_told(cli, model, open_model, strange, line, said) -> None:
    paths = {"open": open_model, "closed": model}
    words = [paths.get(word, word) for word in line]
    done = cli("evaluate", words[0], strange, *words[1:], code=1)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_several_languages_are_not_spelled(cli, place) -> None:
    documents = [{"id": str(i), "en": "river water boat", "de": "fluss wasser boot"} for i in range(6)]
    corpus = write_lines(place / "both.jsonl", documents)
    fields = ("--text-field", "en=en,de=de")
    cli("fit", "lda", corpus, "--out", place / "both", *SMALL, *fields)
    done = cli("evaluate", place / "both", corpus, "--unseen", "spelled", *fields, code=1)
    assert "several languages" in done.stderr
