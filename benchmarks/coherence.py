"""Do the words of topics go together beyond the documents that they were learned from? LDA and NMF on
tf-idf, by one scorer.

`make bench` runs it after the benchmark of LDA; by itself it is `make bench WHAT=coherence`. Each
collection is cut into halves, by a seed. Topics are learned from one half, and their words chosen there;
the score is the NPMI of ten words in windows of 200 words of the other half. All programs get the same
counts: the library's own analysis and vocabulary of the first half. Words of every program are ranked in
the same ways by the same code: those of the library, and the c-TF-IDF of BERTopic (documents go to their
largest topic). `--quick` tries it: two collections, one seed, 30 topics.

Each run adds a line to coherence.runs.jsonl in the folder of `--out`. A run that is there is not repeated, so
that the benchmark can be done in parts (`--corpora`, `--topics`, `--seeds`); `--new` begins again.
"""

import argparse
import json
import time
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from benchmarks.corpora import matrix_of
from benchmarks.harness import Report, Row, options, run
from numpy.typing import NDArray
from reproduce.texts import PAGES, pages, texts
from scipy.sparse import csr_matrix

from stickbreaker import LDA, Corpus
from stickbreaker.corpus.shards import Bags
from stickbreaker.topics.evaluation import Tokens, coherence, topic_diversity
from stickbreaker.topics.model.topic_words import Dense
from stickbreaker.topics.model.word_ranking import DEFAULT, RANKINGS, WordEvidence
from stickbreaker.topics.runs.word_counting import (
    add_documents,
    count_meetings_of,
    sides_of,
    topics_of_documents,
    with_company,
)

Array = NDArray[np.float64]

# help and manuals in English; de-news is stemmed. The ranking was chosen on the first three
COLLECTIONS = (
    "AP",
    "20 Newsgroups",
    "LibreOffice",
    "blogs",
    "NIPS",
    "film reviews",
    "Brown",
    "de-news",
    "manuals",
    "GIMP",
)
QUICK = ("AP", "LibreOffice")
TOPICS = (15, 30, 60)
SEEDS = (0, 1, 2)
WORDS = 10  # per topic, for NPMI and diversity
C_TF_IDF = "c-TF-IDF"
OWN, THEIRS = "LDA", "NMF on tf-idf"
COLUMNS = ("corpus", "K", "program", "words by", "NPMI", "of seeds", "diversity", "CPU s")


class Half(NamedTuple):
    """The halves of a collection as corpora: one to learn from, and one in which words are counted."""

    learned: Corpus
    others: Corpus


class Topics(NamedTuple):
    """The result of a program: topics × words, and documents × topics of the documents learned from."""

    words: Array
    documents: Array


class Program(Protocol):
    """A program that learns topics of a corpus."""

    def __call__(self, corpus: Corpus, n_topics: int, seed: int) -> Topics: ...


def lda(corpus: Corpus, n_topics: int, seed: int) -> Topics:
    """`LDA`, which stops by itself."""
    model = LDA(n_topics, random_state=seed, n_jobs=1).fit(corpus)
    return Topics(model.topic_word_, model.transform(corpus))


def nmf(corpus: Corpus, n_topics: int, seed: int) -> Topics:
    """scikit-learn's NMF of tf-idf, from singular vectors."""
    from sklearn.decomposition import NMF
    from sklearn.feature_extraction.text import TfidfTransformer

    weights = TfidfTransformer().fit_transform(matrix_of(corpus))
    model = NMF(n_topics, init="nndsvd", random_state=seed, max_iter=400)
    shares = model.fit_transform(weights)
    words = model.components_.astype(np.float64)  # in single precision if the counts are
    return Topics(words, shares.astype(np.float64) * words.sum(axis=1))


PROGRAMS: dict[str, Program] = {OWN: lda, THEIRS: nmf}


def documents_of(name: str) -> list[str]:
    """The documents of a collection."""
    return [page["en"] for page in pages(name) if "en" in page] if name in PAGES else texts(name)


