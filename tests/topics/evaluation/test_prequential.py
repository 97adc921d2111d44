"""Prequential scores against plain sums, of the state before a minibatch is learned from."""

import numpy as np
import pytest
from tests.oracle import lda as oracle
from tests.running import TOPICS, german

from stickbreaker import HDP, LDA, Online, OpenVocabulary
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.source import Source
from stickbreaker.corpus.token_bags import corpus_of_tokens
from stickbreaker.engines import LocalEngine
from stickbreaker.engines.local import local_fork
from stickbreaker.learning.fading_counts import FADING, FadingCounts
from stickbreaker.topics.evaluation.completion import split_halves
from stickbreaker.topics.evaluation.prequential import (
    MOST,
    prequential_score,
    unigram_base,
    unigram_nats,
)
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.priors.dirichlet import DirichletPrior
from stickbreaker.topics.model.solvers.mean_field import MeanField
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary
from stickbreaker.topics.plan import plan_of

SIZE = 20
CASES = {
    "closed": lambda **more: LDA(3, **more),
    "closed, hybrid": lambda **more: LDA(3, inference="hybrid", **more),
    "closed, HDP": lambda **more: HDP(3, **more),
    "closed, guided": lambda **more: LDA(3, guide={"finance": ["bank"]}, **more),
    "open": lambda **more: LDA(3, words=OpenVocabulary(truncation=40), alpha=0.1, **more),
    "open, hybrid": lambda **more: LDA(3, words="open", inference="hybrid", **more),
    "open, HDP": lambda **more: HDP(3, words="open", **more),
}
EVERY = Vocabulary.of(sorted(word for topic in TOPICS for word in topic))
BOTH = Corpus.from_texts(
    [{"en": " ".join(EVERY.words), "de": " ".join(map(german, EVERY.words))}],
).vocabulary


def documents(n, seed=0, words=10):
    draw = np.random.default_rng(seed)
    return [[TOPICS[number % 3][i] for i in draw.integers(8, size=words)] for number in range(n)]


def estimator(case, **more):
    given = {"schedule": Online(SIZE), "random_state": 5, "n_jobs": 1, **more}
    return CASES[case](**given)


def taught(model, texts):
    """The estimator after one minibatch."""
    if model.words == "closed":
        return model.partial_fit(Corpus.from_texts([" ".join(text) for text in texts], vocabulary=EVERY))
    return model.partial_fit(texts)


def source(corpus, model):
    keys = corpus.vocabulary.words if model.table.keyed else None
    return Source(corpus, 0.0, keys, model.unit, model.shard_size)


@pytest.mark.parametrize("languages", [1, 2])
def test_scores_are_plain_sums(languages):
    draw, alpha, eta, n_words = np.random.default_rng(1), np.array([0.3, 0.7]), 0.2, 8
    firsts = (0,) if languages == 1 else (0, 5)
    words = ClosedVocabulary(n_words, eta, firsts=firsts)
    model = TopicModel(DirichletPrior(tuple(alpha)), words, MeanField(max_iter=50, tol=0.0))
    counts = draw.gamma(1.0, 4.0, (n_words, 2))
    engine = LocalEngine(1)
    engine.start(model, counts)
    corpus = Corpus.from_matrix(draw.integers(0, 4, (5, n_words)), [f"w{i}" for i in range(n_words)])
    fading = FadingCounts()
    fading.add(corpus.vocabulary.words, counts.sum(axis=1))
    found = prequential_score(engine, model, model.start(), source(corpus, model).all_shards(), 3, 1, fading)

    groups = np.array([sum(i >= first for first in firsts) - 1 for i in range(n_words)])
    own = groups[:, None] == groups
    phi = (counts + eta) / (own @ (counts + eta))
    alone = (counts.sum(axis=1) + 0.5) / (counts.sum() + 0.5 * n_words)  # the corpus has no languages
    observed, rest = split_halves(corpus.bags(0))
    topics = unigram = tokens = 0.0
    for d in range(5):
        seen, hidden = (slice(half.offsets[d], half.offsets[d + 1]) for half in (observed, rest))
        total = observed.counts[seen].sum()
        lam = (counts + eta).T
        gamma = inferred(observed.words[seen], observed.counts[seen], alpha, lam, own, alpha + total / 2)
        theta = gamma / gamma.sum()
        for word, n in zip(rest.words[hidden], rest.counts[hidden], strict=True):
            topics += n * np.log(theta @ phi[word])
            unigram += n * np.log(alone[word])
            tokens += n
    assert found is not None
    assert (found.tokens, found.documents, found.unseen) == (tokens, 5, 0.0)
    np.testing.assert_allclose([found.score, found.unigram], [topics / tokens, unigram / tokens], rtol=1e-5)


