"""`evaluate`: each score, its JSON, its text, and mistakes."""

import json
import math

import numpy as np
import pytest
from tests.running import SMALL, TOPICS, planted_documents, write_lines

from stickbreaker import LDA, Corpus
from stickbreaker.core.random_streams import share_of
from stickbreaker.topics import report_documents
from stickbreaker.topics.evaluation import coherence, learned_documents, left_to_right_score, topic_diversity

GERMAN = {word: "x" + word for topic in TOPICS for word in topic}


@pytest.fixture(scope="module")
def told(cli, model, planted):
    options = ("--left-to-right", "--particles", 3, "--labels", "label")
    return json.loads(cli("evaluate", model, planted, *options, "--json").stdout)


@pytest.fixture(scope="module")
def two_languages(cli, tmp_path_factory):
    """A model of planted documents and their word-by-word translation, and the documents."""
    place = tmp_path_factory.mktemp("languages")
    pairs = zip(planted_documents(seed=0), planted_documents(seed=1), strict=True)
    documents = [
        {"id": a["id"], "en": a["text"], "de": " ".join(GERMAN[w] for w in b["text"].split())}
        for a, b in pairs
    ]
    corpus = write_lines(place / "both.jsonl", documents)
    fields = ("--text-field", "en=en,de=de")
    cli("fit", "lda", corpus, "--out", place / "m", "--topics", 3, "--threads", 1, "--seed", 1, *fields)
    return place / "m", corpus, fields


def test_coherence_is_that_of_the_library(told, model, texts):
    found = coherence(LDA.load(model).top_words(10), Corpus.from_texts(texts))
    (one,) = told["coherence"]
    assert (one["language"], one["reference"], one["documents"], one["windows"]) == (None, None, 60, 60)
    for name in ("npmi", "umass", "c_v"):
        assert one[name]["per_topic"] == getattr(found, name).per_topic.tolist()
        assert one[name]["unseen_pairs"] == getattr(found, name).unseen_pairs


def test_left_to_right_is_that_of_the_library(told, model, texts):
    lda = LDA.load(model)
    bags = Corpus.from_texts(texts, vocabulary=lda.vocabulary_).bags(0)
    found = left_to_right_score(bags, lda.topic_word_, lda.alpha_, 3, digests=lda.vocabulary_.digests)
    whole = told["left_to_right"]
    assert whole["nats_per_word"] == pytest.approx(found.nats_per_word, rel=1e-12)
    assert whole["perplexity"] == pytest.approx(math.exp(-whole["nats_per_word"]))
    assert (whole["scored_tokens"], whole["particles"]) == (900, 3)
    assert whole["nats_per_word"] > whole["unigram_nats_per_word"] + 0.3


def test_the_bound_is_that_of_the_library(cli, model, planted, texts):
    bound = json.loads(cli("evaluate", model, planted, "--bound", "--json").stdout)["bound"]
    lda = LDA.load(model)
    assert bound == {"tokens": 900.0, "nats_per_token": lda.bound(texts)}
    assert bound["nats_per_token"] < lda.score(texts)
    text = cli("evaluate", model, planted, "--bound").stdout
    assert f"Bound on log p of whole documents: {bound['nats_per_token']:.4f} nats/token\n" in text
    assert json.loads(cli("evaluate", model, planted, "--json").stdout)["bound"] is None


def test_particles_need_not_be_told(cli, model, planted):
    assert json.loads(cli("evaluate", model, planted, "--json").stdout)["left_to_right"] is None
    line = ("evaluate", model, "--json", "--left-to-right", planted)
    assert json.loads(cli(*line).stdout)["left_to_right"]["particles"] == 20


@pytest.mark.parametrize("by", ["documents", "company", "relevance", "probability"])
def test_words_are_those_of_the_ranking(cli, model, planted, texts, by):
    told = json.loads(cli("evaluate", model, planted, "--by", by, "--json").stdout)
    words = LDA.load(model).top_words(10, by=by)
    assert told["coherence"][0]["npmi"]["mean"] == coherence(words, Corpus.from_texts(texts)).npmi.mean
    shown = json.loads(cli("topics", model, "--by", by, "--json").stdout)["topics"]
    assert sorted(one["words"] for one in shown) == sorted(words)


@pytest.mark.parametrize("verb", ["topics", "evaluate", "compare"])
def test_a_stream_that_continues_a_fit_has_not_counted_company(cli, planted, texts, tmp_path, verb):
    LDA(3, random_state=0).fit(texts).partial_fit(texts).save(tmp_path / "model")
    inputs = {"evaluate": [planted], "compare": [tmp_path / "model"]}.get(verb, [])
    told = cli(verb, tmp_path / "model", *inputs, "--by", "company", code=1).stderr.splitlines()[-1]
    problem = "--by company: the model has not counted which words occur together"
    assert told == f"stickbreaker: {problem}; fit it again"
    cli(verb, tmp_path / "model", *inputs)


