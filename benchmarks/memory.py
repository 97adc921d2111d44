"""Is memory bounded by shard and table? A process learns from a corpus ten times as large as its allowance.

The corpus is on disk. The process opens it, does a small run so that everything is compiled, reads one block,
notes its memory, then makes one online pass; its growth is compared with the allowance. The size of the
corpus is that of its decoded bags (a word number and a count are 8 bytes). The cache of decoded blocks, 64 MB
by default, is set to an eighth of the allowance. `python -m benchmarks.memory` runs it alone.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.processes import answer
from benchmarks.watch import MEGABYTE, peak_megabytes, reset_peak
from scipy.sparse import csr_matrix

ALLOWED_MB = 64
TIMES = 10
N_WORDS, N_TOPICS, WORDS_A_DOCUMENT, BATCH = 5000, 10, 100, 500
ENTRY = 8  # bytes of a decoded entry: int32 and float32


def build(place: str, megabytes: float) -> dict[str, float]:
    """Write a corpus of random bags, `megabytes` decoded; returns its size on disk."""
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
    Corpus.from_matrix(csr_matrix((counts, words.ravel(), offsets), (documents, N_WORDS))).write(place)
    files = [file for file in Path(place).rglob("*") if file.is_file()]
    return {"on_disk_mb": sum(file.stat().st_size for file in files) / MEGABYTE}


def learn(place: str, allowed_mb: float, inference: str) -> dict[str, Any]:
    """Make one online pass; returns the memory before it and the growth."""
    from stickbreaker import LDA, Corpus, Online

    schedule = Online(batch_size=BATCH)
    settings: dict[str, Any] = {"inference": inference, "schedule": schedule, "init": "random"}
    settings |= {"max_iter": 1, "tol": 0.0, "n_jobs": 1, "random_state": 0}
    small = csr_matrix(np.eye(20, N_WORDS))
    LDA(N_TOPICS, **settings).fit(small)
    corpus = Corpus.open(place)
    corpus._cache.most_entries = int(allowed_mb * MEGABYTE / ENTRY / 8)
    corpus.bags(0)  # imports what reads the files
    reset_peak()
    before = peak_megabytes()
    LDA(N_TOPICS, **settings).fit(corpus)
    grown = peak_megabytes() - before
    sizes = {"documents": corpus.n_documents, "tokens": corpus.n_tokens}
    return {"before_mb": before, "grown_mb": grown, **sizes}


def measure(allowed_mb: float = ALLOWED_MB, inference: str = "mean-field") -> dict[str, Any]:
    """Build the corpus, learn from it in another process, and report whether that kept to its allowance."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "corpus")
        built = answer(build, str(path), TIMES * allowed_mb)
        result = built if "error" in built else answer(learn, str(path), allowed_mb, inference)
    if "error" in result:
        return result
    sizes = {"allowed_mb": allowed_mb, "corpus_mb": TIMES * allowed_mb, **built}
    return {"inference": inference, **sizes, **result, "kept": result["grown_mb"] <= allowed_mb}


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
