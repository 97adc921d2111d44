"""Do the words of topics occur together? Latent Dirichlet allocation compared with NMF on tf-idf, by one
scorer.

`make bench` runs it after the benchmark of LDA; by itself it is `make bench WHAT=coherence`, half an hour of
one core. All programs get the same counts: 20 Newsgroups (the training part), AP and blogs, with the
library's own analysis and vocabulary. Each learns from one half of the documents, and chooses its words
there; how often these words meet is counted in the other half. Words of every program are ranked in the same
ways, by the same code: those of the library, and the c-TF-IDF of BERTopic (documents go to their largest
topic). Three seeds, which also divide the documents.
"""

import argparse
import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from benchmarks.cell import without_missing
from benchmarks.contest import Settings
from benchmarks.corpora import matrix_of
from benchmarks.harness import Report, Row, options, run
from benchmarks.settings import program_of
from benchmarks.watch import Watch
from numpy.typing import NDArray
from reproduce.texts import rows
from scipy.sparse import csr_matrix

from stickbreaker import LDA, Corpus
from stickbreaker.corpus.shards import Bags
from stickbreaker.topics.evaluation import npmi, topic_diversity
from stickbreaker.topics.model.topic_words import Dense
from stickbreaker.topics.model.word_documents import WordDocuments, keep_first
from stickbreaker.topics.model.word_ranking import RANKINGS, WordEvidence, relevant_words
from stickbreaker.topics.runs.word_counting import add_documents, company_from, count_company

Array = NDArray[np.float64]

LABELS = {"AP": None, "blogs": "industry", "20 Newsgroups": "label"}  # the field with a document's label
TOPICS = (20, 50)
PASSES = 10  # for the programs that do not stop by themselves
WORDS, DIVERSE = 10, 25  # words per topic: for NPMI, for diversity
SEEDS = (0, 1, 2)
C_TF_IDF, SAME_DIVERSITY = "c-TF-IDF", "relevance, diversity of documents"
LAMBDAS = tuple(np.linspace(0.0, 1.0, 21))
OWN, THEIRS = "stickbreaker", "NMF on tf-idf"
COLUMNS = ("corpus", "K", "program", "words by", "NPMI", "of seeds", "diversity", "purity", "CPU s")
SETTINGS: dict[str, Settings] = {"scikit-learn": {"max_doc_update_iter": 20}}


class Topics(NamedTuple):
    """The result of a program: topics × words, and documents × topics of the documents learned from."""

    words: Array
    documents: Array


class Program(Protocol):
    """A program that learns topics from counts."""

    def __call__(self, counts: csr_matrix, n_topics: int, seed: int) -> Topics: ...


def stickbreaker(counts: csr_matrix, n_topics: int, seed: int) -> Topics:
    """`LDA`, which stops by itself."""
    lda = LDA(n_topics, random_state=seed, n_jobs=1).fit(Corpus.from_matrix(counts))
    return Topics(lda.topic_word_, lda.transform(Corpus.from_matrix(counts)))


def nmf(counts: csr_matrix, n_topics: int, seed: int) -> Topics:
    """scikit-learn's NMF of tf-idf, from singular vectors."""
    from sklearn.decomposition import NMF
    from sklearn.feature_extraction.text import TfidfTransformer

    weights = TfidfTransformer().fit_transform(counts)
    model = NMF(n_topics, init="nndsvd", random_state=seed, max_iter=400)
    shares = model.fit_transform(weights)
    words = model.components_.astype(np.float64)  # in single precision if the counts are
    return Topics(words, shares.astype(np.float64) * words.sum(axis=1))


@dataclass(frozen=True)
class Peer:
    """A program of the benchmark of LDA, for `PASSES` passes."""

    name: str

    def __call__(self, counts: csr_matrix, n_topics: int, seed: int) -> Topics:
        program = program_of(self.name)
        program.fit(counts, n_topics, seed, SETTINGS.get(self.name, {}), Watch((PASSES,), lambda topics: 0.0))
        return Topics(program.topics(), program.theta(counts))


