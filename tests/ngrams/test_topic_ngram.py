"""Topic n-gram models as users learn them: laws of estimators, topics that adapt, sentences and formats."""

from typing import ClassVar

import numpy as np
import pytest
from tests.ngrams.test_ngram import SENTENCES, TEXTS
from tests.tiers import law_cases

from stickbreaker import Corpus, TopicNgramModel, UserError
from stickbreaker.core.errors import Interrupted
from stickbreaker.estimators import model_runs
from stickbreaker.ngrams.arpa import write_arpa
from stickbreaker.testing import EstimatorTests
from stickbreaker.testing.estimators import StopAfter, begin

CONFIGURATIONS = {
    "switching": {},
    "hierarchical": {"prior": "hierarchical", "order": 2},
    "none": {"prior": "none", "order": 2},
    "unbounded": {"order": "unbounded"},
    "unbounded hierarchical": {"order": "unbounded", "prior": "hierarchical"},
    "tokens": {"moves": "tokens", "order": 1},
    "spelled": {"unknown": "spelled", "order": 2},
}
FIRST = ("switching", "unbounded hierarchical", "tokens", "spelled")
PETS, STOCKS = (
    "A cat sat. The cat ran. A dog sat. The dog ran.",
    "Stocks fell. Bonds rose. Stocks rose. Bonds fell.",
)


class TestLaws(EstimatorTests):
    wrong: ClassVar = {
        "n_topics": 0,
        "order": 0,
        "prior": "dirichlet",
        "moves": "blocks",
        "unknown": "letters",
        "min_count": 0,
        "max_iter": 0,
        "samples": 0,
        "n_jobs": 0,
        "random_state": "seed",
    }

    @pytest.fixture(autouse=True, params=law_cases(CONFIGURATIONS, FIRST))
    def configuration(self, request):
        self.settings = CONFIGURATIONS[request.param]

    def make(self, **settings):
        return TopicNgramModel(
            **{"n_topics": 4, "max_iter": 4, "random_state": 0, **self.settings, **settings}
        )

    def corpus(self):
        return SENTENCES

    def documents(self):
        return [text for text in TEXTS for _ in range(4)]

    def methods(self, model):
        return {
            **super().methods(model),
            "score_sentences": model.score_sentences,
            "transform": model.transform,
        }

    def unseen(self):
        return ["", " . "]

    def test_shares_are_a_function_of_the_document(self):
        model = self.fitted()
        texts = [PETS, "the cat", STOCKS, PETS]
        whole = model.transform(texts)
        assert np.allclose(whole.sum(axis=1), 1.0)
        assert (whole[0] == whole[3]).all()
        assert all((model.transform([text])[0] == row).all() for text, row in zip(texts, whole, strict=True))

    def test_scores_are_those_of_documents_one_by_one(self):
        model = self.fitted()
        texts = [PETS, STOCKS, "A cat."]
        sums = [model.learned_.log_probability(read_by(model, [text])) for text in texts]
        whole = model.learned_.log_probability(read_by(model, texts))
        assert np.allclose(np.sum(sums, axis=0), whole, rtol=1e-12)


def read_by(model, texts):
    return Corpus.from_texts(texts, analysis=model.analysis_, vocabulary=model.vocabulary_)


def fitted(**settings):
    return TopicNgramModel(
        **{"n_topics": 2, "order": 2, "min_count": 1, "max_iter": 40, "random_state": 0, **settings}
    ).fit([PETS, STOCKS] * 10)


@pytest.mark.parametrize("prior", ["switching", "hierarchical", "none"])
@pytest.mark.parametrize("order", [1, 3, "unbounded"])
def test_words_that_may_come_next_have_one_together(prior, order):
    """Whatever came before: by the scores of all texts that go on with a word, or end."""
    model = fitted(prior=prior, order=order, max_iter=6)
    words = [word for word in model.words_ if word.isalpha()]
    for context in ([], ["the"], ["cat", "the"]):
        before = model_nats(model, [[*context]])[0][: len(context)]
        after = [model_nats(model, [[*context, word]])[0][: len(context) + 1] for word in words]
        assert all(np.allclose(one[:-1], before) for one in after)
        unknown = model_nats(model, [[*context, "zebra"]])[0][len(context)]
        ends = model_nats(model, [context])[0][-1] if context else None
        p = np.exp([one[-1] for one in after]).sum() + np.exp(unknown)
        if ends is not None:
            assert p + np.exp(ends) == pytest.approx(1.0, rel=1e-9)
        else:
            assert p < 1.0