def test_diversity_and_labels(told, model):
    lda = LDA.load(model)
    spread = told["diversity"]
    assert spread["diversity"] == topic_diversity(lda.top_words(25))
    assert 2 < spread["effective_topics"] <= 3
    assert (spread["topics"], spread["unused_topics"]) == (3, [])
    labels = told["labels"]
    assert (labels["field"], labels["documents"], labels["classes"], labels["left_out"]) == (
        "label",
        60,
        3,
        0,
    )
    assert labels["topics"]["accuracy"] > 0.9
    assert labels["majority"]["accuracy"] == pytest.approx(1 / 3)


def test_the_text_names_every_score(cli, model, planted):
    text = cli("evaluate", model, planted, "--left-to-right", "--particles", 2, "--labels", "label").stdout
    for part in ("60 documents, 480 words predicted", "unigram", "Left to right: 900 words, 2 particles"):
        assert part in text
    for part in (
        "NPMI",
        "UMass",
        "C_v",
        "Diversity: ",
        "Labels by label: 60 documents, 3 labels",
        "majority",
    ):
        assert part in text
    assert "mean reciprocal rank" not in text
    assert "Left to right" not in cli("evaluate", model, planted).stdout


def test_a_reference_is_read_as_the_model_s_corpus_was(cli, model, planted, tmp_path):
    """A file, and corpora of any vocabulary, tell the same; only the coherence depends on it."""
    other = write_lines(tmp_path / "other.jsonl", planted_documents(40, seed=5))
    cli("corpus", "build", other, "--out", tmp_path / "c", "--vocabulary-size", 2)
    own, file, store = (
        json.loads(cli("evaluate", model, planted, *more, "--json").stdout)
        for more in ((), ("--reference", other), ("--reference", tmp_path / "c"))
    )
    assert file["coherence"][0].pop("reference") == str(other)
    assert store["coherence"][0].pop("reference") == str(tmp_path / "c")
    assert file == store
    assert file["coherence"][0]["documents"] == 40
    assert file["coherence"][0]["npmi"] != own["coherence"][0]["npmi"]
    assert {**file, "coherence": None} == {**own, "coherence": None}
    assert f"in 40 documents of {other}" in cli("evaluate", model, planted, "--reference", other).stdout


def test_a_reference_that_was_analysed_otherwise_is_noted(cli, model, planted, tmp_path):
    cli("corpus", "build", planted, "--out", tmp_path / "c", "--stemming")
    done = cli("evaluate", model, planted, "--reference", tmp_path / "c")
    assert f"{tmp_path / 'c'}: the corpus was analysed differently" in done.stderr


def test_a_store_as_reference_beside_a_file_with_options(cli, model, planted, tmp_path):
    """Options of the raw documents do not concern a corpus that is the reference."""
    cli("corpus", "build", planted, "--out", tmp_path / "c")
    renamed = [{"body": document["text"]} for document in planted_documents()]
    file = write_lines(tmp_path / "body.jsonl", renamed)
    line = ("evaluate", model, file, "--text-field", "body", "--reference", tmp_path / "c", "--json")
    assert json.loads(cli(*line).stdout)["coherence"][0]["documents"] == 60


def test_a_store_beside_a_raw_reference_with_options(cli, model, planted, tmp_path):
    """They are the reference's; without one a corpus refuses them."""
    cli("corpus", "build", planted, "--out", tmp_path / "c")
    renamed = [{"body": document["text"]} for document in planted_documents(40, seed=5)]
    file = write_lines(tmp_path / "body.jsonl", renamed)
    line = ("evaluate", model, tmp_path / "c", "--text-field", "body")
    told = json.loads(cli(*line, "--reference", file, "--json").stdout)
    assert (told["documents"], told["coherence"][0]["documents"]) == (60, 40)
    for more in ((), ("--reference", tmp_path / "c")):
        assert "is a corpus already, --text-field has no effect" in cli(*line, *more, code=1).stderr


def test_bags_have_no_windows(cli, model, tmp_path):
    words = sorted(word for topic in TOPICS for word in topic)
    (tmp_path / "bags.ldac").write_text("2 0:1 1:2\n3 1:1 2:1 5:4\n")
    (tmp_path / "words.txt").write_text("\n".join(words) + "\n")
    line = ("evaluate", model, tmp_path / "bags.ldac", "--vocab", tmp_path / "words.txt")
    assert json.loads(cli(*line, "--json").stdout)["coherence"][0]["windows"] is None
    text = cli(*line).stdout
    assert "in 2 documents, not learned from" in text or "in 2 documents, perhaps learned from" in text
    assert "all measures count whole documents, since the order of words is unknown" in text


