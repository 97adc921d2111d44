"""Runs over an open vocabulary: the laws, planted words that come late, streams, hostile words."""

import itertools
import json

import numpy as np
import pytest
from tests.running import StopAfter, planted_documents
from tests.tiers import sampled

from stickbreaker import HDP, LDA, Online, OpenVocabulary, UserError
from stickbreaker.corpus import Analysis, Corpus, Document, VocabularyRule
from stickbreaker.engines import Interrupted
from stickbreaker.estimators import model_runs
from stickbreaker.saved import ModelDirectory
from stickbreaker.testing import MeanFieldTests, VariationalTests, plant_topics
from stickbreaker.testing.estimators import begin, contents, untimed
from stickbreaker.topics.model.moves.split_merge_settings import SplitMerge

WORDS = OpenVocabulary(concentration=20.0)


class TestOpenLDA(MeanFieldTests):
    def make(self, **settings):
        return LDA(5, random_state=0, **{"words": WORDS, "schedule": "batch", **settings})


class TestOpenHybridLDA(VariationalTests):
    def make(self, **settings):
        chosen = {"words": WORDS, "schedule": "batch", "alpha": 0.1, **settings}
        return LDA(5, inference="hybrid", random_state=0, **chosen)


class TestOpenHDP(VariationalTests):
    """What a topic's words that leave and come back do to the bound is no law: see the tables' part of it."""

    def make(self, **settings):
        return HDP(5, random_state=0, **{"words": WORDS, "schedule": "batch", **settings})


class TestOpenHybridHDP(TestOpenHDP):
    def make(self, **settings):
        return super().make(inference="hybrid", **settings)


def test_the_bound_never_falls_while_the_concentration_is_learned():
    words = OpenVocabulary(concentration="learned")
    settings = {"keep_local": True, "doc_max_iter": 500, "doc_tol": 1e-6, "max_iter": 25, "tol": 0.0}
    model = LDA(5, words=words, random_state=0, schedule="batch", alpha=0.1, **settings)
    scores = np.array([record["score"] for record in model.fit(plant_topics().counts).trace_])
    assert (np.diff(scores) > -1e-6 * np.abs(scores[1:])).all(), scores


# Streams

EARLY = [[f"{theme}{i}" for i in range(8)] for theme in ("see", "recht", "stern")]
LATE = [["vuvuzela", "hulk", "gangnam"], ["brexit"], ["exoplanet", "kepler"]]
N = 24  # minibatches


def minibatch(number, size=40, seed=11):
    """Documents of two themes each, mostly one; in the second half each theme has words of its own time."""
    draw = np.random.default_rng([seed, number])
    documents = []
    for d in range(size):
        theme = d % 3
        words = EARLY[theme] + LATE[theme] * 2 if number >= N // 2 else EARLY[theme]
        other = EARLY[(theme + 1) % 3]
        text = [words[i] for i in draw.integers(len(words), size=14)]
        documents.append([*text, other[draw.integers(len(other))], f"once{number}x{d}"])
    return documents


def streaming(inference="hybrid", kind=LDA, n_jobs=1, **settings):
    words = OpenVocabulary(**{"concentration": 300.0, "truncation": 60, "reorder_every": 4, **settings})
    schedule = Online(batch_size=40, kappa=0.6, tau0=4.0, total=40.0 * N)
    more = {"moves": None} if kind is HDP else {}
    chosen = {"words": words, "inference": inference, "schedule": schedule, "alpha": 0.1, "n_jobs": n_jobs}
    return kind(3, random_state=0, **chosen, **more)


@pytest.fixture(scope="module", params=list(itertools.product((LDA, HDP), ("hybrid", "mean-field"))), ids=str)
def streamed(request):
    """A model after the whole stream, and what it knew of the late words half way."""
    kind, inference = request.param
    model = streaming(inference, kind)
    for number in range(N):
        model.partial_fit(minibatch(number))
        if number == N // 2 - 1:
            before = set(model.vocabulary_.words)
    return model, before


