"""Figures 8.3, 8.4: topics of words of any spelling by a grammar, beside LDA with open words, on de-news."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from pages import Section, Table
from parts import side_by_side
from texts import texts

from stickbreaker import LDA, AdaptorGrammar, Corpus, Online, VocabularyRule
from stickbreaker.core.random_streams import stream
from stickbreaker.estimators import fitting
from stickbreaker.evaluation.coherence import npmi
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.topic_snapshots import Evolution

DOCUMENTS, TOPICS, BATCH = 2200, 5, 50
PASSES, FULL_PASSES = (1, 2), (1, 2, 5, 10)
TEN = 10
MOMENTS = 8  # of the table of one topic


class Plan(NamedTuple):
    """What is learned, and how."""

    name: str
    passes: int
    seed: int
    inference: str


class Run(NamedTuple):
    """Topics that were found."""

    name: str
    passes: int
    seed: int
    coherence: float  # mean NPMI of the ten first words of each topic, in the documents themselves
    words: list[list[str]]
    seconds: float
    moments: list[tuple[int, int, list[str]]]  # (steps, documents seen, words) of a grammar's first topic


def documents() -> list[str]:
    """A sample of the documents, in their order."""
    found = texts("de-news")
    chosen = sorted(stream(0, "de-news sample").permutation(len(found))[:DOCUMENTS].tolist())
    return [found[number] for number in chosen]


def corpus() -> Corpus:
    """The documents as words, all of them."""
    return Corpus.from_tokens([text.split() for text in documents()], rule=VocabularyRule(1, 1.0))


def learn(plan: Plan) -> Run:
    """One run."""
    text = corpus()
    start = time.perf_counter()
    moments: list[tuple[int, int, list[str]]] = []
    if plan.inference == "lda":
        model = LDA(
            TOPICS, words="open", inference="hybrid", schedule=Online(BATCH, 0.6, 64.0), alpha=0.1,
            max_iter=plan.passes, random_state=plan.seed, n_jobs=1,
        ).fit([text.split() for text in documents()])  # fmt: skip
        words = model.top_words(TEN, by="relevance")
    else:
        online = Online(BATCH, 0.6, 1.0, total="seen")
        given: dict[str, Any] = {"schedule": online, "refine_every": 100}
        settings = given if plan.inference == "hybrid" else {}
        grammar = AdaptorGrammar(
            "topic", n_topics=TOPICS, inference=plan.inference, truncation=3000, max_iter=plan.passes,
            random_state=plan.seed, n_jobs=1, **settings,
        )  # fmt: skip
        grammar, evolution = learn_in_directory(grammar, text)
        moments = first_topic(evolution)
        words = [
            ["".join(one.text) for one in grammar.subtrees(f"Topic{number}")[:TEN]]
            for number in range(1, TOPICS + 1)
        ]
    seconds = time.perf_counter() - start
    return Run(plan.name, plan.passes, plan.seed, coherence_of(words, text), words, seconds, moments)


def learn_in_directory(model: AdaptorGrammar, text: Corpus) -> tuple[AdaptorGrammar, Evolution]:
    """The grammar that was learned, and the snapshots of its run, which are kept on disk alone."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        fitting.begin(model, text.write(Path(folder) / "corpus"), path)
        fitting.resume(path, every=1e9, threads=1)
        return AdaptorGrammar.load(path), ModelDirectory(path).evolution()


def first_topic(evolution: Evolution) -> list[tuple[int, int, list[str]]]:
    """The ten first words of the first topic at some moments, more of them early."""
    every = evolution.moments
    places = np.unique(np.linspace(0, len(every) - 1, min(MOMENTS, len(every))).round().astype(int))
    chosen = [every[place] for place in places.tolist()]
    return [(one.step, one.documents, [word for word, _ in one.top().get(0, ())[:TEN]]) for one in chosen]


def coherence_of(words: list[list[str]], text: Corpus) -> float:
    """Mean NPMI of topics' words, by how many documents have both."""
    scores = []
    for own in words:
        rows = text.vocabulary.lookup(own)
        rows = rows[rows >= 0]
        if len(rows) > 1:
            blocks = (text.bags(block) for block in range(len(text.block_sizes)))
            scores.append(float(npmi(np.array([rows]), blocks, len(text.vocabulary)).mean))
    return float(np.mean(scores)) if scores else -1.0


def summary(run: Run) -> str:
    """A line of a run that has ended."""
    found = f"NPMI {run.coherence:.3f}, {run.seconds:.0f} s"
    return f"de-news, {run.name}, {run.passes} passes, seed {run.seed}: {found}"


def measure_all(full: bool) -> dict[str, Any]:
    """All runs, and one topic on the way."""
    seeds = range(3 if full else 1)
    plans = [
        Plan(name, passes, seed, inference)
        for passes in reversed(FULL_PASSES if full else PASSES)
        for name, inference in (("grammar, ONLINE", "hybrid"), ("LDA with open words, ONLINE", "lda"))
        for seed in seeds
    ]
    runs = side_by_side(plans, learn, summary)
    return {"documents": DOCUMENTS, "runs": runs}


def told_apart(moments: list[tuple[int, int, list[str]]]) -> list[tuple[int, int, str]]:
    """The same with words in a line each, those in bold that are new since the moment before."""
    found: list[tuple[int, int, str]] = []
    before: set[str] | None = None
    for step, seen, words in moments:
        new = set() if before is None else set(words) - before
        found.append((step, seen, " ".join(f"**{word}**" if word in new else word for word in words)))
        before = set(words)
    return found


def section(data: dict[str, Any]) -> Section:
    """Coherence over passes, and the topics."""
    runs = [Run(*held) for held in data["runs"]]
    last = max((run for run in runs if run.name.startswith("grammar")), key=lambda run: run.passes)
    return Section(
        "Topics",
        [
            f"{data['documents']:,} documents of de-news, {TOPICS} topics, {BATCH} documents a minibatch. "
            "Mean NPMI of the ten first words of each topic, by the documents themselves (the paper counts "
            "in Wikipedia, which is not to be had here).",
            Table(
                ("", "passes", "seed", "NPMI", "s"),
                [[run.name, run.passes, run.seed, f"{run.coherence:.3f}", f"{run.seconds:.0f}"]
                 for run in sorted(runs, key=lambda run: (run.name, run.passes))],
            ),
            Table(
                ("topic", "first words, grammar"),
                [[number, " ".join(own)] for number, own in enumerate(last.words, 1)],
            ),
            "Topic 1 of this grammar on its way (figure 8.4), at some of the snapshots of its run; in bold "
            "are words that were not among the ten at the moment before.",
            Table(
                ("minibatch", "documents", "first words, grammar"),
                [[f"{step:,}", f"{seen:,}", own] for step, seen, own in told_apart(last.moments)],
            ),
        ],
    )  # fmt: skip
