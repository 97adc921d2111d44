"""Functions of evaluation that are given something else than they take: a line says what to give."""

import contextlib
import inspect

import numpy as np
import pytest
from tests.running import planted_documents

from stickbreaker import LDA, Corpus, NgramModel, UserError
from stickbreaker.topics import evaluation

TEXTS = [one["text"] for one in planted_documents(12)]
FUNCTIONS = {
    name: [
        one
        for one in inspect.signature(made).parameters.values()
        if one.default is one.empty and one.kind < 2
    ]
    for name in evaluation.__all__
    if callable(made := getattr(evaluation, name)) and not inspect.isclass(made)
}


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """What a user may have at hand."""
    path = tmp_path_factory.mktemp("given") / "model"
    lda = LDA(2, max_iter=2, tol=0.0, random_state=0).fit(TEXTS)
    lda.save(path)
    return {
        "model": lda,
        "not fitted": LDA(2),
        "class": LDA,
        "of another kind": NgramModel(2, max_iter=1, samples=1, random_state=0).fit(TEXTS),
        "path": path,
        "nowhere": "nowhere",
        "texts": TEXTS,
        "words": lda.top_words(5),
        "corpus": Corpus.from_texts(TEXTS),
        "array": lda.topic_word_,
        "number": 3,
        "nothing": None,
        "none in a list": [],
        "mapping": {"a": 1},
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name, needed in FUNCTIONS.items() if len(needed) in (1, 2)])
def test_it_works_or_a_line_says_what_to_give(given, name):
    function, needed = getattr(evaluation, name), len(FUNCTIONS[name])
    for first in given.values():
        for second in given.values() if needed == 2 else (None,):
            with contextlib.suppress(UserError):
                function(*(first, second)[:needed])


def test_what_is_given_is_named(given):
    for call, line in (
        (
            lambda: evaluation.coherence(given["model"], TEXTS),
            "give model.top_words(10), or coherence_of(model",
        ),
        (
            lambda: evaluation.completion_of_strings(given["model"], TEXTS),
            "corpus is of the class list; give a",
        ),
        (lambda: evaluation.effective_topics(given["model"]), "shares is of the class LDA; give numbers"),
        (lambda: evaluation.split_halves(TEXTS), "bags is of the class list; give corpus.bags(block)"),
        (lambda: evaluation.top_words_of(np.ones(3), 2), "topic_word is (3,); give topics × words"),
        (
            lambda: given["model"].label_prompt(TEXTS),
            "documents is not a list of lists; give texts of the mo",
        ),
        (lambda: evaluation.stability(3), "models is of the class int, not a list"),
    ):
        with pytest.raises(UserError) as error:
            call()
        assert line in str(error.value)
