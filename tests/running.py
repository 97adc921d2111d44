"""What tests of the program and of saved models share."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from stickbreaker.learning.observers import Observer
from stickbreaker.learning.trace import line_of
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.evolution import Evolution

PROGRAM = Path(sys.executable).parent / "stickbreaker"
TOPICS = (
    ["river", "water", "boat", "stream", "fish", "shore", "sail", "wave"],
    ["money", "bank", "loan", "credit", "price", "market", "trade", "coin"],
    ["planet", "star", "comet", "orbit", "moon", "galaxy", "telescope", "sun"],
)
SMALL = ("--topics", 3, "--threads", 1, "--seed", 1)  # options of a quick `fit lda`
A_RUN = {
    "step": 0,
    "passes": 0,
    "seen": 0.0,
    "scores": [],
    "held_out": [],
    "converged": False,
    "stopped": False,
    "kind": "bound",
}
A_MANIFEST = {  # the least that a model's says, but for its status and its files
    "stickbreaker": "0.1.0",
    "estimator": "LDA",
    "settings": {"random_state": 0, "n_jobs": None},
    "held_out": 0.0,
    "corpus": {
        "fingerprint": "",
        "kind": "text",
        "documents": 0,
        "tokens": 0.0,
        "empty": 0,
        "analysis": None,
    },
    "corpus_path": None,
    "run": A_RUN,
    "trace_digests": True,
}

Run = Callable[..., Any]  # (*arguments, code=0, stdin="") → a result with stdout and stderr


class StopAfter(Observer):
    """Asks the run to stop in its step after the next `steps`."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def step(self, job: Any, state: Any, record: Any) -> bool:
        self.left -= 1
        if self.left <= 0:
            self.ask(job)
        return False

    def ask(self, job: Any) -> None:
        """How it asks."""
        job.stop()


def planted_documents(n: int = 60, seed: int = 0) -> list[dict[str, str]]:
    """Documents of 15 words, each mostly from one of `TOPICS`; the field `label` tells which."""
    draw = np.random.default_rng(seed)
    documents: list[dict[str, str]] = []
    for number in range(n):
        shares = np.full(len(TOPICS), 0.05)
        shares[number % len(TOPICS)] = 1.0
        of = draw.choice(len(TOPICS), 15, p=shares / shares.sum())
        words = [TOPICS[k][draw.integers(len(TOPICS[k]))] for k in of]
        documents.append({"id": f"d{number}", "label": str(number % len(TOPICS)), "text": " ".join(words)})
    return documents


PARSED = (
    ("the team wins matches", "a coach sees goals", "the team sees goals"),
    ("a bank takes shares", "the price takes losses", "a bank sees losses"),
)
PARSE = ((2, "DET"), (3, "NOUN"), (0, "VERB"), (3, "NOUN"))


def write_trees(path: Path, documents: int = 30, *, upos: bool = True) -> Path:
    """A treebank of documents about one of two subjects; without `upos` tags are in the next column."""
    lines: list[str] = []
    for d in range(documents):
        lines.append(f"# newdoc id = doc{d}")
        for words in map(str.split, PARSED[d % 2]):
            for number, (word, (head, tag)) in enumerate(zip(words, PARSE, strict=True), 1):
                tags = f"{tag}\t_" if upos else f"_\t{tag}"
                lines.append(f"{number}\t{word}\t{word}\t{tags}\t_\t{head}\t_\t_\t_")
            lines.append("")
    path.write_text("\n".join([*lines, ""]))
    return path


def with_german(documents: list[dict[str, str]]) -> list[dict[str, str]]:
    """The same with a German side of other words, `deutsch`; some have one side only."""
    for number, document in enumerate(documents):
        document["deutsch"] = " ".join(map(german, document["text"].split()))
        if number % 7 == 3:
            del document["text"]
        if number % 7 == 5:
            del document["deutsch"]
    return documents


def german(word: str) -> str:
    """What a planted word is in German."""
    return word[::-1] + "e"


def write_lines(path: Path, documents: list[dict[str, str]]) -> Path:
    """Write documents as JSON Lines."""
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return path


def write_trace(path: Path, steps: int) -> None:
    """Put a trace of that many steps, which say nothing else, into a model's directory."""
    (path / "trace.jsonl").write_text("".join(line_of({"step": step}) for step in range(1, steps + 1)))


def with_evolution(path: Path, evolution: Evolution) -> Path:
    """A saved model, which has these snapshots of topics from now on."""
    directory = ModelDirectory(path)
    snapshot = directory.read()
    snapshot.evolution = evolution
    directory.write(snapshot)
    return path


def bytes_of_files(path: Path) -> dict[str, bytes]:
    """The contents of the files below a directory, by their paths in it."""
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}
