"""Is memory bounded by shard and table? A child learns from a corpus ten times as large as it may grow.

The corpus lies on disk. The child opens it, does a small run so that everything is compiled, reads one block,
notes its memory, then makes one online pass; what it grew by is held against the allowance. The size of the
corpus is that of its decoded bags (a word number and a count are 8 bytes). The child's cache of decoded
blocks, 64 MB by default, is set to an eighth of the allowance. `python benchmarks/memory.py` runs it alone.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from cell import answer
from scipy.sparse import csr_matrix
from watch import MEGABYTE, peak_megabytes, reset_peak

ALLOWED_MB = 64
TIMES = 10
N_WORDS, N_TOPICS, WORDS_A_DOCUMENT, BATCH = 5000, 10, 100, 500
ENTRY = 8  # bytes of a decoded entry: int32 and float32


def build(path: Path, megabytes: float) -> None:
    """A corpus of random bags, `megabytes` decoded, at `path`."""
    from stickbreaker import Corpus

    documents = int(megabytes * MEGABYTE / ENTRY / WORDS_A_DOCUMENT)
    generator = np.random.default_rng(0)
    first = generator.integers(0, N_WORDS, documents, dtype=np.int32)
    steps = generator.integers(
        1, N_WORDS // WORDS_A_DOCUMENT + 1, (documents, WORDS_A_DOCUMENT), dtype=np.int32
    )
    words = (first[:, None] + steps.cumsum(axis=1, dtype=np.int32)) % N_WORDS
    counts = np.ones(words.size, np.float32)
    offsets = np.arange(documents + 1) * WORDS_A_DOCUMENT
    Corpus.from_matrix(csr_matrix((counts, words.ravel(), offsets), (documents, N_WORDS))).write(path)


def child(path: Path, allowed_mb: float, inference: str) -> dict[str, Any]:
    """One online pass, and what memory it took."""
    from stickbreaker import LDA, Corpus, Online

    settings: dict[str, Any] = {
        "inference": inference,
        "schedule": Online(batch_size=BATCH),
        "init": "random",
    }
    settings |= {"max_iter": 1, "tol": 0.0, "n_jobs": 1, "random_state": 0}
    small = csr_matrix(np.eye(20, N_WORDS))
    LDA(N_TOPICS, **settings).fit(small)
    corpus = Corpus.open(path)
    corpus._cache.most_entries = int(allowed_mb * MEGABYTE / ENTRY / 8)
    corpus.bags(0)  # imports what reads the files
    reset_peak()
    before = peak_megabytes()
    LDA(N_TOPICS, **settings).fit(corpus)
    grown = peak_megabytes() - before
    return {
        "before_mb": before,
        "grown_mb": grown,
        "documents": corpus.n_documents,
        "tokens": corpus.n_tokens,
    }


def measure(allowed_mb: float = ALLOWED_MB, inference: str = "mean-field") -> dict[str, Any]:
    """Build the corpus, run the child, and say whether it kept to its allowance."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "corpus")
        script = str(Path(__file__).resolve())
        made = subprocess.run([sys.executable, script, "--build", str(path), "--allowed", str(allowed_mb)])
        if made.returncode != 0:
            return {"error": "the corpus could not be built"}
        on_disk = sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) / MEGABYTE
        words = "--child", str(path), "--allowed", str(allowed_mb), "--inference", inference
        result = answer(__file__, *words)
    if "error" in result:
        return result
    sizes = {"allowed_mb": allowed_mb, "corpus_mb": TIMES * allowed_mb, "on_disk_mb": on_disk}
    return {"inference": inference, **sizes, **result, "kept": result["grown_mb"] <= allowed_mb}


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--allowed", type=float, default=ALLOWED_MB, help="megabytes it may grow by")
    options.add_argument("--inference", default="mean-field")
    options.add_argument("--build", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    args = options.parse_args()
    if args.build:
        build(args.build, TIMES * args.allowed)
    elif args.child:
        print(json.dumps(child(args.child, args.allowed, args.inference)))
    else:
        print(json.dumps(measure(args.allowed, args.inference), indent=1))


if __name__ == "__main__":
    main()