def inferred(words, counts, alpha, lam, own, start):
    """gamma after fifty rounds; each group of words is a distribution of its own."""
    log_beta = oracle.psi(lam) - oracle.psi(lam @ own)
    gamma = start
    for _ in range(50):
        logits = oracle.expected_log(gamma)[:, None] + log_beta[:, words]
        phi = np.exp(logits - logits.max(axis=0))
        gamma = alpha + (phi / phi.sum(axis=0)) @ counts
    return gamma


@pytest.mark.parametrize("case", CASES)
def test_a_minibatch_is_scored_by_the_state_before_it(case):
    model, batches = estimator(case), [documents(SIZE, seed) for seed in range(4)]
    for batch in batches:
        taught(model, batch)
    records = model.trace_
    assert "prequential" not in records[0]  # topics begin with its documents
    fresh = estimator(case)
    for step, batch in enumerate(batches):
        if step:
            before, told = scored(fresh, batch, step), records[step]["prequential"]
            assert before == told
            assert told["tokens"] == SIZE * 5
        taught(fresh, batch)
        if step:
            assert scored(fresh, batch, step)["score"] > told["score"]  # it was learned from


def scored(model, batch, step):
    """What the model as it is says of a minibatch."""
    closed = model.words == "closed"
    corpus = Corpus.from_texts([" ".join(text) for text in batch], vocabulary=EVERY)
    corpus = corpus if closed else corpus_of_tokens(batch)
    plan, state = plan_of(model.settings, stream=True), model.state_
    topics = plan.model(corpus.vocabulary, corpus.analysis)
    engine = local_fork(model.engine_, topics, 1, copied=False)  # that of the model infers without draws
    shards = source(corpus, topics).all_shards()
    fading = state.fading.copy()
    return prequential_score(engine, topics, state.params, shards, 5, step, fading)._asdict()


@pytest.mark.parametrize("languages", [1, 2])
def test_the_unigram_is_the_best_up_to_now_of_running_sums_that_fade(languages):
    model, corpora = estimator("closed", eta=0.1), list(streamed(languages))
    counts, nats, groups = np.zeros((len(FADING), 24 * languages)), np.zeros(len(FADING)), None
    for step, corpus in enumerate(corpora):
        model.partial_fit(corpus)
        bags, words = corpus.bags(0), corpus.vocabulary.words
        groups = np.array([["de", "en"].index(word[:2]) if languages == 2 else 0 for word in words])
        if step:
            rest, smooth = split_halves(bags)[1], counts + 0.5
            totals = np.array([[row[groups == group].sum() for group in groups] for row in smooth])
            each = np.log((smooth / totals)[:, rest.words]) @ rest.counts
            found = model.trace_[-1]["prequential"]
            best = np.round(nats, 6).argmax()
            assert found["fading"] == FADING[best]
            assert found["unigram"] == pytest.approx(each[best] / rest.counts.sum(), rel=1e-9)
            nats += each
        fresh = np.bincount(bags.words, bags.counts, counts.shape[1])
        counts = np.array(FADING)[:, None] * counts + fresh
    assert found["fading"] < 1.0  # the words change