def half_of(documents: list[str], seed: int) -> Half:
    """The halves of a collection, by a seed; both are read with the vocabulary of the first."""
    order = np.random.default_rng(seed).permutation(len(documents))
    first, second = ([documents[place] for place in each] for each in np.array_split(order, 2))
    learned = Corpus.from_texts(first)
    return Half(learned, Corpus.from_texts(second, vocabulary=learned.vocabulary))


def evidence_of(topics: Topics, corpus: Corpus) -> WordEvidence:
    """What words are ranked by, counted in the documents that the topics were learned from."""
    words = Dense(topics.words / np.maximum(topics.words.sum(axis=1, keepdims=True), 1e-300))
    n_topics, n_words = words.shape
    theta = topics.documents / np.maximum(topics.documents.sum(axis=1, keepdims=True), 1e-300)
    bags = Bags.join([corpus.bags(block) for block in range(len(corpus.block_sizes))])
    sums = np.zeros((n_words, 4 * n_topics + 1))
    own = topics_of_documents(theta, bags)
    add_documents(bags, own, np.ascontiguousarray(words.topic_word.T), [slice(0, n_words)], sums)
    counted = sides_of(sums, [slice(0, n_words)])
    meetings = np.zeros(0)
    for block in range(len(corpus.block_sizes)):
        own, text = corpus.bags(block), corpus.sequences(block)
        row = count_meetings_of(
            Tokens(own.offsets, own.words), Tokens(text.offsets, text.words), counted, n_words
        )
        meetings = meetings + row if len(meetings) else row
    tokens = np.asarray(matrix_of(corpus).sum(axis=1)).ravel() @ theta
    return WordEvidence(words, tokens / tokens.sum(), None, with_company(counted, meetings))


def c_tf_idf(topics: Topics, counts: csr_matrix, n: int) -> NDArray[np.int64]:
    """The first words of each topic by BERTopic's tf · log (1 + A / f): tf of the documents whose largest
    topic it is, f of all, A the mean of the topics' tokens."""
    largest = topics.documents.argmax(axis=1)
    n_topics = topics.words.shape[0]
    places = np.arange(len(largest))
    member = csr_matrix((np.ones(len(largest)), (largest, places)), (n_topics, len(largest)))
    tf = np.asarray((member @ counts).toarray(), np.float64)
    f = np.maximum(tf.sum(axis=0), 1e-300)
    scores = tf / np.maximum(tf.sum(axis=1, keepdims=True), 1.0) * np.log1p(tf.sum() / n_topics / f)
    return np.argsort(-scores, axis=1, kind="stable")[:, :n]


def tops_of(topics: Topics, corpus: Corpus) -> dict[str, NDArray[np.int64]]:
    """The first words of each topic by each ranking."""
    evidence = evidence_of(topics, corpus)
    tops = {by: ranking(evidence, WORDS, slice(None)).words for by, ranking in RANKINGS.items()}
    return {**tops, C_TF_IDF: c_tf_idf(topics, matrix_of(corpus), WORDS)}


class Scores(NamedTuple):
    """One run: NPMI in the other half and diversity, by ranking; CPU seconds of learning."""

    npmi: Mapping[str, float]
    diversity: Mapping[str, float]
    seconds: float


def scores_of(program: Program, half: Half, n_topics: int, seed: int) -> Scores:
    """Learn topics from a half, and score their words in the other one."""
    start = time.process_time()
    topics = program(half.learned, n_topics, seed)
    seconds = time.process_time() - start
    tops = tops_of(topics, half.learned)
    words = half.learned.vocabulary.words
    spelled = [[words[row] for row in topic] for top in tops.values() for topic in top.tolist()]
    each = np.split(coherence(spelled, half.others).npmi.per_topic, len(tops))
    return Scores(
        {by: float(own.mean()) for by, own in zip(tops, each, strict=True)},
        {by: topic_diversity(top) for by, top in tops.items()},
        seconds,
    )


class RunKey(NamedTuple):
    """What a run is known by."""

    corpus: str
    n_topics: int
    program: str
    seed: int


