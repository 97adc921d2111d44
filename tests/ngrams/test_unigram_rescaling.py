"""Language models rescaled by topics: normalised at every word, as by sums over all words, plain without."""

from itertools import chain

import numpy as np
import pytest

from stickbreaker import HDP, LDA, Corpus, NgramModel, UserError, VocabularyRule
from stickbreaker.corpus.document import Document
from stickbreaker.estimators.unigram_topics import UnigramTopics
from stickbreaker.ngrams.kernels.particles import Particles
from stickbreaker.ngrams.model.contexts import with_ends
from stickbreaker.ngrams.model.language_model import text_before
from stickbreaker.ngrams.unigram_rescaling import Ratios, RescaledSums, UnigramRescaling

RULE = VocabularyRule(1, 1.0)
SIDES = [
    one.split()
    for one in ("the cat saw a cat and the mouse ran", "a bank lent the money and the loan ran out")
]
MODELS = {
    "trigrams": {},
    "unigrams": {"order": 1},
    "unbounded": {"order": "unbounded"},
    "spelled": {"unknown": "spelled", "order": 2, "min_count": 1},
}


def texts(n, seed):
    """Documents of two or three sentences, each about one side of `SIDES`."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        side = SIDES[rng.integers(2)]
        yield [list(rng.permutation(side)[: rng.integers(3, 9)]) for _ in range(rng.integers(2, 4))]


def corpus_of(documents):
    made = []
    for sentences in documents:
        starts = np.cumsum([0] + [len(sentence) for sentence in sentences])[:-1].tolist()
        made.append(Document(None, tokens=[*chain(*sentences)], sentences=starts))
    return Corpus.from_documents(made, rule=RULE)


@pytest.fixture(scope="module")
def corpus():
    return corpus_of([*texts(60, 1), []])


@pytest.fixture(scope="module")
def new(corpus):
    return corpus_of([*texts(4, 2), [], [["a", "dog", "ran"]]]).with_vocabulary(corpus.vocabulary)


@pytest.fixture(scope="module")
def lda(corpus):
    rule = VocabularyRule(words=tuple(word for word in corpus.vocabulary.words if word not in ("the", "a")))
    return LDA(3, max_iter=20, tol=0.0, random_state=0).fit(corpus.with_vocabulary(rule_of(corpus, rule)))


def rule_of(corpus, rule):
    return Corpus.from_documents([Document(None, tokens=list(rule.words))], rule=rule).vocabulary


@pytest.fixture(scope="module", params=MODELS)
def model(request, corpus):
    settings = {"max_iter": 8, "samples": 3, "min_count": 2, "random_state": 0, **MODELS[request.param]}
    return NgramModel(**settings).fit(corpus).learned_


def scores(model, new, *args, **settings):
    return list(model.rescaled_scores(new, *args, **settings))


def test_it_sums_to_one_over_all_words(model, lda):
    """The probability of each word after the same past, with the topics of that past."""
    rescaling, numbers = model.rescaling(lda), model.numbers
    total = 0.0
    past = [numbers.known.index("cat"), numbers.end, numbers.known.index("mouse")]
    for word in range(numbers.n_words):
        events, positions = np.array([*past, word]), np.array([0, 1, 0, 1])
        path = rescaling.topic_path(events, np.uint64(5), Particles(3, 2))
        factor = np.exp(rescaling.log_factors(events, positions, path)[-1])
        context = [numbers.end, past[-1]]
        total += factor * model.model.next_words(context, rescaling.p_base)[word]
    strings = 1.0 - model.model.next_words(context, rescaling.p_base).sum()  # not in the text
    events = np.array([*past, -1])
    path = rescaling.topic_path(events, np.uint64(5), Particles(3, 2))
    total += strings * np.exp(rescaling.log_factors(events, positions, path)[-1])
    assert total == pytest.approx(1.0, abs=1e-9)


def test_sums_go_down_the_restaurants(model, lda):
    rescaling, numbers = model.rescaling(lda, 1.3), model.numbers
    rng = np.random.default_rng(0)
    words = rng.integers(0, len(numbers.known), 30)
    marked, positions = with_ends(words, np.array([0, 7, 11, 20]), numbers.end)
    text, places = text_before(marked, positions, numbers.end)
    excess = rescaling.ratios.excess(rng.dirichlet(np.ones(3), 5), numbers.n_words)
    steps = np.sort(rng.integers(0, 5, len(places)))
    found = rescaling.sums(text, places, excess, steps)
    naive = rescaling.sums_over_all_words(text, places, excess, steps)
    assert found == pytest.approx(naive, rel=1e-9, abs=1e-12)
    assert np.abs(found).max() > 0.01
    directly = []
    for i, position in enumerate(positions.tolist()):
        context = [numbers.end, *marked[i - position : i].tolist()]
        p = model.model.next_words(context, rescaling.p_base)
        directly.append(p @ excess[steps[i]])
    assert found == pytest.approx(directly, rel=1e-9, abs=1e-12)


def test_exponent_zero_is_the_plain_model(model, lda, new):
    for scored in scores(model, new, lda, exponent=0.0):
        assert scored.nats.tolist() == scored.plain.nats.tolist()
    plain = model.part_scores(new)
    parts = RescaledSums.of(model.rescaled_scores(new, lda)).parts
    assert parts["all"] == pytest.approx(plain["all"])
    assert parts["known"] == pytest.approx(plain["known"])
    assert parts["rescaled_all"][1] == plain["all"][1]


def test_one_topic_multiplies_by_a_fixed_ratio(model):
    numbers = model.numbers
    rng = np.random.default_rng(3)
    topics = UnigramTopics(
        (*numbers.known[1:], "elsewhere"),
        rng.dirichlet(np.ones(len(numbers.known)), 1),
        np.array([0.5]),
        np.ones(1),
    )
    ratios = Ratios.of(topics, numbers, 0.7)
    assert ratios.lifts == pytest.approx(1.0)
    assert len(ratios.words) == len(numbers.known) - 1
    lifts = rng.gamma(1.0, 1.0, ratios.lifts.shape)  # as if p(word) were another
    rescaling = UnigramRescaling(model.model, model.base, ratios._replace(lifts=lifts))
    ratio = np.ones(numbers.n_words)
    ratio[1 : len(numbers.known)] = lifts[:, 0] ** 0.7
    events, positions = np.array([1, 2, 0, numbers.end]), np.arange(4)
    found = rescaling.log_factors(events, positions, rescaling.topic_path(events, np.uint64(1), Particles()))
    for i, event in enumerate(events.tolist()):
        p = model.model.next_words([numbers.end, *events[:i].tolist()], rescaling.p_base)
        assert np.exp(found[i]) == pytest.approx(ratio[event] / (1.0 + p @ (ratio - 1.0)), rel=1e-9)


def test_the_mean_of_topics_is_by_their_shares_of_the_text(corpus):
    model = NgramModel(1, max_iter=1, random_state=0).fit(corpus).learned_
    words = model.numbers.known[1:4]
    shares, topic_word = np.array([90.0, 10.0]), np.array([[0.5, 0.4, 0.1], [0.1, 0.2, 0.7]])
    ratios = Ratios.of(UnigramTopics(tuple(words), topic_word, np.ones(2), shares), model.numbers, 1.0)
    p = 0.9 * topic_word[0] + 0.1 * topic_word[1]
    order = [model.numbers.known.index(word) for word in words]
    assert ratios.words.tolist() == order
    assert ratios.lifts == pytest.approx((topic_word / p).T)
    assert shares @ ratios.lifts.T / 100 == pytest.approx(1.0)


def test_words_without_a_ratio_are_counted(model, lda, new):
    (scored,) = scores(model, new, lda)
    names = [model.words[word] if word >= 0 else "dog" for word in scored.plain.words.tolist()]
    lacking = {"the", "a", "dog", "<unk>", "</s>"}
    assert scored.same_ratio.tolist() == [name in lacking for name in names]


def test_topics_help_where_documents_have_them(corpus, lda):
    model = NgramModel(2, max_iter=20, min_count=2, random_state=0).fit(corpus)
    new = corpus_of(texts(40, 7)).with_vocabulary(corpus.vocabulary)
    parts = RescaledSums.of(model.learned_.rescaled_scores(new, lda)).parts
    assert parts["rescaled_all"][0] > parts["all"][0]
    nats, words = parts["rescaled_all"]
    assert model.rescaled_perplexity(new, lda) == pytest.approx(np.exp(-nats / words))


def test_documents_have_random_numbers_of_their_own(model, lda, new):
    (once,), (again,) = scores(model, new, lda), scores(model, new, lda)
    assert once.nats.tolist() == again.nats.tolist()
    (more,) = scores(model, new, lda, particles=20)
    assert more.nats.tolist() != once.nats.tolist()


def test_an_hdp_has_topics_and_a_language_model_has_none(corpus, model, new):
    hdp = HDP(5, max_iter=3, tol=0.0, random_state=0).fit(corpus)
    assert np.isfinite(scores(model, new, hdp)[0].nats).all()
    with pytest.raises(UserError, match=r"NgramModel has no topics over single words; .* LDA or HDP"):
        model.rescaled_scores(new, model)
    with pytest.raises(UserError, match="call fit first"):
        model.rescaled_scores(new, LDA(3))
    with pytest.raises(UserError, match="exponent is a number from 0 to 10"):
        model.rescaled_scores(new, hdp, exponent=-1.0)
