"""A corpus larger than memory trains: a child's peak grows by less than one file."""

import json
import subprocess
import sys

import pytest

CHILD = """
import sys
from stickbreaker import LDA, Corpus, Online
from stickbreaker.corpus import source
corpus = Corpus.open(sys.argv[1])
corpus._cache.most_entries = 300_000  # small, so that the smaller corpus fills it already
source.WINDOW = 2  # likewise
schedule = "batch" if sys.argv[2] == "batch" else Online(batch_size=500)
settings = {'max_iter': 1, 'tol': 0.0, 'n_jobs': 1, 'random_state': 0}
LDA(n_topics=3, schedule=schedule, init=sys.argv[3], **settings).fit(corpus)
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak.split()[1]) * 1024)
"""


def write_texts(path, n_documents):
    """Documents of 40 words, unlike each other, one a line."""
    import numpy as np

    words = np.array([f"word{i}" for i in range(3000)])
    with path.open("w") as file:
        for d in range(n_documents):
            chosen = np.random.default_rng(d).integers(0, 3000, 40)
            file.write(json.dumps({"id": str(d), "text": " ".join(words[chosen])}) + "\n")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
def test_peak_memory_does_not_grow_with_the_corpus(tmp_path, monkeypatch):
    from stickbreaker import Corpus
    from stickbreaker.corpus import store

    monkeypatch.setattr(store, "FILE_BLOCKS", 12)  # blocks of a file: the larger corpus has several files
    peaks, files = {}, []
    for size in (8_000, 28_000):
        write_texts(tmp_path / "texts.jsonl", size)
        corpus = Corpus.build(tmp_path / "texts.jsonl", tmp_path / f"corpus{size}")
        files += [file.stat().st_size for file in corpus.path.glob("documents-*.parquet")]
        for schedule, init in (("batch", "random"), ("online", "documents")):
            arguments = [str(corpus.path), schedule, init]
            done = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", CHILD, *arguments],
                capture_output=True,
                text=True,
                check=True,
            )
            peaks[size, schedule] = json.loads(done.stdout)
    for schedule in ("batch", "online"):
        assert peaks[28_000, schedule] - peaks[8_000, schedule] < max(files), (peaks, max(files))