PROGRAMS: dict[str, Program] = {
    "stickbreaker": stickbreaker,
    "NMF on tf-idf": nmf,
    "scikit-learn": Peer("scikit-learn"),
    "gensim": Peer("gensim"),
}


class Collection(NamedTuple):
    """Documents × words, and the documents' labels or none."""

    name: str
    counts: csr_matrix
    labels: NDArray[np.str_] | None


class Half(NamedTuple):
    """Documents to learn from, with their labels, and the other half, in which words are counted."""

    counts: csr_matrix
    labels: NDArray[np.str_] | None
    others: Bags


def load(name: str) -> Collection:
    """A collection by name."""
    documents = rows(name)
    counts = matrix_of(Corpus.from_texts([document["text"] for document in documents])).astype(np.float32)
    field = LABELS[name]
    labels = None if field is None else np.array([document[field] for document in documents])
    return Collection(name, counts, labels)


def half_of(collection: Collection, seed: int) -> Half:
    """The halves of a collection, by a seed. Words that the first half lacks stay in the vocabulary."""
    order = np.random.default_rng(seed).permutation(collection.counts.shape[0])
    first, second = np.array_split(order, 2)
    labels = None if collection.labels is None else collection.labels[first]
    return Half(collection.counts[first], labels, _bags(collection.counts[second]))


def _bags(counts: csr_matrix) -> Bags:
    return Bags(counts.indptr.astype(np.int64), counts.indices, counts.data, np.zeros(counts.shape[0]))


def evidence_of(topics: Topics, counts: csr_matrix) -> WordEvidence:
    """The counts that words are ranked by, of the documents that the topics were learned from."""
    words = Dense(topics.words / topics.words.sum(axis=1, keepdims=True))
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    tokens = lengths @ (topics.documents / np.maximum(topics.documents.sum(axis=1, keepdims=True), 1e-300))
    bags, (n_topics, n_words) = _bags(counts), words.shape
    documents = np.zeros((n_words, n_topics + 1))
    add_documents(bags, topics.documents, words, documents)
    side = keep_first(documents[:, :-1], documents[:, -1], slice(0, n_words))
    company = company_from(side, count_company(bags, side, n_words))
    counted = WordDocuments((side._replace(company=company),))
    return WordEvidence(words, tokens / tokens.sum(), None, counted)


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


def tops_of(topics: Topics, counts: csr_matrix, diversity: float | None) -> dict[str, NDArray[np.int64]]:
    """The first words of each topic by each ranking. `diversity`: the one that the λ of relevance is chosen
    for."""
    evidence = evidence_of(topics, counts)
    tops = {by: ranking(evidence, DIVERSE, slice(None)).words for by, ranking in RANKINGS.items()}
    tops[C_TF_IDF] = c_tf_idf(topics, counts, DIVERSE)
    if diversity is not None:
        by_lambda = [
            relevant_words(evidence.topics, evidence.shares, DIVERSE, weight=float(one)).words
            for one in LAMBDAS
        ]
        tops[SAME_DIVERSITY] = min(by_lambda, key=lambda top: abs(topic_diversity(top) - diversity))
    return tops


def purity(shares: Array, labels: NDArray[np.str_]) -> float:
    """Share of the documents whose label is the most frequent of those with the same largest topic."""
    largest = shares.argmax(axis=1)
    groups = [labels[largest == topic] for topic in np.unique(largest)]
    return sum(int(np.unique(group, return_counts=True)[1].max()) for group in groups) / len(labels)


class Scores(NamedTuple):
    """One run: NPMI in the other half and diversity, by ranking; purity of documents; CPU seconds."""

    npmi: Mapping[str, float]
    diversity: Mapping[str, float]
    purity: float | None
    seconds: float


def scores_of(name: str, half: Half, n_topics: int, seed: int, diversity: float | None) -> Scores:
    """Learn topics from a half, and score their words in the other one."""
    start = time.process_time()
    topics = PROGRAMS[name](half.counts, n_topics, seed)
    seconds = time.process_time() - start
    tops = tops_of(topics, half.counts, diversity)
    n_words = half.counts.shape[1]
    return Scores(
        {by: npmi(top[:, :WORDS], [half.others], n_words).mean for by, top in tops.items()},
        {by: topic_diversity(top) for by, top in tops.items()},
        None if half.labels is None else purity(topics.documents, half.labels),
        seconds,
    )


