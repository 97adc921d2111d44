"""Topics of aligned documents, guided topics, and both at once under every inference."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from tests.tiers import sampled

from stickbreaker import LDA, UserError
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.building import About
from stickbreaker.corpus.matrix import matrix_parts
from stickbreaker.testing import MeanFieldTests, ModelTests, VariationalTests, plant_languages
from stickbreaker.testing.planted import matched
from stickbreaker.topics.seed_words import Guide

SIZES = {"de": 120, "en": 80}
WORDS = [f"{code}:w{number}" for code, size in SIZES.items() for number in range(size)]


def aligned(counts, words=WORDS) -> Corpus:
    """A matrix as a corpus of two languages."""
    source, plain = matrix_parts(counts, words, None)
    return Corpus(source, Vocabulary(plain.words, plain.documents, plain.tokens, ("de", "en")), None, About())


class TwoLanguages(LDA):
    """LDA whose matrices are of two languages."""

    def _to_learn(self, X, settings):
        return super()._to_learn(X if isinstance(X, Corpus) else aligned(csr_matrix(X)), settings)


def guide_to(planted) -> Guide:
    """Two topics after planted ones, three of the most probable words of each language."""
    tops = {}
    for topic in (2, 4):
        order = [
            np.argsort(-planted.topics[topic, part])[:3] + part.start
            for part in (slice(0, 120), slice(120, 200))
        ]
        tops[f"topic {topic}"] = [WORDS[word] for word in np.concatenate(order)]
    return Guide(tops)


class Both(ModelTests):
    """Aligned documents and a guide."""

    inference = "mean-field"

    def make(self, **settings):
        return TwoLanguages(
            n_topics=5, inference=self.inference, guide=guide_to(self.planted()), random_state=0, **settings
        )

    def planted(self):
        return plant_languages(tuple(SIZES.values()), length=40)

    def words(self, n_words):
        return WORDS

    def test_guided_topics_are_those_that_were_meant(self):
        planted = self.planted()
        model = self.fitted(max_iter=self.passes)
        chosen, _ = matched(model.topic_word_, planted.topics)
        assert chosen[[2, 4]].tolist() == [0, 1]
        assert model.topic_names_ == ("topic 2", "topic 4", None, None, None)
        for part in (slice(0, 120), slice(120, 200)):
            assert model.topic_word_[:, part].sum(axis=1) == pytest.approx(np.ones(5))


class TestMeanFieldBoth(Both, MeanFieldTests):
    pass


class TestHybridBoth(Both, VariationalTests):
    inference = "hybrid"


class TestGibbsBoth(Both):
    inference = "gibbs"
    passes = 100


class TestDelayedGibbsBoth(Both):
    inference = "gibbs-delayed"
    passes = 150


INFERENCES = ("mean-field", "hybrid", "gibbs", "gibbs-delayed")


@pytest.mark.parametrize("inference", INFERENCES)
def test_planted_topics_of_two_languages_are_found(inference):
    planted = plant_languages(tuple(SIZES.values()), length=40, seed=3)
    model = LDA(5, inference=inference, random_state=0, max_iter=100).fit(aligned(planted.counts))
    _, cosines = matched(model.topic_word_, planted.topics)
    assert cosines.min() > 0.95
    for part in (slice(0, 120), slice(120, 200)):
        _, cosines = matched(model.topic_word_[:, part], planted.topics[:, part])
        assert cosines.min() > 0.95


@pytest.mark.parametrize("inference", sampled(INFERENCES, 1))
def test_a_learned_eta_is_that_of_all_languages(inference):
    planted = plant_languages((120, 60), n_documents=800, length=120, eta=0.3, seed=2)
    words = [*(f"de:{i}" for i in range(120)), *(f"en:{i}" for i in range(60))]
    model = LDA(
        5, inference=inference, eta="learned", random_state=0, max_iter=120, tol=0.0, doc_max_iter=100
    ).fit(aligned(planted.counts, words))
    assert model.eta_ == pytest.approx(0.3, rel=0.25)


def test_one_language_of_a_model_is_lda_on_it_when_nothing_else_is_there():
    """Words of the other language that never occur change nothing: its totals are apart."""
    planted = plant_languages(tuple(SIZES.values()), length=40)
    half = planted.counts.toarray()
    half[:, 120:] = 0
    both = LDA(5, random_state=0, max_iter=5, tol=0.0, alpha=0.1).fit(aligned(csr_matrix(half)))
    alone = LDA(5, random_state=0, max_iter=5, tol=0.0, alpha=0.1).fit(csr_matrix(half[:, :120]))
    assert both.topic_word_[:, :120] == pytest.approx(alone.topic_word_, rel=1e-6)
    assert both.transform(half) == pytest.approx(alone.transform(half[:, :120]), abs=1e-6)


TEXTS = [
    {"en": "The river flows. The water is cold.", "de": "Der Fluss fließt. Das Wasser ist kalt."},
    {"en": "A bank lends money.", "de": "Eine Bank verleiht Geld."},
    {"en": "Cold water in the river.", "de": "Kaltes Wasser im Fluss."},
    {"de": "Das Geld der Bank."},
]


def test_texts_by_language_from_fit_to_a_loaded_model(tmp_path):
    model = LDA(2, random_state=0, max_iter=20, tol=0.0).fit(TEXTS)
    assert model.vocabulary_.languages == ("de", "en")
    assert {"fluss", "geld"} <= {word for topic in model.top_words(5, "de") for word in topic}
    assert all(word.startswith(("de:", "en:")) for topic in model.top_words(3) for word in topic)
    shares = model.transform([{"en": "cold water"}, {"de": "kaltes wasser"}])
    assert shares[0].argmax() == shares[1].argmax()
    model.save(tmp_path / "model")
    loaded = LDA.load(tmp_path / "model")
    assert loaded.vocabulary_.ranges == model.vocabulary_.ranges
    assert loaded.transform(TEXTS).tobytes() == model.transform(TEXTS).tobytes()
    monolingual = Corpus.from_texts(["cold water"])
    assert loaded.transform(monolingual).tobytes() == loaded.transform([{"en": "cold water"}]).tobytes()


def test_texts_that_do_not_fit_the_model_are_refused():
    model = LDA(2, random_state=0, max_iter=2, tol=0.0).fit(TEXTS)
    with pytest.raises(UserError, match="a text for each language is expected"):
        model.transform(["cold water"])
    with pytest.raises(UserError, match="in the language fr; the languages are en, de"):
        model.transform([{"fr": "eau froide"}])
    with pytest.raises(UserError, match="is not one of the vocabulary's"):
        model.transform(Corpus.from_tokens([["cold"]]))
    with pytest.raises(UserError, match="tokens carry no language; write them as de:word"):
        model.transform([["cold", "water"]])
    for nothing in ({}, {"en": None}):
        with pytest.raises(UserError, match="document 0 has no text in any language"):
            model.transform([nothing])
    with pytest.raises(UserError, match="a record has no field 'text'"):
        model.transform([{"cold": 2, "water": 1}])
    with pytest.raises(UserError, match="language='fr'"):
        model.top_words(3, "fr")
    plain = LDA(2, random_state=0, max_iter=2, tol=0.0).fit(["cold water", "money"])
    with pytest.raises(UserError, match="several texts where one is expected"):
        plain.transform(TEXTS)
    with pytest.raises(UserError, match="in several languages"):
        plain.transform(Corpus.from_texts(TEXTS))


def test_a_stream_of_texts_by_language():
    model = LDA(2, random_state=0, schedule="online").partial_fit(TEXTS).partial_fit(TEXTS[:2])
    assert model.vocabulary_.languages == ("de", "en")
    assert model.transform(TEXTS).shape == (4, 2)
