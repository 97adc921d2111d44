"""Topics as points: weights, their score, what needs distributions, and streams that keep how they began."""

import numpy as np
import pytest
from scipy.stats import dirichlet
from tests.running import TOPICS, german, planted_documents, with_german

from stickbreaker import (
    HDP,
    LDA,
    ConceptTree,
    Corpus,
    Gibbs,
    Memoised,
    Online,
    SplitMerge,
    UserError,
)
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary
from stickbreaker.topics.plan import plan_of

PAIRS = [
    {"concept": word, "words": {"en": [word], "de": [german(word)]}} for topic in TOPICS for word in topic[:4]
]


def points(eta, firsts=(0,), n_words=9, n_topics=3):
    """A words slot, its params, counts and totals."""
    words = ClosedVocabulary(n_words, eta, firsts=firsts, point=True)
    counts = np.random.default_rng(0).gamma(0.3, 5.0, (n_words, n_topics))
    return words, words.start(), counts, words.totals(counts)


def priors_of(eta, n_words=9, n_topics=3):
    eta = np.asarray(eta)
    return np.broadcast_to(eta[:, None] if eta.ndim == 1 else eta, (n_words, n_topics))


ETAS = [0.05, np.linspace(0.1, 2.0, 9), np.linspace(0.1, 3.0, 27).reshape(9, 3)]


@pytest.mark.parametrize("firsts", [(0,), (0, 4)])
@pytest.mark.parametrize("eta", ETAS)
def test_weights_are_the_maximum_and_score_is_its_density_over_the_largest(eta, firsts):
    words, params, counts, totals = points(eta, firsts)
    prior, nats = priors_of(eta), 0.0
    expected = np.empty_like(counts)
    for start, stop in zip(firsts, [*firsts[1:], 9], strict=True):
        part = slice(start, stop)
        expected[part] = (counts + prior)[part] / (counts + prior)[part].sum(axis=0)
        for k in range(3):
            density = dirichlet(1.0 + prior[part, k]).logpdf
            nats += density(expected[part, k]) - density(prior[part, k] / prior[part, k].sum())
    for rows in (None, np.array([1, 3, 4, 8])):
        own = counts if rows is None else counts[rows]
        weights, log_scale, _ = words.weights(params, own, totals, rows)
        found = weights * np.exp(log_scale)[:, None]
        np.testing.assert_allclose(found, expected if rows is None else expected[rows], rtol=1e-6)
    assert words.score(params, totals, words.summary(params, counts, 0)) == pytest.approx(nats, rel=1e-9)
    assert nats < 0.0
    np.testing.assert_allclose(words.log_words(params, counts, totals, 0), np.log(expected), rtol=1e-9)


def test_no_other_point_is_better():
    """The gradient of counts log beta + eta log beta is the same for all words: the maximum."""
    words, params, counts, totals = points(0.3)
    beta = np.exp(words.log_words(params, counts, totals, 0))
    np.testing.assert_allclose(
        (counts + 0.3) / beta, np.broadcast_to(totals + 0.3 * 9, counts.shape), rtol=1e-9
    )


def bilingual(n):
    codes = (("en", "text"), ("de", "deutsch"))
    documents = with_german(planted_documents(n, seed=2))
    return Corpus.from_texts([{code: d[name] for code, name in codes if name in d} for d in documents])


@pytest.mark.parametrize("words", ["closed", ConceptTree(PAIRS)])
def test_the_bound_never_falls_in_several_languages_and_with_concepts(words):
    settings = {"keep_local": True, "doc_max_iter": 500, "doc_tol": 1e-6, "max_iter": 15, "tol": 0.0}
    model = LDA(3, words=words, point_topics=True, random_state=0, **settings).fit(bilingual(150))
    scores = np.array([record["score"] for record in model.trace_])
    assert (np.diff(scores) > -1e-6 * np.abs(scores[1:])).all()
    weights, log_scale, _ = model.learned_.model.words.weights(
        model.params_, model.engine_.table.counts(slice(None)), model.engine_.table.totals(), None
    )
    np.testing.assert_allclose(
        weights * np.exp(log_scale)[:, None], model.topic_word_.T, rtol=1e-5, atol=1e-14
    )


