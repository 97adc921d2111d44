"""A corpus larger than memory can be read: the peak does not grow with the corpus."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from stickbreaker.corpus import Bags, Corpus, store
from stickbreaker.corpus.block_cache import BlockCache

FILE_ENTRIES = 800_000  # four blocks of 200,000

CHILD = """
import sys
from pathlib import Path
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.block_cache import BlockCache
corpus = Corpus.open(sys.argv[1])
corpus._cache = BlockCache(most_entries=400_000)
total = 0.0
for block in range(len(corpus.block_sizes)):
    total += float(corpus.bags(block).counts.sum(dtype="float64"))
assert total == corpus.n_tokens
status = Path("/proc/self/status").read_text()  # getrusage would tell the peak of the parent as well
print(int(status.partition("VmHWM:")[2].split()[0]) * 1024)
"""


def write_corpus(path, n_files):
    rng = np.random.default_rng(n_files)
    n_documents = n_files * FILE_ENTRIES // 400
    words = np.arange(400)[None, :] * 12 + rng.integers(0, 12, (n_documents, 400))
    weights = rng.random(words.size) + 0.5
    offsets = np.arange(n_documents + 1) * 400
    matrix = sparse.csr_array((weights, words.ravel(), offsets), shape=(n_documents, 4800))
    return Corpus.from_matrix(matrix).write(path)


def peak_of(path):
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path)], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to know the peak of memory")
def test_peak_memory_does_not_grow_with_the_corpus(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "FILE_BLOCKS", 4)
    write_corpus(tmp_path / "one", 1)
    write_corpus(tmp_path / "ten", 10)
    files = sorted((tmp_path / "ten").glob("documents-*.parquet"))
    assert len(files) >= 10
    grown = peak_of(tmp_path / "ten") - peak_of(tmp_path / "one")
    assert grown < files[0].stat().st_size


def test_the_cache_is_bounded():
    def make(block):
        words = np.zeros(100, np.int32)
        return Bags(np.array([0, 100]), words, words.astype(np.float32), np.zeros(1, np.float32))

    cache = BlockCache(most_entries=350)
    first = cache.get(Bags, 0, make)
    assert cache.get(Bags, 0, make) is first
    for block in range(1, 4):
        cache.get(Bags, block, make)
    assert [block for _, block in cache._held] == [1, 2, 3]
    assert cache.get(Bags, 0, make) is not first
