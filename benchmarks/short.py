"""Topics of short texts: LDA by each inference, with and without concepts of word vectors, NMF and GSDMM.

Five collections of titles and sentences of 2 to 9 known words, each read by the default analysis and
vocabulary, 20 topics. Where texts have labels, the largest topic of each text is compared with its label by
normalized mutual information (NMI) and purity; texts without a known word count as a topic of their own. If
they have none, the score is the NPMI of ten words of each topic in windows of 200 words of other, whole
documents, and the share of different words among all of them. Word vectors are learned from the whole
documents that the short texts are from. `make bench WHAT=short` runs it: some ten minutes.
"""

import argparse
import re
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from benchmarks.coherence import Topics, evidence_of, nmf
from benchmarks.corpora import matrix_of
from benchmarks.harness import Report, options, run
from numpy.typing import NDArray
from reproduce.texts import DATA, PAGES, cut, read_rows, rows

from stickbreaker import LDA, ConceptTree, Corpus
from stickbreaker.topics.evaluation import coherence, topic_diversity
from stickbreaker.topics.model.word_ranking import DEFAULT, RANKINGS

TOPICS, WORDS, SEEDS = 20, 10, 3
LINE = 60, 140  # characters of a line of a blog
SWEEPS = 30  # of GSDMM, as in its paper
COLUMNS = ("collection", "program", "score", "of seeds", "second score", "CPU s")
_REPLY = re.compile(r"\A((re|fwd?)\s*(\[\d+\])?\s*:\s*)+", re.IGNORECASE)
_END = re.compile(r"(?<=[.!?])[\"')]*\s+")


class Texts(NamedTuple):
    """Short texts, with the label of each or none, the whole documents that they are from, and other ones."""

    short: Sequence[str]
    labels: Sequence[str]
    whole: Sequence[str]
    others: Sequence[str]


def subjects() -> Texts:
    """The subjects of 20 Newsgroups' postings, each once, with their group."""
    found = rows("20 Newsgroups")
    labels: dict[str, str] = {}
    for row in found:
        labels.setdefault(_REPLY.sub("", row["subject"] or "").strip(), row["label"])
    labels.pop("", None)
    return Texts(list(labels), list(labels.values()), [row["text"] for row in found], ())


def headings() -> Texts:
    """The headings of LibreOffice's help, each once, with the part of the program that they belong to."""
    labels: dict[str, str] = {}
    pages: dict[str, list[str]] = {}
    for row in read_rows(DATA / PAGES["LibreOffice"][0]):
        text, folders = row.get("en"), [one for one in row["doc"].split("/") if one != "text"]
        if text and row["id"].startswith("hd_"):
            labels.setdefault(text, folders[0])
        if text:
            pages.setdefault(row["doc"], []).append(text)
    return Texts(list(labels), list(labels.values()), list(map("\n".join, pages.values())), ())


def sentences(name: str, pick: Callable[[list[str]], str | None]) -> Texts:
    """One sentence of each document of half of a collection; the other half scores topics."""
    half, others = cut([row["text"] for row in rows(name)], 0.5)
    picked = (pick(_END.split(" ".join(text.split()))) for text in half)
    return Texts([text for text in picked if text], (), half, others)


def first(found: list[str]) -> str | None:
    """The first sentence."""
    return found[0]


def line(found: list[str]) -> str | None:
    """The first sentence as long as a tweet."""
    least, most = LINE
    return next((text for text in found if least <= len(text) <= most), None)


COLLECTIONS: dict[str, tuple[str, Callable[[], Texts]]] = {  # needs the corpus
    "subjects of 20 Newsgroups": ("20 Newsgroups", subjects),
    "headings of LibreOffice's help": ("LibreOffice", headings),
    "first sentences of AP": ("AP", partial(sentences, "AP", first)),
    "first sentences of film reviews": ("film reviews", partial(sentences, "film reviews", first)),
    "lines of blogs": ("blogs", partial(sentences, "blogs", line)),
}


class Collection:
    """Short texts as a corpus, and what scores topics of them."""

    def __init__(self, texts: Texts) -> None:
        self.texts, self.corpus = texts, Corpus.from_texts(texts.short)
        self.counts = matrix_of(self.corpus)
        self.labels = np.unique(texts.labels, return_inverse=True)[1]

    @cached_property
    def others(self) -> Corpus:
        """The documents whose windows score topics."""
        return Corpus.from_texts(self.texts.others, vocabulary=self.corpus.vocabulary)

    @cached_property
    def tree(self) -> ConceptTree:
        """Concepts of word vectors that are learned from the whole documents."""
        return ConceptTree.from_vectors(Corpus.from_texts(self.texts.whole), self.corpus)

    def scores(self, topics: Topics) -> tuple[float, float]:
        """NMI and purity, or NPMI and diversity."""
        if self.texts.labels:
            from sklearn.metrics import normalized_mutual_info_score

            known = np.diff(self.counts.indptr) > 0
            largest = np.where(known, topics.documents.argmax(axis=1), -1)
            most = sum(np.bincount(self.labels[largest == topic]).max() for topic in np.unique(largest))
            return float(normalized_mutual_info_score(self.labels, largest)), float(most / len(largest))
        top = RANKINGS[DEFAULT](evidence_of(topics, self.corpus), WORDS, slice(None)).words
        words = self.corpus.vocabulary.words
        spelled = [[words[row] for row in topic] for topic in top.tolist()]
        return float(coherence(spelled, self.others).npmi.per_topic.mean()), topic_diversity(top)


