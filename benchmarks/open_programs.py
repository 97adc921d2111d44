"""One program learns from newsgroup postings in the order of their dates, in a process of its own.

`run_program` starts `python benchmarks/open_programs.py …` and reads its answer. Every tenth posting is not
learned from, and is scored by completion over all strings. Topic shares of all postings, inferred at the end,
are what a linear classifier tells the newsgroup from.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from cell import answer
from numpy.typing import NDArray

K, S, TRUNCATION = 50, 155, 20_000
KAPPA, TAU0, ALPHA = 0.6, 64.0, 0.1
CLOSED = ("closed, all words", "closed, 20,000 words")
OURS = ("open", "open, mean-field", *CLOSED)

Tokens = Sequence[Sequence[str]]


def run_program(program: str, postings: Path, documents: int) -> dict[str, Any]:
    """What a program made of the first `documents` postings, or {"error": why}."""
    return answer(__file__, program, str(postings), str(documents))


def told(
    seconds: float, learned: Tokens, lines: Tokens, shares: NDArray[np.float64], labels: Sequence[str]
) -> dict[str, Any]:
    """What is told of every program."""
    found = {"seconds": seconds, "learned": len(learned), "postings": len(lines)}
    return {**found, "accuracy": accuracy(shares, labels)}


def measure(program: str, lines: Tokens, labels: Sequence[str]) -> dict[str, Any]:
    """Learn from nine of ten postings, in order; score what came of it."""
    learned = [line for number, line in enumerate(lines) if number % 10 != 9]
    if program == "river":
        seconds, shares = river(learned, lines)
        return told(seconds, learned, lines, shares, labels)
    model, seconds = ours(program, learned)
    shares = model.transform(lines)
    held_out = [line for number, line in enumerate(lines) if number % 10 == 9]
    scores = scored(model, learned, held_out)
    return {**told(seconds, learned, lines, shares, labels), **scores}


def ours(program: str, learned: Tokens) -> tuple[Any, float]:
    """A model of one pass, and its CPU seconds; kernels are compiled before."""
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
    """Nats a held-out word over all strings; one spelling serves all models."""
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
    topics = Topics(model.topic_word_, model.alpha_, model.vocabulary_, model.infer_shares)
    if model.model.table.keyed:
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
        n_components=K,
        number_of_documents=len(learned),
        alpha_theta=ALPHA,
        alpha_beta=3_000.0,
        tau=TAU0,
        kappa=KAPPA,
        maximum_size_vocabulary=TRUNCATION,
        seed=0,
    )
    bags = [dict(Counter(line)) for line in learned if line]  # an empty document is a division by zero there
    began = time.process_time()
    for bag in bags:
        model.learn_one(bag)
    seconds = time.process_time() - began
    empty = dict.fromkeys(range(K), 1.0)
    shares = [model.transform_one(dict(Counter(line))) if line else empty for line in lines]
    counts = np.array([[share[k] for k in range(K)] for share in shares]) + 1e-9
    return seconds, counts / counts.sum(axis=1, keepdims=True)


def accuracy(shares: NDArray[np.float64], labels: Sequence[str]) -> float:
    """Percent of labels that a linear support vector machine tells from topic shares, in five folds."""
    from sklearn.model_selection import cross_val_score
    from sklearn.svm import LinearSVC

    return 100 * float(cross_val_score(LinearSVC(dual="auto", C=10.0), shares, list(labels), cv=5).mean())


def main() -> None:
    program, path, documents = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    with path.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line, _ in zip(file, range(documents), strict=False)]
    print(json.dumps(measure(program, [row["tokens"] for row in rows], [row["label"] for row in rows])))


if __name__ == "__main__":
    main()
