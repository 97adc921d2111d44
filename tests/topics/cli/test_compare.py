"""`compare`: matched topics side by side."""

import json

import numpy as np
import pytest
from tests.running import SMALL, TOPICS, planted_documents, write_lines

from stickbreaker import LDA, Corpus
from stickbreaker.topics.evaluation import match_topics, stability


@pytest.fixture(scope="module")
def others(cli, planted, tmp_path_factory):
    """Models of the planted corpus: three topics of another seed, and five."""
    place = tmp_path_factory.mktemp("others")
    cli("fit", "lda", planted, "--out", place / "seed", *SMALL[:-1], 7)
    cli("fit", "lda", planted, "--out", place / "five", "--topics", 5, *SMALL[2:])
    return place / "seed", place / "five"


def test_planted_topics_are_matched(cli, model, others):
    told = json.loads(cli("compare", model, others[0], "--top", 8, "--json").stdout)
    (one,) = told["comparisons"]
    assert (told["model"], one["model"], one["shared_words"]) == (str(model), str(others[0]), 24)
    assert (one["only_first"], one["only_second"]) == ([], [])
    for pair in one["pairs"]:
        assert set(pair["words"]) == set(pair["with_words"])
        assert set(pair["words"]) in [set(topic) for topic in TOPICS]
    first, second = LDA.load(model).topic_word_, LDA.load(others[0]).topic_word_
    expected = match_topics(first, second)
    assert expected.mean > 0.9
    assert one["mean"] == told["mean"] == pytest.approx(expected.mean)
    assert [pair["similarity"] for pair in one["pairs"]] == pytest.approx(expected.similarity.tolist())


def test_several_models_and_topics_left_alone(cli, model, others):
    told = json.loads(cli("compare", model, *others, "--json").stdout)
    more = told["comparisons"][1]
    assert (more["topics"], len(more["pairs"]), len(more["only_second"])) == (5, 3, 2)
    matched = {pair["with"] for pair in more["pairs"]} | {one["topic"] for one in more["only_second"]}
    assert matched == set(range(5))
    topics = [LDA.load(path).topic_word_ for path in (model, *others)]
    assert told["mean"] == pytest.approx(stability(topics))
    reverse = json.loads(cli("compare", others[1], model, "--json").stdout)["comparisons"][0]
    assert (len(reverse["only_first"]), reverse["only_second"]) == (2, [])
    assert reverse["mean"] == pytest.approx(more["mean"])


def test_text(cli, model, others):
    lines = cli("compare", model, *others).stdout.splitlines()
    assert lines[0].startswith(f"{model} (3 topics) and {others[0]} (3): 0.9")
    assert lines[0].endswith("alike on average, 24 words in both")
    assert lines[1].split() == ["alike", "topic", "words", "topic", "words"]
    assert sum(line.startswith("    -") for line in lines) == 2
    assert lines[-1].startswith("all pairs of models: 0.")


def test_vocabularies_that_differ_are_compared_by_what_they_share(cli, model, tmp_path):
    documents = [
        {"id": d["id"], "text": d["text"] + f" novel{n % 5}"} for n, d in enumerate(planted_documents())
    ]
    cli("fit", "lda", write_lines(tmp_path / "x.jsonl", documents), "--out", tmp_path / "m", *SMALL)
    one = json.loads(cli("compare", model, tmp_path / "m", "--json").stdout)["comparisons"][0]
    assert one["shared_words"] == 24
    assert one["mean"] > 0.8


def test_languages_are_averaged(cli, tmp_path):
    """A model whose German is the same and whose English has other topics is half alike, not less."""
    for name, flip in (("a", False), ("b", True)):
        documents = [
            {
                "id": str(n),
                "de": "haus dach" if n % 2 else "meer boot",
                "en": "sun moon" if (n % 2) ^ flip else "cat dog",
            }
            for n in range(20)
        ]
        corpus = write_lines(tmp_path / f"{name}.jsonl", documents)
        line = ("fit", "lda", corpus, "--out", tmp_path / name, "--topics", 2, *SMALL[2:])
        cli(*line, "--text-field", "en=en,de=de")
    one = json.loads(cli("compare", tmp_path / "a", tmp_path / "b", "--json").stdout)["comparisons"][0]
    assert one["mean"] == pytest.approx(0.5, abs=0.05)
    assert all(len(pair["words"]) == 6 for pair in one["pairs"])  # three of each language
    assert {word.partition(":")[0] for word in one["pairs"][0]["words"]} == {"de", "en"}


def test_hostile_words_are_one_safe_line(cli, tmp_path):
    words = ["\x1b[31mred", "x\ny", "[red]rich[/red]", "a\u202eb"]
    for seed in (0, 1):
        corpus = Corpus.from_tokens([words, words[:2]] * 5)
        LDA(2, max_iter=2, tol=0, n_jobs=1, random_state=seed).fit(corpus).save(tmp_path / str(seed))
    told = cli("compare", tmp_path / "0", tmp_path / "1").stdout
    assert len(told.splitlines()) == 4
    assert not any(character in told for character in "\x1b\u202e")


def test_mistakes(cli, model, tmp_path):
    assert "two models" in cli("compare", model, code=2).stderr
    assert "there is no such model" in cli("compare", model, tmp_path / "none", code=1).stderr
    LDA(2, max_iter=1, tol=0, n_jobs=1).fit(np.eye(3)).save(tmp_path / "numbers")
    done = cli("compare", model, tmp_path / "numbers", code=1)
    assert done.stderr == (
        f"stickbreaker: {tmp_path / 'numbers'}: the models have no word in common; compare models of "
        "similar corpora\n"
    )


def test_models_with_hardly_a_common_word_are_refused(cli, model, tmp_path):
    """One word in both was "1.000 alike"."""
    documents = [{"id": str(n), "text": "haus dach wand meer insel " * 6 + "boat"} for n in range(6)]
    line = ("fit", "lda", write_lines(tmp_path / "x.jsonl", documents), "--out", tmp_path / "m", *SMALL)
    cli(*line, "--max-share", 1)
    topics, others = LDA.load(model), LDA.load(tmp_path / "m")
    boat, again = topics.vocabulary_.words.index("boat"), others.vocabulary_.words.index("boat")
    shares = topics.topic_word_[:, boat].mean(), others.topic_word_[:, again].mean()
    first, second = (f"{100 * share:.1f} %" for share in shares)
    assert 0.02 < min(shares) < 0.05
    done = cli("compare", model, tmp_path / "m", "--json", code=1)
    assert done.stdout == ""
    assert done.stderr == (
        f"stickbreaker: {tmp_path / 'm'}: the models have 1 word in common, with {first} of the "
        f"first's probability and {second} of the second's; compare models of similar corpora "
        "(topics can be compared from 5 % of both on)\n"
    )