def test_words_that_come_late_are_found_in_their_topics(streamed):
    model, before = streamed
    assert not before & set(itertools.chain(*LATE))
    for late, early in zip(LATE, EARLY, strict=True):
        (own,) = [set(words) for words in model.top_words(8 + len(late)) if set(late) <= set(words)]
        assert len(own & set(early)) >= 7


def test_the_trace_tells_who_entered_and_left(streamed):
    model, _ = streamed
    first = model.trace_[0]["vocabulary"]
    size = first["size"] - first["entered"]  # those that mean-field documents begin with
    for record in model.trace_:
        told = record["vocabulary"]
        size += told["entered"] - told["left"]
        assert told["size"] == size
        assert told["left"] == 0 or record["step"] % 4 == 0, "words leave when the order is made"
        if record["step"] % 4 == 0:
            assert size <= 3 * 60
    assert size == len(model.vocabulary_) == model.topic_word_.shape[1]
    assert sum(record["vocabulary"]["left"] for record in model.trace_) > 100


def test_probabilities_and_shares_sum_to_one(streamed):
    model, _ = streamed
    assert model.topic_word_.sum(axis=1) + model.rest_ == pytest.approx(np.ones(len(model.alpha_)))
    assert model.components_.shape == model.topic_word_.shape
    whole = model.engine_.table.whole()
    assert model.vocabulary_.words == tuple(whole.keys)
    assert (np.asarray(whole.sizes) <= 60).all()


def test_a_document_is_inferred_by_itself(streamed):
    model, _ = streamed
    documents = [*minibatch(N - 1)[:9], [], ["nie", "gesehen"], ["hulk"], ["hulk", "nie"]]
    theta = model.transform(documents)
    assert theta.sum(axis=1) == pytest.approx(np.ones(len(documents)))
    for i in (0, 5, 9, 10, 11):
        assert model.transform([documents[i]]).tobytes() == theta[i : i + 1].tobytes()
    assert model.transform(documents[::-1])[::-1].tobytes() == theta.tobytes()
    mean = model.alpha_ / model.alpha_.sum()
    assert theta[9] == pytest.approx(mean)
    assert theta[10].tobytes() == theta[9].tobytes(), "words that no topic has are ignored"
    assert theta[12].tobytes() == theta[11].tobytes()
    assert theta[11].max() > mean.max()


def test_a_loaded_model_goes_on_as_the_one_that_was_saved(streamed, tmp_path):
    model, _ = streamed
    model.save(tmp_path / "model")
    loaded, again = (type(model).load(tmp_path / "model") for _ in range(2))
    assert loaded.vocabulary_.words == model.vocabulary_.words
    assert loaded.trace_ == model.trace_
    for name in ("topic_word_", "components_", "rest_", "alpha_", "topic_shares_"):
        assert getattr(loaded, name).tobytes() == getattr(model, name).tobytes(), name
    loaded.partial_fit(minibatch(N)).partial_fit(minibatch(N + 1))
    again.partial_fit(minibatch(N))
    again.save(tmp_path / "again")
    again = type(model).load(tmp_path / "again").partial_fit(minibatch(N + 1))
    assert again.components_.tobytes() == loaded.components_.tobytes()
    assert again.vocabulary_.words == loaded.vocabulary_.words
    assert untimed(again.trace_) == untimed(loaded.trace_)


def test_an_hdp_has_as_many_topics_as_are_in_use(streamed):
    model, _ = streamed
    if isinstance(model, HDP):
        assert model.n_topics_ == len(model.topic_word_) == len(model.rest_) == 3
        assert 0 < model.topic_weights_.sum() < 1


