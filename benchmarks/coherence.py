"""Do the words of topics keep company? Latent Dirichlet allocation beside NMF on tf-idf, by one scorer.

`make bench` runs it after the benchmark of LDA; alone it is `make bench-coherence`, some minutes of one core.
All programs get the same counts: 20 Newsgroups (the training part), AP and blogs, with the library's own
analysis and vocabulary. Words of every program are ranked twice, by probability and by relevance, by the same
code. Each program has three settings; that with the best NPMI in one half of the documents is reported on the
other half.
"""

import argparse
import gzip
import json
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from cell import is_missing
from corpora import DATA
from lda import about, machine
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from settings import program_of
from tables import Report, Row
from watch import Watch

from stickbreaker import LDA, Corpus
from stickbreaker.corpus.shards import Bags
from stickbreaker.evaluation import npmi, topic_diversity
from stickbreaker.models.topics.topic_words import Dense
from stickbreaker.models.topics.word_ranking import RANKINGS

Array = NDArray[np.float64]
Settings = dict[str, Any]

FILES = {  # the file, and the field that is a label
    "AP": ("ap/ap.jsonl.gz", None),
    "blogs": ("blogs/posts.jsonl.gz", "industry"),
    "20 Newsgroups": ("20newsgroups/train.jsonl.gz", "label"),
}
TOPICS = (20, 50)
PASSES = 10  # of the programs that do not stop by themselves
WORDS, DIVERSE = 10, 25  # of a topic: for NPMI, for diversity
COLUMNS = ("corpus", "K", "program", "words by", "NPMI", "diversity", "purity", "CPU s", "setting")
TRIES: dict[str, tuple[Settings, ...]] = {
    "stickbreaker": ({}, {"eta": 0.1, "alpha": 0.1}, {"inference": "gibbs", "eta": 0.1, "max_iter": 200}),
    "NMF on tf-idf": ({}, {"sublinear_tf": True}, {"init": "nndsvda"}),
    "scikit-learn": (
        {"max_doc_update_iter": 20},
        {"max_doc_update_iter": 20, "topic_word_prior": 0.1, "doc_topic_prior": 0.1},
        {"max_doc_update_iter": 20, "topic_word_prior": 0.01},
    ),
    "gensim": ({}, {"alpha": "auto"}, {"alpha": "auto", "eta": 0.1}),
}


class Topics(NamedTuple):
    """What a program learned: topics × words, and documents × topics of the documents learned from."""

    words: Array
    documents: Array


class Program(Protocol):
    """What makes topics of counts."""

    def __call__(self, counts: csr_matrix, n_topics: int, settings: Settings) -> Topics: ...


def stickbreaker(counts: csr_matrix, n_topics: int, settings: Settings) -> Topics:
    """`LDA`, which stops by itself."""
    lda = LDA(n_topics, random_state=0, n_jobs=1, **settings).fit(Corpus.from_matrix(counts))
    return Topics(lda.topic_word_, lda.transform(Corpus.from_matrix(counts)))


def nmf(counts: csr_matrix, n_topics: int, settings: Settings) -> Topics:
    """scikit-learn's NMF of tf-idf, from singular vectors."""
    from sklearn.decomposition import NMF
    from sklearn.feature_extraction.text import TfidfTransformer

    settings = dict(settings)
    weights = TfidfTransformer(sublinear_tf=settings.pop("sublinear_tf", False)).fit_transform(counts)
    model = NMF(n_topics, random_state=0, max_iter=400, **{"init": "nndsvd", **settings})
    shares = model.fit_transform(weights)
    words = model.components_.astype(np.float64)  # of counts in single precision they are single
    return Topics(words, shares.astype(np.float64) * words.sum(axis=1))


@dataclass(frozen=True)
class Peer:
    """A program of the benchmark of LDA, for `PASSES` passes."""

    name: str

    def __call__(self, counts: csr_matrix, n_topics: int, settings: Settings) -> Topics:
        program = program_of(self.name)
        program.fit(counts, n_topics, 0, settings, Watch((PASSES,), lambda topics: 0.0))
        return Topics(program.topics(), program.theta(counts))


PROGRAMS: dict[str, Program] = {
    "stickbreaker": stickbreaker,
    "NMF on tf-idf": nmf,
    "scikit-learn": Peer("scikit-learn"),
    "gensim": Peer("gensim"),
}


class Collection(NamedTuple):
    """Documents × words, the documents' labels or none, and the two halves that words are counted in."""

    name: str
    counts: csr_matrix
    labels: NDArray[np.str_] | None
    halves: tuple[Bags, Bags]


