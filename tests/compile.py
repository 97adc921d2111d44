"""Compiles the kernels: numba keeps them, and tests that begin side by side afterwards find them.

python -m tests.compile
"""

import sys
import warnings

import numpy as np

from stickbreaker import HDP, LDA, AdaptorGrammar, ConceptTree, Corpus, Memoised, Online
from stickbreaker.testing import plant_topics
from stickbreaker.topics.evaluation.left_to_right import left_to_right_score
from tests import array_places
from tests.running import TOPICS, planted_documents


def compile_the_rest() -> None:
    """Fits that use kernels, or types of arguments, which no verb of the program uses by default."""
    X = plant_topics(n_documents=60, length=30).counts
    prior = np.full((5, X.shape[1]), 0.05)
    models = [
        HDP(3, representation="franchise"),
        HDP(2, schedule=Memoised(batch_size=20)),
        HDP(2, inference="gibbs", eta="learned"),
        LDA(5, inference="gibbs", eta=prior),
        LDA(5, inference="gibbs-delayed", eta=prior),
        LDA(300, inference="gibbs", eta="learned"),
        LDA(5, fold_in="sampled"),
    ]
    for model in models:
        model.set_params(max_iter=6, tol=0.0, random_state=0, n_jobs=1).fit(X).transform(X)
    models[3].score(X)
    left_to_right_score(Corpus.from_matrix(X).bags(0), models[3].topic_word_, models[3].alpha_, particles=2)
    compile_concepts()
    compile_grammars()


def compile_concepts() -> None:
    """Topics over concepts, by every inference."""
    texts = [document["text"] for document in planted_documents()]
    tree = ConceptTree([{"concept": "c", "words": TOPICS[0][:3]}, {"concept": "d", "words": TOPICS[0][2:5]}])
    for inference in ("mean-field", "hybrid", "gibbs"):
        model = LDA(3, words=tree, inference=inference, max_iter=3, tol=0.0, random_state=0, n_jobs=1)
        model.fit(texts).transform(texts)


def compile_grammars() -> None:
    """Adaptor grammars by variational inference."""
    lines = [document["text"].replace(" ", "") for document in planted_documents(20)]
    for inference in ("hybrid", "mean-field"):
        model = AdaptorGrammar("unigram", inference=inference, max_iter=2, random_state=0, n_jobs=1)
        model.fit(lines).segment(lines)
    schedule = Online(10, total="seen")
    AdaptorGrammar("collocation", inference="hybrid", schedule=schedule, max_iter=2, random_state=0).fit(
        lines
    )


if __name__ == "__main__":
    SUMS = array_places.watch()
    import audit.warm  # noqa: F401 (the program's verbs run when they are imported)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile_the_rest()
    if SUMS:
        sys.exit(f"sums that depend on where arrays lie (tests/array_places.py): {', '.join(SUMS)}")
