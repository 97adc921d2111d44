"""Guides: what their files say, which words they stand for, and what they do to topics."""

import contextlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker import LDA, UserError
from stickbreaker.corpus import Analysis, Corpus, Vocabulary
from stickbreaker.corpus.text.polylingual import PolylingualAnalysis
from stickbreaker.engines import local
from stickbreaker.testing import plant_topics
from stickbreaker.topics.model.vocabularies import closed
from stickbreaker.topics.seed_words import Guide

DICTIONARY = """%
1\tmoney
2\tbody parts
3\tnothing
%
bank*\t1
arm\t2
hand\t1\t2
air travel\t2
"""


def test_a_liwc_dictionary(tmp_path):
    path = tmp_path / "words.dic"
    path.write_text(DICTIONARY)
    guide = Guide.read(path)
    assert dict(guide.categories) == {"money": ["bank*", "hand"], "body parts": ["arm", "hand", "air travel"]}
    assert Guide.read(path, ["body parts"]).names == ("body parts",)
    assert (Guide.read(path, inside=3.0).inside, Guide.read(path).outside) == (3.0, 0.01)
    with pytest.raises(UserError, match="no category 'war'; it has money, body parts"):
        Guide.read(path, ["war"])


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("word\t1\n", None, "not a dictionary in LIWC's format"),
        ("%\n1\tmoney\n", None, "not a dictionary in LIWC's format"),
        ("%\nmoney\n%\n", 2, "'money' is not a category"),
        ("%\n1\tmoney\n%\nbank\t7\n", 4, "no category has the number 7"),
        ("%\n1\tmoney\n2\twar\n1\tpeace\n%\n", 4, "the number 1 occurs twice"),
        ("%\n1\tmoney\n2\tmoney\n%\nbank\t1\n", 3, "the category 'money' occurs twice"),
        ("%\n1\tmoney\n%\nbank\t1\nair travel\n", 5, "'air travel' has no category"),
        ("%\n%\n", None, "the file has no category"),
        ("", None, "not a dictionary in LIWC's format"),
    ],
)
def test_a_malformed_dictionary_is_told_by_its_line(tmp_path, text, line, told):
    path = tmp_path / "words.dic"
    path.write_text(text)
    with pytest.raises(UserError, match=told) as caught:
        Guide.read(path)
    assert caught.value.line == line
    assert str(path) in str(caught.value)


def test_json_with_lists_and_weights(tmp_path):
    path = tmp_path / "words.json"
    path.write_text(json.dumps({"z": ["bank*"], "a": {"arm": 4}}))
    assert Guide.read(path).names == ("z", "a")
    for text, told in [
        ("[1]", "not a JSON object"),
        ("{", "malformed JSON"),
        ('{"a": "word"}', "no list of words"),
        ('{"a": [1]}', "no list of words"),
        ('{"a": []}', "no list of words"),
        ('{"a": {"w": -1}}', "weight is -1"),
        ("{}", "no category"),
        ('{"a": ["w"], "b": ["x"], "a": ["y"]}', "'a' occurs twice"),
        ('{"a": {"w": 1, "w": 2}}', "'w' occurs twice"),
    ]:
        path.write_text(text)
        with pytest.raises(UserError, match=told) as caught:
            Guide.read(path)
        assert str(path) in str(caught.value)
    with pytest.raises(UserError, match="no such file"):
        Guide.read(tmp_path / "missing.dic")


@given(st.binary(max_size=200))
def test_no_input_gives_another_error(tmp_path_factory, content):
    for ending in ("dic", "json"):
        path = tmp_path_factory.mktemp("guide") / f"words.{ending}"
        path.write_bytes(content)
        with contextlib.suppress(UserError):
            Guide.read(path)


def found(prior, vocabulary, topic=0):
    """The words that a guided topic favours, with their eta."""
    return {word: float(e) for word, e in zip(vocabulary.words, prior[:, topic], strict=True) if e != 0.01}


def test_words_wildcards_and_forms():
    vocabulary = Vocabulary.of(["abandon", "abandoned", "abandonment", "aban", "run", "hous"])
    guide = Guide(
        {"a": ["abandoned*", "runs", "Houses", "air travel"], "b": {"abandon*": 3.0, "abandoned": 5}}
    )
    stemmed = Analysis(stemming=True)
    prior = guide.prior(vocabulary, stemmed, 4, 0.2)[:]
    assert found(prior, vocabulary) == dict.fromkeys(
        ["abandon", "abandoned", "abandonment", "run", "hous"], 10.0
    )
    assert found(prior, vocabulary, 1) == {"abandon": 5.0, "abandoned": 5.0, "abandonment": 3.0}
    assert (prior[:, 2:] == 0.2).all()
    plain = guide.prior(vocabulary, Analysis(), 2, 0.2)[:]
    assert found(plain, vocabulary) == {"abandoned": 10.0}


def test_what_is_found_is_told():
    vocabulary = Vocabulary.of(["abandon", "abandoned", "run", "air"])
    guide = Guide({"a": ["abandon*", "runs", "air travel", "kettle", "*"], "b": {"air": 3.0}})
    assert guide.found(vocabulary, Analysis(stemming=True)) == ((2, 5), (1, 1))
    assert guide.found(vocabulary, None) == ((1, 5), (1, 1))
    both = Vocabulary.joined({c: Vocabulary.of([f"{c}:bank", f"{c}:gift"]) for c in ("de", "en")})
    analysis = PolylingualAnalysis.of(Analysis(), ["de", "en"])
    assert Guide({"a": ["bank", "de:gift", "fr:gift"]}).found(both, analysis) == ((2, 3),)