def streamed(languages):
    """Minibatches whose subject changes, of one language or two."""
    for step in range(8):
        texts = [" ".join(TOPICS[step // 3][i] for i in line) for line in lines(step)]
        if languages == 2:
            texts = [{"en": text, "de": " ".join(map(german, text.split()))} for text in texts]
        yield Corpus.from_texts(texts, vocabulary=EVERY if languages == 1 else BOTH)


def lines(step):
    return np.random.default_rng(step).integers(8, size=(SIZE, 10))


def test_the_unigram_of_an_open_vocabulary_spells_what_it_lacks():
    model = taught(taught(estimator("open"), documents(SIZE)), documents(SIZE, 1))
    batch = [[*text, "xyzzy", "xyzzy"] for text in documents(SIZE, 2)]
    corpus, topics, state = corpus_of_tokens(batch), model.engine_.model, model.state_
    words = corpus.vocabulary.words
    spelled = np.exp(topics.words.log_spelling(state.params, words))
    counts = state.fading.of(words)
    alone = (counts + 3000 * spelled[:, None]) / (state.fading.totals() + 3000)
    base = unigram_base(topics.words, state.params, corpus.vocabulary, words)
    for place in range(len(words)):
        one = np.eye(len(words))[place]
        found = np.exp(unigram_nats(state.fading, words, one, base))
        np.testing.assert_allclose(found, alone[place], rtol=1e-9)
    assert "xyzzy" not in state.fading.words
    assert (alone > 0).all()
    assert (alone.sum(axis=0) < 1.0).all()


@pytest.mark.parametrize("case", ["closed", "open", "open, hybrid"])
def test_threads_change_nothing(case):
    traces = []
    for threads in (1, 2, 4):
        model = estimator(case, n_jobs=threads)
        for seed in range(3):
            taught(model, documents(150, seed))
        traces.append([record.get("prequential") for record in model.trace_])
    assert traces[0] == traces[1] == traces[2]
    assert traces[0][1]["documents"] == MOST


def test_the_documents_that_are_scored_are_drawn_anew():
    model = taught(estimator("closed"), documents(150))
    scores = [scored(model, documents(150, 1), step)["score"] for step in (1, 2)]
    assert scores[0] != scores[1]


def test_words_that_the_model_lacks_are_spelled_or_left_out():
    strange = [[*text, "xyzzy", "xyzzy"] for text in documents(SIZE, 1)]
    model = taught(estimator("open"), documents(SIZE))
    found = scored(model, strange, 1)
    assert found["tokens"] == SIZE * 6
    assert 0 < found["unseen"] < 2 * SIZE
    known = scored(model, documents(SIZE, 1), 1)
    assert found["score"] < known["score"]
    assert found["unigram"] < known["unigram"]
    closed = taught(estimator("closed"), documents(SIZE))
    found = scored(closed, strange, 1)
    assert (found["tokens"], found["unseen"]) == (SIZE * 5, 2 * SIZE)


def test_a_word_that_no_float_can_spell_leaves_the_score_finite():
    model = taught(estimator("open"), documents(SIZE))
    found = scored(model, [[*text, "q" * 900] for text in documents(SIZE, 1)], 1)
    assert np.isfinite([found["score"], found["unigram"]]).all()


def test_how_words_are_numbered_changes_nothing():
    model, batch = taught(estimator("open"), documents(SIZE)), documents(SIZE, 1)
    topics, params = model.engine_.model, model.state_.params
    corpus = corpus_of_tokens(batch)
    backwards = Vocabulary.of(sorted(corpus.vocabulary.words, reverse=True))
    found = [
        prequential_score(
            model.engine_, topics, params, source(each, topics).all_shards(), 5, 1, FadingCounts()
        )
        for each in (corpus, Corpus.from_texts([" ".join(text) for text in batch], vocabulary=backwards))
    ]
    assert found[0] == found[1]


def test_documents_of_one_word_and_of_none():
    model = taught(estimator("closed"), documents(SIZE))
    assert scored(model, [["bank"], []], 1)["tokens"] == 1.0
    corpus = Corpus.from_texts(["unknown"], vocabulary=EVERY)
    topics = model.engine_.model
    shards = source(corpus, topics).all_shards()
    fading = FadingCounts()
    assert prequential_score(model.engine_, topics, model.state_.params, shards, 5, 1, fading) is None