def load(name: str) -> Collection | None:
    """A collection by name; None where its file is absent."""
    path, field = FILES[name]
    if not (DATA / path).exists():
        return None
    with gzip.open(DATA / path, "rt", encoding="utf-8") as file:
        documents = [json.loads(line) for line in file]
    corpus = Corpus.from_texts([document["text"] for document in documents])
    bags = Bags.join([corpus.bags(block) for block in range(len(corpus.block_sizes))])
    counts = csr_matrix((bags.counts, bags.words, bags.offsets), shape=(len(documents), corpus.n_words))
    labels = None if field is None else np.array([document[field] for document in documents])
    order = np.random.default_rng(0).permutation(len(documents))
    half = len(order) // 2
    return Collection(name, counts, labels, (_bags(counts[order[:half]]), _bags(counts[order[half:]])))


def _bags(counts: csr_matrix) -> Bags:
    return Bags(counts.indptr.astype(np.int64), counts.indices, counts.data, np.zeros(counts.shape[0]))


def scores(topics: Topics, collection: Collection, half: int) -> dict[str, dict[str, float]]:
    """NPMI and diversity of the words by each ranking, in one half of the documents."""
    words = Dense(topics.words / topics.words.sum(axis=1, keepdims=True))
    lengths = np.asarray(collection.counts.sum(axis=1)).ravel()
    tokens = lengths @ (topics.documents / np.maximum(topics.documents.sum(axis=1, keepdims=True), 1e-300))
    found: dict[str, dict[str, float]] = {}
    for by, ranking in RANKINGS.items():
        top = ranking(words, tokens / tokens.sum(), DIVERSE, slice(None)).words
        company = npmi(top[:, :WORDS], [collection.halves[half]], collection.counts.shape[1]).mean
        found[by] = {"NPMI": company, "diversity": topic_diversity(top)}
    return found


def purity(shares: Array, labels: NDArray[np.str_]) -> float:
    """Share of the documents whose label is the commonest of those with the same largest topic."""
    largest = shares.argmax(axis=1)
    groups = [labels[largest == topic] for topic in np.unique(largest)]
    return sum(int(np.unique(group, return_counts=True)[1].max()) for group in groups) / len(labels)


def rows_of(name: str, collection: Collection, n_topics: int) -> Iterator[Row]:
    """A program's best setting: a row for each ranking, of which each chooses a setting for itself."""
    tries: list[tuple[Settings, Topics, float]] = []
    for settings in TRIES[name]:
        start = time.process_time()
        topics = PROGRAMS[name](collection.counts, n_topics, settings)
        tries.append((settings, topics, time.process_time() - start))
    for by in RANKINGS:
        settings, topics, seconds = max(tries, key=lambda one: scores(one[1], collection, 0)[by]["NPMI"])
        told = {key: f"{value:.3f}" for key, value in scores(topics, collection, 1)[by].items()}
        labels = collection.labels
        yield {
            "corpus": collection.name,
            "K": n_topics,
            "program": name,
            "words by": by,
            **told,
            "purity": None if labels is None else f"{purity(topics.documents, labels):.3f}",
            "CPU s": f"{seconds:.0f}",
            "setting": ", ".join(f"{key}={value}" for key, value in settings.items()) or "default",
        }


def main() -> None:
    warnings.simplefilter("ignore")
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--out", type=Path, default=Path("bench-results"), help="default: bench-results")
    options.add_argument("--programs", nargs="+", choices=TRIES, default=list(TRIES), help="only these")
    args = options.parse_args()
    report = Report(args.out, "coherence", about())
    report.say(f"# Coherence of topics beside NMF's\n\n{machine()}\n")
    missing = {name for name in ("scikit-learn", "gensim") if is_missing(name, None)} & {*args.programs}
    for name in sorted(missing):
        report.say(f"MISSING: {name}")
    report.section(
        "Topics",
        f"NPMI of {WORDS} words of each topic in the half of the documents that chose no setting; diversity "
        f"of {DIVERSE} words; purity: share of documents with the commonest label of their largest topic "
        "(newsgroup; of blogs the industry). AP has no labels. CPU s: a run, and topics of its documents.",
        COLUMNS,
    )
    for corpus in FILES:
        collection = load(corpus)
        if collection is None:
            report.say(f"MISSING: {FILES[corpus][0]}")
            continue
        for n_topics in TOPICS:
            for name in args.programs:
                if name not in missing:
                    for row in rows_of(name, collection, n_topics):
                        report.row(row)
    print(f"\nWritten: {args.out / 'coherence.md'} and coherence.json")


if __name__ == "__main__":
    main()
