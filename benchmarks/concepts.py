"""The cost of concepts: passes and sweeps over a tree compared with those of a closed vocabulary, on the same
pages.

`make bench WHAT=concepts`: manuals in German and English with 5,000 concepts of two words, K = 20 and 100.
The runs take turns, so that other work on the machine slows all of them alike; ratios are of the medians.
"""

import argparse
import statistics
import time

from benchmarks.harness import Report, Row, options, run
from reproduce.texts import DATA, PAGES, read_rows

from stickbreaker import LDA, ConceptTree, Corpus
from stickbreaker.topics.model.vocabularies.tree_compiler import compiled

NAMES = ("manuals", "GIMP")
CONCEPTS = 5_000
TURNS = 3
PASSES = {"mean-field": 10, "hybrid": 5, "gibbs": 10}


def read_pages() -> Corpus:
    """The pages that are in both languages."""
    rows = [row for name in NAMES for row in read_rows(DATA / PAGES[name][0])]
    pages = [{"en": row["en"], "de": row["de"]} for row in rows if row.get("en") and row.get("de")]
    return Corpus.from_texts(pages)


def pairs(corpus: Corpus, twice: bool) -> ConceptTree:
    """The most frequent words of each language, by rank; `twice`: each in two concepts, so with two paths."""
    words = {
        code: corpus.vocabulary.spelled[rows][:CONCEPTS] for code, rows in corpus.vocabulary.ranges.items()
    }
    n = CONCEPTS // 2 if twice else CONCEPTS
    concepts = [
        {"concept": f"{i}", "words": {"de": [words["de"][i]], "en": [words["en"][i]]}} for i in range(n)
    ]
    if twice:
        concepts += [
            {"concept": f"{n + i}", "words": {"de": [words["de"][i]], "en": [words["en"][(i + 1) % n]]}}
            for i in range(n)
        ]
    return ConceptTree(concepts)


def seconds_of(corpus: Corpus, words: object, inference: str, topics: int) -> float:
    """Seconds per pass, from the end of the first to the end of the last, so that the start does not
    count."""
    model = LDA(topics, words=words, inference=inference, max_iter=PASSES[inference] + 1, tol=0.0,
                random_state=0, n_jobs=1, init="random")  # fmt: skip
    start: list[float] = []
    model.callbacks = [lambda record: start.append(time.perf_counter())]
    model.fit(corpus)
    return (start[-1] - start[0]) / (len(start) - 1)


def measure(report: Report, args: argparse.Namespace) -> None:
    if not report.has(*NAMES):
        return
    corpus = read_pages()
    ways = {"closed": "closed", "one path": pairs(corpus, False), "two paths": pairs(corpus, True)}
    for name, tree in ways.items():
        if isinstance(tree, ConceptTree):
            found = compiled(tree, corpus.vocabulary)
            report.say(
                f"{name}: {found.concepts:,} concepts, {found.n_leaves:,} paths, {found.n_words:,} words"
            )
    text = f"{corpus.n_tokens:,.0f} tokens, one thread; medians of {TURNS} turns."
    report.section("Passes", text, ("inference", "K", "closed, ms/pass", "one path", "two paths"))
    for inference in PASSES:
        for topics in (20, 100):
            taken: dict[str, list[float]] = {name: [] for name in ways}
            for _ in range(TURNS):
                for name, words in ways.items():
                    taken[name].append(seconds_of(corpus, words, inference, topics))
            closed, *others = (statistics.median(taken[name]) for name in ways)
            row: Row = {"inference": inference, "K": topics, "closed, ms/pass": f"{1000 * closed:.0f}"}
            times = {name: f"{other / closed:.2f} ×" for name, other in zip([*ways][1:], others, strict=True)}
            report.row({**row, **times})


if __name__ == "__main__":
    run("concepts", "Concepts compared with a closed vocabulary", options(__doc__), measure)
