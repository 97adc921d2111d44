"""How many topics hold? Numbers of topics against their coherence in documents not learned from.

Each collection is cut into halves, by a seed. Topics are learned from one half and their words chosen there;
smoothed NPMI of ten words in windows of 200 words of the other half says whether each topic holds. The same
by halves of the documents learned from is what the program shows, since a user has no other half; NPMI as it
was published, -1 for each pair that never meets, is shown too; and the other half is predicted by document
completion. A quarter of an hour.

Each run adds a line to how-many.runs.jsonl in the folder of `--out`. A run that is there is not repeated, so
that the benchmark can be done in parts (`--corpora`, `--topics`, `--seeds`); `--new` begins again.
"""

import argparse
import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.coherence import WORDS, Half, documents_of, half_of
from benchmarks.harness import Report, Row, options, run

from stickbreaker import LDA
from stickbreaker.topics.evaluation import coherence, completion_of, suggest_topics, weakest_quarter
from stickbreaker.topics.report.document_entries import read_figures
from stickbreaker.topics.search.number_of_topics import topics_by_size

COLLECTIONS = (
    "AP",
    "LibreOffice",
    "Brown",
    "GIMP",
    "manuals",
    "20 Newsgroups",
    "blogs",
    "de-news",
    "film reviews",
)
MAIN = COLLECTIONS[:5]
TOPICS = (5, 10, 15, 20, 30, 45, 60, 90)
SEEDS = (0, 1, 2)
MOST = 5_650  # documents of a collection, of which halves are taken
COLUMNS = ("corpus", "documents", *(f"{k}" for k in TOPICS))
CHOICES = ("corpus", "documents", "holds", "holds by halves", "reads best", "predicts best", "by size")

Record = dict[str, Any]


def measured(half: Half, n_topics: int, seed: int) -> Record:
    """Learn topics from a half: the coherence of each in the other half, and by halves of the documents
    learned from; the score of other documents."""
    model = LDA(n_topics, random_state=seed, n_jobs=1).fit(half.learned)
    with tempfile.TemporaryDirectory() as place:
        model.save(Path(place) / "model", documents=half.learned)
        halves = read_figures(Path(place) / "model")["coherence"]
    used = np.delete(np.arange(n_topics), model.unused_topics_)
    others = coherence(model.top_words(WORDS), half.others)
    return {
        "documents": half.learned.n_documents,
        "others": others.smoothed.per_topic[used].tolist(),
        "published": others.npmi.per_topic[used].tolist(),
        "halves": [halves[k] for k in used],
        "nats": completion_of(model, half.others).nats_per_word,
    }


class Runs:
    """The runs of a file, one per line. Those that are missing are made, and added to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[tuple[str, int, int], Record] = {}
        self.halves: dict[tuple[str, int], Half] = {}  # of the collection at work
        for line in path.read_text().splitlines() if path.exists() else ():
            row = json.loads(line)
            name, n_topics, seed = row["run"]
            self.known[name, n_topics, seed] = row["found"]

    def record(self, corpus: str, n_topics: int, seed: int) -> Record:
        """What was measured in a run, which is made if the file lacks it."""
        key = (corpus, n_topics, seed)
        if key not in self.known:
            self.known[key] = measured(self._half(corpus, seed), n_topics, seed)
            with self.path.open("a") as file:
                file.write(json.dumps({"run": key, "found": self.known[key]}) + "\n")
        return self.known[key]

    def _half(self, corpus: str, seed: int) -> Half:
        if (corpus, seed) not in self.halves:
            self.halves = {each: half for each, half in self.halves.items() if each[0] == corpus}
            documents = documents_of(corpus)
            order = np.random.default_rng(99).permutation(len(documents))[:MOST]
            self.halves[corpus, seed] = half_of([documents[i] for i in order], seed)
        return self.halves[corpus, seed]


def curve(name: str, runs: dict[int, list[Record]], where: str) -> Row:
    """A row of the curves: for each number the mean coherence, and in brackets that of the weakest
    quarter."""
    cells = {
        f"{k}": f"{np.mean([np.mean(one[where]) for one in found]):.2f} "
        f"({np.mean([weakest_quarter(one[where]) for one in found]):.2f})"
        for k, found in runs.items()
    }
    return {"corpus": name, "documents": next(iter(runs.values()))[0]["documents"], **cells}


def choices(name: str, runs: dict[int, list[Record]]) -> Row:
    """A row of what each rule chooses."""
    nats = {k: [[one["nats"]] * 2 for one in found] for k, found in runs.items()}
    other, own = (
        suggest_topics({k: [one[where] for one in found] for k, found in runs.items()}, nats, [1, 1])
        for where in ("others", "halves")
    )
    documents = next(iter(runs.values()))[0]["documents"]
    return {
        "corpus": name,
        "documents": documents,
        "holds": other.holds or "none",
        "holds by halves": own.holds or "none",
        "reads best": f"{other.fewest} to {other.most}",
        "predicts best": other.predicts,
        "by size": topics_by_size(documents),
    }


def measure(report: Report, args: argparse.Namespace) -> None:
    warnings.simplefilter("ignore")
    path = report.out / "how-many.runs.jsonl"
    if args.new:
        path.unlink(missing_ok=True)
    known, found = Runs(path), dict[str, dict[int, list[Record]]]()
    for corpus in args.corpora:
        if report.has(corpus):
            found[corpus] = {k: [known.record(corpus, k, s) for s in args.seeds] for k in args.topics}
    note = f"of {WORDS} words, the mean over topics, and in brackets over their weakest quarter."
    for where, title, measure_of in (
        ("others", "In the other half", "Smoothed NPMI"),
        ("halves", "By halves of the documents learned from", "Smoothed NPMI"),
        ("published", "In the other half, NPMI as published", "NPMI"),
    ):
        report.section(title, f"{measure_of} {note}", COLUMNS)
        for corpus, runs in found.items():
            report.row(curve(corpus, runs, where))
    report.section(
        "What rules choose",
        "holds: the largest number whose weakest quarter holds (0 or more, and half of the best number's). "
        "reads best: those whose mean is within a standard error of the best. predicts best: document "
        "completion of the other half.",
        CHOICES,
    )
    for corpus, runs in found.items():
        report.row(choices(corpus, runs))


def parser() -> argparse.ArgumentParser:
    found = options(__doc__)
    found.add_argument("--corpora", nargs="+", choices=COLLECTIONS, default=list(MAIN), help="only these")
    found.add_argument("--topics", nargs="+", type=int, default=list(TOPICS), help="numbers of topics")
    found.add_argument("--seeds", nargs="+", type=int, default=list(SEEDS), help="seeds of halves and runs")
    found.add_argument("--new", action="store_true", help="repeat runs that were made before")
    return found


if __name__ == "__main__":
    run("how-many", "Numbers of topics that hold", parser(), measure)