def model_nats(model, sentences):
    """log p of the words and ends of documents of one sentence each."""
    corpus = Corpus.from_tokens([list(words) for words in sentences], vocabulary=model.vocabulary_)
    (scores,) = list(model.scores(corpus))
    return np.split(scores.nats, np.flatnonzero(scores.ends)[:-1] + 1)


def test_topics_adapt_to_the_document_that_came_before():
    model = fitted(prior="none")
    assert (model.transform([PETS])[0].argmax()) != model.transform([STOCKS])[0].argmax()
    alone, after, other = (
        model.score_sentences(["A dog ran."], document=document)[0].nats for document in (None, PETS, STOCKS)
    )
    assert after > alone > other
    assert model.generate(4, document=STOCKS, random_state=1) == model.generate(
        4, document=STOCKS, random_state=1
    )
    words = [word for one in model.generate(20, document=STOCKS) for word in one]
    assert np.mean([word in {"stocks", "bonds", "fell", "rose"} for word in words]) > 0.9


def test_sentences_of_a_topic():
    model = fitted(prior="none")
    topic = int(model.transform([PETS])[0].argmax())
    words = [word for one in model.generate(20, topic=topic, longest=6) for word in one]
    assert np.mean([word in {"a", "the", "cat", "dog", "ran", "sat"} for word in words]) > 0.9
    assert {"cat", "dog"} <= set(model.top_words(6)[topic])
    assert all(len(one) <= 6 for one in model.generate(20, longest=6))
    assert all(one[:2] == ["the", "cat"] for one in model.generate(5, beginning="The cat"))
    for wrong in ({"topic": 2}, {"topic": -1}, {"n": 0}):
        with pytest.raises(UserError):
            model.generate(**wrong)


@pytest.mark.parametrize("prior", ["switching", "none"])
def test_a_topic_in_the_format_of_arpa_is_what_the_model_predicts(prior, tmp_path):
    """p of the file is p(w | context, topic) of the sample, by the kernels that predict."""
    model = fitted(prior=prior, order=3)
    held = model.learned_.language_of_topic(1, 2)
    counts = write_arpa(held, model.learned_.base, tmp_path / "t.arpa")
    assert counts[1] == len(model.words_) + 1
    lines = (tmp_path / "t.arpa").read_text().splitlines()
    listed = {
        line.split("\t")[1]: 10 ** float(line.split("\t")[0])
        for line in lines[lines.index("\\1-grams:") + 1 : lines.index("\\2-grams:") - 1]
    }
    base = np.exp(model.learned_.base.log_p)
    p = held.next_words([], base)
    assert p.sum() == pytest.approx(1.0)
    words = dict(zip(model.words_, p, strict=True))
    assert all(words[word] == pytest.approx(listed[word]) for word in words)


def test_what_the_format_of_arpa_cannot_say_is_refused():
    with pytest.raises(UserError, match="draw on the common"):
        fitted(prior="hierarchical").learned_.language_of_topic(0)
    with pytest.raises(UserError, match="no common part"):
        fitted(prior="none").learned_.language_of_topic(None)
    assert fitted().learned_.language_of_topic(None).end == len(fitted().words_) - 1
    for topic, sample in ((7, -1), (-1, -1), (0, 99)):
        with pytest.raises(UserError):
            fitted().learned_.language_of_topic(topic, sample)


def test_a_running_model_is_its_last_checkpoint(tmp_path):
    corpus = SENTENCES.write(tmp_path / "corpus")
    begin(TopicNgramModel(4, max_iter=6, random_state=0), corpus, tmp_path / "m", held_out=0.1)
    watch = StopAfter(2)
    with pytest.raises(Interrupted):
        model_runs.resume(tmp_path / "m", every=0.0, threads=1, watch=[watch], stopper=watch.take)
    early = TopicNgramModel.load(tmp_path / "m")
    assert early.n_iter_ == 2
    model_runs.resume(tmp_path / "m", every=60.0, threads=1)
    late = TopicNgramModel.load(tmp_path / "m")
    assert late.n_iter_ == 6
    assert late.trace_[-1]["held_out"] < 0.0
