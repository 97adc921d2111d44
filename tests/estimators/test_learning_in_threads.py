"""Several threads that learn with one estimator, save it and copy it."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from tests.running import planted_documents
from tests.tiers import sampled

from stickbreaker import HDP, LDA, AdaptorGrammar, NgramModel, Online, OpenVocabulary, TopicNgramModel
from stickbreaker.core.threads import alone_with

TEXTS = [document["text"] for document in planted_documents(60)]
LINES = ["thedogran", "acatsat", "thecatran", "adogsat"] * 5
ESTIMATORS = {
    "closed": (lambda: LDA(3, random_state=0, n_jobs=1), TEXTS),
    "open": (lambda: LDA(3, words=OpenVocabulary(truncation=50), random_state=0, n_jobs=1), TEXTS),
    "hdp": (lambda: HDP(3, schedule=Online(20), random_state=0, n_jobs=1), TEXTS),
    "grammar": (lambda: AdaptorGrammar("unigram", inference="hybrid", random_state=0, n_jobs=1), LINES),
}


@pytest.mark.parametrize("kind", sampled(ESTIMATORS, 2))
def test_no_step_of_several_threads_is_lost(kind, tmp_path):
    """4 × 3 calls after one: 13 steps, 13 lines of the trace, all documents; each save is read."""
    make, texts = ESTIMATORS[kind]
    learning = make().partial_fit(texts)

    def learn(number: int) -> None:
        for call in range(3):
            learning.partial_fit(texts)
            if call == 1:
                learning.save(tmp_path / str(number))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(learn, range(4)))
    assert learning.n_steps_ == len(learning.trace_) == 13
    assert [record["step"] for record in learning.trace_] == list(range(1, 14))
    assert learning.corpus_["documents"] == 13 * len(texts)
    learning.save(tmp_path / "end")
    for name in ("0", "1", "2", "3", "end"):
        loaded = type(learning).load(tmp_path / name)
        assert loaded.n_steps_ == len(loaded.trace_) == loaded.corpus_["documents"] / len(texts)
    alone = make()
    for _ in range(13):
        alone.partial_fit(texts)
    assert alone.score(texts[:5]) == learning.score(texts[:5])


def test_fits_of_one_estimator_take_turns():
    lda = LDA(3, max_iter=3, tol=0, random_state=0, n_jobs=1)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lda.fit, [TEXTS, TEXTS[:30], TEXTS[30:]]))
    assert lda.corpus_["documents"] in (60, 30)
    same = clone(lda).fit({60: TEXTS, 30: None}[lda.corpus_["documents"]] or TEXTS[:30])
    if lda.corpus_["documents"] == 60:
        assert np.array_equal(same.components_, lda.components_)


@pytest.mark.parametrize("kind", [LDA, HDP, NgramModel, TopicNgramModel, AdaptorGrammar])
def test_locks_are_no_part_of_an_estimator(kind, tmp_path):
    """Copies of all sorts are made while one is learning, and none of them waits for it."""
    estimator = kind(random_state=0)
    params, attributes = set(estimator.get_params()), set(vars(estimator))
    with alone_with(estimator):
        copies = [clone(estimator), copy.copy(estimator), copy.deepcopy(estimator)]
        copies.append(pickle.loads(pickle.dumps(estimator)))
        joblib.dump(estimator, tmp_path / "pickle")
        copies.append(joblib.load(tmp_path / "pickle"))
        with ThreadPoolExecutor(1) as pool:
            for made in copies:
                pool.submit(enter, made).result(timeout=20)
        with alone_with(estimator):  # the same thread
            pass
    for made in (estimator, *copies):
        assert set(made.get_params()) == params
        assert set(vars(made)) == attributes


def enter(estimator) -> None:
    with alone_with(estimator):
        pass


def test_a_callback_may_save_what_is_learning(tmp_path):
    """It is of the thread that learns."""
    lda = LDA(3, max_iter=2, tol=0, random_state=0, n_jobs=1).fit(TEXTS)
    saved = []

    def save(record) -> None:
        lda.save(tmp_path / str(record["step"]))
        saved.append(record["step"])

    lda.set_params(callbacks=[save]).fit(TEXTS)
    assert len(saved) == 2
    assert LDA.load(tmp_path / "1").n_steps_ == 2