KEPT = {  # what needs distributions over beta, as messages name it
    "eta='learned'": (LDA, {"eta": "learned"}),
    "an open vocabulary": (LDA, {"words": "open"}),
    "inference='gibbs'": (LDA, {"inference": Gibbs()}),
    "schedule='memoised'": (LDA, {"schedule": Memoised()}),
    "representation='franchise'": (HDP, {"representation": "franchise", "n_topics": 4}),
    "moves=": (HDP, {"schedule": Online(), "moves": SplitMerge("halves"), "n_topics": 4}),
}


@pytest.mark.parametrize("named", KEPT)
def test_what_needs_distributions_is_refused(named):
    kind, settings = KEPT[named]
    with pytest.raises(UserError, match="point_topics=True does not go with") as caught:
        kind(point_topics=True, **settings).fit(["a river bank", "bank money"])
    assert named in str(caught.value)
    with pytest.raises(UserError, match="point_topics"):
        kind(point_topics="yes", **settings).fit(["a river bank", "bank money"])


STREAMS = {  # kind, settings, whether its stream has points
    "LDA": (LDA, {}, True),
    "hybrid": (LDA, {"inference": "hybrid"}, True),
    "guide": (LDA, {"guide": {"finance": ["bank"]}}, True),
    "given eta": (LDA, {"eta": 0.2}, True),
    "learned eta": (LDA, {"eta": "learned"}, False),
    "not wanted": (LDA, {"point_topics": False}, False),
    "HDP": (HDP, {}, True),
    "HDP, moves": (HDP, {"moves": SplitMerge("halves")}, False),
}


@pytest.mark.parametrize("first", ["fit", "partial_fit"])
@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_keeps_its_rule_and_its_prior_when_it_is_saved(name, first, tmp_path):
    kind, settings, point = STREAMS[name]
    corpus = Corpus.from_texts([document["text"] for document in planted_documents(80, seed=2)])
    schedule = "online" if name == "HDP, moves" and first == "fit" else None
    given = {"schedule": schedule} if schedule else {}
    model = kind(4, random_state=0, max_iter=3, tol=0.0, **{**settings, **given})
    getattr(model, first)(corpus)
    before = np.mean(model.eta_)
    model.partial_fit(corpus)
    assert model.learned_.model.words.point == point
    if point:
        assert np.mean(model.eta_) == before
    model.save(tmp_path / "model")
    loaded = kind.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.transform(corpus), model.transform(corpus))
    for one in (model, loaded):
        one.partial_fit(corpus)
    np.testing.assert_array_equal(loaded.components_, model.components_)
    assert loaded.trace_[-1]["prequential"] == model.trace_[-1]["prequential"]


@pytest.mark.parametrize("kind", [LDA, HDP])
def test_streams_begin_with_points(kind):
    assert plan_of(kind(4).settings, stream=True).for_stream.point_topics is True


def test_eta_is_that_of_what_began():
    texts = ["a river bank", "bank money"]
    assert LDA(2).fit(texts).eta_ == 0.01
    assert LDA(2, point_topics=True).fit(texts).fit(texts).eta_ == 0.05
    assert LDA(2).partial_fit(texts).eta_ == 0.05
    assert LDA(2).fit(texts).partial_fit(texts).eta_ == 0.01


def drifting(seed, n=1200, n_topics=6, n_words=600):
    """Documents of one topic each, whose words come and go with time: a window over each topic's words."""
    draw, own = np.random.default_rng(seed), n_words // n_topics
    counts = np.zeros((n, n_words))
    for document in range(n):
        topic, first = draw.integers(n_topics), (own - 30) * document // n
        places = topic * own + first + draw.integers(30, size=25)
        counts[document] = np.bincount(places, minlength=n_words)
    return counts


def test_new_words_are_taken_up_by_their_topics():
    counts, gains = drifting(3), {}
    for point in (False, True):
        model = LDA(6, point_topics=point, random_state=0, schedule=Online(batch_size=50))
        for start in range(0, len(counts), 50):
            model.partial_fit(Corpus.from_matrix(counts[start : start + 50], [f"w{v}" for v in range(600)]))
        found = [record["prequential"] for record in model.trace_[12:]]
        gains[point] = np.mean([one["score"] - one["unigram"] for one in found])
    assert gains[True] > gains[False] + 0.05
    assert gains[True] > 0.5
