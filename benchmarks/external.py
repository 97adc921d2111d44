"""Peers that read and write files: Vowpal Wabbit in its Python wheel, and MALLET as a program of its own.

They write topics only at the end, so each point is a run of its own with the same seed.
"""

import gzip
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.corpora import entries
from benchmarks.processes import cpu_seconds
from benchmarks.watch import Watch, megabytes_of
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Array = NDArray[np.float64]


class VowpalWabbit:
    """`--lda`: a step is a pass. The first reads text, the others its cache. CPU seconds are the run's, from
    reading to the end. `--holdout_off`, or it would learn from nine tenths of the documents.
    """

    module = "vowpalwabbit"
    theta = None  # its predictions are gamma, but only for documents that it learns from

    def fit(
        self, train: csr_matrix, n_topics: int, seed: int, settings: dict[str, Any], watch: Watch
    ) -> None:
        from vowpalwabbit import Workspace

        bits = max(1, int(np.ceil(np.log2(train.shape[1]))))
        with tempfile.TemporaryDirectory() as folder:
            data, text = Path(folder, "train"), Path(folder, "topics")
            lines = (" ".join(f"{word}:{n}" for word, n in document) for document in entries(train))
            data.write_text("".join(f"| {line}\n" for line in lines))
            options = " ".join(f"--{name} {value}" for name, value in settings.items())
            for passes in watch.at:
                cache = Path(folder, f"cache{passes}")
                cpu, wall = time.process_time(), time.perf_counter()
                Workspace(
                    f"--data {data} --cache_file {cache} -k --passes {passes} --holdout_off --lda {n_topics} "
                    f"--lda_D {train.shape[0]} -b {bits} --random_seed {seed + 1} --quiet "
                    f"--readable_model {text} {options}"
                ).finish()
                cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
                watch.read_peak()
                self.last = _lambda(text, train.shape[1])
                watch.whole_run(passes, cpu, wall, self.last)

    def topics(self) -> Array:
        return self.last


def _lambda(file: Path, n_words: int) -> Array:
    """Topics × words of Vowpal Wabbit's text form: a header, then a line for each word."""
    with file.open() as lines:
        for line in lines:
            if line.startswith("Checksum"):
                break
        rows = [
            np.array(line.split()[1:], np.float64) for line, _ in zip(lines, range(n_words), strict=False)
        ]
    return np.array(rows).T


class Mallet:
    """`mallet train-topics`, one thread: a step is a sweep. CPU seconds are those of the Java process, its
    start and its collector included. Its `alpha` is the sum over topics.
    """

    module = None
    theta = None

    def __init__(self, path: str) -> None:
        self.path = path

    def fit(
        self, train: csr_matrix, n_topics: int, seed: int, settings: dict[str, Any], watch: Watch
    ) -> None:
        with tempfile.TemporaryDirectory() as folder:
            text, data, state = (Path(folder, name) for name in ("text", "data", "state.gz"))
            with text.open("w") as file:
                for number, document in enumerate(entries(train)):
                    words = " ".join(" ".join([f"w{word}"] * n) for word, n in document)
                    file.write(f"{number}\tx\t{words}\n")
            self._run("import-file", input=text, output=data, keep_sequence="TRUE", token_regex=r"\S+")
            given = {"input": data, "num-topics": n_topics, "random-seed": seed + 1, "num-threads": 1}
            for sweeps in watch.at:
                began = time.perf_counter()
                cpu = self._run(
                    "train-topics", **given, num_iterations=sweeps, output_state=state, **settings
                )
                wall = time.perf_counter() - began
                watch.peak = megabytes_of(resource.getrusage(resource.RUSAGE_CHILDREN))
                self.last = _topics_of_state(state, n_topics, train.shape[1])
                watch.whole_run(sweeps, cpu, wall, self.last)

    def topics(self) -> Array:
        return self.last

    def _run(self, command: str, **options: Any) -> float:
        """CPU seconds of a command."""
        words = [self.path, command]
        for name, value in options.items():
            words += [f"--{name.replace('_', '-')}", str(value)]
        return cpu_seconds(words)


def _topics_of_state(file: Path, n_topics: int, n_words: int) -> Array:
    """Topics × words from MALLET's state, a line for each token (document, source, position, type, word,
    topic)."""
    counts, beta = np.zeros((n_topics, n_words)), 0.01
    with gzip.open(file, "rt") as lines:
        for line in lines:
            if line.startswith("#beta"):
                beta = float(line.split()[-1])
            if line.startswith("#"):
                continue
            fields = line.split()
            counts[int(fields[5]), int(fields[4][1:])] += 1
    return counts + beta
