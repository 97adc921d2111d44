"""A language model that learns from more texts is that of all of them."""

import numpy as np
import pytest
from tests.running import planted_documents

from stickbreaker import Corpus, NgramModel, UserError
from stickbreaker.corpus import VocabularyRule
from stickbreaker.corpus.text.all_words import analysis_of_all_words
from stickbreaker.corpus.text.analysis import Analysis
from stickbreaker.estimators.model_files import load
from stickbreaker.learning.loop import run
from stickbreaker.ngrams.learner import NGRAMS
from stickbreaker.ngrams.model.contexts import contexts_of, symbols_before, with_ends
from stickbreaker.ngrams.model.earlier_words import EarlierWords
from stickbreaker.ngrams.plan import source_of, text_events

OLD = [one["text"] + ". " + one["text"][:20] for one in planted_documents(12)]
NEW = [one["text"] + "! new word" for one in planted_documents(9, seed=4)]
ANALYSIS, RULE = analysis_of_all_words(Analysis()), VocabularyRule(1, 1.0)


def made(order, **settings):
    return NgramModel(order, min_count=1, max_iter=6, random_state=3, **settings)


def more(learned, texts):
    """What is known after learning from more texts."""
    corpus = Corpus.from_texts(texts, analysis=learned.analysis, vocabulary=learned.vocabulary)
    return NGRAMS.learn_more(learned.facts.settings, learned, corpus)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_the_words_of_a_text_are_recovered(order):
    model = made(order).fit(OLD)
    found = EarlierWords.of(model.learned_.model)
    corpus = Corpus.from_texts(OLD, analysis=ANALYSIS, rule=RULE)
    text = corpus.sequences(0)
    numbers = model.learned_.numbers
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
    before = made(order, unknown=unknown).fit(OLD)
    model = more(before.learned_, texts)
    whole = Corpus.from_texts([*OLD, *texts], analysis=ANALYSIS, vocabulary=model.vocabulary)
    settings, source = model.facts.settings, source_of(whole, 0.0)
    none = EarlierWords(np.zeros(0, np.int64), np.zeros((0, order - 1), np.int64))
    job, state = NGRAMS.run_of(settings, text_events(settings, whole, source, none), source, 3)
    run(job, state, [])
    params = state.chains.fitted().params
    for name, field in params.items():
        assert field.values.tobytes() == model.params[name].values.tobytes(), name
    assert model.facts.corpus["documents"] == len(OLD) + len(texts)
    assert before.corpus_["documents"] == len(OLD)  # what was learned before is as it was
    assert NgramModel.of(model).score(NEW) > before.score(NEW) - (unknown == "spelled")


def test_again_and_again_is_once_of_all():
    before = made(3).fit(OLD).learned_
    twice, once = more(more(before, NEW[:4]), NEW[4:]), more(before, NEW)
    for name, field in once.params.items():
        assert field.values.tobytes() == twice.params[name].values.tobytes()


def test_what_cannot_learn_more_says_so():
    model = made("unbounded").fit(OLD)
    with pytest.raises(UserError, match="does not store the counts"):
        more(model.learned_, NEW)
    spelled = made(2, unknown="spelled").fit(OLD)
    with pytest.raises(UserError, match="not in the vocabulary"):
        more(spelled.learned_, NEW)


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
    other = more(made(3).fit(OLD).learned_, NEW)
    for name, field in other.params.items():
        assert np.array_equal(field.values, model.params[name].values)
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
