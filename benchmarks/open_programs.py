"""One program learns from newsgroup postings in the order of their dates, in a process of its own.

Every tenth posting is not learned from, and is scored by completion over all strings. A linear classifier
predicts the newsgroups from topic shares of all postings, inferred at the end.
"""

import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.processes import answer
from numpy.typing import NDArray

K, S, TRUNCATION = 50, 155, 20_000
KAPPA, TAU0, ALPHA = 0.6, 64.0, 0.1
CLOSED = ("closed, all words", "closed, 20,000 words")
OURS = ("open", "open, mean-field", *CLOSED)

Tokens = Sequence[Sequence[str]]


def run_program(program: str, postings: Path, documents: int) -> dict[str, Any]:
    """The figures of a program on the first `documents` postings, or {"error": why it failed}."""
    return answer(measure, program, str(postings), documents)


def measure(program: str, postings: str, documents: int) -> dict[str, Any]:
    """Learn from nine of ten postings, in order, and score the model."""
    with open(postings, encoding="utf-8") as file:
        rows = [json.loads(line) for line, _ in zip(file, range(documents), strict=False)]
    lines, labels = [row["tokens"] for row in rows], [row["label"] for row in rows]
    learned = [line for number, line in enumerate(lines) if number % 10 != 9]
    scores: dict[str, float] = {}
    if program == "river":
        seconds, shares = river(learned, lines)
    else:
        model, seconds = ours(program, learned)
        shares = model.transform(lines)
        scores = scored(model, learned, lines[9::10])
    sizes = {"learned": len(learned), "postings": len(lines)}
    return {"seconds": seconds, **sizes, "accuracy": accuracy(shares, labels), **scores}


def ours(program: str, learned: Tokens) -> tuple[Any, float]:
    """A model after one pass, and its CPU seconds without the compilation of kernels."""
    from stickbreaker import LDA, Corpus, Online, OpenVocabulary, Vocabulary

    is_open = program not in CLOSED
    counts = Counter(word for line in learned for word in line)
    known = counts.most_common(None if program == "closed, all words" else TRUNCATION)
    vocabulary = Vocabulary.of([word for word, _ in known])
    settings: dict[str, Any] = {"alpha": ALPHA, "eta": 0.01, "n_jobs": 1, "random_state": 0}
    settings["schedule"] = Online(batch_size=S, kappa=KAPPA, tau0=TAU0, total=len(learned))
    settings["words"] = OpenVocabulary(truncation=TRUNCATION) if is_open else "closed"
    settings["inference"] = "mean-field" if program == "open, mean-field" else "hybrid"
    batches = [learned[start : start + S] for start in range(0, len(learned), S)]
    for some in (batches[:2], batches):
        model = LDA(K, **settings)
        began = time.process_time()
        for batch in some:
            model.partial_fit(batch if is_open else Corpus.from_tokens(batch, vocabulary=vocabulary))
        seconds = time.process_time() - began
    return model, seconds


def scored(model: Any, learned: Tokens, held_out: Tokens) -> dict[str, float]:
    """Nats per held-out word over all strings; all models have the same spelling model."""
    from stickbreaker import Corpus
    from stickbreaker.corpus.spelling.string_prior import CharacterModel, Spelling
    from stickbreaker.topics.evaluation import (
        OpenTopics,
        Topics,
        completion_of_strings,
        with_one_more_word,
    )

    words = sorted({word for line in learned for word in line})
    spelling = CharacterModel.learn(words, Spelling()).log_probability
    topics = Topics(model.topic_word_, model.alpha_, model.vocabulary_, model.learned_.shares_of_bags)
    if model.learned_.model.table.keyed:
        opened = OpenTopics(topics, model.rest_, spelling)
    else:
        opened = with_one_more_word(topics, model.components_.sum(axis=1), model.eta_, spelling)
    score = completion_of_strings(opened, Corpus.from_tokens(held_out))
    return {
        "nats": score.held_out.nats_per_word,
        "unigram": score.held_out.unigram_nats_per_word,
        "unseen": score.unseen / score.held_out.tokens,
        "words": len(model.vocabulary_),
    }


def river(learned: Tokens, lines: Tokens) -> tuple[float, NDArray[np.float64]]:
    """CPU seconds of one pass of river's LDA with the same settings, and topic shares of all postings."""
    from river.preprocessing import LDA

    model = LDA(
        n_components=K, number_of_documents=len(learned), alpha_theta=ALPHA, alpha_beta=3_000.0, tau=TAU0,
        kappa=KAPPA, maximum_size_vocabulary=TRUNCATION, seed=0,
    )  # fmt: skip
    bags = [dict(Counter(line)) for line in learned if line]  # river divides by zero in an empty document
    began = time.process_time()
    for bag in bags:
        model.learn_one(bag)
    seconds = time.process_time() - began
    empty = dict.fromkeys(range(K), 1.0)
    shares = [model.transform_one(dict(Counter(line))) if line else empty for line in lines]
    counts = np.array([[share[k] for k in range(K)] for share in shares]) + 1e-9
    return seconds, counts / counts.sum(axis=1, keepdims=True)


def accuracy(shares: NDArray[np.float64], labels: Sequence[str]) -> float:
    """Percent of labels that a linear support vector machine predicts from topic shares, in five folds."""
    from sklearn.model_selection import cross_val_score
    from sklearn.svm import LinearSVC

    return 100 * float(cross_val_score(LinearSVC(dual="auto", C=10.0), shares, list(labels), cv=5).mean())