def rows_of(name: str, collection: Collection, n_topics: int, runs: list[Scores]) -> Iterator[Row]:
    """A row for each ranking: means over the seeds."""
    for by in runs[0].npmi:
        pure = [run.purity for run in runs if run.purity is not None]
        yield {
            "corpus": collection.name,
            "K": n_topics,
            "program": name,
            "words by": by,
            "NPMI": f"{np.mean([run.npmi[by] for run in runs]):.3f}",
            "of seeds": " ".join(f"{run.npmi[by]:.3f}" for run in runs),
            "diversity": f"{np.mean([run.diversity[by] for run in runs]):.2f}",
            "purity": f"{np.mean(pure):.3f}" if pure else None,
            "CPU s": f"{np.mean([run.seconds for run in runs]):.1f}",
        }


def aims_of(own: list[Scores], other: list[Scores]) -> dict[str, bool]:
    """Whether words by documents are above NMF's by relevance at the same diversity, words by company level
    with NMF's by weight, and topics purer."""

    def gap(by: str, by_other: str) -> float:
        return float(np.mean([a.npmi[by] - b.npmi[by_other] for a, b in zip(own, other, strict=True)]))

    aims = {
        "documents above NMF by relevance": gap("documents", "relevance") > 0.0,
        "documents above NMF by relevance of the same diversity": gap("documents", SAME_DIVERSITY) > 0.0,
        "company level with NMF by weight": gap("company", "probability") > -0.01,
    }
    if own[0].purity is not None:
        pairs = zip(own, other, strict=True)
        aims["purer than NMF"] = float(np.mean([(a.purity or 0) - (b.purity or 0) for a, b in pairs])) > 0.0
    return aims


def measure(report: Report, args: argparse.Namespace) -> None:
    warnings.simplefilter("ignore")
    peers = {
        *without_missing(report, tuple(name for name in args.programs if isinstance(PROGRAMS[name], Peer)))
    }
    programs = [name for name in args.programs if name in peers or not isinstance(PROGRAMS[name], Peer)]
    report.section(
        "Topics",
        f"Learned from one half of the documents. NPMI of {WORDS} words of each topic in the other half, "
        f"the mean and that of each seed; diversity of {DIVERSE} words; purity: share of documents with the "
        "most frequent label of their largest topic (newsgroup; for blogs the industry). AP has no labels. "
        f"CPU s: a run, and topics of its documents. NMF by probability is by weight. '{SAME_DIVERSITY}': "
        f"relevance at the λ, among {len(LAMBDAS)}, whose diversity is nearest to that of {OWN} by "
        "documents.",
        COLUMNS,
    )
    met: dict[str, list[bool]] = {}
    for corpus in args.corpora:
        if not report.has(corpus):
            continue
        collection = load(corpus)
        for n_topics in args.topics:
            runs: dict[str, list[Scores]] = {}
            for name in programs:
                for seed in SEEDS:
                    half = half_of(collection, seed)
                    own = runs[OWN][seed] if name == THEIRS and OWN in runs else None
                    diversity = None if own is None else own.diversity["documents"]
                    runs.setdefault(name, []).append(scores_of(name, half, n_topics, seed, diversity))
                for row in rows_of(name, collection, n_topics, runs[name]):
                    report.row(row)
            if OWN in runs and THEIRS in runs:
                for aim, yes in aims_of(runs[OWN], runs[THEIRS]).items():
                    met.setdefault(aim, []).append(yes)
    for aim, each in met.items():
        report.say(f"{aim}: {sum(each)} of {len(each)}")


def parser() -> argparse.ArgumentParser:
    found = options(__doc__)
    found.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS), help="only these")
    found.add_argument("--corpora", nargs="+", choices=LABELS, default=list(LABELS), help="only these")
    found.add_argument("--topics", nargs="+", type=int, default=list(TOPICS), help="numbers of topics")
    return found


if __name__ == "__main__":
    run("coherence", "Coherence of topics compared with NMF's", parser(), measure)