class Runs:
    """The runs of a file, one per line. Those that are missing are made, and added to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[RunKey, Scores] = {}
        self.halves: dict[tuple[str, int], Half] = {}  # of the collection at work
        for line in path.read_text().splitlines() if path.exists() else ():
            row = json.loads(line)
            self.known[RunKey(*row["run"])] = Scores(**row["scores"])

    def scores(self, key: RunKey) -> Scores:
        """The scores of a run, which is made if the file lacks it."""
        if key not in self.known:
            made = scores_of(PROGRAMS[key.program], self._half(key.corpus, key.seed), key.n_topics, key.seed)
            self.known[key] = made
            with self.path.open("a") as file:
                file.write(json.dumps({"run": key, "scores": made._asdict()}) + "\n")
        return self.known[key]

    def _half(self, corpus: str, seed: int) -> Half:
        if (corpus, seed) not in self.halves:
            self.halves = {each: half for each, half in self.halves.items() if each[0] == corpus}
            self.halves[corpus, seed] = half_of(documents_of(corpus), seed)
        return self.halves[corpus, seed]


def rows_of(name: str, collection: str, n_topics: int, runs: list[Scores]) -> Iterator[Row]:
    """A row for each ranking: means over the seeds."""
    for by in runs[0].npmi:
        yield {
            "corpus": collection,
            "K": n_topics,
            "program": name,
            "words by": by,
            "NPMI": f"{np.mean([run.npmi[by] for run in runs]):.3f}",
            "of seeds": " ".join(f"{run.npmi[by]:.3f}" for run in runs),
            "diversity": f"{np.mean([run.diversity[by] for run in runs]):.2f}",
            "CPU s": f"{np.mean([run.seconds for run in runs]):.1f}",
        }


def measure(report: Report, args: argparse.Namespace) -> None:
    warnings.simplefilter("ignore")
    corpora = QUICK if args.quick else args.corpora
    sizes, seeds = ((30,), SEEDS[:1]) if args.quick else (args.topics, args.seeds)
    report.section(
        "Topics",
        f"Learned from one half of the documents. NPMI of {WORDS} words of each topic in windows of 200 "
        f"words of the other half, the mean and that of each seed; diversity of {WORDS} words. CPU s: a run, "
        "and topics of its documents. NMF by probability is by weight, as its users see it.",
        COLUMNS,
    )
    path = report.out / "coherence.runs.jsonl"
    if args.new:
        path.unlink(missing_ok=True)
    known = Runs(path)
    ahead: list[bool] = []
    for corpus in corpora:
        if not report.has(corpus):
            continue
        for n_topics in sizes:
            runs: dict[str, list[Scores]] = {}
            for name in args.programs:
                runs[name] = [known.scores(RunKey(corpus, n_topics, name, seed)) for seed in seeds]
                for row in rows_of(name, corpus, n_topics, runs[name]):
                    report.row(row)
            if len(runs) == len(PROGRAMS):
                gaps = [
                    a.npmi[DEFAULT] - b.npmi["probability"]
                    for a, b in zip(runs[OWN], runs[THEIRS], strict=True)
                ]
                ahead.append(float(np.mean(gaps)) >= 0.0)
    report.say(f"{OWN} by {DEFAULT} is not below {THEIRS} by weight: {sum(ahead)} of {len(ahead)}")


def parser() -> argparse.ArgumentParser:
    found = options(__doc__)
    found.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS), help="only these")
    found.add_argument(
        "--corpora", nargs="+", choices=COLLECTIONS, default=list(COLLECTIONS), help="only these"
    )
    found.add_argument("--topics", nargs="+", type=int, default=list(TOPICS), help="numbers of topics")
    found.add_argument("--seeds", nargs="+", type=int, default=list(SEEDS), help="seeds of halves and runs")
    found.add_argument("--new", action="store_true", help="repeat runs that were made before")
    found.add_argument("--quick", action="store_true", help="two collections, 30 topics, one seed")
    return found


if __name__ == "__main__":
    run("coherence", "Coherence of topics compared with NMF's", parser(), measure)