def test_coherence_counts_the_documents_held_out(cli, planted, tmp_path):
    """And says so; in others it says whether they were learned from."""
    cli("corpus", "build", planted, "--out", tmp_path / "c")
    line = ("--topics", 3, "--iterations", 5, "--threads", 1, "--seed", 1, "--held-out", 0.3)
    cli("fit", "lda", tmp_path / "c", "--out", tmp_path / "m", *line)
    corpus = Corpus.open(tmp_path / "c")
    left = int(sum(share_of(name) < 0.3 for name in corpus.ids(0)))
    assert 0 < left < 60
    (one,) = json.loads(cli("evaluate", tmp_path / "m", tmp_path / "c", "--json").stdout)["coherence"]
    assert (one["documents"], one["text_windows"], one["held_out"]) == (left, left, True)
    held_out = np.flatnonzero([share_of(name) < 0.3 for name in corpus.ids(0)])
    found = coherence(LDA.load(tmp_path / "m").top_words(10), corpus, documents=lambda block: held_out)
    assert one["npmi"]["per_topic"] == found.npmi.per_topic.tolist()
    text = cli("evaluate", tmp_path / "m", tmp_path / "c").stdout
    assert f"in {left} documents, held out when the model was learned" in text
    assert f"NPMI counts {left} windows of 200 words, UMass documents, C_v {left} windows" in text
    cli("fit", "lda", tmp_path / "c", "--out", tmp_path / "n", *line[:-2])
    text = cli("evaluate", tmp_path / "n", tmp_path / "c").stdout
    assert "in 60 documents, learned from, where the words were chosen: expect less in others" in text


def test_two_languages(cli, two_languages):
    model, corpus, fields = two_languages
    line = ("evaluate", model, corpus, *fields, "--left-to-right", "--particles", 2)
    told = json.loads(cli(*line, "--json").stdout)
    assert [one["language"] for one in told["coherence"]] == ["de", "en"]
    assert told["nats_per_word"] > told["unigram_nats_per_word"] + 0.3
    assert told["left_to_right"]["nats_per_word"] > told["left_to_right"]["unigram_nats_per_word"] + 0.3
    assert told["left_to_right"]["nats_per_word"] == pytest.approx(told["nats_per_word"], abs=0.3)
    (pair,) = told["language_pairs"]
    assert (pair["languages"], pair["documents"]) == (["de", "en"], 60)
    assert pair["mrr"] > 1.5 * pair["chance"]
    assert pair["cross_lingual_npmi"]["mean"] > 0
    text = cli(*line).stdout
    assert "Coherence of top words in de, in 60 documents" in text
    assert "de and en: 60 documents with both sides" in text


MISTAKES = [
    ("--labels colour", "no document has the field 'colour'; there are: label"),
    ("--reference {dir}/none.jsonl", "none.jsonl: no such file"),
    (
        "--labels rare",
        "2 documents with 2 labels are too few to classify; give at least two labels with 5 documents each",
    ),
]


@pytest.mark.parametrize(("options", "says"), MISTAKES)
def test_a_mistake_is_one_line(cli, model, tmp_path, options, says):
    documents = planted_documents()
    if "rare" in options:
        documents[0]["rare"], documents[1]["rare"] = "a", "b"
    file = write_lines(tmp_path / "in.jsonl", documents)
    done = cli("evaluate", model, file, *options.format(dir=tmp_path).split(), code=1)
    lines = [line for line in done.stderr.splitlines() if "documents read in" not in line]
    assert done.stdout == ""
    assert len(lines) == 1
    assert says in lines[0]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--left-to-right", "--particles", 0), "Invalid value for '--particles'"),
        (("--left-to-right", "--particles", "many"), "Invalid value for '--particles'"),
        (("--particles", 5), "--particles needs --left-to-right"),
    ],
)
def test_wrong_usage(cli, model, planted, options, says):
    told = cli("evaluate", model, planted, *options, code=2).stderr
    assert told.count("\n") == 1
    assert " evaluate --help)" in told
    assert says in told


