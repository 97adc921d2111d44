"""A language model that learns from more texts is that of all of them."""

import numpy as np
import pytest
from tests.running import planted_documents

from stickbreaker import Corpus, NgramModel, UserError
from stickbreaker.corpus import VocabularyRule
from stickbreaker.corpus.text.all_words import analysis_of_all_words
from stickbreaker.corpus.text.analysis import Analysis
from stickbreaker.estimators.saving import load
from stickbreaker.ngrams.model.contexts import contexts_of, symbols_before, with_ends
from stickbreaker.ngrams.model.earlier_words import EarlierWords

OLD = [one["text"] + ". " + one["text"][:20] for one in planted_documents(12)]
NEW = [one["text"] + "! new word" for one in planted_documents(9, seed=4)]
ANALYSIS, RULE = analysis_of_all_words(Analysis()), VocabularyRule(1, 1.0)


def made(order, **settings):
    return NgramModel(order, min_count=1, max_iter=6, random_state=3, **settings)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_the_words_of_a_text_are_recovered(order):
    model = made(order).fit(OLD)
    found = EarlierWords.of(model.language_model_)
    corpus = Corpus.from_texts(OLD, analysis=ANALYSIS, rule=RULE)
    text = corpus.sequences(0)
    numbers = model.numbers_
    words, positions = with_ends(numbers.numbered(text.words), text.starts, numbers.end)
    before = symbols_before(words, positions, numbers.end)
    symbols = [before(d) for d in range(1, order)]
    wanted = sorted(zip(words.tolist(), *(one.tolist() for one in symbols), strict=True))
    own = [found.symbols[:, d] for d in range(found.symbols.shape[1])]
    assert sorted(zip(found.words.tolist(), *(one.tolist() for one in own), strict=True)) == wanted


@pytest.mark.parametrize("order", [1, 3])
@pytest.mark.parametrize("unknown", ["symbol", "spelled"])
def test_it_is_the_fit_of_all(order, unknown):
    texts = OLD if unknown == "spelled" else NEW
    model = made(order, unknown=unknown).fit(OLD)
    model._learn_more(model._as_corpus(texts, reset=False))
    whole = Corpus.from_texts([*OLD, *texts], analysis=ANALYSIS, vocabulary=model.vocabulary_)
    fitted = made(order, unknown=unknown)
    fitted.seed_ = 3
    source = fitted._source_of(whole, 0.0)
    events, base = fitted._text_events(
        whole, source, EarlierWords(np.zeros(0, np.int64), np.zeros((0, order - 1), np.int64))
    )
    from stickbreaker.learning.loop import run

    job, state = fitted._run_of((events, base), source, 3)
    run(job, state, [])
    params = state.chains.fitted().params
    for name, field in params.items():
        assert field.values.tobytes() == model.params_[name].values.tobytes(), name
    assert model.corpus_["documents"] == len(OLD) + len(texts)
    assert model.score(NEW) > made(order, unknown=unknown).fit(OLD).score(NEW) - (unknown == "spelled")


def test_again_and_again_is_once_of_all():
    twice, once = made(3).fit(OLD), made(3).fit(OLD)
    for part in (NEW[:4], NEW[4:]):
        twice._learn_more(twice._as_corpus(part, reset=False))
    once._learn_more(once._as_corpus(NEW, reset=False))
    for name, field in once.params_.items():
        assert field.values.tobytes() == twice.params_[name].values.tobytes()


def test_what_cannot_learn_more_says_so():
    model = made("unbounded").fit(OLD)
    with pytest.raises(UserError, match="does not store the counts"):
        model._learn_more(model._as_corpus(NEW, reset=False))
    spelled = made(2, unknown="spelled").fit(OLD)
    with pytest.raises(UserError, match="not in the vocabulary"):
        spelled._learn_more(spelled._as_corpus(NEW, reset=False))


def test_the_program_updates_a_language_model(cli, tmp_path):
    for name, texts in (("old", OLD), ("new", NEW)):
        (tmp_path / f"{name}.txt").write_text("\n".join(texts) + "\n")
    cli(
        "fit",
        "ngram",
        tmp_path / "old.txt",
        "--out",
        tmp_path / "m",
        "--iterations",
        6,
        "--min-count",
        1,
        "--seed",
        3,
    )
    told = cli("update", tmp_path / "m", tmp_path / "new.txt", "--date", "2026-11-30")
    assert "learned from 9 documents more, 21 in all" in told.stdout
    model = load(tmp_path / "m")
    other = made(3).fit(OLD)
    other._learn_more(other._as_corpus(NEW, reset=False))
    for name, field in other.params_.items():
        assert np.array_equal(field.values, model.params_[name].values)
    assert cli("report", tmp_path / "m", "--out", tmp_path / "r.html").stdout
    assert "sentences" in (tmp_path / "r.html").read_text()


def test_contexts_of_two_texts_are_those_of_both():
    """However the words of both are mixed."""
    words, positions = np.array([0, 1, 2, 0, 1, 2]), np.array([0, 1, 2, 0, 1, 2])
    before = symbols_before(words, positions, 2)
    contexts, _ = contexts_of(words, before, 3, 2)
    order = np.array([3, 0, 5, 1, 4, 2])
    mixed, _ = contexts_of(words[order], lambda d: before(d)[order], 3, 2)
    assert np.array_equal(contexts.slot_keys, mixed.slot_keys)
    assert np.array_equal(contexts.restaurant_keys, mixed.restaurant_keys)
