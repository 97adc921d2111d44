"""Does a prior by metadata predict the words of documents better than one prior for all?

    python -m benchmarks.prevalence posts.jsonl.gz --formula "gender + age" --topics 20 --seeds 3

Documents are cut to `--words` tokens, and a fifth of them are held out. Some words of each are
observed, and the others predicted (document completion), by models that were learned with the formula and
without. A gain is that of the prior by metadata, in nats per word.
"""

import argparse
import gzip
import json
import time
import warnings
from pathlib import Path

import numpy as np

from stickbreaker import LDA, Corpus, VocabularyRule
from stickbreaker.topics.evaluation.completion import completion_of_rest, split_halves, unigram_score

SHARES = (0.0, 0.1, 0.5)  # of a document's words that are observed


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--formula", required=True)
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--words", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--inference", default="mean-field")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    with gzip.open(asked.file, "rt") as lines:
        records = [json.loads(line) for line in lines]
    order = np.random.default_rng(0).permutation(len(records))[: asked.documents]
    texts, metadata = [], []
    for number in order.tolist():
        record = records[number]
        words = str(record.pop("text")).split()[: 2 * asked.words]  # half of them are stop words
        texts.append(" ".join(words))
        metadata.append(record)
    cut = len(texts) * 4 // 5
    train = Corpus.from_texts(texts[:cut], metadata=metadata[:cut], rule=VocabularyRule(min_documents=5))
    test = Corpus.from_texts(texts[cut:], metadata=metadata[cut:], vocabulary=train.vocabulary)
    gains: dict[float, list[float]] = {share: [] for share in SHARES}
    for seed in range(asked.seeds):
        scores: list[list[float]] = []
        for formula in (asked.formula, None):
            start = time.process_time()
            model = LDA(
                asked.topics, prevalence=formula, inference=asked.inference, random_state=seed, n_jobs=1
            )
            model.fit(train)
            seconds = time.process_time() - start
            scores.append([completed(model, test, share) for share in SHARES])
            shown = " ".join(f"{share}: {score:.4f}" for share, score in zip(SHARES, scores[-1], strict=True))
            print(f"seed {seed}, {formula}: {shown}, {seconds:.0f} s, {model.n_iter_} passes", flush=True)
        for share, one, other in zip(SHARES, *scores, strict=True):
            gains[share].append(one - other)
    counts = np.maximum(train.vocabulary.tokens, 0.5)
    rest = split_halves(test.bags(0), 0.5)[1]
    print(f"unigrams, first block: {unigram_score(rest, counts / counts.sum()).nats_per_word:.4f}")
    for share, own in gains.items():
        print(
            f"observed {share}: gain {np.mean(own):+.4f} ({min(own):+.4f} to {max(own):+.4f}) nats per word"
        )


def completed(model: LDA, test: Corpus, share: float) -> float:
    """Nats per predicted word of documents, of which a share is observed, with the prior of each document."""
    nats = tokens = 0.0
    for block in range(len(test.block_sizes)):
        observed, rest = split_halves(test.bags(block), share)
        theta = model.learned_.shares_of_bags(observed, model.learned_.covariates(test, block))
        scored = completion_of_rest(rest, theta, model.learned_.topic_words.of)
        nats, tokens = nats + scored.nats, tokens + scored.tokens
    return nats / tokens


if __name__ == "__main__":
    main()