def test_scores_of_parts_add_up_in_json(cli, model, tmp_path):
    """Left to right, too, a document's score is its own."""
    documents = planted_documents(30)
    files = [
        write_lines(tmp_path / f"{n}.jsonl", part)
        for n, part in enumerate((documents[:9], documents[9:], documents))
    ]
    told = [
        json.loads(cli("evaluate", model, file, "--left-to-right", "--particles", 2, "--json").stdout)[
            "left_to_right"
        ]
        for file in files
    ]
    nats = [one["nats_per_word"] * one["scored_tokens"] for one in told]
    assert np.isclose(nats[0] + nats[1], nats[2], rtol=1e-12)


def test_wholly_unseen_text_is_noted(cli, model, tmp_path):
    (tmp_path / "de.txt").write_text("haus dach meer\nwald wiese wand\n")
    (tmp_path / "both.txt").write_text("haus dach meer\nwald wiese river\n")
    says = "note: no document has a word that the model knows"
    for line in (
        ("evaluate", "--unseen", "spelled"),
        ("transform", "--out", tmp_path / "t.csv", "--overwrite"),
    ):
        assert says in cli(*line, model, tmp_path / "de.txt", "--json").stderr
        assert says not in cli(*line, model, tmp_path / "both.txt").stderr
    assert "there is nothing to score" in cli("evaluate", model, tmp_path / "de.txt", code=1).stderr


def learned_from(cli, *line):
    """What `evaluate` says in JSON of documents learned from, and the lines of its text that do."""
    lines = [text for text in cli("evaluate", *line).stdout.splitlines() if "has learned from" in text]
    return json.loads(cli("evaluate", *line, "--json").stdout)["learned_from"], lines


def test_documents_learned_from_are_told(cli, model, planted, tmp_path):
    own = learned_from(cli, model, planted)
    assert own == (1.0, ["The model has learned from these documents: expect lower scores for new ones"])
    new = [document | {"id": f"n{i}"} for i, document in enumerate(planted_documents(seed=5))]
    assert learned_from(cli, model, write_lines(tmp_path / "new.jsonl", new)) == (0.0, [])
    mixed = write_lines(tmp_path / "mixed.jsonl", [*new[:15], *planted_documents()[20:25]])
    share, (line,) = learned_from(cli, model, mixed)
    assert (share, "25.0 % of these documents" in line) == (0.25, True)


def test_documents_held_out_are_not_told_as_learned_from(cli, planted, tmp_path):
    cli("fit", "lda", planted, "--out", tmp_path / "m", *SMALL, "--held-out", 0.3, "--iterations", 2)
    held_out = [document for document in planted_documents() if share_of(document["id"]) < 0.3]
    assert 10 < len(held_out) < 30
    assert learned_from(cli, tmp_path / "m", planted)[0] == pytest.approx(1 - len(held_out) / 60)
    assert learned_from(cli, tmp_path / "m", write_lines(tmp_path / "x.jsonl", held_out)) == (0.0, [])


def test_of_many_documents_those_that_the_model_keeps_are_looked_up(cli, model, tmp_path, monkeypatch):
    """Of the 20 with the lowest hashes of their ids, and of no others, the model knows the texts."""
    documents = planted_documents()
    monkeypatch.setattr(report_documents, "LIMIT", 20)
    monkeypatch.setattr(learned_documents, "LIMIT", 20)
    line = ("fit", "lda", write_lines(tmp_path / "d.jsonl", documents), "--out", tmp_path / "m", *SMALL)
    cli(*line, "--iterations", 2)
    new = [document | {"id": f"n{i}"} for i, document in enumerate(planted_documents(seed=5))]
    lowest = sorted([*documents[::2], *new], key=lambda document: share_of(document["id"], 1))
    last = sorted(share_of(document["id"], 1) for document in documents)[19]
    asked = [document["id"] for document in lowest if share_of(document["id"], 1) <= last]
    share, _ = learned_from(cli, tmp_path / "m", write_lines(tmp_path / "x.jsonl", [*documents[::2], *new]))
    assert share == pytest.approx(sum(name[0] == "d" for name in asked) / len(asked))
    assert 0.0 < share < 1.0


@pytest.mark.parametrize(
    "kind", [("ngram", "--min-count", 1), ("grammar", "--grammar", "unigram")], ids=lambda kind: kind[0]
)
def test_other_kinds_tell_their_own_text(cli, tmp_path, kind):
    lines = [document["text"] for document in planted_documents(20)]
    for name, part in (("a.txt", lines), ("b.txt", lines[1:])):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in part))
    cli("fit", *kind, tmp_path / "a.txt", "--out", tmp_path / "m", "--iterations", 2)
    assert learned_from(cli, tmp_path / "m", tmp_path / "a.txt")[0] == 1.0
    assert learned_from(cli, tmp_path / "m", tmp_path / "b.txt") == (None, [])
