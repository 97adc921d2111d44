"""Mean-field LDA beside scikit-learn's: CPU seconds a pass, same corpus, same stopping rule, one scorer.

`make bench` runs it on AP (`../shared/data/ap`), or on a synthetic corpus where that is absent, and says
which. Both programs get the same counts, K, priors, inner iterations and tolerance, random starts and one
thread. Ours computes the bound in every pass, scikit-learn does not. Printed as Markdown, and as JSON in
bench-results/.
"""

import argparse
import gzip
import json
import os
import time
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.decomposition import LatentDirichletAllocation

from stickbreaker import LDA, Corpus
from stickbreaker.evaluation.completion import completion_score, split_halves, unigram_score
from stickbreaker.testing import plant_topics

AP = Path(__file__).parents[2] / "shared/data/ap/ap.ldac.gz"
ETA, ALPHA = 0.01, 0.1
FROM_PASS = 5  # passes before this one are not timed: the first are unlike the rest, and kernels compile


def read_ap():
    """Documents × words."""
    with gzip.open(AP, "rt") as file:
        documents = [[pair.split(":") for pair in line.split()[1:]] for line in file]
    offsets = np.cumsum([0] + [len(document) for document in documents])
    words = np.array([int(w) for document in documents for w, _ in document])
    counts = np.array([float(n) for document in documents for _, n in document])
    return csr_matrix((counts, words, offsets))


def theta_of(model, counts):
    shares = model.transform(counts)
    return shares / shares.sum(axis=1, keepdims=True)


def matrix_of(bags, n_words):
    return csr_matrix((bags.counts.astype(float), bags.words, bags.offsets), (len(bags.unseen), n_words))


def held_out(model, topics, test):
    """Nats a word of document completion, by our scorer, with topics inferred by the program itself."""
    observed, rest = split_halves(test)
    topic_word = topics / topics.sum(axis=1, keepdims=True)
    return completion_score(
        rest, theta_of(model, matrix_of(observed, topics.shape[1])), topic_word
    ).nats_per_word


def time_ours(train, settings, passes, seed):
    """CPU seconds of each pass from FROM_PASS on, and the model."""
    clock = []
    LDA(random_state=seed, max_iter=1, tol=0.0, n_jobs=1, **settings).fit(train[:200])  # compile
    model = LDA(
        random_state=seed,
        max_iter=passes,
        tol=0.0,
        n_jobs=1,
        callbacks=[lambda _record: clock.append(time.process_time())],
        **settings,
    ).fit(train)
    return np.diff(clock)[FROM_PASS - 2 :], model


def time_sklearn(train, n_topics, rounds, tol, passes, seed):
    """CPU seconds of each pass from FROM_PASS on: its inner pass, without its perplexity."""
    model = LatentDirichletAllocation(
        n_topics,
        doc_topic_prior=ALPHA,
        topic_word_prior=ETA,
        learning_method="batch",
        max_iter=1,
        max_doc_update_iter=rounds,
        mean_change_tol=tol,
        n_jobs=1,
        random_state=seed,
        evaluate_every=-1,
    )
    clock, em_step = [], model._em_step

    def timed(*arguments, **options):
        result = em_step(*arguments, **options)
        clock.append(time.process_time())
        return result

    model._em_step = timed
    model.set_params(max_iter=passes)
    model.fit(train)
    return np.diff(clock)[FROM_PASS - 2 :], model


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--topics", type=int, default=100)
    options.add_argument("--passes", type=int, default=12)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--out", type=Path, default=Path("bench-results"))
    args = options.parse_args()
    warnings.simplefilter("ignore")
    if AP.exists():
        counts, name = read_ap(), "AP"
    else:
        counts, name = (
            plant_topics(2000, args.topics, 10000, 190, 0.05, 0.02).counts,
            "synthetic (AP is absent)",
        )
    order = np.random.default_rng(0).permutation(counts.shape[0])
    test, train = counts[order[: len(order) // 10]], counts[order[len(order) // 10 :]]
    bags = Corpus.from_matrix(test).bags(0)
    word_counts = np.asarray(train.sum(axis=0)).ravel() + ETA
    unigram = unigram_score(split_halves(bags)[1], word_counts / word_counts.sum()).nats_per_word
    print(f"About {1 + args.seeds * args.passes * args.topics // 600} minutes on one core.", flush=True)
    rows = []
    for rounds, tol in ((100, 1e-3), (20, 1e-3)):
        for seed in range(args.seeds):
            common = {"n_topics": args.topics, "alpha": ALPHA, "eta": ETA, "init": "random"}
            inner = {"doc_max_iter": rounds, "doc_tol": tol}
            ours, model = time_ours(train, {**common, **inner}, args.passes, seed)
            theirs, peer = time_sklearn(train, args.topics, rounds, tol, args.passes, seed)
            rows.append(
                {
                    "inner_iterations": rounds,
                    "seed": seed,
                    "stickbreaker_s": float(np.min(ours)),
                    "sklearn_s": float(np.min(theirs)),
                    "ratio": float(np.min(theirs) / np.min(ours)),
                    "stickbreaker_held_out": held_out(model, model.components_, bags),
                    "sklearn_held_out": held_out(peer, peer.components_, bags),
                }
            )
            print(f"  inner iterations {rounds}, seed {seed}: {rows[-1]['ratio']:.1f}×", flush=True)
    tokens = float(train.sum())
    report(
        rows, {"corpus": name, "topics": args.topics, "tokens": tokens, "unigram_held_out": unigram}, args.out
    )


def report(rows, about, out):
    """Print the table, and write it down."""
    lines = [
        f"{about['corpus']}, K = {about['topics']}, one thread, batch, alpha {ALPHA}, eta {ETA}, stop at a "
        f"mean change of 1e-3; CPU seconds of the quickest pass from pass {FROM_PASS} on. Held-out: "
        f"document completion, nats a word; unigram {about['unigram_held_out']:.3f}.",
        "",
        "| inner iterations | seed | stickbreaker | scikit-learn | ratio | held-out ours | held-out theirs |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row['inner_iterations']} | {row['seed']} | {row['stickbreaker_s']:.3f} s "
            f"| {row['sklearn_s']:.3f} s | {row['ratio']:.1f}× "
            f"| {row['stickbreaker_held_out']:.3f} | {row['sklearn_held_out']:.3f} |"
        )
    print("\n".join(lines))
    out.mkdir(exist_ok=True)
    (out / "lda_speed.json").write_text(json.dumps({**about, "rows": rows}, indent=1))
    (out / "lda_speed.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