def test_languages():
    vocabulary = Vocabulary.joined({c: Vocabulary.of([f"{c}:bank", f"{c}:gift"]) for c in ("de", "en")})
    analysis = PolylingualAnalysis.of(Analysis(), ["de", "en"])
    prior = Guide({"both": ["bank"], "one": ["de:gift"]}).prior(vocabulary, analysis, 2, 0.2)[:]
    assert set(found(prior, vocabulary)) == {"de:bank", "en:bank"}
    assert set(found(prior, vocabulary, 1)) == {"de:gift"}


def test_what_cannot_be_guided_is_refused():
    X = [[1, 2, 0], [0, 1, 3]]
    with pytest.raises(UserError, match="2 categories for 1 topics"):
        LDA(1, guide={"a": ["x0"], "b": ["x1"]}).fit(X)
    with pytest.raises(UserError, match="no word of the category 'a'"):
        LDA(2, guide={"a": ["y*"]}).fit(X)
    with pytest.raises(UserError, match="eta is learned, and the guide"):
        LDA(2, guide={"a": ["x0"]}, eta="learned").fit(X)
    with pytest.raises(UserError, match="'a' weigh no more than all others"):
        LDA(2, guide=Guide({"a": ["x0"]}, inside=0.01)).fit(X)
    with pytest.raises(UserError, match=r"guide=.words\.dic"):
        LDA(2, guide="words.dic").fit(X)  # type: ignore[arg-type]


def test_the_guide_is_a_prior_not_only_a_start(tmp_path):
    """Two words that never occur together are in one topic, since the guide says so; and stay there."""
    planted = plant_topics(seed=1)
    tops = planted.topics.argmax(axis=1)
    guide = {"joined": {f"x{tops[0]}": 5000.0, f"x{tops[1]}": 5000.0}, "other": [f"x{tops[2]}"]}
    model = LDA(6, guide=guide, random_state=0, max_iter=40, tol=0.0).fit(planted.counts)
    assert set(np.argsort(-model.topic_word_[0])[:2]) == {tops[0], tops[1]}
    assert model.topic_names_ == ("joined", "other", None, None, None, None)
    model.save(tmp_path / "model")
    loaded = LDA.load(tmp_path / "model")
    assert loaded.topic_names_ == model.topic_names_
    assert loaded.transform(planted.counts).tobytes() == model.transform(planted.counts).tobytes()
    assert loaded.partial_fit(planted.counts).topic_names_[0] == "joined"


def test_guided_topics_start_from_documents_of_their_words():
    texts = ["bank money loan"] * 8 + ["river water fish"] * 8 + ["court judge law"] * 8
    corpus = Corpus.from_texts(texts)
    for inference in ("mean-field", "hybrid", "gibbs", "gibbs-delayed"):
        model = LDA(3, guide={"law": ["judge"], "fishing": ["fish*"]}, inference=inference, random_state=0)
        tops = [set(words) for words in model.set_params(max_iter=30, tol=0.0).fit(corpus).top_words(3)]
        assert tops == [{"court", "judge", "law"}, {"river", "water", "fish"}, {"bank", "money", "loan"}]


@pytest.mark.parametrize("inference", ["mean-field", "hybrid", "gibbs", "gibbs-delayed"])
@pytest.mark.parametrize("rest", [0.25, np.arange(1, 129) / 64.0])
def test_a_guide_is_as_good_as_its_eta_as_an_array(inference, rest):
    """Weights are multiples of 1 / 64, so that sums come out alike in any order."""
    planted = plant_topics(n_words=128)
    settings = {"inference": inference, "init": "random", "random_state": 0, "max_iter": 4, "tol": 0.0}
    guide = Guide({"a": ["x1*"], "b": {"x2": 4.0, "x7*": 2.0}}, inside=8.0, outside=0.125)
    guided = LDA(5, eta=rest, guide=guide, **settings).fit(planted.counts)
    given = LDA(5, eta=guided.eta_, **settings).fit(planted.counts)
    assert guided.components_.tobytes() == given.components_.tobytes()
    assert guided.bound_ == pytest.approx(given.bound_, rel=1e-12)


@pytest.mark.parametrize("inference", ["mean-field", "hybrid"])
def test_the_score_does_not_depend_on_how_the_vocabulary_is_cut(monkeypatch, inference):
    """Each block of words has its own rows of eta."""
    planted = plant_topics()
    settings = {"guide": {"a": ["x1*"]}, "inference": inference, "random_state": 0, "max_iter": 3, "tol": 0.0}
    whole = LDA(5, **settings).fit(planted.counts)
    monkeypatch.setattr(local, "BLOCK", 64)
    monkeypatch.setattr(closed, "BLOCK", 24)
    cut = LDA(5, **settings).fit(planted.counts)
    scores = [[record["score"] for record in model.trace_] for model in (whole, cut)]
    assert scores[0] == pytest.approx(scores[1], rel=1e-12)


@pytest.mark.parametrize(
    "words", [{"x1", "x2"}, np.array(["x1", "x2"]), ("x1", "x2"), {"x1": np.float32(4), "x2": np.int64(4)}]
)
def test_words_of_any_kind_are_saved_as_plain_ones(tmp_path, words):
    model = LDA(2, guide={"a": words}, max_iter=2, tol=0.0, random_state=0).fit([[1, 2, 3], [0, 1, 3]])
    model.save(tmp_path / "model")
    loaded = LDA.load(tmp_path / "model")
    assert loaded.eta_.tolist() == model.eta_.tolist()
    for wrong in (5, None, "x1", [1], np.array([1])):
        with pytest.raises(UserError, match="'a' has no list of words"):
            Guide({"a": wrong})