@pytest.mark.parametrize("inference", sampled(["hybrid", "mean-field"], 1))
@pytest.mark.parametrize("memory", sampled(["discard", "keep", "bloom"], 1))
def test_a_stream_is_the_same_for_any_threads_and_through_a_file(tmp_path, inference, memory):
    """Law 2; minibatches of several shards. In the file after every step."""
    settings = {"memory": memory, "truncation": 30, "reorder_every": 2, "concentration": "learned"}
    models = [streaming(inference, n_jobs=n, **settings) for n in (1, 2, 3)]
    for number in range(10, 15):
        for model in models:
            model.partial_fit(minibatch(number, 300))
        models[2].save(tmp_path / str(number))
        models[2] = LDA.load(tmp_path / str(number)).set_params(n_jobs=3)
    for model in models[1:]:
        assert model.components_.tobytes() == models[0].components_.tobytes()
        assert model.concentration_ == models[0].concentration_
        assert model.vocabulary_.words == models[0].vocabulary_.words
        assert untimed(model.trace_) == untimed(models[0].trace_)


def test_a_filter_counts_documents_of_all_shards():
    """Of 300 documents: a word of the first and the last enters, one that is twice in one does not."""
    documents = [["a", "b"] for _ in range(300)]
    documents[0] += ["both", "twice", "twice"]
    documents[299] += ["both"]
    model = streaming(memory="bloom").partial_fit(documents)
    assert set(model.vocabulary_.words) == {"a", "b", "both"}
    model.partial_fit([["twice"]])
    assert "twice" in model.vocabulary_.words


# Runs into a directory


@pytest.mark.parametrize("kind", sampled([LDA, HDP], 1), ids=["LDA", "HDP"])
@pytest.mark.parametrize("inference", sampled(["hybrid", "mean-field"], 1))
@pytest.mark.parametrize("memory", sampled(["discard", "bloom"], 1))
def test_an_interrupted_run_goes_on_alike(tmp_path, cli, kind, inference, memory):
    texts = [Document(each["id"], tokens=each["text"].split()) for each in planted_documents()]
    corpus = Corpus.from_documents(texts, out=tmp_path / "corpus")
    words = OpenVocabulary(concentration="learned", truncation=12, reorder_every=3, memory=memory)
    schedule = Online(batch_size=7, kappa=0.6, tau0=2.0)
    chosen = {"words": words, "inference": inference, "schedule": schedule, "max_iter": 2, "tol": 0.0}
    model = kind(3, random_state=1, **chosen)
    for name in ("whole", "model"):
        begin(model, corpus, tmp_path / name)
    model_runs.resume(tmp_path / "whole", every=60, threads=1)
    path = tmp_path / "model"
    for steps in (1, 2, 5):  # interrupted again, and again
        with pytest.raises(Interrupted):
            model_runs.resume(path, every=0, threads=2, watch=[StopAfter(steps)])
    assert ModelDirectory(path).manifest()["run"]["step"] == 8
    model_runs.resume(path, every=0, threads=3)
    assert contents(path) == contents(tmp_path / "whole")
    held = kind.load(path)
    fitted = model.fit(Corpus.open(tmp_path / "corpus"))
    assert held.components_.tobytes() == fitted.components_.tobytes()
    told = json.loads(cli("topics", path, "--json").stdout)["topics"]
    assert len(told) == len(held.alpha_)
    cli("report", path, "--out", tmp_path / "report.html")
    assert "river" in (tmp_path / "report.html").read_text()


def test_a_saved_model_is_shown_and_reported(streamed, tmp_path, cli):
    model, _ = streamed
    model.save(tmp_path / "model")
    told = json.loads(cli("topics", tmp_path / "model", "--json").stdout)["topics"]
    assert any("hulk" in str(topic) for topic in told)


# What does not go with it


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (LDA, {"schedule": "memoised"}),
        (LDA, {"inference": "gibbs"}),
        (LDA, {"inference": "gibbs-delayed"}),
        (LDA, {"guide": {"theme": ["a"]}}),
        (HDP, {"schedule": "memoised"}),
        (HDP, {"representation": "franchise"}),
        (HDP, {"moves": SplitMerge("exact")}),
    ],
    ids=str,
)
def test_what_an_open_vocabulary_does_not_go_with(kind, settings):
    with pytest.raises(UserError) as told:
        kind(2, words="open", **settings).fit([["a", "b"]])
    assert "\n" not in str(told.value)


