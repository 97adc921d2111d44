"""What concepts cost: passes and sweeps over a tree beside those of the closed vocabulary, on like pages.

`make bench-concepts`: manuals in German and English with 5,000 concepts of two words, K = 20 and 100. Ways
take turns, so that both meet the same weather; the ratio is of the medians.
"""

import gzip
import json
import statistics
import time
from pathlib import Path

from stickbreaker import LDA, ConceptTree, Corpus
from stickbreaker.topics.model.vocabularies.tree_compiler import compiled

PAGES = Path(__file__).parents[2] / "shared/data"
FILES = ("polylingual-manuals/docs.jsonl.gz", "polylingual-gimp/docs.jsonl.gz")
CONCEPTS = 5_000
TURNS = 3
PASSES = {"mean-field": 10, "hybrid": 5, "gibbs": 10}


def pages() -> Corpus:
    documents = []
    for file in FILES:
        with gzip.open(PAGES / file, "rt", encoding="utf-8") as lines:
            rows = map(json.loads, lines)
            documents += [
                {"en": row["en"], "de": row["de"]} for row in rows if row.get("en") and row.get("de")
            ]
    return Corpus.from_texts(documents)


def pairs(corpus: Corpus, twice: bool) -> ConceptTree:
    """The most frequent words of each language, by rank; `twice`: each in two concepts, so of two paths."""
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
    """Seconds of a pass, by the trace: from the first to the last, so that the start does not count."""
    model = LDA(topics, words=words, inference=inference, max_iter=PASSES[inference] + 1, tol=0.0,
                random_state=0, n_jobs=1, init="random")  # fmt: skip
    start: list[float] = []
    model.callbacks = [lambda record: start.append(time.perf_counter())]
    model.fit(corpus)
    return (start[-1] - start[0]) / (len(start) - 1)


def main() -> None:
    if missing := [file for file in FILES if not (PAGES / file).exists()]:
        raise SystemExit(f"MISSING: {PAGES / missing[0]} does not exist")
    corpus = pages()
    ways = {"closed": "closed", "one path": pairs(corpus, False), "two paths": pairs(corpus, True)}
    for name, tree in ways.items():
        if isinstance(tree, ConceptTree):
            found = compiled(tree, corpus.vocabulary)
            print(f"{name}: {found.concepts:,} concepts, {found.n_leaves:,} paths, {found.n_words:,} words")
    print(f"{corpus.n_tokens:,.0f} tokens, one thread; medians of {TURNS} turns\n")
    print("| inference | K | closed, ms a pass | one path | two paths |\n|---|---|---|---|---|")
    for inference in PASSES:
        for topics in (20, 100):
            taken: dict[str, list[float]] = {name: [] for name in ways}
            for _ in range(TURNS):
                for name, words in ways.items():
                    taken[name].append(seconds_of(corpus, words, inference, topics))
            closed, *others = (statistics.median(taken[name]) for name in ways)
            print(
                f"| {inference} | {topics} | {1000 * closed:.0f} | "
                + " | ".join(f"{other / closed:.2f} ×" for other in others)
                + " |",
                flush=True,
            )


if __name__ == "__main__":
    main()