def lda(of: Collection, seed: int, *, concepts: bool = False, **settings: Any) -> Topics:
    """`LDA` with settings."""
    words = of.tree if concepts else "closed"
    model = LDA(TOPICS, words=words, random_state=seed, n_jobs=1, **settings).fit(of.corpus)
    return Topics(model.topic_word_, model.transform(of.corpus))


def gsdmm(of: Collection, seed: int, alpha: float = 0.1, beta: float = 0.1) -> Topics:
    """The mixture of one topic per text by collapsed Gibbs sampling (Yin and Wang 2014, eq. 4)."""
    generator, counts = np.random.default_rng(seed), of.counts.tocsr()
    n_documents, n_words = counts.shape
    texts = [
        np.repeat(counts.indices[a:b], counts.data[a:b].astype(int))
        for a, b in zip(counts.indptr[:-1], counts.indptr[1:], strict=True)
    ]
    before = [_met_before(text) for text in texts]  # of each token, how often the text had its word before
    own = generator.integers(TOPICS, size=n_documents)
    sizes = np.bincount(own, minlength=TOPICS).astype(float)
    words = np.zeros((TOPICS, n_words))
    for text, topic in zip(texts, own.tolist(), strict=True):
        np.add.at(words[topic], text, 1.0)
    totals = words.sum(axis=1)

    def shares(number: int) -> NDArray[np.float64]:
        text, places = texts[number], np.arange(len(texts[number]))
        logs = np.log(sizes + alpha) + np.log(words[:, text] + beta + before[number]).sum(axis=1)
        logs -= np.log(totals[:, None] + n_words * beta + places).sum(axis=1)
        found = np.exp(logs - logs.max())
        return found / found.sum()

    def move(number: int, topic: int, by: float) -> None:
        sizes[topic] += by
        totals[topic] += by * len(texts[number])
        np.add.at(words[topic], texts[number], by)

    for _ in range(SWEEPS):
        for number in range(n_documents):
            move(number, int(own[number]), -1.0)
            own[number] = generator.choice(TOPICS, p=shares(number))
            move(number, int(own[number]), 1.0)
    topics = (words + beta) / (totals[:, None] + n_words * beta)
    return Topics(topics, np.array([shares(number) for number in range(n_documents)]))


def _met_before(text: NDArray[np.int32]) -> NDArray[np.int64]:
    """For each token of a sorted text, how often its word stands before it."""
    return np.arange(len(text)) - np.searchsorted(text, text)


Program = Callable[[Collection, int], Topics]
SAMPLED = {"inference": "gibbs", "alpha": 0.1, "eta": 0.1}
PROGRAMS: dict[str, Program] = {
    "LDA, all defaults": lda,
    "mean-field, α = .6, η = 1": partial(lda, alpha=0.6, eta=1.0),
    "hybrid, α = η = .1": partial(lda, **{**SAMPLED, "inference": "hybrid"}),
    "Gibbs, α learned, η = .01": partial(lda, inference="gibbs"),
    "Gibbs, α = η = .1": partial(lda, **SAMPLED),
    "concepts, mean-field": partial(lda, concepts=True),
    "concepts, Gibbs, α = .1": partial(lda, concepts=True, inference="gibbs", alpha=0.1),
    "NMF of tf-idf": lambda of, seed: nmf(of.corpus, TOPICS, seed),
    "GSDMM": gsdmm,
}


def rows_of(name: str, of: Collection, programs: Iterable[str], seeds: int) -> Iterable[dict[str, Any]]:
    """A row for each program: means over seeds."""
    for program in programs:
        start = time.process_time()
        scores = [of.scores(PROGRAMS[program](of, seed)) for seed in range(seeds)]
        yield {
            "collection": name,
            "program": program,
            "score": f"{np.mean([one for one, _ in scores]):.3f}",
            "of seeds": " ".join(f"{one:.3f}" for one, _ in scores),
            "second score": f"{np.mean([other for _, other in scores]):.3f}",
            "CPU s": f"{(time.process_time() - start) / seeds:.1f}",
        }


def measure(report: Report, args: argparse.Namespace) -> None:
    warnings.simplefilter("ignore")
    for name, (needs, read) in COLLECTIONS.items():
        if not report.has(needs):
            continue
        of = Collection(read())
        _ = of.tree  # not in the time of its programs
        scores = "NMI, purity" if of.texts.labels else "NPMI, diversity"
        about = (
            f"{of.corpus.n_documents:,} texts, {of.corpus.n_empty:,} without a known word, "
            f"{of.corpus.n_words:,} words, {of.corpus.n_tokens / of.corpus.n_documents:.1f} per text. "
            f"{scores}."
        )
        report.section(name, about, COLUMNS)
        for row in rows_of(name, of, args.programs, 1 if args.quick else SEEDS):
            report.row(row)


def parser() -> argparse.ArgumentParser:
    found = options(__doc__)
    found.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS), help="only these")
    found.add_argument("--quick", action="store_true", help="one seed")
    return found


if __name__ == "__main__":
    run("short", "Topics of short texts", parser(), measure)