def test_an_open_hdp_is_no_lda():
    model = HDP(2, words="open", random_state=0, max_iter=1, tol=0.0).fit([["a", "b"], ["b"]])
    with pytest.raises(UserError, match="a closed vocabulary"):
        model.to_lda()


# What nobody would send


def begun(**settings):
    """A small model that knows the words a, b, c."""
    chosen = {"inference": "hybrid", "random_state": 0, "words": "open", **settings}
    return LDA(2, **chosen).partial_fit([["a", "b"], ["b", "c", "a"]])


def state_of(model):
    """All that must not change when something is refused."""
    arrays, keys = model.engine_.snapshot()
    params = {name: item.values.tobytes() for name, item in model.params_.items()}
    held = {name: values.tobytes() for name, values in arrays.items()}
    return held, list(keys), params, json.dumps(model.trace_), model.corpus_, model.seed_


@pytest.mark.parametrize("memory", ["discard", "bloom"])
@pytest.mark.parametrize(
    "documents",
    [
        [["a", ""], ["a"]],
        [["", ""]],
        [["a", None]],
        [["a", 3]],
        [["a", b"b"]],
        [["a", ["b"]]],
        [],
        "a b",
    ],
    ids=repr,
)
def test_what_is_no_word_is_refused_and_nothing_is_changed(documents, memory):
    model = begun(words=OpenVocabulary(memory=memory))
    before = state_of(model)
    with pytest.raises(UserError) as told:
        model.partial_fit(documents)
    assert "\n" not in str(told.value)
    assert state_of(model) == before
    other = begun(words=OpenVocabulary(memory=memory))
    for each in (model, other):
        each.partial_fit([["a", "d"], ["d"]])
    assert state_of(model) == state_of(other)


@pytest.mark.parametrize(
    "word",
    [
        "x" * 100,
        "a\x00b",
        "\x07\x1b[31m",
        "\u202eabc",
        "שלום",
        "😀",
        "👩\u200d👩\u200d👧",
        "e\u0301",
        "é",
        "\u00ad",
        "\ufeff",
        "\U0010ffff",
        "<script>",
        "a b",
        " ",
        "\n",
        "\t",
    ],
    ids=ascii,
)
def test_strange_words_are_kept_as_they_are(word, tmp_path):
    model = begun().partial_fit([[word, "a"], [word]])
    assert set(model.vocabulary_.words) == {"a", "b", "c", word}
    model.save(tmp_path / "model")
    loaded = LDA.load(tmp_path / "model")
    assert loaded.vocabulary_.words == model.vocabulary_.words
    assert loaded.transform([[word]]).tobytes() == model.transform([[word]]).tobytes()
    assert np.isfinite(model.topic_word_).all()
    assert model.transform([[word]]).sum() == pytest.approx(1.0)


def test_words_that_are_too_long_are_left_out_of_a_stream():
    model = begun().partial_fit([["x" * 101, "a"], ["x" * 10_000]])
    assert set(model.vocabulary_.words) == {"a", "b", "c"}


def test_a_lone_surrogate_is_told_as_unreadable():
    """As wherever documents are read, U+FFFD stands for it: a model can always be written."""
    model = begun().partial_fit([["a", "x\ud800"], ["\udfffy"]])
    assert set(model.vocabulary_.words) == {"a", "b", "c", "x\ufffd", "\ufffdy"}


def test_texts_that_come_later_are_analysed_as_the_first_were(tmp_path):
    analysis = Analysis(stemming=True)
    first = Corpus.from_texts(
        ["running ships", "sailing houses"], analysis=analysis, rule=VocabularyRule(1, 1.0)
    )
    LDA(2, words="open", random_state=0).partial_fit(first).save(tmp_path / "model")
    model = LDA.load(tmp_path / "model").partial_fit(["the bankers sailed", "ship"])
    assert set(model.vocabulary_.words) == {"run", "ship", "sail", "hous", "banker"}
    assert model.fit(["bankers"]).vocabulary_.words == ("bankers",)  # which begins anew


