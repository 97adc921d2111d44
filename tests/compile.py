"""Compiles the kernels and tests, side by side: numba and pytest keep them for tests that begin afterwards.

`python -m tests.compile [PART ...]` (`--here PART`: in this process).
"""

import contextlib
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from audit.verbs import PARTS as VERBS
from audit.verbs import rehearse

from stickbreaker import HDP, LDA, AdaptorGrammar, ConceptTree, Corpus, Memoised, Online
from stickbreaker.testing import plant_topics
from stickbreaker.topics.evaluation.left_to_right import left_to_right_score
from tests import array_places
from tests.running import TOPICS, planted_documents


def other_topics() -> None:
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


def concepts() -> None:
    """Topics over concepts, by every inference."""
    texts = [document["text"] for document in planted_documents()]
    tree = ConceptTree([{"concept": "c", "words": TOPICS[0][:3]}, {"concept": "d", "words": TOPICS[0][2:5]}])
    for inference in ("mean-field", "hybrid", "gibbs"):
        model = LDA(3, words=tree, inference=inference, max_iter=3, tol=0.0, random_state=0, n_jobs=1)
        model.fit(texts).transform(texts)
    LDA(100, words=tree, inference="gibbs", max_iter=3, tol=0.0, random_state=0, n_jobs=1).fit(texts)


def other_grammars() -> None:
    """Adaptor grammars by variational inference."""
    lines = [document["text"].replace(" ", "") for document in planted_documents(20)]
    for inference in ("hybrid", "mean-field"):
        model = AdaptorGrammar("unigram", inference=inference, max_iter=2, random_state=0, n_jobs=1)
        model.fit(lines).segment(lines)
    schedule = Online(10, total="seen")
    AdaptorGrammar(
        "topic", n_topics=2, inference="hybrid", schedule=schedule, max_iter=2, random_state=0, n_jobs=1
    ).fit(["dog cat dog", "sum term sum"] * 5)
    AdaptorGrammar("collocation", inference="hybrid", schedule=schedule, max_iter=2, random_state=0).fit(
        lines
    )


def compiled(*fits: Callable[[], None]) -> None:
    """Do what needs some kernels; ends with an error where a sum depends on where arrays lie."""
    sums = array_places.watch()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for fit in fits:
            fit()
    if sums:
        sys.exit(f"sums that depend on where arrays lie (tests/array_places.py): {', '.join(sums)}")


def test_modules() -> None:
    """Have pytest collect all tests: it keeps their bytecode, so that not every worker makes it."""
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        pytest.main(["--collect-only", "-qq"])


def verbs_of(*parts: str) -> Callable[[], None]:
    """Run the program's verbs of some kinds."""
    return lambda: rehearse(*parts)


PARTS = {  # those that take longest begin first; what shares kernels is of one part
    "topics": (verbs_of("topics"), other_topics, concepts),
    "grammars": (verbs_of("grammars"), other_grammars),
    "ngrams": (verbs_of("ngrams"),),
    "trees": (verbs_of("trees"),),
    "translation": (verbs_of("translation"),),
    "tests": (test_modules,),
}
assert set(VERBS) <= set(PARTS)
HERE = "--here"


def part_alone(name: str) -> tuple[str, float, int]:
    """Compile a part in a process of its own; returns its name, the seconds and the exit status."""
    began = time.monotonic()
    code = subprocess.run([sys.executable, "-m", "tests.compile", HERE, name], check=False).returncode
    return name, time.monotonic() - began, code


def main(words: list[str]) -> int:
    """Compile these parts, or all, side by side; returns the exit status."""
    if words[:1] == [HERE]:
        compiled(*PARTS[words[1]])
        return 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(part_alone, words or PARTS))
    print("kernels compiled:", ", ".join(f"{name} {seconds:.0f} s" for name, seconds, _ in done))
    return max(code for _, _, code in done)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