def test_a_word_that_is_kept_though_no_topic_has_it_is_unseen():
    words = OpenVocabulary(1.0, truncation=2, reorder_every=1, memory="keep")
    model = begun(words=words, alpha=0.1, init="random")
    for _ in range(3):
        model.partial_fit([["x"] * 9 + ["y"] * 5, ["z"] * 9 + ["y"] * 5, ["a"]])
    kept, had = set(model.engine_.table.whole().keys), set(model.vocabulary_.words)
    assert had == set("xyz") < kept == set("abcxyz")
    assert model.topic_word_.any(axis=0).all()
    assert model.components_.shape == model.topic_word_.shape == (2, len(had))
    strange = [[word] for word in sorted(kept - had)]
    assert model.transform(strange).tolist() == model.transform([["never"]] * len(strange)).tolist()
    for word, column in zip(model.vocabulary_.words, model.topic_word_.T, strict=True):
        assert model.transform([[word] * 20])[0].argmax() == column.argmax()


def test_one_topic():
    model = LDA(1, words="open", random_state=0, schedule="batch", max_iter=3, tol=0.0)
    model.fit([["a", "b", "a"], ["c"]])
    assert model.transform([["a"], []]).tolist() == [[1.0], [1.0]]
    assert dict(zip(model.vocabulary_.words, model.components_[0], strict=True)) == pytest.approx(
        {"a": 2.0, "b": 1.0, "c": 1.0}
    )


@pytest.mark.parametrize("inference", ["hybrid", "mean-field"])
def test_a_document_of_a_hundred_thousand_tokens(inference):
    long = [f"w{i % 3000}" for i in range(100_000)]
    model = begun(inference=inference).partial_fit([long, ["a"]])
    assert len(model.vocabulary_) == 3003
    theta = model.transform([long])
    assert np.isfinite(theta).all()
    assert theta.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("inference", ["hybrid", "mean-field"])
def test_documents_that_are_alike_empty_or_all_unseen(inference):
    model = begun(inference=inference)
    model.partial_fit([["a", "b", "c"]] * 300)
    same = model.transform([["a", "b", "c"]] * 3)
    assert same[0].tobytes() == same[1].tobytes() == same[2].tobytes()
    model.partial_fit([[], ["d", "e"], []])
    assert model.trace_[-1]["vocabulary"] == {"size": 5, "entered": 2, "left": 0}
    model.partial_fit([[], []])
    assert model.trace_[-1]["vocabulary"] == {"size": 5, "entered": 0, "left": 0}
    model.partial_fit([["f"], ["g", "h"]])
    assert set(model.vocabulary_.words) == set("abcdefgh")
    assert np.isfinite(model.components_).all()


def test_a_matrix_names_its_columns_and_not_their_order():
    """The table's rows stand as they came; columns are looked up by their names."""
    X = np.array([[0, 3, 1, 0], [2, 0, 0, 1], [0, 4, 0, 0]])
    model = LDA(2, words=WORDS, random_state=0, schedule="batch", max_iter=3, tol=0.0).fit(X)
    assert model.vocabulary_.words != ("x0", "x1", "x2", "x3")
    tokens = [[f"x{j}" for j in range(4) for _ in range(row[j])] for row in X.tolist()]
    assert model.transform(X) == pytest.approx(model.transform(tokens))
    assert model.score(X) == pytest.approx(model.score(tokens))


@pytest.mark.parametrize("inference", ["hybrid", "mean-field"])
def test_topics_begin_as_a_few_documents_have_the_first_words(inference):
    """With "documents" every topic of planted themes is there after the first step, and no word is lost."""
    texts = [each["text"].split() for each in planted_documents()]
    chosen = {"words": OpenVocabulary(concentration=30.0), "inference": inference, "alpha": 0.1}
    models = {
        init: LDA(3, init=init, random_state=0, **chosen).partial_fit(texts)
        for init in ("documents", "random")
    }
    first = models["documents"]
    assert set(first.vocabulary_.words) == {word for text in texts for word in text}
    assert first.transform(texts).max(axis=1).mean() > 0.9
    assert not np.allclose(first.topic_word_, models["random"].topic_word_)
